// Speech bubbles above the players.

import { setAttr, setText, svg, visibleText } from "./dom.js";
import { allSeats, boardRing, boardUnit, wrapped } from "./board-geometry.js";
import { seatPaint } from "./board-paint.js";

const tauntLetters = 18;
const bubbleHeight = 36;

export class Bubbles {
  /**
   * @param {SVGGElement} front the layer of the bubbles
   * @param {import("./board-paint.js").Paint} paint
   */
  constructor(front, paint) {
    this.bubbles = allSeats.map((seat) => {
      const shape = svg("path", { fill: paint.card, stroke: seatPaint(paint, seat), "stroke-width": 3 });
      const text = svg("text", { "font-size": 25, "font-weight": 500, fill: paint.ink });
      const group = svg("g", { display: "none" }, shape, text);
      front.append(group);
      return { group, shape, text, half: 0 };
    });
  }

  /**
   * @param {Seat} seat
   * @param {string} taunt
   */
  setTaunt(seat, taunt) {
    const bubble = this.bubbles[seat];
    const letters = [...visibleText(taunt.trim())];
    const text = letters.length > tauntLetters ? `${letters.slice(0, tauntLetters - 1).join("")}…` : letters.join("");
    setText(bubble.text, text);
    // Chinese characters are about twice as wide as others.
    bubble.half = [...text].reduce((sum, letter) => sum + (letter > "\u2e7f" ? 13 : 7.5), 14);
    setAttr(bubble.group, "display", text ? "inline" : "none");
  }

  /**
   * Moves the bubbles beside their players in the shifted picture: within its borders, and over no player and no other bubble.
   * @param {import("./board-scene.js").Scene} scene
   */
  float({ poses, offset, width, height }) {
    const places = poses.map((pose) => ({ x: wrapped(pose.x + offset.x, width), y: wrapped(pose.y + offset.y, height) }));
    const taken = places
      .filter((_, seat) => poses[seat].opacity > 0)
      .map(({ x, y }) => ({ middle: x, half: 34, top: y - 72, bottom: y + 50 }));
    for (const seat of allSeats) {
      const { group, shape, text, half } = this.bubbles[seat];
      if (group.getAttribute("display") === "none") continue;
      const { x, y } = places[seat];
      const middle = Math.min(Math.max(x, half - boardRing + 4), width + boardRing - 4 - half);
      const top = freeTop(taken, middle, half, y, height);
      taken.push({ middle, half, top, bottom: top + bubbleHeight });
      const [edge, tip] = top < y ? [top + bubbleHeight, y - 60] : [top, y + 54];
      const foot = Math.min(Math.max(x, middle - half + 12), middle + half - 12);
      setAttr(shape, "d", `M${middle - half} ${edge}H${foot - 7}L${x} ${tip}L${foot + 7} ${edge}H${middle + half}`
        + `V${edge === top ? top + bubbleHeight : top}H${middle - half}Z`);
      setAttr(text, "x", middle);
      setAttr(text, "y", top + 27);
    }
  }
}

/**
 * The upper edge of a bubble, as near to its player as there is room.
 * @param {{ middle: number, half: number, top: number, bottom: number }[]} taken
 * @param {number} middle
 * @param {number} half
 * @param {number} y the middle of its player
 * @param {number} height of the maze
 */
function freeTop(taken, middle, half, y, height) {
  const nearest = y < 1.5 * boardUnit ? y + 64 : y - 72 - bubbleHeight;
  const [first, last] = [4 - boardRing, height + boardRing - bubbleHeight - 4];
  const tops = Array.from({ length: Math.ceil((last - first) / 12) }, (_, step) => first + 12 * step);
  const isFree = (/** @type {number} */ top) => taken.every((other) =>
    Math.abs(other.middle - middle) >= other.half + half || top >= other.bottom || top + bubbleHeight <= other.top);
  const free = [nearest, ...tops].filter(isFree);
  return free.sort((a, b) => Math.abs(a - nearest) - Math.abs(b - nearest))[0] ?? nearest;
}
