/** A card as an image, and small cards in melds, as they lie on the table. */

/** @import { Card, Meld } from "../types.ts" */
/** @import { Words } from "../text/i18n.mjs" */
import { imageOf, isRed, signs } from "../game/cards.mjs";
import { html } from "../vendor/preact-htm.mjs";

/** An image that says nothing: its name stands elsewhere.
 * @param {Card | "back"} card @param {2 | 4} colours */
export const face = (card, colours) =>
  html`<img class="face" src=${imageOf(card, colours)} alt="" draggable=${false} width="250" height="350" />`;

/** A small card with its name, and with the card that it stands for.
 * @param {Words} words @param {Card} card @param {2 | 4} colours @param {Card} [standsFor] */
export function small(words, card, colours, standsFor = card) {
  const isOther = standsFor !== card;
  const name = isOther ? `${words.card(card)}, ${words.standsFor(words.card(standsFor))}` : words.card(card);
  return html`<span class="small-card"><img src=${imageOf(card, colours)} alt=${name} width="250" height="350" />
    ${isOther && html`<span class="stands-for" data-mark=${signs(standsFor)}></span>`}</span>`;
}

/** A card in two signs, with its name. @param {Words} words @param {Card} card */
export const chip = (words, card) => html`<span class=${`chip ${isRed(card) ? "red" : ""}`}>
  <span aria-hidden="true">${signs(card)}</span><span class="unseen">${words.card(card)}</span>
</span>`;

/** Melds side by side. @param {Words} words @param {Meld[]} melds @param {2 | 4} colours */
export const meldRow = (words, melds, colours) => melds.map(
  (meld, number) => html`<span class=${`laid meld-${number % 4}`} role="group" aria-label=${words.inMeld[meld.kind]}>
    ${meld.cards.map((card, place) => small(words, card, colours, meld.stands_for[place]))}
  </span>`,
);

const FAN = ["3S", "KH", "JK", "8C", "3D"];

/** Five cards, as they are held. @param {2 | 4} colours */
export const fan = (colours) => html`<div class="fan" aria-hidden="true">
  ${FAN.map((card) => html`<img key=${card} src=${imageOf(card, colours)} alt="" width="250" height="350" />`)}
</div>`;
