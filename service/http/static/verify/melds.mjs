// Melds: whether they are legal, what they leave over and what that costs, and who can go out.

/** @import { Json } from "./replay.mjs" */
import { firstDifference, quoted } from "./comparison.mjs";
import { inOrder, JOKER, RANKS } from "./dealing.mjs";

const MIN_MELD = 3;
const LONGEST = 5; // a longer meld is two melds
const WITH_HIGH_ACE = `${RANKS.slice(1)}A`;
/** The orders of ranks that a run may follow, by ace mode; none of them goes on at its end.
 * @type {Json} */
const RUN_ORDERS = { low: [RANKS], high: [WITH_HIGH_ACE], both: [RANKS, WITH_HIGH_ACE] };

/** Melds that the hand or the rules do not allow; the message says why. */
export class IllegalMeld extends Error {}

/** The cards of a hand that are in none of the melds, in order; throws IllegalMeld.
 * @param {string[]} hand @param {Json} melds @param {string} wild @param {string} aces */
export function deadwood(hand, melds, wild, aces) {
  if (!Array.isArray(melds)) throw new IllegalMeld("they are not a list");
  const left = [...hand];
  for (const meld of melds) {
    if (!Array.isArray(meld?.cards)) {
      throw new IllegalMeld("a meld is an object with a list of cards");
    }
    for (const card of meld.cards) {
      if (remove(card, left)) continue;
      throw new IllegalMeld(`${quoted(card)} is not, or not so often, in the hand`);
    }
    checkMeld(meld, wild, aces);
  }
  return inOrder(left);
}

/** What cards cost that are in no meld.
 * @param {string[]} cards @param {string} wild @param {string} aces */
export function points(cards, wild, aces) {
  return cards.reduce((sum, card) => sum + pointsOf(card, wild, aces), 0);
}

/** @param {string} card @param {string} wild @param {string} aces */
function pointsOf(card, wild, aces) {
  const rank = card[0];
  if (card === JOKER) return 20;
  if (rank === wild) return 15;
  if (rank === "A") return aces === "low" ? 1 : 15;
  return "TJQK".includes(rank) ? 10 : Number(rank);
}

/** Whether each card of a hand of three or more can be in a meld.
 * @param {string[]} hand @param {string} wild @param {string} aces */
export function meldsCompletely(hand, wild, aces) {
  const naturals = inOrder(hand.filter((card) => !isWild(card, wild)));
  return canMeld(naturals, hand.length - naturals.length, aces);
}

/** Whether naturals, which are in order, can all be in melds with so many wilds at most. A wild
 * that is left joins any meld, or the others that are left.
 * @param {string[]} naturals @param {number} wilds @param {string} aces @returns {boolean} */
function canMeld(naturals, wilds, aces) {
  if (naturals.length === 0) return true;
  for (const { used, needed } of meldsOfFirst(naturals, aces)) {
    if (needed > wilds) continue;
    const left = [...naturals];
    for (const card of used) remove(card, left);
    if (canMeld(left, wilds - needed, aces)) return true;
  }
  return false;
}

/** The melds that the first natural may be in: their naturals, and the wilds that they need. A run
 * has each natural that is there for it: if a wild took its place, the two could be exchanged.
 * @param {string[]} naturals @param {string} aces */
function* meldsOfFirst(naturals, aces) {
  const [first, ...rest] = naturals;
  const [rank, suit] = first;
  for (const others of subsets(rest.filter((card) => card[0] === rank))) {
    if (others.length < LONGEST) {
      yield { used: [first, ...others], needed: Math.max(MIN_MELD - 1 - others.length, 0) };
    }
  }
  for (const order of RUN_ORDERS[aces]) {
    const place = order.indexOf(rank);
    for (let length = MIN_MELD; length <= LONGEST; length++) {
      const last = Math.min(place, order.length - length);
      for (let start = Math.max(place - length + 1, 0); start <= last; start++) {
        const run = [...order.slice(start, start + length)].map((each) => each + suit);
        const used = run.filter((card) => naturals.includes(card));
        yield { used, needed: length - used.length };
      }
    }
  }
}

/** @param {string[]} cards @returns {string[][]} */
function subsets(cards) {
  if (cards.length === 0) return [[]];
  const [first, ...rest] = cards;
  return subsets(rest).flatMap((subset) => [subset, [first, ...subset]]);
}

/** Whether a card is a joker or of the round's wild rank. @param {string} card @param {string} wild */
export function isWild(card, wild) {
  return card === JOKER || card[0] === wild;
}

/** Take one card out of a list; whether it was there. @param {Json} card @param {string[]} cards */
export function remove(card, cards) {
  const place = cards.indexOf(card);
  if (place >= 0) cards.splice(place, 1);
  return place >= 0;
}

/** Refuse a meld that is none, or that says of its cards what they are not.
 * @param {Json} meld @param {string} wild @param {string} aces */
function checkMeld(meld, wild, aces) {
  const { cards } = meld;
  const codes = cards.join(" ");
  const meaning = meaningOf(cards, wild, aces);
  if (meaning === null) throw new IllegalMeld(`${codes} is neither a set nor a run`);
  const difference = firstDifference(codes, { cards, ...meaning }, meld);
  if (difference !== null) throw new IllegalMeld(difference);
}

/** What kind of meld cards are, and what each of them stands for; null where they are none.
 * @param {string[]} cards @param {string} wild @param {string} aces */
function meaningOf(cards, wild, aces) {
  const naturals = cards.filter((card) => !isWild(card, wild));
  const [rank = wild, ...others] = new Set(naturals.map((card) => card[0]));
  if (cards.length < MIN_MELD) return null;
  if (others.length === 0) {
    const stands_for = cards.map((card) => rank + (card === JOKER ? "C" : card[1]));
    return { kind: "set", stands_for };
  }
  for (const order of RUN_ORDERS[aces]) {
    const first = order.indexOf(naturals[0][0]) - cards.indexOf(naturals[0]);
    if (first < 0 || first + cards.length > order.length) continue;
    const stands_for = cards.map((_, step) => order[first + step] + naturals[0][1]);
    if (cards.every((card, step) => isWild(card, wild) || card === stands_for[step])) {
      return { kind: "run", stands_for };
    }
  }
  return null;
}
