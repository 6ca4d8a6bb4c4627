// Opening files, chosen or dropped; and the message bar.

import { el, untrusted } from "./dom.js";
import { words } from "./language.js";

const openWords = words(
  {
    open: "Open…",
    openHint: "Open a replay, a match log from Botzone, or init data; or drop it on the page",
    drop: "Drop to open: a replay, a match log from Botzone, or init data",
    close: "Close the message",
    tooLarge: (/** @type {string} */ name) => `${name} is larger than 64 MB and was not opened.`,
    unreadable: (/** @type {string} */ name) => `${name} cannot be read.`,
    refused: (/** @type {string} */ name, /** @type {string} */ why) => `${name} cannot be opened: ${why}`,
  },
  {
    open: "打开…",
    openHint: "录像、从 Botzone 下载的对局记录或初始化数据；也可以直接拖到页面上",
    drop: "松手即可打开：录像、Botzone 对局记录或初始化数据",
    close: "关闭提示",
    tooLarge: (name) => `${name} 超过 64 MB，没有打开。`,
    unreadable: (name) => `无法读取 ${name}。`,
    refused: (name, why) => `无法打开 ${name}：${why}`,
  },
);

const MAX_BYTES = 64 * 1048576;

/** @type {HTMLElement | null} */
let messageBar = null;

/**
 * Shows a message at the edge of the page. Errors stay until they are closed; notes disappear. Returns what removes it.
 * @param {string} text
 * @param {"error" | "note"} [kind]
 */
export function showMessage(text, kind = "error") {
  messageBar ??= document.body.appendChild(el("div", { class: "message-bar" }));
  const close = el("button", { type: "button", "aria-label": openWords.close, title: openWords.close }, "✕");
  const role = kind === "error" ? "alert" : "status";
  const message = el("div", { class: `message message-${kind}`, role }, untrusted(text), close);
  close.addEventListener("click", () => message.remove());
  if (kind === "note") setTimeout(() => message.remove(), 6000);
  messageBar.append(message);
  while (messageBar.children.length > 3) messageBar.firstElementChild?.remove();
  return () => message.remove();
}

/** The message of a thrown value. @param {unknown} thrown */
export function reasonOf(thrown) {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/**
 * Opens a text, or shows why it cannot be opened.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {string} text
 * @param {string} name
 */
function openText(viewer, text, name) {
  try {
    const timeline = viewer.branches.open(text.replace(/^\ufeff/, ""));
    viewer.texts.set(timeline, text);
    viewer.show(timeline);
  } catch (thrown) {
    showMessage(openWords.refused(name, reasonOf(thrown)));
  }
}

/** @param {import("./viewer.js").Viewer} viewer @param {File} file */
async function openFile(viewer, file) {
  if (file.size > MAX_BYTES) return showMessage(openWords.tooLarge(file.name));
  const text = await file.text().catch(() => null);
  if (text === null) return showMessage(openWords.unreadable(file.name));
  openText(viewer, text, file.name);
}

/**
 * A button to choose a file; files can also be dropped on the page.
 * @type {Mount}
 */
export function acceptFiles(viewer, container) {
  const input = el("input", { type: "file", hidden: true });
  const button = el("button", { type: "button", onclick: () => input.click() });
  const veil = el("div", { class: "open-veil", hidden: true });
  container.append(button, input);
  document.body.append(veil);
  const take = (/** @type {FileList | undefined | null} */ files) => {
    if (files?.[0]) void openFile(viewer, files[0]);
  };
  input.addEventListener("change", () => {
    take(input.files);
    // Allows to choose the same file again.
    input.value = "";
  });

  // A drag enters nested elements before it leaves outer ones, so they are counted.
  let entered = 0;
  const show = () => (veil.hidden = entered === 0);
  /**
   * @param {"dragenter" | "dragover" | "dragleave" | "drop"} name
   * @param {(event: DragEvent) => void} then
   */
  const dragged = (name, then) =>
    addEventListener(name, (event) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      then(event);
      show();
    });
  dragged("dragenter", () => entered++);
  dragged("dragleave", () => (entered = Math.max(entered - 1, 0)));
  dragged("dragover", () => {});
  dragged("drop", (event) => {
    entered = 0;
    take(event.dataTransfer?.files);
  });

  const showWords = () => {
    button.textContent = openWords.open;
    button.title = openWords.openHint;
    veil.textContent = openWords.drop;
  };
  viewer.on("language", showWords);
  showWords();
}
