// A whole game in a link, `#g=…`: opened from the address, copied, and drawn as a QR code.

import { keptInTab } from "./branches.js";
import { el, setText, svg } from "./dom.js";
import { words } from "./language.js";
import { leftOutText, packNotes } from "./notes.js";
import { reasonOf } from "./open.js";
import { remember, remembered } from "./storage.js";

const linkWords = words(
  {
    refused: (/** @type {string} */ why) => `The game in the address cannot be opened: ${why}`,
    shown: "This game comes from a link. A link holds the map, the names, the actions and notes, and nothing else that the bots wrote.",
    own: "Show this file's own match",
    close: "Close the game",
    title: "The whole game in a link",
    address: "Address of a page with this viewer",
    copy: "Copy link to the game",
    qr: "QR code",
    embed: "Copy HTML to embed",
    note: "The link holds the map, the names, the actions and the notes. It opens at this turn, and needs no file and no server.",
    bare: "Without an address, put it after that of any page with this viewer.",
    local: "This address opens on this computer only. Give that of another page with this viewer; it is remembered.",
    picture: "QR code of the link to the game",
    tooLong: "The link is too long for a QR code.",
  },
  {
    refused: (why) => `无法打开地址里的对局：${why}`,
    shown: "这场对局来自链接。链接只含地图、名字、动作和批注，不含程序输出的其他内容。",
    own: "显示本文件自己的对局",
    close: "关闭这场对局",
    title: "整场对局的链接",
    address: "带有本播放器的网页地址",
    copy: "复制对局链接",
    qr: "二维码",
    embed: "复制嵌入代码",
    note: "链接含地图、名字、动作和批注，打开时停在本回合，不需要文件，也不需要服务器。",
    bare: "没有填地址，请把它接在任何带有本播放器的网页地址后面。",
    local: "这个地址只能在本机打开。可以填写另一个带有本播放器的网页的地址，填过之后会记住。",
    picture: "对局链接的二维码",
    tooLong: "链接太长，放不进二维码。",
  },
);

/** The white frame that a QR code needs, in modules. */
const QUIET_MODULES = 4;

/** An address of this computer, which others cannot open. */
const loopback = /^https?:\/\/(127\.|localhost\b|\[::1\])/;
const addressKey = "pacman2-address";

/** How long a turn is shown before its QR code is drawn. */
const SETTLED_MS = 150;

/**
 * Opens the game in a link, or the file with more about it that this tab keeps.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {string} game what a link has after `#g=`
 */
export function openGame({ addresses, branches }, game) {
  try {
    const timeline = branches.open(keptInTab(`pacman2-file ${game}`) ?? `#g=${game}`);
    addresses.set(timeline, { g: game });
    return timeline;
  } catch (thrown) {
    throw new Error(linkWords.refused(reasonOf(thrown)));
  }
}

/**
 * Says that the shown game comes from a link, with a way back.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {HTMLElement} container
 * @param {boolean} hasOwn whether the page contains a match of its own
 */
export function mountLinkNote(viewer, container, hasOwn) {
  const text = el("span");
  const back = el("button", { type: "button", onclick: () => (location.hash = "") });
  const note = el("p", { class: "page-note", hidden: true }, text, back);
  container.prepend(note);
  const show = () => {
    note.hidden = viewer.timeline?.head.source !== "link";
    setText(text, linkWords.shown);
    setText(back, hasOwn ? linkWords.own : linkWords.close);
  };
  viewer.on(["timeline", "language"], show);
  show();
}

/**
 * The part of Share that copies a game as a link. Returns a function that returns this link if it leads elsewhere, since this page
 * has an address of this computer.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {HTMLElement} container
 * @param {(text: string) => Promise<void>} copy
 */
export function mountGameLink(viewer, container, copy) {
  const title = el("h3", { class: "share-label" });
  const label = el("span");
  const isServer = viewer.host === "server";
  // A page from a disk, or within another page, has no address that others can open.
  const own = location.protocol.startsWith("http") && parent === window ? location.origin + location.pathname : "";
  const isLocal = loopback.test(own);
  const address = el("input", { type: "url", value: (isLocal && remembered(addressKey)) || own, spellcheck: "false", autocomplete: "off" });
  const copyButton = el("button", { type: "button", onclick: () => viewer.timeline && copy(gameLink()) });
  const qrButton = el("button", { type: "button", "aria-pressed": "false" });
  const embedButton = el("button", { type: "button", onclick: () => viewer.timeline && copy(frameText()) });
  const note = el("p", { class: "share-note" });
  const picture = el("div", { class: "share-qr", hidden: true });
  container.append(
    title,
    el("label", { class: "share-choice share-address" }, label, address),
    el("div", { class: "share-row" }, copyButton, qrButton, embedButton),
    note,
    picture,
  );

  const typed = () => address.value.trim();
  const gameLink = () => {
    const timeline = /** @type {Timeline} */ (viewer.timeline);
    const turn = viewer.turn ? `&turn=${viewer.turn}` : "";
    const notes = packNotes(viewer.notes.on(timeline)).text;
    return `${typed().replace(/#.*/, "")}#g=${viewer.engine.link(timeline)}${turn}${notes && `&n=${notes}`}`;
  };
  /** An element that frames the page at that address. It is never part of this page. */
  const frameText = () =>
    el("iframe", { src: `${gameLink()}&embed=1`, title: "Pacman2", width: 640, height: 720, loading: "lazy" }).outerHTML;
  /** The link in the picture. */
  let drawn = "";
  const draw = () => {
    if (picture.hidden || !viewer.timeline || viewer.playing || !picture.checkVisibility()) return;
    const link = gameLink();
    if (link !== drawn) picture.replaceChildren(qrCode(viewer.engine, link));
    drawn = link;
  };
  qrButton.addEventListener("click", () => {
    picture.hidden = !picture.hidden;
    qrButton.setAttribute("aria-pressed", String(!picture.hidden));
    draw();
  });
  address.addEventListener("input", () => {
    if (isLocal) remember(addressKey, typed());
    showWords();
  });
  // A step through the match is twenty times as fast as a QR code.
  let waiting = 0;
  viewer.on(["timeline", "grown", "turn", "playing", "view"], () => {
    clearTimeout(waiting);
    if (!picture.hidden) waiting = setTimeout(draw, SETTLED_MS);
  });
  const showWords = () => {
    setText(title, linkWords.title);
    setText(label, linkWords.address);
    setText(copyButton, linkWords.copy);
    setText(qrButton, linkWords.qr);
    setText(embedButton, linkWords.embed);
    // A server lets no other page frame its own.
    embedButton.hidden = !/^https?:/.test(typed()) || (isServer && typed().startsWith(location.origin));
    const where = typed() ? loopback.test(typed()) && linkWords.local : linkWords.bare;
    const leftOut = viewer.timeline && leftOutText(viewer.notes.on(viewer.timeline));
    setText(note, [linkWords.note, where, leftOut].filter(Boolean).join(" "));
    drawn = "";
    draw();
  };
  viewer.on(["timeline", "notes", "language"], showWords);
  showWords();
  return () => (isLocal && typed() && !loopback.test(typed()) ? gameLink() : null);
}

/** A QR code as a picture, dark on white in every theme. @param {Engine} engine @param {string} text */
function qrCode(engine, text) {
  try {
    const { modules, dark } = engine.qr(text);
    const side = modules + 2 * QUIET_MODULES;
    const viewBox = [-QUIET_MODULES, -QUIET_MODULES, side, side].join(" ");
    return svg("svg", { viewBox, role: "img", "aria-label": linkWords.picture, "shape-rendering": "crispEdges" },
      svg("rect", { x: -QUIET_MODULES, y: -QUIET_MODULES, width: side, height: side, fill: "#fff" }),
      svg("path", { d: dark, fill: "#000" }));
  } catch {
    return el("p", { class: "share-note" }, linkWords.tooLong);
  }
}
