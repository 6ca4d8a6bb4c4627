// Opening files, chosen or dropped; and the message bar.

import { el, untrusted } from "./dom.js";
import { words } from "./language.js";
import { isZip, unzip } from "./unzip.js";

const openWords = words(
  {
    open: "Open…",
    openHint: "Open a replay, a match log or page from Botzone, a pack of matches, a bot's input, or init data; or drop it on the page",
    drop: "Drop to open: a replay, a match log or page from Botzone, a pack of matches, a bot's input, or init data",
    matches: "The matches of the file",
    empty: "it has no matches.",
    skipped: (/** @type {number} */ number, /** @type {string} */ why) => `Matches left out because they cannot be read: ${number}. The first: ${why}`,
    close: "Close the message",
    tooLarge: (/** @type {string} */ name) => `${name} is larger than 64 MB and was not opened.`,
    unreadable: (/** @type {string} */ name) => `${name} cannot be read.`,
    refused: (/** @type {string} */ name, /** @type {string} */ why) => `${name} cannot be opened: ${why}`,
  },
  {
    open: "打开…",
    openHint: "录像、Botzone 的对局记录或网页、对局合集、程序的输入或初始化数据；也可以直接拖到页面上",
    drop: "松手即可打开：录像、Botzone 的对局记录或网页、对局合集、程序的输入或初始化数据",
    matches: "文件里的对局",
    empty: "里面没有对局。",
    skipped: (number, why) => `有 ${number} 场对局无法读取，已跳过。第一场的原因：${why}`,
    close: "关闭提示",
    tooLarge: (name) => `${name} 超过 64 MB，没有打开。`,
    unreadable: (name) => `无法读取 ${name}。`,
    refused: (name, why) => `无法打开 ${name}：${why}`,
  },
);

const MAX_BYTES = 64 * 1048576;

/** How long messages are shown. */
const messageMs = { note: 6000, error: 20_000 };

/** @type {Element | null} */
let messageBar = null;

/**
 * Shows a message at the edge of the page for a while, and as long as it is pointed at or has the focus. Returns what removes it.
 * @param {string} text
 * @param {"error" | "note"} [kind]
 */
export function showMessage(text, kind = "error") {
  // A fetched script has a copy of this module.
  messageBar ??= document.querySelector(".message-bar") ?? document.body.appendChild(el("div", { class: "message-bar" }));
  const close = el("button", { type: "button", "aria-label": openWords.close, title: openWords.close }, "✕");
  const role = kind === "error" ? "alert" : "status";
  const message = el("div", { class: `message message-${kind}`, role }, untrusted(text), close);
  close.addEventListener("click", () => message.remove());
  const expire = () => (message.matches(":hover, :focus-within") ? wait() : message.remove());
  const wait = () => void setTimeout(expire, messageMs[kind]);
  wait();
  messageBar.append(message);
  while (messageBar.children.length > 3) messageBar.firstElementChild?.remove();
  return () => message.remove();
}

/** The message of a thrown value. @param {unknown} thrown */
export function reasonOf(thrown) {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

/** The game of a file: the bytes of the file, and the number of the game in it. @typedef {{ file: Uint8Array, number: number, title: string }} GameOfFile */

/**
 * The games of a chosen file, which may be a pack or a zip of packs. It throws if there is none that can be read.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {Uint8Array} bytes
 */
async function gamesOf({ engine }, bytes) {
  const files = isZip(bytes) ? await unzip(bytes) : [bytes];
  const all = files.flatMap((file) => engine.games(file).map((game, index) => ({ file, number: index + 1, game })));
  const good = all.flatMap(({ file, number, game }) =>
    game.error === undefined ? [{ file, number, title: [game.id ?? number, game.names.join(", ")].join(": ") }] : []);
  const bad = all.flatMap(({ game }) => game.error ?? []);
  if (!good.length) throw new Error(bad[0] ?? openWords.empty);
  if (bad.length) showMessage(openWords.skipped(bad.length, bad[0]), "note");
  return good;
}

/** The timeline of a game of a file. @param {import("./viewer.js").Viewer} viewer @param {GameOfFile} game */
function timelineOf(viewer, { file, number }) {
  const timeline = viewer.branches.take(viewer.engine.openGame(file, number));
  viewer.texts.set(timeline, viewer.branches.replayOf(timeline));
  return timeline;
}

/**
 * A button to choose a file; files can also be dropped on the page.
 * @type {Mount}
 */
export function acceptFiles(viewer, container) {
  const input = el("input", { type: "file", hidden: true });
  const button = el("button", { type: "button", onclick: () => input.click() });
  const veil = el("div", { class: "open-veil", hidden: true });
  const chooser = el("select", { hidden: true });
  container.append(button, input, chooser);
  document.body.append(veil);
  /** @type {GameOfFile[]} */
  let games = [];
  chooser.addEventListener("change", () => viewer.show(timelineOf(viewer, games[chooser.selectedIndex])));
  viewer.openBytes = async (bytes) => {
    games = await gamesOf(viewer, bytes);
    chooser.replaceChildren(...games.map(({ title }) => el("option", {}, untrusted(title))));
    chooser.hidden = games.length < 2;
    return timelineOf(viewer, games[0]);
  };
  const openFile = async (/** @type {File} */ file) => {
    if (file.size > MAX_BYTES) return showMessage(openWords.tooLarge(file.name));
    const bytes = await file.arrayBuffer().catch(() => null);
    if (bytes === null) return showMessage(openWords.unreadable(file.name));
    try {
      viewer.show(await viewer.openBytes(new Uint8Array(bytes)));
    } catch (thrown) {
      showMessage(openWords.refused(file.name, reasonOf(thrown)));
    }
  };
  const take = (/** @type {FileList | undefined | null} */ files) => {
    if (files?.[0]) void openFile(files[0]);
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
    chooser.title = openWords.matches;
    chooser.setAttribute("aria-label", openWords.matches);
  };
  viewer.on("language", showWords);
  showWords();
}
