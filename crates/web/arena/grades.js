// The grades of a class, in a report that contains them: a table, and a part for each student.

import { el, untrusted, visibleText } from "../viewer/dom.js";
import { language, words } from "../viewer/language.js";
import { columnHead, estimateText, linkTo, redraw, tableOf } from "./components.js";
import { digits, plain } from "./format.js";

const gradeWords = words(
  {
    title: "Grades",
    name: "Submission",
    grade: "Grade",
    place: "Place",
    points: "Points",
    note: "Notes",
    fine: "It played.",
    failed: "It failed: ",
    reference: "Reference",
    required: "Required lead",
    lead: "Lead",
    reached: "Reached",
    yes: "yes",
    no: "no",
    never: "never met",
    games: "Its games",
    estimate: "The lead over a reference is the mean difference in points in the games of both.",
    low: "The lower end of the 95 % interval of the lead counts. The lead over a reference is the mean difference in points in the games of both.",
    otherwise: (/** @type {string} */ grade) => `A submission that reaches no required lead gets ${grade}.`,
  },
  {
    title: "成绩",
    name: "提交",
    grade: "成绩",
    place: "名次",
    points: "得分",
    note: "说明",
    fine: "正常参赛。",
    failed: "未通过：",
    reference: "参考程序",
    required: "要求领先",
    lead: "实际领先",
    reached: "达到",
    yes: "是",
    no: "否",
    never: "没有同场对局",
    games: "全部对局",
    estimate: "与参考程序同场时平均多得的分数称为领先分。",
    low: "以领先分的 95% 区间下限为准。与参考程序同场时平均多得的分数称为领先分。",
    otherwise: (grade) => `没有达到任何要求的提交得 ${grade}。`,
  },
);

/** @type {ArenaPart} */
export function mountGrades(page, place) {
  const show = () => {
    const t = gradeWords;
    const { measure, otherwise, grades } = /** @type {ClassReport} */ (page.source.class);
    const about = el("p", { class: "about" }, t[measure], " ", t.otherwise(plain(otherwise)));
    const heads = [t.name, t.grade, t.place, t.points, t.note].map((text) => columnHead(text));
    redraw(place, about, tableOf(t.title, heads, grades.map(gradeRow), "grades"), ...grades.map(studentPart));
    const student = page.params.get("student");
    if (student) document.getElementById(`student-${student}`)?.scrollIntoView();
  };
  return { show };
}

/** @param {Grade} grade */
function noteOf({ status, note_zh: zh, note_en: en }) {
  const failed = status !== "ok";
  const note = language() === "zh" ? zh : en;
  return [failed && el("b", {}, gradeWords.failed), untrusted(note || (failed ? status : gradeWords.fine))];
}

/** @param {Grade} grade @param {number} number */
function gradeRow(grade, number) {
  const { name, place, points, status } = grade;
  const link = el("a", { href: linkTo({ view: "grades", student: String(number + 1) }), class: "bot-link" }, untrusted(name));
  return el(
    "tr",
    { "data-failed": status !== "ok" },
    el("th", { scope: "row" }, el("span", { class: "bot-name" }, link)),
    el("td", {}, plain(grade.grade)),
    el("td", {}, place ? digits(place) : "–"),
    el("td", {}, points ? estimateText(points, 1) : "–"),
    el("td", { class: "note" }, ...noteOf(grade)),
  );
}

/** What a student's submission got, and why. @param {Grade} grade @param {number} number */
function studentPart(grade, number) {
  const t = gradeWords;
  const { name, bot, thresholds } = grade;
  const heads = [t.reference, t.required, t.grade, t.lead, t.reached].map((text) => columnHead(text));
  return el(
    "section",
    { class: "student card", id: `student-${number + 1}`, "aria-label": visibleText(name) },
    el("h2", {}, untrusted(name)),
    el("p", {}, `${t.grade}: `, el("b", {}, plain(grade.grade))),
    el("p", {}, ...noteOf(grade)),
    bot !== null && thresholds.length > 0 && tableOf(`${t.grade}: ${visibleText(name)}`, heads, thresholds.map(thresholdRow)),
    bot !== null && el("p", {}, el("a", { class: "watch", href: linkTo({ view: "games", bot }) }, t.games)),
  );
}

/** @param {ThresholdResult} result */
function thresholdRow({ reference, at_least: required, grade, lead, reached }) {
  const t = gradeWords;
  return el(
    "tr",
    {},
    el("th", { scope: "row" }, el("span", { class: "bot-name" }, untrusted(reference))),
    el("td", {}, plain(required)),
    el("td", {}, plain(grade)),
    el("td", {}, lead ? estimateText(lead, 1) : t.never),
    el("td", {}, reached ? t.yes : t.no),
  );
}
