// Elements whose texts follow the language.

/**
 * Runs a step now, and again whenever the language changes.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {() => void} step
 */
export function localize(viewer, step) {
  viewer.on("language", step);
  step();
}

/**
 * An element with a text in the current language.
 * @template {Element} E
 * @param {import("./viewer.js").Viewer} viewer
 * @param {E} element
 * @param {() => string} text
 */
export function localized(viewer, element, text) {
  localize(viewer, () => void (element.textContent = text()));
  return element;
}
