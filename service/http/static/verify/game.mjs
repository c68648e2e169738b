// A whole game, played again from its secret and actions.

/** @import { Json } from "./replay.mjs" */
import { quoted } from "./comparison.mjs";
import { firstDealer } from "./dealing.mjs";
import { Listing } from "./listing.mjs";
import { Membership } from "./membership.mjs";
import { isRematch, isSeat, roundsOf } from "./replay.mjs";
import { Round } from "./round.mjs";

/** Play a game again; throws Contradiction. @param {Json} replay */
export function playGame(replay) {
  const listing = new Listing(replay.actions, replay.events);
  const membership = new Membership(replay, listing);
  const dealer = checkedFirstDealer(replay, listing);
  const isDealt = membership.follow(null);
  if (isDealt) {
    membership.checkComplete();
    playRounds(replay, dealer, membership, listing);
  }
  listing.expectEnd();
  membership.checkSeats(isDealt);
}

/** The secret decides who deals first, unless a rematch goes on from the game before.
 * @param {Json} replay @param {Listing} listing @returns {number} */
function checkedFirstDealer(replay, listing) {
  const listed = replay.first_dealer;
  if (isRematch(replay)) {
    if (isSeat(listed, replay)) return listed;
    listing.fail(`the first dealer is ${quoted(listed)}, which is no seat`);
  }
  const dealer = firstDealer(replay.secret, replay.seats.length);
  if (listed === dealer) return dealer;
  return listing.fail(`the first dealer should be ${dealer}, but is ${quoted(listed)}`);
}

/** @param {Json} replay @param {number} dealer @param {Membership} membership
 * @param {Listing} listing */
function playRounds(replay, dealer, membership, listing) {
  const seats = replay.seats.length;
  const { first, last } = roundsOf(replay.rules);
  const totals = Array(seats).fill(0);
  for (let number = first; number <= last; number++) {
    const round = new Round(replay, number, (dealer + number - first) % seats, listing);
    if (!round.play(membership, totals)) return;
  }
  const lowest = [...totals.keys()].filter((seat) => totals[seat] === Math.min(...totals));
  const [winner, tied] = lowest.length > 1 ? [null, lowest] : [lowest[0], []];
  listing.expect("game_finished", { winner, tied, totals, secret: replay.secret });
}
