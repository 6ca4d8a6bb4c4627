// What the server does with one of my bots, one thing at a time: check it, ask it the questions of its last loss, compare it with an
// earlier version. Closing the connection ends the work.

import { digits, intervalText, percent, signed } from "../arena/format.js";
import { allSeats } from "./board-geometry.js";
import { el, endOf, setText, untrusted, visibleText } from "./dom.js";
import { counted, language, minus, words } from "./language.js";
import { localized } from "./localized.js";
import { reasonOf } from "./open.js";
import { describeProblem, fetchErrorWords, getText, postForEvents, unreachable } from "./server.js";

/** @typedef {import("./my-bot.js").OpenBot} OpenBot */
/**
 * A line of a source with what is wrong there.
 * @typedef {import("./editor.js").SourceProblem & { file: string, message_zh: string | null }} BotProblem
 * A sentence in both languages.
 * @typedef {{ en: string, zh: string }} Sentence
 * A fault that a check has found.
 * @typedef {{ what: Sentence, hint: Sentence | null, where: Sentence, line: string | null, times: number, stderr: string }} Fault
 * The result of a check, of which the page shows a part.
 * @typedef {{ fine: boolean, tried: { wall_ms: number, time_percent: number | null }[] }} Check
 * How far a comparison has come.
 * @typedef {{ verdict: string, games: number, difference: { value: number, low?: number, high?: number } | null, llr: { value: number, lower: number, upper: number }, sentence: Sentence }} Series
 * The last event of any work.
 * @typedef {{ result: any, error: import("./server.js").ServerProblem | null, problems: BotProblem[], faults?: Fault[] }} WorkEnd
 */

const workWords = words(
  {
    title: "Result",
    nothing: "Check the bot, ask it about its last loss, or compare it with an earlier version.",
    check: "Check",
    rerun: "Rerun on the last loss",
    compare: "Compare",
    compareWith: "with version",
    stop: "Stop",
    stopped: "Stopped.",
    compiling: "Compiling …",
    asking: "Asking the bot …",
    preparing: "Preparing both and playing the first games …",
    playing: "Playing …",
    analysing: "Looking at the answers that differ …",
    progress: (/** @type {string} */ what, /** @type {number} */ done, /** @type {number} */ all) => `${what} ${done} of ${all}`,
    fine: (/** @type {number} */ asked, /** @type {string} */ slowest) => `No faults in ${counted(asked, "question")}. ${slowest}`,
    faults: (/** @type {number} */ faults, /** @type {number} */ asked) => `${counted(faults, "fault")} in ${counted(asked, "question")}.`,
    slowest: (/** @type {string} */ ms, /** @type {string} */ share) => `The slowest answer took ${ms} ms, ${share} of the limit.`,
    times: (/** @type {number} */ times) => (times > 1 ? `${times} times` : ""),
    noLoss: "No replay in the folder has a loss of this bot.",
    opened: (/** @type {string} */ replay, /** @type {number} */ other, /** @type {number} */ asked) =>
      `${replay}: another action in ${other} of ${counted(asked, "turn")}.`,
    open: "Show the match",
    games: (/** @type {number} */ games) => `${counted(games, "game")} played.`,
    lead: (/** @type {string} */ points, /** @type {string} */ interval) => `This version leads by ${points} points (${interval}).`,
    evidence: (/** @type {string} */ value, /** @type {string} */ low, /** @type {string} */ high) =>
      `Evidence ${value}: decided at ${low} (not better) or ${high} (better).`,
    evidenceBar: "Evidence, from not better to better",
    sameProgram: "Both are the same program.",
    limitGames: "Ended after 1000 games without a decision.",
    limitTime: "Ended after 30 minutes without a decision.",
    at: (/** @type {string} */ file, /** @type {number} */ line) => `${file}, line ${line}`,
    error: "error",
    warning: "warning",
  },
  {
    title: "结果",
    nothing: "检查程序，让它重答最近输掉的一局，或与旧版本比较。",
    check: "检查",
    rerun: "重答最近的败局",
    compare: "比较",
    compareWith: "对比版本",
    stop: "停止",
    stopped: "已停止。",
    compiling: "正在编译……",
    asking: "正在询问程序……",
    preparing: "正在准备两个版本，并下最初几局……",
    playing: "正在对局……",
    analysing: "正在分析不同的回答……",
    progress: (what, done, all) => `${what} ${done}/${all}`,
    fine: (asked, slowest) => `${asked} 个问题都没有出错。${slowest}`,
    faults: (faults, asked) => `${asked} 个问题中发现 ${faults} 种错误。`,
    slowest: (ms, share) => `最慢的回答用了 ${ms} 毫秒，占时限的 ${share}。`,
    times: (times) => (times > 1 ? `${times} 次` : ""),
    noLoss: "文件夹里没有这个程序输掉的录像。",
    opened: (replay, other, asked) => `${replay}：${asked} 回合中有 ${other} 回合动作不同。`,
    open: "显示这一局",
    games: (games) => `已下 ${games} 局。`,
    lead: (points, interval) => `这个版本领先 ${points} 分（${interval}）。`,
    evidence: (value, low, high) => `证据 ${value}：到 ${low} 判定没有更好，到 ${high} 判定更好。`,
    evidenceBar: "证据，从没有更好到更好",
    sameProgram: "两者是同一个程序。",
    limitGames: "下满 1000 局仍未分出结果。",
    limitTime: "30 分钟内未分出结果。",
    at: (file, line) => `${file} 第 ${line} 行`,
    error: "错误",
    warning: "警告",
  },
);

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {{
 *   prepare: () => Promise<boolean>, isShown: () => boolean, mark: (problems: BotProblem[]) => void,
 *   goTo: (problem: BotProblem) => Promise<void>, refresh: () => Promise<void>,
 * }} bot saves the source, or not; whether the bot is shown; marks its lines, and goes to one; reads the bot again
 */
export function mountBotWork(viewer, { prepare, isShown, mark, goTo, refresh }) {
  const t = workWords;
  /** @type {OpenBot | null} */
  let bot = null;
  /** @type {AbortController | null} */
  let running = null;
  /** What the card shows, made anew in another language. @type {() => import("./dom.js").Child[]} */
  let content = () => [el("p", { class: "home-about" }, t.nothing)];

  const status = el("p", { role: "status" });
  const stop = localized(viewer, el("button", { type: "button", onclick: () => running?.abort() }), () => t.stop);
  const results = el("div", { class: "my-bot-results" });
  const card = el("section", { class: "card" }, localized(viewer, el("h3"), () => t.title), status, stop, results);
  const version = el("select");
  const button = (/** @type {() => string} */ text, /** @type {() => Promise<void>} */ work) =>
    localized(viewer, el("button", { type: "button", onclick: () => begin(work) }), text);
  const starters = [button(() => t.check, check), button(() => t.rerun, rerun), button(() => t.compare, compare)];
  const versionLabel = el("label", { class: "my-bot-play" }, localized(viewer, el("span"), () => t.compareWith), version);

  const showContent = () => results.replaceChildren(...content().filter((part) => part instanceof Node));
  /** @param {typeof content} made */
  const setContent = (made) => {
    content = made;
    showContent();
  };
  const showBusy = () => {
    stop.hidden = !running;
    for (const starter of starters) starter.disabled = !!running;
    status.hidden = !status.textContent;
  };
  const say = (/** @type {string} */ text) => {
    setText(status, text);
    showBusy();
  };

  /** @param {() => Promise<void>} work */
  async function begin(work) {
    if (running) return;
    const mine = new AbortController();
    running = mine;
    try {
      if (!(await prepare())) return;
      setContent(() => []);
      mark([]);
      showBusy();
      await work();
    } catch (error) {
      const text = mine.signal.aborted ? t.stopped : reasonOf(error);
      say("");
      results.append(el("p", { class: mine.signal.aborted ? "" : "home-trouble", role: "alert" }, untrusted(text)));
    } finally {
      if (running === mine) running = null;
      showBusy();
    }
  }
  /**
   * Lets the server work, and returns the last event.
   * @param {string} path @param {Record<string, unknown>} body @param {(progress: any) => void} [more]
   * @returns {Promise<WorkEnd & { faults: Fault[] }>}
   */
  async function run(path, body, more = () => {}) {
    const { signal } = /** @type {AbortController} */ (running);
    /** @type {WorkEnd | null} */
    let end = null;
    await postForEvents(path, body, signal, (event, kind) => {
      if (kind === "end") end = event;
      else showProgress(event, more);
    });
    say("");
    if (!end) throw unreachable();
    const { result, error, problems, faults = [] } = /** @type {WorkEnd} */ (end);
    mark(problems.map((problem) => ({ ...problem, message: messageOf(problem) })));
    if (error) await fetchErrorWords();
    if (error) setContent(() => [
      el("pre", { class: "home-trouble my-bot-stderr", role: "alert", tabindex: 0 }, untrusted(describeProblem(error))), problemList(problems, goTo)]);
    return { result, error, problems, faults };
  }
  const ofBot = (/** @type {string} */ verb) => `/api/bots/${encodeURIComponent(bot?.name ?? "")}/${verb}`;
  /** @param {any} progress @param {(progress: any) => void} more */
  const showProgress = (progress, more) => {
    const { phase, done, all } = progress;
    const what = { compiling: t.compiling, asking: t.asking, preparing: t.preparing, playing: t.playing, analysing: t.analysing }[/** @type {string} */ (phase)] ?? "";
    say(all ? t.progress(what, done, all) : what);
    more(progress);
  };

  async function check() {
    const { result, problems, faults } = await run(ofBot("check"), {});
    if (result) setContent(() => [...checked(result, faults), problemList(problems, goTo)]);
    await refresh();
  }

  async function rerun() {
    const name = bot?.name ?? "";
    const loss = await lastLoss(name);
    if (!loss) return setContent(() => [el("p", {}, t.noLoss)]);
    const { result } = await run("/api/rerun", { bot: { mine: name }, ...loss });
    if (!result) return;
    const text = await getText(`/api/replays/${encodeURIComponent(loss.replay)}`);
    const open = () => {
      const timeline = viewer.branches.open(JSON.stringify({ ...JSON.parse(text), rerun: result }));
      viewer.addresses.set(timeline, { replay: loss.replay });
      scrollTo(0, 0);
      viewer.show(timeline);
    };
    setContent(() => [
      el("p", {}, untrusted(t.opened(loss.replay, result.different, result.asked))),
      el("button", { type: "button", onclick: open }, t.open),
    ]);
    if (isShown()) open();
  }

  async function compare() {
    const { result } = await run(ofBot("compare"), { version: Number(version.value) }, ({ series }) => series && setContent(() => compared(series)));
    if (!result) return;
    const { series, finished, same_program: same } = result;
    setContent(() => [
      same && el("p", {}, t.sameProgram),
      ...(series ? compared(series) : []),
      !finished ? el("p", {}, t.limitTime) : series?.verdict === "undecided" && el("p", {}, t.limitGames),
    ]);
  }

  viewer.on("language", showContent);
  showContent();
  showBusy();
  return {
    card,
    buttons: [...starters, versionLabel],
    stop: () => {
      running?.abort();
      setContent(() => [el("p", { class: "home-about" }, t.nothing)]);
    },
    /** @param {OpenBot} shown */
    show: (shown) => {
      bot = shown;
      const { value } = version;
      version.replaceChildren(...shown.history.map(({ version }) => el("option", { value: version }, version)));
      version.value = [...version.options].some((option) => option.value === value) ? value : version.options[0]?.value ?? "";
      starters[2].hidden = versionLabel.hidden = !shown.history.length;
    },
  };
}

/** The newest replay in the folder that a bot has lost, and its seat. @param {string} name */
async function lastLoss(name) {
  /** @type {import("./home.js").ReplayListed[]} */
  const replays = JSON.parse(await getText("/api/replays"));
  const isBot = (/** @type {string} */ seat) => seat === name || seat.startsWith(`${name}@`);
  for (const { name: replay, seats, scores } of [...replays].sort((a, b) => b.modified_ms - a.modified_ms)) {
    const best = Math.max(...(scores ?? []));
    const seat = allSeats.find((seat) => scores && seats && isBot(seats[seat]) && scores[seat] < best);
    if (seat !== undefined && !(scores && seats && allSeats.some((seat) => isBot(seats[seat]) && scores[seat] === best))) return { replay, seat };
  }
  return null;
}

/** @param {Sentence} sentence */
const inLanguage = (sentence) => sentence[language()];
/** @param {BotProblem} problem */
const messageOf = ({ message, message_zh: chinese }) => (language() === "zh" && chinese) || message;

/** @param {Check} check @param {Fault[]} faults */
function checked({ fine, tried }, faults) {
  const t = workWords;
  const [slowest] = [...tried].sort((a, b) => (b.time_percent ?? 0) - (a.time_percent ?? 0));
  const time = slowest?.time_percent != null ? t.slowest(digits(slowest.wall_ms), percent(slowest.time_percent / 100)) : "";
  const item = (/** @type {Fault} */ { what, hint, where, line, times, stderr }) => el("li", {},
    el("strong", {}, untrusted(inLanguage(what))),
    el("p", { class: "home-about" }, untrusted([inLanguage(where), t.times(times)].filter(Boolean).join(" · "))),
    line && el("pre", { class: "untrusted" }, visibleText(line)),
    hint && el("p", {}, untrusted(inLanguage(hint))),
    stderr && el("pre", { class: "untrusted my-bot-stderr", tabindex: 0 }, endOf(stderr)));
  return [
    el("p", { class: fine ? "" : "home-trouble" }, fine ? t.fine(tried.length, time) : t.faults(faults.length, tried.length)),
    el("ul", { class: "home-list" }, ...faults.map(item)),
  ];
}

/** @param {BotProblem[]} problems @param {(problem: BotProblem) => Promise<void>} goTo */
function problemList(problems, goTo) {
  const item = (/** @type {BotProblem} */ problem) => el("li", {},
    el("button", { type: "button", class: "my-bot-problem", onclick: () => goTo(problem) },
      el("b", { "data-severity": problem.severity }, workWords[problem.severity]), " ", untrusted(workWords.at(problem.file, problem.line)),
      el("span", {}, untrusted(messageOf(problem)))));
  return el("ul", { class: "home-list" }, ...problems.map(item));
}

/** @param {Series} series */
function compared({ games, difference, llr: { value, lower, upper }, sentence }) {
  const t = workWords;
  const lead = difference && t.lead(signed(difference.value), intervalText(difference, (end) => signed(end)));
  const short = (/** @type {number} */ number) => minus(number.toFixed(2));
  return [
    el("p", {}, el("strong", {}, inLanguage(sentence))),
    el("p", {}, [t.games(games), lead].filter(Boolean).join(" ")),
    el("meter", { class: "my-bot-evidence", min: lower, max: upper, value, "aria-label": t.evidenceBar }),
    el("p", { class: "home-about" }, t.evidence(short(value), short(lower), short(upper))),
  ];
}
