// What if: playing on from any turn, with a human or another bot in any seat.

import { allSeats } from "./board-geometry.js";
import { el, setText } from "./dom.js";
import { words } from "./language.js";
import { reasonOf, showMessage } from "./open.js";
import { seatChip } from "./players.js";

const whatIfWords = words(
  {
    seat: (/** @type {Seat} */ seat) => `Player ${seat} is played by`,
    human: "you",
    recorded: "as in the match",
    start: (/** @type {number} */ turn) => `Play on from turn ${turn}`,
    over: "The game is over here. Choose an earlier turn.",
    fresh: "New game in this page",
    back: "Take back a turn",
    stop: "Stop",
    on: "Continue",
    match: "The match",
    branch: (/** @type {number} */ number, /** @type {number} */ turn) => `What if ${number}, from turn ${turn}`,
    versions: "Shown game",
    deviated: (/** @type {string} */ seats) => `The action from the match was illegal in some turns; these players stayed instead: ${seats}.`,
  },
  {
    seat: (seat) => `${seat} 号玩家由谁来玩`,
    human: "你",
    recorded: "与原对局相同",
    start: (turn) => `从第 ${turn} 回合接着玩`,
    over: "游戏在这里已经结束，请选择更早的回合。",
    fresh: "在本页开一局新游戏",
    back: "退回一回合",
    stop: "停止",
    on: "继续",
    match: "原对局",
    branch: (number, turn) => `假设 ${number}（从第 ${turn} 回合起）`,
    versions: "正在显示",
    deviated: (seats) => `原对局的动作在某些回合不合法，改为不动：${seats} 号玩家。`,
  },
);

/** How long bots may think per animation frame. A started turn is always finished. */
const THINK_MS = 8;

/**
 * A game that branches off a match. `root` is the timeline of the match itself. A choice is "human", "recorded" or a
 * bot's name.
 * @typedef {{
 *   timeline: Timeline, number: number, root: Timeline, turn: number,
 *   choices: Four<string>, names: Four<string>, deviated: Set<Seat>, stopped: boolean,
 * }} Branch
 */

/** @type {Mount} */
export function mountWhatIf(viewer, container) {
  const bots = viewer.engine.builtIn();
  /** @type {Branch[]} */
  let branches = [];
  /** The branch that is shown. @type {Branch | undefined} */
  let branch;
  /** The animation frame request, or 0. */
  let running = 0;
  /** The humans who still have to choose. @type {Set<Seat>} */
  let humans = new Set();
  /** @type {Map<Seat, Action>} */
  let humanActions = new Map();

  const selects = allSeats.map(() => el("select"));
  const start = el("button", { type: "button", class: "primary" });
  const note = el("p", { class: "whatif-note", role: "status" });
  const versions = el("div", { class: "whatif-row", role: "group" });
  const back = el("button", { type: "button" });
  const stop = el("button", { type: "button" });
  const fresh = el("button", { type: "button" });
  container.append(
    versions,
    el("div", { class: "whatif-seats" }, ...selects.map((select, seat) => el("div", {}, seatChip(allSeats[seat]), select))),
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
    const asked = humans;
    humans = new Set();
    for (const seat of asked) viewer.choose(seat, null);
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
      return humanActions.get(seat) ?? viewer.engine.decide(timeline, choices[seat], seat);
    });
    humanActions = new Map();
    viewer.engine.play(timeline, /** @type {Four<Action | null>} */ (actions));
  };

  /** Asks the humans. Without humans, bots play to the end, and the page plays the turns back. */
  const proceed = () => {
    if (!branch || branch.stopped) return show();
    const { timeline, choices } = branch;
    const { players, over } = timeline.frames[viewer.last];
    if (over) return show();
    const waiting = allSeats.filter((seat) => choices[seat] === "human" && players[seat].alive);
    if (!waiting.length) {
      running = requestAnimationFrame(runOn);
      return show();
    }
    viewer.live = true;
    viewer.notify("playing");
    humans = new Set(waiting);
    for (const seat of waiting) viewer.choose(seat, (action) => receive(seat, action));
    show();
  };

  /** @param {Seat} seat @param {Action} action */
  const receive = (seat, action) => {
    // A key may come before the page has updated.
    if (!branch || !humans.delete(seat)) return;
    viewer.choose(seat, null);
    humanActions.set(seat, action);
    if (humans.size) return;
    attempt(() => {
      if (!branch) return;
      viewer.live = true;
      playTurn(branch);
      viewer.grown();
      proceed();
    });
  };

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
  const goesOn = () => viewer.turn + 1 < ((branch?.root ?? viewer.timeline)?.frames.length ?? 0);

  const begin = () =>
    attempt(() => {
      const source = viewer.timeline;
      if (!source || viewer.frame?.over) return;
      const { turn } = viewer;
      const root = branch?.root ?? source;
      const choices = /** @type {Four<string>} */ (selects.map(({ value }) => value));
      const name = (/** @type {string} */ choice, /** @type {number} */ seat) =>
        choice === "recorded" ? root.head.seats[seat].name : choice === "human" ? whatIfWords.human : choice;
      const names = /** @type {Four<string>} */ (choices.map(name));
      const number = 1 + Math.max(0, ...branches.map((other) => other.number));
      const timeline = viewer.engine.branch(source, turn, names);
      branches.push({ timeline, number, root, turn, choices, names, deviated: new Set(), stopped: false });
      viewer.show(timeline, turn);
    });

  const takeBack = () =>
    attempt(() => {
      if (!branch || viewer.last <= branch.turn) return;
      const old = branch.timeline;
      const turn = viewer.last - 1;
      branch.timeline = viewer.engine.branch(old, turn, branch.names);
      viewer.show(branch.timeline, turn);
      viewer.engine.close(old);
    });

  start.addEventListener("click", begin);
  back.addEventListener("click", takeBack);
  stop.addEventListener("click", () => {
    if (!branch) return;
    branch.stopped = running !== 0;
    halt();
    proceed();
  });
  fresh.addEventListener("click", () =>
    attempt(() => {
      viewer.show(viewer.engine.map(Math.floor(Math.random() * 2 ** 31), null));
      begin();
    }),
  );

  /** The user's choices. By default, the followed seat is played by the user. @type {(string | null)[]} */
  let chosenPlayers = [null, null, null, null];
  /** Whether "recorded" is offered. */
  let offered = false;
  const offer = () => {
    offered = goesOn();
    const choices = [["human", whatIfWords.human], ...bots.map(({ name }) => [name, name])];
    if (offered) choices.push(["recorded", whatIfWords.recorded]);
    selects.forEach((select) => select.replaceChildren(...choices.map(([value, text]) => el("option", { value }, text))));
    selectDefaults();
  };
  const selectDefaults = () =>
    selects.forEach((select, seat) => {
      const choice = chosenPlayers[seat] ?? (seat === (viewer.followed ?? 0) ? "human" : "recorded");
      select.value = choice === "recorded" && !offered ? "greedy" : choice;
    });
  selects.forEach((select, seat) => select.addEventListener("change", () => (chosenPlayers[seat] = select.value)));

  const showVersions = () => {
    const root = branch?.root ?? viewer.timeline;
    const button = (/** @type {string} */ text, /** @type {Timeline} */ timeline, /** @type {() => number} */ turn) => {
      const shown = timeline === viewer.timeline;
      const show = () => shown || viewer.show(timeline, turn());
      return el("button", { type: "button", "aria-pressed": String(shown), onclick: show }, text);
    };
    const t = whatIfWords;
    const focused = versions.contains(document.activeElement);
    versions.hidden = branches.length === 0;
    versions.replaceChildren(
      ...(root ? [button(t.match, root, () => branch?.turn ?? 0)] : []),
      ...branches.map((other) => button(t.branch(other.number, other.turn), other.timeline, () => other.timeline.frames.length - 1)),
    );
    if (focused) /** @type {HTMLElement | null} */ (versions.querySelector("[aria-pressed=true]"))?.focus();
  };

  const show = () => {
    const t = whatIfWords;
    const over = viewer.frame?.over ?? true;
    setText(start, t.start(viewer.turn));
    start.disabled = over;
    start.hidden = !viewer.timeline;
    back.hidden = !branch;
    back.disabled = !branch || viewer.last <= branch.turn || running !== 0;
    stop.hidden = !running && !branch?.stopped;
    setText(stop, running ? t.stop : t.on);
    const deviated = branch?.deviated.size ? t.deviated([...branch.deviated].sort().join(", ")) : "";
    setText(note, viewer.timeline && over && !branch ? t.over : deviated);
    if (offered !== goesOn()) offer();
  };

  const showTimeline = () => {
    halt();
    humanActions = new Map();
    const { timeline } = viewer;
    branch = branches.find((other) => other.timeline === timeline);
    if (!branch && !branches.some(({ root }) => root === timeline)) {
      // Another match is shown, so the branches of the last one are dropped.
      for (const other of branches) viewer.engine.close(other.timeline);
      branches = [];
      if (timeline?.head.source !== "map") chosenPlayers = [null, null, null, null];
    }
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
  viewer.on("language", showWords);
  showWords();
}
