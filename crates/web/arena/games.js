// The list of games, newest first.

import { el, untrusted, visibleText } from "../viewer/dom.js";
import { counted, moment, words } from "../viewer/language.js";
import { faultKinds, faultSign, meaningOf } from "./faults.js";
import { digits } from "./format.js";
import { botChoice, botLink, labelOf, redraw, linkTo } from "./components.js";

const gameWords = words(
  {
    bot: "Bot",
    anyBot: "all bots",
    fault: "Forfeits",
    anyGame: "all games",
    anyFault: "games with a forfeit",
    seed: "Seed of the map",
    result: "Result of the bot",
    anyResult: "any result",
    won: "it won",
    lost: "it did not win",
    day: "Date",
    more: "Show older games",
    fresh: (/** @type {string} */ games) => `Show ${counted(games, "new game")}`,
    none: "There are no such games.",
    map: (/** @type {number} */ seed, /** @type {string} */ size) => `seed ${seed} · ${size}`,
    turns: (/** @type {number} */ turns) => counted(turns, "turn"),
    replayed: (/** @type {number} */ times) => `replayed ${times} times because the machine stalled`,
    watch: "Watch",
    watchThat: (/** @type {string} */ id) => `Watch game ${id}`,
    place: (/** @type {number} */ place) => `place ${place}`,
    seat: (/** @type {number} */ seat) => `Player ${seat}: `,
    unknown: "a bot that is not in this report",
  },
  {
    bot: "程序",
    anyBot: "全部程序",
    fault: "出局",
    anyGame: "全部对局",
    anyFault: "有出局的对局",
    seed: "地图种子",
    result: "该程序的结果",
    anyResult: "任何结果",
    won: "获胜",
    lost: "没有获胜",
    day: "日期",
    more: "显示更早的对局",
    fresh: (games) => `显示 ${games} 局新对局`,
    none: "没有这样的对局。",
    map: (seed, size) => `种子 ${seed} · ${size}`,
    turns: (turns) => `${turns} 回合`,
    replayed: (times) => `因机器停顿重赛 ${times} 次`,
    watch: "观看",
    watchThat: (id) => `观看对局 ${id}`,
    place: (place) => `第 ${place} 名`,
    seat: (seat) => `${seat} 号玩家：`,
    unknown: "不在本报告中的程序",
  },
);

const gamesPerPage = 50;
const noFilter = { bot: "", fault: "", seed: "", result: "", day: "" };
const filterNames = /** @type {(keyof GameFilter)[]} */ (Object.keys(noFilter));

/** @type {ArenaPart} */
export function mountGames(page, place) {
  /** @type {ArenaGame[]} */
  let games = [];
  let more = false;
  /** The filter and the number of games on display. As long as they are the same, nothing is loaded. */
  let shown = "";
  let total = -1;
  /** The number of the last question. Answers to earlier ones are ignored. */
  let questions = 0;

  /** @returns {GameFilter} */
  const requested = () => Object.assign({ ...noFilter }, ...filterNames.map((name) => ({ [name]: page.params.get(name) ?? "" })));
  const choose = (/** @type {Partial<GameFilter>} */ change) => {
    location.hash = linkTo({ view: "games", ...requested(), ...change });
  };
  const bot = botChoice("", (chosen) => choose(chosen ? { bot: chosen } : { bot: "", result: "" }));
  const faultText = el("span");
  const fault = el("select", { onchange: () => choose({ fault: fault.value }) });
  const seedText = el("span");
  const seed = el("input", { inputmode: "numeric", pattern: "[0-9]*", size: 10, autocomplete: "off" });
  seed.addEventListener("change", () => choose({ seed: seed.value.replace(/\D/g, "") }));
  const resultText = el("span");
  const result = el("select", { onchange: () => choose({ result: result.value }) });
  const dayText = el("span");
  const day = el("input", { type: "date", onchange: () => choose({ day: day.value }) });
  const problem = el("p", { class: "trouble", role: "alert", hidden: true });
  const fresh = el("button", { type: "button", class: "primary", hidden: true, onclick: () => void load(gamesPerPage) });
  const list = el("ol", { class: "games" });
  const older = el("button", { type: "button", hidden: true, onclick: () => void extend() });
  const filters = el(
    "div",
    { class: "filters" },
    bot.field,
    el("label", { class: "field" }, faultText, fault),
    el("label", { class: "field" }, resultText, result),
    el("label", { class: "field" }, seedText, seed),
    el("label", { class: "field" }, dayText, day),
  );
  place.append(filters, problem, fresh, list, older);

  /** @param {string | null} before @param {number} limit */
  const ask = async (before, limit) => {
    const question = ++questions;
    try {
      const answer = await page.source.games(requested(), before, limit);
      if (question !== questions) return null;
      problem.hidden = true;
      return answer;
    } catch (error) {
      if (question !== questions) return null;
      problem.textContent = /** @type {Error} */ (error).message;
      problem.hidden = false;
      return { games: [], more: false };
    }
  };
  /** @param {number} limit */
  const load = async (limit) => {
    shown = JSON.stringify(requested());
    total = page.source.standings?.games ?? 0;
    const answer = await ask(null, limit);
    if (!answer) return;
    ({ games, more } = answer);
    draw();
  };
  const extend = async () => {
    const answer = await ask(games.at(-1)?.id ?? null, gamesPerPage);
    if (!answer) return;
    games.push(...answer.games);
    more = answer.more;
    draw();
  };
  const draw = () => {
    fresh.hidden = true;
    older.hidden = !more;
    const rows = games.map((game) => gameRow(page, game));
    redraw(list, ...(rows.length ? rows : [el("li", { class: "soft" }, gameWords.none)]));
  };
  const show = () => {
    const t = gameWords;
    const filter = requested();
    const known = page.source.bots.some((bot) => labelOf(bot) === filter.bot);
    bot.show(t.bot, page.source.bots, known ? filter.bot : "", t.anyBot);
    const kinds = [["", t.anyGame], ["any", t.anyFault], ...faultKinds.map((kind) => [kind, `${kind}: ${meaningOf(kind)}`])];
    fault.replaceChildren(...kinds.map(([value, text]) => el("option", { value }, text)));
    fault.value = filter.fault;
    if (document.activeElement !== seed) seed.value = filter.seed;
    result.replaceChildren(...[["", t.anyResult], ["won", t.won], ["lost", t.lost]].map(([value, text]) => el("option", { value }, text)));
    result.value = filter.result;
    // Some bot wins every game, and some bot does not.
    result.disabled = !known;
    if (document.activeElement !== day) day.value = filter.day;
    resultText.textContent = t.result;
    dayText.textContent = t.day;
    faultText.textContent = t.fault;
    seedText.textContent = t.seed;
    older.textContent = t.more;
    const now = page.source.standings?.games ?? 0;
    if (shown !== JSON.stringify(filter)) {
      games = [];
      void load(gamesPerPage);
    } else if (now === total) {
      draw();
    } else if (games.length <= gamesPerPage && scrollY < 200) {
      void load(gamesPerPage);
    } else {
      // A reader further down keeps the list as it is.
      draw();
      fresh.textContent = t.fresh(digits(now - total));
      fresh.hidden = now <= total;
    }
  };
  return { show };
}

/** The latest games in which a bot forfeited. @param {ArenaPage} page @param {ArenaBot} bot @param {number} limit */
export async function faultyGames(page, bot, limit) {
  const { games } = await page.source.games({ ...noFilter, bot: labelOf(bot), fault: "any" }, null, limit);
  return games.map((game) => gameRow(page, game));
}

/** @param {ArenaPage} page @param {ArenaGame} game */
function gameRow(page, game) {
  const t = gameWords;
  const { id, seed, width, height, turns, finished_ms: finished, replayed } = game;
  const short = id.slice(0, 12);
  const about = [moment(finished), t.map(seed, `${width}×${height}`), t.turns(turns), replayed ? t.replayed(replayed) : ""];
  // A game with a forfeit begins where the first one was.
  const turn = Math.min(...game.seats.flatMap(({ fault }) => fault?.turn ?? []));
  const way = page.source.pageOf(game, Number.isFinite(turn) ? turn : 0);
  const attributes = { class: "watch", "aria-label": t.watchThat(short), "data-key": `game ${id}` };
  const when = el("span", {}, about.filter(Boolean).join(" · "));
  return el(
    "li",
    { class: "game" },
    el("div", { class: "game-about" }, when, el("code", { title: visibleText(id) }, visibleText(short))),
    el("ul", { class: "game-seats" }, ...game.seats.map((seat, number) => gameSeat(page, seat, number, id))),
    way !== null && el("a", { href: way, ...attributes }, t.watch),
  );
}

/** @param {ArenaPage} page @param {ArenaSeat} seat @param {number} number @param {string} game */
function gameSeat(page, { bot: id, score, place, fault }, number, game) {
  const bot = page.botOf(id);
  const digit = el("span", { "aria-hidden": "true" }, number);
  return el(
    "li",
    { class: "game-seat", "data-first": place === 1 },
    el("span", { class: `seat seat-${number}` }, el("span", { class: "visually-hidden" }, gameWords.seat(number)), digit),
    bot ? botLink(bot, `${game} ${number}`) : untrusted(gameWords.unknown),
    el("b", { title: gameWords.place(place) }, digits(score, 1)),
    fault && faultSign(fault),
  );
}
