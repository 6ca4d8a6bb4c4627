// The bots of the server's strong engine, for What if.

import { post } from "./server.js";

/** @implements {StrongBots} */
export class ServerBots {
  /** @param {string[]} bots */
  constructor(bots) {
    this.bots = bots;
  }

  /** @param {string} bot */
  has(bot) {
    return this.bots.includes(bot);
  }

  /**
   * @param {import("./viewer.js").Viewer} viewer
   * @param {Timeline} timeline
   * @param {{ bot: string, seat: Seat, effort: import("./engine-worker.js").Effort }} decision
   * @param {AbortSignal} signal
   * @returns {Promise<Action>}
   */
  async decide(viewer, timeline, { bot, seat, effort }, signal) {
    const { action } = await post("/api/decide", { game: viewer.matchSoFar(timeline), bot, seat, ...effort });
    signal.throwIfAborted();
    return action;
  }
}
