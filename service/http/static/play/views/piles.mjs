/** The middle of the table: round and wild rank, the stock, the discard pile. */

/** @import { State } from "../types.ts" */
/** @import { Actions } from "../main.mjs" */
import { rankSign } from "../game/cards.mjs";
import { nameOf, wordsOf } from "../text/i18n.mjs";
import { isDue } from "../game/state.mjs";
import { html } from "../vendor/preact-htm.mjs";
import { face, meldRow } from "./card.mjs";
import { Clock } from "./clock.mjs";

/** @param {State} state @param {Actions} act */
export function middle(state, act) {
  return html`<div class="middle">
    ${banner(state)}
    <div class="piles">${badge(state)}${stock(state, act)}${pile(state, act)}</div>
    ${status(state)}
  </div>`;
}

/** @param {State} state */
function badge({ table, view, ...state }) {
  const words = wordsOf({ table, view, ...state });
  const round = table?.round;
  const last = view?.rules.rounds.last ?? 11;
  const wild = rankSign(round?.wild_rank ?? "");
  return html`<div class="badge" role="group" aria-label=${round ? `${words.round} ${round.number} ${words.ofRounds(last)}. ${words.wilds(round.wild_rank)}` : words.round}>
    <span class="round">${words.round} <span data-round=${round?.number ?? ""}>${round?.number ?? ""}</span> <small>${words.ofRounds(last)}</small></span>
    <span class="wild-rank" key=${wild}>${wild}</span>
    <span class="wild">${words.wild}</span>
  </div>`;
}

/** @param {State} state @param {Actions} act */
function stock(state, act) {
  const words = wordsOf(state);
  const due = isDue(state, "draw");
  const hinted = state.hint?.action.source === "stock" ? "hinted" : "";
  return html`<div class="pile-place">
    <button type="button" class=${`pile stock ${hinted}`} data-pile="stock" disabled=${!due}
        aria-label=${words.drawStock} aria-keyshortcuts="D" onClick=${() => act.draw("stock")}>
      ${face("back", 2)}
    </button>
    <span class="pile-note"><span key=${state.table?.stock}>${words.stock} <b data-stock=${state.table?.stock}>${state.table?.stock}</b></span></span>
  </div>`;
}

/** @param {State} state @param {Actions} act */
function pile(state, act) {
  const words = wordsOf(state);
  const { table, held, settings } = state;
  const cards = [...(table?.pile ?? []), ...(held?.landed ? [held.card] : [])];
  const [below, top] = [cards.at(-2), cards.at(-1)];
  const due = isDue(state, "draw") && top !== undefined;
  const hinted = state.hint?.action.source === "discard" ? "hinted" : "";
  return html`<div class="pile-place">
    <button type="button" class=${`pile discard ${hinted}`} data-pile="discard" data-top=${top ?? ""}
        disabled=${!due} aria-keyshortcuts="P"
        aria-label=${top ? words.take(words.card(top)) : words.emptyPile}
        onClick=${() => act.draw("discard")}>
      ${below && html`<span class="below" key=${`${cards.length - 1}`}>${face(below, settings.colours)}</span>`}
      ${top ? html`<span class="top" key=${`${cards.length}`}>${face(top, settings.colours)}</span>` : html`<span class="hollow"></span>`}
    </button>
    <button type="button" class="pile-note as-button" aria-label=${words.pileList(cards.length)}
        onClick=${() => act.show("pile")}><span key=${cards.length}><span class="label">${words.pile}</span> <b>${cards.length}</b></span></button>
  </div>`;
}

/** Who is out, with the hand laid open. @param {State} state */
function banner(state) {
  const { table, view } = state;
  if (!table || table.wentOut === null || state.pause) return html`<div class="banner"></div>`;
  const words = wordsOf(state);
  const seat = table.seats[table.wentOut];
  const own = table.wentOut === table.you;
  const mine = !own && table.turn?.seat === table.you && view?.turn?.final;
  return html`<div class="banner shown">
    <p><span>${own ? words.youAreOut : words.lastTurns(seat.name)}</span>${mine && html` <strong>${words.lastTurn}</strong>`}</p>
    ${!own && seat.melds && html`<div class="laid-out" tabindex="-1">${meldRow(words, seat.melds, state.settings.colours)}</div>`}
  </div>`;
}

/** @param {State} state */
function status(state) {
  const words = wordsOf(state);
  const { table, held, busy } = state;
  let text = "";
  if (held) text = words.held(words.card(held.card));
  else if (isDue(state, "draw")) text = words.yourDraw;
  else if (isDue(state, "discard")) text = words.yourDiscard;
  else if (table?.turn) {
    if (table.turn.seat !== table.you) text = words.playing(nameOf(words, table, table.turn.seat));
    else if (busy) return html`<p class="status"><span class="late" key="late">${words.sending}</span></p>`;
  }
  return html`<p class="status"><span key=${text}>${text}</span>${clock(state)}</p>`;
}

/** The time for the turn that is shown, where there is a limit. @param {State} state */
function clock(state) {
  const { table, view, queue } = state;
  const deadline = view?.turn?.deadline;
  if (!deadline || queue.length || view?.turn?.seat !== table?.turn?.seat) return null;
  return html` <${Clock} deadline=${deadline} label=${wordsOf(state).timeLeft} />`;
}
