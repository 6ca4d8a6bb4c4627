// The theatre, for a class or an audience: the board on the whole screen, and beside it only names and strengths.

import { el, svg } from "./dom.js";
import { words } from "./language.js";

const theatreWords = words(
  { theatre: "Theatre: board, names and strengths on the whole screen (F)" },
  { theatre: "剧场模式：全屏显示棋盘、名字和力量（F）" },
);

const isTheatre = () => document.body.classList.contains("theatre");

/** Enters the theatre, or leaves it. */
export function toggleTheatre() {
  setTheatre(!isTheatre());
}

/** @param {boolean} on */
function setTheatre(on) {
  document.body.classList.toggle("theatre", on);
  dispatchEvent(new Event("theatre"));
  // A browser may forbid the full screen, in a frame for example. The theatre then fills the window.
  if (on) document.documentElement.requestFullscreen?.().catch(() => {});
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
  document.addEventListener("fullscreenchange", () => document.fullscreenElement || setTheatre(false));
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isTheatre() && !document.querySelector("dialog[open]")) setTheatre(false);
  });
  // There is nothing to show without a match.
  viewer.on("timeline", () => !viewer.timeline && isTheatre() && setTheatre(false));
  viewer.on("language", show);
  show();
  return button;
}
