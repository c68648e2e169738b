// One round, played again from the secret and the actions.

/** @import { Listing } from "./listing.mjs" */
/** @import { Membership } from "./membership.mjs" */
/** @import { Json } from "./replay.mjs" */
import { quoted } from "./comparison.mjs";
import { deal, handSize, inOrder, RANKS, refill } from "./dealing.mjs";
import { deadwood, IllegalMeld, isWild, meldsCompletely, points, remove } from "./melds.mjs";

const LAST_TURN = 60; // of a seat in a round that nobody ends

/** Deals a round, plays the listed actions in it, and expects the events that these give. */
export class Round {
  refills = 0;
  turns = 0;
  /** @type {number | null} */
  out = null;
  finalsLeft = 0;

  /** @param {Json} replay @param {number} number @param {number} dealer @param {Listing} listing */
  constructor(replay, number, dealer, listing) {
    this.replay = replay;
    this.number = number;
    this.dealer = dealer;
    this.listing = listing;
    this.wild = RANKS[handSize(number) - 1];
    const { secret, seats, rules } = replay;
    this.aces = rules.aces;
    const dealt = deal(secret, number, seats.length, dealer, rules.jokers);
    this.hands = dealt.hands;
    this.stock = dealt.stock;
    this.pile = [dealt.upcard];
  }

  /** Play to the end of the round and add its points; false where the game is abandoned.
   * @param {Membership} membership @param {number[]} totals */
  play(membership, totals) {
    this.listing.round = this.number;
    const [dealer, wild_rank, upcard] = [this.dealer, this.wild, this.pile[0]];
    const hand_size = handSize(this.number);
    this.listing.expect("round_dealt", { dealer, hand_size, wild_rank, upcard });
    while (!this.isOver()) {
      const seat = (this.dealer + 1 + this.turns) % this.hands.length;
      if (!membership.follow(seat)) return false;
      this.draw(seat);
      if (!membership.follow(seat)) return false;
      this.discard(seat);
      this.turns++;
    }
    this.score(totals);
    return true;
  }

  isOver() {
    if (this.out === null) return this.turns === LAST_TURN * this.hands.length;
    return this.finalsLeft === 0;
  }

  /** @param {number} seat */
  draw(seat) {
    const { source } = this.listing.action(seat, "draw");
    if (source !== "stock" && source !== "discard") {
      this.listing.fail(`there is no source ${quoted(source)}`);
    }
    if (source === "stock" && this.stock.length === 0) this.refill();
    const card = String((source === "stock" ? this.stock : this.pile).pop());
    this.hands[seat].push(card);
    this.listing.expect("card_drawn", { seat, source, card });
  }

  /** Make a stock of the pile less its top card. */
  refill() {
    this.refills++;
    const buried = this.pile.splice(0, this.pile.length - 1);
    this.stock = refill(this.replay.secret, this.number, this.refills, buried);
    this.listing.expect("stock_reshuffled", { stock_count: this.stock.length });
  }

  /** @param {number} seat */
  discard(seat) {
    const { card, go_out } = this.listing.action(seat, "discard");
    if (!remove(card, this.hands[seat])) {
      this.listing.fail(`seat ${seat} discards ${quoted(card)}, which it does not hold`);
    }
    if (typeof go_out !== "boolean") this.listing.fail("go_out is true or false");
    this.pile.push(card);
    this.listing.expect("card_discarded", { seat, card });
    if (this.out !== null) this.finalsLeft--;
    else if (go_out && meldsCompletely(this.hands[seat], this.wild, this.aces)) this.goOut(seat);
  }

  /** @param {number} seat */
  goOut(seat) {
    const { melds } = this.listing.require("went_out");
    const left = this.deadwood(seat, melds);
    if (left.length > 0) {
      this.listing.fail(`seat ${seat} goes out and has ${left.join(" ")} in no meld`);
    }
    this.listing.expect("went_out", { seat, hand: inOrder(this.hands[seat]), melds });
    this.out = seat;
    this.finalsLeft = this.hands.length - 1;
  }

  /** Refuse cards in no meld that could be in one, as far as that shows without a solver.
   * @param {number} seat @param {string[]} left @param {boolean} hasMelds */
  checkDeadwood(seat, left, hasMelds) {
    if (meldsCompletely(this.hands[seat], this.wild, this.aces)) {
      this.listing.fail(`seat ${seat} is scored with cards, but its whole hand can be melded`);
    }
    if (hasMelds && left.some((card) => isWild(card, this.wild))) {
      this.listing.fail(`seat ${seat} is scored with a wild, which can join any meld`);
    }
  }

  /** Expect the scores of the hands, arranged in the melds that the event itself lists.
   * @param {number[]} totals */
  score(totals) {
    const rows = this.listing.require("round_scored").seats;
    if (!Array.isArray(rows) || rows.length !== this.hands.length) {
      this.listing.fail("round_scored has not a row for each seat");
    }
    const seats = this.hands.map((cards, seat) => {
      const melds = rows[seat]?.melds;
      const left = this.deadwood(seat, melds);
      if (left.length > 0) this.checkDeadwood(seat, left, melds.length > 0);
      const cost = points(left, this.wild, this.aces);
      totals[seat] += cost;
      const total = totals[seat];
      return { seat, hand: inOrder(cards), melds, deadwood: left, points: cost, total };
    });
    this.listing.expect("round_scored", { went_out: this.out, stalled: this.out === null, seats });
  }

  /** The cards of a seat that are in none of the melds, in order.
   * @param {number} seat @param {Json} melds @returns {string[]} */
  deadwood(seat, melds) {
    try {
      return deadwood(this.hands[seat], melds, this.wild, this.aces);
    } catch (error) {
      if (!(error instanceof IllegalMeld)) throw error;
      return this.listing.fail(`the melds of seat ${seat}: ${error.message}`);
    }
  }
}
