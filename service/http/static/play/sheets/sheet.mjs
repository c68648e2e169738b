/** A sheet over the table: a dialog that Escape and its button close. */

import { Component, html } from "../vendor/preact-htm.mjs";

/**
 * @typedef {object} Props
 * @property {string} title
 * @property {string} [note] a line below the title
 * @property {string} [kind] a class of its own
 * @property {string} [closeWord] the close button's name; without it the sheet cannot be closed
 * @property {() => void} [onClose]
 * @property {import("../vendor/preact-htm.mjs").ComponentChildren} [children]
 */

/** @extends {Component<Props>} */
export class Sheet extends Component {
  isGone = false;

  componentDidMount() {
    const dialog = this.dialog();
    if (!dialog.open) dialog.showModal();
    /** @type {HTMLElement | null} */ (dialog.querySelector("[data-first]"))?.focus();
  }

  componentWillUnmount() {
    this.isGone = true;
    this.dialog().close();
  }

  /** Browsers close a dialog at a second Escape, whatever the page says to the first. */
  closed() {
    if (this.isGone) return;
    if (this.props.onClose) this.props.onClose();
    else this.dialog().showModal();
  }

  dialog() {
    return /** @type {HTMLDialogElement} */ (this.base);
  }

  render() {
    const { title, note, kind, closeWord, onClose, children } = this.props;
    const cancelled = (/** @type {Event} */ event) => {
      event.preventDefault();
      onClose?.();
    };
    const clicked = (/** @type {MouseEvent} */ event) => {
      if (event.target === this.base) onClose?.();
    };
    return html`<dialog class=${`sheet ${kind ?? ""}`} aria-label=${title} onCancel=${cancelled}
        onClose=${() => this.closed()} onClick=${clicked}>
      <div class="sheet-body">
        <header><div><h2>${title}</h2>${note && html`<p class="subtitle">${note}</p>`}</div>
          ${closeWord && html`<button type="button" class="close" aria-label=${closeWord} onClick=${onClose}>×</button>`}
        </header>
        ${children}
      </div>
    </dialog>`;
  }
}
