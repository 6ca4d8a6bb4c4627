// The form that starts a match: players, map, and limits.

import { allSeats } from "./board-geometry.js";
import { el, untrusted } from "./dom.js";
import { words } from "./language.js";
import { showMessage } from "./open.js";
import { seatChip } from "./players.js";
import { post } from "./server.js";

const formWords = words(
  {
    title: "New match",
    player: (/** @type {number} */ seat) => `Player ${seat}`,
    human: "Human: me",
    program: "A program …",
    programOf: (/** @type {number} */ seat) => `The program of player ${seat}`,
    hint: "bot.py, bot.cpp, ./mybot, or a command line",
    clock: "Time for a human's action",
    noClock: "no limit",
    seconds: (/** @type {number} */ number) => `${number} s`,
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
    start: "Start",
    starting: "Finding the bots …",
    mapBroken: "The map is not JSON.",
    odd: (/** @type {string} */ warning) => `Unusual map: ${warning}.`,
  },
  {
    title: "新对局",
    player: (seat) => `${seat} 号玩家`,
    human: "真人：我",
    program: "程序……",
    programOf: (seat) => `${seat} 号玩家的程序`,
    hint: "bot.py、bot.cpp、./mybot 或一条命令",
    clock: "真人每个动作的时限",
    noClock: "不限时",
    seconds: (number) => `${number} 秒`,
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
    start: "开始",
    starting: "正在准备程序……",
    mapBroken: "地图不是有效的 JSON。",
    odd: (warning) => `地图不同寻常：${warning}`,
  },
);

const humanClocks = [0, 5, 10, 20, 30, 60];
const mapSides = ["", 6, 7, 8, 9, 10, 11];
const rulingNames = /** @type {const} */ (["sample", "judge", "prose"]);
/** The list item for a program that the user types. */
const typedProgram = "…";

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {HTMLElement} container
 * @param {string[]} bots the built-in bots
 * @param {(id: string, humans: Seat[]) => void} started
 */
export function mountMatchForm(viewer, container, bots, started) {
  /** Functions that set the texts of the form in the current language. @type {(() => void)[]} */
  const localizers = [];
  /**
   * @template {Element} E
   * @param {E} element
   * @param {() => string} text
   */
  const localized = (element, text) => {
    localizers.push(() => void (element.textContent = text()));
    return element;
  };
  /**
   * @param {() => string} text
   * @param {HTMLElement} input
   */
  const field = (text, input) => el("label", { class: "home-field" }, localized(el("span"), text), input);
  /**
   * @param {(string | number)[]} values
   * @param {(value: any) => string} text
   */
  const select = (values, text) =>
    el("select", {}, ...values.map((value) => localized(el("option", { value: String(value) }), () => text(value))));
  const count = (/** @type {number} */ min, /** @type {number} */ max) =>
    el("input", { type: "number", inputmode: "numeric", min, max });

  const seats = allSeats.map((seat) => {
    const names = ["human", ...bots, typedProgram];
    const called = (/** @type {string} */ name) =>
      name === "human" ? formWords.human : name === typedProgram ? formWords.program : name;
    const choice = select(names, called);
    choice.value = seat ? "greedy" : "human";
    const asTyped = { spellcheck: "false", autocapitalize: "off", autocomplete: "off" };
    const typed = el("input", { type: "text", ...asTyped, maxlength: 4000, hidden: true });
    choice.addEventListener("change", () => {
      typed.hidden = choice.value !== typedProgram;
      typed.required = !typed.hidden;
      if (!typed.hidden) typed.focus();
    });
    localizers.push(() => {
      choice.setAttribute("aria-label", formWords.player(seat));
      typed.setAttribute("aria-label", formWords.programOf(seat));
      typed.placeholder = formWords.hint;
    });
    const row = el("div", { class: "home-seat" }, seatChip(seat), choice, typed);
    return { row, bot: () => (typed.hidden ? choice.value : typed.value.trim()) };
  });

  const clock = select(humanClocks, (seconds) => (seconds ? formWords.seconds(seconds) : formWords.noClock));
  const seed = count(0, 2147483647);
  localizers.push(() => (seed.placeholder = formWords.drawn));
  const [width, height] = [0, 1].map(() => select(mapSides, (side) => (side === "" ? formWords.drawn : String(side))));
  const turns = count(1, 10000);
  turns.placeholder = "100";
  const ruling = select([...rulingNames], (/** @type {typeof rulingNames[number]} */ name) => formWords[name]);
  const limit = count(1, 600000);
  limit.placeholder = "1000";
  const oneByOne = el("input", { type: "checkbox" });
  const map = el("textarea", { rows: 3, spellcheck: "false" });
  const start = el("button", { class: "primary" });
  const problem = el("pre", { class: "home-trouble", role: "alert", hidden: true });

  const matchRequest = () => ({
    seats: seats.map(({ bot }) => bot()),
    clock_ms: Number(clock.value) * 1000 || null,
    seed: seed.value === "" ? null : Number(seed.value),
    width: Number(width.value) || null,
    height: Number(height.value) || null,
    turns: Number(turns.value) || null,
    ruling: ruling.value,
    time_limit_ms: Number(limit.value) || null,
    one_by_one: oneByOne.checked,
    map: map.value.trim() ? mapOfForm(map.value) : null,
  });
  let busy = false;
  const localizeStart = () => {
    start.textContent = busy ? formWords.starting : formWords.start;
    start.disabled = busy;
  };
  const submit = async () => {
    busy = true;
    localizeStart();
    problem.hidden = true;
    try {
      const request = matchRequest();
      const { id, warnings } = await post("/api/matches", request);
      for (const warning of warnings) showMessage(formWords.odd(warning), "note");
      started(id, allSeats.filter((seat) => request.seats[seat] === "human"));
    } catch (error) {
      problem.replaceChildren(untrusted(/** @type {Error} */ (error).message));
      problem.hidden = false;
    }
    busy = false;
    localizeStart();
  };
  const form = el(
    "form",
    { class: "home-form card" },
    localized(el("h2"), () => formWords.title),
    ...seats.map(({ row }) => row),
    field(() => formWords.clock, clock),
    el(
      "details",
      {},
      localized(el("summary"), () => formWords.more),
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
        el("label", { class: "check" }, oneByOne, localized(el("span"), () => formWords.oneByOne)),
      ),
    ),
    problem,
    start,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  localizers.push(localizeStart);
  const localizeAll = () => localizers.forEach((localize) => localize());
  viewer.on("language", localizeAll);
  localizeAll();
  container.append(form);
}

/** @param {string} text */
function mapOfForm(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(formWords.mapBroken);
  }
}
