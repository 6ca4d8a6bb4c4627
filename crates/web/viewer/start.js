// Starts the page of a file or of Botzone. Without a match, it says what can be opened.

import "./style.css";
import { runOnBotzone } from "./botzone.js";
import { el } from "./dom.js";
import { setReasons, words } from "./language.js";
import { localized } from "./localized.js";
import { begin } from "./main.js";
import { chineseReason } from "./reasons.js";

const startWords = words(
  { hint: "Open a replay or a match log from Botzone, or drop one here." },
  { hint: "打开录像或 Botzone 的对局记录，也可以直接拖到这里。" },
);

setReasons(chineseReason);
void begin((viewer, container, { host }) => {
  if (host === "botzone") {
    const { infoProvider, parent } = /** @type {any} */ (window);
    runOnBotzone(viewer, infoProvider ?? parent.infoProvider);
    return true;
  }
  container.append(localized(viewer, el("p", { class: "page-hint" }), () => startWords.hint));
  return false;
});
