// The page at home on a server: matches are started, played, watched and found again.

import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { order, played, served, writeBot } from "./fixtures.js";
import { atTurn, becomes, isInChinese, sentences, textOf, turnOf } from "./page-helpers.js";
import { place, scene, stage } from "./harness.js";

stage();

/** A server whose folder is new. @param {string} folder @param {import("./harness.js").Stage} stage */
async function serve(folder, stage) {
  await mkdir(place(folder));
  return served(folder, stage);
}

/**
 * Fills in the form and starts a match.
 * @param {import("playwright-core").Page} page
 * @param {string[]} seats
 * @param {Record<string, string>} fields
 */
async function start(page, seats, fields = {}) {
  for (const [seat, who] of seats.entries()) await page.getByRole("combobox", { name: `Player ${seat}` }).selectOption(who);
  const more = page.getByText("Map, turns, limits");
  if (Object.keys(fields).length && !(await page.getByLabel("Seed").isVisible())) await more.click();
  for (const [name, value] of Object.entries(fields)) await page.getByLabel(name, { exact: true }).fill(value);
  await page.getByRole("button", { name: "Start", exact: true }).click();
}

const state = (/** @type {import("playwright-core").Page} */ page) => textOf(page, ".home-state");

scene("a human plays a match to its end, and finds its replay", async (stage) => {
  const server = await serve("human", stage);
  const page = await stage.open(server.address);
  assert.equal(await page.evaluate(() => location.hash), "", "the token is out of sight");
  await start(page, ["human", "hunter", "sample", "random"], { Seed: "27", Turns: "4" });
  for (let turn = 1; turn <= 4; turn += 1) {
    await becomes(() => state(page), new RegExp(`Live, turn ${turn - 1} of 4 · your move, player 0`));
    await becomes(() => textOf(page, "#seat"), new RegExp(`Player 0: choose for turn ${turn}`));
    if (turn % 2) await page.keyboard.press("x");
    else await page.getByRole("button", { name: "stay", exact: true }).click();
    await becomes(() => turnOf(page), ([shown, last]) => shown === turn && last === turn);
  }
  await becomes(() => state(page), /The match is over\. Its replay is .+\.json\./);
  assert.match(await textOf(page, "#happened"), /Turn 4[\s\S]*stayed[\s\S]*The game is over/);
  await page.getByRole("button", { name: "Matches" }).click();
  await becomes(() => textOf(page, ".home-lists"), /human[\s\S]*4 turns/);
  await page.locator("button.home-row").first().click();
  await atTurn(page, 0, 4);
  assert.deepEqual(await page.locator(".players-name").allInnerTexts(), ["human", "hunter", "sample", "random"]);
  await page.keyboard.press("ArrowRight");
  await atTurn(page, 1);
  await page.reload();
  await becomes(() => turnOf(page), ([, last]) => last === 4, "the address leads back to the replay");
});

scene("a human has a clock, and is told when it has run out", async (stage) => {
  const server = await serve("clock", stage);
  const page = await stage.open(server.address);
  await page.getByLabel("Time for a human's order").selectOption("60");
  await start(page, ["human", "random", "random", "random"], { Turns: "3" });
  const timer = () => page.getByRole("timer").innerText();
  const first = await becomes(timer, /^(60|5\d) s$/);
  await becomes(timer, (told) => parseInt(told) < parseInt(first), "the clock runs");
  await page.getByRole("button", { name: "Abandon" }).click();
  await becomes(() => state(page), /The match was abandoned/);

  // The page offers 5 seconds at least; a test need not wait so long.
  await page.route("**/api/matches", async (route) => {
    const body = route.request().postDataJSON();
    if (body) body.clock_ms = 200;
    await route.continue(body ? { postData: JSON.stringify(body) } : {});
  });
  await page.getByRole("button", { name: "Matches" }).click();
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await becomes(() => state(page), /The match is over/);
  await page.keyboard.press("End");
  await becomes(() => textOf(page, "#players"), /died in turn 2: it took too long/);
  assert.equal(await page.locator("#seat").isVisible(), false, "nothing is left to choose");
});

scene("a match waits while its human tries something else, and its address stays", async (stage) => {
  const server = await serve("aside", stage);
  const page = await stage.open(server.address);
  await start(page, ["human", "greedy", "greedy", "random"], { Turns: "3" });
  await becomes(() => state(page), /your move/);
  await page.keyboard.press("x");
  await atTurn(page, 1, 1);
  const address = page.url();
  assert.match(address, /#match=\w+$/);
  await page.getByRole("tab", { name: "What if" }).click();
  await page.getByRole("button", { name: "Play on from turn 1" }).click();
  await becomes(() => textOf(page, "#seat"), /choose for turn 2/);
  await page.keyboard.press("x");
  await atTurn(page, 2, 2);
  assert.match(await state(page), /turn 1 of 3 · your move/, "the match itself has not moved");
  assert.doesNotMatch(page.url(), /match=/, "what is tried has no address");
  await page.getByRole("button", { name: "Back to the match" }).click();
  await atTurn(page, 1, 1);
  assert.equal(page.url(), address);
  await becomes(() => textOf(page, "#seat"), /choose for turn 2/);
  await page.keyboard.press("Home");
  await page.keyboard.press("x");
  await atTurn(page, 2, 2);
  await page.keyboard.press("x");
  await becomes(() => state(page), /The match is over/);
  assert.match(page.url(), /#replay=/, "its replay stays when the match is forgotten");
  await page.getByRole("button", { name: "Matches" }).click();
  assert.doesNotMatch(page.url(), /[#&]\w+=/);
});

scene("a match of built-in bots is watched to its end", async (stage) => {
  const server = await serve("watched", stage);
  const page = await stage.open(server.address, { calm: false });
  await start(page, ["greedy", "greedy", "sample", "random"], { Seed: "27", Turns: "20" });
  await becomes(() => state(page), /The match is over/);
  await becomes(() => turnOf(page), ([turn]) => turn > 0, "it plays by itself");
  await page.getByLabel("Speed").selectOption("16");
  await becomes(() => turnOf(page), [20, 20]);
  assert.match(await textOf(page, "#happened"), /Turn 20[\s\S]*The game is over/);
});

scene("new replays appear by themselves, and broken ones with a message", async (stage) => {
  const server = await serve("folder", stage);
  const page = await stage.open(server.address);
  await becomes(() => textOf(page, ".home-lists"), /The folder is empty/);
  await played(path.join("folder", "<i>new"), ["greedy", "sample", "random", "random"], ["--seed", "5", "--turns", "7"]);
  await becomes(() => textOf(page, ".home-lists"), /7 turns · <i>new\.json/);
  await writeFile(path.join(server.folder, "broken.json"), '{"format": "pacman2 replay", "public": ');
  await becomes(() => textOf(page, ".home-broken"), /broken\.json\s+Cannot be read: \S+/);
  assert.equal(await page.locator("main i").count(), 0);
  await page.goto(`${server.origin}/#replay=broken.json`);
  await page.reload();
  await becomes(() => page.getByRole("alert").allInnerTexts(), (told) => told.some((text) => text.includes("JSON")));
  await becomes(() => textOf(page, ".home-lists"), /7 turns/);
  assert.ok((await page.getByRole("alert").allInnerTexts()).some((text) => text.includes("JSON")), "the message stays");
});

scene("without the token nothing is started, and the page asks for it", async (stage) => {
  const server = await serve("token", stage);
  stage.expect(/status of 401/);
  const page = await stage.open(`${server.origin}/`);
  await start(page, ["random", "random", "random", "random"], { Turns: "2" });
  const dialog = page.getByRole("dialog", { name: "The server wants its token" });
  await dialog.waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await becomes(() => page.locator("form [role=alert]").innerText(), /The server says: the token is missing or wrong/);
  assert.match(await textOf(page, ".home-lists"), /The folder is empty/);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await dialog.getByLabel("Address or token").fill(server.address);
  await dialog.getByRole("button", { name: "Use it" }).click();
  await becomes(() => state(page), /The match is over/);
});

scene("a bot that fails and a folder that vanishes are told", async (stage) => {
  const server = await serve("vanishing", stage);
  const bot = await writeBot("fleeting.js", [order(-1), "process.exit(3)"]);
  const page = await stage.open(server.address);
  await page.getByRole("combobox", { name: "Player 3" }).selectOption("…");
  await page.getByLabel("The program of player 3").fill(bot);
  await start(page, ["human", "greedy", "sample"], { Turns: "3", "Milliseconds for a program's answer": "60000" });
  await becomes(() => state(page), /your move/);
  await page.keyboard.press("x");
  await atTurn(page, 1, 1);
  await becomes(() => state(page), /turn 1 of 3 · your move/);
  await rm(server.folder, { recursive: true });
  await page.keyboard.press("x");
  await atTurn(page, 2, 2);
  await becomes(() => textOf(page, "#players"), /died in turn 2: its program failed/);
  await becomes(() => state(page), /turn 2 of 3 · your move/);
  await page.keyboard.press("x");
  await becomes(() => state(page), /The match is over\. It has no replay in the folder: \S+/);
});

scene("at home and in a match it speaks Chinese", async (stage) => {
  const server = await serve("chinese", stage);
  const page = await stage.open(server.address, { locale: "zh-CN" });
  await becomes(() => textOf(page, ".home-lists"), /没有/);
  await isInChinese(page, ["chinese"]);
  await page.getByRole("button", { name: "开始", exact: true }).click();
  await becomes(() => state(page), /第 0\/100 回合.*0 号/);
  await becomes(() => textOf(page, "#seat"), /第 1 回合/);
  await isInChinese(page, ["chinese"]);
});

scene("two windows see the same match, and one of them plays", async (stage) => {
  const server = await serve("two", stage);
  const first = await stage.open(server.address);
  await start(first, ["human", "greedy", "sample", "random"], { Seed: "27", Turns: "9" });
  await becomes(() => state(first), /your move/);
  const second = await stage.open(await first.evaluate(() => location.href));
  await becomes(() => state(second), /Live, turn 0 of 9 · waiting for player 0/);
  assert.equal(await second.locator("#seat").isVisible(), false);
  for (let turn = 1; turn <= 3; turn += 1) {
    await becomes(() => state(first), new RegExp(`turn ${turn - 1} of 9 · your move`));
    await first.keyboard.press("x");
    await atTurn(first, turn);
    await atTurn(second, turn);
    assert.deepEqual(await sentences(second), await sentences(first));
  }
  await first.getByRole("button", { name: "Abandon" }).click();
  for (const page of [first, second]) await becomes(() => state(page), /The match was abandoned/);
});

scene("a program that cannot be found is one sentence", async (stage) => {
  const server = await serve("gone", stage);
  stage.expect(/status of 400/);
  const page = await stage.open(server.address);
  await page.getByRole("combobox", { name: "Player 1" }).selectOption("…");
  await page.getByLabel("The program of player 1").fill("./gone<b>.py");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const trouble = await becomes(() => page.locator("form [role=alert]").innerText(), /^The server says: seat 1: .*gone<b>\.py.*/);
  assert.equal(trouble.trim().split("\n").length, 1, trouble);
  assert.equal(await page.getByRole("button", { name: "Start", exact: true }).isEnabled(), true);
});

scene("a server that has gone is told, in a match and at home", async (stage) => {
  const server = await serve("killed", stage);
  stage.expect(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET/);
  const playing = await stage.open(server.address);
  const home = await stage.open(server.address);
  await start(playing, ["human", "random", "random", "random"]);
  await becomes(() => state(playing), /your move/);
  await becomes(() => textOf(home, ".home-lists"), /turn 0 of 100/);
  await server.end("SIGKILL");
  await becomes(() => state(playing), /The connection to the server is lost; trying again/);
  await becomes(() => home.locator("#home > [role=alert]").innerText(), /The server does not answer\. Is it still running/);
  await playing.keyboard.press("x");
  await becomes(() => state(playing), /The server does not answer/);
  await home.getByRole("button", { name: "Start", exact: true }).click();
  await becomes(() => home.locator("form [role=alert]").innerText(), /The server does not answer/);
});
