// The players: strength, boost, and the score if the game ended now.

import { allSeats } from "./board-geometry.js";
import { el, setText, svg } from "./dom.js";
import { counted, minus, scoreText, words } from "./language.js";
import { causeName, deathOf, seatName, signed } from "./sentences.js";

const playersWords = words(
  {
    player: "Player",
    strength: "Strength",
    scoreNow: "Score now",
    scoreFinal: "Final score",
    place: (/** @type {number} */ place) => `${place}${["st", "nd", "rd"][place - 1] ?? "th"}`,
    boost: (/** @type {number} */ turns) => `boost: ${counted(turns, "turn")} left`,
    alive: "alive",
    dead: (/** @type {number} */ turn, /** @type {string} */ why) => `died in turn ${turn}: ${why}`,
    deadFromStart: "dead from the start",
    follow: (/** @type {Seat} */ seat) => `Keep player ${seat} in the middle (${seat + 1})`,
  },
  {
    player: "玩家",
    strength: "力量",
    scoreNow: "此刻得分",
    scoreFinal: "最终得分",
    place: (place) => `第 ${place} 名`,
    boost: (turns) => `增益还剩 ${turns} 回合`,
    alive: "存活",
    dead: (turn, why) => `第 ${turn} 回合死亡：${why}`,
    deadFromStart: "开局即已死亡",
    follow: (seat) => `让 ${seat} 号玩家保持在画面中央（${seat + 1}）`,
  },
);

/** The players' shapes in a square of 24: circle, square, triangle, diamond. */
export const seatShapes = [
  "M12 1a11 11 0 1 0 .01 0z",
  "M5 2h14q3 0 3 3v14q0 3-3 3H5q-3 0-3-3V5q0-3 3-3z",
  "M12 .5L24 22.5H0z",
  "M12-1L25 12 12 25-1 12z",
];

/** A player's colour, shape and digit. @param {Seat} seat */
export function seatChip(seat) {
  return svg(
    "svg",
    { class: `chip chip-${seat}`, viewBox: "-1 -1 26 26", width: 26, height: 26, role: "img", "aria-label": seat },
    svg("path", { d: seatShapes[seat], fill: "currentColor" }),
    svg("text", { x: 12, y: seat === 2 ? 20 : 17, "text-anchor": "middle", class: "chip-digit" }, seat),
  );
}

/** A button that keeps a player in the middle. @param {import("./viewer.js").Viewer} viewer @param {Seat} seat @param {Node[]} content */
function followButton(viewer, seat, ...content) {
  const onclick = () => viewer.follow(viewer.followed === seat ? null : seat);
  const button = el("button", { type: "button", onclick }, ...content);
  const show = () => {
    button.title = playersWords.follow(seat);
    button.setAttribute("aria-pressed", String(viewer.followed === seat));
  };
  viewer.on(["view", "language"], show);
  show();
  return button;
}

/** A player's name. It may be cut, so it is also the tooltip. @param {import("./viewer.js").Viewer} viewer @param {Seat} seat */
export function playersName(viewer, seat) {
  const name = el("bdi", { class: "untrusted players-name" });
  const show = () => {
    setText(name, viewer.timeline ? seatName(viewer.timeline.head, seat) : "");
    name.title = name.textContent ?? "";
  };
  viewer.on(["timeline", "language"], show);
  show();
  return name;
}

/** The line that is always in sight: each player's name and score. @type {Mount} */
export function mountScores(viewer, place) {
  const items = allSeats.map((seat) => {
    const score = el("strong");
    const state = el("span", { class: "visually-hidden" });
    return { score, state, button: followButton(viewer, seat, seatChip(seat), el("span", {}, playersName(viewer, seat), score, state)) };
  });
  place.append(...items.map(({ button }) => button));
  const show = () => {
    const { timeline, frame } = viewer;
    if (!timeline || !frame) return;
    items.forEach(({ score, state, button }, index) => {
      const player = frame.players[index];
      button.toggleAttribute("data-dead", !player.alive);
      setText(score, scoreText(player.score));
      setText(state, stateText(timeline, player, allSeats[index]));
    });
  };
  viewer.on(["turn", "grown", "language"], show);
  show();
}

/** The table of the players. @type {Mount} */
export function mountPlayers(viewer, place) {
  const heads = [0, 1, 2].map(() => el("th", { scope: "col" }));
  const rows = allSeats.map((seat) => playerRow(viewer, seat));
  place.append(
    el(
      "table",
      { class: "players-table" },
      el("thead", {}, el("tr", {}, ...heads)),
      el("tbody", {}, ...rows.map(({ row }) => row)),
    ),
  );

  const show = () => {
    const { timeline, frame } = viewer;
    const t = playersWords;
    setText(heads[0], t.player);
    setText(heads[1], t.strength);
    if (!timeline || !frame) return;
    place.toggleAttribute("data-over", frame.over);
    setText(heads[2], frame.over ? t.scoreFinal : t.scoreNow);
    const most = Math.max(...frame.players.map(({ score }) => score), 1);
    for (const row of rows) row.show(timeline, frame, most);
  };
  viewer.on(["turn", "grown", "language"], show);
  show();
}

/** @param {import("./viewer.js").Viewer} viewer @param {Seat} seat */
function playerRow(viewer, seat) {
  const state = el("span", { class: "players-state" });
  const strength = el("span", { class: "players-strength" });
  const delta = el("span", { class: "players-delta" });
  const score = el("span", { class: "players-score" });
  const rank = el("span", { class: "players-place" });
  const bar = el("span", { class: `players-bar chip-${seat}` });
  const who = el("div", { class: "players-who" }, seatChip(seat), el("div", { class: "players-text" }, playersName(viewer, seat), state));
  const row = el(
    "tr",
    {},
    el("th", { scope: "row" }, who),
    el("td", {}, strength, delta),
    el("td", {}, score, rank, el("span", { class: "players-track" }, bar)),
  );
  return {
    row,
    show: (/** @type {Timeline} */ timeline, /** @type {Frame} */ frame, /** @type {number} */ most) => {
      const player = frame.players[seat];
      const change = frame.delta[seat];
      row.toggleAttribute("data-dead", !player.alive);
      row.toggleAttribute("data-first", frame.over && player.place === 1);
      setText(state, stateText(timeline, player, seat));
      setText(strength, minus(player.strength));
      setText(delta, change ? signed(change) : "");
      delta.toggleAttribute("data-loss", change < 0);
      setText(score, scoreText(player.score));
      setText(rank, playersWords.place(player.place));
      bar.style.transform = `scaleX(${Math.max(player.score, 0) / most})`;
    },
  };
}

/** A place in words. @param {number} place */
export const placeText = (place) => playersWords.place(place);

/** Whether a player lives, or how it died. @param {Timeline} timeline @param {PlayerNow} player @param {Seat} seat */
export function stateText(timeline, player, seat) {
  if (player.alive) return player.boost ? playersWords.boost(player.boost) : playersWords.alive;
  const found = deathOf(timeline, seat);
  return found ? playersWords.dead(found.turn, causeName(timeline.head, found.death.cause)) : playersWords.deadFromStart;
}
