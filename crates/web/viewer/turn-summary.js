// What happened in the shown turn, as sentences, also for screen readers.

import { allSeats } from "./board-geometry.js";
import { el, setText } from "./dom.js";
import { words } from "./language.js";
import { seatChip } from "./players.js";
import { playerName, spawnSentence, sentencesOf } from "./sentences.js";

const turnSummaryWords = words(
  {
    title: (/** @type {number} */ turn) => `Turn ${turn}`,
    beginning: "Start",
    begins: "No player has acted yet.",
    note: (/** @type {string} */ spawn) => `${spawn}.`,
    over: "The game is over.",
    announcement: (/** @type {number} */ turn, /** @type {string[]} */ sentences) => `Turn ${turn}: ${sentences.join(". ")}.`,
    who: (/** @type {string} */ player, /** @type {string} */ sentence) => `${player} ${sentence}`,
  },
  {
    title: (turn) => `第 ${turn} 回合`,
    beginning: "开局",
    begins: "还没有玩家行动。",
    note: (spawn) => `${spawn}。`,
    over: "游戏结束。",
    announcement: (turn, sentences) => `第 ${turn} 回合：${sentences.join("。")}。`,
    who: (player, sentence) => `${player}${sentence}`,
  },
);

/** @type {Mount} */
export function mountTurnSummary(viewer, container) {
  const title = el("h2");
  const note = el("p", { class: "happened-note" });
  const lines = allSeats.map((seat) => {
    const sentence = el("span");
    return { sentence, line: el("li", {}, seatChip(seat), " ", sentence) };
  });
  container.append(title, el("ul", { class: "happened-list" }, ...lines.map(({ line }) => line)), note);
  const announce = announcer(viewer);

  const show = () => {
    const { timeline, frame, turn } = viewer;
    if (!timeline || !frame) return;
    const t = turnSummaryWords;
    const sentences = sentencesOf(timeline, turn);
    const spawn = spawnSentence(timeline, turn);
    setText(title, turn ? t.title(turn) : t.beginning);
    lines.forEach(({ sentence, line }, seat) => {
      line.hidden = sentences[seat] === null;
      setText(sentence, sentences[seat] ?? "");
    });
    const notes = [turn ? null : t.begins, spawn && t.note(spawn), frame.over ? t.over : null].filter((text) => text !== null);
    setText(note, notes.join(" "));
    const announced = allSeats.flatMap((seat) => (sentences[seat] === null ? [] : [t.who(playerName(timeline.head, seat), sentences[seat])]));
    const said = viewer.notes.at(timeline, turn);
    announce((turn ? t.announcement(turn, spawn ? [...announced, spawn] : announced) + (frame.over ? ` ${t.over}` : "") : t.begins) + (said && ` ${said}`));
  };
  // Also on "playing": when fast playback stops, the current turn is announced.
  viewer.on(["turn", "language", "playing"], show);
  show();
}

/**
 * Announces the latest text, not faster than it can be heard, and not during fast playback.
 * @param {import("./viewer.js").Viewer} viewer
 */
function announcer(viewer) {
  let text = "";
  let waiting = 0;
  let announcedAt = -Infinity;
  const announce = () => {
    waiting = 0;
    announcedAt = performance.now();
    const region = document.getElementById("announcer");
    if (region && !(viewer.playing && viewer.speed > 2)) setText(region, text);
  };
  return (/** @type {string} */ wanted) => {
    text = wanted;
    const pause = viewer.playing ? 1000 : 200;
    if (!waiting) waiting = window.setTimeout(announce, Math.max(announcedAt + pause - performance.now(), 0));
  };
}
