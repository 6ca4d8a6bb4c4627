// The shapes of the page's data, written by crates/tournament (game.rs, standings.rs) and ../src/arena.rs.

/** A number with its 95 % interval. With too few maps there is none. */
interface Estimate {
  value: number;
  low?: number;
  high?: number;
}

/** A version of a bot. Name and version are untrusted. */
interface ArenaBot {
  id: number;
  name: string;
  version: string;
  program: string;
  /** Since 1970. */
  added_ms: number;
  is_active: boolean;
}

/** A bot's line of the standings. */
interface Standing {
  bot: ArenaBot;
  place: number;
  rating: Estimate;
  points: Estimate;
  games: number;
  mean_place: number;
  win_rate: number;
  faults: [kind: string, times: number][];
  by_seat: (number | null)[];
  by_size: [cells: number, mean: number, games: number][];
  slowest_ms: number;
}

/** A bot's record against another bot, over their common games. */
interface HeadToHead {
  points: Estimate;
  stronger: number;
  games: number;
}

interface Standings {
  bots: Standing[];
  matrix: (HeadToHead | null)[][];
  games: number;
  blocks: number;
  replayed: number;
}

interface ArenaSeat {
  bot: number;
  /** The official score. */
  score: number;
  place: number;
  strength: number;
  fault: { kind: string; turn: number } | null;
  slowest_ms: number;
}

interface ArenaGame {
  id: string;
  seed: number;
  width: number;
  height: number;
  turns: number;
  /** Since 1970. */
  finished_ms: number;
  replayed: number;
  seats: ArenaSeat[];
  /** The game as a link has it after `#g=`, in a report; empty if it cannot be watched there. */
  link?: string;
}

/** A filter for games. Empty values match all. */
interface GameFilter {
  bot: string;
  fault: string;
  seed: string;
  result: string;
  /** A day of the reader's time zone, as 2026-11-22. */
  day: string;
}

/** A condition for a grade, and whether a submission met it. */
interface ThresholdResult {
  /** The name of the reference bot. */
  reference: string;
  /** The lead over it that is required, in points. */
  at_least: number;
  grade: number;
  lead: Estimate | null;
  reached: boolean;
}

/** What a report shows of a class. */
interface ClassReport {
  /** The name of the tournament. */
  name: string;
  /** Whether the lead itself counts, or the lower end of its interval. */
  measure: "estimate" | "low";
  /** The grade of a submission that meets no threshold. */
  otherwise: number;
  grades: Grade[];
}

/** The result of a class member's submission. */
interface Grade {
  name: string;
  grade: number;
  /** Name and version of its bot, if it has played. */
  bot: string | null;
  place: number | null;
  points: Estimate | null;
  /** The highest grade first. */
  thresholds: ThresholdResult[];
  /** `ok` or another word. */
  status: string;
  note_zh: string;
  note_en: string;
}

/** The data of a report. */
interface ArenaReport {
  standings: Standings;
  bots: ArenaBot[];
  class: ClassReport | null;
}

/** Where the page's data come from. */
interface ArenaSource {
  isLive: boolean;
  class: ClassReport | null;
  /** The standings; null before the first answer. */
  standings: Standings | null;
  bots: ArenaBot[];
  /** Some games, newest first. */
  games(filter: GameFilter, before: string | null, limit: number): Promise<{ games: ArenaGame[]; more: boolean }>;
  /** The address at which a game can be watched from this turn on, if it can be. */
  pageOf(game: ArenaGame, turn: number): string | null;
  /** The address of the viewer with a game in it, for a frame in a report. */
  viewerOf(id: string, turn: string): string | null;
}

/** What all views share. */
interface ArenaPage {
  source: ArenaSource;
  /** The parameters after the # of the address. */
  params: URLSearchParams;
  /** Whether old versions are shown. */
  showsOld: boolean;
  /** The standing of a bot, by id. */
  standingOf(id: number): Standing | undefined;
  botOf(id: number): ArenaBot | undefined;
}

/** A view. `show` draws it again after every change. */
type ArenaPart = (page: ArenaPage, place: HTMLElement) => { show(): void };
