/** A finished game move by move: what lay on the table before each of a seat's moves. */

/** @import { Card, GameEvent } from "../types.ts" */
import { byRank, without } from "./cards.mjs";

/** The hand before a move, told back from the hand at the round's end; null where the round was
 * never scored. @param {GameEvent[]} events of the replay @param {number} seat @param {number} seq
 * @returns {Card[] | null} */
export function handBefore(events, seat, seq) {
  const first = events.findIndex((each) => each.seq === seq);
  const end = events.findIndex((each, place) => place > first && each.type === "round_scored");
  const scored = events[end];
  if (first < 0 || scored?.type !== "round_scored" || scored.round !== events[first].round) return null;
  let hand = scored.seats[seat].hand;
  for (const each of events.slice(first, end).reverse()) {
    if (each.type === "card_discarded" && each.seat === seat) hand = [...hand, each.card];
    if (each.type === "card_drawn" && each.seat === seat && each.card) hand = without(hand, each.card);
  }
  return [...hand].sort(byRank);
}

/** The top of the discard pile before a move. @param {GameEvent[]} events @param {number} seq
 * @returns {Card | null} */
export function topBefore(events, seq) {
  /** @type {Card[]} */
  let pile = [];
  for (const each of events) {
    if (each.seq >= seq) break;
    if (each.type === "round_dealt") pile = [each.upcard];
    if (each.type === "card_discarded") pile.push(each.card);
    if (each.type === "card_drawn" && each.source === "discard") pile.pop();
  }
  return pile.at(-1) ?? null;
}
