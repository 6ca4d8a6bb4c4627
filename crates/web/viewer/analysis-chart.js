// Expected points over time: a row of bars for each player.

import { allSeats } from "./board-geometry.js";
import { el, svg } from "./dom.js";
import { analysisWords, mistakeSentence, pointsText } from "./analysis-words.js";
import { seatShapes } from "./players.js";
import { playerName } from "./sentences.js";

const barRow = 36;
const barGap = 16;
/** The room for the number of the turn, and below it for the marks of the first row. */
const barsTop = 32;
const barsHeight = barsTop + 4 * (barRow + barGap) - 8;

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {(turn: number) => void} goToTurn
 */
export function barChart(viewer, goToTurn) {
  const title = el("h3");
  const root = svg("svg", { class: "bars", role: "img", height: barsHeight });
  const tag = svg("text", { y: 12, "text-anchor": "middle" });
  const cursor = svg("g", { class: "bars-cursor" }, svg("line", { y1: 16, y2: barsHeight }), tag);
  const rows = allSeats.map((seat) => {
    const base = barsTop + (seat + 1) * (barRow + barGap) - barGap;
    const bars = svg("path");
    const line = svg("line", { y1: base, y2: base });
    const marks = svg("g");
    const value = svg("text", { y: base - barRow / 2 + 5 });
    const shape = svg("path", { d: seatShapes[seat], transform: "translate(-8 -8) scale(.667)" });
    const digit = svg("text", { y: seat === 2 ? 5.5 : 4, "text-anchor": "middle", class: "bars-digit" }, seat);
    const chip = svg("g", { transform: `translate(14 ${base - barRow / 2})` }, shape, digit);
    root.append(svg("g", { class: `bars-row chip-${seat}` }, line, bars, marks, chip, value));
    return { base, bars, line, marks, value };
  });
  root.append(cursor);
  const scale = { left: 34, right: 0, turns: 1 };
  const x = (/** @type {number} */ turn) => scale.left + (turn / scale.turns) * (scale.right - scale.left);

  /** Fits the scale to the width and to the match. */
  const fit = () => {
    const wide = root.getBoundingClientRect().width || 300;
    scale.right = wide - 60;
    scale.turns = Math.max(viewer.last, 1);
    root.setAttribute("viewBox", `0 0 ${Math.max(wide, 240)} ${barsHeight}`);
  };

  /**
   * @param {(turn: number) => Four<number> | null} expected the expected points after a turn
   * @param {import("./analysis-words.js").Mistake[]} mistakes
   */
  const draw = (expected, mistakes) => {
    const { timeline, turn, last } = viewer;
    title.textContent = analysisWords.bars;
    if (!timeline) return;
    fit();
    const known = timeline.frames.map((frame) => expected(frame.turn));
    const most = Math.max(20, ...known.flatMap((points) => points ?? []));
    const width = Math.max(0.8 * (x(1) - x(0)), 1);
    for (const seat of allSeats) {
      const { base, bars, line, marks, value } = rows[seat];
      line.setAttribute("x1", String(scale.left));
      line.setAttribute("x2", String(scale.right));
      const bar = (/** @type {Four<number> | null} */ points, /** @type {number} */ at) => {
        if (!points) return "";
        const high = (Math.max(points[seat], 0) / most) * barRow;
        // The first and last bar are half as wide, because no turns lie beyond.
        const [from, to] = [Math.max(x(at) - width / 2, scale.left), Math.min(x(at) + width / 2, scale.right)];
        return `M${from.toFixed(1)} ${base}V${(base - high).toFixed(1)}H${to.toFixed(1)}V${base}z`;
      };
      bars.setAttribute("d", known.map(bar).join(""));
      value.setAttribute("x", String(scale.right + 8));
      value.textContent = known[turn] ? pointsText(known[turn][seat]) : "";
      const own = mistakes.filter((mistake) => mistake.seat === seat);
      marks.replaceChildren(...own.map((mistake) => {
        const size = mistake.loss < 5 ? 0.65 : mistake.loss < 15 ? 1 : 1.3;
        const at = `translate(${x(mistake.turn).toFixed(1)} ${base - barRow - 1}) scale(${size})`;
        const tooltip = svg("title", {}, mistakeSentence(mistake));
        return svg("path", { class: "bars-mistake", d: "M-5.5-10h11L0 0z", transform: at }, tooltip);
      }));
    }
    cursor.setAttribute("transform", `translate(${x(Math.min(turn, last)).toFixed(1)} 0)`);
    tag.textContent = String(turn);
    const t = analysisWords;
    const now = known[turn];
    const each = now ? allSeats.map((seat) => t.bar(playerName(timeline.head, seat), pointsText(now[seat]))).join(t.join) : t.unknown;
    root.setAttribute("aria-label", t.chartLabel(turn, each, mistakes.length));
  };

  const go = (/** @type {PointerEvent} */ event) => {
    const part = (event.clientX - root.getBoundingClientRect().left - scale.left) / (scale.right - scale.left);
    goToTurn(Math.round(part * scale.turns));
  };
  root.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    root.setPointerCapture(event.pointerId);
    go(event);
  });
  root.addEventListener("pointermove", (event) => root.hasPointerCapture(event.pointerId) && go(event));
  return { parts: [title, root], draw };
}
