/** Shows the events one by one, at the chosen speed, until all are shown or a round is over. */

/** @import { GameEvent, Speed, State } from "../types.ts" */
/** @import { Store } from "../game/state.mjs" */
import { sentence, wordsOf } from "../text/i18n.mjs";
import { dealHand, finishAll, fly, isStill, pause, placeOf, say } from "./stage.mjs";
import { showNext } from "../game/state.mjs";

/** The time of a flight and the pause after it, in ms. @type {Record<Speed, [number, number]>} */
const PACE = { slow: [560, 620], normal: [360, 300], fast: [170, 70], instant: [0, 0] };
const OUT_PAUSES = 4;

/** @typedef {{run: () => Promise<void>, skip: () => void, reset: () => void}} Playback */

/** @param {Store} store @returns {Playback} */
export function createPlayback(store) {
  let skipped = false;
  let generation = 0;
  /** @type {Promise<void> | null} */
  let running = null;

  async function runAll() {
    const own = generation;
    store.set({ playing: true });
    while (own === generation && store.get().queue.length > 0 && !store.get().pause) {
      await showOne(store, skipped);
    }
    if (own !== generation) return;
    skipped = false;
    running = null;
    store.set({ playing: false });
  }

  return {
    run() {
      const { queue, pause: stop } = store.get();
      // Without an event to show it would be over before it could be kept as running.
      if (!running && (queue.length === 0 || stop)) return Promise.resolve();
      running ??= runAll();
      return running;
    },
    skip() {
      if (!running) return;
      skipped = true;
      finishAll();
    },
    /** Forget what was going on: another game is shown. */
    reset() {
      generation += 1;
      running = null;
      skipped = false;
      finishAll();
      store.set({ playing: false });
    },
  };
}

/** @param {Store} store @param {boolean} skipped */
async function showOne(store, skipped) {
  const state = store.get();
  const event = state.queue[0];
  const [flight, gap] = skipped || isStill() ? [0, 0] : PACE[state.settings.speed];
  const seated = state.table;
  switch (event.type) {
    case "card_drawn":
      await showDraw(store, event, flight);
      break;
    case "card_discarded":
      await showDiscard(store, event, flight);
      break;
    case "round_dealt":
      store.set(showNext(state));
      await dealHand(flight);
      break;
    default:
      store.set(showNext(state));
  }
  if (seated) say(sentence(wordsOf(state), seated, event));
  await pause(event.type === "went_out" ? gap * OUT_PAUSES : gap);
}

/** @param {Store} store @param {Extract<GameEvent, {type: "card_drawn"}>} event
 * @param {number} flight */
async function showDraw(store, event, flight) {
  const state = store.get();
  const { colours } = state.settings;
  const from = placeOf(`[data-pile=${event.source}] img`);
  const own = event.seat === state.table?.you;
  const next = showNext(state);
  const id = own ? next.order?.find((each) => !state.order.includes(each)) ?? null : null;
  store.set({ ...next, arriving: flight > 0 ? id : null });
  const to = id ? `.hand [data-id="${id}"]` : backOf(event.seat);
  await fly(event.card ?? "back", colours, from, placeOf(to), flight);
  store.set({ arriving: null });
}

/** @param {Store} store @param {Extract<GameEvent, {type: "card_discarded"}>} event
 * @param {number} flight */
async function showDiscard(store, event, flight) {
  const state = store.get();
  if (!isShown(state, event)) {
    const from = placeOf(backOf(event.seat));
    const to = placeOf("[data-pile=discard]");
    await fly(event.card, state.settings.colours, from, to, flight);
  }
  store.set(showNext(store.get()));
}

/** Whether a discard lies on the pile already: the own one does since it was chosen.
 * @param {State} state @param {Extract<GameEvent, {type: "card_discarded"}>} event */
function isShown(state, event) {
  return event.seat === state.table?.you && state.held?.card === event.card;
}

/** The last card of another seat's hand. @param {number} seat */
const backOf = (seat) => `[data-seat="${seat}"] .back:last-child img`;
