// Plots: intervals on a common scale, and bars.

import { visibleText, svg } from "../viewer/dom.js";
import { digits, intervalText, roundNumbers } from "./format.js";

/** The approximate width of a letter. */
const letterWidth = 7.2;
const rowHeight = 26;
/** The height of each further line of a name. */
const lineHeight = 15;
const axisHeight = 26;

/**
 * The ends of a scale that fits all estimates.
 * @param {Estimate[]} estimates
 * @returns {[number, number]}
 */
export function scaleOf(estimates) {
  const low = Math.min(...estimates.map(({ value, low }) => low ?? value));
  const high = Math.max(...estimates.map(({ value, high }) => high ?? value));
  const room = Math.max((high - low) * 0.03, 0.5);
  return [low - room, high + room];
}

/**
 * An interval as a bar with a dot at the estimate, as wide as a table column.
 * @param {Estimate} estimate
 * @param {[number, number]} scale
 */
export function intervalBar({ value, low = value, high = value }, [from, to]) {
  const wide = 120;
  const x = (/** @type {number} */ number) => ((number - from) / (to - from)) * (wide - 8) + 4;
  return svg(
    "svg",
    { class: "interval", width: wide, height: 18, viewBox: `0 0 ${wide} 18`, "aria-hidden": "true" },
    svg("line", { class: "interval-track", x1: 0, x2: wide, y1: 9, y2: 9 }),
    svg("rect", { class: "interval-bar", x: x(low), y: 5, width: Math.max(x(high) - x(low), 1), height: 8, rx: 3 }),
    svg("circle", { class: "interval-dot", cx: x(value), cy: 9, r: 4 }),
  );
}

/** Wraps a name to lines of the available width. @param {string} name @param {number} room */
function linesOf(name, room) {
  const ruler = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  ruler.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  let line = "";
  const lines = [];
  for (const char of name) {
    if (line && ruler.measureText(line + char).width > room) {
      lines.push(line);
      line = "";
    }
    line += char;
  }
  return [...lines, line];
}

/**
 * Intervals below each other.
 * @param {string} title
 * @param {{ name: string, estimate: Estimate }[]} rows
 * @param {number} wide
 * @param {number} decimals
 */
export function intervalPlot(title, rows, wide, decimals) {
  const width = Math.max(wide, 280);
  const left = Math.min(width * 0.34, 220);
  const right = width - 16;
  const names = rows.map(({ name }) => linesOf(visibleText(name), left - 4));
  const heights = names.map((lines) => rowHeight + (lines.length - 1) * lineHeight);
  const high = heights.reduce((sum, height) => sum + height, 0);
  const [from, to] = scaleOf(rows.map(({ estimate }) => estimate));
  const x = (/** @type {number} */ number) => left + 8 + ((number - from) / (to - from)) * (right - left - 8);
  const format = (/** @type {number} */ number) => digits(number, decimals);
  const label = rows.map(({ name, estimate }) => `${name}: ${format(estimate.value)} (${intervalText(estimate, format)})`);
  const grid = roundNumbers(from, to, (right - left) / 80).flatMap((number) => [
    svg("line", { class: "plot-grid", x1: x(number), x2: x(number), y1: 0, y2: high }),
    svg("text", { x: x(number), y: high + 17, "text-anchor": "middle" }, digits(number, Number.isInteger(number) ? 0 : 1)),
  ]);
  let top = 0;
  const drawn = rows.map(({ estimate: { value, low = value, high = value } }, row) => {
    const height = heights[row];
    const y = top + height / 2;
    const first = top + rowHeight / 2 + 4;
    const lines = names[row].map((line, number) => svg("tspan", { x: left, y: first + number * lineHeight }, line));
    top += height;
    return svg(
      "g",
      {},
      svg("title", {}, label[row]),
      svg("rect", { class: "plot-catch", x: 0, y: y - height / 2, width, height }),
      svg("text", { class: "plot-name", "text-anchor": "end" }, ...lines),
      svg("path", { class: "plot-interval", d: `M${x(low)} ${y - 5}v10m0-5H${x(high)}m0-5v10` }),
      svg("circle", { class: "interval-dot", cx: x(value), cy: y, r: 4.5 }),
    );
  });
  const size = { width, height: high + axisHeight, viewBox: `0 0 ${width} ${high + axisHeight}` };
  return svg("svg", { class: "plot", role: "img", "aria-label": `${title}: ${label.join("; ")}`, ...size }, ...grid, ...drawn);
}

/**
 * Bars beside each other, starting at 0, with a line at the mean.
 * @param {string} title
 * @param {{ name: string, value: number | null, label: string }[]} bars
 * @param {number} mean
 * @param {number} wide
 */
export function barPlot(title, bars, mean, wide) {
  const width = Math.min(Math.max(wide, 240), Math.max(bars.length * 96 + 40, 240));
  const [left, top, tall] = [34, 20, 150];
  const step = (width - left - 4) / bars.length;
  const most = Math.max(mean, ...bars.map(({ value }) => value ?? 0), 1) * 1.04;
  const y = (/** @type {number} */ value) => top + tall * (1 - Math.max(value, 0) / most);
  const thick = Math.min(step * 0.72, 56);
  const grid = roundNumbers(0, most, 6).flatMap((number) => [
    svg("line", { class: "plot-grid", x1: left, x2: width, y1: y(number), y2: y(number) }),
    svg("text", { x: left - 6, y: y(number) + 4, "text-anchor": "end" }, digits(number)),
  ]);
  // Without room for all names, only every second, third … is shown.
  const stride = Math.ceil((Math.max(...bars.map(({ name }) => name.length)) * letterWidth + 4) / step);
  const drawn = bars.map(({ name, value, label }, number) => {
    const middle = left + (number + 0.5) * step;
    const bar = { x: middle - thick / 2, y: y(value ?? 0), width: thick, height: y(0) - y(value ?? 0), rx: 3 };
    return svg(
      "g",
      {},
      svg("title", {}, label),
      svg("rect", { class: "plot-catch", x: middle - step / 2, y: 0, width: step, height: top + tall }),
      value !== null && svg("rect", { class: "plot-bar", ...bar }),
      number % stride === 0 && svg("text", { x: middle, y: top + tall + 17, "text-anchor": "middle" }, name),
    );
  });
  const values = bars.map(({ value }, number) => {
    if (value === null || step < 36) return null;
    const x = left + (number + 0.5) * step;
    return svg("text", { class: "plot-value", x, y: y(value) - 5, "text-anchor": "middle" }, digits(value, 1));
  });
  const line = svg("line", { class: "plot-mean", x1: left, x2: width, y1: y(mean), y2: y(mean) });
  const size = { width, height: top + tall + axisHeight, viewBox: `0 0 ${width} ${top + tall + axisHeight}` };
  const label = `${title}: ${bars.map(({ label }) => label).join("; ")}`;
  return svg("svg", { class: "plot", role: "img", "aria-label": label, ...size }, ...grid, ...drawn, line, ...values);
}
