/** The menu of a game: settings, and what ends it; each of that is asked for once more. */

/** @import { State } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
/** @import { Words } from "../text/i18n.mjs" */
import { cardOf } from "../game/hand_order.mjs";
import { outCard } from "../game/state.mjs";
import { wordsOf } from "../text/i18n.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { languageChoice, settingChoices } from "../views/choices.mjs";
import { Sheet } from "./sheet.mjs";

/** @param {State} state @param {Actions} act */
export function menu(state, act) {
  const words = wordsOf(state);
  return html`<${Sheet} key="menu" kind="menu" title=${words.menu} closeWord=${words.close} onClose=${() => act.show(null)}>
    <div class="choices">${settingChoices(state, words, act)}${languageChoice(state, words, act)}</div>
    <div class="doors">
      ${canKeepOn(state) && html`<button type="button" onClick=${() => act.show("keepOn")}>${words.keepOn}</button>`}
      <button type="button" onClick=${() => act.showRules()}>${words.rules}</button>
      <button type="button" onClick=${() => act.toggleDrawer()}>${words.api}</button>
      ${ends(state, words, act)}
    </div>
    <footer><button type="button" onClick=${() => act.leave()}>${words.leave}</button></footer>
  <//>`;
}

/** What ends the game for the own seat, or for all. @param {State} state @param {Words} words
 * @param {Actions} act */
export function ends({ view }, words, act) {
  if (!view?.you) return null;
  const others = view.seats.filter((seat) => seat.kind === "human" && seat.joined).length > 1;
  const leaves = others && view.status === "playing";
  const deletes = view.you.seat === 0 && !leaves;
  return html`${leaves && html`<button type="button" class="danger" onClick=${() => act.show("leave")}>${words.leaveGame}</button>`}
    ${deletes && html`<button type="button" class="danger" onClick=${() => act.show("delete")}>${words.deleteGame}</button>`}`;
}

/** Whether the next discard would go out. @param {State} state */
const canKeepOn = (state) => outCard(state) !== null && state.table?.wentOut === null;

/** The question before one of these. @param {State} state @param {Actions} act */
export function question(state, act) {
  const words = wordsOf(state);
  const card = cardOf(outCard(state) ?? "#");
  switch (state.sheet) {
    case "keepOn":
      return card && asked(words, act, words.keepOn, words.keepOnNote(words.card(card)), () => act.keepOn());
    case "leave":
      return asked(words, act, words.leaveGame, words.leaveNote, () => act.leaveForGood());
    case "delete":
      return asked(words, act, words.deleteGame, words.deleteNote, () => act.deleteGame());
    default:
      return null;
  }
}

/** @param {Words} words @param {Actions} act @param {string} title @param {string} note
 * @param {() => void} agree */
const asked = (words, act, title, note, agree) => html`<${Sheet} key="question" kind="question" title=${title}
    closeWord=${words.close} onClose=${() => act.show(null)}>
  <p>${note}</p>
  <footer>
    <button type="button" data-first onClick=${() => act.show(null)}>${words.cancel}</button>
    <button type="button" class="danger" onClick=${agree}>${title}</button>
  </footer>
<//>`;
