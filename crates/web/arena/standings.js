// The standings: ratings, points and forfeits of all bots.

import { el, visibleText } from "../viewer/dom.js";
import { words } from "../viewer/language.js";
import { meaningOf } from "./faults.js";
import { digits, duration, percent } from "./format.js";
import { botLink, columnHead, estimateText, labelOf, nameOf, oldChoice, redraw, tableOf, linkTo } from "./components.js";
import { intervalBar, intervalPlot, scaleOf } from "./plots.js";

const standingWords = words(
  {
    title: "Table",
    games: (/** @type {string} */ games, /** @type {string} */ blocks) => `${games} games in ${blocks} blocks. `,
    replayed: (/** @type {string} */ games, /** @type {string} */ share) =>
      `${games} (${share}) were replayed because the machine stalled. `,
    noneReplayed: "None had to be replayed. ",
    intervals: "The 95 % intervals contain the true value in 95 of 100 cases. Bots whose intervals do not overlap differ in strength.",
    place: "Place",
    bot: "Bot",
    rating: "Rating",
    ratingHint: "on the Elo scale, centred on 1500",
    points: "Points",
    pointsHint: "mean of the official score",
    meanPlace: "Mean place",
    firsts: "First places",
    firstsHint: "share of games in which no player was stronger",
    played: "Games",
    faults: "Forfeits",
    slowest: "Slowest answer",
    retired: "old",
    ratings: "Ratings",
    noFaults: "none",
    empty: "No games have been played yet.",
    times: (/** @type {string} */ meaning, /** @type {string} */ times) => `${meaning}: ${times} times`,
  },
  {
    title: "排名",
    games: (games, blocks) => `共 ${games} 局，分 ${blocks} 组。`,
    replayed: (games, share) => `其中 ${games} 局（${share}）因机器停顿而重新进行。`,
    noneReplayed: "没有因机器停顿而重赛的对局。",
    intervals: "真实值有 95% 的可能落在区间内；区间不重叠的程序确有差距。",
    place: "名次",
    bot: "程序",
    rating: "等级分",
    ratingHint: "与国际象棋等级分同尺度，中间为 1500",
    points: "得分",
    pointsHint: "官方得分的平均值",
    meanPlace: "平均名次",
    firsts: "第一率",
    firstsHint: "没有人比它更强的对局所占比例",
    played: "局数",
    faults: "出局",
    slowest: "最慢回答",
    retired: "旧版",
    ratings: "等级分区间",
    noFaults: "无",
    empty: "还没有下完的对局。",
    times: (meaning, times) => `${meaning}：${times} 次`,
  },
);

/** How many bots are plotted. */
const plottedAtMost = 60;

/** @type {ArenaPart} */
export function mountStandings(page, place) {
  const old = oldChoice(page, () => show());
  const about = el("p", { class: "about" });
  const table = el("div");
  const title = el("h2");
  const plot = el("div", { class: "card" });
  place.append(about, old.field, table, title, plot);

  const show = () => {
    const { standings } = page.source;
    const shown = old.show();
    const nothing = !standings?.games;
    about.textContent = nothing ? standingWords.empty : aboutGames(standings);
    title.hidden = nothing;
    plot.hidden = nothing;
    if (nothing) return void redraw(table);
    const scale = scaleOf(shown.map(({ rating }) => rating));
    const lines = shown.map((line, number) => standingRow(line, number + 1, scale));
    redraw(table, tableOf(standingWords.title, standingHeads(), lines));
    title.textContent = standingWords.ratings;
    const rows = shown.slice(0, plottedAtMost).map(({ bot, rating }) => ({ name: nameOf(bot), estimate: rating }));
    redraw(plot, intervalPlot(standingWords.ratings, rows, place.clientWidth - 26, 0));
  };
  return { show };
}

/** @param {Standings} standings */
function aboutGames({ games, blocks, replayed }) {
  const again = replayed ? standingWords.replayed(digits(replayed), percent(replayed / games)) : standingWords.noneReplayed;
  return standingWords.games(digits(games), digits(blocks)) + again + standingWords.intervals;
}

function standingHeads() {
  const t = standingWords;
  return [
    columnHead(t.place),
    columnHead(t.bot),
    columnHead(t.rating, t.ratingHint),
    columnHead(t.points, t.pointsHint),
    columnHead(t.meanPlace),
    columnHead(t.firsts, t.firstsHint),
    columnHead(t.played),
    columnHead(t.faults),
    columnHead(t.slowest),
  ];
}

/**
 * @param {Standing} line
 * @param {number} number the place among the bots on display
 * @param {[number, number]} scale
 */
function standingRow(line, number, scale) {
  const { bot, rating, points, games, slowest_ms: slowest } = line;
  return el(
    "tr",
    { "data-old": !bot.is_active },
    el("td", { class: "place" }, number),
    el("th", { scope: "row" }, botLink(bot, "table"), !bot.is_active && el("span", { class: "retired" }, standingWords.retired)),
    el("td", { class: "rating" }, estimateText(rating, 0), intervalBar(rating, scale)),
    el("td", {}, estimateText(points, 1)),
    el("td", {}, digits(line.mean_place, 2)),
    el("td", {}, percent(line.win_rate)),
    el("td", {}, digits(games)),
    el("td", { class: "faults" }, ...faultLinks(line)),
    el("td", {}, games ? duration(slowest) : "–"),
  );
}

/** The number of forfeits by kind, each with a link to those games. @param {Standing} line */
export function faultLinks({ bot, faults }) {
  if (!faults.length) return [el("span", { class: "soft" }, standingWords.noFaults)];
  return faults.map(([kind, times]) => {
    const label = standingWords.times(meaningOf(kind), digits(times));
    const href = linkTo({ view: "games", bot: labelOf(bot), fault: kind });
    const key = `fault ${kind} ${labelOf(bot)}`;
    const spoken = el("span", { class: "visually-hidden" }, ` ${label}`);
    return el("a", { class: "fault-link", href, title: label, "data-key": key }, visibleText(kind), " ", digits(times), spoken);
  });
}
