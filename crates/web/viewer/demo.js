// The demo game of a start page: a game of built-in bots that starts without a click.

import { allSeats } from "./board-geometry.js";
import { scenePaint } from "./board-paint.js";
import { Scene } from "./board-scene.js";
import { el, setText, svg } from "./dom.js";
import { minus, words } from "./language.js";
import { localize, localized } from "./localized.js";
import { runFor, turnMotion } from "./motion.js";
import { seatChip } from "./players.js";
import { transportIcons } from "./transport.js";
import { PACE } from "./viewer.js";

const demoWords = words(
  {
    picture: (/** @type {string} */ names) => `A demo game of ${names}`,
    turn: (/** @type {number} */ turn, /** @type {number} */ last) => `Demo game, turn ${turn} of ${last}`,
    play: "Play the demo game",
    pause: "Pause the demo game",
    open: "Open this game",
  },
  {
    picture: (names) => `演示对局：${names}`,
    turn: (turn, last) => `演示对局，第 ${turn}/${last} 回合`,
    play: "播放演示对局",
    pause: "暂停演示对局",
    open: "打开这一局",
  },
);

/** A game of the gallery, as a link has it after `#g=`. */
const demoGame = "2twE86KDxNZC9DsJADIPfpTNDEru9K69SdUCiggEQojAh3h2nv8M1Tvw516GZT_fnbWoO32aepnNzROHvMEi-SNyP6-fxnl57PaofCAcQESTdjSAcZKFkd1qY6UP9rHOGkXVKbqi1EjAII5Mkek2OTjFrlcuhPEYiJFoIyc2K5IsJllI0IZ_gsDaWKNMuuVfSO-kdV8Go0W5rKtsoomVMaEJSPimJHnkdW1eAFtCra2EJS79-AtrW0Petd-Mf";
/** The turn that is shown first, in the midst of the game. If the system is set to reduce motion, the game is paused there. */
const demoFirstTurn = 20;
/** How long the last position is shown before the game begins again. */
const demoEndMs = 3000;

/**
 * A place for the demo game. It begins when it comes into view, since a page that shows a match does not need it.
 * @param {import("./viewer.js").Viewer} viewer
 */
export function demoBoard(viewer) {
  const figure = el("figure", { class: "demo" }, el("div", { class: "demo-board" }));
  /** Reports to the game whether it is in view. @type {((isInView: boolean) => void) | null} */
  let look = null;
  new IntersectionObserver(([{ isIntersecting }]) => {
    if (isIntersecting) look ??= mountDemo(viewer, figure);
    look?.(isIntersecting);
  }).observe(figure);
  return figure;
}

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {HTMLElement} figure
 * @returns {(isInView: boolean) => void} reports to the game whether it is in view
 */
function mountDemo(viewer, figure) {
  const timeline = viewer.engine.open(`#g=${demoGame}`);
  const { head, frames } = timeline;
  const last = frames.length - 1;
  const scene = new Scene(head, scenePaint(null));
  scene.root.setAttribute("role", "img");
  const wantsCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  let turn = demoFirstTurn;
  let playing = !wantsCalm;
  let isInView = false;
  /** The motion of the current turn, or the pause after the game. @type {import("./motion.js").Running | null} */
  let running = null;

  const icon = svg("path", {});
  const toggle = el("button", { type: "button", class: "demo-toggle", onclick: () => play(!playing) },
    svg("svg", { viewBox: "0 0 24 24", width: 22, height: 22, fill: "currentColor", "aria-hidden": "true" }, icon));
  const progress = el("span", { class: "demo-turn" });
  const open = el("button", { type: "button", class: "link-button", onclick: () => viewer.visit("g", demoGame, turn) });
  const strengths = allSeats.map(() => el("b", {}));
  const names = allSeats.map((seat) => el("li", {}, seatChip(seat), el("span", {}, head.seats[seat].name), strengths[seat]));

  const showTurn = () => {
    setText(progress, demoWords.turn(turn, last));
    allSeats.forEach((seat) => setText(strengths[seat], minus(frames[turn].players[seat].strength)));
    names.forEach((name, seat) => name.toggleAttribute("data-dead", !frames[turn].players[seat].alive));
  };
  const settle = () => {
    running = null;
    scene.show(frames[turn]);
    showTurn();
    run();
  };
  /** Plays the next turn if the game is to play and can be seen. */
  const run = () => {
    if (running || !playing || !isInView || document.hidden || viewer.timeline) return;
    if (turn === last) {
      running = runFor(demoEndMs, () => {}, () => {
        turn = 0;
        settle();
      });
      return;
    }
    turn += 1;
    showTurn();
    running = runFor(1000 / PACE, turnMotion(scene, frames[turn - 1], frames[turn]), settle);
  };
  const showToggle = () => {
    icon.setAttribute("d", transportIcons[playing ? "pause" : "play"]);
    toggle.title = demoWords[playing ? "pause" : "play"];
    toggle.setAttribute("aria-label", toggle.title);
  };
  /** @param {boolean} wanted */
  const play = (wanted) => {
    playing = wanted;
    showToggle();
    if (!playing && running) {
      running.stop();
      settle();
    } else run();
  };
  figure.replaceChildren(
    el("div", { class: "demo-board" }, scene.root),
    el("figcaption", {},
      el("ul", { class: "demo-names" }, ...names),
      el("div", { class: "demo-about" }, toggle, progress, localized(viewer, open, () => demoWords.open))));
  document.addEventListener("visibilitychange", run);
  viewer.on("timeline", run);
  localize(viewer, () => {
    scene.root.setAttribute("aria-label", demoWords.picture(head.seats.map(({ name }) => name).join(", ")));
    showToggle();
    showTurn();
  });
  settle();
  return (wanted) => {
    isInView = wanted;
    run();
  };
}
