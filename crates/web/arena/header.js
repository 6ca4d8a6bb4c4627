// What the pages of an arena and of a contest have in common: language, light or dark, and the header.

import { el, svg } from "../viewer/dom.js";
import { language, setLanguage, words } from "../viewer/language.js";
import { remember, remembered } from "../viewer/storage.js";

const headerWords = words(
  {
    theme: "Light or dark",
  },
  {
    theme: "浅色或深色",
  },
);

/** @param {string | null} theme */
function applyTheme(theme) {
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
}

function isDark() {
  const theme = document.documentElement.dataset.theme;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

/** Sets the language and theme that were chosen before. */
export function applyChoices() {
  applyTheme(remembered("pacman2-theme"));
  setLanguage((remembered("pacman2-language") ?? navigator.language).startsWith("zh") ? "zh" : "en");
}

/**
 * Mounts the header. Returns a function that words it; `title` is the name of the page.
 * @param {...HTMLElement} ways links and buttons before those for language and theme
 */
export function mountHeader(...ways) {
  const languageButton = el("button", {
    type: "button",
    onclick: () => {
      setLanguage(language() === "zh" ? "en" : "zh");
      remember("pacman2-language", language());
    },
  });
  const theme = el("button", {
    type: "button",
    onclick: () => {
      applyTheme(isDark() ? "light" : "dark");
      remember("pacman2-theme", document.documentElement.dataset.theme ?? "");
    },
  }, "◐");
  const tree = svg("svg", { viewBox: "0 0 32 32", "aria-hidden": "true" },
    svg("circle", { cx: 16, cy: 13, r: 11, fill: "var(--jade)" }),
    svg("path", { d: "M13 30V15h6v15z", fill: "var(--light)" }));
  const game = el("span", { class: "arena-game" });
  const title = el("span");
  document.getElementById("header")?.append(el("h1", {}, tree, game, title), ...ways, languageButton, theme);
  return (/** @type {string | Node} */ name) => {
    const zh = language() === "zh";
    document.documentElement.lang = zh ? "zh-CN" : "en";
    game.textContent = zh ? "吃豆人2" : "Pacman2";
    title.replaceChildren(name);
    languageButton.textContent = zh ? "English" : "中文";
    languageButton.lang = zh ? "en" : "zh-CN";
    theme.title = headerWords.theme;
    theme.setAttribute("aria-label", headerWords.theme);
  };
}
