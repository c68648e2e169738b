/**
 * Follows a game in which others move, too: by the stream of its events.
 *
 * The stream only says that there is news: view and events are then read together, so that they
 * are of one moment. A page that is hidden closes its stream, and so does one that plays alone.
 */

/** @import { Session, State } from "../types.ts" */
import { openStream } from "./api.mjs";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;
const LONGEST_SILENCE = 40_000;
const LAST = ["game_finished", "game_abandoned"];

/** @typedef {{sync: () => void}} Feed */

/** @param {() => State} get @param {() => Promise<void>} refresh @returns {Feed} */
export function createFeed(get, refresh) {
  /** @type {{id: string, aborter: AbortController} | null} */
  let open = null;
  let newest = 0;
  let isReading = false;

  async function read() {
    const { busy } = get();
    if (busy || isReading || newest <= knownSeq(get())) return;
    isReading = true;
    await refresh();
    isReading = false;
  }

  return {
    /** Open or close the stream as the state asks for, and read what it told. */
    sync() {
      const state = get();
      const wanted = isWanted(state) ? state.session : null;
      if (open && open.id !== wanted?.id) {
        open.aborter.abort();
        open = null;
      }
      if (wanted && !open) {
        newest = 0;
        open = { id: wanted.id, aborter: new AbortController() };
        follow(wanted, knownSeq(state), open.aborter.signal, (seq) => {
          newest = Math.max(newest, seq);
          read();
        });
      }
      read();
    },
  };
}

/** The seq of the last event that the page has. @param {State} state */
const knownSeq = ({ queue, table }) => queue.at(-1)?.seq ?? table?.seq ?? 0;

/** Whether others may move, and somebody looks. @param {State} state */
function isWanted({ screen, session, view }) {
  if (screen !== "table" || !session || !view || document.visibilityState === "hidden") return false;
  if (view.status === "finished") return false;
  return !session.token || view.turn_seconds !== null || view.seats.filter((seat) => seat.kind === "human").length > 1;
}

/** Read the stream until the game is over; a stream that breaks is opened again.
 * @param {Session} session @param {number} after @param {AbortSignal} signal
 * @param {(seq: number) => void} told */
async function follow({ id, token }, after, signal, told) {
  let seq = after;
  for (let failures = 0; !signal.aborted; failures += 1) {
    const pause = await attempt(id, token, seq, signal, (next) => {
      failures = 0;
      seq = next;
      told(next);
    });
    if (pause === null) return;
    await new Promise((resolve) => {
      setTimeout(resolve, pause || Math.min(FIRST_PAUSE * 2 ** failures, LONGEST_PAUSE));
    });
  }
}

/** One stream; the pause in ms before the next, 0 for the usual one, null where none is to come.
 * @param {string} id @param {string} token @param {number} seq @param {AbortSignal} signal
 * @param {(seq: number) => void} told @returns {Promise<number | null>} */
async function attempt(id, token, seq, signal, told) {
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), LONGEST_SILENCE);
  try {
    const answer = await openStream(id, token, seq, AbortSignal.any([signal, silence.signal]));
    if (answer.status === 429 || answer.status >= 500) {
      return Number(answer.headers.get("Retry-After")) * 1000;
    }
    if (answer.status !== 200 || !answer.body) return null;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 0;
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), LONGEST_SILENCE);
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const { number, type } = head(block);
        if (number > 0) told(number);
        if (LAST.includes(type)) return null;
      }
    }
  } catch {
    return 0;
  } finally {
    clearTimeout(timer);
  }
}

/** The number and type of an event. @param {string} block */
function head(block) {
  const fields = new Map(block.split("\n").map((line) => /** @type {[string, string]} */ (line.split(/: ?(.*)/s).slice(0, 2))));
  return { number: Number(fields.get("id") ?? 0), type: fields.get("event") ?? "" };
}
