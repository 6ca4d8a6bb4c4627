// The address of the page. It holds the shown match, turn and branch, so that a reload, Back and Forward, links and typed
// addresses lead to what they name.

import { keepInTab } from "./branches.js";
import { keepGame } from "./draft.js";
import { words } from "./language.js";
import { packNotes, unpackNotes } from "./notes.js";
import { reasonOf, showMessage } from "./open.js";

const addressWords = words(
  { unknown: (/** @type {string} */ text) => `The address leads to no match, so the page shows what it showed before: #${text}` },
  { unknown: (text) => `地址不指向任何对局，页面显示的内容不变：#${text}` },
);

/**
 * What an address names. `kind` and `value` name the match; without them, it is the page's own match or its start page.
 * `branch` is the number of a branch, or 0 for the match, and `tree` holds the branches, unless the tab keeps them. `notes` are as packed.
 * @typedef {{ kind?: string, value: string, turn: string | null, branch: number, tree: string | null, notes?: string | null, isTyped: boolean }} View
 */

/** The least time between two changes of the address. Browsers stop pages that change it more often. */
const writeMs = 400;
/** A step over this many turns gets an entry of its own in the history. */
const jumpTurns = 10;
/** The most characters of an address. A longer one names its branch only, and the tab keeps the branches. */
const maxAddress = 8000;
/** How many matches are kept for Back and Forward. */
const recentMatches = 8;

/** The parameters after the # of the address. */
export function fragment() {
  return new URLSearchParams(location.hash.slice(1));
}

/**
 * Shows what the address names, and keeps it up to date.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {() => Timeline | null} ownMatch the match in the page itself
 */
export function mountAddress(viewer, ownMatch) {
  const { addresses, branches, openers } = viewer;
  const isFramed = fragment().has("embed");
  /** Matches that were shown, by their parameters, the latest last. @type {Map<string, Timeline>} */
  const recent = new Map();
  /** What the current entry of the history stands for. @type {{ timeline: Timeline | null, turn: number }} */
  let entry = { timeline: null, turn: 0 };
  /** The address that the page has read or written last. */
  let known = location.hash;
  /** The timer of the next change of the address, or 0. */
  let waiting = 0;
  let writtenAt = -Infinity;
  /** The number of the last request for a match. Answers to earlier ones are ignored. */
  let requests = 0;
  /** The request for a match that the address names and the server has not answered yet. */
  let unanswered = 0;
  /** What is to be shown as soon as its match is there. @type {View | null} */
  let expected = null;
  /** Whether the page is going where the address leads. */
  let isObeying = false;
  /** The turn at which a finger or the mouse was pressed; null if none is. @type {number | null} */
  let pressedAt = null;
  /** Whether the turns since then have an entry already. */
  let hasJumped = false;

  /** The parameters that lead to a match. @param {Timeline} root */
  const partsOf = (root) => {
    const known = addresses.get(root);
    if (known) return known;
    const game = viewer.gameOf(root);
    const text = viewer.texts.get(root);
    if (text) keepInTab(`pacman2-file ${game}`, text);
    addresses.set(root, { g: game });
    return { g: game };
  };
  /** @param {Timeline} root */
  const sourceOf = (root) => String(new URLSearchParams(partsOf(root)));
  /** @param {View} view */
  const sourceIn = ({ kind, value }) => (kind ? String(new URLSearchParams({ [kind]: value })) : "");

  /** @param {Timeline | null} timeline @param {number} turn @param {boolean} [isLive] */
  const describe = (timeline, turn, isLive = false) => {
    if (!timeline) return viewer.section;
    const root = branches.rootOf(timeline);
    const parts = new URLSearchParams(partsOf(root));
    const branch = branches.find(timeline)?.number ?? 0;
    if ((turn || branch) && !isLive) parts.set("turn", String(turn));
    const notes = packNotes(viewer.notes.records(root)).text;
    if (notes) parts.set("n", notes);
    const tree = branches.text(root);
    if (tree) {
      parts.set("b", `${branch}_${tree}`);
      if (String(parts).length > maxAddress) parts.set("b", String(branch));
    }
    return String(parts);
  };

  /** @returns {View & { isKnown: boolean }} */
  const read = () => {
    const parts = fragment();
    const kind = [...openers.keys()].find((key) => parts.has(key));
    const [branch, ...tree] = (parts.get("b") ?? "0").split("_");
    const isKnown = kind !== undefined || [...parts.keys()].every((key) => ["turn", "b", "n", "embed"].includes(key));
    return {
      kind,
      value: kind ? parts.get(kind) ?? "" : "",
      // A turn that was typed behind the address counts.
      turn: parts.getAll("turn").at(-1) ?? null,
      branch: Number(branch) || 0,
      tree: tree.length ? tree.join("_") : null,
      notes: parts.get("n"),
      isTyped: true,
      isKnown,
    };
  };

  /** @param {string} text @param {boolean} isNew */
  const put = (text, isNew) => {
    // The user has typed an address or gone back, and the browser has not reported it yet. It must not be overwritten.
    if (location.hash !== known) return;
    const hash = text && isFramed ? `${text}&embed=1` : text;
    if (hash === location.hash.slice(1)) return;
    try {
      // The history of a page with a frame is that of the page.
      history[isNew && !isFramed ? "pushState" : "replaceState"](null, "", hash ? `#${hash}` : location.pathname + location.search);
    } catch {
      // Some browsers limit how often the address may change. It is right again after the next change.
    }
    known = location.hash;
  };
  const write = (isNew = false) => {
    clearTimeout(waiting);
    waiting = 0;
    writtenAt = performance.now();
    const { timeline, turn } = viewer;
    entry = { timeline, turn };
    put(describe(timeline, turn, viewer.live), isNew);
    if (!timeline) return;
    branches.keep(branches.rootOf(timeline));
    if (branches.find(timeline)) keepGame(describe(timeline, viewer.last), timeline.frames[viewer.last].over);
  };
  const writeSoon = () => {
    // Another timeline gets its entry first.
    if (waiting || !viewer.timeline || viewer.timeline !== entry.timeline || unanswered === requests) return;
    if (performance.now() - writtenAt > writeMs) write();
    else waiting = setTimeout(write, writeMs);
  };

  /** @param {Timeline} root @param {View} view */
  const present = (root, view) => {
    isObeying = view.isTyped;
    try {
      if (view.notes) viewer.notes.adopt(root, unpackNotes(view.notes));
      const branch = view.branch || view.tree ? branches.adopt(root, view.tree, view.branch) : undefined;
      const timeline = branch?.timeline ?? root;
      const turn = view.turn === null ? (branch ? timeline.frames.length - 1 : 0) : Number(view.turn);
      if (timeline !== viewer.timeline) viewer.show(timeline, turn);
      else if (view.turn !== null || !viewer.live) {
        if (viewer.playing) viewer.play(false);
        viewer.go(turn);
      }
      if (view.isTyped) write();
      else scrollTo(0, 0);
    } finally {
      isObeying = false;
    }
  };

  /** @param {View} view */
  const load = (view) => {
    const request = (requests += 1);
    expected = null;
    const { timeline } = viewer;
    const source = sourceIn(view);
    const root = timeline && branches.rootOf(timeline);
    const take = (/** @type {Timeline | null} */ found) => {
      if (request !== requests) return;
      if (found) present(found, view);
      else if (view.kind) expected = view;
      else viewer.show(null);
    };
    const fail = (/** @type {unknown} */ thrown) => {
      showMessage(reasonOf(thrown));
      if (!viewer.timeline && ownMatch()) viewer.show(ownMatch());
    };
    isObeying = view.isTyped;
    try {
      const known = root && sourceOf(root) === source ? root : recent.get(source);
      const found = known ?? (view.kind ? openers.get(view.kind)?.(view.value, view) : ownMatch());
      if (!(found instanceof Promise)) return take(found ?? null);
      if (view.isTyped) unanswered = request;
      found.finally(() => (unanswered = 0)).then(take).catch(fail);
    } catch (thrown) {
      fail(thrown);
    } finally {
      isObeying = false;
    }
  };

  const obey = () => {
    clearTimeout(waiting);
    waiting = 0;
    const view = read();
    const text = location.hash.slice(1);
    if (!view.isKnown) {
      // A link within the page may lead to one of its elements.
      if (!document.getElementById(text)) showMessage(addressWords.unknown(text.slice(0, 60)));
      write();
    } else if (!view.kind && text && viewer.timeline && !ownMatch()) {
      present(branches.rootOf(viewer.timeline), view);
    } else load(view);
  };

  viewer.visit = (kind, value, turn) =>
    load({ kind, value, turn: turn === undefined ? null : String(turn), branch: 0, tree: null, isTyped: false });
  viewer.addressOf = (turn) => `${location.href.split("#")[0]}#${describe(viewer.timeline, turn) || `turn=${turn}`}`;

  viewer.on("timeline", () => {
    requests += 1;
    const { timeline } = viewer;
    const here = read();
    const root = timeline && branches.rootOf(timeline);
    const source = root ? sourceOf(root) : viewer.section;
    const isSame = source === sourceIn(here) && here.branch === (branches.find(timeline)?.number ?? 0);
    if (waiting && !isSame) put(describe(entry.timeline, entry.turn), false);
    if (root && source && !("match" in partsOf(root)) && !("tv" in partsOf(root))) {
      recent.delete(source);
      recent.set(source, root);
      if (recent.size > recentMatches) recent.delete([...recent.keys()][0]);
    }
    const view = expected;
    expected = null;
    write(!isSame && !isObeying);
    // The component that has shown the match is still at work.
    if (root && view && source === sourceIn(view) && view.branch) queueMicrotask(() => present(root, view));
  });
  viewer.on("turn", () => {
    const { timeline, turn, before, playing, live } = viewer;
    if (isObeying || !timeline || timeline !== entry.timeline) return;
    const from = pressedAt ?? before;
    if (!playing && !live && !hasJumped && Math.abs(turn - from) >= jumpTurns) {
      put(describe(timeline, from), false);
      write(true);
      hasJumped = pressedAt !== null;
    }
    entry.turn = turn;
    writeSoon();
  });
  viewer.on(["grown", "playing", "branches", "notes"], writeSoon);
  viewer.on("branches", () => keepGame("", true));
  viewer.on("address", () => write());
  addEventListener("pointerdown", () => (pressedAt = viewer.turn), true);
  const release = () => {
    pressedAt = null;
    hasJumped = false;
  };
  addEventListener("pointerup", release, true);
  addEventListener("pointercancel", release, true);
  addEventListener("pagehide", () => waiting && write());
  addEventListener("hashchange", ({ newURL }) => {
    known = location.hash;
    // A dialog belongs to what was shown.
    for (const dialog of document.querySelectorAll("dialog")) dialog.close();
    // The code is taken out of the address, which then says nothing about the match.
    if (/[#&](code|token)=/.test(newURL) && !location.hash) write();
    else obey();
  });
  if (isFramed) document.documentElement.dataset.embed = "";
  obey();
}
