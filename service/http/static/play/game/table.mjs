/**
 * The table as it is shown: a fold over the game's events.
 *
 * An answer of the service tells at once what many turns did; the page shows them one by one. So
 * what is shown lags behind the newest view, and is made from the events alone, but for the own
 * hand, which no event deals: that is the view's, with the own moves since then taken back.
 * `settle` lays the view over it when all events are shown.
 */

/** @import { Card, Dealt, GameEvent, Scored, Table, View } from "../types.ts" */
import { byRank, without } from "./cards.mjs";

const PACK = 104;

/** The table before the first event. @param {View} view @returns {Table} */
export function emptyTable(view) {
  const seats = view.seats.map((seat) => ({
    ...seat,
    card_count: 0,
    shown: [],
    total: 0,
    hand: null,
    melds: null,
  }));
  return {
    seq: 0,
    status: "waiting",
    round: null,
    turn: null,
    wentOut: null,
    stock: 0,
    pile: [],
    past: [],
    seats,
    you: view.you ? view.you.seat : null,
    hand: null,
    drawn: null,
    scores: [],
    result: null,
    jokers: view.rules.jokers,
  };
}

/** The table after an event. `later` are the events up to the view, of which a dealt hand is told.
 * @param {Table} table @param {GameEvent} event @param {View} view @param {GameEvent[]} later
 * @returns {Table} */
export function after(table, event, view, later) {
  const next = { ...table, seq: event.seq };
  switch (event.type) {
    case "round_dealt":
      return dealt(next, event, dealtHand(event, view, later));
    case "card_drawn":
      return drawn(next, event.seat, event.source, event.card);
    case "card_discarded":
      return discarded(next, event.seat, event.card);
    case "stock_reshuffled":
      return { ...next, stock: event.stock_count, pile: next.pile.slice(-1), past: [] };
    case "went_out":
      return withSeat({ ...next, wentOut: event.seat }, event.seat, () => ({
        hand: event.hand,
        melds: event.melds,
      }));
    case "round_scored":
      return scored(next, event);
    case "game_finished":
      return { ...next, status: "finished", turn: null, result: event };
    case "game_abandoned":
      return { ...next, status: "finished", turn: null };
    case "seat_joined":
      return withSeat(next, event.seat, () => ({ name: event.name, joined: true }));
    case "seat_left":
      return withSeat(next, event.seat, () => ({ kind: /** @type {const} */ ("ai") }));
    case "seat_away":
    case "seat_returned":
      return withSeat(next, event.seat, () => ({ away: event.type === "seat_away" }));
  }
}

/** The table when all events are shown: what a view says goes before what was folded.
 * @param {Table} table @param {View} view @returns {Table} */
export function settle(table, view) {
  const top = view.discard_top;
  const pile = top === null || table.pile.at(-1) === top ? table.pile : [...table.pile, top];
  return {
    ...table,
    status: view.status,
    round: view.round ?? table.round,
    turn: view.turn,
    wentOut: view.went_out,
    stock: view.stock_count ?? table.stock,
    pile,
    seats: view.seats,
    hand: view.you ? view.you.hand : null,
    drawn: view.you ? view.you.drawn : null,
    result: view.result,
  };
}

/** @param {Table} table @param {Dealt} event @param {Card[] | null} hand @returns {Table} */
function dealt(table, event, hand) {
  const { dealer, hand_size, wild_rank, upcard } = event;
  const seats = table.seats.map((seat) => ({
    ...seat,
    card_count: hand_size,
    shown: [],
    hand: null,
    melds: null,
  }));
  return {
    ...table,
    status: "playing",
    round: { number: event.round, hand_size, wild_rank, dealer },
    turn: { seat: (dealer + 1) % seats.length, phase: "draw" },
    wentOut: null,
    stock: PACK + table.jokers - hand_size * seats.length - 1,
    pile: [upcard],
    past: [{ seat: null, card: upcard, taken: null }],
    seats,
    hand,
    drawn: null,
  };
}

/** @param {Table} table @param {number} seat @param {string} source @param {Card | null} card */
function drawn(table, seat, source, card) {
  const open = source === "discard";
  const next = withSeat(table, seat, ({ card_count, shown }) => ({
    card_count: card_count + 1,
    shown: open && card ? [...shown, card].sort(byRank) : shown,
  }));
  const own = seat === table.you && card !== null;
  return {
    ...next,
    turn: { seat, phase: /** @type {const} */ ("discard") },
    stock: open ? table.stock : table.stock - 1,
    pile: open ? table.pile.slice(0, -1) : table.pile,
    past: open ? markTaken(table.past, seat) : table.past,
    hand: own && table.hand ? [...table.hand, card].sort(byRank) : table.hand,
    drawn: own ? card : table.drawn,
  };
}

/** @param {Table["past"]} past @param {number} seat */
function markTaken(past, seat) {
  const at = past.map((entry) => entry.taken === null).lastIndexOf(true);
  return past.map((entry, place) => (place === at ? { ...entry, taken: seat } : entry));
}

/** @param {Table} table @param {number} seat @param {Card} card */
function discarded(table, seat, card) {
  const next = withSeat(table, seat, ({ card_count, shown }) => ({
    card_count: card_count - 1,
    shown: without(shown, card),
  }));
  const own = seat === table.you;
  return {
    ...next,
    turn: { seat: (seat + 1) % table.seats.length, phase: /** @type {const} */ ("draw") },
    pile: [...table.pile, card],
    past: [...table.past, { seat, card, taken: null }],
    hand: own && table.hand ? without(table.hand, card) : table.hand,
    drawn: own ? null : table.drawn,
  };
}

/** @param {Table} table @param {Scored} event @returns {Table} */
function scored(table, event) {
  const seats = table.seats.map((seat) => ({ ...seat, total: event.seats[seat.seat].total }));
  return { ...table, seats, turn: null, scores: [...table.scores, event] };
}

/** @param {Table} table @param {number} number
 * @param {(seat: import("../types.ts").Seat) => Partial<import("../types.ts").Seat>} change
 * @returns {Table} */
function withSeat(table, number, change) {
  const seats = table.seats.map((seat) =>
    seat.seat === number ? { ...seat, ...change(seat) } : seat,
  );
  return { ...table, seats };
}

/** The own hand as it was dealt: the view's, its draws taken back and its discards taken up again.
 * @param {Dealt} event @param {View} view @param {GameEvent[]} later @returns {Card[] | null} */
function dealtHand(event, view, later) {
  if (!view.you?.hand || view.round?.number !== event.round) return null;
  let hand = view.you.hand;
  for (const each of [...later].reverse()) {
    if (each.type === "card_drawn" && each.seat === view.you.seat && each.card) {
      hand = without(hand, each.card);
    }
    if (each.type === "card_discarded" && each.seat === view.you.seat) hand = [...hand, each.card];
  }
  return [...hand].sort(byRank);
}
