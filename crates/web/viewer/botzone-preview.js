// The preview of Botzone's player page: the page in a frame, with a match of the folder from a stand-in for Botzone.

import "./base.css";
import "./botzone-preview.css";
import { allSeats } from "./board-geometry.js";
import { el, shortName, visibleText } from "./dom.js";
import { language, onLanguage, setLanguage, words } from "./language.js";
import { getText } from "./server.js";
import { installStandIn } from "./stand-in.js";
import { remember, remembered } from "./storage.js";

const previewWords = words(
  {
    title: "Botzone's player page",
    about: "The page in the frame is the one for Botzone. A stand-in gives it a match of the folder, as Botzone would.",
    matches: "Matches",
    match: "Match",
    role: "Shown to",
    replay: "a viewer of the replay",
    live: "a viewer of the live match",
    player: (/** @type {number} */ seat) => `the human player ${seat}`,
    play: "Play",
    pause: "Pause",
    seek: "Position",
    none: "The folder has no matches.",
    size: (/** @type {number} */ width, /** @type {number} */ height) => `The page asks for ${width} × ${height} pixels.`,
    move: (/** @type {string} */ move) => `The page sent ${move}. The match goes on with the recorded action.`,
  },
  {
    title: "Botzone 播放器页面",
    about: "框里就是供 Botzone 使用的网页。这里模拟 Botzone，把文件夹里的一局交给它。",
    matches: "对局",
    match: "对局",
    role: "展示给",
    replay: "看录像的人",
    live: "看直播的人",
    player: (seat) => `${seat} 号玩家（真人）`,
    play: "播放",
    pause: "暂停",
    seek: "位置",
    none: "文件夹里没有对局。",
    size: (width, height) => `网页请求 ${width} × ${height} 像素。`,
    move: (move) => `网页发出了 ${move}。对局按录像里的动作继续。`,
  },
);

/** The time between two turns of a live match. */
const turnMs = 700;

/** What Botzone's page would call next. @param {string} name @param {unknown} [value] */
const callBack = (name, value) => /** @type {any} */ (window).callsTo[name]?.at(-1)?.(value);

async function beginPreview() {
  setLanguage((remembered("pacman2-language") ?? navigator.language).startsWith("zh") ? "zh" : "en");
  const { theme } = document.documentElement.dataset;
  const wanted = remembered("pacman2-theme") ?? theme;
  if (wanted) document.documentElement.dataset.theme = wanted;

  const match = el("select", { onchange: () => void start() });
  const role = el("select", { onchange: () => void start() }, ...["replay", "live", ...allSeats].map((value) => el("option", { value })));
  const play = el("button", { type: "button", onclick: () => callBack("setPlayCallback") });
  const pause = el("button", { type: "button", onclick: () => callBack("setPauseCallback") });
  const seek = el("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0 });
  seek.addEventListener("input", () => callBack("setSeekCallback", Number(seek.value)));
  const state = el("p", { role: "status" });
  const place = el("div", { class: "preview-frame" });
  const texts = [el("h1"), el("p"), el("span"), el("span")];
  const back = el("a", { href: "/" });
  const languageButton = el("button", { type: "button", onclick: () => {
    setLanguage(language() === "zh" ? "en" : "zh");
    remember("pacman2-language", language());
    void start();
  } });
  document.getElementById("header")?.append(texts[0], back, languageButton);
  document.getElementById("page")?.append(texts[1],
    el("div", { class: "preview-choices" },
      el("label", {}, texts[2], match), el("label", {}, texts[3], role), play, pause, seek),
    state, place);

  /** The log of the match, and how many of its displays the page has. @type {{ log: any[], players: { bot: string }[] }} */
  let shown = { log: [], players: [] };
  let fed = 0;
  let feeding = 0;
  const seat = () => Number(role.value);
  const feed = () => {
    callBack("v2.setDisplayCallback", shown.log[2 * fed].output.display);
    fed += 1;
    const answers = shown.log[2 * fed - 1];
    if (!answers) callBack("v2.setGameOverCallback");
    else if (role.value in answers) callBack("v2.setRequestCallback", {});
    else feeding = setTimeout(feed, turnMs);
  };
  const start = async () => {
    clearTimeout(feeding);
    try {
      shown = JSON.parse(await getText(`/api/replays/${encodeURIComponent(match.value)}/log`));
    } catch (error) {
      state.textContent = visibleText(/** @type {Error} */ (error).message);
      return place.replaceChildren();
    }
    const live = role.value !== "replay";
    fed = 0;
    const names = shown.players.map(({ bot }) => bot);
    installStandIn({ log: live ? [] : shown.log, live, player: seat() >= 0 ? seat() : -1, names, second: true });
    place.replaceChildren(el("iframe", { src: "/botzone-player.html", title: previewWords.title }));
  };
  addEventListener("stand-in", (event) => {
    const { detail: name } = /** @type {CustomEvent<string>} */ (event);
    const given = /** @type {any} */ (window).callsTo[name].at(-1);
    const frame = place.querySelector("iframe");
    if (name === "v2.setMinSize" && frame) {
      [frame.style.minWidth, frame.style.minHeight] = given.map((/** @type {number} */ side) => `${side}px`);
      state.textContent = previewWords.size(given[0], given[1]);
    }
    if (name === "notifyInitComplete" && role.value !== "replay") feed();
    if (name === "notifyPlayerMove") {
      state.textContent = previewWords.move(JSON.stringify(given));
      feed();
    }
  });
  const localizePreview = () => {
    const t = previewWords;
    document.documentElement.lang = language() === "zh" ? "zh-CN" : "en";
    document.title = `${t.title} · Pacman2`;
    [t.title, t.about, t.match, t.role].forEach((text, index) => (texts[index].textContent = text));
    [back, play, pause].forEach((one, index) => (one.textContent = [t.matches, t.play, t.pause][index]));
    seek.setAttribute("aria-label", t.seek);
    languageButton.textContent = language() === "zh" ? "English" : "中文";
    [...role.options].forEach((option, index) => (option.textContent = [t.replay, t.live][index] ?? t.player(Number(option.value))));
  };
  onLanguage(localizePreview);
  localizePreview();
  /** @type {import("./home.js").ReplayListed[]} */
  const replays = JSON.parse(await getText("/api/replays"));
  const asked = new URLSearchParams(location.hash.slice(1)).get("replay");
  match.append(...replays.flatMap(({ name, seats }) =>
    seats ? [el("option", { value: name, selected: name === asked }, shortName(`${name}: ${seats.join(", ")}`))] : []));
  if (match.options.length) await start();
  else state.textContent = previewWords.none;
  document.body.dataset.ready = "";
}

void beginPreview();
