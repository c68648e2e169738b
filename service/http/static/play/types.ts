/** What the service answers, as far as the table reads it, and what the page keeps. */

export type Card = string;
export type Source = "stock" | "discard";

export interface Meld {
  kind: "set" | "run";
  cards: Card[];
  stands_for: Card[];
}

export interface Seat {
  seat: number;
  position: string | null;
  kind: "human" | "ai";
  name: string;
  level: string | null;
  joined: boolean;
  away: boolean;
  card_count: number;
  shown: Card[];
  total: number;
  hand: Card[] | null;
  melds: Meld[] | null;
}

export interface Arrangement {
  discard: Card | null;
  melds: Meld[];
  deadwood: Card[];
  points: number;
}

export interface Round {
  number: number;
  hand_size: number;
  wild_rank: string;
  dealer: number;
}

export interface Turn {
  seat: number;
  phase: "draw" | "discard";
  final: boolean;
  deadline: string | null;
}

export interface Result {
  winner: number | null;
  tied: number[];
  totals: number[];
}

export interface View {
  id: string;
  version: number;
  status: "waiting" | "playing" | "finished";
  commitment: string;
  rules: { jokers: number; aces: string; hints: boolean; rounds: { first: number; last: number } };
  turn_seconds: number | null;
  round: Round | null;
  turn: Turn | null;
  went_out: number | null;
  stock_count: number | null;
  discard_top: Card | null;
  discard_count: number;
  seats: Seat[];
  you: {
    seat: number;
    hand: Card[] | null;
    drawn: Card | null;
    upcard_points: number | null;
    arrangement: Arrangement | null;
    legal: { draw: Source[]; discard: Card[] };
    can_go_out_with: Card[];
  } | null;
  result: Result | null;
  rematch: string | null;
}

export interface SeatScore {
  seat: number;
  hand: Card[];
  melds: Meld[];
  deadwood: Card[];
  points: number;
  total: number;
}

interface Happening {
  seq: number;
  at: string;
}
interface InRound extends Happening {
  round: number;
}
export interface Scored extends InRound {
  type: "round_scored";
  went_out: number | null;
  stalled: boolean;
  seats: SeatScore[];
}
export interface Dealt extends InRound {
  type: "round_dealt";
  dealer: number;
  hand_size: number;
  wild_rank: string;
  upcard: Card;
}
export type GameEvent =
  | Scored
  | Dealt
  | (Happening & { round: number | null; type: "seat_joined"; seat: number; name: string })
  | (Happening & {
      round: number | null;
      type: "seat_left" | "seat_away" | "seat_returned";
      seat: number;
    })
  | (InRound & { type: "card_drawn"; seat: number; source: Source; card: Card | null })
  | (InRound & { type: "card_discarded"; seat: number; card: Card })
  | (InRound & { type: "stock_reshuffled"; stock_count: number })
  | (InRound & { type: "went_out"; seat: number; hand: Card[]; melds: Meld[] })
  | (InRound & { type: "game_finished" } & Result & { secret: string })
  | (Happening & { round: number | null; type: "game_abandoned"; secret: string });

export interface HintOption {
  source?: Source;
  card?: Card;
  expected_deadwood: number;
  deadwood?: number;
  improving_cards?: number;
}
export interface Hint {
  phase: "draw" | "discard";
  action: { source?: Source; card?: Card };
  reason: string;
  options: HintOption[];
}

/** The table as it is shown: what all events up to `seq` made of it. */
export interface Table {
  seq: number;
  status: View["status"];
  round: Round | null;
  turn: { seat: number; phase: "draw" | "discard" } | null;
  wentOut: number | null;
  stock: number;
  pile: Card[];
  past: PileEntry[];
  seats: Seat[];
  you: number | null;
  hand: Card[] | null;
  drawn: Card | null;
  scores: Scored[];
  result: Result | null;
  jokers: number;
}
export interface PileEntry {
  seat: number | null;
  card: Card;
  taken: number | null;
}

export type Speed = "slow" | "normal" | "fast" | "instant";
export type Sort = "meld" | "rank" | "suit" | "hand";
export interface Settings {
  speed: Speed;
  sort: Sort;
  deadwood: boolean;
  colours: 2 | 4;
  theme: "auto" | "light" | "dark";
  lang: string;
}
export interface Options {
  opponents: number;
  people: number;
  name: string;
  level: string;
  jokers: number;
  aces: string;
  first: number;
  last: number;
  hints: boolean;
  turnSeconds: number | null;
}
/** A request of the page with its answer; status 0 where none came. */
export interface Exchange {
  number: number;
  method: string;
  url: string;
  headers: Record<string, string>;
  body: object | undefined;
  status: number;
  answer: string;
  milliseconds: number;
}
export interface Rules {
  language: string;
  title: string;
  sections: { id: string; title: string; text: string }[];
}
export interface ReviewMove {
  seq: number;
  round: number;
  type: "draw" | "discard";
  played: { source?: Source; card?: Card };
  best: { source?: Source; card?: Card };
  loss: number;
  luck: number | null;
}
export interface Review {
  seat: number;
  accuracy: number;
  loss: number;
  luck: number;
  rounds: { number: number; points: number | null; loss: number; luck: number }[];
  moves: ReviewMove[];
}
export interface Invite {
  seat: number;
  code: string;
}
/** A request for a token that is not known to be answered. */
export interface Asked {
  kind: "create" | "rematch" | "join";
  game: string;
  body: object;
  key: string;
}
export interface Pending {
  path: "draw" | "discard";
  body: { source?: Source; card?: Card; go_out?: boolean };
  key: string;
  /** The version and the seq of the view that it was chosen from. */
  version: number;
  seq: number;
}
export interface Session {
  id: string;
  token: string;
  seat: number;
  commitment: string;
  seen: number;
  pending: Pending | null;
  at: number;
  invites?: Invite[];
}
export interface Held {
  id: string;
  card: Card;
  until: number;
  landed: boolean;
  sent: boolean;
}
export interface Trouble {
  code: string;
  detail: string;
  rematch?: string | undefined;
}
export interface State {
  screen: "home" | "join" | "table";
  invite: { game: string; code: string } | null;
  settings: Settings;
  options: Options;
  saved: Session[];
  session: Session | null;
  view: View | null;
  table: Table | null;
  queue: GameEvent[];
  playing: boolean;
  pause: "round" | "end" | null;
  order: string[];
  arriving: string | null;
  selected: string | null;
  held: Held | null;
  busy: boolean;
  hint: Hint | null;
  figures: boolean;
  trouble: Trouble | null;
  waiting: { code: string; until: number } | null;
  sheet: "scores" | "pile" | "menu" | "rules" | "review" | "keepOn" | "leave" | "delete" | null;
  copied: string | null;
  review: { review: Review; events: GameEvent[]; at: number } | null;
  rules: Rules | null;
  last: Record<number, GameEvent>;
  drawer: boolean;
  exchanges: Exchange[];
  verdict: { state: "running" | "true" | "false"; problems: string[] } | null;
  narrow: boolean;
  tiny: boolean;
}
