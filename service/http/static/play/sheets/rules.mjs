/** The rules, as the service has them in the page's language. */

/** @import { State } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
import { wordsOf } from "../text/i18n.mjs";
import { markdown } from "../text/markdown.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { Sheet } from "./sheet.mjs";

/** @param {State} state @param {Actions} act */
export function rulesSheet(state, act) {
  const words = wordsOf(state);
  return html`<${Sheet} key="rules" kind="rules" title=${state.rules?.title ?? words.rules} closeWord=${words.close} onClose=${() => act.show(null)}>
    <div class="rules-text" tabindex="0" role="group" aria-label=${words.rules}>
      ${state.rules?.sections.map(({ id, title, text }) => html`<section key=${id}><h3>${title}</h3>${markdown(text)}</section>`)}
    </div>
  <//>`;
}
