// A host of static files that sends no special headers, and serves the site in a folder.

import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import path from "node:path";

/** The folder of the site on its host. */
const BASE = "/games/pacman2/";
/** @type {Record<string, string>} */
const kinds = { html: "text/html; charset=utf-8", js: "text/javascript", css: "text/css", wasm: "application/wasm", svg: "image/svg+xml" };

/**
 * @param {string} site the folder of the site
 * @param {Map<string, string | Buffer | Promise<string>>} [changed] files that differ from those of the site. Those that wait for a promise
 * are sent when it is kept.
 */
export async function hostSite(site, changed = new Map()) {
  /** The paths that were asked for. @type {string[]} */
  const asked = [];
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://host");
    const name = pathname.startsWith(BASE) ? pathname.slice(BASE.length).replace(/(^|\/)$/, "$1index.html") : "nothing";
    asked.push(name);
    const content = (await changed.get(name)) ?? (await readFile(path.join(site, name)).catch(() => null));
    response.writeHead(content === null ? 404 : 200, { "Content-Type": kinds[name.split(".").pop() ?? ""] ?? "text/plain" });
    response.end(content);
  });
  await new Promise((/** @type {(value?: unknown) => void} */ done) => server.listen(0, "127.0.0.1", () => done()));
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
  const close = () => {
    server.closeAllConnections();
    return new Promise((done) => server.close(done));
  };
  return { address: `http://127.0.0.1:${port}${BASE}`, asked, close };
}
