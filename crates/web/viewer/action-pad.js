// The pad for human players: four moves, four shots, and stay. It is visible while this page plays a seat.

import { boardWords } from "./board.js";
import { allSeats } from "./board-geometry.js";
import { el, setText, svg } from "./dom.js";
import { words } from "./language.js";
import { seatChip, stateText } from "./players.js";
import { actionName } from "./sentences.js";
import { remember, remembered } from "./storage.js";
import { goToTurn } from "./transport.js";

const padWords = words(
  {
    title: "Your action",
    walk: "Move",
    shoot: "Shoot",
    choose: (/** @type {Seat} */ seat, /** @type {number} */ turn) => `Player ${seat}: choose for turn ${turn}`,
    waiting: "Chosen. Waiting for the others…",
    dead: (/** @type {Seat} */ seat, /** @type {string} */ state) => `Player ${seat} ${state}.`,
    skip: "Skip to the end",
    shape0: "blue circle",
    shape1: "orange square",
    shape2: "green triangle",
    shape3: "purple diamond",
    first0: (/** @type {string} */ shape) => `You are the ${shape}. Fruit makes you stronger, and the strongest player wins.`,
    first2: "The keys below do the same, and shoot. On a keyboard: W A S D move, with ⇧ they shoot, X stays.",
  },
  {
    title: "你的动作",
    walk: "移动",
    shoot: "发射金光",
    choose: (seat, turn) => `${seat} 号玩家：请选择第 ${turn} 回合的动作`,
    waiting: "已选择，等待其他玩家…",
    dead: (seat, state) => `${seat} 号玩家：${state}。`,
    skip: "跳到最后",
    shape0: "蓝色圆形",
    shape1: "橙色方块",
    shape2: "绿色三角形",
    shape3: "紫色菱形",
    first0: (shape) => `你是${shape}。吃豆增加力量，力量最强的获胜。`,
    first2: "下面的按键作用相同，还能发射金光。键盘上 W A S D 移动，同时按住 ⇧ 则发射，X 不动。",
  },
);

/** Words about the time for an action, here and in a match on a server. */
export const clockWords = words(
  {
    timeLeft: "Time left",
    seconds: (/** @type {number} */ left) => `${left} s`,
    lastChance: (/** @type {string} */ seats) =>
      `You were too late, and player ${seats} stayed. This is forgiven once per match: the next time, the player dies.`,
  },
  {
    timeLeft: "剩余时间",
    seconds: (left) => `${left} 秒`,
    lastChance: (seats) => `${seats} 号玩家超时，按不动处理。每局只原谅一次，再次超时就会死亡！`,
  },
);

/** Shows the time that is left until a deadline. @param {HTMLElement} clock @param {number} deadline */
export function showTimeLeft(clock, deadline) {
  const left = Math.max(0, deadline - performance.now());
  setText(clock, clockWords.seconds(Math.ceil(left / 1000)));
  clock.classList.toggle("clock-urgent", left < 5000);
}

const firstKey = "pacman2-first-turns";
const firstTurns = 3;
/** Whether this browser has played the first turns of a game, which are explained, and have no clock. */
const knowsTheGame = () => remembered(firstKey) !== null;
/** The first turn with a clock. */
export const clockedFrom = () => (knowsTheGame() ? 1 : firstTurns + 1);
/** Whether the turn for which a player chooses is explained. @param {import("./viewer.js").Viewer} viewer */
export const isExplained = ({ last }) => last < firstTurns && !knowsTheGame();

/** The actions of the pad, row by row. A shot is four more than the move in the same direction. */
const padActions = [null, 0, null, 3, -1, 1, null, 2, null];
const padKeys = ["W", "D", "S", "A"];
const walkIcon = "M12 3l8 9h-5v8H9v-8H4z";
const shotIcon = "M13 2L5 13h6l-1 9 9-12h-6z";

/** The seats that this page has played in the shown timeline. @type {Set<Seat>} */
const padSeats = new Set();

/**
 * Whether the arrow keys are those of a player of this page: it lives, and the last turn is shown. Otherwise they would leave
 * the turn for which the player chooses.
 * @param {import("./viewer.js").Viewer} viewer
 */
export function playsWithArrows({ frame, turn, last, live, choosing }) {
  if (turn !== last || !frame || frame.over) return false;
  return choosing.size > 0 || (live && [...padSeats].some((seat) => frame.players[seat].alive));
}

/** @type {Mount} */
export function mountActionPad(viewer, container) {
  /** @type {Seat | undefined} */
  let asked;
  /** @type {Action[]} */
  let legal = [];
  container.classList.add("seat");
  const title = el("h2", { class: "visually-hidden" });
  const chips = el("span", { class: "seat-chips" });
  const status = el("span", { role: "status" });
  /** @type {{ action: Action, button: HTMLButtonElement }[]} */
  const buttons = [];

  const choose = (/** @type {Action} */ action) => {
    if (asked === undefined || !legal.includes(action)) return;
    const chosen = viewer.choosing.get(asked);
    viewer.choose(asked, null);
    chosen?.(action);
  };
  const key = (/** @type {Action} */ action) => {
    const shot = action > 3;
    const name = action < 0 ? "X" : padKeys[action & 3];
    const icon =
      action < 0
        ? svg("circle", { cx: 12, cy: 12, r: 5 })
        : svg("path", { d: shot ? shotIcon : walkIcon, transform: shot ? "" : `rotate(${90 * action} 12 12)` });
    const arrow = shot && svg("path", { d: "M12-4l5 6H7z", transform: `rotate(${90 * (action - 4)} 12 12)` });
    const box = { viewBox: "-4 -4 32 32", width: 30, height: 30 };
    const picture = svg("svg", { ...box, fill: "currentColor", "aria-hidden": "true" }, icon, arrow);
    const looks = { class: shot ? "seat-key seat-shot" : "seat-key", "data-key": (shot ? "⇧" : "") + name };
    const button = el("button", { type: "button", ...looks }, picture);
    button.setAttribute("aria-keyshortcuts", shot ? `Shift+${name}` : name);
    button.addEventListener("click", () => choose(action));
    buttons.push({ action, button });
    return button;
  };
  const cross = (/** @type {0 | 4} */ more) => {
    const label = el("span", { class: "seat-label", "aria-hidden": "true" });
    const cells = padActions.map((action) => {
      if (action === -1 && more) return label;
      return action === null ? el("span") : key(action < 0 ? action : action + more);
    });
    return { label, box: el("div", { class: "seat-cross", role: "group" }, ...cells) };
  };
  const walk = cross(0);
  const shoot = cross(4);
  const warning = el("p", { class: "clock-warning", role: "alert", hidden: true });
  const clock = el("span", { class: "clock-left", role: "timer", hidden: true });
  let hindrance = "";
  setInterval(() => showClock(), 250);
  const showClock = () => {
    clock.hidden = viewer.deadline === null;
    if (viewer.deadline !== null) showTimeLeft(clock, viewer.deadline);
    if (viewer.hindrance !== hindrance) soon();
    hindrance = viewer.hindrance;
  };
  const first = el("p", { class: "seat-first", role: "status" });
  const skip = el("button", { type: "button", onclick: () => goToTurn(viewer, viewer.last) });
  container.append(title, warning, el("div", { class: "seat-head" }, chips, status, clock, skip), first, el("div", { class: "seat-pad" }, walk.box, shoot.box));

  const show = () => {
    const { timeline, engine, choosing, last } = viewer;
    const frame = timeline?.frames[last];
    asked = allSeats.find((seat) => choosing.has(seat));
    const dead = frame ? [...padSeats].filter((seat) => !frame.players[seat].alive) : [];
    const { frame: shownFrame } = viewer;
    // The others may have played to the end at once. A player that died sees how, and may skip the rest.
    const isWatching = [...padSeats].every((seat) => !shownFrame?.players[seat].alive) && !shownFrame?.over;
    container.hidden = !timeline || !frame || padSeats.size === 0 || (frame.over && asked === undefined && !isWatching);
    if (container.hidden || !timeline || !frame) return;
    showClock();
    warning.hidden = !viewer.warned.length;
    setText(warning, viewer.warned.length ? clockWords.lastChance(viewer.warned.join(", ")) : "");
    legal = asked === undefined ? [] : engine.inspect(timeline, last).legal[asked];
    // Not `disabled`, because a disabled button loses the keyboard focus.
    for (const { action, button } of buttons) button.setAttribute("aria-disabled", String(!legal.includes(action)));
    container.classList.toggle("seat-dead", dead.length === padSeats.size);
    const t = padWords;
    const gone = dead.map((seat) => t.dead(seat, stateText(timeline, frame.players[seat], seat))).join(" ");
    skip.hidden = !isWatching || viewer.turn === last;
    setText(skip, t.skip);
    const now = asked !== undefined ? t.choose(asked, last + 1) : dead.length < padSeats.size ? t.waiting : "";
    setText(status, viewer.hindrance || [gone, now].filter(Boolean).join(" "));
    const shown = asked === undefined ? [...padSeats] : [asked];
    const isFirst = asked !== undefined && isExplained(viewer);
    setText(first, isFirst ? [t.first0(t[`shape${asked ?? 0}`]), boardWords.choose, t.first2][last] : "");
    if (asked !== undefined && last === firstTurns) remember(firstKey, "played");
    if (chips.dataset.seats !== String(shown)) chips.replaceChildren(...shown.map(seatChip));
    chips.dataset.seats = String(shown);
  };
  // While bots play, many turns may arrive within one task. The pad is redrawn once, after the last of them, also in a page that is
  // not painted: a screen reader announces from it that a player has to choose.
  let due = 0;
  const soon = () => {
    for (const seat of viewer.choosing.keys()) padSeats.add(seat);
    due ||= window.setTimeout(() => {
      due = 0;
      show();
    });
  };
  const showWords = () => {
    title.textContent = padWords.title;
    clock.setAttribute("aria-label", clockWords.timeLeft);
    walk.label.textContent = padWords.walk;
    shoot.label.textContent = padWords.shoot;
    walk.box.setAttribute("aria-label", padWords.walk);
    shoot.box.setAttribute("aria-label", padWords.shoot);
    for (const { action, button } of buttons) button.setAttribute("aria-label", (button.title = actionName(action)));
    show();
  };
  viewer.on("timeline", () => {
    padSeats.clear();
    soon();
  });
  viewer.on(["grown", "view", "turn"], soon);
  viewer.on("language", showWords);
  showWords();
}
