/** The seats of the others: name, cards, total, what each did last. */

/** @import { GameEvent, Seat, State } from "../types.ts" */
/** @import { Words } from "../text/i18n.mjs" */
import { imageOf, signs } from "../game/cards.mjs";
import { wordsOf } from "../text/i18n.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { chip } from "./card.mjs";

/** The others in the order of play, beginning at the left of the own seat. @param {State} state */
export function opponents(state) {
  const { table } = state;
  if (!table) return null;
  const others = table.you === null ? table.seats : after(table.seats, table.you);
  return html`<div class=${`opponents count-${others.length}`}>
    ${others.map((seat) => opponent(state, seat))}
  </div>`;
}

/** The other seats, beginning behind one. @param {Seat[]} seats @param {number} own */
const after = (seats, own) => [...seats.slice(own + 1), ...seats.slice(0, own)];

/** @param {State} state @param {Seat} seat */
function opponent(state, seat) {
  const words = wordsOf(state);
  const { table } = state;
  const moves = table?.turn?.seat === seat.seat;
  const isOut = table?.wentOut === seat.seat;
  const classes = ["seat", moves && "moves", isOut && "out"].filter(Boolean).join(" ");
  return html`<section class=${classes} data-seat=${seat.seat} key=${seat.seat}
      aria-label=${`${seat.name}, ${about(words, seat)}`} aria-current=${moves}>
    <div class="who">
      <span class=${`avatar tint-${seat.seat}`} aria-hidden="true">${[...seat.name][0]}</span>
      <span class="name">${seat.name} ${table?.round?.dealer === seat.seat && dealerMark(words)}<small>${about(words, seat)}</small></span>
      ${total(words, seat.total)}
    </div>
    <div class="backs" aria-hidden="true">
      ${Array.from({ length: seat.card_count }, (_, place) => html`<span class="back" key=${place}><img src=${imageOf("back", 2)} alt="" width="250" height="350" /></span>`)}
    </div>
    <div class="facts">
      <span class="count">${words.cards(seat.card_count)}</span>
      ${lastMove(state, words, seat)}
    </div>
    <div class="chips" role="group" aria-label=${words.shown}>
      ${seat.shown.map((card, place) => html`<span class="chip-place" key=${`${card}${place}`} style=${{ "--place": place * chipStep(seat.shown.length) }}>${chip(words, card)}</span>`)}
    </div>
  </section>`;
}

/** The distance of chips, in parts of their width: many overlap. @param {number} count */
const chipStep = (count) => Math.min(1, 3 / (count - 1));

/** @param {Words} words @param {Seat} seat */
function about(words, seat) {
  const level = words.levels[/** @type {keyof Words["levels"]} */ (seat.level ?? "")];
  return seat.away ? words.away : level ?? "";
}

/** A seat's points. @param {Words} words @param {number} points */
export const total = (words, points) => html`<span class="total" title=${words.total}>
  <span class="unseen">${words.total} </span><b key=${points} data-total=${points}>${points}</b>
</span>`;

/** @param {Words} words */
export const dealerMark = (words) => html`<span class="dealer" role="img" title=${words.dealer} aria-label=${words.dealer}>D</span>`;

/** What a seat did last, in a sign; the live region tells it in words.
 * @param {State} state @param {Words} words @param {Seat} seat */
function lastMove(state, words, seat) {
  const event = state.last[seat.seat];
  const text = event ? shortOf(words, event) : "";
  return html`<span class="last-move" aria-hidden="true">${text && html`<span key=${event.seq}>${text}</span>`}</span>`;
}

/** @param {Words} words @param {GameEvent} event */
function shortOf({ out }, event) {
  if (event.type === "card_drawn") return event.card ? `▲ ${signs(event.card)}` : "▲";
  if (event.type === "card_discarded") return `▼ ${signs(event.card)}`;
  return event.type === "went_out" ? out : "";
}
