/** Games as a whole: created, gone on with, played once more, left, verified. */

/** @import { Options, Session } from "./types.ts" */
/** @import { Created } from "./api.mjs" */
/** @import { Playback } from "./playback.mjs" */
/** @import { Store } from "./state.mjs" */
import { Problem, createGame, getReplay, makeMove, newKey, rematchGame } from "./api.mjs";
import { keep, readGame } from "./moves.mjs";
import { begun, entered } from "./state.mjs";
import * as storage from "./storage.mjs";

const NAMES = ["Ada", "Emre", "Linh", "Ravi", "Greta"];

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
      store.set({ trouble: { code: error.code, detail: error.detail } });
    } finally {
      store.set({ busy: false });
    }
  }

  /** Ask for a new game. The request is kept until it is answered: a page that is loaded again
   * repeats it and has the same game. @param {{rematchOf: string | null, body: object, key: string}} asked */
  async function create(asked) {
    storage.setCreating(asked);
    try {
      begin(await creation(asked));
    } finally {
      storage.setCreating(null);
    }
  }

  /** @param {Created} created */
  function begin({ game, token, seat, events }) {
    /** @type {Session} */
    const session = {
      id: game.id,
      token,
      seat,
      commitment: game.commitment,
      seen: 0,
      pending: null,
      at: Date.now(),
    };
    storage.keepSession(session);
    storage.setCurrent(session.id);
    playback.reset();
    store.set(begun(session, game, events));
    playback.run();
  }

  /** @param {string} id */
  async function open(id) {
    const session = storage.session(id);
    if (!session) return;
    try {
      if (session.pending) await makeMove(id, session.token, session.pending).catch(ignored);
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

  /** @param {string} id */
  function forget(id) {
    storage.forget(id);
    if (storage.current() === id) storage.setCurrent(null);
    store.set({ saved: storage.sessions() });
  }

  return {
    forget,

    /** Play a new game with the options. */
    play() {
      const body = requestOf(store.get().options);
      return attempt(() => create({ rematchOf: null, body, key: newKey() }));
    },

    /** Play the same table once more. */
    rematch() {
      const { session } = store.get();
      if (!session) return;
      return attempt(() => create({ rematchOf: session.id, body: {}, key: newKey() }));
    },

    /** Go on with a game. @param {string} id */
    goOn: (id) => attempt(() => open(id)),

    /** Go on where this tab was. */
    resume() {
      store.set({ saved: storage.sessions() });
      const asked = storage.creating();
      const id = storage.current();
      if (asked) return attempt(() => create(asked));
      if (id) return attempt(() => open(id));
    },

    /** Deal the next round. */
    async nextRound() {
      const { session, table, pause } = store.get();
      if (pause !== "round" || !session || !table) return;
      keep(store, { ...session, seen: table.seq });
      store.set({ pause: null });
      await playback.run();
    },

    /** Back to the start; the game is kept. */
    leave() {
      storage.setCurrent(null);
      playback.reset();
      const trouble = null;
      store.set({ screen: "home", saved: storage.sessions(), session: null, pause: null, sheet: null, trouble });
    },

    /** Deal the whole game again and compare: in the page, by the service's own verifier. */
    check() {
      const { session } = store.get();
      if (!session) return;
      store.set({ verdict: { state: "running", problems: [] } });
      return attempt(async () => {
        const replay = /** @type {{commitment: string}} */ (await getReplay(session.id));
        const { verify } = await import("../verify.mjs");
        const { ok, problems } = /** @type {Report} */ (verify(replay));
        const same = replay.commitment === session.commitment;
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

/** @param {{rematchOf: string | null, body: object, key: string}} asked */
function creation({ rematchOf, body, key }) {
  if (rematchOf === null) return createGame(body, key);
  return rematchGame(rematchOf, storage.session(rematchOf)?.token ?? "", key);
}

/** The body of createGame. @param {Options} options */
function requestOf({ opponents, level, jokers, aces, first, last, hints }) {
  const ais = NAMES.slice(0, opponents).map((name) => ({ kind: "ai", level, name }));
  return {
    seats: [{ kind: "human" }, ...ais],
    jokers,
    aces,
    hints,
    rounds: { first: Math.min(first, last), last: Math.max(first, last) },
  };
}
