/**
 * The hand as it lies: which card is where, in which meld, in how many rows.
 *
 * Both copies of a card have one code, so each card that is held has an id of its own: `8H#0`.
 */

/** @import { Arrangement, Card, Meld, Sort } from "../types.ts" */
import { byRank, bySuit } from "./cards.mjs";

/**
 * @typedef {object} Placed A card as it lies.
 * @property {string} id
 * @property {Card} card
 * @property {number | null} meld the number of its meld, from 0
 * @property {Meld["kind"] | null} kind
 * @property {Card | null} standsFor what a card in a meld stands for
 */

const GAP = { narrow: 0.25, wide: 0.5 };
const ROW = 7;

/** @param {string} id @returns {Card} */
export const cardOf = (id) => id.slice(0, id.indexOf("#"));

/** The ids of a hand, those known already kept in their order, new ones at the end.
 * @param {readonly string[]} ids @param {readonly Card[]} hand */
export function identified(ids, hand) {
  const missing = [...hand];
  const kept = ids.filter((id) => {
    const at = missing.indexOf(cardOf(id));
    if (at < 0) return false;
    missing.splice(at, 1);
    return true;
  });
  for (const card of missing) {
    let copy = 0;
    while (kept.includes(`${card}#${copy}`)) copy += 1;
    kept.push(`${card}#${copy}`);
  }
  return kept;
}

/** The cards in the order of a sort, each with its meld. Of copies, the one held longest is in it.
 * @param {readonly string[]} ids @param {Sort} sort @param {Arrangement | null} arrangement
 * @returns {Placed[]} */
export function placed(ids, sort, arrangement) {
  const free = [...ids];
  /** @type {Map<string, Placed>} */
  const melded = new Map();
  const melds = (arrangement?.melds ?? []).filter((meld) => holds(free, meld.cards));
  melds.forEach((meld, number) => {
    meld.cards.forEach((card, place) => {
      const at = free.findIndex((id) => cardOf(id) === card);
      if (at < 0) return;
      const [id] = free.splice(at, 1);
      const standsFor = meld.stands_for[place];
      melded.set(id, { id, card, meld: number, kind: meld.kind, standsFor });
    });
  });
  const all = ordered(ids, sort, [...melded.keys()], arrangement?.discard ?? null);
  return all.map(
    (id) => melded.get(id) ?? { id, card: cardOf(id), meld: null, kind: null, standsFor: null },
  );
}

/** @param {readonly string[]} ids @param {readonly Card[]} cards */
function holds(ids, cards) {
  const codes = ids.map(cardOf);
  return cards.every((card) => {
    const at = codes.indexOf(card);
    if (at >= 0) codes.splice(at, 1);
    return at >= 0;
  });
}

/** @param {readonly string[]} ids @param {Sort} sort @param {string[]} melded
 * @param {Card | null} discard */
function ordered(ids, sort, melded, discard) {
  if (sort === "hand") return [...ids];
  const order = sort === "suit" ? bySuit : byRank;
  /** @param {string} one @param {string} other */
  const compare = (one, other) => order(cardOf(one), cardOf(other));
  if (sort !== "meld") return [...ids].sort(compare);
  const loose = ids.filter((id) => !melded.includes(id)).sort(compare);
  const last = loose.findIndex((id) => cardOf(id) === discard);
  if (last >= 0) loose.push(...loose.splice(last, 1));
  return [...melded, ...loose];
}

/** Where each card lies: its column, which may be a fraction, and its row; the widest row, and
 * the widest that there may be in the round, after which the cards have their size.
 * A row has seven cards at most where the page is narrow; a gap parts melds that are side by side.
 * On the narrowest pages a full row has no gaps: each card is then wide enough for a finger.
 * @param {Placed[]} cards @param {boolean} narrow @param {number} slots of the whole round
 * @param {boolean} tiny */
export function spread(cards, narrow, slots, tiny) {
  const rows = narrow && slots > ROW ? breakInTwo(cards) : [cards];
  const gap = narrow ? GAP.narrow : GAP.wide;
  const places = new Map();
  let columns = rows.length > 1 ? Math.ceil(slots / 2) : slots;
  rows.forEach((row, number) => {
    const parted = tiny && row.length === ROW ? 0 : gap;
    let column = 0;
    row.forEach((card, place) => {
      if (place > 0) column += 1 + (isBoundary(row[place - 1], card) ? parted : 0);
      places.set(card.id, { column, row: number });
    });
    columns = Math.max(columns, column + 1);
  });
  const widths = rows.map((row) => (row.length ? places.get(row[row.length - 1].id).column + 1 : 0));
  const most = rows.length > 1 ? ROW + 3 * gap : slots + Math.min(4, Math.floor(slots / 3)) * gap;
  return { places, columns, most, widths, rows: rows.length };
}

/** @param {Placed} one @param {Placed} other */
function isBoundary(one, other) {
  return one.meld !== other.meld;
}

/** Two rows, broken between two melds where that leaves none too long. @param {Placed[]} cards */
function breakInTwo(cards) {
  const least = Math.max(0, cards.length - ROW);
  const most = Math.min(ROW, cards.length);
  const middle = Math.ceil(cards.length / 2);
  let best = middle;
  let distance = Infinity;
  for (let at = Math.max(1, least); at <= most && at < cards.length; at += 1) {
    if (isBoundary(cards[at - 1], cards[at]) && Math.abs(at - middle) < distance) {
      best = at;
      distance = Math.abs(at - middle);
    }
  }
  return [cards.slice(0, best), cards.slice(best)];
}

/** The ids with one moved before another, or to the end.
 * @param {readonly string[]} ids @param {string} id @param {string | null} before */
export function moved(ids, id, before) {
  const rest = ids.filter((each) => each !== id);
  const at = before === null ? rest.length : rest.indexOf(before);
  rest.splice(at < 0 ? rest.length : at, 0, id);
  return rest;
}
