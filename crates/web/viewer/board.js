// The board: a picture of the maze to watch, point at, explore with keys, zoom, and play on.

import { el, setAttr, setText, svg } from "./dom.js";
import { words } from "./language.js";
import {
  allSeats, boardDirections, boardShapes, boardSteps, boardUnit, centreOf, neighbourOf, shapesOn, wrapped, wrappedDelta,
} from "./board-geometry.js";
import { scenePaint, seatPaint } from "./board-paint.js";
import { Scene } from "./board-scene.js";
import { boardZoom } from "./board-zoom.js";
import { cellFacts } from "./cell.js";
import { eased, plainMotion, runFor, turnMotion } from "./motion.js";
import { drawOverlays, inspectionAt } from "./overlays.js";
import { PACE } from "./viewer.js";

export const boardWords = words(
  {
    board: (/** @type {number} */ rows, /** @type {number} */ columns) =>
      `Maze of ${rows} rows and ${columns} columns. Press Enter to explore the cells with the arrow keys, Escape to leave.`,
    role: "maze",
    empty: "No game is open.",
    larger: "Zoom in",
    smaller: "Zoom out",
    whole: "Whole maze",
    choose: "Click a marked cell to move there, or your own cell to stay.",
  },
  {
    board: (rows, columns) => `${rows} 行 ${columns} 列的迷宫。按回车后可用方向键逐格查看，按 Esc 退出。`,
    role: "迷宫",
    empty: "还没有打开对局。",
    larger: "放大",
    smaller: "缩小",
    whole: "显示全部",
    choose: "点击标出的格子移动过去，点击自己的格子则不动。",
  },
);

/** The duration of a single step forward and back, in milliseconds. */
const stepMs = 900;
const backMs = 180;
/** Below this duration, the phases of a turn are not animated. */
const briefMs = 200;

/**
 * A frame as a standalone picture.
 * @param {Timeline} timeline
 * @param {number} turn
 * @param {{ theme?: "light" | "dark", followed?: Seat | null, title?: string }} [options]
 */
export function still(timeline, turn, { theme = "light", followed = null, title } = {}) {
  const scene = new Scene(timeline.head, scenePaint(theme));
  scene.show(timeline.frames[turn]);
  if (followed !== null) scene.centre(followed);
  setAttr(scene.root, "width", scene.box.width);
  setAttr(scene.root, "height", scene.box.height);
  if (title) scene.root.prepend(svg("title", {}, title));
  return scene.root;
}

/** @type {Mount} */
export function mountBoard(viewer, container) {
  const stage = el("div", { class: "board-stage" });
  const empty = el("p", { class: "board-empty" });
  const hint = el("p", { class: "board-hint" });
  const liveRegion = el("div", { class: "visually-hidden", role: "status" });
  /** @type {Scene | null} */
  let scene = null;
  const zoom = boardZoom(stage, () => scene);
  const tools = el("div", { class: "board-tools" }, zoom.smaller, zoom.larger, zoom.whole);
  container.append(el("div", { class: "board-frame" }, stage, hint, tools), empty, liveRegion);
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  // Elsewhere, the facts of a cell have a place on the page, and would move what is below them.
  const hovers = matchMedia("(any-hover: hover)");

  /** @type {import("./motion.js").Running | null} */
  let running = null;
  /** The remaining shift while the picture slides. */
  let lag = { x: 0, y: 0 };
  /** @type {import("./motion.js").Running | null} */
  let sliding = null;
  /** @type {Seat | null} */
  let followed = null;
  /** Whether the arrow keys explore the cells. */
  let exploring = false;
  /** Whether a click has pinned the pointed cell. */
  let pinned = false;
  /** @type {SVGPathElement} */
  let chosen;
  /** @type {SVGPathElement} */
  let outline;
  let overlaid = "";
  let asked = 0;

  const follow = () => {
    if (!scene) return;
    const aim = followed === null ? { x: 0, y: 0 } : scene.towards(followed);
    scene.shift(aim.x + lag.x, aim.y + lag.y);
  };

  /** Slides the picture to another player. */
  const refollow = () => {
    if (!scene || followed === viewer.followed) return;
    sliding?.stop();
    followed = viewer.followed;
    const was = scene.offset;
    const aim = followed === null ? { x: 0, y: 0 } : scene.towards(followed);
    const far = { x: wrappedDelta(was.x - aim.x, scene.width), y: wrappedDelta(was.y - aim.y, scene.height) };
    const slide = (/** @type {number} */ part) => {
      lag = { x: far.x * (1 - eased(part)), y: far.y * (1 - eased(part)) };
      follow();
    };
    if (calm.matches) slide(1);
    else sliding = runFor(400, slide, () => slide(1));
  };

  const settle = () => {
    running = null;
    if (!scene || !viewer.frame) return;
    scene.show(viewer.frame);
    follow();
  };

  const drawTurn = () => {
    running?.stop();
    const { timeline, turn, before } = viewer;
    if (!scene || !timeline || !viewer.frame) return;
    const ms = viewer.playing ? 1000 / (PACE * viewer.speed) : stepMs;
    if (calm.matches || Math.abs(turn - before) !== 1 || document.hidden) return settle();
    const [from, to] = [timeline.frames[before], viewer.frame];
    const draw = turn > before && ms > briefMs ? turnMotion(scene, from, to) : plainMotion(scene, from, to);
    const moment = (/** @type {number} */ part) => {
      draw(part);
      follow();
    };
    moment(0);
    running = runFor(turn > before ? ms * 0.94 : backMs, moment, settle);
  };

  /** The seats that this page plays, each with the cells it may move to. */
  const choices = () => {
    const { timeline, last, turn, choosing } = viewer;
    if (!timeline || turn !== last || !choosing.size) return [];
    const legal = inspectionAt(viewer, last)?.legal;
    return allSeats.flatMap((seat) => {
      const choose = choosing.get(seat);
      const { cell, alive } = timeline.frames[last].players[seat];
      const actions = legal?.[seat] ?? [];
      if (!choose || !alive || !actions.length) return [];
      const ways = boardDirections.filter((way) => actions.includes(boardSteps[way].action));
      const cells = new Map(ways.map((way) => [neighbourOf(timeline.head, cell, way), boardSteps[way].action]));
      return [{ seat, cells: cells.set(cell, -1), choose }];
    });
  };

  /** @param {Cell} cell */
  const decide = (cell) => {
    for (const { cells, choose } of choices()) {
      const action = cells.get(cell);
      if (action !== undefined) {
        choose(action);
        return true;
      }
    }
    return false;
  };

  const drawView = () => {
    asked = 0;
    if (!scene) return;
    const { head, paint } = scene;
    const key = `${viewer.turn} ${[...viewer.overlays].join()}`;
    if (key !== overlaid) drawOverlays(viewer, scene);
    overlaid = key;
    setAttr(outline, "d", viewer.cell === null ? "" : shapesOn(head, "M-44 -44L44 -44L44 44L-44 44Z", [viewer.cell]));
    const [choice] = choices();
    setAttr(chosen, "d", choice ? shapesOn(head, boardShapes.corners, [...choice.cells.keys()]) : "");
    setAttr(chosen, "stroke", choice ? seatPaint(paint, choice.seat) : "none");
    setText(hint, choice ? boardWords.choose : "");
  };
  // Overlays and the pointed cell are drawn once per animation frame.
  const askView = () => {
    asked ||= requestAnimationFrame(drawView);
  };

  /** @param {{ clientX: number, clientY: number }} event */
  const cellAt = ({ clientX, clientY }) => {
    const matrix = scene?.root.getScreenCTM();
    if (!scene || !matrix) return null;
    const { x, y } = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    const { box, offset, head, width, height } = scene;
    if (x < box.x || y < box.y || x > box.x + box.width || y > box.y + box.height) return null;
    const row = Math.floor(wrapped(y - offset.y, height) / boardUnit);
    return row * head.width + Math.floor(wrapped(x - offset.x, width) / boardUnit);
  };

  viewer.cellPlace = (cell) => {
    const matrix = scene?.root.getScreenCTM();
    if (!scene || !matrix) return null;
    const { x, y } = centreOf(scene.head, cell);
    const { offset, width, height } = scene;
    const [left, top] = [wrapped(x + offset.x, width) - boardUnit / 2, wrapped(y + offset.y, height) - boardUnit / 2];
    const corner = new DOMPoint(left, top).matrixTransform(matrix);
    return new DOMRect(corner.x, corner.y, boardUnit * matrix.a, boardUnit * matrix.d);
  };

  stage.addEventListener("pointermove", (event) => {
    if (hovers.matches && event.pointerType === "mouse" && !pinned && !exploring && !zoom.dragging()) viewer.point(cellAt(event));
  });
  stage.addEventListener("pointerleave", (event) => {
    if (event.pointerType === "mouse" && !pinned && !exploring) viewer.point(null);
  });
  stage.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (cell === null || zoom.dragging()) return;
    if (decide(cell)) return;
    pinned = !(pinned && viewer.cell === cell);
    viewer.point(pinned ? cell : null);
  });

  /** Announces the content of the explored cell. */
  const announceCell = () => {
    const { title, facts } = viewer.cell === null ? { title: "", facts: [] } : cellFacts(viewer, viewer.cell);
    setText(liveRegion, [title, ...facts.map(([label, text]) => `${label}: ${text}`)].join(". "));
  };
  /** @param {boolean} wanted */
  const explore = (wanted) => {
    exploring = wanted;
    stage.classList.toggle("board-exploring", wanted);
    const seat = viewer.followed ?? [...viewer.choosing.keys()][0] ?? 0;
    if (wanted && viewer.cell === null) viewer.point(viewer.frame?.players[seat].cell ?? 0);
    if (!wanted) viewer.point(null);
    announceCell();
  };
  stage.addEventListener("keydown", (event) => {
    const way = /** @type {Record<string, Direction>} */ ({
      ArrowUp: "up", ArrowRight: "right", ArrowDown: "down", ArrowLeft: "left",
    })[event.key];
    if (!scene || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Enter" && !exploring) explore(true);
    else if (!exploring) return;
    else if (event.key === "Escape") explore(false);
    else if (event.key === "Enter" || event.key === " ") viewer.cell !== null && decide(viewer.cell);
    else if (way) {
      viewer.point(neighbourOf(scene.head, viewer.cell ?? 0, way));
      announceCell();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  });
  stage.addEventListener("focusout", () => exploring && explore(false));

  const label = () => {
    setText(empty, viewer.timeline ? "" : boardWords.empty);
    zoom.name(boardWords.smaller, boardWords.larger, boardWords.whole);
    if (!scene) return;
    setAttr(scene.root, "aria-label", boardWords.board(scene.head.height, scene.head.width));
    setAttr(scene.root, "aria-roledescription", boardWords.role);
  };

  const open = () => {
    running?.stop();
    sliding?.stop();
    const { timeline } = viewer;
    scene = timeline && new Scene(timeline.head, scenePaint(null));
    stage.replaceChildren(...(scene ? [scene.root] : []));
    empty.hidden = Boolean(scene);
    tools.hidden = !scene;
    pinned = exploring = false;
    overlaid = "";
    if (!scene) return label();
    const { root, paint, cursor } = scene;
    root.classList.add("board-picture");
    document.documentElement.style.setProperty("--board-ratio", String(scene.box.width / scene.box.height));
    setAttr(root, "tabindex", 0);
    setAttr(root, "role", "application");
    chosen = svg("path", { fill: "none", "stroke-width": 7 });
    outline = svg("path", { fill: "none", stroke: paint.ink, "stroke-width": 4, "stroke-opacity": 0.75 });
    cursor.append(chosen, outline);
    followed = viewer.followed;
    lag = { x: 0, y: 0 };
    label();
    settle();
    zoom.reset();
    askView();
  };

  viewer.on("timeline", open);
  viewer.on("turn", () => {
    drawTurn();
    askView();
  });
  viewer.on("view", () => {
    refollow();
    askView();
  });
  viewer.on("grown", askView);
  viewer.on("language", () => {
    label();
    askView();
    if (exploring) announceCell();
  });
  label();
  open();
}
