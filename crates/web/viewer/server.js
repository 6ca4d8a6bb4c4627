// Requests to the server. Reading needs no token; changes do.

import { el, visibleText } from "./dom.js";
import { words } from "./language.js";

const serverWords = words(
  {
    unreachable: "The server does not answer. Is it still running in the terminal?",
    refused: (/** @type {string} */ why) => `The server says: ${why}`,
    tokenTitle: "The server needs its token",
    tokenWhy: "You need the token to play here. Open the address that the terminal shows, or paste it here.",
    address: "Address or token",
    use: "Use it",
    cancel: "Cancel",
  },
  {
    unreachable: "服务器没有回应。终端里的程序还在运行吗？",
    refused: (why) => `服务器答复：${why}`,
    tokenTitle: "需要服务器的口令",
    tokenWhy: "知道口令的人才能在这里操作。请打开终端里显示的地址，或把它粘贴到这里。",
    address: "地址或口令",
    use: "使用",
    cancel: "取消",
  },
);

export const tokenKey = "pacman2-token";

/** An error response, or no response. */
export class ServerError extends Error {
  /**
   * @param {number} status 0 if the server did not respond
   * @param {string} message
   */
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Stores the token from the address, and removes it there. */
export function takeToken() {
  const parts = new URLSearchParams(location.hash.slice(1));
  const token = parts.get("token");
  if (!token) return;
  sessionStorage.setItem(tokenKey, token);
  parts.delete("token");
  history.replaceState(null, "", `${location.pathname}${parts.size ? `#${parts}` : ""}`);
}

/**
 * Requests a text.
 * @param {string} path
 * @returns {Promise<string>}
 */
export async function getText(path) {
  return readResponse(() => fetch(path));
}

/**
 * Sends a POST request with the token, and asks for the token if it is missing.
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export async function post(path, body = {}) {
  const ask = () => {
    const authorization = `Bearer ${sessionStorage.getItem(tokenKey) ?? ""}`;
    const headers = { Authorization: authorization, "Content-Type": "application/json" };
    return readResponse(() => fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
  };
  try {
    return JSON.parse(await ask());
  } catch (error) {
    if (!(error instanceof ServerError) || error.status !== 401 || !(await askForToken())) throw error;
    return JSON.parse(await ask());
  }
}

/** @param {() => Promise<Response>} ask */
export async function readResponse(ask) {
  let status = 0;
  let text = "";
  try {
    const response = await ask();
    status = response.status;
    text = await response.text();
    if (response.ok) return text;
  } catch {
    throw new ServerError(0, serverWords.unreachable);
  }
  let why = String(status);
  try {
    why = JSON.parse(text).error ?? why;
  } catch {
    // The response is not from our server.
  }
  throw new ServerError(status, serverWords.refused(visibleText(why)));
}

/** @type {HTMLDialogElement | null} */
let tokenDialog = null;

/** Asks for the token. Resolves to whether one was given. @returns {Promise<boolean>} */
export function askForToken() {
  const t = serverWords;
  tokenDialog ??= document.body.appendChild(el("dialog", { class: "home-dialog" }));
  const dialog = tokenDialog;
  const input = el("input", { id: "home-token", name: "token", autocomplete: "off", spellcheck: "false", required: true });
  dialog.setAttribute("aria-label", t.tokenTitle);
  dialog.returnValue = "";
  dialog.replaceChildren(
    el(
      "form",
      { method: "dialog", class: "home-form" },
      el("h2", {}, t.tokenTitle),
      el("p", {}, t.tokenWhy),
      el("label", { for: input.id }, t.address),
      input,
      el(
        "div",
        { class: "home-buttons" },
        el("button", { value: "use", class: "primary" }, t.use),
        el("button", { type: "button", onclick: () => dialog.close() }, t.cancel),
      ),
    ),
  );
  if (!dialog.open) dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener(
      "close",
      () => {
        const token = input.value.trim().replace(/^.*#(.*&)?token=/, "");
        const given = dialog.returnValue === "use" && token !== "";
        if (given) sessionStorage.setItem(tokenKey, token);
        resolve(given);
      },
      { once: true },
    );
  });
}
