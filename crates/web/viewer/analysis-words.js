// The texts of the analysis.

import { counted, language, scoreText, words } from "./language.js";
import { faultName } from "./sentences.js";

/**
 * An action and its evaluation. `points` and `error` are null if it was never tried.
 * @typedef {{ action: Action, visits: number, points: number | null, error: number | null, line: Four<Action | null>[] }} WeighedAction
 */
/**
 * The engine's analysis of a turn. `points` are the expected points before the turn; the actions in `seats` are sorted, best
 * first. `given`, `loss` and `accuracy` exist only for turns that were played. The accuracy of a player in a match is the mean of
 * those of its turns, from 0 to 100; `null` for the dead and those without a choice. `why` says of actions that
 * lost points what they were and what followed, if the engine knows it.
 * @typedef {{
 *   turn: number, simulations: number, points: Four<number>, seats: Four<WeighedAction[]>,
 *   given?: Four<Action | null>, loss?: Four<number | null>, accuracy?: Four<number | null>,
 *   why?: Four<{ kind: string, sentence: { en: string, zh: string } } | null>,
 * }} AnalysedTurn
 */
/**
 * An action that was clearly worse than another, or an answer that failed.
 * @typedef {{ turn: number, seat: Seat, given: Action, verdict: Answer["verdict"], better: Action, loss: number, why?: { en: string, zh: string } }} Mistake
 */

export const analysisWords = words(
  {
    title: "Analysis",
    analyse: "Analyse the match",
    analyseHint: "Analyse every turn, starting at the turn shown",
    bars: "Expected points of each player",
    bar: (/** @type {string} */ player, /** @type {string} */ points) => `${player} ${points}`,
    chartLabel: (/** @type {number} */ turn, /** @type {string} */ each, /** @type {number} */ mistakes) =>
      `Expected points of each player. After turn ${turn}: ${each}. Mistakes marked: ${mistakes}.`,
    unknown: "not analysed yet",
    join: ", ",
    progress: (/** @type {number} */ done, /** @type {number} */ all) => `${done} of ${counted(all, "turn")} analysed`,
    waits: "The match is analysed when it is over.",
    options: (/** @type {number} */ turn) => `Best actions for turn ${turn}`,
    mistakes: "Mistakes",
    noMistakes: "No clear mistake so far.",
    worst: (/** @type {number} */ shown, /** @type {number} */ all) => `The ${shown} worst of ${all} mistakes.`,
    mistake: (
      /** @type {number} */ turn,
      /** @type {string} */ better,
      /** @type {string} */ points,
      /** @type {string} */ given,
    ) => `turn ${turn}: ${better} was worth ${points} points more than ${given}`,
    explained: (/** @type {string} */ mistake, /** @type {string} */ why) => `${mistake}. ${why}`,
    staying: "staying",
    failed: (/** @type {number} */ turn, /** @type {string} */ points, /** @type {string} */ why) => `turn ${turn} cost ${points} points: ${why}`,
    going0: "moving up",
    going1: "moving right",
    going2: "moving down",
    going3: "moving left",
    going4: "shooting up",
    going5: "shooting right",
    going6: "shooting down",
    going7: "shooting left",
    hint: "Hint",
    hintKey: "Show the action that the engine would choose (H)",
    thinking: "Thinking…",
    best: (/** @type {Seat} */ seat, /** @type {string} */ action, /** @type {string} */ points) =>
      `Player ${seat}, best: ${action}, ${points} points`,
    alternatives: "Actions and the points expected after them",
    broken: (/** @type {string} */ why) => `No analysis: ${why}`,
    reviewOf: "Accuracy of each player; press one to review its turns",
    accuracy: (/** @type {string} */ player) => `Accuracy of ${player}`,
    costliest: (/** @type {number} */ count, /** @type {string} */ player) =>
      count > 1 ? `The ${count} costliest turns of ${player}` : `The costliest turn of ${player}`,
    noMistakesOf: (/** @type {string} */ player) => `No clear mistake of ${player} so far`,
    legend: "Gold: the better action. In the player's colour: what it did, and what it drew.",
    showLine: "Show the better line",
    backToReview: (/** @type {number} */ turn) => `Back to turn ${turn} of the match`,
    tryIt: "Try it, the others as in the match:",
    tryPrograms: "A match from here against the programs themselves:",
    you: "you",
  },
  {
    title: "分析",
    analyse: "分析对局",
    analyseHint: "从当前回合开始逐回合分析",
    bars: "各玩家的期望得分",
    bar: (player, points) => `${player} ${points}`,
    chartLabel: (turn, each, mistakes) => `各玩家的期望得分。第 ${turn} 回合后：${each}。标出失误 ${mistakes} 处。`,
    unknown: "尚未分析",
    join: "，",
    progress: (done, all) => `已分析 ${done}/${all} 回合`,
    waits: "对局结束后再分析。",
    options: (turn) => `第 ${turn} 回合的最佳动作`,
    mistakes: "失误",
    noMistakes: "目前没有明显的失误。",
    worst: (shown, all) => `共 ${all} 处，列出最严重的 ${shown} 处。`,
    mistake: (turn, better, points, given) => `第 ${turn} 回合：${better}比${given}多值 ${points} 分`,
    explained: (mistake, why) => `${mistake}。${why}`,
    staying: "不动",
    failed: (turn, points, why) => `第 ${turn} 回合失去 ${points} 分：${why}`,
    going0: "向上移动",
    going1: "向右移动",
    going2: "向下移动",
    going3: "向左移动",
    going4: "向上发射金光",
    going5: "向右发射金光",
    going6: "向下发射金光",
    going7: "向左发射金光",
    hint: "提示",
    hintKey: "引擎会选择的动作（H）",
    thinking: "思考中……",
    best: (seat, action, points) => `${seat} 号玩家最佳：${action}，${points} 分`,
    alternatives: "各动作及其期望得分",
    broken: (why) => `无法分析：${why}`,
    reviewOf: "各玩家的准确率；点一名玩家，复盘他的回合",
    accuracy: (player) => `${player}的准确率`,
    costliest: (count, player) => `${player}代价最大的 ${count} 个回合`,
    noMistakesOf: (player) => `${player}目前没有明显的失误`,
    legend: "金色是更好的动作，玩家自己的颜色是实际的动作和程序画的图。",
    showLine: "演示更好的走法",
    backToReview: (turn) => `回到对局第 ${turn} 回合`,
    tryIt: "试一试，其他玩家与原对局相同：",
    tryPrograms: "从这里开一场对局，对手是原来的程序：",
    you: "你",
  },
);

/** An action as a noun phrase. @param {Action} action */
function doing(action) {
  const t = /** @type {Record<string, string>} */ (/** @type {unknown} */ (analysisWords));
  return action === -1 ? t.staying : t[`going${action}`];
}

/** Points with one decimal. @param {number | null} points */
export const pointsText = (points) => (points === null ? "?" : scoreText(points, 1));

/** A mistake as a sentence. @param {Mistake} mistake */
export function mistakeSentence({ turn, given, verdict, better, loss }) {
  const points = loss < 10 ? loss.toFixed(1) : String(Math.round(loss));
  if (verdict !== "OK") return analysisWords.failed(turn, points, faultName(given, verdict));
  return analysisWords.mistake(turn, doing(better), points, doing(given));
}

/** A mistake as a sentence, and why it was one. @param {Mistake} mistake */
export function explainedMistake(mistake) {
  const why = mistake.why?.[language()];
  return why ? analysisWords.explained(mistakeSentence(mistake), why) : mistakeSentence(mistake);
}

/** The mistakes of a turn. @param {Timeline | null} timeline @param {AnalysedTurn} analysed @returns {Mistake[]} */
export function mistakesOf(timeline, { turn, seats, given, loss, why }) {
  return seats.flatMap(([best], number) => {
    const seat = /** @type {Seat} */ (number);
    const [action, lost] = [given?.[seat] ?? null, loss?.[seat] ?? 0];
    if (!best || action === null || !(lost > 0)) return [];
    const verdict = timeline?.frames[turn]?.answers[seat]?.verdict ?? "OK";
    return [{ turn, seat, given: action, verdict, better: best.action, loss: lost, why: why?.[seat]?.sentence }];
  });
}
