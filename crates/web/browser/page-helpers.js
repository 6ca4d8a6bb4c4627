// Helpers that read the page, and assertions about it.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { setTimeout as pause } from "node:timers/promises";
import { TIMEOUT_MS } from "./harness.js";

/** @typedef {import("playwright-core").Page} Page */

/**
 * Waits until a value equals, matches or satisfies what is expected.
 * @template T
 * @param {() => Promise<T>} read
 * @param {T | RegExp | ((value: T) => boolean)} wanted
 * @param {string} [about]
 */
export async function waitUntil(read, wanted, about = "") {
  const deadline = Date.now() + TIMEOUT_MS / 2;
  const fits = (/** @type {T} */ value) =>
    wanted instanceof RegExp ? wanted.test(String(value))
      : typeof wanted === "function" ? /** @type {(value: T) => boolean} */ (wanted)(value)
        : JSON.stringify(value) === JSON.stringify(wanted);
  for (;;) {
    const value = await read();
    if (fits(value)) return value;
    if (Date.now() > deadline) assert.deepEqual(value, wanted, `timed out: ${about}`);
    await pause(20);
  }
}

/** The token that a server's page keeps; `null` without one. @param {Page} page */
export const storedToken = (page) => page.evaluate(() => sessionStorage.getItem("pacman2-token"));

/** The token of a server's page, which gets it soon after it is ready. @param {Page} page */
export const tokenOf = (page) => waitUntil(() => storedToken(page), (token) => token !== null);

/** The visible text of an element. @param {Page} page @param {string} tempPath */
export const textOf = (page, tempPath) => page.locator(tempPath).innerText();

/** The shown turn and the last turn. @param {Page} page */
export async function shownTurn(page) {
  const [turn, last] = (await textOf(page, ".transport-turn")).match(/\d+/g)?.map(Number) ?? [];
  return [turn, last];
}

/** Waits until a turn is shown. @param {Page} page @param {number} turn @param {number} [last] */
export async function waitForTurn(page, turn, last) {
  const isThere = (/** @type {number[]} */ [shown, end]) => shown === turn && (last === undefined || end === last);
  await waitUntil(() => shownTurn(page), isThere, `turn ${turn} of ${last}`);
}

/** The sentences about the players in the shown turn. @param {Page} page @returns {Promise<string[]>} */
export const sentences = (page) => page.locator("#happened li:not([hidden]) > span").allTextContents();

/** A part of each player in the line above the tabs, which is visible. The table has the same. @param {Page} page @param {string} inLine @param {string} inTable */
async function ofPlayers(page, inLine, inTable) {
  const [line, table] = await page.evaluate((selectors) => selectors.map((selector) =>
    [...document.querySelectorAll(selector)].map((part) => /** @type {HTMLElement} */ (part).innerText)), [`#scores ${inLine}`, `#players ${inTable}`]);
  assert.deepEqual(table, line, "the table of the players");
  return line;
}

/** The names of the players. @param {Page} page */
export const namesOf = (page) => ofPlayers(page, ".players-name", ".players-name");

/** The scores of the players. @param {Page} page */
export const scoresOf = (page) => ofPlayers(page, "strong", ".players-score");

/** Goes to a turn through the address. @param {Page} page @param {number} turn */
export async function goToTurn(page, turn) {
  await page.evaluate((wanted) => (location.hash = `turn=${wanted}`), turn);
  await waitForTurn(page, turn);
}

/** Opens one of the tabs beside the board. @param {Page} page @param {string} name */
export async function openTab(page, name) {
  await page.getByRole("tab", { name, exact: true }).click();
  const panel = page.getByRole("tabpanel", { name, exact: true });
  await panel.waitFor();
  return panel;
}

/** Opens the choices of speed and events. @param {Page} page */
export async function openChoices(page) {
  await page.getByRole("button", { name: "speed and events" }).click();
}

/**
 * All texts of the page, including those for screen readers.
 * @param {Page} page
 * @param {string} [except] the selector of elements to leave out
 */
export function allTexts(page, except = "") {
  return page.evaluate((skipped) => {
    const elements = [...document.querySelectorAll("*")].filter((element) => !element.closest(skipped));
    const named = elements.flatMap((element) =>
      ["aria-label", "title", "placeholder"].flatMap((name) => element.getAttribute(name) ?? []));
    const value = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT, (node) =>
      node.parentElement?.closest(skipped) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    const texts = [];
    while (value.nextNode()) texts.push(value.currentNode.nodeValue ?? "");
    return [...texts, ...named].map((text) => text.trim()).filter(Boolean);
  }, ["script, style, noscript", except].filter(Boolean).join(", "));
}

/** English that a Chinese page may contain: names, verdicts, units, keys, formats, and the language button. */
const untranslated = new RegExp(
  `\\b(${[
    "Pacman2|Botzone|English|human|random|sample|greedy|hunter|sage|mybot|bot\\.(py|cpp)|debug|stderr",
    "TLE|MLE|OLE|NJ|RE|ILLEGAL|CPU|MB|KB|ms|µs|GIF|WebM|PNG|SVG|JSON|Home|End|Esc|[WASDX]",
  ].join("|")})\\b`,
  "g",
);

/**
 * Asserts that all texts of the page are Chinese.
 * @param {Page} page
 * @param {(string | RegExp)[]} [names] names that are the same in all languages
 * @param {string} [except] the selector of elements that are not translated, besides commands
 */
export async function assertChinese(page, names = [], except = "code") {
  const words = await allTexts(page, except);
  const without = (/** @type {string} */ text) => names.reduce((left, name) => left.replace(name, ""), text);
  const english = words.filter((text) => /[A-Za-z]{2}/.test(without(text).replace(untranslated, "")));
  assert.deepEqual(english, [], "English in the Chinese page");
  assert.deepEqual(words.filter((text) => /undefined|NaN|\[object/.test(text)), []);
  assert.equal(await page.locator("html").getAttribute("lang"), "zh-CN");
}

/** The accessibility checker, to be loaded before the page. */
export const axeFile = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/**
 * Asserts that there are no serious accessibility violations.
 * @param {Page} page
 * @param {string} about
 * @param {string} [part] the part of the page to check
 */
export async function assertAccessible(page, about, part = "html") {
  const found = await page.evaluate(async (selector) => {
    const { axe } = /** @type {any} */ (window);
    /** @type {{ violations: { id: string, impact: string, nodes: { target: string[], failureSummary: string }[] }[] }} */
    const { violations } = await axe.run(selector, { resultTypes: ["violations"] });
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`));
  }, part);
  assert.deepEqual(found, [], about);
}

/** Asserts that the page fits its window, and that all controls are large enough for fingers. @param {Page} page @param {string} about */
export async function assertTouchable(page, about) {
  const found = await page.evaluate(() => {
    const wrong = [];
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) wrong.push(`the page is ${scrollWidth} wide in a window of ${clientWidth}`);
    for (const control of document.querySelectorAll("button, select, input, textarea, summary, a[href]")) {
      const target = control.matches("[type=checkbox], [type=radio]") ? control.closest("label") ?? control : control;
      const { width, height, left, right } = target.getBoundingClientRect();
      if (!control.checkVisibility({ visibilityProperty: true }) || !width) continue;
      const name = `${control.tagName} "${control.getAttribute("aria-label") ?? control.textContent?.slice(0, 40)}"`;
      if (width < 43.9 || height < 43.9) wrong.push(`${name} is ${width} × ${height}`);
      const clipped = control.closest(".table-scroll");
      if (!clipped && (left < 0 || right > clientWidth + 0.5)) wrong.push(`${name} reaches from ${left} to ${right}`);
    }
    return wrong;
  });
  assert.deepEqual(found, [], about);
}
