/**
 * What moves on the page without being state: cards that fly, pauses, sentences for the live region.
 *
 * Everything here is decoration: it ends by itself, and at once when it is skipped.
 */

/** @import { Card } from "../types.ts" */
import { JOKER, RANKS, SUITS, imageOf } from "../game/cards.mjs";

const EASING = "cubic-bezier(.2,.7,.2,1)";
const LIVE_PAUSE = 120;

/** @type {Set<() => void>} */
const running = new Set();
/** @type {string[]} */
let sentences = [];
/** @type {ReturnType<typeof setTimeout> | undefined} */
let speaking;

/** End all pauses and flights at once. */
export function finishAll() {
  for (const finish of [...running]) finish();
}

/** Wait, unless it is skipped. @param {number} milliseconds @returns {Promise<void>} */
export function pause(milliseconds) {
  if (milliseconds <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds);
    running.add(end);
    function end() {
      clearTimeout(timer);
      running.delete(end);
      resolve();
    }
  });
}

/** @param {Animation} animation @returns {Promise<void>} */
function ended(animation) {
  return new Promise((resolve) => {
    const finish = () => animation.finish();
    running.add(finish);
    animation.onfinish = animation.oncancel = () => {
      running.delete(finish);
      resolve();
    };
  });
}

/** Load all cards, so that none is missing when it flies. @param {2 | 4} colours */
export function loadCards(colours) {
  for (const suit of SUITS) {
    for (const rank of RANKS) new Image().src = imageOf(`${rank}${suit}`, colours);
  }
  new Image().src = imageOf(JOKER, colours);
}

/** Where an element is on the page; null where it is not shown. @param {string} selector */
export function placeOf(selector) {
  const box = document.querySelector(selector)?.getBoundingClientRect();
  return box && box.width > 0 ? box : null;
}

/** Let a card fly from one place to another.
 * @param {Card | "back"} card @param {2 | 4} colours @param {DOMRect | null} from
 * @param {DOMRect | null} to @param {number} milliseconds */
export async function fly(card, colours, from, to, milliseconds) {
  const layer = document.querySelector("#flights");
  if (!layer || !from || !to || milliseconds <= 0) return;
  const image = document.createElement("img");
  image.src = imageOf(card, colours);
  image.alt = "";
  Object.assign(image.style, {
    left: `${to.left}px`,
    top: `${to.top}px`,
    width: `${to.width}px`,
    height: `${to.height}px`,
  });
  layer.append(image);
  const scale = from.width / to.width;
  const start = `translate(${from.left - to.left}px, ${from.top - to.top}px) scale(${scale})`;
  const animation = image.animate(
    [{ transform: start }, { transform: "none" }],
    { duration: milliseconds, easing: EASING },
  );
  await ended(animation);
  image.remove();
}

/** Let the cards of the own hand come from the stock, one after the other.
 * @param {number} milliseconds the time of one card */
export async function dealHand(milliseconds) {
  const stock = placeOf("[data-pile=stock] img");
  const cards = [...document.querySelectorAll(".hand [data-card]")];
  if (!stock || milliseconds <= 0) return;
  const flights = cards.map((card, place) => {
    const { left, top, width } = card.getBoundingClientRect();
    const start = `translate(${stock.left - left}px, ${stock.top - top}px) scale(${stock.width / width})`;
    return ended(
      card.animate(
        [
          { transform: start, opacity: 0 },
          { opacity: 1, offset: 0.2 },
          { transform: "none", opacity: 1 },
        ],
        { duration: milliseconds, delay: (place * milliseconds) / 6, easing: EASING, fill: "backwards" },
      ),
    );
  });
  await Promise.all(flights);
}

/** Have a sentence read out; those that come at once are one text. @param {string} sentence */
export function say(sentence) {
  if (!sentence) return;
  sentences.push(sentence);
  clearTimeout(speaking);
  speaking = setTimeout(() => {
    const live = document.querySelector("#live");
    if (live) live.textContent = `${sentences.join(". ")}.`;
    sentences = [];
  }, LIVE_PAUSE);
}

/** Whether the player wants no motion. */
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
