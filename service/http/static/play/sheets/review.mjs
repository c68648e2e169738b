/** The review of a finished game: accuracy, loss and luck by round, and each move beside the best. */

/** @import { Review, ReviewMove, State } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
/** @import { Words } from "../text/i18n.mjs" */
import { wordsOf } from "../text/i18n.mjs";
import { handBefore, topBefore } from "../game/review.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { small } from "../views/card.mjs";
import { Sheet } from "./sheet.mjs";

/** @param {State} state @param {Actions} act */
export function reviewSheet(state, act) {
  const words = wordsOf(state);
  const found = state.review;
  if (!found) return null;
  const { review } = found;
  return html`<${Sheet} key="review" kind="review" title=${words.review} closeWord=${words.close} onClose=${() => act.show(null)}>
    <dl class="figures">
      <div><dt>${words.accuracy}</dt><dd>${review.accuracy.toFixed(1)} %</dd></div>
      <div><dt>${words.loss}</dt><dd>${review.loss.toFixed(1)}</dd></div>
      <div><dt>${words.luck}</dt><dd>${signed(review.luck)}</dd></div>
    </dl>
    ${chart(words, review)}
    ${review.moves.length > 0 && step(state, words, act)}
  <//>`;
}

/** @param {number} value */
const signed = (value) => `${value > 0 ? "+" : value < 0 ? "−" : ""}${Math.abs(value).toFixed(1)}`;

/** @param {Words} words @param {Review} review */
function chart(words, { rounds }) {
  const most = Math.max(1, ...rounds.flatMap((each) => [each.loss, Math.abs(each.luck)]));
  /** @param {string} kind @param {number} value */
  const bar = (kind, value) => html`<span class=${`share ${kind}`} style=${{ "--share": Math.abs(value) / most }} aria-hidden="true"></span>`;
  return html`<div class="scroll" tabindex="0" role="group" aria-label=${words.review}><table class="chart">
    <thead><tr><th scope="col">${words.round}</th><th scope="col">${words.points}</th><th scope="col">${words.loss}</th><th scope="col">${words.luck}</th></tr></thead>
    <tbody>${rounds.map(({ number, points, loss, luck }) => html`<tr key=${number}>
      <th scope="row">${number}</th><td>${points ?? "–"}</td>
      <td>${loss.toFixed(1)} ${bar("loss", loss)}</td>
      <td>${signed(luck)} ${bar(luck < 0 ? "bad-luck" : "luck", luck)}</td></tr>`)}</tbody>
  </table></div>`;
}

/** One move, with buttons to the others. @param {State} state @param {Words} words
 * @param {Actions} act */
function step(state, words, act) {
  const found = state.review;
  if (!found) return null;
  const { review, events, at } = found;
  const move = review.moves[at];
  const hand = handBefore(events, review.seat, move.seq);
  const top = topBefore(events, move.seq);
  const { colours } = state.settings;
  const isBest = move.loss === 0;
  return html`<section class="move" aria-label=${`${words.move} ${at + 1}`}>
    <div class="move-bar">
      <b>${words.round} ${move.round} · ${words.move} ${at + 1} / ${review.moves.length}</b>
      <button type="button" aria-label=${words.before} disabled=${at === 0} onClick=${() => act.stepTo(at - 1)}>‹</button>
      <button type="button" aria-label=${words.next} disabled=${at + 1 === review.moves.length} onClick=${() => act.stepTo(at + 1)}>›</button>
      <button type="button" onClick=${() => act.stepTo(worstAfter(review.moves, at))}>${words.nextLoss}</button>
    </div>
    <div class="move-cards">
      ${hand && html`<div><small>${words.hand}</small><span class="laid">${hand.map((card) => small(words, card, colours))}</span></div>`}
      ${top && html`<div><small>${words.pile}</small><span class="laid">${small(words, top, colours)}</span></div>`}
    </div>
    <p>${words.played}: <b>${told(words, move.type, move.played)}</b> ${isBest ? html`<span class="best">✓ ${words.best}</span>` : html`<span class="worse">−${move.loss.toFixed(1)}</span>`}</p>
    <p>${!isBest && html`${words.best}: <b>${told(words, move.type, move.best)}</b>`}</p>
    <p>${move.luck !== null && html`${words.luck}: ${signed(move.luck)}`}</p>
  </section>`;
}

/** The next move after one in which something was lost, else that one. @param {ReviewMove[]} moves
 * @param {number} at */
function worstAfter(moves, at) {
  const next = moves.findIndex((each, place) => place > at && each.loss > 0);
  return next < 0 ? at : next;
}

/** @param {Words} words @param {string} type @param {ReviewMove["played"]} choice */
function told(words, type, { source, card }) {
  return type === "draw" ? words.draw[source ?? "stock"] : words.discardCard(words.card(card ?? ""));
}
