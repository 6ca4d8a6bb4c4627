// Sharing: links, texts, pictures, animations, the replay.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { pacman2, playWholeGame, startServer } from "./fixtures.js";
import { waitForTurn, waitUntil, openTab, shownTurn, scoresOf } from "./page-helpers.js";
import { harness, pageTest, tempPath } from "./harness.js";

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
  assert.equal(picture.trim(), (await pacman2("replay", "show", game.replay, "--turn", "31")).trim());
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
    return [image.naturalWidth, image.naturalHeight];
  }, gif.bytes.toString("base64"));
  // The board has 9 × 8 cells with a border, and below it come four lines of text.
  assert.deepEqual(size, [480, 536]);
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

pageTest("some turns are recorded as a WebM", async ({ open }) => {
  const page = await open(game.page, { calm: false });
  const panel = await openTab(page, "Share");
  await panel.getByLabel("from turn").fill("20");
  await panel.getByLabel("to", { exact: true }).fill("22");
  await panel.getByLabel("turns per second").selectOption("8");
  await panel.getByLabel("title").fill("A <b>title</b> that is longer than the line in which it is drawn");
  await panel.getByRole("button", { name: "Record WebM" }).click();
  const webm = await waitUntil(() => panel.innerText(), /The animation has \d+ KB/).then(() => saved(page, "Save WebM"));
  assert.match(webm.name, /-20-22\.webm$/);
  assert.equal(webm.bytes.readUInt32BE(0), 0x1a45dfa3, "it is EBML");
  assert.ok(webm.bytes.subarray(0, 64).includes("webm"));
  const blank = await page.context().newPage();
  const [width, height, colours] = await blank.evaluate(async (base64) => {
    const film = document.createElement("video");
    film.muted = true;
    film.src = `data:video/webm;base64,${base64}`;
    const over = new Promise((done) => film.addEventListener("ended", done));
    await film.play();
    await over;
    const canvas = new OffscreenCanvas(film.videoWidth, film.videoHeight);
    const context = canvas.getContext("2d");
    context?.drawImage(film, 0, 0);
    const { data } = context?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    return [film.videoWidth, film.videoHeight, new Set(new Uint32Array(new Uint8ClampedArray(data).buffer)).size];
  }, webm.bytes.toString("base64"));
  assert.deepEqual([width, height], [480, 536]);
  assert.ok(colours > 50, `${colours} colours`);
});

pageTest("an animation that is cancelled leaves no file", async ({ open }) => {
  const page = await open(game.page);
  const panel = await openTab(page, "Share");
  for (const button of ["Make GIF", "Record WebM"]) {
    await panel.getByRole("button", { name: button }).click();
    await panel.getByRole("button", { name: "Cancel" }).click();
    await panel.getByRole("button", { name: "Cancel" }).waitFor({ state: "hidden" });
    assert.equal(await panel.getByRole("button", { name: /^Save (GIF|WebM)$/ }).count(), 0);
  }
});

pageTest("a saved page shows the match offline, with its branches; that of a file is the page that the program writes", async (tools) => {
  await mkdir(tempPath("pages"));
  await copyFile(game.replay, path.join(tempPath("pages"), "game.json"));
  const server = await startServer("pages", tools);
  const page = await tools.open(`${server.origin}/#replay=game.json&turn=98`);
  await waitForTurn(page, 98, 100);
  const parts = async (/** @type {string} */ file) => {
    const text = await readFile(file, "utf8");
    const part = (/** @type {RegExp} */ pattern) => text.match(pattern)?.[1].replaceAll("&quot;", '"') ?? "";
    const replay = JSON.parse(part(/id="replay-data">(.*?)<\/script>/s));
    const texts = [part(/<style>(.*?)<\/style>/s), part(/<script type="module">(.*?)<\/script>/s)];
    const digests = texts.map((text) => createHash("sha256").update(text).digest("base64"));
    return [replay, part(/Content-Security-Policy" content="(.*?)">/), ...digests];
  };
  await savedPage(await tools.open(game.page), "same.html");
  assert.deepEqual(await parts(tempPath("same.html")), await parts(fileURLToPath(game.page)));
  const plain = await savedPage(page, "plain.html");
  const panel = await openTab(page, "What if");
  for (const seat of [0, 1, 2, 3]) {
    await panel.getByRole("combobox", { name: `Player ${seat} is played by` }).selectOption("random");
  }
  await panel.getByRole("button", { name: "Play on from turn 98" }).click();
  await waitUntil(() => shownTurn(page), ([, last]) => last === 100);
  await panel.getByRole("button", { name: "The match" }).click();
  const branched = await savedPage(page, "branched.html");
  for (const [file, hasBranch] of /** @type {const} */ ([[plain, false], [branched, true]])) {
    const copy = await tools.open(file, { offline: true });
    await waitForTurn(copy, 0, 100);
    const there = await openTab(copy, "What if");
    await waitUntil(() => there.getByRole("button", { name: "What if 1, from turn 98" }).isVisible(), hasBranch);
    await copy.keyboard.press("End");
    await waitForTurn(copy, 100, 100);
    await waitUntil(() => scoresOf(copy), game.scores);
    // A saved page saves pages, too.
    await savedPage(copy, "again.html");
    assert.deepEqual(await parts(tempPath("again.html")), await parts(fileURLToPath(file)));
  }
});

/** Saves the page with the shown match in the tests' folder. Returns its address. @param {Page} page @param {string} name */
async function savedPage(page, name) {
  await openTab(page, "Share");
  const { path: file } = await saved(page, "Save page with this match");
  await copyFile(file, tempPath(name));
  return pathToFileURL(tempPath(name)).href;
}

pageTest("branches are saved with the replay, and read back", async ({ open }) => {
  const page = await open(`${game.page}#turn=95`);
  const panel = await openTab(page, "What if");
  for (const [from, number] of [[95, 1], [97, 2]]) {
    for (const seat of [0, 1, 2, 3]) {
      await panel.getByRole("combobox", { name: `Player ${seat} is played by` }).selectOption("greedy");
    }
    await page.evaluate((turn) => (location.hash = location.hash.replace(/turn=\d+/, `turn=${turn}`)), from);
    await waitForTurn(page, from);
    await panel.getByRole("button", { name: `Play on from turn ${from}` }).click();
    await waitUntil(() => shownTurn(page), ([, last]) => last === 100);
    await panel.getByRole("button", { name: `What if ${number}, from turn ${from}`, pressed: true }).waitFor();
    // The playback passes the turn that is asked for next, so it has to be over.
    await waitUntil(() => page.evaluate(() => location.hash), /turn=100&/);
  }
  await panel.getByRole("button", { name: "The match" }).click();
  await openTab(page, "Share");
  const { path: file } = await saved(page, "Save replay");
  const { branches } = JSON.parse(await readFile(file, "utf8"));
  assert.deepEqual(branches.map((/** @type {any} */ { number, parent, turn, actions }) => [number, parent, turn, actions.length]),
    [[1, 0, 95, 5], [2, 1, 97, 3]]);

  // The program accepts the file, and keeps the branches in a page.
  assert.match(await pacman2("replay", "verify", file), /100 turns, all follow the rules/);
  await pacman2("replay", "convert", file, "branched-page.html", "--force");
  const copy = await open(pathToFileURL(tempPath("branched-page.html")).href);
  await openTab(copy, "What if");
  await copy.getByRole("button", { name: "What if 2, from turn 97" }).click();
  await waitForTurn(copy, 100, 100);

  // One illegal action: the branch and its child are left out.
  branches[0].actions[0] = [8, 8, 8, 8];
  const bad = { ...JSON.parse(await readFile(file, "utf8")), branches: [...branches, null, "x", { number: 9 }] };
  await writeFile(tempPath("bad.json"), JSON.stringify(bad));
  const other = await open(game.page);
  await other.evaluate(() => sessionStorage.clear());
  await other.locator("input[type=file]").setInputFiles(tempPath("bad.json"));
  const alerts = () => other.getByRole("alert").filter({ visible: true }).allInnerTexts();
  await waitUntil(alerts, (texts) => texts.some((text) => /were left out: 5\./.test(text)));
  await waitForTurn(other, 0, 100);
});
