// The dialog behind New bot: from a template, from a pasted source, or from files.

import { el, untrusted } from "./dom.js";
import { words } from "./language.js";
import { reasonOf } from "./open.js";
import { ServerError, post } from "./server.js";

/**
 * What a new bot can begin with.
 * @typedef {{ language: string, title: string, usual: string, kinds: string[] }} Template
 * A file that the user has chosen or dropped, with its path in the folder that it came in.
 * @typedef {{ path: string, file: File }} ChosenFile
 */

const newBotWords = words(
  {
    title: "New bot",
    from: "What it begins with",
    template: "A template",
    pasted: "A pasted source",
    files: "Files",
    language: "Language",
    kind: "What it does",
    search: "plays on many times and takes the best action",
    simple: "walks to the nearest fruit and avoids stronger players",
    net: "searches with the nets of sage",
    source: "Source",
    chooseFiles: "Choose a file or a zip…",
    chooseFolder: "Choose a folder…",
    chosen: (/** @type {number} */ number, /** @type {string} */ first) => (number === 1 ? first : `${number} files: ${first}, …`),
    nothing: "No file chosen yet",
    name: "Name",
    create: "Create",
    cancel: "Cancel",
    tooMany: "A bot has at most 500 files and 16 MB.",
  },
  {
    title: "新程序",
    from: "从什么开始",
    template: "模板",
    pasted: "粘贴源码",
    files: "文件",
    language: "语言",
    kind: "它怎么下",
    search: "往后模拟很多次，选最好的动作",
    simple: "走向最近的豆子，避开更强的玩家",
    net: "用 sage 的网络搜索",
    source: "源码",
    chooseFiles: "选择文件或 zip…",
    chooseFolder: "选择文件夹…",
    chosen: (number, first) => (number === 1 ? first : `${number} 个文件：${first}……`),
    nothing: "还没有选择文件",
    name: "名称",
    create: "创建",
    cancel: "取消",
    tooMany: "一个程序最多 500 个文件、16 MB。",
  },
);

/** The languages of pasted sources, by file name extension. */
const pastedLanguages = { cpp: "C++", py: "Python", js: "JavaScript", java: "Java", c: "C", cs: "C#", go: "Go", pas: "Pascal", rs: "Rust" };
const mostFiles = 500;
const mostBytes = 16 * 1048576;
/** What is no part of a bot: hidden files and folders, and what Python leaves. */
const isLeftOut = (/** @type {string} */ name) => name.startsWith(".") || name === "__pycache__";

/** The files among what was dropped, also those in folders. @param {(FileSystemEntry | File)[]} dropped */
export async function droppedFiles(dropped) {
  /** @type {ChosenFile[]} */
  const found = [];
  const read = async (/** @type {FileSystemEntry | File} */ entry) => {
    if (isLeftOut(entry.name)) return;
    if (entry instanceof File) return void found.push({ path: entry.name, file: entry });
    if (entry.isFile) {
      const file = await new Promise((resolve, reject) => /** @type {FileSystemFileEntry} */ (entry).file(resolve, reject));
      found.push({ path: entry.fullPath.replace(/^\//, ""), file });
      if (found.length > mostFiles) throw new Error(newBotWords.tooMany);
      return;
    }
    const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
    for (;;) {
      /** @type {FileSystemEntry[]} A part of them, and in the end none. */
      const entries = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
      if (!entries.length) return;
      for (const entry of entries) await read(entry);
    }
  };
  for (const entry of dropped) await read(entry);
  return found;
}

/** @param {ChosenFile} file @returns {Promise<{ path: string, base64: string }>} */
const encoded = ({ path, file }) =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.addEventListener("load", () => resolve({ path, base64: String(reader.result).replace(/^[^,]*,?/, "") }));
    reader.addEventListener("error", () => reject(reader.error));
    reader.readAsDataURL(file);
  });

/** The name that files suggest: that of their folder, or of the only file. @param {ChosenFile[]} files */
function suggestedName([first]) {
  const [top] = first.path.split("/");
  return top === first.path ? top.replace(/\.[^.]*$/, "") : top;
}

/**
 * Asks for a new bot and has the server make it. Resolves to its name; null if the user does not want it.
 * @param {Template[]} templates
 * @param {ChosenFile[]} files those that were dropped
 * @returns {Promise<string | null>}
 */
export function openNewBot(templates, files) {
  const t = newBotWords;
  let from = files.length ? "files" : "template";
  const options = (/** @type {[string, string][]} */ values) => values.map(([value, text]) => el("option", { value }, text));
  const field = (/** @type {string} */ text, /** @type {HTMLElement} */ input) => el("label", { class: "field" }, el("span", {}, text), input);
  const picker = (/** @type {Record<string, boolean>} */ attributes) => {
    const input = el("input", { type: "file", hidden: true, ...attributes });
    input.addEventListener("change", () => {
      files = [...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
      files = files.filter(({ path }) => !path.split("/").some(isLeftOut));
      showFiles();
    });
    return input;
  };

  const template = el("select", {}, ...options(templates.map(({ language, title }) => [language, title])));
  const kind = el("select");
  const showKinds = () => {
    const { kinds, usual } = templates[Math.max(template.selectedIndex, 0)] ?? { kinds: [], usual: "" };
    kind.replaceChildren(...options(kinds.map((name) => [name, t[/** @type {"search"} */ (name)] ?? name])));
    kind.value = usual;
  };
  template.addEventListener("change", showKinds);
  const extension = el("select", {}, ...options(Object.entries(pastedLanguages)));
  const source = el("textarea", { rows: 10, spellcheck: "false", autocapitalize: "off", class: "new-bot-source" });
  const [oneFile, folder] = [picker({}), picker({ webkitdirectory: true })];
  const chosen = el("p", { class: "home-about", role: "status" });
  const name = el("input", { type: "text", required: true, maxlength: 100, autocomplete: "off", spellcheck: "false", autocapitalize: "off" });
  name.value = "mybot";
  const showFiles = () => {
    chosen.replaceChildren(untrusted(files.length ? t.chosen(files.length, files[0].path) : t.nothing));
    if (files.length) name.value = suggestedName(files);
  };
  /** @type {[string, string, HTMLElement[]][]} */
  const ways = [
    ["template", t.template, [field(t.language, template), field(t.kind, kind)]],
    ["pasted", t.pasted, [field(t.language, extension), field(t.source, source)]],
    ["files", t.files, [
      el("div", { class: "my-bot-bar" },
        el("button", { type: "button", onclick: () => oneFile.click() }, t.chooseFiles),
        el("button", { type: "button", onclick: () => folder.click() }, t.chooseFolder), oneFile, folder),
      chosen]],
  ];
  const panels = ways.map(([, , parts]) => el("div", { class: "home-form" }, ...parts));
  const choose = (/** @type {string} */ way) => {
    from = way;
    ways.forEach(([id], number) => {
      panels[number].hidden = id !== from;
      buttons[number].setAttribute("aria-pressed", String(id === from));
    });
    source.required = from === "pasted";
    problem.hidden = true;
  };
  const buttons = ways.map(([id, text]) => el("button", { type: "button", onclick: () => choose(id) }, text));
  const problem = el("p", { class: "home-trouble", role: "alert", hidden: true });
  const submit = el("button", { class: "primary" }, t.create);
  const request = async () => {
    if (from === "template") return { template: template.value, kind: kind.value };
    if (from === "pasted") return { files: [{ path: `bot.${extension.value}`, text: source.value }] };
    const bytes = files.reduce((sum, { file }) => sum + file.size, 0);
    if (!files.length) throw new Error(t.nothing);
    if (files.length > mostFiles || bytes > mostBytes) throw new Error(t.tooMany);
    return { files: await Promise.all(files.map(encoded)) };
  };
  const dialog = document.body.appendChild(el("dialog", { class: "home-dialog", "aria-label": t.title }));
  const make = async (/** @type {Event} */ event) => {
    event.preventDefault();
    submit.disabled = true;
    try {
      const made = await post("/api/bots", { name: name.value.trim(), ...(await request()) });
      dialog.close(made.name);
    } catch (error) {
      problem.replaceChildren(untrusted(reasonOf(error)));
      problem.hidden = false;
      const { free, suggested } = (error instanceof ServerError && error.problem.params) || {};
      if (free || suggested) name.value = String(free ?? suggested);
    }
    submit.disabled = false;
  };
  dialog.append(el("form", { class: "home-form", onsubmit: make },
    el("h2", {}, t.title),
    el("div", { class: "home-presets new-bot-ways", role: "group", "aria-label": t.from }, ...buttons),
    ...panels,
    field(t.name, name),
    problem,
    el("div", { class: "home-buttons" }, submit, el("button", { type: "button", onclick: () => dialog.close() }, t.cancel))));
  showKinds();
  showFiles();
  choose(from);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue || null);
    }, { once: true });
  });
}
