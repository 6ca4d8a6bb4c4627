// The start page of a static page: a game against built-in bots, the map of the day, a gallery, and the documentation.

import { allSeats } from "./board-geometry.js";
import { mountGameBar, openDaily, playDaily, today } from "./daily.js";
import { el } from "./dom.js";
import { language, words } from "./language.js";
import { reasonOf, showMessage } from "./open.js";
import { seatChip } from "./players.js";
import { botNames, usualEffort } from "./whatif.js";

const siteWords = words(
  {
    title: "New game",
    player: (/** @type {number} */ seat) => `Player ${seat}`,
    human: "Human: me",
    more: "Map and thinking time",
    seed: "Seed",
    random: "random",
    width: "Columns",
    height: "Rows",
    time: "Thinking time of sage",
    seconds: (/** @type {number} */ seconds) => `${seconds} s`,
    start: "Start",
    stays: "The game runs in this page. Nothing is sent anywhere.",
    daily: "Map of the day",
    dailyAbout: (/** @type {string} */ date) =>
      `${date}: the same map for everybody, until midnight UTC. You are player 0 against greedy, hunter and sage.`,
    dailyStart: "Play today's map",
    gallery: "Games worth seeing",
    galleryAbout: "Built-in bots played many games. The engine chose these.",
    files: "Your own matches",
    filesAbout: "Open a replay or a match log from Botzone, or drop one here. The page plays it again and compares every turn with the rules.",
    docs: "Documentation",
    docsAbout: "The rules, the bots, and how to judge and train your own.",
    guide: "Read the documentation",
    rules: "The rules in pictures",
  },
  {
    title: "新游戏",
    player: (seat) => `${seat} 号玩家`,
    human: "真人：我",
    more: "地图与思考时间",
    seed: "随机种子",
    random: "随机",
    width: "列数",
    height: "行数",
    time: "sage 的思考时间",
    seconds: (seconds) => `${seconds} 秒`,
    start: "开始",
    stays: "游戏就在本页中进行，不会向任何地方发送数据。",
    daily: "每日地图",
    dailyAbout: (date) => `${date}：所有人同一张地图，北京时间早上 8 点更换。你是 0 号玩家，对手是 greedy、hunter 和 sage。`,
    dailyStart: "玩今天的地图",
    gallery: "精彩对局",
    galleryAbout: "内置程序下了许多局，这些是引擎挑出来的。",
    files: "你自己的对局",
    filesAbout: "打开录像或 Botzone 的对局记录，也可以直接拖进来。页面会重新走一遍，逐回合按规则核对。",
    docs: "文档",
    docsAbout: "规则、内置程序，以及如何评测和训练自己的程序。",
    guide: "阅读文档",
    rules: "图解规则",
  },
);

/**
 * A game of the gallery. `game` is what a link has after `#g=`; `turn` is where the story begins.
 * @typedef {{ game: string, turn: number, seats: Four<string>, en: string, zh: string }} GalleryGame
 */

const siteSides = ["", 6, 7, 8, 9, 10, 11];
const thinkingSeconds = [0.1, 0.3, 0.8, 2, 5];

/** Functions that set the texts of the start page in the current language. @type {(() => void)[]} */
const siteLocalizers = [];

/**
 * @template {Element} E
 * @param {E} element
 * @param {() => string} text
 */
function siteLocalized(element, text) {
  siteLocalizers.push(() => void (element.textContent = text()));
  return element;
}

/** Runs an action of the user, or shows why it failed. @param {() => void} step */
function attemptOnSite(step) {
  try {
    step();
    scrollTo(0, 0);
  } catch (error) {
    showMessage(reasonOf(error));
  }
}

/** @type {import("./main.js").MountHome} */
export function mountSiteHome(viewer, container, { gallery, docs }) {
  const card = (/** @type {() => string} */ title, /** @type {Node[]} */ ...rest) =>
    el("div", { class: "card site-card" }, siteLocalized(el("h2"), title), ...rest);
  const note = (/** @type {() => string} */ text) => siteLocalized(el("p", { class: "home-about" }), text);
  const bar = el("div", { class: "home-strip site-bar card" });
  container.before(bar);
  mountGameBar(viewer, bar);

  const daily = card(
    () => siteWords.daily,
    note(() => siteWords.dailyAbout(today())),
    siteLocalized(el("button", { type: "button", onclick: () => attemptOnSite(() => playDaily(viewer, today())) }), () => siteWords.dailyStart),
  );
  const open = (/** @type {GalleryGame} */ { game, turn }) => viewer.visit("g", game, turn);
  const item = (/** @type {GalleryGame} */ shown) => {
    const names = allSeats.map((seat) => el("span", { class: "home-name" }, seatChip(seat), shown.seats[seat]));
    const sentence = siteLocalized(el("span", { class: "site-sentence" }), () => shown[language()]);
    const button = el("button", { type: "button", class: "home-row", onclick: () => open(shown) },
      sentence, el("span", { class: "home-names" }, ...names));
    return el("li", {}, button);
  };
  const games = card(
    () => siteWords.gallery,
    note(() => siteWords.galleryAbout),
    el("ol", { class: "home-list site-gallery" }, ...gallery.map(item)),
  );
  const link = (/** @type {() => string} */ text, /** @type {string} */ page) => {
    const made = siteLocalized(el("a", { class: "site-link" }), text);
    siteLocalizers.push(() => void (made.href = `docs/${language()}/${page}`));
    return made;
  };
  const reading = docs && card(
    () => siteWords.docs,
    note(() => siteWords.docsAbout),
    el("div", { class: "site-links" }, link(() => siteWords.guide, "index.html"), link(() => siteWords.rules, "rules.html")),
  );
  const files = card(() => siteWords.files, note(() => siteWords.filesAbout));
  container.append(
    el("div", { class: "home-columns" },
      el("div", { class: "home-lists" }, newGameForm(viewer), daily, files, reading || ""),
      el("div", { class: "home-lists" }, games)),
  );
  const localizeAll = () => siteLocalizers.forEach((localize) => localize());
  viewer.on("language", localizeAll);
  localizeAll();
  viewer.openers.set("daily", (date, { branch }) => openDaily(viewer, date, branch !== 0));
}

/** The form that starts a game in this page. @param {import("./viewer.js").Viewer} viewer */
function newGameForm(viewer) {
  const field = (/** @type {() => string} */ text, /** @type {HTMLElement} */ input) =>
    el("label", { class: "home-field" }, siteLocalized(el("span"), text), input);
  const names = ["human", ...botNames(viewer)];
  const usual = ["human", "greedy", "hunter", "sage"];
  const seats = allSeats.map((seat) => {
    const options = names.map((name) =>
      siteLocalized(el("option", { value: name }), () => (name === "human" ? siteWords.human : name)));
    const select = el("select", {}, ...options);
    select.value = usual[seat];
    siteLocalizers.push(() => select.setAttribute("aria-label", siteWords.player(seat)));
    return { select, row: el("div", { class: "home-seat" }, seatChip(seat), select) };
  });
  const seed = el("input", { type: "number", inputmode: "numeric", min: 0, max: 2147483647 });
  siteLocalizers.push(() => (seed.placeholder = siteWords.random));
  const sides = [0, 1].map(() => el("select", {}, ...siteSides.map((side) =>
    siteLocalized(el("option", { value: side }), () => (side === "" ? siteWords.random : String(side))))));
  const time = el("select", {}, ...thinkingSeconds.map((seconds) =>
    siteLocalized(el("option", { value: 1000 * seconds }), () => siteWords.seconds(seconds))));
  const effort = usualEffort();
  time.value = String("time_ms" in effort ? effort.time_ms : 800);
  const form = el("form", { class: "home-form card" },
    siteLocalized(el("h2"), () => siteWords.title),
    ...seats.map(({ row }) => row),
    el("details", {},
      siteLocalized(el("summary"), () => siteWords.more),
      el("div", { class: "home-fields" },
        field(() => siteWords.seed, seed), field(() => siteWords.time, time),
        field(() => siteWords.width, sides[0]), field(() => siteWords.height, sides[1]))),
    siteLocalized(el("button", { class: "primary" }), () => siteWords.start),
    siteLocalized(el("p", { class: "home-about" }), () => siteWords.stays));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attemptOnSite(() => {
      const [width, height] = sides.map(({ value }) => Number(value) || null);
      const map = viewer.engine.map(seed.value === "" ? Math.floor(Math.random() * 2 ** 31) : Number(seed.value), { width, height });
      const choices = /** @type {Four<string>} */ (seats.map(({ select }) => select.value));
      viewer.startGame(map, choices, { time_ms: Number(time.value) });
    });
  });
  return form;
}
