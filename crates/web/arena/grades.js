// The grades of a class, in a report that contains them.

import { el, untrusted, visibleText } from "../viewer/dom.js";
import { language, words } from "../viewer/language.js";
import { columnHead, estimateText, redraw, tableOf } from "./components.js";

const gradeWords = words(
  {
    title: "Grades",
    name: "Submission",
    grade: "Grade",
    points: "Points",
    note: "Notes",
    fine: "It played.",
    failed: "It failed: ",
  },
  {
    title: "成绩",
    name: "提交",
    grade: "成绩",
    points: "得分",
    note: "说明",
    fine: "正常参赛。",
    failed: "未通过：",
  },
);

/** @type {ArenaPart} */
export function mountGrades(page, place) {
  const show = () => {
    const t = gradeWords;
    const heads = [t.name, t.grade, t.points, t.note].map((text) => columnHead(text));
    redraw(place, tableOf(t.title, heads, (page.source.grades ?? []).map(gradeRow), "grades"));
  };
  return { show };
}

/** @param {Grade} grade */
function gradeRow({ name, grade, points, status, note_zh: zh, note_en: en }) {
  const failed = status !== "ok";
  const note = language() === "zh" ? zh : en;
  return el(
    "tr",
    { "data-failed": failed },
    el("th", { scope: "row" }, el("span", { class: "bot-name" }, untrusted(name))),
    el("td", {}, visibleText(String(grade))),
    el("td", {}, points ? estimateText(points, 1) : "–"),
    el("td", { class: "note" }, failed && el("b", {}, gradeWords.failed), untrusted(note || (failed ? status : gradeWords.fine))),
  );
}
