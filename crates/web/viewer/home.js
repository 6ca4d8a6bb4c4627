// The start page: on a server, it starts matches, and lists running matches and the replays of the folder. It is visible
// while no timeline is shown.

import { allSeats } from "./board-geometry.js";
import { el, untrusted, visibleText } from "./dom.js";
import { language, words } from "./language.js";
import { watchMatch } from "./live.js";
import { mountMatchForm } from "./match-form.js";
import { reasonOf, showMessage } from "./open.js";
import { seatChip } from "./players.js";
import { describeProblem, fetchErrorWords, getText, post, takeCode } from "./server.js";

const homeWords = words(
  {
    running: "Running matches",
    noMatches: "No match is running.",
    turn: (/** @type {number} */ turn, /** @type {number} */ turns) => `turn ${turn} of ${turns}`,
    watch: "Watch",
    abandon: "Abandon",
    notSaved: (/** @type {string} */ why) => `Replay not saved: ${why}`,
    replays: "Replays",
    folder: (/** @type {string} */ folder) => `in the folder ${folder}`,
    noReplays: "The folder is empty. The replay of every match is saved here.",
    turns: (/** @type {number} */ turns) => `${turns} turns`,
    unfinished: "abandoned",
    broken: (/** @type {string} */ why) => `Cannot be read: ${why}`,
    more: (/** @type {number} */ number) => `Show ${number} more`,
    file: "Open a replay or a match log from Botzone, or drop one here.",
  },
  {
    running: "进行中的对局",
    noMatches: "没有正在进行的对局。",
    turn: (turn, turns) => `第 ${turn}/${turns} 回合`,
    watch: "观看",
    abandon: "中止",
    notSaved: (why) => `录像保存失败：${why}`,
    replays: "录像",
    folder: (folder) => `在文件夹 ${folder}`,
    noReplays: "文件夹是空的。每场对局的录像都会存到这里。",
    turns: (turns) => `${turns} 回合`,
    unfinished: "已中止",
    broken: (why) => `无法读取：${why}`,
    more: (number) => `再显示 ${number} 个`,
    file: "打开一份录像或 Botzone 的对局记录，也可以直接拖进来。",
  },
);

/**
 * A match as the server lists it.
 * @typedef {{
 *   id: string, seats: Four<string>, turns: number, turn_limit: number, running: boolean,
 *   replay: string | null,
 * } & import("./server-errors.js").ServerProblem} MatchListed
 */
/**
 * A file of the folder. Unreadable files have only an error.
 * @typedef {{
 *   name: string, modified_ms: number, size: number, turns?: number, seats?: Four<string>,
 *   scores?: Four<number> | null, finished?: boolean,
 * } & import("./server-errors.js").ServerProblem} ReplayListed
 */

/** How many replays are shown at first, and added each time. */
const replaysPerPage = 50;

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {HTMLElement} container
 * @param {{ host: string, folder?: string, bots?: string[] }} host
 */
export function mountHome(viewer, container, { host, folder = "", bots = [] }) {
  if (host !== "server") {
    const hint = container.appendChild(el("p", { class: "home-hint" }));
    const localize = () => void (hint.textContent = homeWords.file);
    viewer.on("language", localize);
    localize();
    return;
  }

  /** @type {MatchListed[]} */
  let matches = [];
  /** @type {ReplayListed[]} */
  let replays = [];
  let shown = replaysPerPage;

  const strip = el("div", { class: "home-strip card", hidden: true });
  container.before(strip);
  const problem = el("p", { class: "home-trouble", role: "alert", hidden: true });
  const runningTitle = el("h2");
  const runningList = el("ul", { class: "home-list" });
  const replaysTitle = el("h2");
  const folderName = el("p", { class: "home-folder" });
  const replayList = el("ul", { class: "home-list" });
  const more = el("button", {
    type: "button",
    onclick: () => {
      shown += replaysPerPage;
      showReplays();
    },
  });
  const start = el("div");
  mountMatchForm(viewer, start, bots, (id, humans) => watch(id, humans));
  container.append(
    problem,
    el(
      "div",
      { class: "home-columns" },
      start,
      el(
        "div",
        { class: "home-lists" },
        el("div", { class: "card" }, runningTitle, runningList),
        el("div", { class: "card" }, replaysTitle, folderName, replayList, more),
      ),
    ),
  );

  /** Runs an action of the user. Its error is shown until the user closes it. @param {() => Promise<unknown>} step */
  const attempt = async (step) => {
    try {
      await step();
    } catch (error) {
      showMessage(reasonOf(error));
    }
  };
  const enter = () => attempt(takeCode);
  void enter();
  addEventListener("hashchange", enter);
  /**
   * Runs an action of the page itself. Its error is shown until the action succeeds again.
   * @param {() => Promise<void>} step
   */
  const attemptSilently = async (step) => {
    try {
      await step();
      problem.hidden = true;
    } catch (error) {
      problem.textContent = visibleText(/** @type {Error} */ (error).message);
      problem.hidden = false;
    }
  };
  /**
   * @param {string} id
   * @param {Seat[] | null} started
   * @param {number | null} [turn]
   */
  const watch = (id, started, turn = null) => {
    scrollTo(0, 0);
    watchMatch(viewer, id, strip, started, turn);
  };
  viewer.openers.set("match", (id, { turn, branch }) => {
    watch(id, null, turn === null || branch ? null : Number(turn));
    return null;
  });
  viewer.openers.set("replay", async (name) => {
    const timeline = viewer.branches.open(await getText(`/api/replays/${encodeURIComponent(name)}`));
    viewer.addresses.set(timeline, { replay: name });
    return timeline;
  });
  const showRunning = () => {
    const rows = matches
      .filter(({ running, error }) => running || error)
      .map((match) => {
        const { id, seats, turns, turn_limit: limit, running } = match;
        const abandon = () => attempt(() => post(`/api/matches/${id}/abandon`));
        return el(
          "li",
          { class: "home-row" },
          namesOf(seats, null),
          el("span", { class: "home-about" }, running ? homeWords.turn(turns, limit) : homeWords.notSaved(describeProblem(match))),
          el("button", { type: "button", onclick: () => watch(id, null) }, homeWords.watch),
          running && el("button", { type: "button", onclick: abandon }, homeWords.abandon),
        );
      });
    runningList.replaceChildren(...(rows.length ? rows : [el("li", { class: "home-about" }, homeWords.noMatches)]));
  };
  const showReplays = () => {
    const rows = replays.slice(0, shown).map((replay) => el("li", {}, replayRow(replay, () => viewer.visit("replay", replay.name))));
    replayList.replaceChildren(...(rows.length ? rows : [el("li", { class: "home-about" }, homeWords.noReplays)]));
    more.hidden = replays.length <= shown;
    more.textContent = homeWords.more(Math.min(replaysPerPage, replays.length - shown));
  };
  const localize = () => {
    runningTitle.textContent = homeWords.running;
    replaysTitle.textContent = homeWords.replays;
    folderName.textContent = homeWords.folder(visibleText(folder));
    showRunning();
    showReplays();
  };
  const loadMatches = () =>
    attemptSilently(async () => {
      matches = JSON.parse(await getText("/api/matches"));
      showRunning();
    });
  const loadReplays = () =>
    attemptSilently(async () => {
      replays = JSON.parse(await getText("/api/replays"));
      showReplays();
    });

  // Browsers allow few connections per server, so only the visible start page listens.
  /** @type {EventSource | null} */
  let news = null;
  const listen = () => {
    const wanted = !viewer.timeline && !document.hidden;
    if (wanted === !!news) return;
    news?.close();
    news = null;
    if (!wanted) return;
    news = new EventSource("/api/events");
    news.addEventListener("open", () => Promise.all([loadMatches(), loadReplays()]));
    news.addEventListener("matches", loadMatches);
    news.addEventListener("replays", loadReplays);
    // EventSource reconnects. A request finds out whether the server is gone.
    news.addEventListener("error", loadMatches);
  };
  viewer.on("timeline", listen);
  document.addEventListener("visibilitychange", listen);
  viewer.on("language", localize);
  localize();
  void fetchErrorWords().then(localize);
  listen();
}

/**
 * @param {Four<string>} seats
 * @param {Four<number> | null | undefined} scores
 */
function namesOf(seats, scores) {
  const name = (/** @type {Seat} */ seat) =>
    el("span", { class: "home-name" }, seatChip(seat), untrusted(seats[seat]), scores && el("b", {}, scores[seat].toFixed(1)));
  return el("span", { class: "home-names" }, ...allSeats.map(name));
}

/**
 * @param {ReplayListed} replay
 * @param {() => void} open
 */
function replayRow(replay, open) {
  const { name, modified_ms: modified, seats, turns, scores, finished } = replay;
  if (!seats) {
    const why = el("span", { class: "home-about" }, homeWords.broken(describeProblem(replay)));
    return el("div", { class: "home-row home-broken" }, untrusted(name), why);
  }
  const languageButton = language() === "zh" ? "zh-CN" : "en-GB";
  const when = new Date(modified).toLocaleString(languageButton, { dateStyle: "medium", timeStyle: "short" });
  const about = [when, homeWords.turns(turns ?? 0), finished ? "" : homeWords.unfinished].filter(Boolean).join(" · ");
  return el(
    "button",
    { type: "button", class: "home-row", onclick: open },
    namesOf(seats, scores),
    el("span", { class: "home-about" }, about, " · ", untrusted(name)),
  );
}
