// Accessibility: on a phone and a wide screen, light and dark, in both languages, for all parts of the page.

import assert from "node:assert/strict";
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { GENEROUS_LIMITS, answer, playMatch, startServer, writeBot } from "./fixtures.js";
import { axeFile, waitUntil, assertTouchable, assertAccessible, openTab, textOf } from "./page-helpers.js";
import { harness, pageTest, tempPath } from "./harness.js";

/** @type {Awaited<ReturnType<typeof playMatch>>} */
let game;
harness(async () => {
  await mkdir(tempPath("replays"));
  const name = `a-bot-whose-name-is-${"much-".repeat(12)}too-long.js`;
  const bot = await writeBot(name, [answer(-1, { tauntText: "W".repeat(40), debug: { cells: [[0, 0, "x"]] } })]);
  const options = ["--seed", "27", "--size", "9x8", "--turns", "12", ...GENEROUS_LIMITS];
  game = await playMatch("long", [bot, "greedy", "sample", "random"], options);
  await copyFile(game.replay, tempPath(`replays/${name}.json`));
  await mkdir(tempPath("bots"));
  await writeFile(tempPath("bots/wrong.py"), "input()\nprint(1 / 0)\n");
});

const labels = {
  en: {
    tabs: ["Players", "Turn", "Bots", "What if", "Share", "Overlays", "Table"], help: "Keys and help", more: "Map, turns, limits",
    newMatch: "New match…", legend: "Legend", check: "Check", newBot: "New bot…",
  },
  zh: {
    tabs: ["玩家", "回合", "程序", "如果……", "分享", "图层", "表格"], help: "快捷键与帮助", more: "地图、回合数与限制",
    newMatch: "新对局…", legend: "图例", check: "检查", newBot: "新程序…",
  },
};

// Colours depend on the theme, and layout on the width, so each tab and dialog is checked once for each.
for (const { phone, dark, language, thorough } of /** @type {const} */ ([
  { phone: true, dark: false, language: "en", thorough: true },
  { phone: true, dark: true, language: "zh", thorough: false },
  { phone: false, dark: false, language: "en", thorough: false },
  { phone: false, dark: true, language: "zh", thorough: true },
])) {
  const t = labels[language];
  const how = `${phone ? "a phone" : "a wide screen"}, ${dark ? "dark" : "light"}, ${language}`;
  const options = {
    phone,
    dark,
    locale: language === "zh" ? "zh-CN" : "en-GB",
    before: (/** @type {import("playwright-core").BrowserContext} */ context) => context.addInitScript({ path: axeFile }),
  };

  pageTest(`the page with a match on ${how}`, async ({ open }) => {
    const page = await open(`${game.page}#turn=11`, options);
    await assertTouchable(page, how);
    await assertAccessible(page, how);
    if (phone) {
      await page.locator("#board svg[role=application]").tap({ position: { x: 40, y: 40 } });
      await waitUntil(() => textOf(page, "#cell h2"), /0\D+0/, "a finger on a cell");
    }
    if (!thorough) return;
    for (const name of t.tabs.filter((_, number) => number !== 1)) {
      const panel = await openTab(page, name);
      for (const summary of await panel.locator("details:not([open]) > summary").filter({ visible: true }).all()) await summary.click();
      for (const check of await panel.getByRole("checkbox").all()) await check.check();
      await assertTouchable(page, `${how}: ${name}`);
      await assertAccessible(page, `${how}: ${name}`, "#tabs");
    }
    await page.getByRole("button", { name: t.help, exact: true }).click();
    await assertTouchable(page, `${how}: help`);
    await assertAccessible(page, `${how}: help`, "dialog[open]");
    await page.keyboard.press("Escape");
    const whatIf = await openTab(page, t.tabs[3]);
    await whatIf.locator("button.primary").click();
    await page.locator("#seat").waitFor();
    await assertTouchable(page, `${how}: playing`);
    await assertAccessible(page, `${how}: playing`, "#seat");
  });

  pageTest(`the home of a server on ${how}`, async (harness) => {
    const server = await startServer("replays", harness);
    const page = await harness.open(server.address, options);
    await waitUntil(() => page.locator("a.home-row").count(), 1);
    await assertTouchable(page, how);
    await assertAccessible(page, how);
    await page.getByRole("button", { name: t.legend }).click();
    await assertTouchable(page, `${how}: legend`);
    await assertAccessible(page, `${how}: legend`, "dialog[open]");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: t.newMatch }).click();
    await page.getByText(t.more).click();
    await page.getByRole("dialog").getByRole("combobox").first().selectOption("…");
    await assertTouchable(page, `${how}: new match`);
    await assertAccessible(page, `${how}: new match`, "dialog[open]");
    await waitUntil(() => page.locator("form input[type=text]:visible").count(), 1);
  });

  pageTest(`the page of a bot on ${how}`, async (harness) => {
    const server = await startServer("replays", harness, ["--bots", "bots"]);
    const page = await harness.open(`${server.origin}/#token=${server.token}&bots=wrong.py`, options);
    await page.locator(".my-bot-editor .cm-content").waitFor();
    await page.getByRole("button", { name: t.check, exact: true }).click();
    await page.locator(".my-bot-problem").waitFor();
    await assertTouchable(page, how);
    await assertAccessible(page, how);
    await page.goto(`${server.origin}/#bots=`);
    await page.getByRole("button", { name: t.newBot }).click();
    for (const way of await page.locator(".new-bot-ways button").all()) {
      await way.click();
      await assertTouchable(page, `${how}: new bot`);
      await assertAccessible(page, `${how}: new bot`, "dialog[open]");
    }
  });
}
