/**
 * The table to play at.
 *
 *     the service's answers → state.mjs (view, events) → views/ (one render)
 *     a tap, a key, a drag  → moves.mjs, games.mjs     → api.mjs
 *
 * `playback.mjs` takes the events from the state one by one; `table.mjs` folds them to what is
 * shown. It uses nothing but the public API.
 */

/** @import { Options, Settings, Sort, State } from "./types.ts" */
import { Problem, getRules, listeners } from "./api.mjs";
import { watchDrags } from "./drag.mjs";
import { createFeed } from "./feed.mjs";
import { createGames } from "./games.mjs";
import { languageOf } from "./i18n.mjs";
import { watchKeys } from "./keys.mjs";
import { createMoves, refresh } from "./moves.mjs";
import { createPlayback } from "./playback.mjs";
import { loadCards } from "./stage.mjs";
import { createStore, firstState } from "./state.mjs";
import * as storage from "./storage.mjs";
import { render } from "./vendor/preact-htm.mjs";
import { app } from "./views/app.mjs";

/** @typedef {ReturnType<typeof createActions>} Actions */

const NARROW = matchMedia("(max-width: 720px), (max-height: 500px)");
const KEPT_EXCHANGES = 30;
const LONG_HIDDEN = 20_000;
/** @type {Sort[]} */
const SORTS = ["meld", "rank", "suit", "hand"];

const store = createStore(firstState(storage.settings(), storage.options()), draw);
const playback = createPlayback(store);
const feed = createFeed(store.get, () => refresh(store, playback));
const act = createActions();
let isDrawn = false;

function createActions() {
  const moves = createMoves(store, playback);
  const games = createGames(store, playback);
  return {
    ...moves,
    ...games,
    /** Back to the start; a discard that waits is sent. */
    leave() {
      moves.flush(true);
      games.leave();
    },
    skip: playback.skip,
    /** @param {State["sheet"]} sheet */
    show: (sheet) => store.set({ sheet }),
    dropHint: () => store.set({ hint: null, figures: false }),
    dropTrouble: () => store.set({ trouble: null }),
    /** @param {Partial<Settings>} changed */
    setting(changed) {
      const settings = { ...store.get().settings, ...changed };
      storage.keepSettings(settings);
      store.set({ settings });
    },
    /** @param {Partial<Options>} changed */
    option(changed) {
      const options = { ...store.get().options, ...changed };
      storage.keepOptions(options);
      store.set({ options });
    },
    /** Show the rules in the page's language. */
    async showRules() {
      store.set({ sheet: "rules" });
      const language = languageOf(store.get().settings.lang);
      if (store.get().rules?.language === language) return;
      try {
        store.set({ rules: await getRules(language) });
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        store.set({ sheet: null, trouble: { code: error.code, detail: error.detail } });
      }
    },
    toggleDrawer: () => store.set({ drawer: !store.get().drawer, sheet: null }),
    /** Put a text into the field beside a button, and copy it. @param {HTMLElement} button
     * @param {string} text */
    copyText(button, text) {
      const field = button.parentElement?.querySelector("textarea");
      if (!field) return;
      field.value = text;
      field.select();
      document.execCommand("copy");
    },
    /** Copy the text of the field beside a button. @param {HTMLElement} button */
    copy(button) {
      button.parentElement?.querySelector("input")?.select();
      document.execCommand("copy");
    },
    nextSort() {
      const { sort } = store.get().settings;
      this.setting({ sort: SORTS[(SORTS.indexOf(sort) + 1) % SORTS.length] });
    },
  };
}

function draw() {
  if (!isDrawn) return;
  const state = store.get();
  const page = document.documentElement;
  page.lang = languageOf(state.settings.lang);
  page.dataset.theme = state.settings.theme;
  page.dataset.speed = state.settings.speed;
  const root = document.querySelector("#app");
  if (root) render(app(state, act), root);
  feed.sync();
}

function start() {
  isDrawn = true;
  listeners.onWait = (waiting) => {
    if (waiting !== store.get().waiting) store.set({ waiting });
  };
  listeners.onExchange = (exchange) =>
    store.set({ exchanges: [...store.get().exchanges.slice(1 - KEPT_EXCHANGES), exchange] });
  const narrowed = () => store.set({ narrow: NARROW.matches });
  NARROW.addEventListener("change", narrowed);
  narrowed();
  watchKeys(store, act);
  watchDrags(store, act);
  watchPage();
  addEventListener("hashchange", () => act.resume());
  act.resume();
  addEventListener("load", () => loadCards(store.get().settings.colours), { once: true });
}

/** A page that ends sends what it holds; one that comes back looks what happened meanwhile. */
function watchPage() {
  let hiddenAt = Infinity;
  addEventListener("pagehide", () => act.flush(true));
  addEventListener("pageshow", (event) => {
    if (event.persisted) refresh(store, playback);
  });
  document.addEventListener("visibilitychange", () => {
    const isHidden = document.visibilityState === "hidden";
    if (isHidden) act.flush(true);
    else if (Date.now() - hiddenAt > LONG_HIDDEN && !store.get().busy) refresh(store, playback);
    hiddenAt = isHidden ? Date.now() : Infinity;
    feed.sync();
  });
}

start();
