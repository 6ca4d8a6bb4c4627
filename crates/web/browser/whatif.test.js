// What if: playing on from a turn, in the page itself.

import assert from "node:assert/strict";
import { playWholeGame } from "./fixtures.js";
import { waitForTurn, waitUntil, openTab, sentences, textOf, shownTurn } from "./page-helpers.js";
import { pageTest, harness } from "./harness.js";

/** @type {Awaited<ReturnType<typeof playWholeGame>>} */
let game;
harness(async () => {
  game = await playWholeGame("whole");
});

/** The enabled keys of the pad. @param {import("playwright-core").Page} page */
const legal = (page) => page.locator("#seat .seat-key[aria-disabled=false]:visible");

pageTest("a human plays on from a turn with keys and pad, takes turns back, and returns to the match", async ({ open }) => {
  const page = await open(`${game.page}#turn=10`);
  const panel = await openTab(page, "What if");
  assert.equal(await page.locator("#seat").isVisible(), false, "the pad is hidden before the start");
  await panel.getByRole("combobox", { name: "Player 0 is played by" }).selectOption({ label: "you" });
  for (const seat of [1, 2]) await panel.getByRole("combobox", { name: `Player ${seat} is played by` }).selectOption("greedy");
  await panel.getByRole("combobox", { name: "Player 3 is played by" }).selectOption({ label: "as in the match" });
  await panel.getByRole("button", { name: "Play on from turn 10" }).click();
  await waitUntil(() => textOf(page, "#seat"), /Player 0: choose for turn 11/);
  await waitForTurn(page, 10, 10);
  assert.deepEqual((await page.locator(".players-name").allInnerTexts())[0], "you");

  await page.locator("#board svg[role=application]").focus();
  await page.keyboard.press("x");
  await waitForTurn(page, 11, 11);
  assert.doesNotMatch((await sentences(page))[0], /moved|froze/);
  await waitUntil(() => textOf(page, "#seat"), /choose for turn 12/);

  const walk = legal(page).filter({ hasNot: page.locator("circle") }).first();
  const way = (await walk.getAttribute("aria-label"))?.replace("move ", "");
  await walk.click();
  await waitForTurn(page, 12, 12);
  assert.match((await sentences(page))[0], new RegExp(`^(moved ${way}|froze: )`));
  await waitUntil(() => textOf(page, "#seat"), /choose for turn 13/);

  // Illegal actions are ignored: no player with strength 2 can shoot.
  await page.keyboard.press("Shift+W");
  assert.deepEqual(await shownTurn(page), [12, 12]);

  await panel.getByRole("button", { name: "Take back a turn" }).click();
  await waitForTurn(page, 11, 11);
  await panel.getByRole("button", { name: "Take back a turn" }).click();
  await waitForTurn(page, 10, 10);
  assert.equal(await panel.getByRole("button", { name: "Take back a turn" }).isDisabled(), true);

  await panel.getByRole("button", { name: "The match" }).click();
  await waitForTurn(page, 10, 100);
  assert.deepEqual((await page.locator(".players-name").allInnerTexts())[0], "greedy");
  assert.equal(await page.locator("#seat").isVisible(), false);
  await panel.getByRole("button", { name: "What if 1, from turn 10" }).click();
  await waitUntil(() => textOf(page, "#seat"), /Player 0: choose for turn 11/);
});

pageTest("players that act as in the match repeat the match", async ({ open }) => {
  const page = await open(`${game.page}#turn=90`);
  const panel = await openTab(page, "What if");
  for (const seat of [0, 1, 2, 3]) {
    await panel.getByRole("combobox", { name: `Player ${seat} is played by` }).selectOption({ label: "as in the match" });
  }
  await panel.getByRole("button", { name: "Play on from turn 90" }).click();
  await waitUntil(() => shownTurn(page), ([, last]) => last === 100);
  await page.keyboard.press("End");
  await waitForTurn(page, 100, 100);
  assert.deepEqual(await page.locator(".players-score").allInnerTexts(), game.scores);
});

pageTest("bots play a new game in the page", async ({ open }) => {
  const page = await open(game.page);
  const panel = await openTab(page, "What if");
  for (const seat of [0, 1, 2, 3]) {
    await panel.getByRole("combobox", { name: `Player ${seat} is played by` }).selectOption("random");
  }
  await panel.getByRole("button", { name: "New game in this page" }).click();
  await waitUntil(() => shownTurn(page), ([, last]) => last > 0);
  await page.locator("#board svg[role=application]").focus();
  await waitUntil(async () => {
    await page.keyboard.press("End");
    return textOf(page, "#happened");
  }, /The game is over/);
  assert.deepEqual(await page.locator(".players-name").allInnerTexts(), ["random", "random", "random", "random"]);
});
