// Work that would be lost with a closed tab: what was typed into a form, and a game that was not played to its end.

import { el } from "./dom.js";
import { words } from "./language.js";
import { localized } from "./localized.js";
import { forget, remember, remembered, rememberedJson } from "./storage.js";

const draftWords = words(
  {
    left: "A game in this browser was left before its end.",
    open: "Go on with it",
    forget: "Forget it",
  },
  {
    left: "这个浏览器里有一局没有下完。",
    open: "接着玩",
    forget: "不要了",
  },
);

/** The most characters of a draft. */
const maxDraft = 20_000;
const gameKey = "pacman2-left-game";

/** Keeps a draft if it is not too long. @param {string} key @param {string} text */
const keepDraft = (key, text) => text.length <= maxDraft && remember(key, text);

/**
 * Restores what was typed into a form, and keeps what is typed from now on. Returns what forgets it.
 * @param {HTMLFormElement} form
 * @param {string} name
 */
export function keepForm(form, name) {
  const key = `pacman2-form-${name}`;
  const inputs = () => [...form.querySelectorAll("input, select, textarea")].map((one) => /** @type {HTMLInputElement} */ (one));
  const kept = rememberedJson(key);
  // Another version of the page has other inputs.
  if (Array.isArray(kept) && kept.length === inputs().length) {
    inputs().forEach((input, index) => {
      if (input.type === "checkbox") input.checked = kept[index] === true;
      else if (!(input instanceof HTMLSelectElement) || [...input.options].some(({ value }) => value === kept[index])) input.value = String(kept[index]);
      input.dispatchEvent(new Event("change"));
    });
  }
  form.addEventListener("input", () => keepDraft(key, JSON.stringify(inputs().map(({ type, checked, value }) => (type === "checkbox" ? checked : value)))));
  return () => forget(key);
}

/** Keeps the address of a game that was not played to its end, and forgets it at its end. @param {string} address @param {boolean} isOver */
export function keepGame(address, isOver) {
  if (isOver) forget(gameKey);
  else keepDraft(gameKey, address);
}

/** Offers the game that was left, on a start page. @param {import("./viewer.js").Viewer} viewer */
export function leftGame(viewer) {
  const open = localized(viewer, el("a", { class: "touch-link" }), () => draftWords.open);
  const drop = el("button", { type: "button", onclick: () => {
    keepGame("", true);
    show();
  } });
  const note = el("p", { class: "page-note" }, localized(viewer, el("span"), () => draftWords.left), open, localized(viewer, drop, () => draftWords.forget));
  const show = () => {
    const address = remembered(gameKey);
    note.hidden = !!viewer.timeline || !address;
    open.href = `#${address}`;
  };
  viewer.on("timeline", show);
  show();
  return note;
}
