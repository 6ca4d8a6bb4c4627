// Calls the committed engine as the page does: one call per line of the input, its result as a line of the output.

import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { gunzipSync } from "node:zlib";

const module = new WebAssembly.Module(gunzipSync(readFileSync(process.argv[2])));
if (WebAssembly.Module.imports(module).length > 0) throw new Error("the engine imports something");
const engine = new WebAssembly.Instance(module).exports;

/** Returns the bytes at an address in the engine's memory, which may have grown and moved since the last call. */
const memory = (start, length) => new Uint8Array(engine.memory.buffer, start >>> 0, length);

for await (const line of createInterface({ input: process.stdin })) {
  const { name, bytes, numbers } = JSON.parse(line);
  const place = [];
  if (bytes !== null) {
    const put = Buffer.from(bytes, "base64");
    place.push(engine.room(put.length), put.length);
    memory(...place).set(put);
  }
  const start = engine[name](...place, ...numbers);
  console.log(start === undefined ? "" : Buffer.from(memory(start, engine.length())).toString("base64"));
}
