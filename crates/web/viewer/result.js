// The banner with the winners, beside the board at the end of a match, and the way to the review.

import { allSeats } from "./board-geometry.js";
import { el, setText, shortName, svg, untrusted } from "./dom.js";
import { scoreText, words } from "./language.js";
import { seatChip } from "./players.js";

const resultWords = words(
  {
    wins: (/** @type {number} */ count) => /** @type {string} */ (count > 1 ? "share the first place" : "wins"),
    points: (/** @type {string} */ points) => `${points} points`,
    review: "Review the match",
  },
  {
    wins: (count) => (count > 1 ? "并列第一" : "获胜"),
    points: (points) => `${points} 分`,
    review: "复盘",
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
  container.append(icon, el("p", {}, names, " ", verb), points, review);
  const show = () => {
    const { timeline, frame } = viewer;
    container.hidden = !timeline || !frame?.over;
    if (container.hidden || !timeline || !frame) return;
    const winners = allSeats.filter((seat) => frame.players[seat].place === 1);
    names.replaceChildren(...winners.map((seat) =>
      el("span", { class: "result-name" }, seatChip(seat), untrusted(shortName(timeline.head.seats[seat].name)))));
    setText(verb, resultWords.wins(winners.length));
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
