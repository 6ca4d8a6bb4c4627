// The map of the day: the same for everybody, from the date alone.

import { allSeats } from "./board-geometry.js";
import { el, setText } from "./dom.js";
import { scoreText, words } from "./language.js";
import { copyToClipboard } from "./text-dialog.js";

const dailyWords = words(
  {
    seed: (/** @type {number} */ seed) => `Seed ${seed}`,
    map: (/** @type {string} */ date) => `Map of ${date}`,
    line: (/** @type {string} */ date, /** @type {number} */ place, /** @type {string} */ points, /** @type {string} */ others) =>
      `Pacman2, map of ${date}: place ${place} with ${points} points (${others})`,
    copy: "Copy the result",
    copied: "Copied",
    copyFailed: "The browser does not allow copying",
  },
  {
    seed: (seed) => `随机种子 ${seed}`,
    map: (date) => `${date} 的地图`,
    line: (date, place, points, others) => `吃豆人2 ${date} 的地图：第 ${place} 名，${points} 分（${others}）`,
    copy: "复制结果",
    copied: "已复制",
    copyFailed: "浏览器不允许复制",
  },
);

/** The players of the day's map. @type {Four<string>} */
const dailyPlayers = ["human", "greedy", "hunter", "sage"];
/** A number of simulations, so that the bots are equally strong on every machine. */
const dailyEffort = { simulations: 3000 };

/** The date in the time zone that all share. */
export const today = () => new Date().toISOString().slice(0, 10);

/**
 * The seed of a date: the hash FNV-1a of its ten characters, in 32 bits, without the highest.
 * @param {string} date as in 2026-11-22
 */
export function dailySeed(date) {
  let hash = 0x811c9dc5;
  for (const char of date) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
  return hash & 0x7fffffff;
}

/** The map of a date. @param {import("./viewer.js").Viewer} viewer @param {string} date */
function dailyMap({ engine, addresses }, date) {
  const map = engine.map(dailySeed(date), null);
  addresses.set(map, { daily: date });
  return map;
}

/**
 * Starts the game of a date.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {string} date
 */
export function playDaily(viewer, date) {
  viewer.startGame(dailyMap(viewer, date), dailyPlayers, dailyEffort);
}

/**
 * Opens an address with a date: starts its game, or returns the map if the address names a game on it.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {string} date
 * @param {boolean} hasBegun
 */
export function openDaily(viewer, date, hasBegun) {
  const valid = /^\d{4}-\d\d-\d\d$/.test(date) ? date : today();
  if (hasBegun) return dailyMap(viewer, valid);
  playDaily(viewer, valid);
  return null;
}

/**
 * A bar above the page: the seed of the shown game, and at the end of the day's game its result.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {HTMLElement} bar
 */
export function mountGameBar(viewer, bar) {
  const about = el("p", { class: "home-state", role: "status" });
  const copy = el("button", { type: "button" });
  bar.append(about, copy);
  copy.addEventListener("click", async () => {
    const text = `${resultLine()}\n${location.origin}${location.pathname}#daily=${date}`;
    copy.textContent = (await copyToClipboard(text)) ? dailyWords.copied : dailyWords.copyFailed;
  });
  /** The date of the day's game that is shown, or "". */
  let date = "";
  /** The result of the day's game in a line, or "" before its end. */
  const resultLine = () => {
    const { timeline, last } = viewer;
    const frame = timeline?.frames[last];
    if (!date || !timeline || !frame?.over) return "";
    const points = allSeats.map((seat) => scoreText(frame.players[seat].score));
    const others = allSeats.slice(1).map((seat) => `${dailyPlayers[seat]} ${points[seat]}`);
    return dailyWords.line(date, frame.players[0].place, points[0], others.join(", "));
  };
  const show = () => {
    const { timeline } = viewer;
    bar.hidden = !timeline;
    if (!timeline) return;
    const { seed } = timeline.head;
    const branch = viewer.branches.find(timeline);
    const isDaily = branch?.turn === 0 && String(branch.choices) === String(dailyPlayers);
    date = (isDaily && viewer.addresses.get(branch.root)?.daily) || "";
    const what = date ? dailyWords.map(date) : "";
    const result = resultLine();
    setText(about, result || [what, dailyWords.seed(seed)].filter(Boolean).join(" · "));
    copy.hidden = !result;
    setText(copy, dailyWords.copy);
  };
  viewer.on(["timeline", "grown", "language"], show);
  show();
}
