// What if: playing on from a turn, in the page itself.

import assert from "node:assert/strict";
import { GENEROUS_LIMITS, answer, playMatch, playWholeGame, writeBot } from "./fixtures.js";
import { waitForTurn, waitUntil, openTab, sentences, textOf, shownTurn, namesOf, scoresOf } from "./page-helpers.js";
import { harness, mainTest, pageTest } from "./harness.js";

/** @type {Awaited<ReturnType<typeof playWholeGame>>} */
let game;
harness(async () => {
  game = await playWholeGame("whole");
});

/** The enabled keys of the pad. @param {import("playwright-core").Page} page */
const legal = (page) => page.locator("#seat .seat-key[aria-disabled=false]:visible");

mainTest("a human plays on from a turn with keys and pad, takes turns back, and returns to the match", async ({ open }) => {
  const page = await open(`${game.page}#turn=10`);
  const panel = await openTab(page, "What if");
  assert.equal(await page.locator("#seat").isVisible(), false, "the pad is hidden before the start");
  await panel.getByRole("combobox", { name: "Player 0 is played by" }).selectOption({ label: "you" });
  for (const seat of [1, 2]) await panel.getByRole("combobox", { name: `Player ${seat} is played by` }).selectOption("greedy");
  await panel.getByRole("combobox", { name: "Player 3 is played by" }).selectOption({ label: "as in the match" });
  await panel.getByRole("button", { name: "Play on from turn 10" }).click();
  await waitUntil(() => textOf(page, "#seat"), /Player 0: choose for turn 11/);
  await waitForTurn(page, 10, 10);
  await waitUntil(async () => (await namesOf(page))[0], "you");

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
  await waitUntil(() => panel.getByRole("button", { name: "Take back a turn" }).isDisabled(), true);

  await panel.getByRole("button", { name: "The match" }).click();
  await waitForTurn(page, 10, 100);
  await waitUntil(async () => (await namesOf(page))[0], "greedy");
  await waitUntil(() => page.locator("#seat").isVisible(), false);
  await panel.getByRole("button", { name: "What if 1, from turn 10" }).click();
  await waitUntil(() => textOf(page, "#seat"), /Player 0: choose for turn 11/);
});

pageTest("a human in the page has a clock, as on a server", async ({ open }) => {
  const page = await open(`${game.page}#turn=10`, { before: (context) => context.clock.install() });
  const panel = await openTab(page, "What if");
  await panel.getByRole("combobox", { name: "Player 0 is played by" }).selectOption({ label: "you" });
  for (const seat of [1, 2, 3]) await panel.getByRole("combobox", { name: `Player ${seat} is played by` }).selectOption("greedy");
  await panel.getByLabel("Time for a human's action").selectOption("60");
  await panel.getByRole("button", { name: "Play on from turn 10" }).click();
  const timer = page.locator("#seat [role=timer]");
  const warning = page.locator("#seat [role=alert]");
  await waitUntil(() => timer.innerText(), /^(60|5\d) s$/);
  await page.keyboard.press("x");
  await waitForTurn(page, 11, 11);
  await page.clock.fastForward(56_000);
  await waitUntil(() => timer.getAttribute("class"), /urgent/);
  assert.equal(await warning.isVisible(), false);
  // The first time, the player stays; the page warns until the game is over.
  await page.clock.fastForward(5000);
  await waitForTurn(page, 12, 12);
  await waitUntil(() => warning.innerText(), /You were too late, and player 0 stayed.*the next time, the player dies/);
  assert.doesNotMatch((await sentences(page))[0], /moved|died/);
  await openTab(page, "Bots");
  await waitUntil(() => textOf(page, "#details-panel"), /no answer within 60000 ms; forgiven once per game, the player stays/);
  await page.getByRole("button", { name: "中文" }).click();
  await waitUntil(() => warning.innerText(), /^0 号玩家超时.*再次超时就会死亡/);
  await waitUntil(() => textOf(page, "#details-panel"), /60000 ms 内没有选择动作，本局原谅这一次/);
  await page.getByRole("button", { name: "English" }).click();
  // What happened survives a reload.
  await waitUntil(async () => page.url(), /[#&]b=1_1\.0\.10\.t\d+c60000\.human\.greedy\.greedy\.greedy\.0\d{3}f\d{3}$/);
  await page.reload();
  await waitForTurn(page, 12, 12);
  await waitUntil(() => warning.innerText(), /You were too late/);
  await waitUntil(() => timer.innerText(), /^(60|5\d) s$/);
  // The second time, it dies.
  await page.clock.fastForward(60_000);
  await waitUntil(() => page.locator(".players-name >> nth=0").evaluate((name) => name.closest("[data-dead]") !== null), true);
  await waitUntil(async () => page.url(), /\.greedy\.0\d{3}f\d{3}l\d{3}-/);
  await openTab(page, "Bots");
  await waitUntil(() => textOf(page, "#details-panel"), /^Died in turn 13: .*no answer within 60000 ms/s);
  await waitUntil(() => warning.isVisible(), false);
  await waitUntil(() => textOf(page, "#seat"), /Player 0 died in turn 13: it took too long\./);
  await page.getByRole("button", { name: "Skip to the end" }).click();
  await waitForTurn(page, 100, 100);
  await waitUntil(() => textOf(page, ".result-own"), /^you \(0\): 4th, \d+\.\d\d points; died in turn 13: it took too long\s/);
  await waitUntil(() => page.locator("#seat").isVisible(), false);
  await page.getByRole("button", { name: "Play again" }).click();
  await waitUntil(() => textOf(page, "#seat"), /Player 0: choose for turn 11/);
  await waitUntil(() => timer.innerText(), /^(60|5\d) s$/);
  await page.goBack();
  await waitForTurn(page, 100, 100);
  await page.getByRole("button", { name: "Play on a new map" }).click();
  await waitUntil(() => textOf(page, "#seat"), /Player 0: choose for turn 1\b/);
});

pageTest("a game in an address gives only humans a clock", async ({ open }) => {
  const page = await open(`${game.page}#turn=10`);
  const begun = (/** @type {string} */ players, /** @type {string} */ digits, clock = "c5000") =>
    page.evaluate(([text]) => (location.hash = `turn=0&b=1_${text}`), [`1.0.0.t300${clock}.${players}.${digits}`]);
  const human = "human.greedy.greedy.greedy";
  for (const [players, digits, clock] of [["greedy.greedy.greedy.greedy", "f000", "c5000"], [human, "0000", "c9999999999"], [human, "0000", "c1.5"]]) {
    await begun(players, digits, clock);
    await page.getByText("Games under What if that do not fit this match were left out: 1.").first().waitFor();
    await page.getByRole("button", { name: "Close the message" }).first().click();
  }
  await begun(human, "f000");
  await waitUntil(() => textOf(page, "#seat"), /Player 0: choose for turn 2/);
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
  await waitUntil(() => scoresOf(page), game.scores);
});

pageTest("no player takes the seat of a dead one", async ({ open }) => {
  const crash = await writeBot("crash.js", [answer(-1), "process.exit(3)"]);
  const { page: address } = await playMatch("crash", [crash, "greedy", "greedy", "greedy"], ["--seed", "27", "--turns", "20", ...GENEROUS_LIMITS]);
  const page = await open(`${address}#turn=20`);
  const panel = await openTab(page, "What if");
  const player = (/** @type {number} */ seat) => panel.getByRole("combobox", { name: `Player ${seat} is played by` });
  assert.equal(await player(0).isDisabled(), false, "another game can begin with all four");
  await page.keyboard.press(",");
  await waitUntil(() => player(0).isDisabled(), true);
  assert.equal(await player(0).locator("option:checked").textContent(), "dead");
  await page.keyboard.press("1");
  await waitUntil(() => page.locator("#scores button").first().getAttribute("aria-pressed"), "true");
  assert.equal(await player(1).inputValue(), "human", "the first who lives");
  await panel.getByRole("button", { name: "Play on from turn 19" }).click();
  await waitUntil(() => textOf(page, "#seat"), /Player 1: choose for turn 20/);
  assert.deepEqual(await namesOf(page), ["./crash.js", "you", "greedy", "greedy"]);
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
  await waitUntil(() => namesOf(page), ["random", "random", "random", "random"]);
});
