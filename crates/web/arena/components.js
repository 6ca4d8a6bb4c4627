// What several parts of the page are made of.

import { el, untrusted, visibleText } from "../viewer/dom.js";
import { words } from "../viewer/language.js";
import { digits, ends } from "./format.js";

const partWords = words(
  {
    old: (/** @type {string} */ number) => `Old versions too (${number})`,
    interval: (/** @type {string} */ low, /** @type {string} */ high) => `95 % between ${low} and ${high}`,
    scrolls: (/** @type {string} */ name) => `${name} (scrolls sideways)`,
  },
  {
    old: (number) => `包括旧版本（${number}）`,
    interval: (low, high) => `95% 区间 ${low} 到 ${high}`,
    scrolls: (name) => `${name}（可左右滚动）`,
  },
);

/** Name and version, as the server takes them. @param {ArenaBot} bot */
export const labelOf = ({ name, version }) => `${name}@${version}`;

/** The same, as it is shown. @param {ArenaBot} bot */
export const nameOf = (bot) => visibleText(labelOf(bot));

/** An address of this page. @param {Record<string, string>} parts */
export function linkTo(parts) {
  return `#${new URLSearchParams(Object.entries(parts).filter(([, value]) => value))}`;
}

/** A bot's name and version. @param {ArenaBot} bot */
export function botName(bot) {
  return el("span", { class: "bot-name" }, untrusted(bot.name), el("span", { class: "bot-version" }, "@", untrusted(bot.version)));
}

/** The same, as the way to its page. @param {ArenaBot} bot @param {string} key */
export function botLink(bot, key) {
  const label = labelOf(bot);
  return el("a", { href: linkTo({ view: "bots", bot: label }), "data-key": `${key} ${label}`, class: "bot-link" }, botName(bot));
}

/** A number and its interval below. @param {Estimate} estimate @param {number} decimals */
export function estimateText(estimate, decimals) {
  const spoken = partWords.interval(digits(estimate.low, decimals), digits(estimate.high, decimals));
  return el(
    "span",
    { class: "estimate", title: spoken },
    el("b", {}, digits(estimate.value, decimals)),
    " ",
    el("span", { class: "estimate-ends" }, ends(estimate, decimals)),
  );
}

/**
 * A table that scrolls in its own frame where it is too wide.
 * @param {string} name
 * @param {Element[]} heads
 * @param {Element[]} rows
 * @param {string} [kind]
 */
export function tableOf(name, heads, rows, kind = "") {
  const table = el(
    "table",
    { class: `table ${kind}` },
    el("caption", { class: "unseen" }, name),
    el("thead", {}, el("tr", {}, ...heads)),
    el("tbody", {}, ...rows),
  );
  const attributes = { role: "region", "aria-label": partWords.scrolls(name) };
  return el("div", { class: "table-scroll", tabindex: 0, "data-key": name, ...attributes }, table);
}

/** @param {string} text @param {string} [title] */
export const columnHead = (text, title) => el("th", { scope: "col", title }, text);

/**
 * A choice among bots; what is chosen is told by name@version.
 * @param {string} label
 * @param {(label: string) => void} chosen
 */
export function botChoice(label, chosen) {
  const select = el("select", { onchange: () => chosen(select.value) });
  const text = el("span", {}, label);
  return {
    field: el("label", { class: "field" }, text, select),
    /**
     * @param {string} attributes
     * @param {ArenaBot[]} bots
     * @param {string} value
     * @param {string} [nobody] what nobody is called, if nobody can be chosen
     */
    show: (attributes, bots, value, nobody) => {
      text.textContent = attributes;
      const options = bots.map((bot) => [labelOf(bot), nameOf(bot)]);
      if (nobody !== undefined) options.unshift(["", nobody]);
      const wanted = JSON.stringify(options);
      // A list that is open is left alone.
      if (select.dataset.options !== wanted) {
        select.replaceChildren(...options.map(([value, text]) => el("option", { value }, text)));
        select.dataset.options = wanted;
      }
      select.value = value;
    },
  };
}

/**
 * Whether old versions are to be shown, and the bots that then are, the best first.
 * @param {ArenaPage} page
 * @param {() => void} changed
 */
export function oldChoice(page, changed) {
  const check = el("input", {
    type: "checkbox",
    onchange: () => {
      page.showsOld = check.checked;
      changed();
    },
  });
  const text = el("span");
  const field = el("label", { class: "check" }, check, text);
  const show = () => {
    // Who has not played has no place yet.
    const all = (page.source.standings?.bots ?? []).filter(({ games }) => games);
    const retired = all.filter(({ bot }) => !bot.is_active).length;
    field.hidden = retired === 0 || retired === all.length;
    check.checked = page.showsOld;
    text.textContent = partWords.old(digits(retired));
    // Where all are old, old is what there is.
    return all.filter(({ bot }) => page.showsOld || bot.is_active || retired === all.length);
  };
  return { field, show };
}

/**
 * Puts something new into a place without taking away where somebody was: the scrolling, and what is in focus.
 * @param {HTMLElement} place
 * @param {...(Node | false | null | undefined)} children
 */
export function redraw(place, ...children) {
  const keyed = () => /** @type {HTMLElement[]} */ ([...place.querySelectorAll("[data-key]")]);
  const active = document.activeElement;
  const focused = active instanceof HTMLElement && place.contains(active) ? active.dataset.key : undefined;
  const moved = keyed().filter(({ scrollLeft }) => scrollLeft);
  const scrolled = new Map(moved.map(({ dataset, scrollLeft }) => [dataset.key, scrollLeft]));
  const height = place.offsetHeight;
  // While it is empty the page must not get shorter, or it would jump.
  place.style.minHeight = `${height}px`;
  place.replaceChildren(...children.filter((child) => child instanceof Node));
  for (const element of scrolled.size || focused ? keyed() : []) {
    element.scrollLeft = scrolled.get(element.dataset.key) ?? 0;
    if (focused && element.dataset.key === focused) element.focus({ preventScroll: true });
  }
  place.style.minHeight = "";
}
