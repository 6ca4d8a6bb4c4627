// The page's sentences about bots with known answers, valid and invalid. No text of a bot is ever markup.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { GENEROUS_LIMITS, answer, pacman2, playMatch, run, writeBot, writeMap } from "./fixtures.js";
import { waitForTurn, waitUntil, openTab, sentences, textOf, shownTurn, goToTurn } from "./page-helpers.js";
import { harness, pageTest, tempPath } from "./harness.js";

/** @typedef {Awaited<ReturnType<typeof playMatch>>} Game */
/** @type {Game} */
let known;
/** @type {Game} */
let hostile;

/** Taunts are cut to 40 bytes. */
const scriptTaunt = "<script>window.__pwned=1</script>";
const imageTaunt = "<img src=x onerror=window.__pwned=1>";
const bidiTaunt = "\u202e\u2066\u001b[31mred\u001b[0m\u0007";
const hostileDebug = {
  cells: [[0, 0, "<b>x</b>", "#ff0000"], [1, 1, "\u202eab", "url(x)"], [99, 0, "no"], "no", [2, 2, "ok", "#0a0"]],
  heat: "0123456789",
  "<img src=x onerror=window.__pwned=1>": "</pre><script>window.__pwned=1</script>",
};
const hostileName = "<b>bold<img src=x onerror=__pwned=1>\u202e.js";
const lastWords = "cannot go on </pre><script>window.__pwned=1</script>\u001b[2J\u202e";

harness(async () => {
  // Player 0 is beside a large fruit; player 2 is on a small one.
  const map = await writeMap("map.json", { "0,0": 1, "0,1": 32, "0,5": 2, "1,1": 4 | 16, "5,5": 8 });
  const bots = [
    writeBot("hunter.js", [answer(1), answer(5), answer(-1), answer(2)]),
    writeBot("target.js", [answer(-1)]),
    writeBot("coward.js", [answer(-1), answer(-1), answer(0), answer(-1)]),
    writeBot("babbler.js", [answer(-1), answer(-1), '"I would rather not"']),
  ];
  known = await playMatch("known", await Promise.all(bots), ["--map", map, ...GENEROUS_LIMITS]);
  const crash = `(console.error("no idea\\n".repeat(400) + ${JSON.stringify(lastWords)}), process.exit(3))`;
  const bad = [
    writeBot(hostileName, [answer(-1, { tauntText: scriptTaunt, debug: hostileDebug })]),
    writeBot("image.js", [answer(-1, { tauntText: imageTaunt, debug: "</pre><img src=x onerror=window.__pwned=1>" })]),
    writeBot("bidi.js", [answer(-1, { tauntText: bidiTaunt }), answer(0, { tauntText: "x".repeat(200) })]),
    writeBot("crash.js", [answer(-1), answer(-1), crash]),
  ];
  hostile = await playMatch("hostile", await Promise.all(bad), ["--map", map, "--turns", "5", ...GENEROUS_LIMITS]);
});

pageTest("each turn is described in sentences", async ({ open }) => {
  const page = await open(known.page);
  const expectedTurns = [
    [1, ["moved right; ate a large fruit: +10 for 10 turns", "stayed", "ate a small fruit: +1", "stayed"]],
    [2, ["shot right (−4), hit ./target.js (1): +6", "hit by ./hunter.js (0)'s light: −6; died: no strength left", "stayed", "stayed"]],
    [3, ["stayed", "froze: ./hunter.js (0) is stronger", "died: its answer was not JSON"]],
    [4, [/^moved down; ate .\/coward\.js \(2\): \+1; the last one standing: \+0 small fruit$/, "was eaten by ./hunter.js (0): −1"]],
  ];
  for (const [turn, wanted] of /** @type {[number, (string | RegExp)[]][]} */ (expectedTurns)) {
    await goToTurn(page, turn);
    const shown = await sentences(page);
    assert.equal(shown.length, wanted.length, `turn ${turn}: ${shown}`);
    wanted.forEach((sentence, index) => {
      if (typeof sentence === "string") assert.equal(shown[index], sentence, `turn ${turn}`);
      else assert.match(shown[index], sentence, `turn ${turn}`);
    });
  }
  assert.match(await textOf(page, "#happened"), /The game is over/);
  await openTab(page, "Players");
  const states = await page.locator(".players-state").allInnerTexts();
  assert.match(states[0], /^boost: 6 turns left$/);
  assert.deepEqual(states.slice(1), [
    "died in turn 2: ./hunter.js (0)'s light", "died in turn 4: eaten by ./hunter.js (0)", "died in turn 3: its answer was not JSON",
  ]);
  await page.getByRole("button", { name: "中文", exact: true }).click();
  await goToTurn(page, 2);
  const [shooter, victim] = await sentences(page);
  assert.match(shooter, /向右.*（−4），击中 \.\/target\.js（1 号）：\+6$/);
  assert.match(victim, /^被 \.\/hunter\.js（0 号）.*击中：−6；死亡：/);
  await goToTurn(page, 3);
  assert.match((await sentences(page)).join("|"), /^没有动\|.*（0 号）更强\|死亡：.*JSON/);
  const panel = await openBot(page, 3);
  assert.match(await panel.innerText(), /第 3 回合死亡：.*\s+输出无法解析：/, "what the judge says is in the reader's language");
});

pageTest("a dead bot's error is shown in its last turn and later", async ({ open }) => {
  const page = await open(`${known.page}#turn=3`);
  const panel = await openBot(page, 3);
  assert.match(await panel.innerText(), /Died in turn 3: its answer was not JSON\.[\s\S]*NJ/);
  await panel.getByRole("button", { name: "Answer" }).click();
  assert.equal(await page.getByRole("dialog").locator("pre").innerText(), "I would rather not");
  await page.keyboard.press("Escape");
  await goToTurn(page, 4);
  await waitUntil(() => panel.innerText(), /Died in turn 3: its answer was not JSON\./);
  await panel.getByRole("button", { name: "Go to turn 3" }).click();
  await waitForTurn(page, 3);

  const other = await open(`${hostile.page}#turn=3`);
  const crashed = await openBot(other, 3);
  assert.match(await crashed.innerText(), /Died in turn 3: its program failed\.[\s\S]*RE/);
  assert.match(await crashed.innerText(), /exit\D*3/);
  const shown = lastWords.replace("\u001b", "⟨U+001B⟩").replace("\u202e", "⟨U+202E⟩");
  assert.ok((await textOf(other, ".details-note[data-fault]")).endsWith(shown), "the decisive line is in the red box");
  const stderr = crashed.locator("pre").last();
  assert.ok((await stderr.innerText()).trimEnd().endsWith(shown));
  assert.ok(await stderr.evaluate((text) => text.scrollHeight > text.clientHeight && text.scrollTop === 0
    && getComputedStyle(text).flexDirection === "column-reverse"), "it is scrolled to its end");
  await goToTurn(other, 5);
  await waitUntil(async () => (await textOf(other, ".details-note[data-fault]")).endsWith(shown), true);
});

/** @param {import("playwright-core").Page} page @param {number} seat */
async function openBot(page, seat) {
  await page.locator("#tab-bots").click();
  await page.locator(`#details-tab-${seat}`).click();
  return page.locator("#details-panel");
}

/** What injected markup would create. @param {import("playwright-core").Page} page */
function injectedContent(page) {
  return page.evaluate(() => ({
    handlers: [...document.querySelectorAll("*")].flatMap((it) => it.getAttributeNames().filter((name) => name.startsWith("on"))),
    scripts: document.querySelectorAll("script").length,
    images: document.querySelectorAll("img, iframe, object, embed, link:not([rel=icon])").length,
    bold: [...document.querySelectorAll("b, i")].filter((one) => !/^[0-3]$/.test(one.textContent ?? "")).length,
    pwned: /** @type {any} */ (window).__pwned ?? "no",
    unseen: /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(document.body.innerText),
  }));
}

pageTest("texts of bots and files are never markup", async ({ open }) => {
  const page = await open(hostile.page, { before: (context) => context.grantPermissions(["clipboard-read", "clipboard-write"]) });
  const inert = { scripts: 4, images: 0, bold: 0, handlers: [], pwned: "no", unseen: false };
  assert.deepEqual(await injectedContent(page), inert);
  assert.equal(await page.locator(".players-name").first().innerText(), `./${hostileName}`.replace("\u202e", "⟨U+202E⟩"));
  await goToTurn(page, 1);
  const panel = page.locator("#details-panel");
  await openBot(page, 0);
  assert.match(await panel.innerText(), /Taunt\s+<script>window\.__pwned=1<\/script>/);
  assert.match(await panel.locator(".details-fold pre").first().innerText(), /"<\/pre><script>window\.__pwned=1<\/script>"/);
  assert.match(await page.locator("#board svg").first().textContent() ?? "", /<script>window\.__…/);
  await openBot(page, 1);
  assert.match(await panel.innerText(), /Taunt\s+<img src=x onerror=window\.__pwned=1>/);
  assert.match(await panel.locator(".details-fold pre").first().innerText(), /<\/pre><img src=x onerror=window\.__pwned=1>/);
  await openBot(page, 2);
  assert.match(await panel.innerText(), /Taunt\s+⟨U\+202E⟩⟨U\+2066⟩⟨U\+001B⟩\[31mred⟨U\+001B⟩\[0m⟨U\+0007⟩/);
  await goToTurn(page, 2);
  await waitUntil(() => panel.innerText(), /Taunt\s+x{40}\s/);
  for (const seat of [0, 1, 2, 3]) {
    for (const text of ["Input", "Request", "Answer"]) {
      await openBot(page, seat);
      await panel.getByRole("button", { name: text, exact: true }).click();
      assert.deepEqual(await injectedContent(page), inert, `${text} of ${seat}`);
      await page.keyboard.press("Escape");
    }
  }
  for (const name of ["Overlays", "What if", "Share", "Table"]) await openTab(page, name);
  assert.deepEqual(await injectedContent(page), inert);
  // A saved picture is harmless, too.
  await openTab(page, "Share");
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "SVG" }).click();
  const drawn = await readFile(await (await download).path(), "utf8");
  assert.ok(!/<script|<img|<b>|onerror=["']/.test(drawn) && drawn.includes("&lt;script&gt;"));
  for (let turn = 3; turn <= 5; turn += 1) await goToTurn(page, turn);
  assert.deepEqual(await injectedContent(page), inert);
});

pageTest("a bot draws over the board through its debug", async ({ open }) => {
  const page = await open(`${hostile.page}#turn=1`);
  const texts = () => page.locator("#board svg text").evaluateAll((all) => all.map((one) => one.textContent));
  assert.ok(!(await texts()).includes("ok"));
  const panel = await openTab(page, "Overlays");
  const group = panel.getByRole("group", { name: "Drawn by the bots" });
  assert.equal(await group.getByRole("checkbox").count(), 1, "only player 0 draws");
  await group.getByRole("checkbox").check();
  await waitUntil(texts, (all) => all.includes("ok") && all.includes("<b>x") && all.includes("⟨U+2"));
  assert.equal(await page.locator("#board [fill='#ff0000']").count(), 1);
  assert.equal(await page.locator("#board [fill*=url]").count(), 0);
  assert.ok((await page.locator("#board [fill-opacity^='0.63']").count()) > 0, "heat of strength 9");
  await group.getByRole("checkbox").uncheck();
  await waitUntil(texts, (all) => !all.includes("ok"));

  await panel.getByRole("group", { name: "Turns to get there" }).getByRole("checkbox").first().check();
  // The farthest corner; the way across the border is walled off.
  await waitUntil(texts, (all) => all.includes("10"));
  assert.deepEqual((await injectedContent(page)).pwned, "no");
});

pageTest("a bot's panel shows its sandbox tier, and warns if there was none", async ({ open }) => {
  const replay = JSON.parse(await readFile(known.replay, "utf8"));
  replay.private.sandbox = ["A", "B", null, "C"];
  await writeFile(tempPath("boxed.json"), JSON.stringify(replay));
  await pacman2("replay", "convert", "boxed.json", "boxed.html");
  for (const [locale, lines, hints] of /** @type {const} */ ([
    ["en-GB", ["Sandbox: A", "Sandbox: B", "No sandbox (C)"], [/own view of the files/, /no namespaces/, /all rights/]],
    ["zh-CN", ["沙箱：A", "沙箱：B", "没有沙箱（C）"], [/文件视图/, /没有自己的命名空间/, /全部权限/]],
  ])) {
    const page = await open(`${known.page.replace("known.html", "boxed.html")}#turn=1`, { locale });
    for (const [at, seat] of [0, 1, 3].entries()) {
      const line = (await openBot(page, seat)).getByText(lines[at], { exact: true });
      assert.ok(await line.isVisible(), lines[at]);
      assert.match(await line.getAttribute("title") ?? "", hints[at]);
      assert.equal(await line.getAttribute("data-fault"), seat === 3 ? "" : null);
    }
    assert.doesNotMatch(await (await openBot(page, 2)).innerText(), /sandbox|沙箱/i, "a built-in bot has no tier");
    await openBot(page, 3);
    for (const turn of [0, 3]) {
      await goToTurn(page, turn);
      assert.ok(await page.getByText(lines[2], { exact: true }).isVisible(), `turn ${turn}`);
    }
  }
});

pageTest("a bot's input can be saved and used again", async ({ open }) => {
  const page = await open(`${known.page}#turn=2`);
  const panel = await openBot(page, 0);
  await panel.getByRole("button", { name: "Input", exact: true }).click();
  const dialog = page.getByRole("dialog");
  const shown = await dialog.locator("pre").innerText();
  const download = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Download" }).click();
  const input = await readFile(await (await download).path(), "utf8");
  assert.equal(shown.trim(), input.trim());
  assert.equal(JSON.parse(input).requests.length, 2);
  await dialog.getByRole("button", { name: "Close" }).click();
  await panel.getByRole("button", { name: "Answer" }).click();
  const answer = await dialog.locator("pre").innerText();
  assert.equal(JSON.parse(answer).response.action, 5);
  assert.equal(await run("node", ["hunter.js"], input), answer);
  await dialog.getByRole("button", { name: "Close" }).click();
  await panel.getByRole("button", { name: "Request", exact: true }).click();
  assert.deepEqual(JSON.parse(await dialog.locator("pre").innerText()), JSON.parse(input).requests[1]);
});

pageTest("a replay that differs from the rules is shown up to that turn", async ({ open }) => {
  const replay = JSON.parse(await readFile(known.replay, "utf8"));
  // In turn 2, player 0 would now move into a wall, so the replay differs from the rules.
  replay.public.turns[1].actions[0] = 0;
  await writeFile(tempPath("odd.json"), JSON.stringify(replay));
  await pacman2("replay", "convert", known.replay, "fine.html");
  const fine = await open(known.page.replace("known.html", "fine.html"));
  assert.equal(await fine.locator("#complaint").isVisible(), false);
  await fine.locator("input[type=file]").setInputFiles(tempPath("odd.json"));
  await waitUntil(() => shownTurn(fine), ([turn]) => turn === 0);
  await waitUntil(() => fine.getByRole("alert").allInnerTexts(), (texts) => texts.some((text) => /turn 2/.test(text)));
});
