/** The page in English; the other languages have the same members. */

const RANKS = {
  A: "Ace", 2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six", 7: "Seven", 8: "Eight",
  9: "Nine", T: "Ten", J: "Jack", Q: "Queen", K: "King",
};
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades" };

/** @param {string} card */
function card(card) {
  if (card === "JK") return "Joker";
  const rank = RANKS[/** @type {keyof typeof RANKS} */ (card[0])];
  return `${rank} of ${SUITS[/** @type {keyof typeof SUITS} */ (card[1])]}`;
}

export const words = {
  name: "English",
  card,
  /** @param {string} rank */
  wilds: (rank) => `${{ T: "10", J: "Jack", Q: "Queen", K: "King" }[rank] ?? rank}s are wild`,
  wild: "wild",
  round: "Round",
  /** @param {number} last */
  ofRounds: (last) => `of ${last}`,
  tagline: "Eleven rounds. One more card each time, and another rank is wild.",
  play: "Play",
  goOnWith: "Go on with a game",
  /** @param {string} when */
  startedAt: (when) => `Last played ${when}`,
  remove: "Remove from this list",
  options: "Options",
  classic: "Back to the classic game",
  rounds: "Rounds",
  opponents: "AI players",
  people: "Other people",
  yourName: "Your name",
  waitingRoom: "Waiting for everybody",
  waitingNote: "The cards are dealt when every seat is taken. Send each of the others a link of their own.",
  here: "is here",
  missing: "is missing",
  inviteLink: "Invite",
  watchLink: "A link to look on",
  copy: "Copy",
  copied: "Copied",
  invited: "You are invited to a game.",
  join: "Join",
  watching: "You are looking on.",
  turnTime: "Time for a turn",
  noLimit: "No limit",
  timeLeft: "Time left",
  review: "Review",
  accuracy: "Accuracy",
  loss: "Loss",
  luck: "Luck",
  played: "Played",
  best: "Best",
  before: "Previous move",
  next: "Next move",
  nextLoss: "Next loss",
  level: "Level",
  levels: { easy: "Easy", medium: "Medium", hard: "Hard", expert: "Expert", mixed: "Mixed" },
  jokers: "Jokers",
  none: "None",
  aces: "Aces",
  aceModes: { low: "Low: ace-2-3, 1 point", high: "High: queen-king-ace, 15 points", both: "Either, 15 points" },
  firstRound: "First round",
  lastRound: "Last round",
  hintsAllowed: "Hints",
  yes: "Yes",
  no: "No",
  language: "Language",
  speed: "Speed",
  speeds: { slow: "Slow", normal: "Normal", fast: "Fast", instant: "Instant" },
  theme: "Colours of the page",
  themes: { auto: "As the device", light: "Light", dark: "Dark" },
  suits: "Suits",
  suitColours: { 2: "Two colours", 4: "Four colours" },
  arrange: "Show deadwood and its points",
  settings: "Settings",
  menu: "Menu",
  close: "Close",
  leave: "Back to the start",
  cancel: "Cancel",
  keepOn: "Discard without going out",
  /** @param {string} card */
  keepOnNote: (card) => `You could go out now. You discard ${card} instead and play on.`,
  leaveGame: "Leave for good",
  leaveNote: "An AI player takes your seat, and you cannot come back. Where nobody else is left, the game ends.",
  deleteGame: "Delete this game",
  deleteNote: "The game and its scores are deleted, for everybody.",
  rules: "Rules",
  api: "The API behind this table",
  scores: "Scores",
  total: "Total",
  points: "Points",
  you: "You",
  dealer: "Dealer",
  ai: "AI player",
  away: "away",
  /** @param {number} count */
  cards: (count) => (count === 1 ? "1 card" : `${count} cards`),
  stock: "Stock",
  pile: "Discard pile",
  drawStock: "Draw from the stock",
  /** @param {string} card */
  take: (card) => `Take ${card}`,
  emptyPile: "The discard pile is empty",
  /** @param {number} count */
  pileList: (count) => `Discard pile, ${count === 1 ? "1 card" : `${count} cards`}: show its history`,
  pileHistory: "Discard pile, newest first",
  upcard: "turned up",
  /** @param {string} name */
  takenBy: (name) => `taken by ${name}`,
  inMeld: { set: "in a set", run: "in a run" },
  /** @param {string} card */
  standsFor: (card) => `stands for ${card}`,
  justDrawn: "just drawn",
  discard: "Discard",
  goOut: "Go out",
  out: "Out",
  takeBack: "Take back",
  hint: "Hint",
  figures: "Figures",
  sort: "Sort",
  sorts: { meld: "by meld", rank: "by rank", suit: "by suit", hand: "by hand" },
  hand: "Your hand",
  deadwood: "Deadwood",
  melds: "Melds",
  yourDraw: "Your turn: draw a card",
  yourDiscard: "Your turn: discard a card",
  /** @param {string} name */
  playing: (name) => `${name} is playing`,
  sending: "Sending …",
  /** @param {string} card */
  held: (card) => `Discarding ${card}`,
  /** @param {string} name */
  lastTurns: (name) => `${name} is out: one last turn for everybody else`,
  youAreOut: "You are out: one last turn for everybody else",
  lastTurn: "Your last turn",
  shown: "Taken from the pile and still held",
  /** @param {number} number */
  roundOver: (number) => `Round ${number} is over`,
  /** @param {string} name */
  wentOut: (name) => `${name} went out`,
  youWentOut: "You went out",
  stalled: "Nobody went out: the round was stopped",
  nextRound: "Next round",
  wins: "You win",
  /** @param {string} name */
  winsName: (name) => `${name} wins`,
  /** @param {string} names */
  tie: (names) => `A tie: ${names}`,
  over: "The game is over",
  rematch: "Rematch",
  newGame: "New game",
  check: "Check the shuffle",
  checking: "Dealing the whole game again …",
  checked: "Every shuffle and every deal fits the fingerprint that you were shown at the start.",
  notChecked: "Something does not fit:",
  draw: { stock: "Draw from the stock", discard: "Take the top card of the pile" },
  /** @param {string} card */
  discardCard: (card) => `Discard ${card}`,
  expected: "Expected deadwood",
  left: "Deadwood left",
  improving: "Cards that help",
  /** @param {string} points */
  somePoints: (points) => (points === "1" ? "1 point" : `${points} points`),
  reasons: {
    /** @param {string} stock @param {string} upcard */
    stock: (stock, upcard) => `It leaves you ${stock} on average; the card on the discard pile, ${upcard}.`,
    /** @param {string} upcard @param {string} stock */
    upcard: (upcard, stock) => `It leaves you ${upcard}; the stock, ${stock} on average.`,
    later: "It promises more for the turns to come.",
    out: "Every other card is in a meld: you go out.",
    nothing: "Every other card is in a meld: this last turn costs you nothing.",
    /** @param {string} points */
    least: (points) => `It leaves you ${points}, the least you can have in this last turn.`,
    /** @param {string} points @param {number} count */
    leaves: (points, count) =>
      `It leaves you ${points}; ${count === 1 ? "1 unseen card" : `${count} unseen cards`} would lower that.`,
  },
  move: "Move",
  waitOffline: "No connection. Your game is kept; trying again …",
  /** @param {number} seconds */
  waitService: (seconds) => `The service asks to wait ${seconds} s. Your move is kept.`,
  /** @type {Record<string, string>} */
  problems: {
    "game-not-found": "This game is no longer there.",
    "not-permitted": "Other people still play this game.",
    "game-waiting": "Somebody is still missing.",
    "not-your-turn": "It is not your turn.",
    "wrong-phase": "That move is not due now.",
    "card-not-in-hand": "This card is not in your hand.",
    "game-finished": "The game is over.",
    "invalid-token": "This seat cannot be played from here.",
    "hints-disabled": "This game has no hints.",
    "rematch-made": "The rematch has been made already.",
    "unknown-invite": "The invite is not for this game.",
    "seat-taken": "This seat is taken.",
    "quota-exceeded": "Too many requests.",
    "internal-error": "The service failed.",
  },
  problem: "That did not work.",
  did: {
    /** @param {string} who @param {string} card */
    drewCard: (who, card) => `${who}: drew ${card}`,
    /** @param {string} who */
    drew: (who) => `${who}: drew from the stock`,
    /** @param {string} who @param {string} card */
    took: (who, card) => `${who}: took ${card}`,
    /** @param {string} who @param {string} card */
    discarded: (who, card) => `${who}: discarded ${card}`,
    /** @param {string} who */
    left: (who) => `${who}: left`,
    /** @param {string} who */
    away: (who) => `${who}: away`,
    /** @param {string} who */
    back: (who) => `${who}: back`,
  },
  reshuffled: "The discard pile was shuffled and is the new stock",
  /** @param {number} number @param {string} wilds */
  dealt: (number, wilds) => `Round ${number}: ${wilds}`,
};
