// Turns of a match as a film: the board, and below it the title, the turn and the players.

import { allSeats } from "./board-geometry.js";
import { scenePaint, seatPaint } from "./board-paint.js";
import { Scene } from "./board-scene.js";
import { turnMotion } from "./motion.js";
import { minus, scoreText, words } from "./language.js";
import { seatShapes } from "./players.js";
import { seatName } from "./sentences.js";

export const clipWords = words(
  { turn: (/** @type {number} */ turn) => `Turn ${turn}`, drawFailed: "The browser could not draw the picture." },
  { turn: (turn) => `第 ${turn} 回合`, drawFailed: "浏览器未能画出图片。" },
);

/** The width of a film, in pixels, and the height of a line of its caption. Encoders of films want even numbers. */
const clipWidth = 480;
const captionLine = 26;
/** The caption: the title and the turn, then two players in a line. */
const captionHeight = 4 * captionLine;
/** How long the last turn is shown. */
const lastSeconds = 2;
/** How many pictures of a GIF its palette is made from. */
const paletteSamples = 6;
const filmType = "video/webm";

/** The theme of the page, for pictures. @returns {"light" | "dark"} */
export function chosenTheme() {
  const chosen = document.documentElement.dataset.theme;
  const isDark = chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  return isDark ? "dark" : "light";
}

/**
 * Draws a picture on a canvas.
 * @param {SVGSVGElement} drawn
 * @param {HTMLCanvasElement} canvas
 * @param {number} width
 * @param {number} height
 * @param {number} [below] the height of what comes below the picture
 */
export async function paintPicture(drawn, canvas, width, height, below = 0) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(drawn))}`;
  await image.decode();
  if (canvas.width !== width) canvas.width = width;
  if (canvas.height !== height + below) canvas.height = height + below;
  const context = canvas.getContext("2d", { willReadFrequently: true });
  if (!context) throw new Error(clipWords.drawFailed);
  context.drawImage(image, 0, 0, width, height);
  return context;
}

/** Whether this browser can record films. */
export const canFilm = () => typeof MediaRecorder === "function" && MediaRecorder.isTypeSupported(filmType);

/**
 * @typedef {{
 *   viewer: import("./viewer.js").Viewer, timeline: Timeline, title: string, first: number, last: number, pace: number,
 *   signal: AbortSignal, onTurn: (turn: number) => void,
 * }} ClipOptions `pace` is the number of turns per second
 */

class Clip {
  /** @param {ClipOptions} options */
  constructor({ viewer, timeline, title }) {
    this.timeline = timeline;
    this.title = title;
    this.followed = viewer.followed;
    this.paint = scenePaint(chosenTheme());
    this.scene = new Scene(timeline.head, this.paint);
    const { width, height } = this.scene.box;
    this.height = 2 * Math.round((clipWidth * height) / width / 2);
    this.scene.root.setAttribute("width", String(clipWidth));
    this.scene.root.setAttribute("height", String(this.height));
    this.canvas = document.createElement("canvas");
  }

  /** Draws a position, or the scene as it is. @param {Frame} frame @param {boolean} isMoving */
  async draw(frame, isMoving = false) {
    const { scene, canvas, height, followed } = this;
    if (!isMoving) scene.show(frame);
    if (followed !== null) scene.centre(followed);
    const context = await paintPicture(scene.root, canvas, clipWidth, height, captionHeight);
    this.caption(context, frame);
    return context;
  }

  /** @param {CanvasRenderingContext2D} context @param {Frame} frame */
  caption(context, { turn, players, over }) {
    const { paint, height, title, timeline } = this;
    const line = (/** @type {number} */ row) => height + (row + 0.5) * captionLine + 8;
    const margin = 12;
    const write = (/** @type {string} */ text, /** @type {number} */ x, /** @type {number} */ row, /** @type {number} */ width) => {
      let shown = text;
      while (shown && context.measureText(shown).width > width) shown = `${shown.slice(0, -2)}…`;
      context.fillText(shown, x, line(row));
    };
    context.fillStyle = paint.card;
    context.fillRect(0, height, clipWidth, captionHeight);
    context.textBaseline = "middle";
    context.font = "bold 17px system-ui, sans-serif";
    context.fillStyle = paint.ink;
    context.textAlign = "end";
    write(clipWords.turn(turn), clipWidth - margin, 0, 100);
    context.textAlign = "start";
    write(title, margin, 0, clipWidth - 130);
    for (const seat of allSeats) {
      const { strength, score, alive } = players[seat];
      const x = margin + (seat % 2) * (clipWidth / 2);
      const row = seat < 2 ? 1.2 : 2.3;
      const value = over ? scoreText(score) : alive ? minus(strength) : "†";
      context.fillStyle = seatPaint(paint, seat);
      context.setTransform(2 / 3, 0, 0, 2 / 3, x, line(row) - 8);
      context.fill(new Path2D(seatShapes[seat]));
      context.resetTransform();
      write(`${seat} ${seatName(timeline.head, seat)}`, x + 22, row, 128);
      context.fillStyle = paint.ink;
      write(value, x + 156, row, 66);
    }
  }
}

/** Lets the page respond. */
const pause = () => new Promise((done) => setTimeout(done));

/** Makes an animated GIF; null if it was cancelled. @param {ClipOptions} options */
export async function makeGif(options) {
  const { viewer, timeline, first, last, pace, signal, onTurn } = options;
  const clip = new Clip(options);
  const pixels = async (/** @type {number} */ turn) => {
    const context = await clip.draw(timeline.frames[turn]);
    return context.getImageData(0, 0, clip.canvas.width, clip.canvas.height).data;
  };
  await pixels(first);
  const gif = viewer.engine.gif(clip.canvas.width, clip.canvas.height);
  for (let part = 0; part < paletteSamples; part += 1) {
    gif.learn(await pixels(first + Math.round(((last - first) * part) / paletteSamples)));
  }
  for (let turn = first; turn <= last; turn += 1) {
    onTurn(turn);
    gif.add(await pixels(turn), turn === last ? 100 * lastSeconds : Math.round(100 / pace));
    await pause();
    if (signal.aborted) return null;
  }
  return new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (gif.end())], { type: "image/gif" });
}

/** Records a film in which the players move, as long as it takes to watch it; null if it was cancelled. @param {ClipOptions} options */
export async function makeFilm(options) {
  const { timeline, first, last, pace, signal, onTurn } = options;
  const clip = new Clip(options);
  await clip.draw(timeline.frames[first]);
  const recorder = new MediaRecorder(clip.canvas.captureStream(), { mimeType: filmType, videoBitsPerSecond: 2500000 });
  /** @type {Blob[]} */
  const parts = [];
  recorder.addEventListener("dataavailable", ({ data }) => parts.push(data));
  const stopped = new Promise((done) => recorder.addEventListener("stop", done));
  recorder.start();
  /** Draws for some time. @param {Frame} frame @param {number} seconds @param {((part: number) => void) | null} move */
  const film = async (frame, seconds, move) => {
    const began = performance.now();
    for (let part = 0; part < 1 && !signal.aborted;) {
      part = Math.min((performance.now() - began) / 1000 / seconds, 1);
      move?.(part);
      await clip.draw(frame, part < 1 && move !== null);
      await pause();
    }
  };
  for (let turn = first; turn <= last && !signal.aborted; turn += 1) {
    onTurn(turn);
    const frame = timeline.frames[turn];
    if (turn === first) await film(frame, 1 / pace, null);
    else await film(frame, 1 / pace, turnMotion(clip.scene, timeline.frames[turn - 1], frame));
  }
  await film(timeline.frames[last], lastSeconds, null);
  recorder.stop();
  await stopped;
  return signal.aborted ? null : new Blob(parts, { type: filmType });
}
