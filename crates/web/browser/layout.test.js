// Facts of the layout: what is visible, what overlaps, what fits, how much room the board has. In both languages, both themes, six sizes.

import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { answer, pacman2, playMatch, startServer, writeBot } from "./fixtures.js";
import { goToTurn, openChoices, openTab, textOf, tokenOf, waitForTurn, waitUntil } from "./page-helpers.js";
import { harness, pageTest, tempPath } from "./harness.js";
import { checkStates, factsOf, padIsBeside } from "./layout-facts.js";

/** @typedef {Awaited<ReturnType<typeof playMatch>>} Game */
/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("./layout-facts.js").State} State */
/** @typedef {import("./layout-facts.js").Facts} Facts */
/** @typedef {import("./layout-facts.js").Size} Size */
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

/** The board comes first: it fills the window and stays in sight, with one row of time below it. @param {Facts} facts @param {Size} size */
function boardComesFirst({ places, share, side, banner, winner }, { width, height, narrow }, isSquare = false) {
  assert.ok(!banner || winner > 40, `the name of the winner has ${winner}`);
  for (const { board, time, turn, tabs } of places) {
    assert.ok(board && time && side && tabs);
    const inSight = board.top > -1 && board.bottom < height + 1 && board.left > -1 && board.right < width + 1;
    assert.ok(inSight, `${JSON.stringify(board)} is not in sight`);
    assert.ok(time.height <= 56 && Math.abs(time.top - board.bottom) <= 1, "one row of time under the board");
    if (narrow) assert.ok(board.width === width || board.height > 0.5 * height, `${board.height}`);
    if (narrow) assert.ok(board.top < 60, `one row of buttons above the board, which begins at ${board.top}`);
    else assert.ok(side.left >= board.right, "the tabs stand beside the board");
    if (!narrow && isSquare) assert.ok(share >= (width === 1280 ? 0.38 : 0.5), `${share}`);
    // What a wide board leaves free has what happened in the turn.
    const [left, bottom] = [turn?.left, Math.max(time.bottom, turn && turn.left < board.right ? turn.bottom : 0)];
    if (!narrow) assert.ok(height - bottom < 140, `below ${bottom} is nothing; the turn is at ${left}`);
  }
}

/** Seen from ten metres, letters of a 60-inch screen are read from 30 px on. @param {Facts} facts @param {Size} size */
function theatreIsReadable({ exit, letters }, { width }) {
  assert.ok(exit, "a button leaves the theatre");
  if (width === 1920) for (const [text, px] of letters) assert.ok(px >= 30, `"${text}" has letters of ${px}`);
}

/** Clicks at once: what is tested is the state that follows. @param {string[]} selectors */
const click = (...selectors) => (/** @type {Page} */ page) =>
  page.evaluate((all) => all.forEach((selector) => /** @type {HTMLElement} */ (document.querySelector(selector)).click()), selectors);
const press = (/** @type {string} */ key) => (/** @type {Page} */ page) => page.keyboard.press(key);
const closeDialog = (/** @type {Page} */ page) =>
  page.evaluate(() => document.querySelectorAll("dialog").forEach((dialog) => dialog.close()));
/** Drags a file over the page. @param {"dragenter" | "dragleave"} kind */
const drag = (kind) => (/** @type {Page} */ page) => page.evaluate((name) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File(["{}"], "replay.json"));
  document.body.dispatchEvent(new DragEvent(name, { dataTransfer, bubbles: true, cancelable: true }));
}, kind);
/** A match whose bots have long names, with what another bot would have done. @param {keyof typeof games} shape */
async function withLongNames(shape) {
  const replay = JSON.parse(await readFile(games[shape].replay, "utf8"));
  const names = [`${"/home/student/bots".repeat(9)}/best.py`, "一个名字非常非常长的吃豆人程序", "a name of several words", "W".repeat(40)];
  names.forEach((name, seat) => (replay.public.seats[seat].name = name));
  await writeFile(tempPath(`${shape}-long.json`), JSON.stringify(replay));
  await pacman2("rerun", `${shape}-long.json`, "--seat", "0", "hunter", "--simulations", "1", "--json", "--replay", `${shape}-rerun.json`);
  return tempPath(`${shape}-rerun.json`);
}

/** The tabs of a page without a strong engine. @param {string} shape of the maze @returns {State[]} */
const tabs = (shape) => ["players", "turn", "bots", "whatif", "share", "overlays", "state"].map((id) => ({
  name: `the tab ${id} beside a ${shape} maze`,
  open: click(`#tab-${id}`),
  check: (facts, size) => boardComesFirst(facts, size, shape === "square"),
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
  await broken("#chart .chart", { fontSize: "30px" }, /"(lights|fights|deaths|spawns)" at .* leaves its svg\.chart|overlaps ".*" in svg\.chart/);
  await broken(".page-side", { position: "fixed", left: "0", top: "0", zIndex: "9" }, /covers the board/);
  await broken("body", { backgroundColor: "black" }, /the background is rgb\(0, 0, 0\) in light/);
});

pageTest("the board of each maze comes first in every look", async ({ open }) => {
  const page = await open(games.square.page);
  /** @type {State[]} */
  const states = [];
  /** @type {string[]} */
  const addresses = [];
  for (const [shape, turn] of /** @type {const} */ ([["square", 30], ["wide", 100], ["tall", 100]])) {
    await page.locator("input[type=file]").setInputFiles(await withLongNames(shape));
    await waitUntil(() => page.evaluate(() => location.hash), (hash) => hash.startsWith("#g=") && !addresses.includes(hash));
    addresses.push(await page.evaluate(() => location.hash));
    const address = `${addresses.at(-1)}&turn=${turn}`;
    const [first, ...others] = tabs(shape);
    const show = async (/** @type {Page} */ on) => {
      await on.evaluate((wanted) => void (location.hash = wanted), address);
      await waitForTurn(on, turn);
      await first.open(on);
    };
    states.push({ ...first, open: show }, ...others, {
      name: `the theatre of a ${shape} maze`, open: press("f"), close: press("f"),
      check: theatreIsReadable,
    });
  }
  await checkStates(page, states, "a match");
});

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
    { name: "a note is written", open: click("#tab-turn", ".note-row > button"), close: click(".note-row > button"), check: boardComesFirst },
    { name: "the input of a bot", open: text(".details-texts button"), close: closeDialog },
    { name: "the whole debug of a bot", open: text("#details-panel details:nth-of-type(1) > button"), close: closeDialog },
    { name: "the whole stderr of a bot", open: text("#details-panel details:nth-of-type(2) > button"), close: closeDialog },
    { name: "the QR code", open: click("#tab-share", ".share-row [aria-pressed]"), close: click(".share-row [aria-pressed]"),
      check: ({ isCodeDrawn }) => assert.ok(isCodeDrawn) },
    { name: "the facts of a cell", open: async () => {
      await page.mouse.click(200, 300);
      await page.locator("#cell:visible").waitFor();
    }, close: () => page.mouse.click(200, 300) },
    { name: "speed and events", open: click(".transport-options"), close: press("Escape") },
    { name: "the keys", open: press("?"), close: closeDialog },
    { name: "a file is dragged over the page", open: drag("dragenter"), close: drag("dragleave"), check: ({ veil }, { width, height }) => {
      assert.ok(veil && veil.width > 0.9 * width && veil.height > 0.9 * height, "the veil lies over the window");
    } },
    { name: "the theatre", open: press("f"), close: press("Escape"), check: ({ board, tabs: list }, { height, narrow }) => {
      assert.ok(board && !list);
      if (!narrow) assert.ok(board.height > 0.65 * height, `${board.height}`);
    } },
    { name: "a message", open: async () => {
      await page.locator("input[type=file]").setInputFiles({ name: `${"long name ".repeat(9)}.json`, mimeType: "application/json", buffer: Buffer.from("{") });
      await page.locator(".message-bar [role=alert]").waitFor();
    }, close: click(".message-bar button") },
  ];
  await checkStates(page, states, "a match");
  Object.assign(replay.public.turns[0], { position: "0".repeat(16) });
  await page.locator("input[type=file]").setInputFiles({ name: "odd.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(replay)) });
  await page.locator("#complaint:visible").waitFor();
  await checkStates(page, [{ name: "a match that differs from the rules", open: async () => {} }], "a match");
});

pageTest("a match whose future is hidden fits in every look, and shows as much", async ({ open }) => {
  const page = await open(`${games.square.page}#turn=40`);
  await click(".transport-choices input[type=checkbox]")(page);
  const goTo = (/** @type {number} */ turn) => async (/** @type {Page} */ on) => {
    await on.evaluate((wanted) => void (location.hash = `turn=${wanted}`), turn);
    await waitForTurn(on, turn);
  };
  await checkStates(page, [
    { name: "a turn", open: goTo(40), check: (facts, size) => {
      boardComesFirst(facts, size, true);
      assert.equal(facts.banner, null);
    } },
    { name: "its tab", open: click("#tab-turn"), check: boardComesFirst },
    { name: "the end", open: goTo(100), check: (facts, size) => {
      boardComesFirst(facts, size, true);
      assert.ok(facts.banner, "the future has come");
    } },
  ], "the future is hidden");
});

pageTest("a frame in another page fits in every look", async ({ open }) => {
  for (const { page: address } of Object.values(games)) {
    const page = await open(`${address}#turn=100&embed=1`);
    await checkStates(page, [{ name: "a frame", open: async () => {}, check: ({ others, room }) => {
      assert.deepEqual(others, [], "there is more than the board, the row of time and the names");
      assert.equal(room, 0, "it scrolls");
    } }], "a frame");
  }
});

pageTest("playing with a clock fits in every look", async ({ open }) => {
  const page = await open(`${games.square.page}#turn=3`, { before: (context) => context.clock.install() });
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
  await page.clock.fastForward(60_000);
  const skip = page.locator("#seat .seat-head button");
  await skip.waitFor();
  await page.keyboard.press(" ");
  await checkStates(page, [{ ...asked, name: "a human died" }], "playing");
  await skip.click();
  await page.locator(".result-own").waitFor();
  await checkStates(page, [{ name: "a human's game is over", open: async () => {} }], "playing");
});

/** @param {Facts} facts @param {Size} size */
const startIsInSight = ({ start }, { height }) => assert.ok(start && start.top > 0 && start.bottom < height, JSON.stringify(start));

pageTest("a server's pages fit in every look", async (harness) => {
  await mkdir(tempPath("server"));
  await copyFile(games.wide.replay, tempPath("server/game.json"));
  const stay = answer(-1, { debug: { heat: "9".repeat(100) } });
  const crash = '(console.error("no idea"), process.exit(3))';
  const failing = await playMatch("failing", ["hunter", await writeBot("failing.js", [stay, stay, crash]), "greedy", "greedy"],
    ["--seed", "9", "--size", "8x8", "--turns", "6", "--time-limit", "60000"]);
  const named = JSON.parse(await readFile(failing.replay, "utf8"));
  named.public.seats[1].name = `${"/home/student/bots".repeat(9)}/best.py`;
  await writeFile(tempPath("server/failing.json"), JSON.stringify(named));
  await writeFile(tempPath("server/broken.json"), "{");
  const server = await startServer("server", harness);
  const page = await harness.open(server.address);
  harness.expect(/status of 4/);
  await page.locator("a.home-row").first().waitFor();
  const token = await tokenOf(page);
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
    { name: "the form", open: form, close: closeDialog, check: startIsInSight },
    { name: "the form with an error", open: () => start("no-such-program"), check: startIsInSight, close: async () => {
      await page.locator("dialog[open] .home-seat select").nth(1).selectOption("greedy");
      await closeDialog(page);
    } },
    { name: "the legend", open: click(".front-links button"), close: closeDialog },
    { name: "the token is asked for", open: async () => {
      await page.evaluate(() => sessionStorage.removeItem("pacman2-token"));
      await click(".front-gold")(page);
      await page.locator("#home-token").waitFor();
    }, close: async () => {
      await closeDialog(page);
      await page.evaluate((value) => sessionStorage.setItem("pacman2-token", value), String(token));
    } },
  ], "the start page");

  await page.evaluate(() => (location.hash = "replay=failing.json"));
  await waitForTurn(page, 0, 6);
  await page.route("**/api/analyse", (route) =>
    route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), simulations: 200 }) }));
  await page.keyboard.press("End");
  await page.locator("#result > button").click();
  await waitUntil(() => page.locator(".review-players button").allInnerTexts(), (texts) => texts.filter((text) => /\d %/.test(text)).length === 4);
  await waitUntil(() => textOf(page, ".analysis-head [role=status]"), "", "all turns are analysed");
  await checkStates(page, [
    { name: "the costliest turns", open: click("#tab-analysis"), check: boardComesFirst },
    { name: "a costly turn, and why the only program lost", open: click(".analysis-mistakes button"), check: (facts, size) => {
      boardComesFirst(facts, size);
      assert.ok(facts.others.includes("details.result-own"));
    } },
  ], "the review");

  await page.evaluate(() => (location.hash = ""));
  await click(".front-gold")(page);
  await page.locator("#seat .seat-key").first().waitFor();
  const ownSeat = click(".home-strip [aria-pressed]:not([hidden])");
  await checkStates(page, [
    { name: "a human is asked", open: async () => {}, check: padIsBeside },
    { name: "a match is watched", open: ownSeat, close: ownSeat },
  ], "a live match");

  const file = await harness.open(`${server.origin}/file.html`);
  await checkStates(file, [{ name: "no match", open: async () => {} }], "the page for files");

  harness.expect(/ERR_/);
  await server.end("SIGKILL");
  await waitUntil(() => textOf(page, ".home-state"), /Connection to the server lost|与服务器的连接断开/);
  await checkStates(page, [{ name: "the connection is lost", open: async () => {} }], "a live match");
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
    // The facts of the cell before may still be shown; these are beside the pointer.
    const box = await waitUntil(() => facts.boundingBox(), (now) => now !== null && (at.x < now.x || at.x > now.x + now.width));
    assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= 1400 && box.y + box.height <= 900, "in the window");
  }
  await page.mouse.move(board.right + 200, 400);
  await facts.waitFor({ state: "hidden" });
});

pageTest("hovering moves nothing", async ({ open }) => {
  for (const phone of [false, true]) {
    const page = await open(games.square.page, { phone });
    const places = () => page.locator("main section, main button, main svg").evaluateAll((all) =>
      all.filter((one) => one.id !== "cell").map((one) => Object.values(one.getBoundingClientRect().toJSON()).join(" ")));
    const before = await places();
    const { board } = await factsOf(page);
    assert.ok(board);
    for (const part of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      await page.mouse.move(board.left + board.width * part, board.top + board.height * part);
      await page.evaluate(() => new Promise(requestAnimationFrame));
      assert.deepEqual(await places(), before, `${phone}, ${part}`);
    }
  }
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
  // What stands at a border is repeated in the strip on the other side, and nothing else is.
  const wrong = await page.evaluate(async () => {
    const slider = /** @type {HTMLInputElement} */ (document.querySelector(".transport-slider"));
    const nextFrame = () => new Promise(requestAnimationFrame);
    const [width, height] = [1100, 600];
    const found = [];
    for (let turn = 0; turn <= 100; turn += 5) {
      slider.value = String(turn);
      slider.dispatchEvent(new Event("input"));
      await nextFrame().then(nextFrame);
      const figures = [...document.querySelectorAll("#board svg g[id$=figures] > g")].filter((figure) => Number(figure.getAttribute("opacity")));
      const places = figures.map((figure) => (figure.getAttribute("transform")?.match(/-?[\d.]+/g) ?? []).map(Number));
      const sides = (/** @type {number} */ at, /** @type {number} */ size, /** @type {number} */ reach) =>
        [0, ...(at < reach ? [size] : []), ...(at > size - reach ? [-size] : [])];
      const repeated = (/** @type {number} */ reach) => new Set(places.flatMap(([x, y]) =>
        sides(x, width, reach).flatMap((across) => sides(y, height, reach).map((down) => `${across} ${down}`))));
      const copies = new Set([...document.querySelectorAll("#board svg use[href$=figures]")].map((copy) => `${copy.getAttribute("x")} ${copy.getAttribute("y")}`));
      for (const copy of repeated(75)) if (copy !== "0 0" && !copies.has(copy)) found.push(`turn ${turn}: nothing at ${copy}`);
      for (const copy of copies) if (!repeated(130).has(copy)) found.push(`turn ${turn}: a copy at ${copy}`);
    }
    return found;
  });
  assert.deepEqual(wrong, []);
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
  await waitUntil(chartEnds, strengths, "the chart ends at the shown turn");
  assert.notDeepEqual(strengths, ends);
  assert.equal(await page.locator("#result").isVisible(), false);
  await goToTurn(page, 100);
  await waitUntil(chartEnds, ends);
  const best = Math.max(...games.square.scores.map(Number));
  await waitUntil(() => textOf(page, "#result"), new RegExp(`(wins|share the first place)\\s+${best.toFixed(2)} points`));
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
  await waitUntil(async () => (await textOf(page, "#details-panel .details-fold pre >> nth=0")).length, 2048);
  await page.getByRole("button", { name: "Show all (5 MB)" }).click();
  await waitUntil(() => page.locator("dialog pre").evaluate((whole) => whole.textContent?.length), 5 << 20);
});
