// The page as Botzone's player page, with a mock of Botzone's infoProvider.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { matchLogOf, startServer, playWholeGame } from "./fixtures.js";
import { waitForTurn, waitUntil, sentences, textOf, shownTurn, namesOf, scoresOf } from "./page-helpers.js";
import { harness, pageTest, tempPath } from "./harness.js";
import { checkStates, padIsBeside } from "./layout-facts.js";

/** @type {Awaited<ReturnType<typeof playWholeGame>>} */
let game;
/** @type {any[]} */
let logs;
harness(async () => {
  game = await playWholeGame("whole");
  logs = (await matchLogOf(game.replay)).log.log;
  await mkdir(tempPath("replays"));
});

/**
 * Opens the page with the mock, which records the page's calls.
 * @param {import("./harness.js").Harness} harness
 * @param {{ log: any[], live: boolean, player: number, second: boolean }} match
 */
async function openAtBotzone(harness, match) {
  const server = await startServer("replays", harness);
  return harness.open(`${server.origin}/botzone-player.html`, {
    before: (context) => context.addInitScript(installMockProvider, match),
  });
}

/** Runs in the page. @param {{ log: any[], live: boolean, player: number, second: boolean }} match */
function installMockProvider({ log, live, player, second }) {
  /** @type {Record<string, any>} */
  const callsTo = {};
  const keep = (/** @type {string} */ name) => (/** @type {any[]} */ ...given) => {
    (callsTo[name] ??= []).push(given.length > 1 ? given : given[0]);
  };
  const names = ["setSeekCallback", "setPauseCallback", "setPlayCallback", "setReadHistoryCallback", "notifyFinishedLoading",
    "notifyInitComplete", "notifyPlayerMove", "setNewLogCallback", "setNewRequestCallback", "setGameOverCallback", "setSize"];
  const newer = ["setDisplayCallback", "setRequestCallback", "setGameOverCallback", "setMinSize"];
  Object.assign(window, {
    callsTo,
    infoProvider: {
      getMatchInitData: () => "",
      getLogList: () => log,
      getPlayerNames: () => ["Ann", "<b>Bob</b>", "Cem", "Dai"].map((name) => ({ name })),
      isLive: () => live,
      getPlayerID: () => player,
      ...Object.fromEntries(names.map((name) => [name, keep(name)])),
      ...(second ? { v2: Object.fromEntries(newer.map((name) => [name, keep(`v2.${name}`)])) } : {}),
    },
  });
}

/** @typedef {import("playwright-core").Page} Page */

/** Calls a callback that the page has registered. @param {Page} page @param {string} name @param {unknown} [given] */
const callBack = (page, name, given) =>
  page.evaluate(([name, given]) => /** @type {any} */ (window).callsTo[/** @type {string} */ (name)][0](given), [name, given]);

/** @param {Page} page @param {string} name */
const callsTo = (page, name) => page.evaluate((key) => /** @type {any} */ (window).callsTo[key] ?? [], name);

pageTest("Botzone shows a replay", async (harness) => {
  const page = await openAtBotzone(harness, { log: logs, live: false, player: -1, second: true });
  await waitForTurn(page, 0, 100);
  assert.deepEqual(await namesOf(page), ["Ann", "<b>Bob</b>", "Cem", "Dai"]);
  await waitUntil(async () => (await callsTo(page, "notifyFinishedLoading")).length, 1);
  await waitUntil(async () => (await callsTo(page, "v2.setMinSize")).length, 1);
  await callBack(page, "setSeekCallback", 0.5);
  await waitForTurn(page, 50, 100);
  await callBack(page, "setPlayCallback");
  await waitUntil(() => shownTurn(page), ([turn]) => turn > 50);
  await callBack(page, "setPauseCallback");
  await page.getByRole("button", { name: "Play (space)" }).waitFor();
  await page.keyboard.press("End");
  await waitUntil(() => scoresOf(page), game.scores);
  assert.equal(await page.getByRole("button", { name: "Matches" }).isVisible(), false);
});

/** The judge's displays, as they arrive during a match. */
const displays = () => logs.filter((_, index) => index % 2 === 0).map(({ output }) => output.display);

for (const second of [true, false]) {
  const offer = second ? "v2" : "the old callbacks";
  const display = second ? "v2.setDisplayCallback" : "setNewLogCallback";
  const request = second ? "v2.setRequestCallback" : "setNewRequestCallback";

  pageTest(`a match on Botzone is watched live, by ${offer}`, async (harness) => {
    const page = await openAtBotzone(harness, { log: [], live: true, player: -1, second });
    for (const [turn, item] of displays().slice(0, 4).entries()) {
      await callBack(page, display, item);
      await waitForTurn(page, turn, turn);
    }
    assert.equal((await sentences(page)).length, 4);
    // The engine keeps the timeline, though nothing refers any more to those with which it grew.
    const session = await page.context().newCDPSession(page);
    await session.send("HeapProfiler.collectGarbage");
    await page.evaluate(() => new Promise((resume) => setTimeout(resume, 100)));
    await page.locator("#board svg").first().hover();
    await waitUntil(() => textOf(page, "#cell"), /^Row \d+, column \d+/);
    await page.keyboard.press("Home");
    await callBack(page, display, displays()[4]);
    await waitUntil(() => shownTurn(page), [0, 4], "a viewer of an earlier turn is not moved");
  });

  pageTest(`a human plays on Botzone, by ${offer}`, async (harness) => {
    const page = await openAtBotzone(harness, { log: [], live: true, player: 2, second });
    await callBack(page, display, displays()[0]);
    await waitForTurn(page, 0, 0);
    assert.equal(await page.locator("#seat").isVisible(), false);
    await callBack(page, request, {});
    await waitUntil(() => textOf(page, "#seat"), /Player 2: choose for turn 1/);
    await page.getByRole("button", { name: "stay", exact: true }).click();
    await waitUntil(() => callsTo(page, "notifyPlayerMove"), [{ action: -1, tauntText: "" }]);
    await waitUntil(() => textOf(page, "#seat"), /Waiting for the others/);
    await callBack(page, display, displays()[1]);
    await waitForTurn(page, 1, 1);
    await callBack(page, request, {});
    await waitUntil(() => textOf(page, "#seat"), /Player 2: choose for turn 2/);
    await page.keyboard.press("x");
    await waitUntil(async () => (await callsTo(page, "notifyPlayerMove")).length, 2);
  });
}

pageTest("the page survives a missing or broken infoProvider", async (harness) => {
  const page = await openAtBotzone(harness, { log: ["nonsense", null, 7], live: true, player: 9, second: true });
  await callBack(page, "v2.setDisplayCallback", "{ not JSON");
  await callBack(page, "v2.setDisplayCallback", null);
  await callBack(page, "v2.setDisplayCallback", displays()[0]);
  await waitForTurn(page, 0, 0);
  const server = await startServer("replays", harness);
  const bare = await harness.open(`${server.origin}/botzone-player.html`);
  await bare.getByRole("heading", { name: /Pacman2/ }).waitFor();
});

pageTest("the player page fits in every look", async (harness) => {
  const watched = await openAtBotzone(harness, { log: logs, live: false, player: -1, second: true });
  await waitForTurn(watched, 0, 100);
  await checkStates(watched, [{ name: "a replay", open: async () => {} }], "the player page");
  const played = await openAtBotzone(harness, { log: [], live: true, player: 2, second: true });
  await checkStates(played, [{ name: "no display has come", open: async () => {} }], "the player page");
  await callBack(played, "v2.setDisplayCallback", displays()[0]);
  await waitForTurn(played, 0, 0);
  await callBack(played, "v2.setRequestCallback", {});
  await played.locator("#seat .seat-key").first().waitFor();
  await checkStates(played, [{ name: "a human is asked", open: async () => {}, check: padIsBeside }], "the player page");
});
