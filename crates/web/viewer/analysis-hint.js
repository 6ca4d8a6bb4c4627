// Hints for human players: the best action and alternatives, in the pad and on the board.

import { boardDirections, rayPath } from "./board-geometry.js";
import { askAnalysis, failureOf } from "./analysis-ask.js";
import { analysisWords, pointsText } from "./analysis-words.js";
import { el } from "./dom.js";
import { seatChip } from "./players.js";
import { actionName } from "./sentences.js";

/** How long the engine thinks about a hint. */
const hintMs = 1000;
/** How many actions are listed. */
const hintActions = 5;

/**
 * Draws an action from a player's cell as an overlay of the board: an arrow to move, dashes along a light, a ring to
 * stay.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {number} turn
 * @param {Seat} seat
 * @param {Action} action
 */
export function actionMark(viewer, turn, seat, action) {
  if (!viewer.timeline) return "";
  const [path, dashes = ""] = actionPath(viewer.engine, viewer.timeline, turn, seat, action);
  return `mark|${seat}|${path}|${dashes}`;
}

/**
 * The path of an action on the board, and its dashes.
 * @param {Engine} engine
 * @param {Timeline} timeline
 * @param {number} turn
 * @param {Seat} seat
 * @param {Action} action
 */
function actionPath(engine, timeline, turn, seat, action) {
  const { cell } = timeline.frames[turn].players[seat];
  const way = boardDirections[action & 3];
  if (action > 3) {
    const light = engine.inspect(timeline, turn).lights.find((light) => light.seat === seat && light.direction === way);
    return [rayPath(timeline.head, cell, way, (light?.ray.length ?? 0) + 0.42, 0), "14 16"];
  }
  const { width } = timeline.head;
  const [x, y] = [(cell % width) * 100 + 50, Math.floor(cell / width) * 100 + 50];
  if (action < 0) return [`M${x - 42} ${y}a42 42 0 1 0 84 0a42 42 0 1 0 -84 0`];
  const [dx, dy] = [[0, -1], [1, 0], [0, 1], [-1, 0]][action];
  const [endX, endY] = [x + 105 * dx, y + 105 * dy];
  const [backX, backY] = [endX - 26 * dx, endY - 26 * dy];
  const head = `M${backX - 22 * dy} ${backY - 22 * dx}L${endX} ${endY}L${backX + 22 * dy} ${backY + 22 * dx}`;
  return [`M${x} ${y}L${endX} ${endY}${head}`];
}

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {{ begin: () => void, end: () => void }} rest called before and after a hint, to pause other analyses
 */
export function mountHint(viewer, rest) {
  const button = el("button", { type: "button", "aria-keyshortcuts": "H" });
  const status = el("span", { role: "status" });
  const list = el("ol", { class: "hint-list" });
  const box = el("div", { class: "hint" }, button, status, list);
  document.getElementById("seat")?.append(box);
  /** The last question, and below it the answer. */
  let asked = { seat: /** @type {Seat} */ (0), turn: -1, timeline: /** @type {Timeline | null} */ (null) };
  /** @type {import("./analysis-words.js").WeighedAction[]} */
  let found = [];
  /** @type {AbortController | null} */
  let running = null;
  let problem = "";
  /** The overlay of the best action, if it is drawn. @type {string[]} */
  let marks = [];

  const chooser = () => /** @type {Seat | undefined} */ ([...viewer.choosing.keys()].sort()[0]);

  const show = () => {
    const t = analysisWords;
    const open = chooser() !== undefined;
    button.textContent = t.hint;
    button.title = t.hintKey;
    // The button keeps the focus while it is disabled.
    button.setAttribute("aria-disabled", String(!open || running !== null));
    const [best] = found;
    const text = best ? t.best(asked.seat, actionName(best.action), pointsText(best.points)) : "";
    status.textContent = running ? t.thinking : problem ? t.broken(problem) : text;
    list.hidden = !best;
    list.setAttribute("aria-label", t.alternatives);
    list.replaceChildren(...found.slice(0, hintActions).map((weighed) => actionItem(weighed)));
  };
  const draw = () => {
    const shown = found.length && viewer.turn === asked.turn && viewer.timeline === asked.timeline;
    marks = viewer.replaceOverlays(marks, shown ? [actionMark(viewer, asked.turn, asked.seat, found[0].action)] : []);
  };
  const forget = () => {
    running?.abort();
    running = null;
    found = [];
    problem = "";
    draw();
    show();
  };

  const request = async () => {
    const { timeline } = viewer;
    const seat = chooser();
    if (!timeline || seat === undefined || running) return;
    forget();
    const controller = (running = new AbortController());
    asked = { seat, turn: viewer.last, timeline };
    viewer.go(viewer.last);
    rest.begin();
    show();
    const question = { turns: [viewer.last + 1], seat, time_ms: hintMs };
    try {
      await askAnalysis(viewer, timeline, question, controller.signal, ({ seats }) => (found = seats[seat]));
    } catch (error) {
      problem = failureOf(error, controller.signal)?.message ?? "";
    }
    rest.end();
    if (running !== controller) return;
    running = null;
    draw();
    show();
  };
  button.addEventListener("click", request);
  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (event.key.toLowerCase() !== "h" || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (document.querySelector("dialog[open]") || target?.closest("input:not([type=range]), select, textarea")) return;
    void request();
  });

  // A hint ends with its turn, or when the player has chosen.
  const look = () => {
    const still = viewer.timeline === asked.timeline && viewer.last === asked.turn && chooser() === asked.seat;
    if (!still && (running || found.length || problem)) forget();
    else {
      button.setAttribute("aria-disabled", String(chooser() === undefined || running !== null));
      draw();
    }
  };
  viewer.on(["timeline", "grown", "turn"], look);
  // Drawing sends a "view" event as well, so the check waits until that is handled.
  viewer.on("view", () => queueMicrotask(look));
  viewer.on("language", show);
  show();
}

/** An action with its expected points, as a list item. @param {import("./analysis-words.js").WeighedAction} weighed */
export function actionItem({ action, points, error }) {
  const spread = error === null ? null : el("small", {}, ` ± ${error < 0.05 ? "<0.1" : error.toFixed(1)}`);
  return el("li", {}, actionName(action), " ", el("b", {}, pointsText(points)), spread);
}

/** A player and its best actions. @param {Seat} seat @param {import("./analysis-words.js").WeighedAction[]} actions */
export function bestActions(seat, actions) {
  const list = el("ol", { class: "hint-list" }, ...actions.slice(0, 3).map(actionItem));
  return el("div", { class: "analysis-seat" }, seatChip(seat), list);
}
