// The entry point: loads the data and mounts the views.

import "../viewer/base.css";
import "./arena.css";
import { el, svg, untrusted, visibleText } from "../viewer/dom.js";
import { counted, language, onLanguage, setLanguage, words } from "../viewer/language.js";
import { remember, remembered } from "../viewer/storage.js";
import { mountBots } from "./bots.js";
import { mountCompare } from "./compare.js";
import { mountGame } from "./game.js";
import { mountGames } from "./games.js";
import { mountGrades } from "./grades.js";
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
    tv: "TV",
    tvAbout: "Play the games one after another on the whole screen",
    theme: "Light or dark",
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
    tv: "连播",
    tvAbout: "全屏依次播放对局",
    theme: "浅色或深色",
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

/** @param {string | null} theme */
function applyTheme(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** @param {ArenaSource} source */
function mountHeader({ isLive, class: ofClass }) {
  const matches = el("a", { class: "way", href: "/", hidden: !isLive });
  const tv = el("a", { class: "way", href: "/#tv=arena", hidden: !isLive });
  const languageButton = el("button", {
    type: "button",
    onclick: () => {
      setLanguage(language() === "zh" ? "en" : "zh");
      remember("pacman2-language", language());
    },
  });
  const theme = el("button", {
    type: "button",
    onclick: () => {
      applyTheme(isDark() ? "light" : "dark");
      remember("pacman2-theme", document.documentElement.dataset.theme ?? "");
    },
  }, "◐");
  const tree = svg("svg", { viewBox: "0 0 32 32", "aria-hidden": "true" },
    svg("circle", { cx: 16, cy: 13, r: 11, fill: "var(--jade)" }),
    svg("path", { d: "M13 30V15h6v15z", fill: "var(--light)" }));
  const game = el("span", { class: "arena-game" });
  const title = el("span");
  elementOf("header").append(el("h1", {}, tree, game, title), matches, tv, languageButton, theme);
  return () => {
    const zh = language() === "zh";
    document.documentElement.lang = zh ? "zh-CN" : "en";
    game.textContent = zh ? "吃豆人2" : "Pacman2";
    title.replaceChildren(ofClass ? untrusted(ofClass.name) : pageWords.arena);
    matches.textContent = pageWords.matches;
    tv.textContent = pageWords.tv;
    tv.title = pageWords.tvAbout;
    languageButton.textContent = zh ? "English" : "中文";
    languageButton.lang = zh ? "en" : "zh-CN";
    theme.title = pageWords.theme;
    theme.setAttribute("aria-label", pageWords.theme);
  };
}

function begin() {
  applyTheme(remembered("pacman2-theme"));
  setLanguage((remembered("pacman2-language") ?? navigator.language).startsWith("zh") ? "zh" : "en");
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
  const localizeHeader = mountHeader(source);

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
