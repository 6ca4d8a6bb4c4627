// Two bots side by side, and the result of their common games.

import { el } from "../viewer/dom.js";
import { words } from "../viewer/language.js";
import { requestedBot } from "./bots.js";
import { isSure } from "./head-to-head.js";
import { digits, duration, intervalText, percent, signed } from "./format.js";
import { botChoice, botLink, columnHead, estimateText, labelOf, nameOf, redraw, tableOf, linkTo } from "./components.js";
import { faultLinks } from "./standings.js";

/** @typedef {{ points: string, interval: string, games: string }} ComparisonTexts */

const compareWords = words(
  {
    newer: "Bot",
    older: "against",
    swap: "Swap",
    title: "Side by side",
    what: "Property",
    rating: "Rating",
    points: "Points",
    meanPlace: "Mean place",
    firsts: "First places",
    played: "Games",
    faults: "Forfeits",
    slowest: "Slowest answer",
    seat: (/** @type {number} */ seat) => `Points as player ${seat}`,
    better: (/** @type {ComparisonTexts} */ t) =>
      `Stronger in their common games: ${t.points} points (${t.interval}) in ${t.games} games.`,
    worse: (/** @type {ComparisonTexts} */ t) =>
      `Weaker in their common games: ${t.points} points (${t.interval}) in ${t.games} games.`,
    unclear: (/** @type {ComparisonTexts} */ t) =>
      `No clear difference in their common games: ${t.points} points (${t.interval}) in ${t.games} games.`,
    never: "These bots have no common games.",
    ask: "To decide it with additional games, run: ",
    same: "Both are the same bot; choose another one.",
    empty: "A comparison needs two bots with games.",
  },
  {
    newer: "程序",
    older: "对比",
    swap: "对调",
    title: "逐项比较",
    what: "项目",
    rating: "等级分",
    points: "得分",
    meanPlace: "平均名次",
    firsts: "第一率",
    played: "局数",
    faults: "出局",
    slowest: "最慢回答",
    seat: (seat) => `${seat} 号玩家得分`,
    better: (t) => `同场时更好：${t.points} 分（${t.interval}），共 ${t.games} 局。`,
    worse: (t) => `同场时更差：${t.points} 分（${t.interval}），共 ${t.games} 局。`,
    unclear: (t) => `从同场对局还看不出差别：${t.points} 分（${t.interval}），共 ${t.games} 局。`,
    never: "它们没有同场过。",
    ask: "要用专门的对局来判定：",
    same: "这是同一个程序，请另选一个。",
    empty: "至少要有两个下过棋的程序。",
  },
);

/** @type {ArenaPart} */
export function mountCompare(page, place) {
  const go = (/** @type {ArenaBot} */ one, /** @type {ArenaBot} */ other) => {
    location.hash = linkTo({ view: "compare", new: labelOf(one), old: labelOf(other) });
  };
  const find = (/** @type {string} */ label) => page.source.bots.find((bot) => labelOf(bot) === label);
  const newer = botChoice("", (label) => withBoth((_, other) => go(find(label) ?? other, other)));
  const older = botChoice("", (label) => withBoth((one) => go(one, find(label) ?? one)));
  const swap = el("button", { type: "button", onclick: () => withBoth((one, other) => go(other, one)) });
  const content = el("div");
  place.append(el("div", { class: "filters" }, newer.field, older.field, swap), content);

  /** @param {(one: ArenaBot, other: ArenaBot) => void} then */
  const withBoth = (then) => {
    const one = requestedBot(page, "new");
    const other = one && otherThan(page, one);
    if (one && other) then(one, other);
  };
  const show = () => {
    swap.textContent = compareWords.swap;
    const lines = page.source.standings?.bots ?? [];
    redraw(content, el("p", { class: "about" }, compareWords.empty));
    const bots = lines.map(({ bot }) => bot);
    withBoth((one, other) => {
      newer.show(compareWords.newer, bots, labelOf(one));
      older.show(compareWords.older, bots, labelOf(other));
      redraw(content, ...comparison(page, one, other));
    });
  };
  return { show };
}

/**
 * The bot to compare with by default: the previous version, or else the best other bot.
 * @param {ArenaPage} page
 * @param {ArenaBot} one
 */
function otherThan(page, one) {
  const lines = page.source.standings?.bots ?? [];
  const before = page.source.bots.filter(({ name, id }) => name === one.name && id < one.id).at(-1);
  const requested = page.params.get("old") ? requestedBot(page, "old") : undefined;
  return requested ?? before ?? lines.find(({ bot }) => bot.id !== one.id)?.bot;
}

/** @param {ArenaPage} page @param {ArenaBot} one @param {ArenaBot} other */
function comparison(page, one, other) {
  if (one.id === other.id) return [el("p", { class: "about" }, compareWords.same)];
  const lines = [page.standingOf(one.id), page.standingOf(other.id)].flatMap((line) => (line?.games ? line : []));
  const heads = [columnHead(compareWords.what), ...[one, other].map(botHead)];
  const command = `pacman2 arena compare ${shellWord(nameOf(one))} ${shellWord(nameOf(other))}`;
  return [
    el("p", { class: "verdict", role: "status" }, verdictOn(page, one, other)),
    page.source.isLive && el("p", { class: "about" }, compareWords.ask, el("code", {}, command)),
    lines.length === 2 && tableOf(compareWords.title, heads, comparedRows(lines)),
  ];
}

/** Quotes a word for a shell, because readers may copy the command. @param {string} text */
const shellWord = (text) => (/^[\p{L}\p{N}_.@-]+$/u.test(text) ? text : `'${text.replace(/'/g, "'\\''")}'`);

/** @param {ArenaBot} bot */
const botHead = (bot) => el("th", { scope: "col" }, botLink(bot, "compared"));

/** The result of the common games, as a sentence. @param {ArenaPage} page @param {ArenaBot} one @param {ArenaBot} other */
function verdictOn({ source: { standings } }, one, other) {
  const at = (/** @type {ArenaBot} */ { id }) => standings?.bots.findIndex(({ bot }) => bot.id === id) ?? -1;
  const record = standings?.matrix[at(one)]?.[at(other)];
  if (!record) return compareWords.never;
  const { points, games } = record;
  const texts = { points: signed(points.value), interval: intervalText(points, signed), games: digits(games) };
  if (!isSure(points)) return compareWords.unclear(texts);
  return points.value > 0 ? compareWords.better(texts) : compareWords.worse(texts);
}

/** @param {Standing[]} lines */
function comparedRows(lines) {
  const t = compareWords;
  /** @typedef {[string, (line: Standing) => (Node | string)[]]} Fact */
  /** @type {Fact[]} */
  const facts = [
    [t.rating, ({ rating }) => [estimateText(rating, 0)]],
    [t.points, ({ points }) => [estimateText(points, 1)]],
    [t.meanPlace, (line) => [digits(line.mean_place, 2)]],
    [t.firsts, (line) => [percent(line.win_rate)]],
    [t.played, ({ games }) => [digits(games)]],
    [t.faults, faultLinks],
    [t.slowest, (line) => [duration(line.slowest_ms)]],
    ...[0, 1, 2, 3].map((seat) => /** @type {Fact} */ ([t.seat(seat), (line) => [pointsOnSeat(line, seat)]])),
  ];
  return facts.map(([name, valueOf]) => {
    const cells = lines.map((line) => el("td", {}, ...valueOf(line)));
    return el("tr", {}, el("th", { scope: "row" }, name), ...cells);
  });
}

/** @param {Standing} line @param {number} seat */
function pointsOnSeat({ by_seat: bySeat }, seat) {
  const points = bySeat[seat];
  return points === null ? "–" : digits(points, 1);
}
