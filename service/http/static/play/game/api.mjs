/**
 * The service's HTTP API: each call is repeated, unchanged and with its key, until it is answered.
 *
 * A lost connection is tried again after growing pauses, at once when the browser is back on line;
 * 429 and 503 are waited for as Retry-After says. Every other refusal is thrown as a `Problem`.
 */

/** @import { Exchange, GameEvent, Hint, Review, Rules, View } from "../types.ts" */

const BASE = new URL("../../v1/", import.meta.url).href;
const TRANSIENT = [429, 502, 503, 504];
const NO_CONTENT = 204;
const NOBODY = "no-answer";
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;
const LONGEST_CALL = 40_000;

/** A refusal, by its code. */
export class Problem extends Error {
  /** @param {string} code @param {string} detail @param {Record<string, unknown>} body */
  constructor(code, detail, body = {}) {
    super(`${code}: ${detail}`);
    this.code = code;
    this.detail = detail;
    this.body = body;
  }
}

/**
 * @typedef {object} Call
 * @property {string} method
 * @property {string} path below /v1/
 * @property {string} [token]
 * @property {object} [body]
 * @property {string} [key]
 * @property {string} [tag] of the view that the call is made from
 * @property {string} [language]
 * @property {boolean} [keepalive] whether it outlives the page
 */

/** @typedef {{game: View, events: GameEvent[]}} Moved */
/** @typedef {Moved & {seat: number, token: string, invites: {seat: number, code: string}[]}} Created */

/** What is told of calls: when one waits, with the reason and the time in ms; null when it goes on.
 * And each request with its answer.
 * @type {{onWait: (waiting: {code: string, until: number} | null) => void,
 *   onExchange: (exchange: Exchange) => void}} */
export const listeners = { onWait: () => {}, onExchange: () => {} };

let exchanges = 0;
/** By how many ms the service's clock is ahead of the browser's. */
let clockAhead = 0;

/** The time in ms by the service's clock, to about a second. */
export const serverNow = () => Date.now() + clockAhead;

/** @param {object} body @param {string} key @returns {Promise<Created>} */
export const createGame = (body, key) => call({ method: "POST", path: "games", body, key });

/** @param {string} id @param {string} token @returns {Promise<View>} */
export const getGame = (id, token) => call({ method: "GET", path: `games/${id}`, token });

/** @param {string} id @param {string} token @returns {Promise<Hint>} */
export const getHint = (id, token) => call({ method: "GET", path: `games/${id}/hint`, token });

/** @param {string} id @param {number} seat @returns {Promise<Review>} */
export const getReview = (id, seat) =>
  call({ method: "GET", path: `games/${id}/review?seat=${seat}` });

/** @param {string} id @returns {Promise<{commitment: string, events: GameEvent[]}>} */
export const getReplay = (id) => call({ method: "GET", path: `games/${id}/replay` });

/** A move: draw or discard. It is refused where the game has gone on since the view it was chosen from.
 * @param {string} id @param {string} token @param {import("../types.ts").Pending} move
 * @param {boolean} keepalive @returns {Promise<Moved>} */
export function makeMove(id, token, move, keepalive = false) {
  const { path, body, key, version } = move;
  const tag = version ? `"${version}.s.1"` : undefined; // of a tag the version alone is compared
  return call({ method: "POST", path: `games/${id}/${path}`, token, body, key, tag, keepalive });
}

/** @param {string} id @param {string} token @param {string} key @returns {Promise<Created>} */
export const rematchGame = (id, token, key) =>
  call({ method: "POST", path: `games/${id}/rematch`, token, key });

/** Give a seat up for good. @param {string} id @param {string} token @param {string} key */
export const leaveGame = (id, token, key) =>
  call({ method: "POST", path: `games/${id}/leave`, token, key });

/** @param {string} id @param {string} token */
export const deleteGame = (id, token) => call({ method: "DELETE", path: `games/${id}`, token });

/** The rules in a language. @param {string} language @returns {Promise<Rules>} */
export const getRules = (language) => call({ method: "GET", path: "rules", language });

/** Take a seat, by its invite or by its token of the game before.
 * @param {string} id @param {object} body @param {string} key @returns {Promise<Created>} */
export const joinGame = (id, body, key) =>
  call({ method: "POST", path: `games/${id}/seats`, body, key });

/** Open the stream of a game's events after a seq.
 * @param {string} id @param {string} token @param {number} seq @param {AbortSignal} signal */
export function openStream(id, token, seq, signal) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "text/event-stream" };
  if (token) headers.Authorization = `Bearer ${token}`;
  const path = `${BASE}games/${id}/events?after=${seq}`;
  return fetch(path, { headers, signal, cache: "no-store", credentials: "omit" });
}

/** All events after a seq. @param {string} id @param {string} token @param {number} seq */
export async function listEvents(id, token, seq) {
  /** @type {GameEvent[]} */
  const events = [];
  let more = true;
  while (more) {
    const after = events.at(-1)?.seq ?? seq;
    const page = await call({
      method: "GET",
      path: `games/${id}/events?after=${after}&limit=1000`,
      token,
    });
    events.push(...page.events);
    more = page.more;
  }
  return events;
}

/** A random key that nobody guesses; works on pages without TLS, too. */
export function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_");
}

/** @typedef {{status: number, retryAfter: number, text: string}} Answer */

/** @param {Call} asked @returns {Promise<any>} */
async function call(asked) {
  for (let failures = 0; ; failures += 1) {
    const answer = await attempt(asked);
    if (answer && !isTransient(answer)) {
      listeners.onWait(null);
      return read(answer);
    }
    const told = answer ? answer.retryAfter * 1000 : 0;
    const pause = told || Math.min(FIRST_PAUSE * 2 ** failures, LONGEST_PAUSE);
    const code = answer ? problemOf(answer).code : NOBODY;
    listeners.onWait({ code: code === NOBODY ? "offline" : code, until: Date.now() + pause });
    await wait(pause, !told);
  }
}

/** Whether to ask again: the service says so, or what answered is not the service, which answers
 * every one of these calls in JSON, or with 204. @param {Answer} answer */
function isTransient({ status, text }) {
  return TRANSIENT.includes(status) || (status !== NO_CONTENT && !isJson(text));
}

/** @param {string} text */
function isJson(text) {
  try {
    return JSON.parse(text) instanceof Object;
  } catch {
    return false;
  }
}

/** One attempt; null where no whole answer came. @param {Call} asked @returns {Promise<Answer | null>} */
async function attempt({ method, path, token, body, key, tag, language, keepalive }) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
  if (key) headers["Idempotency-Key"] = key;
  if (tag) headers["If-Match"] = tag;
  if (language) headers["Accept-Language"] = language;
  if (body) headers["Content-Type"] = "application/json";
  const aborter = new AbortController();
  const timer = setTimeout(() => aborter.abort(), LONGEST_CALL);
  const url = BASE + path;
  const began = performance.now();
  const answer = await fetchWhole(url, {
    method,
    headers,
    body: body && JSON.stringify(body),
    keepalive,
    signal: aborter.signal,
    cache: "no-store",
    credentials: "omit",
  });
  clearTimeout(timer);
  exchanges += 1;
  const { status, text } = answer ?? { status: 0, text: "" };
  const milliseconds = Math.round(performance.now() - began);
  listeners.onExchange({ number: exchanges, method, url, headers, body, status, answer: text, milliseconds });
  return answer;
}

/** @param {string} url @param {RequestInit} options @returns {Promise<Answer | null>} */
async function fetchWhole(url, options) {
  try {
    const answer = await fetch(url, options);
    const date = Date.parse(answer.headers.get("Date") ?? "");
    if (date) clockAhead = date - Date.now();
    const retryAfter = Number(answer.headers.get("Retry-After")) || 0;
    return { status: answer.status, retryAfter, text: await answer.text() };
  } catch {
    return null;
  }
}

/** @param {Answer} answer */
function read(answer) {
  if (answer.status >= 200 && answer.status < 300) return answer.text && JSON.parse(answer.text);
  throw problemOf(answer);
}

/** @param {Answer} answer */
function problemOf({ status, text }) {
  try {
    const body = JSON.parse(text);
    return new Problem(body.code, body.detail, body);
  } catch {
    return new Problem(NOBODY, `HTTP ${status}`);
  }
}

/** @param {number} milliseconds @param {boolean} untilOnline whether being on line ends it, too */
export function wait(milliseconds, untilOnline) {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
    if (untilOnline) addEventListener("online", resolve, { once: true });
  });
}
