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

/** @param {string} key */
export function forget(key) {
  try {
    localStorage.removeItem(key);
  } catch {
    // There is nothing to forget.
  }
}
