// Watching a live match, and playing in it.

import { clockWords, showTimeLeft } from "./action-pad.js";
import { allSeats } from "./board-geometry.js";
import { el, setText, visibleText } from "./dom.js";
import { words } from "./language.js";
import { showMessage } from "./open.js";
import { ServerError, describeProblem, getText, post } from "./server.js";

const liveWords = words(
  {
    live: (/** @type {number} */ turn, /** @type {number} */ turns) => `Live, turn ${turn} of ${turns}`,
    waits: (/** @type {string} */ seats) => `waiting for player ${seats}`,
    yours: (/** @type {string} */ seats) => `your move, player ${seats}`,
    and: " and ",
    over: "The match is over.",
    abandoned: "The match was abandoned.",
    back: "Back to the match",
    saved: (/** @type {string} */ name) => `The replay was saved as ${name}.`,
    notSaved: (/** @type {string} */ why) => `The replay was not saved: ${why}`,
    late: "Too late: the turn is over.",
    lost: "Connection to the server lost; reconnecting …",
    forgotten: "The server no longer knows this match.",
    broken: (/** @type {string} */ why) => `The match cannot be shown: ${why}`,
    toggleSeat: (/** @type {number} */ seat) => `Play player ${seat}`,
    abandon: "Abandon",
  },
  {
    live: (turn, turns) => `直播：第 ${turn}/${turns} 回合`,
    waits: (seats) => `正在等 ${seats} 号玩家`,
    yours: (seats) => `轮到你了，${seats} 号玩家`,
    and: "、",
    over: "对局结束。",
    abandoned: "对局已中止。",
    back: "回到对局",
    saved: (name) => `录像已存为 ${name}。`,
    notSaved: (why) => `录像保存失败：${why}`,
    late: "太迟了，这一回合已经结束。",
    lost: "与服务器的连接断开，正在重试……",
    forgotten: "服务器已不再保存这场对局。",
    broken: (why) => `无法显示这场对局：${why}`,
    toggleSeat: (seat) => `操作 ${seat} 号`,
    abandon: "中止对局",
  },
);

/** Turns that arrive faster than this are not shown live, but played back. */
const quickTurnMs = 350;

/** The humans that a match waits for. @typedef {{ turn: number, seats: Seat[], deadline_ms: number | null }} Asked */
/** @type {Asked} */
const nobodyAsked = { turn: 0, seats: [], deadline_ms: null };

/** The watched match; at most one. @type {LiveMatch | null} */
let watched = null;
/** The viewer whose events are forwarded to the watched match. @type {import("./viewer.js").Viewer | null} */
let watchingViewer = null;

/**
 * Watches a match from its first turn, until another timeline is shown.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {string} id
 * @param {HTMLElement} strip shows the state of the match
 * @param {Seat[] | null} started the seats that this page plays, if it has just started the match
 * @param {number | null} turn the turn to show, if not the last one
 */
export function watchMatch(viewer, id, strip, started, turn) {
  if (watchingViewer !== viewer) {
    watchingViewer = viewer;
    viewer.on("timeline", () => watched?.timelineChanged());
    viewer.on(["turn", "future", "language"], () => watched?.update());
  }
  watched?.end();
  watched = new LiveMatch(viewer, id, strip, started, turn);
}

class LiveMatch {
  /**
   * @param {import("./viewer.js").Viewer} viewer
   * @param {string} id
   * @param {HTMLElement} strip
   * @param {Seat[] | null} started
   * @param {number | null} turn
   */
  constructor(viewer, id, strip, started, turn) {
    this.viewer = viewer;
    this.wanted = turn;
    this.id = id;
    this.path = `/api/matches/${encodeURIComponent(id)}`;
    this.key = `pacman2-seats-${id}`;
    this.started = started !== null;
    /** The seats that this page plays. @type {Set<Seat>} */
    this.ownSeats = new Set(started ?? JSON.parse(sessionStorage.getItem(this.key) ?? "[]"));
    this.keepSeats();
    /** @type {Timeline | null} */
    this.timeline = null;
    /** Whether the user is trying something under What if. The match goes on meanwhile. */
    this.away = false;
    this.asked = nobodyAsked;
    /** The callbacks that were given to the viewer. @type {Map<Seat, (action: Action) => void>} */
    this.offered = new Map();
    this.deadline = 0;
    /** The time that was left when the connection broke; null while there is one. @type {number | null} */
    this.leftMs = null;
    /** The number of new turns that are not shown yet, and the timer that shows them. */
    this.fresh = 0;
    this.showing = 0;
    /** When turns were last shown, and whether they came too fast to watch. */
    this.shownAt = -Infinity;
    this.rushed = false;
    /** The seats of humans who were too slow once. The judge does not forgive it again. @type {Set<Seat>} */
    this.late = new Set();
    /** The current error, as a function of the language. */
    this.problem = () => "";
    /** How the match ended, if it has. @type {(() => string) | null} */
    this.ending = null;

    this.strip = strip;
    this.state = el("p", { class: "home-state", role: "status" });
    this.warning = el("p", { class: "clock-warning", role: "alert", hidden: true });
    this.clock = el("span", { class: "clock-left", role: "timer" });
    this.toggles = allSeats.map((seat) => el("button", { type: "button", onclick: () => this.toggleSeat(seat) }));
    this.abandonButton = el("button", { type: "button", onclick: () => this.abandon() });
    this.backButton = el("button", { type: "button", class: "primary", onclick: () => viewer.show(this.timeline, viewer.turn) });
    strip.replaceChildren(this.warning, this.state, this.clock, this.backButton, ...this.toggles, this.abandonButton);
    strip.hidden = false;
    this.ticking = setInterval(() => this.updateClock(), 250);

    this.source = new EventSource(`${this.path}/events`);
    for (const [kind, take] of /** @type {const} */ ([
      ["film", (/** @type {string} */ data) => this.takeReplay(data)],
      ["turn", (/** @type {string} */ data) => this.takeTurn(data)],
      ["asked", (/** @type {string} */ data) => this.takeAsked(data)],
      ["end", (/** @type {string} */ data) => this.takeEnd(data)],
    ])) {
      this.source.addEventListener(kind, ({ data }) => {
        try {
          take(data);
        } catch (error) {
          this.fail(error, (message) => liveWords.broken(visibleText(message)));
          this.finish();
        }
        this.update();
      });
    }
    this.source.addEventListener("error", () => this.explainDisconnect());
    this.update();
  }

  /** Handles the replay so far, which comes first, and again after a reconnect. @param {string} text */
  takeReplay(text) {
    const { viewer, timeline: before } = this;
    const timeline = viewer.engine.open(text);
    const last = timeline.frames.length - 1;
    const { over } = timeline.frames[last];
    const follows = before ? viewer.live : !over && this.wanted === null;
    const turn = before ? viewer.turn : (this.wanted ?? (this.started || over ? 0 : last));
    this.timeline = timeline;
    this.markOwnSeats();
    for (const frame of timeline.frames) this.noteLate(frame);
    viewer.addresses.set(timeline, { match: this.id });
    this.problem = () => "";
    this.leftMs = null;
    this.fresh = 0;
    if (this.away) return;
    viewer.show(timeline, before && follows ? last : turn);
    if (before) viewer.engine.close(before);
    if (follows) this.follow(true);
    if (!before && this.started && last && !this.isPlaying()) this.playFromHere();
  }

  /** @param {string} text */
  takeTurn(text) {
    if (!this.timeline) return;
    this.viewer.engine.push(this.timeline, JSON.parse(text));
    this.noteLate(this.timeline.frames[this.timeline.frames.length - 1]);
    // What was wrong with an action ends with its turn.
    this.problem = () => "";
    this.fresh += 1;
    this.showing ||= setTimeout(() => this.showFresh(), 20);
  }

  /**
   * Notes the players that were too slow and were forgiven.
   * @param {Frame} frame
   */
  noteLate({ answers }) {
    for (const seat of allSeats) {
      if (answers[seat]?.problem?.code === "forgiven") this.late.add(seat);
    }
  }

  /** @param {Seat} seat */
  isHuman(seat) {
    const info = this.timeline?.head.seats[seat];
    return info?.name === "human" && info.program === null;
  }

  /** Shows new turns; switches to playback if they come too fast. */
  showFresh() {
    const { viewer } = this;
    const now = performance.now();
    const rush = this.fresh > 1 || now - this.shownAt < quickTurnMs;
    this.shownAt = now;
    clearTimeout(this.showing);
    this.fresh = this.showing = 0;
    if (!this.away) {
      if (rush && !this.rushed && !this.isPlaying() && viewer.live) this.playFromHere();
      viewer.grown();
    }
    this.update();
  }

  /** Whether a seat of this page is alive. */
  isPlaying() {
    const players = this.timeline?.frames[this.timeline.frames.length - 1].players;
    return [...this.ownSeats].some((seat) => players?.[seat].alive);
  }

  /** Plays the turns back at normal pace. */
  playFromHere() {
    this.rushed = true;
    this.follow(false);
    this.viewer.play(true);
  }

  /** @param {string} text */
  takeAsked(text) {
    this.asked = JSON.parse(text);
    this.deadline = performance.now() + (this.asked.deadline_ms ?? 0);
    // A player sees the last turn before choosing for the next.
    if (this.fresh) this.showFresh();
    this.offerSeats();
  }

  /** @param {string} text */
  takeEnd(text) {
    if (this.fresh) this.showFresh();
    const end = JSON.parse(text);
    const { scores, replay } = end;
    // The server forgets old matches, but the replay stays.
    if (replay && this.timeline) {
      this.viewer.addresses.set(this.timeline, { replay });
      this.viewer.notify("address");
    }
    this.ending = () => {
      const t = liveWords;
      const left = [replay && t.saved(visibleText(replay)), end.error && t.notSaved(describeProblem(end))].filter(Boolean);
      return [scores ? t.over : t.abandoned, ...left].join(" ");
    };
    this.problem = () => "";
    this.finish();
  }

  /** Ends what depends on the match going on. */
  finish() {
    this.source.close();
    this.asked = nobodyAsked;
    this.offerSeats();
    if (!this.away) this.viewer.ended();
  }

  /** @param {boolean} on */
  follow(on) {
    if (this.away) return;
    this.viewer.live = on;
    this.viewer.notify("playing");
  }

  /** Lets the user choose for those seats of this page that are asked. */
  offerSeats() {
    const { viewer, asked, ownSeats } = this;
    if (this.away) return;
    for (const seat of allSeats) {
      if (ownSeats.has(seat) && asked.seats.includes(seat)) {
        const choose = (/** @type {Action} */ action) => void this.send(seat, action);
        this.offered.set(seat, choose);
        viewer.choose(seat, choose);
      } else if (viewer.choosing.has(seat)) viewer.choose(seat, null);
    }
  }

  /**
   * @param {Seat} seat
   * @param {Action} action
   */
  async send(seat, action) {
    const { turn } = this.asked;
    this.viewer.choose(seat, null);
    // After looking back, shows the new turns again.
    this.follow(true);
    this.viewer.go(this.viewer.last);
    try {
      await post(`${this.path}/seats/${seat}`, { turn, action });
      this.problem = () => "";
    } catch (error) {
      if (error instanceof ServerError && error.status === 409) this.problem = () => liveWords.late;
      else {
        this.fail(error);
        showMessage(this.problem());
      }
      if (watched === this) this.offerSeats();
    }
    this.update();
  }

  /** Takes a seat, or leaves it. @param {Seat} seat */
  toggleSeat(seat) {
    if (!this.ownSeats.delete(seat)) this.ownSeats.add(seat);
    this.keepSeats();
    this.markOwnSeats();
    this.viewer.notify("language");
    this.offerSeats();
    this.update();
  }

  markOwnSeats() {
    for (const seat of allSeats) if (this.timeline) this.timeline.head.seats[seat].own = this.ownSeats.has(seat);
  }

  /** Remembers the seats, for a reload of the page. */
  keepSeats() {
    sessionStorage.setItem(this.key, JSON.stringify([...this.ownSeats]));
  }

  async abandon() {
    try {
      await post(`${this.path}/abandon`);
    } catch (error) {
      this.fail(error);
      this.update();
    }
  }

  /** EventSource does not say why it failed, so another request finds out. */
  async explainDisconnect() {
    this.problem = () => liveWords.lost;
    this.leftMs ??= Math.max(this.deadline - performance.now(), 0);
    this.update();
    if (this.source.readyState !== EventSource.CLOSED) return;
    this.finish();
    try {
      await getText("/api/matches");
      this.problem = () => "";
      this.ending = () => liveWords.forgotten;
      // Without a match, there is nothing to show the strip for.
      if (!this.timeline) {
        this.end();
        this.viewer.notify("address");
        showMessage(liveWords.forgotten, "note");
      }
    } catch (error) {
      this.fail(error);
    }
    this.update();
  }

  /**
   * @param {unknown} error
   * @param {(message: string) => string} [format]
   */
  fail(error, format = (message) => message) {
    const describe = error instanceof ServerError ? error.describe : () => /** @type {Error} */ (error).message;
    this.problem = () => format(describe());
  }

  update() {
    const { timeline, asked, ownSeats, ending } = this;
    const t = liveWords;
    const ownAsked = asked.seats.filter((seat) => ownSeats.has(seat));
    const waitingText = ownAsked.length ? t.yours(ownAsked.join(t.and)) : asked.seats.length ? t.waits(asked.seats.join(t.and)) : "";
    const live = timeline ? t.live(timeline.frames.length - 1, timeline.head.ruleset.turn_limit) : "";
    // If the future is hidden, nothing may reveal how far the match has come.
    const { hidesFuture, turn } = this.viewer;
    const isSecret = hidesFuture && !ownAsked.length && timeline === this.viewer.timeline && turn < this.viewer.last;
    const shown = isSecret && timeline ? t.live(turn, timeline.head.ruleset.turn_limit) : ending ? ending() : live;
    setText(this.state, [shown, isSecret ? "" : waitingText, this.problem()].filter(Boolean).join(" · "));
    this.strip.classList.toggle("home-yours", ownAsked.length > 0);
    const players = timeline?.frames[timeline.frames.length - 1].players;
    const warned = ending ? [] : [...this.late].filter((seat) => ownSeats.has(seat) && players?.[seat].alive);
    this.warning.hidden = !warned.length;
    setText(this.warning, warned.length ? clockWords.lastChance(warned.join(t.and)) : "");
    this.clock.setAttribute("aria-label", clockWords.timeLeft);
    this.updateClock();
    for (const seat of allSeats) {
      const toggle = this.toggles[seat];
      toggle.hidden = !!ending || !this.isHuman(seat);
      toggle.setAttribute("aria-pressed", String(ownSeats.has(seat)));
      setText(toggle, t.toggleSeat(seat));
    }
    this.backButton.hidden = !this.away;
    setText(this.backButton, t.back);
    this.abandonButton.hidden = !!ending;
    setText(this.abandonButton, t.abandon);
  }

  updateClock() {
    const { asked, away, ownSeats, viewer } = this;
    // A player of this page has the clock beside the keys, which are in sight on a phone, too.
    const isOwn = !away && asked.deadline_ms !== null && asked.seats.some((seat) => ownSeats.has(seat));
    // Without the server, the clock stands.
    if (this.leftMs !== null) this.deadline = performance.now() + this.leftMs;
    if (!away) viewer.deadline = isOwn ? this.deadline : null;
    viewer.hindrance = away || this.leftMs === null ? "" : this.problem();
    this.clock.hidden = isOwn || asked.deadline_ms === null || !asked.seats.length;
    showTimeLeft(this.clock, this.deadline);
  }

  timelineChanged() {
    const { viewer } = this;
    if (viewer.timeline === this.timeline) {
      if (!this.away) return;
      this.away = false;
      this.follow(!this.ending);
      viewer.go(viewer.last);
    } else if (this.timeline && !this.ending && this.isBranch(viewer.timeline)) {
      // Clears the choices of the match while the user tries something else.
      for (const [seat, choose] of this.offered) if (viewer.choosing.get(seat) === choose) viewer.choose(seat, null);
      this.away = true;
    } else {
      this.end();
      return;
    }
    this.offerSeats();
    this.update();
  }

  /** Whether a timeline branches off this match. @param {Timeline | null} timeline */
  isBranch(timeline) {
    const branch = this.viewer.branches.find(timeline);
    return branch !== undefined && this.viewer.addresses.get(branch.root)?.match === this.id;
  }

  end() {
    if (!this.away) this.viewer.deadline = null;
    this.viewer.hindrance = "";
    this.away = false;
    this.source.close();
    clearInterval(this.ticking);
    clearTimeout(this.showing);
    this.asked = nobodyAsked;
    this.offerSeats();
    this.strip.hidden = true;
    if (watched === this) watched = null;
  }
}
