// The page of a server: starting, playing, watching and finding matches.

import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { answer, matchLogOf, playMatch, startServer, writeBot } from "./fixtures.js";
import { waitForTurn, waitUntil, assertChinese, openChoices, openTab, sentences, storedToken, textOf, tokenOf, shownTurn, namesOf } from "./page-helpers.js";
import { harness, mainTest, pageTest, tempPath } from "./harness.js";

harness();

/** A server with a new folder. @param {string} folder @param {import("./harness.js").Harness} harness */
async function serveNewFolder(folder, harness) {
  await mkdir(tempPath(folder));
  return startServer(folder, harness);
}

/** Opens the dialog of a new match, unless it is open. @param {import("playwright-core").Page} page */
async function openForm(page) {
  const dialog = page.getByRole("dialog", { name: "New match" });
  if (!(await dialog.isVisible())) await page.getByRole("button", { name: "New match…" }).click();
  return dialog;
}

/**
 * Fills in the form and starts a match. Humans have no clock, unless `clock` says otherwise.
 * @param {import("playwright-core").Page} page
 * @param {string[]} seats
 * @param {Record<string, string>} fields
 * @param {string} clock in seconds
 */
async function start(page, seats, fields = {}, clock = "0") {
  await openForm(page);
  for (const [seat, who] of seats.entries()) await page.getByRole("combobox", { name: `Player ${seat}` }).selectOption(who);
  const more = page.getByText("Map, turns, limits");
  if (Object.keys(fields).length && !(await page.getByLabel("Seed").isVisible())) await more.click();
  for (const [name, value] of Object.entries(fields)) await page.getByLabel(name, { exact: true }).fill(value);
  const clockField = page.getByRole("dialog").getByLabel("Time for a human's action");
  if (await clockField.isVisible()) await clockField.selectOption(clock);
  await page.getByRole("button", { name: "Start", exact: true }).click();
}

const state = (/** @type {import("playwright-core").Page} */ page) => textOf(page, ".home-state");

mainTest("a human plays a match and opens its replay", async (harness) => {
  const server = await serveNewFolder("human", harness);
  const page = await harness.open(server.address);
  await waitUntil(() => page.evaluate(() => location.hash), "", "the code is removed from the address");
  await start(page, ["human", "hunter", "sample", "random"], { Seed: "27", Turns: "4" });
  for (let turn = 1; turn <= 4; turn += 1) {
    await waitUntil(() => state(page), new RegExp(`Live, turn ${turn - 1} of 4 · your move, player 0`));
    await waitUntil(() => textOf(page, "#seat"), new RegExp(`Player 0: choose for turn ${turn}`));
    if (turn % 2) await page.keyboard.press("x");
    else await page.getByRole("button", { name: "stay", exact: true }).click();
    await waitUntil(() => shownTurn(page), ([shown, last]) => shown === turn && last === turn);
  }
  await waitUntil(() => state(page), /The match is over\. The replay was saved as .+\.json\./);
  await waitUntil(() => textOf(page, "#happened"), /Turn 4[\s\S]*stayed[\s\S]*The game is over/);
  assert.match(await textOf(page, ".result-own"), /^you \(0\): \d\w\w, \d+\.\d\d points/);
  const maze = () => page.locator("#board svg").first().evaluate((board) => board.querySelector("g[id$=walls]")?.innerHTML);
  const played = await maze();
  assert.ok(played);
  await page.getByRole("button", { name: "Play again" }).click();
  await waitUntil(() => textOf(page, "#seat"), /Player 0: choose for turn 1/);
  assert.deepEqual([await maze(), ...(await namesOf(page))], [played, "you", "hunter", "sample", "random"]);
  await page.getByRole("button", { name: "Abandon" }).click();
  await waitUntil(() => state(page), /The match was abandoned/);
  await page.getByRole("button", { name: "Matches" }).click();
  await waitUntil(() => textOf(page, ".home-lists"), /human[\s\S]*4 turns/);
  await page.locator("a.home-row", { hasText: "4 turns" }).click();
  await waitForTurn(page, 0, 4);
  await waitUntil(() => namesOf(page), ["human", "hunter", "sample", "random"]);
  await page.keyboard.press("ArrowRight");
  await waitForTurn(page, 1);
  // Not in `file.test.js`: Chromium forgot what a page from a disk had stored in 3 of 420 reloads, and never over HTTP.
  await page.getByRole("button", { name: "中文", exact: true }).click();
  await page.reload();
  await waitUntil(() => shownTurn(page), ([, last]) => last === 4, "the address leads back to the replay");
  assert.match(await textOf(page, "#happened"), /第 \d 回合|开局/, "the language is remembered");
});

pageTest("a human has a clock and forfeits when it runs out", async (harness) => {
  const server = await serveNewFolder("clock", harness);
  // The first turns of a newcomer have no clock.
  const page = await harness.open(server.address, {
    before: (context) => context.addInitScript(() => localStorage.setItem("pacman2-first-turns", "seen")),
  });
  await start(page, ["human", "random", "random", "random"], { Turns: "3" }, "60");
  const timer = () => page.getByRole("timer").innerText();
  const first = await waitUntil(timer, /^(60|5\d) s$/);
  await waitUntil(timer, (time) => parseInt(time) < parseInt(first), "the clock runs");
  await page.getByRole("button", { name: "Abandon" }).click();
  await waitUntil(() => state(page), /The match was abandoned/);

  // The form offers at least 5 seconds; the test uses less.
  await page.route("**/api/matches", async (route) => {
    const body = route.request().postDataJSON();
    if (body) body.clock_ms = 200;
    await route.continue(body ? { postData: JSON.stringify(body) } : {});
  });
  await page.getByRole("button", { name: "Matches" }).click();
  await openForm(page);
  assert.equal(await page.getByLabel("Turns", { exact: true }).inputValue(), "3", "the form keeps what was typed");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await waitUntil(() => state(page), /The match is over/);
  await page.keyboard.press("End");
  const players = await openTab(page, "Players");
  await waitUntil(() => players.innerText(), /died in turn 2: it took too long/);
  await waitUntil(() => page.locator("#seat").isVisible(), false, "the pad is hidden");
});

pageTest("a match waits while its human tries something under What if", async (harness) => {
  const server = await serveNewFolder("aside", harness);
  const page = await harness.open(server.address);
  await start(page, ["human", "greedy", "greedy", "random"], { Turns: "3" });
  await waitUntil(() => state(page), /your move/);
  await page.keyboard.press("x");
  await waitForTurn(page, 1, 1);
  const address = await waitUntil(async () => page.url(), /#match=\w+$/);
  await page.getByRole("tab", { name: "What if" }).click();
  await page.getByRole("button", { name: "Play on from turn 1" }).click();
  await waitUntil(() => textOf(page, "#seat"), /choose for turn 2/);
  await page.keyboard.press("x");
  await waitForTurn(page, 2, 2);
  await waitUntil(() => state(page), /turn 1 of 3 · your move/, "the match has not gone on");
  await waitUntil(async () => page.url(), /#match=\w+&b=1_1\.0\.1\.t800\.human\.greedy\.greedy\.(greedy|recorded)\.0\d{3}$/);
  await page.reload();
  await waitForTurn(page, 2, 2);
  await waitUntil(() => textOf(page, "#seat"), /choose for turn 3/);
  await waitUntil(() => state(page), /turn 1 of 3 · your move/);
  await page.getByRole("button", { name: "Back to the match" }).click();
  await waitForTurn(page, 1, 1);
  await page.goBack();
  await waitForTurn(page, 2, 2);
  await page.goForward();
  await waitForTurn(page, 1, 1);
  await waitUntil(async () => page.url(), (url) => url.startsWith(`${address}&b=0_`));
  await waitUntil(() => textOf(page, "#seat"), /choose for turn 2/);
  await page.keyboard.press("Home");
  await page.keyboard.press("x");
  await waitForTurn(page, 2, 2);
  await page.keyboard.press("x");
  await waitUntil(() => state(page), /The match is over/);
  await waitUntil(async () => page.url(), /#replay=/, "the address is that of the replay");
  await page.getByRole("button", { name: "Matches" }).click();
  await waitUntil(async () => /[#&]\w+=/.test(page.url()), false);
});

pageTest("a match of built-in bots can be watched", async (harness) => {
  const server = await serveNewFolder("watched", harness);
  const page = await harness.open(server.address, { calm: false });
  await start(page, ["greedy", "greedy", "sample", "random"], { Seed: "27", Turns: "20" });
  await waitUntil(() => state(page), /The match is over/);
  await waitUntil(() => shownTurn(page), ([turn]) => turn > 0, "playback starts");
  await openChoices(page);
  await page.getByRole("combobox", { name: "Speed" }).selectOption("16");
  await waitUntil(() => shownTurn(page), [20, 20]);
  await waitUntil(() => textOf(page, "#happened"), /Turn 20[\s\S]*The game is over/);
});

pageTest("new replays appear in the list, broken ones with an error", async (harness) => {
  const server = await serveNewFolder("folder", harness);
  const page = await harness.open(server.address);
  await waitUntil(() => textOf(page, ".home-lists"), /The folder is empty/);
  await playMatch(path.join("folder", "<i>new"), ["greedy", "sample", "random", "random"], ["--seed", "5", "--turns", "7"]);
  await waitUntil(() => textOf(page, ".home-lists"), /7 turns · seed 5 · <i>new\.json/);
  await writeFile(path.join(server.folder, "broken.json"), '{"format": "pacman2 replay", "public": ');
  await waitUntil(() => textOf(page, ".home-broken"), /broken\.json\s+Cannot be read: \S+/);
  assert.equal(await page.locator("main i").count(), 0);
  await page.goto(`${server.origin}/#replay=broken.json`);
  await page.reload();
  await waitUntil(() => page.getByRole("alert").allInnerTexts(), (texts) => texts.some((text) => text.includes("cut off")));
  await waitUntil(() => textOf(page, ".home-lists"), /7 turns/);
  assert.ok((await page.getByRole("alert").allInnerTexts()).some((text) => text.includes("cut off")), "the message stays");
});

pageTest("a pack in the folder is listed by its first match, and all of its matches can be opened", async (harness) => {
  const server = await serveNewFolder("packs", harness);
  const { replay } = await playMatch("packed", ["greedy", "sample", "random", "random"], ["--seed", "5", "--turns", "3"]);
  const { log } = await matchLogOf(replay);
  await writeFile(path.join(server.folder, "two.matches"), JSON.stringify(log, null, 1).repeat(2));
  const page = await harness.open(server.address);
  const card = page.locator(".home-card", { hasText: "the first of several matches · two.matches" });
  await card.click();
  await waitForTurn(page, 0, 3);
  const chooser = page.getByLabel("The matches of the file");
  assert.equal(await chooser.locator("option").count(), 2);
  await page.keyboard.press("End");
  await waitForTurn(page, 3, 3);
  await chooser.selectOption({ index: 1 });
  await waitForTurn(page, 0, 3);
  await page.goto(`${server.origin}/#replay=two.matches&turn=2`);
  await waitForTurn(page, 2, 3);
});

pageTest("without the token, the page asks for it before a match", async (harness) => {
  const server = await serveNewFolder("token", harness);
  harness.expect(/status of 401/);
  const page = await harness.open(`${server.origin}/`);
  await start(page, ["random", "random", "random", "random"], { Turns: "2" });
  const dialog = page.getByRole("dialog", { name: "The server needs its token" });
  await dialog.waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  const form = page.getByRole("dialog", { name: "New match" });
  await waitUntil(() => form.locator("[role=alert]").innerText(), /The server says: the token is missing or wrong/);
  await waitUntil(() => textOf(page, ".home-lists"), /The folder is empty/);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const secret = dialog.getByLabel("Token, or an unused address");
  harness.expect(/status of 403/);
  await secret.fill("a-wrong-token");
  await dialog.getByRole("button", { name: "Use it" }).click();
  await waitUntil(() => dialog.getByRole("alert").innerText(), /The server says: the code or token is wrong/);
  assert.equal(await storedToken(page), null, "a wrong token is not kept");
  await secret.fill(server.token);
  await page.keyboard.press("Enter");
  await waitUntil(() => state(page), /The match is over/);
  const kept = await storedToken(page);
  assert.ok(kept && kept !== server.token, "the page keeps a token of its own");
});

pageTest("the dialog accepts an address that was not used", async (harness) => {
  const server = await serveNewFolder("pasted", harness);
  harness.expect(/status of 401/);
  const page = await harness.open(`${server.origin}/`);
  await start(page, ["random", "random", "random", "random"], { Turns: "2" });
  const dialog = page.getByRole("dialog", { name: "The server needs its token" });
  await dialog.getByLabel("Token, or an unused address").fill(` ${server.address}\n`);
  await dialog.getByRole("button", { name: "Use it" }).click();
  await waitUntil(() => state(page), /The match is over/);
});

pageTest("the history contains no token", async (harness) => {
  const server = await serveNewFolder("history", harness);
  const first = await harness.open(server.address);
  await tokenOf(first);
  harness.expect(/status of 403/);
  // Whoever finds the address in the history opens it with another profile.
  const second = await harness.open(server.address);
  await waitUntil(() => second.getByRole("alert").allInnerTexts(), (texts) => texts.some((text) => text.includes("used or has expired")));
  assert.equal(await storedToken(second), null);
  await waitUntil(() => second.evaluate(() => location.hash), "");
});

pageTest("a stranger's address plants nothing", async (harness) => {
  const server = await serveNewFolder("foreign", harness);
  const page = await harness.open(server.address);
  const token = await tokenOf(page);
  harness.expect(/status of 403/);
  for (const hash of ["#token=planted-token", "#code=planted-code&turn=3", "#token=&code="]) {
    const answered = page.waitForResponse("**/api/session");
    await page.evaluate((planted) => (location.hash = planted), hash);
    await answered;
    await waitUntil(() => page.evaluate(() => /token|code/.test(location.hash)), false);
    await page.goto(`about:blank`);
    const reloaded = page.waitForResponse("**/api/session");
    await page.goto(`${server.origin}/${hash}`);
    await reloaded;
  }
  await page.locator("body[data-ready]").waitFor({ state: "attached" });
  assert.equal(await storedToken(page), token);
  assert.equal(await page.getByRole("alert").filter({ visible: true }).count(), 0, "it is not even mentioned");
  await start(page, ["random", "random", "random", "random"], { Turns: "2" });
  await waitUntil(() => state(page), /The match is over/);
});

pageTest("the server's errors are in the reader's language", async (harness) => {
  const server = await serveNewFolder("errors", harness);
  await writeFile(path.join(server.folder, "odd.json"), "[1, 2]");
  const page = await harness.open(server.address, { locale: "zh-CN" });
  await waitUntil(() => textOf(page, ".home-broken"), /无法读取：既不是录像，也不是 Botzone 的对局记录/);
  harness.expect(/status of 4/);
  const problem = () => page.locator("form [role=alert]").innerText();
  await page.getByRole("button", { name: "新对局…" }).click();
  await page.getByLabel("1 号玩家", { exact: true }).selectOption("…");
  await page.getByLabel("1 号玩家的程序").fill("gredy");
  await page.getByRole("button", { name: "开始", exact: true }).click();
  await waitUntil(problem, /^服务器答复：1 号座位：没有名为 gredy 的内置 Bot/);
  await page.getByLabel("1 号玩家", { exact: true }).selectOption("greedy");
  await page.route("**/api/matches", async (route) => {
    const body = route.request().postDataJSON();
    if (body) body.turns = 0;
    await route.continue(body ? { postData: JSON.stringify(body) } : {});
  });
  await page.getByRole("button", { name: "开始", exact: true }).click();
  await waitUntil(problem, /^服务器答复：turns 须在 1 到 10000 之间，得到的是 0/);
  const map = (/** @type {object} */ init) => page.getByLabel("自备地图（初始化数据）").fill(JSON.stringify(init));
  await page.unroute("**/api/matches");
  await page.getByText("地图、回合数与限制").click();
  await map({ width: 5, seed: [] });
  await page.getByRole("button", { name: "开始", exact: true }).click();
  const rejected = "服务器答复：无法使用这张地图：seed 须是 -2147483648 到 4294967295 之间的整数，得到的是列表；width 须是 6 到 11 之间的整数，得到的是 5";
  await waitUntil(problem, rejected);
  await map({});
  await page.getByLabel("1 号玩家", { exact: true }).selectOption("…");
  await page.getByLabel("1 号玩家的程序").fill(server.folder);
  await page.getByRole("button", { name: "开始", exact: true }).click();
  await waitUntil(problem, (text) => text.startsWith(`服务器答复：1 号座位：${server.folder} 不能上场。${server.folder} 里没有程序，应有一个扩展名为 .py`));
  await page.getByLabel("1 号玩家", { exact: true }).selectOption("greedy");
  await page.getByRole("button", { name: "中止对局" }).waitFor({ state: "hidden" });

  // What is odd about a map.
  await map({ colour: "red", seed: 3 });
  await page.getByRole("button", { name: "开始", exact: true }).click();
  await page.getByText("地图不同寻常：初始化数据里没有“colour”这一项，已忽略").waitFor();

  // A saved page words what is wrong with a file, too.
  await page.getByRole("tab", { name: "分享" }).click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "保存含本局的网页" }).click();
  const file = tempPath("saved.html");
  await (await download).saveAs(file);
  const saved = await harness.open(pathToFileURL(file).href, { locale: "zh-CN" });
  await waitUntil(() => textOf(saved, ".players-name >> nth=1"), "greedy");
  await saved.locator("input[type=file]").setInputFiles({ name: "文件", mimeType: "application/json", buffer: Buffer.from("{") });
  await saved.getByText("无法打开 文件：JSON 不完整，到第 1 行第 1 列为止").waitFor();
  await page.getByRole("button", { name: "中止对局" }).click();
  await page.getByRole("button", { name: "对局", exact: true }).click();
  await page.getByRole("button", { name: "新对局…" }).click();
  // A newer server may have errors that the page does not know.
  await page.route("**/api/matches", (route) =>
    route.fulfill({ status: 400, json: { error: "a <b>new</b> reason", code: "constructor", params: {} } }));
  await page.getByRole("button", { name: "开始", exact: true }).click();
  await waitUntil(problem, /^服务器答复：a <b>new<\/b> reason/);
});

pageTest("every reason for a rejected request is in Chinese", async (harness) => {
  const server = await serveNewFolder("reasons", harness);
  const at = (/** @type {string} */ name) => path.join(server.folder, name);
  await writeFile(at("text.net"), "net");
  await writeFile(at("bad.cpp"), "int main( {");
  await writeFile(at("many.cpp"), Array.from({ length: 10_001 }, (_, header) => `#include "${header}.h"\n`).join(""));
  const page = await harness.open(server.address, { locale: "zh-CN" });
  harness.expect(/status of 400/);
  const seats = ["random", "random", "random", "random"];
  const withBot = (/** @type {string} */ bot) => ({ seats: ["random", bot, "random", "random"] });
  const rejected = (/** @type {string} */ bot, /** @type {string} */ why) => [withBot(bot), `1 号座位：${bot} 不能上场。${why}`];
  const invalid = (/** @type {unknown} */ body, /** @type {string} */ why) => [body, `请求无效：${why}`];
  /** @type {any[][]} */
  const table = [
    rejected("sage --time 0", "--time 须是 1 到 60000 之间的整数，得到的是 0"),
    rejected("sage --without nett", "--without 可用的值是 net, others, last-turn, pruning, promise，得到的是 nett"),
    rejected("sage --fast", "没有选项 --fast"),
    rejected("sage --time", "选项 --time 缺少值"),
    rejected("sage --time 5 --time 6", "选项 --time 只能给出一次"),
    rejected("sage --time 5 --simulations 5", "--simulations 和 --time 不能同时使用"),
    rejected("hunter --time 5", "hunter 不做模拟，没有模拟次数和时间这两个选项"),
    rejected("greedy --threads 2", "greedy 不做搜索，没有 --without、--net 和 --threads 这些选项"),
    rejected("style", "须指明风格，例如 style sniper"),
    rejected("style snipr", "没有名为 snipr 的风格"),
    rejected(`sage --net ${at("text.net")}`, `${at("text.net")}：不是这个版本的网络，第一行须是“`),
    rejected(`sage --net ${server.folder}`, `${server.folder}：是文件夹，不是普通文件`),
    rejected(at("many.cpp"), `${at("many.cpp")} 连同它包含的头文件最多 10000 处 #include，实际超过了`),
    [withBot(at("bad.cpp")), `1 号座位：${at("bad.cpp")} 编译不过。编译器的输出：\n`],
    invalid(7, "请求须是对象，得到的是 7"),
    invalid({}, "缺少 seats"),
    invalid({ seats: ["random"] }, "seats 须有 4 项，得到的是 1 项"),
    invalid({ seats: [...seats.slice(1), null] }, "seats[3] 的形式不对"),
    invalid({ seats, colour: "red" }, "没有 colour 这一项，可以给出的是 seats, seed, width"),
    invalid({ seats, width: 300 }, "width 须是 0 到 255 之间的整数，得到的是 300"),
    invalid({ seats, turns: 1.5 }, "turns 须是 0 到 4294967295 之间的整数，得到的是 1.5"),
    invalid({ seats, seed: "x" }, "seed 须是 -2147483648 到 4294967295 之间的整数，得到的是字符串"),
    invalid({ seats, one_by_one: 1 }, "one_by_one 须是 true 或 false，得到的是 1"),
    invalid({ seats, from: { turn: 3 } }, "from 的形式不对"),
  ];
  const token = await tokenOf(page);
  const words = await page.evaluate(async ([token, bodies]) => {
    const { wordError } = await import(/** @type {string} */ ("/server-errors.js"));
    const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
    const answers = [];
    for (const body of bodies) {
      const response = await fetch("/api/matches", { method: "POST", headers, body: JSON.stringify(body) });
      answers.push(wordError(await response.json(), "zh"));
    }
    return answers;
  }, /** @type {const} */ ([token, table.map(([body]) => body)]));
  assert.deepEqual(words.map((text, index) => text.slice(0, table[index][1].length)), table.map(([, expected]) => expected));
});

pageTest("a failing bot and a deleted folder are reported", async (harness) => {
  const server = await serveNewFolder("vanishing", harness);
  const bot = await writeBot("fleeting.js", [answer(-1), "process.exit(3)"]);
  const page = await harness.open(server.address);
  await openForm(page);
  await page.getByRole("combobox", { name: "Player 3" }).selectOption("…");
  await page.getByLabel("The program of player 3").fill(bot);
  await start(page, ["human", "greedy", "sample"], { Turns: "3", "Time for a program's answer, in ms": "60000" });
  await waitUntil(() => state(page), /your move/);
  await page.keyboard.press("x");
  await waitForTurn(page, 1, 1);
  await waitUntil(() => state(page), /turn 1 of 3 · your move/);
  await rm(server.folder, { recursive: true });
  await page.keyboard.press("x");
  await waitForTurn(page, 2, 2);
  const players = await openTab(page, "Players");
  await waitUntil(() => players.innerText(), /died in turn 2: its program failed/);
  await waitUntil(() => state(page), /turn 2 of 3 · your move/);
  await page.keyboard.press("x");
  await waitUntil(() => state(page), /The match is over\. The replay was not saved: \S+/);
});

pageTest("the start page and a match are in Chinese", async (harness) => {
  const server = await serveNewFolder("chinese", harness);
  const page = await harness.open(server.address, { locale: "zh-CN" });
  await waitUntil(() => textOf(page, ".home-lists"), /文件夹是空的/);
  await assertChinese(page, ["chinese"]);
  await page.getByRole("button", { name: "新对局…" }).click();
  await page.getByRole("dialog").getByLabel("真人每个动作的时限").selectOption("0");
  await page.getByRole("button", { name: "开始", exact: true }).click();
  await waitUntil(() => state(page), /第 0\/100 回合.*0 号/);
  await waitUntil(() => textOf(page, "#seat"), /第 1 回合/);
  await assertChinese(page, ["chinese"]);
});

pageTest("two windows show the same match, and one of them plays", async (harness) => {
  const server = await serveNewFolder("two", harness);
  const first = await harness.open(server.address);
  await start(first, ["human", "greedy", "sample", "random"], { Seed: "27", Turns: "9" });
  await waitUntil(() => state(first), /your move/);
  const second = await harness.open(await first.evaluate(() => location.href));
  await waitUntil(() => state(second), /Live, turn 0 of 9 · waiting for player 0/);
  assert.equal(await second.locator("#seat").isVisible(), false);
  for (let turn = 1; turn <= 3; turn += 1) {
    await waitUntil(() => state(first), new RegExp(`turn ${turn - 1} of 9 · your move`));
    await first.keyboard.press("x");
    await waitForTurn(first, turn);
    await waitForTurn(second, turn);
    await waitUntil(() => sentences(second), await sentences(first));
  }
  await first.getByRole("button", { name: "Abandon" }).click();
  for (const page of [first, second]) await waitUntil(() => state(page), /The match was abandoned/);
});

pageTest("a missing program is reported in one sentence", async (harness) => {
  const server = await serveNewFolder("gone", harness);
  harness.expect(/status of 400/);
  const page = await harness.open(server.address);
  await openForm(page);
  await page.getByRole("combobox", { name: "Player 1" }).selectOption("…");
  await page.getByLabel("The program of player 1").fill("./gone<b>.py");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  const problem = await waitUntil(() => page.locator("form [role=alert]").innerText(), /^The server says: seat 1: .*gone<b>\.py.*/);
  assert.equal(problem.trim().split("\n").length, 1, problem);
  await waitUntil(() => page.getByRole("button", { name: "Start", exact: true }).isEnabled(), true);
});

pageTest("a stopped server is reported in a match and on the start page", async (harness) => {
  const server = await serveNewFolder("killed", harness);
  harness.expect(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET/);
  const playing = await harness.open(server.address, { before: (context) => context.clock.install() });
  const home = await harness.open(`${server.origin}/`);
  await start(playing, ["human", "random", "random", "random"], {}, "60");
  await waitUntil(() => state(playing), /your move/);
  await waitUntil(() => textOf(home, ".home-running"), /turn 0 of 100/);
  await server.end("SIGKILL");
  await waitUntil(() => state(playing), /Connection to the server lost; reconnecting/);
  await waitUntil(() => home.locator("#home > [role=alert]").innerText(), /The server does not answer\. Is it still running/);
  const clock = playing.locator("#seat [role=timer]");
  await waitUntil(() => textOf(playing, ".seat-head [role=status]"), /Connection to the server lost/);
  const left = await clock.innerText();
  await playing.clock.fastForward(7000);
  await waitUntil(() => clock.innerText(), left, "the clock stands");
  await playing.keyboard.press("x");
  await waitUntil(() => playing.locator(".message").allInnerTexts(), (texts) => texts.some((text) => /^The server does not answer/.test(text)));
  await openForm(home);
  await home.getByRole("button", { name: "Start", exact: true }).click();
  await waitUntil(() => home.locator("form [role=alert]").innerText(), /The server does not answer/);
});
