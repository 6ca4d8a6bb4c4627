// Asking the server's engine. What is asked for ends when nobody wants it any more: the connection is closed then.

import { Refusal, answerOf, askForToken, tokenKey } from "./server.js";

/**
 * Has turns analysed and tells each as it comes.
 * @param {Record<string, unknown>} question
 * @param {AbortSignal} signal
 * @param {(analysed: import("./analysis-words.js").Analysed) => void} tell
 */
export async function askAnalysis(question, signal, tell) {
  const ask = () => {
    const headers = { Authorization: `Bearer ${sessionStorage.getItem(tokenKey) ?? ""}`, "Content-Type": "application/json" };
    return fetch("/api/analyse", { method: "POST", headers, body: JSON.stringify(question), signal });
  };
  let response = await ask();
  if (response.status === 401 && (await askForToken())) response = await ask();
  if (!response.ok || !response.body) return void (await answerOf(async () => response));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.startsWith("data: ")) tell(JSON.parse(line.slice(6)));
  }
}

/** Whether this page has a token, so that it may ask by itself. */
export const hasToken = () => sessionStorage.getItem(tokenKey) !== null;

/** Why it was not answered; null where that was wished. @param {unknown} error @param {AbortSignal} signal */
export function whyNot(error, signal) {
  if (signal.aborted) return null;
  const full = error instanceof Refusal && error.status === 429;
  return { message: error instanceof Error ? error.message : String(error), full };
}

/**
 * What is public of films that the server does not have, as far as they have been played.
 * @type {WeakMap<Film, { turns: number, film: unknown }>}
 */
const savedFilms = new WeakMap();

/**
 * A film as the server reads it: by its name in the folder, or what is public of it.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {Film} film
 */
export function filmOf({ addresses, engine }, film) {
  const replay = addresses.get(film)?.replay;
  if (replay) return { replay };
  const turns = film.frames.length;
  const saved = savedFilms.get(film);
  if (saved?.turns === turns) return { film: saved.film };
  const { format, version, public: open } = JSON.parse(engine.save(film));
  const made = { turns, film: { format, version, public: open } };
  savedFilms.set(film, made);
  return { film: made.film };
}
