// The shapes that the page works with. They are written by crates/timeline (Film, Frame, What, …) and by crates/web
// (Home, Live…); `tsc` holds the page's modules against them. A cell is a number: row × width + column.

/** A player: 0, 1, 2 or 3. */
type Seat = 0 | 1 | 2 | 3;
type Cell = number;
type Direction = "up" | "right" | "down" | "left";
/** Botzone's number of an action: -1 stay, 0–3 go up, right, down, left, 4–7 shoot there. */
type Action = number;
type Fruit = "small" | "large";
type Four<T> = [T, T, T, T];

/** All that does not change during a match. */
interface Head {
  /** The engine's handle of this film. */
  film: number;
  /** What it was opened from. */
  source: "replay" | "match-log" | "map" | "what-if";
  width: number;
  height: number;
  /** For each cell the walls that stop who leaves it: 1 up, 2 right, 4 down, 8 left. */
  walls: number[];
  generators: Cell[];
  /** Where the generators bear fruit. */
  births: Cell[];
  seed: number;
  settings: {
    generator_interval: number;
    skill_cost: number;
    large_fruit_duration: number;
    large_fruit_enhancement: number;
    turn_limit: number;
    ruling: "sample" | "judge" | "prose";
  };
  /**
   * Who sits where. The names come from strangers. `time_factor`: how many times the limit of time holds for a program;
   * null for who has no limits. `tier`: how well the program was shut in; null for who is no process.
   */
  seats: Four<{ name: string; program: string | null; time_factor: number | null; tier: "A" | "B" | "C" | null }>;
  limits: { time_ms: number | null; memory_mb: number | null; output_bytes: number | null };
  /** What is wrong with what was opened, though it can be shown as far as it goes. In English. */
  complaint: string | null;
}

/** A position, and the turn that led to it. */
interface Frame {
  /** How many turns have been played; frames[n].turn === n. */
  turn: number;
  generator_turns_left: number;
  players: Four<PlayerNow>;
  small_fruits: Cell[];
  large_fruits: Cell[];
  over: boolean;
  /** What happened in the turn that led here, in order; empty in frame 0. */
  events: GameEvent[];
  /** What each player said in that turn; null for who was dead, all null in frame 0. */
  said: Four<Said | null>;
  /** How strengths changed in that turn, as Botzone books it. */
  delta: Four<number>;
}

interface PlayerNow {
  cell: Cell;
  strength: number;
  /** Turns that its boost has left, 0 without one. */
  boost: number;
  alive: boolean;
  /** The score in points if the game ended now; the final one if it is over. */
  score: number;
  /** 1 for the strongest; equals share a place. */
  place: number;
}

/** What a player asked for, and what it cost. What is not known is missing. */
interface Said {
  action: Action;
  verdict: "OK" | "TLE" | "MLE" | "OLE" | "NJ" | "RE" | "ILLEGAL";
  taunt?: string;
  wall_us?: number;
  cpu_us?: number;
  memory_bytes?: number;
  output_bytes?: number;
  /** What was wrong, in English. */
  complaint?: string;
  debug?: unknown;
  stderr?: string;
  /** The beginning of what it wrote. */
  output?: string;
}

/** One thing that happened; mirrors rules::Event. */
type GameEvent =
  | { event: "ordered"; seat: Seat; order: Action }
  | { event: "frightened"; seat: Seat; direction: Direction; by: Seat[] }
  | { event: "moved"; seat: Seat; from: Cell; to: Cell; direction: Direction }
  | { event: "fought"; cell: Cell; winners: Seat[]; eaten: Seat[]; loot: number; share: number }
  | { event: "looted"; seat: Seat; lost: number }
  /** `way`: the cells that the light crosses, in order, without the shooter's own. `whole`: it ran once round the field. */
  | { event: "fired"; seat: Seat; from: Cell; direction: Direction; cost: number; way: Cell[]; whole: boolean }
  /** `gained` and `lost` are what this one hit changed. */
  | { event: "hit"; shooter: Seat; victim: Seat; gained: number; lost: number }
  | { event: "died"; seat: Seat; cell: Cell; lost: number; cause: Cause }
  | { event: "settled"; seat: Seat; gained: number }
  | { event: "born"; cells: Cell[] }
  | { event: "ate"; seat: Seat; cell: Cell; fruit: Fruit; gained: number }
  | { event: "boost-counted"; seat: Seat; turns_left: number }
  | { event: "boost-ended"; seat: Seat; lost: number }
  | { event: "inherited"; seat: Seat; fruits: number };

type Cause =
  /** `order`: null where nothing could be understood; `verdict` of the answer. */
  | { cause: "illegal"; action: Action; verdict: Said["verdict"] }
  | { cause: "eaten"; by: Seat[] }
  | { cause: "light"; by: Seat[] }
  | { cause: "boost-ended" };

/** What a position holds for whoever asks about its cells. */
interface XRay {
  /** For each seat and cell the least number of turns to get there through the maze; null: never, or dead. */
  reach: Four<(number | null)[] | null>;
  /** The lights that living players could fire now; empty for those too weak. */
  lights: { seat: Seat; direction: Direction; way: Cell[] }[];
  /** For each seat the actions that are legal now; empty for the dead or when the game is over. */
  legal: Four<Action[]>;
}

interface BuiltIn {
  name: string;
  description: string;
}

/** The rules, maps and built-in bots, as the page may ask them. All throw an Error with one clear English sentence. */
interface Engine {
  /** Opens a replay, one of Botzone's match logs, or init data. */
  open(text: string): Film;
  /** Plays on a film that is still being played: a turn as the server streams it. */
  push(film: Film, turn: StreamedTurn): void;
  /** Botzone's map of a seed, as a film without turns. */
  map(seed: number, size: { width: number; height: number } | null): Film;
  /** A film of its own with the first `turn` turns of another. */
  branch(film: Film, turn: number, names: Four<string>): Film;
  /** Plays a turn of a film from `map` or `branch`; null for the dead. */
  play(film: Film, actions: Four<Action | null>): void;
  /** What a built-in bot would do in the last position of a film. */
  decide(film: Film, bot: string, seat: Seat): Action;
  /** What a position holds for whoever asks about its cells. */
  xray(film: Film, turn: number): XRay;
  /** A position as text. `input` is all that the program is given on its standard input for the answer of turn + 1. */
  text(film: Film, turn: number, as: "init" | "picture" | "request" | "input", seat: Seat): string;
  /** The whole film as a replay. */
  save(film: Film): string;
  /** Forgets a film. */
  close(film: Film): void;
  builtIn(): BuiltIn[];
  /** Begins an animated GIF. Pixels are RGBA, row by row. */
  gif(width: number, height: number): {
    /** Takes note of the colours of a picture, before the first one is added. */
    learn(pixels: Uint8ClampedArray): void;
    add(pixels: Uint8ClampedArray, hundredths: number): void;
    /** The file, and the end of it. */
    end(): Uint8Array;
  };
}

/** A film: its head, and the frames so far. */
interface Film {
  head: Head;
  frames: Frame[];
}

/** A turn of a match that is being played, as it will stand in its replay. */
interface StreamedTurn {
  turn: unknown;
  backstage: unknown;
}

/** The places of a component that the page gives it. */
type Mount = (viewer: import("./viewer.js").Viewer, place: HTMLElement) => void;

/** The style of the analysis, which its script brings along. */
declare const analysisStyle: string;
