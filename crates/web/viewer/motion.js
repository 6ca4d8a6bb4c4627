// The animation from one position to the next: the events of the turn in the order of the rules.

import { allSeats, boardShapes, boardSteps, boardUnit, centreOf, shapeAt, shapesOn, wrappedDelta } from "./board-geometry.js";
import { seatPaint } from "./board-paint.js";
import { boardSigned, posesOf } from "./board-scene.js";

/** @typedef {{ at: number, till: number, draw: (part: number) => void, begin: () => void, begun: boolean }} MotionStep */
/** @typedef {{ stop: () => void }} Running */

/**
 * Calls `draw` with the progress, 0 to 1, for a while.
 * @param {number} ms
 * @param {(part: number) => void} draw
 * @param {() => void} done
 * @returns {Running}
 */
export function runFor(ms, draw, done) {
  let start = 0;
  let request = requestAnimationFrame(tick);
  /** @param {number} now */
  function tick(now) {
    start ||= now;
    const part = Math.min((now - start) / ms, 1);
    if (part === 1) return done();
    draw(part);
    request = requestAnimationFrame(tick);
  }
  return { stop: () => cancelAnimationFrame(request) };
}

/** @param {number} part */
export const eased = (part) => part * part * (3 - 2 * part);

/**
 * @param {number} from
 * @param {number} to
 * @param {number} part
 */
const between = (from, to, part) => from + (to - from) * part;

/**
 * Moves the figures straight to their new places. For steps back, and turns too short for more.
 * @param {import("./board-scene.js").Scene} scene
 * @param {Frame} from
 * @param {Frame} to
 */
export function plainMotion(scene, from, to) {
  const start = posesOf(scene.head, from.players);
  const end = posesOf(scene.head, to.players);
  scene.show(to);
  return (/** @type {number} */ part) => {
    for (const seat of allSeats) {
      const [a, b] = [start[seat], end[seat]];
      scene.pose(seat, {
        x: a.x + wrappedDelta(b.x - a.x, scene.width) * eased(part),
        y: a.y + wrappedDelta(b.y - a.y, scene.height) * eased(part),
        scale: between(a.scale, b.scale, part),
        opacity: between(a.opacity, b.opacity, part),
      });
    }
  };
}

/**
 * An animation of a turn in phases. The returned function draws any moment; calls must be in order of time.
 * @param {import("./board-scene.js").Scene} scene
 * @param {Frame} before
 * @param {Frame} after
 */
export function turnMotion(scene, before, after) {
  const { head } = scene;
  const first = posesOf(head, before.players);
  const poses = first.map((pose) => ({ ...pose, shake: 0 }));
  const strength = before.players.map((player) => player.strength);
  const small = new Set(before.small_fruits);
  const large = new Set(before.large_fruits);
  let bursts = "";
  let flashes = "";
  /** @type {MotionStep[]} */
  const motions = [];
  let clock = 0;

  /**
   * Adds a motion that starts at the current time.
   * @param {number} length
   * @param {(part: number) => void} draw
   * @param {() => void} [begin] called once, at the start
   * @param {number} [wait]
   */
  const act = (length, draw, begin = () => {}, wait = 0) => {
    motions.push({ at: clock + wait, till: clock + wait + length, draw, begin, begun: false });
  };
  /**
   * Animates a change of strength, with a rising number beside the figure.
   * @param {Seat} seat
   * @param {number} change
   * @param {number} length
   * @param {number} [wait]
   */
  const change = (seat, change, length, wait) => {
    act(length, (part) => scene.showBadge(seat, boardSigned(change), change < 0, part), () => {
      strength[seat] += change;
      scene.showNumbers(seat, strength[seat], before.players[seat].boost);
    }, wait);
  };
  /**
   * Adds a phase with all events of a kind, if there are any.
   * @template {GameEvent["event"]} K
   * @param {K} kind
   * @param {number} length
   * @param {(event: Extract<GameEvent, { event: K }>) => void} play
   */
  const phase = (kind, length, play) => {
    const events = after.events.filter((event) => event.event === kind);
    for (const event of events) play(/** @type {Extract<GameEvent, { event: K }>} */ (event));
    if (events.length) clock += length;
  };
  /** @param {(cause: Cause["cause"]) => boolean} which */
  const deaths = (which) => {
    const dead = after.events.flatMap((event) => (event.event === "died" && which(event.cause.cause) ? [event.seat] : []));
    for (const seat of dead) {
      const middle = centreOf(head, after.players[seat].cell);
      act(0.7, (part) => {
        poses[seat].opacity = Math.min(poses[seat].opacity, 1 - part);
        scene.showCross(seat, after, part);
        // A ring that widens, and sparks that fly off.
        const spread = shapeAt(boardShapes.seed, middle, 1 + 6 * eased(part)) + shapeAt(boardShapes.flash, middle, 0.6 + 1.2 * part);
        scene.showWave(spread, seatPaint(scene.paint, seat), 1 - part ** 3);
      });
    }
    if (dead.length) clock += 0.7;
  };
  /** @param {Seat} seat */
  const shaken = (seat) => (/** @type {number} */ part) => {
    poses[seat].shake = Math.sin(part * 6 * Math.PI) * 6 * (1 - part);
  };

  deaths((cause) => cause === "illegal");
  phase("frightened", 0.7, ({ seat, by }) => {
    act(0.7, shaken(seat));
    act(0.7, (part) => scene.showBadge(seat, `!${by.join("")}`, true, part));
  });

  // Each player moves to its place after the turn, beside those that it meets there.
  const reached = posesOf(head, after.players.map(({ cell }, seat) => ({ cell, alive: before.players[seat].alive })));
  const walks = new Map(after.events.flatMap((event) => (event.event === "moved" ? [[event.seat, event]] : [])));
  for (const seat of allSeats) {
    const walk = walks.get(seat);
    const [a, b] = [first[seat], reached[seat]];
    if (!before.players[seat].alive || (!walk && a.x === b.x && a.y === b.y)) continue;
    const step = walk ? boardSteps[walk.direction] : { x: 0, y: 0 };
    const [from, to] = walk ? [centreOf(head, walk.from), centreOf(head, walk.to)] : [a, a];
    // Movement continues straight across a border; the repeated layers show it on the other side.
    const end = { x: b.x - to.x + from.x + step.x * boardUnit, y: b.y - to.y + from.y + step.y * boardUnit };
    act(1, (part) => {
      poses[seat].x = part < 1 ? between(a.x, end.x, eased(part)) : b.x;
      poses[seat].y = part < 1 ? between(a.y, end.y, eased(part)) : b.y;
      poses[seat].scale = between(a.scale, b.scale, part);
    });
  }
  if (motions.some(({ at, till }) => at === clock && till === clock + 1)) clock += 1;

  phase("fought", 1.1, ({ cell, winners, eaten, share }) => {
    act(0.5, (part) => {
      scene.strike(bursts + shapeAt(boardShapes.burst, centreOf(head, cell), 1.2 * eased(part)), flashes);
      scene.showWave(shapeAt(boardShapes.seed, centreOf(head, cell), 2 + 5 * part), scene.paint.danger, 1 - part ** 3);
      if (part === 1) bursts += shapeAt(boardShapes.burst, centreOf(head, cell), 1.05);
    });
    for (const seat of winners) if (share) change(seat, share, 0.7, 0.4);
    for (const seat of eaten) {
      act(0.7, (part) => {
        poses[seat].x = between(reached[seat].x, reached[winners[0]].x, part);
        poses[seat].y = between(reached[seat].y, reached[winners[0]].y, part);
        poses[seat].scale = reached[seat].scale * (1 - part);
        poses[seat].opacity = 1 - part * part;
      }, undefined, 0.4);
    }
  });
  deaths((cause) => cause === "eaten");

  phase("fired", 0, (fired) => {
    const { seat, cost } = fired;
    act(0.5, (part) => scene.beam(seat, fired, part, after));
    change(seat, -cost, 0.4);
    clock += 0.5;
    let gain = 0;
    const next = after.events.indexOf(fired) + 1;
    for (const event of after.events.slice(next)) {
      if (event.event === "fired") break;
      if (event.event !== "hit") continue;
      gain += event.gained;
      const flash = shapeAt(boardShapes.flash, centreOf(head, after.players[event.victim].cell));
      act(0.6, shaken(event.victim), () => scene.strike(bursts, (flashes += flash)));
      change(event.victim, -event.lost, 0.6);
    }
    if (gain) change(seat, gain, 0.6, 0.15);
    clock += gain ? 0.75 : 0.2;
  });
  deaths((cause) => cause === "light");

  phase("spawned", 0.7, ({ cells }) => {
    act(0.7, (part) => scene.showTransient(shapesOn(head, boardShapes.seed, cells, eased(part)), 1), () => {
      if (scene.trees) scene.trees.setAttribute("fill-opacity", "0.5");
    });
    act(0, () => {
      for (const cell of cells) small.add(cell);
      scene.showFruit([...small], [...large]);
      scene.showTransient("", 1);
    }, undefined, 0.7);
  });
  phase("ate", 0.6, ({ seat, cell, fruit, gained }) => {
    const shape = fruit === "small" ? boardShapes.seed : boardShapes.peach;
    act(0.6, (part) => scene.showTransient(shapesOn(head, shape, [cell], 1 + part), 1 - part), () => {
      (fruit === "small" ? small : large).delete(cell);
      scene.showFruit([...small], [...large]);
    });
    change(seat, gained, 0.6);
  });
  phase("boost-ended", 0.6, ({ seat, lost }) => change(seat, -lost, 0.6));
  deaths((cause) => cause === "boost-ended");

  // Survivors take the room of the dead.
  const last = posesOf(head, after.players);
  if (allSeats.some((seat) => after.players[seat].alive && last[seat].scale !== reached[seat].scale)) {
    for (const seat of allSeats.filter((step) => after.players[step].alive)) {
      act(0.3, (part) => {
        poses[seat].x = between(reached[seat].x, last[seat].x, part);
        poses[seat].y = between(reached[seat].y, last[seat].y, part);
        poses[seat].scale = between(reached[seat].scale, last[seat].scale, part);
      });
    }
    clock += 0.3;
  }

  // Starts with the position before the turn.
  scene.show({ ...before, events: [], delta: [0, 0, 0, 0], answers: after.answers });
  scene.marks.setAttribute("opacity", "1");
  const draw = (/** @type {number} */ part) => {
    const now = part * clock;
    for (const step of motions) {
      if (now < step.at || step.till < 0) continue;
      if (!step.begun) step.begin();
      step.begun = true;
      step.draw(step.till > step.at ? Math.min((now - step.at) / (step.till - step.at), 1) : 1);
      if (now >= step.till) step.till = -1;
    }
    for (const seat of allSeats) {
      const { x, y, scale, opacity, shake } = poses[seat];
      scene.pose(seat, { x: x + shake, y, scale, opacity });
    }
  };
  return draw;
}
