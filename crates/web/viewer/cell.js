// What there is to know about the cell that is pointed at.

import { el } from "./dom.js";
import { words } from "./language.js";
import { boardSeats, boardSteps, boardWays, nextCell } from "./board-geometry.js";
import { alterText } from "./board-paint.js";
import { xrayOf } from "./overlays.js";

const cellWords = words(
  {
    hint: "Point at a cell to learn about it.",
    title: (/** @type {number} */ row, /** @type {number} */ column) => `Row ${row}, column ${column}`,
    here: "Here",
    nothing: "nothing",
    small: "small fruit",
    large: "large fruit",
    generator: (/** @type {number} */ turns) => `generator, bears fruit in ${turns} ${turns === 1 ? "turn" : "turns"}`,
    birth: "fruit is born here",
    player: (/** @type {Seat} */ seat, /** @type {number} */ strength) => `player ${seat} (strength ${strength})`,
    dead: (/** @type {Seat} */ seat) => `player ${seat}, dead`,
    walls: "Walls",
    none: "none",
    closed: "all round",
    up: "above",
    right: "right",
    down: "below",
    left: "left",
    only: (/** @type {string} */ way) => `${way} (only from here)`,
    into: (/** @type {string} */ way) => `${way} (only from there)`,
    reach: "Turns to get here",
    turns: (/** @type {Seat} */ seat, /** @type {number} */ turns) => `player ${seat}: ${turns}`,
    never: "nobody can",
    crossed: "Crossed this turn by",
    could: "Could be crossed now by",
    light: (/** @type {Seat} */ seat) => `player ${seat}'s light`,
    comma: ", ",
  },
  {
    hint: "指向一个格子，查看它的详情。",
    title: (row, column) => `第 ${row} 行，第 ${column} 列`,
    here: "这里有",
    nothing: "空",
    small: "小豆",
    large: "大豆",
    generator: (turns) => `豆子产生器，${turns} 回合后产豆`,
    birth: "会长出豆子",
    player: (seat, strength) => `玩家 ${seat}（力量 ${strength}）`,
    dead: (seat) => `玩家 ${seat}（已死亡）`,
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
    turns: (seat, turns) => `玩家 ${seat}：${turns}`,
    never: "谁也到不了",
    crossed: "本回合穿过这里的金光",
    could: "现在能射到这里的金光",
    light: (seat) => `玩家 ${seat} 的金光`,
    comma: "，",
  },
);

/**
 * The facts about a cell, each a label and what is to be said.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {Cell} cell
 */
export function cellFacts(viewer, cell) {
  const { film, frame, turn } = viewer;
  if (!film || !frame) return { title: "", facts: /** @type {[string, string][]} */ ([]) };
  const { head } = film;
  const join = (/** @type {(string | false)[]} */ parts) => parts.filter(Boolean).join(cellWords.comma);
  const things = [
    head.generators.includes(cell) && cellWords.generator(frame.generator_turns_left),
    frame.small_fruits.includes(cell) && cellWords.small,
    frame.large_fruits.includes(cell) && cellWords.large,
    ...boardSeats.filter((seat) => frame.players[seat].cell === cell).map((seat) => {
      const { alive, strength } = frame.players[seat];
      return alive ? cellWords.player(seat, strength) : cellWords.dead(seat);
    }),
    head.births.includes(cell) && cellWords.birth,
  ];
  const sides = boardWays.map((way) => {
    const { wall, back } = boardSteps[way];
    const out = head.walls[cell] & wall;
    const into = head.walls[nextCell(head, cell, way)] & boardSteps[back].wall;
    if (out && into) return cellWords[way];
    return out ? cellWords.only(cellWords[way]) : into && cellWords.into(cellWords[way]);
  }).filter((side) => typeof side === "string");
  const closed = sides.length === 4 && sides.every((side, index) => side === cellWords[boardWays[index]]);
  const xray = xrayOf(viewer, turn);
  const reach = boardSeats.map((seat) => {
    const turns = xray?.reach[seat]?.[cell];
    return typeof turns === "number" && cellWords.turns(seat, turns);
  });
  /** @param {{ seat: Seat, way: Cell[] }[]} lights */
  const lights = (lights) => {
    const seats = new Set(lights.filter(({ way }) => way.includes(cell)).map(({ seat }) => seat));
    return join([...seats].map(cellWords.light));
  };
  const fired = frame.events.flatMap((event) => (event.event === "fired" ? [event] : []));
  /** @type {[string, string][]} */
  const facts = [
    [cellWords.here, join(things) || cellWords.nothing],
    [cellWords.walls, closed ? cellWords.closed : join(sides) || cellWords.none],
    [cellWords.reach, join(reach) || cellWords.never],
    [cellWords.crossed, lights(fired) || cellWords.none],
    [cellWords.could, lights(xray?.lights ?? []) || cellWords.none],
  ];
  return { title: cellWords.title(Math.floor(cell / head.width), cell % head.width), facts };
}

/** @type {Mount} */
export function mountCell(viewer, place) {
  const title = el("h2");
  const hint = el("p", { class: "cell-hint" });
  const list = el("dl", { class: "cell-facts" });
  place.classList.add("cell-place", "sheet");
  place.append(title, hint, list);
  let asked = 0;

  const draw = () => {
    asked = 0;
    const { film, cell } = viewer;
    const { title: name, facts } = cell === null ? { title: "", facts: [] } : cellFacts(viewer, cell);
    place.hidden = !film;
    title.hidden = !name;
    alterText(title, name);
    alterText(hint, name ? "" : cellWords.hint);
    while (list.children.length > facts.length * 2) list.lastElementChild?.remove();
    while (list.children.length < facts.length * 2) list.append(el("dt"), el("dd"));
    facts.forEach(([label, text], index) => {
      alterText(list.children[2 * index], label);
      alterText(list.children[2 * index + 1], text);
    });
  };
  // Not more often than the page is painted.
  const ask = () => {
    asked ||= requestAnimationFrame(draw);
  };
  viewer.on(["film", "turn", "view", "language"], ask);
  draw();
}
