// The position as a table, for screen readers and for exact values.

import { allSeats } from "./board-geometry.js";
import { el, setText } from "./dom.js";
import { counted, minus, scoreText, words } from "./language.js";
import { seatName } from "./sentences.js";

const positionTableWords = words(
  {
    title: "The position as a table",
    caption: (/** @type {number} */ turn) => `After turn ${turn}`,
    counted: "Rows and columns count from 0 at the top left.",
    player: "Player",
    row: "Row",
    column: "Column",
    strength: "Strength",
    boost: "Boost",
    alive: "Alive",
    score: "Score",
    yes: "yes",
    no: "no",
    small: "Small fruit",
    large: "Large fruit",
    generators: "Generators",
    none: "none",
    cell: (/** @type {number} */ row, /** @type {number} */ column) => `(${row}, ${column})`,
    spawned: (/** @type {number} */ turns) => `Fruit spawns in ${counted(turns, "turn")}.`,
  },
  {
    title: "以表格显示局面",
    caption: (turn) => `第 ${turn} 回合之后`,
    counted: "行与列从左上角的 0 数起。",
    player: "玩家",
    row: "行",
    column: "列",
    strength: "力量",
    boost: "增益",
    alive: "存活",
    score: "得分",
    yes: "是",
    no: "否",
    small: "小豆",
    large: "大豆",
    generators: "豆子产生器",
    none: "无",
    cell: (row, column) => `(${row}, ${column})`,
    spawned: (turns) => `再过 ${turns} 回合长出豆子。`,
  },
);

/** @type {("player" | "row" | "column" | "strength" | "boost" | "alive" | "score")[]} */
const tableColumns = ["player", "row", "column", "strength", "boost", "alive", "score"];
/** @type {("small" | "large" | "generators")[]} */
const tableLists = ["small", "large", "generators"];

/** @type {Mount} */
export function mountPositionTable(viewer, container) {
  const caption = el("caption");
  const heads = tableColumns.map(() => el("th", { scope: "col" }));
  const rows = allSeats.map(() => [el("th", { scope: "row" }), ...tableColumns.slice(1).map(() => el("td"))]);
  const lists = tableLists.map(() => ({ name: el("dt"), cells: el("dd") }));
  const spawned = el("p");
  const table = el(
    "table",
    {},
    caption,
    el("thead", {}, el("tr", {}, ...heads)),
    el("tbody", {}, ...rows.map((cells) => el("tr", {}, ...cells))),
  );
  const scroll = el("div", { class: "table-scroll", tabindex: 0, role: "group" }, table);
  container.classList.add("table-box");
  container.append(scroll, el("dl", {}, ...lists.flatMap(({ name, cells }) => [name, cells])), spawned);

  const show = () => {
    const { timeline, frame } = viewer;
    if (!timeline || !frame || container.closest("[hidden]")) return;
    const t = positionTableWords;
    const { width, generators } = timeline.head;
    const cell = (/** @type {Cell} */ at) => t.cell(Math.floor(at / width), at % width);
    setText(caption, t.caption(frame.turn));
    for (const seat of allSeats) {
      const { cell: at, strength, boost, alive, score } = frame.players[seat];
      const texts = [
        `${seat} ${seatName(timeline.head, seat)}`,
        String(Math.floor(at / width)),
        String(at % width),
        minus(strength),
        String(boost),
        alive ? t.yes : t.no,
        scoreText(score),
      ];
      texts.forEach((text, index) => setText(rows[seat][index], text));
    }
    const cells = { small: frame.small_fruits, large: frame.large_fruits, generators };
    tableLists.forEach((key, index) => setText(lists[index].cells, cells[key].map(cell).join(" ") || t.none));
    setText(spawned, `${t.counted} ${generators.length ? t.spawned(frame.generator_turns_left) : ""}`);
  };
  const showWords = () => {
    const t = positionTableWords;
    scroll.setAttribute("aria-label", t.title);
    heads.forEach((head, index) => (head.textContent = t[tableColumns[index]]));
    lists.forEach(({ name }, index) => (name.textContent = t[tableLists[index]]));
    show();
  };
  viewer.on(["timeline", "turn", "grown", "view"], show);
  viewer.on("language", showWords);
  showWords();
}
