// Addresses and the history: Back and Forward, reload, typed addresses, branches.

import assert from "node:assert/strict";
import { copyFile, mkdir } from "node:fs/promises";
import path from "node:path";
import { pacman2, playMatch, playWholeGame, startServer } from "./fixtures.js";
import { harness, pageTest, tempPath } from "./harness.js";
import { openTab, shownTurn, textOf, waitForTurn, waitUntil, namesOf } from "./page-helpers.js";

/** @typedef {import("playwright-core").Page} Page */
/** @type {Awaited<ReturnType<typeof playMatch>>} */
let game;
/** @type {Awaited<ReturnType<typeof playMatch>>} */
let other;
let link = "";
harness(async () => {
  game = await playWholeGame("whole");
  other = await playMatch("other", ["random", "random", "random", "random"], ["--seed", "3", "--turns", "40"]);
  link = (await pacman2("replay", "convert", other.replay, "--link")).trim();
});

const hashOf = (/** @type {Page} */ page) => page.evaluate(() => location.hash);
const alerts = (/** @type {Page} */ page) => page.getByRole("alert").filter({ visible: true }).allInnerTexts();
const type = (/** @type {Page} */ page, /** @type {string} */ hash) => page.evaluate((hash) => (location.hash = hash), hash);
const entries = (/** @type {Page} */ page) => page.evaluate(() => history.length);

/** Starts a branch that the user plays in seat 0. @param {Page} page @param {number} turn */
async function playOn(page, turn) {
  const panel = await openTab(page, "What if");
  await panel.getByRole("combobox", { name: "Player 0 is played by" }).selectOption("human");
  for (const seat of [1, 2, 3]) await panel.getByRole("combobox", { name: `Player ${seat} is played by` }).selectOption("greedy");
  await panel.getByRole("button", { name: `Play on from turn ${turn}` }).click();
  await waitUntil(() => textOf(page, "#seat"), new RegExp(`choose for turn ${turn + 1}`));
  return panel;
}

/** Stays for a turn. @param {Page} page @param {number} turn the turn that is played */
async function stay(page, turn) {
  await page.locator("#board svg[role=application]").focus();
  await page.keyboard.press("x");
  await waitForTurn(page, turn, turn);
}

pageTest("Back and Forward lead through two matches, a branch and far turns of a server", async (tools) => {
  await mkdir(tempPath("history"));
  await copyFile(game.replay, path.join(tempPath("history"), "game.json"));
  await copyFile(other.replay, path.join(tempPath("history"), "other.json"));
  const server = await startServer("history", tools);
  const page = await tools.open(server.address);
  /** @type {string[]} */
  const loads = [];
  page.on("framenavigated", (frame) => loads.push(frame.url()));
  page.on("load", () => loads.push("load"));
  await page.locator("a.home-row", { hasText: "game.json" }).click();
  await waitForTurn(page, 0, 100);
  await waitUntil(() => hashOf(page), "#replay=game.json");
  await page.keyboard.press("Shift+ArrowRight");
  await waitForTurn(page, 10);
  await waitUntil(() => hashOf(page), "#replay=game.json&turn=10");
  await playOn(page, 10);
  await stay(page, 11);
  await waitUntil(() => hashOf(page), /b=1_1\.0\.10\.t800\.human\.greedy\.greedy\.greedy\.0\d{3}$/);
  await page.getByRole("button", { name: "Matches" }).click();
  await page.getByRole("heading", { name: "Recent replays" }).waitFor();
  await page.locator("a.home-row", { hasText: "other.json" }).click();
  await waitForTurn(page, 0, 40);

  await page.goBack();
  await page.getByRole("heading", { name: "Recent replays" }).waitFor();
  await waitUntil(() => hashOf(page), "");
  await page.goBack();
  await waitForTurn(page, 11, 11);
  await waitUntil(async () => (await namesOf(page))[0], "you");
  await waitUntil(() => textOf(page, "#seat"), /choose for turn 12/);
  await page.goBack();
  await waitForTurn(page, 10, 100);
  await waitUntil(async () => (await namesOf(page))[0], "greedy");
  await page.goBack();
  await waitForTurn(page, 0, 100);
  await page.goBack();
  await page.getByRole("heading", { name: "Recent replays" }).waitFor();
  for (const [turn, last] of [[0, 100], [10, 100], [11, 11]]) {
    await page.goForward();
    await waitForTurn(page, turn, last);
  }
  await page.goForward();
  await page.getByRole("heading", { name: "Recent replays" }).waitFor();
  await page.goForward();
  await waitForTurn(page, 0, 40);
  assert.ok(!loads.includes("load"), "the page was loaded again");
  assert.deepEqual(await alerts(page), []);

  await page.goBack();
  await page.goBack();
  await waitForTurn(page, 11, 11);
  await page.reload();
  await waitForTurn(page, 11, 11);
  await waitUntil(() => textOf(page, "#seat"), /choose for turn 12/);
  await stay(page, 12);
});

pageTest("playback and single steps make no entries, jumps and drags one each", async ({ open }) => {
  const page = await open(game.page);
  const before = await entries(page);
  for (let turn = 1; turn <= 12; turn += 1) await page.keyboard.press("ArrowRight");
  await waitForTurn(page, 12);
  await page.locator(".transport-options").click();
  await page.getByRole("combobox", { name: "Speed" }).selectOption("16");
  await page.keyboard.press("Escape");
  await page.locator("#board svg[role=application]").focus();
  await page.keyboard.press("Space");
  await waitUntil(() => shownTurn(page), ([turn]) => turn >= 60);
  await page.keyboard.press("Space");
  const [paused] = await shownTurn(page);
  assert.equal(await entries(page), before);
  await page.keyboard.press("Home");
  await waitForTurn(page, 0);
  await waitUntil(() => entries(page), before + 1);
  const box = await page.locator(".transport-slider").boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + 10, box.y + box.height / 2);
  await page.mouse.down();
  for (let part = 1; part <= 20; part += 1) await page.mouse.move(box.x + (box.width * part) / 25, box.y + box.height / 2);
  await page.mouse.up();
  await waitUntil(() => shownTurn(page), ([turn]) => turn > 60);
  await waitUntil(() => entries(page), before + 2);
  await page.goBack();
  await waitUntil(() => shownTurn(page), ([turn]) => turn < 10);
  await page.goBack();
  await waitForTurn(page, paused, 100);
});

pageTest("a new address that is not reported yet is not overwritten", async ({ open }) => {
  const page = await open(game.page);
  await page.keyboard.press("ArrowRight");
  await waitUntil(() => hashOf(page), "#turn=1");
  // The browser reports a new address a moment later. Meanwhile the page may do something after which it writes its own, such as a jump.
  const afterJump = (/** @type {string} */ address, /** @type {string} */ key) => page.evaluate(([address, key]) => {
    if (address) location.hash = address;
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    return location.hash;
  }, [address, key]);
  assert.equal(await afterJump("", "End"), "#turn=100");
  assert.equal(await afterJump("turn=7", "Home"), "#turn=7");
  await waitForTurn(page, 7, 100);
  await page.goBack();
  await waitForTurn(page, 100, 100);
});

pageTest("a file keeps its turn and its branches when it is loaded again", async ({ open }) => {
  const page = await open(game.page);
  for (const turn of [1, 2, 3]) {
    await page.keyboard.press("ArrowRight");
    await waitForTurn(page, turn);
  }
  await waitUntil(() => hashOf(page), "#turn=3");
  await page.reload();
  await waitForTurn(page, 3, 100);
  const panel = await playOn(page, 3);
  await stay(page, 4);
  await stay(page, 5);
  await page.evaluate(() => (location.hash += "&turn=4"));
  await waitForTurn(page, 4, 5);
  await waitUntil(() => hashOf(page), /turn=4/);
  await panel.getByRole("button", { name: "Play on from turn 4" }).click();
  await waitForTurn(page, 4, 4);
  await stay(page, 5);
  const tree = () => panel.locator(".whatif-tree").first().innerText();
  const grown = await waitUntil(tree, /The match\s+What if 1, from turn 3\s*✕\s+What if 2, from turn 4\s*✕/);
  assert.equal(await panel.locator(".whatif-tree ul ul li").count(), 1, "the second branches off the first");
  await waitUntil(() => hashOf(page), /b=2_1\.0\.3\..+_2\.1\.4\./);
  await page.reload();
  await waitForTurn(page, 5, 5);
  await openTab(page, "What if");
  await waitUntil(tree, grown);
  assert.equal(await panel.getByRole("button", { pressed: true }).innerText(), "What if 2, from turn 4");

  // The same address in a new window has the branches, too.
  const second = await open(page.url());
  await waitForTurn(second, 5, 5);
  await waitUntil(() => textOf(second, "#seat"), /choose for turn 6/);

  await panel.getByRole("button", { name: "Take back a turn" }).click();
  await waitForTurn(page, 4, 4);
  await panel.getByRole("button", { name: "Delete game 1 and what branched off it" }).click();
  await waitForTurn(page, 3, 100);
  await waitUntil(() => panel.locator(".whatif-tree").first().isVisible(), false);
  await waitUntil(() => hashOf(page), "#turn=3");
  await page.goBack();
  await waitForTurn(page, 4, 4);
  assert.deepEqual(await alerts(page), []);
});

pageTest("a typed address is obeyed, and nonsense changes nothing", async ({ open }) => {
  const page = await open(`${game.page}#turn=31`, { before: (context) => context.clock.install() });
  await type(page, "nonsense");
  await waitUntil(() => alerts(page), (texts) => texts.some((text) => /^The address leads to no match.*#nonsense/.test(text)));
  assert.equal((await alerts(page)).length, 1);
  await page.locator(".message").hover();
  await page.clock.fastForward(30_000);
  assert.equal((await alerts(page)).length, 1, "it is being read");
  await page.mouse.move(0, 0);
  await page.clock.fastForward(30_000);
  assert.deepEqual(await alerts(page), []);
  assert.deepEqual(await shownTurn(page), [31, 100]);
  await waitUntil(() => hashOf(page), "#turn=31");
  await type(page, `${link}&turn=7`);
  await waitForTurn(page, 7, 40);
  await type(page, "turn=50");
  await waitForTurn(page, 50, 100);
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.goBack();
  await waitForTurn(page, 7, 40);
  assert.equal(await page.getByRole("dialog").count(), 0, "a dialog is closed on the way back");
  await type(page, "turn=50&b=1_1.0.50.t800.greedy.greedy.greedy.greedy.8888");
  await waitUntil(() => alerts(page), (texts) => texts.some((text) => /^Games under What if that do not fit this match were left out: 1\./.test(text)));
  await waitForTurn(page, 50, 100);
  for (const nonsense of ["b=1_", "b=3", "b=x_1.2.3", "b=1_1.0.99999.t800.human.human.human.human.", "turn=1e9&b=0_1.1.0.t1.a.b.c.d."]) {
    await type(page, nonsense);
    await waitUntil(() => hashOf(page), (hash) => hash !== `#${nonsense}`, nonsense);
    await waitUntil(async () => (await shownTurn(page))[1], 100, nonsense);
  }
});

pageTest("a file that was opened stays open when the page is loaded again, with all it holds", async ({ open }) => {
  const page = await open(other.page);
  await page.locator("input[type=file]").setInputFiles(game.replay);
  await waitForTurn(page, 0, 100);
  await waitUntil(() => hashOf(page), /^#g=2/);
  await page.keyboard.press("ArrowRight");
  await waitForTurn(page, 1);
  await waitUntil(() => hashOf(page), /&turn=1$/);
  await page.reload();
  await waitForTurn(page, 1, 100);
  assert.equal(await page.locator(".page-note").isVisible(), false, "it is the file, not the game in its link");
  await page.goBack();
  await waitForTurn(page, 0, 40);
});

pageTest("more branches than an address can hold are kept by the tab", async ({ open }) => {
  const page = await open(game.page);
  const panel = await openTab(page, "What if");
  for (const seat of [0, 1, 2, 3]) {
    await panel.getByRole("combobox", { name: `Player ${seat} is played by` }).selectOption("recorded");
  }
  const play = async () => {
    await panel.getByRole("button", { name: "Play on from turn 0" }).click();
    await waitUntil(() => shownTurn(page), ([, last]) => last === 100);
    await panel.getByRole("button", { name: "The match" }).click();
    await waitForTurn(page, 0, 100);
  };
  await play();
  await waitUntil(() => hashOf(page), /b=0_1\..{400}/);
  const [, branch] = (await hashOf(page)).split("_1.");
  const eighteen = Array.from({ length: 18 }, (_, index) => `${index + 1}.${branch}`).join("_");
  await type(page, `b=0_${eighteen}`);
  await waitUntil(() => hashOf(page), (hash) => hash.length < 2 * branch.length + 100, "the address is corrected");
  assert.equal(await panel.locator(".whatif-tree ul li").count(), 1, "the match has its branches already");
  await page.evaluate(() => sessionStorage.clear());
  await page.evaluate((tree) => history.replaceState(null, "", `#b=0_${tree}`), eighteen);
  await page.reload();
  await openTab(page, "What if");
  await waitUntil(() => panel.locator(".whatif-tree ul li").count(), 18);
  for (const seat of [0, 1, 2, 3]) {
    await panel.getByRole("combobox", { name: `Player ${seat} is played by` }).selectOption("recorded");
  }
  for (let more = 0; more < 3; more += 1) await play();
  await panel.getByRole("button", { name: "What if 20, from turn 0" }).click();
  await waitForTurn(page, 100, 100);
  await waitUntil(() => hashOf(page), "#turn=100&b=20");
  await page.reload();
  await waitForTurn(page, 100, 100);
  await openTab(page, "What if");
  await waitUntil(() => panel.locator(".whatif-tree ul li").count(), 21);
  assert.equal(await panel.getByRole("button", { pressed: true }).innerText(), "What if 20, from turn 0");
});
