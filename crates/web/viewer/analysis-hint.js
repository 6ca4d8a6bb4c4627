// A hint for who plays: the best order and what else could be done, in the pad and on the board.

import { wayPath } from "./board-geometry.js";
import { askAnalysis, filmOf, whyNot } from "./analysis-ask.js";
import { analysisWords, pointsText } from "./analysis-words.js";
import { el } from "./dom.js";
import { seatChip } from "./players.js";
import { orderName } from "./sentences.js";

/** How long the engine may think about a hint. */
const hintMs = 1000;
/** So many orders are listed. */
const hintOrders = 5;

/** @type {Direction[]} */
const hintWays = ["up", "right", "down", "left"];

/**
 * An order drawn from a player's cell in a frame, as an overlay of the board: an arrow to walk, dashes along a light, a ring to
 * stay. How far a light goes, the engine knows.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {number} turn
 * @param {Seat} seat
 * @param {Action} action
 */
export function orderMark({ film, engine }, turn, seat, action) {
  if (!film) return "";
  const { cell } = film.frames[turn].players[seat];
  const way = hintWays[action & 3];
  if (action > 3) {
    const light = engine.xray(film, turn).lights.find((light) => light.seat === seat && light.direction === way);
    return `mark|${seat}|${wayPath(film.head, cell, way, (light?.way.length ?? 0) + 0.42, 0)}|14 16`;
  }
  const { width } = film.head;
  const [x, y] = [(cell % width) * 100 + 50, Math.floor(cell / width) * 100 + 50];
  if (action < 0) return `mark|${seat}|M${x - 42} ${y}a42 42 0 1 0 84 0a42 42 0 1 0 -84 0`;
  const [dx, dy] = [[0, -1], [1, 0], [0, 1], [-1, 0]][action];
  const [endX, endY] = [x + 105 * dx, y + 105 * dy];
  const [backX, backY] = [endX - 26 * dx, endY - 26 * dy];
  const head = `M${backX - 22 * dy} ${backY - 22 * dx}L${endX} ${endY}L${backX + 22 * dy} ${backY + 22 * dx}`;
  return `mark|${seat}|M${x} ${y}L${endX} ${endY}${head}`;
}

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {{ begin: () => void, end: () => void }} rest what makes way for a hint, and comes back after it
 */
export function mountHint(viewer, rest) {
  const button = el("button", { type: "button", "aria-keyshortcuts": "H" });
  const status = el("span", { role: "status" });
  const list = el("ol", { class: "hint-list" });
  const box = el("div", { class: "hint" }, button, status, list);
  document.getElementById("seat")?.append(box);
  /** What is asked for, or was: for whom, and the answer. */
  let asked = { seat: /** @type {Seat} */ (0), turn: -1, film: /** @type {Film | null} */ (null) };
  /** @type {import("./analysis-words.js").Weighed[]} */
  let found = [];
  /** @type {AbortController | null} */
  let asking = null;
  let trouble = "";
  let mark = "";

  const chooser = () => /** @type {Seat | undefined} */ ([...viewer.choosing.keys()].sort()[0]);

  const show = () => {
    const t = analysisWords;
    const open = chooser() !== undefined;
    button.textContent = t.hint;
    button.title = t.hintKey;
    // Who used it keeps the focus while the others are waited for.
    button.setAttribute("aria-disabled", String(!open || asking !== null));
    const [best] = found;
    const told = best ? t.best(asked.seat, orderName(best.action), pointsText(best.points)) : "";
    status.textContent = asking ? t.thinking : trouble ? t.broken(trouble) : told;
    list.hidden = !best;
    list.setAttribute("aria-label", t.alternatives);
    list.replaceChildren(...found.slice(0, hintOrders).map((weighed) => orderItem(weighed)));
  };
  const draw = () => {
    const shown = found.length && viewer.turn === asked.turn && viewer.film === asked.film;
    const wanted = shown ? orderMark(viewer, asked.turn, asked.seat, found[0].action) : "";
    if (wanted === mark) return;
    if (mark) viewer.overlay(mark, false);
    mark = wanted;
    if (mark) viewer.overlay(mark, true);
  };
  const forget = () => {
    asking?.abort();
    asking = null;
    found = [];
    trouble = "";
    draw();
    show();
  };

  const ask = async () => {
    const { film } = viewer;
    const seat = chooser();
    if (!film || seat === undefined || asking) return;
    forget();
    const controller = (asking = new AbortController());
    asked = { seat, turn: viewer.last, film };
    viewer.go(viewer.last);
    rest.begin();
    show();
    const match = viewer.addresses.get(film)?.match;
    const about = match ? { match } : { ...filmOf(viewer, film), turns: [viewer.last + 1] };
    try {
      await askAnalysis({ ...about, seat, time_ms: hintMs }, controller.signal, ({ seats }) => (found = seats[seat]));
    } catch (error) {
      trouble = whyNot(error, controller.signal)?.message ?? "";
    }
    rest.end();
    if (asking !== controller) return;
    asking = null;
    draw();
    show();
  };
  button.addEventListener("click", ask);
  document.addEventListener("keydown", (event) => {
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (event.key.toLowerCase() !== "h" || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (document.querySelector("dialog[open]") || target?.closest("input:not([type=range]), select, textarea")) return;
    void ask();
  });

  // The seat was asked in another turn, or has chosen: nobody wants the hint any more.
  const look = () => {
    const still = viewer.film === asked.film && viewer.last === asked.turn && chooser() === asked.seat;
    if (!still && (asking || found.length || trouble)) forget();
    else {
      button.setAttribute("aria-disabled", String(chooser() === undefined || asking !== null));
      draw();
    }
  };
  viewer.on(["film", "grown", "turn"], look);
  // Drawing tells of a change too; it is looked at when that one is over.
  viewer.on("view", () => queueMicrotask(look));
  viewer.on("language", show);
  show();
}

/** An order with its points. @param {import("./analysis-words.js").Weighed} weighed */
export function orderItem({ action, points, error }) {
  const spread = error === null ? null : el("small", {}, ` ± ${error < 0.05 ? "<0.1" : error.toFixed(1)}`);
  return el("li", {}, orderName(action), " ", el("b", {}, pointsText(points)), spread);
}

/** A player, and its best orders. @param {Seat} seat @param {import("./analysis-words.js").Weighed[]} orders */
export function bestOrders(seat, orders) {
  const list = el("ol", { class: "hint-list" }, ...orders.slice(0, 3).map(orderItem));
  return el("div", { class: "analysis-seat" }, seatChip(seat), list);
}
