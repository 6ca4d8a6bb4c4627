// A page in a file, in the small browser of WebKitGTK: xvfb-run node browser/webkit.js PAGE
// Playwright drives no WebKit but its own, so this speaks to WebKit's driver directly.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const free = createServer().listen(0, "127.0.0.1");
await once(free, "listening");
const { port } = /** @type {import("node:net").AddressInfo} */ (free.address());
free.close();

/** Asks the driver, which may not listen yet. @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
async function ask(method, path, body) {
  const init = { method, body: body && JSON.stringify(body) };
  for (let attempt = 1; ; attempt += 1) {
    try {
      const { value } = await (await fetch(`http://127.0.0.1:${port}${path}`, init)).json();
      assert.ok(!value?.error, JSON.stringify(value));
      return value;
    } catch (error) {
      if (!(error instanceof TypeError) || attempt === 100) throw error;
      await pause(100);
    }
  }
}

/** Waits until an expression has a value in the page. @param {string} session @param {string} expression @param {unknown} wanted */
async function waitUntil(session, expression, wanted) {
  let value;
  for (let attempt = 0; attempt < 300; attempt += 1) {
    value = await ask("POST", `${session}/execute/sync`, { script: `return ${expression}`, args: [] });
    if (value === wanted) return;
    await pause(100);
  }
  assert.deepEqual(value, wanted, expression);
}

test("a file shows its match, and keys lead through its turns", { timeout: 120_000 }, async () => {
  const driver = spawn("WebKitWebDriver", [`--port=${port}`], { stdio: "inherit" });
  try {
    const { sessionId } = await ask("POST", "/session", { capabilities: {} });
    const session = `/session/${sessionId}`;
    await ask("POST", `${session}/url`, { url: pathToFileURL(process.argv[2]).href });
    await waitUntil(session, "document.body.hasAttribute('data-ready')", true);
    await waitUntil(session, "document.querySelector('.transport-turn').innerText", "0 / 4");
    const body = await ask("POST", `${session}/element`, { using: "css selector", value: "body" });
    for (const turn of [1, 2, 3, 4]) {
      await ask("POST", `${session}/element/${Object.values(body)[0]}/value`, { text: "." });
      await waitUntil(session, "document.querySelector('.transport-turn').innerText", `${turn} / 4`);
    }
    await waitUntil(session, "/The game is over/.test(document.querySelector('#happened').innerText)", true);
    await ask("DELETE", session);
  } finally {
    driver.kill();
    await once(driver, "exit");
  }
});
