// Components that several views share.

import { el, untrusted, visibleText } from "../viewer/dom.js";
import { words } from "../viewer/language.js";
import { digits, intervalText } from "./format.js";

const partWords = words(
  {
    old: (/** @type {string} */ number) => `Include old versions (${number})`,
    scrolls: (/** @type {string} */ name) => `${name} (scrolls sideways)`,
  },
  {
    old: (number) => `包括旧版本（${number}）`,
    scrolls: (name) => `${name}（可左右滚动）`,
  },
);

/** Name and version, as the server takes them. @param {ArenaBot} bot */
export const labelOf = ({ name, version }) => `${name}@${version}`;

/** Name and version for display. @param {ArenaBot} bot */
export const nameOf = (bot) => visibleText(labelOf(bot));

/** The address of a view. @param {Record<string, string>} parts */
export function linkTo(parts) {
  return `#${new URLSearchParams(Object.entries(parts).filter(([, value]) => value))}`;
}

/** A bot's name and version. @param {ArenaBot} bot */
export function botName(bot) {
  return el("span", { class: "bot-name" }, untrusted(bot.name), el("span", { class: "bot-version" }, "@", untrusted(bot.version)));
}

/** A link to a bot's view. @param {ArenaBot} bot @param {string} key */
export function botLink(bot, key) {
  const label = labelOf(bot);
  return el("a", { href: linkTo({ view: "bots", bot: label }), "data-key": `${key} ${label}`, class: "bot-link" }, botName(bot));
}

/** A number with its interval. @param {Estimate} estimate @param {number} decimals */
export function estimateText(estimate, decimals) {
  const { value, low, high } = estimate;
  const end = (/** @type {number} */ number) => digits(number, decimals);
  const between = low === undefined || high === undefined ? "" : `${end(low)}–${end(high)}`;
  return el(
    "span",
    { class: "estimate", title: intervalText(estimate, end) },
    el("b", {}, end(value)),
    " ",
    el("span", { class: "estimate-ends" }, between),
  );
}

/**
 * A table that scrolls in its own frame if it is too wide.
 * @param {string} name
 * @param {Element[]} heads
 * @param {Element[]} rows
 * @param {string} [kind]
 */
export function tableOf(name, heads, rows, kind = "") {
  const table = el(
    "table",
    { class: `table ${kind}` },
    el("caption", { class: "visually-hidden" }, name),
    el("thead", {}, el("tr", {}, ...heads)),
    el("tbody", {}, ...rows),
  );
  const attributes = { role: "region", "aria-label": partWords.scrolls(name) };
  return el("div", { class: "table-scroll", tabindex: 0, "data-key": name, ...attributes }, table);
}

/** @param {string} text @param {string} [title] */
export const columnHead = (text, title) => el("th", { scope: "col", title }, text);

/**
 * A select element for bots. Its values are labels (name@version).
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
     * @param {string} [noneText] the text of the choice of no bot, if that is possible
     */
    show: (attributes, bots, value, noneText) => {
      text.textContent = attributes;
      const options = bots.map((bot) => [labelOf(bot), nameOf(bot)]);
      if (noneText !== undefined) options.unshift(["", noneText]);
      const wanted = JSON.stringify(options);
      // An open list is not replaced.
      if (select.dataset.options !== wanted) {
        select.replaceChildren(...options.map(([value, text]) => el("option", { value }, text)));
        select.dataset.options = wanted;
      }
      select.value = value;
    },
  };
}

/**
 * A checkbox for old versions. `show` returns the bots to display, best first.
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
    // A bot without games has no place yet.
    const all = (page.source.standings?.bots ?? []).filter(({ games }) => games);
    const retired = all.filter(({ bot }) => !bot.is_active).length;
    field.hidden = retired === 0 || retired === all.length;
    check.checked = page.showsOld;
    text.textContent = partWords.old(digits(retired));
    // If all bots are old, all are shown.
    return all.filter(({ bot }) => page.showsOld || bot.is_active || retired === all.length);
  };
  return { field, show };
}

/**
 * Replaces the children of an element, but keeps its scroll positions and the focus.
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
  // Keeps the height, or the page would jump while the element is empty.
  place.style.minHeight = `${height}px`;
  place.replaceChildren(...children.filter((child) => child instanceof Node));
  for (const element of scrolled.size || focused ? keyed() : []) {
    element.scrollLeft = scrolled.get(element.dataset.key) ?? 0;
    if (focused && element.dataset.key === focused) element.focus({ preventScroll: true });
  }
  place.style.minHeight = "";
}
