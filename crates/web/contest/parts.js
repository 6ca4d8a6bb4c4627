// Parts of the page that know the language, and forms.

import { el } from "../viewer/dom.js";
import { onLanguage } from "../viewer/language.js";
import { errorText } from "./ask.js";

/**
 * Gives an element a text that follows the language.
 * @template {HTMLElement} E
 * @param {E} element
 * @param {() => string} text
 */
export function worded(element, text) {
  const show = () => (element.textContent = text());
  onLanguage(show);
  show();
  return element;
}

/** A field with its name. @param {() => string} name @param {HTMLElement} input */
export const field = (name, input) => el("label", { class: "field" }, worded(el("span"), name), input);

/** A paragraph that says what went wrong, or how something went. */
export function notice() {
  const place = el("p", { class: "notice", role: "status", hidden: true });
  let text = () => "";
  const show = () => {
    place.textContent = text();
    place.hidden = !place.textContent;
  };
  onLanguage(show);
  return {
    place,
    /** @param {() => string} said */
    say: (said) => {
      text = said;
      place.classList.remove("trouble");
      show();
    },
    /** @param {unknown} error */
    fail: (error) => {
      text = () => errorText(error);
      place.classList.add("trouble");
      show();
    },
  };
}

/**
 * A form whose button works while nothing of it is under way.
 * @param {{ name: () => string, button: () => string, parts: HTMLElement[], send: () => Promise<unknown>, told: ReturnType<typeof notice> }} form
 */
export function formOf({ name, button, parts, send, told }) {
  const submit = worded(el("button", { class: "primary" }), button);
  const onsubmit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    submit.disabled = true;
    try {
      await send();
    } catch (error) {
      told.fail(error);
    } finally {
      submit.disabled = false;
    }
  };
  return el("form", { class: "card form", onsubmit }, worded(el("h2"), name), ...parts, submit, told.place);
}
