// Why the reader's own bot lost: the banner at any turn of the match, whose bot it is, and what another bot would have answered.

import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { GENEROUS_LIMITS, answer, playMatch, startServer, writeBot } from "./fixtures.js";
import { assertAccessible, assertChinese, assertTouchable, axeFile, openChoices, openTab, textOf, waitForTurn, waitUntil } from "./page-helpers.js";
import { harness, pageTest, tempPath } from "./harness.js";

/** @typedef {import("playwright-core").Page} Page */

/** A match in which a program crashes in turn 4. @type {Awaited<ReturnType<typeof playMatch>>} */
let crashed;
/** One in which it only stays. @type {Awaited<ReturnType<typeof playMatch>>} */
let stayed;
harness(async () => {
  const stay = answer(-1);
  const bot = await writeBot("crash.js", [stay, stay, stay, '(console.error("IndexError: no idea"), process.exit(3))']);
  const options = ["--seed", "9", "--size", "8x8", "--turns", "20", ...GENEROUS_LIMITS];
  crashed = await playMatch("crashed", ["hunter", bot, "greedy", "greedy"], options);
  stayed = await playMatch("stayed", ["hunter", await writeBot("stay.js", [stay]), "greedy", "greedy"], options);
});

const banner = (/** @type {Page} */ page) => page.locator(".result-own");

pageTest("a page in a file says why the only program lost, and leads to that turn", async ({ open }) => {
  const page = await open(crashed.page);
  await waitForTurn(page, 0, 20);
  const text = await banner(page).innerText();
  assert.match(text, /^\.\/crash\.js \(1\): 4th, \d+\.\d\d points; died in turn 4: its program failed\s+.*exit.* 3\s+IndexError: no idea\s+Go there: turn 4/);
  assert.equal(await page.locator(".result-names").isVisible(), false, "the winner comes at the end");
  assert.equal(await banner(page).getByRole("button", { name: /^Ask/ }).count(), 0, "a file has no strong engine");
  // The error stands once.
  await openTab(page, "Bots");
  await page.locator("#details-tab-1").click();
  assert.equal(await page.locator(".details-note[data-fault]").isVisible(), false);
  // All of it by keyboard.
  await banner(page).locator("summary").focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await waitForTurn(page, 4, 20);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await waitUntil(() => textOf(page, "#seat"), /Player 1: choose for turn 4/);
  assert.equal(await banner(page).isVisible(), false, "a game that has just begun");
  await page.goBack();
  await waitForTurn(page, 4, 20);
  await banner(page).locator("summary").press("Enter");
  await waitUntil(() => banner(page).locator("pre").isVisible(), false, "it is folded");
  await page.keyboard.press("ArrowRight");
  await waitForTurn(page, 5);
  assert.equal(await banner(page).locator("pre").isVisible(), false, "it stays folded");
  await page.keyboard.press("End");
  await waitUntil(() => page.locator(".result-names").isVisible(), true);
});

pageTest("a hidden future hides who lost", async ({ open }) => {
  const page = await open(crashed.page);
  await openChoices(page);
  await page.getByLabel("Hide the future").check();
  await waitUntil(() => page.locator("#result").isVisible(), false);
  await page.keyboard.press("Escape");
  await page.keyboard.press("End");
  await waitUntil(() => banner(page).isVisible(), true);
});

pageTest("among several programs, the reader says once which is theirs", async ({ open }) => {
  const replay = JSON.parse(await readFile(crashed.replay, "utf8"));
  replay.public.seats.forEach((/** @type {any} */ seat) => (seat.program = null));
  const winner = replay.public.scores.indexOf(Math.max(...replay.public.scores));
  replay.public.seats[winner].name = "alice";
  replay.public.seats[1].name = "bob@2";
  const builtIn = winner === 3 ? 2 : 3;
  await writeFile(tempPath("class.json"), JSON.stringify(replay));
  const page = await open(crashed.page);
  await page.locator("input[type=file]").setInputFiles(tempPath("class.json"));
  await waitUntil(() => page.locator("#scores .players-name").nth(winner).innerText(), "alice");
  assert.equal(await page.locator("#result").isVisible(), false);
  const panel = await openTab(page, "Bots");
  const mine = panel.getByRole("button", { name: "This is my bot" });
  await page.locator(`#details-tab-${builtIn}`).click();
  assert.equal(await mine.isVisible(), false, "greedy is built in");
  await page.locator("#details-tab-1").click();
  await mine.click();
  await waitUntil(() => banner(page).innerText(), /^bob@2 \(1\): 4th/);
  // It is the same bot in another version.
  replay.public.seats[1].name = "bob@3";
  await writeFile(tempPath("class.json"), JSON.stringify(replay));
  await page.reload();
  await page.locator("input[type=file]").setInputFiles(tempPath("class.json"));
  await waitUntil(() => banner(page).innerText(), /^bob@3 \(1\): 4th/);
  await openTab(page, "Bots");
  await page.locator("#details-tab-1").click();
  await mine.click();
  await waitUntil(() => page.locator("#result").isVisible(), false);
  // A winner gets no banner of a loss.
  await page.locator(`#details-tab-${winner}`).click();
  await mine.click();
  assert.equal(await page.locator("#result").isVisible(), false);
});

pageTest("a server finds the costliest turn, and asks other bots again", async (harness) => {
  await mkdir(tempPath("lost"));
  await copyFile(stayed.replay, tempPath("lost/game.json"));
  const server = await startServer("lost", harness);
  for (const { phone, zh } of [{ phone: false, zh: false }, { phone: true, zh: true }]) {
    const page = await harness.open(`${server.origin}/#token=${server.token}&replay=game.json`, {
      phone, dark: phone, locale: zh ? "zh-CN" : "en-GB", before: (context) => context.addInitScript({ path: axeFile }),
    });
    await page.route("**/api/analyse", async (route) =>
      route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), simulations: 1000 }) }));
    await waitForTurn(page, 0, 20);
    const review = page.getByRole("button", { name: zh ? "复盘" : "Review the match" });
    await review.click();
    await waitUntil(() => textOf(page, ".analysis-head [role=status]"), "", "all turns are analysed");
    const text = await banner(page).innerText();
    const [, turn] = (zh ? /代价最大：第 (\d+) 回合：.+比不动多值/ : /Costliest: turn (\d+): .* points more than staying/).exec(text) ?? assert.fail(text);
    assert.equal(await review.isVisible(), false, "it has been reviewed");
    await openTab(page, zh ? "玩家" : "Players");
    await banner(page).getByRole("button", { name: zh ? `转到第 ${turn} 回合` : `Go there: turn ${turn}` }).click();
    await waitForTurn(page, Number(turn) - 1);
    await waitUntil(() => page.locator("#board path[stroke='var(--light)'][stroke-width='13']").count(), 1, "the better action is in gold");
    await assertTouchable(page, String(phone));

    await banner(page).getByRole("combobox", { name: zh ? "重新回答的程序" : "Bot that answers again" }).selectOption("hunter");
    await banner(page).getByRole("button", { name: zh ? "问这个程序" : "Ask this bot" }).click();
    await waitUntil(() => textOf(page, "#rerun h2"), zh ? "hunter 代替 ./stay.js（1 号）" : "hunter in place of ./stay.js (1)");
    const died = /(\d+) 回合死亡|died in turn (\d+)/.exec(text);
    assert.equal(await page.locator(".rerun-line > *").count(), Number(died?.[1] ?? died?.[2] ?? 20), "a dead bot is asked no more");
    await assertAccessible(page, String(phone), ".page-side");
    if (zh) await assertChinese(page, ["game.json", "stay.js", "./", "lost"]);
    const saved = page.waitForEvent("download");
    await openTab(page, zh ? "分享" : "Share");
    await page.getByRole("button", { name: zh ? "保存录像" : "Save replay" }).click();
    const { rerun } = JSON.parse(await readFile(await (await saved).path(), "utf8"));
    assert.deepEqual([rerun.bot, rerun.seat, rerun.turns.length], ["hunter", 1, 20]);
  }
});

pageTest("a server asks the program as it is now", async (harness) => {
  await mkdir(tempPath("new"));
  const bot = await writeBot("new.js", [answer(-1)]);
  const short = await playMatch("short", ["hunter", bot, "greedy", "greedy"], ["--seed", "9", "--size", "8x8", "--turns", "3", ...GENEROUS_LIMITS]);
  await copyFile(short.replay, tempPath("new/game.json"));
  await writeBot("new.js", [answer(-1), answer(0)]);
  const server = await startServer("new", harness);
  const page = await harness.open(`${server.address}&replay=game.json`);
  await waitForTurn(page, 0, 3);
  await banner(page).getByRole("button", { name: "Ask my new version" }).click();
  await waitUntil(() => textOf(page, "#rerun h2"), "./new.js in place of ./new.js (1)");
  assert.deepEqual(await page.locator(".rerun-line > *").allTextContents(), ["·\n·", "·\n↑", "·\n↑"]);
  await page.getByRole("button", { name: "中文" }).click();
  await banner(page).getByRole("button", { name: "问我的新版本" }).waitFor();
});
