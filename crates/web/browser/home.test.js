// The start page of a server: the demo game, the ways into a match, the rules, the bots, replays, the legend, the form.

import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, rename, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { GENEROUS_LIMITS, pacman2, playMatch, startServer, writeBot } from "./fixtures.js";
import { harness, mainTest, pageTest, tempPath } from "./harness.js";
import { openTab, textOf, waitForTurn, waitUntil, namesOf } from "./page-helpers.js";

/** @typedef {import("playwright-core").Page} Page */

harness();

/**
 * Opens the start page of a server with a new folder.
 * @param {string} folder
 * @param {import("./harness.js").Harness} harness
 * @param {import("./harness.js").PageOptions} [options]
 */
async function openHome(folder, harness, options) {
  await mkdir(tempPath(folder), { recursive: true });
  const server = await startServer(folder, harness);
  return { server, page: await harness.open(server.address, options) };
}

const button = (/** @type {Page} */ page, /** @type {string} */ name) => page.getByRole("button", { name, exact: true });
const demoTurn = async (/** @type {Page} */ page) => Number((await textOf(page, ".demo-turn")).match(/turn (\d+) of 100/)?.[1]);

pageTest("the demo game starts without a click", async (harness) => {
  const { page } = await openHome("demo", harness, { calm: false });
  const first = await demoTurn(page);
  await waitUntil(() => demoTurn(page), (turn) => turn > first + 1, "the demo goes on");
  await button(page, "Pause the demo game").click();
  await button(page, "Play the demo game").waitFor();
  assert.equal(await page.locator(".demo-board button").count(), 0, "nothing covers the players");
  const paused = await demoTurn(page);
  await button(page, "Open this game").click();
  await waitForTurn(page, paused, 100);
  assert.match(page.url(), /#g=/);
});

pageTest("with reduced motion, the demo game waits for its button", async (harness) => {
  const { page } = await openHome("still", harness);
  const first = await demoTurn(page);
  await button(page, "Play the demo game").click();
  await waitUntil(() => demoTurn(page), (turn) => turn > first);
  await button(page, "Pause the demo game").waitFor();
});

mainTest("two buttons start a match to watch and one to play", async (harness) => {
  const { page } = await openHome("ways", harness);
  await button(page, "Watch sage play").click();
  await waitUntil(() => namesOf(page), ["sage", "hunter", "greedy", "sample"]);
  await button(page, "Abandon").click();
  await waitUntil(() => textOf(page, ".home-state"), /The match was abandoned/);
  await button(page, "Matches").click();
  // With another seed, the others may kill a player that stays within three turns.
  await page.evaluate(() => {
    const ask = fetch;
    const seeded = (/** @type {any} */ body) => JSON.stringify({ ...JSON.parse(body), seed: 1 });
    window.fetch = (to, how) => ask(to, String(to).endsWith("api/matches") && how?.body ? { ...how, body: seeded(how.body) } : how);
  });
  await button(page, "Play").click();
  await waitUntil(() => namesOf(page), ["you", "greedy", "sample", "greedy"]);
  await waitUntil(() => textOf(page, "#seat"), /Player 0: choose for turn 1\s+You are the blue circle\./);
  assert.equal(await page.getByRole("timer").isVisible(), false, "the explained turns have no clock");
  for (const turn of [1, 2, 3]) {
    // A key counts from when the page asks, which may be after it shows the turn.
    await waitUntil(() => textOf(page, "#seat"), new RegExp(`choose for turn ${turn}`));
    await page.keyboard.press("x");
    await waitForTurn(page, turn, turn);
  }
  await waitUntil(() => page.locator(".seat-first").isVisible(), false);
  await waitUntil(() => page.getByRole("timer").innerText(), /^(30|2\d) s$/, "the clock starts after the three explained turns");
  await button(page, "Abandon").click();
  await button(page, "Matches").click();
  await button(page, "Play").click();
  await waitUntil(() => page.getByRole("timer").innerText(), /^(30|2\d) s$/);
});

pageTest("the built-in bots are listed from the strongest, each with a match to watch and to play", async (harness) => {
  const { page } = await openHome("ladder", harness);
  const rows = page.locator(".front-bots li");
  await waitUntil(() => rows.locator("h3").allInnerTexts(), ["sage", "hunter", "greedy", "sample", "random"]);
  for (const sentence of await rows.locator("p").allInnerTexts()) assert.match(sentence, /^[A-Z].+\.$/);
  await button(page, "Play against random").click();
  await waitUntil(() => namesOf(page), ["you", "random", "sample", "greedy"]);
  await button(page, "Matches").click();
  await button(page, "Watch random").click();
  await waitUntil(() => namesOf(page), ["random", "sage", "hunter", "greedy"]);
});

pageTest("a replay has a thumbnail and its winner marked, unless it is large", async (harness) => {
  await mkdir(tempPath("thumbs"));
  const bots = ["greedy", "random", "random", "random"];
  const { replay } = await playMatch(path.join("thumbs", "small"), bots, ["--seed", "5", "--turns", "30"]);
  await writeFile(tempPath("thumbs/large.json"), (await readFile(replay, "utf8")) + " ".repeat(300_000));
  const server = await startServer("thumbs", harness);
  /** @type {string[]} */
  const asked = [];
  const page = await harness.open(server.address, {
    before: async (context) => context.on("request", (request) => asked.push(new URL(request.url()).pathname)),
  });
  await waitUntil(() => page.locator(".home-card").count(), 2);
  await page.locator(".home-card").last().scrollIntoViewIfNeeded();
  await waitUntil(() => page.locator(".home-thumb svg").count(), 1);
  assert.deepEqual(asked.filter((name) => name.startsWith("/api/replays/")), ["/api/replays/small.json"]);
  await waitUntil(() => page.getByRole("img", { name: "winner" }).count(), 2);
});

pageTest("a click and the focus on a replay survive that another one is listed", async (harness) => {
  await mkdir(tempPath("steady"));
  const { replay } = await playMatch(path.join("steady", "first"), ["random", "random", "random", "random"], ["--seed", "5", "--turns", "3"]);
  const server = await startServer("steady", harness);
  const page = await harness.open(server.address);
  const card = page.locator(".home-card", { hasText: "first.json" });
  await card.waitFor();
  await card.focus();
  await card.hover();
  await page.mouse.down();
  // An older file is listed below, so that the one under the mouse stays where it is.
  const older = tempPath("steady/older.tmp");
  await copyFile(replay, older);
  await utimes(older, 1, 1);
  await rename(older, tempPath("steady/older.json"));
  await page.locator(".home-card", { hasText: "older.json" }).waitFor();
  assert.equal(await card.evaluate((row) => row === document.activeElement), true, "the focus");
  await page.mouse.up();
  await waitForTurn(page, 0, 3);
});

pageTest("a server with an arena links to it", async (harness) => {
  await mkdir(tempPath("with-arena"));
  await pacman2("arena", "--arena", "league", "init");
  const server = await startServer("with-arena", harness, ["--arena", "league"]);
  const page = await harness.open(server.address);
  await page.getByRole("link", { name: /Arena/ }).click();
  await page.waitForURL(/\/arena$/);
  const { page: without } = await openHome("no-arena", harness);
  assert.equal(await without.getByRole("link", { name: /Arena/ }).count(), 0);
});

pageTest("the legend opens from the start page and from the help", async (harness) => {
  const { page } = await openHome("legend", harness);
  const legend = page.getByRole("dialog", { name: "Legend" });
  await button(page, "Legend").click();
  const signs = legend.locator("li");
  await waitUntil(() => signs.count(), (count) => count >= 15);
  assert.equal(await legend.locator("li > svg").count(), await signs.count());
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await button(page, "Legend of the board").click();
  await legend.waitFor();
  await waitUntil(() => page.locator("dialog[open]").count(), 1);
});

pageTest("the form has presets, points at what is wrong, and forgets its errors", async (harness) => {
  const { page } = await openHome("form", harness);
  harness.expect(/status of 400/);
  await button(page, "New match…").click();
  const seats = () => page.locator(".home-seat select").evaluateAll((all) => all.map((one) => /** @type {HTMLSelectElement} */ (one).value));
  const clock = page.getByRole("dialog").getByLabel("Time for a human's action");
  assert.equal(await clock.inputValue(), "30");
  await button(page, "Bots only").click();
  await waitUntil(async () => (await seats()).includes("human"), false);
  await waitUntil(() => clock.isVisible(), false);
  await page.getByRole("combobox", { name: "Player 2", exact: true }).selectOption("human");
  await waitUntil(() => button(page, "A human plays").getAttribute("aria-pressed"), "true");
  await waitUntil(() => clock.isVisible(), true);
  await button(page, "Bots only").click();
  await button(page, "A human plays").click();
  await waitUntil(async () => (await seats())[0], "human");

  const more = page.getByText("Map, turns, limits");
  await more.click();
  await page.getByLabel("Seed").fill("5000000000");
  await more.click();
  await button(page, "Start").click();
  await page.getByLabel("Seed").waitFor();
  await page.getByLabel("Seed").fill("5");
  await page.getByRole("combobox", { name: "Player 1", exact: true }).selectOption("…");
  const program = page.getByLabel("The program of player 1");
  await program.fill("./gone.py");
  await button(page, "Start").click();
  const problem = page.locator("form [role=alert]");
  await problem.waitFor();
  await button(page, "Cancel").click();
  await button(page, "New match…").click();
  await program.waitFor();
  assert.equal(await program.inputValue(), "./gone.py", "the input is kept");
  assert.equal(await problem.isVisible(), false, "the error is over");
});

pageTest("a form that was not sent and a game that was left survive a closed tab", async (harness) => {
  await mkdir(tempPath("drafts"));
  await playMatch("drafts/one", ["random", "random", "random", "random"], ["--turns", "8", "--seed", "27"]);
  const { page } = await openHome("drafts", harness);
  await button(page, "New match…").click();
  await page.getByRole("combobox", { name: "Player 1", exact: true }).selectOption("…");
  await page.getByLabel("The program of player 1").fill("./mine.py --deep");
  const again = async () => {
    const next = await page.context().newPage();
    await next.goto(page.url());
    await next.locator("body[data-ready]").waitFor({ state: "attached" });
    return next;
  };
  const second = await again();
  await button(second, "New match…").click();
  assert.equal(await second.getByLabel("The program of player 1").inputValue(), "./mine.py --deep");
  await second.getByRole("combobox", { name: "Player 1", exact: true }).selectOption("random");
  await button(second, "Cancel").click();
  assert.equal(await button(second, "Forget it").isVisible(), false);

  await second.evaluate(() => (location.hash = "replay=one.json&turn=3"));
  await waitForTurn(second, 3, 8);
  const panel = await openTab(second, "What if");
  await panel.getByRole("combobox", { name: "Player 0 is played by" }).selectOption("human");
  await panel.getByRole("button", { name: "Play on from turn 3" }).click();
  await waitUntil(() => textOf(second, "#seat"), /choose for turn 4/);
  await second.keyboard.press("x");
  await waitForTurn(second, 4, 4);
  await waitUntil(async () => second.url(), /&b=1_.*\.0\d{3}$/);
  await second.close();
  const third = await again();
  await third.getByRole("link", { name: "Go on with it" }).click();
  await waitForTurn(third, 4, 4);
  await waitUntil(() => textOf(third, "#seat"), /choose for turn 5/);
  await third.goBack();
  await button(third, "Forget it").click();
  await waitUntil(() => button(third, "Forget it").isVisible(), false);
  const fourth = await again();
  assert.equal(await button(fourth, "Forget it").isVisible(), false);
});

pageTest("before its script, a page says in both languages what it is", async (harness) => {
  const { page, server } = await openHome("headline", harness);
  assert.equal(await page.locator("#headline").count(), 0);
  const bare = await /** @type {import("playwright-core").Browser} */ (page.context().browser()).newContext({ javaScriptEnabled: false });
  harness.later(() => bare.close());
  const without = await bare.newPage();
  await without.goto(server.origin);
  await waitUntil(() => textOf(without, "body"), /吃豆人2 Pacman2\s+.*JavaScript[\s\S]*Four players, one maze, a hundred turns\s+四名玩家，一座迷宫，一百回合/);
});

pageTest("replays are links, and found by bot, result, fault, seed and date", async (harness) => {
  await mkdir(tempPath("search"));
  const play = (/** @type {string} */ name, /** @type {string} */ bot, /** @type {string} */ seed) =>
    playMatch(path.join("search", name), [bot, "random", "random", "random"], ["--turns", "20", "--seed", seed, ...GENEROUS_LIMITS]);
  await play("strong", "greedy", "4711");
  await play("failed", await writeBot("failing.js", ["process.exit(3)"]), "5");
  const { page } = await openHome("search", harness);
  const search = page.getByRole("searchbox");
  const result = page.getByRole("combobox", { name: "Result" });
  const assertFound = async (/** @type {string} */ text, /** @type {string} */ wanted, /** @type {string[]} */ names) => {
    await search.fill(text);
    await result.selectOption(wanted);
    const files = async () => (await page.locator("a.home-card").allInnerTexts()).map((card) => /(\w+)\.json/.exec(card)?.[1]).sort();
    await waitUntil(files, names, `${text}, ${wanted}`);
    assert.equal(await page.locator(".home-lists [role=status]").innerText(), `${names.length} of 2 replays`);
  };
  const both = ["failed", "strong"];
  await assertFound("", "any", both);
  await assertFound("GREEDY", "any", ["strong"]);
  await assertFound("4711", "any", ["strong"]);
  await assertFound(new Date().getFullYear().toString(), "any", both);
  await assertFound("greedy", "won", ["strong"]);
  await assertFound("greedy", "lost", []);
  await assertFound("failing", "lost", ["failed"]);
  await assertFound("", "fault", ["failed"]);
  await assertFound("random", "fault", []);
  await assertFound("", "any", both);
  const card = page.locator("a.home-card", { hasText: "failed.json" });
  assert.match(await card.innerText(), /failing\.js\s+RE\s[\s\S]*20 turns · seed 5/);
  assert.equal(await card.getAttribute("href"), "#replay=failed.json");
  await card.click();
  await waitForTurn(page, 0, 20);
});

pageTest("a problem of the page is shown until it is solved", async (harness) => {
  const { page } = await openHome("problem", harness);
  harness.expect(/status of 500/);
  const problem = page.locator("#home > [role=alert]");
  const add = (/** @type {string} */ name) =>
    playMatch(path.join("problem", name), ["random", "random", "random", "random"], ["--turns", "1", "--seed", "1"]);
  await page.route("**/api/replays", (route) => route.fulfill({ status: 500, json: { error: "no folder" } }));
  await add("a");
  await waitUntil(() => problem.allInnerTexts(), ["The server says: no folder"]);
  await button(page, "Watch random").click();
  await waitUntil(() => namesOf(page), ["random", "sage", "hunter", "greedy"]);
  await button(page, "Abandon").click();
  const listed = page.waitForResponse("**/api/matches");
  await button(page, "Matches").click();
  await listed;
  await waitUntil(() => problem.isVisible(), true, "matches are listed, but replays are not");
  await page.unroute("**/api/replays");
  await add("b");
  await waitUntil(() => page.locator(".home-card").count(), (cards) => cards >= 2);
  assert.match(await page.locator(".home-card", { hasText: "b.json" }).innerText(), / 1 turn /);
  await waitUntil(() => problem.isVisible(), false);
});
