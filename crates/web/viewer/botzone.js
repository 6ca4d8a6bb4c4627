// The page as Botzone's player page. Botzone feeds it through an object named infoProvider.

import { words } from "./language.js";
import { showMessage, reasonOf } from "./open.js";

const botzoneWords = words(
  { notInBotzone: "This page is the game's player page for Botzone. It shows a match only inside Botzone, which provides infoProvider." },
  { notInBotzone: "这是本游戏在 Botzone 上的播放器页面，只有在 Botzone 提供 infoProvider 时才能显示对局。" },
);

/**
 * The part of Botzone's interface that is used here. Every function may be missing, because there are several versions.
 * @typedef {{ [name: string]: ((...value: any[]) => any) | undefined }} ProviderApi
 */

/** @param {unknown} value may also be JSON in a string @returns {any} */
function parsed(value) {
  if (typeof value !== "string") return value ?? null;
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
}

/** The judge's display: the value itself, or part of a log item. @param {unknown} value @returns {any} */
function displayIn(value) {
  const item = parsed(value);
  return parsed(item?.output?.display ?? item?.display ?? item);
}

/** Whether a display begins a match, that is, contains init data. @param {any} display */
function begins(display) {
  return display !== null && typeof display === "object" && "static" in display;
}

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {object | undefined} infoProvider
 */
export function runOnBotzone(viewer, infoProvider) {
  if (!infoProvider) return showMessage(botzoneWords.notInBotzone, "note");
  const first = /** @type {ProviderApi} */ (infoProvider);
  const second = /** @type {ProviderApi} */ (/** @type {unknown} */ (first.v2 ?? {}));
  /**
   * Calls a function that may be missing or fail.
   * @param {ProviderApi} offer
   * @param {string} name
   * @param {...any} value
   */
  const call = (offer, name, ...value) => {
    try {
      return offer[name]?.(...value);
    } catch {
      return undefined;
    }
  };
  const ask = (/** @type {string} */ name) => call(first, name);
  const seat = Number(ask("getPlayerID") ?? -1);
  const isPlaying = seat >= 0 && seat < 4;
  const live = isPlaying || Boolean(ask("isLive"));

  /** The log so far: items of the judge and of the players in turn. @type {any[]} */
  let items = [];
  /** Whether the log is complete. Later displays are already in it. */
  let whole = false;
  /** @type {Timeline | null} */
  let timeline = null;
  let complaint = "";
  let due = 0;

  const open = () => {
    clearTimeout(due);
    due = 0;
    if (!items.length) return;
    const names = parsed(ask("getPlayerNames"));
    const players = Array.isArray(names) ? names.map((player) => ({ bot: String(player?.name ?? player) })) : [];
    const log = { logs: items, players, initdata: parsed(ask("getMatchInitData")) };
    try {
      take(viewer.engine.open(JSON.stringify(log)));
    } catch (thrown) {
      const reason = reasonOf(thrown);
      if (reason !== complaint) showMessage(reason);
      complaint = reason;
    }
  };

  /** Shows a new reading of the log. The shown timeline grows, unless it is of another match. @param {Timeline} fresh */
  const take = (fresh) => {
    const shown = timeline && viewer.timeline === timeline ? timeline : null;
    if (shown && fresh.head.seed === shown.head.seed && fresh.frames.length >= shown.frames.length) {
      viewer.engine.adopt(shown, fresh);
      if (fresh.frames.length === shown.frames.length) return;
      shown.frames.push(...fresh.frames.slice(shown.frames.length));
      viewer.grown();
    } else {
      timeline = fresh;
      viewer.show(timeline, live ? fresh.frames.length - 1 : 0);
      viewer.live = live && !viewer.frame?.over;
      viewer.notify("playing");
    }
  };

  /** Many displays may arrive at once; the log is read after the last. */
  const soon = () => (due ||= window.setTimeout(open));
  const receiveDisplay = (/** @type {unknown} */ value) => {
    const display = displayIn(value);
    if (whole || display === null || typeof display !== "object") return null;
    if (begins(display)) items = [];
    else items.push(...(items.length ? [] : [{ output: {} }]), {});
    items.push({ output: { display } });
    soon();
    return null;
  };
  const history = (/** @type {unknown} */ value) => {
    const displays = parsed(value);
    if (whole || !Array.isArray(displays) || !displays.length) return;
    items = [];
    displays.forEach(receiveDisplay);
  };
  const request = () => {
    open();
    if (!isPlaying) return null;
    const at = /** @type {Seat} */ (seat);
    let chosen = false;
    viewer.choose(at, (action) => {
      if (chosen) return;
      chosen = true;
      viewer.choose(at, null);
      viewer.live = true;
      viewer.go(viewer.last);
      call(first, "notifyPlayerMove", { action, tauntText: "" });
    });
    return null;
  };
  const end = () => {
    open();
    if (isPlaying) viewer.choose(/** @type {Seat} */ (seat), null);
    return null;
  };

  // The existing log; all of it for a replay. Items of players may have no display.
  const list = parsed(ask("getLogList"));
  if (Array.isArray(list) && begins(displayIn(list[0]))) {
    const count = list.length - ((list.length + 1) % 2);
    const read = list.map((item, index) => (index % 2 ? (parsed(item) ?? {}) : { output: { display: displayIn(item) } }));
    items = read.slice(0, count);
    open();
    whole = !live && timeline !== null;
    if (!whole && !timeline) items = [];
  }

  if (isPlaying) viewer.follow(/** @type {Seat} */ (seat));
  if (second.setDisplayCallback) {
    call(second, "setDisplayCallback", receiveDisplay);
    call(second, "setRequestCallback", request);
    call(second, "setGameOverCallback", end);
  } else {
    call(first, "setNewLogCallback", receiveDisplay);
    call(first, "setNewRequestCallback", request);
    call(first, "setGameOverCallback", end);
    call(first, "setReadHistoryCallback", history);
  }
  const seek = (/** @type {unknown} */ part) => viewer.go(Math.min(Math.max(Number(part) || 0, 0), 1) * viewer.last);
  call(first, "setSeekCallback", seek);
  call(first, "setSeekPreviewCallback", seek);
  call(first, "setPauseCallback", () => viewer.play(false));
  call(first, "setPlayCallback", () => viewer.play(true));
  call(second.setMinSize ? second : first, second.setMinSize ? "setMinSize" : "setSize", 360, 720);
  call(first, "notifyFinishedLoading");
  call(second.notifyInitComplete ? second : first, "notifyInitComplete");
}
