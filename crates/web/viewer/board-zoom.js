// Zooming and panning of the board: buttons, Ctrl and wheel, two fingers, dragging.

import { el, setAttr } from "./dom.js";

const zoomMost = 5;

/**
 * @param {HTMLElement} stage
 * @param {() => import("./board-scene.js").Scene | null} sceneNow
 */
export function boardZoom(stage, sceneNow) {
  let factor = 1;
  /** The centre of the view, as a fraction of the picture. */
  let middle = { x: 0.5, y: 0.5 };
  /** @type {Map<number, { x: number, y: number }>} Pressed pointers. */
  const held = new Map();
  let dragged = false;

  const draw = () => {
    const scene = sceneNow();
    if (!scene) return;
    const { box, root } = scene;
    const half = 0.5 / factor;
    middle = {
      x: Math.min(Math.max(middle.x, half), 1 - half),
      y: Math.min(Math.max(middle.y, half), 1 - half),
    };
    const [x, y] = [box.x + (middle.x - half) * box.width, box.y + (middle.y - half) * box.height];
    setAttr(root, "viewBox", `${x} ${y} ${box.width / factor} ${box.height / factor}`);
    stage.classList.toggle("board-zoomed", factor > 1);
    smaller.disabled = whole.disabled = factor === 1;
    larger.disabled = factor === zoomMost;
  };

  /**
   * Zooms around a point of the screen.
   * @param {number} wanted
   * @param {{ x: number, y: number }} [at]
   */
  const zoomTo = (wanted, at) => {
    const { left, top, width, height } = stage.getBoundingClientRect();
    const spot = at ? { x: (at.x - left) / width - 0.5, y: (at.y - top) / height - 0.5 } : { x: 0, y: 0 };
    const old = factor;
    factor = Math.min(Math.max(wanted, 1), zoomMost);
    middle = { x: middle.x + spot.x / old - spot.x / factor, y: middle.y + spot.y / old - spot.y / factor };
    draw();
  };
  const reset = () => {
    factor = 1;
    draw();
  };
  const smaller = el("button", { type: "button", onclick: () => zoomTo(factor / 1.5) }, "−");
  const larger = el("button", { type: "button", onclick: () => zoomTo(factor * 1.5) }, "+");
  const whole = el("button", { type: "button", onclick: reset }, "⤢");

  stage.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoomTo(factor * Math.exp(-event.deltaY / 200), { x: event.clientX, y: event.clientY });
  }, { passive: false });

  /** The centre of the pressed pointers, and their distance. */
  const pinch = () => {
    const [a, b = a] = [...held.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, wide: Math.hypot(a.x - b.x, a.y - b.y) };
  };
  stage.addEventListener("pointerdown", (event) => {
    held.set(event.pointerId, { x: event.clientX, y: event.clientY });
    // Touch pointers are captured implicitly.
    if (event.pointerType === "mouse") stage.setPointerCapture(event.pointerId);
  });
  stage.addEventListener("pointermove", (event) => {
    const at = held.get(event.pointerId);
    if (!at) return;
    const now = { x: event.clientX, y: event.clientY };
    // Ignores small movements during a click.
    if (!dragged && Math.hypot(now.x - at.x, now.y - at.y) < 6) return;
    const before = pinch();
    held.set(event.pointerId, now);
    const after = pinch();
    if (factor === 1 && held.size < 2) return;
    dragged = true;
    const { width, height } = stage.getBoundingClientRect();
    middle = { x: middle.x - (after.x - before.x) / width / factor, y: middle.y - (after.y - before.y) / height / factor };
    zoomTo(before.wide ? (factor * after.wide) / before.wide : factor, after);
  });
  for (const kind of /** @type {const} */ (["pointerup", "pointercancel"])) {
    stage.addEventListener(kind, (event) => {
      held.delete(event.pointerId);
      // Reset only after the click event that ends a drag.
      if (!held.size) setTimeout(() => (dragged = false));
    });
  }
  // Two fingers pan the board; one finger scrolls the page.
  stage.addEventListener("touchstart", (event) => event.touches.length > 1 && event.preventDefault(), { passive: false });

  return {
    smaller,
    larger,
    whole,
    reset,
    /** Whether the picture is being dragged. */
    dragging: () => dragged,
    /**
     * @param {string} less
     * @param {string} more
     * @param {string} all
     */
    name(less, more, all) {
      for (const [button, name] of /** @type {const} */ ([[smaller, less], [larger, more], [whole, all]])) {
        setAttr(button, "aria-label", name);
        setAttr(button, "title", name);
      }
    },
  };
}
