// Chinese and English. Each module has its own texts; `tsc` checks that both languages have the same keys.

/** @typedef {"en" | "zh"} Language */

/** @type {Language} */
let current = "en";
/** @type {Set<() => void>} */
const listeners = new Set();

/** @returns {Language} */
export const language = () => current;

/** @param {Language} wanted */
export function setLanguage(wanted) {
  if (wanted === current) return;
  current = wanted;
  for (const listener of listeners) listener();
}

/**
 * Adds a listener for changes of the language.
 * @param {() => void} listener
 */
export function onLanguage(listener) {
  listeners.add(listener);
}

/** What is wrong, as a code with parameters. @typedef {{ code: string, params?: Record<string, any> }} Problem */

/** Words a problem in Chinese; empty without words. */
let chineseWords = (/** @type {Problem} */ _) => "";

/** Gives the page its Chinese words for problems, which not every page contains. @param {(problem: Problem) => string} words */
export function setReasons(words) {
  chineseWords = words;
}

/**
 * A reason in the reader's language: its English sentence, or the words for its code.
 * @param {string} sentence
 * @param {Problem | null} [problem]
 */
export const reasonText = (sentence, problem) => (current === "zh" && problem && chineseWords(problem)) || sentence;

/** A number with a real minus sign. @param {number | string} number */
export const minus = (number) => String(number).replace("-", "−");

/** A player's score. @param {number} score @param {number} [decimals] */
export const scoreText = (score, decimals = 2) => minus(score.toFixed(decimals));

/** How many of something there are, in English. @param {number | string} count @param {string} noun */
export const counted = (count, noun) => `${count} ${noun}${String(count) === "1" ? "" : "s"}`;

/** A moment, for readers. @param {number} ms since 1970 */
export const moment = (ms) => new Date(ms).toLocaleString(current === "zh" ? "zh-CN" : "en-GB", { dateStyle: "medium", timeStyle: "short" });

/** The day of a moment in the reader's time zone, as 2026-11-22. @param {number} ms since 1970 */
export const dayOf = (ms) => new Date(ms - 60_000 * new Date(ms).getTimezoneOffset()).toISOString().slice(0, 10);

/**
 * Texts in both languages. The returned object reads those of the current language.
 * @template {Record<string, string | ((...values: any[]) => string)>} W
 * @param {W} en
 * @param {{ [K in keyof W]: W[K] extends string ? string : W[K] }} zh
 * @returns {W}
 */
export function words(en, zh) {
  return /** @type {W} */ (new Proxy(en, { get: (_, key) => (current === "zh" ? zh : en)[/** @type {keyof W} */ (key)] }));
}
