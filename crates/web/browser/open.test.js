// Opening files: chosen and dropped, valid and invalid.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { matchLogOf, playMatch, playWholeGame } from "./fixtures.js";
import { waitForTurn, waitUntil, shownTurn } from "./page-helpers.js";
import { pageTest, harness } from "./harness.js";

/** @typedef {import("playwright-core").Page} Page */
/** The match that the page shows at first. @type {Awaited<ReturnType<typeof playMatch>>} */
let shown;
/** @type {Awaited<ReturnType<typeof playMatch>>} */
let whole;
/** Its match log, as downloaded from Botzone. @type {Awaited<ReturnType<typeof matchLogOf>>} */
let log;
harness(async () => {
  shown = await playMatch("shown", ["random", "random", "random", "random"], ["--seed", "3", "--turns", "4"]);
  whole = await playWholeGame("whole");
  log = await matchLogOf(whole.replay);
});

/** Drops a file on the page. @param {Page} page @param {string} name @param {string} text */
async function drop(page, name, text) {
  const dataTransfer = await page.evaluateHandle(([name, text]) => {
    const dragged = new DataTransfer();
    dragged.items.add(new File([text], name));
    return dragged;
  }, [name, text]);
  await page.dispatchEvent("#page", "dragenter", { dataTransfer });
  assert.equal(await page.locator(".open-veil").isVisible(), true, "the drop hint is missing");
  await page.dispatchEvent("#page", "dragover", { dataTransfer });
  await page.dispatchEvent("#page", "drop", { dataTransfer });
  assert.equal(await page.locator(".open-veil").isVisible(), false);
}

const alerts = (/** @type {Page} */ page) => page.getByRole("alert").allInnerTexts();

pageTest("a match log from Botzone can be dropped on the page", async ({ open }) => {
  const page = await open(shown.page);
  await waitForTurn(page, 0, 4);
  await drop(page, "match.json", JSON.stringify(log.log));
  await waitForTurn(page, 0, 100);
  assert.deepEqual(await alerts(page), []);
  const names = await page.locator(".players-name").allInnerTexts();
  assert.match(names[2], /sample/);
  await page.keyboard.press("End");
  await waitForTurn(page, 100, 100);
  assert.deepEqual(await page.locator(".players-score").allInnerTexts(), whole.scores);
});

pageTest("a match log, a replay and init data can be chosen", async ({ open }) => {
  const page = await open(shown.page);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Open…" }).click();
  await (await chooser).setFiles(log.file);
  await waitForTurn(page, 0, 100);
  const input = page.locator("input[type=file]");
  await input.setInputFiles(shown.replay);
  await waitForTurn(page, 0, 4);
  await input.setInputFiles({ name: "map.json", mimeType: "application/json", buffer: Buffer.from(log.log.initdata) });
  await waitForTurn(page, 0, 0);
  assert.deepEqual(await alerts(page), []);
});

pageTest("a file that cannot be opened is reported, and the shown match stays", async ({ open }) => {
  const page = await open(`${shown.page}#turn=2`);
  const input = page.locator("input[type=file]");
  const assertRejected = async (/** @type {string} */ name, /** @type {string | Buffer} */ content, /** @type {RegExp} */ why) => {
    await input.setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) });
    const texts = await waitUntil(() => alerts(page), (all) => all.some((text) => why.test(text)), name);
    assert.ok(texts.every((text) => text.trim().split("\n").length <= 3), String(texts));
    assert.deepEqual(await shownTurn(page), [2, 4], name);
    await page.getByRole("button", { name: "Close the message" }).click();
    await page.getByRole("alert").filter({ visible: true }).waitFor({ state: "hidden" });
  };
  await assertRejected("<b>broken.json", '{"logs": [', /^<b>broken\.json cannot be opened: \S/);
  await assertRejected("empty.json", "", /^empty\.json cannot be opened: \S/);
  await assertRejected("bytes.json", Buffer.from([0, 255, 254, 1, 2]), /^bytes\.json cannot be opened: \S/);
  await assertRejected("other.json", '{"hello": [1, 2, 3]}', /^other\.json cannot be opened: \S/);
  await assertRejected("deep.json", "[".repeat(100_000), /^deep\.json cannot be opened: \S/);
  const replay = await readFile(shown.replay, "utf8");
  await assertRejected("half.json", replay.slice(0, replay.length / 2), /^half\.json cannot be opened: \S/);
  assert.equal(await page.locator("b").filter({ hasText: "broken" }).count(), 0);
});

pageTest("a file that is too large is rejected before it is read", async ({ open }) => {
  const page = await open(shown.page);
  await drop(page, "small.json", "nothing");
  await waitUntil(() => alerts(page), (all) => all.some((text) => /^small\.json cannot be opened/.test(text)));
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    const piece = "[0,0,0,0,0,0,0],".repeat(65536);
    dataTransfer.items.add(new File(Array(65).fill(piece), "large.json"));
    dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  const rejection = /^large\.json is larger than 64 MB and was not opened\./;
  await waitUntil(() => alerts(page), (all) => all.some((text) => rejection.test(text)));
  assert.deepEqual(await shownTurn(page), [0, 4]);
});
