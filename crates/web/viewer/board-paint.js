// The colours of the board.

/** @typedef {ReturnType<typeof scenePaint>} Paint */

const paintNames = /** @type {const} */ ([
  "paper", "card", "ink", "soft", "line", "jade", "jade-soft", "gold", "gold-soft", "light", "flare", "danger", "wall", "floor",
  "p0", "p1", "p2", "p3",
]);

/** @type {Map<string | null, Record<(typeof paintNames)[number], string>>} */
const paintCache = new Map();

/**
 * The colours: variables that follow the theme for the page, or values of a fixed theme for an image.
 * @param {"light" | "dark" | null} theme
 */
export function scenePaint(theme) {
  const cached = paintCache.get(theme);
  if (cached) return cached;
  const paint = /** @type {Record<(typeof paintNames)[number], string>} */ ({});
  const root = document.documentElement;
  const current = root.dataset.theme;
  // Applies the theme just long enough to read its colours. The browser draws nothing meanwhile.
  if (theme) root.dataset.theme = theme;
  const style = getComputedStyle(root);
  for (const name of paintNames) paint[name] = theme ? style.getPropertyValue(`--${name}`).trim() : `var(--${name})`;
  if (current) root.dataset.theme = current;
  else delete root.dataset.theme;
  paintCache.set(theme, paint);
  return paint;
}

/**
 * The colour of a seat.
 * @param {Paint} paint
 * @param {Seat} seat
 */
export const seatPaint = (paint, seat) => paint[/** @type {const} */ (["p0", "p1", "p2", "p3"])[seat]];
