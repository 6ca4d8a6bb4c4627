// One's own bots on a server: new ones, their sources and versions, and what the server does with them.

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { run, startServer } from "./fixtures.js";
import { harness, mainTest, pageTest, tempPath } from "./harness.js";
import { assertChinese, namesOf, textOf, tokenOf, waitUntil } from "./page-helpers.js";

/** @typedef {import("playwright-core").Page} Page */

harness();

const stays = `import json
input()
print(json.dumps({"response": {"action": -1}}))
`;

/**
 * Opens a page of a server with folders for replays and for bots, and with a bot.
 * @param {string} folder
 * @param {import("./harness.js").Harness} harness
 * @param {import("./harness.js").PageOptions & { bot?: string, files?: Record<string, string> }} [options] the bot that is opened
 */
async function openBots(folder, harness, { bot, files = { "stays.py": stays }, ...options } = {}) {
  const bots = `${folder}-bots`;
  await mkdir(tempPath(folder));
  await mkdir(tempPath(bots));
  for (const [name, text] of Object.entries(files)) await writeFile(tempPath(`${bots}/${name}`), text);
  const server = await startServer(folder, harness, ["--bots", bots]);
  const address = (/** @type {string} */ bot) => `${server.origin}/#token=${server.token}&${new URLSearchParams({ bots: bot })}`;
  const page = await harness.open(bot === undefined ? server.address : address(bot), options);
  if (bot) await editorOf(page).waitFor();
  return { server, page, address, file: (/** @type {string} */ name) => tempPath(`${bots}/${name}`) };
}

const button = (/** @type {Page} */ page, /** @type {string} */ name) => page.getByRole("button", { name, exact: true });
const editorOf = (/** @type {Page} */ page) => page.locator(".my-bot-editor .cm-content");
/** Replaces the source in the editor. @param {Page} page @param {string} text */
async function write(page, text) {
  await editorOf(page).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}
/** The source in the editor; it shows no more lines than have room. @param {Page} page */
const sourceIn = async (page) => (await editorOf(page).locator(".cm-line").allTextContents()).join("\n");
const stateIs = (/** @type {Page} */ page, /** @type {RegExp} */ state) => waitUntil(() => textOf(page, ".my-bot-below"), state);

mainTest("an author writes a bot, and finds its error at its line", async (harness) => {
  const { page, file } = await openBots("author", harness, { files: {} });
  await button(page, "New bot…").click();
  await button(page, "A pasted source").click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Language").filter({ visible: true }).selectOption("py");
  await dialog.getByLabel("Source").fill(stays);
  await dialog.getByLabel("Name").fill("first");
  await button(page, "Create").click();
  await waitUntil(() => sourceIn(page), stays);
  assert.match(page.url(), /#bots=first\.py$/);
  await write(page, "import json\ninput()\nprint(1 / 0)\n");
  await stateIs(page, /Not saved yet/);
  await button(page, "Check").click();
  const problem = page.locator(".my-bot-problem", { hasText: "line 3" });
  await problem.waitFor();
  assert.equal(await readFile(file("first.py"), "utf8"), "import json\ninput()\nprint(1 / 0)\n", "a check saves first");
  await page.locator(".cm-lint-marker-error").waitFor();
  await problem.click();
  await page.keyboard.type("#");
  await waitUntil(() => sourceIn(page), "import json\ninput()\n#print(1 / 0)\n");
  await write(page, stays);
  await button(page, "Check").click();
  await waitUntil(() => textOf(page, ".my-bot-results"), /^No faults in \d+ questions/);
  assert.equal(await page.locator(".cm-lint-marker-error").count(), 0);
  // The driver of Firefox does not notice that it goes back within a page.
  await page.evaluate(() => history.back());
  await page.locator(".my-bots-row", { hasText: "first.py" }).filter({ hasText: "check: no faults" }).waitFor();
  await page.evaluate(() => history.forward());
  await waitUntil(() => textOf(page, ".my-bot h2"), "first.py");
});

pageTest("what has changed on disk is never overwritten", async (harness) => {
  const { page, file } = await openBots("disk", harness, { bot: "stays.py" });
  harness.expect(/status of 409/);
  const note = page.locator(".my-bot-note");
  await write(page, "# mine\n");
  await writeFile(file("stays.py"), "# disk\n");
  await page.keyboard.press("Control+s");
  await waitUntil(() => textOf(page, ".my-bot-note"), /^stays\.py has changed on disk since you began\. Nothing was overwritten\./);
  await button(page, "Differences").click();
  await waitUntil(() => page.locator("dialog .cm-deletedLine").allTextContents(), ["# disk"]);
  await button(page, "Close").click();
  await button(page, "Keep yours as a copy").click();
  await waitUntil(() => textOf(page, ".my-bot h2"), "stays-copy.py");
  assert.equal(await readFile(file("stays-copy.py"), "utf8"), "# mine\n");
  assert.equal(await readFile(file("stays.py"), "utf8"), "# disk\n");
  await page.goBack();
  await waitUntil(() => sourceIn(page), "# disk\n");
  await write(page, "# mine again\n");
  await writeFile(file("stays.py"), "# disk again\n");
  await button(page, "Save").click();
  await button(page, "Load it, without your changes").click();
  await waitUntil(() => sourceIn(page), "# disk again\n");
  await waitUntil(() => note.isVisible(), false);
});

pageTest("a draft survives a closed tab, and ends with a save", async (harness) => {
  const { page, address } = await openBots("draft", harness, { bot: "stays.py" });
  await write(page, "# a draft\n");
  const again = await page.context().newPage();
  await page.close({ runBeforeUnload: true });
  await again.goto(address("stays.py"));
  await button(again, "Go on with the draft").click();
  await waitUntil(() => sourceIn(again), "# a draft\n");
  await button(again, "Save").click();
  await stateIs(again, /^Saved/);
  await again.reload();
  await editorOf(again).waitFor();
  assert.equal(await again.locator(".my-bot-note").isVisible(), false);
  assert.equal(await sourceIn(again), "# a draft\n");
});

pageTest("earlier versions can be compared and brought back", async (harness) => {
  const { page, file } = await openBots("versions", harness, { bot: "stays.py" });
  await write(page, stays.replace("-1", "0"));
  await button(page, "Save").click();
  await page.getByText("Version 1").waitFor();
  await button(page, "Differences, version 1").click();
  await waitUntil(() => page.locator("dialog .cm-deletedLine").allTextContents(), ['print(json.dumps({"response": {"action": -1}}))']);
  await waitUntil(() => page.locator("dialog .cm-changedLine").allTextContents(), ['print(json.dumps({"response": {"action": 0}}))']);
  await page.keyboard.press("Escape");
  await button(page, "Take it into the editor, version 1").click();
  await waitUntil(() => sourceIn(page), stays);
  await button(page, "Save").click();
  await page.getByText("Version 2").waitFor();
  assert.equal(await readFile(file("stays.py"), "utf8"), stays);
});

pageTest("a bot plays, is asked about its loss, and is compared with its last version", async (harness) => {
  const { page } = await openBots("work", harness, { bot: "stays.py" });
  await page.getByLabel("against", { exact: true }).selectOption("greedy");
  await button(page, "Play").click();
  await waitUntil(() => namesOf(page), ["stays.py", "greedy", "greedy", "greedy"]);
  await button(page, "Abandon").click();
  await waitUntil(() => textOf(page, ".home-state"), /The match was abandoned/);
  // A short one is asked about in no time.
  await page.evaluate(async ([token, seats]) => {
    const body = JSON.stringify({ seats, turns: 6, seed: 27 });
    await fetch("/api/matches", { method: "POST", headers: { Authorization: `Bearer ${token}` }, body });
  }, /** @type {const} */ ([await tokenOf(page), [{ mine: "stays.py" }, "greedy", "greedy", "greedy"]]));
  await waitUntil(async () => JSON.parse(await page.evaluate(() => fetch("/api/replays").then((answer) => answer.text()))),
    (/** @type {any[]} */ replays) => replays.some(({ scores }) => scores), "the replay");
  await page.goBack();
  await write(page, stays.replace("-1", "0"));
  await button(page, "Rerun on the last loss").click();
  await page.locator("#rerun").waitFor();
  assert.match(await textOf(page, "#rerun h2"), /^stays\.py in place of stays\.py \(0\)$/);
  assert.match(page.url(), /#replay=/);
  await page.goBack();
  await waitUntil(() => textOf(page, ".my-bot-results"), /another action in \d+ of \d+ turns/);
  await button(page, "Compare").click();
  await page.getByText(/^(Preparing both and playing the first games|Playing) …$/).waitFor();
  await button(page, "Stop").click();
  await waitUntil(() => textOf(page, ".my-bot-results"), /Stopped\.$/);
  await button(page, "Compare").waitFor();
});

pageTest("a bot begins with a template, a file, a folder or a zip", async (harness) => {
  const { page, file } = await openBots("begin", harness, { files: {} });
  const dialog = page.getByRole("dialog");
  const create = async (/** @type {string} */ name, /** @type {() => Promise<unknown>} */ fill) => {
    await page.locator(".my-bots").waitFor();
    await button(page, "New bot…").click();
    await fill();
    await dialog.getByLabel("Name").fill(name);
    await button(page, "Create").click();
    await waitUntil(() => dialog.count(), 0);
    await editorOf(page).waitFor();
    await page.goBack();
  };
  const files = (/** @type {number} */ which, /** @type {string} */ path) => async () => {
    await button(page, "Files").click();
    await dialog.locator("input[type=file]").nth(which).setInputFiles(path);
  };
  await mkdir(tempPath("dropped/data"), { recursive: true });
  await writeFile(tempPath("dropped/main.py"), stays);
  await writeFile(tempPath("dropped/data/net.bin"), Buffer.from([0, 255]));
  await run("python3", ["-c", "import shutil; shutil.make_archive('packed', 'zip', 'dropped')"]);
  await create("from-template", () => dialog.getByLabel("Language").filter({ visible: true }).selectOption({ label: "Python" }));
  await create("from-file", files(0, tempPath("dropped/main.py")));
  await create("from-folder", files(1, tempPath("dropped")));
  await create("from-zip", files(0, tempPath("packed.zip")));
  assert.deepEqual(await readFile(file("from-folder/data/net.bin")), Buffer.from([0, 255]));
  assert.equal(await readFile(file("from-zip/main.py"), "utf8"), stays);
  harness.expect(/status of 409/);
  await button(page, "New bot…").click();
  await dialog.getByLabel("Name").fill("from-zip");
  await button(page, "Create").click();
  await dialog.getByRole("alert").waitFor();
  assert.notEqual(await dialog.getByLabel("Name").inputValue(), "from-zip", "another name is suggested");
});

pageTest("a dropped file becomes a bot, not a replay", async (harness) => {
  const { page, file } = await openBots("drop", harness);
  const data = await page.evaluateHandle((text) => {
    const data = new DataTransfer();
    data.items.add(new File([text], "dropped.py"));
    return data;
  }, stays);
  for (const event of ["dragenter", "dragover", "drop"]) await page.dispatchEvent(".my-bots", event, { dataTransfer: data });
  await button(page, "Create").click();
  await waitUntil(() => sourceIn(page), stays);
  assert.equal(await readFile(file("dropped.py"), "utf8"), stays);
});

pageTest("the keyboard leaves the editor, and the page is Chinese", async (harness) => {
  const { page } = await openBots("keys", harness, { bot: "stays.py", locale: "zh-CN" });
  const isInEditor = () => page.evaluate(() => document.activeElement?.className === "my-bot-editor");
  await editorOf(page).focus();
  await page.keyboard.press("Tab");
  assert.equal(await isInEditor(), true, "Tab indents");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  assert.equal(await isInEditor(), false);
  await assertChinese(page, ["stays.py", "Python", "Tab", "Escape", "Ctrl+F", /keys(-bots)?/, "zip"]);
  await editorOf(page).focus();
  await page.keyboard.press("Control+f");
  await page.locator(".cm-search [name=search]").waitFor();
  assert.equal(await page.locator(".cm-search [name=search]").getAttribute("placeholder"), "查找");
});

pageTest("without a folder for bots, the start page says how to get one", async (harness) => {
  await mkdir(tempPath("none"));
  const server = await startServer("none", harness);
  const page = await harness.open(server.address);
  await page.getByText("pacman2 serve --bots FOLDER").waitFor();
  assert.equal(await button(page, "New bot…").count(), 0);
});
