/** Cards by their codes: ranks, suits, the order of a hand, the address of an image. */

/** @import { Card } from "../types.ts" */

export const RANKS = "A23456789TJQK";
export const SUITS = "CDHS";
export const JOKER = "JK";
const SIGNS = { C: "♣", D: "♦", H: "♥", S: "♠" };

/** The rank's code; empty for a joker. @param {Card} card */
export const rankOf = (card) => (card === JOKER ? "" : card[0]);

/** The suit's code; empty for a joker. @param {Card} card */
export const suitOf = (card) => (card === JOKER ? "" : card[1]);

/** A card in two or three signs, such as 10♠. @param {Card} card */
export function signs(card) {
  if (card === JOKER) return "★";
  const suit = /** @type {keyof SIGNS} */ (suitOf(card));
  return `${rankSign(rankOf(card))}${SIGNS[suit]}`;
}

/** A rank as it is printed. @param {string} rank */
export const rankSign = (rank) => (rank === "T" ? "10" : rank);

/** Whether a card is wild. @param {Card} card @param {string | undefined} wildRank */
export const isWild = (card, wildRank) => card === JOKER || rankOf(card) === wildRank;

/** Whether a card is printed in red. @param {Card} card */
export const isRed = (card) => suitOf(card) === "D" || suitOf(card) === "H";

/** By rank, then suit, jokers last. @param {Card} one @param {Card} other */
export function byRank(one, other) {
  return place(one) - place(other);
}

/** By suit, then rank, jokers last. @param {Card} one @param {Card} other */
export function bySuit(one, other) {
  const suits = SUITS.indexOf(suitOf(one) || "S") - SUITS.indexOf(suitOf(other) || "S");
  return suits || place(one) - place(other);
}

/** @param {Card} card */
function place(card) {
  return card === JOKER ? 99 : RANKS.indexOf(rankOf(card)) * 4 + SUITS.indexOf(suitOf(card));
}

const IMAGES = new URL("../../v1/cards/", import.meta.url).href;

/** The address of a card's image. @param {Card | "back"} card @param {2 | 4} colours */
export function imageOf(card, colours) {
  return `${IMAGES}${card}.svg${colours === 4 ? "?colours=4" : ""}`;
}

/** A hand without one card; the hand itself if the card is not in it.
 * @param {readonly Card[]} cards @param {Card} card */
export function without(cards, card) {
  const at = cards.indexOf(card);
  return at < 0 ? [...cards] : [...cards.slice(0, at), ...cards.slice(at + 1)];
}
