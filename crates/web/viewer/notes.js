// Notes of a reader on turns of a match, and of the games that branch off it. What replays and links bring is a stranger's, so its size
// is limited.

import { counted, words } from "./language.js";
import { remember, rememberedJson } from "./storage.js";

const noteWords = words(
  { leftOut: (/** @type {number} */ number) => `Left out of links, which hold 2 KB of notes: ${counted(number, "note")}. A saved page or replay has all.` },
  { leftOut: (number) => `链接最多容纳 2 KB 批注，放不下的有 ${number} 条；保存的网页和录像含全部批注。` },
);

/** A note as a replay has it. `branch` is the number of a game under What if; without it, the note is on the match. @typedef {{ branch?: number, turn: number, text: string }} Note */
/** The notes of a match by branch and turn, as in "0.17". An empty one hides that of a replay or a link. @typedef {Map<string, string>} Notes */

/** The most letters of a note. */
export const noteLetters = 500;
/** The most characters that the notes take in a link. */
const linkCharacters = 2048;
/** The most notes that are read of a match, and the most matches whose notes the browser keeps. */
const mostNotes = 400;
const mostMatches = 50;
const notesKey = "pacman2-notes";

/** What the browser keeps: the notes of games, the latest last. @returns {[string, [string, string][]][]} */
const keptNotes = () => rememberedJson(notesKey) ?? [];

/** Notes as a link has them, as far as there is room, and how many are left out. @param {Note[]} notes */
export function packNotes(notes) {
  let text = "";
  /** @type {(number | string)[][]} */
  const packed = [];
  for (const { branch, turn, text: note } of notes) {
    packed.push(branch ? [turn, note, branch] : [turn, note]);
    const bytes = new TextEncoder().encode(JSON.stringify(packed));
    const longer = btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (char) => ({ "+": "-", "/": "_" }[char] ?? ""));
    if (longer.length > linkCharacters) packed.pop();
    else text = longer;
  }
  return { text, leftOut: notes.length - packed.length };
}

/** The notes in a link; none if it is damaged. @param {string} text @returns {unknown} */
export function unpackNotes(text) {
  try {
    const bytes = Uint8Array.from(atob(text.slice(0, linkCharacters).replace(/-/g, "+").replace(/_/g, "/")), (char) => char.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes)).map((/** @type {any} */ [turn, note, branch]) => ({ turn, text: note, branch }));
  } catch {
    return [];
  }
}

/** What to say of notes that a link has no room for, or "". @param {Note[]} notes */
export function leftOutText(notes) {
  const { leftOut } = packNotes(notes);
  return leftOut ? noteWords.leftOut(leftOut) : "";
}

export class NoteBook {
  /** @param {import("./viewer.js").Viewer} viewer */
  constructor(viewer) {
    this.viewer = viewer;
    /** @type {WeakMap<Timeline, Notes>} */
    this.byMatch = new WeakMap();
    /** The games under which the browser keeps what the reader has written. @type {WeakMap<Timeline, string>} */
    this.kept = new WeakMap();
    viewer.on("ended", () => {
      const { timeline } = viewer;
      if (timeline && this.kept.has(timeline)) this.keep(timeline);
    });
  }

  /** The notes of a match. @param {Timeline} root @returns {Notes} */
  of(root) {
    const known = this.byMatch.get(root);
    if (known) return known;
    const kept = keptNotes();
    const game = kept.length && this.viewer.gameOf(root);
    const notes = new Map((game && kept.find(([name]) => name === game)?.[1]) || []);
    this.byMatch.set(root, notes);
    return notes;
  }

  /** Where a turn of a timeline belongs: the match, and the branch and turn as text. @param {Timeline} timeline @param {number} turn */
  locate(timeline, turn) {
    let branch = this.viewer.branches.find(timeline);
    const root = branch?.root ?? timeline;
    while (branch && turn <= branch.turn) branch = branch.parent;
    return { root, place: `${branch?.number ?? 0}.${turn}` };
  }

  /** The note on a turn of a timeline, or "". @param {Timeline} timeline @param {number} turn */
  at(timeline, turn) {
    const { root, place } = this.locate(timeline, turn);
    return this.of(root).get(place) ?? "";
  }

  /** Writes the note on a turn of a timeline. @param {Timeline} timeline @param {number} turn @param {string} text */
  write(timeline, turn, text) {
    const { root, place } = this.locate(timeline, turn);
    this.of(root).set(place, text.slice(0, noteLetters));
    this.keep(root);
    this.viewer.notify("notes");
  }

  /** Keeps the notes of a match in the browser. @param {Timeline} root */
  keep(root) {
    const game = this.viewer.gameOf(root);
    const before = this.kept.get(root);
    this.kept.set(root, game);
    const others = keptNotes().filter(([name]) => name !== game && name !== before);
    if (game) remember(notesKey, JSON.stringify([...others, [game, [...this.of(root)]]].slice(-mostMatches)));
  }

  /** Forgets the notes on a branch, whose number another one may get. @param {Timeline} root @param {number} number */
  forget(root, number) {
    const notes = this.of(root);
    for (const place of [...notes.keys()]) if (place.startsWith(`${number}.`)) notes.delete(place);
    if (this.kept.has(root)) this.keep(root);
  }

  /** Takes notes of a replay or a link, where the reader has written none. @param {Timeline} root @param {unknown} list */
  adopt(root, list) {
    if (!Array.isArray(list)) return;
    const notes = this.of(root);
    for (const note of list.slice(0, mostNotes)) {
      const { branch = 0, turn, text } = note ?? {};
      const place = `${branch}.${turn}`;
      const isSound = [branch, turn].every((value) => Number.isInteger(value) && value >= 0) && typeof text === "string";
      if (isSound && !notes.has(place)) notes.set(place, text.slice(0, noteLetters));
    }
  }

  /** The notes on the turns of a timeline. @param {Timeline} timeline @returns {Note[]} */
  on(timeline) {
    return timeline.frames.map(({ turn }) => ({ turn, text: this.at(timeline, turn) })).filter(({ text }) => text);
  }

  /** The notes on a timeline and on all that branched off it, as a replay has them. @param {Timeline} timeline @returns {Note[]} */
  records(timeline) {
    const numbers = this.viewer.branches.records(timeline).map(({ number }) => number);
    const others = [...this.of(this.viewer.branches.rootOf(timeline))].flatMap(([place, text]) => {
      const [branch, turn] = place.split(".").map(Number);
      return text && numbers.includes(branch) ? { branch, turn, text } : [];
    });
    return [...this.on(timeline), ...others];
  }
}
