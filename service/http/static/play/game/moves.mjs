/** The moves of the own seat: draw, discard, take back, go out, hints. */

/** @import { Pending, Session, Source } from "../types.ts" */
/** @import { Playback } from "../interaction/playback.mjs" */
/** @import { Store } from "./state.mjs" */
import { Problem, getGame, getHint, listEvents, makeMove, newKey } from "./api.mjs";
import { cardOf, moved, placed } from "./hand_order.mjs";
import { fly, isStill, placeOf } from "../interaction/stage.mjs";
import { arrangementOf, entered, isDue, isNext, knownSeq, outCard, shownIds, told } from "./state.mjs";
import * as storage from "./storage.mjs";

const TAKE_BACK = 2000;
const FLIGHT = { slow: 420, normal: 260, fast: 150, instant: 0 };

/** @param {Store} store @param {Playback} playback */
export function createMoves(store, playback) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;

  /** @param {Pending} move @param {boolean} keepalive */
  async function send(move, keepalive = false) {
    const { session } = store.get();
    if (!session) return;
    keep(store, { ...session, pending: move, at: Date.now() });
    store.set({ busy: true, trouble: null });
    try {
      const { game, events } = await deliver(session, move, keepalive);
      if (store.get().session?.id !== session.id) return settle(session, move);
      keep(store, { ...current(store, session), pending: null });
      if (!isNext(store.get(), events)) await refresh(store, playback);
      store.set({ busy: false, selected: null, ...told(store.get(), game, events) });
      await playback.run();
    } catch (error) {
      await refused(error, session, move);
    }
  }

  /** @param {unknown} error @param {Session} session @param {Pending | null} move */
  async function refused(error, session, move = null) {
    if (!(error instanceof Problem)) throw error;
    if (store.get().session?.id !== session.id) return settle(session, move);
    keep(store, { ...current(store, session), pending: null });
    store.set({ busy: false, held: null, trouble: troubleOf(error) });
    await refresh(store, playback);
  }

  /** A move as it is sent. @param {Pick<Pending, "path" | "body">} chosen @returns {Pending} */
  function pendingOf(chosen) {
    const state = store.get();
    return { ...chosen, key: newKey(), version: state.view?.version ?? 0, seq: knownSeq(state) };
  }

  /** Send the discard that is held, if there is one. @param {boolean} keepalive */
  function flush(keepalive = false) {
    const { held } = store.get();
    if (!held || held.sent) return Promise.resolve();
    clearTimeout(timer);
    store.set({ held: { ...held, sent: true } });
    return send(pendingOf({ path: "discard", body: { card: held.card } }), keepalive);
  }

  return {
    flush,

    /** @param {Source} source */
    async draw(source) {
      if (!isDue(store.get(), "draw")) return;
      await send(pendingOf({ path: "draw", body: { source } }));
    },

    /** Choose a card; the chosen one again is discarded. @param {string} id */
    async select(id) {
      const state = store.get();
      if (state.selected !== id) store.set({ selected: id });
      else if (isDue(state, "discard")) await this.discard(id);
      else store.set({ selected: null });
    },

    /** @param {string | null} id of the card, else the chosen one; @param {DOMRect | null} from */
    async discard(id = store.get().selected, from = null) {
      const state = store.get();
      if (!id || !isDue(state, "discard") || !state.order.includes(id)) return;
      const { speed, colours } = state.settings;
      const start = from ?? placeOf(`.hand [data-id="${id}"]`);
      const waits = speed === "slow" || speed === "normal";
      const until = Date.now() + (waits ? TAKE_BACK : 0);
      const to = placeOf("[data-pile=discard]");
      store.set({ held: { id, card: cardOf(id), until, landed: false, sent: false }, selected: null });
      clearTimeout(timer);
      timer = setTimeout(flush, until - Date.now());
      if (!isStill()) await fly(cardOf(id), colours, start, to, FLIGHT[speed]);
      const { held } = store.get();
      if (held?.id === id) store.set({ held: { ...held, landed: true } });
    },

    /** Go out with the card that is best for it. */
    async goOut() {
      await this.discard(outCard(store.get()));
    },

    /** Discard the card with which the hand could go out, and play on. */
    async keepOn() {
      const id = outCard(store.get());
      store.set({ sheet: null });
      if (id) await send(pendingOf({ path: "discard", body: { card: cardOf(id), go_out: false } }));
    },

    /** Take the discard back that was not sent yet. */
    takeBack() {
      const { held } = store.get();
      if (!held || held.sent) return;
      clearTimeout(timer);
      store.set({ held: null, selected: held.id });
    },

    /** Ask for a hint; asked again, its figures. */
    async hint() {
      const state = store.get();
      const { session, hint, view } = state;
      if (hint) return store.set({ figures: !state.figures });
      if (!session || !view?.rules.hints) return;
      if (!isDue(state, "draw") && !isDue(state, "discard")) return;
      store.set({ busy: true });
      try {
        const answer = await getHint(session.id, session.token);
        const same = store.get().view === view;
        store.set({ busy: false, hint: same ? answer : null, figures: false });
      } catch (error) {
        await refused(error, session);
      }
    },

    /** Put a card before another, or at the end: from then on the hand is sorted by hand.
     * @param {string} id @param {string | null} before */
    arrange(id, before) {
      const state = store.get();
      const { settings } = state;
      const shown = placed(shownIds(state), settings.sort, arrangementOf(state)).map((each) => each.id);
      const order = moved(shown, id, before);
      const held = state.held ? [state.held.id] : [];
      storage.keepSettings({ ...settings, sort: "hand" });
      store.set({ order: [...order, ...held], settings: { ...settings, sort: "hand" } });
    },
  };
}

/** The session as it is now. @param {Store} store @param {Session} session */
function current(store, session) {
  return store.get().session ?? session;
}

/** Keep a session in the state and beyond the page. @param {Store} store @param {Session} session */
export function keep(store, session) {
  storage.keepSession(session);
  store.set({ session });
}

/** A move of a game that is not shown any more is answered. @param {Session} session
 * @param {Pending | null} move */
function settle({ id }, move) {
  const kept = storage.session(id);
  if (kept?.pending && kept.pending.key === move?.key) storage.keepSession({ ...kept, pending: null });
}

/** Make a move. One that was chosen in a turn that is over is refused as `stale-version`; events
 * of seats alone, as where somebody is away, do not make it so.
 * @param {Session} session @param {Pending} move @param {boolean} keepalive
 * @returns {Promise<import("./api.mjs").Moved>} */
export async function deliver(session, move, keepalive = false) {
  try {
    return await makeMove(session.id, session.token, move, keepalive);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== "stale-version") throw error;
    const [view, events] = await readGame(session, move.seq);
    const isMeant = events.every((each) => each.type.startsWith("seat_"));
    if (!isMeant || view.version <= move.version) throw error;
    return deliver(session, { ...move, version: view.version }, keepalive);
  }
}

/** Read the game again, with what happened since. Its view and events must be of one moment.
 * @param {Store} store @param {Playback} playback */
export async function refresh(store, playback) {
  const before = store.get();
  const { session } = before;
  if (!session || !before.table) return;
  try {
    const [view, events] = await readGame(session, knownSeq(before));
    if (store.get().session?.id !== session.id) return;
    if (before.view && view.version < before.view.version) return await enterAgain(store, playback, session);
    store.set(told(store.get(), view, events));
    playback.run();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    store.set({ trouble: troubleOf(error) });
  }
}

/** Show a game anew that the service knows less of than the page: its storage lost the newest moves.
 * @param {Store} store @param {Playback} playback @param {Session} session */
async function enterAgain(store, playback, session) {
  const [view, events] = await readGame(session, 0);
  if (store.get().session?.id !== session.id) return;
  const seen = Math.min(session.seen, events.at(-1)?.seq ?? 0);
  playback.reset();
  store.set(entered({ ...current(store, session), seen }, view, events));
}

/** A view with the events up to it, after a seq.
 * @param {Session} session @param {number} seq
 * @returns {Promise<[import("../types.ts").View, import("../types.ts").GameEvent[]]>} */
export async function readGame({ id, token }, seq) {
  const events = await listEvents(id, token, seq);
  for (;;) {
    const view = await getGame(id, token);
    const more = await listEvents(id, token, events.at(-1)?.seq ?? seq);
    if (more.length === 0) return [view, events];
    events.push(...more);
  }
}

/** A refusal as the page tells it. @param {Problem} problem @returns {import("../types.ts").Trouble} */
export function troubleOf({ code, detail, body }) {
  return { code, detail, rematch: typeof body.rematch === "string" ? body.rematch : undefined };
}
