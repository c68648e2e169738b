/**
 * The one state of the page, how it changes, and what follows from it.
 *
 * Every change makes a new state; `main.mjs` renders it. What the service told stands in `view`
 * (the newest) and `queue` (events not shown yet), what is shown in `table`.
 */

/** @import { Arrangement, GameEvent, Session, Settings, Options, State, Table, View } from "../types.ts" */
import { cardOf, identified } from "./hand_order.mjs";
import { after, emptyTable, settle } from "./table.mjs";

/** What the player has begun to do, and was advised: nothing. */
const NOTHING_DONE = { arriving: null, selected: null, held: null, busy: false, hint: null, figures: false };

/** @param {Settings} settings @param {Options} options @returns {State} */
export function firstState(settings, options) {
  return {
    screen: "home",
    invite: null,
    settings,
    options,
    saved: [],
    session: null,
    view: null,
    table: null,
    queue: [],
    playing: false,
    pause: null,
    order: [],
    ...NOTHING_DONE,
    trouble: null,
    waiting: null,
    sheet: null,
    copied: null,
    rules: null,
    review: null,
    last: {},
    drawer: false,
    exchanges: [],
    verdict: null,
    narrow: false,
    tiny: false,
  };
}

/** @typedef {{get: () => State, set: (patch: Partial<State>) => void}} Store */

/** A store that calls back after each change. @param {State} state @param {() => void} changed
 * @returns {Store} */
export function createStore(state, changed) {
  return {
    get: () => state,
    set(patch) {
      state = { ...state, ...patch };
      changed();
    },
  };
}

/** A game as it is entered: its events shown up to a round's end that was not seen yet, if there
 * is one, else up to now. @param {Session} session @param {View} view @param {GameEvent[]} events
 * @returns {Partial<State>} */
export function entered(session, view, events) {
  const unseen = events.findLastIndex((each, place) => {
    const isEnd = each.type === "round_scored" && each.seq > session.seen;
    return isEnd && events[place + 1]?.type !== "game_finished";
  });
  const stop = unseen < 0 ? events.length : unseen + 1;
  let table = emptyTable(view);
  for (let place = 0; place < stop; place += 1) {
    table = after(table, events[place], view, events.slice(place + 1));
  }
  if (stop === events.length) table = settle(table, view);
  const pause = unseen < 0 ? null : /** @type {const} */ ("round");
  return {
    ...inGame(session, view),
    table,
    queue: events.slice(stop),
    order: identified([], table.hand ?? []),
    pause: table.status === "finished" ? "end" : pause,
  };
}

/** A game as it is begun: nothing is shown yet. @param {Session} session @param {View} view
 * @param {GameEvent[]} events @returns {Partial<State>} */
export function begun(session, view, events) {
  return { ...inGame(session, view), table: emptyTable(view), queue: events, order: [], pause: null };
}

/** @param {Session} session @param {View} view @returns {Partial<State>} */
function inGame(session, view) {
  return {
    screen: "table",
    session,
    view,
    ...NOTHING_DONE,
    sheet: null,
    last: {},
    verdict: null,
    review: null,
  };
}

/** The seq of the last event that the page has. @param {State} state */
export const knownSeq = ({ queue, table }) => queue.at(-1)?.seq ?? table?.seq ?? 0;

/** Whether no event is missing between those that the page has and others.
 * @param {State} state @param {GameEvent[]} events */
export function isNext(state, events) {
  const known = knownSeq(state);
  const first = events.find((each) => each.seq > known);
  return !first || first.seq === known + 1;
}

/** What an answer of the service changes: events that are known already are left out.
 * @param {State} state @param {View} view @param {GameEvent[]} events @returns {Partial<State>} */
export function told(state, view, events) {
  const known = knownSeq(state);
  const queue = [...state.queue, ...events.filter((each) => each.seq > known)];
  const newest = state.view && state.view.version > view.version ? state.view : view;
  if (queue.length || !state.table) return { view: newest, queue };
  return { view: newest, queue, ...settled(state, state.table, newest) };
}

/** The state once the next event is shown. @param {State} state @returns {Partial<State>} */
export function showNext(state) {
  const { view, table: before, queue } = state;
  if (!view || !before || queue.length === 0) return {};
  const [event, ...rest] = queue;
  const table = after(before, event, view, rest);
  /** @type {Partial<State>} */
  const next = { queue: rest, hint: null, figures: false, last: lastMoves(state, event) };
  if (event.type === "round_scored" && rest[0]?.type !== "game_finished") next.pause = "round";
  if (table.status === "finished") next.pause = "end";
  if (event.type === "card_discarded" && event.seat === table.you) next.held = null;
  const order = event.type === "round_dealt" ? [] : state.order;
  if (event.type === "round_dealt") next.selected = null;
  if (rest.length === 0) return { ...next, ...settled({ ...state, order }, table, view) };
  return { ...next, table, order: identified(order, table.hand ?? []) };
}

/** @param {State} state @param {Table} table @param {View} view @returns {Partial<State>} */
function settled(state, table, view) {
  const whole = settle(table, view);
  return { table: whole, order: identified(state.order, whole.hand ?? []) };
}

/** @param {State} state @param {GameEvent} event */
function lastMoves(state, event) {
  if (event.type === "round_dealt") return {};
  if (!("seat" in event)) return state.last;
  return { ...state.last, [event.seat]: event };
}

/** The ids of the cards that lie in the hand: one on its way to the pile does not.
 * @param {State} state */
export const shownIds = (state) => state.order.filter((id) => id !== state.held?.id);

/** The best arrangement, where it is known for the cards that are shown.
 * @param {State} state @returns {Arrangement | null} */
export function arrangementOf({ view, table }) {
  const hand = view?.you?.hand;
  if (!hand || !table?.hand || view.round?.number !== table.round?.number) return null;
  const shown = [...table.hand].sort().join();
  return shown === [...hand].sort().join() ? view.you?.arrangement ?? null : null;
}

/** Whether nothing is under way and the own seat is to move, in a phase.
 * @param {State} state @param {"draw" | "discard"} phase */
export function isDue(state, phase) {
  const { view, busy, playing, queue, pause, held } = state;
  if (!view?.you || busy || playing || queue.length || pause || held) return false;
  return view.turn?.seat === view.you.seat && view.turn.phase === phase;
}

/** The card with which the hand goes out: the selected one, or the best, or any.
 * @param {State} state @returns {string | null} the card's id */
export function outCard(state) {
  const cards = isDue(state, "discard") ? state.view?.you?.can_go_out_with ?? [] : [];
  const fits = (/** @type {string | null} */ id) => id !== null && cards.includes(cardOf(id));
  if (fits(state.selected)) return state.selected;
  const best = state.view?.you?.arrangement?.discard;
  const ids = state.order.filter(fits);
  return ids.find((id) => cardOf(id) === best) ?? ids[0] ?? null;
}
