// At home on a server: start a match, watch those that are running, and look at the replays of its folder. It is shown as
// long as no film is.

import { el, foreign, harmless } from "./dom.js";
import { language, words } from "./language.js";
import { watchMatch } from "./live.js";
import { mountMatchForm } from "./match-form.js";
import { reasonOf, showMessage } from "./open.js";
import { allSeats, seatChip } from "./players.js";
import { getText, post, rememberPlace, takeToken } from "./server.js";

const homeWords = words(
  {
    running: "Running matches",
    nobodyPlays: "No match is running.",
    turn: (/** @type {number} */ turn, /** @type {number} */ turns) => `turn ${turn} of ${turns}`,
    watch: "Watch",
    abandon: "Abandon",
    unkept: (/** @type {string} */ why) => `Not in the folder: ${why}`,
    replays: "Replays",
    folder: (/** @type {string} */ folder) => `in the folder ${folder}`,
    noReplays: "The folder is empty. Every match leaves its replay here.",
    turns: (/** @type {number} */ turns) => `${turns} turns`,
    unfinished: "abandoned",
    broken: (/** @type {string} */ why) => `Cannot be read: ${why}`,
    more: (/** @type {number} */ number) => `Show ${number} more`,
    file: "Open a replay or one of Botzone's match logs, or drop one here.",
  },
  {
    running: "进行中的对局",
    nobodyPlays: "没有正在进行的对局。",
    turn: (turn, turns) => `第 ${turn}/${turns} 回合`,
    watch: "观看",
    abandon: "中止",
    unkept: (why) => `没能存进文件夹：${why}`,
    replays: "录像",
    folder: (folder) => `在文件夹 ${folder}`,
    noReplays: "文件夹是空的。每场对局的录像都会存到这里。",
    turns: (turns) => `${turns} 回合`,
    unfinished: "未下完",
    broken: (why) => `读不出来：${why}`,
    more: (number) => `再显示 ${number} 个`,
    file: "打开一份录像或 Botzone 的对局记录，也可以直接拖进来。",
  },
);

/**
 * A match as the server lists it.
 * @typedef {{
 *   id: string, seats: Four<string>, turns: number, turn_limit: number, running: boolean,
 *   replay: string | null, error: string | null,
 * }} MatchListed
 */
/**
 * A file of its folder; a broken one has nothing but an error.
 * @typedef {{
 *   name: string, modified_ms: number, size: number, turns?: number, seats?: Four<string>,
 *   scores?: Four<number> | null, finished?: boolean, error?: string,
 * }} ReplayListed
 */

/** So many replays are shown at first, and so many more each time that more are wanted. */
const replaysAtATime = 50;

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {HTMLElement} place
 * @param {{ home: string, folder?: string, bots?: string[] }} home
 */
export function mountHome(viewer, place, home) {
  if (home.home !== "server") {
    const hint = place.appendChild(el("p", { class: "home-hint" }));
    const say = () => void (hint.textContent = homeWords.file);
    viewer.on("language", say);
    say();
    return;
  }
  takeToken();
  addEventListener("hashchange", takeToken);

  /** @type {MatchListed[]} */
  let matches = [];
  /** @type {ReplayListed[]} */
  let replays = [];
  let shown = replaysAtATime;
  /** What was last wished to be shown: what comes later than the next wish is not. */
  let wishes = 0;

  const strip = el("div", { class: "home-strip sheet", hidden: true });
  place.before(strip);
  const trouble = el("p", { class: "home-trouble", role: "alert", hidden: true });
  const runningTitle = el("h2");
  const runningList = el("ul", { class: "home-list" });
  const replaysTitle = el("h2");
  const folderName = el("p", { class: "home-folder" });
  const replayList = el("ul", { class: "home-list" });
  const more = el("button", {
    type: "button",
    onclick: () => {
      shown += replaysAtATime;
      showReplays();
    },
  });
  const start = el("div");
  mountMatchForm(viewer, start, home.bots ?? [], (id, humans) => watch(id, humans));
  place.append(
    trouble,
    el(
      "div",
      { class: "home-columns" },
      start,
      el(
        "div",
        { class: "home-lists" },
        el("div", { class: "sheet" }, runningTitle, runningList),
        el("div", { class: "sheet" }, replaysTitle, folderName, replayList, more),
      ),
    ),
  );

  /** Does what a person asked for; why it cannot be done, stays until it is read. @param {() => Promise<unknown>} step */
  const attempt = async (step) => {
    try {
      await step();
    } catch (error) {
      showMessage(reasonOf(error));
    }
  };
  /**
   * Does what the page asks for by itself; what cannot be done is told as long as it cannot.
   * @param {() => Promise<void>} step
   */
  const tryTo = async (step) => {
    try {
      await step();
      trouble.hidden = true;
    } catch (error) {
      trouble.textContent = harmless(/** @type {Error} */ (error).message);
      trouble.hidden = false;
    }
  };
  /**
   * @param {string} id
   * @param {Seat[] | null} started
   * @param {number | null} [turn]
   */
  const watch = (id, started, turn = null) => {
    wishes++;
    scrollTo(0, 0);
    watchMatch(viewer, id, strip, started, turn);
  };
  /**
   * @param {string} name
   * @param {number} turn
   */
  const openReplay = (name, turn) =>
    attempt(async () => {
      const wish = ++wishes;
      const text = await getText(`/api/replays/${encodeURIComponent(name)}`);
      if (wish !== wishes) return;
      const film = viewer.engine.open(text);
      viewer.addresses.set(film, { replay: name, turn: turn ? String(turn) : "" });
      viewer.show(film, turn);
      scrollTo(0, 0);
    });
  const showRunning = () => {
    const rows = matches
      .filter(({ running, error }) => running || error)
      .map(({ id, seats, turns, turn_limit: limit, running, error }) => {
        const abandon = () => attempt(() => post(`/api/matches/${id}/abandon`));
        return el(
          "li",
          { class: "home-row" },
          namesOf(seats, null),
          el("span", { class: "home-about" }, running ? homeWords.turn(turns, limit) : homeWords.unkept(harmless(error ?? ""))),
          el("button", { type: "button", onclick: () => watch(id, null) }, homeWords.watch),
          running && el("button", { type: "button", onclick: abandon }, homeWords.abandon),
        );
      });
    runningList.replaceChildren(...(rows.length ? rows : [el("li", { class: "home-about" }, homeWords.nobodyPlays)]));
  };
  const showReplays = () => {
    const rows = replays.slice(0, shown).map((replay) => el("li", {}, replayRow(replay, () => openReplay(replay.name, 0))));
    replayList.replaceChildren(...(rows.length ? rows : [el("li", { class: "home-about" }, homeWords.noReplays)]));
    more.hidden = replays.length <= shown;
    more.textContent = homeWords.more(Math.min(replaysAtATime, replays.length - shown));
  };
  const say = () => {
    runningTitle.textContent = homeWords.running;
    replaysTitle.textContent = homeWords.replays;
    folderName.textContent = homeWords.folder(harmless(home.folder ?? ""));
    showRunning();
    showReplays();
  };
  const loadMatches = () =>
    tryTo(async () => {
      matches = JSON.parse(await getText("/api/matches"));
      showRunning();
    });
  const loadReplays = () =>
    tryTo(async () => {
      replays = JSON.parse(await getText("/api/replays"));
      showReplays();
    });

  // A browser keeps few connections to a server: only who looks at the lists listens for news of them.
  /** @type {EventSource | null} */
  let news = null;
  const listen = () => {
    const wanted = !viewer.film && !document.hidden;
    if (wanted === !!news) return;
    news?.close();
    news = null;
    if (!wanted) return;
    news = new EventSource("/api/events");
    news.addEventListener("open", () => Promise.all([loadMatches(), loadReplays()]));
    news.addEventListener("matches", loadMatches);
    news.addEventListener("replays", loadReplays);
    // It comes back by itself; that it is gone, an attempt to ask tells.
    news.addEventListener("error", loadMatches);
  };
  viewer.on("film", () => {
    listen();
    rememberPlace((viewer.film && viewer.addresses.get(viewer.film)) ?? {});
  });
  document.addEventListener("visibilitychange", listen);
  viewer.on("language", say);
  say();

  const { replay, match, turn } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (match) watch(match, null, turn ? Number(turn) : null);
  else if (replay) openReplay(replay, Number(turn ?? 0));
  listen();
}

/**
 * @param {Four<string>} seats
 * @param {Four<number> | null | undefined} scores
 */
function namesOf(seats, scores) {
  const name = (/** @type {Seat} */ seat) =>
    el("span", { class: "home-name" }, seatChip(seat), foreign(seats[seat]), scores && el("b", {}, scores[seat].toFixed(1)));
  return el("span", { class: "home-names" }, ...allSeats.map(name));
}

/**
 * @param {ReplayListed} replay
 * @param {() => void} open
 */
function replayRow({ name, modified_ms: modified, seats, turns, scores, finished, error }, open) {
  if (!seats) {
    const why = el("span", { class: "home-about" }, homeWords.broken(harmless(error ?? "")));
    return el("div", { class: "home-row home-broken" }, foreign(name), why);
  }
  const tongue = language() === "zh" ? "zh-CN" : "en-GB";
  const when = new Date(modified).toLocaleString(tongue, { dateStyle: "medium", timeStyle: "short" });
  const about = [when, homeWords.turns(turns ?? 0), finished ? "" : homeWords.unfinished].filter(Boolean).join(" · ");
  return el(
    "button",
    { type: "button", class: "home-row", onclick: open },
    namesOf(seats, scores),
    el("span", { class: "home-about" }, about, " · ", foreign(name)),
  );
}
