/** Why a hint advises a move, in the page's language: told from its figures. */

/** @import { Hint } from "../types.ts" */
/** @import { Words } from "./i18n.mjs" */

/** The reason; null where the figures that it needs are missing.
 * @param {Words} words @param {string} language @param {Hint} hint
 * @param {boolean} isFinal whether it is the seat's last turn of the round */
export function reasonOf({ reasons, somePoints }, language, { phase, action, options }, isFinal) {
  const digits = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  const points = (/** @type {number} */ value) => somePoints(digits.format(value));
  if (phase === "draw") {
    const [stock, upcard] = ["stock", "discard"].map(
      (source) => options.find((each) => each.source === source)?.expected_deadwood,
    );
    if (stock === undefined || upcard === undefined) return null;
    if (action.source === "stock") return reasons.stock(points(stock), points(upcard));
    return upcard <= stock ? reasons.upcard(points(upcard), points(stock)) : reasons.later;
  }
  const chosen = options.find((each) => each.card === action.card);
  if (chosen?.deadwood === undefined) return null;
  if (chosen.deadwood === 0) return isFinal ? reasons.nothing : reasons.out;
  if (isFinal) return reasons.least(points(chosen.deadwood));
  return reasons.leaves(points(chosen.deadwood), chosen.improving_cards ?? 0);
}
