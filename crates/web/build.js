// Bundles the scripts and styles of all pages into the folder `bundle`, which is committed: building the program needs no Node.
// `npm run build` writes it; `node build.js DIR` writes to another folder.

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { build, transform } from "esbuild";

const here = import.meta.dirname;
const out = path.resolve(process.argv[2] ?? path.join(here, "bundle"));
const minified = { charset: "utf8", legalComments: "none", minify: true, target: ["chrome80", "edge80", "firefox113", "safari16.4"] };

/** The first file of each script. Its imports of styles become a style sheet of the same name. */
const scripts = {
  // The pages of the viewer: in a file and on Botzone, of a server, of a static site.
  file: "viewer/start.js",
  server: "viewer/server-start.js",
  site: "viewer/site-start.js",
  // What the page of a server fetches.
  analysis: "viewer/analysis.js",
  errors: "viewer/fetched-errors.js",
  // What lies beside the page of a static site.
  worker: "viewer/worker.js",
  sw: "viewer/sw.js",
  arena: "arena/main.js",
};

const analysisStyle = await transform(await readFile(path.join(here, "viewer/analysis.css"), "utf8"), { ...minified, loader: "css" });
await rm(out, { recursive: true, force: true });
await build({
  ...minified,
  absWorkingDir: here,
  bundle: true,
  define: { analysisStyle: JSON.stringify(analysisStyle.code.trim()) },
  entryPoints: scripts,
  format: "esm",
  outdir: out,
});

/** A hash of everything that the bundle is made from, which a test compares. */
const sources = ["../botzone/words/zh.json", "build.js", "package-lock.json"];
for (const folder of ["arena", "viewer"]) {
  const names = (await readdir(path.join(here, folder))).filter((name) => /\.(css|js)$/.test(name)).sort();
  sources.push(...names.map((name) => `${folder}/${name}`));
}
const hash = createHash("sha256");
for (const source of sources.sort()) {
  hash.update(source);
  hash.update((await readFile(path.join(here, source), "utf8")).replaceAll("\r\n", "\n"));
}
await mkdir(out, { recursive: true });
await writeFile(path.join(out, "sources"), `${hash.digest("hex")}\n`);
