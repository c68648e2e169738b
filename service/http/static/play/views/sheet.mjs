/** A sheet over the table: a dialog that Escape and its button close. */

import { Component, html } from "../vendor/preact-htm.mjs";

/**
 * @typedef {object} Props
 * @property {string} title
 * @property {string} [kind] a class of its own
 * @property {string} [closeWord] the close button's name; without it the sheet cannot be closed
 * @property {() => void} [onClose]
 * @property {import("../vendor/preact-htm.mjs").ComponentChildren} [children]
 */

/** @extends {Component<Props>} */
export class Sheet extends Component {
  componentDidMount() {
    const dialog = this.dialog();
    if (!dialog.open) dialog.showModal();
    /** @type {HTMLElement | null} */ (dialog.querySelector("[data-first]"))?.focus();
  }

  componentWillUnmount() {
    this.dialog().close();
  }

  dialog() {
    return /** @type {HTMLDialogElement} */ (this.base);
  }

  render() {
    const { title, kind, closeWord, onClose, children } = this.props;
    const cancelled = (/** @type {Event} */ event) => {
      event.preventDefault();
      onClose?.();
    };
    const clicked = (/** @type {MouseEvent} */ event) => {
      if (event.target === this.base) onClose?.();
    };
    return html`<dialog class=${`sheet ${kind ?? ""}`} aria-label=${title} onCancel=${cancelled} onClick=${clicked}>
      <div class="sheet-body">
        <header><h2>${title}</h2>
          ${closeWord && html`<button type="button" class="close" aria-label=${closeWord} onClick=${onClose}>×</button>`}
        </header>
        ${children}
      </div>
    </dialog>`;
  }
}
