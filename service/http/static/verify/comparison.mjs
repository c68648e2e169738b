// JSON values, compared and quoted.

/** @import { Json } from "./replay.mjs" */
import { isObject } from "./replay.mjs";

const QUOTED = 80; // characters of a value that a message quotes

/** The first difference of two JSON values in words; null where they are the same.
 * @param {string} what @param {Json} expected @param {Json} found @returns {string | null} */
export function firstDifference(what, expected, found) {
  const areObjects = isObject(expected) && isObject(found);
  const areLists = Array.isArray(expected) && Array.isArray(found);
  if (!areObjects && !(areLists && expected.length === found.length)) {
    if (expected === found) return null;
    return `${what} should be ${quoted(expected)}, but is ${quoted(found)}`;
  }
  for (const name of Object.keys({ ...expected, ...found })) {
    if (!Object.hasOwn(found, name)) return `${what} lacks ${name}`;
    if (!Object.hasOwn(expected, name)) {
      return `${what} has ${quoted(name)}, which does not belong there`;
    }
    const difference = firstDifference(`${what}, ${name}`, expected[name], found[name]);
    if (difference !== null) return difference;
  }
  return null;
}

/** A value as JSON, cut where it is long. @param {Json} value */
export function quoted(value) {
  const text = JSON.stringify(value ?? null);
  return text.length <= QUOTED ? text : `${text.slice(0, QUOTED)}...`;
}
