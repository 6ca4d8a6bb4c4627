// Pictures that are drawn when they come into view, one after another, so that a long list costs nothing at first.

import { el } from "./dom.js";
import { thumbnail } from "./small-board.js";

/** What draws the picture of a place that has not been in view. @type {WeakMap<Element, () => Promise<Node>>} */
const undrawn = new WeakMap();
let lastDrawn = Promise.resolve();

const inView = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    const draw = isIntersecting && undrawn.get(target);
    if (!draw) continue;
    inView.unobserve(target);
    // Without a picture, the place stays empty.
    lastDrawn = lastDrawn.then(draw).then((picture) => target.replaceChildren(picture), () => {});
  }
}, { rootMargin: "200px" });

/**
 * A place for the thumbnail of a game.
 * @param {Engine} engine
 * @param {() => Promise<string>} load returns the game as the engine opens it
 * @param {number} [turn] the shown turn; the last one if missing
 */
export function lazyThumbnail(engine, load, turn) {
  const place = el("span", { class: "home-thumb", "aria-hidden": "true" });
  undrawn.set(place, async () => {
    // To replay a game takes tens of milliseconds. The page stays responsive in between.
    await new Promise((done) => setTimeout(done));
    const timeline = engine.open(await load());
    const picture = thumbnail(timeline, Math.min(turn ?? Infinity, timeline.frames.length - 1));
    engine.close(timeline);
    return picture;
  });
  inView.observe(place);
  return place;
}
