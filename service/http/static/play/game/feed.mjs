/**
 * Follows a game in which others move, too: by the stream of its events.
 *
 * The stream only says that there is news: view and events are then read together, so that they
 * are of one moment. A page that is hidden closes its stream, and so does one that plays alone.
 */

/** @import { Session, State } from "../types.ts" */
import { openStream, wait } from "./api.mjs";
import { knownSeq } from "./state.mjs";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;
const LONGEST_SILENCE = 40_000;
const LAST = ["game_finished", "game_abandoned"];

/** @typedef {{sync: () => void}} Feed */
/** Takes the seq of an event, or of a snapshot. @typedef {(seq: number, isSnapshot: boolean) => void} Told */

/** @param {() => State} get @param {() => Promise<void>} refresh @returns {Feed} */
export function createFeed(get, refresh) {
  /** @type {{id: string, aborter: AbortController} | null} */
  let open = null;
  let newest = 0;
  let isLost = false;
  let isReading = false;

  /** Read until there is no more news; where reading brings none, until the next is told. */
  async function read() {
    if (isReading) return;
    isReading = true;
    try {
      let before = -1;
      while (isDue() && before !== knownSeq(get())) {
        before = knownSeq(get());
        isLost = false;
        await refresh();
      }
    } finally {
      isReading = false;
    }
  }

  const isDue = () => !get().busy && (isLost || newest > knownSeq(get()));

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
        isLost = false;
        open = { id: wanted.id, aborter: new AbortController() };
        follow(wanted, knownSeq(state), open.aborter.signal, (seq, isSnapshot) => {
          // A snapshot comes where the service has fewer events than the page.
          isLost ||= isSnapshot;
          newest = isSnapshot ? seq : Math.max(newest, seq);
          read();
        });
      }
      read();
    },
  };
}

/** Whether others may move, and somebody looks. @param {State} state */
function isWanted({ screen, session, view }) {
  if (screen !== "table" || !session || !view || document.visibilityState === "hidden") return false;
  if (view.status === "finished") return false;
  return !session.token || view.turn_seconds !== null || view.seats.filter((seat) => seat.kind === "human").length > 1;
}

/** Read the stream until the game is over; a stream that breaks is opened again.
 * @param {Session} session @param {number} after @param {AbortSignal} signal
 * @param {Told} told */
async function follow({ id, token }, after, signal, told) {
  let seq = after;
  for (let failures = 0; !signal.aborted; failures += 1) {
    const pause = await attempt(id, token, seq, signal, (next, isSnapshot) => {
      failures = 0;
      seq = next;
      told(next, isSnapshot);
    });
    if (pause === null) return;
    await wait(pause || Math.min(FIRST_PAUSE * 2 ** failures, LONGEST_PAUSE), !pause);
  }
}

/** One stream; the pause in ms before the next, 0 for the usual one, null where none is to come.
 * @param {string} id @param {string} token @param {number} seq @param {AbortSignal} signal
 * @param {Told} told @returns {Promise<number | null>} */
async function attempt(id, token, seq, signal, told) {
  const silence = new AbortController();
  const abort = () => silence.abort();
  let timer = setTimeout(abort, LONGEST_SILENCE);
  // A net that is back is another: what was open before may stay silent.
  addEventListener("online", abort);
  try {
    const answer = await openStream(id, token, seq, AbortSignal.any([signal, silence.signal]));
    if (answer.status === 429 || answer.status >= 500) {
      return Number(answer.headers.get("Retry-After")) * 1000;
    }
    if (answer.status !== 200 || !answer.body) return isFinal(answer) ? null : 0;
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 0;
      clearTimeout(timer);
      timer = setTimeout(abort, LONGEST_SILENCE);
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) {
        const { number, type } = head(block);
        if (number > 0) told(number, type === "snapshot");
        if (LAST.includes(type)) return null;
      }
    }
  } catch {
    return 0;
  } finally {
    clearTimeout(timer);
    removeEventListener("online", abort);
  }
}

/** Whether the service itself says that there is no stream. @param {Response} answer */
const isFinal = ({ status, headers }) =>
  status === 204 || (headers.get("Content-Type") ?? "").startsWith("application/problem+json");

/** The number and type of an event. @param {string} block */
function head(block) {
  const fields = new Map(block.split("\n").map((line) => /** @type {[string, string]} */ (line.split(/: ?(.*)/s).slice(0, 2))));
  return { number: Number(fields.get("id") ?? 0), type: fields.get("event") ?? "" };
}
