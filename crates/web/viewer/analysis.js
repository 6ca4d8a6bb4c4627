// The analysis of a match by the engine: expected points, best actions, and mistakes. For a server's page, this is a separate
// script; a static page contains it. A page in a file has no engine and does without.

import { allSeats } from "./board-geometry.js";
import { askAnalysis, canAsk, failureOf } from "./analysis-ask.js";
import { barChart } from "./analysis-chart.js";
import { bestActions, mountHint, actionMark } from "./analysis-hint.js";
import { analysisWords, explainedMistake, mistakeSentence, mistakesOf } from "./analysis-words.js";
import { el, setText } from "./dom.js";
import { setLanguage } from "./language.js";
import { seatChip } from "./players.js";
import { mountReview } from "./review.js";
import { remember, remembered } from "./storage.js";

/** @typedef {import("./analysis-words.js").AnalysedTurn} AnalysedTurn */
/** @typedef {import("./analysis-words.js").Mistake} Mistake */

const analysisKey = "pacman2-analysis";
/** Delays: after a change of turn, so that leafing through turns starts no requests; and after the server was busy. */
const settleMs = 250;
const busyMs = 2000;
/** How many mistakes are listed. */
const mistakesListed = 12;

/** The known analyses of each timeline, by turn. @type {WeakMap<Timeline, Map<number, AnalysedTurn>>} */
const analyses = new WeakMap();

/** @param {import("./viewer.js").Viewer} viewer */
export function mountAnalysis(viewer) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(analysisStyle);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  // On a server, this script has its own copy of the language module.
  const followLanguage = () => setLanguage(document.documentElement.lang.startsWith("zh") ? "zh" : "en");
  followLanguage();
  viewer.on("language", followLanguage);

  const goToTurn = (/** @type {number} */ turn) => {
    if (viewer.playing) viewer.play(false);
    viewer.go(turn);
  };
  const title = el("h2");
  const toggle = el("button", { type: "button", onclick: () => turn(!on) });
  const status = el("span", { class: "analysis-status", role: "status" });
  const chart = barChart(viewer, goToTurn);
  const bestTitle = el("h3");
  const best = el("div", { class: "analysis-best" });
  const mistakesTitle = el("h3");
  const list = el("ol", { class: "analysis-mistakes" });
  const note = el("p", { class: "analysis-status" });
  const review = mountReview(viewer, () => askDraw());
  const found = el("div", {}, review.box, ...chart.parts, mistakesTitle, list, note, bestTitle, best);
  const head = el("div", { class: "analysis-head" }, title, toggle, status);
  const section = document.getElementById("analysis");
  const tab = document.getElementById("tab-analysis");
  if (!section || !tab) return;
  section.append(head, found);
  tab.hidden = false;

  let on = canAsk(viewer) && remembered(analysisKey) === "on";
  /** Aborts the running request. @type {AbortController | null} */
  let asking = null;
  let due = 0;
  let drawing = 0;
  let hinting = false;
  let problem = "";
  /** The overlays of the better actions on the board. @type {string[]} */
  let marks = [];

  /** @type {() => Map<number, AnalysedTurn>} */
  const known = () => (viewer.timeline && analyses.get(viewer.timeline)) ?? new Map();
  /** The last turn that can be analysed. */
  const lastTurn = () => viewer.last + (viewer.timeline?.frames[viewer.last].over ? 0 : 1);
  /** Whether the match is in progress. Its analysis waits, to leave the machine to the players. */
  const isPlayed = () => {
    const { timeline, last, choosing, addresses } = viewer;
    return !!timeline && !timeline.frames[last].over && (choosing.size > 0 || "match" in (addresses.get(timeline) ?? {}));
  };
  /** Whether a turn is fully analysed. An analysis from before the turn was played lacks the losses. @param {number} number */
  const isKnown = (number) => {
    const analysed = known().get(number);
    return !!analysed && (!!analysed.given || number > viewer.last);
  };
  /** The turns to analyse, those closest to the shown turn first. */
  const missing = () => {
    const { turn } = viewer;
    const turns = Array.from({ length: lastTurn() }, (_, index) => index + 1).filter((number) => !isKnown(number));
    const later = turns.filter((number) => number > turn);
    const earlier = turns.filter((number) => number <= turn).reverse();
    // The next turn, the last one, all later turns, all earlier ones.
    return [...later.slice(0, 1), ...earlier.slice(0, 1), ...later.slice(1), ...earlier.slice(1)];
  };

  const stop = () => {
    clearTimeout(due);
    asking?.abort();
    asking = null;
  };
  const plan = (/** @type {number} */ ms = settleMs) => {
    clearTimeout(due);
    due = setTimeout(work, ms);
  };
  const work = async () => {
    stop();
    const { timeline } = viewer;
    const turns = missing();
    askDraw();
    if (!on || !timeline || hinting || isPlayed() || !turns.length) return;
    const controller = (asking = new AbortController());
    const results = analyses.get(timeline) ?? new Map();
    analyses.set(timeline, results);
    let received = 0;
    let full = false;
    try {
      await askAnalysis(viewer, timeline, { turns }, controller.signal, (analysed) => {
        results.set(analysed.turn, analysed);
        received += 1;
        problem = "";
        askDraw();
      });
    } catch (error) {
      const why = failureOf(error, controller.signal);
      full = why?.full ?? false;
      // An error is not retried until the user asks again.
      if (why && !full) {
        problem = why.message;
        on = false;
      }
    }
    if (asking !== controller) return;
    asking = null;
    // The server's time limit may have ended the answer early.
    if (full) plan(busyMs);
    else if (received && missing().length) plan(0);
    askDraw();
  };

  /** @param {boolean} wanted */
  const turn = (wanted) => {
    on = wanted;
    problem = "";
    remember(analysisKey, on ? "on" : "off");
    if (on) void work();
    else stop();
    draw();
  };

  const mistakes = () => [...known().values()].flatMap((turn) => mistakesOf(viewer.timeline, turn));
  /** @param {number} turn @returns {Four<number> | null} */
  const expected = (turn) => {
    const { timeline, last } = viewer;
    const frame = timeline?.frames[turn];
    if (turn === last && frame?.over) return /** @type {Four<number>} */ (frame.players.map(({ score }) => score));
    return known().get(turn + 1)?.points ?? null;
  };
  const mark = (/** @type {import("./analysis-words.js").Mistake[]} */ all) => {
    const here = on ? all.filter(({ turn }) => turn === viewer.turn) : [];
    marks = viewer.replaceOverlays(marks, here.map(({ turn, seat, better }) => actionMark(viewer, turn - 1, seat, better)));
  };

  /** The costliest turn of each player. @type {Mistake[]} */
  let worstOf = [];
  let announced = "";
  /** @param {Mistake[]} all */
  const announceWorst = (all) => {
    const found = allSeats.flatMap((seat) => all.filter((mistake) => mistake.seat === seat).sort((a, b) => b.loss - a.loss)[0] ?? []);
    const text = JSON.stringify([found, document.documentElement.lang]);
    if (text === announced) return;
    [announced, worstOf] = [text, found];
    viewer.notify("analysed");
  };
  viewer.costliest = (seat) => {
    const worst = worstOf.find((mistake) => mistake.seat === seat);
    if (!worst) return null;
    const show = () => {
      tab.click();
      if (viewer.timeline === review.match()) review.show(worst);
      else goToTurn(worst.turn);
    };
    return { turn: worst.turn, text: explainedMistake(worst), show };
  };

  let listed = "";
  /** Lists the worst mistakes in the order of their turns. @param {Mistake[]} all */
  const listMistakes = (all) => {
    const worst = [...all].sort((a, b) => b.loss - a.loss).slice(0, mistakesListed);
    worst.sort((a, b) => a.turn - b.turn || a.seat - b.seat);
    const t = analysisWords;
    setText(note, all.length > worst.length ? t.worst(worst.length, all.length) : all.length ? "" : t.noMistakes);
    const text = JSON.stringify([worst, document.documentElement.lang]);
    if (text !== listed) {
      listed = text;
      const focused = [...list.children].findIndex((item) => item.contains(document.activeElement));
      list.replaceChildren(...worst.map((mistake) => {
        const { seat, turn } = mistake;
        const go = el("button", { type: "button", onclick: () => goToTurn(turn) }, seatChip(seat), mistakeSentence(mistake));
        return el("li", { "data-turn": turn }, go);
      }));
      if (focused >= 0) list.children[Math.min(focused, worst.length - 1)]?.querySelector("button")?.focus();
    }
    for (const item of list.querySelectorAll("li")) {
      item.firstElementChild?.toggleAttribute("data-here", Number(item.dataset.turn) === viewer.turn);
    }
  };

  const draw = () => {
    drawing = 0;
    const t = analysisWords;
    const all = on && viewer.timeline ? mistakes() : [];
    mark(all);
    announceWorst(all);
    if (!viewer.timeline) return;
    setText(title, t.title);
    setText(toggle, t.analyse);
    toggle.title = t.analyseHint;
    toggle.setAttribute("aria-pressed", String(on));
    const last = lastTurn();
    const done = known().size;
    const going = done < last ? t.progress(done, last) : "";
    setText(status, problem ? t.broken(problem) : !on ? "" : isPlayed() && done < last ? t.waits : going);
    const match = review.match();
    const ofMatch = (match && analyses.get(match)) ?? new Map();
    found.hidden = !on || (isPlayed() && !done && !ofMatch.size);
    if (found.hidden) return;
    chart.draw(expected, all);
    review.draw(ofMatch, match === viewer.timeline ? all : [...ofMatch.values()].flatMap((turn) => mistakesOf(match, turn)));
    setText(mistakesTitle, t.mistakes);
    listMistakes(all);
    const now = known().get(viewer.turn + 1);
    bestTitle.hidden = best.hidden = !now;
    setText(bestTitle, t.options(viewer.turn + 1));
    const seats = allSeats.filter((seat) => now?.seats[seat].length);
    best.replaceChildren(...seats.map((seat) => bestActions(seat, now?.seats[seat] ?? [])));
  };
  const askDraw = () => {
    drawing ||= requestAnimationFrame(draw);
  };

  viewer.on("timeline", () => {
    stop();
    problem = "";
    [announced, worstOf] = ["", []];
    plan();
    draw();
  });
  viewer.on("grown", () => {
    plan();
    askDraw();
  });
  viewer.on("turn", () => {
    // A running request continues unless the shown turn is missing.
    if (!isKnown(Math.min(viewer.turn + 1, lastTurn()))) plan();
    askDraw();
  });
  // A match ended, or a seat was taken or left.
  let played = false;
  viewer.on(["playing", "view"], () => {
    if (played === isPlayed()) return;
    played = !played;
    plan();
    askDraw();
  });
  viewer.on(["language", "mine"], askDraw);
  new ResizeObserver(askDraw).observe(section);
  mountHint(viewer, {
    begin: () => {
      hinting = true;
      stop();
    },
    end: () => {
      hinting = false;
      plan();
    },
  });
  viewer.review = () => {
    tab.click();
    if (!on) turn(true);
  };
  viewer.notify("view");
  plan(0);
  draw();
}
