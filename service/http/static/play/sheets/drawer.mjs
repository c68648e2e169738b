/** For those who build on the API: each request and answer of this page as it happens. */

/** @import { Exchange, State } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
import { wordsOf } from "../text/i18n.mjs";
import { SNIPPETS } from "../text/snippets.mjs";
import { Component, html } from "../vendor/preact-htm.mjs";
import { copyButton } from "../views/copy.mjs";

const LONGEST = 4000;

/** @typedef {{state: State, act: Actions}} Props */

/** The drawer: has the focus when it opens, and gives it back. @extends {Component<Props>} */
export class Drawer extends Component {
  /** @type {Element | null} */
  before = null;

  componentDidMount() {
    this.before = document.activeElement;
    this.root().querySelector("button")?.focus();
  }

  componentWillUnmount() {
    if (this.before instanceof HTMLElement) this.before.focus();
  }

  root() {
    return /** @type {Element} */ (this.base);
  }

  render() {
    const { state, act } = this.props;
    const words = wordsOf(state);
    const pressed = (/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Escape") act.toggleDrawer();
    };
    return html`<aside class="drawer" aria-label=${words.api} onKeyDown=${pressed}>
      <header><h2>${words.api}</h2>
        <button type="button" class="close" aria-label=${words.close} onClick=${() => act.toggleDrawer()}>×</button>
      </header>
      <p class="links"><a href="v1/docs">Swagger UI</a></p>
      <ol class="exchanges" tabindex="0" aria-label=${words.api}>${[...state.exchanges].reverse().map((each) => row(state, act, each))}</ol>
    </aside>`;
  }
}

/** @param {State} state @param {Actions} act @param {Exchange} exchange */
function row(state, act, exchange) {
  const words = wordsOf(state);
  const { number, method, url, status, milliseconds, body, answer } = exchange;
  return html`<li key=${number}><details>
    <summary><b>${method}</b> <span>${new URL(url).pathname.replace(/.*(\/v1\/)/, "$1")}</span>
      ${" "}<em class=${status >= 200 && status < 300 ? "" : "bad"}>${status || "–"}</em> <small>${milliseconds} ms</small></summary>
    ${body && html`<pre tabindex="0">${JSON.stringify(body, null, 2)}</pre>`}
    <pre tabindex="0">${pretty(answer)}</pre>
    <div class="copies">
      ${Object.entries(SNIPPETS).map(([name, write]) => copyButton(state, act, write(exchange), `${words.copy}: ${name}`))}
      <textarea readonly rows="5" aria-label=${words.copy}></textarea>
    </div>
  </details></li>`;
}

/** @param {string} answer */
function pretty(answer) {
  try {
    const text = JSON.stringify(JSON.parse(answer), null, 2);
    return text.length > LONGEST ? `${text.slice(0, LONGEST)}\n…` : text;
  } catch {
    return answer.slice(0, LONGEST);
  }
}
