// A game of a report, in the viewer.

import { el } from "../viewer/dom.js";
import { words } from "../viewer/language.js";
import { linkTo } from "./components.js";

const gameWords = words(
  {
    back: "← All games",
    viewer: "The game in the viewer",
    unknown: "This report does not contain that game.",
  },
  {
    back: "← 全部对局",
    viewer: "播放器里的对局",
    unknown: "本报告没有收录这一局。",
  },
);

/** @type {ArenaPart} */
export function mountGame(page, place) {
  const back = el("a", { class: "way", href: linkTo({ view: "games" }) });
  const unknown = el("p", { class: "trouble", role: "alert", hidden: true });
  const frame = el("iframe", { class: "game-frame", allow: "fullscreen" });
  place.append(back, unknown, frame);
  let shown = "";
  const show = () => {
    back.textContent = gameWords.back;
    unknown.textContent = gameWords.unknown;
    frame.title = gameWords.viewer;
    const address = page.source.viewerOf(page.params.get("id") ?? "", page.params.get("turn") ?? "0");
    unknown.hidden = address !== null;
    frame.hidden = address === null;
    if (address === null || address === shown) return;
    shown = address;
    // Without an entry of its own in the history, Back leads to the list.
    frame.contentWindow?.location.replace(address);
  };
  return { show };
}
