// The state of the page: what is shown, and how. Components read it, change it by its methods, and listen to its events.

import { Branches } from "./branches.js";
import { onLanguage } from "./language.js";
import { NoteBook } from "./notes.js";
import { rememberedBots } from "./own-seats.js";

/**
 * - timeline: another timeline is shown, or none
 * - grown: the timeline has new frames
 * - turn: another frame is shown
 * - ended: the timeline will not grow any more
 * - playing: playback started or stopped, or its speed changed
 * - view: the followed player, the overlays or the pointed cell changed
 * - future: whether the future is hidden changed
 * - branches: a game under What if was deleted
 * - address: other parameters lead to the shown timeline
 * - mine: another bot is the reader's own
 * - notes: a note was changed
 * - rerun: another bot has answered the questions of the shown timeline
 * - analysed: the analysis knows more
 * - language: the language changed
 * @typedef {"timeline" | "grown" | "ended" | "turn" | "playing" | "view" | "future" | "branches" | "address" | "language"} PageKind
 * @typedef {PageKind | "mine" | "notes" | "rerun" | "analysed"} Kind
 */

/** Turns per second at speed 1. */
export const PACE = 1.5;
export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

export class Viewer {
  /** @param {Engine} engine @param {"server" | "file" | "botzone" | "site" | "report"} host */
  constructor(engine, host) {
    this.engine = engine;
    /** Where the page runs. */
    this.host = host;
    /** @type {Timeline | null} */
    this.timeline = null;
    /** What is shown without a timeline, as the parameters of an address; "" is the start page. */
    this.section = "";
    /** The shown frame. */
    this.turn = 0;
    /** The previously shown frame, for animations. */
    this.before = 0;
    this.playing = false;
    this.speed = 1;
    /** Whether new frames are shown as they arrive. */
    this.live = false;
    /** @type {Seat | null} The player in the middle of the board. */
    this.followed = null;
    /** @type {Cell | null} The cell that is pointed at, or has the focus. */
    this.cell = null;
    /**
     * Active overlays: "reach-0" … "reach-3", "lights", "debug-0" … "debug-3", "knew-0" … "knew-3", and those of an analysis.
     * @type {Set<string>}
     */
    this.overlays = new Set();
    /**
     * The parameters of an address that lead to a match. Without them, the match itself is in the address.
     * @type {WeakMap<Timeline, Record<string, string>>}
     */
    this.addresses = new WeakMap();
    /**
     * The parameters that name a match, each with the function that opens it. That returns null if it shows the match later.
     * @type {Map<string, (value: string, view: import("./address.js").View) => Timeline | null | Promise<Timeline>>}
     */
    this.openers = new Map();
    /** The files that timelines were opened from. @type {WeakMap<Timeline, string>} */
    this.texts = new WeakMap();
    /** @type {WeakMap<Timeline, { frames: number, game: string }>} */
    this.games = new WeakMap();
    this.branches = new Branches(this);
    /** The names of the bots that the reader has called their own. */
    this.myBots = rememberedBots();
    /** Asks a program the questions of a match again; only a server can. @type {import("./rerun.js").AskAgain | null} */
    this.askProgram = null;
    /**
     * The costliest turn of a player in the shown timeline, as far as it is analysed, in words, and what shows it; the analysis sets this.
     * @type {((seat: Seat) => { turn: number, text: string, show: () => void } | null) | null}
     */
    this.costliest = null;
    /** When the time for the humans of this page ends, by `performance.now()`; null without a clock. @type {number | null} */
    this.deadline = null;
    /** Why the actions of the humans of this page lead nowhere now, or "". */
    this.hindrance = "";
    /** The living humans of a game in this page who were too late once. It is not forgiven again. @type {Seat[]} */
    this.warned = [];
    /**
     * Opens a match by a parameter of an address and its value; the module of the address sets this.
     * @type {(kind: string, value: string, turn?: number) => void}
     */
    this.visit = () => {};
    /**
     * Opens the first match of a file and offers the others; the button *Open* sets this.
     * @type {(bytes: Uint8Array) => Promise<Timeline>}
     */
    this.openBytes = () => Promise.reject(new Error("nothing opens files"));
    /** The address of a turn of what is shown; null in a page that has none. @type {((turn: number) => string) | null} */
    this.addressOf = null;
    /** The strong engine, which only a static page has. @type {import("./engine-worker.js").EngineWorker | null} */
    this.worker = null;
    /** What plays the bots that the page's own engine does not have: the worker, or a server. @type {StrongBots | null} */
    this.strong = null;
    /** The init data of timelines. @type {WeakMap<Timeline, unknown>} */
    this.maps = new WeakMap();
    /**
     * Starts a game from the last turn of a timeline; What if sets it. A choice is "human" or a bot's name.
     * Humans have `clock` milliseconds for each action; any time without it.
     * @type {(timeline: Timeline, choices: Four<string>, effort: import("./engine-worker.js").Effort, clock?: number) => void}
     */
    this.startGame = () => {};
    /**
     * Where a cell is on the screen; the board sets it.
     * @type {(cell: Cell) => DOMRect | null}
     */
    this.cellPlace = () => null;
    /** Whether everything after the shown turn is hidden. */
    this.hidesFuture = false;
    /**
     * Plays on from a turn of a timeline; What if sets it. The turns of the line are played at once, and the game stops after them.
     * @type {(timeline: Timeline, turn: number, choices: Four<string>, line: Four<Action | null>[]) => void}
     */
    this.playOn = () => {};
    /** Plays the shown game of a human again, on its map or another one; What if and a server set it. */
    this.playAgain = (/** @type {boolean} */ _isSameMap) => {};
    /** Opens the review of the shown match; the analysis sets it, where there is one. @type {(() => void) | null} */
    this.review = null;
    /**
     * Starts a match from a turn of a timeline, in which the programs play themselves; only a server can. A player is "human" or a
     * bot's name.
     * @type {((timeline: Timeline, turn: number, players: Four<string>, clockMs?: number) => void) | null}
     */
    this.rematch = null;
    /** The seats that this page plays, with the function that takes the chosen action. @type {Map<Seat, (action: Action) => void>} */
    this.choosing = new Map();
    /** @type {Map<Kind, Set<() => void>>} */
    this.listeners = new Map();
    this.notes = new NoteBook(this);
    onLanguage(() => this.notify("language"));
  }

  /**
   * @param {Kind | Kind[]} kinds
   * @param {() => void} listener
   */
  on(kinds, listener) {
    for (const kind of [kinds].flat()) {
      const set = this.listeners.get(kind) ?? new Set();
      this.listeners.set(kind, set.add(listener));
    }
  }

  /** @param {Kind} kind */
  notify(kind) {
    for (const listener of this.listeners.get(kind) ?? []) listener();
  }

  /** A timeline as the strong engine reads it. @param {Timeline} timeline */
  matchSoFar(timeline) {
    const init = this.maps.get(timeline) ?? JSON.parse(this.engine.text(timeline, 0, "init", 0));
    this.maps.set(timeline, init);
    const actions = timeline.frames.slice(1).map(({ answers }) => answers.map((answer) => answer && answer.action));
    return { init, ruling: timeline.head.ruleset.ruling, actions };
  }

  /** A timeline as a link holds it, or "" if no link can. @param {Timeline} timeline */
  gameOf(timeline) {
    const frames = timeline.frames.length;
    const known = this.games.get(timeline);
    if (known?.frames === frames) return known.game;
    let game = "";
    try {
      game = this.engine.link(timeline);
    } catch {
      // Init data cannot describe the map.
    }
    this.games.set(timeline, { frames, game });
    return game;
  }

  /** The last frame. */
  get last() {
    return this.timeline ? this.timeline.frames.length - 1 : 0;
  }

  /** The answers of another bot to the questions of the shown match, if there are any. */
  get rerun() {
    return this.timeline && this.branches.reruns.get(this.timeline);
  }

  /** The shown frame. */
  get frame() {
    return this.timeline ? this.timeline.frames[this.turn] : null;
  }

  /**
   * The nearest existing turn; 0 for what is no number.
   * @param {number} turn
   */
  within(turn) {
    return Math.min(Math.max(Math.round(turn) || 0, 0), this.last);
  }

  /**
   * @param {Timeline | null} timeline
   * @param {number} [turn]
   * @param {string} [section] what is shown without a timeline
   */
  show(timeline, turn = 0, section = "") {
    this.timeline = timeline;
    this.section = section;
    this.turn = this.before = this.within(turn);
    this.playing = false;
    this.live = false;
    this.cell = null;
    this.notify("timeline");
    this.notify("playing");
    this.notify("turn");
  }

  /** Call this after adding frames to the timeline. */
  grown() {
    this.notify("grown");
    if (this.live) this.go(this.last);
  }

  /** Call this when the timeline will not grow any more, as the match was live and has ended. */
  ended() {
    this.live = false;
    this.notify("ended");
    this.notify("playing");
  }

  /**
   * Shows another frame.
   * @param {number} turn
   */
  go(turn) {
    const wanted = this.within(turn);
    if (wanted === this.turn) return;
    this.before = this.turn;
    this.turn = wanted;
    this.notify("turn");
  }

  /** @param {boolean} playing */
  play(playing) {
    if (playing && this.turn === this.last && !this.live) this.go(0);
    this.playing = playing;
    this.notify("playing");
  }

  /** @param {number} speed */
  setSpeed(speed) {
    this.speed = speed;
    this.notify("playing");
  }

  /** @param {boolean} hides */
  hideFuture(hides) {
    this.hidesFuture = hides;
    this.notify("future");
  }

  /** @param {Seat | null} seat */
  follow(seat) {
    this.followed = seat;
    this.notify("view");
  }

  /** @param {Cell | null} cell */
  point(cell) {
    if (cell === this.cell) return;
    this.cell = cell;
    this.notify("view");
  }

  /**
   * @param {string} overlay
   * @param {boolean} on
   */
  overlay(overlay, on) {
    if (on) this.overlays.add(overlay);
    else this.overlays.delete(overlay);
    this.notify("view");
  }

  /**
   * Replaces some overlays by others, if they differ. Returns the new ones.
   * @param {string[]} old
   * @param {string[]} wanted
   */
  replaceOverlays(old, wanted) {
    if (String(wanted) === String(old)) return old;
    for (const overlay of old) this.overlays.delete(overlay);
    for (const overlay of wanted) this.overlays.add(overlay);
    this.notify("view");
    return wanted;
  }

  /**
   * Starts to choose for a seat, or stops (null).
   * @param {Seat} seat
   * @param {((action: Action) => void) | null} chosen
   */
  choose(seat, chosen) {
    if (chosen) this.choosing.set(seat, chosen);
    else this.choosing.delete(seat);
    this.notify("view");
  }

  /**
   * The turns with an event of a kind; "any" means deaths, lights, fights and spawns.
   * @param {"any" | GameEvent["event"]} kind
   */
  turnsWith(kind) {
    const notable = new Set(["died", "fired", "fought", "spawned"]);
    return (this.timeline?.frames ?? [])
      .filter((frame) => frame.events.some(({ event }) => (kind === "any" ? notable.has(event) : event === kind)))
      .map((frame) => frame.turn);
  }
}
