// Which players of a match are the reader's own, and how the reader says so.

import { allSeats } from "./board-geometry.js";
import { remember, rememberedJson } from "./storage.js";

const myBotsKey = "pacman2-my-bots";
/** The most bots that are remembered. */
const mostBots = 50;

/** The names of the bots that the reader has called their own, the latest last. @returns {Set<string>} */
export function rememberedBots() {
  const kept = rememberedJson(myBotsKey);
  return new Set(Array.isArray(kept) ? kept.map(String) : []);
}

/** The name of a bot without the version that an arena adds. @param {string} name */
const withoutVersion = (name) => name.replace(/@\d+$/, "");

/** Whether the reader has called a bot their own. @param {import("./viewer.js").Viewer} viewer @param {string} name */
export const isMyBot = ({ myBots }, name) => myBots.has(withoutVersion(name));

/** Calls a bot the reader's own, or no longer. @param {import("./viewer.js").Viewer} viewer @param {string} name */
export function toggleMyBot(viewer, name) {
  const bot = withoutVersion(name);
  if (!viewer.myBots.delete(bot)) viewer.myBots.add(bot);
  remember(myBotsKey, JSON.stringify([...viewer.myBots].slice(-mostBots)));
  viewer.notify("mine");
}

/** The players that may be the reader's: all but built-in bots. Links and match logs have only names. @param {import("./viewer.js").Viewer} viewer @param {Head} head */
function candidates({ engine, strong }, { seats }) {
  const builtIn = [...engine.builtIn().map(({ name }) => name), ...(strong?.bots ?? [])];
  return allSeats.filter((seat) => {
    const { name, program } = seats[seat];
    return program === null ? !builtIn.includes(withoutVersion(name)) : !program.startsWith("built-in");
  });
}

/** The players among which the reader has to choose; none if there is no choice. @param {import("./viewer.js").Viewer} viewer */
export function choosable(viewer) {
  const { timeline } = viewer;
  if (!timeline || timeline.head.source === "what-if" || playedByHumans(timeline.head).length) return [];
  const seats = candidates(viewer, timeline.head);
  return seats.length > 1 ? seats : [];
}

/** The seats of this page, or else that of the only human. @param {Head} head */
function playedByHumans({ seats }) {
  const own = allSeats.filter((seat) => seats[seat].own);
  const humans = allSeats.filter((seat) => seats[seat].name === "human" && seats[seat].program === null);
  return own.length || humans.length > 1 ? own : humans;
}

/**
 * The reader's own players in a match: those of a human, or else the only one that is no built-in bot, or else one that the reader
 * has chosen before.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {Timeline} timeline
 * @returns {Seat[]}
 */
export function ownSeats(viewer, { head }) {
  const played = playedByHumans(head);
  if (played.length || head.source === "what-if") return played;
  const others = candidates(viewer, head);
  return others.length === 1 ? others : others.filter((seat) => isMyBot(viewer, head.seats[seat].name)).slice(0, 1);
}

/**
 * The reader's own player that lost the shown match; null if none did, or if that is not to be seen yet. Who plays sees the end first.
 * @param {import("./viewer.js").Viewer} viewer
 */
export function lostSeat(viewer) {
  const { timeline, frame, hidesFuture, last } = viewer;
  const end = timeline?.frames[last];
  if (!timeline || !end?.over) return null;
  const isHidden = (hidesFuture || timeline.head.seats.some(({ own }) => own)) && !frame?.over;
  return (isHidden ? undefined : ownSeats(viewer, timeline).find((seat) => end.players[seat].place > 1)) ?? null;
}
