// Facts of the layout: what is visible, what overlaps, how much room the board has. In both languages, both themes, three widths.

import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { answer, playMatch, startServer, writeBot } from "./fixtures.js";
import { goToTurn, openChoices, openTab, textOf, waitForTurn, waitUntil } from "./page-helpers.js";
import { harness, pageTest, tempPath } from "./harness.js";

/** @typedef {Awaited<ReturnType<typeof playMatch>>} Game */
/** @typedef {import("playwright-core").Page} Page */
/** @type {Record<"square" | "wide" | "tall", Game>} */
let games;
/** @type {Game} */
let loud;

harness(async () => {
  const bots = ["greedy", "greedy", "sample", "random"];
  games = {
    square: await playMatch("square", bots, ["--seed", "7", "--size", "9x9"]),
    wide: await playMatch("wide", bots, ["--seed", "8", "--size", "11x6"]),
    tall: await playMatch("tall", bots, ["--seed", "9", "--size", "6x11"]),
  };
  const taunts = await Promise.all(["I shall have you all", "来啊，小吃豆人", "W".repeat(40), "no"].map((tauntText, seat) =>
    writeBot(`loud-${seat}.js`, [answer(-1, { tauntText })])));
  loud = await playMatch("loud", taunts, ["--seed", "3", "--turns", "1", "--time-limit", "60000"]);
});

/** The layout of a page: boxes of its parts, and what is wrong with it. @param {Page} page */
function layoutOf(page) {
  return page.evaluate(() => {
    const boxOf = (/** @type {Element | null} */ element) => {
      if (!element?.checkVisibility({ visibilityProperty: true })) return null;
      const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
      return { left, top, right, bottom, width, height };
    };
    const board = boxOf(document.querySelector(".board-picture"));
    const root = document.documentElement;
    const wrong = [];
    if (root.scrollWidth > root.clientWidth) wrong.push(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
    // What a finger or a pointer finds at points of the board belongs to the board.
    for (let step = 1; board && step < 64; step += 1) {
      const [x, y] = [board.left + (board.width * (step % 8)) / 8, board.top + (board.height * Math.floor(step / 8)) / 8];
      const found = document.elementFromPoint(x, y);
      if (!found?.closest("#board")) wrong.push(`${found?.tagName}.${found?.className} covers the board at ${x}, ${y}`);
    }
    // Texts of buttons, tabs and headings fit their boxes, unless they are cut on purpose.
    for (const element of document.querySelectorAll("button, [role=tab], h1, h2, h3, th, label > span")) {
      if (!element.checkVisibility({ visibilityProperty: true }) || getComputedStyle(element).textOverflow === "ellipsis") continue;
      if (element.closest(".visually-hidden, .table-scroll") || element.querySelector(".visually-hidden, [class*=name]")) continue;
      if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth) wrong.push(`"${element.textContent}" does not fit`);
    }
    return {
      board,
      time: boxOf(document.querySelector("#transport")),
      side: boxOf(document.querySelector(".page-side")),
      tabs: boxOf(document.querySelector(".page-tabs")),
      share: board ? (board.width * board.height) / (innerWidth * innerHeight) : 0,
      wrong,
    };
  });
}

const sizes = /** @type {const} */ ([
  { width: 360, height: 740, narrow: true },
  { width: 1280, height: 720, narrow: false },
  { width: 1920, height: 1080, narrow: false },
]);

for (const { width, height, narrow } of sizes) {
  for (const [dark, locale] of /** @type {const} */ ([[false, "en-GB"], [true, "zh-CN"]])) {
    pageTest(`the board comes first at ${width} × ${height}, ${dark ? "dark" : "light"}, ${locale}`, async ({ open }) => {
      for (const [shape, game] of Object.entries(games)) {
        const page = await open(game.page, { dark, locale, phone: narrow });
        await page.setViewportSize({ width, height });
        await goToTurn(page, shape === "tall" ? 100 : 30);
        for (const tab of await page.getByRole("tab").filter({ visible: true }).all()) {
          await tab.click();
          for (const y of [0, 400, 5000]) {
            await page.evaluate((to) => scrollTo(0, to), y);
            const { board, time, side, tabs, share, wrong } = await layoutOf(page);
            const where = `${shape}, ${await tab.innerText()}, scrolled to ${y}`;
            assert.deepEqual(wrong, [], where);
            assert.ok(board && time && side && tabs, where);
            const inSight = board.top > -1 && board.bottom < height + 1 && board.left > -1 && board.right < width + 1;
            assert.ok(inSight, `${where}: ${JSON.stringify(board)} is not in sight`);
            assert.ok(time.height <= 56 && Math.abs(time.top - board.bottom) <= 1, `${where}: one row of time under the board`);
            if (narrow) assert.ok(board.width === width || share > 0.25, `${where}: ${share}`);
            else assert.ok(side.left >= board.right, `${where}: the tabs stand beside the board`);
            if (!narrow && shape === "square") assert.ok(share >= (width === 1280 ? 0.38 : 0.5), `${where}: ${share}`);
            // A board of another shape fills the height or the width.
            if (!narrow) assert.ok(board.height >= height - 56 || side.width <= 420, `${where}: it fills the window`);
          }
        }
        await page.close();
      }
    });
  }
}

for (const { width, height, narrow } of sizes) {
  for (const [dark, locale] of /** @type {const} */ ([[true, "en-GB"], [false, "zh-CN"]])) {
    pageTest(`a server's page fits at ${width} × ${height}, ${dark ? "dark" : "light"}, ${locale}`, async (harness) => {
      const t = locale === "zh-CN" ? { form: "新对局…", cancel: "取消", legend: "图例", close: "关闭", play: "亲自上场" }
        : { form: "New match…", cancel: "Cancel", legend: "Legend", close: "Close", play: "Play" };
      const folder = `server-${width}-${locale}`;
      await mkdir(tempPath(folder));
      await copyFile(games.wide.replay, tempPath(`${folder}/game.json`));
      const server = await startServer(folder, harness);
      const page = await harness.open(server.address, { dark, locale, phone: narrow });
      await page.setViewportSize({ width, height });
      const button = (/** @type {string} */ name) => page.getByRole("button", { name, exact: true }).first();
      const check = async (/** @type {string} */ state) => assert.deepEqual((await layoutOf(page)).wrong, [], state);
      await page.locator("button.home-row").waitFor();
      await check("the start page");
      await button(t.form).click();
      await page.locator("dialog[open] summary").click();
      await check("the form");
      await button(t.cancel).click();
      await button(t.legend).click();
      await check("the legend");
      await button(t.close).click();
      await button(t.play).click();
      await page.locator("#seat .seat-key").first().waitFor();
      const { board, time, wrong } = await layoutOf(page);
      assert.deepEqual(wrong, [], "playing");
      const pad = await page.locator("#seat").boundingBox();
      assert.ok(board && time && pad);
      const isBeside = pad.y >= time.bottom - 1 || pad.x >= board.right - 1;
      assert.ok(isBeside, `the pad at ${pad.x}, ${pad.y} covers the board or the row of time`);
    });
  }
}

pageTest("the theatre shows the board, names and strengths", async ({ open }) => {
  const page = await open(games.square.page);
  await page.keyboard.press("f");
  const shown = () => page.locator("#tabs, .page-header, .players-score, .players-state").filter({ visible: true }).count();
  await waitUntil(shown, 0);
  assert.deepEqual(await page.locator(".players-name:visible").allInnerTexts(), ["greedy", "greedy", "sample", "random"]);
  assert.equal(await page.locator(".players-strength:visible").count(), 4);
  const { board, wrong } = await layoutOf(page);
  assert.deepEqual(wrong, []);
  assert.ok(board && board.height > 800);
  await page.keyboard.press("ArrowRight");
  await waitForTurn(page, 1);
  await page.keyboard.press("f");
  await waitUntil(shown, 10);
  await page.getByRole("button", { name: /^Theatre/ }).click();
  await waitUntil(shown, 0);
  await page.keyboard.press("Escape");
  await waitUntil(shown, 10);
});

pageTest("the facts of a cell are beside it, and do not catch the pointer", async ({ open }) => {
  const page = await open(games.square.page);
  const { board } = await layoutOf(page);
  assert.ok(board);
  const facts = page.locator("#cell");
  for (const [x, y] of [[0.1, 0.1], [0.9, 0.1], [0.5, 0.9], [0.9, 0.9]]) {
    const at = { x: board.left + board.width * x, y: board.top + board.height * y };
    await page.mouse.move(at.x, at.y);
    await facts.waitFor();
    const box = await facts.boundingBox();
    assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= 1400 && box.y + box.height <= 900, "in the window");
    assert.ok(at.x < box.x || at.x > box.x + box.width, "beside the cell");
  }
  await page.mouse.move(board.right + 200, 400);
  await facts.waitFor({ state: "hidden" });
});

pageTest("rows and columns are labelled, also while a player is followed", async ({ open }) => {
  const page = await open(games.wide.page);
  const labels = () => page.locator("#board svg text").evaluateAll((all) => {
    const style = (/** @type {Element} */ one) => one.getAttribute("font-size") === "24" && one.getAttribute("font-weight") === "500";
    return all.filter(style).map((one) => {
      const { left, top } = one.getBoundingClientRect();
      return { text: one.textContent, left, top };
    });
  });
  const numbers = (/** @type {number} */ count) => Array.from({ length: count }, (_, number) => String(number));
  assert.deepEqual((await labels()).map(({ text }) => text), [...numbers(11), ...numbers(6)]);
  const before = await labels();
  await page.keyboard.press("1");
  await waitUntil(labels, (now) => now.some(({ left }, index) => Math.abs(left - before[index].left) > 5), "the labels follow the maze");
  // The label of a column stays above the cells of that column: pointing below it finds them.
  for (const { text, left } of (await labels()).slice(0, 11)) {
    const { board } = await layoutOf(page);
    assert.ok(board);
    await page.mouse.move(left + 6, board.top + board.height / 2);
    await waitUntil(() => textOf(page, "#cell h2"), new RegExp(`column ${text}$`));
  }
});

pageTest("the winner is announced at the end, and nothing reveals it before if the future is hidden", async ({ open }) => {
  const page = await open(games.square.page);
  const chartEnds = () => page.locator("#chart .chart-strength").allTextContents();
  const ends = await chartEnds();
  await openChoices(page);
  await page.getByLabel("Hide the future").check();
  await page.keyboard.press("Escape");
  await goToTurn(page, 20);
  const strengths = await page.locator(".players-strength").allInnerTexts();
  assert.deepEqual(await chartEnds(), strengths, "the chart ends at the shown turn");
  assert.notDeepEqual(strengths, ends);
  assert.equal(await page.locator("#result").isVisible(), false);
  await goToTurn(page, 100);
  assert.deepEqual(await chartEnds(), ends);
  const best = Math.max(...games.square.scores.map(Number));
  assert.match(await textOf(page, "#result"), new RegExp(`(wins|share the first place)\\s+${best.toFixed(2)} points`));
});

pageTest("taunts cover no player", async ({ open }) => {
  for (const followed of ["", "1", "3"]) {
    const page = await open(`${loud.page}#turn=1`);
    if (followed) await page.keyboard.press(followed);
    const boxes = await page.locator("#board svg").evaluate((root) => {
      const box = (/** @type {Element} */ one) => one.getBoundingClientRect().toJSON();
      const front = [...root.querySelectorAll("g[display=inline]")].map(box);
      const figures = root.querySelector("g[id$=figures]")?.children ?? [];
      return { bubbles: front, players: [...figures].map((one) => box(/** @type {Element} */ (one.querySelector("path")))) };
    });
    assert.equal(boxes.bubbles.length, 4);
    for (const bubble of boxes.bubbles) {
      // The tip of a bubble touches its player; its text does not.
      const [top, bottom] = [bubble.top + 14, bubble.bottom - 14];
      const over = boxes.players.filter((player) =>
        player.left < bubble.right && player.right > bubble.left && player.top < bottom && player.bottom > top);
      assert.deepEqual(over, [], `followed: ${followed}`);
    }
  }
});

pageTest("huge texts of bots do not slow the page down", async ({ open, say }) => {
  const replay = JSON.parse(await readFile(games.square.replay, "utf8"));
  replay.public.seats.forEach((/** @type {{ name: string }} */ seat, /** @type {number} */ index) => {
    seat.name = `${index}${"/a-folder".repeat(1 << 17)}/bot-${index}.py`;
  });
  for (const [index, turn] of replay.private.turns.entries()) {
    if (index % 10 === 0) turn[0].debug = index ? { list: Array.from({ length: 20_000 }, (_, item) => `item ${item}`) } : "x".repeat(5 << 20);
    turn[1].stderr = "y".repeat(100_000);
  }
  const file = tempPath("huge.json");
  await writeFile(file, JSON.stringify(replay));
  const page = await open(games.wide.page);
  await page.locator("input[type=file]").setInputFiles(file);
  await waitUntil(() => textOf(page, ".players-name >> nth=0"), /^0\/a-folder.*….*\/bot-0\.py$/);
  await openTab(page, "Bots");
  const longest = await page.evaluate(async () => {
    let most = 0;
    const slider = /** @type {HTMLInputElement} */ (document.querySelector(".transport-slider"));
    for (let turn = 30; turn > 0; turn -= 1) {
      const begin = performance.now();
      slider.value = String(turn);
      slider.dispatchEvent(new Event("input"));
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
      most = Math.max(most, performance.now() - begin);
    }
    return most;
  });
  say(`a step to a turn with up to 5 MB of debug took ${longest.toFixed(0)} ms at most`);
  assert.equal((await textOf(page, "#details-panel pre >> nth=0")).length, 2048);
  await page.getByRole("button", { name: "Show all (5 MB)" }).click();
  assert.equal((await page.locator("dialog pre").textContent())?.length, 5 << 20);
});
