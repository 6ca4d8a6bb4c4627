// The guided review of a player: its accuracy, and its five costliest turns. Each is shown as the player met it, with what its bot
// drew and wrote, the better action, and the line that follows it.

import { allSeats } from "./board-geometry.js";
import { actionMark } from "./analysis-hint.js";
import { analysisWords, explainedMistake } from "./analysis-words.js";
import { el, endOf, setText } from "./dom.js";
import { lostSeat, ownSeats } from "./own-seats.js";
import { seatChip } from "./players.js";
import { faultName, playerName } from "./sentences.js";

/** @typedef {import("./analysis-words.js").AnalysedTurn} AnalysedTurn */
/** @typedef {import("./analysis-words.js").Mistake} Mistake */

const reviewedTurns = 5;
/** The bots that may take the player's place. */
const reviewBots = ["sage", "hunter"];
/** @type {Four<string>} */
const asRecorded = ["recorded", "recorded", "recorded", "recorded"];

/** The mean of the accuracies of a player's turns; null if none is known. @param {AnalysedTurn[]} turns @param {Seat} seat */
function accuracyOf(turns, seat) {
  const each = turns.flatMap(({ accuracy }) => accuracy?.[seat] ?? []);
  return each.length ? each.reduce((sum, one) => sum + one, 0) / each.length : null;
}

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {() => void} changed called when another player or turn is chosen
 */
export function mountReview(viewer, changed) {
  const choice = el("div", { class: "review-players", role: "group" });
  const title = el("h3");
  const list = el("ol", { class: "analysis-mistakes" });
  const legend = el("p", { class: "analysis-status" });
  const fault = el("p");
  const written = el("pre", { class: "untrusted details-end", dir: "auto" });
  const lineButton = el("button", { type: "button", class: "primary", onclick: () => showLine() });
  const back = el("button", { type: "button", onclick: () => open && review(open) });
  const tryTitle = el("span", { class: "analysis-status" });
  const tries = el("div", { class: "review-row" }, tryTitle);
  const programsTitle = el("span", { class: "analysis-status" });
  const programs = el("div", { class: "review-row" }, programsTitle);
  const card = el("div", { class: "review-card" }, legend, fault, written, el("div", { class: "review-row" }, lineButton, back), tries, programs);
  const box = el("div", {}, choice, title, list, card);
  const players = allSeats.map((seat) => {
    const text = el("span");
    const button = el("button", { type: "button", onclick: () => chooseSeat(seat) }, seatChip(seat), text);
    choice.append(button);
    return { button, text };
  });
  /** Adds a button for each player that may take the place of the reviewed one. Returns that of the user. */
  const addPlayers = (/** @type {HTMLElement} */ row, /** @type {(player: string) => void} */ choose) => {
    const bots = reviewBots.filter((bot) => viewer.strong?.has(bot));
    const [yours] = ["human", ...bots].map((player) =>
      row.appendChild(el("button", { type: "button", onclick: () => choose(player) }, player)));
    return yours;
  };

  /** @type {Seat} */
  let seat = 0;
  /** The match under review. @type {Timeline | null} */
  let match = null;
  /** The turn under review. @type {Mistake | null} */
  let open = null;
  /** The line of the better action. @type {Four<Action | null>[]} */
  let line = [];
  /** The overlays of the review. @type {string[]} */
  let marks = [];

  const mark = () => {
    /** @type {string[]} */
    let wanted = [];
    if (open && viewer.timeline === match && viewer.turn === open.turn - 1) {
      const { turn, given, better } = open;
      const did = given >= -1 && given < 8 ? [actionMark(viewer, turn - 1, open.seat, given)] : [];
      wanted = [`knew-${open.seat}`, ...did, `${actionMark(viewer, turn - 1, open.seat, better)}|better`];
    }
    marks = viewer.replaceOverlays(marks, wanted);
  };
  /** @param {Seat} wanted */
  const chooseSeat = (wanted) => {
    seat = wanted;
    open = null;
    mark();
    changed();
  };
  /** Shows the position in which the player chose. @param {Mistake} mistake */
  const review = (mistake) => {
    open = mistake;
    if (viewer.playing) viewer.play(false);
    if (viewer.timeline === match) viewer.go(mistake.turn - 1);
    else viewer.show(match, mistake.turn - 1);
    mark();
    changed();
  };
  const showLine = () => {
    if (match && open) viewer.playOn(match, open.turn - 1, asRecorded, line);
  };
  /** The players, with another one in the place of the reviewed one. */
  const lineup = (/** @type {string} */ player, /** @type {string[]} */ others) =>
    /** @type {Four<string>} */ (others.map((other, number) => (number === open?.seat ? player : other)));
  const yourButtons = [
    addPlayers(tries, (player) => {
      if (match && open) viewer.playOn(match, open.turn - 1, lineup(player, asRecorded), []);
    }),
    addPlayers(programs, (player) => {
      if (match && open) viewer.rematch?.(match, open.turn - 1, lineup(player, match.head.seats.map(({ name }) => name)));
    }),
  ];

  const showCard = () => {
    const t = analysisWords;
    card.hidden = !open;
    if (!open || !match) return;
    const answer = match.frames[open.turn]?.answers[open.seat];
    // The banner says it of the reader's own bot.
    const failed = answer && answer.verdict !== "OK" && open.seat !== lostSeat(viewer) ? answer : null;
    setText(legend, t.legend);
    setText(fault, failed ? faultName(failed.action, failed.verdict) : "");
    written.hidden = !failed?.stderr;
    setText(written, endOf(failed?.stderr));
    lineButton.hidden = !line.length;
    setText(lineButton, t.showLine);
    back.hidden = viewer.timeline === match;
    setText(back, t.backToReview(open.turn - 1));
    setText(tryTitle, t.tryIt);
    setText(programsTitle, t.tryPrograms);
    programs.hidden = !viewer.rematch;
    for (const button of yourButtons) setText(button, t.you);
  };

  const take = () => {
    const { timeline } = viewer;
    // A branch keeps the review of its match.
    if (timeline !== match && timeline?.head.source !== "what-if") {
      open = null;
      match = timeline;
      takeSeat();
    }
    mark();
  };
  const takeSeat = () => {
    if (match) seat = ownSeats(viewer, match)[0] ?? 0;
  };
  viewer.on("timeline", take);
  viewer.on("turn", mark);
  viewer.on("mine", takeSeat);
  take();

  return {
    box,
    /** Shows a mistake in the match as its player met it. @param {Mistake} mistake */
    show: (mistake) => {
      seat = mistake.seat;
      review(mistake);
    },
    /** @param {Map<number, AnalysedTurn>} turns the known analyses of the match @param {Mistake[]} mistakes */
    draw: (turns, mistakes) => {
      const t = analysisWords;
      if (!match) return;
      const { head } = match;
      choice.setAttribute("aria-label", t.reviewOf);
      choice.title = t.reviewOf;
      players.forEach(({ button, text }, other) => {
        const accuracy = accuracyOf([...turns.values()], allSeats[other]);
        setText(text, accuracy === null ? "–" : `${accuracy.toFixed(0)} %`);
        button.title = t.accuracy(playerName(head, allSeats[other]));
        button.setAttribute("aria-pressed", String(other === seat));
      });
      const worst = mistakes.filter((mistake) => mistake.seat === seat).sort((a, b) => b.loss - a.loss).slice(0, reviewedTurns);
      const name = playerName(head, seat);
      setText(title, worst.length ? t.costliest(worst.length, name) : t.noMistakesOf(name));
      const shown = JSON.stringify([worst, open?.turn, document.documentElement.lang]);
      if (list.dataset.shown !== shown) {
        const focused = [...list.children].findIndex((item) => item.contains(document.activeElement));
        list.replaceChildren(...worst.map((mistake) => {
          const button = el("button", { type: "button", onclick: () => review(mistake) }, explainedMistake(mistake));
          button.toggleAttribute("data-here", mistake.turn === open?.turn);
          return el("li", {}, button);
        }));
        if (focused >= 0) list.children[Math.min(focused, worst.length - 1)]?.querySelector("button")?.focus();
      }
      list.dataset.shown = shown;
      line = (open && turns.get(open.turn)?.seats[open.seat][0]?.line) ?? [];
      showCard();
      mark();
    },
    /** The match under review. */
    match: () => match,
  };
}
