// The editor for the sources of bots, and the difference of two versions, by CodeMirror.
//
// Everything is in a shadow root: there, CodeMirror adopts style sheets, while the page's policy forbids style elements.

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { c, cpp, csharp, java } from "@codemirror/legacy-modes/mode/clike";
import { go } from "@codemirror/legacy-modes/mode/go";
import { javascript } from "@codemirror/legacy-modes/mode/javascript";
import { pascal } from "@codemirror/legacy-modes/mode/pascal";
import { python } from "@codemirror/legacy-modes/mode/python";
import { rust } from "@codemirror/legacy-modes/mode/rust";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { unifiedMergeView } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import {
  EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";

/**
 * A problem at a line of a source; lines and columns count from 1.
 * @typedef {{ line: number, column?: number | null, message: string, severity: "error" | "warning" }} SourceProblem
 * What the page says to an editor: its name for screen readers, and CodeMirror's own texts in the page's language.
 * @typedef {{ label: string, phrases: Record<string, string> }} EditorWords
 */

/** By file name extension. The grammars of CodeMirror 6 would double the script and colour the same. */
const languages = {
  c, cc: cpp, cpp, cxx: cpp, h: cpp, hpp: cpp, cs: csharp, go, java, js: javascript, cjs: javascript, mjs: javascript, pas: pascal, py: python,
  rs: rust,
};

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.controlKeyword, tags.modifier], color: "var(--jade)", fontWeight: "600" },
  { tag: [tags.string, tags.special(tags.string), tags.character, tags.regexp], color: "var(--gold)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--p1)" },
  { tag: [tags.typeName, tags.className, tags.namespace], color: "var(--p0)" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className)], color: "var(--p3)" },
  { tag: [tags.meta, tags.processingInstruction, tags.macroName], color: "var(--p3)" },
  { tag: tags.invalid, color: "var(--danger)" },
]);

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--card)", border: "1px solid var(--line)", borderRadius: "8px", height: "100%" },
  "&.cm-focused": { outline: "3px solid var(--jade)", outlineOffset: "1px" },
  ".cm-scroller": { font: "0.875rem/1.5 var(--mono)", borderRadius: "8px" },
  ".cm-content": { caretColor: "var(--ink)" },
  "& .cm-cursor, & .cm-dropCursor": { borderLeftColor: "var(--ink)" },
  "& .cm-selectionLayer .cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground": {
    backgroundColor: "var(--gold-soft)",
  },
  ".cm-gutters": { color: "var(--soft)", backgroundColor: "var(--paper)", borderColor: "var(--line)" },
  "& .cm-activeLine, & .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--jade-soft) 50%, transparent)" },
  ".cm-activeLineGutter": { color: "var(--ink)" },
  "& .cm-matchingBracket, &.cm-focused .cm-matchingBracket": { backgroundColor: "var(--jade-soft)", outline: "1px solid var(--jade)" },
  "& .cm-selectionMatch": { backgroundColor: "var(--jade-soft)" },
  "& .cm-searchMatch": { backgroundColor: "var(--gold-soft)", outline: "1px solid var(--light)" },
  "& .cm-panels, & .cm-tooltip": { color: "var(--ink)", backgroundColor: "var(--card)", borderColor: "var(--line)" },
  ".cm-tooltip": { maxWidth: "min(40rem, 90vw)" },
  "& .cm-panel-lint ul [aria-selected]": { color: "inherit", backgroundColor: "var(--jade-soft)" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  "& .cm-panel.cm-search": { padding: "6px 8px" },
  "& .cm-button, & .cm-textfield": {
    color: "inherit", background: "var(--card)", border: "1px solid var(--line)", borderRadius: "6px", minHeight: "32px", fontSize: "0.875rem",
  },
  "@media (pointer: coarse)": { "& .cm-button, & .cm-textfield, & .cm-panel label, & .cm-panel [name=close]": { minHeight: "44px", minWidth: "44px" } },
  "& .cm-changedLine": { backgroundColor: "var(--jade-soft)" },
  "& .cm-deletedChunk": { backgroundColor: "var(--danger-soft)" },
  "& .cm-changedText, & .cm-deletedChunk .cm-deletedText": { background: "none", textDecoration: "underline" },
  "& .cm-collapsedLines": { color: "var(--soft)", background: "var(--paper)" },
  ".cm-collapsedLines::before, .cm-collapsedLines::after": { content: '"⋯"' },
});

/** Adds a shadow root to an element, in which a view of CodeMirror can be. @param {HTMLElement} place */
function rootIn(place) {
  return place.shadowRoot ?? place.attachShadow({ mode: "open" });
}

/** @param {string} file @param {EditorWords} words */
function basics(file, { label, phrases }) {
  const language = languages[/** @type {keyof typeof languages} */ (file.split(".").pop()?.toLowerCase())];
  return [
    language ? StreamLanguage.define(language) : [],
    syntaxHighlighting(colours),
    look,
    EditorState.phrases.of(phrases),
    EditorView.contentAttributes.of({ "aria-label": label }),
    EditorView.lineWrapping,
    lineNumbers(),
  ];
}

/** How the lines of a source are indented, by its first indented line. @param {string} text */
function indentOf(text) {
  const [, indent] = /^(\t| {2,8})\S/m.exec(text) ?? [];
  return indent ?? "    ";
}

/** Chromium would keep the colours of replaced lines in style attributes, which the page's policy forbids. */
const replaceSelected = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data }, view) => {
    if (inputType !== "insertText" || !data || view.state.selection.main.empty) return false;
    view.dispatch(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    return true;
  },
});

/**
 * Shows an editor in an empty element.
 * @param {HTMLElement} place
 * @param {{ file: string, text: string, words: EditorWords, changed: () => void, save: () => void }} options
 */
export function openEditor(place, { file, text, words, changed, save }) {
  const wording = new Compartment();
  // CodeMirror ends lines in one way; the file keeps its own.
  const lineBreak = /\r\n/.test(text) && !/(^|[^\r])\n/.test(text) ? "\r\n" : "\n";
  const root = rootIn(place);
  const saveKey = { key: "Mod-s", run: () => (save(), true) };
  const view = new EditorView({
    root,
    parent: root,
    doc: text,
    extensions: [
      keymap.of([saveKey, indentWithTab, ...searchKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap]),
      wording.of(basics(file, words)),
      lintGutter(),
      history(),
      search({ top: true }),
      drawSelection(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSelectionMatches(),
      bracketMatching(),
      indentOnInput(),
      replaceSelected,
      indentUnit.of(indentOf(text)),
      EditorView.updateListener.of(({ docChanged }) => docChanged && changed()),
    ],
  });
  const lineAt = (/** @type {number} */ line) => view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
  return {
    text: () => view.state.doc.sliceString(0, view.state.doc.length, lineBreak),
    replace: (/** @type {string} */ text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    say: (/** @type {EditorWords} */ words) => view.dispatch({ effects: wording.reconfigure(basics(file, words)) }),
    goTo: (/** @type {number} */ line) => {
      const { from } = lineAt(line);
      view.dispatch({ selection: { anchor: from }, effects: EditorView.scrollIntoView(from, { y: "center" }) });
      view.focus();
    },
    /** Marks lines of the text. @param {SourceProblem[]} problems */
    mark: (problems) => {
      const marks = problems.map(({ line, column, message, severity }) => {
        const { from, to } = lineAt(line);
        return { from: column && from + column - 1 < to ? from + column - 1 : from, to, message, severity };
      });
      view.dispatch(setDiagnostics(view.state, marks.sort((a, b) => a.from - b.from)));
    },
    close: () => view.destroy(),
  };
}

/**
 * Shows what differs between two texts, line by line.
 * @param {HTMLElement} place
 * @param {{ file: string, before: string, after: string, words: EditorWords }} options
 */
export function openDifference(place, { file, before, after, words }) {
  const root = rootIn(place);
  const view = new EditorView({
    root,
    parent: root,
    doc: after,
    extensions: [
      basics(file, words),
      EditorState.readOnly.of(true),
      unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 6 } }),
    ],
  });
  return { close: () => view.destroy() };
}
