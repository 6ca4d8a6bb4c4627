// The entry point of the page of a contest.

import "../viewer/base.css";
import "../arena/arena.css";
import "./contest.css";
import { mountHeader } from "../arena/header.js";
import { linkTo } from "../arena/components.js";
import { applyChoices } from "../viewer/choices.js";
import { el, visibleText } from "../viewer/dom.js";
import { onLanguage, words } from "../viewer/language.js";
import { errorText, get, post } from "./ask.js";
import { mountLog } from "./log.js";
import { mountPeople } from "./people.js";
import { mountInvitation, mountSignIn } from "./sign-in.js";
import { mountVersions } from "./versions.js";

const pageWords = words(
  {
    contest: "Ladder",
    title: "Ladder · Pacman2",
    parts: "Views",
    standings: "Standings and games",
    versions: "My versions",
    people: "People",
    log: "Log",
    signOut: (/** @type {string} */ name) => `Sign out ${name}`,
  },
  {
    contest: "天梯",
    title: "天梯 · 吃豆人2",
    parts: "页面视图",
    standings: "排名和对局",
    versions: "我的版本",
    people: "人员",
    log: "日志",
    signOut: (name) => `退出 ${name}`,
  },
);

const place = /** @type {HTMLElement} */ (document.getElementById("contest"));
const params = () => new URLSearchParams(location.hash.slice(1));

/** The page of the arena links its games in this way. @param {string} game */
const gameAddress = (game) => `/arena/games/${encodeURIComponent(game)}#turn=${encodeURIComponent(params().get("turn") ?? "0")}`;

async function begin() {
  const game = params().get("game");
  if (game) return location.replace(gameAddress(game));
  applyChoices();
  const out = el("button", { type: "button", hidden: true, onclick: () => post("sign-out").finally(() => location.reload()) });
  /** @type {Me | null} */
  let me = null;
  const title = mountHeader(out);
  const show = () => {
    title(pageWords.contest);
    document.title = pageWords.title;
    out.hidden = !me;
    out.textContent = me && pageWords.signOut(visibleText(me.name));
  };
  onLanguage(show);
  const enter = (/** @type {Me} */ entered) => {
    me = entered;
    // The address may have the secret of a link.
    if (params().has("invitation")) history.replaceState(null, "", "/");
    show();
    mountViews(entered);
  };
  show();
  const secret = params().get("invitation");
  if (secret) await mountInvitation(place, secret, enter);
  else await get("me").then((found) => (found ? enter(found) : mountSignIn(place, enter)), (error) => (place.textContent = errorText(error)));
  document.body.dataset.ready = String(Math.round(performance.now()));
}

/** @param {Me} me */
function mountViews(me) {
  /** @type {["versions" | "people" | "log", (place: HTMLElement, me: Me) => () => void][]} */
  const own = [["versions", mountVersions]];
  if (me.role !== "student") own.push(["people", mountPeople], ["log", mountLog]);
  const views = own.map(([name, mount]) => {
    const section = el("section", { class: `view view-${name}`, hidden: true });
    return { name, section, link: el("a", { href: linkTo({ view: name }) }), mount, show: () => {}, isMounted: false };
  });
  const arena = el("a", { href: "/arena" });
  const nav = el("nav", { class: "views" }, ...views.map(({ link }) => link), arena);
  place.replaceChildren(nav, ...views.map(({ section }) => section));
  const show = () => {
    nav.setAttribute("aria-label", pageWords.parts);
    arena.textContent = pageWords.standings;
    const chosen = views.find(({ name }) => name === params().get("view")) ?? views[0];
    for (const view of views) {
      view.link.textContent = pageWords[view.name];
      view.section.setAttribute("aria-label", pageWords[view.name]);
      view.section.hidden = view !== chosen;
      if (view === chosen) view.link.setAttribute("aria-current", "page");
      else view.link.removeAttribute("aria-current");
    }
    if (!chosen.isMounted) {
      chosen.isMounted = true;
      chosen.show = chosen.mount(chosen.section, me);
    }
    chosen.show();
  };
  onLanguage(show);
  addEventListener("hashchange", () => {
    // A link that is opened in this tab.
    if (params().has("invitation") || params().has("game")) location.reload();
    else show();
  });
  show();
}

void begin();
