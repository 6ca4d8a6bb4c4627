// Keyboard shortcuts, and the help that lists them.

import { playsWithArrows } from "./action-pad.js";
import { dialogTitle, el } from "./dom.js";
import { words } from "./language.js";
import { openLegend } from "./legend.js";
import { toggleTheatre } from "./theatre.js";
import { goToTurn, goToEvent } from "./transport.js";

const keyWords = words(
  {
    title: "Keys",
    close: "Close",
    legend: "Legend of the board",
    space: "Space",
    play: "play or pause",
    step: "one turn back or forward",
    ten: "ten turns back or forward",
    event: "previous or next event of the selected kind",
    ends: "first or last turn",
    follow: "keep player 0, 1, 2 or 3 in the middle of the board; press again to stop",
    theatre: "the board, strengths and events on the whole screen",
    help: "show this help",
    escape: "close a window, or leave the theatre",
    human: "When you play",
    walk: "move up, left, down, right",
    arrows: "move, in the last turn",
    shoot: "shoot up, left, down, right",
    stay: "stay",
    hint: "show a hint (not in a page from a file)",
  },
  {
    title: "按键",
    close: "关闭",
    legend: "棋盘图例",
    space: "空格",
    play: "播放或暂停",
    step: "后退或前进一回合",
    ten: "后退或前进十回合",
    event: "上一个或下一个所选种类的事件",
    ends: "开局或最后一回合",
    follow: "让 0、1、2、3 号玩家保持在画面中央；再按一次取消",
    theatre: "全屏显示棋盘、力量和事件",
    help: "显示本帮助",
    escape: "关闭窗口，或退出剧场模式",
    human: "亲自上场时",
    walk: "向上、左、下、右移动",
    arrows: "移动（在最后一回合）",
    shoot: "向上、左、下、右发射金光",
    stay: "不动",
    hint: "提示（文件中的页面没有）",
  },
);

/** The keys for up, right, down, left, in Botzone's order. */
const walkKeys = "wdsa";
const arrowKeys = ["ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"];

/** @type {HTMLDialogElement | null} */
let helpDialog = null;

/** Shows the list of keys. */
export function openHelp() {
  const t = keyWords;
  const row = (/** @type {string[]} */ keys, /** @type {string} */ meaning) =>
    el("div", { class: "keys-row" }, el("dt", {}, ...keys.map((key) => el("kbd", {}, key))), el("dd", {}, meaning));
  helpDialog ??= document.body.appendChild(el("dialog", { class: "keys-help" }));
  const dialog = helpDialog;
  dialog.setAttribute("aria-label", t.title);
  dialog.replaceChildren(
    el("h2", dialogTitle, t.title),
    el(
      "dl",
      {},
      row([t.space], t.play),
      row(["←", "→", ",", "."], t.step),
      row(["⇧ ←", "⇧ →"], t.ten),
      row(["[", "]"], t.event),
      row(["Home", "End"], t.ends),
      row(["1", "2", "3", "4"], t.follow),
      row(["F"], t.theatre),
      row(["?"], t.help),
      row(["Esc"], t.escape),
    ),
    el("h3", {}, t.human),
    el(
      "dl",
      {},
      row(["W", "A", "S", "D"], t.walk),
      row(["↑", "←", "↓", "→"], t.arrows),
      row(["⇧ W", "⇧ A", "⇧ S", "⇧ D"], t.shoot),
      row(["X"], t.stay),
      row(["H"], t.hint),
    ),
    el("form", { method: "dialog" },
      el("button", { class: "primary" }, t.close), " ",
      el("button", { onclick: openLegend }, t.legend)),
  );
  if (!dialog.open) dialog.showModal();
}

/** @param {import("./viewer.js").Viewer} viewer */
export function listenToKeys(viewer) {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.altKey || event.metaKey) return;
    if (document.querySelector("dialog[open]") || isUsedByFocus(event)) return;
    if ((viewer.timeline || /[?？]/.test(event.key)) && handleKey(viewer, event)) event.preventDefault();
  });
}

/** Whether the focused element uses the key itself. @param {KeyboardEvent} event */
function isUsedByFocus(event) {
  const target = event.target instanceof HTMLElement ? event.target : null;
  if (!target) return false;
  if (target instanceof HTMLInputElement && target.type === "range") {
    return /^(Arrow|Home|End|Page)/.test(event.key) && !event.shiftKey;
  }
  if (target instanceof HTMLInputElement && /^(checkbox|radio|button|submit|color|file)$/.test(target.type)) {
    return event.key === " " || event.key === "Enter" || (target.type === "radio" && event.key.startsWith("Arrow"));
  }
  if (target.isContentEditable || target.closest("input, select, textarea")) return true;
  return event.key === " " && target.closest("button, a, summary, [role=button], [role=tab], [role=switch]") !== null;
}

/**
 * Handles a key. Returns whether it has a meaning.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {KeyboardEvent} event
 */
function handleKey(viewer, event) {
  const far = event.shiftKey ? 10 : 1;
  const arrow = event.shiftKey ? -1 : arrowKeys.indexOf(event.key);
  if (arrow >= 0 && playsWithArrows(viewer)) {
    if (!event.repeat) chooseAction(viewer, arrow);
    return true;
  }
  switch (event.key) {
    case " ":
      viewer.play(!viewer.playing);
      return true;
    case "ArrowLeft":
    case ",":
    case "，":
      goToTurn(viewer, viewer.turn - far);
      return true;
    case "ArrowRight":
    case ".":
    case "。":
      goToTurn(viewer, viewer.turn + far);
      return true;
    case "Home":
      goToTurn(viewer, 0);
      return true;
    case "End":
      goToTurn(viewer, viewer.last);
      return true;
    case "f":
    case "F":
      toggleTheatre();
      return true;
    case "?":
    case "？":
      openHelp();
      return true;
    case "[":
    case "【":
      goToEvent(viewer, -1);
      return true;
    case "]":
    case "】":
      goToEvent(viewer, 1);
      return true;
    case "1":
    case "2":
    case "3":
    case "4": {
      const seat = /** @type {Seat} */ (Number(event.key) - 1);
      viewer.follow(viewer.followed === seat ? null : seat);
      return true;
    }
    default:
      return !event.repeat && chooseByKey(viewer, event);
  }
}

/**
 * Chooses an action for the seat that this page plays.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {KeyboardEvent} event
 */
function chooseByKey(viewer, event) {
  const key = event.key.toLowerCase();
  const direction = key.length === 1 ? walkKeys.indexOf(key) : -1;
  if (!viewer.timeline || !viewer.choosing.size || (direction < 0 && key !== "x")) return false;
  chooseAction(viewer, direction < 0 ? -1 : direction + (event.shiftKey ? 4 : 0));
  return true;
}

/**
 * Chooses an action for the first seat that is asked, if it is legal.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {Action} action
 */
function chooseAction({ timeline, choosing, engine, last }, action) {
  const [seat] = [...choosing.keys()].sort();
  if (!timeline || seat === undefined) return;
  if (engine.inspect(timeline, last).legal[seat].includes(action)) choosing.get(seat)?.(action);
}
