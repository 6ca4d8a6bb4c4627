// Requests to the server's engine. Aborting a request closes the connection, and the engine stops.

import { ServerError, readResponse, askForToken, tokenKey } from "./server.js";

/**
 * Has turns analysed, and calls `onTurn` for each.
 * @param {Record<string, unknown>} question
 * @param {AbortSignal} signal
 * @param {(analysed: import("./analysis-words.js").AnalysedTurn) => void} onTurn
 */
export async function askAnalysis(question, signal, onTurn) {
  const ask = () => {
    const headers = { Authorization: `Bearer ${sessionStorage.getItem(tokenKey) ?? ""}`, "Content-Type": "application/json" };
    return fetch("/api/analyse", { method: "POST", headers, body: JSON.stringify(question), signal });
  };
  let response = await ask();
  if (response.status === 401 && (await askForToken())) response = await ask();
  if (!response.ok || !response.body) return void (await readResponse(async () => response));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) onTurn(JSON.parse(line.slice(6)));
  }
}

/** Whether this page has a token, and may ask without a dialog. */
export const hasToken = () => sessionStorage.getItem(tokenKey) !== null;

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
export function analysisSource({ addresses, engine }, timeline) {
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
