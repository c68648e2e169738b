/**
 * Deals a finished game of Three-Thirteen again from its secret and compares it with its replay,
 * which is the answer of getReplay.
 *
 *     node verify.mjs replay.json              (- reads stdin; Node.js 18 or newer)
 *     import { verify } from "./verify.mjs"    (a browser)
 *
 * Each action is expected to be followed by exactly the events that the rules give: see
 * verify/game.mjs. Everything is written from the rules alone, and needs nothing but JavaScript.
 * That an arrangement leaves the fewest possible points is not checked, since that needs a solver.
 */

/** @import { Json } from "./verify/replay.mjs" */
import { commitment, deal, firstDealer, refill } from "./verify/dealing.mjs";
import { playGame } from "./verify/game.mjs";
import { Contradiction } from "./verify/listing.mjs";
import { checkShape, isRematch, NotAReplay } from "./verify/replay.mjs";

export { commitment, deal, firstDealer, refill };

/** @typedef {{ok: boolean, isReplay: boolean, problems: string[]}} Report */

/**
 * Verify a replay. `problems` has the commitment, if it is wrong, and the first contradiction of
 * the play, on which everything after it depends.
 * @param {Json} replay
 * @returns {Report}
 */
export function verify(replay) {
  const problems = [];
  try {
    checkShape(replay);
    const digest = commitment(replay.secret);
    if (replay.commitment !== digest) {
      problems.push(`the commitment should be ${digest}, but is ${replay.commitment}`);
    }
    playGame(replay);
  } catch (error) {
    if (error instanceof NotAReplay || error instanceof RangeError) {
      // A RangeError: lists in lists, deeper than any replay has them.
      return { ok: false, isReplay: false, problems: [`not a replay: ${error.message}`] };
    }
    if (!(error instanceof Contradiction)) throw error;
    problems.push(error.message);
  }
  return { ok: problems.length === 0, isReplay: true, problems };
}

const { process } = /** @type {Json} */ (globalThis);
if (process?.versions?.node) {
  const fs = await import(/** @type {string} */ ("node:fs"));
  const { pathToFileURL } = await import(/** @type {string} */ ("node:url"));
  const [, program, ...names] = process.argv;
  const isProgram = fs.existsSync(program);
  if (isProgram && pathToFileURL(fs.realpathSync(program)).href === import.meta.url) {
    process.exitCode = main(names, fs.readFileSync);
  }
}

/** Verify a file; 0 where everything fits, 1 where something does not, 2 for no replay.
 * @param {string[]} names @param {(name: string | number, encoding: string) => string} read */
function main(names, read) {
  let replay;
  try {
    if (names.length !== 1) throw new Error("give one file, or - for stdin");
    replay = JSON.parse(read(names[0] === "-" ? 0 : names[0], "utf8"));
  } catch (error) {
    console.error(`not a replay: ${error instanceof Error ? error.message : error}`);
    return 2;
  }
  const { ok, isReplay, problems } = verify(replay);
  if (!isReplay) {
    console.error(problems[0]);
    return 2;
  }
  for (const line of ok ? summary(replay) : problems) console.log(line);
  console.log(ok ? "VERIFIED" : "REFUTED");
  return ok ? 0 : 1;
}

/** What was checked, a line each. @param {Json} replay */
function summary(replay) {
  const { first_dealer, events } = replay;
  /** @type {(type: string) => number} */
  const count = (type) => events.filter((/** @type {Json} */ event) => event.type === type).length;
  const end = count("game_finished") ? "finished" : "abandoned";
  return [
    `commitment   ${replay.commitment} (compare it with the one you were shown at the start)`,
    `first dealer seat ${first_dealer}${isRematch(replay) ? " (of a rematch)" : ""}`,
    `shuffles     ${count("round_dealt")} deals, ${count("stock_reshuffled")} refills`,
    `moves        ${count("card_drawn")} draws, ${count("card_discarded")} discards`,
    `rounds       ${count("round_scored")} scored, ${count("went_out")} with a seat out`,
    `events       ${events.length}, none left out, none added; the game is ${end}`,
    "not checked: that each arrangement leaves the fewest possible points, and who made a move",
  ];
}
