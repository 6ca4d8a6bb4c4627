// Elements without markup: all texts of bots and files stay text.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Record<string, string | number | boolean | null | undefined | ((event: any) => void)>} Attributes */

/**
 * @template {Element} E
 * @param {E} element
 * @param {Attributes} attributes functions are event listeners; false, null and undefined are omitted
 * @param {Child[]} children
 * @returns {E}
 */
function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined && child !== false) {
      element.append(child instanceof Node ? child : String(child));
    }
  }
  return element;
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * @template {keyof SVGElementTagNameMap} T
 * @param {T} tag
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {SVGElementTagNameMap[T]}
 */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

/**
 * Attributes of the title of a long dialog. The title gets the focus, so that the dialog opens at its beginning: else its first button
 * would get it, which stands at the end.
 */
export const dialogTitle = { tabindex: -1, autofocus: true };

/**
 * Sets an attribute only if it differs, to avoid work for the browser.
 * @param {Element} element
 * @param {string} name
 * @param {string | number} value
 */
export function setAttr(element, name, value) {
  if (element.getAttribute(name) !== String(value)) element.setAttribute(name, String(value));
}

/**
 * Sets a text only if it differs, to avoid work for the browser.
 * @param {Element} element
 * @param {string | number} text
 */
export function setText(element, text) {
  if (element.textContent !== String(text)) element.textContent = String(text);
}

/**
 * A list whose items are shown by a function that it returns. An item that is the same as before keeps its element, and with it
 * the focus and a click that has begun, unless all are to be made anew.
 * @template T
 * @param {Element} list
 * @param {(item: T) => Element} make
 */
export function steadyList(list, make) {
  /** @type {Map<string, Element>} */
  let known = new Map();
  return (/** @type {T[]} */ items, anew = false) => {
    const before = anew ? new Map() : known;
    known = new Map(items.map((item) => {
      const key = JSON.stringify(item);
      return [key, before.get(key) ?? make(item)];
    }));
    const children = [...known.values()];
    for (const child of [...list.children]) if (!children.includes(child)) child.remove();
    children.forEach((child, place) => list.children[place] === child || list.insertBefore(child, list.children[place]));
  };
}

// Control characters, and characters that change the direction of the text around them.
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/**
 * An untrusted text with invisible characters made visible.
 * @param {string} text
 */
export function visibleText(text) {
  return text.replace(INVISIBLE, (char) => `⟨U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
}

/** How much of a bot's text is shown at first. */
export const FOLDED_LETTERS = 2048;

/** The end of what a program wrote, which says why it failed. */
export const endOf = (stderr = "") => visibleText(stderr.slice(-FOLDED_LETTERS));

const NAME_LETTERS = 60;

/**
 * A bot's name for display: visible, and cut in the middle, because the end of a path says most.
 * @param {string} name
 */
export function shortName(name) {
  const ends = name.length > 10 * NAME_LETTERS ? name.slice(0, NAME_LETTERS) + name.slice(-NAME_LETTERS) : name;
  const letters = [...visibleText(ends)];
  if (letters.length <= NAME_LETTERS) return letters.join("");
  return `${letters.slice(0, NAME_LETTERS / 2 - 1).join("")}…${letters.slice(-NAME_LETTERS / 2).join("")}`;
}

/**
 * An untrusted text as an element that does not affect the direction of its surroundings.
 * @param {string} text
 */
export function untrusted(text) {
  return el("bdi", { class: "untrusted" }, visibleText(text));
}
