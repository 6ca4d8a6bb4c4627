// The strong engine of a page without a server: crate pacman2-analysis in a worker. It is loaded when it is asked for the first time.

import { reasonText, words } from "./language.js";
import { scriptUrl } from "./script-url.js";

const workerWords = words(
  {
    unstarted: "This browser cannot start the engine of the strong bots.",
    crashed: (/** @type {string} */ why) => `The engine stopped: ${why}`,
  },
  {
    unstarted: "此浏览器无法启动强引擎。",
    crashed: (why) => `引擎停止了：${why}`,
  },
);

/** What the engine consists of: the module, and the address of the worker's script. @typedef {{ module: ArrayBuffer, script: string }} EngineFiles */
/** How much the engine may compute for an answer. @typedef {{ time_ms: number } | { simulations: number }} Effort */
/**
 * @typedef {{
 *   query: string, lasts: number, signal: AbortSignal, sent: boolean,
 *   resolve: (answer: any) => void, reject: (error: unknown) => void,
 * }} Job
 */

/** A job that ends within this time is waited for when it is cancelled. Otherwise the worker is replaced. */
const patienceMs = 200;

export class EngineWorker {
  /**
   * @param {string[]} bots the bots that play with this engine
   * @param {() => Promise<EngineFiles>} load
   */
  constructor(bots, load) {
    this.bots = bots;
    this.load = load;
    /** @type {Promise<{ module: WebAssembly.Module, script: string }> | null} */
    this.loaded = null;
    /** @type {Worker | null} */
    this.worker = null;
    /** Jobs in their order; the first may have been sent. @type {Job[]} */
    this.jobs = [];
    this.number = 0;
  }

  /** Whether a bot plays with this engine. @param {string} bot */
  has(bot) {
    return this.bots.includes(bot);
  }

  /**
   * The action that a bot chooses in the last position.
   * @param {import("./viewer.js").Viewer} viewer
   * @param {Timeline} timeline
   * @param {{ bot: string, seat: Seat, effort: Effort }} decision
   * @param {AbortSignal} signal
   * @returns {Promise<Action>}
   */
  decide(viewer, timeline, { bot, seat, effort }, signal) {
    const query = { op: "decide", game: viewer.matchSoFar(timeline), bot, seat, ...effort };
    return this.ask(query, effort, signal);
  }

  /**
   * The analysis of the position before a turn.
   * @param {import("./viewer.js").Viewer} viewer
   * @param {Timeline} timeline
   * @param {number} turn
   * @param {Effort | {}} effort without one, a fixed number of simulations
   * @param {AbortSignal} signal
   * @returns {Promise<import("./analysis-words.js").AnalysedTurn>}
   */
  analyse(viewer, timeline, turn, effort, signal) {
    return this.ask({ op: "analyse", game: viewer.matchSoFar(timeline), turn, ...effort }, effort, signal);
  }

  /**
   * @param {Record<string, unknown>} query
   * @param {Effort | {}} effort
   * @param {AbortSignal} signal
   * @returns {Promise<any>}
   */
  ask(query, effort, signal) {
    const lasts = "time_ms" in effort ? effort.time_ms : 0;
    return new Promise((resolve, reject) => {
      /** @type {Job} */
      const job = { query: JSON.stringify(query), lasts, signal, sent: false, resolve, reject };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", () => this.cancel(job), { once: true });
      this.jobs.push(job);
      void this.next();
    });
  }

  /** @param {Job} job */
  cancel(job) {
    if (!this.jobs.includes(job)) return;
    job.reject(job.signal.reason);
    if (job.sent && job.lasts <= patienceMs) return;
    if (job.sent) this.end();
    this.jobs = this.jobs.filter((other) => other !== job);
    void this.next();
  }

  /** Sends the first job, unless that has been done. */
  async next() {
    const [job] = this.jobs;
    if (!job || job.sent) return;
    job.sent = true;
    try {
      this.loaded ??= this.load().then(async ({ module, script }) => ({ module: await WebAssembly.compile(module), script }));
      const loaded = await this.loaded;
      if (job !== this.jobs[0]) return;
      this.worker ??= this.start(loaded);
      this.worker.postMessage({ number: ++this.number, query: job.query });
    } catch (error) {
      this.loaded = null;
      this.finish(job, () => job.reject(error));
    }
  }

  /** @param {{ module: WebAssembly.Module, script: string }} loaded */
  start({ module, script }) {
    const worker = new Worker(scriptUrl(script));
    worker.addEventListener("message", ({ data: { number, ok, error, problem, crash } }) => {
      const [job] = this.jobs;
      if (!job || number !== this.number) return;
      if (crash !== undefined) this.end();
      const why = crash === undefined ? error && reasonText(error, problem) : workerWords.crashed(crash);
      this.finish(job, () => (why === undefined ? job.resolve(ok) : job.reject(new Error(why))));
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      const [job] = this.jobs;
      this.end();
      if (job) this.finish(job, () => job.reject(new Error(workerWords.unstarted)));
    });
    worker.postMessage({ module });
    return worker;
  }

  /** @param {Job} job @param {() => void} settle */
  finish(job, settle) {
    this.jobs = this.jobs.filter((other) => other !== job);
    settle();
    void this.next();
  }

  /** Ends the worker. The next job starts another. */
  end() {
    this.worker?.terminate();
    this.worker = null;
    this.number += 1;
  }
}
