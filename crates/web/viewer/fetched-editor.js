// The page of a bot with its editor: a script that a server's page fetches when it shows the first bot. It has copies of the modules that
// the page has, too, such as that of the language.

import { setLanguage } from "./language.js";
import { mountMyBot } from "./my-bot.js";
import { droppedFiles, openNewBot } from "./new-bot.js";

/** @param {import("./viewer.js").Viewer} viewer @param {HTMLElement} page @param {Parameters<typeof mountMyBot>[2]} options */
export function mountBotPage(viewer, page, options) {
  const followLanguage = () => setLanguage(document.documentElement.lang.startsWith("zh") ? "zh" : "en");
  viewer.on("language", followLanguage);
  followLanguage();
  return { ...mountMyBot(viewer, page, options), create };
}

/** Makes a new bot, perhaps from what was dropped. @param {import("./new-bot.js").Template[]} templates @param {(FileSystemEntry | File)[]} dropped */
const create = async (templates, dropped) => openNewBot(templates, await droppedFiles(dropped));
