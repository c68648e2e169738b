/** The page's words in five languages; cards and events as sentences. */

/** @import { GameEvent, State, Table } from "../types.ts" */
import { words as de } from "../lang/de.mjs";
import { words as en } from "../lang/en.mjs";
import { words as hi } from "../lang/hi.mjs";
import { words as tr } from "../lang/tr.mjs";
import { words as vi } from "../lang/vi.mjs";

/** @typedef {typeof en} Words */

/** @type {Record<string, Words>} */
export const LANGUAGES = { en, de, tr, vi, hi };

/** The language to use: the chosen one, else the first of the browser's that there is.
 * @param {string} chosen */
export function languageOf(chosen) {
  const wanted = [chosen, ...navigator.languages.map((each) => each.slice(0, 2))];
  return wanted.find((each) => each in LANGUAGES) ?? "en";
}

/** @param {State} state @returns {Words} */
export const wordsOf = (state) => LANGUAGES[languageOf(state.settings.lang)];

/** A seat's name; the own seat is "you". @param {Words} words @param {Table} table @param {number} seat */
export function nameOf(words, table, seat) {
  return seat === table.you ? words.you : table.seats[seat].name;
}

/** An event as a sentence; empty for what is told otherwise.
 * @param {Words} words @param {Table} table @param {GameEvent} event */
export function sentence(words, table, event) {
  const { did } = words;
  switch (event.type) {
    case "card_drawn": {
      const name = nameOf(words, table, event.seat);
      if (event.source === "discard") return did.took(name, words.card(event.card ?? ""));
      return event.card ? did.drewCard(name, words.card(event.card)) : did.drew(name);
    }
    case "card_discarded":
      return did.discarded(nameOf(words, table, event.seat), words.card(event.card));
    case "went_out":
      return event.seat === table.you
        ? words.youAreOut
        : words.lastTurns(table.seats[event.seat].name);
    case "stock_reshuffled":
      return words.reshuffled;
    case "round_dealt":
      return words.dealt(event.round, words.wilds(event.wild_rank));
    case "round_scored":
      return scoresSentence(words, table, event);
    case "game_finished":
      return resultSentence(words, table, event);
    case "game_abandoned":
      return words.over;
    case "seat_left":
      return did.left(nameOf(words, table, event.seat));
    case "seat_away":
      return did.away(nameOf(words, table, event.seat));
    case "seat_returned":
      return did.back(nameOf(words, table, event.seat));
    case "seat_joined":
      return "";
  }
}

/** @param {Words} words @param {Table} table @param {import("../types.ts").Scored} event */
function scoresSentence(words, table, event) {
  const points = event.seats.map((each) => `${nameOf(words, table, each.seat)} ${each.points}`);
  return `${words.roundOver(event.round)}: ${points.join(", ")}`;
}

/** @param {Words} words @param {Table} table @param {import("../types.ts").Result} result */
export function resultSentence(words, table, result) {
  const { winner, tied } = result;
  if (winner === null) return words.tie(tied.map((seat) => nameOf(words, table, seat)).join(", "));
  return winner === table.you ? words.wins : words.winsName(table.seats[winner].name);
}
