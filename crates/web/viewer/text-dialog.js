// Texts and files for the user: shown in a dialog, copied, or saved.

import { el, visibleText } from "./dom.js";
import { words } from "./language.js";

const textsWords = words(
  { copy: "Copy", copied: "Copied", copyFailed: "The browser does not allow copying", download: "Download", close: "Close" },
  { copy: "复制", copied: "已复制", copyFailed: "浏览器不允许复制", download: "下载", close: "关闭" },
);

/** @type {HTMLDialogElement | null} */
let textDialog = null;

/**
 * Shows a text in a dialog, with buttons to copy and download it.
 * @param {string} title
 * @param {string} file the file name without its extension
 * @param {() => string} make its error is shown instead
 */
export function showText(title, file, make) {
  let text = "";
  let error = "";
  try {
    text = make();
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  textDialog ??= document.body.appendChild(el("dialog", { class: "details-dialog" }));
  const dialog = textDialog;
  dialog.setAttribute("aria-label", title);
  const copy = el("button", { type: "button" }, textsWords.copy);
  copy.addEventListener("click", async () => {
    copy.textContent = (await copyToClipboard(text)) ? textsWords.copied : textsWords.copyFailed;
  });
  const save = () => offerFile(`${file}.json`, text, "application/json");
  const download = el("button", { type: "button", onclick: save }, textsWords.download);
  const close = el("button", { type: "button", class: "primary", onclick: () => dialog.close() }, textsWords.close);
  const buttons = el("div", { class: "details-texts" }, text && copy, text && download, close);
  dialog.replaceChildren(el("h2", {}, title), el("pre", { tabindex: 0, class: "untrusted" }, visibleText(text || error)), buttons);
  dialog.showModal();
}

/**
 * Copies a text, with a fallback for pages from a disk. Resolves to whether it worked.
 * @param {string} text
 */
export async function copyToClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = document.activeElement;
    // While a modal dialog is open, nothing outside it can be selected.
    const within = document.querySelector("dialog[open]") ?? document.body;
    const area = within.appendChild(el("textarea", { class: "visually-hidden", readonly: true }));
    area.value = text;
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return copied;
  }
}

/**
 * Offers a file for download.
 * @param {string} name
 * @param {BlobPart} content
 * @param {string} type
 */
export function offerFile(name, content, type) {
  const url = URL.createObjectURL(new Blob([content], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60000);
}
