// Measures the page: size, start time, and the time of a step through a match. This is no test; run it with
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
await browser.close();
rmSync(folder, { recursive: true });
console.log(`interactive after: ${spread(ready)} ms (${RUNS} openings)`);
console.log(`script of a step through 100 turns: ${spread(steps)} ms`);
