// What happened in the turn that is shown, in sentences: to be read, and to be heard.

import { el } from "./dom.js";
import { words } from "./language.js";
import { allSeats, seatChip, setText } from "./players.js";
import { birthSentence, sentencesOf } from "./sentences.js";

const happenedWords = words(
  {
    title: (/** @type {number} */ turn) => `Turn ${turn}`,
    beginning: "The beginning",
    begins: "Nobody has moved yet.",
    note: (/** @type {string} */ birth) => `${birth}.`,
    over: "The game is over.",
    heard: (/** @type {number} */ turn, /** @type {string[]} */ sentences) => `Turn ${turn}: ${sentences.join(". ")}.`,
    who: (/** @type {Seat} */ seat, /** @type {string} */ sentence) => `${seat} ${sentence}`,
  },
  {
    title: (turn) => `第 ${turn} 回合`,
    beginning: "开局",
    begins: "还没有人行动。",
    note: (birth) => `${birth}。`,
    over: "游戏结束。",
    heard: (turn, sentences) => `第 ${turn} 回合：${sentences.join("。")}。`,
    who: (seat, sentence) => `${seat} 号${sentence}`,
  },
);

/** @type {Mount} */
export function mountHappened(viewer, place) {
  const title = el("h2");
  const note = el("p", { class: "happened-note" });
  const lines = allSeats.map((seat) => {
    const sentence = el("span");
    return { sentence, line: el("li", {}, seatChip(seat), " ", sentence) };
  });
  place.classList.add("sheet");
  place.append(title, el("ul", { class: "happened-list" }, ...lines.map(({ line }) => line)), note);
  const announce = announcer(viewer);

  const show = () => {
    const { film, frame, turn } = viewer;
    if (!film || !frame) return;
    const t = happenedWords;
    const sentences = sentencesOf(film, turn);
    const birth = birthSentence(film, turn);
    setText(title, turn ? t.title(turn) : t.beginning);
    lines.forEach(({ sentence, line }, seat) => {
      line.hidden = sentences[seat] === null;
      setText(sentence, sentences[seat] ?? "");
    });
    const notes = [turn ? null : t.begins, birth && t.note(birth), frame.over ? t.over : null].filter((text) => text !== null);
    setText(note, notes.join(" "));
    const told = allSeats.flatMap((seat) => (sentences[seat] === null ? [] : [t.who(seat, sentences[seat])]));
    announce(turn ? t.heard(turn, birth ? [...told, birth] : told) + (frame.over ? ` ${t.over}` : "") : t.begins);
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
  let saidAt = -Infinity;
  const speak = () => {
    waiting = 0;
    saidAt = performance.now();
    const region = document.getElementById("announcer");
    if (region && !(viewer.playing && viewer.speed > 2)) setText(region, text);
  };
  return (/** @type {string} */ wanted) => {
    text = wanted;
    const pause = viewer.playing ? 1000 : 200;
    if (!waiting) waiting = window.setTimeout(speak, Math.max(saidAt + pause - performance.now(), 0));
  };
}
