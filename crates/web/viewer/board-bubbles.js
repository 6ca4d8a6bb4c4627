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
   * Moves the bubbles above their players in the shifted picture, within its borders and without overlaps.
   * @param {import("./board-scene.js").Scene} scene
   */
  float({ poses, offset, width, height }) {
    /** @type {{ middle: number, half: number, top: number }[]} */
    const taken = [];
    for (const seat of allSeats) {
      const { group, shape, text, half } = this.bubbles[seat];
      if (group.getAttribute("display") === "none") continue;
      const x = wrapped(poses[seat].x + offset.x, width);
      const y = wrapped(poses[seat].y + offset.y, height);
      const middle = Math.min(Math.max(x, half - boardRing + 4), width + boardRing - 4 - half);
      const away = y < 1.5 * boardUnit ? 1 : -1;
      let top = away > 0 ? y + 64 : y - 98;
      const hidden = (/** @type {(typeof taken)[number]} */ other) =>
        Math.abs(other.middle - middle) < other.half + half && Math.abs(other.top - top) < bubbleHeight + 4;
      while (taken.some(hidden)) top += away * (bubbleHeight + 6);
      taken.push({ middle, half, top });
      const edge = away > 0 ? top : top + bubbleHeight;
      setAttr(shape, "d", `M${middle - half} ${edge}H${x - 7}L${x} ${edge - away * 13}L${x + 7} ${edge}H${middle + half}`
        + `V${edge + away * bubbleHeight}H${middle - half}Z`);
      setAttr(text, "x", middle);
      setAttr(text, "y", top + 27);
    }
  }
}
