// The arena's page, as a report from a disk and live. `crates/pacman2/tests/it/browser/arena.rs` prepares both.

import assert from "node:assert/strict";
import { access, writeFile } from "node:fs/promises";
import { pathToFileURL } from "node:url";
import { allTexts, axeFile, waitUntil, assertTouchable, assertChinese, assertAccessible, textOf } from "./page-helpers.js";
import { harness, mainTest, pageTest } from "./harness.js";
import { checkStates } from "./layout-facts.js";

const report = pathToFileURL(process.env.ARENA_REPORT ?? "").href;
const server = process.env.ARENA_SERVER ?? "";
const more = process.env.ARENA_MORE ?? "";
const markup = "</script><img src=x onerror=alert(1)>";
const longEnglish = "a-name-that-is-much-longer-than-any-table-has-room-for-in-one-line";
const longChinese = "名字特别长的程序在任何宽度的窗口里都应当从头到尾看得清楚而不是只剩下一个字";

harness();

/** @typedef {import("playwright-core").Page} Page */

/** Adds a block of games to the arena. */
async function playMore() {
  await writeFile(more, "");
  await waitUntil(() => access(more).then(() => "asked for", () => "played"), "played");
}

/** @param {Page} page @param {string} name */
async function go(page, name) {
  const link = page.getByRole("navigation").getByRole("link", { name, exact: true });
  await link.click();
  await link.and(page.locator("[aria-current]")).waitFor();
}

/**
 * The names of the visible view, and which of them cannot be read: text that lies outside of what clips it, that was cut, or
 * that fills the frame of its table so that nothing else is seen.
 * @param {Page} page
 */
const namesOf = (page) => page.evaluate(() => {
  const view = /** @type {Element} */ (document.querySelector(".view:not([hidden])"));
  const names = [...view.querySelectorAll(".bot-name, .plot-name, .grades th[scope=row]")];
  const unreadable = names.flatMap((name) => {
    const texts = document.createTreeWalker(name, NodeFilter.SHOW_TEXT);
    const wrong = /…/.test(name.textContent ?? "") ? ["cut"] : [];
    while (texts.nextNode()) {
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      const text = range.getBoundingClientRect();
      const frame = name.closest(".table-scroll")?.getBoundingClientRect();
      if (frame && text.width > 0.6 * frame.width) wrong.push(`takes ${text.width} of the ${frame.width} of its frame`);
      for (let box = texts.currentNode.parentElement; box && box !== view; box = box.parentElement) {
        const { left, right, top, bottom } = box.getBoundingClientRect();
        const clips = getComputedStyle(box).overflowX !== "visible" && !box.matches(".table-scroll");
        const isInside = text.left >= left - 1 && text.right <= right + 1 && text.top >= top - 1 && text.bottom <= bottom + 1;
        if (clips && !isInside) wrong.push(`reaches from ${text.left} to ${text.right}, shown from ${left} to ${right}`);
      }
    }
    return wrong.map((what) => `${name.textContent}: ${what}`);
  });
  return { shown: names.map((name) => name.textContent ?? ""), unreadable };
});

/** @param {Page} page @param {string} bot */
const rowOf = (page, bot) => page.locator(".view-table tbody tr").filter({ hasText: bot });

for (const { home, url, isLive } of [
  { home: "a report", url: `${report}#view=table`, isLive: false },
  { home: "a server", url: `${server}/arena`, isLive: true },
]) {
  mainTest(`${home} shows the table`, async ({ open }) => {
    const page = await open(url);
    assert.match(await textOf(page, ".view-table .about"), /^\d+ games in \d+ blocks\. \d+ \(\d(\.\d)? %\) were replayed/);
    assert.match(await page.title(), isLive ? /^\d+ games · Arena · Pacman2$/ : /^\d+ games · 程序设计 .* · Pacman2$/);
    // Old versions are hidden by default.
    await waitUntil(() => page.locator(".view-table tbody tr").count(), 8);
    const line = await rowOf(page, "greedy").innerText();
    assert.match(line, /greedy@1\s+1\d{3} 1\d{3}–1\d{3}\s+\d\d\.\d \d\d\.\d–\d\d\.\d\s+\d\.\d\d\s+\d+ %\s+\d+\s+none\s+\d+ ms/);
    await page.getByRole("checkbox", { name: "Include old versions (1)" }).check();
    await waitUntil(() => page.locator(".view-table tbody tr").count(), 9);
    assert.match(await rowOf(page, "海豚@1").innerText(), /old/);
    assert.equal(await page.locator("main img").count(), 0, "a name is never markup");
    assert.ok((await rowOf(page, markup).innerText()).includes(markup));
    assert.match(await rowOf(page, "backwards").innerText(), /王五⟨U\+202E⟩backwards/);
    await waitUntil(() => page.locator(".view-table svg.plot circle").count(), 9);
    const asked = await page.evaluate(() => performance.getEntriesByType("resource").map(({ name }) => name));
    assert.deepEqual(asked.filter((name) => !name.startsWith(`${server}/api/arena/`)), []);
    assert.equal(asked.length > 0, isLive);
  });

  pageTest(`${home} shows head-to-head results, bots and comparisons`, async ({ open }) => {
    const page = await open(url);
    await go(page, "Head to head");
    await waitUntil(() => page.locator(".matrix tbody tr").count(), 8);
    await page.getByRole("checkbox", { name: "Include old versions (1)" }).check();
    await waitUntil(() => page.locator(".matrix tbody tr").count(), 9);
    const cell = page.locator(".matrix tbody tr").first().locator("td").nth(8);
    assert.match(await cell.innerText(), /^\+\d+\.\d$/);
    assert.match(await cell.getAttribute("title") ?? "", /: \+\S+ points \(95 % \S+ to \S+\); stronger in \d+ % of \d+ games$/);
    await page.getByRole("link", { name: /^海豚 ?@2$/ }).first().click();
    await waitUntil(() => textOf(page, ".bot-title"), "海豚@2");
    assert.equal(await page.locator(".view-bots .plot-bar").count() > 4, true);
    const plotted = await page.locator(".plots svg").first().getAttribute("aria-label");
    assert.match(plotted ?? "", /^Points by seat: player 0 \d+\.\d; player 1/);
    const versions = page.getByRole("region", { name: "Versions" }).getByRole("row");
    await waitUntil(() => versions.count(), 3, "both versions");
    const chosen = page.getByRole("combobox", { name: "Bot", exact: true });
    await chosen.selectOption(`${markup}@1`);
    await waitUntil(() => textOf(page, ".bot-title"), `${markup}@1`);
    await waitUntil(() => page.locator(".view-bots .game .fault").count(), (number) => number > 0, "the games with forfeits");
    await chosen.selectOption("海豚@2");
    await page.getByRole("region", { name: "Bots" }).getByRole("link", { name: "Compare" }).click();
    await waitUntil(() => textOf(page, ".verdict"), "These bots have no common games.");
    await page.getByRole("combobox", { name: "against" }).selectOption("random@1");
    const better = /^Stronger in their common games: \+(\d+\.\d) points \(95 % \+\S+ to \+\S+\) in \d+ games\.$/;
    const [, points] = (await waitUntil(() => textOf(page, ".verdict"), better)).match(better) ?? [];
    const commands = await page.locator(".view-compare code").allInnerTexts();
    assert.deepEqual(commands, isLive ? ["pacman2 arena compare 海豚@2 random@1"] : []);
    await page.getByRole("button", { name: "Swap" }).click();
    await waitUntil(() => textOf(page, ".verdict"), new RegExp(`^Weaker in their common games: −${points} points`));
    await page.goBack();
    await waitUntil(() => textOf(page, ".verdict"), better);
  });

  pageTest(`${home} filters the games`, async ({ open }) => {
    const page = await open(url);
    await go(page, "Games");
    const rows = page.locator(".view-games .game");
    await waitUntil(() => rows.count(), 50);
    await page.getByRole("button", { name: "Show older games" }).click();
    await waitUntil(() => rows.count(), 100);
    await page.getByLabel("Seed").fill("7");
    await page.getByLabel("Seed").press("Enter");
    await waitUntil(() => rows.count(), 4);
    assert.match(await rows.first().innerText(), /seed 7 · 7×7 · \d+ turns/);
    await page.getByLabel("Seed").fill("");
    await page.getByLabel("Seed").press("Enter");
    await waitUntil(() => rows.count(), 50);
    const day = await page.evaluate(() => {
      const [, day, month, year] = /(\d+) (\w+) (\d+)/.exec(document.querySelector(".game-about")?.textContent ?? "") ?? [];
      return `${year}-${String(new Date(`1 ${month} 2000`).getMonth() + 1).padStart(2, "0")}-${day.padStart(2, "0")}`;
    });
    await page.getByLabel("Date").fill(day);
    await waitUntil(() => rows.count(), (number) => number > 0);
    await page.getByLabel("Date").fill("2001-01-01");
    await waitUntil(() => textOf(page, ".view-games .games"), "There are no such games.");
    await page.getByLabel("Date").fill("");
    await waitUntil(() => rows.count(), 50);
    const result = page.getByRole("combobox", { name: "Result of the bot" });
    assert.equal(await result.isDisabled(), true, "without a bot");
    await page.getByRole("combobox", { name: "Bot", exact: true }).selectOption("random@1");
    await result.selectOption("won");
    // Several bots may share the first place.
    const winners = () => rows.evaluateAll((all) => all.map((row) => [...row.querySelectorAll("[data-first]")].map((seat) => seat.textContent ?? "")));
    await waitUntil(winners, (games) => games.length > 0 && games.every((names) => names.some((name) => name.includes("random"))));
    await page.getByRole("combobox", { name: "Bot", exact: true }).selectOption("");
    await waitUntil(() => rows.count(), 50);
    await page.getByRole("combobox", { name: "Forfeits" }).selectOption("RE");
    const isFailure = (/** @type {string} */ text) => /RE it|RE\s/.test(text);
    // The rows before the filter have failures, too.
    await waitUntil(() => rows.allInnerTexts(), (texts) => texts.length > 0 && texts.every(isFailure));
    await page.getByRole("combobox", { name: "Bot", exact: true }).selectOption("random@1");
    await waitUntil(() => textOf(page, ".view-games .games"), "There are no such games.");
    await go(page, "Table");
    await rowOf(page, "张三").getByRole("link", { name: /its program failed: \d+ times/ }).click();
    await waitUntil(() => rows.count(), (number) => number > 0);
    assert.match(page.url(), /fault=RE/);
    assert.equal(await page.getByRole("combobox", { name: "Bot", exact: true }).inputValue(), "张三的吃豆人@1");
  });

  pageTest(`${home} has all texts in Chinese`, async ({ open }) => {
    const page = await open(url, { locale: "zh-CN" });
    const names = ["王五⟨U+202E⟩backwards", longEnglish, markup];
    const kinds = ["TLE", "MLE", "OLE", "NJ", "RE", "ILLEGAL"];
    for (const name of ["排名", "对阵", "程序", "对局", "比较"]) {
      await go(page, name);
      // Wrapped names, commands and ids are not translated. A live page may redraw them at any moment.
      await assertChinese(page, [...names, ...kinds, /[0-9a-f]{32}|[0-9a-f]{12}/], ".plot-name, code");
    }
    assert.match(await page.title(), isLive ? /^\d+ 局 · 竞技场 · 吃豆人2$/ : /^\d+ 局 · 程序设计 .* · 吃豆人2$/);
    await page.getByRole("button", { name: "English", exact: true }).click();
    await go(page, "Table");
    assert.match(await textOf(page, ".view-table .about"), /^\d+ games in/);
    assert.equal(await page.locator("html").getAttribute("lang"), "en");
  });

  for (const dark of [false, true]) {
    const phone = dark === isLive;
    pageTest(`${home} is accessible, ${dark ? "dark" : "light"}, on a ${phone ? "phone" : "wide screen"}`, async ({ open }) => {
      const locale = dark ? "zh-CN" : "en-GB";
      const page = await open(url, { phone, dark, locale, before: (context) => context.addInitScript({ path: axeFile }) });
      for (const link of await page.getByRole("navigation").getByRole("link").all()) {
        await link.click();
        // A few games are enough.
        if (/view=games/.test(page.url())) await page.goto(`${url.replace(/#.*/, "")}#view=games&seed=7`);
        await waitUntil(() => page.locator(".view:visible").count(), 1);
        const part = await link.innerText();
        await assertTouchable(page, part);
        await assertAccessible(page, part);
      }
    });
  }
}

pageTest("a report starts with its grades, has a part for each student, and contains the viewer", async ({ open }) => {
  const page = await open(report, { offline: true });
  assert.match(await textOf(page, "h1"), /程序设计 <\/script>/);
  assert.match(await page.title(), /^240 games · 程序设计 /);
  assert.match(await textOf(page, ".view-grades .about"), /lower end of the 95 % interval.* gets 10\.$/);
  assert.match(await textOf(page, ".grades"), /张三\s+92\s+1\s+24\.5 23\.3–25\.8\s+All thresholds met\./);
  assert.match(await textOf(page, ".grades"), /onerror=alert\(1\)>\s+0\s+–\s+–\s+It failed: Line 3 does not compile\./);
  await page.getByRole("button", { name: "中文", exact: true }).click();
  await waitUntil(() => textOf(page, ".grades"), /未通过：第 3 行编译不过。/);
  await page.getByRole("button", { name: "English", exact: true }).click();
  await page.getByRole("link", { name: "张三" }).click();
  const student = page.getByRole("region", { name: "张三", exact: true });
  assert.match(await student.innerText(), /greedy\s+0\s+92\s+1\.5 −0\.5–3\.5\s+yes\s+random\s+−2\.50\s+60\s+never met\s+no/);
  await student.getByRole("link", { name: "Its games" }).click();
  await waitUntil(() => page.locator(".game").count(), 50);
  await page.goto(`${report}#view=games&seed=1`);
  await waitUntil(() => page.locator(".game").count(), 4);
  const names = await page.locator(".game").first().locator(".bot-name").allInnerTexts();
  await page.locator(".game .watch").first().click();
  const viewer = page.frameLocator(".game-frame");
  await viewer.locator("#board svg[role=application]").waitFor();
  // The viewer cuts long names.
  const short = names.filter((name) => name.length < 20);
  assert.ok(short.length > 0);
  for (const name of short) assert.ok((await viewer.locator("#scores").innerText()).includes(name), name);
  await page.getByRole("link", { name: /All games$/ }).click();
  await waitUntil(() => page.locator(".game").count(), 50);
  await page.goto(`${report}#view=games&seed=2`);
  await waitUntil(() => page.locator(".game").count(), 4);
  await waitUntil(() => page.locator(".game .watch").count(), 0);
});

for (const zh of [false, true]) {
  mainTest(`a game of a report is analysed, and another bot is asked in it, ${zh ? "in Chinese" : "in English"}`, async ({ open }) => {
    const page = await open(`${report}#view=games&seed=1`, { offline: true, phone: zh, locale: zh ? "zh-CN" : "en-GB" });
    await page.locator(".game .watch").first().click();
    const viewer = page.frameLocator(".game-frame");
    const show = (/** @type {string} */ tab) => viewer.getByRole("tab", { name: tab, exact: true }).click();
    await show(zh ? "分析" : "Analysis");
    await viewer.getByRole("button", { name: zh ? "分析对局" : "Analyse the match" }).click();
    await viewer.locator("#analysis").getByText(zh ? "第 1 回合的最佳动作" : "Best actions for turn 1").waitFor();
    await waitUntil(() => viewer.locator(".analysis-head [role=status]").innerText(), "", "all turns are analysed");
    await show(zh ? "程序" : "Bots");
    const lost = viewer.locator(".result-own");
    const mine = viewer.getByRole("button", { name: zh ? "这是我的程序" : "This is my bot" });
    for (const seat of [0, 1, 2, 3]) {
      await viewer.locator(`#details-tab-${seat}`).click();
      if (await mine.isVisible()) await mine.click();
      if (await lost.isVisible()) break;
      // This one has won.
      if (await mine.isVisible()) await mine.click();
    }
    await lost.getByRole("combobox", { name: zh ? "重新回答的程序" : "Bot that answers again" }).selectOption("hunter");
    await lost.getByRole("button", { name: zh ? "问这个程序" : "Ask this bot" }).click();
    await waitUntil(() => viewer.locator("#rerun h2").innerText(), zh ? /^hunter 代替 / : /^hunter in place of /);
    assert.deepEqual(page.workers().length, 1, "the engine is started once");
  });
}

for (const locale of ["en-GB", "zh-CN"]) {
  pageTest(`names are readable at any width, ${locale}`, async ({ open }) => {
    const page = await open(report, { locale });
    for (const width of [1280, 1024, 800, 390]) {
      await page.setViewportSize({ width, height: 900 });
      const tabs = await page.locator(".views a").evaluateAll((links) =>
        links.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent));
      assert.deepEqual(tabs, [], `tabs that overlap at ${width}`);
      for (const view of ["grades", "table", "headToHead", "games&seed=7", "bots", "compare"]) {
        await page.goto(`${report}#view=${view}`);
        const { shown } = await waitUntil(() => namesOf(page), ({ shown }) => shown.length >= 2, view);
        assert.deepEqual((await namesOf(page)).unreadable, [], `${view} at ${width}`);
        for (const name of /grades|table|headToHead/.test(view) ? [longEnglish, longChinese] : []) {
          assert.ok(shown.some((text) => text.includes(name)), `${name} is not in ${view} at ${width}`);
        }
      }
    }
  });
}

pageTest("every view of the arena fits in every look", async ({ open }) => {
  const page = await open(report);
  const views = ["grades", "table", "headToHead", "games&seed=7", "bots", "compare"];
  await checkStates(page, views.map((view) => ({
    name: view,
    open: async () => {
      await page.evaluate((wanted) => void (location.hash = `view=${wanted}`), view);
      await waitUntil(() => namesOf(page), ({ shown }) => shown.length >= 2, view);
    },
  })), "the arena");
});

mainTest("a live page shows new games but does not move the reader", async ({ open }) => {
  const page = await open(`${server}/arena`);
  const games = async () => Number((await page.title()).match(/^\d+/)?.[0]);
  const before = await games();
  await rowOf(page, "greedy").getByRole("link").first().focus();
  await playMore();
  await waitUntil(games, before + 4);
  await waitUntil(() => textOf(page, ".view-table .about"), new RegExp(`^${before + 4} games`));
  assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ""), /greedy/, "the focus stays");

  await go(page, "Games");
  const rows = page.locator(".view-games .game");
  await waitUntil(() => rows.count(), 50);
  const newest = await rows.first().innerText();
  await playMore();
  await waitUntil(() => rows.first().innerText(), (text) => text !== newest, "the newest game is on top");
  await page.getByRole("button", { name: "Show older games" }).click();
  await waitUntil(() => rows.count(), 100);
  await page.evaluate(() => scrollTo(0, 3000));
  const top = await rows.first().innerText();
  await playMore();
  await page.getByRole("button", { name: "Show 4 new games" }).waitFor();
  assert.equal(await rows.first().innerText(), top);
  assert.ok((await page.evaluate(() => scrollY)) > 2000, "the scroll position stays");
  await page.getByRole("button", { name: "Show 4 new games" }).click();
  await waitUntil(() => rows.first().innerText(), (text) => text !== top);
});

pageTest("a game of a live page opens in the viewer", async ({ open }) => {
  const page = await open(`${server}/arena#view=games`);
  const watch = page.locator(".game .watch").first();
  await watch.waitFor();
  const names = await page.locator(".game").first().locator(".bot-name").allInnerTexts();
  await watch.click();
  await page.locator("#board svg[role=application]").waitFor();
  for (const name of names) assert.ok((await textOf(page, "#scores")).includes(name), name);
  // It has what every match on a server has, and a way back.
  await page.getByRole("tab", { name: "Analysis" }).waitFor();
  await page.getByRole("link", { name: "All games" }).click();
  await watch.waitFor();
  // A game with a forfeit begins there.
  await page.goto(`${server}/arena#view=games&fault=any`);
  await waitUntil(() => watch.getAttribute("href"), /^\/#game=[0-9a-f]{32}&turn=[1-9]/);
});
