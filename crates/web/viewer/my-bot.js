// The page of one of my bots: its source in an editor, its versions, and what can be done with it.
//
// Nothing that the user has typed is lost: it is kept as a draft until it is saved, and a save never overwrites what has changed on disk.

import { addressOfBot, factsOf } from "./bot-facts.js";
import { el, setText, untrusted } from "./dom.js";
import { openDifference, openEditor } from "./editor.js";
import { language, moment, words } from "./language.js";
import { localize, localized } from "./localized.js";
import { startMatch } from "./match-form.js";
import { mountBotWork } from "./my-bot-work.js";
import { reasonOf, showMessage } from "./open.js";
import { ServerError, getWithToken, post } from "./server.js";
import { forget, remember, rememberedJson } from "./storage.js";

/**
 * A bot with its files and versions.
 * @typedef {import("./bot-facts.js").OwnBot & {
 *   files: { path: string, bytes: number, editable: boolean }[],
 *   history: { version: number, saved_ms: number, bytes: number, files: string[] }[],
 * }} OpenBot
 * What the user has typed and not saved, and the hash of the source that it began with.
 * @typedef {{ hash: string | null, text: string, at_ms: number }} Draft
 */

const myBotWords = words(
  {
    back: "My bots",
    file: "File",
    save: "Save",
    saved: "Saved",
    unsaved: "Not saved yet; a draft is kept in this browser.",
    leave: "Escape, then Tab, leaves the editor. Ctrl+F searches.",
    editorOf: (/** @type {string} */ file) => `Source ${file}. Escape, then Tab, leaves it.`,
    play: "Play",
    against: "against",
    mixed: "greedy, hunter, sage",
    three: (/** @type {string} */ bot) => `three of ${bot}`,
    archive: "An archive cannot be edited here. It can be checked and played.",
    noSource: "There is no source here that can be edited.",
    draft: (/** @type {string} */ when) => `There is a draft from ${when} that was not saved.`,
    takeDraft: "Go on with the draft",
    dropDraft: "Discard it",
    reloaded: "The file has changed on disk and was loaded again.",
    conflict: (/** @type {string} */ file) => `${file} has changed on disk since you began. Nothing was overwritten.`,
    gone: (/** @type {string} */ file) => `${file} is no longer on disk. Save again to write it anew.`,
    reload: "Load it, without your changes",
    keepCopy: "Keep yours as a copy",
    difference: "Differences",
    yours: "From the file on disk to your text",
    versions: "Earlier versions",
    noVersions: "Each save keeps what was there before.",
    version: (/** @type {number} */ version, /** @type {string} */ when) => `Version ${version}, until ${when}`,
    differenceFrom: (/** @type {number} */ version) => `From version ${version} to the text in the editor`,
    restore: "Take it into the editor",
    ofVersion: (/** @type {string} */ action, /** @type {number} */ version) => `${action}, version ${version}`,
    same: "They are the same.",
    close: "Close",
    started: "Starting the match …",
  },
  {
    back: "我的程序",
    file: "文件",
    save: "保存",
    saved: "已保存",
    unsaved: "尚未保存；草稿保留在此浏览器中。",
    leave: "先按 Escape 再按 Tab 离开编辑器，Ctrl+F 搜索。",
    editorOf: (file) => `源码 ${file}。先按 Escape 再按 Tab 离开。`,
    play: "对局",
    against: "对手",
    mixed: "greedy、hunter、sage",
    three: (bot) => `三个 ${bot}`,
    archive: "压缩包不能在这里编辑，但可以检查和对局。",
    noSource: "这里没有可以编辑的源码。",
    draft: (when) => `有一份 ${when} 的草稿没有保存。`,
    takeDraft: "继续编辑草稿",
    dropDraft: "丢弃",
    reloaded: "磁盘上的文件有变化，已重新载入。",
    conflict: (file) => `你开始编辑之后，磁盘上的 ${file} 被改过。没有覆盖任何内容。`,
    gone: (file) => `磁盘上已没有 ${file}。再次保存就会重新写入。`,
    reload: "重新载入，放弃我的改动",
    keepCopy: "把我的另存为副本",
    difference: "差异",
    yours: "从磁盘上的文件到你的文本",
    versions: "旧版本",
    noVersions: "每次保存都会留下之前的内容。",
    version: (version, when) => `版本 ${version}，${when} 之前`,
    differenceFrom: (version) => `从版本 ${version} 到编辑器里的文本`,
    restore: "取回到编辑器",
    ofVersion: (action, version) => `${action}，版本 ${version}`,
    same: "两者相同。",
    close: "关闭",
    started: "正在开始对局……",
  },
);

/** CodeMirror's own texts in Chinese. */
const chinesePhrases = {
  "Find": "查找", "Replace": "替换为", "next": "下一个", "previous": "上一个", "all": "全选", "match case": "区分大小写", "regexp": "正则表达式",
  "by word": "整词", "replace": "替换", "replace all": "全部替换", "close": "关闭", "current match": "当前匹配", "on line": "所在行",
  "replaced match on line $": "已替换第 $ 行的匹配", "replaced $ matches": "已替换 $ 处", "Go to line": "转到行", "go": "转到",
  "Diagnostics": "问题", "No diagnostics": "没有问题", "Control character": "控制字符", "Selection deleted": "已删除所选内容",
  "$ unchanged lines": "$ 行相同",
};

/** How long after the last key a draft is kept. */
const draftMs = 400;

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {HTMLElement} page
 * @param {{ bots: string[], watch: (id: string, humans: Seat[]) => void }} options the built-in bots, and what shows a match
 */
export function mountMyBot(viewer, page, { bots, watch }) {
  const t = myBotWords;
  /** @type {OpenBot | null} */
  let bot = null;
  let file = "";
  /** The source as it was read or saved last, and its hash. @type {{ text: string, hash: string | null }} */
  let source = { text: "", hash: null };
  /** @type {ReturnType<typeof openEditor> | null} */
  let editor = null;
  let draftTimer = 0;
  /** The number of the last bot that was asked for. */
  let asked = 0;

  const title = el("h2", { tabindex: -1 });
  const facts = el("p", { class: "home-about" });
  const files = el("select");
  const save = localized(viewer, el("button", { type: "button", class: "primary", onclick: () => attempt(saveSource) }), () => t.save);
  const state = el("p", { class: "home-about", role: "status" });
  const opponents = el("select");
  const play = localized(viewer, el("button", { type: "button", onclick: () => attempt(startPlaying) }), () => t.play);
  const note = el("div", { class: "my-bot-note", role: "alert", hidden: true });
  const place = el("div", { class: "my-bot-editor" });
  const help = el("p", { class: "home-about" });
  const versions = el("ol", { class: "home-list" });
  const noVersions = localized(viewer, el("p", { class: "home-about" }), () => t.noVersions);
  const work = mountBotWork(viewer, {
    prepare: () => saveSource(),
    isShown: () => isShown(),
    mark: (problems) => editor?.mark(problems.filter((problem) => problem.file === file)),
    goTo: async (problem) => {
      if (problem.file !== file && isEditable(problem.file)) await openFile(problem.file);
      if (problem.file === file) editor?.goTo(problem.line);
    },
    refresh: () => loadFacts(),
  });
  page.append(
    localized(viewer, el("a", { class: "my-bot-back", href: addressOfBot() }), () => t.back),
    title,
    facts,
    el("div", { class: "my-bot-bar" }, files, save, ...work.buttons,
      el("span", { class: "my-bot-play" }, play, localized(viewer, el("span"), () => t.against), opponents)),
    note,
    el("div", { class: "my-bot-columns" },
      el("div", { class: "my-bot-source" }, place, el("div", { class: "my-bot-below" }, state, help)),
      el("div", { class: "home-side" },
        work.card,
        el("section", { class: "card" }, localized(viewer, el("h3"), () => t.versions), noVersions, versions))));

  /** Runs an action of the user, and shows its error. @param {() => Promise<unknown>} step */
  const attempt = async (step) => {
    try {
      await step();
    } catch (error) {
      showMessage(reasonOf(error));
    }
  };
  const isShown = () => !viewer.timeline && new URLSearchParams(viewer.section).get("bots") === bot?.name;
  const path = (more = "") => `/api/bots/${encodeURIComponent(bot?.name ?? "")}${more}`;
  const sourcePath = (version = 0) => path(`/source?${new URLSearchParams({ file, ...(version ? { version: String(version) } : {}) })}`);
  const isEditable = (/** @type {string} */ name) => !!bot?.files.some(({ path, editable }) => path === name && editable);
  const editorWords = () => ({ label: t.editorOf(file), phrases: language() === "zh" ? chinesePhrases : {} });
  const isChanged = () => !!editor && editor.text() !== source.text;
  const draftKey = () => `pacman2-draft ${bot?.name}/${file}`;

  const keepDraft = () => {
    clearTimeout(draftTimer);
    draftTimer = 0;
    if (!editor) return;
    /** @type {Draft} */
    const draft = { hash: source.hash, text: editor.text(), at_ms: Date.now() };
    if (isChanged()) remember(draftKey(), JSON.stringify(draft));
    else forget(draftKey());
  };
  const changed = () => {
    showState();
    clearTimeout(draftTimer);
    draftTimer = setTimeout(keepDraft, draftMs);
  };
  addEventListener("pagehide", () => draftTimer && keepDraft());

  /** Shows a note with what can be done about it. @param {string} text @param {[string, () => unknown][]} choices */
  const showNote = (text, choices) => {
    note.replaceChildren(untrusted(text), el("span", { class: "my-bot-bar" }, ...choices.map(([label, act]) =>
      el("button", { type: "button", onclick: () => attempt(async () => act()) }, label))));
    note.hidden = false;
  };
  const hideNote = () => (note.hidden = true);

  const showState = () => {
    place.hidden = save.hidden = !editor;
    setText(state, !editor ? "" : isChanged() ? t.unsaved : t.saved);
    save.disabled = !isChanged() && source.hash !== null;
  };
  const showFacts = () => {
    if (!bot) return;
    if (isShown()) document.title = `${bot.name} · Pacman2`;
    title.replaceChildren(untrusted(bot.name));
    setText(facts, factsOf(bot));
    const editable = bot.files.filter(({ editable }) => editable);
    files.replaceChildren(...editable.map(({ path }) => el("option", { value: path }, untrusted(path))));
    files.value = file;
    files.hidden = editable.length < 2;
    files.setAttribute("aria-label", t.file);
    opponents.setAttribute("aria-label", t.against);
    const chosen = opponents.value;
    opponents.replaceChildren(el("option", { value: "" }, t.mixed), ...bots.map((name) => el("option", { value: name }, t.three(name))));
    opponents.value = chosen;
    noVersions.hidden = bot.history.length > 0;
    versions.replaceChildren(...bot.history.map(({ version, saved_ms: ms, files }) => {
      const has = files.includes(file);
      const act = (/** @type {() => Promise<unknown>} */ step, /** @type {string} */ text) =>
        has && el("button", { type: "button", "aria-label": t.ofVersion(text, version), onclick: () => attempt(step) }, text);
      return el("li", { class: "home-row" },
        el("span", { class: "home-state" }, t.version(version, moment(ms))),
        act(() => showVersion(version), t.difference),
        act(() => restore(version), t.restore));
    }));
    setText(help, bot.kind === "archive" ? t.archive : editor ? t.leave : t.noSource);
    work.show(bot);
  };
  const loadFacts = async () => {
    if (!bot) return;
    bot = await getWithToken(path());
    showFacts();
  };

  const openFile = async (/** @type {string} */ name) => {
    const owner = bot;
    if (draftTimer) keepDraft();
    file = name;
    /** @type {{ text: string, hash: string }} */
    const read = await getWithToken(sourcePath());
    if (owner !== bot || name !== file) return;
    editor?.close();
    editor = openEditor(place, { file, text: read.text, words: editorWords(), changed, save: () => attempt(saveSource) });
    source = { text: editor.text(), hash: read.hash };
    hideNote();
    offerDraft();
    showFacts();
    showState();
  };
  const offerDraft = () => {
    /** @type {Draft | null} */
    const draft = rememberedJson(draftKey());
    if (!draft || draft.text === source.text) return forget(draftKey());
    showNote(t.draft(moment(draft.at_ms)), [
      [t.takeDraft, () => {
        hideNote();
        editor?.replace(draft.text);
        // If the file has changed since, saving finds out.
        source = { ...source, hash: draft.hash };
      }],
      [t.dropDraft, () => {
        forget(draftKey());
        hideNote();
      }],
    ]);
  };

  /** Saves what was typed. Resolves to whether the file on disk is what the editor shows. @returns {Promise<boolean>} */
  const saveSource = async () => {
    if (!editor || (!isChanged() && source.hash !== null)) return true;
    const text = editor.text();
    try {
      const { hash } = await post(path("/source"), { file, text, base: source.hash });
      source = { text, hash };
    } catch (error) {
      if (!(error instanceof ServerError) || error.problem.code !== "source-changed") throw error;
      showConflict(error.problem.params?.hash ?? null);
      return false;
    }
    hideNote();
    keepDraft();
    showState();
    await loadFacts();
    return true;
  };
  /** @param {unknown} hash that of the file on disk; null if there is none */
  const showConflict = (hash) => {
    keepDraft();
    if (hash === null) {
      source = { ...source, hash: null };
      return showNote(t.gone(file), []);
    }
    showNote(t.conflict(file), [
      [t.difference, async () => showDifference(t.yours, (await getWithToken(sourcePath())).text)],
      [t.keepCopy, keepCopy],
      [t.reload, () => {
        forget(draftKey());
        return openFile(file);
      }],
    ]);
  };
  /** Makes another bot of what was typed. */
  const keepCopy = async () => {
    const files = [{ path: file.split("/").pop(), text: editor?.text() }];
    const make = (/** @type {string} */ name) => post("/api/bots", { name, files });
    const name = `${bot?.name.replace(/\.[^.]*$/, "")}-copy`;
    const made = await make(name).catch((/** @type {unknown} */ error) => {
      const free = error instanceof ServerError && error.problem.params?.free;
      if (!free) throw error;
      return make(String(free));
    });
    forget(draftKey());
    editor?.replace(source.text);
    location.hash = addressOfBot(made.name);
  };
  /** Looks whether the file on disk is still the one in the editor. */
  const lookAgain = async () => {
    if (!editor || !bot || viewer.timeline || draftTimer || !note.hidden) return;
    const { hash } = await getWithToken(sourcePath());
    if (hash === source.hash || !note.hidden) return;
    if (isChanged()) return showConflict(hash);
    await openFile(file);
    showMessage(t.reloaded, "note");
  };
  addEventListener("focus", () => attempt(lookAgain));

  const textOfVersion = async (/** @type {number} */ version) => (await getWithToken(sourcePath(version))).text;
  const showVersion = async (/** @type {number} */ version) => showDifference(t.differenceFrom(version), await textOfVersion(version));
  const restore = async (/** @type {number} */ version) => editor?.replace(await textOfVersion(version));
  /** Shows what has changed from a text to the one in the editor. @param {string} what @param {string} before */
  const showDifference = (what, before) => {
    const after = editor?.text() ?? "";
    const place = el("div", { class: "my-bot-difference" });
    const dialog = el("dialog", { class: "my-bot-dialog", "aria-label": what }, el("h2", {}, what),
      before === after ? el("p", {}, t.same) : place,
      el("div", { class: "home-buttons" }, el("button", { type: "button", class: "primary", onclick: () => dialog.close() }, t.close)));
    document.body.append(dialog);
    dialog.showModal();
    const view = before === after ? null : openDifference(place, { file, before, after, words: { ...editorWords(), label: what } });
    dialog.addEventListener("close", () => {
      view?.close();
      dialog.remove();
    }, { once: true });
  };

  const startPlaying = async () => {
    if (!bot || !(await saveSource())) return;
    const others = opponents.value ? [opponents.value, opponents.value, opponents.value] : ["greedy", "hunter", "sage"];
    play.disabled = true;
    setText(state, t.started);
    await startMatch({ seats: /** @type {Four<string | { mine: string }>} */ ([{ mine: bot.name }, ...others]) }, watch).finally(() => {
      play.disabled = false;
      showState();
    });
  };

  files.addEventListener("change", () => attempt(() => openFile(files.value)));
  localize(viewer, () => {
    editor?.say(editorWords());
    showFacts();
    showState();
  });
  return {
    /** Shows a bot; null if another part of the page is shown. @param {string | null} name */
    show: (name) => attempt(async () => {
      if (draftTimer) keepDraft();
      if (name === null) return;
      const request = (asked += 1);
      if (name === bot?.name) {
        await loadFacts();
        return lookAgain();
      }
      work.stop();
      editor?.close();
      editor = null;
      bot = null;
      file = "";
      page.hidden = true;
      hideNote();
      /** @type {OpenBot} */
      const opened = await getWithToken(`/api/bots/${encodeURIComponent(name)}`).catch((error) => {
        if (request === asked) location.replace(addressOfBot());
        throw error;
      });
      if (request !== asked) return;
      bot = opened;
      page.hidden = false;
      scrollTo(0, 0);
      title.focus();
      showFacts();
      showState();
      const first = [opened.main, ...opened.files.map(({ path }) => path)].find((path) => path && isEditable(path));
      if (first) await openFile(first);
    }),
  };
}
