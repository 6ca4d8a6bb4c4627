// Opening files: chosen and dropped, valid and invalid.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { deflateRawSync } from "node:zlib";
import { matchLogOf, playMatch, playWholeGame } from "./fixtures.js";
import { waitForTurn, waitUntil, shownTurn, namesOf, scoresOf } from "./page-helpers.js";
import { harness, pageTest } from "./harness.js";

/** @typedef {import("playwright-core").Page} Page */
/** The match that the page shows at first. @type {Awaited<ReturnType<typeof playMatch>>} */
let shown;
/** @type {Awaited<ReturnType<typeof playMatch>>} */
let whole;
/** Its match log, as downloaded from Botzone. @type {Awaited<ReturnType<typeof matchLogOf>>} */
let log;
harness(async () => {
  shown = await playMatch("shown", ["random", "random", "random", "random"], ["--seed", "3", "--turns", "4"]);
  whole = await playWholeGame("whole");
  log = await matchLogOf(whole.replay);
});

/** Drops a file on the page. @param {Page} page @param {string} name @param {string} text */
async function drop(page, name, text) {
  const dataTransfer = await page.evaluateHandle(([name, text]) => {
    const dragged = new DataTransfer();
    dragged.items.add(new File([text], name));
    return dragged;
  }, [name, text]);
  await page.dispatchEvent("#page", "dragenter", { dataTransfer });
  await waitUntil(() => page.locator(".open-veil").isVisible(), true, "the drop hint");
  await page.dispatchEvent("#page", "dragover", { dataTransfer });
  await page.dispatchEvent("#page", "drop", { dataTransfer });
  await waitUntil(() => page.locator(".open-veil").isVisible(), false);
}

const alerts = (/** @type {Page} */ page) => page.getByRole("alert").allInnerTexts();

pageTest("a match log from Botzone can be dropped on the page", async ({ open }) => {
  const page = await open(shown.page);
  await waitForTurn(page, 0, 4);
  await drop(page, "match.json", JSON.stringify(log.log));
  await waitForTurn(page, 0, 100);
  assert.deepEqual(await alerts(page), []);
  const names = await namesOf(page);
  assert.match(names[2], /sample/);
  await page.keyboard.press("End");
  await waitForTurn(page, 100, 100);
  assert.deepEqual(await scoresOf(page), whole.scores);
});

pageTest("a match log, a replay and init data can be chosen", async ({ open }) => {
  const page = await open(shown.page);
  const chooser = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Open…" }).click();
  await (await chooser).setFiles(log.file);
  await waitForTurn(page, 0, 100);
  const input = page.locator("input[type=file]");
  await input.setInputFiles(shown.replay);
  await waitForTurn(page, 0, 4);
  await input.setInputFiles({ name: "map.json", mimeType: "application/json", buffer: Buffer.from(log.log.initdata) });
  await waitForTurn(page, 0, 0);
  assert.deepEqual(await alerts(page), []);
});

/** A zip with these files. @param {[string, string][]} files */
function zipOf(files) {
  /** @param {string} form letters of the numbers' sizes @param {number[]} numbers */
  const packed = (form, ...numbers) => Buffer.concat(numbers.map((number, index) => {
    const bytes = Buffer.alloc(form[index] === "L" ? 4 : 2);
    bytes.writeUIntLE(number, 0, bytes.length);
    return bytes;
  }));
  let local = Buffer.alloc(0);
  let central = Buffer.alloc(0);
  for (const [name, text] of files) {
    const data = deflateRawSync(text);
    const head = packed("SSSSSLLLSS", 20, 0, 8, 0, 0, 0, data.length, Buffer.byteLength(text), name.length, 0);
    central = Buffer.concat([central, packed("LS", 0x02014b50, 20), head, packed("SSSLL", 0, 0, 0, 0, local.length), Buffer.from(name)]);
    local = Buffer.concat([local, packed("L", 0x04034b50), head, Buffer.from(name), data]);
  }
  const end = packed("LSSSSLLS", 0x06054b50, 0, 0, files.length, files.length, central.length, local.length, 0);
  return Buffer.concat([local, central, end]);
}

pageTest("saved pages, packs, zips and a bot's input can be opened", async ({ open }) => {
  const page = await open(shown.page);
  const input = page.locator("input[type=file]");
  const choose = (/** @type {string} */ name, /** @type {string | Buffer} */ content) =>
    input.setInputFiles({ name, mimeType: "application/octet-stream", buffer: Buffer.from(content) });
  const small = await matchLogOf(shown.replay);
  const list = JSON.stringify(log.log.log);
  await choose("page.html", `<!DOCTYPE html><script>var log = ${JSON.stringify(list)};</script>`);
  await waitForTurn(page, 0, 100);
  await choose("own.html", await readFile(new URL(shown.page)));
  await waitForTurn(page, 0, 4);
  await choose("utf16.json", Buffer.from(`\ufeff${list}`, "utf16le"));
  await waitForTurn(page, 0, 100);
  const chooser = page.getByLabel("The matches of the file");
  assert.equal(await chooser.isVisible(), false);
  const pack = [small.log, {}, log.log].map((match) => JSON.stringify({ ...match, _id: `m${match.log?.length ?? 0}` })).join("\r\n");
  for (const [name, content] of /** @type {const} */ ([["pack.matches", pack], ["month.zip", zipOf([["../1.matches", pack], [".hidden", "x"]])]])) {
    await choose(name, content);
    await waitForTurn(page, 0, 4);
    assert.match((await chooser.locator("option").allInnerTexts()).join("; "), /^m\d+: random, random, random, random; m\d+: greedy, greedy, sample, random$/);
    await chooser.selectOption({ index: 1 });
    await waitForTurn(page, 0, 100);
  }
  const [first, ...turns] = JSON.parse(await readFile(shown.replay, "utf8")).public.turns;
  const { init } = JSON.parse(await readFile(shown.replay, "utf8")).public;
  const request = Object.fromEntries(first.actions.map((/** @type {number} */ action, /** @type {number} */ seat) => [seat, { action }]));
  assert.equal(turns.length, 3);
  await choose("input.txt", JSON.stringify({ requests: [{ ...init, id: 2 }, request], responses: [{ action: first.actions[2] }] }));
  await waitForTurn(page, 0, 1);
  assert.equal(await chooser.isVisible(), false);
  await choose("broken.zip", zipOf([["1.matches", pack]]).subarray(0, 300));
  await waitUntil(() => alerts(page), (all) => all.some((text) => text.startsWith("broken.zip cannot be opened: expected a whole zip")));
  const other = zipOf([["1.matches", pack]]);
  other.writeUInt16LE(14, other.indexOf("PK\x01\x02") + 10);
  await choose("other.zip", other);
  await waitUntil(() => alerts(page), (all) => all.some((text) => text.includes("whose files are deflated or stored")));
});

pageTest("a file that cannot be opened is reported, and the shown match stays", async ({ open }) => {
  const page = await open(`${shown.page}#turn=2`);
  const input = page.locator("input[type=file]");
  const assertRejected = async (/** @type {string} */ name, /** @type {string | Buffer} */ content, /** @type {RegExp} */ why) => {
    await input.setInputFiles({ name, mimeType: "application/json", buffer: Buffer.from(content) });
    const texts = await waitUntil(() => alerts(page), (all) => all.some((text) => why.test(text)), name);
    assert.ok(texts.every((text) => text.trim().split("\n").length <= 3), String(texts));
    assert.deepEqual(await shownTurn(page), [2, 4], name);
    await page.getByRole("button", { name: "Close the message" }).click();
    await page.getByRole("alert").filter({ visible: true }).waitFor({ state: "hidden" });
  };
  await assertRejected("<b>broken.json", '{"logs": [', /^<b>broken\.json cannot be opened: \S/);
  await assertRejected("empty.json", "", /^empty\.json cannot be opened: \S/);
  await assertRejected("bytes.json", Buffer.from([0, 255, 254, 1, 2]), /^bytes\.json cannot be opened: \S/);
  await assertRejected("other.json", '{"hello": [1, 2, 3]}', /^other\.json cannot be opened: \S/);
  await assertRejected("deep.json", "[".repeat(100_000), /^deep\.json cannot be opened: \S/);
  const replay = await readFile(shown.replay, "utf8");
  await assertRejected("half.json", replay.slice(0, replay.length / 2), /^half\.json cannot be opened: \S/);
  assert.equal(await page.locator("b").filter({ hasText: "broken" }).count(), 0);
});

pageTest("what is wrong with a file is said in Chinese", async ({ open }) => {
  const page = await open(shown.page, { locale: "zh-CN" });
  const input = page.locator("input[type=file]");
  const choose = (/** @type {string} */ text) =>
    input.setInputFiles({ name: "文件", mimeType: "application/json", buffer: Buffer.from(text) });
  const replay = JSON.parse(await readFile(shown.replay, "utf8"));
  const damaged = (/** @type {(replay: any) => void} */ damage) => {
    const copy = structuredClone(replay);
    damage(copy);
    return JSON.stringify(copy);
  };
  for (const [text, why] of [
    ["{", "JSON 不完整，到第 1 行第 1 列为止"],
    ["{]", "第 1 行第 2 列有 JSON 语法错误"],
    ['{"hello": 1}', "既不是录像、Botzone 的对局记录、程序的输入、初始化数据，也不是对局链接"],
    ['{"width": 99, "SKILL_COST": "x"}', "地图不可用：SKILL_COST 须是 0 到 10000 之间的整数，得到的是字符串；width 须是 6 到 11 之间的整数，得到的是 99"],
    ["#g=2AAAAAAA", "链接内容有改动，校验和不符。请重新复制链接。"],
    [damaged(({ public: { turns } }) => delete turns[2].verdicts), "缺少 public.turns[2].verdicts"],
    [damaged(({ public: { turns } }) => (turns[1].actions = [0])), "public.turns[1].actions 须是有四项的列表，得到的是有 1 项的列表"],
    [damaged(({ public: { init } }) => init.static.pop()), `录像的地图不可用：static 须有 ${replay.public.init.height} 行，与 height 一致，得到的是 ${replay.public.init.height - 1} 行`],
    [JSON.stringify({ log: [{}], initdata: "{\"seed\": null}" }), "对局记录的初始化数据不可用：seed 须是 -2147483648 到 4294967295 之间的整数，得到的是 null"],
  ]) {
    await choose(text);
    await waitUntil(() => alerts(page), (all) => all.some((shown) => shown.trim().startsWith(`无法打开 文件：${why}`)), why);
    await page.getByRole("button", { name: "关闭提示" }).click();
  }
  await choose(damaged(({ public: { turns } }) => (turns[2].position = "0".repeat(16))));
  await waitForTurn(page, 0, 2);
  await waitUntil(() => page.locator("#complaint").innerText(), "对局只显示到第一处错误为止。第 3 回合之后的局面与规则不符");
  await page.getByRole("button", { name: "English" }).click();
  await waitUntil(() => page.locator("#complaint").innerText(), /^The match is shown up to the first error\. turn 3 differs: the position is/);
});

pageTest("a file that is too large is rejected before it is read", async ({ open }) => {
  const page = await open(shown.page);
  await drop(page, "small.json", "nothing");
  await waitUntil(() => alerts(page), (all) => all.some((text) => /^small\.json cannot be opened/.test(text)));
  await page.evaluate(() => {
    const dataTransfer = new DataTransfer();
    const piece = "[0,0,0,0,0,0,0],".repeat(65536);
    dataTransfer.items.add(new File(Array(65).fill(piece), "large.json"));
    dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  });
  const rejection = /^large\.json is larger than 64 MB and was not opened\./;
  await waitUntil(() => alerts(page), (all) => all.some((text) => rejection.test(text)));
  assert.deepEqual(await shownTurn(page), [0, 4]);
});
