// The service worker of a static page: keeps its files, so that the page works without a network. The tool that makes the
// site puts the constant `site` before it. Any change of a file changes it, and the browser takes the new version.

const worker = /** @type {any} */ (globalThis);
// A hash of all files; the files that the page starts with, and those that it fetches when they are needed, with their digests.
const { version, first, later } = site;
/** Several sites may share an origin, each in its folder. */
const prefix = `pacman2 ${worker.registration.scope} `;
const cacheName = prefix + version;
/** Ends the fetching of files that no page asked for. */
const leaving = new AbortController();
/** That fetching, once for each page that wanted it. @type {Promise<void>[]} */
const fetching = [];

/**
 * Fetches a file and keeps it. Content other than the expected is an error.
 * @param {string} path
 * @param {string} integrity
 * @param {AbortSignal} [signal]
 */
async function keepFile(path, integrity, signal) {
  // Some hosts redirect from the index to its folder.
  const address = path.replace(/(^|\/)index\.html$/, "$1") || "./";
  const response = await fetch(new Request(address, { integrity, cache: "no-cache", signal }));
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  // A page may not be opened from a response that was redirected, so this is a new one.
  const file = new Response(await response.blob(), { headers: { "Content-Type": response.headers.get("Content-Type") ?? "" } });
  await (await caches.open(cacheName)).put(path, file.clone());
  return file;
}

/** The path of an address in this site; an address of a folder means its index. @param {string} address */
function pathOf(address) {
  const { origin, pathname } = new URL(address);
  const scope = new URL(worker.registration.scope);
  if (origin !== scope.origin || !pathname.startsWith(scope.pathname)) return null;
  const path = decodeURIComponent(pathname.slice(scope.pathname.length));
  return path === "" || path.endsWith("/") ? `${path}index.html` : path;
}

/** @param {string} path @param {Request} request */
async function respond(path, request) {
  const kept = await (await caches.open(cacheName)).match(path);
  if (kept) return kept;
  try {
    return await keepFile(path, first[path] ?? later[path]);
  } catch {
    // Offline, or the host has another version already, which is shown but not kept.
    return fetch(request);
  }
}

worker.addEventListener("install", (/** @type {any} */ event) => {
  event.waitUntil(Promise.all(Object.entries(first).map(([path, integrity]) => keepFile(path, integrity))));
});

worker.addEventListener("activate", (/** @type {any} */ event) => {
  const take = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith(prefix) && name !== cacheName);
    await Promise.all(old.map((name) => caches.delete(name)));
    await worker.clients.claim();
  };
  event.waitUntil(take());
});

worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const path = event.request.method === "GET" ? pathOf(event.request.url) : null;
  if (path !== null && (path in first || path in later)) event.respondWith(respond(path, event.request));
});

/** Fetches the files that are not there yet. */
async function keepRest() {
  const cache = await caches.open(cacheName);
  // One after the other, because the page may need the connection.
  let isComplete = true;
  for (const [path, integrity] of Object.entries(later)) {
    if (leaving.signal.aborted) return false;
    if (await cache.match(path)) continue;
    await keepFile(path, integrity, leaving.signal).catch(() => (isComplete = false));
  }
  return isComplete;
}

worker.addEventListener("message", (/** @type {any} */ event) => {
  const { take, keep, leave } = event.data;
  if (take) worker.skipWaiting();
  if (keep) {
    const kept = keepRest().then((isComplete) => isComplete && event.source.postMessage({ kept: version }));
    fetching.push(kept);
    event.waitUntil(kept);
  }
  if (leave) {
    leaving.abort();
    event.waitUntil(Promise.allSettled(fetching).then(() => event.ports[0].postMessage(null)));
  }
});
