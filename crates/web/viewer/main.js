// The page: finds out where it runs, starts the engine, and mounts the components.

import { mountAddress } from "./address.js";
import { mountBoard } from "./board.js";
import { allSeats } from "./board-geometry.js";
import { mountCell } from "./cell.js";
import { mountChart } from "./chart.js";
import { applyChoices, choiceButtons, headerTree } from "./choices.js";
import { mountDetails } from "./details.js";
import { el } from "./dom.js";
import { startEngine, unpackEngine } from "./engine.js";
import { mountTurnNote } from "./turn-note.js";
import { mountTurnSummary } from "./turn-summary.js";
import { listenToKeys, openHelp } from "./keys.js";
import { reasonText, words } from "./language.js";
import { mountLinkNote, openGame } from "./link.js";
import { acceptFiles, reasonOf, showMessage } from "./open.js";
import { keepPage } from "./page-file.js";
import { mountOverlays } from "./overlays.js";
import { mountPlayers, mountScores } from "./players.js";
import { mountActionPad } from "./action-pad.js";
import { mountShare } from "./share.js";
import { mountRerun } from "./rerun.js";
import { mountPositionTable } from "./position-table.js";
import { mountResult } from "./result.js";
import { seatName } from "./sentences.js";
import { mountTheatre } from "./theatre.js";
import { mountTransport } from "./transport.js";
import { Viewer } from "./viewer.js";
import { mountWhatIf } from "./whatif.js";

const pageWords = words(
  {
    matches: "Matches",
    start: "Start page",
    help: "Keys and help",
    players: "Players",
    turn: "Turn",
    bots: "Bots",
    analysis: "Analysis",
    overlays: "Overlays",
    whatIf: "What if",
    share: "Share",
    state: "Table",
    broken: (/** @type {string} */ why) => `The match is shown up to the first error. ${why}`,
    noWasm: "This browser cannot start the page's engine, which needs WebAssembly and DecompressionStream.",
  },
  {
    matches: "对局",
    start: "首页",
    help: "快捷键与帮助",
    players: "玩家",
    turn: "回合",
    bots: "程序",
    analysis: "分析",
    overlays: "图层",
    whatIf: "如果……",
    share: "分享",
    state: "表格",
    broken: (why) => `对局只显示到第一处错误为止。${why}`,
    noWasm: "此浏览器无法启动页面的引擎：需要 WebAssembly 和 DecompressionStream。",
  },
);

/** @param {string} id */
const elementById = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** @param {string} id */
const embedded = (id) => elementById(id).textContent ?? "";

/**
 * @param {Viewer} viewer
 * @param {{ host: string }} host
 */
function mountHeader(viewer, { host }) {
  const matches = el("button", { type: "button", onclick: () => viewer.show(null), hidden: host !== "server" && host !== "site" });
  const open = el("span");
  const help = el("button", { type: "button", onclick: () => openHelp() }, "?");
  // A narrow window shows the tree alone.
  const heading = el("h1", { "aria-label": "吃豆人2 Pacman2" }, headerTree(), el("span", {}, "吃豆人2"), " ", el("span", {}, "Pacman2"));
  elementById("header").replaceChildren(heading, matches, open, ...choiceButtons(() => viewer.notify("view")), help);
  acceptFiles(viewer, open);
  const localize = () => {
    matches.textContent = host === "site" ? pageWords.start : pageWords.matches;
    help.title = pageWords.help;
    help.setAttribute("aria-label", pageWords.help);
  };
  viewer.on("language", localize);
  localize();
}

/** The room below the board that is worth using, in pixels. */
const leastRoom = 140;

/** The tabs beside the board. @param {Viewer} viewer */
function mountTabs(viewer) {
  /** @type {[string, () => string, Mount][]} */
  const tabs = [
    ["players", () => pageWords.players, mountPlayers],
    ["turn", () => pageWords.turn, mountTurn],
    ["bots", () => pageWords.bots, mountDetails],
    // The strong engine fills this panel and shows its tab, where there is one.
    ["analysis", () => pageWords.analysis, () => {}],
    ["whatif", () => pageWords.whatIf, mountWhatIf],
    ["share", () => pageWords.share, mountShare],
    ["overlays", () => pageWords.overlays, mountOverlays],
    ["state", () => pageWords.state, mountPositionTable],
  ];
  const list = el("div", { class: "page-tabs", role: "tablist" });
  const card = el("div", { class: "card" }, list);
  const buttons = tabs.map(([id, , mount], number) => {
    const content = el("div");
    const panel = el("div", { id, role: "tabpanel", tabindex: 0, "aria-labelledby": `tab-${id}` }, content);
    const button = el("button", { type: "button", role: "tab", id: `tab-${id}`, "aria-controls": id, hidden: id === "analysis" });
    button.addEventListener("click", () => choose(number));
    list.append(button);
    card.append(panel);
    mount(viewer, content);
    return { button, panel };
  });
  // The line above the tabs already has the names and scores.
  let chosen = 1;
  /** @param {number} wanted */
  const choose = (wanted) => {
    chosen = wanted;
    const open = buttons[wanted].button.hidden ? 0 : wanted;
    buttons.forEach(({ button, panel }, number) => {
      button.setAttribute("aria-selected", String(number === open));
      button.tabIndex = number === open ? 0 : -1;
      panel.hidden = number !== open;
    });
    // Hidden panels are not kept up to date.
    viewer.notify("view");
  };
  list.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const offered = buttons.filter(({ button }) => !button.hidden);
    const now = offered.findIndex(({ button }) => button === document.activeElement);
    const next = offered[(now + step + offered.length) % offered.length];
    choose(buttons.indexOf(next));
    next.button.focus();
  });
  const localize = () => buttons.forEach(({ button }, number) => {
    button.textContent = tabs[number][1]();
  });
  viewer.on("language", localize);
  localize();
  elementById("tabs").append(card);
  const fit = () => {
    buttons[1].button.hidden = hasRoomBelow();
    choose(chosen);
  };
  viewer.on("timeline", fit);
  addEventListener("resize", fit);
  addEventListener("theatre", fit);
  fit();
}

/** Whether the board leaves room below it, which a style then gives to what happened in the turn. */
function hasRoomBelow() {
  const { classList } = document.documentElement;
  classList.remove("page-below");
  const isBeside = getComputedStyle(document.body).display === "grid";
  const { bottom } = elementById("transport").getBoundingClientRect();
  return classList.toggle("page-below", isBeside && innerHeight - bottom >= leastRoom);
}

/** What happened in the shown turn, what another bot would have done, and the strengths over time. @type {Mount} */
function mountTurn(viewer, container) {
  const happened = el("section", { id: "happened" });
  const rerun = el("section", { id: "rerun" });
  const chart = el("section", { id: "chart" });
  container.append(happened, rerun, chart);
  mountTurnSummary(viewer, happened);
  mountTurnNote(viewer, happened);
  mountRerun(viewer, rerun);
  mountChart(viewer, chart);
}

/** Shows the timeline, or the start page if there is none. @param {Viewer} viewer */
function mountStage(viewer) {
  const { title } = document;
  const show = () => {
    const { timeline } = viewer;
    elementById("grid").hidden = !timeline;
    elementById("home").hidden = !!timeline;
    document.documentElement.classList.toggle("page-match", !!timeline);
    const complaint = elementById("complaint");
    complaint.hidden = !timeline?.head.complaint;
    document.title = timeline ? `${allSeats.map((seat) => seatName(timeline.head, seat)).join(", ")} · Pacman2` : title;
    complaint.textContent = timeline?.head.complaint ? pageWords.broken(reasonText(timeline.head.complaint, timeline.head.problem)) : "";
  };
  viewer.on(["timeline", "language"], show);
  mountLinkNote(viewer, /** @type {HTMLElement} */ (elementById("complaint").parentElement), embedded("replay-data") !== "null");
  mountBoard(viewer, elementById("board"));
  mountActionPad(viewer, elementById("seat"));
  mountTransport(viewer, elementById("transport"));
  mountScores(viewer, elementById("scores"));
  mountCell(viewer, elementById("cell"));
  mountResult(viewer, elementById("result"));
  mountTabs(viewer);
  mountTheatre(viewer, elementById("theatre"));
  listenToKeys(viewer);
  show();
}

/** Opens the replay in the page itself, if there is one. @param {Viewer} viewer */
function openEmbedded({ addresses, branches }) {
  const text = embedded("replay-data");
  if (text === "null") return null;
  try {
    const timeline = branches.open(text);
    addresses.set(timeline, {});
    return timeline;
  } catch (error) {
    showMessage(reasonOf(error));
    return null;
  }
}

/**
 * What the page is told about its host. Other keys depend on the host.
 * @typedef {{ host: "server" | "file" | "botzone" | "site" | "report", [key: string]: any }} Host
 * Mounts the start page. It returns true if the host gives the page its match, which then has neither a file nor an address.
 * @typedef {(viewer: Viewer, container: HTMLElement, host: Host) => boolean | void} MountHome
 */

/**
 * @param {MountHome} mountHome
 * @param {(viewer: Viewer, host: Host) => void} prepare called before the components are mounted
 */
async function mountPage(mountHome, prepare) {
  keepPage();
  applyChoices();
  /** @type {Host} */
  const host = JSON.parse(embedded("host-data"));
  const engine = await unpackEngine(embedded("engine-data")).then(startEngine);
  const viewer = new Viewer(engine, host.host);
  prepare(viewer, host);
  mountHeader(viewer, host);
  mountStage(viewer);
  if (!mountHome(viewer, elementById("home"), host)) {
    viewer.openers.set("g", (game) => openGame(viewer, game));
    const own = openEmbedded(viewer);
    mountAddress(viewer, () => own);
  }
  document.body.dataset.ready = String(Math.round(performance.now()));
  return viewer;
}

/**
 * Starts the page, or shows why it cannot start.
 * @param {MountHome} mountHome mounts the start page
 * @param {(viewer: Viewer, host: Host) => void} [prepare]
 */
export async function begin(mountHome, prepare = () => {}) {
  try {
    return await mountPage(mountHome, prepare);
  } catch (error) {
    elementById("page").append(el("p", { role: "alert" }, pageWords.noWasm, " ", String(error)));
    return null;
  } finally {
    elementById("headline").remove();
  }
}
