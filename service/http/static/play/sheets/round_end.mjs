/** A round's end, all hands laid open; and the game's end with its result. */

/** @import { Scored, SeatScore, State, Table } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
/** @import { Words } from "../text/i18n.mjs" */
import { nameOf, resultSentence, wordsOf } from "../text/i18n.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { meldRow, small } from "../views/card.mjs";
import { Sheet } from "./sheet.mjs";

/** @param {State} state @param {Actions} act */
export function roundEnd(state, act) {
  const { table } = state;
  const scored = table?.scores.at(-1);
  if (!table || !scored) return null;
  const words = wordsOf(state);
  return html`<${Sheet} key="round" kind="round-end" title=${words.roundOver(scored.round)} note=${ending(words, table, scored)}>
    ${hands(state, table, scored)}
    <footer>
      <button type="button" onClick=${() => act.show("scores")}>${words.scores}</button>
      <button type="button" class="main" data-first onClick=${() => act.nextRound()}>${words.nextRound}</button>
    </footer>
  <//>`;
}

/** @param {State} state @param {Actions} act */
export function gameEnd(state, act) {
  const { table, verdict } = state;
  if (!table) return null;
  const words = wordsOf(state);
  const scored = table.scores.at(-1);
  const title = table.result ? resultSentence(words, table, table.result) : words.over;
  const won = table.result?.winner === table.you ? "won" : "";
  return html`<${Sheet} key="end" kind=${`game-end ${won}`} title=${title} note=${scored && words.roundOver(scored.round)}>
    ${table.result && standings(words, table)}
    ${verdict && html`<div class=${`verdict ${verdict.state}`} role="status">
      ${verdict.state === "running" && words.checking}
      ${verdict.state === "true" && html`<b aria-hidden="true">✓</b> ${words.checked}`}
      ${verdict.state === "false" && html`${words.notChecked}<ul>${verdict.problems.map((each) => html`<li lang="en">${each}</li>`)}</ul>`}
    </div>`}
    ${scored && hands(state, table, scored)}
    <footer>
      <button type="button" disabled=${state.busy} onClick=${() => act.review()}>${words.review}</button>
      <button type="button" onClick=${() => act.check()}>${words.check}</button>
      <button type="button" onClick=${() => act.show("scores")}>${words.scores}</button>
      <button type="button" onClick=${() => act.leave()}>${words.newGame}</button>
      ${table.you !== null && html`<button type="button" class="main" data-first onClick=${() => act.rematch()}>${words.rematch}</button>`}
    </footer>
  <//>`;
}

/** @param {Words} words @param {Table} table @param {Scored} scored */
function ending(words, table, scored) {
  if (scored.went_out === null) return words.stalled;
  if (scored.went_out === table.you) return words.youWentOut;
  return words.wentOut(table.seats[scored.went_out].name);
}

/** All hands, that of the seat that went out first. @param {State} state @param {Table} table
 * @param {Scored} scored */
function hands(state, table, scored) {
  const words = wordsOf(state);
  const seats = [...scored.seats].sort((one, other) => one.points - other.points);
  return html`<ul class="open-hands">${seats.map((seat) => openHand(state, words, table, scored, seat))}</ul>`;
}

/** @param {State} state @param {Words} words @param {Table} table @param {Scored} scored
 * @param {SeatScore} seat */
function openHand(state, words, table, scored, seat) {
  const { colours } = state.settings;
  const own = seat.seat === table.you ? "own" : "";
  const out = seat.seat === scored.went_out;
  return html`<li class=${own} key=${seat.seat}>
    <div class="who">
      <span class=${`avatar tint-${seat.seat}`} aria-hidden="true">${[...nameOf(words, table, seat.seat)][0]}</span>
      <span class="name">${nameOf(words, table, seat.seat)}${out && html`<small>${words.out}</small>`}</span>
      <span class="points" aria-label=${words.somePoints(`${seat.points}`)}>+${seat.points}</span>
      <span class="sum" aria-label=${`${words.total} ${seat.total}`}>${seat.total}</span>
    </div>
    <div class="open-cards">
      ${meldRow(words, seat.melds, colours)}
      ${seat.deadwood.length > 0 && html`<span class="laid deadwood-cards" role="group" aria-label=${words.deadwood}>
        ${seat.deadwood.map((card) => small(words, card, colours))}
      </span>`}
    </div>
  </li>`;
}

/** The seats by their totals. @param {Words} words @param {Table} table */
function standings(words, table) {
  const seats = [...table.seats].sort((one, other) => one.total - other.total);
  const best = seats[0].total;
  return html`<ol class="standings">${seats.map(
    (seat) => html`<li class=${seat.total === best ? "best" : ""} key=${seat.seat}>
      <span class=${`avatar tint-${seat.seat}`} aria-hidden="true">${[...nameOf(words, table, seat.seat)][0]}</span>
      <span class="name">${nameOf(words, table, seat.seat)}</span><b>${seat.total}</b></li>`,
  )}</ol>`;
}
