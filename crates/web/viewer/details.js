// Each bot's answer in the shown turn, its resource usage, and its input and output texts.

import { allSeats } from "./board-geometry.js";
import { FOLDED_LETTERS, el, endOf, setText, visibleText } from "./dom.js";
import { counted, minus, reasonText, words } from "./language.js";
import { choosable, isMyBot, lostSeat, toggleMyBot } from "./own-seats.js";
import { playersName, seatChip } from "./players.js";
import { causeName, deathOf, faultName, actionName } from "./sentences.js";
import { showText } from "./text-dialog.js";
import { goToTurn } from "./transport.js";

/** @typedef {"action" | "taunt" | "wall" | "cpu" | "memory" | "output" | "complaint"} Fact */
/** @typedef {"input" | "request" | "answer"} BotText */

const detailsWords = words(
  {
    title: "Bots",
    action: "Action",
    taunt: "Taunt",
    wall: "Time",
    cpu: "CPU time",
    memory: "Memory",
    output: "Output",
    complaint: "Problem",
    debug: "debug",
    stderr: "stderr",
    limit: (/** @type {string} */ value, /** @type {string} */ limit) => `${value} of ${limit}`,
    bytes: (/** @type {number} */ bytes) => counted(bytes, "byte"),
    nothingYet: "The match begins here. No bot has been asked yet.",
    nothingKnown: "Its answer was not recorded.",
    died: (/** @type {number} */ turn, /** @type {string} */ why) => `Died in turn ${turn}: ${why}.`,
    deadFromStart: "Dead from the start.",
    goToTurn: (/** @type {number} */ turn) => `Go to turn ${turn}`,
    mine: "This is my bot",
    input: "Input",
    request: "Request",
    answer: "Answer",
    inputHint: "The whole standard input of the program, ready to be used again",
    requestHint: "The request of this turn alone",
    answerHint: "The output of the program, or else the response that was read",
    tierA: "Sandbox: A",
    tierB: "Sandbox: B",
    tierC: "No sandbox (C)",
    tierAHint: "The program ran in its own namespaces with its own view of the files, restricted by Landlock and seccomp",
    tierBHint: "The program was restricted by Landlock and seccomp, but had no namespaces of its own",
    tierCHint: "The program ran with all rights of the user who started the match",
    texts: "Texts of this turn",
    whole: (/** @type {string} */ size) => `Show all (${size})`,
    textOf: (/** @type {string} */ what, /** @type {Seat} */ seat, /** @type {number} */ turn) =>
      `${what} of player ${seat}, turn ${turn}`,
  },
  {
    title: "程序",
    action: "动作",
    taunt: "叫嚣",
    wall: "用时",
    cpu: "CPU 时间",
    memory: "内存",
    output: "输出",
    complaint: "问题",
    debug: "debug",
    stderr: "stderr",
    limit: (value, limit) => `${value} / ${limit}`,
    bytes: (bytes) => `${bytes} 字节`,
    nothingYet: "对局由此开始，还没有询问任何程序。",
    nothingKnown: "没有它的回答的记录。",
    died: (turn, why) => `第 ${turn} 回合死亡：${why}。`,
    deadFromStart: "开局即已死亡。",
    goToTurn: (turn) => `转到第 ${turn} 回合`,
    mine: "这是我的程序",
    input: "输入",
    request: "请求",
    answer: "回答",
    inputHint: "程序从标准输入读到的全部内容，可以原样再次输入给程序",
    requestHint: "仅本回合的请求",
    answerHint: "程序的输出；没有记录时为解析出的响应",
    tierA: "沙箱：A",
    tierB: "沙箱：B",
    tierC: "没有沙箱（C）",
    tierAHint: "程序有自己的命名空间和文件视图，并受 Landlock 和 seccomp 限制",
    tierBHint: "程序受 Landlock 和 seccomp 限制，但没有自己的命名空间",
    tierCHint: "程序拥有启动对局的用户的全部权限",
    texts: "本回合的文本",
    whole: (size) => `显示全部（${size}）`,
    textOf: (what, seat, turn) => `${seat} 号玩家第 ${turn} 回合的${what}`,
  },
);

/** What was wrong with an answer, in the reader's language where it can be said. @param {Answer | null} answer */
export const complaintOf = (answer) => reasonText(answer?.complaint ?? "", answer?.problem);

/** Why an answer failed: what the judge says, and the last line of standard error if that does not contain it. @param {Answer | null} answer */
export function whyFailed(answer) {
  const complaint = visibleText(complaintOf(answer).slice(0, FOLDED_LETTERS));
  const last = answer?.verdict === "RE" ? endOf(answer.stderr).trimEnd().split("\n").pop()?.trim() ?? "" : "";
  return complaint.includes(last) ? complaint : `${complaint}\n${last}`;
}

/** How much of a bot's text is indented. */
const INDENTED_LETTERS = 65536;

/** @type {Fact[]} */
const detailFacts = ["action", "taunt", "wall", "cpu", "memory", "output", "complaint"];
/** @type {BotText[]} */
const botTexts = ["input", "request", "answer"];

/** @type {Mount} */
export function mountDetails(viewer, container) {
  /** The selected bot. It stays selected across turns and timelines. @type {Seat} */
  let open = 0;
  const title = el("h2", { class: "visually-hidden" });
  const tabs = allSeats.map((seat) => botTab(viewer, seat, () => choose(seat)));
  const panel = botPanel(viewer);
  panel.box.id = "details-panel";
  const list = el("div", { role: "tablist", class: "details-tabs" }, ...tabs);
  container.append(title, list, panel.box);
  list.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: 3, ArrowRight: 1 }[event.key];
    if (!step || event.shiftKey) return;
    event.preventDefault();
    choose(allSeats[(open + step) % 4]);
    tabs[open].focus();
  });

  const show = () => {
    if (!container.closest("[hidden]")) showNow();
  };
  const showNow = () => {
    const { timeline, frame } = viewer;
    if (!timeline || !frame) return;
    tabs.forEach((tab, seat) => {
      const answer = frame.answers[seat];
      tab.toggleAttribute("data-fault", answer !== null && answer.verdict !== "OK");
      tab.toggleAttribute("data-dead", !frame.players[seat].alive);
    });
    panel.show(timeline, frame, open);
  };
  /** @param {Seat} seat */
  function choose(seat) {
    open = seat;
    showTabs();
    show();
  }
  const showTabs = () => {
    tabs.forEach((tab, seat) => {
      tab.setAttribute("aria-selected", String(seat === open));
      tab.tabIndex = seat === open ? 0 : -1;
    });
    panel.box.setAttribute("aria-labelledby", tabs[open].id);
  };
  const showWords = () => {
    title.textContent = detailsWords.title;
    list.setAttribute("aria-label", detailsWords.title);
    panel.label();
    showNow();
  };
  viewer.on(["turn", "grown", "view", "mine", "future"], show);
  viewer.on("language", showWords);
  showTabs();
  showWords();
}

/** @param {import("./viewer.js").Viewer} viewer @param {Seat} seat @param {() => void} onclick */
function botTab(viewer, seat, onclick) {
  return el(
    "button",
    { type: "button", role: "tab", id: `details-tab-${seat}`, "aria-controls": "details-panel", onclick },
    seatChip(seat),
    " ",
    playersName(viewer, seat),
  );
}

/** The panel of the selected bot. @param {import("./viewer.js").Viewer} viewer */
function botPanel(viewer) {
  const facts = detailFacts.map((fact) => {
    const fill = el("span");
    const bar = el("span", { class: "details-bar", hidden: true }, fill);
    const value = el("bdi", { class: "untrusted" });
    const head = el("dt");
    return { fact, fill, bar, value, head, row: el("div", { class: `details-${fact}` }, head, el("dd", {}, value, bar)) };
  });
  const [{ row: complaintRow }] = facts.slice(-1);
  const list = el("dl", { class: "details-facts" }, ...facts.map(({ row }) => row));
  const noteSentence = el("span");
  const noteWhy = el("pre", { class: "untrusted", dir: "auto" });
  const note = el("div", { class: "details-note" }, noteSentence, noteWhy);
  const sandbox = el("p", { class: "details-note" });
  const mine = el("button", { type: "button", onclick: () => viewer.timeline && toggleMyBot(viewer, viewer.timeline.head.seats[shown].name) });
  const visitButton = el("button", { type: "button" });
  let visited = 0;
  visitButton.addEventListener("click", () => goToTurn(viewer, visited));
  const debug = foldedText(false, (text) => showText(detailsWords.textOf("debug", shown, viewer.turn), fileOf("debug"), () => text));
  const stderr = foldedText(true, (text) => showText(detailsWords.textOf("stderr", shown, viewer.turn), fileOf("stderr"), () => text));
  /** @type {Seat} */
  let shown = 0;
  const fileOf = (/** @type {string} */ kind) => `${kind}-${shown}-${viewer.turn}`;
  const buttons = botTexts.map((kind) => {
    const onclick = () => {
      const title = detailsWords.textOf(detailsWords[kind], shown, viewer.turn);
      showText(title, fileOf(kind), () => textOf(viewer, kind, shown));
    };
    return el("button", { type: "button", onclick });
  });
  const texts = el("div", { class: "details-texts", role: "group" }, ...buttons);
  const parts = [note, visitButton, list, sandbox, debug.box, stderr.box, texts, mine];
  const box = el("div", { role: "tabpanel", tabindex: 0, class: "details-panel" }, ...parts);

  return {
    box,
    label: () => {
      for (const { head, fact } of facts) head.textContent = detailsWords[fact];
      debug.summary.textContent = detailsWords.debug;
      stderr.summary.textContent = detailsWords.stderr;
      texts.setAttribute("aria-label", detailsWords.texts);
      mine.textContent = detailsWords.mine;
      buttons.forEach((button, index) => {
        button.textContent = detailsWords[botTexts[index]];
        button.title = detailsWords[`${botTexts[index]}Hint`];
      });
    },
    show: (/** @type {Timeline} */ timeline, /** @type {Frame} */ frame, /** @type {Seat} */ seat) => {
      shown = seat;
      const answer = frame.answers[seat];
      const dead = !frame.players[seat].alive;
      const found = dead ? deathOf(timeline, seat) : null;
      visited = found?.turn ?? 0;
      // The banner says it of the reader's own bot.
      note.hidden = (answer !== null && !dead) || lostSeat(viewer) === seat;
      const failed = found?.death.cause.cause === "illegal";
      note.toggleAttribute("data-fault", failed);
      setText(noteSentence, noteText(timeline.head, frame, dead, found));
      const elsewhere = found !== null && found.turn !== frame.turn && !note.hidden;
      setText(noteWhy, failed ? whyFailed(timeline.frames[visited].answers[seat]) : "");
      visitButton.hidden = !elsewhere;
      setText(visitButton, detailsWords.goToTurn(visited));
      list.hidden = texts.hidden = answer === null;
      if (answer) for (const fact of facts) showFact(fact, limitsOf(timeline.head, seat), answer);
      if (failed) complaintRow.hidden = true;
      showTier(sandbox, timeline.head.seats[seat].tier);
      mine.hidden = !choosable(viewer).includes(seat);
      mine.setAttribute("aria-pressed", String(isMyBot(viewer, timeline.head.seats[seat].name)));
      debug.show(answer?.debug === undefined ? "" : debugText(answer), false);
      stderr.show(answer?.stderr ?? "", failed);
    },
  };
}

/** @param {Head} head @param {Frame} frame @param {boolean} dead @param {ReturnType<typeof deathOf>} found */
function noteText(head, frame, dead, found) {
  if (found) return detailsWords.died(found.turn, causeName(head, found.death.cause));
  if (dead) return detailsWords.deadFromStart;
  return frame.turn ? detailsWords.nothingKnown : detailsWords.nothingYet;
}

/**
 * Shows the sandbox tier of a bot's program. No sandbox is a warning.
 * @param {HTMLElement} line
 * @param {Head["seats"][Seat]["tier"]} tier
 */
function showTier(line, tier) {
  line.hidden = !tier;
  line.toggleAttribute("data-fault", tier === "C");
  setText(line, tier ? detailsWords[`tier${tier}`] : "");
  line.title = tier ? detailsWords[`tier${tier}Hint`] : "";
}

/**
 * A collapsible text that is hidden if it is empty. Of a long text, it shows the beginning, or the end.
 * @param {boolean} isEnd
 * @param {(text: string) => void} showAll
 */
function foldedText(isEnd, showAll) {
  const summary = el("summary");
  const text = el("pre", { class: `untrusted${isEnd ? " details-end" : ""}`, dir: "auto" });
  const more = el("button", { type: "button", onclick: () => showAll(wanted) });
  const box = el("details", { class: "details-fold", open: !isEnd }, summary, text, more);
  let wanted = "";
  const write = () => {
    if (!box.open) return;
    setText(text, isEnd ? endOf(wanted) : visibleText(wanted.slice(0, FOLDED_LETTERS)));
    more.hidden = wanted.length <= FOLDED_LETTERS;
    if (!more.hidden) setText(more, detailsWords.whole(outputText(wanted.length)));
  };
  box.addEventListener("toggle", write);
  return {
    box,
    summary,
    /** @param {string} value @param {boolean} opens whether another text than before is unfolded */
    show: (value, opens) => {
      box.hidden = !value;
      if (opens && value !== wanted) box.open = true;
      wanted = value;
      write();
    },
  };
}

/**
 * @param {{ fact: Fact, row: HTMLElement, value: Element, bar: HTMLElement, fill: HTMLElement }} parts
 * @param {Head["limits"]} limits
 * @param {Answer} answer
 */
function showFact({ fact, row, value, bar, fill }, limits, answer) {
  const [text, part] = factText(fact, limits, answer);
  row.hidden = text === null;
  setText(value, visibleText(text ?? ""));
  if (fact === "action") row.toggleAttribute("data-fault", answer.verdict !== "OK");
  bar.hidden = part === null;
  if (part === null) return;
  fill.style.transform = `scaleX(${Math.min(part, 1)})`;
  bar.toggleAttribute("data-fault", part >= 0.9);
}

/**
 * The limits of a seat: the time limit is multiplied by the language's factor; built-in bots have no limits.
 * @param {Head} head
 * @param {Seat} seat
 * @returns {Head["limits"]}
 */
function limitsOf({ limits, seats }, seat) {
  const factor = seats[seat].time_factor;
  if (factor === null) return { time_ms: null, memory_mb: null, output_bytes: null };
  return { ...limits, time_ms: limits.time_ms && limits.time_ms * factor };
}

/**
 * A fact as a text, and the used fraction of its limit; null if that is unknown.
 * @typedef {[string | null, number | null]} FactText
 */

/**
 * @param {Fact} fact
 * @param {Head["limits"]} limits
 * @param {Answer} answer
 * @returns {FactText}
 */
function factText(fact, limits, answer) {
  switch (fact) {
    case "action":
      return [actionText(answer), null];
    case "taunt":
      return [answer.taunt?.slice(0, FOLDED_LETTERS) ?? null, null];
    case "complaint":
      return [complaintOf(answer).slice(0, FOLDED_LETTERS) || null, null];
    case "wall":
    case "cpu":
      return measured(answer[`${fact}_us`], limits.time_ms && limits.time_ms * 1000, timeText);
    case "memory":
      return measured(answer.memory_bytes, limits.memory_mb && limits.memory_mb * 1048576, memoryText);
    case "output":
      return measured(answer.output_bytes, limits.output_bytes, outputText);
  }
}

/**
 * @param {number | undefined} value
 * @param {number | null} limit
 * @param {(value: number) => string} name
 * @returns {FactText}
 */
function measured(value, limit, name) {
  if (value === undefined) return [null, null];
  return limit ? [detailsWords.limit(name(value), name(limit)), value / limit] : [name(value), null];
}

/** @param {Answer} answer */
function actionText({ action, verdict }) {
  const name = action >= -1 && action < 8 ? `${actionName(action)} (${minus(action)})` : "";
  return verdict === "OK" ? name || faultName(action, verdict) : [name, verdict].filter(Boolean).join(" — ");
}

/** @param {number} us */
export function timeText(us) {
  if (us < 1000) return `${us} µs`;
  return `${us < 10000 ? (us / 1000).toFixed(1).replace(/\.0$/, "") : Math.round(us / 1000)} ms`;
}

/** @param {number} bytes */
export function memoryText(bytes) {
  const mb = bytes / 1048576;
  return `${mb < 10 ? mb.toFixed(1).replace(/\.0$/, "") : Math.round(mb)} MB`;
}

/** @param {number} bytes */
function outputText(bytes) {
  return bytes < 1048576 ? detailsWords.bytes(bytes) : memoryText(bytes);
}

/** The texts of debug values that were shown. @type {WeakMap<Answer, string>} */
const debugTexts = new WeakMap();

/** A bot's debug value, indented if it is JSON and not long. @param {Answer} answer */
function debugText(answer) {
  const known = debugTexts.get(answer) ?? setOut(answer.debug);
  debugTexts.set(answer, known);
  return known;
}

/** @param {unknown} debug */
function setOut(debug) {
  const plain = typeof debug === "string" ? debug : JSON.stringify(debug);
  if (plain.length > INDENTED_LETTERS) return plain;
  try {
    const value = JSON.parse(plain);
    if (typeof value !== "object") return plain;
    // Flat lists stay on one line.
    const list = /\[\n\s+([^[\]{}]*?)\n\s*\]/g;
    return JSON.stringify(value, null, 2).replace(list, (_, items) => `[${items.replace(/\n\s+/g, " ")}]`);
  } catch {
    return plain;
  }
}

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {BotText} kind
 * @param {Seat} seat
 */
function textOf({ timeline, frame, turn, engine }, kind, seat) {
  const answer = frame?.answers[seat];
  if (!timeline || !answer) return "";
  if (kind !== "answer") return engine.text(timeline, turn - 1, kind, seat);
  return answer.output || JSON.stringify({ response: { action: answer.action, tauntText: answer.taunt } });
}
