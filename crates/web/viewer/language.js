// Chinese and English. Each module keeps its own words beside it; `tsc` sees to it that none is missing in either.

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
 * Is told when the language changes.
 * @param {() => void} listener
 */
export function onLanguage(listener) {
  listeners.add(listener);
}

/**
 * Words in both languages; the ones of the current language are read from what is returned.
 * @template {Record<string, string | ((...values: any[]) => string)>} W
 * @param {W} en
 * @param {{ [K in keyof W]: W[K] extends string ? string : W[K] }} zh
 * @returns {W}
 */
export function words(en, zh) {
  return /** @type {W} */ (new Proxy(en, { get: (_, key) => (current === "zh" ? zh : en)[/** @type {keyof W} */ (key)] }));
}
