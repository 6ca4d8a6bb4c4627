// What is known of one of my bots, and its address.

import { counted, moment, words } from "./language.js";

/**
 * A bot as the server lists it.
 * @typedef {{
 *   name: string, kind: "folder" | "file" | "archive", language: string | null, main: string | null, modified_ms: number, versions: number,
 *   check: { fine: boolean, faults: number, at_ms: number, current: boolean } | null,
 * }} OwnBot
 */

const factWords = words(
  {
    versions: (/** @type {number} */ number) => counted(number, "earlier version"),
    unchecked: "not checked",
    changed: "changed since the last check",
    fine: "check: no faults",
    faults: (/** @type {number} */ number) => `check: ${counted(number, "fault")}`,
    unknown: "no program found",
  },
  {
    versions: (number) => `${number} 个旧版本`,
    unchecked: "未检查",
    changed: "检查之后有改动",
    fine: "检查：没有问题",
    faults: (number) => `检查：${number} 个问题`,
    unknown: "没有找到程序",
  },
);

/** @param {OwnBot} bot */
export function factsOf({ language, modified_ms: modified, versions, check }) {
  const t = factWords;
  const checked = !check ? t.unchecked : !check.current ? t.changed : check.fine ? t.fine : t.faults(check.faults);
  return [language ?? t.unknown, moment(modified), versions > 0 && t.versions(versions), checked].filter(Boolean).join(" · ");
}

/** The address of a bot; of the list without a name. */
export const addressOfBot = (name = "") => `#${new URLSearchParams({ bots: name })}`;
