// TV: plays the games of a list in the theatre, one after another, until it is left.

import { el, setText, visibleText } from "./dom.js";
import { words } from "./language.js";
import { localize } from "./localized.js";
import { reasonOf, showMessage } from "./open.js";
import { isTheatre, setTheatre } from "./theatre.js";

const tvWords = words(
  {
    tv: "TV",
    about: "Play these games one after another on the whole screen",
    close: "A close game.",
    upset: "The lowest in the ranking won.",
    failure: "A bot failed.",
    next: (/** @type {string} */ names) => `Next: ${names}`,
    skip: "Next game",
    empty: "There is no game yet. The first one will be shown here.",
    unknown: (/** @type {string} */ list) => `This page has no games named “${list}”.`,
  },
  {
    tv: "连播",
    about: "全屏依次播放这些对局",
    close: "势均力敌。",
    upset: "排名最低的程序获胜。",
    failure: "有程序出错。",
    next: (names) => `下一局：${names}`,
    skip: "下一局",
    empty: "还没有对局。有了第一局就在这里播放。",
    unknown: (list) => `本页没有名为“${list}”的对局列表。`,
  },
);

/**
 * A game of a list: the parameter of an address that leads to it and its value, its players, and what it is about.
 * @typedef {{ kind: string, value: string, names: string[], about: () => string }} TvGame
 */

/** How long the final scores are shown. */
const restMs = 8000;
/** The most points between the first two of a close game. */
const closePoints = 1;

/**
 * Why a game is worth watching. `ranks` are the places of its players in the ranking, if there is one.
 * @param {{ scores: number[], failed: boolean, ranks?: (number | undefined)[] }} game
 */
export function interestOf({ scores, failed, ranks = [] }) {
  const [first, second] = [...scores].sort((a, b) => b - a);
  const rank = ranks[scores.indexOf(first)] ?? 0;
  const isUpset = first > second && ranks.filter((other) => other !== undefined && other < rank).length === scores.length - 1;
  /** @type {("close" | "upset" | "failure")[]} */
  const reasons = [];
  if (first - second <= closePoints) reasons.push("close");
  if (isUpset) reasons.push("upset");
  if (failed) reasons.push("failure");
  return reasons;
}

/**
 * Games for TV, the most interesting first and otherwise in their order.
 * @param {(Omit<TvGame, "about"> & Parameters<typeof interestOf>[0])[]} games
 * @returns {TvGame[]}
 */
export function byInterest(games) {
  return games
    .map((game) => ({ ...game, reasons: interestOf(game) }))
    .sort((a, b) => b.reasons.length - a.reasons.length)
    .map(({ kind, value, names, reasons }) => ({ kind, value, names, about: () => reasons.map((reason) => tvWords[reason]).join(" ") }));
}

/** A link that plays a list. @param {import("./viewer.js").Viewer} viewer @param {string} list */
export function tvLink(viewer, list) {
  const link = el("a", { class: "touch-link", href: `#tv=${list}` });
  localize(viewer, () => {
    link.textContent = tvWords.tv;
    link.title = tvWords.about;
  });
  return link;
}

/**
 * Makes an address with `tv` play a list.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {Record<string, () => TvGame[] | Promise<TvGame[]>>} lists
 */
export function mountTv(viewer, lists) {
  const about = el("p");
  const skip = el("button", { type: "button", hidden: true, onclick: () => void next() });
  document.querySelector(".theatre-event")?.after(about);
  document.querySelector(".theatre-buttons")?.prepend(skip);
  /** The list that is played, or "". */
  let list = "";
  /** Grows with every step, so that the answers to earlier ones are ignored. */
  let step = 0;
  let waiting = 0;
  /** @type {Set<string>} */
  const played = new Set();
  /** What is on. @type {{ timeline: Timeline, game: TvGame, address?: Record<string, string> } | null} */
  let on = null;
  /** @type {TvGame | null} */
  let upcoming = null;
  /** Whether the future is hidden for TV alone. */
  let hides = false;

  /** The first game that was not on, or the first one again. */
  const pick = async () => {
    const games = await lists[list]();
    const fresh = games.find(({ value }) => !played.has(value));
    if (!fresh) played.clear();
    return fresh ?? games[0] ?? null;
  };
  const next = async () => {
    clearTimeout(waiting);
    waiting = 0;
    const now = (step += 1);
    try {
      const game = upcoming ?? await pick();
      if (now !== step) return;
      if (game) played.add(game.value);
      const timeline = game && await viewer.openers.get(game.kind)?.(game.value, view);
      if (now !== step) return;
      if (game && timeline) return begin(timeline, game);
      if (!on) showMessage(tvWords.empty, "note");
    } catch (error) {
      showMessage(reasonOf(error));
    }
    upcoming = null;
    waiting = setTimeout(next, restMs);
  };
  /** @param {Timeline} timeline @param {TvGame} game */
  const begin = (timeline, game) => {
    upcoming = null;
    on = { timeline, game, address: viewer.addresses.get(timeline) };
    viewer.addresses.set(timeline, { tv: list });
    viewer.show(timeline);
    if (!isTheatre()) setTheatre(true);
    if (!viewer.hidesFuture) viewer.hideFuture(hides = true);
    viewer.play(true);
    show();
  };
  /** Shows the final scores for a while, and what comes next. */
  const rest = async () => {
    const now = (step += 1);
    waiting = setTimeout(next, restMs);
    upcoming = await Promise.resolve(pick()).catch(() => null);
    if (now === step) show();
  };
  const stop = () => {
    const last = on;
    clearTimeout(waiting);
    step += 1;
    list = "";
    on = upcoming = null;
    show();
    if (hides) viewer.hideFuture(hides = false);
    if (!last) return;
    if (last.address) viewer.addresses.set(last.timeline, last.address);
    else viewer.addresses.delete(last.timeline);
    if (viewer.timeline === last.timeline) viewer.notify("address");
  };
  const show = () => {
    skip.hidden = !list;
    setText(skip, tvWords.skip);
    setText(about, upcoming ? tvWords.next(visibleText(upcoming.names.join(", "))) : on?.game.about() ?? "");
  };
  viewer.openers.set("tv", (wanted) => {
    if (!Object.keys(lists).includes(wanted)) throw new Error(tvWords.unknown(visibleText(wanted.slice(0, 60))));
    list = wanted;
    upcoming = null;
    played.clear();
    void next();
    return null;
  });
  viewer.on("timeline", () => list && viewer.timeline !== on?.timeline && stop());
  viewer.on(["playing", "turn"], () => {
    if (!on || viewer.timeline !== on.timeline) return;
    const isAtEnd = !viewer.playing && viewer.turn === viewer.last;
    if (isAtEnd && !waiting) return void rest();
    if (isAtEnd) return;
    clearTimeout(waiting);
    waiting = 0;
    upcoming = null;
    show();
  });
  addEventListener("theatre", () => list && !isTheatre() && stop());
  localize(viewer, show);
}

/** Games on TV begin at their first turn. @type {import("./address.js").View} */
const view = { value: "", turn: null, branch: 0, tree: null, isTyped: false };
