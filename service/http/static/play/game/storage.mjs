/**
 * What outlives the page: the games with their tokens, the settings, a game being created.
 *
 * Games are in local storage, one entry each, so that tabs do not overwrite each other's. Which of
 * them this tab plays is in its session storage. A page may have neither: then nothing outlives it.
 */

/** @import { Asked, Options, Session, Settings } from "../types.ts" */

const PREFIX = "three-thirteen/";
const GAME = `${PREFIX}game/`;
const KEPT_GAMES = 20;

/** @returns {Settings} */
export function settings() {
  /** @type {Settings} */
  const standard = {
    speed: "normal",
    sort: "meld",
    deadwood: true,
    colours: 2,
    theme: "auto",
    lang: "",
  };
  return { ...standard, ...read(localArea(), `${PREFIX}settings`) };
}

/** @param {Settings} values */
export const keepSettings = (values) => write(localArea(), `${PREFIX}settings`, values);

/** The options of the classic game. @type {Options} */
export const CLASSIC = {
  opponents: 3,
  people: 0,
  name: "",
  level: "medium",
  jokers: 0,
  aces: "low",
  first: 1,
  last: 11,
  hints: true,
  turnSeconds: null,
};

/** @returns {Options} */
export const options = () => ({ ...CLASSIC, ...read(localArea(), `${PREFIX}options`) });

/** @param {Options} values */
export const keepOptions = (values) => write(localArea(), `${PREFIX}options`, values);

/** The games, newest first. @returns {Session[]} */
export function sessions() {
  const area = localArea();
  if (!area) return [];
  const names = Object.keys(area).filter((name) => name.startsWith(GAME));
  const found = names.map((name) => /** @type {Session | null} */ (read(area, name)));
  const games = found.filter((each) => each !== null).sort((one, other) => other.at - one.at);
  for (const old of games.splice(KEPT_GAMES)) forget(old.id);
  return games;
}

/** @param {string} id @returns {Session | null} */
export const session = (id) => read(localArea(), `${GAME}${id}`);

/** @param {Session} values */
export const keepSession = (values) => write(localArea(), `${GAME}${values.id}`, values);

/** @param {string} id */
export const forget = (id) => remove(localArea(), `${GAME}${id}`);

/** The game that this tab plays. @returns {string | null} */
export const current = () => read(tabArea(), `${PREFIX}current`);

/** @param {string | null} id */
export function setCurrent(id) {
  if (id === null) remove(tabArea(), `${PREFIX}current`);
  else write(tabArea(), `${PREFIX}current`, id);
}

/** A request for a token that is not known to be answered. @returns {Asked | null} */
export const asked = () => read(tabArea(), `${PREFIX}creating`);

/** @param {Asked | null} request */
export function setAsked(request) {
  if (request === null) remove(tabArea(), `${PREFIX}creating`);
  else write(tabArea(), `${PREFIX}creating`, request);
}

function localArea() {
  try {
    return globalThis.localStorage;
  } catch {
    return null;
  }
}

function tabArea() {
  try {
    return globalThis.sessionStorage;
  } catch {
    return null;
  }
}

/** @param {Storage | null} area @param {string} name @returns {any} */
function read(area, name) {
  try {
    return JSON.parse(area?.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** @param {Storage | null} area @param {string} name @param {unknown} value */
function write(area, name, value) {
  try {
    area?.setItem(name, JSON.stringify(value));
  } catch {
    // The area is full or forbidden: the game goes on, but a reload does not find it.
  }
}

/** @param {Storage | null} area @param {string} name */
function remove(area, name) {
  try {
    area?.removeItem(name);
  } catch {
    // As above.
  }
}
