// What another bot would have answered, below the recorded actions.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { pacman2, playWholeGame } from "./fixtures.js";
import { harness, pageTest, tempPath } from "./harness.js";
import { openTab, textOf, waitForTurn, waitUntil } from "./page-helpers.js";

/** @type {Awaited<ReturnType<typeof playWholeGame>>} */
let whole;
/** @type {any} What `pacman2 rerun` has found for seat 2. */
let rerun;
harness(async () => {
  whole = await playWholeGame("whole");
  const files = ["--html", "rerun.html", "--replay", "rerun.json"];
  rerun = JSON.parse(await pacman2("rerun", whole.replay, "--seat", "2", "hunter", "--simulations", "400", "--json", ...files));
});

const page = () => pathToFileURL(tempPath("rerun.html")).href;

pageTest("the second line marks the turns in which the bot answers otherwise", async ({ open }) => {
  const shown = await open(page());
  const asked = rerun.turns.flatMap((/** @type {any} */ answer, /** @type {number} */ index) => (answer ? [{ turn: index + 1, ...answer }] : []));
  const other = asked.filter((/** @type {any} */ { action, recorded }) => action !== recorded);
  assert.ok(other.length > 3 && other.length < asked.length);
  assert.match(await textOf(shown, "#rerun h2"), /^hunter in place of sample \(2\)$/);
  assert.match(await textOf(shown, "#rerun .happened-note"), new RegExp(`Another action in ${other.length} of ${asked.length} turns`));
  await waitUntil(() => shown.locator(".rerun-line > *").count(), asked.length);
  const buttons = shown.locator(".rerun-line button");
  assert.equal(await buttons.count(), other.length);
  assert.equal(await shown.locator('.rerun-line [data-worth="less"]').count(),
    other.filter((/** @type {any} */ { worth }) => worth.significant && worth.points < 0).length);
  const [{ turn, worth }] = other;
  await buttons.first().click();
  await waitForTurn(shown, turn);
  const points = `${worth.points < 0 ? "−" : "\\+"}${Math.abs(worth.points).toFixed(1).replace(/\.0$/, "")}`;
  await waitUntil(() => textOf(shown, "#rerun > p:not(.happened-note)"), new RegExp(`^Turn ${turn}: .*; recorded: .* \\(${points} ± .* points\\)`));
  await shown.getByRole("button", { name: "中文" }).click();
  await waitUntil(() => textOf(shown, "#rerun > p:not(.happened-note)"), new RegExp(`^第 ${turn} 回合：.*；记录为：`));
  await waitUntil(() => textOf(shown, "#rerun h2"), /代替/);
});

pageTest("other matches have no second line, and a saved page keeps it", async ({ open }) => {
  const plain = await open(whole.page);
  assert.equal(await plain.locator("#rerun").isVisible(), false);
  await plain.locator("input[type=file]").setInputFiles(tempPath("rerun.json"));
  await waitUntil(() => plain.locator("#rerun").isVisible(), true);
  await openTab(plain, "Share");
  const download = plain.waitForEvent("download");
  await plain.getByRole("button", { name: "Save page with this match", exact: true }).click();
  await (await download).saveAs(tempPath("again.html"));
  const again = await open(pathToFileURL(tempPath("again.html")).href);
  await waitUntil(() => again.locator(".rerun-line > *").count(), rerun.asked);
});

pageTest("a stranger's rerun is only text", async ({ open }) => {
  const text = await readFile(whole.replay, "utf8");
  const with_ = (/** @type {unknown} */ value) =>
    ({ name: "x.json", mimeType: "application/json", buffer: Buffer.from(text.replace(/\}\s*$/, `,"rerun":${JSON.stringify(value)}}`)) });
  const shown = await open(whole.page);
  const input = shown.locator("input[type=file]");
  const hostile = "<img src=x onerror=alert(1)>\u202e";
  const turn = { action: 99, verdict: "RE", complaint: hostile, stderr: hostile, worth: { points: "<b>", error: [], significant: 1 }, wall_us: 3 };
  await input.setInputFiles(with_({ bot: hostile, seat: 2, turns: Array(1000).fill(turn) }));
  await waitUntil(() => shown.locator("#rerun").isVisible(), true);
  await shown.keyboard.press("ArrowRight");
  await waitUntil(() => textOf(shown, "#rerun pre"), /<img src=x onerror=alert\(1\)>⟨U\+202E⟩/);
  assert.equal(await shown.locator("#rerun img").count(), 0);
  for (const wrong of [7, [], { bot: 1, seat: 2, turns: [] }, { bot: "a", seat: 4, turns: [] }, { bot: "a", seat: 1, turns: [{}] }]) {
    await input.setInputFiles(with_(wrong));
    await waitUntil(() => shown.locator("#rerun").isVisible(), false, JSON.stringify(wrong));
  }
});
