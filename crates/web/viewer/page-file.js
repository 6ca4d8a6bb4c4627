// The page with the shown match as one file: made from the page itself, or from the page for files that a server has.

/** The page as it arrived, before anything was mounted. @type {HTMLElement | null} */
let pristinePage = null;

/** Keeps the page as it is. */
export function keepPage() {
  pristinePage = /** @type {HTMLElement} */ (document.documentElement.cloneNode(true));
}

/** Gets the page for files, without a match; null if the page itself becomes a file. @type {(() => Promise<string>) | null} */
let getFilePage = null;

/** Sets what gets the page for files. @param {() => Promise<string>} get */
export function savePagesFrom(get) {
  getFilePage = get;
}

/** The text of a page with a match in it, which sends no requests. @param {string} replay */
export async function pageWith(replay) {
  // `<` occurs only in strings.
  const data = replay.replaceAll("<", "\\u003c");
  // A server that has ended has no page, so its page becomes the file, without the words that it does not contain.
  const page = await getFilePage?.().catch(() => "");
  return page ? page.replace('id="replay-data">null', () => `id="replay-data">${data}`) : ownPageWith(data);
}

/** @param {string} data */
function ownPageWith(data) {
  const root = /** @type {HTMLElement} */ (pristinePage?.cloneNode(true));
  // The policy forbids to set the text of a script, even of one that is data.
  const set = (/** @type {string} */ id, /** @type {string} */ text) => root.querySelector(`#${id}`)?.replaceChildren(text);
  set("host-data", '{"host":"file"}');
  set("replay-data", data);
  const policy = /** @type {HTMLMetaElement} */ (root.querySelector("meta[http-equiv]"));
  policy.content = policy.content.replace(/'self' (?='sha256)/, "").replaceAll("'self'", "'none'");
  return `<!doctype html>\n${root.outerHTML}\n`;
}
