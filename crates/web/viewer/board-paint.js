// The colours of the board, and how its elements are changed.

/** @typedef {ReturnType<typeof scenePaint>} Paint */

const paintNames = /** @type {const} */ ([
  "paper", "sheet", "ink", "soft", "line", "jade", "jade-soft", "gold", "gold-soft", "light", "danger", "wall", "floor",
  "p0", "p1", "p2", "p3",
]);

/** @type {Map<string | null, Record<(typeof paintNames)[number], string>>} */
const paintKnown = new Map();

/**
 * The colours: for the page as variables that follow its theme, for an image as they are in a theme.
 * @param {"light" | "dark" | null} theme
 */
export function scenePaint(theme) {
  const known = paintKnown.get(theme);
  if (known) return known;
  const paint = /** @type {Record<(typeof paintNames)[number], string>} */ ({});
  const root = document.documentElement;
  const worn = root.dataset.theme;
  // The other theme is put on for as long as it takes to read its colours; nothing is drawn in between.
  if (theme) root.dataset.theme = theme;
  const style = getComputedStyle(root);
  for (const name of paintNames) paint[name] = theme ? style.getPropertyValue(`--${name}`).trim() : `var(--${name})`;
  if (worn) root.dataset.theme = worn;
  else delete root.dataset.theme;
  paintKnown.set(theme, paint);
  return paint;
}

/**
 * The colour of a seat.
 * @param {Paint} paint
 * @param {Seat} seat
 */
export const seatPaint = (paint, seat) => paint[/** @type {const} */ (["p0", "p1", "p2", "p3"])[seat]];

/**
 * Sets an attribute if it is another; an unchanged picture costs nothing.
 * @param {Element} element
 * @param {string} name
 * @param {string | number} value
 */
export function alter(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

/**
 * @param {Element} element
 * @param {string | number} text
 */
export function alterText(element, text) {
  if (element.textContent !== String(text)) element.textContent = String(text);
}
