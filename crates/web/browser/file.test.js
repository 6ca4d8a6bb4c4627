// The page as a file from a disk: content, language, keyboard, speed.

import assert from "node:assert/strict";
import { stat } from "node:fs/promises";
import { playWholeGame } from "./fixtures.js";
import { allTexts, waitForTurn, waitUntil, assertChinese, openChoices, openTab, sentences, textOf, shownTurn, goToTurn, namesOf, scoresOf } from "./page-helpers.js";
import { harness, mainTest, pageTest } from "./harness.js";

/** @type {Awaited<ReturnType<typeof playWholeGame>>} */
let game;
harness(async () => {
  game = await playWholeGame("whole");
});

mainTest("a file shows its match offline, without any request", async ({ open }) => {
  /** @type {string[]} */
  const asked = [];
  const page = await open(game.page, {
    offline: true,
    before: async (context) => void context.on("request", (request) => asked.push(request.url())),
  });
  assert.deepEqual(await shownTurn(page), [0, 100]);
  assert.match(await textOf(page, "#happened"), /Start\s+No player has acted yet/);
  assert.deepEqual(await namesOf(page), ["greedy", "greedy", "sample", "random"]);
  assert.equal(await page.title(), "greedy, greedy, sample, random · Pacman2");
  await page.keyboard.press("End");
  await waitForTurn(page, 100, 100);
  assert.deepEqual(await scoresOf(page), game.scores);
  assert.match(await textOf(page, "#happened"), /The game is over/);
  assert.match(await (await openTab(page, "Players")).innerText(), /Final score/i);
  const { size } = await stat(new URL(game.page));
  assert.ok(size <= 427_000, `the file of a whole game has ${size} bytes`);
  assert.deepEqual(asked.filter((url) => url.split("#")[0] !== game.page && !/^(data|blob):/.test(url)), []);
});

pageTest("the turn in the address is shown", async ({ open }) => {
  const page = await open(`${game.page}#turn=24`);
  assert.deepEqual(await shownTurn(page), [24, 100]);
  assert.match(await textOf(page, "#happened"), /^Turn 24\s/);
  assert.equal((await sentences(page)).length, 4);
  const there = await sentences(page);
  await goToTurn(page, 60);
  assert.notDeepEqual(await sentences(page), there);
  await goToTurn(page, 24);
  assert.deepEqual(await sentences(page), there);
  for (const [asked, shown] of [["1000", 100], ["-3", 0], ["x", 0], ["2.4", 2]]) {
    await page.evaluate((wanted) => (location.hash = `turn=${wanted}`), asked);
    await page.reload();
    await waitUntil(() => shownTurn(page), [shown, 100], `turn=${asked}`);
  }
});

mainTest("the page uses the browser's language, and a button switches it", async ({ open }) => {
  const chinese = await open(`${game.page}#turn=24`, { locale: "zh-CN" });
  assert.match(await textOf(chinese, "#happened"), /第 24 回合/);
  for (const name of ["播放（空格）", "打开…", "最后一回合（End）", "快捷键与帮助"]) {
    assert.equal(await chinese.getByRole("button", { name, exact: true }).count(), 1, name);
  }
  await chinese.keyboard.press("?");
  await chinese.getByRole("dialog").waitFor();
  await chinese.keyboard.press("Escape");
  for (const name of ["玩家", "程序", "图层", "如果……", "分享", "表格"]) await openTab(chinese, name);
  await assertChinese(chinese);

  await chinese.getByRole("button", { name: "English", exact: true }).click();
  assert.equal(await chinese.locator("html").getAttribute("lang"), "en");
  assert.equal(await textOf(chinese, "#happened h2"), "Turn 24");
  const closed = (await chinese.locator("dialog:not([open])").evaluateAll((all) => all.map((one) => one.textContent))).join();
  const english = (await allTexts(chinese)).filter((text) => !closed.includes(text));
  const left = english.filter((text) => /[\u4e00-\u9fff]/.test(text.replace(/中文|吃豆人2/, "")));
  assert.deepEqual(left, [], "Chinese in the English page");
  assert.deepEqual(english.filter((text) => /undefined|NaN|\[object/.test(text)), []);

  const american = await open(game.page, { locale: "en-US" });
  assert.equal(await american.locator("html").getAttribute("lang"), "en");
  await american.getByRole("button", { name: "中文", exact: true }).click();
  assert.match(await textOf(american, "#happened"), /开局\s+还没有玩家行动/);
});

mainTest("everything can be done by keyboard", async ({ open }) => {
  const page = await open(game.page);
  const { keyboard } = page;
  const press = async (/** @type {string} */ key, /** @type {number} */ turn) => {
    await keyboard.press(key);
    await waitUntil(() => shownTurn(page), [turn, 100], key);
  };
  await press("ArrowRight", 1);
  await press("Shift+ArrowRight", 11);
  await press("ArrowLeft", 10);
  await press("Shift+ArrowLeft", 0);
  await press("ArrowLeft", 0);
  await press("End", 100);
  await press("ArrowRight", 100);
  await press("Home", 0);
  await keyboard.press("]");
  const first = (await waitUntil(() => shownTurn(page), ([turn]) => turn > 0))[0];
  await waitUntil(() => textOf(page, "#happened"), /spawned|shot|died|ate \d/);
  await keyboard.press("]");
  await waitUntil(() => shownTurn(page), ([turn]) => turn > first);
  await press("[", first);

  await keyboard.press("Space");
  await page.getByRole("button", { name: "Pause (space)" }).waitFor();
  await waitUntil(() => shownTurn(page), ([turn]) => turn > first, "it plays");
  await keyboard.press("Space");
  await page.getByRole("button", { name: "Play (space)" }).waitFor();

  const followed = () => page.locator("#scores button").evaluateAll((all) => all.map((one) => one.getAttribute("aria-pressed")));
  for (const seat of [0, 1, 2, 3]) {
    await keyboard.press(String(seat + 1));
    await waitUntil(followed, [0, 1, 2, 3].map((other) => String(other === seat)));
  }
  await keyboard.press("4");
  await waitUntil(followed, ["false", "false", "false", "false"]);

  await keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Keys" });
  await help.waitFor();
  assert.match(await help.innerText(), /play or pause[\s\S]*show this help/);
  await keyboard.press("Home");
  assert.notEqual((await shownTurn(page))[0], 0, "a key works through a dialog");
  await keyboard.press("Escape");
  await help.waitFor({ state: "hidden" });
  await press("Home", 0);
});

pageTest("everything can be done by mouse", async ({ open }) => {
  const page = await open(game.page);
  const click = async (/** @type {string} */ name, /** @type {number} */ turn) => {
    await page.getByRole("button", { name, exact: true }).click();
    await waitUntil(() => shownTurn(page), [turn, 100], name);
  };
  await click("Last turn (End)", 100);
  await click("One turn back (←)", 99);
  await click("First turn (Home)", 0);
  await click("One turn forward (→)", 1);
  await openChoices(page);
  await page.getByRole("combobox", { name: "Events" }).selectOption("spawns");
  await click("Next event (])", 20);
  await click("Next event (])", 40);
  await click("Previous event ([)", 20);
  await goToTurn(page, 84);
  await openChoices(page);
  await page.getByRole("combobox", { name: "Speed" }).selectOption("16×");
  await page.getByRole("button", { name: "Play (space)" }).click();
  await waitUntil(() => shownTurn(page), [100, 100], "it plays to the end");
  await page.getByRole("button", { name: "Play (space)" }).waitFor();

  const chart = page.getByRole("img", { name: /^Strength over time/ });
  const { width = 0 } = await chart.boundingBox() ?? {};
  await chart.click({ position: { x: width / 2, y: 80 } });
  await waitUntil(() => shownTurn(page), ([turn]) => turn > 30 && turn < 70, "a click on the chart goes to its turn");

  await page.locator("#board svg[role=application]").hover({ position: { x: 60, y: 60 } });
  await waitUntil(() => textOf(page, "#cell"), /^Row 0, column 0\s+Here[\s\S]*Walls[\s\S]*Turns to get here/);
  const line = page.locator("#scores button");
  await line.nth(2).click();
  const followed = () => line.evaluateAll((all) => all.map((one) => one.getAttribute("aria-pressed")));
  await waitUntil(followed, ["false", "false", "true", "false"]);
  await line.nth(2).click();
  await waitUntil(followed, ["false", "false", "false", "false"]);
});

pageTest("one tab is open at a time", async ({ open }) => {
  const page = await open(game.page);
  const shown = () => page.locator("#tabs > .card > [role=tabpanel]:visible").evaluateAll((all) =>
    all.map((panel) => document.getElementById(panel.getAttribute("aria-labelledby") ?? "")?.textContent));
  const names = ["Players", "Turn", "Bots", "What if", "Share", "Overlays", "Table"];
  assert.deepEqual(await page.getByRole("tab").filter({ visible: true }).allInnerTexts(), names);
  assert.deepEqual(await shown(), ["Turn"]);
  for (const name of names) {
    await openTab(page, name);
    assert.deepEqual(await shown(), [name]);
  }
  await page.getByRole("tab", { name: "Table" }).press("ArrowRight");
  await waitUntil(shown, ["Players"]);
  await goToTurn(page, 5);
  await page.locator("input[type=file]").setInputFiles(game.replay);
  await waitForTurn(page, 0, 100);
  assert.deepEqual(await shown(), ["Players"], "another match keeps the tab");
});

pageTest("the focus reaches everything, is visible, and is never trapped", async ({ open }) => {
  const page = await open(game.page);
  const wanted = await page.evaluate(() => {
    const focusable = "button:not(:disabled):not([tabindex='-1']), select, input, summary, [tabindex='0']";
    return [...document.querySelectorAll(focusable)].filter((one) => one.checkVisibility()).length;
  });
  const seen = new Set();
  await page.evaluate(() => /** @type {any} */ (window).stops = []);
  for (let step = 0; step < wanted + 10; step += 1) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const { stops } = /** @type {any} */ (window);
      const at = document.activeElement;
      if (!at || at === document.body) return null;
      if (!stops.includes(at)) stops.push(at);
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(at);
      const box = at.getBoundingClientRect();
      return {
        number: stops.indexOf(at),
        name: `${at.tagName} ${at.id} ${at.getAttribute("aria-label") ?? at.textContent?.slice(0, 30)}`,
        outlined: (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || boxShadow !== "none",
        inWindow: box.bottom > 0 && box.top < innerHeight,
      };
    });
    if (!stop) break;
    assert.ok(stop.outlined, `the focus is invisible on ${stop.name}`);
    assert.ok(stop.inWindow, `${stop.name} is focused outside the window`);
    seen.add(stop.number);
  }
  assert.equal(seen.size, wanted, "the focus does not reach everything");

  // The cells of the board, by keyboard.
  await page.locator("#board svg[role=application]").focus();
  await page.keyboard.press("Enter");
  await waitUntil(() => textOf(page, "#cell"), /Row \d+, column \d+[\s\S]*greedy \(0\), strength/);
  const first = await textOf(page, "#cell h2");
  await page.keyboard.press("ArrowRight");
  await waitUntil(() => textOf(page, "#cell h2"), (title) => title !== first);
  await page.keyboard.press("Escape");
  await page.locator("#cell").waitFor({ state: "hidden" });
});

pageTest("the slider shows its turn", async ({ open, say }) => {
  const page = await open(game.page, { calm: false, before: (context) => context.addInitScript(measureFrames) });
  const texts = await page.evaluate(async () => {
    const slider = /** @type {HTMLInputElement} */ (document.querySelector("input[type=range]"));
    const shown = [];
    const costs = [];
    const measured = /** @type {any} */ (window);
    const frame = () => new Promise((done) => measured.plainFrame(done));
    await frame();
    for (let turn = 1; turn <= 100; turn += 1) {
      measured.scriptMs = 0;
      const begin = performance.now();
      slider.value = String(turn);
      slider.dispatchEvent(new Event("input", { bubbles: true }));
      measured.scriptMs += performance.now() - begin;
      await frame();
      costs.push(measured.scriptMs);
      shown.push([
        document.querySelector(".transport-turn")?.textContent,
        document.querySelector("#happened h2")?.textContent,
      ].join(" | "));
    }
    costs.sort((a, b) => a - b);
    return { shown, median: costs[50], most: costs[95], worst: costs[99] };
  });
  assert.deepEqual(texts.shown, texts.shown.map((_, index) => `${index + 1} / 100 | Turn ${index + 1}`));
  assert.deepEqual(await scoresOf(page), game.scores);
  const ms = (/** @type {number} */ value) => `${value.toFixed(1)} ms`;
  say(`the page was ready ${await page.locator("body").getAttribute("data-ready")} ms after its address was opened`);
  const { median, most, worst } = texts;
  say(`scrubbing over 100 turns: ${ms(median)} of script a turn in the median, 95 % below ${ms(most)}, at most ${ms(worst)}`);
});

/** Runs in the page: measures the time of the page's animation frames. */
function measureFrames() {
  const measured = /** @type {any} */ (window);
  measured.scriptMs = 0;
  measured.plainFrame = requestAnimationFrame.bind(window);
  measured.requestAnimationFrame = (/** @type {FrameRequestCallback} */ draw) =>
    measured.plainFrame((/** @type {number} */ now) => {
      const begin = performance.now();
      draw(now);
      measured.scriptMs += performance.now() - begin;
    });
}

pageTest("screen readers hear the turn", async ({ open }) => {
  const page = await open(game.page);
  const heard = page.locator("#announcer");
  assert.equal(await heard.getAttribute("aria-live"), "polite");
  await page.keyboard.press("ArrowRight");
  const texts = await sentences(page);
  const names = await namesOf(page);
  const said = texts.map((sentence, seat) => `${names[seat]} (${seat}) ${sentence}`);
  await waitUntil(() => heard.innerText(), `Turn 1: ${said.join(". ")}.`);
  await page.keyboard.press("End");
  await waitUntil(() => heard.innerText(), /^Turn 100: .*The game is over\.$/);
});

pageTest("with reduced motion, nothing moves", async ({ open }) => {
  const still = await open(game.page, { calm: true });
  const board = () => still.locator("#board svg").first().innerHTML();
  let rested = await board();
  for (const turn of [1, 2]) {
    await still.keyboard.press("ArrowRight");
    await waitForTurn(still, turn);
    const moments = await still.evaluate(async () => {
      const picture = document.querySelector("#board svg");
      const nextFrame = () => new Promise(requestAnimationFrame);
      // The step itself is drawn in two frames: the position, and then what lies over it.
      await nextFrame().then(nextFrame);
      const seen = new Set();
      for (let frame = 0; frame < 12; frame += 1) {
        await nextFrame();
        seen.add(picture?.innerHTML);
      }
      return [...seen];
    });
    assert.deepEqual(moments, [await board()], `turn ${turn}`);
    assert.notEqual(moments[0], rested);
    [rested] = /** @type {string[]} */ (moments);
  }
  await still.evaluate(() => addEventListener("transitionrun", () => (document.title = "moving")));
  await still.locator("#board svg").first().hover();
  await waitUntil(() => still.locator(".board-tools").evaluate((tools) => getComputedStyle(tools).opacity), "1");
  assert.notEqual(await still.title(), "moving", "the tools of the board appear at once");
  assert.deepEqual(await still.evaluate(() => document.getAnimations().length), 0);
});

pageTest("the position can be read as a table", async ({ open }) => {
  const page = await open(`${game.page}#turn=40`);
  const panel = await openTab(page, "Table");
  const strengths = await page.locator(".players-strength").allInnerTexts();
  await waitUntil(() => panel.locator("tbody td:nth-child(4)").allInnerTexts(), strengths);
  assert.match(await panel.innerText(), /After turn 40[\s\S]*Small fruit/);
});
