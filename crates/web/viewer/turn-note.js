// The note on the shown turn, which the reader can change, and the way to the others.

import { el, setText, visibleText } from "./dom.js";
import { words } from "./language.js";
import { leftOutText, noteLetters } from "./notes.js";
import { goToTurn } from "./transport.js";

const turnNoteWords = words(
  {
    add: "Add a note",
    change: "Change the note",
    done: "Done",
    label: (/** @type {number} */ turn) => `Note on turn ${turn}`,
    others: "Turns with notes",
    goThere: (/** @type {number} */ turn) => `Go to the note on turn ${turn}`,
  },
  {
    add: "写批注",
    change: "修改批注",
    done: "完成",
    label: (turn) => `第 ${turn} 回合的批注`,
    others: "有批注的回合",
    goThere: (turn) => `转到第 ${turn} 回合的批注`,
  },
);

/** @type {Mount} */
export function mountTurnNote(viewer, container) {
  const shown = el("p", { class: "note-text untrusted", dir: "auto" });
  const input = el("textarea", { rows: 3, maxlength: noteLetters, dir: "auto" });
  const button = el("button", { type: "button", onclick: () => edit(input.hidden) });
  const others = el("span", { class: "note-turns", role: "group" });
  const warning = el("p", { class: "happened-note", role: "status" });
  container.append(shown, input, el("div", { class: "note-row" }, button, others), warning);

  const edit = (/** @type {boolean} */ on) => {
    if (viewer.playing) viewer.play(false);
    input.hidden = !on;
    show();
    (on ? input : button).focus();
  };
  input.addEventListener("input", () => viewer.timeline && viewer.notes.write(viewer.timeline, viewer.turn, input.value));
  input.addEventListener("keydown", ({ key }) => key === "Escape" && edit(false));
  const show = () => {
    const { timeline, turn, notes, hidesFuture } = viewer;
    if (!timeline) return;
    const t = turnNoteWords;
    const text = notes.at(timeline, turn);
    shown.hidden = !text || !input.hidden;
    setText(shown, visibleText(text));
    if (input.value !== text) input.value = text;
    input.setAttribute("aria-label", t.label(turn));
    setText(button, input.hidden ? (text ? t.change : t.add) : t.done);
    const noted = notes.on(timeline);
    const turns = noted.map((note) => note.turn).filter((other) => other !== turn && (other < turn || !hidesFuture));
    others.setAttribute("aria-label", t.others);
    others.replaceChildren(...turns.map((other) =>
      el("button", { type: "button", title: t.goThere(other), "aria-label": t.goThere(other), onclick: () => goToTurn(viewer, other) }, `✎ ${other}`)));
    setText(warning, leftOutText(noted));
  };
  const close = () => {
    input.hidden = true;
    show();
  };
  viewer.on(["turn", "timeline"], close);
  viewer.on(["grown", "notes", "future", "branches", "language"], show);
  close();
}
