// What the page is looking at. Components read it, change it by its methods, and are told of changes.

import { onLanguage } from "./language.js";

/**
 * - film: another film is shown, or none
 * - grown: the film has new frames
 * - turn: another frame is shown
 * - playing: it started, stopped, or the speed changed
 * - view: who is followed, overlays, what is pointed at
 * - language: the words changed
 * @typedef {"timeline" | "grown" | "turn" | "playing" | "view" | "language"} Kind
 */

/** Turns a second at speed 1. */
export const PACE = 1.5;
export const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

export class Viewer {
  /** @param {Engine} engine */
  constructor(engine) {
    this.engine = engine;
    /** @type {Timeline | null} */
    this.timeline = null;
    /** The frame that is shown. */
    this.turn = 0;
    /** The frame that was shown before, for who wants to show how one became the other. */
    this.before = 0;
    this.playing = false;
    this.speed = 1;
    /** New frames are shown as they come. */
    this.live = false;
    /** @type {Seat | null} Stays in the middle of the board. */
    this.followed = null;
    /** @type {Cell | null} The cell that is pointed at, or has the focus. */
    this.cell = null;
    /**
     * Overlays that are on: "reach-0" … "reach-3", "lights", "debug-0" … "debug-3", and what an analysis draws.
     * @type {Set<string>}
     */
    this.overlays = new Set();
    /**
     * Where films can be found again: the parts of an address, for those that have one.
     * @type {WeakMap<Timeline, Record<string, string>>}
     */
    this.addresses = new WeakMap();
    /** Seats that this page plays, and what is done when one has chosen. @type {Map<Seat, (action: Action) => void>} */
    this.choosing = new Map();
    /** @type {Map<Kind, Set<() => void>>} */
    this.listeners = new Map();
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

  /** The last frame there is. */
  get last() {
    return this.timeline ? this.timeline.frames.length - 1 : 0;
  }

  /** The frame that is shown. */
  get frame() {
    return this.timeline ? this.timeline.frames[this.turn] : null;
  }

  /**
   * The turn of the film that is nearest; what is no number, as an address may have it, is the beginning.
   * @param {number} turn
   */
  within(turn) {
    return Math.min(Math.max(Math.round(turn) || 0, 0), this.last);
  }

  /**
   * @param {Timeline | null} timeline
   * @param {number} [turn]
   */
  show(timeline, turn = 0) {
    this.timeline = timeline;
    this.turn = this.before = this.within(turn);
    this.playing = false;
    this.live = false;
    this.cell = null;
    this.notify("timeline");
    this.notify("playing");
    this.notify("turn");
  }

  /** The film has got frames; who looked at the last one sees the new one. */
  grown() {
    this.notify("grown");
    if (this.live) this.go(this.last);
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
   * This page chooses for a seat from now on, or (null) no longer does.
   * @param {Seat} seat
   * @param {((action: Action) => void) | null} chosen
   */
  choose(seat, chosen) {
    if (chosen) this.choosing.set(seat, chosen);
    else this.choosing.delete(seat);
    this.notify("view");
  }

  /**
   * The turns in which something of this kind happened; "any" are deaths, lights, fights and births.
   * @param {"any" | GameEvent["event"]} kind
   */
  turnsWith(kind) {
    const notable = new Set(["died", "fired", "fought", "spawned"]);
    return (this.timeline?.frames ?? [])
      .filter((frame) => frame.events.some(({ event }) => (kind === "any" ? notable.has(event) : event === kind)))
      .map((frame) => frame.turn);
  }
}
