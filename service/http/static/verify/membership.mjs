// Who sits at the table: humans come, are away, return and leave. Neither secret nor actions give
// these events. So what is checked is that they fit each other, the turns and the seats.

/** @import { Listing } from "./listing.mjs" */
/** @import { Json } from "./replay.mjs" */
import { firstDifference } from "./comparison.mjs";
import { Contradiction } from "./listing.mjs";
import { isRematch, isSeat } from "./replay.mjs";

const EVENTS = ["seat_joined", "seat_left", "seat_away", "seat_returned"];
/** Where seats sit, by their number; larger tables have no positions. @type {Json} */
const POSITIONS = {
  2: ["bottom", "top"],
  3: ["bottom", "left", "right"],
  4: ["bottom", "left", "top", "right"],
};

/** Follows the events of seats. */
export class Membership {
  joined = /** @type {Set<number>} */ (new Set());
  present = /** @type {Set<number>} */ (new Set());
  away = /** @type {Set<number>} */ (new Set());

  /** @param {Json} replay @param {Listing} listing */
  constructor(replay, listing) {
    this.replay = replay;
    this.listing = listing;
  }

  /** Read what happens before a seat's move, or before the first deal; whether that follows.
   * @param {number | null} mover */
  follow(mover) {
    while (EVENTS.includes(this.listing.nextEvent.type)) {
      const { type, seat } = this.listing.nextEvent;
      if (!isSeat(seat, this.replay)) this.listing.fail("an event names a seat that is not there");
      if (type === "seat_joined") this.join(seat, mover);
      else this.change(type, seat, mover);
      if (this.present.size === 0) {
        this.listing.expect("game_abandoned", { secret: this.replay.secret });
        return false;
      }
    }
    return true;
  }

  /** @param {number} seat @param {number | null} mover */
  join(seat, mover) {
    if (mover !== null || this.joined.has(seat)) {
      this.listing.fail(`seat ${seat} joins when it is not awaited`);
    }
    if (this.joined.size === 0 && seat !== 0 && !isRematch(this.replay)) {
      this.listing.fail("seat 0 is not the first to join");
    }
    this.listing.expect("seat_joined", { seat, name: this.replay.seats[seat].name });
    this.joined.add(seat);
    this.present.add(seat);
  }

  /** A human who has come is away, returns or leaves.
   * @param {string} type @param {number} seat @param {number | null} mover */
  change(type, seat, mover) {
    if (!this.present.has(seat)) {
      this.listing.fail(`${type}: the human of seat ${seat} is not there`);
    }
    if (type === "seat_away" && (seat !== mover || this.away.has(seat))) {
      this.listing.fail(`${type}: no human in seat ${seat} is to move`);
    }
    if (type === "seat_returned" && !this.away.has(seat)) {
      this.listing.fail(`${type}: seat ${seat} was not away`);
    }
    this.listing.expect(type, { seat });
    this.away.delete(seat);
    if (type === "seat_away") this.away.add(seat);
    if (type === "seat_left") this.present.delete(seat);
  }

  /** Refuse a first deal while a human is awaited. */
  checkComplete() {
    const humans = [...this.replay.seats.keys()].filter((seat) => isHuman(this.replay.seats[seat]));
    if (this.joined.size === 0 || !humans.every((seat) => this.joined.has(seat))) {
      this.listing.fail("the first round is dealt before all humans have joined");
    }
  }

  /** Compare who is there in the end with the seats of the replay. @param {boolean} isDealt */
  checkSeats(isDealt) {
    const { seats } = this.replay;
    for (const [number, seat] of seats.entries()) {
      const { name, kind, level } = seat;
      const position = POSITIONS[seats.length]?.[number] ?? null;
      const expected = { seat: number, position, name, kind, level };
      let fault = firstDifference(`seat ${number}`, expected, seat);
      const isPlayer = isHuman(seat) || (kind === "ai" && typeof level === "string");
      if (!isPlayer || typeof name !== "string") {
        fault ??= `seat ${number} has no player or no name`;
      }
      const isAwaited = !isDealt && !this.joined.has(number);
      if (isHuman(seat) !== this.present.has(number) && !isAwaited) {
        fault ??= `seat ${number} is not played by whom the events say`;
      }
      if (fault !== null) throw new Contradiction(`seats: ${fault}`);
    }
  }
}

/** @param {Json} seat */
function isHuman(seat) {
  return seat.kind === "human" && seat.level === null;
}
