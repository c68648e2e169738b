// The shape of a replay; the truth of it is checked elsewhere.

/** @typedef {any} Json a value parsed from JSON, of which nothing is known yet */

const WHOLE_GAME = { first: 1, last: 11 };

/** A value that is no replay; the message says why. */
export class NotAReplay extends Error {}

/** Throw NotAReplay unless a value has the shape of a replay. @param {Json} replay */
export function checkShape(replay) {
  if (!isObject(replay)) throw new NotAReplay("it is not a JSON object");
  const { rules, seats } = replay;
  for (const name of ["secret", "commitment"]) {
    if (typeof replay[name] === "string" && /^[0-9a-f]{64}$/.test(replay[name])) continue;
    throw new NotAReplay(`'${name}' is not 64 hex digits in lower case`);
  }
  for (const name of ["seats", "actions", "events"]) {
    if (Array.isArray(replay[name]) && replay[name].every(isObject)) continue;
    throw new NotAReplay(`'${name}' is not a list of objects`);
  }
  if (seats.length < 2 || seats.length > 6) {
    throw new NotAReplay(`a game has 2 to 6 seats, not ${seats.length}`);
  }
  if (isRematch(replay) && !/^[A-Za-z0-9_-]{22}$/.test(replay.rematch_of)) {
    throw new NotAReplay("'rematch_of' is neither null nor the id of a game");
  }
  if (!isObject(rules)) throw new NotAReplay("'rules' is not an object");
  if (![0, 2, 4].includes(rules.jokers)) {
    throw new NotAReplay("'rules' has a number of jokers that no game has");
  }
  if (!["low", "high", "both"].includes(rules.aces)) {
    throw new NotAReplay("'rules' has an ace mode that no game has");
  }
  if (!isObject(roundsOf(rules))) throw new NotAReplay("'rounds' is not an object");
  const { first, last } = roundsOf(rules);
  const isStretch = Number.isInteger(first) && Number.isInteger(last) && first <= last;
  if (!isStretch || first < WHOLE_GAME.first || last > WHOLE_GAME.last) {
    throw new NotAReplay("'rounds' is not a stretch of the rounds 1 to 11");
  }
}

/** The first and the last round. @param {Json} rules */
export function roundsOf(rules) {
  return Object.hasOwn(rules, "rounds") ? rules.rounds : WHOLE_GAME;
}

/** Whether a value is a JSON object. @param {Json} value */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the game goes on from another one. @param {Json} replay */
export function isRematch(replay) {
  return (replay.rematch_of ?? null) !== null;
}

/** Whether a value is the number of a seat. @param {Json} value @param {Json} replay */
export function isSeat(value, replay) {
  return Number.isInteger(value) && value >= 0 && value < replay.seats.length;
}
