// What if: playing on from any turn, with a human or another bot in any seat.

import { isExplained } from "./action-pad.js";
import { allSeats } from "./board-geometry.js";
import { playChoices } from "./branches.js";
import { el, setText } from "./dom.js";
import { words } from "./language.js";
import { localized } from "./localized.js";
import { reasonOf, showMessage } from "./open.js";
import { seatChip } from "./players.js";

const whatIfWords = words(
  {
    seat: (/** @type {Seat} */ seat) => `Player ${seat} is played by`,
    dead: "dead",
    human: "you",
    recorded: "as in the match",
    start: (/** @type {number} */ turn) => `Play on from turn ${turn}`,
    over: "The game is over here. Choose an earlier turn.",
    fresh: "New game in this page",
    back: "Take back a turn",
    stop: "Stop",
    on: "Continue",
    match: "The match",
    map: "The map",
    game: (/** @type {number} */ number) => `Game ${number}`,
    branch: (/** @type {number} */ number, /** @type {number} */ turn) => `What if ${number}, from turn ${turn}`,
    remove: (/** @type {number} */ number) => `Delete game ${number} and what branched off it`,
    missing: (/** @type {string} */ bots) => `This page does not have these bots, so the game stops here: ${bots}.`,
    thinking: (/** @type {string} */ bots, /** @type {number} */ turn) => `Thinking about turn ${turn}: ${bots}…`,
    versions: "Shown game",
    clock: "Time for a human's action",
    noClock: "no limit",
    seconds: (/** @type {number} */ number) => `${number} s`,
    deviated: (/** @type {string} */ seats) => `The action from the match was illegal in some turns; these players stayed instead: ${seats}.`,
  },
  {
    seat: (seat) => `${seat} 号玩家由谁来玩`,
    dead: "已死亡",
    human: "你",
    recorded: "与原对局相同",
    start: (turn) => `从第 ${turn} 回合接着玩`,
    over: "游戏在这里已经结束，请选择更早的回合。",
    fresh: "在本页开一局新游戏",
    back: "退回一回合",
    stop: "停止",
    on: "继续",
    match: "原对局",
    map: "地图",
    game: (number) => `第 ${number} 局`,
    branch: (number, turn) => `假设 ${number}（从第 ${turn} 回合起）`,
    remove: (number) => `删除第 ${number} 局及其分支`,
    missing: (bots) => `本页没有这些程序，对局到此为止：${bots}。`,
    thinking: (bots, turn) => `正在思考第 ${turn} 回合：${bots}……`,
    versions: "正在显示",
    clock: "真人每个动作的时限",
    noClock: "不限时",
    seconds: (number) => `${number} 秒`,
    deviated: (seats) => `原对局的动作在某些回合不合法，改为不动：${seats} 号玩家。`,
  },
);

/** How long bots may think per animation frame. A started turn is always finished. */
const THINK_MS = 8;

/** @typedef {import("./engine-worker.js").Effort} Effort */

/** How long the bots of the strong engine think: as in a match, but on a phone, less. @returns {Effort} */
export const usualEffort = () => ({ time_ms: matchMedia("(pointer: coarse)").matches ? 300 : 800 });

/** The names of the built-in bots, those of the strong engine last. @param {import("./viewer.js").Viewer} viewer */
export function botNames({ engine, strong }) {
  const light = engine.builtIn().map(({ name }) => name);
  return [...light.filter((name) => !strong?.has(name)), ...(strong?.bots ?? [])];
}

/** @typedef {import("./branches.js").Branch} Branch */
/** @typedef {import("./branches.js").Choice} Choice */

/** The time for a human's action in a match that does not say. */
export const usualClockSeconds = 30;
const humanClocks = [0, 5, 10, 20, usualClockSeconds, 60];

/** The time that a human can have for an action, with its name. @param {import("./viewer.js").Viewer} viewer @param {number} seconds at first */
export function clockField(viewer, seconds) {
  const t = whatIfWords;
  const options = humanClocks.map((value) =>
    localized(viewer, el("option", { value: String(value) }), () => (value ? t.seconds(value) : t.noClock)));
  const select = el("select", {}, ...options);
  select.value = String(seconds);
  const field = el("label", { class: "field" }, localized(viewer, el("span"), () => t.clock), select);
  return { field, ms: () => Number(select.value) * 1000, set: (/** @type {number} */ ms) => (select.value = String(ms / 1000)) };
}

/** @type {Mount} */
export function mountWhatIf(viewer, container) {
  const bots = botNames(viewer);
  const { branches } = viewer;
  /** The match that is shown, or whose branch is. @type {Timeline | null} */
  let root = null;
  /** The branch that is shown. @type {Branch | undefined} */
  let branch;
  /** The animation frame request, or 0. */
  let running = 0;
  /** The humans who still have to choose. @type {Set<Seat>} */
  let humans = new Set();
  /** What humans and the bots of the strong engine have chosen for the next turn. @type {Map<Seat, Choice>} */
  let chosenActions = new Map();
  /** The timer that ends the humans' time. */
  let clockTimer = 0;
  /** Stops the bots of the strong engine while they think. @type {AbortController | null} */
  let thinking = null;

  const selects = allSeats.map(() => el("select"));
  const clock = clockField(viewer, 0);
  const start = el("button", { type: "button", class: "primary" });
  const note = el("p", { class: "whatif-note", role: "status" });
  const versions = el("ul", { class: "whatif-tree" });
  const back = el("button", { type: "button" });
  const stop = el("button", { type: "button" });
  const fresh = el("button", { type: "button" });
  container.append(
    versions,
    el("div", { class: "whatif-seats" }, ...selects.map((select, seat) => el("div", {}, seatChip(allSeats[seat]), select))),
    clock.field,
    el("div", { class: "whatif-row" }, start, back, stop, fresh),
    note,
  );

  /** Runs work that may fail with a message. @param {() => void} work */
  const attempt = (work) => {
    try {
      work();
    } catch (thrown) {
      halt();
      showMessage(reasonOf(thrown));
    }
  };

  /** Stops bots, and withdraws all questions to humans. */
  const halt = () => {
    cancelAnimationFrame(running);
    running = 0;
    thinking?.abort();
    thinking = null;
    chosenActions = new Map();
    withdraw();
  };

  /** Asks humans no longer, and returns whom. */
  const withdraw = () => {
    clearTimeout(clockTimer);
    viewer.deadline = null;
    const asked = humans;
    humans = new Set();
    for (const seat of asked) viewer.choose(seat, null);
    return asked;
  };

  /** Whether a human was too late once in a branch. @param {Branch} of @param {Seat} seat */
  const wasForgiven = ({ timeline, turn }, seat) =>
    timeline.frames.slice(turn + 1).some(({ answers }) => answers[seat]?.problem?.code === "forgiven");

  /** Ends the time of the humans who have not chosen. As on a server, the first time a player stays, and then it dies. */
  const timeOut = () => {
    if (!branch) return;
    for (const seat of withdraw()) chosenActions.set(seat, wasForgiven(branch, seat) ? "late" : "forgiven");
    viewer.live = true;
    if (!thinking) finishTurn();
    else show();
  };

  /** The action from the match, or stay if it is illegal here. @param {Branch} of @param {Seat} seat */
  const recorded = ({ timeline, root, deviated }, seat) => {
    const answer = root.frames[timeline.frames.length]?.answers[seat];
    if (answer && viewer.engine.inspect(timeline, viewer.last).legal[seat].includes(answer.action)) return answer.action;
    deviated.add(seat);
    return -1;
  };

  /** @param {Branch} of */
  const playTurn = (of) => {
    const { timeline, choices } = of;
    const { players } = timeline.frames[viewer.last];
    const actions = allSeats.map((seat) => {
      if (!players[seat].alive) return null;
      if (choices[seat] === "recorded") return recorded(of, seat);
      return chosenActions.get(seat) ?? viewer.engine.decide(timeline, choices[seat], seat);
    });
    chosenActions = new Map();
    playChoices(viewer.engine, of, actions);
  };

  /** The living players in seats with such a choice. @param {Branch} of @param {(choice: string) => boolean} isSuch */
  const living = ({ timeline, choices }, isSuch) => {
    const { players } = timeline.frames[viewer.last];
    return allSeats.filter((seat) => isSuch(choices[seat]) && players[seat].alive);
  };
  const isHuman = (/** @type {string} */ choice) => choice === "human";
  const isStrong = (/** @type {string} */ choice) => viewer.strong?.has(choice) ?? false;
  /** Whether bots play among themselves now. */
  const botsPlay = () => running !== 0 || (thinking !== null && !!branch && !living(branch, isHuman).length);

  /** The bots of the shown branch that this page does not have. */
  const missing = () => branch?.choices.filter((choice) => !["human", "recorded", ...bots].includes(choice)) ?? [];

  /** Asks humans and the strong engine. Without either, bots play to the end, and the page plays the turns back. */
  const proceed = () => {
    if (!branch || branch.stopped || missing().length) return show();
    if (branch.timeline.frames[viewer.last].over) return show();
    const waiting = living(branch, isHuman);
    const strong = living(branch, isStrong);
    if (!waiting.length && !strong.length) {
      running = requestAnimationFrame(runOn);
      return show();
    }
    if (strong.length) void think(branch, strong);
    if (!waiting.length) return show();
    viewer.live = true;
    viewer.notify("playing");
    humans = new Set(waiting);
    if (branch.clock && !isExplained(viewer)) {
      viewer.deadline = performance.now() + branch.clock;
      clockTimer = setTimeout(timeOut, branch.clock);
    }
    for (const seat of waiting) viewer.choose(seat, (action) => receive(seat, action));
    show();
  };

  /** @param {Seat} seat @param {Action} action */
  const receive = (seat, action) => {
    // A key may come before the page has updated.
    if (!branch || !humans.delete(seat)) return;
    viewer.choose(seat, null);
    chosenActions.set(seat, action);
    if (humans.size) return;
    withdraw();
    viewer.live = true;
    if (!thinking) finishTurn();
    else show();
  };

  /**
   * Asks the strong engine. The bots think while the humans choose.
   * @param {Branch} of
   * @param {Seat[]} seats
   */
  const think = async (of, seats) => {
    const { strong } = viewer;
    const controller = (thinking = new AbortController());
    try {
      const asked = seats.map((seat) =>
        strong?.decide(viewer, of.timeline, { bot: of.choices[seat], seat, effort: of.effort }, controller.signal));
      const actions = await Promise.all(asked);
      if (controller.signal.aborted) return;
      thinking = null;
      seats.forEach((seat, index) => chosenActions.set(seat, actions[index] ?? -1));
      if (!humans.size) finishTurn();
    } catch (thrown) {
      if (controller.signal.aborted) return;
      of.stopped = true;
      halt();
      showMessage(reasonOf(thrown));
      show();
    }
  };

  /** Plays the turn for which everything is chosen. */
  const finishTurn = () =>
    attempt(() => {
      if (!branch) return;
      // Without humans, the page follows if it shows the last turn.
      if (viewer.turn === viewer.last && !viewer.playing) viewer.live = true;
      playTurn(branch);
      viewer.grown();
      proceed();
    });

  const runOn = () => {
    running = 0;
    attempt(() => {
      if (!branch) return;
      const until = performance.now() + THINK_MS;
      const atEnd = viewer.turn === viewer.last;
      do playTurn(branch);
      while (performance.now() < until && !branch.timeline.frames[viewer.last].over);
      viewer.live = false;
      viewer.grown();
      if (atEnd && !viewer.playing) viewer.play(true);
      proceed();
    });
  };

  /** Whether the match has a next turn whose actions can be repeated. */
  const goesOn = () => viewer.turn + 1 < (root?.frames.length ?? 0);

  /**
   * Starts a game from a turn of a timeline.
   * @param {Timeline} source
   * @param {number} turn
   * @param {Four<string>} choices
   * @param {Effort} effort
   * @param {number} ms the time for a human's action, or 0
   */
  const startBranch = (source, turn, choices, effort, ms) =>
    attempt(() => viewer.show(branches.start(source, turn, choices, effort, ms).timeline, turn));

  const begin = () => {
    const source = viewer.timeline;
    if (!source || viewer.frame?.over) return;
    startBranch(source, viewer.turn, shownChoices(), branch?.effort ?? usualEffort(), clock.ms());
  };
  /** The choices; the dead stay who they were. */
  const shownChoices = () => /** @type {Four<string>} */ (selects.map(({ value }) => value || "recorded"));
  viewer.startGame = (timeline, choices, effort, ms = 0) => {
    chosenPlayers = [...choices];
    startBranch(timeline, 0, choices, effort, ms);
  };

  viewer.playOn = (source, turn, choices, line) =>
    attempt(() => {
      const made = branches.start(source, turn, choices, usualEffort(), 0);
      for (const actions of line) viewer.engine.play(made.timeline, actions);
      made.stopped = line.length > 0;
      viewer.show(made.timeline, turn);
      if (made.stopped) viewer.play(true);
    });

  const takeBack = () =>
    attempt(() => {
      if (!branch || viewer.last <= branch.turn) return;
      const old = branches.takeBack(branch);
      viewer.show(branch.timeline, viewer.last - 1);
      viewer.engine.close(old);
    });

  start.addEventListener("click", begin);
  back.addEventListener("click", takeBack);
  stop.addEventListener("click", () => {
    if (!branch) return;
    branch.stopped = botsPlay();
    halt();
    proceed();
  });
  /** Starts a game on another map. @param {Four<string>} choices @param {Effort} effort @param {number} ms */
  const startAnew = (choices, effort, ms) =>
    attempt(() => {
      const players = /** @type {Four<string>} */ (choices.map((choice) => (choice === "recorded" ? "greedy" : choice)));
      viewer.startGame(viewer.engine.map(Math.floor(Math.random() * 2 ** 31), null), players, effort, ms);
    });
  fresh.addEventListener("click", () => startAnew(shownChoices(), usualEffort(), clock.ms()));
  viewer.playAgain = (isSameMap) => {
    if (!branch) return;
    const { parent, turn, choices, effort, clock: ms } = branch;
    if (isSameMap) startBranch(parent?.timeline ?? branch.root, turn, choices, effort, ms);
    else startAnew(choices, effort, ms);
  };

  /** The user's choices. By default, the followed seat is played by the user. @type {(string | null)[]} */
  let chosenPlayers = [null, null, null, null];
  /** Whether "recorded" is offered. */
  let offered = false;
  const offer = () => {
    offered = goesOn();
    const choices = [["human", whatIfWords.human], ...bots.map((name) => [name, name])];
    if (offered) choices.push(["recorded", whatIfWords.recorded]);
    choices.push(["", whatIfWords.dead]);
    selects.forEach((select) => select.replaceChildren(...choices.map(([value, text]) => el("option", { value, hidden: !value }, text))));
    selectDefaults();
  };
  const selectDefaults = () => {
    // A game that is over cannot go on, but another one can begin with all four.
    const { frame } = viewer;
    const alive = allSeats.filter((seat) => !frame || frame.over || frame.players[seat].alive);
    const own = alive.find((seat) => seat === viewer.followed) ?? alive[0];
    selects.forEach((select, seat) => {
      const choice = chosenPlayers[seat] ?? (seat === own ? "human" : "recorded");
      select.disabled = !alive.includes(allSeats[seat]);
      select.value = select.disabled ? "" : choice === "recorded" && !offered ? "greedy" : choice;
    });
  };
  selects.forEach((select, seat) => select.addEventListener("change", () => (chosenPlayers[seat] = select.value)));

  /** Deletes a branch with its children, and shows what it branched off if it was shown. @param {Branch} of */
  const remove = (of) => {
    for (let shown = branch; shown; shown = shown.parent) {
      if (shown === of) viewer.show(of.parent?.timeline ?? of.root, of.turn);
    }
    branches.remove(of);
    viewer.notify("branches");
  };

  const showVersions = () => {
    const tree = root ? branches.of(root) : [];
    const t = whatIfWords;
    const isMap = root?.head.source === "map";
    const focused = versions.contains(document.activeElement);
    /** An item of the tree: the match or a branch, and what branches off it. @type {(timeline: Timeline, of?: Branch) => Node} */
    const item = (timeline, of) => {
      const isShown = timeline === viewer.timeline;
      const show = () => isShown || viewer.show(timeline, of ? timeline.frames.length - 1 : branch?.turn ?? 0);
      const match = isMap ? t.map : t.match;
      const name = !of ? match : isMap && of.turn === 0 ? t.game(of.number) : t.branch(of.number, of.turn);
      const label = of && t.remove(of.number);
      const items = tree.filter(({ parent }) => parent === of).map((child) => item(child.timeline, child));
      return el("li", {},
        el("button", { type: "button", "aria-pressed": String(isShown), onclick: show }, name),
        of && el("button", { type: "button", class: "whatif-remove", title: label, "aria-label": label, onclick: () => remove(of) }, "✕"),
        items.length > 0 && el("ul", {}, ...items));
    };
    versions.hidden = tree.length === 0;
    versions.replaceChildren(...(root ? [item(root)] : []));
    if (focused) /** @type {HTMLElement | null} */ (versions.querySelector("[aria-pressed=true]"))?.focus();
  };

  const show = () => {
    const t = whatIfWords;
    const over = viewer.frame?.over ?? true;
    setText(start, t.start(viewer.turn));
    start.disabled = over;
    start.hidden = !viewer.timeline;
    back.hidden = !branch;
    back.disabled = !branch || viewer.last <= branch.turn || botsPlay();
    const strangers = missing().join(", ");
    stop.hidden = !botsPlay() && (!branch?.stopped || !!strangers);
    setText(stop, botsPlay() ? t.stop : t.on);
    const deviated = branch?.deviated.size ? t.deviated([...branch.deviated].sort().join(", ")) : "";
    viewer.warned = branch?.clock && !over ? living(branch, isHuman).filter((seat) => branch && wasForgiven(branch, seat)) : [];
    const of = thinking && !humans.size ? branch : undefined;
    const thinkers = of ? living(of, isStrong).map((seat) => of.choices[seat]).join(", ") : "";
    const rest = strangers ? t.missing(strangers) : viewer.timeline && over && !branch ? t.over : deviated;
    setText(note, of ? t.thinking(thinkers, viewer.last + 1) : rest);
    if (offered !== goesOn()) offer();
    else selectDefaults();
  };

  const showTimeline = () => {
    halt();
    const { timeline } = viewer;
    const before = root;
    branch = branches.find(timeline);
    if (branch) clock.set(branch.clock);
    root = timeline && branches.rootOf(timeline);
    if (root !== before && root?.head.source !== "map") chosenPlayers = [null, null, null, null];
    offer();
    showVersions();
    attempt(proceed);
  };
  const showWords = () => {
    const t = whatIfWords;
    fresh.textContent = t.fresh;
    back.textContent = t.back;
    versions.setAttribute("aria-label", t.versions);
    selects.forEach((select, seat) => select.setAttribute("aria-label", t.seat(allSeats[seat])));
    offer();
    showVersions();
    show();
  };
  viewer.on("timeline", showTimeline);
  viewer.on(["turn", "grown"], show);
  viewer.on("view", selectDefaults);
  viewer.on("branches", showVersions);
  viewer.on("language", showWords);
  showWords();
}
