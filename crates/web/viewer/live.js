// Watching a match while it is played, and playing in it.

import { el, harmless } from "./dom.js";
import { words } from "./language.js";
import { allSeats, setText } from "./players.js";
import { Refusal, getText, post, rememberPlace } from "./server.js";

const liveWords = words(
  {
    live: (/** @type {number} */ turn, /** @type {number} */ turns) => `Live, turn ${turn} of ${turns}`,
    waits: (/** @type {string} */ seats) => `waiting for player ${seats}`,
    yours: (/** @type {string} */ seats) => `your move, player ${seats}`,
    and: " and ",
    seconds: (/** @type {number} */ left) => `${left} s`,
    timeLeft: "Time left",
    over: "The match is over.",
    abandoned: "The match was abandoned.",
    back: "Back to the match",
    kept: (/** @type {string} */ name) => `Its replay is ${name}.`,
    unkept: (/** @type {string} */ why) => `It has no replay in the folder: ${why}`,
    late: "Too late: the turn was over.",
    lost: "The connection to the server is lost; trying again …",
    forgotten: "The server no longer knows this match.",
    broken: (/** @type {string} */ why) => `The match cannot be shown: ${why}`,
    sit: (/** @type {number} */ seat) => `Play player ${seat}`,
    abandon: "Abandon",
  },
  {
    live: (turn, turns) => `直播：第 ${turn}/${turns} 回合`,
    waits: (seats) => `正在等 ${seats} 号玩家`,
    yours: (seats) => `该你了，${seats} 号玩家`,
    and: "、",
    seconds: (left) => `${left} 秒`,
    timeLeft: "剩余时间",
    over: "对局结束。",
    abandoned: "对局已中止。",
    back: "回到对局",
    kept: (name) => `录像已存为 ${name}。`,
    unkept: (why) => `录像没能存进文件夹：${why}`,
    late: "晚了，这一回合已经结束。",
    lost: "与服务器的连接断开，正在重试……",
    forgotten: "服务器已不再保存这场对局。",
    broken: (why) => `无法显示这场对局：${why}`,
    sit: (seat) => `操作 ${seat} 号`,
    abandon: "中止对局",
  },
);

/** Turns that follow each other faster than this cannot be watched as they come. */
const quickTurnMs = 350;

/** Whom a match waits for. @typedef {{ turn: number, seats: Seat[], deadline_ms: number | null }} Asked */
/** @type {Asked} */
const askedNobody = { turn: 0, seats: [], deadline_ms: null };

/** The match that is being watched; there is at most one. @type {LiveMatch | null} */
let watched = null;
/** Who is told that the viewer has changed. @type {import("./viewer.js").Viewer | null} */
let watchingViewer = null;

/**
 * Watches a match from its beginning on, until another film is shown.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {string} id
 * @param {HTMLElement} strip where it tells its state
 * @param {Seat[] | null} started the seats that this page plays, if it has just started the match
 * @param {number | null} turn the turn to look at, if not the last one
 */
export function watchMatch(viewer, id, strip, started, turn) {
  if (watchingViewer !== viewer) {
    watchingViewer = viewer;
    viewer.on("film", () => watched?.filmChanged());
    viewer.on("language", () => watched?.tell());
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
    this.mine = new Set(started ?? JSON.parse(sessionStorage.getItem(this.key) ?? "[]"));
    this.keepSeats();
    /** @type {Film | null} */
    this.film = null;
    /** Somebody tries here what would have been; the match goes on meanwhile. */
    this.away = false;
    this.asked = askedNobody;
    /** What the page was given to choose by. @type {Map<Seat, (action: Action) => void>} */
    this.offered = new Map();
    this.deadline = 0;
    /** Turns that are in the film and not shown yet, and the timer that will show them. */
    this.fresh = 0;
    this.showing = 0;
    /** When turns were shown last, and whether they came too fast to be followed. */
    this.shownAt = -Infinity;
    this.rushed = false;
    /** What went wrong, in the words of the moment. */
    this.trouble = () => "";
    /** How it ended, if it has. @type {(() => string) | null} */
    this.ending = null;

    this.strip = strip;
    this.state = el("p", { class: "home-state", role: "status" });
    this.clock = el("span", { class: "home-clock", role: "timer" });
    this.toggles = allSeats.map((seat) => el("button", { type: "button", onclick: () => this.sit(seat) }));
    this.abandonButton = el("button", { type: "button", onclick: () => this.abandon() });
    this.backButton = el("button", { type: "button", class: "chief", onclick: () => viewer.show(this.film, viewer.turn) });
    strip.replaceChildren(this.state, this.clock, this.backButton, ...this.toggles, this.abandonButton);
    strip.hidden = false;
    this.ticking = setInterval(() => this.tellClock(), 250);

    this.source = new EventSource(`${this.path}/events`);
    for (const [kind, take] of /** @type {const} */ ([
      ["film", (/** @type {string} */ data) => this.takeFilm(data)],
      ["turn", (/** @type {string} */ data) => this.takeTurn(data)],
      ["asked", (/** @type {string} */ data) => this.takeAsked(data)],
      ["end", (/** @type {string} */ data) => this.takeEnd(data)],
    ])) {
      this.source.addEventListener(kind, ({ data }) => {
        try {
          take(data);
        } catch (error) {
          this.source.close();
          this.fail(error, (message) => liveWords.broken(harmless(message)));
        }
        this.tell();
      });
    }
    this.source.addEventListener("error", () => this.explainLoss());
    this.tell();
  }

  /** The match so far: at first, and again after the connection was lost. @param {string} text */
  takeFilm(text) {
    const { viewer, film: before } = this;
    const film = viewer.engine.open(text);
    const last = film.frames.length - 1;
    const { over } = film.frames[last];
    const follows = before ? viewer.live : !over && this.wanted === null;
    const turn = before ? viewer.turn : (this.wanted ?? (this.started || over ? 0 : last));
    this.film = film;
    viewer.addresses.set(film, { match: this.id });
    this.trouble = () => "";
    this.fresh = 0;
    if (this.away) return;
    viewer.show(film, before && follows ? last : turn);
    if (before) viewer.engine.close(before);
    if (follows) this.follow(true);
    if (!before && this.started && last && !this.isPlaying()) this.playFromHere();
  }

  /** @param {string} text */
  takeTurn(text) {
    if (!this.film) return;
    this.viewer.engine.push(this.film, JSON.parse(text));
    this.fresh += 1;
    this.showing ||= setTimeout(() => this.showFresh(), 20);
  }

  /** Turns are shown as they come, unless bots are too quick for that. */
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
    this.tell();
  }

  /** Whether a seat of this page is alive. */
  isPlaying() {
    const players = this.film?.frames[this.film.frames.length - 1].players;
    return [...this.mine].some((seat) => players?.[seat].alive);
  }

  /** Shows the turns at the pace of a replay; who wants to see the last ones goes there. */
  playFromHere() {
    this.rushed = true;
    this.follow(false);
    this.viewer.play(true);
  }

  /** @param {string} text */
  takeAsked(text) {
    this.asked = JSON.parse(text);
    this.deadline = performance.now() + (this.asked.deadline_ms ?? 0);
    // Nobody chooses for a turn before seeing the one before it.
    if (this.fresh) this.showFresh();
    this.offer();
  }

  /** @param {string} text */
  takeEnd(text) {
    this.source.close();
    if (this.fresh) this.showFresh();
    const { scores, replay, error } = JSON.parse(text);
    // The match will be forgotten; its replay stays.
    if (replay && this.film) {
      this.viewer.addresses.set(this.film, { replay });
      if (!this.away) rememberPlace({ replay });
    }
    this.ending = () => {
      const t = liveWords;
      const left = [replay && t.kept(harmless(replay)), error && t.unkept(harmless(error))].filter(Boolean);
      return [scores ? t.over : t.abandoned, ...left].join(" ");
    };
    this.asked = askedNobody;
    this.offer();
    this.follow(false);
  }

  /** @param {boolean} on */
  follow(on) {
    if (this.away) return;
    this.viewer.live = on;
    this.viewer.tell("playing");
  }

  /** Lets the person choose for the seats of this page that are asked, and for no others. */
  offer() {
    const { viewer, asked, mine } = this;
    if (this.away) return;
    for (const seat of allSeats) {
      if (mine.has(seat) && asked.seats.includes(seat)) {
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
    // Who looked back sees what comes of it.
    this.follow(true);
    this.viewer.go(this.viewer.last);
    try {
      await post(`${this.path}/seats/${seat}`, { turn, action });
      this.trouble = () => "";
    } catch (error) {
      if (error instanceof Refusal && error.status === 409) this.trouble = () => liveWords.late;
      else this.fail(error);
      if (watched === this) this.offer();
    }
    this.tell();
  }

  /** Takes a seat, or leaves it to other pages. @param {Seat} seat */
  sit(seat) {
    if (!this.mine.delete(seat)) this.mine.add(seat);
    this.keepSeats();
    this.offer();
    this.tell();
  }

  /** A page that is loaded anew plays on. */
  keepSeats() {
    sessionStorage.setItem(this.key, JSON.stringify([...this.mine]));
  }

  async abandon() {
    try {
      await post(`${this.path}/abandon`);
    } catch (error) {
      this.fail(error);
      this.tell();
    }
  }

  /** A stream that was refused says not why; another question tells. */
  async explainLoss() {
    this.trouble = () => liveWords.lost;
    this.tell();
    if (this.source.readyState !== EventSource.CLOSED) return;
    this.asked = askedNobody;
    this.offer();
    try {
      await getText("/api/matches");
      this.trouble = () => "";
      this.ending = () => liveWords.forgotten;
    } catch (error) {
      this.fail(error);
    }
    this.tell();
  }

  /**
   * @param {unknown} error
   * @param {(message: string) => string} [say]
   */
  fail(error, say = (message) => message) {
    const { message } = /** @type {Error} */ (error);
    this.trouble = () => say(message);
  }

  tell() {
    const { film, asked, mine, ending } = this;
    const t = liveWords;
    const own = asked.seats.filter((seat) => mine.has(seat));
    const waited = own.length ? t.yours(own.join(t.and)) : asked.seats.length ? t.waits(asked.seats.join(t.and)) : "";
    const live = film ? t.live(film.frames.length - 1, film.head.settings.turn_limit) : "";
    setText(this.state, [ending ? ending() : live, waited, this.trouble()].filter(Boolean).join(" · "));
    this.strip.classList.toggle("home-yours", own.length > 0);
    this.clock.setAttribute("aria-label", t.timeLeft);
    this.tellClock();
    for (const seat of allSeats) {
      const toggle = this.toggles[seat];
      const sitting = film?.head.seats[seat];
      toggle.hidden = !!ending || sitting?.name !== "human" || sitting.program !== null;
      toggle.setAttribute("aria-pressed", String(mine.has(seat)));
      setText(toggle, t.sit(seat));
    }
    this.backButton.hidden = !this.away;
    setText(this.backButton, t.back);
    this.abandonButton.hidden = !!ending;
    setText(this.abandonButton, t.abandon);
  }

  tellClock() {
    const left = Math.max(0, this.deadline - performance.now());
    this.clock.hidden = this.asked.deadline_ms === null || !this.asked.seats.length;
    setText(this.clock, liveWords.seconds(Math.ceil(left / 1000)));
    this.clock.classList.toggle("home-urgent", left < 5000);
  }

  filmChanged() {
    const { viewer } = this;
    if (viewer.film === this.film) {
      if (!this.away) return;
      this.away = false;
      this.follow(!this.ending);
      viewer.go(viewer.last);
    } else if (this.film && !this.ending && viewer.film?.head.source === "what-if") {
      // The match waits for nobody who only tries something.
      for (const [seat, choose] of this.offered) if (viewer.choosing.get(seat) === choose) viewer.choose(seat, null);
      this.away = true;
    } else {
      this.end();
      return;
    }
    this.offer();
    this.tell();
  }

  end() {
    this.away = false;
    this.source.close();
    clearInterval(this.ticking);
    clearTimeout(this.showing);
    this.asked = askedNobody;
    this.offer();
    this.strip.hidden = true;
    if (watched === this) watched = null;
  }
}
