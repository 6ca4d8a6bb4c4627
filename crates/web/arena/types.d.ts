// The shapes that the page works with. They are written by crates/tournament (game.rs, standings.rs) and by ../src/arena.rs.

/** A number with its 95 % interval. */
interface Estimate {
  value: number;
  low: number;
  high: number;
}

/** A version of a bot. Name and version come from strangers. */
interface ArenaBot {
  id: number;
  name: string;
  version: string;
  program: string;
  /** Seconds since 1970. */
  added: number;
  is_active: boolean;
}

/** A bot's line in the table. */
interface Standing {
  bot: ArenaBot;
  place: number;
  rating: Estimate;
  points: Estimate;
  games: number;
  mean_place: number;
  firsts: number;
  faults: [kind: string, times: number][];
  by_seat: (number | null)[];
  by_size: [cells: number, mean: number, games: number][];
  slowest_ms: number;
}

/** What a bot got at the tables at which it met another. */
interface Meeting {
  points: Estimate;
  stronger: number;
  games: number;
}

interface Standings {
  bots: Standing[];
  matrix: (Meeting | null)[][];
  games: number;
  blocks: number;
  replayed: number;
}

interface ArenaSeat {
  bot: number;
  hundredths: number;
  place: number;
  strength: number;
  fault: { kind: string; turn: number } | null;
  slowest_us: number;
}

interface ArenaGame {
  id: string;
  seed: number;
  width: number;
  height: number;
  turns: number;
  /** Seconds since 1970. */
  finished: number;
  replayed: number;
  seats: ArenaSeat[];
  /** Where its page lies, seen from a report. */
  file?: string;
}

/** Which games are wanted; what is empty does not matter. */
interface GameFilter {
  bot: string;
  fault: string;
  seed: string;
}

/** What came of a submission of a class. */
interface Grade {
  name: string;
  grade: string | number;
  points: Estimate | null;
  /** `ok`, or another word. */
  status: string;
  note_zh: string;
  note_en: string;
}

/** What a report brings along. */
interface ArenaReport {
  standings: Standings;
  bots: ArenaBot[];
  grades: Grade[] | null;
}

/** Where the page gets what it shows. */
interface ArenaSource {
  isLive: boolean;
  grades: Grade[] | null;
  /** All that the table shows; null as long as there is nothing. */
  standings: Standings | null;
  bots: ArenaBot[];
  /** Some games, the newest first. */
  games(filter: GameFilter, before: string | null, limit: number): Promise<{ games: ArenaGame[]; more: boolean }>;
  /** The way to the page of a game, if it has one. */
  pageOf(game: ArenaGame): string | null;
}

/** What all parts of the page share. */
interface ArenaPage {
  source: ArenaSource;
  /** What the address says behind its #. */
  wish: URLSearchParams;
  /** Whether old versions are shown among the others. */
  withOld: boolean;
  /** The standing and its place among those shown, by bot. */
  standingOf(id: number): Standing | undefined;
  botOf(id: number): ArenaBot | undefined;
}

/** A part of the page: draws itself whenever something has changed. */
type ArenaPart = (page: ArenaPage, place: HTMLElement) => { show(): void };
