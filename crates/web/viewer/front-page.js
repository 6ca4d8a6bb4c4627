// The front of a start page: the demo game, the ways into a match, the rules in pictures, and the built-in bots.

import { demoBoard } from "./demo.js";
import { leftGame } from "./draft.js";
import { el } from "./dom.js";
import { words } from "./language.js";
import { openLegend } from "./legend.js";
import { localize, localized } from "./localized.js";
import { examplePicture } from "./small-board.js";

const frontWords = words(
  {
    title: "Four players, one\u00a0maze, a\u00a0hundred\u00a0turns",
    lead: "All players act at the same time. They eat fruit, eat weaker players and shoot lights. The strongest player at the end wins.",
    watchSage: "Watch sage play",
    play: "Play",
    newMatch: "New match…",
    rules: "The rules in four pictures",
    fruit: "Small fruit",
    fruitRule: "Every 20 turns, a generator puts small fruit on the cells around it. A small fruit adds 1 strength.",
    boost: "Large fruit",
    boostRule: "A large fruit gives a boost: 10 strength for 10 turns. The ring shows the turns that are left.",
    fight: "Fights",
    fightRule: "On a shared cell, the strongest player eats the others and takes half of their strength. No player can walk onto a stronger one.",
    light: "Lights",
    lightRule: "A light costs 4 strength and flies straight to the next wall. It takes 6 from each player it hits, and the shooter gains them.",
    allRules: "All rules",
    legend: "Legend",
    bots: "Built-in bots",
    botsAbout: "The strongest first.",
    watch: "Watch",
    watchBot: (/** @type {string} */ name) => `Watch ${name}`,
    against: "Play",
    playBot: (/** @type {string} */ name) => `Play against ${name}`,
  },
  {
    title: "四名玩家，一座迷宫，一百回合",
    lead: "所有玩家同时行动：吃豆，吃掉比自己弱的玩家，发射金光。终局时力量最强的获胜。",
    watchSage: "观看 sage 对局",
    play: "亲自上场",
    newMatch: "新对局…",
    rules: "四图看懂规则",
    fruit: "小豆",
    fruitRule: "每 20 回合，豆子产生器在周围的格子里放上小豆。吃一颗小豆，力量加 1。",
    boost: "大豆",
    boostRule: "吃下大豆得到增益：力量加 10，持续 10 回合。圆环表示还剩多少回合。",
    fight: "战斗",
    fightRule: "同一格里最强的玩家吃掉其余的人，得到他们一半的力量。不能走进更强的玩家所在的格子。",
    light: "金光",
    lightRule: "发射金光消耗 4 点力量，沿直线射到墙为止。被击中的每名玩家失去 6 点，归发射者所有。",
    allRules: "完整规则",
    legend: "图例",
    bots: "内置程序",
    botsAbout: "由强到弱。",
    watch: "观看",
    watchBot: (name) => `观看 ${name}`,
    against: "挑战",
    playBot: (name) => `挑战 ${name}`,
  },
);

/** A sentence about each built-in bot, the strongest first. docs/BOTS.md has the facts. */
const botWords = words(
  {
    sage: "Searches the actions of all four players as deep as time allows, and learns how each opponent plays.",
    hunter: "Tries every combination of sensible actions for the next turn, and decides within a millisecond.",
    greedy: "Walks to the nearest fruit and avoids stronger players. It never shoots.",
    sample: "The wiki's sample bot. It plays 1000 random games each turn and takes the action with the best mean.",
    random: "Chooses any legal action with equal probability.",
  },
  {
    sage: "搜索四名玩家的联合动作，时间允许多深就多深，并在对局中学习每个对手的下法。",
    hunter: "推演下一回合所有合理动作的组合，不到一毫秒就作出决定。",
    greedy: "走向最近的豆子，避开更强的玩家，从不发射金光。",
    sample: "维基上的样例程序。每回合随机模拟 1000 局，选平均结果最好的动作。",
    random: "从合法动作中等概率地任选一个。",
  },
);

/** @typedef {keyof typeof botWords} KnownBot */
const knownBots = Object.keys(botWords);

/** What the front starts. @typedef {{ start: (seats: Four<string>) => void, openForm: () => void }} FrontActions */

/** The seats of a match to watch: a bot against the strongest others. @param {string} bot @returns {Four<string>} */
function lineupToWatch(bot) {
  const [a, b, c] = knownBots.filter((name) => name !== bot);
  return [bot, a, b, c];
}

/** The seats of a match to play: against a bot and two of medium strength. @param {string} bot @returns {Four<string>} */
const lineupToPlay = (bot) => ["human", bot, "sample", "greedy"];

/**
 * The top of a start page: the demo game, and buttons.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {FrontActions} actions
 */
export function frontHero(viewer, { start, openForm }) {
  const t = frontWords;
  const button = (/** @type {() => string} */ text, /** @type {string} */ looks, /** @type {() => void} */ onclick) =>
    localized(viewer, el("button", { type: "button", class: looks, onclick }), text);
  return el("section", { class: "front-hero" },
    el("div", { class: "front-intro" },
      localized(viewer, el("h2"), () => t.title),
      localized(viewer, el("p", { class: "front-lead" }), () => t.lead),
      el("div", { class: "front-buttons" },
        button(() => t.watchSage, "primary front-large", () => start(lineupToWatch("sage"))),
        button(() => t.play, "front-gold front-large", () => start(lineupToPlay("greedy"))),
        button(() => t.newMatch, "", openForm)),
      leftGame(viewer)),
    demoBoard(viewer));
}

/** The pictures of the rules. @type {{ name: "fruit" | "boost" | "fight" | "light", example: import("./small-board.js").Example }[]} */
const rulePictures = [
  {
    name: "fruit",
    example: {
      width: 4, height: 3,
      walls: [[5, "up"], [5, "right"], [5, "down"], [5, "left"]],
      generators: [5], spawns: [0, 1, 2, 4, 6, 8, 9, 10], left: 20,
      players: { 0: { cell: 6, strength: 3, delta: 1 } },
      small: [0, 1, 2, 4, 8, 9, 10],
    },
  },
  {
    name: "boost",
    example: {
      width: 4, height: 3,
      walls: [[1, "down"], [6, "left"], [6, "down"]],
      players: { 1: { cell: 5, strength: 14, boost: 9, delta: 10 } },
      large: [3, 8],
    },
  },
  {
    name: "fight",
    example: {
      width: 4, height: 3,
      walls: [[0, "down"], [9, "up"], [7, "left"]],
      players: {
        2: { cell: 5, strength: 9, delta: 2 }, 1: { cell: 5, strength: 2, dead: true },
        0: { cell: 6, strength: 4 },
      },
      events: [
        { event: "fought", cell: 5, winners: [2], eaten: [1], loot: 2, share: 2 },
        { event: "frightened", seat: 0, direction: "left", by: [2] },
      ],
    },
  },
  {
    name: "light",
    example: {
      width: 4, height: 3,
      walls: [[4, "up"], [5, "down"], [2, "right"]],
      players: { 3: { cell: 4, strength: 11, delta: 2 }, 1: { cell: 6, strength: 2, delta: -6 } },
      events: [
        { event: "fired", seat: 3, from: 4, direction: "right", cost: 4, ray: [5, 6, 7], wraps: false },
        { event: "hit", shooter: 3, victim: 1, gained: 6, lost: 6 },
      ],
    },
  },
];

/**
 * The rules in pictures.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {(() => string) | null} address the address of the full rules, if the page has them
 */
export function frontRules(viewer, address) {
  const pictures = rulePictures.map(({ name, example }) =>
    el("li", { class: "card" }, examplePicture(example, ""),
      localized(viewer, el("h3"), () => frontWords[name]),
      localized(viewer, el("p"), () => frontWords[/** @type {const} */ (`${name}Rule`)])));
  const links = el("div", { class: "front-links" },
    localized(viewer, el("button", { type: "button", class: "link-button", onclick: openLegend }), () => frontWords.legend));
  if (address) {
    const link = localized(viewer, el("a"), () => frontWords.allRules);
    localize(viewer, () => void (link.href = address()));
    links.prepend(link);
  }
  return el("section", { class: "front-rules" },
    el("div", { class: "front-head" }, localized(viewer, el("h2"), () => frontWords.rules), links),
    el("ul", {}, ...pictures));
}

/**
 * The built-in bots, the strongest first.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {string[]} bots their names
 * @param {FrontActions} actions
 */
export function frontBots(viewer, bots, { start }) {
  const t = frontWords;
  // A bot that is not known here comes last.
  const place = (/** @type {string} */ name) => [...knownBots, name].indexOf(name);
  const row = (/** @type {string} */ name) => {
    const button = (/** @type {() => string} */ text, /** @type {() => string} */ label, /** @type {Four<string>} */ seats) => {
      const made = localized(viewer, el("button", { type: "button", onclick: () => start(seats) }), text);
      localize(viewer, () => made.setAttribute("aria-label", label()));
      return made;
    };
    return el("li", {},
      el("h3", {}, name),
      localized(viewer, el("p"), () => botWords[/** @type {KnownBot} */ (name)] ?? ""),
      el("div", { class: "front-actions" },
        button(() => t.watch, () => t.watchBot(name), lineupToWatch(name)),
        button(() => t.against, () => t.playBot(name), lineupToPlay(name))));
  };
  const sorted = [...bots].sort((a, b) => place(a) - place(b));
  return el("section", { class: "front-bots card" },
    localized(viewer, el("h2"), () => t.bots),
    localized(viewer, el("p", { class: "home-about" }), () => t.botsAbout),
    el("ol", {}, ...sorted.map(row)));
}
