// The picture of a position, for the page's board and for saved images.

import { minus } from "./language.js";
import { setAttr, setText, svg } from "./dom.js";
import { Bubbles } from "./board-bubbles.js";
import { BoardLayer } from "./board-layer.js";
import {
  allSeats, boardFigures, boardRing, boardShapes, boardUnit, centreOf, openingPath, rayPath, shapeAt, shapesOn, wallPaths, wrapped,
  wrappedDelta,
} from "./board-geometry.js";
import { seatPaint } from "./board-paint.js";

/** @typedef {Extract<GameEvent, { event: "fired" }>} Fired */
/** @typedef {{ x: number, y: number, scale: number, opacity: number }} Pose the position, scale and opacity of a player's figure */

/**
 * The poses of all players. Players in the same cell are drawn side by side.
 * @param {Head} head
 * @param {{ cell: Cell, alive: boolean }[]} players
 * @returns {Pose[]}
 */
export function posesOf(head, players) {
  return players.map(({ cell, alive }, seat) => {
    const here = allSeats.filter((other) => players[other].alive && players[other].cell === cell);
    const { x, y } = centreOf(head, cell);
    const index = here.indexOf(/** @type {Seat} */ (seat));
    if (!alive || here.length === 1) return { x, y, scale: 1, opacity: alive ? 1 : 0 };
    const aside = here.length === 3 && index === 2 ? 0 : index % 2 ? 25 : -25;
    const down = here.length === 2 ? 0 : index < 2 ? -25 : 25;
    return { x: x + aside, y: y + down, scale: here.length === 2 ? 0.7 : 0.53, opacity: 1 };
  });
}

/** Half of the room that a cell takes, and a figure with all that is written beside it. */
const cellHalf = boardUnit / 2;
const figureHalf = 80;
const crownShape = "M-22 -30L-22 -52L-10 -42L0 -58L10 -42L22 -52L22 -30Z";
const sceneFont = "system-ui, -apple-system, 'Segoe UI', 'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', sans-serif";
let sceneCount = 0;

export class Scene {
  /**
   * @param {Head} head
   * @param {import("./board-paint.js").Paint} paint
   */
  constructor(head, paint) {
    this.head = head;
    this.paint = paint;
    this.width = head.width * boardUnit;
    this.height = head.height * boardUnit;
    this.id = `scene-${(sceneCount += 1)}`;
    this.offset = { x: 0, y: 0 };
    /** @type {Pose[]} The current poses, possibly beyond a border while they move. */
    this.poses = [];
    const box = { x: -boardRing, y: -boardRing, width: this.width + 2 * boardRing, height: this.height + 2 * boardRing };
    this.box = box;
    this.world = svg("g", {});
    this.front = svg("g", {});
    const edge = `M0 0v${this.height}h${this.width}v${-this.height}z`;
    const veil = `M${box.x} ${box.y}h${box.width}v${box.height}h${-box.width}z`
      + `M-5 -5v${this.height + 10}h${this.width + 10}v${-this.height - 10}z`;
    this.picture = svg("g", { "clip-path": `url(#${this.id}-box)`, "aria-hidden": "true" },
      svg("rect", { ...box, fill: paint.paper }),
      this.world,
      svg("path", { d: veil, fill: paint.paper, "fill-opacity": 0.72 }),
      svg("path", { d: edge, fill: "none", stroke: paint.wall, "stroke-opacity": 0.4 }),
      this.front);
    this.root = svg("svg", {
      viewBox: `${box.x} ${box.y} ${box.width} ${box.height}`,
      "font-family": sceneFont,
      "font-weight": 700,
      "text-anchor": "middle",
      "stroke-linecap": "round",
      "stroke-linejoin": "round",
    }, svg("defs", {}, svg("clipPath", { id: `${this.id}-box` }, svg("rect", box))), this.picture);
    /** @type {BoardLayer[]} */
    this.layers = [];
    this.drawMaze();
    this.overlay = this.layer("overlay").group;
    this.fruit = this.layer("fruit");
    /** @type {import("./board-layer.js").Place[]} */
    this.fruitPlaces = [];
    this.small = svg("path", { fill: paint.jade });
    this.large = svg("path", { fill: paint.light, stroke: paint.gold, "stroke-width": 4 });
    this.leaves = svg("path", { fill: paint.jade });
    /** Fruit that is just spawning or being eaten. */
    this.transient = svg("path", { fill: paint.jade });
    this.fruit.group.append(this.large, this.leaves, this.small, this.transient);
    this.markLayer = this.layer("marks");
    this.marks = this.markLayer.group;
    // A light: the lit cells, a glow in the colour of its player, and a bright core.
    this.beams = allSeats.map((seat) => {
      const lit = svg("path", { stroke: paint.light, "stroke-width": 92, "stroke-opacity": 0.3, "stroke-linecap": "butt" });
      const glow = svg("path", { stroke: seatPaint(paint, seat), "stroke-width": 30, "stroke-opacity": 0.65 });
      const core = svg("path", { stroke: paint.light, "stroke-width": 15 });
      const heart = svg("path", { stroke: paint.flare, "stroke-width": 6 });
      this.marks.append(svg("g", { fill: "none" }, lit, glow, core, heart));
      return [lit, glow, core, heart];
    });
    /** A wave around a fight or a death. */
    this.wave = svg("path", { fill: "none", "stroke-width": 11 });
    this.bursts = svg("path", { fill: paint["gold-soft"], stroke: paint.danger, "stroke-width": 4 });
    this.flashes = svg("path", { fill: "none", stroke: paint.danger, "stroke-width": 6 });
    this.marks.append(this.bursts, this.flashes, this.wave);
    this.fallenLayer = this.layer("fallen");
    /** The place of each dead player, if it is dead. @type {import("./board-layer.js").Place[][]} */
    this.fallenPlaces = allSeats.map(() => []);
    this.fallen = allSeats.map((seat) => this.fallenLayer.group.appendChild(this.fallenFigure(seat)));
    this.figureLayer = this.layer("figures");
    this.figures = allSeats.map((seat) => this.figure(seat));
    this.figureLayer.group.append(...this.figures.map(({ group }) => group));
    this.cursor = this.layer("cursor").group;
    this.labels = this.coordinates();
    this.placeCoordinates();
    this.bubbles = new Bubbles(this.front, paint);
  }

  /** The numbers of rows and columns in the margins; bots speak of cells by them. They cover the countdowns that are repeated there. */
  coordinates() {
    const { head, paint } = this;
    const style = { "font-size": 24, "font-weight": 500, fill: paint.soft, stroke: paint.paper, "stroke-width": 30, "stroke-linejoin": "round", "stroke-opacity": 0.85, "paint-order": "stroke" };
    const numbers = (/** @type {number} */ count) =>
      Array.from({ length: count }, (_, number) => this.front.appendChild(svg("text", style, number)));
    return { columns: numbers(head.width), rows: numbers(head.height) };
  }

  placeCoordinates() {
    const { labels: { columns, rows }, offset, width, height } = this;
    columns.forEach((text, column) => {
      setAttr(text, "x", wrapped((column + 0.5) * boardUnit + offset.x, width).toFixed(1));
      setAttr(text, "y", -boardRing / 2 + 2);
    });
    rows.forEach((text, row) => {
      setAttr(text, "x", -boardRing / 2 - 3);
      setAttr(text, "y", (wrapped((row + 0.5) * boardUnit + offset.y, height) + 13).toFixed(1));
    });
  }

  /** Adds a layer. @param {string} name */
  layer(name) {
    const layer = new BoardLayer(this.world, `${this.id}-${name}`, this.width, this.height);
    this.layers.push(layer);
    return layer;
  }

  /** The places of things in the middle of cells. @param {Cell[]} cells */
  placesOf(cells) {
    return cells.map((cell) => ({ ...centreOf(this.head, cell), half: cellHalf }));
  }

  drawMaze() {
    const { head, paint, width, height } = this;
    const walls = wallPaths(head);
    let lines = "";
    for (let x = 0; x < head.width; x += 1) lines += `M${x * boardUnit} 0V${height}`;
    for (let y = 0; y < head.height; y += 1) lines += `M0 ${y * boardUnit}H${width}`;
    this.layer("floor").group.append(
      svg("rect", { x: 0, y: 0, width, height, fill: paint.floor }),
      svg("path", { d: shapesOn(head, boardShapes.square, head.generators), fill: paint["gold-soft"] }),
      svg("path", { d: lines, stroke: paint.line, "stroke-width": 1.5, "stroke-opacity": 0.6 }));
    // Above all floors, because a repeated floor would cover half of the walls on the border.
    this.layer("walls").group.append(
      svg("path", { d: `M0 0H${width}M0 0V${height}`, stroke: paint.jade, "stroke-width": 3, "stroke-dasharray": "1 12" }),
      svg("path", { d: openingPath(head), fill: "none", stroke: paint.jade, "stroke-width": 5, "stroke-opacity": 0.7 }),
      svg("path", { d: walls.both, stroke: paint.wall, "stroke-width": 10 }),
      svg("path", { d: walls.one, stroke: paint.wall, "stroke-width": 5, "stroke-dasharray": "12 10" }));
    this.trees = svg("path", { d: shapesOn(head, boardShapes.tree, head.spawn_cells), fill: paint.jade });
    this.countdowns = head.generators.map((cell) => {
      const { x, y } = centreOf(head, cell);
      return svg("text", { x, y: y + 32, "font-size": 32, fill: paint.card });
    });
    const places = this.placesOf(head.generators);
    this.layer("trees").group.append(this.trees);
    const towers = this.layer("towers");
    towers.group.append(svg("path", { d: shapesOn(head, boardShapes.tower, head.generators), fill: paint.gold }));
    towers.fill(places);
    const countdowns = this.layer("countdowns");
    countdowns.group.append(...this.countdowns);
    countdowns.fill(places);
  }

  /** @param {Seat} seat */
  figure(seat) {
    const { paint } = this;
    const colour = seatPaint(paint, seat);
    const halo = { stroke: paint.floor, "stroke-width": 9, "paint-order": "stroke" };
    const ring = svg("path", { fill: "none", stroke: paint.light, "stroke-width": 7 });
    const strength = svg("text", { y: 46, "font-size": 35, fill: paint.ink, ...halo });
    const boost = svg("text", { x: 49, y: -27, "text-anchor": "end", "font-size": 23, fill: paint.gold, ...halo });
    const badge = svg("text", { x: -49, "text-anchor": "start", ...halo });
    const crown = svg("path", { d: crownShape, fill: paint.light, stroke: paint.gold, "stroke-width": 4 });
    const group = svg("g", {},
      svg("g", { transform: "translate(0 -11)" },
        svg("path", { d: boardFigures[seat], fill: colour, stroke: paint.floor, "stroke-width": 10, "paint-order": "stroke" }),
        svg("path", { d: boardFigures[seat], fill: colour, stroke: colour, "stroke-width": 3 }),
        svg("text", { y: 12, "font-size": 33, fill: paint.card }, seat),
        ring, crown),
      strength, boost, badge);
    return { group, ring, strength, boost, badge, crown };
  }

  /** @param {Seat} seat */
  fallenFigure(seat) {
    const colour = seatPaint(this.paint, seat);
    return svg("g", { stroke: colour, "stroke-width": 5, fill: "none" },
      svg("path", { d: "M-40 -40L40 40M40 -40L-40 40", "stroke-width": 7, "stroke-opacity": 0.55 }),
      svg("path", { d: boardFigures[seat], fill: this.paint.floor, "stroke-opacity": 0.8 }),
      svg("text", { y: 12, "font-size": 33, fill: colour, stroke: "none" }, seat));
  }

  /**
   * Draws a frame without motion.
   * @param {Frame} frame
   */
  show(frame) {
    this.showTime(frame);
    this.showFruit(frame.small_fruits, frame.large_fruits);
    this.showTransient("", 1);
    this.showMarks(frame);
    const poses = posesOf(this.head, frame.players);
    for (const seat of allSeats) {
      const { strength, boost, alive } = frame.players[seat];
      this.pose(seat, poses[seat]);
      this.showNumbers(seat, strength, boost);
      this.showCross(seat, frame, alive ? 0 : 1);
      const isFrightened = frame.events.some((event) => event.event === "frightened" && event.seat === seat);
      this.showBadge(seat, (isFrightened ? "!" : "") + boardSigned(frame.delta[seat]), isFrightened || frame.delta[seat] < 0);
      this.bubbles.setTaunt(seat, frame.answers[seat]?.taunt ?? "");
      setAttr(this.figures[seat].crown, "display", frame.over && alive && frame.players[seat].place === 1 ? "inline" : "none");
    }
    this.bubbles.float(this);
  }

  /** @param {Frame} frame */
  showTime(frame) {
    for (const text of this.countdowns ?? []) setText(text, frame.generator_turns_left);
    if (this.trees) setAttr(this.trees, "fill-opacity", frame.generator_turns_left <= 3 ? 0.5 : 0.14);
  }

  /**
   * @param {Cell[]} small
   * @param {Cell[]} large
   */
  showFruit(small, large) {
    // A small fruit moves into the corner if a large one is there, too.
    const seeds = small.map((cell) => {
      const { x, y } = centreOf(this.head, cell);
      return shapeAt(boardShapes.seed, large.includes(cell) ? { x: x + 32, y: y + 32 } : { x, y });
    });
    setAttr(this.small, "d", seeds.join(""));
    setAttr(this.large, "d", shapesOn(this.head, boardShapes.peach, large));
    setAttr(this.leaves, "d", shapesOn(this.head, boardShapes.leaf, large));
    this.fruitPlaces = this.placesOf([...small, ...large]);
    this.placeFruit();
  }

  placeFruit() {
    // Fruit that is being eaten may be anywhere.
    this.fruit.fill(this.transient.getAttribute("d") ? null : this.fruitPlaces);
  }

  /**
   * Draws fruit that is spawning or being eaten.
   * @param {string} path
   * @param {number} opacity
   */
  showTransient(path, opacity) {
    setAttr(this.transient, "d", path);
    setAttr(this.transient, "opacity", opacity);
    this.placeFruit();
  }

  /**
   * Draws the traces of the turn: lights, hits and fights, dimmed.
   * @param {Frame} frame
   */
  showMarks(frame) {
    setAttr(this.marks, "opacity", 0.8);
    for (const seat of allSeats) this.beam(seat, null, 0, frame);
    this.showWave("", "none", 0);
    let bursts = "";
    let flashes = "";
    for (const event of frame.events) {
      if (event.event === "fired") this.beam(event.seat, event, 1, frame);
      if (event.event === "fought") bursts += shapeAt(boardShapes.burst, centreOf(this.head, event.cell), 1.05);
      if (event.event === "hit") flashes += shapeAt(boardShapes.flash, centreOf(this.head, frame.players[event.victim].cell));
    }
    this.strike(bursts, flashes);
  }

  /** Lights reach far, so they are taken for the whole maze. */
  placeMarks() {
    const marks = [...this.beams.map(([beam]) => beam), this.wave, this.bursts, this.flashes];
    this.markLayer.fill(marks.some((mark) => mark.getAttribute("d")) ? null : []);
  }

  /**
   * @param {Seat} seat
   * @param {Fired | null} fired
   * @param {number} part the drawn part of the light, 0 to 1
   * @param {Frame} frame the frame with all lights of the turn
   */
  beam(seat, fired, part, frame) {
    const length = fired ? (fired.ray.length + 0.42) * part : 0;
    const path = fired ? rayPath(this.head, fired.from, fired.direction, length, asideOf(fired, frame)) : "";
    for (const line of this.beams[seat]) setAttr(line, "d", path);
    this.placeMarks();
  }

  /**
   * @param {string} path
   * @param {string} colour
   * @param {number} opacity
   */
  showWave(path, colour, opacity) {
    setAttr(this.wave, "d", path);
    setAttr(this.wave, "stroke", colour);
    setAttr(this.wave, "stroke-opacity", opacity.toFixed(2));
    this.placeMarks();
  }

  /**
   * @param {string} bursts
   * @param {string} flashes
   */
  strike(bursts, flashes) {
    setAttr(this.bursts, "d", bursts);
    setAttr(this.flashes, "d", flashes);
    this.placeMarks();
  }

  /**
   * @param {Seat} seat
   * @param {Pose} pose
   */
  pose(seat, pose) {
    this.poses[seat] = pose;
    const { group } = this.figures[seat];
    setAttr(group, "transform", `translate(${pose.x.toFixed(1)} ${pose.y.toFixed(1)}) scale(${pose.scale.toFixed(3)})`);
    setAttr(group, "opacity", pose.opacity.toFixed(2));
    this.figureLayer.fill(this.poses.filter((shown) => shown?.opacity).map(({ x, y }) => ({ x, y, half: figureHalf })));
  }

  /**
   * Shows strength and boost of a figure.
   * @param {Seat} seat
   * @param {number} strength
   * @param {number} boost
   */
  showNumbers(seat, strength, boost) {
    const figure = this.figures[seat];
    setText(figure.strength, minus(strength));
    setText(figure.boost, boost || "");
    setAttr(figure.ring, "d", boostArc(boost / this.head.ruleset.large_fruit_duration));
  }

  /**
   * Shows a badge beside a figure: a change of strength, or who frightened the player.
   * @param {Seat} seat
   * @param {string} text
   * @param {boolean} bad
   * @param {number} [rise] the progress of its animation, 0 to 1
   */
  showBadge(seat, text, bad, rise) {
    const { badge } = this.figures[seat];
    setText(badge, text);
    setAttr(badge, "fill", bad ? this.paint.danger : this.paint.jade);
    setAttr(badge, "font-size", rise === undefined ? 23 : 34);
    setAttr(badge, "y", rise === undefined ? -27 : Math.round(-22 - 16 * rise));
  }

  /**
   * Draws the cross of a dead player.
   * @param {Seat} seat
   * @param {Frame} frame
   * @param {number} opacity
   */
  showCross(seat, frame, opacity) {
    const { cell } = frame.players[seat];
    const { x, y } = centreOf(this.head, cell);
    const others = [...frame.players.map((player) => player.cell), ...frame.small_fruits, ...frame.large_fruits];
    const alone = others.filter((other) => other === cell).length === 1;
    const [aside, down] = alone ? [0, 0] : [seat % 2 ? 29 : -29, seat < 2 ? -29 : 29];
    // A death of this turn stands out.
    const isFresh = frame.events.some((event) => event.event === "died" && event.seat === seat);
    const scale = (alone ? 0.8 : 0.42) * (isFresh ? 1.2 : 1);
    setAttr(this.fallen[seat], "transform", `translate(${x + aside} ${y + down}) scale(${scale.toFixed(2)})`);
    setAttr(this.fallen[seat], "opacity", (opacity * (isFresh ? 1 : 0.6)).toFixed(2));
    this.fallenPlaces[seat] = opacity ? [{ x: x + aside, y: y + down, half: cellHalf }] : [];
    this.fallenLayer.fill(this.fallenPlaces.flat());
  }

  /**
   * Shifts the maze around its borders.
   * @param {number} x
   * @param {number} y
   */
  shift(x, y) {
    // At most half a maze either way; the repeated layers reach no further.
    this.offset = { x: wrappedDelta(x, this.width), y: wrappedDelta(y, this.height) };
    setAttr(this.world, "transform", `translate(${this.offset.x.toFixed(1)} ${this.offset.y.toFixed(1)})`);
    for (const layer of this.layers) layer.shift(this.offset);
    this.placeCoordinates();
    this.bubbles.float(this);
  }

  /** Moves a player's figure to the centre. @param {Seat} seat */
  centre(seat) {
    const { x, y } = this.towards(seat);
    this.shift(x, y);
  }

  /** The shift that moves a player's figure to the centre. @param {Seat} seat */
  towards(seat) {
    const { head, poses } = this;
    const middle = (/** @type {number} */ cells) => (Math.floor(cells / 2) + 0.5) * boardUnit;
    return { x: middle(head.width) - poses[seat].x, y: middle(head.height) - poses[seat].y };
  }
}

/** @param {number} value */
export const boardSigned = (value) => (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "");

/**
 * How far to the side a light is drawn: lights along the same corridor do not hide each other.
 * @param {Fired} fired
 * @param {Frame} frame
 */
function asideOf(fired, frame) {
  const isUpright = (/** @type {Fired} */ { direction }) => direction === "up" || direction === "down";
  const beside = frame.events.filter((event) =>
    event.event === "fired" && isUpright(event) === isUpright(fired) && event.ray.some((cell) => fired.ray.includes(cell)));
  return 18 * (beside.indexOf(fired) - (beside.length - 1) / 2);
}

/** A ring around a figure, clockwise from the top. @param {number} part */
function boostArc(part) {
  if (part <= 0) return "";
  const angle = Math.min(part, 0.999) * 2 * Math.PI;
  const [x, y] = [37 * Math.sin(angle), -37 * Math.cos(angle)];
  return `M0 -37A37 37 0 ${angle > Math.PI ? 1 : 0} 1 ${x.toFixed(2)} ${y.toFixed(2)}`;
}
