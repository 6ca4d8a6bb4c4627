// The data of the page: from the report in the page itself, or from the server.

import { visibleText } from "../viewer/dom.js";
import { dayOf, language, words } from "../viewer/language.js";
import { wordError } from "../viewer/server-errors.js";
import { linkTo } from "./components.js";

const sourceWords = words(
  {
    unreachable: "The server does not answer. Is it still running in the terminal?",
    refused: (/** @type {string} */ why) => `The server says: ${why}`,
  },
  {
    unreachable: "服务器没有回应。终端里的程序还在运行吗？",
    refused: (why) => `服务器答复：${why}`,
  },
);

/** How often the server is asked for changes. */
const askEveryMs = 2000;

/**
 * The data of a report.
 * @param {ArenaReport} report
 * @param {() => string} read returns one line per game, oldest first
 * @param {() => string} readViewer returns the page of the viewer
 * @returns {ArenaSource}
 */
export function reportSource({ standings, bots, class: ofClass }, read, readViewer) {
  /** @type {string[] | null} */
  let known = null;
  // There may be a hundred thousand lines, so they are read only when games are shown.
  const linesOf = () => (known ??= read().split("\n").slice(0, -1));
  /** The address of the viewer's page. */
  let viewer = "";
  return {
    isLive: false,
    standings,
    bots,
    class: ofClass,
    games: async (filter, before, limit) => {
      const lines = linesOf();
      const wanted = choose(bots, filter);
      const found = [];
      let number = lines.length;
      if (before !== null) number = lines.findIndex((line) => line.startsWith(`${before} `));
      while (number-- > 0 && found.length <= limit) {
        const game = wanted.mayFit(lines[number]) && gameOf(lines[number]);
        if (game && wanted.fits(game)) found.push(game);
      }
      return { games: found.slice(0, limit), more: found.length > limit };
    },
    pageOf: ({ id, link }, turn) => (link ? linkTo({ view: "game", id, turn: String(turn) }) : null),
    viewerOf: (id, turn) => {
      const line = linesOf().find((line) => line.startsWith(`${id} `));
      const link = line && gameOf(line).link;
      if (!link) return null;
      viewer ||= URL.createObjectURL(new Blob([readViewer()], { type: "text/html" }));
      return `${viewer}#${new URLSearchParams({ g: link, turn })}`;
    },
  };
}

/**
 * A filter for games: a quick check of the line, and an exact one of the parsed game.
 * @param {ArenaBot[]} bots
 * @param {GameFilter} filter
 */
function choose(bots, { bot, fault, seed, result, day }) {
  const ids = bots.filter(({ name, version }) => name === bot || `${name}@${version}` === bot).map(({ id }) => id);
  const isThem = (/** @type {ArenaSeat} */ seat) => !bot || ids.includes(seat.bot);
  const isIt = (/** @type {ArenaSeat} */ seat) => !fault || (!!seat.fault && (fault === "any" || seat.fault.kind === fault));
  const hasResult = (/** @type {ArenaSeat} */ seat) => !result || (result === "won") === (seat.place === 1);
  const isThere = (/** @type {ArenaGame} */ game) => (!seed || String(game.seed) === seed) && (!day || dayOf(game.finished_ms) === day);
  return {
    /** @param {string} line */
    mayFit: (line) =>
      (!bot || ids.some((id) => line.includes(` ${id},`))) && (!fault || fault === "any" || line.includes(`,${fault},`)),
    /** @param {ArenaGame} game */
    fits: (game) => isThere(game) && game.seats.some((seat) => isThem(seat) && isIt(seat) && hasResult(seat)),
  };
}

/**
 * Parses the line of a game, which ../src/arena.rs wrote.
 * @param {string} line
 * @returns {ArenaGame}
 */
function gameOf(line) {
  const parts = line.split(" ");
  const [seed, width, height, turns, finished, replayed] = parts.slice(1, 7).map(Number);
  const seats = parts.slice(7, 11).map((part) => {
    const [bot, hundredths, place, strength, kind, turn, slowest] = part.split(",");
    const fault = kind ? { kind, turn: Number(turn) } : null;
    return {
      bot: Number(bot),
      score: Number(hundredths) / 100,
      place: Number(place),
      strength: Number(strength),
      fault,
      slowest_ms: Number(slowest) / 1000,
    };
  });
  return { id: parts[0], seed, width, height, turns, finished_ms: 1000 * finished, replayed, seats, link: parts[11] };
}

/**
 * The data of a server, which is polled while the page is visible.
 * @param {() => void} changed called after new data arrived
 * @param {(why: string) => void} problem called with an error message, or with an empty text when all is well again
 * @returns {ArenaSource}
 */
export function serverSource(changed, problem) {
  let stamp = "";
  /** @type {ArenaSource} */
  const source = {
    isLive: true,
    class: null,
    standings: null,
    bots: [],
    games: async ({ day, ...filter }, before, limit) => {
      // A day of the reader's time zone; it may have 23 or 25 hours.
      const start = new Date(`${day}T00:00`);
      const end = new Date(start);
      end.setDate(end.getDate() + 1);
      const [since, until] = [start, end].map((time) => (day ? String(time.getTime() / 1000) : ""));
      const given = { ...filter, since, until, before: before ?? "", limit: String(limit) };
      const wanted = Object.entries(given).filter(([, value]) => value);
      return JSON.parse((await ask(`/api/arena/games?${new URLSearchParams(wanted)}`)).text);
    },
    pageOf: ({ id }, turn) => `/#${new URLSearchParams({ game: id, turn: String(turn) })}`,
    viewerOf: () => null,
  };
  const look = async () => {
    try {
      const news = JSON.parse((await ask("/api/arena/news")).text);
      if (news.stamp !== stamp) {
        const [bots, table] = [await ask("/api/arena/bots"), await ask("/api/arena/standings")];
        const isNew = table.stamp !== stamp;
        stamp = table.stamp;
        source.bots = JSON.parse(bots.text);
        source.standings = JSON.parse(table.text);
        if (isNew) changed();
      }
      problem("");
    } catch (error) {
      problem(/** @type {Error} */ (error).message);
    }
  };
  const lookAgain = async () => {
    if (!document.hidden) await look();
    setTimeout(lookAgain, askEveryMs);
  };
  void lookAgain();
  return source;
}

/** @param {string} path */
async function ask(path) {
  let response;
  let text = "";
  try {
    response = await fetch(path);
    text = await response.text();
  } catch {
    throw new Error(sourceWords.unreachable);
  }
  if (response.ok) return { text, stamp: (response.headers.get("etag") ?? "").replace(/"/g, "") };
  /** @type {import("../viewer/server-errors.js").ServerProblem} */
  let problem = { error: String(response.status) };
  try {
    problem = { ...problem, ...JSON.parse(text) };
  } catch {
    // The response is not from our server.
  }
  throw new Error(sourceWords.refused(visibleText(wordError(problem, language()))));
}
