// The theatre, for a class or an audience: the board on the whole screen, and beside it names, strengths, the last event and the chart.

import { allSeats } from "./board-geometry.js";
import { el, setText, svg } from "./dom.js";
import { words } from "./language.js";
import { localize } from "./localized.js";
import { seatChip } from "./players.js";
import { sentencesOf } from "./sentences.js";

const theatreWords = words(
  {
    theatre: "Theatre: board, strengths and events on the whole screen (F)",
    leave: "Leave (Esc)",
    turn: (/** @type {number} */ turn) => `Turn ${turn}`,
  },
  {
    theatre: "剧场模式：全屏显示棋盘、力量和事件（F）",
    leave: "退出（Esc）",
    turn: (turn) => `第 ${turn} 回合`,
  },
);

/** The buttons of a theatre that plays hide when the pointer has rested for this long. */
const restMs = 3000;

export const isTheatre = () => document.body.classList.contains("theatre");

/** Enters the theatre, or leaves it. */
export function toggleTheatre() {
  setTheatre(!isTheatre());
}

/** @param {boolean} on */
export function setTheatre(on) {
  document.body.classList.toggle("theatre", on);
  dispatchEvent(new Event("theatre"));
  // A browser may forbid the full screen, in a frame for example. The theatre then fills the window.
  if (on && navigator.userActivation?.isActive !== false) document.documentElement.requestFullscreen?.().catch(() => {});
  else if (document.fullscreenElement) void document.exitFullscreen();
}

/** The button that enters and leaves the theatre. @param {import("./viewer.js").Viewer} viewer */
export function theatreButton(viewer) {
  const corners = svg("path", {
    d: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5", fill: "none", stroke: "currentColor", "stroke-width": 2.4,
  });
  const icon = svg("svg", { viewBox: "0 0 24 24", width: 22, height: 22, "aria-hidden": "true" }, corners);
  const button = el("button", { type: "button", class: "transport-theatre", onclick: toggleTheatre }, icon);
  const show = () => {
    button.title = theatreWords.theatre;
    button.setAttribute("aria-label", theatreWords.theatre);
    button.setAttribute("aria-pressed", String(isTheatre()));
  };
  addEventListener("theatre", show);
  localize(viewer, show);
  return button;
}

/** What only the theatre shows: the last event, and its buttons. @type {Mount} */
export function mountTheatre(viewer, container) {
  const turn = el("h2");
  const lines = allSeats.map((seat) => {
    const sentence = el("span");
    return { sentence, line: el("li", {}, seatChip(seat), sentence) };
  });
  const leave = el("button", { type: "button", onclick: () => setTheatre(false) });
  container.append(turn, el("ul", { class: "theatre-event" }, ...lines.map(({ line }) => line)),
    el("div", { class: "theatre-buttons" }, leave));
  const show = () => {
    if (!isTheatre() || !viewer.timeline) return;
    const { frames } = viewer.timeline;
    const last = frames.slice(0, viewer.turn + 1).reverse().find((frame) => actorsOf(frame).length);
    const sentences = last && sentencesOf(viewer.timeline, last.turn);
    setText(turn, last ? theatreWords.turn(last.turn) : "");
    lines.forEach(({ sentence, line }, seat) => {
      line.hidden = !last || !actorsOf(last).includes(allSeats[seat]);
      setText(sentence, sentences?.[seat] ?? "");
    });
    setText(leave, theatreWords.leave);
  };
  addEventListener("theatre", show);
  viewer.on(["timeline", "turn", "language"], show);
  // There is nothing to show without a match.
  viewer.on("timeline", () => !viewer.timeline && isTheatre() && setTheatre(false));
  document.addEventListener("fullscreenchange", () => document.fullscreenElement || setTheatre(false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isTheatre() && !document.querySelector("dialog[open]")) setTheatre(false);
  });
  hideButtons(viewer);
  keepAwake();
}

/** The players that died, fought or shot in the turn of a frame. @param {Frame} frame @returns {Seat[]} */
const actorsOf = ({ events }) => events.flatMap((event) =>
  event.event === "died" || event.event === "fired" ? [event.seat] : event.event === "fought" ? event.winners : []);

/** Hides the buttons while the theatre plays and the pointer rests. @param {import("./viewer.js").Viewer} viewer */
function hideButtons(viewer) {
  let resting = 0;
  const stir = () => {
    clearTimeout(resting);
    document.body.classList.remove("theatre-rests");
    if (viewer.playing && isTheatre()) resting = setTimeout(() => document.body.classList.add("theatre-rests"), restMs);
  };
  for (const kind of ["pointermove", "pointerdown", "keydown", "theatre"]) addEventListener(kind, stir);
  viewer.on("playing", stir);
}

/** Keeps the screen on during the theatre, where the browser can. It ends that itself when the page is hidden. */
function keepAwake() {
  /** @type {Promise<{ release(): Promise<void> } | undefined> | null} */
  let lock = null;
  const update = () => {
    const wanted = isTheatre() && !document.hidden;
    if (wanted) lock ??= /** @type {any} */ (navigator).wakeLock?.request("screen").catch(() => undefined);
    else {
      void lock?.then((held) => held?.release());
      lock = null;
    }
  };
  addEventListener("theatre", update);
  document.addEventListener("visibilitychange", update);
}
