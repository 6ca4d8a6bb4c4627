// A bot: its rating, its results by seat and map size, its forfeits, and its earlier versions.

import { el } from "../viewer/dom.js";
import { moment, words } from "../viewer/language.js";
import { faultyGames } from "./games.js";
import { headToHeadText } from "./head-to-head.js";
import { digits, duration, intervalText, percent, signed } from "./format.js";
import { botChoice, botLink, columnHead, estimateText, labelOf, nameOf, redraw, tableOf, linkTo } from "./components.js";
import { barPlot, intervalPlot } from "./plots.js";
import { faultLinks } from "./standings.js";

const botWords = words(
  {
    bot: "Bot",
    rating: "Rating",
    points: "Points",
    meanPlace: "Mean place",
    firsts: "First places",
    played: "Games",
    faults: "Forfeits",
    slowest: "Slowest answer",
    added: "Added",
    bySeat: "Points by seat",
    seat: (/** @type {number} */ seat) => `Player ${seat}`,
    seatTold: (/** @type {number} */ seat, /** @type {string} */ points) => `player ${seat} ${points}`,
    bySize: "Points by size of the map, in cells",
    sizeTold: (/** @type {number} */ cells, /** @type {string} */ points, /** @type {string} */ games) =>
      `${cells} cells ${points} (${games} games)`,
    line: "The line shows the mean.",
    history: "Versions",
    version: "Version",
    program: "Program",
    headToHead: "Head to head",
    other: "Opponent",
    difference: "Points ahead",
    stronger: "Stronger",
    allGames: "All games",
    faulty: "Latest games with a forfeit",
    compare: "Compare",
    noGames: "This bot has not played yet.",
    never: "no games",
    empty: "There are no bots yet.",
  },
  {
    bot: "程序",
    rating: "等级分",
    points: "得分",
    meanPlace: "平均名次",
    firsts: "第一率",
    played: "局数",
    faults: "出局",
    slowest: "最慢回答",
    added: "加入时间",
    bySeat: "各座位得分",
    seat: (seat) => `${seat} 号玩家`,
    seatTold: (seat, points) => `${seat} 号玩家 ${points}`,
    bySize: "各地图大小（格数）得分",
    sizeTold: (cells, points, games) => `${cells} 格 ${points}（${games} 局）`,
    line: "虚线为其平均值。",
    history: "历史版本",
    version: "版本",
    program: "程序散列值",
    headToHead: "对阵",
    other: "对手",
    difference: "分差",
    stronger: "更强",
    allGames: "全部对局",
    faulty: "最近出局的对局",
    compare: "比较",
    noGames: "这个程序还没有对局。",
    never: "无对局",
    empty: "还没有程序。",
  },
);

/** How many of the latest forfeits are shown. */
const faultsShown = 5;

/**
 * The bot that the address names: by its label, or else the newest version of that name. Without a name, the best bot.
 * @param {ArenaPage} page
 * @param {string} key
 */
export function requestedBot(page, key) {
  const params = page.params.get(key) ?? "";
  const { bots, standings } = page.source;
  if (!params) return standings?.bots[0]?.bot;
  return bots.find((bot) => labelOf(bot) === params) ?? bots.filter(({ name }) => name === params).at(-1);
}

/** @type {ArenaPart} */
export function mountBots(page, place) {
  const choice = botChoice("", (chosen) => (location.hash = linkTo({ view: "bots", bot: chosen })));
  const content = el("div");
  const faultTitle = el("h2");
  const faulty = el("ol", { class: "games" });
  place.append(el("div", { class: "filters" }, choice.field), content, faultTitle, faulty);
  let questions = 0;

  /** @param {Standing} line */
  const showFaulty = async ({ bot, faults }) => {
    const question = ++questions;
    const rows = faults.length ? await faultyGames(page, bot, faultsShown).catch(() => []) : [];
    if (question !== questions) return;
    faultTitle.hidden = !rows.length;
    redraw(faulty, ...rows);
  };
  const show = () => {
    const bot = requestedBot(page, "bot") ?? page.source.bots[0];
    choice.show(botWords.bot, page.source.bots, bot ? labelOf(bot) : "");
    faultTitle.textContent = botWords.faulty;
    const line = bot && page.standingOf(bot.id);
    if (!line?.games) {
      questions++;
      faultTitle.hidden = true;
      redraw(faulty);
      return void redraw(content, el("p", { class: "about" }, bot ? botWords.noGames : botWords.empty));
    }
    redraw(content, ...botParts(page, line, Math.min(place.clientWidth, 1200)));
    void showFaulty(line);
  };
  return { show };
}

/** @param {ArenaPage} page @param {Standing} line @param {number} wide */
function botParts(page, line, wide) {
  const { bot } = line;
  const t = botWords;
  const half = wide > 900 ? wide / 2 - 40 : wide - 28;
  const versions = page.source.bots.filter(({ name }) => name === bot.name);
  return [
    el("h2", { class: "bot-title" }, nameOf(bot)),
    factsOf(line),
    el(
      "p",
      { class: "ways" },
      el("a", { class: "way", href: linkTo({ view: "games", bot: labelOf(bot) }), "data-key": "all games" }, t.allGames),
      el("a", { class: "way", href: compareWay(bot, versions), "data-key": "compare" }, t.compare),
    ),
    el("div", { class: "plots" }, seatPlot(line, half), sizePlot(line, half)),
    el("h2", {}, t.history),
    historyOf(page, versions),
    versions.length > 1 && historyPlot(page, versions, wide - 26),
    el("h2", {}, t.headToHead),
    headToHeadTable(page, bot),
  ];
}

/** A link to the comparison with the previous version, if there is one. @param {ArenaBot} bot @param {ArenaBot[]} versions */
function compareWay(bot, versions) {
  const before = versions[versions.indexOf(bot) - 1];
  return linkTo({ view: "compare", new: labelOf(bot), old: before ? labelOf(before) : "" });
}

/** @param {Standing} line */
function factsOf(line) {
  const t = botWords;
  /** @type {[string, ...(Node | string)[]][]} */
  const facts = [
    [t.rating, estimateText(line.rating, 0)],
    [t.points, estimateText(line.points, 1)],
    [t.meanPlace, digits(line.mean_place, 2)],
    [t.firsts, percent(line.win_rate)],
    [t.played, digits(line.games)],
    [t.faults, ...faultLinks(line)],
    [t.slowest, duration(line.slowest_ms)],
  ];
  const shown = facts.map(([name, ...value]) => el("div", {}, el("dt", {}, name), el("dd", {}, ...value)));
  return el("dl", { class: "facts" }, ...shown);
}

/** @param {Standing} line @param {number} wide */
function seatPlot({ by_seat: bySeat, points }, wide) {
  const t = botWords;
  const bars = bySeat.map((value, seat) => ({
    name: t.seat(seat),
    value,
    label: t.seatTold(seat, value === null ? t.never : digits(value, 1)),
  }));
  return plotSheet(t.bySeat, barPlot(t.bySeat, bars, points.value, wide));
}

/** @param {Standing} line @param {number} wide */
function sizePlot({ by_size: bySize, points }, wide) {
  const t = botWords;
  const bars = bySize.map(([cells, value, games]) => ({
    name: String(cells),
    value,
    label: t.sizeTold(cells, digits(value, 1), digits(games)),
  }));
  return plotSheet(t.bySize, barPlot(t.bySize, bars, points.value, wide));
}

/** @param {string} title @param {SVGElement} plot */
function plotSheet(title, plot) {
  return el("figure", { class: "card" }, el("h2", {}, title), plot, el("figcaption", { class: "soft" }, botWords.line));
}

/** @param {ArenaPage} page @param {ArenaBot[]} versions */
function historyOf(page, versions) {
  const t = botWords;
  const heads = [t.version, t.rating, t.points, t.played, t.faults, t.added, t.program].map((text) => columnHead(text));
  const rows = versions.map((bot) => {
    const line = page.standingOf(bot.id);
    const shown = line?.games ? line : null;
    return el(
      "tr",
      { "data-old": !bot.is_active },
      el("th", { scope: "row" }, botLink(bot, "version")),
      el("td", {}, shown ? estimateText(shown.rating, 0) : "–"),
      el("td", {}, shown ? estimateText(shown.points, 1) : "–"),
      el("td", {}, digits(line?.games ?? 0)),
      el("td", { class: "faults" }, ...(shown ? faultLinks(shown) : ["–"])),
      el("td", {}, moment(bot.added_ms)),
      el("td", {}, el("code", {}, bot.program.slice(0, 12))),
    );
  });
  return tableOf(t.history, heads, rows);
}

/** @param {ArenaPage} page @param {ArenaBot[]} versions @param {number} wide */
function historyPlot(page, versions, wide) {
  const lines = versions.flatMap((bot) => page.standingOf(bot.id) ?? []).filter(({ games }) => games);
  const rows = lines.map(({ bot, rating }) => ({ name: nameOf(bot), estimate: rating }));
  return lines.length > 1 && el("div", { class: "card" }, intervalPlot(botWords.rating, rows, wide, 0));
}

/** @param {ArenaPage} page @param {ArenaBot} bot */
function headToHeadTable(page, bot) {
  const t = botWords;
  const standings = /** @type {Standings} */ (page.source.standings);
  const own = standings.matrix[standings.bots.findIndex((line) => line.bot.id === bot.id)] ?? [];
  const heads = [t.other, t.difference, t.stronger, t.played].map((text) => columnHead(text));
  const rows = standings.bots.flatMap(({ bot: other }, number) => {
    const record = own[number];
    if (!record || other.id === bot.id) return [];
    const { points } = record;
    return el(
      "tr",
      { title: headToHeadText(bot, other, record) },
      el("th", { scope: "row" }, botLink(other, "against")),
      el("td", {}, el("b", {}, signed(points.value)), " ", el("span", { class: "estimate-ends" }, intervalText(points, signed))),
      el("td", {}, percent(record.stronger)),
      el("td", {}, digits(record.games)),
    );
  });
  return tableOf(t.headToHead, heads, rows);
}
