// The engine: crate pacman2-timeline as WebAssembly. Questions and answers are JSON; crates/timeline/src/wasm.rs is the other
// side.

import { reasonText, words } from "./language.js";

/** @typedef {import("./language.js").Problem} Problem */
/**
 * @typedef {{
 *   memory: WebAssembly.Memory,
 *   room(length: number): number,
 *   ask(start: number, length: number): number,
 *   games(start: number, length: number, number: number): number,
 *   gif(width: number, height: number): void,
 *   gif_learn(start: number, length: number): void,
 *   gif_add(start: number, length: number, hundredths: number): void,
 *   gif_end(): number,
 *   length(): number,
 * }} Module
 */

/** What is wrong with a link, by the code of the engine's error. */
const linkDamage = words(
  {
    "link-no-game": "there is none after #g=. Copy the link again.",
    "link-version": (/** @type {LinkDamage} */ { got }) =>
      `it is of version ${got}. Another version of the program made it, whose pages open it.`,
    "link-too-long": (/** @type {LinkDamage} */ { got }) => `no game is ${got} characters long.`,
    "link-character": (/** @type {LinkDamage} */ { got, position }) =>
      `a link has no character “${got}” (character ${position} after g=). Copy the link again.`,
    "link-cut-off": (/** @type {LinkDamage} */ { expected, got }) =>
      `its end is missing: ${got} of ${expected} bytes are there. Copy the whole link.`,
    "link-trailing": (/** @type {LinkDamage} */ { expected, got }) =>
      `it goes on after its end: it has ${got} bytes instead of ${expected}. Copy only the link.`,
    "link-checksum": "a part of it was changed: the checksum differs. Copy the link again.",
    "link-game-over": (/** @type {LinkDamage} */ { turn }) => `turn ${turn} comes after the end of the game.`,
    "link-end": "by the rules, it ends in another position. Another version of the program made the link.",
  },
  {
    "link-no-game": "#g= 后面不是对局，请重新复制链接。",
    "link-version": ({ got }) => `它的版本是 ${got}，由另一版本的程序生成，请用那个版本的页面打开。`,
    "link-too-long": ({ got }) => `长达 ${got} 个字符，没有这么长的对局。`,
    "link-character": ({ got, position }) => `链接里不会出现字符“${got}”（g= 后第 ${position} 个字符）。请重新复制链接。`,
    "link-cut-off": ({ expected, got }) => `链接不完整，应有 ${expected} 字节，只有 ${got} 字节。请复制整个链接。`,
    "link-trailing": ({ expected, got }) => `链接末尾有多余内容，应有 ${expected} 字节，却有 ${got} 字节。请只复制链接本身。`,
    "link-checksum": "链接内容有改动，校验和不符。请重新复制链接。",
    "link-game-over": ({ turn }) => `第 ${turn} 回合在对局结束之后。`,
    "link-end": "按规则推演，终局局面与链接不符。链接由另一版本的程序生成。",
  },
);

/** Words an error of the engine. @param {string} sentence in English @param {Problem} [problem] the same as a code */
function describeError(sentence, problem) {
  if (!problem || !(problem.code in linkDamage)) return reasonText(sentence, problem);
  const damage = linkDamage[/** @type {keyof typeof linkDamage} */ (problem.code)];
  return typeof damage === "function" ? damage(/** @type {LinkDamage} */ (problem.params)) : damage;
}

/**
 * Unpacks the WebAssembly module that the page contains, as gzip in base64.
 * @param {string} base64
 * @returns {Promise<ArrayBuffer>}
 */
export async function unpackEngine(base64) {
  const text = atob(base64);
  // A plain loop, because `Uint8Array.from` takes ten milliseconds, and the page is empty until then.
  const packed = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) packed[at] = text.charCodeAt(at);
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

/**
 * @param {ArrayBuffer} bytes
 * @returns {Promise<Engine>}
 */
export async function startEngine(bytes) {
  const { instance } = await WebAssembly.instantiate(bytes, {});
  const module = /** @type {Module} */ (/** @type {unknown} */ (instance.exports));
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();

  /** @param {Uint8Array | Uint8ClampedArray} bytes */
  const put = (bytes) => {
    const start = module.room(bytes.length);
    new Uint8Array(module.memory.buffer, start, bytes.length).set(bytes);
    return start;
  };
  /** @param {number} start */
  const result = (start) => new Uint8Array(module.memory.buffer, start, module.length());

  /**
   * @param {string} op
   * @param {Record<string, unknown>} [values]
   * @returns {any}
   */
  const ask = (op, values) => {
    const bytes = encoder.encode(JSON.stringify({ op, ...values }));
    return answerOf(module.ask(put(bytes), bytes.length));
  };
  /** @param {number} start @returns {any} */
  const answerOf = (start) => {
    const answer = JSON.parse(decoder.decode(result(start)));
    if (answer.error !== undefined) throw new Error(describeError(answer.error, answer.problem));
    return answer.ok;
  };
  /** Lists the games of a file, or opens the one of a number. @param {Uint8Array} file @param {number} number */
  const askAbout = (file, number) => answerOf(module.games(put(file), file.length, number));
  /** @param {string} op @param {Timeline} timeline @param {Record<string, unknown>} [values] */
  const askOf = (op, timeline, values) => ask(op, { timeline: timeline.head.timeline, ...values });
  // When the page drops a timeline, the engine drops it, too.
  const registry = new FinalizationRegistry((/** @type {number} */ timeline) => ask("close", { timeline }));
  /** @param {Timeline} timeline */
  const registered = (timeline) => {
    registry.register(timeline, timeline.head.timeline, timeline);
    return timeline;
  };
  /** @param {Timeline} timeline */
  const close = (timeline) => void (registry.unregister(timeline) && askOf("close", timeline));

  return {
    open: (text) => registered(ask("open", { text })),
    games: (file) => askAbout(file, 0).map((/** @type {any} */ { error, problem, ...game }) =>
      error === undefined ? game : { error: describeError(error, problem) }),
    openGame: (file, number) => registered(askAbout(file, number)),
    push: (timeline, { turn, backstage }) => void timeline.frames.push(askOf("push", timeline, { turn, backstage })),
    map: (seed, size) => registered(ask("map", { seed, ...size })),
    branch: (root, turn, names) => registered(askOf("branch", root, { turn, names })),
    play: (timeline, actions, backstage) => void timeline.frames.push(askOf("play", timeline, { actions, backstage })),
    decide: (timeline, bot, seat) => askOf("decide", timeline, { bot, seat }),
    inspect: (timeline, turn) => askOf("inspect", timeline, { turn }),
    text: (timeline, turn, as, seat) => askOf("text", timeline, { turn, as, seat }),
    save: (timeline) => askOf("save", timeline),
    link: (timeline) => askOf("link", timeline),
    qr: (text) => ask("qr", { text }),
    close,
    adopt: (timeline, fresh) => {
      close(timeline);
      // Otherwise the engine would drop what `timeline` now stands for when the page drops `fresh`.
      registry.unregister(fresh);
      Object.assign(timeline.head, fresh.head);
      registered(timeline);
    },
    builtIn: () => ask("bots"),
    gif: (width, height) => {
      module.gif(width, height);
      return {
        learn: (pixels) => module.gif_learn(put(pixels), pixels.length),
        add: (pixels, hundredths) => module.gif_add(put(pixels), pixels.length, hundredths),
        end: () => result(module.gif_end()).slice(),
      };
    },
  };
}
