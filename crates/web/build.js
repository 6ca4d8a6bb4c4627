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
const withoutPrograms = {
  // The pages of the viewer: in a file and on Botzone, in a report, of a static site.
  file: "viewer/start.js",
  report: "viewer/report-start.js",
  site: "viewer/site-start.js",
};
const withPrograms = {
  // That of a server.
  server: "viewer/server-start.js",
  // The preview of the page for Botzone.
  botzone: "viewer/botzone-preview.js",
  // What the page of a server fetches.
  analysis: "viewer/analysis.js",
  editor: "viewer/fetched-editor.js",
  errors: "viewer/fetched-errors.js",
  // What lies beside the page of a static site.
  worker: "viewer/worker.js",
  sw: "viewer/sw.js",
  arena: "arena/main.js",
  contest: "contest/main.js",
};

const analysisStyle = await transform(await readFile(path.join(here, "viewer/analysis.css"), "utf8"), { ...minified, loader: "css" });
await rm(out, { recursive: true, force: true });
/** Bundles scripts without those sentences of the catalogue that they never say. @param {Record<string, string>} entryPoints @param {RegExp} unsaid */
const bundle = (entryPoints, unsaid) => build({
  ...minified,
  absWorkingDir: here,
  bundle: true,
  define: { analysisStyle: JSON.stringify(analysisStyle.code.trim()) },
  entryPoints,
  format: "esm",
  outdir: out,
  plugins: [{
    name: "catalogue",
    setup: ({ onLoad }) => onLoad({ filter: /words\/zh\.json$/ }, async ({ path: file }) => {
      const sentences = Object.entries(JSON.parse(await readFile(file, "utf8")));
      return { contents: JSON.stringify(Object.fromEntries(sentences.filter(([code]) => !unsaid.test(code)))), loader: "json" };
    }),
  }],
});
// Pages give advice on causes only. A match says nothing of how programs are found and compiled.
await bundle(withPrograms, /^(?!cause-).*-advice$/);
await bundle(withoutPrograms, /^(?!cause-).*-advice$|^(bot|compiler|program)-/);

// CodeMirror's licence has to go with it. Its packages have the same, by authors of different years.
const { packages } = JSON.parse(await readFile(path.join(here, "package-lock.json"), "utf8"));
const bundled = Object.keys(packages).filter((name) => name && !packages[name].dev);
const licences = await Promise.all(bundled.map((name) => readFile(path.join(here, name, "LICENSE"), "utf8")));
const authors = new Set(licences.flatMap((text) => text.match(/^Copyright .*$/gm) ?? []));
const licence = licences[0].replace(/^Copyright .*$/m, () => [...authors].sort().join("\n"));
const editor = path.join(out, "editor.js");
await writeFile(editor, `/* CodeMirror\n\n${licence}*/\n${await readFile(editor, "utf8")}`);

/** A hash of everything that the bundle is made from, which a test compares. */
const sources = ["../botzone/words/zh.json", "build.js", "package-lock.json"];
for (const folder of ["arena", "contest", "viewer"]) {
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
