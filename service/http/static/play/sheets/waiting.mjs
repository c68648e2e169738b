/** Where humans are awaited: who is missing, and the links for them; and how one joins. */

/** @import { Seat, Session, State } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
import { nameOf, wordsOf } from "../text/i18n.mjs";
import { inviteLink, watchLink } from "../game/links.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { fan } from "../views/card.mjs";
import { copyButton } from "../views/copy.mjs";
import { nameField } from "../views/options.mjs";
import { ends } from "./menu.mjs";
import { Sheet } from "./sheet.mjs";

/** @param {State} state @param {Actions} act */
export function waitingRoom(state, act) {
  const { session, view, table } = state;
  if (!session || !view || !table) return null;
  const words = wordsOf(state);
  return html`<${Sheet} key="waiting" kind="waiting" title=${words.waitingRoom} note=${words.waitingNote}>
    <ul class="guests">${table.seats.map((seat) => guest(state, act, session, seat, nameOf(words, table, seat.seat)))}</ul>
    ${linkLine(state, act, words.watchLink, watchLink(session.id))}
    <footer><button type="button" onClick=${() => act.leave()}>${words.leave}</button>${ends(state, words, act)}</footer>
  <//>`;
}

/** @param {State} state @param {Actions} act @param {Session} session @param {Seat} seat
 * @param {string} name */
function guest(state, act, session, seat, name) {
  const words = wordsOf(state);
  const invite = session.invites?.find((each) => each.seat === seat.seat);
  const isHere = seat.kind === "ai" || seat.joined;
  return html`<li key=${seat.seat} class=${isHere ? "here" : ""}>
    <span class="who"><span class=${`avatar tint-${seat.seat}`} aria-hidden="true">${[...name][0]}</span>
      <b>${name}</b><span class="state">${isHere && html`<span aria-hidden="true">✓ </span>`}${isHere ? words.here : words.missing}</span></span>
    ${!isHere && invite && linkLine(state, act, `${words.inviteLink}: ${name}`, inviteLink(session.id, invite.code))}
  </li>`;
}

/** A link to copy: selected by a tap, so that it can be copied by hand, too.
 * @param {State} state @param {Actions} act @param {string} label @param {string} link */
function linkLine(state, act, label, link) {
  return html`<div class="link-line"><label><span id=${idOf(link)}>${label}</span>
      <input readonly value=${link} onFocus=${(/** @type {FocusEvent} */ event) => /** @type {HTMLInputElement} */ (event.currentTarget).select()} /></label>
    ${copyButton(state, act, link, wordsOf(state).copy, idOf(link))}
  </div>`;
}

/** An id without blanks, as one that describes needs it. @param {string} link */
const idOf = (link) => `link-${link.slice(link.indexOf("#") + 1).replaceAll("/", "-")}`;

/** @param {State} state @param {Actions} act */
export function joinScreen(state, act) {
  const words = wordsOf(state);
  return html`<main class="home alone"><div class="home-table">
    ${fan(state.settings.colours)}
    <h1>Three-Thirteen</h1>
    <p class="tagline">${words.invited}</p>
    ${nameField(state, words, act)}
    <button type="button" class="main play" disabled=${state.busy} onClick=${() => act.join()}>${words.join}</button>
    <button type="button" class="quiet" onClick=${() => act.leave()}>${words.leave}</button>
  </div></main>`;
}
