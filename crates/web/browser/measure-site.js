// Measures the static site: size, start time, frames while sage thinks, and simulations per second beside those of the
// program. This is no test; run it with
//   SITE=target/site PACMAN2=target/dist/pacman2 CHROMIUM=/usr/bin/chromium node crates/web/browser/measure-site.js

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";
import { hostSite } from "./site-host.js";

const RUNS = 11;
const ROUNDS = 7;
const SIMULATIONS = 100_000;
const { SITE = "target/site", PACMAN2 = "target/dist/pacman2", CHROMIUM = "/usr/bin/chromium" } = process.env;

/** @param {number[]} values */
const spread = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ part) => sorted[Math.min(Math.floor(part * sorted.length), sorted.length - 1)].toFixed(1);
  return `median ${at(0.5)}, 95 % ${at(0.95)}, most ${at(1)}`;
};
/** @param {number[]} values */
const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

for (const name of readdirSync(SITE).filter((name) => statSync(path.join(SITE, name)).isFile())) {
  const bytes = readFileSync(path.join(SITE, name));
  console.log(`${name}: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} gzipped`);
}

// A page of its own, without the site's policy, in which the worker can be asked directly.
const bare = `<!doctype html><title>measure</title><script>
  window.ask = async (file, query) => {
    const module = await WebAssembly.compile(await (await fetch(file)).arrayBuffer());
    const worker = new Worker("worker.js");
    const answer = (query) => new Promise((done) => {
      worker.onmessage = ({ data }) => done(data);
      worker.postMessage({ number: 1, query: JSON.stringify(query) });
    });
    worker.postMessage({ module });
    await answer({ ...query, simulations: 20000 });
    const begin = performance.now();
    await answer(query);
    const took = performance.now() - begin;
    worker.terminate();
    return took;
  };
</script>`;
const hosted = await hostSite(SITE, new Map([["measure.html", bare]]));
const rights = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...rights, "--disable-gpu", "--disable-background-networking"] });

for (const visit of ["first", "later"]) {
  const ready = [];
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  for (let run = 0; run < RUNS; run++) {
    const own = visit === "first" ? await browser.newContext({ viewport: { width: 1280, height: 720 } }) : context;
    const page = await own.newPage();
    await page.goto(hosted.address);
    await page.waitForFunction(() => document.body.dataset.ready);
    // The very first visit of a context does not count as a later one.
    if (visit === "first" || run > 0) ready.push(Number(await page.evaluate(() => document.body.dataset.ready)));
    if (visit === "later" && run === 0) await page.waitForFunction(() => document.body.dataset.kept);
    await page.close();
    if (visit === "first") await own.close();
  }
  await context.close();
  console.log(`usable after, ${visit} visit: ${spread(ready)} ms (${ready.length} openings)`);
}

const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
/** Prints the gaps between frames. @param {string} when */
const measureFrames = async (when) => {
  const gaps = await page.evaluate(async () => {
    const taken = [];
    let last = performance.now();
    for (let frame = 0; frame < 600; frame++) {
      const now = await new Promise((/** @type {(time: number) => void} */ done) => requestAnimationFrame(done));
      taken.push(now - last);
      last = now;
    }
    return taken.slice(1);
  });
  console.log(`frames ${when}: gaps ${spread(gaps)} ms, ${gaps.filter((gap) => gap > 25).length} of ${gaps.length} above 25 ms`);
};
await page.goto(hosted.address);
await page.waitForFunction(() => document.body.dataset.ready);
await measureFrames("while nothing happens");
await page.locator(".front-buttons button").last().click();
const seats = await page.locator(".home-seat select").all();
for (const select of seats.slice(1)) await select.selectOption("sage");
await page.locator("form summary").click();
await page.locator("form .home-fields select").first().selectOption("5000");
await page.locator("form button.primary").click();
await page.locator("#seat .seat-key[aria-disabled=false]").first().waitFor();
await measureFrames("while three sages think and a human looks at the board");
await page.goto("about:blank");
await page.goto(hosted.address);
await page.waitForFunction(() => document.body.dataset.ready);
await page.locator(".front-buttons button").last().click();
for (const select of await page.locator(".home-seat select").all()) await select.selectOption("sage");
await page.locator("form button.primary").click();
await page.waitForFunction(() => (document.querySelector(".transport-slider")?.getAttribute("max") ?? "0") !== "0");
await measureFrames("while four sages play");

await page.goto(`${hosted.address}measure.html`);
const folder = mkdtempSync(path.join(tmpdir(), "pacman2-measure-"));
writeFileSync(path.join(folder, "map.json"), JSON.stringify({ seed: 42 }));
const native = (/** @type {number} */ simulations) => {
  const begin = performance.now();
  execFileSync(path.resolve(PACMAN2), ["analyse", "map.json", "--simulations", String(simulations), "--json"], { cwd: folder });
  return performance.now() - begin;
};
const query = { op: "analyse", game: { init: { seed: 42 }, actions: [] }, turn: 1, simulations: SIMULATIONS };
const inWorker = () => page.evaluate((query) => /** @type {any} */ (window).ask("analysis.wasm", query), query);
/** @type {Record<string, number[]>} */
const speeds = { native: [], worker: [] };
for (let round = 0; round < ROUNDS; round++) {
  speeds.native.push(SIMULATIONS / (native(SIMULATIONS) - native(1)));
  speeds.worker.push(SIMULATIONS / (await inWorker()));
}
for (const [name, values] of Object.entries(speeds)) {
  const ratios = values.map((value, round) => value / speeds.native[round]);
  console.log(`${name}: median ${Math.round(median(values))} simulations per ms, ${median(ratios).toFixed(2)} of native`);
}
await browser.close();
await hosted.close();
rmSync(folder, { recursive: true });
