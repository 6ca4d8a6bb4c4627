// The page with the shown match as one file, made from the page itself.

/** The page as it arrived, before anything was mounted. @type {HTMLElement | null} */
let pristinePage = null;

/** Keeps the page as it is. */
export function keepPage() {
  pristinePage = /** @type {HTMLElement} */ (document.documentElement.cloneNode(true));
}

/** The text of a page with a match in it, which sends no requests. @param {string} replay */
export function pageWith(replay) {
  const root = /** @type {HTMLElement} */ (pristinePage?.cloneNode(true));
  const set = (/** @type {string} */ id, /** @type {string} */ text) => {
    // `<` occurs only in strings. The policy forbids to set the text of a script, even of one that is data.
    root.querySelector(`#${id}`)?.replaceChildren(text.replaceAll("<", "\\u003c"));
  };
  set("host-data", JSON.stringify({ host: "file" }));
  set("replay-data", replay);
  const policy = /** @type {HTMLMetaElement} */ (root.querySelector("meta[http-equiv]"));
  policy.content = policy.content.replace(/'self' (?='sha256)/, "").replaceAll("'self'", "'none'");
  return `<!doctype html>\n${root.outerHTML}\n`;
}
