/** Games as a whole: created, gone on with, played once more, left, verified. */

/** @import { Asked, Options, Session } from "../types.ts" */
/** @import { Created } from "./api.mjs" */
/** @import { Playback } from "../interaction/playback.mjs" */
/** @import { Store } from "./state.mjs" */
import {
  Problem,
  createGame,
  deleteGame,
  getReplay,
  getReview,
  joinGame,
  leaveGame,
  newKey,
  rematchGame,
} from "./api.mjs";
import { takeLink } from "./links.mjs";
import { deliver, keep, readGame, troubleOf } from "./moves.mjs";
import { begun, entered } from "./state.mjs";
import * as storage from "./storage.mjs";

const MOST_OTHERS = 5;
const NAMES = ["Ada", "Emre", "Linh", "Ravi", "Greta"];

const LEVELS = ["easy", "medium", "hard", "expert"];
const MIXED = "mixed";
/** @type {Partial<import("../types.ts").State>} */
const AT_START = { screen: "home", session: null, pause: null, sheet: null, trouble: null, invite: null, busy: false };

/** @typedef {{ok: boolean, problems: string[]}} Report */

/** @param {Store} store @param {Playback} playback */
export function createGames(store, playback) {
  /** Do something that the service may refuse. @param {() => Promise<void>} task */
  async function attempt(task) {
    if (store.get().busy) return;
    store.set({ busy: true, trouble: null });
    try {
      await task();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      store.set({ trouble: troubleOf(error) });
    } finally {
      store.set({ busy: false });
    }
  }

  /** Ask for a seat. The request is kept until it is answered: a page that is loaded again repeats
   * it and has the same seat. @param {Omit<Asked, "key">} request */
  function ask(request) {
    return attempt(() => repeat({ ...request, key: newKey() }));
  }

  /** @param {Asked} asked */
  async function repeat(asked) {
    storage.setAsked(asked);
    try {
      begin(await answer(asked));
    } finally {
      storage.setAsked(null);
    }
  }

  /** @param {Created} created */
  function begin({ game, token, seat, events, invites }) {
    /** @type {Session} */
    const session = {
      id: game.id,
      token,
      seat,
      commitment: game.commitment,
      seen: 0,
      pending: null,
      at: Date.now(),
      invites: invites ?? [],
    };
    storage.keepSession(session);
    storage.setCurrent(session.id);
    playback.reset();
    store.set({ ...begun(session, game, events), invite: null });
    playback.run();
  }

  /** @param {string} id */
  async function open(id) {
    const session = storage.session(id);
    if (!session) return;
    try {
      if (session.pending) await deliver(session, session.pending).catch(ignored);
      const [view, events] = await readGame(session, 0);
      storage.setCurrent(id);
      playback.reset();
      store.set(entered({ ...session, pending: null }, view, events));
      keep(store, { ...session, pending: null, at: Date.now() });
    } catch (error) {
      if (error instanceof Problem && error.code === "game-not-found") forget(id);
      throw error;
    }
  }

  /** Look on, unless this browser has a seat there. @param {string} id */
  async function watch(id) {
    const none = { token: "", seat: -1, commitment: "", seen: Number.MAX_SAFE_INTEGER, pending: null };
    if (!storage.session(id)) storage.keepSession({ id, ...none, at: Date.now() });
    await open(id);
  }

  /** @param {string} id */
  function forget(id) {
    storage.forget(id);
    if (storage.current() === id) storage.setCurrent(null);
    store.set({ saved: storage.sessions() });
  }

  /** Back to the start; the game is kept. */
  function leave() {
    storage.setCurrent(null);
    playback.reset();
    store.set({ ...AT_START, saved: storage.sessions() });
  }

  /** End the game for the own seat, or for all, and forget it.
   * @param {(session: Session) => Promise<unknown>} ending */
  function end(ending) {
    const { session } = store.get();
    if (!session) return;
    store.set({ sheet: null });
    return attempt(async () => {
      await ending(session);
      forget(session.id);
      leave();
    });
  }

  return {
    forget,
    leave,

    /** Leave the seat to an AI player. */
    leaveForGood: () => end(({ id, token }) => leaveGame(id, token, newKey())),

    /** Delete the game for everybody. */
    deleteGame: () => end(({ id, token }) => deleteGame(id, token)),


    /** Play a new game with the options. */
    play: () => ask({ kind: "create", game: "", body: requestOf(store.get().options) }),

    /** Play the same table once more, or join whoever asked for that before. */
    async rematch() {
      const { session } = store.get();
      if (!session) return;
      await ask({ kind: "rematch", game: session.id, body: {} });
      const { trouble, view } = store.get();
      if (trouble?.code !== "rematch-made") return;
      const game = trouble.rematch ?? view?.rematch ?? "";
      await ask({ kind: "join", game, body: { token: session.token } });
    },

    /** Take the seat that a link led to. */
    join() {
      const { invite, options } = store.get();
      if (!invite) return;
      const body = { invite: invite.code, name: options.name || null };
      return ask({ kind: "join", game: invite.game, body });
    },

    /** Go on with a game. @param {string} id */
    goOn: (id) => attempt(() => open(id)),

    /** Go where a link leads, or on where this tab was. */
    resume() {
      const link = takeLink();
      store.set({ saved: storage.sessions() });
      if (link?.kind === "join") return store.set({ screen: "join", invite: link });
      if (link?.kind === "watch") return attempt(() => watch(link.game));
      const asked = storage.asked();
      const id = storage.current();
      if (asked) return attempt(() => repeat(asked));
      if (id) return attempt(() => open(id));
    },

    /** Deal the next round. */
    async nextRound() {
      const { session, table, pause } = store.get();
      if (pause !== "round" || !session || !table) return;
      keep(store, { ...session, seen: Math.max(session.seen ?? 0, table.seq) });
      store.set({ pause: null });
      await playback.run();
    },

    /** Show how the own seat played, beside what the strongest player would have done. */
    review() {
      const { session, table } = store.get();
      if (!session) return;
      return attempt(async () => {
        const review = await getReview(session.id, table?.you ?? 0);
        const { events } = await getReplay(session.id);
        store.set({ sheet: "review", review: { review, events, at: 0 } });
      });
    },

    /** Show another move of the review. @param {number} at */
    stepTo(at) {
      const { review } = store.get();
      if (review) store.set({ review: { ...review, at } });
    },

    /** Deal the whole game again and compare: in the page, by the service's own verifier. */
    check() {
      const { session } = store.get();
      if (!session) return;
      store.set({ verdict: { state: "running", problems: [] } });
      return attempt(async () => {
        const replay = await getReplay(session.id);
        const { verify } = await import("../../verify.mjs");
        const { ok, problems } = /** @type {Report} */ (verify(replay));
        const same = !session.commitment || replay.commitment === session.commitment;
        const found = same ? problems : [`${replay.commitment} ≠ ${session.commitment}`, ...problems];
        store.set({ verdict: { state: ok && same ? "true" : "false", problems: found } });
      });
    },
  };
}

/** @param {unknown} error */
function ignored(error) {
  if (!(error instanceof Problem)) throw error;
}

/** @param {Asked} asked @returns {Promise<Created>} */
function answer({ kind, game, body, key }) {
  if (kind === "create") return createGame(body, key);
  if (kind === "join") return joinGame(game, body, key);
  return rematchGame(game, storage.session(game)?.token ?? "", key);
}

/** The body of createGame. @param {Options} options */
function requestOf({ opponents, people, name, level, jokers, aces, first, last, hints, turnSeconds }) {
  const humans = Array.from({ length: Math.min(people, MOST_OTHERS) }, () => ({ kind: "human" }));
  const least = humans.length ? 0 : 1;
  const count = Math.max(least, Math.min(opponents, MOST_OTHERS - humans.length));
  const ais = NAMES.slice(0, count).map((each, place) => {
    const own = level === MIXED ? LEVELS[place % LEVELS.length] : level;
    return { kind: "ai", level: own, name: each };
  });
  return {
    seats: [{ kind: "human", name: name || null }, ...humans, ...ais],
    jokers,
    aces,
    hints,
    turn_seconds: turnSeconds,
    rounds: { first: Math.min(first, last), last: Math.max(first, last) },
  };
}
