// Sharing: links, the position as text, the replay, pictures, animations.

import { allSeats } from "./board-geometry.js";
import { still } from "./board.js";
import { el } from "./dom.js";
import { words } from "./language.js";
import { mountGameLink } from "./link.js";
import { reasonOf, showMessage } from "./open.js";
import { copyToClipboard, offerFile } from "./text-dialog.js";

/** @typedef {"init" | "picture" | "request" | "input"} PositionForm */

const shareWords = words(
  {
    link: "Copy link to this turn",
    as: "Position as",
    init: "init data",
    picture: "text picture",
    request: "request",
    input: "whole input",
    of: "of player",
    copy: "Copy",
    copied: "Copied.",
    copyFailed: "The browser does not allow this page to copy.",
    initNote: "Init data contains walls, fruit and the positions of the players, but no strengths, boosts or deaths.",
    replay: "Save replay",
    frame: "Save picture",
    animation: "Animation",
    from: "from turn",
    to: "to",
    pace: "turns per second",
    make: "Make GIF",
    cancel: "Cancel",
    made: (/** @type {string} */ size) => `The animation has ${size}.`,
    save: "Save GIF",
    drawFailed: "The browser could not draw the picture.",
  },
  {
    link: "复制本回合的链接",
    as: "局面形式",
    init: "初始化数据",
    picture: "文本图",
    request: "请求",
    input: "完整输入",
    of: "玩家",
    copy: "复制",
    copied: "已复制。",
    copyFailed: "浏览器不允许本页复制。",
    initNote: "初始化数据只含墙、豆子和玩家位置，不含力量、增益和死亡。",
    replay: "保存录像",
    frame: "保存图片",
    animation: "动画",
    from: "从回合",
    to: "到",
    pace: "每秒回合数",
    make: "生成 GIF",
    cancel: "取消",
    made: (size) => `动画大小为 ${size}。`,
    save: "保存 GIF",
    drawFailed: "浏览器未能画出图片。",
  },
);

/** The longer side, in pixels. */
const PICTURE_SIDE = 1600;
const ANIMATION_SIDE = 480;
/** How long the last turn of an animation is shown, in hundredths of a second. */
const LAST_HUNDREDTHS = 200;
/** How many pictures of an animation its palette is made from. */
const SAMPLES = 6;

/** The address of this page at a turn. @param {number} turn */
function linkToTurn(turn) {
  const [page, fragment = ""] = location.href.split("#");
  const params = new URLSearchParams(fragment);
  params.set("turn", String(turn));
  return `${page}#${params}`;
}

/**
 * The board as a standalone picture.
 * @param {Timeline} timeline
 * @param {Seat | null} followed
 * @param {number} turn
 * @param {number} side
 */
function pictureOf(timeline, followed, turn, side) {
  const chosen = document.documentElement.dataset.theme;
  const dark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const drawn = still(timeline, turn, { theme: dark ? "dark" : "light", followed, title: `Pacman2 · ${turn}` });
  const { width, height } = drawn.viewBox.baseVal;
  const scale = side / Math.max(width, height);
  drawn.setAttribute("width", String(Math.round(width * scale)));
  drawn.setAttribute("height", String(Math.round(height * scale)));
  return drawn;
}

/** @param {SVGSVGElement} drawn @param {HTMLCanvasElement} canvas */
async function paint(drawn, canvas) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(drawn))}`;
  await image.decode();
  const width = Number(drawn.getAttribute("width"));
  const height = Number(drawn.getAttribute("height"));
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height) canvas.height = height;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error(shareWords.drawFailed);
  context.drawImage(image, 0, 0, width, height);
  return context;
}

/** @param {number} bytes */
function sizeText(bytes) {
  return bytes < 1048576 ? `${Math.ceil(bytes / 1024)} KB` : `${(bytes / 1048576).toFixed(1)} MB`;
}

/** @type {Mount} */
export function mountShare(viewer, container) {
  const status = el("p", { class: "share-note", role: "status" });
  /** Elements whose text depends on the language. @type {[Element, keyof typeof shareWords][]} */
  const named = [];
  /** @template {Element} E @param {keyof typeof shareWords} key @param {E} element @returns {E} */
  const called = (key, element) => {
    named.push([element, key]);
    return element;
  };
  const labelled = (/** @type {keyof typeof shareWords} */ key, /** @type {HTMLElement} */ control) =>
    el("label", { class: "share-choice" }, called(key, el("span")), control);
  /** A button whose action may fail with a message. @param {keyof typeof shareWords | null} key @param {() => unknown} work */
  const button = (key, work, text = "") => {
    const made = el("button", { type: "button" }, text);
    made.addEventListener("click", async () => {
      status.textContent = "";
      try {
        if (viewer.timeline) await work();
      } catch (thrown) {
        showMessage(reasonOf(thrown));
      }
    });
    return key ? called(key, made) : made;
  };
  const copy = async (/** @type {string} */ text) => {
    status.textContent = (await copyToClipboard(text)) ? shareWords.copied : shareWords.copyFailed;
  };
  const timeline = () => /** @type {Timeline} */ (viewer.timeline);
  const fileName = (/** @type {string} */ rest) => `pacman2-${timeline().head.seed}${rest}`;
  const row = (/** @type {(Node | false)[]} */ ...children) => el("div", { class: "share-row" }, ...children);

  /** @type {PositionForm[]} */
  const positionForms = ["init", "picture", "request", "input"];
  const formSelect = el("select", {}, ...positionForms.map((value) => called(value, el("option", { value }))));
  const seat = el("select", {}, ...allSeats.map((value) => el("option", { value }, value)));
  const ofSeat = labelled("of", seat);
  const initNote = called("initNote", el("p", { class: "share-note" }));
  const copyPosition = () => {
    const as = /** @type {PositionForm} */ (formSelect.value);
    return copy(viewer.engine.text(timeline(), viewer.turn, as, /** @type {Seat} */ (Number(seat.value))));
  };
  const showForm = () => {
    ofSeat.hidden = formSelect.value !== "request" && formSelect.value !== "input";
    initNote.hidden = formSelect.value !== "init";
  };
  formSelect.addEventListener("change", showForm);

  const saveReplay = () => offerFile(fileName(".json"), viewer.engine.save(timeline()), "application/json");
  const saveSvg = () => {
    const text = new XMLSerializer().serializeToString(pictureOf(timeline(), viewer.followed, viewer.turn, PICTURE_SIDE));
    offerFile(fileName(`-${viewer.turn}.svg`), text, "image/svg+xml");
  };
  const savePng = async () => {
    const name = fileName(`-${viewer.turn}.png`);
    const canvas = el("canvas");
    await paint(pictureOf(timeline(), viewer.followed, viewer.turn, PICTURE_SIDE), canvas);
    const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ done) => canvas.toBlob(done));
    if (!blob) throw new Error(shareWords.drawFailed);
    offerFile(name, blob, "image/png");
  };

  const from = el("input", { type: "number", min: 0, value: 0 });
  const to = el("input", { type: "number", min: 0, value: 0 });
  const pace = el("select", {}, ...[1, 2, 4, 8].map((value) => el("option", { value, selected: value === 2 }, value)));
  const progress = el("progress", { hidden: true, value: 0 });
  const result = el("span", { class: "share-row" });
  /** Cancels the animation that is being made. @type {(() => void) | null} */
  let cancel = null;
  const stop = called("cancel", el("button", { type: "button", hidden: true, onclick: () => cancel?.() }));
  const animate = async () => {
    const first = viewer.within(from.valueAsNumber);
    const last = Math.max(first, to.value ? viewer.within(to.valueAsNumber) : viewer.last);
    const shown = timeline();
    const name = fileName(`-${first}-${last}.gif`);
    const hundredths = Math.round(100 / Number(pace.value));
    const canvas = el("canvas");
    const pixels = async (/** @type {number} */ turn) => {
      const context = await paint(pictureOf(shown, viewer.followed, turn, ANIMATION_SIDE), canvas);
      return context.getImageData(0, 0, canvas.width, canvas.height).data;
    };
    let going = true;
    cancel = () => (going = false);
    showWork(true);
    progress.setAttribute("aria-label", shareWords.animation);
    progress.max = last - first + 1;
    try {
      await pixels(first);
      const gif = viewer.engine.gif(canvas.width, canvas.height);
      for (let part = 0; part < SAMPLES; part++) gif.learn(await pixels(first + Math.round(((last - first) * part) / SAMPLES)));
      for (let turn = first; turn <= last; turn++) {
        progress.value = turn - first;
        gif.add(await pixels(turn), turn === last ? LAST_HUNDREDTHS : hundredths);
        // Lets the page respond between pictures.
        await new Promise((done) => setTimeout(done));
        if (!going) return;
      }
      const file = /** @type {Uint8Array<ArrayBuffer>} */ (gif.end());
      status.textContent = shareWords.made(sizeText(file.length));
      const save = () => offerFile(name, file, "image/gif");
      result.replaceChildren(el("button", { type: "button", onclick: save }, shareWords.save));
    } finally {
      cancel = null;
      showWork(false);
    }
  };
  const make = button("make", animate);
  const showWork = (/** @type {boolean} */ working) => {
    make.disabled = working;
    stop.hidden = progress.hidden = !working;
    if (working) result.replaceChildren();
  };

  const game = el("div", { class: "share-game" });
  mountGameLink(viewer, game, copy);
  const link = button("link", () => copy(linkToTurn(viewer.turn)));
  // A link cannot lead to what exists in this page alone.
  const showLink = () => (link.hidden = !viewer.timeline || !viewer.addresses.has(viewer.timeline));
  viewer.on(["timeline", "view"], showLink);
  showLink();

  container.append(
    row(link, button("replay", saveReplay)),
    game,
    row(labelled("as", formSelect), ofSeat, button("copy", copyPosition)),
    initNote,
    row(called("frame", el("span", { class: "share-label" })), button(null, saveSvg, "SVG"), button(null, savePng, "PNG")),
    row(called("animation", el("span", { class: "share-label" })), labelled("from", from), labelled("to", to)),
    row(labelled("pace", pace), make),
    row(progress, stop, result),
    status,
  );
  const showEnds = () => {
    from.max = to.max = String(viewer.last);
  };
  viewer.on("timeline", () => {
    cancel?.();
    from.value = "0";
    to.value = String(viewer.last);
    result.replaceChildren();
    showEnds();
  });
  viewer.on("grown", () => {
    if (to.value === to.max) to.value = String(viewer.last);
    showEnds();
  });
  const showWords = () => {
    for (const [element, key] of named) element.textContent = /** @type {string} */ (shareWords[key]);
  };
  viewer.on("language", showWords);
  to.value = String(viewer.last);
  showEnds();
  showForm();
  showWords();
}
