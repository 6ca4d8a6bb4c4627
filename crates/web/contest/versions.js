// One's own versions: handing in by a file or as text, and what became of each.

import { redraw } from "../arena/components.js";
import { el, steadyList, untrusted, visibleText } from "../viewer/dom.js";
import { language, moment, words } from "../viewer/language.js";
import { get, handIn, post } from "./ask.js";
import { field, formOf, notice, worded } from "./parts.js";

const versionWords = words(
  {
    handIn: "Hand in a version",
    file: "A source file, or a zip of several (you can also drop it here)",
    orText: "Or paste a program",
    language: "Language",
    text: "Program",
    send: "Hand in",
    sent: (/** @type {string} */ file) => `${file} was handed in. It is judged now.`,
    nothing: "Choose a file or paste a program.",
    versions: "My versions",
    none: "You have handed in nothing yet.",
    version: (/** @type {number} */ number) => `Version ${number}`,
    waiting: "in the queue",
    judging: "is being judged",
    passed: "passed",
    refused: "refused",
    plays: "The newest version that passed plays.",
    token: "Token for programs",
    tokenAbout: "With a token, a program can hand in versions for you. A new one replaces the one before.",
    newToken: "New token",
    tokenShown: "Keep it now; it is not shown again:",
  },
  {
    handIn: "提交版本",
    file: "一个源文件，或包含多个文件的压缩包（也可以拖到这里）",
    orText: "或者粘贴程序",
    language: "语言",
    text: "程序",
    send: "提交",
    sent: (file) => `${file} 已提交，正在评测。`,
    nothing: "请选择文件，或粘贴程序。",
    versions: "我的版本",
    none: "还没有提交过版本。",
    version: (number) => `版本 ${number}`,
    waiting: "排队中",
    judging: "评测中",
    passed: "通过",
    refused: "未通过",
    plays: "最新的通过的版本会上场。",
    token: "程序用的口令",
    tokenAbout: "有了口令，程序就可以替你提交版本。新的口令会代替旧的。",
    newToken: "生成口令",
    tokenShown: "请现在保存，以后不再显示：",
  },
);

/** The file names that a pasted program gets. @type {[string, string][]} */
const languages = [
  ["main.cpp", "C++"],
  ["main.py", "Python"],
  ["main.c", "C"],
  ["Main.java", "Java"],
  ["main.cs", "C#"],
  ["main.js", "JavaScript"],
  ["main.go", "Go"],
  ["main.rs", "Rust"],
  ["main.pas", "Pascal"],
];

/** How often the server is asked while something is judged, and else. */
const askSoonMs = 1500;
const askLateMs = 15_000;

/** @param {HTMLElement} place */
export function mountVersions(place) {
  const told = notice();
  const file = el("input", { type: "file", name: "file" });
  const kind = el("select", { name: "language" }, ...languages.map(([value, name]) => el("option", { value }, name)));
  const text = el("textarea", { rows: 6, spellcheck: false, autocapitalize: "off", autocomplete: "off", name: "text" });
  const send = async () => {
    const chosen = file.files?.[0];
    if (!chosen && !text.value.trim()) return told.say(() => versionWords.nothing);
    const name = chosen?.name ?? kind.value;
    await handIn(name, chosen ?? text.value);
    told.say(() => versionWords.sent(visibleText(name)));
    file.value = "";
    text.value = "";
    await look();
  };
  const pasted = el("details", {}, worded(el("summary"), () => versionWords.orText), field(() => versionWords.language, kind), field(() => versionWords.text, text));
  const form = formOf({
    name: () => versionWords.handIn,
    button: () => versionWords.send,
    parts: [field(() => versionWords.file, file), pasted],
    send,
    told,
  });
  form.addEventListener("dragover", (event) => event.preventDefault());
  form.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer?.files.length) file.files = event.dataTransfer.files;
  });

  const list = el("ol", { class: "versions" });
  const none = worded(el("p", { class: "soft" }), () => versionWords.none);
  const plays = worded(el("p", { class: "soft" }), () => versionWords.plays);
  place.append(form, worded(el("h2"), () => versionWords.versions), none, list, plays, tokenPart());
  const showList = steadyList(list, itemOf);
  /** @type {Version[]} */
  let versions = [];
  const show = (anew = false) => {
    none.hidden = versions.length > 0;
    plays.hidden = !none.hidden ? true : !versions.some(({ state }) => typeof state === "object" && "passed" in state);
    showList(versions, anew);
  };
  let next = 0;
  const look = async () => {
    clearTimeout(next);
    try {
      versions = await get("versions");
      show();
    } finally {
      const isJudged = versions.some(({ state }) => typeof state === "string");
      next = setTimeout(lookAgain, isJudged ? askSoonMs : askLateMs);
    }
  };
  const lookAgain = () => {
    // A hidden page asks when it is seen again. Where the server does not answer, the next try may succeed.
    if (document.hidden) next = setTimeout(lookAgain, askSoonMs);
    else look().catch(() => {});
  };
  lookAgain();
  return () => show(true);
}

/** @param {Version} version */
function itemOf({ version, time, file, taken, state }) {
  const kind = typeof state === "string" ? state : "passed" in state ? "passed" : "refused";
  const reason = typeof state === "object" && "refused" in state ? state.refused[language()] : "";
  const what = typeof taken === "string" ? taken : taken?.language;
  return el(
    "li",
    { class: "card version", "data-state": kind },
    el("b", {}, versionWords.version(version)),
    el("span", { class: "state" }, versionWords[/** @type {"waiting"} */ (kind)]),
    el("span", { class: "soft" }, untrusted(file), what ? ` · ${visibleText(what)}` : "", ` · ${moment(1000 * time)}`),
    reason && el("pre", { class: "reason" }, visibleText(reason)),
  );
}

function tokenPart() {
  const told = notice();
  const shown = el("p");
  const onclick = async () => {
    try {
      const { token } = await post("token");
      redraw(shown, worded(el("span"), () => versionWords.tokenShown), el("code", { class: "token" }, token));
    } catch (error) {
      told.fail(error);
    }
  };
  const button = worded(el("button", { type: "button", onclick }), () => versionWords.newToken);
  const about = worded(el("p", { class: "soft" }), () => versionWords.tokenAbout);
  return el("details", { class: "card form" }, worded(el("summary"), () => versionWords.token), about, button, shown, told.place);
}
