// The entry point: loads the data and mounts the views.

import "../viewer/base.css";
import "./arena.css";
import { applyChoices } from "../viewer/choices.js";
import { el, untrusted, visibleText } from "../viewer/dom.js";
import { counted, onLanguage, words } from "../viewer/language.js";
import { mountBots } from "./bots.js";
import { mountCompare } from "./compare.js";
import { mountGame } from "./game.js";
import { mountGames } from "./games.js";
import { mountGrades } from "./grades.js";
import { mountHeader } from "./header.js";
import { mountHeadToHead } from "./head-to-head.js";
import { digits } from "./format.js";
import { linkTo } from "./components.js";
import { reportSource, serverSource } from "./source.js";
import { mountStandings } from "./standings.js";

const pageWords = words(
  {
    arena: "Arena",
    parts: "Views",
    table: "Table",
    headToHead: "Head to head",
    games: "Games",
    game: "Game",
    bots: "Bots",
    compare: "Compare",
    grades: "Grades",
    matches: "Matches",
    versions: "My versions",
    tv: "TV",
    tvAbout: "Play the games one after another on the whole screen",
    title: (/** @type {string} */ games, /** @type {string} */ name) => `${counted(games, "game")} · ${name} · Pacman2`,
  },
  {
    arena: "竞技场",
    parts: "页面视图",
    table: "排名",
    headToHead: "对阵",
    games: "对局",
    game: "对局录像",
    bots: "程序",
    compare: "比较",
    grades: "成绩",
    matches: "单场对局",
    versions: "我的版本",
    tv: "连播",
    tvAbout: "全屏依次播放对局",
    title: (games, name) => `${games} 局 · ${name} · 吃豆人2`,
  },
);

/** @typedef {"table" | "headToHead" | "games" | "game" | "bots" | "compare" | "grades"} ViewName */
/** @type {[ViewName, ArenaPart][]} */
const parts = [
  ["grades", mountGrades],
  ["table", mountStandings],
  ["headToHead", mountHeadToHead],
  ["games", mountGames],
  ["game", mountGame],
  ["bots", mountBots],
  ["compare", mountCompare],
];

/** @param {string} id */
const elementOf = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {ArenaSource} source */
function mountLinks({ isLive, class: ofClass }) {
  const isContest = elementOf("arena").dataset.host === "contest";
  const start = el("a", { class: "way", href: "/", hidden: !isLive });
  const tv = el("a", { class: "way", href: "/#tv=arena", hidden: !isLive || isContest });
  const show = mountHeader(start, tv);
  return () => {
    show(ofClass ? untrusted(ofClass.name) : pageWords.arena);
    start.textContent = isContest ? pageWords.versions : pageWords.matches;
    tv.textContent = pageWords.tv;
    tv.title = pageWords.tvAbout;
  };
}

function begin() {
  applyChoices();
  /** @type {ArenaReport | null} */
  const report = JSON.parse(elementOf("arena-data").textContent ?? "null");
  const read = (/** @type {string} */ id) => () => JSON.parse(elementOf(id).textContent ?? '""');
  const problem = el("p", { class: "trouble", role: "alert", hidden: true });
  const showProblem = (/** @type {string} */ why) => {
    problem.textContent = why;
    problem.hidden = !why;
  };
  const source = report ? reportSource(report, read("arena-games"), read("arena-viewer")) : serverSource(() => show(), showProblem);
  /** @type {Map<number, Standing>} */
  let lines = new Map();
  /** @type {ArenaPage} */
  const page = {
    source,
    params: new URLSearchParams(),
    showsOld: false,
    standingOf: (id) => lines.get(id),
    botOf: (id) => source.bots.find((bot) => bot.id === id),
  };

  const views = parts.filter(([name]) => name !== "grades" || source.class).map(([name, mount]) => {
    const place = el("section", { class: `view view-${name}`, hidden: true });
    const link = el("a", { href: linkTo({ view: name }) });
    return { name, link, place, show: mount(page, place).show };
  });
  // A game is reached from the list of games.
  const nav = el("nav", { class: "views" }, ...views.filter(({ name }) => name !== "game").map(({ link }) => link));
  elementOf("arena").append(nav, problem, ...views.map(({ place }) => place));
  const localizeHeader = mountLinks(source);

  const show = () => {
    localizeHeader();
    nav.setAttribute("aria-label", pageWords.parts);
    document.title = pageWords.title(digits(source.standings?.games ?? 0), source.class ? visibleText(source.class.name) : pageWords.arena);
    lines = new Map(source.standings?.bots.map((line) => [line.bot.id, line]));
    page.params = new URLSearchParams(location.hash.slice(1));
    const chosen = views.find(({ name }) => name === page.params.get("view")) ?? views[0];
    for (const { name, link, place } of views) {
      link.textContent = pageWords[name];
      if (name === chosen.name) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
      place.hidden = name !== chosen.name;
      place.setAttribute("aria-label", pageWords[name]);
    }
    // There is nothing to show before the server's first answer.
    if (source.standings) chosen.show();
    if (source.standings) document.body.dataset.ready = String(Math.round(performance.now()));
  };
  onLanguage(show);
  addEventListener("hashchange", () => {
    const before = page.params.get("view");
    show();
    if (page.params.get("view") !== before) scrollTo(0, 0);
  });
  let wide = innerWidth;
  addEventListener("resize", () => {
    // A phone's browser bars change the height only.
    if (innerWidth === wide) return;
    wide = innerWidth;
    show();
  });
  show();
}

begin();
