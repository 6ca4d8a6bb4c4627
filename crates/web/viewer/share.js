// Sharing: links, the position as text, the replay, pictures, animations.

import { allSeats } from "./board-geometry.js";
import { still } from "./board.js";
import { canFilm, clipWords, chosenTheme, makeFilm, makeGif, paintPicture } from "./clip.js";
import { el } from "./dom.js";
import { words } from "./language.js";
import { mountGameLink } from "./link.js";
import { reasonOf, showMessage } from "./open.js";
import { pageWith } from "./page-file.js";
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
    page: "Save page with this match",
    frame: "Save picture",
    animation: "Animation",
    from: "from turn",
    to: "to",
    pace: "turns per second",
    title: "title",
    make: "Make GIF",
    film: "Record WebM",
    cancel: "Cancel",
    made: (/** @type {string} */ size) => `The animation has ${size}.`,
    save: "Save GIF",
    saveFilm: "Save WebM",
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
    page: "保存含本局的网页",
    frame: "保存图片",
    animation: "动画",
    from: "从回合",
    to: "到",
    pace: "每秒回合数",
    title: "标题",
    make: "生成 GIF",
    film: "录制 WebM",
    cancel: "取消",
    made: (size) => `动画大小为 ${size}。`,
    save: "保存 GIF",
    saveFilm: "保存 WebM",
  },
);

/** The longer side, in pixels. */
const PICTURE_SIDE = 1600;

/**
 * The board as a standalone picture.
 * @param {Timeline} timeline
 * @param {Seat | null} followed
 * @param {number} turn
 * @param {number} side
 */
function pictureOf(timeline, followed, turn, side) {
  const drawn = still(timeline, turn, { theme: chosenTheme(), followed, title: `Pacman2 · ${turn}` });
  const { width, height } = drawn.viewBox.baseVal;
  const scale = side / Math.max(width, height);
  drawn.setAttribute("width", String(Math.round(width * scale)));
  drawn.setAttribute("height", String(Math.round(height * scale)));
  return drawn;
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

  const savePage = async () => {
    const name = fileName(".html");
    offerFile(name, await pageWith(viewer.branches.replayOf(timeline())), "text/html");
  };
  const saveReplay = () => offerFile(fileName(".json"), viewer.branches.replayOf(timeline()), "application/json");
  const saveSvg = () => {
    const text = new XMLSerializer().serializeToString(pictureOf(timeline(), viewer.followed, viewer.turn, PICTURE_SIDE));
    offerFile(fileName(`-${viewer.turn}.svg`), text, "image/svg+xml");
  };
  const savePng = async () => {
    const name = fileName(`-${viewer.turn}.png`);
    const canvas = el("canvas");
    const drawn = pictureOf(timeline(), viewer.followed, viewer.turn, PICTURE_SIDE);
    await paintPicture(drawn, canvas, Number(drawn.getAttribute("width")), Number(drawn.getAttribute("height")));
    const blob = await new Promise((/** @type {(blob: Blob | null) => void} */ done) => canvas.toBlob(done));
    if (!blob) throw new Error(clipWords.drawFailed);
    offerFile(name, blob, "image/png");
  };

  const from = el("input", { type: "number", min: 0, value: 0 });
  const to = el("input", { type: "number", min: 0, value: 0 });
  const pace = el("select", {}, ...[1, 2, 4, 8].map((value) => el("option", { value, selected: value === 2 }, value)));
  const progress = el("progress", { hidden: true, value: 0 });
  const result = el("span", { class: "share-row" });
  const title = el("input", { type: "text", value: "Pacman2", maxlength: 60, autocomplete: "off" });
  /** Cancels the animation that is being made. @type {AbortController | null} */
  let working = null;
  const stop = called("cancel", el("button", { type: "button", hidden: true, onclick: () => working?.abort() }));
  /**
   * @param {(options: import("./clip.js").ClipOptions) => Promise<Blob | null>} make
   * @param {"gif" | "webm"} ending
   */
  const animate = async (make, ending) => {
    const first = viewer.within(from.valueAsNumber);
    const last = Math.max(first, to.value ? viewer.within(to.valueAsNumber) : viewer.last);
    const name = fileName(`-${first}-${last}.${ending}`);
    const { signal } = (working = new AbortController());
    showWork();
    result.replaceChildren();
    progress.setAttribute("aria-label", shareWords.animation);
    progress.max = last - first + 1;
    const onTurn = (/** @type {number} */ turn) => (progress.value = turn - first);
    try {
      const options = { viewer, timeline: timeline(), title: title.value, first, last, pace: Number(pace.value), signal, onTurn };
      const file = await make(options);
      if (!file) return;
      status.textContent = shareWords.made(sizeText(file.size));
      const save = () => offerFile(name, file, file.type);
      result.replaceChildren(el("button", { type: "button", onclick: save }, ending === "gif" ? shareWords.save : shareWords.saveFilm));
    } finally {
      working = null;
      showWork();
    }
  };
  const makers = [button("make", () => animate(makeGif, "gif")), button("film", () => animate(makeFilm, "webm"))];
  makers[1].hidden = !canFilm();
  const showWork = () => {
    for (const maker of makers) maker.disabled = !!working;
    stop.hidden = progress.hidden = !working;
  };

  const game = el("div", { class: "share-game" });
  const linkElsewhere = mountGameLink(viewer, game, copy);
  const link = button("link", () => copy(linkElsewhere() ?? viewer.addressOf?.(viewer.turn) ?? ""));
  viewer.on("timeline", () => (link.hidden = !viewer.addressOf));

  container.append(
    row(link, button("replay", saveReplay), button("page", savePage)),
    game,
    row(labelled("as", formSelect), ofSeat, button("copy", copyPosition)),
    initNote,
    row(called("frame", el("span", { class: "share-label" })), button(null, saveSvg, "SVG"), button(null, savePng, "PNG")),
    row(called("animation", el("span", { class: "share-label" })), labelled("from", from), labelled("to", to)),
    row(labelled("pace", pace), labelled("title", title)),
    row(...makers),
    row(progress, stop, result),
    status,
  );
  const showEnds = () => {
    from.max = to.max = String(viewer.last);
  };
  viewer.on("timeline", () => {
    working?.abort();
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
