// The worker of a static page: crate pacman2-analysis as WebAssembly. crates/analysis/src/wasm.rs is the other side.
//
// The page sends the compiled module first, then numbered queries, one at a time. Each is answered under its number. An answer
// with the key `crash` is the last one.

/**
 * @typedef {{
 *   memory: WebAssembly.Memory,
 *   room(length: number): number,
 *   ask(): number,
 *   answer(): number,
 * }} AnalysisModule
 */

/** @type {Promise<AnalysisModule>} */
let analysis;

/** @param {AnalysisModule} module @param {string} query */
function answerOf(module, query) {
  const bytes = new TextEncoder().encode(query);
  const start = module.room(bytes.length);
  new Uint8Array(module.memory.buffer, start, bytes.length).set(bytes);
  const length = module.ask();
  return JSON.parse(new TextDecoder().decode(new Uint8Array(module.memory.buffer, module.answer(), length)));
}

addEventListener("message", async ({ data: { module, number, query } }) => {
  if (module) {
    const started = WebAssembly.instantiate(/** @type {WebAssembly.Module} */ (module), { worker: { now_ms: () => performance.now() } });
    analysis = started.then((instance) => /** @type {AnalysisModule} */ (/** @type {unknown} */ (instance.exports)));
    return;
  }
  try {
    postMessage({ number, ...answerOf(await analysis, query) });
  } catch (error) {
    postMessage({ number, crash: String(error) });
  }
});
