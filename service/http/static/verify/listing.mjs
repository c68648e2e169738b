// The two lists of a replay, read side by side: what was done, and what happened because of it.

/** @import { Json } from "./replay.mjs" */
import { firstDifference, quoted } from "./comparison.mjs";

/** What a player chooses in an action; the rest of it follows. @type {Json} */
const CHOSEN = { draw: ["source"], discard: ["card", "go_out"] };

/** What a replay says against itself or the rules; the message says where and why. */
export class Contradiction extends Error {}

/** Reads the actions and events of a replay side by side, in order. */
export class Listing {
  actionsRead = 0;
  eventsRead = 0;
  /** @type {number | null} */
  round = null;

  /** @param {Json[]} actions @param {Json[]} events */
  constructor(actions, events) {
    this.actions = actions;
    this.events = events;
  }

  /** The event to be read next; empty behind the last one. @returns {Json} */
  get nextEvent() {
    return this.events[this.eventsRead] ?? {};
  }

  /** The event to be read next, which must be of this type and have a time.
   * @param {string} type @returns {Json} */
  require(type) {
    const what = `event ${this.eventsRead + 1}`;
    const event = this.nextEvent;
    if (this.eventsRead === this.events.length) {
      this.fail(`${what} should be ${type}, but there is none`);
    }
    if (event.type !== type) {
      this.fail(`${what} should be ${type}, but is ${quoted(event.type ?? null)}`);
    }
    if (typeof event.at !== "string") this.fail(`${what} (${type}) has no time`);
    return event;
  }

  /** Read the next event, which must be of this type with these fields and no other.
   * @param {string} type @param {Json} fields */
  expect(type, fields) {
    const { at: _, ...found } = this.require(type);
    const seq = ++this.eventsRead;
    this.compare(`event ${seq} (${type})`, { seq, type, round: this.round, ...fields }, found);
  }

  /** Read the next action, which must be a seat's draw or discard.
   * @param {number} seat @param {string} type @returns {Json} */
  action(seat, type) {
    if (this.actionsRead === this.actions.length) {
      this.fail(`seat ${seat} should ${type}, but no action is left`);
    }
    const action = this.actions[this.actionsRead++];
    const expected = /** @type {Json} */ ({ type, seat, round: this.round });
    for (const name of CHOSEN[type]) expected[name] = action[name];
    this.compare("the action", expected, action);
    return action;
  }

  /** @param {string} what @param {Json} expected @param {Json} found */
  compare(what, expected, found) {
    const difference = firstDifference(what, expected, found);
    if (difference !== null) this.fail(difference);
  }

  /** Refuse actions and events that are left. */
  expectEnd() {
    const { actions, events } = this;
    if (this.actionsRead < actions.length) this.fail("there are actions after the end");
    if (this.eventsRead < events.length) this.fail("there are events after the end");
  }

  /** @param {string} why @returns {never} */
  fail(why) {
    if (this.round === null) throw new Contradiction(`before the first deal: ${why}`);
    throw new Contradiction(`round ${this.round}, action ${this.actionsRead}: ${why}`);
  }
}
