/** The options of a new game; the classic ones stand at the start. */

/** @import { Options, State } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
/** @import { Words } from "../text/i18n.mjs" */
import { CLASSIC } from "../game/storage.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { choice, list, segments } from "./choices.mjs";

const MOST_OTHERS = 5;

/** @param {State} state @param {Words} words @param {Actions} act */
export function optionChoices({ options }, words, act) {
  /** @param {keyof Options} name @param {string} label @param {unknown[][]} values */
  const one = (name, label, values) =>
    segments(label, options[name], values, (value) => act.option({ [name]: value }));
  const { name: _, ...chosen } = options;
  const isClassic = Object.entries(chosen).every(([key, value]) => value === CLASSIC[/** @type {keyof Options} */ (key)]);
  const { least, most } = opponentsOf(options);
  return [
    nameField({ options }, words, act),
    one("people", words.people, counts(0, MOST_OTHERS)),
    segments(words.opponents, Math.max(least, Math.min(options.opponents, most)), counts(least, most),
      (opponents) => act.option({ opponents })),
    one("level", words.level, Object.entries(words.levels)),
    one("jokers", words.jokers, [[0, words.none], [2, "2"], [4, "4"]]),
    choice(words.aces, options.aces, Object.entries(words.aceModes), (aces) => act.option({ aces })),
    rounds(options, words, act),
    choice(words.turnTime, options.turnSeconds, [[null, words.noLimit], [30, "30 s"], [60, "1 min"], [120, "2 min"], [300, "5 min"], [86400, "24 h"]],
      (turnSeconds) => act.option({ turnSeconds })),
    one("hints", words.hintsAllowed, [[true, words.yes], [false, words.no]]),
    html`<button type="button" class="classic" disabled=${isClassic} onClick=${() => act.option({ ...CLASSIC, name: options.name })}>${words.classic}</button>`,
  ];
}

/** How many AI players there may be beside the people. @param {Options} options */
export function opponentsOf({ people }) {
  return { least: people > 0 ? 0 : 1, most: MOST_OTHERS - people };
}

/** @param {number} least @param {number} most */
const counts = (least, most) => Array.from({ length: most - least + 1 }, (_, place) => [least + place, `${least + place}`]);

/** The first and the last round: neither goes beyond the other.
 * @param {Options} options @param {Words} words @param {Actions} act */
function rounds({ first, last }, words, act) {
  const all = counts(1, 11);
  return html`<div class="choice" role="group" aria-label=${words.rounds}><span aria-hidden="true">${words.rounds}</span>
    <span class="stretch">${list(first, all, (value) => act.option({ first: value, last: Math.max(value, last) }), words.firstRound)}
      <span aria-hidden="true">–</span>
      ${list(last, all, (value) => act.option({ first: Math.min(first, value), last: value }), words.lastRound)}</span>
  </div>`;
}

/** @param {Pick<State, "options">} state @param {Words} words @param {Actions} act */
export const nameField = ({ options }, words, act) => html`<label class="choice"><span>${words.yourName}</span>
  <input maxlength="40" autocomplete="nickname" value=${options.name}
    onChange=${(/** @type {Event} */ event) => act.option({ name: /** @type {HTMLInputElement} */ (event.currentTarget).value.trim() })} />
</label>`;
