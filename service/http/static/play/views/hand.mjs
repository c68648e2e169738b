/** The own hand: cards that are buttons, in rows, with their melds bracketed. */

/** @import { State } from "../types.ts" */
/** @import { Placed } from "../game/hand_order.mjs" */
/** @import { Words } from "../text/i18n.mjs" */
/** @import { Actions } from "../main.mjs" */
import { isWild, signs } from "../game/cards.mjs";
import { placed, spread } from "../game/hand_order.mjs";
import { wordsOf } from "../text/i18n.mjs";
import { isStill } from "../interaction/stage.mjs";
import { arrangementOf, shownIds } from "../game/state.mjs";
import { Component, html } from "../vendor/preact-htm.mjs";
import { face } from "./card.mjs";

const MOVE = 220;

/** @typedef {{state: State, act: Actions}} Props */

/** The hand. Cards that change their place glide there. @extends {Component<Props>} */
export class Hand extends Component {
  /** @type {Map<string, DOMRect>} */
  boxes = new Map();
  /** The focused card. @type {string | undefined} */
  focused;

  componentWillUpdate() {
    this.boxes = this.places();
    const focused = document.activeElement;
    const isOwn = focused instanceof HTMLElement && this.root()?.contains(focused);
    this.focused = isOwn ? focused.dataset.id : undefined;
  }

  componentDidUpdate() {
    this.keepFocus();
    this.glide();
  }

  /** A card that moves in the page loses the focus, and one that is gone had it. */
  keepFocus() {
    if (!this.focused || this.root()?.contains(document.activeElement)) return;
    const [same, first] = [`[data-id="${this.focused}"]`, "[tabindex='0']"];
    const next = this.root()?.querySelector(same) ?? this.root()?.querySelector(first);
    /** @type {HTMLElement | null | undefined} */ (next)?.focus();
  }

  glide() {
    if (isStill() || this.props.state.settings.speed === "instant") return;
    for (const [id, box] of this.places()) {
      const before = this.boxes.get(id);
      const [x, y] = before ? [before.left - box.left, before.top - box.top] : [0, 0];
      if (Math.abs(x) + Math.abs(y) < 2) continue;
      this.element(id)?.animate(
        [{ transform: `translate(${x}px, ${y}px)` }, { transform: "none" }],
        { duration: MOVE, easing: "ease-out" },
      );
    }
  }

  places() {
    const slots = this.root()?.querySelectorAll(".slot") ?? [];
    return new Map([...slots].map((slot) => [slot.id, slot.getBoundingClientRect()]));
  }

  /** @param {string} id */
  element(id) {
    return document.getElementById(id);
  }

  root() {
    return /** @type {Element | undefined} */ (this.base);
  }

  render() {
    const { state, act } = this.props;
    const words = wordsOf(state);
    const cards = placed(shownIds(state), state.settings.sort, arrangementOf(state));
    const slots = (state.table?.round?.hand_size ?? 3) + 1;
    const { places, columns, most, widths, rows } = spread(cards, state.narrow, slots, state.tiny);
    const focusable = cards.find((each) => each.id === state.selected) ?? cards[0];
    return html`<div class=${`hand rows-${rows} ${slots > 5 ? "many" : ""}`} role="group" aria-label=${words.hand}
        style=${{ "--columns": columns, "--most": most }}>
      ${cards.map((card, number) => {
        const { column, row } = places.get(card.id);
        const shift = (columns - widths[row]) / 2;
        const style = { "--column": column + shift, "--row": row };
        const neighbours = [cards[number - 1], cards[number + 1]].map((other) =>
          other && places.get(other.id).row === row ? other : undefined,
        );
        return cardButton(state, act, words, card, style, neighbours, card === focusable);
      })}
    </div>`;
  }
}

/** @param {State} state @param {Actions} act @param {Words} words @param {Placed} placed
 * @param {Record<string, number>} style @param {(Placed | undefined)[]} neighbours
 * @param {boolean} focusable */
function cardButton(state, act, words, placed, style, neighbours, focusable) {
  const { id, card, meld, standsFor } = placed;
  const { table, settings, hint } = state;
  const wild = isWild(card, table?.round?.wild_rank);
  const isSelected = state.selected === id;
  const showsMelds = settings.deadwood;
  const classes = [
    "held-card",
    isSelected && "selected",
    state.arriving === id && "arriving",
    table?.drawn === card && isNewest(state, id) && "drawn",
    showsMelds && meld === null && "loose",
    hint?.action.card === card && "hinted",
  ];
  return html`<span class="slot" key=${id} id=${`slot-${id}`} style=${style}>
    <button type="button" class=${classes.filter(Boolean).join(" ")} data-card=${card} data-id=${id}
        aria-label=${label(state, words, placed)} aria-pressed=${isSelected}
        tabindex=${focusable ? 0 : -1} onClick=${() => act.select(id)}>
      ${face(card, settings.colours)}
      ${wild && html`<span class="wild-mark" data-mark=${standsFor && standsFor !== card ? `= ${signs(standsFor)}` : "★"}></span>`}
    </button>
    ${showsMelds && meld !== null && html`<span class=${tabClasses(placed, neighbours)} aria-hidden="true"></span>`}
  </span>`;
}

/** A card's name in words. @param {State} state @param {Words} words @param {Placed} placed */
function label(state, words, { id, card, kind, standsFor }) {
  const wild = isWild(card, state.table?.round?.wild_rank);
  const parts = [words.card(card)];
  if (wild) parts.push(words.wild);
  if (kind && state.settings.deadwood) parts.push(words.inMeld[kind]);
  if (kind && standsFor && standsFor !== card) parts.push(words.standsFor(words.card(standsFor)));
  if (state.table?.drawn === card && isNewest(state, id)) parts.push(words.justDrawn);
  return parts.join(", ");
}

/** Whether it is the copy that was taken last. @param {State} state @param {string} id */
function isNewest({ order, table }, id) {
  return order.findLast((each) => each.startsWith(`${table?.drawn}#`)) === id;
}

/** @param {Placed} placed @param {(Placed | undefined)[]} neighbours */
function tabClasses({ meld }, [before, next]) {
  const ends = [before?.meld !== meld && "first", next?.meld !== meld && "last"];
  return ["tab", `meld-${(meld ?? 0) % 4}`, ...ends].filter(Boolean).join(" ");
}
