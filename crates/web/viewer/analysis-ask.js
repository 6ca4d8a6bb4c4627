// Requests to the engine: of the server, or of a static page's worker. Aborting a request stops the engine.

import { ServerError, hasToken, postForEvents } from "./server.js";

/**
 * What to analyse, and how long for each turn; without a time, the engine makes a fixed number of simulations, so that the answer
 * is always the same. With `seat`, it is a hint for the player in that seat.
 * @typedef {{ turns: number[], seat?: Seat, time_ms?: number }} Question
 */

/**
 * Has turns of a timeline analysed, and calls `onTurn` for each.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {Timeline} timeline
 * @param {Question} question
 * @param {AbortSignal} signal
 * @param {(analysed: import("./analysis-words.js").AnalysedTurn) => void} onTurn
 */
export async function askAnalysis(viewer, timeline, question, signal, onTurn) {
  if (!viewer.worker) return postForEvents("/api/analyse", bodyOf(viewer, timeline, question), signal, onTurn);
  const { turns, time_ms } = question;
  const effort = time_ms ? { time_ms } : {};
  for (const turn of turns) onTurn(await viewer.worker.analyse(viewer, timeline, turn, effort, signal));
}

/**
 * The body of a request to the server. A match in progress is named by its id, and gives a hint for the current turn only.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {Timeline} timeline
 * @param {Question} question
 */
function bodyOf(viewer, timeline, { turns, seat, time_ms }) {
  const match = seat === undefined ? undefined : viewer.addresses.get(timeline)?.match;
  return match ? { match, seat, time_ms } : { ...analysisSource(viewer, timeline), turns, seat, time_ms };
}

/** Whether this page may ask without a dialog for the server's token. @param {import("./viewer.js").Viewer} viewer */
export const canAsk = ({ worker }) => worker !== null || hasToken();

/** Why a request failed; null if it was aborted. @param {unknown} error @param {AbortSignal} signal */
export function failureOf(error, signal) {
  if (signal.aborted) return null;
  const full = error instanceof ServerError && error.status === 429;
  return { message: error instanceof Error ? error.message : String(error), full };
}

/**
 * The public part of timelines that the server does not have, by the number of frames that were saved.
 * @type {WeakMap<Timeline, { frames: number, replay: unknown }>}
 */
const savedReplays = new WeakMap();

/**
 * The part of a request that names a match: its file in the server's folder, or else the public part of its replay.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {Timeline} timeline
 */
function analysisSource({ addresses, engine }, timeline) {
  const replay = addresses.get(timeline)?.replay;
  if (replay) return { replay };
  const frames = timeline.frames.length;
  const saved = savedReplays.get(timeline);
  if (saved?.frames === frames) return { film: saved.replay };
  const { format, version, public: open } = JSON.parse(engine.save(timeline));
  const film = { format, version, public: open };
  savedReplays.set(timeline, { frames, replay: film });
  return { film };
}
