/** The score sheet, the history of the pile, and what a hint says. */

/** @import { Hint, HintOption, State, Table } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
/** @import { Words } from "../text/i18n.mjs" */
import { RANKS, rankSign } from "../game/cards.mjs";
import { reasonOf } from "../text/hints.mjs";
import { languageOf, nameOf, wordsOf } from "../text/i18n.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { chip, small } from "../views/card.mjs";
import { Sheet } from "./sheet.mjs";

/** @param {State} state @param {Actions} act */
export function scoreSheet(state, act) {
  const words = wordsOf(state);
  const { table, view } = state;
  if (!table || !view) return null;
  const { first, last } = view.rules.rounds;
  const best = table.scores.length ? Math.min(...table.seats.map((seat) => seat.total)) : null;
  const rounds = Array.from({ length: last - first + 1 }, (_, place) => first + place);
  return html`<${Sheet} key="scores" kind="scores" title=${words.scores} closeWord=${words.close} onClose=${() => act.show(null)}>
    <div class="scroll" tabindex="0" role="group" aria-label=${words.scores}><table>
      <thead><tr><th scope="col">${words.round}</th><th scope="col">${words.wild}</th>
        ${table.seats.map((seat) => html`<th scope="col" key=${seat.seat}>${nameOf(words, table, seat.seat)}</th>`)}
      </tr></thead>
      <tbody>${rounds.map((number) => scoreRow(words, table, number))}</tbody>
      <tfoot><tr><th scope="row" colspan="2">${words.total}</th>
        ${table.seats.map((seat) => html`<td key=${seat.seat} class=${seat.total === best ? "best" : ""}>${seat.total}</td>`)}
      </tr></tfoot>
    </table></div>
    <p class="legend"><span class="out" aria-hidden="true">●</span> ${words.out}</p>
  <//>`;
}

/** @param {Words} words @param {Table} table @param {number} number */
function scoreRow(words, table, number) {
  const scored = table.scores.find((each) => each.round === number);
  const isNow = table.round?.number === number && !scored ? "now" : "";
  return html`<tr class=${isNow} key=${number}>
    <th scope="row">${number}</th><td class="wild">${rankSign(RANKS[number + 1])}</td>
    ${table.seats.map(({ seat }) => {
      const points = scored?.seats[seat].points;
      const out = scored?.went_out === seat ? "out" : "";
      return html`<td class=${out} key=${seat}>${points ?? "–"}${out && html`<span role="img" aria-label=${words.out}> ●</span>`}</td>`;
    })}
  </tr>`;
}

/** @param {State} state @param {Actions} act */
export function pileHistory(state, act) {
  const words = wordsOf(state);
  const { table } = state;
  if (!table) return null;
  const entries = [...table.past].reverse();
  return html`<${Sheet} key="pile" kind="history" title=${words.pileHistory} closeWord=${words.close} onClose=${() => act.show(null)}>
    <ol class="entries" reversed tabindex="0">${entries.map(({ seat, card, taken }, place) => html`<li key=${entries.length - place} class=${taken === null ? "" : "taken"}>
      ${small(words, card, state.settings.colours)}
      <span><b>${seat === null ? words.upcard : nameOf(words, table, seat)}</b>
      ${taken !== null && html`<small>${words.takenBy(nameOf(words, table, taken))}</small>`}</span>
    </li>`)}</ol>
  <//>`;
}

/** @param {State} state @param {Actions} act */
export function hintBox(state, act) {
  const { hint, figures } = state;
  if (!hint) return null;
  const words = wordsOf(state);
  const { card, source } = hint.action;
  const move = card ? words.discardCard(words.card(card)) : words.draw[source ?? "stock"];
  return html`<aside class="hint-box" aria-label=${words.hint}>
    <button type="button" class="close" aria-label=${words.close} onClick=${() => act.dropHint()}>×</button>
    <p><b>${move}</b></p>
    ${why(state, words)}
    ${figures && html`<div class="scroll" tabindex="0" role="group" aria-label=${words.figures}><table>
      <thead><tr><th scope="col">${words.move}</th><th scope="col">${words.expected}</th>
        ${card && html`<th scope="col">${words.left}</th><th scope="col">${words.improving}</th>`}</tr></thead>
      <tbody>${hint.options.map((option) => optionRow(words, hint, option))}</tbody>
    </table></div>`}
  </aside>`;
}

/** The reason in the page's language, else in the service's words. @param {State} state
 * @param {Words} words */
function why({ hint, settings, view }, words) {
  if (!hint) return null;
  const reason = reasonOf(words, languageOf(settings.lang), hint, view?.turn?.final === true);
  return reason === null ? html`<p lang="en">${hint.reason}</p>` : html`<p>${reason}</p>`;
}

/** @param {Words} words @param {Hint} hint @param {HintOption} option */
function optionRow(words, { action }, { card, source, expected_deadwood, deadwood, improving_cards }) {
  const isBest = card ? card === action.card : source === action.source;
  return html`<tr key=${card ?? source} class=${isBest ? "best" : ""}>
    <th scope="row">${isBest && html`<span class="tick" role="img" aria-label=${words.best}>✓</span>`}${card ? chip(words, card) : source === "stock" ? words.stock : words.pile}</th>
    <td>${expected_deadwood.toFixed(1)}</td>
    ${card && html`<td>${deadwood}</td><td>${improving_cards}</td>`}
  </tr>`;
}
