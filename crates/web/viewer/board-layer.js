// A layer of the board, and its copies around the maze.

import { svg } from "./dom.js";
import { boardRing } from "./board-geometry.js";

/** A square that something in a layer fits into: its centre, and half of its side. @typedef {{ x: number, y: number, half: number }} Place */

/**
 * A layer is repeated around the maze, so that what crosses a border enters on the other side. Only copies that reach into the picture
 * are part of the document, because the browser makes each of them anew whenever something in the layer changes: with all of them,
 * a step to another turn takes twice the time.
 */
export class BoardLayer {
  /**
   * @param {SVGElement} world
   * @param {string} id
   * @param {number} width
   * @param {number} height
   */
  constructor(world, id, width, height) {
    this.width = width;
    this.height = height;
    this.offset = { x: 0, y: 0 };
    /** Where there is something; `null` stands for the whole maze. @type {Place[] | null} */
    this.places = null;
    this.group = svg("g", { id });
    const around = svg("g", {});
    world.append(this.group, around);
    this.copies = [-1, 0, 1].flatMap((down) => [-1, 0, 1].flatMap((across) => {
      if (!down && !across) return [];
      const [x, y] = [across * width, down * height];
      return [{ x, y, use: around.appendChild(svg("use", { href: `#${id}`, x, y })) }];
    }));
    this.around = around;
  }

  /** @param {Place[] | null} places */
  fill(places) {
    this.places = places;
    this.showCopies();
  }

  /** @param {{ x: number, y: number }} offset of the maze in the picture */
  shift(offset) {
    this.offset = offset;
    this.showCopies();
  }

  showCopies() {
    const { around, copies, height, offset, places, width } = this;
    const reaches = (/** @type {number} */ middle, /** @type {number} */ half, /** @type {number} */ size) =>
      middle + half > -boardRing && middle - half < size + boardRing;
    for (const { x, y, use } of copies) {
      const isSeen = !places || places.some((place) =>
        reaches(place.x + x + offset.x, place.half, width) && reaches(place.y + y + offset.y, place.half, height));
      if (isSeen === (use.parentNode === around)) continue;
      if (isSeen) around.append(use);
      else use.remove();
    }
  }
}
