// The guided review of a player's match: its accuracy, and its five costliest turns. Each is shown as the bot met it, with what
// the bot drew and wrote, the better action, and the line that follows it.

import { allSeats } from "./board-geometry.js";
import { actionMark } from "./analysis-hint.js";
import { analysisWords, mistakeSentence } from "./analysis-words.js";
import { el, setText, visibleText } from "./dom.js";
import { seatChip } from "./players.js";
import { playerName } from "./sentences.js";

/** @typedef {import("./analysis-words.js").AnalysedTurn} AnalysedTurn */
/** @typedef {import("./analysis-words.js").Mistake} Mistake */

const reviewedTurns = 5;

/** The mean of the accuracies of a player's turns; null if none is known. @param {AnalysedTurn[]} turns @param {Seat} seat */
function accuracyOf(turns, seat) {
  const each = turns.flatMap(({ accuracy }) => accuracy?.[seat] ?? []);
  return each.length ? each.reduce((sum, one) => sum + one, 0) / each.length : null;
}

/** The seat whose author looks: that of a human or of a program that is not built in. @param {Head} head @returns {Seat} */
const likelySeat = ({ seats }) => allSeats.find((seat) => !seats[seat].program?.startsWith("built-in")) ?? 0;

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {() => void} changed called when another player or turn is chosen
 */
export function mountReview(viewer, changed) {
  const t = analysisWords;
  const title = el("h3");
  const choice = el("div", { class: "review-seats", role: "group" });
  const list = el("ol", { class: "analysis-mistakes" });
  const sentence = el("p");
  const legend = el("p", { class: "analysis-status" });
  const words = el("pre", { class: "untrusted", dir: "auto" });
  const lineButton = el("button", { type: "button", class: "primary", onclick: () => showLine() });
  const tryTitle = el("span", { class: "analysis-status" });
  const tries = el("span", { class: "review-tries" });
  const card = el("div", { class: "review-card" }, sentence, legend, words, el("div", { class: "review-tries" }, lineButton, tryTitle, tries));
  const box = el("div", { class: "review" }, choice, title, list, card);
  const buttons = allSeats.map((seat) => {
    const text = el("span");
    const button = el("button", { type: "button", onclick: () => chooseSeat(seat) }, seatChip(seat), text);
    choice.append(button);
    return { button, text };
  });

  /** @type {Seat} */
  let seat = 0;
  /** The turn under review. @type {Mistake | null} */
  let open = null;
  /** The known analyses. @type {Map<number, AnalysedTurn>} */
  let known = new Map();
  /** The overlays of the review. @type {string[]} */
  let marks = [];

  const mark = () => {
    const isShown = open && viewer.turn === open.turn - 1 && viewer.frame;
    const wanted = open && isShown
      ? [`knew-${open.seat}`, actionMark(viewer, open.turn - 1, open.seat, open.better, "gold"),
        ...(open.given >= -1 && open.given < 8 ? [actionMark(viewer, open.turn - 1, open.seat, open.given)] : [])]
      : [];
    if (String(wanted) === String(marks)) return;
    for (const old of marks) viewer.overlays.delete(old);
    for (const made of wanted) viewer.overlays.add(made);
    marks = wanted;
    viewer.notify("view");
  };
  /** @param {Seat} wanted */
  const chooseSeat = (wanted) => {
    seat = wanted;
    open = null;
    mark();
    changed();
  };
  /** Shows the position in which the player decided. @param {Mistake} mistake */
  const review = (mistake) => {
    open = mistake;
    if (viewer.playing) viewer.play(false);
    viewer.go(mistake.turn - 1);
    mark();
    changed();
  };
  const showLine = () => {
    const { timeline } = viewer;
    const best = open && known.get(open.turn)?.seats[open.seat][0];
    if (timeline && open && best) viewer.playOn(open.turn - 1, ["recorded", "recorded", "recorded", "recorded"], best.line);
  };
  /** @param {string} player */
  const tryIt = (player) => {
    if (!open) return;
    const choices = allSeats.map((other) => (other === open?.seat ? player : "recorded"));
    viewer.playOn(open.turn - 1, /** @type {Four<string>} */ (choices), []);
  };

  const showCard = () => {
    card.hidden = !open;
    if (!open) return;
    const answer = viewer.timeline?.frames[open.turn]?.answers[open.seat];
    setText(sentence, mistakeSentence(open));
    setText(legend, t.reviewLegend);
    const written = [answer?.complaint, answer?.stderr].filter(Boolean).join("\n");
    words.hidden = answer?.verdict === "OK" || !written;
    setText(words, visibleText(written.slice(0, 2048)));
    lineButton.hidden = !known.get(open.turn)?.seats[open.seat][0]?.line.length;
    setText(lineButton, t.showLine);
    setText(tryTitle, t.tryIt);
    const players = ["human", ...viewer.strongBots()];
    if (tries.dataset.players !== `${players} ${t.you}`) {
      tries.replaceChildren(...players.map((player) =>
        el("button", { type: "button", onclick: () => tryIt(player) }, player === "human" ? t.you : player)));
    }
    tries.dataset.players = `${players} ${t.you}`;
  };

  viewer.on("timeline", () => {
    const { timeline } = viewer;
    marks = [];
    // A branch keeps the review of its match.
    if (timeline?.head.source === "what-if") return;
    open = null;
    if (timeline) seat = likelySeat(timeline.head);
  });
  viewer.on("turn", mark);

  return {
    box,
    /** @param {Map<number, AnalysedTurn>} turns @param {Mistake[]} mistakes */
    draw: (turns, mistakes) => {
      const { timeline } = viewer;
      if (!timeline) return;
      known = turns;
      choice.setAttribute("aria-label", t.reviewOf);
      buttons.forEach(({ button, text }, other) => {
        const accuracy = accuracyOf([...turns.values()], allSeats[other]);
        setText(text, accuracy === null ? "–" : `${accuracy.toFixed(0)} %`);
        button.title = t.accuracy(playerName(timeline.head, allSeats[other]));
        button.setAttribute("aria-label", `${button.title}: ${text.textContent}`);
        button.setAttribute("aria-pressed", String(other === seat));
      });
      const worst = mistakes.filter((mistake) => mistake.seat === seat).sort((a, b) => b.loss - a.loss).slice(0, reviewedTurns);
      setText(title, worst.length ? t.costliest(worst.length, playerName(timeline.head, seat)) : t.noMistakesOf(playerName(timeline.head, seat)));
      const text = JSON.stringify([worst, open, document.documentElement.lang]);
      if (list.dataset.shown !== text) {
        const focused = [...list.children].findIndex((item) => item.contains(document.activeElement));
        list.replaceChildren(...worst.map((mistake) => {
          const button = el("button", { type: "button", onclick: () => review(mistake) }, mistakeSentence(mistake));
          button.toggleAttribute("data-here", mistake.turn === open?.turn);
          return el("li", { "data-turn": mistake.turn }, button);
        }));
        if (focused >= 0) list.children[Math.min(focused, worst.length - 1)]?.querySelector("button")?.focus();
      }
      list.dataset.shown = text;
      showCard();
      mark();
    },
  };
}
