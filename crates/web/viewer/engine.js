// The engine: crate pacman2-timeline as WebAssembly. Questions and answers are JSON; crates/timeline/src/wasm.rs is the other
// side.

/**
 * @typedef {{
 *   memory: WebAssembly.Memory,
 *   room(length: number): number,
 *   ask(start: number, length: number): number,
 *   gif(width: number, height: number): void,
 *   gif_learn(start: number, length: number): void,
 *   gif_add(start: number, length: number, hundredths: number): void,
 *   gif_end(): number,
 *   length(): number,
 * }} Module
 */

/** An error of the engine, in English. If a link cannot be read, `link` says what is wrong with it. */
export class EngineError extends Error {
  /** @param {string} message @param {LinkDamage | null} [link] */
  constructor(message, link = null) {
    super(message);
    this.link = link;
  }
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
    const answer = JSON.parse(decoder.decode(result(module.ask(put(bytes), bytes.length))));
    if (answer.error !== undefined) throw new EngineError(answer.error, answer.link);
    return answer.ok;
  };
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
    push: (timeline, { turn, backstage }) => void timeline.frames.push(askOf("push", timeline, { turn, backstage })),
    map: (seed, size) => registered(ask("map", { seed, ...size })),
    branch: (root, turn, names) => registered(askOf("branch", root, { turn, names })),
    play: (timeline, actions) => void timeline.frames.push(askOf("play", timeline, { actions })),
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
