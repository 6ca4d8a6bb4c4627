// The addresses of the scripts that a page without a server starts: beside itself, or in itself.

/** Browsers with trusted types accept an address only from a policy. The page's policy allows this one. */
const scriptPolicy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("pacman2", {
  createScriptURL: (/** @type {string} */ url) => {
    if (url !== "worker.js" && url !== "sw.js" && !url.startsWith("blob:")) throw new TypeError(url);
    return url;
  },
});

/** @param {string} url @returns {string} */
export const scriptUrl = (url) => scriptPolicy?.createScriptURL(url) ?? url;
