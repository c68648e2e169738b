/** The whole page for a state. */

/** @import { State, Trouble } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
/** @import { Words } from "../text/i18n.mjs" */
import { wordsOf } from "../text/i18n.mjs";
import { isDue } from "../game/state.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { Drawer } from "../sheets/drawer.mjs";
import { home } from "./home.mjs";
import { hintBox, pileHistory, scoreSheet } from "../sheets/lists.mjs";
import { menu, question } from "../sheets/menu.mjs";
import { middle } from "./piles.mjs";
import { reviewSheet } from "../sheets/review.mjs";
import { gameEnd, roundEnd } from "../sheets/round_end.mjs";
import { rulesSheet } from "../sheets/rules.mjs";
import { opponents } from "./seat.mjs";
import { tray } from "./tray.mjs";
import { joinScreen, waitingRoom } from "../sheets/waiting.mjs";

/** @param {State} state @param {Actions} act */
export function app(state, act) {
  const words = wordsOf(state);
  const screens = { home, join: joinScreen, table };
  return html`${screens[state.screen](state, act)}
    ${state.sheet === "rules" && rulesSheet(state, act)}${state.drawer && html`<${Drawer} state=${state} act=${act} />`}${notices(state, words, act)}`;
}

/** @param {State} state @param {Actions} act */
function table(state, act) {
  const words = wordsOf(state);
  const skipped = (/** @type {MouseEvent} */ event) => {
    const target = /** @type {Element} */ (event.target);
    if (!target.closest("button, dialog, .tray")) act.skip();
  };
  return html`<main class="table" data-seq=${state.table?.seq} data-version=${state.view?.version}
      data-status=${state.table?.status} data-due=${dueOf(state)} onClick=${skipped}>
    <header class="bar">
      <h1>Three-Thirteen</h1>
      <button type="button" class="quiet" onClick=${() => act.show("scores")}>${words.scores}</button>
      <button type="button" class="quiet" onClick=${() => act.show("menu")}>${words.menu}</button>
    </header>
    <div class="felt">${opponents(state)}${middle(state, act)}${hintBox(state, act)}</div>
    ${tray(state, act)}
    ${state.view?.status === "waiting" && !state.sheet && waitingRoom(state, act)}
    ${state.pause === "round" && roundEnd(state, act)}
    ${state.pause === "end" && gameEnd(state, act)}
    ${state.sheet === "scores" && scoreSheet(state, act)}
    ${state.sheet === "pile" && pileHistory(state, act)}
    ${state.sheet === "review" && reviewSheet(state, act)}
    ${state.sheet === "menu" && menu(state, act)}
    ${question(state, act)}
  </main>`;
}

/** What the own seat is to do now. @param {State} state */
function dueOf(state) {
  if (isDue(state, "draw")) return "draw";
  return isDue(state, "discard") ? "discard" : "";
}

/** What is in the way: a wait, a refusal. @param {State} state @param {Words} words
 * @param {Actions} act */
function notices({ waiting, trouble }, words, act) {
  return html`<div class="notices" role="alert">
    ${waiting && html`<p class="notice">${waiting.code === "offline" ? words.waitOffline : words.waitService(Math.max(1, Math.round((waiting.until - Date.now()) / 1000)))}</p>`}
    ${trouble && refusal(words, act, trouble)}
  </div>`;
}

/** @param {Words} words @param {Actions} act @param {Trouble} trouble */
function refusal(words, act, { code, detail }) {
  return html`<div class="notice bad">
    <p><b>${words.problems[code] ?? words.problem}</b><small lang="en">${detail}</small></p>
    <button type="button" class="close" aria-label=${words.close} onClick=${() => act.dropTrouble()}>×</button>
  </div>`;
}
