// What another bot would have answered in the match, as `pacman2 rerun` wrote it into the replay: a second line of actions below
// the recorded ones, and the answer of the shown turn. It comes from a file, so nothing of it is trusted.

import { el, endOf, setText, shortName, visibleText } from "./dom.js";
import { complaintOf, memoryText, timeText } from "./details.js";
import { counted, words } from "./language.js";
import { actionName, faultName, playerName, signed } from "./sentences.js";
import { goToTurn } from "./transport.js";

/** @typedef {import("./branches.js").RerunAnswer} RerunAnswer */

const rerunWords = words(
  {
    title: (/** @type {string} */ bot, /** @type {string} */ player) => `${bot} in place of ${player}`,
    counted: (/** @type {number} */ other, /** @type {number} */ all) => `Another action in ${other} of ${counted(all, "turn")}. Above: recorded; below: rerun.`,
    turn: (/** @type {number} */ turn, /** @type {string} */ said) => `Turn ${turn}: ${said}`,
    same: (/** @type {string} */ action) => `${action}, as recorded`,
    other: (/** @type {string} */ action, /** @type {string} */ recorded) => `${action}; recorded: ${recorded}`,
    worth: (/** @type {string} */ points, /** @type {string} */ error) => `${points} ± ${error} points`,
  },
  {
    title: (bot, player) => `${bot} 代替 ${player}`,
    counted: (other, all) => `${all} 回合中有 ${other} 回合动作不同。上行为原记录，下行为重问的回答。`,
    turn: (turn, said) => `第 ${turn} 回合：${said}`,
    same: (action) => `${action}，与记录相同`,
    other: (action, recorded) => `${action}；记录为：${recorded}`,
    worth: (points, error) => `${points} ± ${error} 分`,
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
  viewer.on(["timeline", "future", "language"], show);
  viewer.on("turn", showTurn);
  show();
}
