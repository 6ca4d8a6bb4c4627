// Requests to the server. Reading needs no token; changes do.

import { el, visibleText } from "./dom.js";
import { language, setReasons, words } from "./language.js";

/** @typedef {import("./server-errors.js").ServerProblem} ServerProblem */

const serverWords = words(
  {
    unreachable: "The server does not answer. Is it still running in the terminal?",
    refused: (/** @type {string} */ why) => `The server says: ${why}`,
    tokenTitle: "The server needs its token",
    tokenWhy: "You need the token to play here. Paste it from the terminal in which the server runs.",
    secret: "Token, or an unused address",
    use: "Use it",
    cancel: "Cancel",
  },
  {
    unreachable: "服务器没有回应。终端里的程序还在运行吗？",
    refused: (why) => `服务器答复：${why}`,
    tokenTitle: "需要服务器的口令",
    tokenWhy: "知道口令的人才能在这里操作。请从运行服务器的终端里复制口令，粘贴到这里。",
    secret: "口令，或没有用过的地址",
    use: "使用",
    cancel: "取消",
  },
);

/** The key of the token of this page's session. Only tokens that the server has issued are stored. */
export const tokenKey = "pacman2-token";

/** An error response, or no response. */
export class ServerError extends Error {
  /**
   * @param {number} status 0 if the server did not respond
   * @param {() => string} describe words the error in the current language
   * @param {ServerProblem} [problem] the response
   */
  constructor(status, describe, problem = {}) {
    super(describe());
    this.status = status;
    this.describe = describe;
    this.problem = problem;
  }
}

/** Words an error, once the words are there. */
let wordProblem = (/** @type {ServerProblem} */ problem, /** @type {import("./language.js").Language} */ _) => problem.error ?? "";

/** Fetches the words for errors. Without them, errors are in English. */
export async function fetchErrorWords() {
  const address = "./server-errors.js";
  const script = await import(address).catch(() => null);
  if (!script) return;
  wordProblem = script.wordError;
  setReasons(script.chineseReason);
}

/** Words an error of the server in the current language. @param {ServerProblem} problem */
export const describeProblem = (problem) => visibleText(wordProblem(problem, language()));

/** Resolves when the code in the address was exchanged, or there was none. @type {Promise<void>} */
let codeTaken = Promise.resolve();

/** @returns {Promise<void>} */
export const whenCodeTaken = () => codeTaken;

/**
 * Removes the code from the address, and exchanges it for a token. A page that has a token keeps it if that fails, without an
 * error: the address may be an old one, or a stranger's.
 */
export async function takeCode() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const secret = secretOf(parts);
  if (secret === null) return;
  for (const name of ["code", "token"]) parts.delete(name);
  history.replaceState(null, "", `${location.pathname}${parts.size ? `#${parts}` : ""}`);
  const opening = openSession(secret);
  codeTaken = opening.catch(() => {});
  try {
    await opening;
  } catch (error) {
    if (sessionStorage.getItem(tokenKey) === null) throw error;
  }
}

/** The code in an address, or the token, which older addresses had. @param {URLSearchParams} parts */
const secretOf = (parts) => parts.get("code") ?? parts.get("token");

/** Exchanges a code or the long-lived token for the token of a session. Keeps what it has if that fails. @param {string} secret */
async function openSession(secret) {
  const headers = { "Content-Type": "application/json" };
  const request = () => fetch("/api/session", { method: "POST", headers, body: JSON.stringify({ secret }) });
  sessionStorage.setItem(tokenKey, JSON.parse(await readResponse(request)).token);
}

/**
 * Requests a text.
 * @param {string} path
 * @returns {Promise<string>}
 */
export async function getText(path) {
  return readResponse(() => fetch(path));
}

/** Requests the bytes of a file. @param {string} path */
export const getBytes = (path) => readBytes(() => fetch(path));

/** Whether this page has a token. */
export const hasToken = () => sessionStorage.getItem(tokenKey) !== null;

/**
 * Sends a request with the token, and asks for the token if it is missing.
 * @param {string} path
 * @param {unknown} [body] without one, it is a GET request
 * @param {AbortSignal} [signal]
 */
async function fetchWithToken(path, body, signal) {
  const ask = () => {
    const headers = { Authorization: `Bearer ${sessionStorage.getItem(tokenKey) ?? ""}`, "Content-Type": "application/json" };
    return fetch(path, { method: body === undefined ? "GET" : "POST", headers, body: JSON.stringify(body), signal });
  };
  await codeTaken;
  const response = await ask();
  return response.status === 401 && (await askForToken()) ? ask() : response;
}

/** Requests JSON with the token. @param {string} path @returns {Promise<any>} */
export const getWithToken = async (path) => JSON.parse(await readResponse(() => fetchWithToken(path)));

/**
 * Sends a POST request with the token.
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export const post = async (path, body = {}) => JSON.parse(await readResponse(() => fetchWithToken(path, body)));

/**
 * Sends a POST request with the token, and reads the events of the response until they end. Aborting it ends the work of the server.
 * @param {string} path
 * @param {unknown} body
 * @param {AbortSignal} signal
 * @param {(event: any, kind: string) => void} take
 */
export async function postForEvents(path, body, signal, take) {
  const response = await fetchWithToken(path, body, signal).catch(explainLoss(signal));
  if (!response.ok || !response.body) return void (await readResponse(async () => response));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let kind = "";
  for (;;) {
    const { done, value } = await reader.read().catch(explainLoss(signal));
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("event: ")) kind = line.slice(7);
      if (line.startsWith("data: ")) take(JSON.parse(line.slice(6)), kind);
    }
  }
}

export const unreachable = () => new ServerError(0, () => serverWords.unreachable);

/** Throws what a broken connection means, unless this page has ended it. @param {AbortSignal} signal */
const explainLoss = (signal) => (/** @type {unknown} */ error) => {
  throw signal.aborted ? error : unreachable();
};

/** @param {() => Promise<Response>} ask */
export const readResponse = async (ask) => new TextDecoder().decode(await readBytes(ask));

/** @param {() => Promise<Response>} ask */
async function readBytes(ask) {
  let status = 0;
  let bytes = new Uint8Array();
  try {
    const response = await ask();
    status = response.status;
    bytes = new Uint8Array(await response.arrayBuffer());
    if (response.ok) return bytes;
  } catch {
    throw unreachable();
  }
  /** @type {ServerProblem} */
  let problem = { error: String(status) };
  try {
    problem = { ...problem, ...JSON.parse(new TextDecoder().decode(bytes)) };
  } catch {
    // The response is not from our server.
  }
  await fetchErrorWords();
  throw new ServerError(status, () => serverWords.refused(describeProblem(problem)), problem);
}

/** @type {HTMLDialogElement | null} */
let tokenDialog = null;

/** Asks for the token. Resolves to whether the page has one now. @returns {Promise<boolean>} */
export function askForToken() {
  const t = serverWords;
  tokenDialog ??= document.body.appendChild(el("dialog", { class: "home-dialog" }));
  const dialog = tokenDialog;
  const input = el("input", { id: "home-token", name: "token", autocomplete: "off", spellcheck: "false", required: true });
  const problem = el("p", { class: "home-trouble", role: "alert", hidden: true });
  const use = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const text = input.value.trim();
    try {
      await openSession(secretOf(new URLSearchParams(text.replace(/^[^#]*#/, ""))) ?? text);
      dialog.close("use");
    } catch (error) {
      problem.textContent = visibleText(/** @type {Error} */ (error).message);
      problem.hidden = false;
    }
  };
  dialog.setAttribute("aria-label", t.tokenTitle);
  dialog.returnValue = "";
  dialog.replaceChildren(
    el(
      "form",
      { method: "dialog", class: "home-form", onsubmit: use },
      el("h2", {}, t.tokenTitle),
      el("p", {}, t.tokenWhy),
      el("label", { for: input.id }, t.secret),
      input,
      problem,
      el(
        "div",
        { class: "home-buttons" },
        el("button", { class: "primary" }, t.use),
        el("button", { type: "button", onclick: () => dialog.close() }, t.cancel),
      ),
    ),
  );
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => {
    const close = () => {
      dialog.replaceChildren();
      resolve(dialog.returnValue === "use");
    };
    dialog.addEventListener("close", close, { once: true });
  });
}
