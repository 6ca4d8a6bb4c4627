// The shapes of the page's data, written by crates/timeline (Timeline, Frame, …) and crates/web (live matches); `tsc`
// checks the page's modules against them. A cell is a number: row × width + column.

/** A player: 0, 1, 2 or 3. */
type Seat = 0 | 1 | 2 | 3;
type Cell = number;
type Direction = "up" | "right" | "down" | "left";
/** Botzone's number of an action: -1 stay; 0–3 move up, right, down, left; 4–7 shoot in that direction. */
type Action = number;
type Fruit = "small" | "large";
type Four<T> = [T, T, T, T];

/** Everything that stays the same during a match. */
interface Head {
  /** The engine's id of this timeline. */
  timeline: number;
  /** What the timeline was opened from. */
  source: "replay" | "match-log" | "saved-input" | "map" | "what-if" | "link";
  width: number;
  height: number;
  /** The walls that block the way out of each cell: 1 up, 2 right, 4 down, 8 left. */
  walls: number[];
  generators: Cell[];
  /** The cells where fruit spawns. */
  spawn_cells: Cell[];
  seed: number;
  ruleset: {
    generator_interval: number;
    skill_cost: number;
    large_fruit_duration: number;
    large_fruit_enhancement: number;
    turn_limit: number;
    ruling: "sample" | "judge" | "prose";
  };
  /**
   * The players. Names are untrusted. `time_factor` multiplies the time limit of a program; null without limits. `tier` is
   * the program's sandbox tier; null if the player is no process. `own` is set by the page for the seats that it plays.
   */
  seats: Four<{ name: string; program: string | null; time_factor: number | null; tier: "A" | "B" | "C" | null; own?: boolean }>;
  limits: { time_ms: number | null; memory_mb: number | null; output_bytes: number | null };
  /** Why only a part of the match is shown, in English. */
  complaint: string | null;
  /** The same as a code with parameters. */
  problem: { code: string; params?: Record<string, any> } | null;
}

/** A position, and the turn that led to it. */
interface Frame {
  /** The number of turns played; frames[n].turn === n. */
  turn: number;
  generator_turns_left: number;
  players: Four<PlayerNow>;
  small_fruits: Cell[];
  large_fruits: Cell[];
  over: boolean;
  /** The events of the turn that led here, in order; empty in frame 0. */
  events: GameEvent[];
  /** The players' answers in that turn; null for dead players and in frame 0. */
  answers: Four<Answer | null>;
  /** The change of each strength in that turn, by Botzone's accounting. */
  delta: Four<number>;
}

interface PlayerNow {
  cell: Cell;
  strength: number;
  /** The remaining turns of the boost; 0 without one. */
  boost: number;
  alive: boolean;
  /** The score in points if the game ended now; the final score if it is over. */
  score: number;
  /** 1 for the strongest; equal strengths share a place. */
  place: number;
}

/** A player's answer and its resource usage. Unknown values are missing. */
interface Answer {
  action: Action;
  verdict: "OK" | "TLE" | "MLE" | "OLE" | "NJ" | "RE" | "ILLEGAL";
  taunt?: string;
  wall_us?: number;
  cpu_us?: number;
  memory_bytes?: number;
  output_bytes?: number;
  /** What was wrong, in English. */
  complaint?: string;
  /** The same as a code with parameters, if the replay has it. */
  problem?: { code: string; params?: Record<string, any> };
  debug?: unknown;
  stderr?: string;
  /** The beginning of the output. */
  output?: string;
}

/** One event; mirrors rules::Event. */
type GameEvent =
  | { event: "acted"; seat: Seat; action: Action }
  | { event: "frightened"; seat: Seat; direction: Direction; by: Seat[] }
  | { event: "moved"; seat: Seat; from: Cell; to: Cell; direction: Direction }
  | { event: "fought"; cell: Cell; winners: Seat[]; eaten: Seat[]; loot: number; share: number }
  | { event: "looted"; seat: Seat; lost: number }
  /** `ray`: the cells that the light crosses, in order, without the shooter's. `wraps`: it ran once around the maze. */
  | { event: "fired"; seat: Seat; from: Cell; direction: Direction; cost: number; ray: Cell[]; wraps: boolean }
  /** `gained` and `lost`: the changes by this hit alone. */
  | { event: "hit"; shooter: Seat; victim: Seat; gained: number; lost: number }
  | { event: "died"; seat: Seat; cell: Cell; lost: number; cause: Cause }
  | { event: "settled"; seat: Seat; gained: number }
  | { event: "spawned"; cells: Cell[] }
  | { event: "ate"; seat: Seat; cell: Cell; fruit: Fruit; gained: number }
  | { event: "boost-counted"; seat: Seat; turns_left: number }
  | { event: "boost-ended"; seat: Seat; lost: number }
  | { event: "inherited"; seat: Seat; fruits: number };

type Cause =
  /** `action`: null if none could be read; `verdict` of the answer. */
  | { cause: "illegal"; action: Action; verdict: Answer["verdict"] }
  | { cause: "eaten"; by: Seat[] }
  | { cause: "light"; by: Seat[] }
  | { cause: "boost-ended" };

/** Details of a position. */
interface Inspection {
  /** For each seat and cell, the least number of turns to get there; null if unreachable, or for dead players. */
  reach: Four<(number | null)[] | null>;
  /** The lights that living players can fire now. */
  lights: { seat: Seat; direction: Direction; ray: Cell[] }[];
  /** The legal actions of each seat; empty for dead players and after the game. */
  legal: Four<Action[]>;
}

interface BuiltIn {
  name: string;
  description: string;
}

/** The parameters of what is wrong with a link; which there are depends on the code. */
interface LinkDamage {
  expected?: number;
  got?: number | string;
  position?: number;
  turn?: number;
}

/** The rules, maps and built-in bots. All functions throw an Error with a sentence, in the reader's language as far as the page has words for it. */
/** A timeline with what the viewer had added to the replay; it comes from a file, so nothing of it is trusted. */
interface OpenedTimeline extends Timeline {
  branches?: unknown;
  rerun?: unknown;
  notes?: unknown;
}

interface Engine {
  /** Opens the first game of a text: a replay, a match log from Botzone, init data, an address with a game, `#g=…`, … */
  open(text: string): OpenedTimeline;
  /** The games of a file that is no zip. */
  games(file: Uint8Array): ({ id: string | null; names: Four<string>; error?: undefined } | { error: string })[];
  /** Opens the game of a number, counted from 1. */
  openGame(file: Uint8Array, number: number): OpenedTimeline;
  /** Plays the next turn of a live match, as the server streams it. */
  push(timeline: Timeline, turn: StreamedTurn): void;
  /** Botzone's map of a seed, as a timeline without turns. */
  map(seed: number, size: { width: number | null; height: number | null } | null): Timeline;
  /** A new timeline with the first `turn` turns of another. */
  branch(timeline: Timeline, turn: number, names: Four<string>): Timeline;
  /**
   * Plays a turn of a timeline from `map` or `branch`; null for dead players, "TLE" for no answer in time. `backstage` is what is recorded
   * about the answers.
   */
  play(timeline: Timeline, actions: Four<Action | "TLE" | null>, backstage?: Four<object | null>): void;
  /** The action that a built-in bot chooses in the last position. */
  decide(timeline: Timeline, bot: string, seat: Seat): Action;
  /** Details of a position. */
  inspect(timeline: Timeline, turn: number): Inspection;
  /** A position as text. `input` is the whole standard input of the program for its answer in turn + 1. */
  text(timeline: Timeline, turn: number, as: "init" | "picture" | "request" | "input", seat: Seat): string;
  /** The match as a replay. */
  save(timeline: Timeline): string;
  /** The match as a link holds it, after `#g=`. */
  link(timeline: Timeline): string;
  /** A QR code: its modules on each side, without the white frame, and the dark ones as the data of an SVG path. */
  qr(text: string): { modules: number; dark: string };
  /** Drops a timeline. */
  close(timeline: Timeline): void;
  /** Lets a timeline stand for a newer reading of the same match, with its head; that object is not used any more. */
  adopt(timeline: Timeline, fresh: Timeline): void;
  builtIn(): BuiltIn[];
  /** Starts an animated GIF. Pixels are RGBA, row by row. */
  gif(width: number, height: number): {
    /** Adds the colours of a picture to the palette, before the first frame. */
    learn(pixels: Uint8ClampedArray): void;
    add(pixels: Uint8ClampedArray, hundredths: number): void;
    /** Returns the file and ends the animation. */
    end(): Uint8Array;
  };
}

/** A match: its head, and the frames so far. */
interface Timeline {
  head: Head;
  frames: Frame[];
}

/** A turn of a live match, as in its replay. */
interface StreamedTurn {
  turn: unknown;
  backstage: unknown;
}

/** The bots that need a search. */
interface StrongBots {
  bots: string[];
  has(bot: string): boolean;
  /** The action that a bot chooses in the last position. */
  decide(
    viewer: import("./viewer.js").Viewer,
    timeline: Timeline,
    decision: { bot: string; seat: Seat; effort: import("./engine-worker.js").Effort },
    signal: AbortSignal,
  ): Promise<Action>;
}

/** Mounts a component in an element of the page. */
type Mount = (viewer: import("./viewer.js").Viewer, place: HTMLElement) => void;

/** The style sheet of the analysis, which its script contains. */
declare const analysisStyle: string;

/** The files of a static page by their digests, for its service worker; the tool that makes the site puts it before the script. */
declare const site: { version: string; first: Record<string, string>; later: Record<string, string> };
