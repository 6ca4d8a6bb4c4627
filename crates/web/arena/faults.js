// The kinds of forfeits in words.

import { el, visibleText } from "../viewer/dom.js";
import { words } from "../viewer/language.js";

const faultWords = words(
  {
    TLE: "it took too long",
    MLE: "it used too much memory",
    OLE: "its output was too long",
    NJ: "its answer was not JSON",
    RE: "its program failed",
    ILLEGAL: "its action was illegal",
    inTurn: (/** @type {number} */ turn) => `in turn ${turn}`,
  },
  {
    TLE: "程序超时",
    MLE: "程序占用内存过多",
    OLE: "程序输出过长",
    NJ: "输出不是 JSON",
    RE: "程序运行出错",
    ILLEGAL: "动作不合法",
    inTurn: (turn) => `第 ${turn} 回合`,
  },
);

export const faultKinds = /** @type {const} */ (["TLE", "MLE", "OLE", "NJ", "RE", "ILLEGAL"]);

/** The meaning of a kind; an unknown kind as it is. @param {string} kind */
export function meaningOf(kind) {
  const known = faultKinds.find((known) => known === kind);
  return known ? faultWords[known] : visibleText(kind);
}

/** @param {{ kind: string, turn: number }} fault */
export function faultSign({ kind, turn }) {
  const meaning = `${meaningOf(kind)}, ${faultWords.inTurn(turn)}`;
  return el("abbr", { class: "fault", title: meaning }, visibleText(kind), el("span", { class: "visually-hidden" }, ` ${meaning}`));
}
