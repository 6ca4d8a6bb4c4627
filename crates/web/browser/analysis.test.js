// The analysis: expected points, mistakes, and hints.

import assert from "node:assert/strict";
import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { playMatch, startServer } from "./fixtures.js";
import { waitForTurn, axeFile, waitUntil, assertTouchable, assertChinese, assertAccessible, textOf } from "./page-helpers.js";
import { harness, mainTest, pageTest, tempPath } from "./harness.js";

/** @typedef {import("playwright-core").Page} Page */
/** The part of a turn's analysis that the tests invent. @typedef {{ turn: number, loss: (number | null)[] }} InventedTurn */

harness();

/** A server with a match of 12 turns in its folder. @param {string} folder @param {import("./harness.js").Harness} harness */
async function withMatch(folder, harness) {
  await mkdir(tempPath(folder));
  const game = await playMatch(`${folder}-game`, ["greedy", "greedy", "sample", "random"], ["--seed", "27", "--turns", "12"]);
  await copyFile(game.replay, path.join(tempPath(folder), "game.json"));
  return startServer(folder, harness);
}

/** Reduces the engine's effort to a few simulations. @param {Page} page */
const withFewSimulations = (page) =>
  page.route("**/api/analyse", async (route) => {
    const { time_ms: _, ...question } = route.request().postDataJSON();
    await route.continue({ postData: JSON.stringify({ ...question, simulations: 64 }) });
  });

/** Replaces the engine's answers by invented ones. @param {Page} page @param {(turn: number) => (number | null)[]} lossOf */
const withAnalyses = (page, lossOf) =>
  page.route("**/api/analyse", async (route) => {
    const { turns } = route.request().postDataJSON();
    const rest = { visits: 9, error: 0.5, line: [] };
    const turnsOfAnswer = turns.map((/** @type {number} */ turn) => ({
      turn, simulations: 20, points: [50 + turn, 40, 30, 20], given: [0, 4, -1, 6], loss: lossOf(turn),
      seats: Array(4).fill([{ action: 5, points: 60, ...rest }, { action: 0, points: 48, ...rest }]),
    }));
    const body = turnsOfAnswer.map((/** @type {InventedTurn} */ turn) => `event: turn\ndata: ${JSON.stringify(turn)}\n\n`).join("");
    await route.fulfill({ contentType: "text/event-stream", body });
  });

/** Starts or stops the analysis. @param {Page} page */
async function analyse(page, name = "Analyse the match") {
  await page.locator("#tab-analysis").click();
  await page.getByRole("button", { name, exact: true }).click();
}
const chart = (/** @type {Page} */ page) => page.locator("#analysis svg.bars");

mainTest("the analysis starts at the shown turn, and its mistakes link to their turns", async (harness) => {
  const server = await withMatch("mistakes", harness);
  const page = await harness.open(`${server.address}&replay=game.json&turn=7`);
  await waitForTurn(page, 7, 12);
  /** @type {number[][]} */
  const wanted = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/analyse")) wanted.push(request.postDataJSON().turns);
  });
  await withAnalyses(page, (turn) => (turn === 9 ? [0, 12.3, 0, 0] : turn === 4 ? [3.25, 0, 0, 30] : [0, 0, 0, null]));
  assert.equal(await chart(page).isVisible(), false, "nothing is analysed without a request");
  await analyse(page);
  await waitUntil(() => page.locator("#analysis li[data-turn] button").allInnerTexts(), (texts) => texts.length === 3);
  assert.deepEqual(wanted, [[8, 7, 9, 10, 11, 12, 6, 5, 4, 3, 2, 1]]);
  const buttons = page.locator("#analysis li[data-turn] button");
  const sentences = await buttons.evaluateAll((all) => all.map((one) => one.lastChild?.textContent));
  assert.deepEqual(sentences, [
    "turn 4: shooting right was worth 3.3 points more than moving up",
    "turn 4: shooting right was worth 30 points more than shooting down",
    "turn 9: shooting right was worth 12 points more than shooting up",
  ]);
  const label = () => chart(page).getAttribute("aria-label");
  await waitUntil(label, /After turn 7: greedy \(0\) 58\.0, greedy \(1\) 40\.0.*Mistakes marked: 3/);
  assert.equal(await chart(page).locator(".bars-mistake").count(), 3);
  await page.getByRole("button", { name: /turn 9: shooting right/ }).press("Enter");
  await waitForTurn(page, 9);
  await waitUntil(() => page.locator("#board path[stroke-dasharray='14 16']").count(), 1, "the better action is on the board");
  await waitUntil(() => textOf(page, ".analysis-best"), /shoot right 60\.0 ± 0\.5\s*move up 48\.0/);
  await page.keyboard.press("ArrowRight");
  await waitUntil(() => page.locator("#board path[stroke-dasharray='14 16']").count(), 0);
  await analyse(page);
  await waitUntil(() => chart(page).isVisible(), false);
});

pageTest("requests that are no longer needed are aborted", async (harness) => {
  const server = await withMatch("cancelled", harness);
  const page = await harness.open(`${server.address}&replay=game.json`);
  await waitForTurn(page, 0, 12);
  /** @type {string[]} */
  const ended = [];
  page.on("requestfailed", (request) => {
    if (request.url().includes("/api/analyse")) ended.push(request.failure()?.errorText ?? "");
  });
  // The engine never answers.
  await page.route("**/api/analyse", () => {});
  const asked = () => page.waitForRequest("**/api/analyse");
  const [first] = await Promise.all([asked(), analyse(page)]);
  assert.equal(first.postDataJSON().turns[0], 1);
  const [second] = await Promise.all([asked(), page.keyboard.press("End")]);
  assert.equal(second.postDataJSON().turns[0], 12, "the shown turn comes first");
  await waitUntil(async () => ended.length, 1);
  await page.getByRole("button", { name: "Matches" }).click();
  await waitUntil(async () => ended.length, 2, "another match");
  assert.deepEqual(new Set(ended), new Set(["net::ERR_ABORTED"]));
});

pageTest("a player gets a hint from the engine, which disappears after the turn", async (harness) => {
  await mkdir(tempPath("hint"));
  const server = await startServer("hint", harness);
  const page = await harness.open(server.address);
  await withFewSimulations(page);
  await page.getByRole("button", { name: "New match…" }).click();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await waitUntil(() => textOf(page, "#seat"), /choose for turn 1/);
  const hint = page.getByRole("button", { name: "Hint", exact: true });
  await hint.waitFor();
  await page.keyboard.press("h");
  await waitUntil(() => textOf(page, ".hint [role=status]"), /Player 0, best: \S.*, [\d.]+ points/);
  await waitUntil(() => page.locator(".hint-list li").count(), (count) => count >= 2, "alternatives are listed");
  const drawn = () => page.locator("#board path[stroke-width='13']").count();
  await waitUntil(drawn, 1);
  await page.getByRole("button", { name: "stay", exact: true }).click();
  await waitForTurn(page, 1);
  await waitUntil(drawn, 0);
  await waitUntil(() => page.locator(".hint-list li").count(), 0);
  await hint.click();
  await waitUntil(drawn, 1);
  assert.equal(await chart(page).isVisible(), false, "a match in progress is not analysed");
});

pageTest("there are hints under What if, too", async (harness) => {
  const server = await withMatch("branch", harness);
  const page = await harness.open(`${server.address}&replay=game.json&turn=3`);
  await withFewSimulations(page);
  await page.getByRole("tab", { name: "What if" }).click();
  await page.getByRole("button", { name: "Play on from turn 3" }).click();
  await page.getByRole("button", { name: "Hint", exact: true }).click();
  await waitUntil(() => textOf(page, ".hint [role=status]"), /Player 0, best: /);
});

pageTest("without the token, the page asks for it", async (harness) => {
  const server = await withMatch("stranger", harness);
  harness.expect(/status of 401/);
  const page = await harness.open(`${server.origin}/#replay=game.json`);
  await analyse(page);
  const dialog = page.getByRole("dialog", { name: "The server needs its token" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await waitUntil(() => textOf(page, ".analysis-head [role=status]"), /No analysis: The server says: the token is missing/);
});

pageTest("a page in a file has no analysis", async (harness) => {
  const game = await playMatch("alone", ["greedy", "random", "random", "random"], ["--seed", "27", "--turns", "2"]);
  const page = await harness.open(game.page);
  assert.equal(await page.getByRole("tab", { name: "Analysis" }).isVisible(), false);
  assert.equal(await page.locator("#analysis button, .hint").count(), 0);
});

// All pairs of width and theme, and each language with both.
for (const { phone, dark, language } of /** @type {const} */ ([
  { phone: true, dark: true, language: "zh" },
  { phone: false, dark: false, language: "en" },
  { phone: true, dark: false, language: "en" },
  { phone: false, dark: true, language: "zh" },
])) {
  const how = `${phone ? "a phone" : "a wide screen"}, ${dark ? "dark" : "light"}, ${language}`;
  pageTest(`the analysis on ${how}`, async (harness) => {
    const server = await withMatch(`looks-${phone}-${dark}`, harness);
    const page = await harness.open(`${server.address}&replay=game.json&turn=9`, {
      phone,
      dark,
      locale: language === "zh" ? "zh-CN" : "en-GB",
      before: (context) => context.addInitScript({ path: axeFile }),
    });
    await withAnalyses(page, (turn) => (turn % 3 ? [0, 0, 0, 0] : [2, turn, 0, 30]));
    await analyse(page, language === "zh" ? "分析对局" : undefined);
    await waitUntil(() => page.locator("#analysis li[data-turn]").count(), 12);
    await assertTouchable(page, how);
    await assertAccessible(page, how);
    const checkChinese = async () => language === "zh" && assertChinese(page, [`looks-${phone}-${dark}`, "game.json"]);
    await checkChinese();
    await page.locator("#tab-whatif").click();
    await page.locator("#whatif button.primary").click();
    await page.locator(".hint button").click();
    await waitUntil(() => page.locator(".hint-list:visible li").count(), 2);
    await assertTouchable(page, `${how}: a hint`);
    await assertAccessible(page, `${how}: a hint`, "#seat");
    await checkChinese();
  });
}
