// The static site on a plain web host, in a folder of its origin: playing, hints, analysis, the gallery, and without a network.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { pacman2, playWholeGame } from "./fixtures.js";
import { harness, mainTest, pageTest, requiredVariable, tempPath } from "./harness.js";
import { checkStates, padIsBeside } from "./layout-facts.js";
import { hostSite } from "./site-host.js";
import { assertAccessible, assertChinese, assertTouchable, axeFile, openTab, shownTurn, textOf, waitForTurn, waitUntil, namesOf } from "./page-helpers.js";

/** @typedef {import("playwright-core").Page} Page */

/** The folder that `cargo xtask site` made. */
const SITE = requiredVariable("SITE", "the folder of the static site");
/** @type {Awaited<ReturnType<typeof playWholeGame>>} */
let match;
harness(async () => {
  match = await playWholeGame("whole");
});

/** A host of the site for a test. @param {import("./harness.js").Harness} harness @param {Parameters<typeof hostSite>[1]} [changed] */
async function host({ later }, changed) {
  const hosted = await hostSite(SITE, changed);
  later(hosted.close);
  return hosted;
}

/**
 * Starts a game from the form. Humans have no clock.
 * @param {Page} page
 * @param {string[]} seats
 * @param {string} time for sage to think, in milliseconds
 */
async function start(page, seats, time = "100") {
  await page.getByRole("button", { name: "New match…" }).click();
  for (const [seat, who] of seats.entries()) await page.getByRole("combobox", { name: `Player ${seat}` }).selectOption(who);
  const clock = page.getByRole("dialog").getByLabel("Time for a human's action");
  await waitUntil(() => clock.isVisible(), seats.includes("human"));
  if (await clock.isVisible()) await clock.selectOption("0");
  await page.getByText("Map and thinking time").click();
  await page.getByLabel("Seed").fill("27");
  await page.getByLabel("Thinking time of sage").selectOption(time);
  await page.getByRole("button", { name: "Start", exact: true }).click();
}

/** Waits until the site is kept for use without a network. @param {Page} page */
const kept = (page) => page.locator("body[data-kept]").waitFor({ state: "attached" });

mainTest("a human plays against the strong bots, which are fetched when they are needed", async (harness) => {
  const { address, asked } = await host(harness);
  const page = await harness.open(address);
  const engines = () => asked.filter((name) => name.endsWith(".wasm"));
  assert.deepEqual(engines(), [], "the page starts without the strong engine");
  await start(page, ["human", "hunter", "sage", "greedy"]);
  await waitUntil(() => textOf(page, ".home-strip"), /Seed 27/);
  for (let turn = 1; turn <= 3; turn += 1) {
    await waitUntil(() => textOf(page, "#seat"), new RegExp(`Player 0: choose for turn ${turn}`));
    await page.keyboard.press("x");
    await waitForTurn(page, turn, turn);
  }
  assert.deepEqual([...new Set(engines())], ["analysis.wasm"]);
  assert.deepEqual(await namesOf(page), ["you", "hunter", "sage", "greedy"]);

  await page.keyboard.press("h");
  await waitUntil(() => textOf(page, ".hint"), /Player 0, best: .+ points/);
  await waitUntil(() => page.locator(".hint-list li:visible").count(), (count) => count >= 1);
  const panel = await openTab(page, "What if");
  await panel.getByRole("button", { name: "Take back a turn" }).click();
  await waitForTurn(page, 2, 2);
  await page.getByRole("button", { name: "Start page" }).click();
  await page.getByRole("heading", { name: "Built-in bots" }).waitFor();
});

pageTest("a match of sage is watched, and the games of the gallery have thumbnails", async (harness) => {
  const { address } = await host(harness);
  const page = await harness.open(address);
  await page.locator(".site-gallery li").first().scrollIntoViewIfNeeded();
  await page.locator(".site-gallery .home-thumb svg").first().waitFor();
  await page.getByRole("button", { name: "Watch sage play" }).click();
  await waitUntil(() => shownTurn(page), ([, last]) => last >= 1);
  assert.deepEqual(await namesOf(page), ["sage", "hunter", "greedy", "sample"]);
});

pageTest("a human on the site has a clock, unless the form says otherwise", async (harness) => {
  const { address } = await host(harness);
  const page = await harness.open(address, { before: (context) => context.clock.install() });
  await page.getByRole("button", { name: "Play", exact: true }).first().click();
  // The first turns are explained; then the clock starts.
  for (const [turn, explained] of [/^You are the blue circle/, /^Click a marked cell/, /W A S D move/].entries()) {
    await waitUntil(() => page.locator(".seat-first").allInnerTexts(), ([text]) => explained.test(text));
    await page.clock.fastForward(60_000);
    assert.deepEqual([await shownTurn(page), await page.getByRole("timer").isVisible()], [[turn, turn], false]);
    await page.keyboard.press("x");
    await waitForTurn(page, turn + 1, turn + 1);
  }
  await waitUntil(() => textOf(page, "#seat [role=timer]"), /^(30|29) s$/);
  assert.equal(await page.locator(".seat-first").isVisible(), false);
  await page.clock.fastForward(30_000);
  await waitForTurn(page, 4, 4);
  await waitUntil(() => textOf(page, "#seat [role=alert]"), /^You were too late, and player 0 stayed/);
  // The address keeps the clock and what happened.
  await waitUntil(async () => page.url(), /&b=1_1\.0\.0\.t800c30000\.human\.greedy\.sample\.greedy\.(0\d{3}){3}f\d{3}$/);
  await page.getByRole("button", { name: "Start page" }).click();
  await page.getByRole("button", { name: "New match…" }).click();
  const clock = page.getByRole("dialog").getByLabel("Time for a human's action");
  assert.equal(await clock.inputValue(), "30");
  await page.getByRole("button", { name: "Bots only" }).click();
  await waitUntil(() => clock.isVisible(), false);
});

pageTest("bots play among themselves until they are stopped", async (harness) => {
  const { address } = await host(harness);
  const page = await harness.open(address);
  // Once sage is dead, the other bots play to the end at once, and there is nothing to stop.
  await start(page, ["sage", "sage", "sage", "sage"], "300");
  await waitUntil(() => shownTurn(page), ([, last]) => last >= 2);
  const panel = await openTab(page, "What if");
  await panel.getByRole("button", { name: "Stop" }).click();
  const [, stopped] = await shownTurn(page);
  await panel.getByRole("button", { name: "Continue" }).click();
  await waitUntil(() => shownTurn(page), ([, last]) => last > stopped);
});

pageTest("a match is opened, analysed, and played on against sage", async (harness) => {
  const { address } = await host(harness);
  const page = await harness.open(address);
  await page.locator("input[type=file]").setInputFiles(match.replay);
  await waitForTurn(page, 0, 100);
  await openTab(page, "Analysis");
  await page.getByRole("button", { name: "Analyse the match" }).click();
  await waitUntil(() => textOf(page, "#analysis"), /\b([3-9]|\d\d+) of 100 turns analysed/);
  await waitUntil(() => textOf(page, "#analysis"), /Best actions for turn 1/);
  await page.getByRole("button", { name: "Analyse the match" }).click();
  const panel = await openTab(page, "What if");
  for (const [seat, who] of ["sage", "hunter", "recorded", "recorded"].entries()) {
    await panel.getByRole("combobox", { name: `Player ${seat} is played by` }).selectOption(who);
  }
  await page.evaluate(() => (location.hash = "turn=98"));
  await waitForTurn(page, 98);
  await panel.getByRole("button", { name: "Play on from turn 98" }).click();
  await waitForTurn(page, 100, 100);
});

pageTest("a damaged replay is shown up to its first error", async (harness) => {
  const { address } = await host(harness);
  const page = await harness.open(address);
  const replay = JSON.parse(await readFile(match.replay, "utf8"));
  replay.public.turns[49].position = "0".repeat(16);
  await writeFile(tempPath("damaged.json"), JSON.stringify(replay));
  await page.locator("input[type=file]").setInputFiles(tempPath("damaged.json"));
  await waitForTurn(page, 0, 49);
  await waitUntil(() => textOf(page, "#complaint"), /turn 50/);
});

pageTest("a game of the gallery opens where its story begins, and its address leads back to it", async (harness) => {
  const { address } = await host(harness);
  const page = await harness.open(address);
  const games = page.locator(".site-gallery li");
  await waitUntil(() => games.count(), 12);
  const sentence = await games.nth(3).locator(".site-sentence").innerText();
  const names = await games.nth(3).locator(".home-name").allInnerTexts();
  await games.nth(3).getByRole("button").click();
  const begins = await waitUntil(() => shownTurn(page), ([, last]) => last > 0);
  assert.deepEqual(await namesOf(page), names.map((name) => name.replace(/^\d\s*/, "")));
  const [, turns, eaten] = sentence.match(/^For (\d+) turns, .* eats it in turn (\d+)\.$/)?.map(Number) ?? [];
  assert.equal(begins[0], Math.max(eaten - turns - 3, 0), sentence);
  // The address follows a moment after the click.
  await waitUntil(async () => page.url(), /#g=/);
  await page.evaluate((turn) => (location.hash += `&turn=${turn}`), eaten);
  await waitForTurn(page, eaten);
  await waitUntil(() => textOf(page, "#happened"), /ate/, sentence);
  await page.reload();
  await waitForTurn(page, eaten);
});

pageTest("the map of the day is the same for everybody, and its result is a line of text", async (harness) => {
  const { address } = await host(harness);
  const clipboard = { before: (/** @type {import("playwright-core").BrowserContext} */ context) =>
    context.grantPermissions(["clipboard-read", "clipboard-write"]) };
  const page = await harness.open(`${address}#daily=2026-11-22`, clipboard);
  let hash = 2166136261n;
  for (const byte of Buffer.from("2026-11-22")) hash = ((hash ^ BigInt(byte)) * 16777619n) & 0xffffffffn;
  await waitUntil(() => textOf(page, ".home-strip"), `Map of 2026-11-22 · Seed ${hash & 0x7fffffffn}`);
  await page.locator("#board svg[role=application]").focus();
  await waitUntil(async () => {
    await page.keyboard.press("x");
    return textOf(page, ".home-strip");
  }, /^Pacman2, map of 2026-11-22: place [1-4] with \d+\.\d\d points \(greedy \S+, hunter \S+, sage \S+\)/);
  await page.getByRole("button", { name: "Copy the result" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(copied, /^Pacman2, map of 2026-11-22: .*\nhttp.*#daily=2026-11-22$/);
});

pageTest("a game in this page, the map of the day and the start page have addresses", async (harness) => {
  const { address } = await host(harness);
  const page = await harness.open(address);
  await start(page, ["human", "greedy", "sage", "random"], "300");
  await waitUntil(() => textOf(page, "#seat"), /choose for turn 1/);
  await page.keyboard.press("x");
  await waitForTurn(page, 1, 1);
  await waitUntil(async () => page.url(), /#g=2[^&]{5,150}&b=1_1\.0\.0\.t300\.human\.greedy\.sage\.random\.0\d{3}$/);
  await page.reload();
  await waitForTurn(page, 1, 1);
  await waitUntil(() => textOf(page, "#seat"), /choose for turn 2/);
  await page.goBack();
  await page.getByRole("heading", { name: "Built-in bots" }).waitFor();
  await page.getByRole("button", { name: "Play today's map" }).click();
  await waitUntil(() => textOf(page, "#seat"), /choose for turn 1/);
  await page.keyboard.press("x");
  await waitForTurn(page, 1, 1);
  await waitUntil(async () => page.url(), /#daily=\d{4}-\d\d-\d\d&b=1_1\.0\.0\.n3000\.human\.greedy\.hunter\.sage\.0\d{3}$/);
  await page.reload();
  await waitForTurn(page, 1, 1);
  await waitUntil(() => textOf(page, ".home-strip"), /^Map of /);

  // The page as a file has neither the strong engine nor the start page.
  await openTab(page, "Share");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save page with this match" }).click();
  await copyFile(await (await download).path(), tempPath("from-site.html"));
  const file = await harness.open(pathToFileURL(tempPath("from-site.html")).href, { offline: true });
  await waitForTurn(file, 0, 1);
  assert.deepEqual(await namesOf(file), ["human", "greedy", "hunter", "sage"]);
  const panel = await openTab(file, "What if");
  assert.equal(await panel.locator("option", { hasText: "sage" }).count(), 0);
});

pageTest("after the first visit, the site works without its host", async (harness) => {
  const server = await host(harness);
  const page = await harness.open(server.address, { phone: true, locale: "zh-CN" });
  await kept(page);
  assert.ok(server.asked.includes("analysis.wasm"), "the engine is kept");
  await server.close();
  await page.context().setOffline(true);
  await page.reload();
  await page.locator("body[data-ready]").waitFor({ state: "attached" });
  await page.getByRole("button", { name: "亲自上场", exact: true }).first().tap();
  await waitUntil(() => textOf(page, "#seat"), /第 1 回合/);
  await page.locator("#seat .seat-key[aria-disabled=false]:visible").first().tap();
  await waitForTurn(page, 1, 1);
  await assertChinese(page, ["https://…"]);
});

pageTest("a new version is offered, and taken", async (harness) => {
  // A file that is being kept never arrives. The new version does not wait for it.
  const missing = "analysis.wasm";
  /** @type {Map<string, string | Promise<string>>} */
  const changed = new Map([[missing, new Promise(() => {})]]);
  const { address, asked } = await host(harness, changed);
  const page = await harness.open(address);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  const [html, script] = ["index.html", "sw.js"].map((name) => readFileSync(path.join(SITE, name), "utf8"));
  const newer = html.replace("<title>", "<title>New · ");
  const digest = (/** @type {string} */ text) => createHash("sha256").update(text).digest("base64");
  assert.ok(script.includes(digest(html)), "the service worker knows the digest of the page");
  changed.set("index.html", newer);
  changed.set("sw.js", script.replace(digest(html), digest(newer)).replace(/version ?= ?"/, "$&newer "));
  await page.reload();
  assert.doesNotMatch(await page.title(), /New/, "the kept version is shown at once");
  await waitUntil(async () => asked.includes(missing), true);
  await page.getByRole("button", { name: "Reload" }).click();
  await waitUntil(() => page.title(), /^New/);
  await page.locator("body[data-ready]").waitFor({ state: "attached" });
  await waitUntil(() => page.evaluate(() => window.caches.keys()), (caches) => caches.length === 1, "the old version is no longer kept");
});

const digestOf = (/** @type {string | Buffer} */ content) => createHash("sha256").update(content).digest("base64");
/** An engine that works like that of the site, and has other bytes: with a section that nothing reads. */
const otherEngine = () => Buffer.concat([readFileSync(path.join(SITE, "analysis.wasm")), Buffer.from([0, 2, 1, 120])]);

for (const zh of [false, true]) {
  pageTest(`an old page does not take a new engine, but offers the new page, ${zh ? "Chinese" : "English"}`, async (harness) => {
    harness.expect(/valid digest|integrity checks failed|ERR_FAILED/);
    /** @type {Map<string, string | Buffer>} */
    const changed = new Map();
    const { address } = await host(harness, changed);
    const page = await harness.open(address, { locale: zh ? "zh-CN" : "en-GB" });
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
    const [html, script] = ["index.html", "sw.js"].map((name) => readFileSync(path.join(SITE, name), "utf8"));
    const [old, engine] = [digestOf(readFileSync(path.join(SITE, "analysis.wasm"))), otherEngine()];
    assert.ok(html.includes(old) && script.includes(old), "page and service worker know the digest of the engine");
    const newer = html.replace("<title>", "<meta name=newer><title>").replace(old, digestOf(engine));
    changed.set("analysis.wasm", engine);
    changed.set("index.html", newer);
    changed.set("sw.js", script.replace(old, digestOf(engine)).replace(digestOf(html), digestOf(newer)).replace(/version ?= ?"/, "$&newer "));
    await page.getByRole("button", { name: zh ? "观看 sage 对局" : "Watch sage play" }).click();
    await page.getByRole("alert").filter({ hasText: zh ? "强引擎与本页版本不同，请重新载入本页。" : "The engine of the strong bots is of another version than this page. Reload the page." }).waitFor();
    await page.getByRole("button", { name: zh ? "重新载入" : "Reload" }).click();
    await page.locator("meta[name=newer]").waitFor({ state: "attached" });
    await page.locator("body[data-ready]").waitFor({ state: "attached" });
    await waitUntil(() => shownTurn(page).catch(() => [0, 0]), ([, last]) => last > 0, "the new page plays with the new engine");
  });
}

pageTest("without a service worker, an old page does not take a new engine either", async (harness) => {
  harness.expect(/valid digest|integrity checks failed|ERR_FAILED/);
  const changed = new Map([["analysis.wasm", otherEngine()]]);
  const { address } = await host(harness, changed);
  const page = await harness.open(address, { before: (context) => context.addInitScript(() => void (delete (/** @type {any} */ (Navigator.prototype).serviceWorker))) });
  await page.getByRole("button", { name: "Watch sage play" }).click();
  await page.getByRole("alert").filter({ hasText: "of another version" }).waitFor();
  changed.clear();
  await page.getByRole("button", { name: "Reload" }).click();
  await waitUntil(() => page.getByRole("button", { name: "Reload" }).count(), 0);
  await waitUntil(() => shownTurn(page).catch(() => [0, 0]), ([, last]) => last > 0);
});

pageTest("TV plays the gallery", async (harness) => {
  const { address } = await host(harness);
  const page = await harness.open(address);
  const sentence = await page.locator(".site-sentence").first().innerText();
  await page.getByRole("link", { name: "TV" }).click();
  await waitUntil(() => textOf(page, "#theatre"), new RegExp(sentence));
  await page.getByRole("button", { name: "Next game" }).click();
  await waitUntil(() => textOf(page, "#theatre"), (text) => !text.includes(sentence));
  await page.keyboard.press("Escape");
  await waitUntil(async () => page.url(), /#g=/);
});

pageTest("an engine that cannot be fetched is an error that one can try again", async (harness) => {
  harness.expect(/valid digest|integrity checks failed|ERR_FAILED/);
  const changed = new Map([["analysis.wasm", "no module"]]);
  const { address } = await host(harness, changed);
  const page = await harness.open(address);
  await start(page, ["human", "sage", "random", "random"]);
  await page.getByRole("alert").filter({ hasText: "engine" }).waitFor();
  changed.clear();
  const panel = await openTab(page, "What if");
  await panel.getByRole("button", { name: "Continue" }).click();
  await waitUntil(() => textOf(page, "#seat"), /choose for turn 1/);
  await page.keyboard.press("x");
  await waitForTurn(page, 1, 1);
});

for (const { phone, dark, zh } of [{ phone: true, dark: true, zh: false }, { phone: true, dark: false, zh: true }, { phone: false, dark: true, zh: true }]) {
  const how = `${phone ? "a phone" : "a wide screen"}, ${dark ? "dark" : "light"}, ${zh ? "Chinese" : "English"}`;
  pageTest(`the start page of the site on ${how}`, async (harness) => {
    const { address } = await host(harness);
    const page = await harness.open(address, {
      phone, dark, locale: zh ? "zh-CN" : "en-GB", before: (context) => context.addInitScript({ path: axeFile }),
    });
    await assertTouchable(page, how);
    await assertAccessible(page, how);
    await page.getByRole("button", { name: zh ? "新对局…" : "New match…" }).click();
    await page.locator("form summary").click();
    await assertTouchable(page, `${how}: new match`);
    await assertAccessible(page, `${how}: new match`, "dialog[open]");
    if (zh) await assertChinese(page, ["https://…"]);
  });
}

/** Runs the engine in this process. @param {unknown} query */
async function askEngine(query) {
  const { instance } = await WebAssembly.instantiate(readFileSync(path.join(SITE, "analysis.wasm")), { worker: { now_ms: () => performance.now() } });
  const module = /** @type {any} */ (instance.exports);
  const bytes = Buffer.from(JSON.stringify(query));
  const start = module.room(bytes.length);
  new Uint8Array(module.memory.buffer, start, bytes.length).set(bytes);
  const length = module.ask();
  return JSON.parse(Buffer.from(module.memory.buffer, module.answer(), length).toString());
}

mainTest("the engine computes the same as the program", async () => {
  const init = { seed: 42 };
  await writeFile(tempPath("map.json"), JSON.stringify(init));
  // The program names its output, besides.
  const analysed = async (/** @type {string[]} */ ...options) => {
    const { format: _, version: __, ...analysis } = JSON.parse(await pacman2("analyse", "map.json", "--json", ...options));
    return analysis;
  };
  const native = await analysed("--turn", "1", "--simulations", "2000");
  const query = { op: "analyse", game: { init, actions: [] }, turn: 1, simulations: 2000 };
  assert.deepEqual((await askEngine(query)).ok, native);
  // Without an effort, too, as the page asks.
  const usual = await analysed("--simulations", "20000");
  const { simulations: _, ...without } = query;
  assert.deepEqual((await askEngine(without)).ok, usual);
});

pageTest("the site's own pages fit in every look", async (harness) => {
  const { address } = await host(harness);
  const page = await harness.open(address);
  const click = (/** @type {string} */ selector) => () => page.evaluate((one) => /** @type {HTMLElement} */ (document.querySelector(one)).click(), selector);
  const closeDialog = () => page.evaluate(() => document.querySelectorAll("dialog").forEach((dialog) => dialog.close()));
  await checkStates(page, [
    { name: "the start page", open: async () => {} },
    { name: "the form", open: click(".front-buttons button:last-child"), close: closeDialog },
  ], "the site");
  await click(".front-gold")();
  await page.locator("#seat .seat-key").first().waitFor();
  await checkStates(page, [
    { name: "a human is asked", open: async () => {}, check: padIsBeside },
    { name: "the analysis", open: click("#tab-analysis") },
  ], "the site");
});
