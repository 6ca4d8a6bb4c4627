// The settings of a match on a server: its clock, map, and limits.

import { clockedFrom } from "./action-pad.js";
import { allSeats } from "./board-geometry.js";
import { el } from "./dom.js";
import { reasonText, words } from "./language.js";
import { localize, localized } from "./localized.js";
import { matchField, matchSelect, mountMatchDialog } from "./match-dialog.js";
import { showMessage } from "./open.js";
import { post } from "./server.js";
import { clockField, usualClockSeconds } from "./whatif.js";

const formWords = words(
  {
    more: "Map, turns, limits",
    seed: "Seed",
    drawn: "random",
    width: "Columns",
    height: "Rows",
    turns: "Turns",
    ruling: "Light on a player that forfeits",
    sample: "never hits, as in the wiki's sample program",
    judge: "hits where a living player stands, as in Botzone's judge",
    prose: "always hits, as in the wiki's prose",
    limit: "Time for a program's answer, in ms",
    oneByOne: "Ask bots one after another (fairer on few cores)",
    map: "Your own map, as init data",
    mapBroken: "The map is not JSON.",
    odd: (/** @type {string} */ warning) => `Unusual map: ${warning}.`,
  },
  {
    more: "地图、回合数与限制",
    seed: "随机种子",
    drawn: "随机",
    width: "列数",
    height: "行数",
    turns: "回合数",
    ruling: "金光照到本回合出局的玩家",
    sample: "从不命中（维基样例程序）",
    judge: "同格有存活玩家时命中（Botzone 裁判）",
    prose: "总是命中（维基正文）",
    limit: "程序每次回答的时限（毫秒）",
    oneByOne: "逐个询问程序（核少时更公平）",
    map: "自备地图（初始化数据）",
    mapBroken: "地图不是有效的 JSON。",
    odd: (warning) => `地图不同寻常：${warning}`,
  },
);

const mapSides = ["", 6, 7, 8, 9, 10, 11];
const rulingNames = /** @type {const} */ (["sample", "judge", "prose"]);

/**
 * Starts a match on the server.
 * @param {{ seats: Four<string | { mine: string }>, [setting: string]: unknown }} request
 * @param {(id: string, humans: Seat[]) => void} started
 */
export async function startMatch(request, started) {
  const { id, warnings, warning_codes: problems } = await post("/api/matches", { ...request, clock_from: clockedFrom() });
  warnings.forEach((/** @type {string} */ warning, /** @type {number} */ index) =>
    showMessage(formWords.odd(reasonText(warning, problems[index])), "note"));
  started(id, allSeats.filter((seat) => request.seats[seat] === "human"));
}

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {string[]} bots the built-in bots
 * @param {(id: string, humans: Seat[]) => void} started
 * @returns {() => void} opens the dialog
 */
export function mountMatchForm(viewer, bots, started) {
  const field = (/** @type {() => string} */ text, /** @type {HTMLElement} */ input) => matchField(viewer, text, input);
  const select = (/** @type {(string | number)[]} */ values, /** @type {(value: any) => string} */ text) =>
    matchSelect(viewer, values, text);
  const count = (/** @type {number} */ min, /** @type {number} */ max) =>
    el("input", { type: "number", inputmode: "numeric", min, max });

  const clock = clockField(viewer, usualClockSeconds);
  const seed = count(-2147483648, 4294967295);
  localize(viewer, () => void (seed.placeholder = formWords.drawn));
  const [width, height] = [0, 1].map(() => select(mapSides, (side) => (side === "" ? formWords.drawn : String(side))));
  const turns = count(1, 10000);
  turns.placeholder = "100";
  const ruling = select([...rulingNames], (/** @type {typeof rulingNames[number]} */ name) => formWords[name]);
  const limit = count(1, 600000);
  limit.placeholder = "1000";
  const oneByOne = el("input", { type: "checkbox" });
  const map = el("textarea", { rows: 3, spellcheck: "false" });

  const more = el(
    "details",
    {},
    localized(viewer, el("summary"), () => formWords.more),
    el(
      "div",
      { class: "home-fields" },
      field(() => formWords.seed, seed),
      field(() => formWords.turns, turns),
      field(() => formWords.width, width),
      field(() => formWords.height, height),
      field(() => formWords.map, map),
      field(() => formWords.ruling, ruling),
      field(() => formWords.limit, limit),
      el("label", { class: "check" }, oneByOne, localized(viewer, el("span"), () => formWords.oneByOne)),
    ),
  );
  const request = (/** @type {Four<string>} */ seats) => ({
    seats,
    clock_ms: clock.ms() || null,
    seed: seed.value === "" ? null : Number(seed.value),
    width: Number(width.value) || null,
    height: Number(height.value) || null,
    turns: Number(turns.value) || null,
    ruling: ruling.value,
    time_limit_ms: Number(limit.value) || null,
    one_by_one: oneByOne.checked,
    map: map.value.trim() ? mapOfForm(map.value) : null,
  });
  return mountMatchDialog(viewer, {
    bots,
    hasPrograms: true,
    fields: [clock.field, more],
    showHuman: (hasHuman) => (clock.field.hidden = !hasHuman),
    start: (seats) => startMatch(request(seats), started),
  });
}

/** @param {string} text */
function mapOfForm(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(formWords.mapBroken);
  }
}
