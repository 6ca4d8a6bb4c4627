// The header of the pages of an arena and of a contest.

import { choiceButtons, headerTree } from "../viewer/choices.js";
import { el } from "../viewer/dom.js";
import { language } from "../viewer/language.js";

/**
 * Mounts the header. Returns a function that words it for the name of the page.
 * @param {...HTMLElement} ways links and buttons before those for language and theme
 */
export function mountHeader(...ways) {
  const game = el("span", { class: "arena-game" });
  const title = el("span");
  document.getElementById("header")?.append(el("h1", {}, headerTree(), game, title), ...ways, ...choiceButtons());
  return (/** @type {string | Node} */ name) => {
    game.textContent = language() === "zh" ? "吃豆人2" : "Pacman2";
    title.replaceChildren(name);
  };
}
