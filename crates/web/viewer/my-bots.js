// My bots: the list of the bots in the folder that the user has named, on the start page and alone at `#bots=`, and the way to a new one.
// The page of a bot is a separate script with the editor.

import { addressOfBot, factsOf } from "./bot-facts.js";
import { el, untrusted } from "./dom.js";
import { words } from "./language.js";
import { localize, localized } from "./localized.js";
import { reasonOf, showMessage } from "./open.js";
import { askForToken, getWithToken, hasToken, whenCodeTaken } from "./server.js";

/** @typedef {import("./bot-facts.js").OwnBot} OwnBot */

const myBotsWords = words(
  {
    title: "My bots",
    about: (/** @type {string} */ folder) => `In the folder ${folder}. You can drop a file, a folder or a zip here.`,
    without: "Write, check and compare your own bots here. Start the server with a folder for them:",
    create: "New bot…",
    show: "Show my bots",
    all: (/** @type {number} */ number) => `All ${number} bots`,
    none: "There is no bot in this folder yet.",
  },
  {
    title: "我的程序",
    about: (folder) => `在文件夹 ${folder}。可以把文件、文件夹或 zip 拖到这里。`,
    without: "在这里编写、检查、比较你自己的程序。启动服务器时请给出存放它们的文件夹：",
    create: "新程序…",
    show: "显示我的程序",
    all: (number) => `全部 ${number} 个程序`,
    none: "这个文件夹里还没有程序。",
  },
);

/** How many bots the start page shows. */
const botsAtStart = 4;

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {HTMLElement} container the start page; its attribute `data-section` says what of it is shown
 * @param {{ mine: string | null, bots: string[], watch: (id: string, humans: Seat[]) => void }} options the folder, the built-in bots,
 *   and what shows a match
 * @returns {HTMLElement[]} the list, and the page of a bot
 */
export function mountMyBots(viewer, container, { mine, bots, watch }) {
  const t = myBotsWords;
  const card = el("section", { class: "my-bots card" });
  const title = localized(viewer, el("h2"), () => t.title);
  if (!mine) {
    card.append(title, localized(viewer, el("p", { class: "home-about" }), () => t.without), el("code", {}, "pacman2 serve --bots FOLDER"));
    return [card];
  }
  /** @type {{ bots: OwnBot[], templates: import("./new-bot.js").Template[] } | null} */
  let known = null;
  const create = localized(viewer, el("button", { type: "button", class: "primary", onclick: () => begin([]) }), () => t.create);
  const unlock = localized(viewer, el("button", { type: "button", onclick: () => askForToken().then(load) }), () => t.show);
  const about = el("p", { class: "home-about" });
  const list = el("ul", { class: "home-list" });
  const all = el("a", { href: addressOfBot() });
  card.append(el("div", { class: "front-head" }, title, create), about, unlock, list, all);
  const page = el("section", { class: "my-bot" });
  /** The script with the page of a bot, once it was needed. @type {Promise<ReturnType<typeof import("./fetched-editor.js").mountBotPage>> | null} */
  let fetched = null;
  const script = "./editor.js";
  const botPage = () => (fetched ??= import(script).then(({ mountBotPage }) => mountBotPage(viewer, page, { bots, watch })));

  /** The bot that is shown, "" for the list; null for neither. */
  const shownBot = () => (viewer.timeline ? null : new URLSearchParams(viewer.section).get("bots"));
  const show = () => {
    about.replaceChildren(untrusted(t.about(mine)));
    create.hidden = !known;
    unlock.hidden = hasToken();
    if (!known) return;
    const listed = shownBot() === "" ? known.bots : known.bots.slice(0, botsAtStart);
    const row = (/** @type {OwnBot} */ bot) => el("li", {},
      el("a", { class: "home-row my-bots-row", href: addressOfBot(bot.name) }, untrusted(bot.name), el("span", { class: "home-about" }, factsOf(bot))));
    list.replaceChildren(...listed.map(row));
    if (!known.bots.length) about.replaceChildren(untrusted(`${t.none} ${t.about(mine)}`));
    all.hidden = listed.length === known.bots.length;
    all.textContent = t.all(known.bots.length);
  };
  const load = async () => {
    await whenCodeTaken();
    if (viewer.timeline || !hasToken()) return show();
    try {
      known = await getWithToken("/api/bots");
    } catch (error) {
      showMessage(reasonOf(error));
    }
    show();
  };
  /** Makes a new bot, perhaps from what was dropped. @param {(FileSystemEntry | File)[]} dropped */
  const begin = async (dropped) => {
    try {
      if (!known) await load();
      const name = known && (await (await botPage()).create(known.templates, dropped));
      if (name) location.hash = addressOfBot(name);
    } catch (error) {
      showMessage(reasonOf(error));
    }
  };
  acceptDrops(card, begin);
  const showSection = () => {
    const name = shownBot();
    container.dataset.section = name === null ? "start" : name === "" ? "bots" : "bot";
    if (name || fetched) void whenCodeTaken().then(botPage).then(({ show }) => show(name || null)).catch((error) => showMessage(reasonOf(error)));
    if (!name) void load();
  };
  viewer.openers.set("bots", (name) => {
    viewer.show(null, 0, addressOfBot(name).slice(1));
    return null;
  });
  viewer.on("timeline", showSection);
  addEventListener("focus", () => !shownBot() && void load());
  localize(viewer, show);
  showSection();
  return [card, page];
}

/** @param {HTMLElement} place @param {(dropped: (FileSystemEntry | File)[]) => Promise<void>} take */
function acceptDrops(place, take) {
  for (const name of /** @type {const} */ (["dragenter", "dragover", "dragleave", "drop"])) {
    place.addEventListener(name, (event) => {
      const { dataTransfer } = event;
      if (!dataTransfer?.types.includes("Files")) return;
      // Elsewhere on the page, a file is opened as a replay.
      event.preventDefault();
      event.stopPropagation();
      place.toggleAttribute("data-drop", name === "dragover" || name === "dragenter");
      // The list of items is empty as soon as the event is over. What comes from another page is a file without an entry.
      if (name === "drop") void take([...dataTransfer.items].flatMap((item) => item.webkitGetAsEntry() ?? item.getAsFile() ?? []));
    });
  }
}
