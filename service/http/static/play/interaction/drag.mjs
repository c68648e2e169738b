/** Play by drag: a card to the pile, within the hand, or from a pile into the hand. */

/** @import { Actions } from "../main.mjs" */
/** @import { Store } from "../game/state.mjs" */
/** @import { Source } from "../types.ts" */
import { isDue } from "../game/state.mjs";

const LEAST = 8;

/**
 * @typedef {object} Drag
 * @property {number} pointer
 * @property {HTMLElement} element
 * @property {number} x where it began
 * @property {number} y
 * @property {boolean} moved
 */

/** @param {Store} store @param {Actions} act */
export function watchDrags(store, act) {
  /** @type {Drag | null} */
  let drag = null;

  document.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || !(event.target instanceof Element)) return;
    const element = event.target.closest(".hand [data-card], [data-pile]:not(:disabled)");
    if (!(element instanceof HTMLElement)) return;
    drag = { pointer: event.pointerId, element, x: event.clientX, y: event.clientY, moved: false };
  });

  document.addEventListener("pointermove", (event) => {
    if (!drag || event.pointerId !== drag.pointer) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(x, y) < LEAST) return;
    if (!drag.moved) {
      drag.moved = true;
      drag.element.setPointerCapture(event.pointerId);
      drag.element.classList.add("dragged");
    }
    drag.element.style.setProperty("transform", `translate(${x}px, ${y}px) scale(1.04)`);
  });

  document.addEventListener("pointerup", (event) => end(event, true));
  document.addEventListener("pointercancel", (event) => end(event, false));
  // The browser would take a drag for a click as well.
  document.addEventListener("dragstart", (event) => event.preventDefault());

  /** @param {PointerEvent} event @param {boolean} isDropped */
  function end(event, isDropped) {
    if (!drag || event.pointerId !== drag.pointer) return;
    const { element, moved } = drag;
    drag = null;
    if (!moved) return;
    const box = element.getBoundingClientRect();
    element.style.removeProperty("transform");
    element.classList.remove("dragged");
    if (!isDropped) return;
    addEventListener("click", swallow, { capture: true, once: true });
    setTimeout(() => removeEventListener("click", swallow, { capture: true }));
    drop(element, event, box);
  }

  /** @param {HTMLElement} element @param {PointerEvent} event @param {DOMRect} box */
  function drop(element, event, box) {
    const tray = document.querySelector(".tray")?.getBoundingClientRect();
    if (!tray) return;
    const isInTray = event.clientY >= tray.top;
    const { pile, id } = element.dataset;
    if (pile) {
      if (isInTray) act.draw(/** @type {Source} */ (pile));
    } else if (id && isInTray) act.arrange(id, cardAfter(id, event));
    else if (id && isDue(store.get(), "discard")) act.discard(id, box);
  }
}

/** The id of the card before which a card is dropped; null for the end.
 * @param {string} id @param {PointerEvent} event */
function cardAfter(id, { clientX, clientY }) {
  const cards = [...document.querySelectorAll(".hand .slot")].map((slot) => ({
    id: /** @type {HTMLElement | null} */ (slot.querySelector("[data-id]"))?.dataset.id ?? null,
    box: slot.getBoundingClientRect(),
  }));
  const others = cards.filter((each) => each.id !== id);
  const next = others.find(
    ({ box }) => clientY < box.bottom && clientX < box.left + box.width / 2 && clientY > box.top - 20,
  );
  return next?.id ?? rowEnd(others, clientY);
}

/** The first card of the row below, where a card is dropped at the end of a row.
 * @param {{id: string | null, box: DOMRect}[]} cards @param {number} y */
function rowEnd(cards, y) {
  return cards.find(({ box }) => box.top > y)?.id ?? null;
}

/** @param {Event} event */
function swallow(event) {
  event.stopPropagation();
  event.preventDefault();
}
