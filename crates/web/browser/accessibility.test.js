// That nobody is kept out: on a phone and a wide screen, in light and dark, in both languages, on every part of the page.

import assert from "node:assert/strict";
import { copyFile, mkdir } from "node:fs/promises";
import { PATIENT, order, played, served, writeBot } from "./fixtures.js";
import { axeFile, becomes, fitsFingers, nobodyIsKeptOut, openTab, textOf } from "./page-helpers.js";
import { place, scene, stage } from "./harness.js";

/** @type {Awaited<ReturnType<typeof played>>} */
let game;
stage(async () => {
  await mkdir(place("replays"));
  const name = `a-bot-whose-name-is-${"much-".repeat(12)}too-long.js`;
  const bot = await writeBot(name, [order(-1, { tauntText: "W".repeat(40), debug: { cells: [[0, 0, "x"]] } })]);
  const options = ["--seed", "27", "--size", "9x8", "--turns", "12", ...PATIENT];
  game = await played("long", [bot, "greedy", "sample", "random"], options);
  await copyFile(game.replay, place(`replays/${name}.json`));
});

const words = {
  en: { tabs: ["Bots", "Overlays", "What if", "Share", "Table"], help: "Keys and help", more: "Map, turns, limits" },
  zh: { tabs: ["程序", "图层", "如果……", "分享", "表格"], help: "快捷键与帮助", more: "地图、回合数与限制" },
};

// Colours are of the theme, and places of the width: what is in the tabs is looked at once in each of them.
for (const { phone, dark, language, thorough } of /** @type {const} */ ([
  { phone: true, dark: false, language: "en", thorough: true },
  { phone: true, dark: true, language: "zh", thorough: false },
  { phone: false, dark: false, language: "en", thorough: false },
  { phone: false, dark: true, language: "zh", thorough: true },
])) {
  const t = words[language];
  const how = `${phone ? "a phone" : "a wide screen"}, ${dark ? "dark" : "light"}, ${language}`;
  const wish = {
    phone,
    dark,
    locale: language === "zh" ? "zh-CN" : "en-GB",
    before: (/** @type {import("playwright-core").BrowserContext} */ context) => context.addInitScript({ path: axeFile }),
  };

  scene(`the page with a match on ${how}`, async ({ open }) => {
    const page = await open(`${game.page}#turn=11`, wish);
    await fitsFingers(page, how);
    await nobodyIsKeptOut(page, how);
    if (phone) {
      await page.locator("#board svg[role=application]").tap({ position: { x: 40, y: 40 } });
      await becomes(() => textOf(page, "#cell h2"), /0\D+0/, "a finger on a cell");
    }
    if (!thorough) return;
    for (const name of t.tabs.slice(1)) {
      const panel = await openTab(page, name);
      for (const summary of await panel.locator("details:not([open]) > summary").all()) await summary.click();
      for (const check of await panel.getByRole("checkbox").all()) await check.check();
      await fitsFingers(page, `${how}: ${name}`);
      await nobodyIsKeptOut(page, `${how}: ${name}`, "#tabs");
    }
    await page.getByRole("button", { name: t.help, exact: true }).click();
    await fitsFingers(page, `${how}: help`);
    await nobodyIsKeptOut(page, `${how}: help`, "dialog[open]");
    await page.keyboard.press("Escape");
    const whatIf = await openTab(page, t.tabs[2]);
    await whatIf.locator("button.chief").click();
    await page.locator("#seat").waitFor();
    await fitsFingers(page, `${how}: playing`);
    await nobodyIsKeptOut(page, `${how}: playing`, "#seat");
  });

  scene(`the home of a server on ${how}`, async (stage) => {
    const server = await served("replays", stage);
    const page = await stage.open(server.address, wish);
    await becomes(() => page.locator("button.home-row").count(), 1);
    await page.getByText(t.more).click();
    await page.getByRole("combobox").first().selectOption("…");
    await fitsFingers(page, how);
    await nobodyIsKeptOut(page, how);
    assert.equal(await page.locator("form input[type=text]:visible").count(), 1);
  });
}
