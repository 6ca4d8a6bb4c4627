// The start page of a static page: the front, the map of the day, a gallery, and the documentation.

import { allSeats } from "./board-geometry.js";
import { mountGameBar, openDaily, playDaily, today } from "./daily.js";
import { el } from "./dom.js";
import { frontBots, frontHero, frontRules } from "./front-page.js";
import { language, words } from "./language.js";
import { lazyThumbnail } from "./lazy-picture.js";
import { localize, localized } from "./localized.js";
import { matchField, matchSelect, mountMatchDialog } from "./match-dialog.js";
import { reasonOf, showMessage } from "./open.js";
import { seatChip } from "./players.js";
import { mountTv, tvLink } from "./tv.js";
import { botNames, clockField, usualClockSeconds, usualEffort } from "./whatif.js";

const siteWords = words(
  {
    more: "Map and thinking time",
    seed: "Seed",
    random: "random",
    width: "Columns",
    height: "Rows",
    time: "Thinking time of sage",
    seconds: (/** @type {number} */ seconds) => `${seconds} s`,
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
  },
  {
    more: "地图与思考时间",
    seed: "随机种子",
    random: "随机",
    width: "列数",
    height: "行数",
    time: "sage 的思考时间",
    seconds: (seconds) => `${seconds} 秒`,
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
  },
);

/**
 * A game of the gallery. `game` is what a link has after `#g=`; `turn` is where the story begins.
 * @typedef {{ game: string, turn: number, seats: Four<string>, en: string, zh: string }} GalleryGame
 */

const siteSides = ["", 6, 7, 8, 9, 10, 11];
const thinkingMs = [100, 300, 800, 2000, 5000];

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
    el("section", { class: "card site-card" }, localized(viewer, el("h2"), title), ...rest);
  mountTv(viewer, { gallery: () => gallery.map((/** @type {GalleryGame} */ shown) => ({ kind: "g", value: shown.game, names: shown.seats, about: () => shown[language()] })) });
  const note = (/** @type {() => string} */ of) => localized(viewer, el("p", { class: "home-about" }), of);
  const bar = el("div", { class: "home-strip site-bar card" });
  container.before(bar);
  mountGameBar(viewer, bar);

  const daily = card(
    () => siteWords.daily,
    note(() => siteWords.dailyAbout(today())),
    localized(viewer, el("button", { type: "button", onclick: () => attemptOnSite(() => playDaily(viewer, today())) }), () => siteWords.dailyStart),
  );
  const open = (/** @type {GalleryGame} */ { game, turn }) => viewer.visit("g", game, turn);
  const item = (/** @type {GalleryGame} */ shown) => {
    const names = allSeats.map((seat) => el("span", { class: "home-name" }, seatChip(seat), shown.seats[seat]));
    const button = el("button", { type: "button", class: "home-row home-card", onclick: () => open(shown) },
      lazyThumbnail(viewer.engine, async () => `#g=${shown.game}`, shown.turn),
      localized(viewer, el("span", { class: "site-sentence" }), () => shown[language()]),
      el("span", { class: "home-names" }, ...names));
    return el("li", {}, button);
  };
  const games = card(
    () => siteWords.gallery,
    note(() => siteWords.galleryAbout),
    tvLink(viewer, "gallery"),
    el("ol", { class: "home-list home-replays site-gallery" }, ...gallery.map(item)),
  );
  const docsAddress = (/** @type {string} */ page) => `docs/${language() === "zh" ? "zh/" : ""}${page}`;
  const guide = localized(viewer, el("a", { class: "site-link" }), () => siteWords.guide);
  localize(viewer, () => void (guide.href = docsAddress("index.html")));
  const reading = docs && card(() => siteWords.docs, note(() => siteWords.docsAbout), guide);
  const files = card(() => siteWords.files, note(() => siteWords.filesAbout));
  const actions = {
    start: (/** @type {Four<string>} */ seats) =>
      attemptOnSite(() => viewer.startGame(randomMap(viewer, null, {}), seats, usualEffort(), usualClockSeconds * 1000)),
    openForm: mountSiteForm(viewer),
  };
  container.append(
    frontHero(viewer, actions),
    frontRules(viewer, docs ? () => docsAddress("RULES.html") : null),
    el("div", { class: "home-columns" },
      games,
      el("div", { class: "home-side" }, daily, frontBots(viewer, botNames(viewer), actions), files, reading || "")),
  );
  viewer.openers.set("daily", (date, { branch }) => openDaily(viewer, date, branch !== 0));
}

/**
 * The map of a seed, or a random one without a seed.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {number | null} seed
 * @param {{ width?: number | null, height?: number | null }} size random where it is missing
 */
function randomMap({ engine }, seed, { width = null, height = null }) {
  return engine.map(seed ?? Math.floor(Math.random() * 2 ** 31), { width, height });
}

/** The dialog that starts a game in this page. Returns what opens it. @param {import("./viewer.js").Viewer} viewer */
function mountSiteForm(viewer) {
  const seed = el("input", { type: "number", inputmode: "numeric", min: -2147483648, max: 4294967295 });
  localize(viewer, () => void (seed.placeholder = siteWords.random));
  const sides = [0, 1].map(() => matchSelect(viewer, siteSides, (side) => (side === "" ? siteWords.random : String(side))));
  const time = matchSelect(viewer, thinkingMs, (ms) => siteWords.seconds(ms / 1000));
  const effort = usualEffort();
  time.value = String("time_ms" in effort ? effort.time_ms : 800);
  const clock = clockField(viewer, usualClockSeconds);
  const more = el("details", {},
    localized(viewer, el("summary"), () => siteWords.more),
    el("div", { class: "home-fields" },
      matchField(viewer, () => siteWords.seed, seed), matchField(viewer, () => siteWords.time, time),
      matchField(viewer, () => siteWords.width, sides[0]), matchField(viewer, () => siteWords.height, sides[1])));
  return mountMatchDialog(viewer, {
    bots: botNames(viewer),
    hasPrograms: false,
    fields: [clock.field, more, localized(viewer, el("p", { class: "home-about" }), () => siteWords.stays)],
    showHuman: (hasHuman) => (clock.field.hidden = !hasHuman),
    start: async (seats) => {
      const [width, height] = sides.map(({ value }) => Number(value) || null);
      const map = randomMap(viewer, seed.value === "" ? null : Number(seed.value), { width, height });
      viewer.startGame(map, seats, { time_ms: Number(time.value) }, clock.ms());
      scrollTo(0, 0);
    },
  });
}
