// Overlays of the board: reach of each player, possible lights, and the bots' own drawings.

import { el, setAttr, setText, svg, untrusted, visibleText } from "./dom.js";
import { words } from "./language.js";
import { allSeats, boardShapes, centreOf, rayPath, shapesOn } from "./board-geometry.js";
import { seatPaint } from "./board-paint.js";
import { seatName } from "./sentences.js";

const overlayWords = words(
  {
    reach: "Turns to get there",
    lights: "Lights that could be fired",
    debug: "Drawn by the bots",
  },
  {
    reach: "到达所需回合数",
    lights: "当前可以射出的金光",
    debug: "程序自己画的图",
  },
);

/** Limits of what is read as a drawing. Botzone keeps 1 KiB of a debug value. */
const DRAWING_LETTERS = 65536;
const DRAWING_CELLS = 1000;

/** @type {WeakMap<Timeline, Inspection[]>} */
const inspections = new WeakMap();

/**
 * The engine's view of a position, cached.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {number} turn
 * @returns {Inspection | null}
 */
export function inspectionAt(viewer, turn) {
  const { timeline, engine } = viewer;
  if (!timeline?.frames[turn]) return null;
  const known = inspections.get(timeline) ?? [];
  inspections.set(timeline, known);
  return (known[turn] ??= engine.inspect(timeline, turn));
}

/**
 * The drawing in a bot's debug value: marked cells, and a heat value for each cell. Null if there is none.
 * @param {Head} head
 * @param {unknown} debug
 * @returns {{ cells: { cell: Cell, text: string, colour: string | null }[], heat: number[] } | null}
 */
function drawingOf(head, debug) {
  let found = debug;
  if (typeof debug === "string" && debug.length <= DRAWING_LETTERS && debug.includes("{")) {
    try {
      found = JSON.parse(debug);
    } catch {
      return null;
    }
  }
  if (typeof found !== "object" || found === null) return null;
  const given = /** @type {Record<string, unknown>} */ (found);
  const inside = (/** @type {unknown} */ value, /** @type {number} */ size) =>
    Number.isInteger(value) && Number(value) >= 0 && Number(value) < size;
  const cells = (Array.isArray(given.cells) ? given.cells : []).slice(0, DRAWING_CELLS).flatMap((item) => {
    if (!Array.isArray(item) || !inside(item[0], head.height) || !inside(item[1], head.width)) return [];
    const [row, column, text, colour] = item;
    return [{
      cell: row * head.width + column,
      text: ["string", "number"].includes(typeof text) ? [...visibleText(String(text).slice(0, 8))].slice(0, 4).join("") : "",
      colour: typeof colour === "string" && /^#([\da-f]{3}|[\da-f]{6})$/i.test(colour) ? colour : null,
    }];
  });
  const letters = typeof given.heat === "string" ? [...given.heat.slice(0, head.width * head.height)] : [];
  const heat = letters.map((letter) => ("0" <= letter && letter <= "9" ? Number(letter) : 0));
  return cells.length || heat.some(Boolean) ? { cells, heat } : null;
}

/**
 * Draws the active overlays.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {import("./board-scene.js").Scene} scene
 */
export function drawOverlays(viewer, scene) {
  const { overlays, turn, frame } = viewer;
  // What a bot knew when it chose is in its answer, which belongs to the next turn.
  const next = viewer.timeline?.frames[turn + 1];
  const { head, paint } = scene;
  const drawn = new OverlayPen(scene.overlay);
  const inspection = overlays.size ? inspectionAt(viewer, turn) : null;
  // Tints first, then paths, then numbers on top.
  const reaching = allSeats.filter((seat) => overlays.has(`reach-${seat}`) && inspection?.reach[seat]);
  const drawing = allSeats.flatMap((seat) => {
    const debug = overlays.has(`knew-${seat}`) ? next?.answers[seat]?.debug
      : overlays.has(`debug-${seat}`) ? frame?.answers[seat]?.debug : null;
    const found = drawingOf(head, debug);
    return found ? [{ seat, ...found }] : [];
  });
  const tint = (/** @type {Cell[]} */ cells, /** @type {string} */ fill, /** @type {number} */ opacity) => {
    if (cells.length) drawn.path(shapesOn(head, boardShapes.square, cells), { fill, "fill-opacity": opacity });
  };
  for (const seat of reaching) {
    /** @type {Cell[][]} */
    const rings = [];
    inspection?.reach[seat]?.forEach((turns, cell) => {
      // Among several players, the first to arrive gives the cell its colour.
      const beaten = reaching.some((other) => other !== seat && (inspection.reach[other]?.[cell] ?? Infinity) <= (turns ?? Infinity));
      if (turns !== null && !beaten) (rings[Math.min(turns, 12)] ??= []).push(cell);
    });
    rings.forEach((cells, turns) => tint(cells, seatPaint(paint, seat), 0.5 - turns * 0.036));
  }
  for (const { seat, heat, cells } of drawing) {
    for (let level = 1; level < 10; level += 1) {
      tint(heat.flatMap((value, cell) => (value === level ? [cell] : [])), seatPaint(paint, seat), level * 0.07);
    }
    for (const { cell, colour } of cells) {
      const fill = colour ?? seatPaint(paint, seat);
      const style = { fill, "fill-opacity": 0.4, stroke: fill, "stroke-width": 4 };
      drawn.path(shapesOn(head, boardShapes.square, [cell], 0.86), style);
    }
  }
  if (overlays.has("lights") && frame) {
    for (const { seat, direction, ray } of inspection?.lights ?? []) {
      const path = rayPath(head, frame.players[seat].cell, direction, ray.length + 0.42, (seat - 1.5) * 9);
      drawn.path(path, { stroke: seatPaint(paint, seat), "stroke-width": 6, "stroke-dasharray": "3 14" });
    }
  }
  // Overlays of an analysis: seat, path, dashes, and whether the action is the better one.
  for (const name of overlays) {
    const [, seat, d, dashes = "", isBetter] = name.split("|");
    const stroke = isBetter ? paint.light : seatPaint(paint, /** @type {Seat} */ (Number(seat)));
    if (d) drawn.path(d, { stroke, "stroke-width": 13, "stroke-dasharray": dashes });
  }
  for (const [index, seat] of reaching.entries()) {
    inspection?.reach[seat]?.forEach((turns, cell) => {
      if (!turns) return;
      const { x, y } = centreOf(head, cell);
      // A single number is centred at the bottom; several have a corner each.
      const aside = reaching.length === 1 ? 0 : index % 2 ? 30 : -30;
      const low = reaching.length === 1 || index > 1 || reaching.length === 2;
      drawn.text(turns, x + aside, low ? y + 43 : y - 24, 25, seatPaint(paint, seat), paint.floor);
    });
  }
  for (const { cells } of drawing) {
    for (const { cell, text } of cells) {
      const { x, y } = centreOf(head, cell);
      if (text) drawn.text(text, x, y - 20, 26, paint.ink, paint.floor);
    }
  }
  drawn.end();
}

/** Reuses the elements of the last drawing, so that a change of turn creates none. */
class OverlayPen {
  /** @param {SVGGElement} layer */
  constructor(layer) {
    const [paths, texts] = layer.children.length ? layer.children : [svg("g", { fill: "none" }), svg("g", {})];
    layer.append(paths, texts);
    this.groups = { path: paths, text: texts };
    this.used = { path: 0, text: 0 };
  }

  /**
   * @param {"path" | "text"} kind
   * @param {Record<string, string | number>} attributes
   */
  next(kind, attributes) {
    const group = this.groups[kind];
    const element = group.children[this.used[kind]] ?? group.appendChild(svg(kind));
    this.used[kind] += 1;
    for (const { name } of [...element.attributes]) if (!(name in attributes)) element.removeAttribute(name);
    for (const [name, value] of Object.entries(attributes)) setAttr(element, name, value);
    return element;
  }

  /**
   * @param {string} d
   * @param {Record<string, string | number>} attributes
   */
  path(d, attributes) {
    this.next("path", { d, ...attributes });
  }

  /**
   * @param {string | number} text
   * @param {number} x
   * @param {number} y
   * @param {number} size
   * @param {string} fill
   * @param {string} halo
   */
  text(text, x, y, size, fill, halo) {
    const style = { "font-size": size, fill, stroke: halo, "stroke-width": 7, "paint-order": "stroke" };
    setText(this.next("text", { x, y, ...style }), text);
  }

  /** Removes unused elements. */
  end() {
    for (const kind of /** @type {const} */ (["path", "text"])) {
      while (this.groups[kind].children.length > this.used[kind]) this.groups[kind].lastElementChild?.remove();
    }
  }
}

/** @type {Mount} */
export function mountOverlays(viewer, container) {
  const list = el("div", { class: "overlays" });
  container.append(list);
  /** The seats whose bots draw, among the frames checked so far. @type {Set<Seat>} */
  const drawing = new Set();
  let seen = 0;

  /**
   * @param {string} overlay
   * @param {...(Node | string)} label
   */
  const check = (overlay, ...label) => {
    const input = el("input", {
      type: "checkbox",
      "data-overlay": overlay,
      onchange: (event) => viewer.overlay(overlay, event.target.checked),
    });
    input.checked = viewer.overlays.has(overlay);
    return el("label", { class: "check" }, input, el("span", {}, ...label));
  };
  /**
   * @param {string} legend
   * @param {...Node} checks
   */
  const group = (legend, ...checks) => el("fieldset", { class: "overlays-group" }, el("legend", {}, legend), ...checks);
  /** @param {Seat} seat */
  const player = (seat) => {
    const digit = el("b", { class: `overlays-seat overlays-seat-${seat}` }, seat);
    return [digit, untrusted(viewer.timeline ? seatName(viewer.timeline.head, seat) : "")];
  };

  const build = () => {
    const { timeline } = viewer;
    list.hidden = !timeline;
    if (!timeline) return;
    const bots = allSeats.filter((seat) => drawing.has(seat));
    list.replaceChildren(
      group(overlayWords.reach, ...allSeats.map((seat) => check(`reach-${seat}`, ...player(seat)))),
      check("lights", overlayWords.lights),
      ...(bots.length ? [group(overlayWords.debug, ...bots.map((seat) => check(`debug-${seat}`, ...player(seat))))] : []));
  };
  const look = () => {
    const { timeline } = viewer;
    const known = drawing.size;
    for (; timeline && seen < timeline.frames.length; seen += 1) {
      for (const seat of allSeats) {
        if (!drawing.has(seat) && drawingOf(timeline.head, timeline.frames[seen].answers[seat]?.debug)) drawing.add(seat);
      }
    }
    if (drawing.size !== known) build();
  };
  viewer.on("timeline", () => {
    drawing.clear();
    seen = 0;
    build();
    look();
  });
  viewer.on("grown", look);
  viewer.on("language", build);
  viewer.on("view", () => {
    for (const input of list.querySelectorAll("input")) input.checked = viewer.overlays.has(input.dataset.overlay ?? "");
  });
  build();
  look();
}
