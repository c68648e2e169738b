// Cards, and what a secret makes of them: the first dealer, each deal, each refill.

import { hmac, sha256 } from "./sha256.mjs";

export const RANKS = "A23456789TJQK";
export const SUITS = "CDHS";
export const JOKER = "JK";

/** The SHA-256 of a secret, both in hex. @param {string} secret */
export function commitment(secret) {
  const bytes = [...sha256(fromHex(secret))];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The words of a label, without end: the blocks HMAC-SHA256(secret, "313/1/<label>/<block>").
 * @param {string} secret @param {string} label @returns {Generator<number, never>} */
export function* words(secret, label) {
  for (let block = 0; ; block++) {
    const message = new TextEncoder().encode(`313/1/${label}/${block}`);
    const digest = new DataView(hmac(fromHex(secret), message).buffer);
    for (let start = 0; start < 32; start += 4) yield digest.getUint32(start);
  }
}

/** A number below n: the next word below the largest multiple of n, modulo n.
 * @param {Generator<number, never>} stream @param {number} n */
export function uniform(stream, n) {
  const limit = n * Math.floor(2 ** 32 / n);
  let word = stream.next().value;
  while (word >= limit) word = stream.next().value;
  return word % n;
}

/** The cards in a new order, the top last.
 * @param {string} secret @param {string} label @param {string[]} cards */
function shuffled(secret, label, cards) {
  const stream = words(secret, label);
  const order = [...cards];
  for (let j = order.length - 1; j > 0; j--) {
    const other = uniform(stream, j + 1);
    [order[j], order[other]] = [order[other], order[j]];
  }
  return order;
}

/** The seat that deals first in a game that is no rematch.
 * @param {string} secret @param {number} seats */
export function firstDealer(secret, seats) {
  return uniform(words(secret, "dealer"), seats);
}

/** A round's hands by seat, in the order of the deal, its upcard, and its stock, top last.
 * @param {string} secret @param {number} number @param {number} seats @param {number} dealer
 * @param {number} jokers */
export function deal(secret, number, seats, dealer, jokers) {
  const deck = [...SUITS].flatMap((suit) => [...RANKS].map((rank) => rank + suit));
  const pack = [...deck, ...deck, ...Array(jokers).fill(JOKER)];
  const stock = shuffled(secret, `deal/${number}`, pack);
  const hands = Array.from({ length: seats }, () => /** @type {string[]} */ ([]));
  for (let card = 0; card < seats * handSize(number); card++) {
    hands[(dealer + 1 + card) % seats].push(String(stock.pop()));
  }
  return { hands, upcard: String(stock.pop()), stock };
}

/** The stock, top last, of a round's refill 1, 2, …, from the pile less its top, oldest first.
 * @param {string} secret @param {number} number @param {number} count @param {string[]} pile */
export function refill(secret, number, count, pile) {
  return shuffled(secret, `refill/${number}/${count}`, pile);
}

/** How many cards a round deals to each seat. @param {number} number */
export function handSize(number) {
  return number + 2;
}

/** The cards by rank, then suit, jokers last. @param {string[]} cards */
export function inOrder(cards) {
  /** @type {(card: string) => number} */
  const place = (card) => {
    return card === JOKER ? 52 : 4 * RANKS.indexOf(card[0]) + SUITS.indexOf(card[1]);
  };
  return [...cards].sort((one, other) => place(one) - place(other));
}

/** @param {string} text */
function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => parseInt(byte, 16));
}
