// The guided review: a player's costliest turns, played on in the page and on a server, with real programs and the real engine.

import assert from "node:assert/strict";
import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { GENEROUS_LIMITS, answer, playMatch, startServer, writeBot } from "./fixtures.js";
import { assertAccessible, assertChinese, assertTouchable, axeFile, shownTurn, textOf, waitForTurn, waitUntil, namesOf } from "./page-helpers.js";
import { harness, pageTest, tempPath } from "./harness.js";

/** @typedef {import("playwright-core").Page} Page */

harness();

/** A server with a match in which a program draws, stays, and crashes in turn 4. @param {string} folder @param {import("./harness.js").Harness} harness */
async function withCrash(folder, harness) {
  await mkdir(tempPath(folder));
  const drawing = { debug: { heat: "9".repeat(100), cells: [[0, 0, "aim"]] } };
  const stay = answer(-1, drawing);
  const crash = '(console.error("no idea"), process.exit(3))';
  const bot = await writeBot(`${folder}.js`, [stay, stay, stay, crash]);
  const players = ["hunter", bot, "greedy", "greedy"];
  const game = await playMatch(`${folder}-game`, players, ["--seed", "9", "--size", "8x8", "--turns", "20", ...GENEROUS_LIMITS]);
  await copyFile(game.replay, path.join(tempPath(folder), "game.json"));
  return startServer(folder, harness);
}

/** Opens the review from the end of the match. @param {Page} page */
async function review(page, button = "Review the match") {
  await page.route("**/api/analyse", async (route) =>
    route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), simulations: 1000 }) }));
  await waitForTurn(page, 0, 20);
  await page.keyboard.press("End");
  await page.getByRole("button", { name: button, exact: true }).click();
  await waitUntil(() => page.locator(".review-players button").allInnerTexts(), (texts) => texts.filter((text) => /\d %/.test(text)).length === 4);
  await waitUntil(() => textOf(page, ".analysis-head [role=status]"), "", "all turns are analysed");
}
const costliest = (/** @type {Page} */ page) => page.locator(".analysis-mistakes").first().locator("button");
const drawnInGold = (/** @type {Page} */ page) => page.locator("#board path[stroke='var(--light)'][stroke-width='13']").count();

pageTest("the costliest turns are shown as the bot met them, and the better line is played", async (harness) => {
  const server = await withCrash("crash", harness);
  const page = await harness.open(`${server.address}&replay=game.json`, { calm: false });
  await review(page);
  assert.equal(await page.locator(".review-players button[aria-pressed=true]").innerText(), await page.locator(".review-players button").nth(1).innerText());
  await page.getByText(/costliest turns? of .*crash\.js \(1\)/).waitFor();
  const sentences = await costliest(page).allInnerTexts();
  assert.ok(sentences.length >= 1 && sentences.length <= 5, String(sentences));
  const losses = sentences.map((sentence) => Number(/(?:worth|cost) ([\d.]+) points/.exec(sentence)?.[1]));
  assert.deepEqual(losses, [...losses].sort((a, b) => b - a), "the costliest first");
  const death = costliest(page).filter({ hasText: /^turn 4 cost \d+ points: its program failed$/ });
  await death.click();
  await waitForTurn(page, 3, 20);
  await waitUntil(() => drawnInGold(page), 1);
  assert.match(await textOf(page, ".result-own pre"), /no idea/);
  const board = page.locator("#board svg[role=application]");
  const box = await board.boundingBox();
  assert.ok(box && box.y >= 0 && box.height > 500, "the board is in sight");

  await page.getByRole("button", { name: "Show the better line" }).click();
  await waitUntil(() => shownTurn(page), ([turn, last]) => turn > 3 && last > 3 && last <= 13, "the line is played");
  await waitUntil(() => drawnInGold(page), 0, "the marks of the review stay on its turn");
  const back = page.getByRole("button", { name: "Back to turn 3 of the match" });
  await back.click();
  await waitForTurn(page, 3, 20);
  await waitUntil(() => back.isVisible(), false);
  assert.match(await textOf(page, ".result-own"), /its program failed\s[^]*no idea/);

  // What the bot drew for turn 3 is on the position before it.
  const earlier = costliest(page).filter({ hasText: /^turn [123]:/ });
  if (await earlier.count()) {
    await earlier.first().click();
    await waitUntil(() => board.textContent(), /aim/);
  }
});

pageTest("a turn is tried in the page against strong bots, and on the server against the programs", async (harness) => {
  const server = await withCrash("tried", harness);
  const page = await harness.open(`${server.address}&replay=game.json`);
  await review(page);
  await costliest(page).filter({ hasText: /^turn 4 cost/ }).click();
  const [here, there] = await page.locator(".review-row:visible").filter({ hasText: "you" }).all();
  await here.getByRole("button", { name: "you" }).click();
  await waitUntil(() => textOf(page, "#seat"), /Player 1: choose for turn 4/);
  await page.getByRole("button", { name: "Back to turn 3 of the match" }).click();
  await waitForTurn(page, 3, 20);
  await here.getByRole("button", { name: "hunter" }).click();
  await waitUntil(() => shownTurn(page), ([, last]) => last === 20, "hunter plays on to the end");
  await waitUntil(async () => (await namesOf(page))[1], "hunter");

  await page.getByRole("button", { name: "Back to turn 3 of the match" }).click();
  await there.getByRole("button", { name: "hunter" }).click();
  await waitUntil(() => textOf(page, ".home-state"), /The match is over/);
  await waitUntil(() => namesOf(page), ["hunter", "hunter", "greedy", "greedy"]);
  const replays = JSON.parse(await (await fetch(`${server.origin}/api/replays`)).text());
  assert.equal(replays.length, 2, "the match from turn 3 on was saved");
  assert.deepEqual([replays[0].turns, replays[0].finished], [20, true]);
});

for (const { phone, dark, language } of /** @type {const} */ ([
  { phone: true, dark: true, language: "zh" },
  { phone: false, dark: false, language: "en" },
])) {
  const how = `${phone ? "a phone" : "a wide screen"}, ${dark ? "dark" : "light"}, ${language}`;
  pageTest(`the review on ${how}`, async (harness) => {
    const server = await withCrash(`looks-${phone}`, harness);
    const page = await harness.open(`${server.address}&replay=game.json`, {
      phone, dark, locale: language === "zh" ? "zh-CN" : "en-GB",
      before: (context) => context.addInitScript({ path: axeFile }),
    });
    await (language === "zh" ? review(page, "复盘") : review(page));
    // Why an action lost points is said in the reader's language, if there is a simple reason.
    const why = language === "zh" ? /多值 .* 分。.+。$/ : /points more than .*\. (It|What) .*\.$/;
    const sentences = async () => {
      /** @type {string[]} */
      const all = [];
      for (const player of await page.locator(".review-players button").all()) {
        await player.click();
        all.push(...await costliest(page).allInnerTexts());
      }
      return all;
    };
    await waitUntil(sentences, (all) => all.some((sentence) => why.test(sentence)), "a reason");
    await page.locator(".review-players button").nth(1).click();
    await costliest(page).first().click();
    await page.locator(".review-card").waitFor();
    await assertTouchable(page, how);
    await assertAccessible(page, how, "#tabs");
    if (language === "zh") await assertChinese(page, ["game.json", `looks-${phone}`, ".js", "./", "no idea"]);
  });
}
