/** Where humans are awaited: who is missing, and the links for them; and how one joins. */

/** @import { Seat, Session, State } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
/** @import { Words } from "../text/i18n.mjs" */
import { nameOf, wordsOf } from "../text/i18n.mjs";
import { inviteLink, watchLink } from "../game/links.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { Sheet } from "./sheet.mjs";

/** @param {State} state @param {Actions} act */
export function waitingRoom(state, act) {
  const { session, view, table } = state;
  if (!session || !view || !table) return null;
  const words = wordsOf(state);
  return html`<${Sheet} key="waiting" kind="waiting" title=${words.waitingRoom}>
    <p class="subtitle">${words.waitingNote}</p>
    <ul class="guests">${table.seats.map((seat) => guest(words, act, session, seat, nameOf(words, table, seat.seat)))}</ul>
    ${linkLine(words, act, words.watchLink, watchLink(session.id))}
    <footer><button type="button" onClick=${() => act.leave()}>${words.leave}</button></footer>
  <//>`;
}

/** @param {Words} words @param {Actions} act @param {Session} session @param {Seat} seat
 * @param {string} name */
function guest(words, act, session, seat, name) {
  const invite = session.invites?.find((each) => each.seat === seat.seat);
  const isHere = seat.kind === "ai" || seat.joined;
  return html`<li key=${seat.seat} class=${isHere ? "here" : ""}>
    <span class="who"><span class=${`avatar tint-${seat.seat}`} aria-hidden="true">${[...name][0]}</span>
      <b>${name}</b><span class="state">${isHere ? words.here : words.missing}</span></span>
    ${!isHere && invite && linkLine(words, act, `${words.inviteLink}: ${name}`, inviteLink(session.id, invite.code))}
  </li>`;
}

/** A link to copy: selected by a tap, so that it can be copied by hand, too.
 * @param {Words} words @param {Actions} act @param {string} label @param {string} link */
function linkLine(words, act, label, link) {
  return html`<div class="link-line"><label><span>${label}</span>
      <input readonly value=${link} onFocus=${(/** @type {FocusEvent} */ event) => /** @type {HTMLInputElement} */ (event.currentTarget).select()} /></label>
    <button type="button" onClick=${(/** @type {MouseEvent} */ event) => act.copy(/** @type {HTMLElement} */ (event.currentTarget))}>${words.copy}</button>
  </div>`;
}

/** @param {State} state @param {Actions} act */
export function joinScreen(state, act) {
  const words = wordsOf(state);
  return html`<main class="home"><div class="home-table">
    <h1>Three-Thirteen</h1>
    <p class="tagline">${words.invited}</p>
    ${nameField(state, words, act)}
    <button type="button" class="main play" disabled=${state.busy} onClick=${() => act.join()}>${words.join}</button>
    <button type="button" class="quiet" onClick=${() => act.leave()}>${words.leave}</button>
  </div></main>`;
}

/** @param {Pick<State, "options">} state @param {Words} words @param {Actions} act */
export const nameField = ({ options }, words, act) => html`<label class="choice"><span>${words.yourName}</span>
  <input maxlength="40" autocomplete="nickname" value=${options.name}
    onChange=${(/** @type {Event} */ event) => act.option({ name: /** @type {HTMLInputElement} */ (event.currentTarget).value.trim() })} />
</label>`;
