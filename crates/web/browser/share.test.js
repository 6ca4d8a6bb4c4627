// Sharing: links, texts, pictures, animations, the replay.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { pacman2, playWholeGame } from "./fixtures.js";
import { waitForTurn, waitUntil, openTab, shownTurn } from "./page-helpers.js";
import { pageTest, harness } from "./harness.js";

/** @typedef {import("playwright-core").Page} Page */
/** @type {Awaited<ReturnType<typeof playWholeGame>>} */
let game;
harness(async () => {
  game = await playWholeGame("whole");
});

const mayCopy = {
  before: (/** @type {import("playwright-core").BrowserContext} */ context) =>
    context.grantPermissions(["clipboard-read", "clipboard-write"]),
};

/** @param {Page} page */
const copied = (page) => page.evaluate(() => navigator.clipboard.readText());

/** Saves a file with a button, and returns its name and content. @param {Page} page @param {string} button */
async function saved(page, button) {
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: button, exact: true }).click();
  const file = await download;
  return { name: file.suggestedFilename(), bytes: await readFile(await file.path()), path: await file.path() };
}

pageTest("a link leads to the turn", async ({ open }) => {
  const page = await open(`${game.page}#turn=31`, mayCopy);
  await openTab(page, "Share");
  await page.getByRole("button", { name: "Copy link to this turn" }).click();
  await page.getByText("Copied.").waitFor();
  const link = await copied(page);
  assert.equal(link, `${game.page}#turn=31`);
  await waitForTurn(await open(link), 31, 100);
});

pageTest("the position is copied as init data, picture, request and whole input", async ({ open }) => {
  const page = await open(`${game.page}#turn=31`, mayCopy);
  const panel = await openTab(page, "Share");
  const copy = async (/** @type {string} */ as, seat = "") => {
    await panel.getByLabel("Position as").selectOption({ label: as });
    if (seat) await panel.getByLabel("of player").selectOption(seat);
    await panel.getByRole("button", { name: "Copy", exact: true }).click();
    await panel.getByText("Copied.").waitFor();
    return copied(page);
  };
  const init = JSON.parse(await copy("init data"));
  assert.deepEqual([init.width, init.height, init.content.length, init.static[0].length], [9, 8, 8, 9]);
  const picture = await copy("text picture");
  assert.equal(picture.trim(), (await pacman2("replay", "show", game.replay, "--turn", "31", "--picture")).trim());
  const request = JSON.parse(await copy("request", "2"));
  assert.ok("0" in request && "3" in request);
  const input = JSON.parse(await copy("whole input", "2"));
  assert.deepEqual([input.requests.length, input.responses.length, input.requests[0].id], [32, 31, 2]);
  assert.deepEqual(input.requests[31], request);
});

pageTest("a replay is saved that is the replay", async ({ open }) => {
  const page = await open(game.page);
  await openTab(page, "Share");
  const { path } = await saved(page, "Save replay");
  assert.match(await pacman2("replay", "verify", path), /\S/);
  const turns = async (/** @type {string} */ file) => JSON.parse(await readFile(file, "utf8")).public.turns;
  assert.deepEqual(await turns(path), await turns(game.replay));
});

pageTest("pictures are saved as PNG and SVG", async ({ open }) => {
  const page = await open(`${game.page}#turn=31`);
  await openTab(page, "Share");
  const png = await saved(page, "PNG");
  assert.match(png.name, /-31\.png$/);
  assert.equal(png.bytes.subarray(0, 8).toString("latin1"), "\x89PNG\r\n\x1a\n");
  assert.equal(Math.max(png.bytes.readUInt32BE(16), png.bytes.readUInt32BE(20)), 1600);
  assert.equal(png.bytes.subarray(-8, -4).toString("latin1"), "IEND");
  const svg = await saved(page, "SVG");
  assert.match(svg.name, /-31\.svg$/);
  const blank = await page.context().newPage();
  const drawn = await blank.evaluate((text) => {
    const picture = new DOMParser().parseFromString(text, "image/svg+xml");
    const unknown = [...text.matchAll(/var\(|url\((?!["']?#)|href=(?!"#)|<script|<foreignObject/g)].map(String);
    return { root: picture.documentElement.localName, shapes: picture.querySelectorAll("path").length, unknown };
  }, svg.bytes.toString());
  assert.equal(drawn.root, "svg");
  assert.ok(drawn.shapes > 5);
  assert.deepEqual(drawn.unknown, [], "a saved picture does not depend on the page");
});

pageTest("some turns are saved as a GIF that moves", async ({ open }) => {
  const page = await open(game.page);
  const panel = await openTab(page, "Share");
  await panel.getByLabel("from turn").fill("20");
  await panel.getByLabel("to", { exact: true }).fill("26");
  await panel.getByRole("button", { name: "Make GIF" }).click();
  await waitUntil(() => panel.innerText(), /The animation has \d+ KB/);
  const gif = await saved(page, "Save GIF");
  assert.match(gif.name, /-20-26\.gif$/);
  assert.equal(gif.bytes.subarray(0, 6).toString("latin1"), "GIF89a");
  assert.equal(framesOf(gif.bytes), 7);
  // A browser can show it.
  const blank = await page.context().newPage();
  const size = await blank.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/gif;base64,${base64}`;
    await image.decode();
    return Math.max(image.naturalWidth, image.naturalHeight);
  }, gif.bytes.toString("base64"));
  assert.equal(size, 480);
  assert.deepEqual(await shownTurn(page), [0, 100]);
});

/** The number of frames of a GIF. @param {Buffer} bytes */
function framesOf(bytes) {
  const table = (/** @type {number} */ flags) => (flags & 0x80 ? 3 << ((flags & 7) + 1) : 0);
  let at = 13 + table(bytes[10]);
  let frames = 0;
  const skipBlocks = () => {
    while (bytes[at]) at += bytes[at] + 1;
    at += 1;
  };
  while (bytes[at] !== 0x3b) {
    assert.ok(bytes[at] === 0x21 || bytes[at] === 0x2c, `no block begins at ${at}`);
    const isPicture = bytes[at] === 0x2c;
    frames += isPicture ? 1 : 0;
    at += isPicture ? 10 + table(bytes[at + 9]) + 1 : 2;
    skipBlocks();
  }
  assert.equal(at, bytes.length - 1, "the GIF has data after its end");
  return frames;
}
