// The legend: what each sign on the board means.

import { dialogTitle, el } from "./dom.js";
import { words } from "./language.js";
import { examplePicture } from "./small-board.js";

const legendWords = words(
  {
    title: "Legend",
    close: "Close",
    maze: "The maze",
    players: "Players",
    turn: "What happened in the turn",
    wall: "A wall. Players and lights do not pass.",
    oneWay: "A one-way wall. It blocks only the side on which it is drawn.",
    opening: "An opening. The maze goes on at the opposite border.",
    small: "A small fruit: 1 strength.",
    large: "A large fruit: a boost of 10 strength for 10 turns.",
    generator: "A generator, with the turns until it puts small fruit around it.",
    spawn: "A tree: small fruit will appear here. It darkens in the last three turns.",
    player: "A player. Each has a colour, a shape and a digit. Its strength is below.",
    boost: "A player with a boost. The ring and the number show the turns left.",
    light: "A light, in the colour of the player that shot it.",
    hit: "The player is hit by a light and loses 6 strength.",
    fight: "A fight: the strongest player ate the others in this cell.",
    dead: "A player died here.",
    change: "The strength changed by this much.",
    frightened: "The player is frightened: a stronger player stood in its way, so it stayed.",
  },
  {
    title: "图例",
    close: "关闭",
    maze: "迷宫",
    players: "玩家",
    turn: "本回合发生的事",
    wall: "墙。玩家和金光都过不去。",
    oneWay: "单向墙，只挡画着它的那一侧。",
    opening: "出口，通向对面的边缘。",
    small: "小豆：力量加 1。",
    large: "大豆：得到增益，力量加 10，持续 10 回合。",
    generator: "豆子产生器，数字是距产豆的回合数。",
    spawn: "树：这里会产豆，最后三个回合颜色变深。",
    player: "玩家。各有颜色、形状和数字，下面是力量。",
    boost: "有增益的玩家。圆环和数字是剩余的回合数。",
    light: "金光，颜色是发射者的颜色。",
    hit: "玩家被金光击中，失去 6 点力量。",
    fight: "战斗：同一格里最强的玩家吃掉了其余的人。",
    dead: "有玩家在这里死亡。",
    change: "力量变化了这么多。",
    frightened: "受到恐吓：前面有更强的玩家，所以没有动。",
  },
);

/** The middle of a maze of 3 × 3 cells, which every sign but one is drawn in. */
const middle = 4;
const maze = { width: 3, height: 3, part: { x: 0.9, y: 0.9, width: 1.2, height: 1.2 } };
/** @type {GameEvent} */
const shot = { event: "fired", seat: 2, from: 3, direction: "right", cost: 4, ray: [4, 5], wraps: false };

/** @type {{ title: keyof typeof legendWords, signs: { [name in keyof typeof legendWords]?: import("./small-board.js").Example } }[]} */
const legendGroups = [
  {
    title: "maze",
    signs: {
      wall: { ...maze, walls: [[middle, "right"], [middle, "down"]] },
      oneWay: { ...maze, walls: [[middle, "right", true]] },
      opening: { width: 3, height: 3, open: true, part: { x: -0.1, y: 0.9, width: 1.2, height: 1.2 } },
      small: { ...maze, small: [middle] },
      large: { ...maze, large: [middle] },
      generator: { ...maze, generators: [middle], left: 7 },
      spawn: { ...maze, spawns: [middle], left: 3 },
    },
  },
  {
    title: "players",
    signs: {
      player: { ...maze, players: { 1: { cell: middle, strength: 9 } } },
      boost: { ...maze, players: { 3: { cell: middle, strength: 14, boost: 7 } } },
    },
  },
  {
    title: "turn",
    signs: {
      light: { ...maze, events: [shot] },
      hit: {
        ...maze,
        players: { 0: { cell: middle, strength: 5, delta: -6 } },
        events: [{ event: "hit", shooter: 2, victim: 0, gained: 6, lost: 6 }],
      },
      fight: {
        ...maze,
        players: { 1: { cell: middle, strength: 11 } },
        events: [{ event: "fought", cell: middle, winners: [1], eaten: [0], loot: 2, share: 2 }],
      },
      dead: { ...maze, players: { 0: { cell: middle, strength: 0, dead: true } } },
      change: { ...maze, players: { 2: { cell: middle, strength: 4, delta: 1 } } },
      frightened: {
        ...maze,
        players: { 3: { cell: middle, strength: 2 } },
        events: [{ event: "frightened", seat: 3, direction: "up", by: [1] }],
      },
    },
  },
];

/** @type {HTMLDialogElement | null} */
let legendDialog = null;

/** Shows what the signs on the board mean. */
export function openLegend() {
  const t = legendWords;
  legendDialog ??= document.body.appendChild(el("dialog", { class: "legend" }));
  const dialog = legendDialog;
  dialog.setAttribute("aria-label", t.title);
  const groups = legendGroups.flatMap(({ title, signs }) => [
    el("h3", {}, t[title]),
    el("ul", { class: "legend-signs" }, ...Object.entries(signs).map(([name, example]) =>
      el("li", {}, examplePicture(example, ""), el("span", {}, t[/** @type {keyof typeof legendWords} */ (name)])))),
  ]);
  const close = el("form", { method: "dialog" }, el("button", { class: "primary" }, t.close));
  dialog.replaceChildren(el("h2", dialogTitle, t.title), ...groups, close);
  if (!dialog.open) dialog.showModal();
}
