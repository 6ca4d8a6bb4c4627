// What happened in the turn that is shown, in sentences: to be read, and to be heard.

import { el, setText } from "./dom.js";
import { words } from "./language.js";
import { allSeats, seatChip } from "./players.js";
import { spawnSentence, sentencesOf } from "./sentences.js";

const turnSummaryWords = words(
  {
    title: (/** @type {number} */ turn) => `Turn ${turn}`,
    beginning: "The beginning",
    begins: "Nobody has moved yet.",
    note: (/** @type {string} */ spawn) => `${spawn}.`,
    over: "The game is over.",
    announcement: (/** @type {number} */ turn, /** @type {string[]} */ sentences) => `Turn ${turn}: ${sentences.join(". ")}.`,
    who: (/** @type {Seat} */ seat, /** @type {string} */ sentence) => `${seat} ${sentence}`,
  },
  {
    title: (turn) => `第 ${turn} 回合`,
    beginning: "开局",
    begins: "还没有人行动。",
    note: (spawn) => `${spawn}。`,
    over: "游戏结束。",
    announcement: (turn, sentences) => `第 ${turn} 回合：${sentences.join("。")}。`,
    who: (seat, sentence) => `${seat} 号${sentence}`,
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
  container.classList.add("sheet");
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
    const announced = allSeats.flatMap((seat) => (sentences[seat] === null ? [] : [t.who(seat, sentences[seat])]));
    announce(turn ? t.announcement(turn, spawn ? [...announced, spawn] : announced) + (frame.over ? ` ${t.over}` : "") : t.begins);
  };
  // "playing" too: where fast play stops, one hears what was passed over in silence.
  viewer.on(["turn", "language", "playing"], show);
  show();
}

/**
 * Says the last of what it is given, but not faster than one can listen; nothing at all when turns rush by.
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
