// The theatre, and TV: the games of a folder and of an arena, one after another.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { GENEROUS_LIMITS, pacman2, playMatch, playWholeGame, startServer, writeBot } from "./fixtures.js";
import { harness, mainTest, pageTest, tempPath } from "./harness.js";
import { factsOf } from "./layout-facts.js";
import { assertChinese, goToTurn, namesOf, shownTurn, textOf, waitForTurn, waitUntil } from "./page-helpers.js";
import { interestOf } from "../viewer/tv.js";

/** @typedef {import("playwright-core").Page} Page */

harness();

const button = (/** @type {Page} */ page, /** @type {string} */ name) => page.getByRole("button", { name, exact: true });
const isTheatre = (/** @type {Page} */ page) => page.evaluate(() => document.body.classList.contains("theatre"));

mainTest("a game is interesting if it was close, the last in the ranking won, or a bot failed", async () => {
  const reasons = (/** @type {number[]} */ scores, ranks = [1, 2, 3, 4], failed = false) => interestOf({ scores, ranks, failed });
  assert.deepEqual(reasons([40, 30, 20, 10]), []);
  assert.deepEqual(reasons([30, 31, 20, 10]), ["close"]);
  assert.deepEqual(reasons([10, 20, 30, 40]), ["upset"]);
  assert.deepEqual(reasons([40, 10, 20, 40]), ["close"], "a shared first place is no upset");
  assert.deepEqual(reasons([10, 20, 30, 40], [1, 2, 4, 4]), [], "nor is the win of one of two copies");
  assert.deepEqual(reasons([10, 20, 30, 30.5], [1, 2, 3, 4], true), ["close", "upset", "failure"]);
  assert.deepEqual(interestOf({ scores: [40, 30, 20, 10], failed: false }), [], "without a ranking");
});

pageTest("the theatre shows the board, names, strengths, the last event, the chart, and all final scores", async ({ open }) => {
  const bots = ["greedy", "hunter", "sample", "random"];
  const { page: address, scores } = await playMatch("theatre", bots, ["--seed", "27", "--size", "11x6"]);
  const page = await open(address);
  await page.keyboard.press("f");
  const others = "#scores, .page-tabs, .page-header, [role=tabpanel]:not(#players, #turn), .players-score, .players-state, #happened";
  const shown = () => page.locator(others).filter({ visible: true }).count();
  await waitUntil(shown, 0);
  assert.deepEqual(await page.locator(".players-name:visible").allInnerTexts(), bots);
  assert.equal(await page.locator(".players-strength:visible").count(), 4);
  await page.locator("#chart svg").waitFor();
  assert.deepEqual((await factsOf(page)).wrong, []);
  const event = () => page.locator("#theatre").innerText();
  assert.equal(await event(), "Leave (Esc)", "nothing has happened");
  await goToTurn(page, 60);
  await waitUntil(event, /^Turn 58\s+1\s+shot right .*, hit sample \(2\): \+6\s+2\s+moved left;.* died: no strength left/);
  const before = await event();
  await page.keyboard.press("End");
  await waitUntil(() => page.locator(".players-score:visible").allInnerTexts(), scores);
  assert.equal(await page.locator(".players-place:visible").count(), 4);
  assert.equal(await page.locator(".players-strength:visible").count(), 0);
  assert.notEqual(await event(), before);
  await button(page, "Leave (Esc)").click();
  await page.locator(".page-header").waitFor();
  assert.equal(await isTheatre(page), false);
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: /^Theatre/ }).click();
  await waitUntil(shown, 0);
  await page.keyboard.press("Escape");
  await waitUntil(() => isTheatre(page), false);
});

pageTest("the buttons of the theatre hide while it plays, until the pointer moves, and the screen stays on", async ({ open }) => {
  const { page: address } = await playWholeGame("whole");
  const page = await open(address, { before: (context) => context.addInitScript(() => {
    /** @type {any} */ (window).awake = 0;
    Object.defineProperty(navigator, "wakeLock", { value: { request: async (/** @type {string} */ kind) => {
      /** @type {any} */ (window).awake += kind === "screen" ? 1 : 100;
      return { release: async () => void (/** @type {any} */ (window).awake -= 1) };
    } } });
  }) });
  const awake = () => page.evaluate(() => /** @type {any} */ (window).awake);
  const opacity = () => page.locator(".theatre-buttons").evaluate((one) => getComputedStyle(one).opacity);
  await page.keyboard.press("f");
  await waitUntil(awake, 1);
  await page.keyboard.press(" ");
  await waitUntil(opacity, "0");
  await page.mouse.move(500, 400);
  await waitUntil(opacity, "1");
  await page.keyboard.press("f");
  await waitUntil(awake, 0);
});

for (const zh of [false, true]) {
  pageTest(`TV plays the replays of a folder, the most interesting first, and new ones, ${zh ? "Chinese" : "English"}`, async (harness) => {
    const folder = `tv-${zh}`;
    await mkdir(tempPath(folder));
    const play = (/** @type {string} */ name, /** @type {string} */ bot) =>
      playMatch(path.join(folder, name), [bot, "random", "random", "random"], ["--turns", "4", "--seed", "27", ...GENEROUS_LIMITS]);
    await play("failed", await writeBot("failing.js", ["process.exit(3)"]));
    await play("newer", "greedy");
    const server = await startServer(folder, harness);
    const page = await harness.open(server.address, { locale: zh ? "zh-CN" : "en-GB" });
    await page.getByRole("link", { name: zh ? "连播" : "TV", exact: true }).click();
    await waitUntil(() => isTheatre(page), true);
    await waitUntil(() => textOf(page, "#theatre"), zh ? /有程序出错。/ : /A bot failed\./);
    if (zh) await assertChinese(page, ["failing.js", /\S+\.json/, /tv-true/]);
    // The chart and the slider do not say how the game goes on.
    const hidden = () => page.locator(".transport-choices input").isChecked();
    assert.equal(await hidden(), true);
    await waitForTurn(page, 4, 4);
    await play("newest", "sample");
    await waitUntil(() => textOf(page, "#theatre"), zh ? /下一局：/ : /Next: /);
    // The last game that was listed when the first one ended, and then the new one.
    await waitUntil(() => namesOf(page), (names) => !names[0].includes("failing"));
    await waitForTurn(page, 4, 4);
    await button(page, zh ? "下一局" : "Next game").click();
    await waitUntil(() => namesOf(page), (names) => names[0] === "greedy" || names[0] === "sample");
    // Outside TV, the game has its own address.
    await waitUntil(async () => page.url(), /#tv=replays/);
    await page.keyboard.press("Escape");
    await waitUntil(async () => page.url(), /#replay=(newer|newest)\.json/);
    await waitUntil(() => button(page, zh ? "下一局" : "Next game").count(), 0);
    assert.equal(await hidden(), false);
  });
}

pageTest("TV plays the games of an arena, and an address leads to it", async (harness) => {
  await mkdir(tempPath("replays-of-league"));
  await pacman2("arena", "--arena", "league", "init");
  const server = await startServer("replays-of-league", harness, ["--arena", "league"]);
  const page = await harness.open(`${server.origin}/arena`);
  await page.getByRole("link", { name: "TV" }).click();
  await page.getByRole("status").filter({ hasText: "There is no game yet." }).waitFor();
  await pacman2("arena", "--arena", "league", "add", "greedy", "random", "sample", "hunter");
  await pacman2("arena", "--arena", "league", "run", "--maps", "1");
  await waitUntil(() => shownTurn(page), ([, last]) => last > 0);
  assert.deepEqual((await page.locator(".players-name:visible").allInnerTexts()).map((name) => name.split("@")[0]).sort(), ["greedy", "hunter", "random", "sample"]);
  assert.match(page.url(), /#tv=arena/);
  await page.reload();
  await waitUntil(() => isTheatre(page), true);
  await button(page, "Leave (Esc)").click();
  await waitUntil(async () => page.url(), /#game=[0-9a-f]{32}/);
  harness.expect(/nothing/);
  await page.evaluate(() => (location.hash = "tv=elsewhere"));
  await page.getByRole("alert").filter({ hasText: "This page has no games named “elsewhere”." }).waitFor();
});
