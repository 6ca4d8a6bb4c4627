// Language, and light or dark: what the reader has chosen, and the buttons for it in the header of every page.

import { el, svg } from "./dom.js";
import { language, onLanguage, setLanguage, words } from "./language.js";
import { remember, remembered } from "./storage.js";

const choiceWords = words(
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

/** Sets the language and theme that were chosen before, and keeps the language of the document. */
export function applyChoices() {
  applyTheme(remembered("pacman2-theme"));
  setLanguage((remembered("pacman2-language") ?? navigator.language).startsWith("zh") ? "zh" : "en");
  const notify = () => (document.documentElement.lang = language() === "zh" ? "zh-CN" : "en");
  onLanguage(notify);
  notify();
}

/** The buttons for language and theme. @param {() => void} [changed] called after another theme was chosen */
export function choiceButtons(changed) {
  const other = el("button", {
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
      changed?.();
    },
  }, "◐");
  const show = () => {
    other.textContent = language() === "zh" ? "English" : "中文";
    other.lang = language() === "zh" ? "en" : "zh-CN";
    theme.title = choiceWords.theme;
    theme.setAttribute("aria-label", choiceWords.theme);
  };
  onLanguage(show);
  show();
  return [other, theme];
}

/** The tree beside the name of the game. */
export const headerTree = () => svg("svg", { viewBox: "0 0 32 32", "aria-hidden": "true" },
  svg("circle", { cx: 16, cy: 13, r: 11, fill: "var(--jade)" }),
  svg("path", { d: "M13 30V15h6v15z", fill: "var(--light)" }));
