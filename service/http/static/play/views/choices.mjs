/** Choices among a few values: options of a game, settings of the page. */

/** @import { Settings, State } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
/** @import { Words } from "../text/i18n.mjs" */
import { LANGUAGES, languageOf } from "../text/i18n.mjs";
import { html } from "../vendor/preact-htm.mjs";

/** A choice among a few values, all of which are seen.
 * @param {string} label @param {unknown} value @param {unknown[][]} values each with its word
 * @param {(value: any) => void} change */
export function segments(label, value, values, change) {
  return html`<div class="choice" role="radiogroup" aria-label=${label}><span aria-hidden="true">${label}</span>
    <span class="segments">${values.map(([each, word]) => html`<label key=${`${each}`}>
      <input type="radio" name=${label} checked=${each === value} onChange=${() => change(each)} /><span>${word}</span>
    </label>`)}</span>
  </div>`;
}

/** A choice among many values. @param {string} label @param {unknown} value
 * @param {unknown[][]} values each with its word @param {(value: any) => void} change */
export const choice = (label, value, values, change) => html`<label class="choice"><span>${label}</span>
  ${list(value, values, change)}
</label>`;

/** A list that folds. @param {unknown} value @param {unknown[][]} values
 * @param {(value: any) => void} change @param {string} [label] where no label is around it */
export function list(value, values, change, label) {
  const changed = (/** @type {Event} */ event) => {
    const { selectedIndex } = /** @type {HTMLSelectElement} */ (event.currentTarget);
    change(values[selectedIndex][0]);
  };
  return html`<select aria-label=${label} onChange=${changed}>${values.map(([each, word]) => html`<option key=${`${each}`} selected=${each === value}>${word}</option>`)}</select>`;
}

/** @param {State} state @param {Words} words @param {Actions} act */
export function languageChoice({ settings }, words, act) {
  const names = Object.entries(LANGUAGES).map(([code, { name }]) => [code, name]);
  return choice(words.language, languageOf(settings.lang), names, (lang) => act.setting({ lang }));
}

/** @param {State} state @param {Words} words @param {Actions} act */
export function settingChoices({ settings }, words, act) {
  /** @param {keyof Settings} name @param {string} label @param {unknown[][]} values */
  const one = (name, label, values) =>
    segments(label, settings[name], values, (value) => act.setting({ [name]: value }));
  return [
    one("speed", words.speed, Object.entries(words.speeds)),
    one("deadwood", words.arrange, [[true, words.yes], [false, words.no]]),
    one("colours", words.suits, [[2, words.suitColours[2]], [4, words.suitColours[4]]]),
    one("theme", words.theme, Object.entries(words.themes)),
  ];
}
