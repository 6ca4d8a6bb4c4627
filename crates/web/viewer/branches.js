// The games that branch off a match under What if. Each match has a tree of them, which is kept for the tab, and written into
// addresses and replays. What comes from there is a stranger's: its size is limited, and the engine plays every turn again.

import { allSeats } from "./board-geometry.js";
import { words } from "./language.js";
import { showMessage } from "./open.js";

const branchWords = words(
  {
    dropped: (/** @type {number} */ number) => `Games under What if that do not fit this match were left out: ${number}.`,
  },
  {
    dropped: (number) => `有 ${number} 局“如果……”与本场对局不符，已略去。`,
  },
);

/** @typedef {import("./engine-worker.js").Effort} Effort */
/**
 * What a player does in a turn: an action, or nothing within its time, which is forgiven once. Null for dead players.
 * @typedef {Action | "forgiven" | "late" | null} Choice
 */
/**
 * A game that branches off a match at a turn: off the match itself, or off another branch, its parent. `root` is the timeline
 * of the match. A choice is "human", "recorded" or a bot's name. A human has `clock` milliseconds for each action, or any time if it is 0.
 * @typedef {{
 *   timeline: Timeline, number: number, root: Timeline, parent: Branch | undefined, turn: number,
 *   choices: Four<string>, effort: Effort, clock: number, deviated: Set<Seat>, stopped: boolean,
 * }} Branch
 */
/**
 * A branch as a replay has it. `parent` is the number of the branch that it starts from, or 0 for the match.
 * @typedef {{ number: number, parent: number, turn: number, players: Four<string>, effort: Effort, clock_ms?: number, actions: Choice[][] }} BranchRecord
 */

/**
 * The answers of another bot to the questions of a match, as `pacman2 rerun` writes them into a replay; null where it was not asked.
 * @typedef {Answer & { worth?: { points: number, error: number, significant: boolean } | null }} RerunAnswer
 * @typedef {{ bot: string, seat: Seat, turns: (RerunAnswer | null)[] }} Rerun
 */

const maxBranches = 100;
/** The most turns of all branches that are read together. */
const maxTurns = 20000;
/** The longest time for a human's action. */
const maxClockMs = 3600000;

/** What this tab keeps under a name; null if there is nothing. Storage may be forbidden. @param {string} name */
export function keptInTab(name) {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Keeps a text for this tab, as far as there is room. @param {string} name @param {string} text */
export function keepInTab(name, text) {
  if (keptInTab(name) === text) return;
  try {
    sessionStorage.setItem(name, text);
  } catch {
    // The text is not kept.
  }
}

/** Whether a player did not choose in time. @param {Choice | undefined} choice @returns {choice is "forgiven" | "late"} */
const isLate = (choice) => choice === "forgiven" || choice === "late";

/** What a player did. @param {Answer | null} answer @returns {Choice} */
function choiceOf(answer) {
  const code = /** @type {Choice | undefined} */ (answer?.problem?.code);
  return isLate(code) ? code : answer && answer.action;
}

/** What the players did in a branch's own turns. @param {Timeline} timeline @param {number} turn */
const actionsAfter = ({ frames }, turn) => frames.slice(turn + 1).map(({ answers }) => answers.map(choiceOf));

/** Actions as text: four characters for each turn. @param {Choice[][]} actions */
const actionDigits = (actions) =>
  actions.flat().map((action) => (action === null ? "-" : isLate(action) ? action[0] : action + 1)).join("");

/** A character of such a text. @param {string} digit @returns {Choice} */
const choiceOfDigit = (digit) => (digit === "-" ? null : digit === "f" ? "forgiven" : digit === "l" ? "late" : Number(digit) - 1);

/**
 * Plays a turn of a branch.
 * @param {Engine} engine
 * @param {Pick<Branch, "timeline" | "clock">} branch
 * @param {Choice[]} choices
 */
export function playChoices(engine, { timeline, clock }, choices) {
  const actions = choices.map((choice) => (choice === "late" ? "TLE" : choice === "forgiven" ? -1 : choice));
  // As the server records it.
  const notes = choices.map((code) => isLate(code) ? {
    wall_us: clock * 1000,
    complaint: `no answer within ${clock} ms${code === "late" ? "" : "; forgiven once per game, the player stays"}`,
    problem: { code, params: { limit_ms: clock } },
  } : null);
  engine.play(timeline, /** @type {Four<any>} */ (actions), choices.some(isLate) ? /** @type {Four<any>} */ (notes) : undefined);
}

/** A list as a key of a replay, with a line for each item; empty without items. @param {string} key @param {object[]} items */
const listText = (key, items) => items.length > 0 && `,\n"${key}":[\n${items.map((item) => JSON.stringify(item)).join(",\n")}\n]`;

/** @param {any} rerun @returns {rerun is Rerun} */
const isRerun = (rerun) =>
  typeof rerun?.bot === "string" && [0, 1, 2, 3].includes(rerun.seat) && Array.isArray(rerun.turns)
  && rerun.turns.every((/** @type {any} */ answer) => answer === null || Number.isInteger(answer?.action));

/** @param {BranchRecord} record */
function recordText({ number, parent, turn, players, effort, clock_ms: clock, actions }) {
  const thinking = "time_ms" in effort ? `t${effort.time_ms}` : `n${effort.simulations}`;
  return [number, parent, turn, clock ? `${thinking}c${clock}` : thinking, ...players, actionDigits(actions)].join(".");
}

/** @param {string} text @returns {BranchRecord} */
function recordOf(text) {
  const [number, parent, turn, thinking = "", ...rest] = text.split(".");
  const actions = (rest[4]?.match(/.{1,4}/g) ?? []).map((four) => [...four].map(choiceOfDigit));
  const [amount, clock = 0] = thinking.slice(1).split("c").map(Number);
  const effort = thinking[0] === "n" ? { simulations: amount } : { time_ms: amount };
  const players = /** @type {Four<string>} */ (rest.slice(0, 4));
  return { number: Number(number), parent: Number(parent), turn: Number(turn), players, effort, clock_ms: clock, actions };
}

export class Branches {
  /** @param {import("./viewer.js").Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    /** The branches of a match, from the first. @type {WeakMap<Timeline, Branch[]>} */
    this.trees = new WeakMap();
    /** @type {WeakMap<Timeline, Branch>} */
    this.byTimeline = new WeakMap();
    /** What replays have brought along. @type {WeakMap<Timeline, BranchRecord[]>} */
    this.brought = new WeakMap();
    /** The reruns that replays have brought along. @type {WeakMap<Timeline, Rerun>} */
    this.reruns = new WeakMap();
  }

  /** The branch that a timeline belongs to. @param {Timeline | null} timeline */
  find(timeline) {
    return timeline ? this.byTimeline.get(timeline) : undefined;
  }

  /** The match of a timeline. @param {Timeline} timeline */
  rootOf(timeline) {
    return this.find(timeline)?.root ?? timeline;
  }

  /** The branches of a match. @param {Timeline} root @returns {Branch[]} */
  of(root) {
    const tree = this.trees.get(root) ?? [];
    if (!this.trees.has(root)) {
      this.trees.set(root, tree);
      const kept = keptInTab(this.key(root));
      const records = kept === null ? this.brought.get(root) : this.recordsOf(kept);
      if (records) this.read(root, records);
    }
    return tree;
  }

  /** The name under which the tab keeps the tree: the id of a live match, or the game itself. @param {Timeline} root */
  key(root) {
    const match = this.viewer.addresses.get(root)?.match;
    return `pacman2-branches ${match ?? this.viewer.gameOf(root)}`;
  }

  /** Keeps the tree for this tab. @param {Timeline} root */
  keep(root) {
    const text = this.text(root);
    const name = this.key(root);
    // Even an empty tree is kept, because it may be smaller than that of the file.
    if (text || keptInTab(name) !== null || this.brought.has(root)) keepInTab(name, text);
  }

  /**
   * Starts a branch from a turn of a timeline.
   * @param {Timeline} source
   * @param {number} turn
   * @param {Four<string>} choices
   * @param {Effort} effort
   * @param {number} clock
   */
  start(source, turn, choices, effort, clock) {
    let parent = this.find(source);
    while (parent && turn <= parent.turn) parent = parent.parent;
    const root = this.rootOf(source);
    return this.add({ number: 0, root, parent, turn, choices, effort, clock, deviated: new Set(), stopped: false }, source);
  }

  /** @param {Omit<Branch, "timeline">} given @param {Timeline} source @returns {Branch} */
  add(given, source) {
    const { root, turn, choices } = given;
    const tree = this.of(root);
    const names = choices.map((choice, seat) => (choice === "recorded" ? root.head.seats[seat].name : choice));
    const timeline = this.viewer.engine.branch(source, turn, /** @type {Four<string>} */ (names));
    for (const seat of allSeats) timeline.head.seats[seat].own = choices[seat] === "human";
    const isFree = given.number > 0 && !tree.some(({ number }) => number === given.number);
    const number = isFree ? given.number : 1 + Math.max(0, ...tree.map((other) => other.number));
    if (!isFree) this.viewer.notes.forget(root, number);
    const branch = { ...given, timeline, number };
    tree.push(branch);
    this.byTimeline.set(timeline, branch);
    return branch;
  }

  /** Takes back the last turn of a branch. @param {Branch} branch */
  takeBack(branch) {
    const { timeline: old, root } = branch;
    const turn = old.frames.length - 2;
    const names = /** @type {Four<string>} */ (old.head.seats.map(({ name }) => name));
    branch.timeline = this.viewer.engine.branch(old, turn, names);
    this.byTimeline.set(branch.timeline, branch);
    this.byTimeline.delete(old);
    // What branched off the turn that is gone has it as its own.
    for (const other of this.of(root)) if (other.parent === branch) other.turn = Math.min(other.turn, turn);
    return old;
  }

  /** Deletes a branch and all that branched off it. @param {Branch} branch */
  remove(branch) {
    const tree = this.of(branch.root);
    for (const other of tree.filter(({ parent }) => parent === branch)) this.remove(other);
    tree.splice(tree.indexOf(branch), 1);
    this.byTimeline.delete(branch.timeline);
    this.viewer.engine.close(branch.timeline);
  }

  /** All that branched off a timeline. @param {Timeline} timeline @returns {BranchRecord[]} */
  records(timeline) {
    const top = this.find(timeline);
    /** @type {(branch: Branch) => boolean} */
    const isWithin = ({ parent }) => parent === top || (!!parent && isWithin(parent));
    return this.of(this.rootOf(timeline)).filter(isWithin).map(({ number, parent, turn, choices, effort, clock, timeline: own }) => {
      const from = parent && parent !== top ? parent.number : 0;
      return { number, parent: from, turn, players: choices, effort, clock_ms: clock || undefined, actions: actionsAfter(own, turn) };
    });
  }

  /** The tree of a match as an address has it. @param {Timeline} root */
  text(root) {
    return this.records(root).map(recordText).join("_");
  }

  /** @param {string} text */
  recordsOf(text) {
    return text ? text.split("_").map(recordOf) : [];
  }

  /** A timeline as a replay, with all that branched off it, its rerun and its notes. @param {Timeline} timeline */
  replayOf(timeline) {
    const { engine, notes } = this.viewer;
    const rerun = this.reruns.get(timeline);
    const added = [listText("branches", this.records(timeline)), rerun && `,\n"rerun":${JSON.stringify(rerun)}`, listText("notes", notes.records(timeline))];
    return engine.save(timeline).replace(/\}\s*$/, () => `${added.filter(Boolean).join("")}}\n`);
  }

  /** Opens a text with a match, and takes what the viewer had added to it. @param {string} text */
  open(text) {
    return this.take(this.viewer.engine.open(text));
  }

  /** Takes the branches, the rerun and the notes of what was opened. @param {OpenedTimeline} timeline @returns {Timeline} */
  take(timeline) {
    const { branches, rerun, notes } = timeline;
    delete timeline.branches;
    delete timeline.rerun;
    delete timeline.notes;
    if (Array.isArray(branches)) this.brought.set(timeline, branches);
    if (isRerun(rerun)) this.reruns.set(timeline, rerun);
    this.viewer.notes.adopt(timeline, notes);
    return timeline;
  }

  /**
   * Takes the tree of an address. If the match has one already, only the chosen branch is added, unless it is there. Returns
   * the chosen branch.
   * @param {Timeline} root
   * @param {string | null} text null if the address names a branch of the tree that the tab keeps
   * @param {number} chosen
   */
  adopt(root, text, chosen) {
    const tree = this.of(root);
    if (text === null) return tree.find(({ number }) => number === chosen);
    let records = this.recordsOf(text);
    // What the tab keeps is newer than the address, which lags behind.
    if (tree.length) {
      const path = new Set();
      for (let next = chosen; next && !path.has(next);) {
        path.add(next);
        next = records.find(({ number }) => number === next)?.parent ?? 0;
      }
      records = records.filter(({ number }) => path.has(number));
    }
    return this.read(root, records).get(chosen);
  }

  /** Adds branches to a match, unless they are there. Returns them by their numbers. @param {Timeline} root @param {BranchRecord[]} records */
  read(root, records) {
    /** @type {Map<number, Branch>} */
    const found = new Map();
    const known = [...this.of(root)];
    let turns = 0;
    let dropped = Math.max(records.length - maxBranches, 0);
    for (const record of records.slice(0, maxBranches)) {
      try {
        turns += record.actions.length;
        if (turns > maxTurns) throw new RangeError("there are too many turns");
        found.set(record.number, this.readOne(root, record, found, known));
      } catch {
        dropped += 1;
      }
    }
    if (dropped) showMessage(branchWords.dropped(dropped));
    return found;
  }

  /**
   * @param {Timeline} root
   * @param {BranchRecord} record
   * @param {Map<number, Branch>} found those that were read before
   * @param {Branch[]} known those that the match had before
   */
  readOne(root, { number, parent: from, turn, players, effort: given, clock_ms: clock = 0, actions }, found, known) {
    const parent = found.get(from);
    const effort = "time_ms" in given ? { time_ms: given.time_ms } : { simulations: given.simulations };
    const isSound = (from === 0 || parent) && players.length === 4 && players.every((player) => /^[a-z0-9-]{1,30}$/.test(player))
      && [number, Object.values(effort)[0]].every((value) => Number.isInteger(value) && value > 0 && value <= 10000)
      && Number.isInteger(clock) && clock >= 0 && clock <= maxClockMs;
    if (!isSound) throw new TypeError("this is no branch");
    const text = actionDigits(actions);
    const isSame = (/** @type {Branch} */ other) => {
      const own = actionDigits(actionsAfter(other.timeline, other.turn));
      return other.parent === parent && other.turn === turn && String(other.choices) === String(players)
        && (own.startsWith(text) || text.startsWith(own));
    };
    const same = known.find((other) => other.number === number && isSame(other)) ?? known.find(isSame);
    if (same) return same;
    const deviated = new Set();
    const branch = this.add({ number, root, parent, turn, choices: players, effort, clock, deviated, stopped: false }, parent?.timeline ?? root);
    try {
      for (const action of actions) this.replay(branch, action);
    } catch (error) {
      this.remove(branch);
      throw error;
    }
    return branch;
  }

  /** Plays a turn again, which must be legal. @param {Branch} branch @param {Choice[]} actions */
  replay({ timeline, root, choices, clock, deviated }, actions) {
    if (actions.some((action, seat) => isLate(action) && choices[seat] !== "human")) throw new RangeError("only humans have a clock");
    playChoices(this.viewer.engine, { timeline, clock }, actions);
    const turn = timeline.frames.length - 1;
    const { answers } = timeline.frames[turn];
    if (answers.some((answer) => answer?.verdict === "ILLEGAL")) throw new RangeError("an action is illegal");
    for (const seat of allSeats) {
      const answer = answers[seat];
      if (answer && choices[seat] === "recorded" && root.frames[turn]?.answers[seat]?.action !== answer.action) deviated.add(seat);
    }
  }
}
