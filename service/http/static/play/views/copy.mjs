/** A button that copies a text, and says that it did. */

/** @import { State } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
import { wordsOf } from "../text/i18n.mjs";
import { html } from "../vendor/preact-htm.mjs";

/** @param {State} state @param {Actions} act @param {string} text
 * @param {string} word what the button says @param {string} [described] the id of what says more */
export function copyButton(state, act, text, word, described) {
  const words = wordsOf(state);
  const name = state.copied === text ? `✓ ${words.copied}` : word;
  return html`<button type="button" class="copy" data-first=${described !== undefined} aria-describedby=${described}
    onClick=${(/** @type {MouseEvent} */ event) => act.copy(/** @type {HTMLElement} */ (event.currentTarget), text)}>${name}</button>`;
}
