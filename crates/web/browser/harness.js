// The browser of all tests in a process, and pages that are monitored: an error in a page fails its test.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium, firefox } from "playwright-core";

/** The program under test. */
export const PACMAN2 = requiredVariable("PACMAN2", "the built pacman2");
/** A Firefox, if the tests run in it and not in a Chromium. */
const FIREFOX = process.env.FIREFOX;
const CHROMIUM = FIREFOX ? "" : requiredVariable("CHROMIUM", "a Chromium");

/** A time limit for everything, generous for a busy machine. */
export const TIMEOUT_MS = 60_000;

/** @param {string} name @param {string} what */
export function requiredVariable(name, what) {
  const value = process.env[name];
  assert.ok(value, `set ${name} to the path of ${what}`);
  return value;
}

/**
 * What a test works with.
 * @typedef {{
 *   folder: string,
 *   open: (url: string, options?: PageOptions) => Promise<import("playwright-core").Page>,
 *   expect: (problem: RegExp) => void,
 *   say: (text: string) => void,
 *   later: (work: () => unknown) => void,
 * }} Harness
 * @typedef {{
 *   locale?: string, dark?: boolean, calm?: boolean, phone?: boolean, offline?: boolean,
 *   before?: (context: import("playwright-core").BrowserContext) => Promise<unknown>,
 * }} PageOptions
 */

/** @type {import("playwright-core").Browser | undefined} */
let browser;
after(() => browser?.close());
/** The temporary folder of the test file that is running. */
let folder = "";
/** Registers hooks and tests of a file: at once, or in the suite of the file if several files share the process. */
let register = (/** @type {() => void} */ work) => work();
/** Whether the file that was imported last has a test that runs. */
let hasTests = false;

/**
 * Runs several test files in this process, one after another. A process and a browser for each of them take longer to start than
 * many a test takes to run.
 * @param {string[]} files
 */
export async function testFiles(files) {
  for (const file of files) {
    /** @type {(() => void)[]} */
    const registered = [];
    register = (work) => void registered.push(work);
    hasTests = false;
    await import(pathToFileURL(file).href);
    // Without tests, the preparations of the file would be made for nothing.
    if (hasTests) describe(path.basename(file), () => registered.forEach((work) => work()));
  }
}

/** The browser, which is started when a test needs it first, and again if it crashed. */
async function theBrowser() {
  if (!browser?.isConnected()) {
    if (FIREFOX) return (browser = await firefox.launch({ executablePath: FIREFOX, channel: "moz-firefox", firefoxUserPrefs: { "ui.prefersReducedMotion": 1 } }));
    const rights = process.getuid?.() === 0 ? ["--no-sandbox"] : [];
    const quiet = ["--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-first-run"];
    browser = await chromium.launch({ executablePath: CHROMIUM, args: [...rights, "--disable-gpu", ...quiet] });
  }
  return browser;
}

/**
 * Makes the temporary folder before the tests of a file, and removes it after them.
 * @param {() => Promise<unknown>} [prepare] additional preparation
 */
export function harness(prepare) {
  register(() => {
    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), "pacman2-browser-"));
      await prepare?.();
    });
    after(() => rm(folder, { recursive: true, force: true }));
  });
}

/** A path in the temporary folder. */
export const tempPath = (name = "") => path.join(folder, name);

/** Whether only those tests run that are part of every run. */
const isShort = process.env.TESTS === "main";

/**
 * A test with its own pages. Errors, console messages and policy violations in a page fail it, unless they
 * are expected.
 * @param {string} name
 * @param {(harness: Harness) => Promise<void>} play
 */
export function pageTest(name, play) {
  if (!isShort) mainTest(name, play);
}

/**
 * A test like those of `pageTest`, of what most visitors of the page do: it is part of every run.
 * @type {typeof pageTest}
 */
export function mainTest(name, play) {
  hasTests = true;
  register(() => void test(name, { timeout: 2 * TIMEOUT_MS }, async (context) => {
    /** @type {string[]} */
    const problems = [];
    /** @type {RegExp[]} */
    const expected = [];
    /** @type {(() => unknown)[]} */
    const last = [];
    const open = async (/** @type {string} */ url, /** @type {PageOptions} */ options = {}) => {
      const made = await (await theBrowser()).newContext(contextOf(options));
      last.unshift(() => made.close());
      made.setDefaultTimeout(TIMEOUT_MS);
      await made.addInitScript(reportViolations);
      await options.before?.(made);
      const page = await made.newPage();
      page.on("pageerror", (error) => problems.push(`error: ${error.stack ?? error}`));
      page.on("console", (message) => {
        const { url } = message.location();
        if (/error|warning/.test(message.type())) problems.push(`${message.type()}: ${message.text()} ${url}`);
      });
      await page.goto(url);
      await page.locator("body[data-ready]").waitFor({ state: "attached" });
      return page;
    };
    try {
      await play({
        folder,
        open,
        expect: (problem) => expected.push(problem),
        say: (text) => context.diagnostic(text),
        later: (work) => last.unshift(work),
      });
    } finally {
      for (const work of last) await work();
    }
    assert.deepEqual(problems.filter((problem) => !expected.some((pattern) => pattern.test(problem))), [], "errors in the page");
  }));
}

/** @param {PageOptions} options @returns {import("playwright-core").BrowserContextOptions} */
function contextOf({ locale = "en-GB", dark = false, calm = true, phone = false, offline = false }) {
  return {
    locale,
    offline,
    colorScheme: dark ? "dark" : "light",
    // Most tests do not wait for animations.
    reducedMotion: calm ? "reduce" : "no-preference",
    viewport: phone ? { width: 360, height: 740 } : { width: 1400, height: 900 },
    ...(!FIREFOX && { hasTouch: phone, isMobile: phone }),
  };
}

/** Runs in the page. */
function reportViolations() {
  addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
    console.error(`the policy is violated: ${violatedDirective} ${blockedURI} ${sample}`);
  });
}
