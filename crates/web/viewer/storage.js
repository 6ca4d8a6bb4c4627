// What the browser remembers of a user's choices. Storage may be forbidden for a page from a disk.

/** The stored value, if there is one. @param {string} key */
export function remembered(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/**
 * @param {string} key
 * @param {string} value
 */
export function remember(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // The value is not kept.
  }
}

/** A kept JSON value; null if there is none, or it is damaged. @param {string} key @returns {any} */
export function rememberedJson(key) {
  try {
    return JSON.parse(remembered(key) ?? "null");
  } catch {
    return null;
  }
}

/** @param {string} key */
export function forget(key) {
  try {
    localStorage.removeItem(key);
  } catch {
    // There is nothing to forget.
  }
}
