// The page as Botzone's player page, with the stand-in for Botzone, and its preview.

import assert from "node:assert/strict";
import { copyFile, mkdir } from "node:fs/promises";
import { matchLogOf, startServer, playWholeGame } from "./fixtures.js";
import { assertChinese, assertTouchable, waitForTurn, waitUntil, sentences, textOf, shownTurn, namesOf, scoresOf } from "./page-helpers.js";
import { harness, pageTest, tempPath } from "./harness.js";
import { checkStates, padIsBeside } from "./layout-facts.js";
import { installStandIn } from "../viewer/stand-in.js";

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
 * Opens the page with the stand-in, which records the page's calls.
 * @param {import("./harness.js").Harness} harness
 * @param {{ log: any[], live: boolean, player: number, second: boolean }} match
 */
async function openAtBotzone(harness, match) {
  const server = await startServer("replays", harness);
  return harness.open(`${server.origin}/botzone-player.html`, {
    before: (context) => context.addInitScript(installStandIn, { names: ["Ann", "<b>Bob</b>", "Cem", "Dai"], ...match }),
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

for (const zh of [false, true]) {
  pageTest(`a server previews the player page with a match of its folder, ${zh ? "Chinese" : "English"}`, async (harness) => {
    const folder = `preview-${zh}`;
    await mkdir(tempPath(folder));
    await copyFile(game.replay, tempPath(`${folder}/whole.json`));
    const server = await startServer(folder, harness);
    const page = await harness.open(server.address, { locale: zh ? "zh-CN" : "en-GB", phone: zh, dark: zh });
    await page.getByRole("link", { name: zh ? "用这些对局试试 Botzone 播放器页面" : "Try Botzone's player page with these" }).click();
    const frame = page.frameLocator("iframe");
    const turn = () => frame.locator(".transport-turn").innerText();
    const role = page.getByRole("combobox", { name: zh ? "展示给" : "Shown to" });
    await waitUntil(turn, "0 / 100");
    await waitUntil(() => frame.locator("#scores .players-name").allInnerTexts(), ["greedy", "greedy", "sample", "random"]);
    await waitUntil(() => textOf(page, "[role=status]"), zh ? "网页请求 360 × 720 像素。" : "The page asks for 360 × 720 pixels.");
    await page.getByRole("slider").fill("0.5");
    await waitUntil(turn, "50 / 100");
    await page.getByRole("button", { name: zh ? "播放" : "Play", exact: true }).click();
    await waitUntil(turn, (text) => parseInt(text) > 50);
    await role.selectOption("live");
    await waitUntil(turn, /^([2-9]|\d\d) /);
    await role.selectOption("2");
    await waitUntil(() => frame.locator("#seat").innerText(), zh ? /2 号玩家：请选择第 1 回合的动作/ : /Player 2: choose for turn 1/);
    await frame.getByRole("button", { name: zh ? "不动" : "stay", exact: true }).click();
    await waitUntil(() => textOf(page, "[role=status]"), zh ? /^网页发出了 {"action":-1,"tauntText":""}/ : /^The page sent {"action":-1,"tauntText":""}\./);
    await waitUntil(turn, "1 / 1");
    if (zh) await assertChinese(page, [/whole\.json: .*/, /{"action".*}/]);
    await assertTouchable(page, "the preview");
  });
}

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
