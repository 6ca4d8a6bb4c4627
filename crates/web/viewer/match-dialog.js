// The dialog behind New match: who plays, and the settings of the host.

import { allSeats } from "./board-geometry.js";
import { el, setText, untrusted } from "./dom.js";
import { keepForm } from "./draft.js";
import { words } from "./language.js";
import { localize, localized } from "./localized.js";
import { reasonOf } from "./open.js";
import { seatChip } from "./players.js";

const dialogWords = words(
  {
    title: "New match",
    presets: "Who plays",
    botsOnly: "Bots only",
    withHuman: "A human plays",
    player: (/** @type {number} */ seat) => `Player ${seat}`,
    human: "Human: me",
    program: "A program …",
    programOf: (/** @type {number} */ seat) => `The program of player ${seat}`,
    hint: "bot.py, bot.cpp, ./mybot, or a command line",
    start: "Start",
    starting: "Finding the bots …",
    cancel: "Cancel",
  },
  {
    title: "新对局",
    presets: "谁来玩",
    botsOnly: "只有程序",
    withHuman: "真人上场",
    player: (seat) => `${seat} 号玩家`,
    human: "真人：我",
    program: "程序……",
    programOf: (seat) => `${seat} 号玩家的程序`,
    hint: "bot.py、bot.cpp、./mybot 或一条命令",
    start: "开始",
    starting: "正在准备程序……",
    cancel: "取消",
  },
);

/** The list item for a program that the user types. */
const typedProgram = "…";
/** Who plays at first, with a human and without. */
const usualSeats = { withHuman: ["human", "greedy", "hunter", "sage"], botsOnly: ["sage", "greedy", "hunter", "sage"] };

/**
 * A setting with its name.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {() => string} text
 * @param {HTMLElement} input
 */
export function matchField(viewer, text, input) {
  return el("label", { class: "field" }, localized(viewer, el("span"), text), input);
}

/**
 * A setting with some possible values.
 * @param {import("./viewer.js").Viewer} viewer
 * @param {(string | number)[]} values
 * @param {(value: any) => string} text
 */
export function matchSelect(viewer, values, text) {
  return el("select", {}, ...values.map((value) => localized(viewer, el("option", { value: String(value) }), () => text(value))));
}

/**
 * @param {import("./viewer.js").Viewer} viewer
 * @param {{
 *   bots: string[], hasPrograms: boolean, fields: HTMLElement[], showHuman?: (hasHuman: boolean) => void,
 *   start: (seats: Four<string>) => Promise<void>,
 * }} options the built-in bots; whether a seat can be a program; the settings; what depends on whether a human plays;
 *   what starts the match
 * @returns {() => void} opens the dialog
 */
export function mountMatchDialog(viewer, { bots, hasPrograms, fields, showHuman = () => {}, start }) {
  const t = dialogWords;
  const seats = allSeats.map((seat) => {
    const names = ["human", ...bots, ...(hasPrograms ? [typedProgram] : [])];
    const called = (/** @type {string} */ name) => (name === "human" ? t.human : name === typedProgram ? t.program : name);
    const choice = matchSelect(viewer, names, called);
    choice.value = usualSeats.withHuman[seat];
    const asTyped = { spellcheck: "false", autocapitalize: "off", autocomplete: "off" };
    const typed = el("input", { type: "text", ...asTyped, maxlength: 4000, hidden: true });
    choice.addEventListener("change", () => {
      typed.hidden = choice.value !== typedProgram;
      typed.required = !typed.hidden;
      if (!typed.hidden) typed.focus();
      showPresets();
    });
    localize(viewer, () => {
      choice.setAttribute("aria-label", t.player(seat));
      typed.setAttribute("aria-label", t.programOf(seat));
      typed.placeholder = t.hint;
    });
    const row = el("div", { class: "home-seat" }, seatChip(seat), choice, typed);
    return { row, choice, name: () => (typed.hidden ? choice.value : typed.value.trim()) };
  });

  const hasHuman = () => seats.some(({ choice }) => choice.value === "human");
  const preset = (/** @type {"botsOnly" | "withHuman"} */ name) => {
    const choose = () => {
      if ((name === "withHuman") === hasHuman()) return;
      seats.forEach(({ choice }, seat) => {
        if (name === "withHuman" ? seat !== 0 : choice.value !== "human") return;
        choice.value = usualSeats[name][seat];
        choice.dispatchEvent(new Event("change"));
      });
    };
    return localized(viewer, el("button", { type: "button", onclick: choose }), () => t[name]);
  };
  const presets = [preset("botsOnly"), preset("withHuman")];
  const showPresets = () => {
    presets.forEach((button, index) => button.setAttribute("aria-pressed", String(hasHuman() === (index === 1))));
    showHuman(hasHuman());
  };
  const group = el("div", { class: "home-presets", role: "group" }, ...presets);

  const problem = el("pre", { class: "home-trouble", role: "alert", hidden: true });
  const startButton = el("button", { class: "primary" });
  let isBusy = false;
  const showBusy = () => {
    setText(startButton, isBusy ? t.starting : t.start);
    startButton.disabled = isBusy;
  };
  const cancel = localized(viewer, el("button", { type: "button", onclick: () => dialog.close() }), () => t.cancel);
  const form = el("form", { class: "home-form" },
    localized(viewer, el("h2"), () => t.title),
    group,
    ...seats.map(({ row }) => row),
    ...fields,
    problem,
    el("div", { class: "home-buttons" }, startButton, cancel));
  const dialog = document.body.appendChild(el("dialog", { class: "home-dialog" }, form));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.hidden = isBusy = true;
    showBusy();
    try {
      await start(/** @type {Four<string>} */ (seats.map(({ name }) => name())));
      dialog.close();
      forget();
    } catch (error) {
      problem.replaceChildren(untrusted(reasonOf(error)));
      problem.hidden = false;
    }
    isBusy = false;
    showBusy();
  });
  // What is wrong has to be visible for the browser to point at it.
  form.addEventListener("invalid", ({ target }) => {
    if (target instanceof Element) target.closest("details")?.setAttribute("open", "");
  }, true);
  // A message does not outlive the input that it is about.
  form.addEventListener("input", () => (problem.hidden = true));
  localize(viewer, () => {
    dialog.setAttribute("aria-label", t.title);
    group.setAttribute("aria-label", t.presets);
    showBusy();
  });
  showPresets();
  const forget = keepForm(form, hasPrograms ? "server" : "site");
  return () => {
    // Not when it closes: browsers report that late, when the next message may be there already.
    problem.hidden = true;
    dialog.showModal();
  };
}
