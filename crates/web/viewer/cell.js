// The facts about the pointed cell.

import { el, setText } from "./dom.js";
import { counted, words } from "./language.js";
import { allSeats, boardDirections, boardSteps, neighbourOf } from "./board-geometry.js";
import { inspectionAt } from "./overlays.js";
import { playerName } from "./sentences.js";

const cellWords = words(
  {
    title: (/** @type {number} */ row, /** @type {number} */ column) => `Row ${row}, column ${column}`,
    here: "Here",
    nothing: "nothing",
    small: "small fruit",
    large: "large fruit",
    generator: (/** @type {number} */ turns) => `generator, spawns fruit in ${counted(turns, "turn")}`,
    spawn: "fruit spawns here",
    player: (/** @type {string} */ player, /** @type {number} */ strength) => `${player}, strength ${strength}`,
    dead: (/** @type {string} */ player) => `${player}, dead`,
    walls: "Walls",
    none: "none",
    closed: "on all sides",
    up: "above",
    right: "right",
    down: "below",
    left: "left",
    only: (/** @type {string} */ way) => `${way} (blocks only the way out)`,
    into: (/** @type {string} */ way) => `${way} (blocks only the way in)`,
    reach: "Turns to get here",
    turns: (/** @type {string} */ player, /** @type {number} */ turns) => `${player}: ${turns}`,
    never: "unreachable",
    crossed: "Crossed this turn by",
    could: "Could now be crossed by",
    light: (/** @type {string} */ player) => `${player}'s light`,
    comma: ", ",
  },
  {
    title: (row, column) => `第 ${row} 行，第 ${column} 列`,
    here: "这里有",
    nothing: "空",
    small: "小豆",
    large: "大豆",
    generator: (turns) => `豆子产生器，${turns} 回合后产豆`,
    spawn: "会长出豆子",
    player: (player, strength) => `${player}，力量 ${strength}`,
    dead: (player) => `${player}，已死亡`,
    walls: "墙",
    none: "无",
    closed: "四面都是",
    up: "上",
    right: "右",
    down: "下",
    left: "左",
    only: (way) => `${way}（只挡出去）`,
    into: (way) => `${way}（只挡进来）`,
    reach: "到这里所需回合",
    turns: (player, turns) => `${player}：${turns}`,
    never: "无法到达",
    crossed: "本回合穿过这里的金光",
    could: "现在能射到这里的金光",
    light: (player) => `${player}的金光`,
    comma: "，",
  },
);

/**
 * The facts about a cell, as labels and texts.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {Cell} cell
 */
export function cellFacts(viewer, cell) {
  const { timeline, frame, turn } = viewer;
  if (!timeline || !frame) return { title: "", facts: /** @type {[string, string][]} */ ([]) };
  const { head } = timeline;
  const join = (/** @type {(string | false)[]} */ parts) => parts.filter(Boolean).join(cellWords.comma);
  const things = [
    head.generators.includes(cell) && cellWords.generator(frame.generator_turns_left),
    frame.small_fruits.includes(cell) && cellWords.small,
    frame.large_fruits.includes(cell) && cellWords.large,
    ...allSeats.filter((seat) => frame.players[seat].cell === cell).map((seat) => {
      const { alive, strength } = frame.players[seat];
      return alive ? cellWords.player(playerName(head, seat), strength) : cellWords.dead(playerName(head, seat));
    }),
    head.spawn_cells.includes(cell) && cellWords.spawn,
  ];
  const sides = boardDirections.map((way) => {
    const { wall, back } = boardSteps[way];
    const out = head.walls[cell] & wall;
    const into = head.walls[neighbourOf(head, cell, way)] & boardSteps[back].wall;
    if (out && into) return cellWords[way];
    return out ? cellWords.only(cellWords[way]) : into && cellWords.into(cellWords[way]);
  }).filter((side) => typeof side === "string");
  const closed = sides.length === 4 && sides.every((side, index) => side === cellWords[boardDirections[index]]);
  const inspection = inspectionAt(viewer, turn);
  const reach = allSeats.map((seat) => {
    const turns = inspection?.reach[seat]?.[cell];
    return typeof turns === "number" && cellWords.turns(playerName(head, seat), turns);
  });
  /** @param {{ seat: Seat, ray: Cell[] }[]} lights */
  const lights = (lights) => {
    const seats = new Set(lights.filter(({ ray }) => ray.includes(cell)).map(({ seat }) => seat));
    return join([...seats].map((seat) => cellWords.light(playerName(head, seat))));
  };
  const fired = frame.events.flatMap((event) => (event.event === "fired" ? [event] : []));
  /** @type {[string, string][]} */
  const facts = [
    [cellWords.here, join(things) || cellWords.nothing],
    [cellWords.walls, closed ? cellWords.closed : join(sides) || cellWords.none],
    [cellWords.reach, join(reach) || cellWords.never],
    [cellWords.crossed, lights(fired) || cellWords.none],
    [cellWords.could, lights(inspection?.lights ?? []) || cellWords.none],
  ];
  return { title: cellWords.title(Math.floor(cell / head.width), cell % head.width), facts };
}

/**
 * Mounts the facts about the pointed cell: beside the cell where a pointer hovers, elsewhere in their place on the page.
 * @type {Mount}
 */
export function mountCell(viewer, container) {
  const title = el("h2");
  const list = el("dl", { class: "cell-facts" });
  container.classList.add("cell-place", "card");
  container.append(title, list);
  let asked = 0;

  const draw = () => {
    asked = 0;
    const { timeline, cell } = viewer;
    container.hidden = !timeline || cell === null;
    if (cell === null) return;
    const { title: name, facts } = cellFacts(viewer, cell);
    setText(title, name);
    while (list.children.length > facts.length * 2) list.lastElementChild?.remove();
    while (list.children.length < facts.length * 2) list.append(el("dt"), el("dd"));
    facts.forEach(([label, text], index) => {
      setText(list.children[2 * index], label);
      setText(list.children[2 * index + 1], text);
    });
    place(viewer.cellPlace(cell));
  };
  /** Puts the facts beside a cell, on the side with more room. @param {DOMRect | null} cell */
  const place = (cell) => {
    if (!cell) return;
    const { width, height } = container.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const right = cell.right + 8;
    const left = right + width <= clientWidth ? right : cell.left - 8 - width;
    const top = Math.min(cell.top, clientHeight - height - 8);
    container.style.setProperty("--left", `${Math.max(left, 8)}px`);
    container.style.setProperty("--top", `${Math.max(top, 8)}px`);
  };
  // Once per animation frame.
  const ask = () => {
    asked ||= requestAnimationFrame(draw);
  };
  viewer.on(["timeline", "turn", "view", "language"], ask);
  draw();
}
