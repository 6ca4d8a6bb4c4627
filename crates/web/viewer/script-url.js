// The addresses of the scripts that a static page starts beside itself.

/** Browsers with trusted types accept an address only from a policy. The page's policy allows this one. */
const scriptPolicy = /** @type {any} */ (globalThis).trustedTypes?.createPolicy("pacman2", {
  createScriptURL: (/** @type {string} */ name) => {
    if (name !== "worker.js" && name !== "sw.js") throw new TypeError(name);
    return name;
  },
});

/** @param {"worker.js" | "sw.js"} name @returns {string} */
export const scriptUrl = (name) => scriptPolicy?.createScriptURL(name) ?? name;
