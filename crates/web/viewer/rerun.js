// What another bot would have answered in the match, as `pacman2 rerun` wrote it into the replay or the page has asked it: a second
// line of actions below the recorded ones, and the answer of the shown turn. It may come from a file, so nothing of it is trusted.

import { el, endOf, setText, shortName, visibleText } from "./dom.js";
import { complaintOf, memoryText, timeText } from "./details.js";
import { counted, words } from "./language.js";
import { reasonOf, showMessage } from "./open.js";
import { actionName, faultName, playerName, signed } from "./sentences.js";
import { goToTurn } from "./transport.js";
import { botNames } from "./whatif.js";

/** @typedef {import("./branches.js").RerunAnswer} RerunAnswer */
/** @typedef {import("./branches.js").Rerun} Rerun */

const rerunWords = words(
  {
    title: (/** @type {string} */ bot, /** @type {string} */ player) => `${bot} in place of ${player}`,
    counted: (/** @type {number} */ other, /** @type {number} */ all) => `Another action in ${other} of ${counted(all, "turn")}. Above: recorded; below: rerun.`,
    turn: (/** @type {number} */ turn, /** @type {string} */ said) => `Turn ${turn}: ${said}`,
    same: (/** @type {string} */ action) => `${action}, as recorded`,
    other: (/** @type {string} */ action, /** @type {string} */ recorded) => `${action}; recorded: ${recorded}`,
    worth: (/** @type {string} */ points, /** @type {string} */ error) => `${points} ± ${error} points`,
    ask: "Ask my new version",
    askOther: "Ask this bot",
    asked: "Bot that answers again",
    stop: "Stop",
    progress: (/** @type {number} */ done, /** @type {number} */ all) => `${done} of ${counted(all, "turn")} asked`,
  },
  {
    title: (bot, player) => `${bot} 代替 ${player}`,
    counted: (other, all) => `${all} 回合中有 ${other} 回合动作不同。上行为原记录，下行为重问的回答。`,
    turn: (turn, said) => `第 ${turn} 回合：${said}`,
    same: (action) => `${action}，与记录相同`,
    other: (action, recorded) => `${action}；记录为：${recorded}`,
    worth: (points, error) => `${points} ± ${error} 分`,
    ask: "问我的新版本",
    askOther: "问这个程序",
    asked: "重新回答的程序",
    stop: "停止",
    progress: (done, all) => `已问 ${done}/${all} 回合`,
  },
);

/** The actions from -1 on. */
const rerunSigns = "·↑→↓←⇑⇒⇓⇐";

/** @param {Answer} answer */
const rerunSign = ({ action, verdict }) => (verdict === "OK" && rerunSigns[action + 1]) || "✕";
/** @param {Answer} answer */
const rerunAction = ({ action, verdict }) => (verdict === "OK" ? actionName(action) : faultName(action, verdict));

/** @type {Mount} */
export function mountRerun(viewer, container) {
  const title = el("h2");
  const count = el("p", { class: "happened-note" });
  const line = el("div", { class: "rerun-line table-scroll" });
  const said = el("p");
  const stderr = el("pre", { class: "untrusted", dir: "auto" });
  container.append(title, count, line, said, stderr);
  /** The answers by turn, the first in 1. @type {(RerunAnswer | null)[]} */
  let answers = [];
  /** @param {number} turn */
  const recorded = (turn) => viewer.timeline?.frames[turn]?.answers[viewer.rerun?.seat ?? 0];

  /** @param {number} turn @param {RerunAnswer} answer @param {Answer} old */
  const sentence = (turn, answer, old) => {
    const t = rerunWords;
    if (answer.action === old.action) return t.turn(turn, t.same(rerunAction(answer)));
    const { points, error } = answer.worth ?? {};
    const worth = Number.isFinite(points) ? ` (${t.worth(signed(Number(Number(points).toFixed(1))), Number(error).toFixed(1))})` : "";
    return t.turn(turn, t.other(rerunAction(answer), rerunAction(old))) + worth;
  };
  const showTurn = () => {
    const [answer, old] = [answers[viewer.turn], recorded(viewer.turn)];
    [...line.children].forEach((item) => item.toggleAttribute("data-here", item.getAttribute("data-turn") === String(viewer.turn)));
    if (!answer || !old) return [said, stderr].forEach((part) => setText(part, ""));
    const { wall_us: wall, memory_bytes: memory } = answer;
    const facts = [sentence(viewer.turn, answer, old), complaintOf(answer), wall && timeText(wall), memory && memoryText(memory)];
    setText(said, visibleText(facts.filter(Boolean).join(" · ")));
    setText(stderr, endOf(String(answer.stderr ?? "")));
  };
  const show = () => {
    const { timeline, rerun } = viewer;
    container.hidden = !timeline || !rerun || viewer.hidesFuture;
    if (!timeline || !rerun) return;
    answers = [null, ...rerun.turns];
    let others = 0;
    const items = answers.flatMap((answer, turn) => {
      const old = recorded(turn);
      if (!answer || !old) return [];
      const isOther = answer.action !== old.action;
      others += Number(isOther);
      const { points = 0, significant } = answer.worth ?? {};
      const label = sentence(turn, answer, old);
      return el(isOther ? "button" : "span", {
        type: isOther && "button", title: label, "aria-label": isOther && label, "data-turn": turn, onclick: () => goToTurn(viewer, turn),
        "data-worth": isOther && significant ? (points > 0 ? "more" : "less") : null,
      }, `${rerunSign(old)}\n${rerunSign(answer)}`);
    });
    setText(title, rerunWords.title(shortName(rerun.bot), playerName(timeline.head, rerun.seat)));
    setText(count, rerunWords.counted(others, items.length));
    line.replaceChildren(...items);
    showTurn();
  };
  viewer.on(["timeline", "rerun", "future", "language"], show);
  viewer.on("turn", showTurn);
  show();
}

/** How much strong bots search for an answer: always the same, and a whole match in about a minute. */
const askedEffort = { simulations: 3000 };

/**
 * Asks a bot again what a player was asked in a match, and calls `onTurn` before each question.
 * @typedef {(timeline: Timeline, asked: { bot: string, seat: Seat }, signal: AbortSignal, onTurn: (done: number, all: number) => void) => Promise<Rerun>} AskAgain
 */

/** Asks a built-in bot again. @param {import("./viewer.js").Viewer} viewer @returns {AskAgain} */
const askBuiltIn = (viewer) => async (timeline, { bot, seat }, signal, onTurn) => {
  const { engine, strong } = viewer;
  const names = /** @type {Four<string>} */ (timeline.head.seats.map(({ name }) => name));
  const questions = timeline.frames.filter(({ answers }) => answers[seat]);
  /** @type {(RerunAnswer | null)[]} */
  const turns = timeline.frames.slice(1).map(() => null);
  for (const [done, { turn }] of questions.entries()) {
    onTurn(done, questions.length);
    const before = engine.branch(timeline, turn - 1, names);
    try {
      const decision = { bot, seat, effort: askedEffort };
      const action = strong?.has(bot) ? await strong.decide(viewer, before, decision, signal) : engine.decide(before, bot, seat);
      turns[turn - 1] = { action, verdict: "OK" };
    } finally {
      engine.close(before);
    }
    // The page goes on meanwhile.
    await new Promise((resume) => setTimeout(resume));
    signal.throwIfAborted();
  }
  return { bot, seat, turns };
};

/** A choice of a bot, and the button that asks it the questions of a player again. @param {import("./viewer.js").Viewer} viewer */
export function askAgain(viewer) {
  const choice = el("select", { onchange: () => showWords() });
  const button = el("button", { type: "button", onclick: () => (asking ? asking.abort() : ask()) });
  const status = el("span", { role: "status" });
  const box = el("span", { class: "result-ways", hidden: true }, choice, button, status);
  /** Ends the questions that are being asked. @type {AbortController | null} */
  let asking = null;
  /** @type {{ timeline: Timeline, seat: Seat } | null} */
  let player = null;

  /** The program of the player, if it can be asked, or "". */
  const ownProgram = () => {
    const { name, own } = player?.timeline.head.seats[player.seat] ?? { name: "human" };
    return viewer.askProgram && !own && name !== "human" && !botNames(viewer).includes(name) ? name : "";
  };
  const ask = async () => {
    if (!player) return;
    const { timeline, seat } = player;
    const { signal } = (asking = new AbortController());
    const progress = (/** @type {number} */ done, /** @type {number} */ all) => setText(status, rerunWords.progress(done, all));
    showWords();
    try {
      const asked = { bot: choice.value, seat };
      const askBot = (asked.bot === ownProgram() && viewer.askProgram) || askBuiltIn(viewer);
      const rerun = await askBot(timeline, asked, signal, progress);
      viewer.branches.reruns.set(timeline, rerun);
      viewer.notify("rerun");
      document.getElementById("tab-turn")?.click();
      document.getElementById("rerun")?.scrollIntoView({ block: "nearest" });
    } catch (thrown) {
      if (!signal.aborted) showMessage(reasonOf(thrown));
    }
    if (asking?.signal !== signal) return;
    asking = null;
    setText(status, "");
    showWords();
  };
  const showWords = () => {
    const t = rerunWords;
    choice.disabled = asking !== null;
    choice.setAttribute("aria-label", t.asked);
    setText(button, asking ? t.stop : choice.value === ownProgram() ? t.ask : t.askOther);
  };
  const showChoice = () => {
    // Without a server or the strong engine, only weak bots could be asked.
    box.hidden = !player || !viewer.strong;
    if (!player || box.hidden) return;
    const own = ownProgram();
    const bots = [...(own ? [own] : []), ...botNames(viewer)];
    if (String([...choice.options].map(({ value }) => value)) !== String(bots)) {
      choice.replaceChildren(...bots.map((bot) => el("option", { value: bot }, shortName(bot))));
      choice.value = own || bots[bots.length - 1];
    }
    showWords();
  };
  return {
    box,
    /** @param {Timeline} timeline @param {Seat | null} seat */
    show: (timeline, seat) => {
      if (player?.timeline !== timeline || player.seat !== seat) {
        asking?.abort();
        choice.replaceChildren();
      }
      player = seat === null ? null : { timeline, seat };
      showChoice();
    },
  };
}
