// The page while a live match goes on, and after it has ended.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { startServer } from "./fixtures.js";
import { harness, pageTest, tempPath } from "./harness.js";
import { shownTurn, textOf, tokenOf, waitForTurn, waitUntil } from "./page-helpers.js";

/** @typedef {import("playwright-core").Page} Page */

harness();

/** Opens the page of a server with a new folder. @param {string} folder @param {import("./harness.js").Harness} harness */
async function openServer(folder, harness) {
  await mkdir(tempPath(folder));
  const server = await startServer(folder, harness);
  return { server, page: await harness.open(server.address) };
}

const button = (/** @type {Page} */ page, /** @type {string} */ name) => page.getByRole("button", { name, exact: true });

/**
 * Starts a match by a request, and plays one of its seats.
 * @param {Page} page
 * @param {Record<string, unknown>} request
 */
async function playByRequest(page, request) {
  const token = await tokenOf(page);
  const id = await page.evaluate(async ([token, body]) => {
    const Authorization = `Bearer ${token}`;
    const response = await fetch("/api/matches", { method: "POST", headers: { Authorization }, body: JSON.stringify(body) });
    return (await response.json()).id;
  }, /** @type {const} */ ([token, request]));
  // Loads the page anew: a changed hash would be obeyed, and perhaps corrected, before a reload.
  const { origin } = new URL(page.url());
  await page.goto("about:blank");
  await page.goto(`${origin}/#match=${id}`);
  await button(page, "Play player 0").click();
  await waitUntil(() => textOf(page, "#seat"), /Player 0: choose for turn 1/);
}
const seats = ["human", "greedy", "greedy", "random"];

pageTest("the first time-out of a human warns that the second is final", async (harness) => {
  const { page } = await openServer("late", harness);
  await playByRequest(page, { seats, seed: 27, clock_ms: 5000 });
  const warning = page.locator(".home-strip [role=alert]");
  await waitUntil(() => warning.allInnerTexts(), ([text]) => /You were too late, and player 0 stayed.*the next time, the player dies/.test(text));
  await button(page, "Abandon").click();
  await waitUntil(() => warning.isVisible(), false);
});

pageTest("the arrow keys play and do not leave the turn for which a human chooses", async (harness) => {
  const { page } = await openServer("arrows", harness);
  await playByRequest(page, { seats, seed: 27 });
  const arrows = /** @type {const} */ ({ W: "ArrowUp", A: "ArrowLeft", S: "ArrowDown", D: "ArrowRight" });
  const isLegal = (/** @type {string} */ key) =>
    page.locator(`.seat-key[data-key=${key}]`).getAttribute("aria-disabled").then((off) => off === "false");
  for (let turn = 1; turn <= 2; turn += 1) {
    await waitUntil(() => textOf(page, "#seat"), new RegExp(`choose for turn ${turn}`));
    let legal = "";
    for (const [key, arrow] of Object.entries(arrows)) {
      if (await isLegal(key)) legal ||= arrow;
      else await page.keyboard.press(arrow);
    }
    assert.deepEqual(await shownTurn(page), [turn - 1, turn - 1], "a wall is no reason to leave the turn");
    await page.keyboard.press(legal);
    await waitForTurn(page, turn, turn);
  }
  await page.keyboard.press(",");
  await waitForTurn(page, 1, 2);
  await page.keyboard.press("ArrowLeft");
  await waitForTurn(page, 0, 2);
  await page.keyboard.press(".");
  await waitForTurn(page, 1, 2);
  await page.keyboard.press("ArrowRight");
  await waitForTurn(page, 2, 2);
  await page.keyboard.press("Shift+ArrowLeft");
  await waitForTurn(page, 0, 2);
});

pageTest("nothing is live after a match has been abandoned", async (harness) => {
  const { page } = await openServer("over", harness);
  await playByRequest(page, { seats, seed: 27 });
  await page.keyboard.press("x");
  await waitForTurn(page, 1, 1);
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: "Live", exact: true }).waitFor();
  await button(page, "Abandon").click();
  await waitUntil(() => textOf(page, ".home-state"), /^The match was abandoned\./);
  await waitUntil(() => page.locator(".transport-live").isVisible(), false);
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowLeft");
  await waitForTurn(page, 0, 1);
});

pageTest("an address of an unknown match leads to the start page", async (harness) => {
  const { server, page } = await openServer("unknown", harness);
  harness.expect(/status of 404/);
  // Loads the page anew: a change of the hash alone could be obeyed, and the address corrected, before a reload.
  await page.goto("about:blank");
  await page.goto(`${server.origin}/#match=0123456789abcdef`);
  await page.getByRole("status").filter({ hasText: "The server no longer knows this match." }).waitFor();
  await waitUntil(() => page.locator(".home-strip").isVisible(), false);
  await waitUntil(async () => /match=/.test(page.url()), false);
});
