// The rules, maps and built-in bots: crates/timeline as WebAssembly, asked in JSON. crates/film/src/wasm.rs is its other side.

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

/**
 * Unpacks the module that travels in the page: gzip in base64.
 * @param {string} base64
 * @returns {Promise<ArrayBuffer>}
 */
export async function unpackEngine(base64) {
  const text = atob(base64);
  // By a plain loop: `Uint8Array.from` takes ten milliseconds for it, and nobody sees anything until then.
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
   * @param {Record<string, unknown>} question
   * @returns {any}
   */
  const ask = (question) => {
    const bytes = encoder.encode(JSON.stringify(question));
    const answer = JSON.parse(decoder.decode(result(module.ask(put(bytes), bytes.length))));
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.ok;
  };
  /** @param {Film} film */
  const number = (film) => film.head.film;
  // What nobody on the page holds any more, the module need not keep either.
  const forgotten = new FinalizationRegistry((/** @type {number} */ film) => ask({ ask: "close", film }));
  /** @param {Record<string, unknown>} question @returns {Film} */
  const film = (question) => {
    const made = ask(question);
    forgotten.register(made, number(made), made);
    return made;
  };

  return {
    open: (text) => film({ ask: "open", text }),
    push: (film, { turn, backstage }) => void film.frames.push(ask({ ask: "push", film: number(film), turn, backstage })),
    map: (seed, size) => film({ ask: "map", seed, ...size }),
    branch: (root, turn, names) => film({ ask: "branch", film: number(root), turn, names }),
    play: (film, actions) => void film.frames.push(ask({ ask: "play", film: number(film), actions })),
    decide: (film, bot, seat) => ask({ ask: "decide", film: number(film), bot, seat }),
    xray: (film, turn) => ask({ ask: "xray", film: number(film), turn }),
    text: (film, turn, as, seat) => ask({ ask: "text", film: number(film), turn, as, seat }),
    save: (film) => ask({ ask: "save", film: number(film) }),
    close: (film) => void (forgotten.unregister(film) && ask({ ask: "close", film: number(film) })),
    builtIn: () => ask({ ask: "bots" }),
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
