/** The start: play, go on with a game, options. */

/** @import { Options, State } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
/** @import { Words } from "../text/i18n.mjs" */
import { imageOf } from "../game/cards.mjs";
import { languageOf, wordsOf } from "../text/i18n.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { nameField } from "../sheets/waiting.mjs";
import { choice, languageChoice, settingChoices } from "./choices.mjs";

const FAN = ["3S", "KH", "JK", "8C", "3D"];

/** @param {State} state @param {Actions} act */
export function home(state, act) {
  const words = wordsOf(state);
  return html`<main class="home">
    <div class="home-table">
      <div class="fan" aria-hidden="true">${FAN.map((card) => html`<img key=${card} src=${imageOf(card, state.settings.colours)} alt="" width="250" height="350" />`)}</div>
      <h1>Three-Thirteen</h1>
      <p class="tagline">${words.tagline}</p>
      <button type="button" class="main play" disabled=${state.busy} onClick=${() => act.play()}>${words.play}</button>
    </div>
    <div class="home-side">
      ${saved(state, words, act)}
      <details class="panel"><summary>${words.options}</summary>
        <div class="choices">${optionChoices(state, words, act)}</div>
      </details>
      <details class="panel"><summary>${words.settings}</summary>
        <div class="choices">${languageChoice(state, words, act)}${settingChoices(state, words, act)}</div>
      </details>
      <p class="links"><button type="button" class="quiet" onClick=${() => act.showRules()}>${words.rules}</button> <a href="v1/docs">${words.api}</a></p>
    </div>
  </main>`;
}

/** @param {State} state @param {Words} words @param {Actions} act */
function saved(state, words, act) {
  if (state.saved.length === 0) return null;
  const format = new Intl.DateTimeFormat(languageOf(state.settings.lang), { dateStyle: "medium", timeStyle: "short" });
  return html`<section class="panel" aria-label=${words.goOnWith}><h2>${words.goOnWith}</h2>
    <ul class="saved">${state.saved.slice(0, 5).map((session) => html`<li key=${session.id}>
      <button type="button" class="go-on" disabled=${state.busy} onClick=${() => act.goOn(session.id)}>${words.startedAt(format.format(session.at))}</button>
      <button type="button" class="close" aria-label=${words.remove} onClick=${() => act.forget(session.id)}>×</button>
    </li>`)}</ul>
  </section>`;
}

/** @param {State} state @param {Words} words @param {Actions} act */
function optionChoices({ options }, words, act) {
  const rounds = Array.from({ length: 11 }, (_, place) => [place + 1, `${place + 1}`]);
  /** @param {keyof Options} name @param {string} label @param {unknown[][]} values */
  const one = (name, label, values) =>
    choice(label, options[name], values, (value) => act.option({ [name]: value }));
  return [
    nameField({ options }, words, act),
    one("people", words.people, [0, 1, 2, 3, 4, 5].map((count) => [count, `${count}`])),
    one("opponents", words.opponents, [0, 1, 2, 3, 4, 5].map((count) => [count, `${count}`])),
    one("level", words.level, Object.entries(words.levels)),
    one("jokers", words.jokers, [[0, words.none], [2, "2"], [4, "4"]]),
    one("aces", words.aces, Object.entries(words.aceModes)),
    one("first", words.firstRound, rounds),
    one("last", words.lastRound, rounds),
    one("turnSeconds", words.turnTime, [[null, words.noLimit], [30, "30 s"], [60, "1 min"], [120, "2 min"], [300, "5 min"], [86400, "24 h"]]),
    one("hints", words.hintsAllowed, [[true, words.yes], [false, words.no]]),
  ];
}
