// Notes on turns: written, kept by the browser, in replays, in saved pages and in links, and read as a stranger's text.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { pacman2, playWholeGame } from "./fixtures.js";
import { assertAccessible, assertChinese, assertTouchable, axeFile, goToTurn, openTab, textOf, waitForTurn, waitUntil } from "./page-helpers.js";
import { harness, pageTest, tempPath } from "./harness.js";

/** @typedef {import("playwright-core").Page} Page */

/** @type {Awaited<ReturnType<typeof playWholeGame>>} */
let game;
harness(async () => {
  game = await playWholeGame("whole");
});

const shown = (/** @type {Page} */ page) => page.locator(".note-text:visible").allInnerTexts();
const linkOf = (/** @type {Page} */ page) => page.evaluate(() => location.hash);

/** Writes a note on the shown turn with the keyboard. @param {Page} page @param {string} text */
async function write(page, text, button = "Add a note") {
  await page.getByRole("button", { name: button }).focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
  await page.keyboard.press("Escape");
}

/** A saved file. @param {Page} page @param {string} button */
async function save(page, button) {
  const download = page.waitForEvent("download");
  await openTab(page, "Share");
  await page.getByRole("button", { name: button }).click();
  const text = await readFile(await (await download).path(), "utf8");
  await openTab(page, "Turn");
  return text;
}

pageTest("a note stays with its turn, after a reload, in a saved replay and in a saved page", async ({ open }) => {
  const page = await open(`${game.page}#turn=12`);
  const text = "Why not <b>up</b>?\nLook at player 2. ‮";
  await write(page, text);
  const visible = text.replace("‮", "⟨U+202E⟩");
  assert.deepEqual(await shown(page), [visible], "no markup, no invisible characters");
  await page.keyboard.press("ArrowRight");
  await waitForTurn(page, 13);
  assert.deepEqual(await shown(page), []);
  await write(page, "wrong");
  await write(page, "", "Change the note");
  assert.deepEqual(await shown(page), []);
  await page.getByRole("button", { name: "Go to the note on turn 12" }).click();
  await waitForTurn(page, 12);
  await waitUntil(() => linkOf(page), /&n=/);
  // What the browser keeps does not need the address.
  await page.goto("about:blank");
  await page.goto(`${game.page}#turn=12`);
  await waitUntil(() => shown(page), [visible]);
  assert.equal(await page.locator(".note-turns button").count(), 0);

  // A game under What if has its own notes, and those of the turns before it.
  await openTab(page, "What if");
  await page.getByRole("button", { name: "Play on from turn 12" }).click();
  await waitUntil(() => textOf(page, "#seat"), /choose for turn 13/);
  await page.keyboard.press("x");
  await waitForTurn(page, 13, 13);
  await openTab(page, "Turn");
  await write(page, "my own way");
  const replay = JSON.parse(await save(page, "Save replay"));
  assert.deepEqual(replay.notes, [{ turn: 12, text }, { turn: 13, text: "my own way" }], "the branch as a match");
  await page.goBack();
  await waitForTurn(page, 12, 100);
  await goToTurn(page, 13);
  assert.deepEqual(await shown(page), []);
  const whole = JSON.parse(await save(page, "Save replay"));
  assert.deepEqual(whole.notes, [{ turn: 12, text }, { branch: 1, turn: 13, text: "my own way" }]);

  const saved = tempPath("noted.html");
  await writeFile(saved, await save(page, "Save page"));
  const other = await open(`${pathToFileURL(saved).href}#turn=12`);
  await waitUntil(() => shown(other), [visible]);
  // pacman2 keeps them, too.
  await writeFile(tempPath("noted.json"), JSON.stringify(whole));
  await pacman2("replay", "convert", "noted.json", "again.html");
  const again = await open(`${pathToFileURL(tempPath("again.html")).href}#turn=12`);
  await waitUntil(() => shown(again), [visible]);
});

pageTest("a link holds 2 KB of notes, and the page says what does not fit", async ({ open }) => {
  const page = await open(`${game.page}#turn=3`, { before: (context) => context.grantPermissions(["clipboard-read", "clipboard-write"]) });
  await write(page, "短".repeat(400));
  assert.equal(await textOf(page, "#happened [role=status]"), "");
  await goToTurn(page, 5);
  await write(page, "w".repeat(700));
  assert.equal((await shown(page))[0].length, 500);
  assert.match(await textOf(page, "#happened [role=status]"), /^Left out of links, which hold 2 KB of notes: 1 note\./);
  await openTab(page, "Share");
  assert.match(await page.locator(".share-note").allInnerTexts().then(String), /Left out of links/);
  await page.getByRole("button", { name: "Copy link to the game" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const [, packed] = /&n=([\w-]+)$/.exec(copied) ?? assert.fail(copied);
  assert.ok(packed.length > 1600 && packed.length <= 2048, String(packed.length));

  const other = await open(`${game.page}${copied.replace(/^[^#]*/, "")}`);
  await waitForTurn(other, 5);
  assert.deepEqual(await shown(other), []);
  await other.getByRole("button", { name: "Go to the note on turn 3" }).click();
  await waitUntil(() => shown(other), ["短".repeat(400)]);
  // What the reader writes counts more than the link.
  await write(other, "mine", "Change the note");
  await other.goto("about:blank");
  await other.goto(`${game.page}${copied.replace(/^[^#]*/, "")}`);
  await other.getByRole("button", { name: "Go to the note on turn 3" }).click();
  await waitUntil(() => shown(other), ["mine"]);
});

pageTest("damaged notes in a link show nothing", async ({ open }) => {
  for (const notes of ["%", "AAAA", btoa("[[3,7],[-1,\"a\"],[1e9,\"b\"],[2.5,\"c\"]]"), btoa("[[3,\"a\",\"x\"]]")]) {
    const page = await open(`${game.page}#turn=3&n=${encodeURIComponent(notes)}`);
    await waitForTurn(page, 3, 100);
    assert.deepEqual(await shown(page), [], notes);
    assert.equal(await page.locator(".note-turns button").count(), 0, notes);
  }
});

pageTest("notes on a phone, in Chinese, and while the future is hidden", async ({ open }) => {
  const page = await open(`${game.page}#turn=12`, {
    phone: true, dark: true, locale: "zh-CN", before: (context) => context.addInitScript({ path: axeFile }),
  });
  await write(page, "看这里", "写批注");
  await goToTurn(page, 40);
  await page.getByRole("button", { name: "写批注" }).click();
  await page.getByLabel("第 40 回合的批注").fill("再看这里");
  await assertTouchable(page, "editing");
  await assertAccessible(page, "editing", "#happened");
  await page.getByRole("button", { name: "完成" }).click();
  assert.deepEqual(await shown(page), ["再看这里"]);
  await assertTouchable(page, "noted");
  await assertAccessible(page, "noted", "#happened");
  await assertChinese(page);
  await goToTurn(page, 20);
  const turns = () => page.locator(".note-turns button").allInnerTexts();
  assert.deepEqual(await turns(), ["✎ 12", "✎ 40"]);
  await page.locator(".transport-options").click();
  await page.getByLabel("不显示后续回合").check();
  assert.deepEqual(await turns(), ["✎ 12"]);
});
