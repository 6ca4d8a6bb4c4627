// Facts of the layout: what is visible, what overlaps, what fits, how much room the board has. In both languages, both themes, three widths.

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

const phone = { width: 360, height: 740, narrow: true };
const laptop = { width: 1280, height: 720, narrow: false };
const screen = { width: 1920, height: 1080, narrow: false };
/** The languages and themes. */
const allLooks = /** @type {const} */ ([
  { language: "en", theme: "light" },
  { language: "zh-CN", theme: "light" },
  { language: "zh-CN", theme: "dark" },
  { language: "en", theme: "dark" },
]);

/**
 * A state of a page: how it is reached, and left. Nothing in it may depend on the language.
 * @typedef {{ name: string, open: (page: Page) => Promise<unknown>, close?: (page: Page) => Promise<unknown>, check?: (facts: Facts, size: typeof phone) => void }} State
 * @typedef {Awaited<ReturnType<typeof factsOf>>} Facts
 */

/**
 * Checks the layout of each state in both languages, in light and dark, in three widths. One page takes all of these looks in turn, because
 * loading it again, and changing its size, take most of the time.
 * @param {Page} page
 * @param {State[]} states
 * @param {string} about
 * @param {typeof allLooks[number][]} looks
 */
async function checkStates(page, states, about, looks = [...allLooks]) {
  const emulation = await page.context().newCDPSession(page);
  for (const size of [laptop, screen, phone]) {
    const { width, height, narrow } = size;
    await emulation.send("Emulation.setTouchEmulationEnabled", { enabled: narrow });
    await emulation.send("Emulation.setDeviceMetricsOverride", { width, height, mobile: narrow, deviceScaleFactor: 1 });
    for (const { language, theme } of looks) {
      await page.emulateMedia({ colorScheme: theme });
      await page.evaluate((wanted) => {
        const button = /** @type {HTMLElement | null} */ (document.querySelector("#header button[lang]"));
        if (document.documentElement.lang !== wanted) button?.click();
        // The board follows the size of the window in the next frame.
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      }, language);
      for (const { name, open, close, check = () => {} } of states) {
        try {
          await open(page);
          const facts = await factsOf(page, theme);
          assert.deepEqual(facts.wrong, []);
          check(facts, size);
          await close?.(page);
        } catch (error) {
          throw new Error(`${about}: ${name}, ${width} × ${height}, ${language}, ${theme}`, { cause: error });
        }
      }
    }
  }
}

/** Facts of the layout at three places of the page: boxes of its parts, and what is wrong. @param {Page} page @param {"light" | "dark"} theme */
function factsOf(page, theme = "light") {
  return page.evaluate((wantedTheme) => {
    scrollTo(0, 0);
    const isShown = (/** @type {Element} */ element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const boxOf = (/** @type {Element | null} */ element) => {
      if (!element || !isShown(element)) return null;
      const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
      return { left, top, right, bottom, width, height };
    };
    const nameOf = (/** @type {Element} */ element) => `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? element.id}`;
    /** @type {Set<string>} */
    const wrong = new Set();
    const top = [...document.querySelectorAll("dialog[open]")].pop() ?? document.body;
    const styles = new Map();
    const styleOf = (/** @type {Element} */ element) => {
      if (!styles.has(element)) styles.set(element, getComputedStyle(element));
      return /** @type {CSSStyleDeclaration} */ (styles.get(element));
    };
    const ancestors = function* (/** @type {Element | null} */ element) {
      for (; element; element = element.parentElement) yield element;
    };
    /** Whether an element stays where it is while the page scrolls, so that it may cover other things. */
    const floats = (/** @type {Element} */ element) =>
      [...ancestors(element)].some((outer) => ["fixed", "sticky", "absolute"].includes(styleOf(outer).position) || outer.matches("dialog, [popover]"));

    // The colours are those of the theme.
    const shade = (styleOf(top).backgroundColor.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
    const isDark = shade.reduce((sum, part) => sum + part, 0) < 384;
    if (shade.length && isDark !== (wantedTheme === "dark")) wrong.add(`the background is ${styleOf(top).backgroundColor} in ${wantedTheme}`);

    // Nothing scrolls sideways, except what is meant to.
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) wrong.add(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
    for (const element of top.querySelectorAll("*")) {
      if (element.scrollWidth <= element.clientWidth + 1 || !element.clientWidth || !isShown(element)) continue;
      if (styleOf(element).overflowX === "visible" || element.closest(".visually-hidden, .table-scroll, pre, svg, textarea, input, select")) continue;
      if (styleOf(element).textOverflow === "ellipsis") continue;
      wrong.add(`${nameOf(element)} is ${element.scrollWidth} wide in ${element.clientWidth}`);
    }

    // Texts are inside their controls and the window, and are not cut, unless on purpose.
    const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    /** @type {{ text: string, element: Element, boxes: DOMRect[] }[]} */
    const texts = [];
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const element = node.parentElement;
      if (!element || !node.nodeValue?.trim() || element.closest("svg, option, .visually-hidden, script, style, .table-scroll, textarea") || !isShown(element)) continue;
      range.selectNodeContents(node);
      const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
      if (!boxes.length) continue;
      const text = `"${node.nodeValue.trim().slice(0, 30)}" in ${nameOf(element)}`;
      texts.push({ text, element, boxes });
      if ([...ancestors(element)].some((outer) => styleOf(outer).textOverflow === "ellipsis")) continue;
      const [left, right] = [Math.min(...boxes.map((box) => box.left)), Math.max(...boxes.map((box) => box.right))];
      const isScrolled = element.closest("pre");
      if (!isScrolled && (left < -1 || right > innerWidth + 1)) wrong.add(`${text} reaches from ${left} to ${right}`);
      const control = element.closest("button, [role=tab], th, td, dt, summary, h1, h2, h3, label, dialog");
      const outer = control?.getBoundingClientRect();
      if (!isScrolled && outer && (left < outer.left - 1 || right > outer.right + 1)) wrong.add(`${text} does not fit ${outer.left} to ${outer.right}: ${left} to ${right}`);
      const button = element.closest("button, [role=tab]")?.getBoundingClientRect();
      if (button && boxes.some((box) => box.top < button.top - 2 || box.bottom > button.bottom + 2)) wrong.add(`${text} is higher than its button`);
    }

    // Controls do not overlap each other.
    const controls = [...top.querySelectorAll("button, select, input:not([type=file]), textarea, summary")]
      .filter((control) => isShown(control) && !control.closest(".visually-hidden, .table-scroll"))
      .map((control) => ({ control, box: control.getBoundingClientRect(), floating: floats(control) }))
      .filter(({ box }) => box.width > 1 && box.height > 1);
    controls.forEach(({ control, box, floating }, index) => {
      for (const other of controls.slice(index + 1)) {
        if (other.floating !== floating || floating || other.control.contains(control) || control.contains(other.control)) continue;
        const [width, height] = [
          Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left),
          Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top),
        ];
        if (width > 1.5 && height > 1.5) wrong.add(`${nameOf(control)} "${control.textContent}" overlaps ${nameOf(other.control)} "${other.control.textContent}"`);
      }
    });

    // Themes have the same layout, so the page scrolls in one of them.
    const places = (wantedTheme === "light" ? [0, 400, 5000] : [0]).map((y) => {
      scrollTo(0, y);
      const board = boxOf(document.querySelector(".board-picture"));
      // What a finger or a pointer finds at points of the board belongs to the board.
      const side = y ? 3 : 6;
      for (let step = 0; board && top === document.body && step < side * side; step += 1) {
        const [right, down] = [step % side, Math.floor(step / side)];
        // The outermost points are at the edges.
        const [x, at] = [board.left + 1 + ((board.width - 2) * right) / (side - 1), board.top + 1 + ((board.height - 2) * down) / (side - 1)];
        const found = document.elementFromPoint(x, at);
        if (!found?.closest("#board, .message-bar, [popover]")) wrong.add(`${found && nameOf(found)} covers the board (${Math.round(board.top)} to ${Math.round(board.bottom)}) where the page is scrolled to ${scrollY}`);
      }
      // A text is found where it is, unless something that floats lies above it.
      for (const { text, element, boxes: [{ left, top: upper, width, height }] } of y ? [] : texts) {
        const [x, at] = [left + Math.min(width / 2, 20), upper + height / 2];
        if (x < 0 || at < 0 || x >= innerWidth || at >= innerHeight) continue;
        const found = document.elementFromPoint(x, at);
        if (found && !found.contains(element) && !element.contains(found) && !floats(found)) wrong.add(`${nameOf(found)} covers ${text}`);
      }
      return {
        board,
        time: boxOf(document.querySelector("#transport")),
        side: boxOf(document.querySelector(".page-side")),
        tabs: boxOf(document.querySelector(".page-tabs")),
        pad: boxOf(document.querySelector("#seat")),
      };
    });
    scrollTo(0, 0);
    const { board } = places[0];
    const isCodeDrawn = boxOf(document.querySelector(".share-qr svg")) !== null;
    return { ...places[0], places, isCodeDrawn, share: board ? (board.width * board.height) / (innerWidth * innerHeight) : 0, wrong: [...wrong] };
  }, theme);
}

/** The board comes first: it fills the window and stays in sight, with one row of time below it. @param {Facts} facts @param {typeof phone} size */
function boardComesFirst({ places, share, side }, { width, height, narrow }, isSquare = false) {
  for (const { board, time, tabs } of places) {
    assert.ok(board && time && side && tabs);
    const inSight = board.top > -1 && board.bottom < height + 1 && board.left > -1 && board.right < width + 1;
    assert.ok(inSight, `${JSON.stringify(board)} is not in sight`);
    assert.ok(time.height <= 56 && Math.abs(time.top - board.bottom) <= 1, "one row of time under the board");
    if (narrow) assert.ok(board.width === width || share > 0.25, `${share}`);
    else assert.ok(side.left >= board.right, "the tabs stand beside the board");
    if (!narrow && isSquare) assert.ok(share >= (width === 1280 ? 0.38 : 0.5), `${share}`);
    // A board of another shape fills the height or the width.
    if (!narrow) assert.ok(board.height >= height - 56 || side.width <= 420, "it fills the window");
  }
}

/** Nothing of the pad covers the board or the row of time. @param {Facts} facts */
function padIsBeside({ board, time, pad }) {
  assert.ok(board && time && pad);
  assert.ok(pad.top >= time.bottom - 1 || pad.left >= board.right - 1, `the pad at ${pad.left}, ${pad.top} covers the board or the row of time`);
}

/** Clicks at once: what is tested is the state that follows. @param {string[]} selectors */
const click = (...selectors) => (/** @type {Page} */ page) =>
  page.evaluate((all) => all.forEach((selector) => /** @type {HTMLElement} */ (document.querySelector(selector)).click()), selectors);
const press = (/** @type {string} */ key) => (/** @type {Page} */ page) => page.keyboard.press(key);
const closeDialog = (/** @type {Page} */ page) =>
  page.evaluate(() => document.querySelectorAll("dialog").forEach((dialog) => dialog.close()));
/** The tabs of a page without a strong engine. @param {boolean} isSquare @returns {State[]} */
const tabs = (isSquare) => ["turn", "bots", "whatif", "share", "overlays", "state"].map((id) => ({
  name: `the tab ${id}`,
  open: click(`#tab-${id}`),
  check: (facts, size) => boardComesFirst(facts, size, isSquare),
}));

pageTest("what is wrong with a layout is found", async ({ open }) => {
  const page = await open(games.square.page);
  assert.deepEqual((await factsOf(page)).wrong, []);
  const broken = async (/** @type {string} */ selector, /** @type {Record<string, string>} */ style, /** @type {RegExp} */ why) => {
    const part = page.locator(selector).first();
    const before = await part.getAttribute("style");
    await part.evaluate((element, wanted) => Object.assign(/** @type {HTMLElement} */ (element).style, wanted), style);
    const { wrong } = await factsOf(page);
    assert.ok(wrong.some((found) => why.test(found)), `${selector}: ${JSON.stringify(wrong)}`);
    await part.evaluate((element, old) => (old === null ? element.removeAttribute("style") : element.setAttribute("style", old)), before);
  };
  await broken("#tab-share", { maxWidth: "20px", minWidth: "0", flex: "none", padding: "0" }, /"Share" in button\.tab-share does not fit/);
  await broken("#tab-share", { height: "8px", minHeight: "0", padding: "0" }, /"Share" in button\.tab-share is higher than its button/);
  await broken("#tab-share", { marginLeft: "-60px" }, /button\.tab-bots "Bots"|"What if" overlaps button\.tab-share "Share"|covers "What if"/);
  await broken("#happened", { width: "3000px" }, /the page is \d+ wide in a window of 1400/);
  await broken("#happened", { width: "3000px", maxWidth: "none" }, /reaches from|wide in/);
  await broken(".page-side", { position: "fixed", left: "0", top: "0", zIndex: "9" }, /covers the board/);
  await broken("body", { backgroundColor: "black" }, /the background is rgb\(0, 0, 0\) in light/);
});

pageTest("the board comes first in every look", async ({ open }) => {
  const page = await open(games.square.page);
  await goToTurn(page, 30);
  await checkStates(page, tabs(true), "square");
});

// What stands beside the board is the same for all mazes.
for (const [shape, look] of /** @type {const} */ ([["wide", 1], ["tall", 0]])) {
  pageTest(`the board of a ${shape} maze comes first`, async ({ open }) => {
    const page = await open(games[shape].page);
    await goToTurn(page, shape === "tall" ? 100 : 30);
    await checkStates(page, tabs(false), shape, [allLooks[look]]);
  });
}

pageTest("dialogs and other states of a match fit in every look", async ({ open }) => {
  const page = await open(games.square.page);
  const replay = JSON.parse(await readFile(loud.replay, "utf8"));
  Object.assign(replay.private.turns[0][0], { debug: { plan: Array(400).fill("step") }, stderr: `${"w".repeat(300)} ${"words ".repeat(400)}` });
  await page.locator("input[type=file]").setInputFiles({ name: "loud.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(replay)) });
  await waitForTurn(page, 0, 1);
  await page.keyboard.press("End");
  const text = (/** @type {string} */ selector) => click("#tab-bots", selector);
  /** @type {State[]} */
  const states = [
    { name: "debug and stderr of a bot", open: click("#tab-bots", "#details-panel details:not([open]) > summary, #tab-bots"), check: boardComesFirst },
    { name: "the input of a bot", open: text(".details-texts button"), close: closeDialog },
    { name: "the whole debug of a bot", open: text("#details-panel details:nth-of-type(1) > button"), close: closeDialog },
    { name: "the whole stderr of a bot", open: text("#details-panel details:nth-of-type(2) > button"), close: closeDialog },
    { name: "the QR code", open: click("#tab-share", ".share-row [aria-pressed]"), close: click(".share-row [aria-pressed]"),
      check: ({ isCodeDrawn }) => assert.ok(isCodeDrawn) },
    { name: "speed and events", open: click(".transport-options"), close: press("Escape") },
    { name: "the keys", open: press("?"), close: closeDialog },
    { name: "the theatre", open: press("f"), close: press("Escape"), check: ({ board, tabs: list }, { height, narrow }) => {
      assert.ok(board && !list);
      if (!narrow) assert.ok(board.height > 0.75 * height, `${board.height}`);
    } },
    { name: "a message", open: async () => {
      await page.locator("input[type=file]").setInputFiles({ name: `${"long name ".repeat(9)}.json`, mimeType: "application/json", buffer: Buffer.from("{") });
      await page.locator(".message-bar [role=alert]").waitFor();
    }, close: click(".message-bar button") },
  ];
  await checkStates(page, states, "a match");
});

pageTest("playing with a clock fits in every look", async ({ open }) => {
  const page = await open(`${games.square.page}#turn=10`, { before: (context) => context.clock.install() });
  await click("#tab-whatif")(page);
  for (const [seat, who] of ["human", "greedy", "greedy", "greedy"].entries()) {
    await page.locator(".whatif-seats select").nth(seat).selectOption(who);
  }
  await page.locator("#whatif .field select").selectOption("60");
  await click("#whatif button.primary")(page);
  await page.locator("#seat .clock-left").waitFor();
  const asked = { name: "a human is asked", open: async () => {}, check: padIsBeside };
  await checkStates(page, [asked], "playing");
  await page.clock.fastForward(60_000);
  await page.locator("#seat .clock-warning").waitFor();
  await checkStates(page, [{ ...asked, name: "a human was too late" }], "playing");
});

pageTest("a server's pages fit in every look", async (harness) => {
  await mkdir(tempPath("server"));
  await copyFile(games.wide.replay, tempPath("server/game.json"));
  const stay = answer(-1, { debug: { heat: "9".repeat(100) } });
  const crash = '(console.error("no idea"), process.exit(3))';
  const failing = await playMatch("failing", ["hunter", await writeBot("failing.js", [stay, stay, crash]), "greedy", "greedy"],
    ["--seed", "9", "--size", "8x8", "--turns", "6", "--time-limit", "60000"]);
  await copyFile(failing.replay, tempPath("server/failing.json"));
  await writeFile(tempPath("server/broken.json"), "{");
  const server = await startServer("server", harness);
  const page = await harness.open(server.address);
  harness.expect(/status of 4/);
  await page.locator("button.home-row").first().waitFor();
  const form = click(".front-buttons button:last-child");
  const start = async (/** @type {string} */ program) => {
    await form(page);
    await page.evaluate((typed) => {
      const dialog = /** @type {HTMLElement} */ (document.querySelector("dialog[open]"));
      dialog.querySelector("details")?.setAttribute("open", "");
      const seat = /** @type {HTMLElement} */ (dialog.querySelectorAll(".home-seat")[1]);
      const [choice, input] = [seat.querySelector("select"), seat.querySelector("input")];
      if (!choice || !input) throw new Error("the form has no seats");
      choice.value = "…";
      choice.dispatchEvent(new Event("change"));
      input.value = typed;
      /** @type {HTMLElement | null} */ (dialog.querySelector(".primary"))?.click();
    }, program);
    await page.locator("dialog[open] .home-trouble:not([hidden])").waitFor();
  };
  await checkStates(page, [
    { name: "the start page", open: async () => {} },
    { name: "the form", open: form, close: closeDialog },
    { name: "the form with an error", open: () => start("no-such-program"), close: async () => {
      await page.locator("dialog[open] .home-seat select").nth(1).selectOption("greedy");
      await closeDialog(page);
    } },
    { name: "the legend", open: click(".front-links button"), close: closeDialog },
  ], "the start page");

  await page.evaluate(() => (location.hash = "replay=failing.json"));
  await waitForTurn(page, 0, 6);
  await page.route("**/api/analyse", (route) =>
    route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), simulations: 200 }) }));
  await page.keyboard.press("End");
  await page.locator("#result button").click();
  await waitUntil(() => page.locator(".review-players button").allInnerTexts(), (texts) => texts.filter((text) => /\d %/.test(text)).length === 4);
  await waitUntil(() => textOf(page, ".analysis-head [role=status]"), "", "all turns are analysed");
  await checkStates(page, [
    { name: "the costliest turns", open: click("#tab-analysis"), check: boardComesFirst },
    { name: "a costly turn", open: click(".analysis-mistakes button"), check: boardComesFirst },
  ], "the review");

  await page.evaluate(() => (location.hash = ""));
  await click(".front-gold")(page);
  await page.locator("#seat .seat-key").first().waitFor();
  await checkStates(page, [{ name: "a human is asked", open: async () => {}, check: padIsBeside }], "a match");
});

pageTest("the theatre shows the board, names and strengths", async ({ open }) => {
  const page = await open(games.square.page);
  await page.keyboard.press("f");
  const shown = () => page.locator("#tabs, .page-header, .players-score, .players-state").filter({ visible: true }).count();
  await waitUntil(shown, 0);
  assert.deepEqual(await page.locator(".players-name:visible").allInnerTexts(), ["greedy", "greedy", "sample", "random"]);
  assert.equal(await page.locator(".players-strength:visible").count(), 4);
  const { board, wrong } = await factsOf(page);
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
  const { board } = await factsOf(page);
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
    const { board } = await factsOf(page);
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
