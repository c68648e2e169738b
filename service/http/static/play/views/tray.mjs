/** The own side of the table: name and points, the hand, the actions below it. */

/** @import { State } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
/** @import { Words } from "../text/i18n.mjs" */
import { wordsOf } from "../text/i18n.mjs";
import { arrangementOf, isDue, outCard } from "../game/state.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { Hand } from "./hand.mjs";
import { dealerMark, total } from "./seat.mjs";

/** @param {State} state @param {Actions} act */
export function tray(state, act) {
  const { table } = state;
  if (!table || table.you === null) return html`<p class="tray watching">${wordsOf(state).watching}</p>`;
  const moves = table.turn?.seat === table.you && !state.pause;
  return html`<section class=${`tray ${moves ? "moves" : ""}`} aria-label=${wordsOf(state).you}>
    ${seatLine(state, act)}
    <${Hand} state=${state} act=${act} />
    ${actions(state, act)}
  </section>`;
}

/** @param {State} state @param {Actions} act */
function seatLine(state, act) {
  const words = wordsOf(state);
  const { table, settings } = state;
  const own = table?.you ?? 0;
  const arrangement = arrangementOf(state);
  // Of another discard than the best one the points are not known before it is made.
  const isOther = state.held && state.held.card !== arrangement?.discard;
  const points = isOther ? "–" : arrangement?.points;
  const shows = settings.deadwood && points !== undefined && table?.hand;
  return html`<div class="seat-line" data-seat=${own}>
    <span class=${`avatar tint-${own}`} aria-hidden="true">${[...words.you][0]}</span>
    <span class="name"><span>${words.you}</span>${table?.round?.dealer === own && dealerMark(words)}</span>
    ${total(words, table?.seats[own].total ?? 0)}
    <span class="deadwood">${shows && html`<span key=${points}><span>${words.deadwood} </span><b>${points}</b></span>`}</span>
    <button type="button" class="quiet sort" aria-keyshortcuts="S" onClick=${() => act.nextSort()}>
      <span class="sort-word">${words.sort}</span><span class="sort-sign" aria-hidden="true">⇅ </span><b>${words.sorts[settings.sort]}</b>
    </button>
  </div>`;
}

/** @param {State} state @param {Actions} act */
function actions(state, act) {
  const words = wordsOf(state);
  const { held, selected, view } = state;
  if (held && held.until > 0 && !held.sent && waits(state)) return undo(words, act);
  const due = isDue(state, "discard");
  const hints = view?.rules.hints !== false;
  const canHint = hints && (due || isDue(state, "draw"));
  return html`<div class="actions">
    <button type="button" class="hint" disabled=${!canHint} aria-keyshortcuts="H"
        onClick=${() => act.hint()}>${state.hint ? words.figures : words.hint}</button>
    <button type="button" class="main" disabled=${!due || !selected}
        onClick=${() => act.discard()}>${words.discard}</button>
    <button type="button" class="go-out" disabled=${outCard(state) === null} aria-keyshortcuts="G"
        onClick=${() => act.goOut()}>${words.goOut}</button>
  </div>`;
}

/** @param {State} state */
const waits = ({ settings }) => settings.speed === "slow" || settings.speed === "normal";

/** @param {Words} words @param {Actions} act */
const undo = (words, act) => html`<div class="actions">
  <button type="button" class="take-back" aria-keyshortcuts="U" onClick=${() => act.takeBack()}>
    <span class="time" aria-hidden="true"></span><span>${words.takeBack}</span>
  </button>
</div>`;
