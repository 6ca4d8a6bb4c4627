// Strength over time: a step line for each player, the events below, and a cursor at the shown turn.

import { allSeats } from "./board-geometry.js";
import { el, svg } from "./dom.js";
import { minus, words } from "./language.js";
import { seatShapes } from "./players.js";
import { playerName } from "./sentences.js";
import { goToTurn } from "./transport.js";

/** @typedef {"died" | "fired" | "fought" | "spawned"} Marked */

const chartWords = words(
  {
    title: "Strength over time",
    died: "deaths",
    fired: "lights",
    fought: "fights",
    spawned: "spawns",
    label: (/** @type {number} */ turn, /** @type {string[]} */ strengths) =>
      `Strength over time. After turn ${turn}: ${strengths.join(", ")}.`,
  },
  {
    title: "力量变化",
    died: "死亡",
    fired: "金光",
    fought: "战斗",
    spawned: "产豆",
    label: (turn, strengths) =>
      `力量变化图。第 ${turn} 回合后：${strengths.join("，")}。`,
  },
);

/** @type {Marked[]} */
const chartRows = ["died", "fired", "fought", "spawned"];
/** Symbols of the events, centred on (0, 0). @type {Record<Marked, string>} */
const chartSigns = {
  died: "M-3.5-3.5L3.5 3.5M3.5-3.5L-3.5 3.5",
  fired: "M1.8-5.5L-3.2.8h2.6L-1.8 5.5 3.2-.8H.6z",
  fought: "M0-5.5L1.4-1.4 5.5 0 1.4 1.4 0 5.5-1.4 1.4-5.5 0-1.4-1.4z",
  spawned: "M0 4.5C-5.5 2-4-4.5 0-4.5S5.5 2 0 4.5z",
};
const chartDashes = [null, "8 3", "2 2.5", "8 3 2 3"];
/** The height beside a board. Below a wide one, the chart gets what is left. */
const chartHeight = 293;
const leastPlot = 80;
const plotTop = 22;
const rowHeight = 15;
const axisHeight = 22;

/** @type {Mount} */
export function mountChart(viewer, container) {
  const title = el("h2", { class: "chart-title" });
  const root = svg("svg", { class: "chart", role: "img" });
  container.append(title, root);
  const scale = { width: 0, plot: leastPlot, left: 34, right: 0, turns: 1, low: 0, high: 1, step: 1 };
  const x = (/** @type {number} */ turn) => scale.left + (turn / scale.turns) * (scale.width - scale.left - scale.right);
  const y = (/** @type {number} */ strength) => plotTop + ((scale.high - strength) / (scale.high - scale.low)) * scale.plot;
  const rowY = (/** @type {number} */ row) => plotTop + scale.plot + axisHeight + 10 + rowHeight * row;
  const height = () => rowY(rows.length - 1) + 10;

  const grid = svg("g");
  const marks = svg("g");
  const lines = allSeats.map((seat) => chartLine(seat, x, y));
  const labels = allSeats.map((seat) => chartLabel(seat));
  const points = allSeats.map((seat) => {
    const shape = svg("path", { d: seatShapes[seat], transform: "translate(-6 -6) scale(.5)" });
    return svg("g", { class: `chart-point chip-${seat}` }, shape);
  });
  const ghost = svg("line", { class: "chart-ghost", y1: plotTop, y2: "100%", visibility: "hidden" });
  const tag = svg("text", { "text-anchor": "middle", y: 13 });
  const tagBox = svg("rect", { x: -17, y: 0, width: 34, height: 18, rx: 9 });
  const cursor = svg("g", { class: "chart-cursor" }, svg("line", { y1: 18, y2: "100%" }), tagBox, tag);
  root.append(grid, ghost, cursor, marks, ...lines.flatMap(({ parts }) => parts), ...points, ...labels.map(({ label }) => label));
  root.setAttribute("height", String(chartHeight));

  /** How many frames are drawn. */
  let drawn = 0;
  let growing = false;
  /** The size from the last layout. Reading it from the page would force another layout. */
  let [wide, high] = [0, chartHeight];
  /** The kinds of events below the plot. Large letters, as in the theatre, leave no room for them. */
  let rows = chartRows;

  /** The frames that are drawn. */
  const shown = () => {
    const { timeline, turn, hidesFuture } = viewer;
    const frames = timeline?.frames ?? [];
    return hidesFuture ? frames.slice(0, turn + 1) : frames;
  };

  /** Fits the scale to the drawn frames. Returns whether it changed. */
  const fit = () => {
    const timeline = viewer.timeline;
    if (!timeline) return false;
    const strengths = shown().flatMap(({ players }) => players.map(({ strength }) => strength));
    const before = JSON.stringify(scale);
    const most = Math.max(...strengths, 4) + 1;
    const step = (scale.step = roundStep(most / 5));
    scale.high = Math.ceil(most / step) * step;
    scale.low = Math.floor(Math.min(...strengths, 0) / step) * step;
    // A growing timeline gets some room, so that few turns change the scale.
    const room = Math.min(Math.ceil((viewer.last + 1) / 20) * 20, timeline.head.ruleset.turn_limit);
    const growth = growing && !timeline.frames[viewer.last].over ? room : 1;
    scale.turns = viewer.hidesFuture ? timeline.head.ruleset.turn_limit : Math.max(growth, viewer.last);
    scale.width = Math.max(wide, 240);
    scale.plot = Math.max(scale.plot + high - height(), leastPlot);
    scale.left = scale.width < 560 ? 34 : 66;
    scale.right = 35 + 8 * String(scale.high).length;
    return JSON.stringify(scale) !== before;
  };

  const drawGrid = () => {
    grid.replaceChildren();
    const right = scale.width - scale.right;
    const { step } = scale;
    for (let strength = scale.low; strength <= scale.high; strength += step) {
      const at = { x1: scale.left, x2: right, y1: y(strength), y2: y(strength), class: strength ? "" : "chart-zero" };
      const text = svg("text", { x: scale.left - 7, y: y(strength) + 4, "text-anchor": "end" }, minus(strength));
      grid.append(svg("line", at), text);
    }
    const stride = roundStep(Math.max((scale.turns * 44) / (right - scale.left), 0.5));
    for (let turn = 0; turn <= scale.turns; turn += stride) {
      grid.append(svg("text", { x: x(turn), y: plotTop + scale.plot + 18, "text-anchor": "middle" }, turn));
    }
    rows.forEach((kind, row) => {
      const wide = scale.width >= 560;
      const sign = chartSign(kind, wide ? scale.left - 9 : scale.left - 14, rowY(row), "chart-key");
      sign.append(svg("title", {}, chartWords[kind]));
      grid.append(svg("line", { x1: scale.left, x2: right, y1: rowY(row), y2: rowY(row) }), sign);
      if (wide) grid.append(svg("text", { x: scale.left - 18, y: rowY(row) + 4, "text-anchor": "end" }, chartWords[kind]));
    });
  };

  /** Draws the new frames. */
  const extend = () => {
    const frames = shown();
    for (; drawn < frames.length; drawn++) {
      const frame = frames[drawn];
      for (const { draw } of lines) draw(frame);
      drawMarks(frame);
    }
    for (const { flush } of lines) flush();
    if (drawn) placeLabels(frames[drawn - 1]);
  };
  /** @param {Frame} frame */
  const drawMarks = ({ turn, events, players }) => {
    for (const event of events) {
      if (event.event === "died") marks.append(chartSign("died", x(turn), y(players[event.seat].strength), `chart-end chip-${event.seat}`));
    }
    rows.forEach((kind, row) => {
      const those = seatsOfEvents(events, kind);
      those.forEach((seat, index) => {
        const aside = 3 * (index - (those.length - 1) / 2);
        marks.append(chartSign(kind, x(turn) + aside, rowY(row), seat === null ? `chart-${kind}` : `chip-${seat}`));
      });
    });
  };
  /** @param {Frame} frame */
  const placeLabels = (frame) => {
    const order = [...labels].sort((a, b) => frame.players[b.seat].strength - frame.players[a.seat].strength || a.seat - b.seat);
    const gap = 17;
    const lowest = plotTop + scale.plot - 3;
    const places = order.map(({ seat }) => y(frame.players[seat].strength));
    // Pushes overlapping labels down, and back up at the bottom of the plot.
    places.forEach((_, i) => (places[i] = Math.max(places[i], i ? places[i - 1] + gap : plotTop)));
    for (let i = 3; i >= 0; i--) places[i] = Math.min(places[i], i < 3 ? places[i + 1] - gap : lowest);
    order.forEach(({ seat, label, text }, i) => {
      label.setAttribute("transform", `translate(${(x(frame.turn) + 20).toFixed(1)} ${places[i].toFixed(1)})`);
      text.textContent = minus(frame.players[seat].strength);
    });
    const { head } = /** @type {Timeline} */ (viewer.timeline);
    const strengths = frame.players.map(({ strength }, seat) => `${playerName(head, allSeats[seat])} ${minus(strength)}`);
    root.setAttribute("aria-label", chartWords.label(frame.turn, strengths));
  };

  const showCursor = () => {
    const { frame, turn } = viewer;
    cursor.setAttribute("transform", `translate(${x(turn).toFixed(1)} 0)`);
    tag.textContent = String(turn);
    if (!frame) return;
    points.forEach((point, seat) => {
      const { strength } = frame.players[seat];
      // Equal values are drawn side by side.
      const equals = allSeats.filter((other) => frame.players[other].strength === strength);
      const aside = 11 * (equals.indexOf(allSeats[seat]) - (equals.length - 1) / 2);
      point.setAttribute("transform", `translate(${(x(turn) + aside).toFixed(1)} ${y(strength).toFixed(1)})`);
    });
  };
  const redraw = () => {
    root.setAttribute("viewBox", `0 0 ${scale.width} ${height()}`);
    drawn = 0;
    marks.replaceChildren();
    for (const { clear } of lines) clear();
    root.classList.toggle("chart-empty", !viewer.timeline);
    if (!viewer.timeline) return;
    drawGrid();
    extend();
    showCursor();
  };
  const showWords = () => {
    title.textContent = chartWords.title;
    fit();
    redraw();
  };

  const turnAt = (/** @type {PointerEvent} */ event) => {
    const inside = event.clientX - root.getBoundingClientRect().left;
    const part = (inside - scale.left) / (scale.width - scale.left - scale.right);
    return Math.min(Math.max(Math.round(part * scale.turns), 0), viewer.last);
  };
  root.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    root.setPointerCapture(event.pointerId);
    goToTurn(viewer, turnAt(event));
  });
  root.addEventListener("pointermove", (event) => {
    const turn = turnAt(event);
    ghost.setAttribute("visibility", event.pointerType === "mouse" ? "visible" : "hidden");
    ghost.setAttribute("transform", `translate(${x(turn).toFixed(1)} 0)`);
    if (root.hasPointerCapture(event.pointerId)) goToTurn(viewer, turn);
  });
  root.addEventListener("pointerleave", () => ghost.setAttribute("visibility", "hidden"));

  viewer.on("timeline", () => {
    growing = false;
    fit();
    redraw();
  });
  viewer.on("grown", () => {
    growing = true;
    if (fit()) redraw();
    else extend();
  });
  viewer.on("turn", () => {
    if (!viewer.hidesFuture) return showCursor();
    if (fit() || viewer.turn + 1 < drawn) return redraw();
    extend();
    showCursor();
  });
  viewer.on("future", () => {
    fit();
    redraw();
  });
  viewer.on("language", showWords);
  new ResizeObserver(([{ contentRect }]) => {
    const fontOf = (/** @type {Element} */ element) => parseFloat(getComputedStyle(element).fontSize);
    const zoom = Math.max(fontOf(container) / fontOf(document.documentElement), 1);
    [wide, high, rows] = [contentRect.width / zoom, contentRect.height / zoom, zoom > 1 ? [] : chartRows];
    if (fit()) redraw();
  }).observe(root);
  showWords();
}

/**
 * A growing step line, faint after the player's death.
 * @param {Seat} seat
 * @param {(turn: number) => number} x
 * @param {(strength: number) => number} y
 */
function chartLine(seat, x, y) {
  const living = svg("path", { class: `chart-line chip-${seat}`, "stroke-dasharray": chartDashes[seat] });
  const dead = svg("path", { class: `chart-line chart-dead chip-${seat}`, "stroke-dasharray": chartDashes[seat] });
  let steps = "";
  let after = "";
  return {
    parts: [dead, living],
    clear: () => (steps = after = ""),
    draw: (/** @type {Frame} */ { turn, players }) => {
      const { strength, alive } = players[seat];
      const [at, level] = [x(turn).toFixed(1), y(strength).toFixed(1)];
      const step = turn ? `H${at}V${level}` : `M${at} ${level}`;
      if (alive || !after) steps += step;
      if (!alive) after += after ? step : `M${at} ${level}`;
    },
    flush: () => {
      living.setAttribute("d", steps);
      dead.setAttribute("d", after);
    },
  };
}

/** A player's shape, digit and strength at the end of its line. @param {Seat} seat */
function chartLabel(seat) {
  const text = svg("text", { x: 12, y: 4.5, class: "chart-strength" });
  const label = svg(
    "g",
    { class: `chart-label chip-${seat}` },
    svg("path", { d: seatShapes[seat], transform: "translate(-8 -8) scale(.667)" }),
    svg("text", { y: seat === 2 ? 5.5 : 4, "text-anchor": "middle", class: "chart-digit" }, seat),
    text,
  );
  return { seat, label, text };
}

/**
 * @param {Marked} kind
 * @param {number} x
 * @param {number} y
 * @param {string} name
 */
function chartSign(kind, x, y, name) {
  const at = `translate(${x.toFixed(1)} ${y.toFixed(1)})`;
  return svg("path", { d: chartSigns[kind], class: `chart-sign ${kind === "died" ? "chart-cross " : ""}${name}`, transform: at });
}

/**
 * The seats of the events of a kind; null for events without a single player.
 * @param {GameEvent[]} events
 * @param {Marked} kind
 * @returns {(Seat | null)[]}
 */
function seatsOfEvents(events, kind) {
  return events.flatMap((event) => {
    if (event.event !== kind) return [];
    return "seat" in event ? [event.seat] : [event.event === "fought" && event.winners.length === 1 ? event.winners[0] : null];
  });
}

/** The smallest of 1, 2, 5, 10, 20, 50, … that is at least `number`. @param {number} number */
function roundStep(number) {
  const ten = 10 ** Math.floor(Math.log10(Math.max(number, 1)));
  return [1, 2, 5, 10].map((step) => step * ten).find((step) => step >= number) ?? 10 * ten;
}
