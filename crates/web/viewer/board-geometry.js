// The geometry of the maze: centres of cells, paths across borders, and the shapes drawn on cells.

/** @typedef {{ x: number, y: number }} Point */

/** The side of a cell in units of the picture. */
export const boardUnit = 100;
/** The width of the repeated strip around the maze. */
export const boardRing = 46;

/** @type {Record<Direction, { x: number, y: number, wall: number, action: Action, back: Direction }>} */
export const boardSteps = {
  up: { x: 0, y: -1, wall: 1, action: 0, back: "down" },
  right: { x: 1, y: 0, wall: 2, action: 1, back: "left" },
  down: { x: 0, y: 1, wall: 4, action: 2, back: "up" },
  left: { x: -1, y: 0, wall: 8, action: 3, back: "right" },
};
export const boardDirections = /** @type {Direction[]} */ (Object.keys(boardSteps));
export const allSeats = /** @type {Seat[]} */ ([0, 1, 2, 3]);

/**
 * Wraps a number into 0 … size.
 * @param {number} value
 * @param {number} size
 */
export const wrapped = (value, size) => ((value % size) + size) % size;

/**
 * Wraps a difference, so that it is the shortest across borders.
 * @param {number} value
 * @param {number} size
 */
export const wrappedDelta = (value, size) => wrapped(value + size / 2, size) - size / 2;

/**
 * The centre of a cell.
 * @param {Head} head
 * @param {Cell} cell
 * @returns {Point}
 */
export function centreOf(head, cell) {
  return { x: ((cell % head.width) + 0.5) * boardUnit, y: (Math.floor(cell / head.width) + 0.5) * boardUnit };
}

/**
 * @param {Head} head
 * @param {Cell} cell
 * @param {Direction} direction
 * @returns {Cell}
 */
export function neighbourOf(head, cell, direction) {
  const { x, y } = boardSteps[direction];
  const row = wrapped(Math.floor(cell / head.width) + y, head.height);
  return row * head.width + wrapped((cell % head.width) + x, head.width);
}

/**
 * A straight path from the centre of a cell, cut where it crosses a border.
 * @param {Head} head
 * @param {Cell} from
 * @param {Direction} direction
 * @param {number} cells the length, possibly with a fraction
 * @param {number} aside an offset to the side, so that parallel paths do not hide each other
 */
export function rayPath(head, from, direction, cells, aside) {
  const { x, y } = boardSteps[direction];
  const start = centreOf(head, from);
  const size = (x ? head.width : head.height) * boardUnit;
  let at = x ? start.x : start.y;
  let left = cells * boardUnit;
  let path = "";
  while (left > 0) {
    const forward = x + y > 0;
    const run = Math.min(left, forward ? size - at : at);
    const end = forward ? at + run : at - run;
    path += x ? `M${at} ${start.y + aside}H${end}` : `M${start.x + aside} ${at}V${end}`;
    left -= run || size;
    at = forward ? 0 : size;
  }
  return path;
}

/**
 * Moves and scales a shape. Shapes consist of absolute commands and pairs of numbers.
 * @param {string} shape
 * @param {Point} middle
 * @param {number} [scale]
 */
export function shapeAt(shape, middle, scale = 1) {
  const number = (/** @type {number} */ value) => Math.round(value * 10) / 10;
  return shape.replace(/(-?[\d.]+) (-?[\d.]+)/g, (_, x, y) =>
    `${number(middle.x + Number(x) * scale)} ${number(middle.y + Number(y) * scale)}`);
}

/**
 * A shape on several cells, as one path.
 * @param {Head} head
 * @param {string} shape
 * @param {Cell[]} cells
 * @param {number} [scale]
 */
export const shapesOn = (head, shape, cells, scale) => cells.map((cell) => shapeAt(shape, centreOf(head, cell), scale)).join("");

export const boardShapes = {
  square: "M-50 -50L50 -50L50 50L-50 50Z",
  seed: "M0 -12C6.6 -12 12 -6.6 12 0C12 6.6 6.6 12 0 12C-6.6 12 -12 6.6 -12 0C-12 -6.6 -6.6 -12 0 -12Z",
  peach: "M0 -18C12 -28 30 -18 28 2C26 18 10 26 0 31C-10 26 -26 18 -28 2C-30 -18 -12 -28 0 -18Z",
  leaf: "M0 -17C2 -30 12 -36 25 -33C23 -22 12 -16 0 -17Z",
  tree: "M0 -26L13 -6L6 -6L19 14L4 14L4 26L-4 26L-4 14L-19 14L-6 -6L-13 -6Z",
  tower: "M0 -44L27 -22L18 -22L18 -11L37 4L27 4L27 40L-27 40L-27 4L-37 4L-18 -11L-18 -22L-27 -22Z",
  burst: "M0 -48L11 -24L34 -34L24 -11L48 0L24 11L34 34L11 24L0 48L-11 24L-34 34L-24 11L-48 0L-24 -11L-34 -34L-11 -24Z",
  corners: "M-40 -22L-40 -40L-22 -40M22 -40L40 -40L40 -22M40 22L40 40L22 40M-22 40L-40 40L-40 22",
  flash: "M0 -46L0 -34M33 -33L24 -24M46 0L34 0M33 33L24 24M0 46L0 34M-33 33L-24 24M-46 0L-34 0M-33 -33L-24 -24",
};

/** The players' shapes, so that colours are not needed to tell them apart. */
export const boardFigures = [
  "M-27 0A27 27 0 0 1 27 0A27 27 0 0 1 -27 0Z",
  "M-22 -22H22V22H-22Z",
  "M0 -33L30 19H-30Z",
  "M0 -33L33 0L0 33L-33 0Z",
];

/**
 * The walls as two paths: those that block both ways, and one-way walls on the side that they block.
 * @param {Head} head
 */
export function wallPaths(head) {
  let both = "";
  let one = "";
  head.walls.forEach((walls, cell) => {
    const { x, y } = centreOf(head, cell);
    for (const direction of boardDirections) {
      const step = boardSteps[direction];
      if (!(walls & step.wall)) continue;
      const mutual = head.walls[neighbourOf(head, cell, direction)] & boardSteps[step.back].wall;
      const off = boardUnit / 2 - (mutual ? 0 : 9);
      const [left, top] = [x + step.x * off - (step.y ? boardUnit / 2 : 0), y + step.y * off - (step.x ? boardUnit / 2 : 0)];
      const path = `M${left} ${top}${step.y ? "h" : "v"}${boardUnit}`;
      if (!mutual) one += path;
      else if (step.x + step.y > 0) both += path;
    }
  });
  return { both, one };
}

/**
 * Small arrows where the maze is open at a border.
 * @param {Head} head
 */
export function openingPath(head) {
  let path = "";
  head.walls.forEach((walls, cell) => {
    const { x, y } = centreOf(head, cell);
    for (const direction of boardDirections) {
      const step = boardSteps[direction];
      const edge = step.x
        ? cell % head.width === (step.x > 0 ? head.width - 1 : 0)
        : Math.floor(cell / head.width) === (step.y > 0 ? head.height - 1 : 0);
      if (!edge || walls & step.wall) continue;
      const [baseX, baseY] = [x + step.x * 41, y + step.y * 41];
      const [acrossX, acrossY] = [step.y * 12, step.x * 12];
      path += `M${baseX - acrossX} ${baseY - acrossY}L${baseX - step.x * 10} ${baseY - step.y * 10}`
        + `L${baseX + acrossX} ${baseY + acrossY}`;
    }
  });
  return path;
}
