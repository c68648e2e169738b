/** Play by keys: arrows among the cards, Enter, D stock, P pile, H hint, S sort, G go out, U take back. */

/** @import { Actions } from "../main.mjs" */
/** @import { Store } from "../game/state.mjs" */
import { isDue } from "../game/state.mjs";

/** They press what has the focus. */
const PRESSES = [" ", "Enter"];
const STEPS = new Map([["ArrowLeft", -1], ["ArrowRight", 1]]);

/** @param {Store} store @param {Actions} act */
export function watchKeys(store, act) {
  /** @type {Record<string, () => unknown>} */
  const letters = {
    d: () => drawThenFocus(() => act.draw("stock")),
    p: () => drawThenFocus(() => act.draw("discard")),
    h: () => act.hint(),
    s: () => act.nextSort(),
    g: () => act.goOut(),
    u: () => takeBackThenFocus(),
    enter: () => act.discard(),
    " ": () => act.skip(),
  };

  function takeBackThenFocus() {
    act.takeBack();
    /** @type {HTMLElement | null} */ (document.querySelector(".hand .selected"))?.focus();
  }

  /** @param {() => Promise<void>} draw */
  async function drawThenFocus(draw) {
    act.skip();
    await settled(store);
    if (!isDue(store.get(), "draw")) return;
    await draw();
    /** @type {HTMLElement | null} */ (document.querySelector(".hand .drawn"))?.focus();
  }

  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || store.get().screen !== "table") return;
    const target = /** @type {Element} */ (event.target);
    if (target.closest("select, input, textarea, dialog")) return;
    const step = STEPS.get(event.key) ?? rowStep(event.key);
    const letter = letters[event.key.toLowerCase()];
    if (step) {
      event.preventDefault();
      moveFocus(step);
    } else if (event.key === "Escape") {
      if (store.get().held) takeBackThenFocus();
      else store.set({ selected: null, hint: null });
    } else if (event.key === "Home" || event.key === "End") {
      moveFocus(event.key === "Home" ? -Infinity : Infinity);
    } else if (letter && !(PRESSES.includes(event.key) && target.closest("button, a, summary"))) {
      event.preventDefault();
      letter();
    }
  });
}

/** Until nothing is played back any more. @param {Store} store */
async function settled(store) {
  while (store.get().playing) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** The cards of half a hand where it has two rows. @param {string} key */
function rowStep(key) {
  if (key !== "ArrowUp" && key !== "ArrowDown") return 0;
  const cards = document.querySelectorAll(".hand.rows-2 [data-card]").length;
  const step = Math.ceil(cards / 2);
  return key === "ArrowUp" ? -step : step;
}

/** @param {number} step */
function moveFocus(step) {
  const cards = [...document.querySelectorAll(".hand [data-card]")];
  if (cards.length === 0) return;
  const at = cards.indexOf(/** @type {Element} */ (document.activeElement));
  const start = at < 0 ? (step > 0 ? -1 : cards.length) : at;
  const next = Math.max(0, Math.min(cards.length - 1, start + step));
  /** @type {HTMLElement} */ (cards[next]).focus();
}
