// Measures the page: size, start time, and how fast it shows turns. This is no test; run it with
//   PACMAN2=target/release/pacman2 CHROMIUM=/usr/bin/chromium node crates/web/browser/measure.js

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { chromium } from "playwright-core";

const RUNS = 11;
const { PACMAN2 = "target/release/pacman2", CHROMIUM = "/usr/bin/chromium" } = process.env;
const folder = mkdtempSync(path.join(tmpdir(), "pacman2-measure-"));
const file = path.join(folder, "match.html");
const match = ["match", "sample", "greedy", "sample", "greedy", "--seed", "16", "--no-replay", "--pace", "0", "--html", file];
execFileSync(PACMAN2, match, { stdio: "ignore" });

/** @param {number[]} values */
const spread = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (/** @type {number} */ part) => sorted[Math.min(Math.floor(part * sorted.length), sorted.length - 1)].toFixed(1);
  return `median ${at(0.5)}, 95 % ${at(0.95)}, most ${at(1)}`;
};

const html = readFileSync(file, "utf8");
const bare = html.replace(/(id="replay-data">)[^<]*/, "$1null");
console.log(`page without a replay: ${gzipSync(bare, { level: 9 }).length} bytes, gzipped`);
console.log(`file of a match of 100 turns: ${html.length} characters, ${readFileSync(file).length} bytes`);

const rights = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...rights, "--disable-gpu", "--disable-background-networking"] });
const ready = [];
/** @type {number[]} */
let steps = [];
for (let run = 0; run < RUNS; run++) {
  const page = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
  await page.goto(`file://${file}`);
  await page.waitForFunction(() => document.body.dataset.ready);
  ready.push(Number(await page.evaluate(() => document.body.dataset.ready)));
  if (run === RUNS - 1) {
    // A step includes the script of the next animation frame.
    steps = await page.evaluate(async () => {
      const slider = /** @type {HTMLInputElement} */ (document.querySelector("input[type=range]"));
      const frame = () => new Promise((/** @type {(time: number) => void} */ done) => requestAnimationFrame(done));
      const taken = [];
      const request = window.requestAnimationFrame.bind(window);
      let inFrame = 0;
      window.requestAnimationFrame = (callback) =>
        request((time) => {
          const begin = performance.now();
          callback(time);
          inFrame += performance.now() - begin;
        });
      for (let turn = 0; turn <= 100; turn++) {
        await frame();
        inFrame = 0;
        const begin = performance.now();
        slider.value = String(turn);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        const own = performance.now() - begin;
        await frame();
        taken.push(own + inFrame);
      }
      return taken;
    });
  }
  await page.close();
}

// A large board, and animations as users have them.
const long = path.join(folder, "long.html");
execFileSync(PACMAN2, ["match", "greedy", "greedy", "sample", "greedy", "--seed", "16", "--turns", "200", "--no-replay", "--html", long], { stdio: "ignore" });
const page = await browser.newPage({ viewport: { width: 1920, height: 1080 } });
await page.goto(`file://${long}`);
await page.waitForFunction(() => document.body.dataset.ready);
const { painted, frames } = await page.evaluate(async () => {
  const slider = /** @type {HTMLInputElement} */ (document.querySelector(".transport-slider"));
  const show = (/** @type {number} */ turn) => {
    slider.value = String(turn);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  };
  // A message that is sent in an animation frame arrives after the frame is painted.
  const paint = () => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(null);
  }));
  /** @type {number[]} */
  const painted = [];
  await paint();
  for (let turn = 0; turn <= 200; turn++) {
    const begin = performance.now();
    show(turn);
    await paint();
    painted.push(performance.now() - begin);
  }
  show(0);
  const speed = /** @type {HTMLSelectElement} */ (document.querySelector(".transport-choices select"));
  speed.value = "16";
  speed.dispatchEvent(new Event("change"));
  /** @type {HTMLButtonElement} */ (document.querySelector(".transport-steps .primary")).click();
  /** @type {number[]} */
  const frames = [];
  let last = await new Promise(requestAnimationFrame);
  while (slider.value !== slider.max) {
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
  }
  return { painted, frames };
});
await browser.close();
rmSync(folder, { recursive: true });
console.log(`interactive after: ${spread(ready)} ms (${RUNS} openings)`);
console.log(`script of a step through 100 turns: ${spread(steps)} ms`);
console.log(`from the slider to the painted turn, in a match of 200 turns at 1920 × 1080: ${spread(painted)} ms`);
console.log(`frames at 16×: ${spread(frames)} ms; ${frames.filter((ms) => ms > 25).length} of ${frames.length} above 25`);
