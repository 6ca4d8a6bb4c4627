// The banner with the winners, beside the board at the end of a match, and the way to the review.

import { allSeats } from "./board-geometry.js";
import { el, setText, svg, untrusted } from "./dom.js";
import { scoreText, words } from "./language.js";
import { placeText, seatChip, stateText } from "./players.js";
import { playerName, seatName } from "./sentences.js";

const resultWords = words(
  {
    wins: (/** @type {number} */ count, /** @type {boolean} */ own) =>
      /** @type {string} */ (count > 1 ? "share the first place" : own ? "win" : "wins"),
    points: (/** @type {string} */ points) => `${points} points`,
    review: "Review the match",
    own: (/** @type {string} */ player, /** @type {string} */ place, /** @type {string} */ points, /** @type {string} */ death) =>
      `${player}: ${place}, ${points} points${death && `; ${death}`}`,
    again: "Play again",
    fresh: "Play on a new map",
  },
  {
    wins: (count) => (count > 1 ? "并列第一" : "获胜"),
    points: (points) => `${points} 分`,
    review: "复盘",
    own: (player, place, points, death) => `${player}：${place}，${points} 分${death && `；${death}`}`,
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
  const own = el("p");
  const again = [true, false].map((isSameMap) => el("button", { type: "button", onclick: () => viewer.playAgain(isSameMap) }));
  const ownRow = el("div", { class: "result-own" }, own, ...again);
  container.append(icon, el("p", {}, names, " ", verb), points, review, ownRow);
  const show = () => {
    const { timeline, frame } = viewer;
    container.hidden = !timeline || !frame?.over;
    if (container.hidden || !timeline || !frame) return;
    const winners = allSeats.filter((seat) => frame.players[seat].place === 1);
    names.replaceChildren(...winners.map((seat) =>
      el("span", { class: "result-name" }, seatChip(seat), untrusted(seatName(timeline.head, seat)))));
    const t = resultWords;
    const isOwn = (/** @type {Seat} */ seat) => timeline.head.seats[seat].own ?? false;
    setText(verb, t.wins(winners.length, isOwn(winners[0])));
    const owned = allSeats.filter(isOwn);
    ownRow.hidden = !owned.length;
    setText(own, owned.map((seat) => {
      const player = frame.players[seat];
      const death = player.alive ? "" : stateText(timeline, player, seat);
      return t.own(playerName(timeline.head, seat), placeText(player.place), scoreText(player.score), death);
    }).join("\n"));
    again.forEach((button, index) => setText(button, index ? t.fresh : t.again));
    setText(review, resultWords.review);
    setText(points, resultWords.points(scoreText(frame.players[winners[0]].score)));
  };
  // The analysis may come after the page.
  const showReview = () => (review.hidden = !viewer.review);
  viewer.on(["timeline", "turn", "grown", "language"], show);
  viewer.on("view", showReview);
  show();
  showReview();
}
