// The start page of a server: the front, running matches, and the replays of the folder. It is visible while no timeline
// is shown.

import { allSeats } from "./board-geometry.js";
import { el, setText, steadyList, shortName, untrusted, visibleText } from "./dom.js";
import { frontBots, frontHero, frontRules } from "./front-page.js";
import { counted, dayOf, language, moment, scoreText, words } from "./language.js";
import { lazyThumbnail } from "./lazy-picture.js";
import { watchMatch } from "./live.js";
import { localize, localized } from "./localized.js";
import { mountMyBots } from "./my-bots.js";
import { mountMatchForm, startMatch } from "./match-form.js";
import { reasonOf, showMessage } from "./open.js";
import { seatChip } from "./players.js";
import { describeProblem, fetchErrorWords, getBytes, getText, post, postForEvents, takeCode, unreachable } from "./server.js";
import { byInterest, mountTv, tvLink } from "./tv.js";
import { usualClockSeconds } from "./whatif.js";

const homeWords = words(
  {
    running: "Running matches",
    turn: (/** @type {number} */ turn, /** @type {number} */ turns) => `turn ${turn} of ${turns}`,
    watch: "Watch",
    abandon: "Abandon",
    notSaved: (/** @type {string} */ why) => `Replay not saved: ${why}`,
    replays: "Recent replays",
    folder: (/** @type {string} */ folder) => `in the folder ${folder}`,
    noReplays: "The folder is empty. The replay of every match is saved here.",
    winner: "winner",
    turns: (/** @type {number} */ turns) => counted(turns, "turn"),
    unfinished: "abandoned",
    hasMore: "the first of several matches",
    broken: (/** @type {string} */ why) => `Cannot be read: ${why}`,
    more: (/** @type {number} */ number) => `Show ${number} more`,
    search: "Search",
    searched: "Bot, seed, date or file",
    result: "Result",
    any: "any result",
    won: "one of these bots won",
    lost: "none of these bots won",
    fault: "one of these bots failed",
    found: (/** @type {number} */ found, /** @type {number} */ all) => `${found} of ${counted(all, "replay")}`,
    newest: (/** @type {number} */ most) => `Only the newest ${most} files of the folder are listed.`,
    seed: (/** @type {number} */ seed) => `seed ${seed}`,
    file: "You can also open a replay or a match log from Botzone, or drop one on this page.",
    botzone: "Try Botzone's player page with these",
    arena: "Arena",
    arenaAbout: "Standings, games and bots of the arena that this server shows.",
    arenaGame: "A game of the arena.",
    arenaGames: "All games",
  },
  {
    running: "进行中的对局",
    turn: (turn, turns) => `第 ${turn}/${turns} 回合`,
    watch: "观看",
    abandon: "中止",
    notSaved: (why) => `录像保存失败：${why}`,
    replays: "最近的录像",
    folder: (folder) => `在文件夹 ${folder}`,
    noReplays: "文件夹是空的。每场对局的录像都会存到这里。",
    winner: "获胜",
    turns: (turns) => `${turns} 回合`,
    unfinished: "已中止",
    hasMore: "多场对局中的第一场",
    broken: (why) => `无法读取：${why}`,
    more: (number) => `再显示 ${number} 个`,
    search: "搜索",
    searched: "程序、种子、日期或文件",
    result: "结果",
    any: "任何结果",
    won: "其中有程序获胜",
    lost: "其中没有程序获胜",
    fault: "其中有程序出错",
    found: (found, all) => `${all} 个录像中的 ${found} 个`,
    newest: (most) => `只列出文件夹里最新的 ${most} 个文件。`,
    seed: (seed) => `种子 ${seed}`,
    file: "也可以打开录像或 Botzone 的对局记录，或者直接拖到本页。",
    botzone: "用这些对局试试 Botzone 播放器页面",
    arena: "竞技场",
    arenaAbout: "本服务器的竞技场：排名、对局和程序。",
    arenaGame: "竞技场里的一局。",
    arenaGames: "全部对局",
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
 *   scores?: Four<number> | null, finished?: boolean, seed?: number | null, faults?: Four<string | null>, has_more?: boolean,
 * } & import("./server-errors.js").ServerProblem} ReplayListed
 */

/** How many replays are shown at first, and added each time. */
const replaysPerPage = 24;
/** The server lists no more of them. */
const mostListed = 5000;
/** Larger replays have no thumbnail. One of built-in bots has about 20 KB. */
const maxThumbnailBytes = 256 * 1024;

/** @type {import("./main.js").MountHome} */
export function mountHome(viewer, container, { folder, bots, arena, mine }) {

  /** @type {MatchListed[]} */
  let matches = [];
  /** @type {ReplayListed[]} */
  let replays = [];
  let shown = replaysPerPage;

  const strip = el("div", { class: "home-strip card", hidden: true });
  const ofArena = el("p", { class: "page-note", hidden: true },
    localized(viewer, el("span"), () => homeWords.arenaGame),
    localized(viewer, el("a", { href: "/arena#view=games" }), () => homeWords.arenaGames));
  container.before(strip, ofArena);
  viewer.on("timeline", () => (ofArena.hidden = !viewer.timeline || !viewer.addresses.get(viewer.branches.rootOf(viewer.timeline))?.game));
  const problem = el("p", { class: "home-trouble", role: "alert", hidden: true });
  const runningList = el("ul", { class: "home-list" });
  const running = el("section", { class: "home-running card", hidden: true },
    localized(viewer, el("h2"), () => homeWords.running), runningList);
  const replayList = el("ul", { class: "home-list home-replays" });
  const noReplays = localized(viewer, el("p", { class: "home-about" }), () => homeWords.noReplays);
  const more = el("button", {
    type: "button",
    onclick: () => {
      shown += replaysPerPage;
      showReplays();
    },
  });
  const search = el("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  const result = el("select", {}, ...replayResults.map((value) => localized(viewer, el("option", { value }), () => homeWords[value])));
  const found = el("p", { class: "home-about", role: "status" });
  for (const input of [search, result]) {
    input.addEventListener("input", () => {
      shown = replaysPerPage;
      showReplays();
    });
  }
  localize(viewer, () => {
    search.placeholder = homeWords.searched;
    search.setAttribute("aria-label", homeWords.search);
    result.setAttribute("aria-label", homeWords.result);
  });
  const filters = el("div", { class: "home-fields" }, search, result);
  const openForm = mountMatchForm(viewer, bots, (id, humans) => watch(id, humans));
  /** The thumbnails of the listed replays, by name and time. @type {Map<string, HTMLElement>} */
  const thumbnails = new Map();

  /** Removes the message about the last action of the user. */
  let forgetError = () => {};
  /** Runs an action of the user. Its error is shown until the user closes it or does something else. @param {() => Promise<unknown>} step */
  const attempt = async (step) => {
    forgetError();
    try {
      await step();
    } catch (error) {
      forgetError = showMessage(reasonOf(error));
    }
  };
  const enter = () => attempt(takeCode);
  void enter();
  addEventListener("hashchange", enter);
  /** What failed in the page itself, by the request. @type {Map<string, string>} */
  const failures = new Map();
  /**
   * Runs a request of the page itself. Its error is shown until the same request succeeds.
   * @param {string} path
   * @param {(answer: any) => void} take
   */
  const load = async (path, take) => {
    try {
      take(JSON.parse(await getText(path)));
      failures.delete(path);
    } catch (error) {
      failures.set(path, visibleText(reasonOf(error)));
    }
    setText(problem, [...new Set(failures.values())].join(" "));
    problem.hidden = !failures.size;
  };
  /**
   * @param {string} id
   * @param {Seat[] | null} started
   * @param {number | null} [turn]
   */
  const watch = (id, started, turn = null) => {
    forgetError();
    scrollTo(0, 0);
    watchMatch(viewer, id, strip, started, turn);
  };
  viewer.openers.set("match", (id, { turn, branch }) => {
    watch(id, null, turn === null || branch ? null : Number(turn));
    return null;
  });
  viewer.openers.set("replay", async (name) => {
    const timeline = await viewer.openBytes(await getBytes(`/api/replays/${encodeURIComponent(name)}`));
    viewer.addresses.set(timeline, { replay: name });
    return timeline;
  });
  // A game of the arena that the server shows.
  viewer.openers.set("game", async (id) => {
    const timeline = viewer.branches.open(await getText(`/api/arena/games/${encodeURIComponent(id)}/replay`));
    viewer.addresses.set(timeline, { game: id });
    return timeline;
  });
  mountTv(viewer, { replays: replaysForTv, ...(arena ? { arena: arenaForTv } : {}) });
  /** Whether a match is being started from the front. */
  let isStarting = false;
  const start = (/** @type {Four<string>} */ seats) =>
    attempt(async () => {
      if (isStarting) return;
      isStarting = true;
      const clock = seats.includes("human") ? 1000 * usualClockSeconds : null;
      await startMatch({ seats, clock_ms: clock }, watch).finally(() => (isStarting = false));
    });
  /** A match for a request: a file of the folder, or else the whole. @param {Timeline} timeline */
  const sourceOf = (timeline) => {
    const { replay } = viewer.addresses.get(timeline) ?? {};
    return replay ? { replay } : { film: JSON.parse(viewer.engine.save(timeline)) };
  };
  viewer.rematch = (timeline, turn, seats, clockMs) =>
    attempt(() => startMatch({ seats, from: { ...sourceOf(timeline), turn }, clock_ms: clockMs }, watch));
  viewer.askProgram = async (timeline, { bot, seat }, signal, onTurn) => {
    /** @type {{ result: import("./branches.js").Rerun | null, error: import("./server-errors.js").ServerProblem | null } | null} */
    let end = null;
    // A bot of the user's folder goes by its name, a program by its path.
    const own = mine && !/[\\/\s]/.test(bot) ? { mine: bot.replace(/@\d+$/, "") } : bot;
    await postForEvents("/api/rerun", { bot: own, ...sourceOf(timeline), seat }, signal, (event, kind) => {
      if (kind === "end") end = event;
      else if (event.phase === "asking") onTurn(event.done, event.all);
    });
    const { result, error } = end ?? { result: null, error: null };
    if (result) return result;
    await fetchErrorWords();
    throw error ? new Error(describeProblem(error)) : unreachable();
  };
  const playInPage = viewer.playAgain;
  viewer.playAgain = (isSameMap) => {
    const { timeline, branches } = viewer;
    if (!timeline || branches.find(timeline)) return playInPage(isSameMap);
    const seats = /** @type {Four<string>} */ (timeline.head.seats.map(({ name }) => name));
    if (isSameMap) viewer.rematch?.(timeline, 0, seats, 1000 * usualClockSeconds);
    else void start(seats);
  };
  const listRunning = steadyList(runningList, (/** @type {MatchListed} */ match) => {
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
  const showRunning = (anew = false) => {
    listRunning(matches.filter(({ running, error }) => running || error), anew);
    running.hidden = !runningList.childElementCount;
  };
  const listReplays = steadyList(replayList, (/** @type {ReplayListed} */ replay) => {
    const { name, modified_ms: modified, size } = replay;
    const key = `${modified} ${name}`;
    const load = size > maxThumbnailBytes || /\.zip$/i.test(name)
      ? () => Promise.reject()
      : () => getText(`/api/replays/${encodeURIComponent(name)}`);
    const picture = thumbnails.get(key) ?? lazyThumbnail(viewer.engine, load);
    thumbnails.set(key, picture);
    return el("li", {}, replayRow(replay, picture, () => viewer.visit("replay", name)));
  });
  const showReplays = (anew = false) => {
    const wanted = replays.filter((replay) => fitsSearch(replay, search.value, result.value));
    listReplays(wanted.slice(0, shown), anew);
    noReplays.hidden = !!replays.length;
    filters.hidden = found.hidden = !replays.length;
    setText(found, [homeWords.found(wanted.length, replays.length), replays.length === mostListed && homeWords.newest(mostListed)].filter(Boolean).join(". "));
    more.hidden = wanted.length <= shown;
    more.textContent = homeWords.more(Math.min(replaysPerPage, wanted.length - shown));
  };
  const loadMatches = () => load("/api/matches", (list) => {
    matches = list;
    showRunning();
  });
  const loadReplays = () => load("/api/replays", (list) => {
    replays = list;
    showReplays();
  });
  const actions = { start, openForm };
  const arenaCard = arena && el("a", { class: "home-arena card", href: "/arena" },
    localized(viewer, el("h2"), () => homeWords.arena),
    localized(viewer, el("p", { class: "home-about" }), () => homeWords.arenaAbout));
  const [myBots, myBot] = mountMyBots(viewer, container, { mine, bots, watch });
  container.append(
    problem,
    // An author comes for them.
    ...(myBot ? [myBots, myBot] : []),
    frontHero(viewer, actions),
    running,
    frontRules(viewer, null),
    el(
      "div",
      { class: "home-columns" },
      el("section", { class: "home-lists card" },
        el("div", { class: "front-head" }, localized(viewer, el("h2"), () => homeWords.replays), tvLink(viewer, "replays")),
        localized(viewer, el("p", { class: "home-about" }), () => homeWords.folder(shortName(folder))),
        noReplays,
        filters,
        found,
        replayList,
        more,
        localized(viewer, el("p", { class: "home-about" }), () => homeWords.file),
        localized(viewer, el("a", { class: "touch-link", href: "/botzone" }), () => homeWords.botzone)),
      el("div", { class: "home-side" }, arenaCard, !myBot && myBots, frontBots(viewer, bots, actions)),
    ),
  );
  const showLists = () => {
    showRunning(true);
    showReplays(true);
  };
  localize(viewer, showLists);

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
  // English needs no words for errors.
  void fetchErrorWords().then(() => language() === "zh" && viewer.notify("language"));
  listen();
}

/** The replays of the folder for TV. */
async function replaysForTv() {
  /** @type {ReplayListed[]} */
  const replays = JSON.parse(await getText("/api/replays"));
  return byInterest(replays.flatMap(({ name, seats, scores, faults }) =>
    seats && scores ? [{ kind: "replay", value: name, names: seats, scores, failed: faults?.some(Boolean) ?? false }] : []));
}

/** The latest games of the arena for TV. */
async function arenaForTv() {
  const [{ games }, standings] = await Promise.all(["games?limit=500", "standings"].map(async (path) => JSON.parse(await getText(`/api/arena/${path}`))));
  const lines = new Map(standings.bots.map((/** @type {Standing} */ line) => [line.bot.id, line]));
  return byInterest(games.map((/** @type {ArenaGame} */ { id, seats }) => {
    const players = seats.map(({ bot }) => /** @type {Standing | undefined} */ (lines.get(bot)));
    return {
      kind: "game", value: id, names: players.map((line) => line?.bot.name ?? ""), ranks: players.map((line) => line?.place),
      scores: seats.map(({ score }) => score), failed: seats.some(({ fault }) => fault),
    };
  }));
}

const replayResults = /** @type {const} */ (["any", "won", "lost", "fault"]);

/**
 * Whether a replay has all words of a search, and the result, which is that of the bots which the words name, or of any.
 * @param {ReplayListed} replay @param {string} search @param {string} result
 */
function fitsSearch(replay, search, result) {
  const { name, modified_ms: modified, seats = [], scores, seed, faults } = replay;
  const asked = search.toLowerCase().split(/\s+/).filter(Boolean);
  const text = [name, ...seats, seed, dayOf(modified), moment(modified)].join(" ").toLowerCase();
  if (!asked.every((word) => text.includes(word))) return false;
  const named = seats.map((bot) => asked.some((word) => bot.toLowerCase().includes(word)));
  const bots = allSeats.filter((seat) => named[seat] || !named.includes(true));
  const hasWon = bots.some((seat) => scores?.[seat] === Math.max(...(scores ?? [])));
  if (result === "won") return hasWon;
  if (result === "lost") return !!scores && !hasWon;
  return result !== "fault" || bots.some((seat) => faults?.[seat]);
}

/**
 * @param {Four<string>} seats
 * @param {Four<number> | null | undefined} scores
 * @param {Four<string | null>} [faults]
 */
function namesOf(seats, scores, faults) {
  const best = scores && Math.max(...scores);
  const name = (/** @type {Seat} */ seat) => {
    const isWinner = scores?.[seat] === best && !!scores;
    const mark = isWinner && el("span", { class: "home-winner", role: "img", "aria-label": homeWords.winner }, "★");
    return el("span", { class: "home-name" }, seatChip(seat), untrusted(shortName(seats[seat])),
      faults?.[seat] && el("span", { class: "home-fault" }, visibleText(faults[seat] ?? "")), mark, scores && el("b", {}, scoreText(scores[seat], 1)));
  };
  return el("span", { class: "home-names" }, ...allSeats.map(name));
}

/**
 * @param {ReplayListed} replay
 * @param {HTMLElement} picture
 * @param {() => void} open
 */
function replayRow(replay, picture, open) {
  const { name, modified_ms: modified, seats, turns, scores, finished, seed, faults, has_more: hasMore } = replay;
  if (!seats) {
    const why = el("span", { class: "home-about" }, homeWords.broken(describeProblem(replay)));
    return el("div", { class: "home-row home-broken" }, untrusted(name), why);
  }
  const about = [moment(modified), homeWords.turns(turns ?? 0), typeof seed === "number" && homeWords.seed(seed), finished ? "" : homeWords.unfinished, hasMore ? homeWords.hasMore : ""];
  const onclick = (/** @type {MouseEvent} */ event) => {
    // Other clicks open a tab or a window.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    open();
  };
  return el(
    "a",
    { class: "home-row home-card", href: `#${new URLSearchParams({ replay: name })}`, onclick },
    picture,
    namesOf(seats, scores, faults),
    el("span", { class: "home-about" }, about.filter(Boolean).join(" · "), " · ", untrusted(name)),
  );
}
