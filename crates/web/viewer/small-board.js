// Small pictures of the board: thumbnails of games, and examples that come from no game.

import { allSeats, boardDirections, boardSteps, boardUnit, neighbourOf } from "./board-geometry.js";
import { scenePaint } from "./board-paint.js";
import { Scene } from "./board-scene.js";
import { setAttr } from "./dom.js";

/** A part of the board, in cells. @typedef {{ x: number, y: number, width: number, height: number }} BoardPart */
/**
 * A position that comes from no game. `walls` are walls inside the maze; with `true`, they block only this direction.
 * `open`: there are no walls at its border. Seats without a player are left out.
 * @typedef {{
 *   width: number, height: number, open?: boolean, walls?: [Cell, Direction, boolean?][], generators?: Cell[], spawns?: Cell[], left?: number,
 *   players?: { [seat in Seat]?: { cell: Cell, strength: number, boost?: number, dead?: boolean, delta?: number } },
 *   small?: Cell[], large?: Cell[], events?: GameEvent[], part?: BoardPart,
 * }} Example
 */

/** The room for half of a wall at the border. */
const smallMargin = 6;
/** A cell outside every picture. */
const nowhere = -1000;

/**
 * A position as a picture without the strip around the maze. It follows the theme.
 * @param {Head} head
 * @param {Frame} frame
 * @param {string} label the alternative text; empty for a picture that only decorates
 * @param {BoardPart} [part] the part that is shown
 */
export function smallBoard(head, frame, label, part) {
  const scene = new Scene(head, scenePaint(null));
  const { root } = scene;
  scene.show(frame);
  // Of the copies around the maze, only those of the walls reach into this picture.
  for (const copy of root.querySelectorAll('use:not([href$="-walls"])')) copy.remove();
  const { x, y, width, height } = part ?? { x: 0, y: 0, width: head.width, height: head.height };
  const margin = part ? 0 : smallMargin;
  const box = [x * boardUnit - margin, y * boardUnit - margin, width * boardUnit + 2 * margin, height * boardUnit + 2 * margin];
  setAttr(root, "viewBox", box.join(" "));
  if (label) {
    setAttr(root, "role", "img");
    setAttr(root, "aria-label", label);
  } else setAttr(root, "aria-hidden", "true");
  return root;
}

/**
 * A position of a game, without what happened in its turn.
 * @param {Timeline} timeline
 * @param {number} turn
 */
export function thumbnail({ head, frames }, turn) {
  const quiet = { events: [], delta: /** @type {Four<number>} */ ([0, 0, 0, 0]), answers: /** @type {Four<null>} */ ([null, null, null, null]) };
  return smallBoard(head, { ...frames[turn], ...quiet }, "");
}

/**
 * @param {Example} example
 * @param {string} label
 */
export function examplePicture({ part, ...example }, label) {
  const { width, height, open = false, walls = [], generators = [], spawns = [], left = 20, players = {}, small = [], large = [], events = [] } = example;
  const cells = [...Array(width * height).keys()];
  const head = /** @type {Head} */ ({ width, height, generators, spawn_cells: spawns, ruleset: { large_fruit_duration: 10 } });
  head.walls = cells.map(() => 0);
  /** @type {typeof walls} */
  const border = cells.flatMap((cell) => boardDirections
    .filter((way) => neighbourOf(head, cell, way) !== cell + boardSteps[way].x + boardSteps[way].y * width)
    .map((way) => /** @type {[Cell, Direction]} */ ([cell, way])));
  for (const [cell, way, isOneWay] of [...(open ? [] : border), ...walls]) {
    const { wall, back } = boardSteps[way];
    head.walls[cell] |= wall;
    if (!isOneWay) head.walls[neighbourOf(head, cell, way)] |= boardSteps[back].wall;
  }
  const seated = allSeats.map((seat) => players[seat] ?? { cell: nowhere, strength: 0, dead: true });
  return smallBoard(head, /** @type {Frame} */ (/** @type {unknown} */ ({
    generator_turns_left: left,
    players: seated.map(({ cell, strength, boost = 0, dead = false }) => ({ cell, strength, boost, alive: !dead })),
    small_fruits: small,
    large_fruits: large,
    events,
    answers: [null, null, null, null],
    delta: seated.map(({ delta = 0 }) => delta),
  })), label, part);
}
