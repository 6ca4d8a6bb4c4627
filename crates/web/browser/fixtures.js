// Fixtures: real matches, bots with given answers, maps, servers.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { PACMAN2, TIMEOUT_MS, tempPath } from "./harness.js";

/** Limits that no bot exceeds on a busy machine. */
export const GENEROUS_LIMITS = ["--time-limit", "60000", "--memory-limit", "2048"];

/**
 * Runs a program and returns its output.
 * @param {string} program
 * @param {string[]} words
 * @param {string} [input]
 */
export async function run(program, words, input = "") {
  const child = spawn(program, words, { cwd: tempPath(), timeout: TIMEOUT_MS, env: quietEnvironment() });
  const output = ["", ""];
  [child.stdout, child.stderr].forEach((pipe, index) => pipe.setEncoding("utf8").on("data", (text) => (output[index] += text)));
  // The program may end before it has read all its input.
  child.stdin.on("error", () => {});
  child.stdin.end(input);
  const [code] = await once(child, "close");
  assert.equal(code, 0, `${program} ${words.join(" ")}: ${output[1]}`);
  return output[0];
}

function quietEnvironment() {
  return { ...process.env, XDG_CACHE_HOME: tempPath("cache"), PACMAN2_WATCHDOG: undefined };
}

/** @param {string[]} words of the command line */
export const pacman2 = (...words) => run(PACMAN2, words);

/**
 * Plays a match. Returns its page, its replay, and its scores.
 * @param {string} name
 * @param {string[]} bots
 * @param {string[]} options
 */
export async function playMatch(name, bots, options) {
  const files = ["--html", `${name}.html`, "--replay", `${name}.json`];
  const { seats } = JSON.parse(await pacman2("match", "--json", ...bots, ...options, ...files));
  const scores = seats.map((/** @type {{ score: number }} */ { score }) => score.toFixed(2));
  return { page: pathToFileURL(tempPath(`${name}.html`)).href, replay: tempPath(`${name}.json`), scores };
}

/** Plays a whole game of built-in bots with all kinds of events. */
export const playWholeGame = (/** @type {string} */ name) =>
  playMatch(name, ["greedy", "greedy", "sample", "random"], ["--seed", "27", "--size", "9x8"]);

/**
 * A match log as downloaded from Botzone.
 * @param {string} replay
 */
export async function matchLogOf(replay) {
  const log = `${replay}.botzone.json`;
  await pacman2("replay", "convert", replay, log);
  return { file: log, log: JSON.parse(await readFile(log, "utf8")) };
}

/**
 * Writes a bot that answers turn n with the n-th answer, and repeats the last one. An answer is a JavaScript expression,
 * which may have side effects.
 * @param {string} name
 * @param {string[]} answers expressions that return the text to write
 */
export async function writeBot(name, answers) {
  const program = `
    let input = "";
    process.stdin.setEncoding("utf8").on("data", (text) => (input += text)).on("end", () => {
      const turn = JSON.parse(input).requests.length;
      const answers = [${answers.map((answer) => `() => (${answer})`).join(", ")}];
      process.stdout.write(answers[Math.min(turn, answers.length) - 1]());
    });
  `;
  await writeFile(tempPath(name), program);
  return `./${name}`;
}

/** The text of an answer as a bot writes it. @param {number} action @param {Record<string, unknown>} [more] */
export function answer(action, { tauntText = "", ...more } = {}) {
  return JSON.stringify(JSON.stringify({ response: { action, tauntText }, ...more }));
}

/**
 * Writes a map with walls at its borders only. `content` maps cells ("row,column") to Botzone's bits.
 * @param {string} name
 * @param {Record<string, number>} content
 */
export async function writeMap(name, content) {
  const side = [0, 1, 2, 3, 4, 5];
  const walls = (/** @type {number} */ row, /** @type {number} */ column) =>
    (row === 0 ? 1 : 0) | (column === 5 ? 2 : 0) | (row === 5 ? 4 : 0) | (column === 0 ? 8 : 0);
  const map = {
    seed: 7, width: 6, height: 6, GENERATOR_INTERVAL: 20, LARGE_FRUIT_DURATION: 10, LARGE_FRUIT_ENHANCEMENT: 10, SKILL_COST: 4,
    static: side.map((row) => side.map((column) => walls(row, column))),
    content: side.map((row) => side.map((column) => content[`${row},${column}`] ?? 0)),
  };
  await writeFile(tempPath(name), JSON.stringify(map));
  return name;
}

/**
 * Starts a server with its own folder.
 * @param {string} folder
 * @param {import("./harness.js").Harness} harness
 * @param {string[]} more options of the command line
 */
export async function startServer(folder, { later }, more = []) {
  const words = ["serve", "--json", "--port", "0", "--folder", folder, ...more];
  const child = spawn(PACMAN2, words, { cwd: tempPath(), env: quietEnvironment(), stdio: ["ignore", "pipe", "inherit"] });
  const over = once(child, "close");
  const end = async (/** @type {NodeJS.Signals} */ signal = "SIGINT") => {
    child.kill(signal);
    await over;
  };
  later(() => child.exitCode ?? child.signalCode ?? end());
  const [line] = await once(child.stdout.setEncoding("utf8"), "data");
  const { address, token } = JSON.parse(line);
  const { origin } = new URL(address);
  return { address, origin, token, end, folder: path.join(tempPath(), folder) };
}
