// Runs modules of wasm.rs, whose files are the arguments: prints the signature of each, and how fast it plays relative to the first,
// as the median over rounds in which all play in turn.

import { readFile } from "node:fs/promises";

const ROUNDS = 5;
/** Columns, rows and seed of each map, and how many games take some 50 ms. */
const MAPS = [[6, 6, 1, 8000], [8, 9, 1, 2500], [9, 8, 12, 15000], [11, 11, 1, 3000]];

const median = (numbers) => numbers.sort((a, b) => a - b)[numbers.length >> 1];

const files = process.argv.slice(2);
const modules = await Promise.all(
  files.map(async (file) => (await WebAssembly.instantiate(await readFile(file))).instance.exports),
);

function nanosecondsPerTurn(module, map) {
  const begin = process.cpuUsage();
  const turns = module.play(...map);
  const { user, system } = process.cpuUsage(begin);
  return ((user + system) * 1000) / turns;
}

const results = modules.map((module) => ({
  has_simd: module.has_simd() !== 0,
  signature: BigInt.asUintN(64, module.signature()).toString(16).padStart(16, "0"),
  maps: {},
}));
for (const map of MAPS) {
  const rounds = Array.from({ length: ROUNDS }, () => modules.map((module) => nanosecondsPerTurn(module, map)));
  results.forEach(({ maps }, index) => {
    const [columns, rows] = map;
    maps[`${columns}x${rows}`] = {
      ns_per_turn: median(rounds.map((round) => round[index])),
      times_the_first: median(rounds.map((round) => round[0] / round[index])),
    };
  });
}
console.log(JSON.stringify(results));
