// A stand-in for what Botzone offers its player pages: for the preview of such a page, and for its tests.

/**
 * Offers a match to the page of this window, or of a frame in it. The page's calls are kept in `callsTo` of the window, and each is
 * an event. The function needs nothing around it, because tests run it within pages.
 * @param {{ log: any[], live: boolean, player: number, names: string[], second: boolean }} match the items of the log; the seat of a
 *   human, or -1; whether the newer callbacks are offered, too
 */
export function installStandIn({ log, live, player, names, second }) {
  /** @type {Record<string, any>} */
  const callsTo = {};
  const keep = (/** @type {string} */ name) => (/** @type {any[]} */ ...given) => {
    (callsTo[name] ??= []).push(given.length > 1 ? given : given[0]);
    dispatchEvent(new CustomEvent("stand-in", { detail: name }));
  };
  const calls = ["setSeekCallback", "setPauseCallback", "setPlayCallback", "setReadHistoryCallback", "notifyFinishedLoading",
    "notifyInitComplete", "notifyPlayerMove", "setNewLogCallback", "setNewRequestCallback", "setGameOverCallback", "setSize"];
  const newer = ["setDisplayCallback", "setRequestCallback", "setGameOverCallback", "setMinSize"];
  Object.assign(window, {
    callsTo,
    infoProvider: {
      getMatchInitData: () => "",
      getLogList: () => log,
      getPlayerNames: () => names.map((name) => ({ name })),
      isLive: () => live,
      getPlayerID: () => player,
      ...Object.fromEntries(calls.map((name) => [name, keep(name)])),
      ...(second ? { v2: Object.fromEntries(newer.map((name) => [name, keep(`v2.${name}`)])) } : {}),
    },
  });
}
