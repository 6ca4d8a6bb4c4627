// A heat map of the mean point differences between all pairs of bots.

import { el, untrusted } from "../viewer/dom.js";
import { words } from "../viewer/language.js";
import { digits, intervalText, percent, signed } from "./format.js";
import { botLink, nameOf, oldChoice, redraw, tableOf } from "./components.js";

const headToHeadWords = words(
  {
    title: "Head to head",
    about: "Mean point difference between the bot of the row and the bot of the column, over their common games. "
      + "Bold: significant, because the 95 % interval excludes 0.",
    bot: "Bot",
    cell: (/** @type {string} */ row, /** @type {string} */ column, /** @type {HeadToHeadTexts} */ t) =>
      `${row} – ${column}: ${t.points} points (${t.interval}); stronger in ${t.stronger} of ${t.games} games`,
    never: "No common games",
    self: "Same bot",
    more: (/** @type {string} */ shown, /** @type {string} */ all) => `${shown} of ${all} bots are shown; show more`,
    empty: "No game has been played yet.",
  },
  {
    title: "对阵",
    about: "行中的程序比列中的程序平均多得的分数（双方同场的各局）。粗体表示差异显著：95% 区间不含 0。",
    bot: "程序",
    cell: (row, column, t) =>
      `${row} 对 ${column}：${t.points} 分（${t.interval}）；${t.games} 局中有 ${t.stronger} 更强`,
    never: "没有同场对局",
    self: "同一个程序",
    more: (shown, all) => `已显示 ${shown}/${all} 个程序，显示更多`,
    empty: "还没有下完的对局。",
  },
);

/** @typedef {{ points: string, interval: string, stronger: string, games: string }} HeadToHeadTexts */

/** How many bots are shown at first, and added each time. Large tables take long to draw. */
const BOTS_PER_PAGE = 30;
/** The point difference of the deepest colour, and the number of colours on each side. */
const deepest = 20;
const depths = 5;

/** @type {ArenaPart} */
export function mountHeadToHead(page, place) {
  let most = BOTS_PER_PAGE;
  const about = el("p", { class: "about" });
  const table = el("div");
  const more = el("button", {
    type: "button",
    onclick: () => {
      most += BOTS_PER_PAGE;
      show();
    },
  });
  const old = oldChoice(page, () => show());
  place.append(about, old.field, table, more);
  const show = () => {
    const { standings } = page.source;
    const nothing = !standings?.games;
    about.textContent = nothing ? headToHeadWords.empty : headToHeadWords.about;
    const players = old.show();
    more.hidden = nothing || players.length <= most;
    if (nothing) return void redraw(table);
    more.textContent = headToHeadWords.more(digits(most), digits(players.length));
    const shown = players.slice(0, most);
    const numbers = shown.map((line) => standings.bots.indexOf(line));
    const heads = shown.map(({ bot }, number) => el("th", { scope: "col", title: nameOf(bot) }, number + 1, hiddenName(bot)));
    const rows = shown.map((line, number) => {
      const headToHead = standings.matrix[numbers[number]];
      return headToHeadRow(line, number + 1, numbers.map((other) => headToHead[other]), shown);
    });
    redraw(table, tableOf(headToHeadWords.title, [el("th", { scope: "col" }, headToHeadWords.bot), ...heads], rows, "matrix"));
  };
  return { show };
}

/** @param {ArenaBot} bot */
const hiddenName = (bot) => el("span", { class: "visually-hidden" }, untrusted(nameOf(bot)));

/**
 * @param {Standing} line
 * @param {number} place among the bots on display
 * @param {(HeadToHead | null)[]} headToHead
 * @param {Standing[]} others
 */
function headToHeadRow({ bot }, place, headToHead, others) {
  const who = el("th", { scope: "row" }, el("span", { class: "place" }, place), botLink(bot, "meetings"));
  return el("tr", {}, who, ...others.map((other, number) => headToHeadCell(bot, other.bot, headToHead[number])));
}

/** @param {ArenaBot} bot @param {ArenaBot} other @param {HeadToHead | null} record */
function headToHeadCell(bot, other, record) {
  if (bot.id === other.id) return el("td", { class: "heat-self", title: headToHeadWords.self }, "·");
  if (!record) return el("td", { class: "heat-none", title: headToHeadWords.never }, "–");
  const { points } = record;
  const depth = Math.max(-depths, Math.min(depths, Math.round((points.value / deepest) * depths)));
  const kind = `heat heat${depth}${isSure(points) ? " sure" : ""}`;
  return el("td", { class: kind, title: headToHeadText(bot, other, record) }, signed(points.value));
}

/** Whether the interval excludes 0. @param {Estimate} points */
export const isSure = ({ low = 0, high = 0 }) => low > 0 || high < 0;

/** @param {ArenaBot} bot @param {ArenaBot} other @param {HeadToHead} record */
export function headToHeadText(bot, other, { points, stronger, games }) {
  const texts = {
    points: signed(points.value),
    interval: intervalText(points, signed),
    stronger: percent(stronger),
    games: digits(games),
  };
  return headToHeadWords.cell(nameOf(bot), nameOf(other), texts);
}
