/** The start: play, go on with a game, options. */

/** @import { State } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
/** @import { Words } from "../text/i18n.mjs" */
import { languageOf, wordsOf } from "../text/i18n.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { fan } from "./card.mjs";
import { languageChoice, settingChoices } from "./choices.mjs";
import { opponentsOf, optionChoices } from "./options.mjs";

/** @param {State} state @param {Actions} act */
export function home(state, act) {
  const words = wordsOf(state);
  return html`<main class="home">
    <div class="home-table">
      ${fan(state.settings.colours)}
      <h1>Three-Thirteen</h1>
      <p class="tagline">${words.tagline}</p>
      <button type="button" class="main play" disabled=${state.busy} onClick=${() => act.play()}>${words.play}</button>
    </div>
    <div class="home-side">
      ${saved(state, words, act)}
      <details class="panel"><summary>${words.options} ${outline(state, words)}</summary>
        <div class="choices">${optionChoices(state, words, act)}</div>
      </details>
      <details class="panel"><summary>${words.settings}</summary>
        <div class="choices">${languageChoice(state, words, act)}${settingChoices(state, words, act)}</div>
      </details>
      <p class="links"><button type="button" class="quiet" onClick=${() => act.showRules()}>${words.rules}</button> <a href="v1/docs">${words.api}</a></p>
    </div>
  </main>`;
}

/** What is chosen, in short. @param {State} state @param {Words} words */
function outline({ options }, words) {
  const { least, most } = opponentsOf(options);
  const count = Math.max(least, Math.min(options.opponents, most));
  const level = words.levels[/** @type {keyof Words["levels"]} */ (options.level)];
  const parts = [options.people > 0 && `${words.people}: ${options.people}`, count > 0 && `${words.opponents}: ${count}`, count > 0 && level];
  return html`<small>${parts.filter(Boolean).join(" · ")}</small>`;
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
