// The banner beside the board: the winners at the end of a match, the way to the review, and why the reader's own player lost.

import { allSeats } from "./board-geometry.js";
import { whyFailed } from "./details.js";
import { el, setText, svg, untrusted } from "./dom.js";
import { scoreText, words } from "./language.js";
import { lostSeat, ownSeats } from "./own-seats.js";
import { placeText, seatChip, stateText } from "./players.js";
import { askAgain } from "./rerun.js";
import { deathOf, playerName, seatName } from "./sentences.js";
import { goToTurn } from "./transport.js";

const resultWords = words(
  {
    wins: (/** @type {number} */ count, /** @type {boolean} */ own) =>
      /** @type {string} */ (count > 1 ? "share the first place" : own ? "win" : "wins"),
    points: (/** @type {string} */ points) => `${points} points`,
    review: "Review the match",
    own: (/** @type {string} */ player, /** @type {string} */ place, /** @type {string} */ points, /** @type {string} */ death) =>
      `${player}: ${place}, ${points} points${death && `; ${death}`}`,
    costliest: (/** @type {string} */ mistake) => `Costliest: ${mistake}`,
    goThere: (/** @type {number} */ turn) => `Go there: turn ${turn}`,
    tryIt: "Try it",
    tryHint: (/** @type {number} */ turn) => `Play turn ${turn} and the rest yourself, against the other players as in the match`,
    again: "Play again",
    fresh: "Play on a new map",
  },
  {
    wins: (count) => (count > 1 ? "并列第一" : "获胜"),
    points: (points) => `${points} 分`,
    review: "复盘",
    own: (player, place, points, death) => `${player}：${place}，${points} 分${death && `；${death}`}`,
    costliest: (mistake) => `代价最大：${mistake}`,
    goThere: (turn) => `转到第 ${turn} 回合`,
    tryIt: "试一试",
    tryHint: (turn) => `从第 ${turn} 回合起自己玩，其他玩家与原对局相同`,
    again: "再来一局",
    fresh: "换张地图再来",
  },
);

const crownIcon = "M2 8l5 4 5-8 5 8 5-4-2 12H4z";

/** @type {Mount} */
export function mountResult(viewer, container) {
  const names = el("span", { class: "result-names" });
  const verb = el("span");
  const points = el("span", { class: "result-points" });
  const crown = svg("path", { d: crownIcon, fill: "currentColor" });
  const icon = svg("svg", { class: "result-crown", viewBox: "0 0 24 24", width: 28, height: 28, "aria-hidden": "true" }, crown);
  container.classList.add("result");
  const review = el("button", { type: "button", onclick: () => viewer.review?.() });
  const winner = [icon, el("p", {}, names, " ", verb), points];
  const own = ownPart(viewer);
  container.append(...winner, review, own.box);
  const show = () => {
    const { timeline, frame } = viewer;
    const over = frame?.over ?? false;
    const hasOwn = own.show();
    container.hidden = !timeline || !(over || hasOwn);
    if (container.hidden || !timeline || !frame) return;
    container.toggleAttribute("data-over", over);
    review.hidden = !viewer.review || (!over && own.isReviewed());
    for (const part of winner) part.toggleAttribute("hidden", !over);
    const winners = allSeats.filter((seat) => frame.players[seat].place === 1);
    names.replaceChildren(...winners.map((seat) =>
      el("span", { class: "result-name" }, seatChip(seat), untrusted(seatName(timeline.head, seat)))));
    setText(verb, resultWords.wins(winners.length, timeline.head.seats[winners[0]].own ?? false));
    setText(review, resultWords.review);
    setText(points, resultWords.points(scoreText(frame.players[winners[0]].score)));
  };
  // The analysis may come after the page.
  viewer.on(["timeline", "turn", "grown", "future", "mine", "analysed", "view", "language"], show);
  show();
}

/** The end for the reader's own players: places and deaths, why one lost, and what to do about it. @param {import("./viewer.js").Viewer} viewer */
function ownPart(viewer) {
  const summary = el("summary");
  const why = el("pre", { class: "untrusted", dir: "auto" });
  const costliest = el("p");
  const goThere = el("button", { type: "button", onclick: () => moment?.show() });
  const tryIt = el("button", { type: "button", onclick: () => tryMoment() });
  const ask = askAgain(viewer);
  const again = [true, false].map((isSameMap) => el("button", { type: "button", onclick: () => viewer.playAgain(isSameMap) }));
  const ways = el("div", { class: "result-ways" }, goThere, tryIt, ask.box, ...again);
  const box = el("details", { class: "result-own", open: true }, summary, why, costliest, ways);
  /** The player that lost. @type {Seat | null} */
  let lost = null;
  /** The turn that decided for it. @type {{ turn: number, show: () => void } | null} */
  let moment = null;
  /** Its costliest turn. @type {ReturnType<NonNullable<typeof viewer.costliest>>} */
  let worst = null;

  const tryMoment = () => {
    const { timeline, branches } = viewer;
    if (!timeline || !moment) return;
    const choices = branches.find(timeline)?.choices ?? allSeats.map(() => "recorded");
    viewer.playOn(timeline, moment.turn - 1, /** @type {Four<string>} */ (choices.map((choice, seat) => (seat === lost ? "human" : choice))), []);
  };
  /** @param {Timeline} timeline @param {Seat} seat */
  const ownText = (timeline, seat) => {
    const player = timeline.frames[viewer.last].players[seat];
    const death = player.alive ? "" : stateText(timeline, player, seat);
    return resultWords.own(playerName(timeline.head, seat), placeText(player.place), scoreText(player.score), death);
  };
  const show = () => {
    const { timeline, frame } = viewer;
    const t = resultWords;
    lost = lostSeat(viewer);
    const seats = timeline ? ownSeats(viewer, timeline) : [];
    const isPlayer = !!timeline && seats.some((seat) => timeline.head.seats[seat].own);
    const isShown = lost !== null || (isPlayer && (frame?.over ?? false));
    box.hidden = !isShown;
    if (!isShown || !timeline) return false;
    setText(summary, seats.map((seat) => ownText(timeline, seat)).join("\n"));
    const death = lost === null ? null : deathOf(timeline, lost);
    const isFault = death?.death.cause.cause === "illegal";
    worst = lost === null ? null : viewer.costliest?.(lost) ?? null;
    moment = (isFault ? null : worst) ?? (death && { turn: death.turn, show: () => goToTurn(viewer, death.turn) });
    setText(why, isFault && lost !== null ? whyFailed(timeline.frames[death.turn].answers[lost]) : "");
    setText(costliest, worst && !(isFault && worst.turn === death.turn) ? t.costliest(worst.text) : "");
    goThere.hidden = tryIt.hidden = !moment;
    setText(goThere, t.goThere(moment?.turn ?? 0));
    setText(tryIt, t.tryIt);
    tryIt.title = t.tryHint(moment?.turn ?? 0);
    ask.show(timeline, lost);
    again.forEach((button, index) => {
      button.hidden = !isPlayer;
      setText(button, index ? t.fresh : t.again);
    });
    return true;
  };
  return { box, show, isReviewed: () => worst !== null };
}
