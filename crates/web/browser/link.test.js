// A whole game in a link: copied, opened everywhere, damaged; and its QR code.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { pacman2, playMatch, playWholeGame, startServer } from "./fixtures.js";
import { harness, pageTest, tempPath } from "./harness.js";
import { hostSite } from "./site-host.js";
import {
  assertAccessible, assertChinese, assertTouchable, axeFile, namesOf, openTab, scoresOf, sentences, shownTurn, textOf, tokenOf,
  waitForTurn, waitUntil,
} from "./page-helpers.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").BrowserContext} BrowserContext */
const qrReader = createRequire(import.meta.url).resolve("jsqr/dist/jsQR.js");
const BASE = "https://example.org/pacman2/";

/** The game that is shared. @type {Awaited<ReturnType<typeof playMatch>>} */
let game;
/** A file with a match of its own, in which links are opened. @type {Awaited<ReturnType<typeof playMatch>>} */
let other;
/** What the command line prints for the game. */
let link = "";
harness(async () => {
  game = await playWholeGame("whole");
  other = await playMatch("other", ["random", "random", "random", "random"], ["--seed", "3", "--turns", "4"]);
  link = (await pacman2("replay", "convert", game.replay, "--link")).trim();
});

const mayCopy = (/** @type {BrowserContext} */ context) => context.grantPermissions(["clipboard-read", "clipboard-write"]);
const alerts = (/** @type {Page} */ page) => page.getByRole("alert").allInnerTexts();

/** Copies the link in the open tab Share. @param {Page} page */
async function copyLink(page, button = "Copy link to the game", done = "Copied.") {
  await page.getByRole("button", { name: button, exact: true }).click();
  await page.getByText(done, { exact: true }).waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

/** A page that reads QR codes, for each context. @type {WeakMap<BrowserContext, Promise<Page>>} */
const readers = new WeakMap();

/** @param {BrowserContext} context */
async function openReader(context) {
  const reader = await context.newPage();
  await reader.addScriptTag({ path: qrReader });
  return reader;
}

/** The text of the shown QR code, read from a picture of the screen. @param {Page} page */
async function readQrCode(page) {
  const picture = await page.locator(".share-qr").screenshot();
  const reader = readers.get(page.context()) ?? openReader(page.context());
  readers.set(page.context(), reader);
  return (await reader).evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight);
    const context = canvas.getContext("2d");
    if (!context) return "";
    context.drawImage(image, 0, 0);
    const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
    return /** @type {any} */ (window).jsQR(data, width, height)?.data ?? "";
  }, picture.toString("base64"));
}

pageTest("a file gives the link that the command line prints, and opens it in another file", async ({ open, say }) => {
  const page = await open(`${game.page}#turn=31`, { before: mayCopy });
  await openTab(page, "Share");
  assert.equal(await copyLink(page), `${link}&turn=31`);
  const there = await sentences(page);
  await page.getByLabel("Address of a page with this viewer").fill(` ${BASE}#turn=9 `);
  assert.equal(await copyLink(page), `${BASE}${link}&turn=31`);
  say(`the link has ${link.length} characters`);
  assert.ok(link.length <= 350, link);

  /** @type {string[]} */
  const asked = [];
  const linked = await open(`${other.page}${link}&turn=31`, {
    offline: true,
    before: async (context) => void context.on("request", (request) => asked.push(request.url())),
  });
  await waitForTurn(linked, 31, 100);
  assert.deepEqual(await sentences(linked), there);
  assert.deepEqual(await namesOf(linked), ["greedy", "greedy", "sample", "random"]);
  await waitUntil(() => textOf(linked, ".page-note"), /This game comes from a link/);
  await linked.keyboard.press("End");
  await waitUntil(() => scoresOf(linked), game.scores);
  assert.deepEqual(asked.filter((url) => url.split("#")[0] !== other.page && !/^(data|blob):/.test(url)), []);

  await linked.getByRole("button", { name: "Show this file's own match" }).click();
  await waitForTurn(linked, 0, 4);
  await waitUntil(() => linked.locator(".page-note").isVisible(), false);
  await linked.goBack();
  await waitForTurn(linked, 100, 100);
  await linked.goBack();
  await waitForTurn(linked, 31, 100);
  await linked.goForward();
  await waitForTurn(linked, 100, 100);
  await linked.goForward();
  await waitForTurn(linked, 0, 4);
});

pageTest("another link in the same tab is opened at its turn", async ({ open }) => {
  const page = await open(other.page);
  await waitForTurn(page, 0, 4);
  await page.evaluate((hash) => (location.hash = hash), `${link}&turn=12`);
  await waitForTurn(page, 12, 100);
  await page.evaluate((hash) => (location.hash = hash), `${link}&turn=50`);
  await waitForTurn(page, 50, 100);
  const own = (await pacman2("replay", "convert", other.replay, "--link")).trim();
  await page.evaluate((hash) => (location.hash = hash), own);
  await waitForTurn(page, 0, 4);
  await waitUntil(() => page.locator(".page-note").isVisible(), true);
  for (const [asked, shown] of [["1000", 100], ["-3", 0], ["x", 0]]) {
    await page.evaluate((hash) => (location.hash = hash), `${link}&turn=${asked}`);
    await waitForTurn(page, Number(shown), 100);
  }
});

pageTest("a game under What if has a link, too", async ({ open }) => {
  const page = await open(`${game.page}#turn=20`, { before: mayCopy });
  const whatIf = await openTab(page, "What if");
  await whatIf.getByRole("button", { name: /^Play on/ }).first().click();
  const [, last] = await waitUntil(() => shownTurn(page), ([, end]) => end !== 100);
  await openTab(page, "Share");
  const copied = await copyLink(page);
  await waitForTurn(await open(`${other.page}${copied}`), last, last);
});

pageTest("a damaged link says what is damaged, in both languages", async ({ open }) => {
  const middle = 4 + Math.floor((link.length - 4) / 2);
  const changed = link.slice(0, middle) + (link[middle] === "x" ? "y" : "x") + link.slice(middle + 1);
  /** @type {[string, RegExp, RegExp][]} */
  const cases = [
    ["#g=", /there is none after #g=/, /#g= 后面不是对局/],
    [`#g=1${link.slice(4)}`, /it is of version 1/, /它的版本是 1/],
    ["#g=garbage", /there is none after #g=/, /#g= 后面不是对局/],
    [link.slice(0, -30), /its end is missing: \d+ of \d+ bytes/, /链接不完整，应有 \d+ 字节，只有 \d+ 字节/],
    [`${link.slice(0, 30)}*${link.slice(31)}`, /no character “\*” \(character 28 after g=\)/, /不会出现字符“\*”（g= 后第 28 个字符）/],
    [changed, /the checksum differs/, /校验和不符/],
    [`${link}abcd`, /goes on after its end/, /末尾有多余内容/],
    [`#g=${"2".repeat(131_100)}`, /no game is 131100 characters long/, /没有这么长的对局/],
  ];
  for (const [locale, index] of /** @type {const} */ ([["en-GB", 1], ["zh-CN", 2]])) {
    const page = await open(other.page, { locale });
    for (const test of cases) {
      await page.evaluate((hash) => (location.hash = hash), test[0]);
      await waitUntil(async () => (await alerts(page)).at(-1) ?? "", test[index], test[0].slice(0, 40));
      assert.deepEqual(await shownTurn(page), [0, 4], "the shown match stays");
    }
    await page.close();
    const started = await open(`${other.page}${cases[2][0]}`, { locale });
    await waitForTurn(started, 0, 4);
    await waitUntil(() => alerts(started).then(String), cases[2][index]);
  }
});

// Each width, theme and language, and a phone in both themes.
for (const { phone, dark, language } of /** @type {const} */ ([
  { phone: true, dark: true, language: "zh" },
  { phone: false, dark: false, language: "en" },
  { phone: true, dark: false, language: "en" },
])) {
  const how = `${phone ? "a phone" : "a wide screen"}, ${dark ? "dark" : "light"}, ${language}`;
  pageTest(`the QR code leads to the turn: ${how}`, async ({ open }) => {
    const [share, address, button] = language === "zh" ? ["分享", "带有本播放器的网页地址", "二维码"] : ["Share", "Address of a page with this viewer", "QR code"];
    const page = await open(`${other.page}${link}&turn=57`, {
      phone, dark, locale: language === "zh" ? "zh-CN" : "en-GB",
      before: (context) => context.addInitScript({ path: axeFile }),
    });
    await waitForTurn(page, 57, 100);
    await openTab(page, share);
    await page.getByLabel(address).fill(BASE);
    const toggle = page.getByRole("button", { name: button, exact: true });
    assert.equal(await page.locator(".share-qr svg").count(), 0);
    await toggle.click();
    await page.locator(".share-qr svg").scrollIntoViewIfNeeded();
    await waitUntil(() => readQrCode(page), `${BASE}${link}&turn=57`);
    await page.keyboard.press("ArrowRight");
    await waitForTurn(page, 58, 100);
    await waitUntil(() => readQrCode(page), `${BASE}${link}&turn=58`);
    if (language === "zh") await assertChinese(page, [BASE]);
    if (phone) await assertTouchable(page, how);
    await assertAccessible(page, how, "#tabs");
    await assertAccessible(page, how, ".page-note");
    await toggle.click();
    await waitUntil(() => page.locator(".share-qr").isVisible(), false);
  });
}

pageTest("a link that is too long for a QR code can be copied", async ({ open }) => {
  const page = await open(game.page, { before: mayCopy });
  await openTab(page, "Share");
  const base = BASE + "x".repeat(3000);
  await page.getByRole("button", { name: "QR code", exact: true }).click();
  await page.getByLabel("Address of a page with this viewer").fill(base);
  await page.getByText("The link is too long for a QR code.").waitFor();
  assert.equal(await copyLink(page), base + link);
  await page.getByLabel("Address of a page with this viewer").fill(BASE);
  await waitUntil(() => readQrCode(page), BASE + link);
});

pageTest("a page on a web host is framed by another page, and leaves its history alone", async ({ open, later }) => {
  const hosted = await hostSite(tempPath());
  later(hosted.close);
  const page = await open(`${game.page}#turn=31`, { before: mayCopy });
  await openTab(page, "Share");
  const copyFrame = page.getByRole("button", { name: "Copy HTML to embed" });
  assert.equal(await copyFrame.isVisible(), false, "a file has no address");
  await page.getByLabel("Address of a page with this viewer").fill(`${hosted.address}other.html?"><b>`);
  const html = await copyLink(page, "Copy HTML to embed");
  assert.match(html, /^<iframe src="http[^"<>]+"( \w+="\w+")+><\/iframe>$/);
  await page.getByLabel("Address of a page with this viewer").fill(`${hosted.address}other.html`);
  const frame = await copyLink(page, "Copy HTML to embed");
  await writeFile(tempPath("framing.html"), `<!doctype html><title>Framing</title><body data-ready><h1>Framing</h1>${frame}`);
  const framing = await open(`${hosted.address}framing.html`);
  const inner = framing.frameLocator("iframe");
  const turn = () => inner.locator(".transport-turn").textContent();
  await waitUntil(turn, /^(Turn )?31 \D+ 100$/);
  assert.equal(await inner.locator("#header").isVisible(), false);
  const entries = await framing.evaluate(() => history.length);
  await inner.locator("#board svg[role=application]").focus();
  await framing.keyboard.press("End");
  await waitUntil(turn, /^(Turn )?100 \D+ 100$/);
  await waitUntil(() => framing.evaluate(() => frames[0].location.hash), /&turn=100&embed=1$/);
  assert.equal(await framing.evaluate(() => history.length), entries);
});

pageTest("a server opens a link, and its token stays out of links", async (tools) => {
  const { open } = tools;
  await mkdir(tempPath("linked"));
  const server = await startServer("linked", tools);
  const page = await open(`${server.address}&${link.slice(1)}&turn=9`, { before: mayCopy });
  await waitForTurn(page, 9, 100);
  assert.match(String(await tokenOf(page)), /^[0-9a-f]{32}$/);
  const address = await waitUntil(() => page.evaluate(() => location.href), `${server.origin}/${link}&turn=9`);
  await page.reload();
  await waitForTurn(page, 9, 100);
  await openTab(page, "Share");
  assert.equal(await copyLink(page), address);
  assert.equal(await page.getByRole("button", { name: "Copy HTML to embed" }).isVisible(), false, "a server may not be framed");
  await page.getByRole("button", { name: "QR code", exact: true }).click();
  await waitUntil(() => readQrCode(page), address);
  assert.match(await textOf(page, ".share-game .share-note"), /opens on this computer only/);
  await page.getByLabel("Address of a page with this viewer").fill(BASE);
  await page.reload();
  await waitForTurn(page, 9, 100);
  await openTab(page, "Share");
  assert.equal(await copyLink(page), `${BASE}${link}&turn=9`, "the other address is remembered");
  assert.equal(await copyLink(page, "Copy link to this turn"), `${BASE}${link}&turn=9`);
  assert.doesNotMatch(await textOf(page, ".share-game .share-note"), /this computer only/);
  await page.getByRole("button", { name: "Matches", exact: true }).click();
  await page.getByRole("heading", { name: "Recent replays" }).waitFor();
  await waitUntil(() => page.evaluate(() => location.hash), "");
  await page.evaluate((hash) => (location.hash = hash), `${link}&turn=30`);
  await waitForTurn(page, 30, 100);
  await page.getByRole("button", { name: "Close the game" }).click();
  await page.getByRole("heading", { name: "Recent replays" }).waitFor();
});
