// The addresses of the scripts that a page without a server starts: beside itself, or in itself.

/** The scripts beside a static page, and that of a page which is itself a blob, in a report. @param {string} url */
const isOwn = (url) => url === "worker.js" || url === "sw.js" || (location.protocol === "blob:" && url.startsWith("blob:"));

/** Browsers with trusted types accept an address only from a policy. The page's policy allows this one. */
const scriptPolicy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("pacman2", {
  createScriptURL: (/** @type {string} */ url) => {
    if (!isOwn(url)) throw new TypeError(url);
    return url;
  },
});

/** @param {string} url @returns {string} */
export const scriptUrl = (url) => scriptPolicy?.createScriptURL(url) ?? url;
