// What an analysis says, in words.

import { words } from "./language.js";

/**
 * An order that was weighed; `points` and `error` are null where it was never tried.
 * @typedef {{ action: Action, visits: number, points: number | null, error: number | null, line: Four<Action | null>[] }} WeighedAction
 */
/**
 * What the server says of a turn: `points` are what each player may expect before it; in `seats` the best orders come first.
 * `given` and `loss` are there for turns that were played.
 * @typedef {{
 *   turn: number, simulations: number, points: Four<number>, seats: Four<WeighedAction[]>,
 *   given?: Four<Action | null>, loss?: Four<number | null>,
 * }} AnalysedTurn
 */
/** An order that lost clearly. @typedef {{ turn: number, seat: Seat, given: Action, better: Action, loss: number }} Mistake */

export const analysisWords = words(
  {
    title: "Analysis",
    analyse: "Analyse the match",
    analyseHint: "Has the server think over every turn, from the one that is shown on",
    bars: "Points that each player may expect",
    bar: (/** @type {number} */ seat, /** @type {string} */ points) => `player ${seat} ${points}`,
    chartLabel: (/** @type {number} */ turn, /** @type {string} */ each, /** @type {number} */ mistakes) =>
      `Points that each player may expect. After turn ${turn}: ${each}. Mistakes marked: ${mistakes}.`,
    unknown: "not analysed yet",
    join: ", ",
    progress: (/** @type {number} */ done, /** @type {number} */ all) => `${done} of ${all} turns analysed`,
    waits: "The match is being played; it is analysed when it is over.",
    options: (/** @type {number} */ turn) => `Best orders for turn ${turn}`,
    mistakes: "Mistakes",
    noMistakes: "No order lost clearly so far.",
    worst: (/** @type {number} */ shown, /** @type {number} */ all) => `The ${shown} worst of ${all}.`,
    mistake: (
      /** @type {number} */ turn,
      /** @type {string} */ better,
      /** @type {string} */ points,
      /** @type {string} */ given,
    ) => `turn ${turn}: ${better} was worth ${points} points more than ${given}`,
    staying: "staying",
    illegal: "an illegal order",
    going0: "moving up",
    going1: "moving right",
    going2: "moving down",
    going3: "moving left",
    going4: "shooting up",
    going5: "shooting right",
    going6: "shooting down",
    going7: "shooting left",
    hint: "Hint",
    hintKey: "What the engine would do (H)",
    thinking: "Thinking…",
    best: (/** @type {Seat} */ seat, /** @type {string} */ order, /** @type {string} */ points) =>
      `Player ${seat}, best: ${order}, ${points} points`,
    alternatives: "Orders and the points to expect after them",
    broken: (/** @type {string} */ why) => `No analysis: ${why}`,
  },
  {
    title: "分析",
    analyse: "分析对局",
    analyseHint: "让服务器从正在看的回合起逐回合思考",
    bars: "各玩家的期望得分",
    bar: (seat, points) => `${seat} 号 ${points}`,
    chartLabel: (turn, each, mistakes) => `各玩家的期望得分。第 ${turn} 回合后：${each}。标出失误 ${mistakes} 处。`,
    unknown: "尚未分析",
    join: "，",
    progress: (done, all) => `已分析 ${done}/${all} 回合`,
    waits: "对局正在进行，结束后再分析。",
    options: (turn) => `第 ${turn} 回合的最佳命令`,
    mistakes: "失误",
    noMistakes: "目前没有明显失分的命令。",
    worst: (shown, all) => `共 ${all} 处，列出最严重的 ${shown} 处。`,
    mistake: (turn, better, points, given) => `第 ${turn} 回合：${better}比${given}多值 ${points} 分`,
    staying: "不动",
    illegal: "不合法的命令",
    going0: "向上走",
    going1: "向右走",
    going2: "向下走",
    going3: "向左走",
    going4: "向上发射金光",
    going5: "向右发射金光",
    going6: "向下发射金光",
    going7: "向左发射金光",
    hint: "提示",
    hintKey: "引擎会怎样下命令（H）",
    thinking: "思考中……",
    best: (seat, order, points) => `${seat} 号玩家最佳：${order}，${points} 分`,
    alternatives: "各命令及其期望得分",
    broken: (why) => `无法分析：${why}`,
  },
);

/** An order as something that is done. @param {Action} action */
function doing(action) {
  const t = /** @type {Record<string, string>} */ (/** @type {unknown} */ (analysisWords));
  return action === -1 ? t.staying : t[`going${action}`] ?? t.illegal;
}

/** Points with one decimal, where there are any. @param {number | null} points */
export const pointsText = (points) => (points === null ? "?" : points.toFixed(1).replace("-", "−"));

/** A mistake as a sentence. @param {Mistake} mistake */
export function mistakeSentence({ turn, given, better, loss }) {
  const points = loss < 10 ? loss.toFixed(1) : String(Math.round(loss));
  return analysisWords.mistake(turn, doing(better), points, doing(given));
}

/** The mistakes of a turn. @param {AnalysedTurn} analysed @returns {Mistake[]} */
export function mistakesOf({ turn, seats, given, loss }) {
  return seats.flatMap(([best], number) => {
    const seat = /** @type {Seat} */ (number);
    const [order, lost] = [given?.[seat] ?? null, loss?.[seat] ?? 0];
    return best && order !== null && lost > 0 ? [{ turn, seat, given: order, better: best.action, loss: lost }] : [];
  });
}
