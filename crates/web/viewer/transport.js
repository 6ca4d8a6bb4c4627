// Playback: one row with steps, jumps to events, play and pause, and a slider; and the timer behind them.

import { el, setText, svg } from "./dom.js";
import { words } from "./language.js";
import { theatreButton } from "./theatre.js";
import { PACE, SPEEDS } from "./viewer.js";

/** @typedef {"any" | "died" | "fired" | "fought" | "spawned"} SoughtEvent */

const transportWords = words(
  {
    turn: (/** @type {number} */ turn, /** @type {number} */ last) => `Turn ${turn} of ${last}`,
    slider: "Turn",
    steps: "Steps",
    options: (/** @type {number} */ speed) => `${speed}×: speed and events`,
    first: "First turn (Home)",
    eventBack: "Previous event ([)",
    back: "One turn back (←)",
    play: "Play (space)",
    pause: "Pause (space)",
    on: "One turn forward (→)",
    eventOn: "Next event (])",
    last: "Last turn (End)",
    sought: "Events",
    any: "all",
    died: "deaths",
    fired: "lights",
    fought: "fights",
    spawned: "spawns",
    speed: "Speed",
    hide: "Hide the future",
    live: "Live",
    liveHint: "Show new turns as they arrive",
  },
  {
    turn: (turn, last) => `第 ${turn} / ${last} 回合`,
    slider: "回合",
    steps: "步进",
    options: (speed) => `${speed}×：速度与事件`,
    first: "开局（Home）",
    eventBack: "上一个事件（[）",
    back: "后退一回合（←）",
    play: "播放（空格）",
    pause: "暂停（空格）",
    on: "前进一回合（→）",
    eventOn: "下一个事件（]）",
    last: "最后一回合（End）",
    sought: "事件",
    any: "全部",
    died: "死亡",
    fired: "金光",
    fought: "战斗",
    spawned: "产豆",
    speed: "速度",
    hide: "不显示后续回合",
    live: "直播",
    liveHint: "新的回合一到就显示",
  },
);

/** @type {SoughtEvent[]} */
const soughtEvents = ["any", "died", "fired", "fought", "spawned"];
/** What the event buttons and the keys [ and ] look for. @type {SoughtEvent} */
let soughtEvent = "any";

export const transportIcons = {
  first: "M5 5h2.5v14H5zM19 5v14L8.5 12z",
  eventBack: "M13 6l1.6 4.4L19 12l-4.4 1.6L13 18l-1.6-4.4L7 12l4.4-1.6zM6 8l-4 4 4 4z",
  back: "M14.5 5v14L5 12zM17 5h2.5v14H17z",
  play: "M7 4l13 8-13 8z",
  pause: "M6 4.5h4.2v15H6zM13.8 4.5H18v15h-4.2z",
  on: "M9.5 5v14L19 12zM4.5 5H7v14H4.5z",
  eventOn: "M11 6l1.6 4.4L17 12l-4.4 1.6L11 18l-1.6-4.4L5 12l4.4-1.6zM18 8l4 4-4 4z",
  last: "M16.5 5H19v14h-2.5zM5 5v14l10.5-7z",
};

/**
 * Goes to a turn and stops the playback.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {number} turn
 */
export function goToTurn(viewer, turn) {
  if (viewer.playing) viewer.play(false);
  viewer.go(turn);
}

/**
 * Goes to the previous or next event of the selected kind.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {-1 | 1} step
 */
export function goToEvent(viewer, step) {
  const there = viewer.turnsWith(soughtEvent).filter((turn) => (turn - viewer.turn) * step > 0);
  const turn = step < 0 ? there.at(-1) : there[0];
  if (turn !== undefined) goToTurn(viewer, turn);
}

/** @type {Mount} */
export function mountTransport(viewer, container) {
  const slider = el("input", { type: "range", id: "transport-slider", class: "transport-slider", min: 0, step: 1 });
  slider.addEventListener("input", () => goToTurn(viewer, Number(slider.value)));
  const label = el("label", { for: slider.id, class: "transport-turn" });

  /** @type {{ key: keyof typeof transportIcons, button: HTMLButtonElement }[]} */
  const buttons = [];
  const playIcon = svg("path", { d: transportIcons.play });
  const button = (/** @type {keyof typeof transportIcons} */ key, /** @type {() => void} */ onclick) => {
    const path = key === "play" ? playIcon : svg("path", { d: transportIcons[key] });
    const icon = svg("svg", { viewBox: "0 0 24 24", width: 22, height: 22, fill: "currentColor", "aria-hidden": "true" }, path);
    const made = el("button", { type: "button", class: key === "play" ? "primary" : `transport-${key}`, onclick }, icon);
    buttons.push({ key, button: made });
    return made;
  };
  const group = el(
    "div",
    { class: "transport-steps", role: "group" },
    button("first", () => goToTurn(viewer, 0)),
    button("eventBack", () => goToEvent(viewer, -1)),
    button("back", () => goToTurn(viewer, viewer.turn - 1)),
    button("play", () => viewer.play(!viewer.playing)),
    button("on", () => goToTurn(viewer, viewer.turn + 1)),
    button("eventOn", () => goToEvent(viewer, 1)),
    button("last", () => goToTurn(viewer, viewer.last)),
  );

  const kinds = soughtEvents.map((kind) => el("option", { value: kind }));
  const sought = el("select", {}, ...kinds);
  sought.addEventListener("change", () => (soughtEvent = /** @type {SoughtEvent} */ (sought.value)));
  const speed = el("select", {}, ...SPEEDS.map((value) => el("option", { value }, `${value}×`)));
  speed.addEventListener("change", () => viewer.setSpeed(Number(speed.value)));
  const soughtLabel = el("span");
  const speedLabel = el("span");
  const liveLabel = el("span");
  const live = el("button", { type: "button", class: "transport-live" }, el("span", { class: "transport-dot" }), liveLabel);
  live.addEventListener("click", () => {
    viewer.go(viewer.last);
    follow(true);
  });
  const hide = el("input", { type: "checkbox", onchange: () => viewer.hideFuture(hide.checked) });
  const hideLabel = el("span");
  // The choices lie above or below their button, so that the row keeps its height.
  const choices = el(
    "div",
    { id: "transport-choices", class: "transport-choices card", popover: "auto" },
    el("label", {}, speedLabel, speed),
    el("label", {}, soughtLabel, sought),
    el("label", { class: "check" }, hide, hideLabel),
  );
  const options = el("button", { type: "button", class: "transport-options", popovertarget: choices.id });
  choices.addEventListener("toggle", () => {
    const { right, top, bottom } = options.getBoundingClientRect();
    const { clientWidth, clientHeight } = document.documentElement;
    const { height } = choices.getBoundingClientRect();
    choices.style.right = `${Math.max(clientWidth - right, 8)}px`;
    choices.style.top = `${bottom + height < clientHeight ? bottom + 6 : top - height - 6}px`;
  });
  container.append(group, slider, label, live, options, choices, theatreButton(viewer));

  // Whether new turns are still coming. At the last turn, the page follows them; further back, it does not.
  let streaming = false;
  const follow = (/** @type {boolean} */ on) => {
    if (on === viewer.live) return;
    viewer.live = on;
    viewer.notify("playing");
  };
  const showLive = () => {
    live.hidden = !streaming;
    live.setAttribute("aria-pressed", String(viewer.live));
  };
  const showTurn = () => {
    const { turn, timeline } = viewer;
    // The length of a match reveals how it ends.
    const last = viewer.hidesFuture && timeline ? timeline.head.ruleset.turn_limit : viewer.last;
    slider.max = String(last);
    slider.value = String(turn);
    slider.style.setProperty("--done", `${last ? (100 * turn) / last : 0}%`);
    setText(label, `${turn} / ${last}`);
    slider.setAttribute("aria-valuetext", transportWords.turn(turn, last));
    for (const { key, button } of buttons) {
      const idle = key === "first" || key === "back" ? turn === 0 : (key === "on" || key === "last") && turn === viewer.last;
      button.toggleAttribute("data-idle", idle);
    }
  };
  const showPlaying = () => {
    const key = viewer.playing ? "pause" : "play";
    playIcon.setAttribute("d", transportIcons[key]);
    const { button } = buttons[3];
    button.title = transportWords[key];
    button.setAttribute("aria-label", transportWords[key]);
    speed.value = String(viewer.speed);
    options.textContent = `${viewer.speed}×`;
    options.title = transportWords.options(viewer.speed);
    options.setAttribute("aria-label", options.title);
    showLive();
  };
  const showWords = () => {
    for (const { key, button } of buttons) {
      button.title = transportWords[key];
      button.setAttribute("aria-label", transportWords[key]);
    }
    group.setAttribute("aria-label", transportWords.steps);
    kinds.forEach((option, index) => (option.textContent = transportWords[soughtEvents[index]]));
    soughtLabel.textContent = transportWords.sought;
    speedLabel.textContent = transportWords.speed;
    hideLabel.textContent = transportWords.hide;
    liveLabel.textContent = transportWords.live;
    live.title = transportWords.liveHint;
    label.title = transportWords.slider;
    slider.setAttribute("aria-label", transportWords.slider);
    showTurn();
    showPlaying();
  };
  const isOver = () => viewer.timeline?.frames[viewer.last].over ?? true;
  viewer.on(["timeline", "ended"], () => (streaming = false));
  viewer.on("grown", () => {
    streaming = (streaming || viewer.live || viewer.timeline?.head.source === "replay") && !isOver();
    showTurn();
    showLive();
  });
  viewer.on("turn", () => {
    if (streaming || viewer.live) follow(viewer.turn === viewer.last && !isOver());
    showTurn();
  });
  viewer.on("playing", () => {
    // At the last turn, the page follows new turns unless the match has ended.
    if (viewer.live) streaming = true;
    else if (viewer.turn === viewer.last) streaming = false;
    showPlaying();
  });
  viewer.on("future", () => {
    hide.checked = viewer.hidesFuture;
    showTurn();
  });
  viewer.on("language", showWords);
  showWords();
  runClock(viewer);
}

/** Advances the turn during playback. @param {import("./viewer.js").Viewer} viewer */
function runClock(viewer) {
  let then = 0;
  let due = 0;
  let waiting = 0;
  const tick = (/** @type {number} */ now) => {
    waiting = 0;
    if (!viewer.playing) return;
    // A page that was hidden does not jump far ahead; a slow page skips turns.
    due += (Math.min(Math.max(now - then, 0), 500) * PACE * viewer.speed) / 1000;
    then = now;
    const steps = Math.floor(due);
    due -= steps;
    if (steps) viewer.go(viewer.turn + steps);
    if (viewer.turn === viewer.last && !viewer.live) viewer.play(false);
    else if (!waiting) waiting = requestAnimationFrame(tick);
  };
  viewer.on("playing", () => {
    if (!viewer.playing || waiting) return;
    then = performance.now();
    // The first turn comes early, as feedback.
    due = 0.75;
    waiting = requestAnimationFrame(tick);
  });
}
