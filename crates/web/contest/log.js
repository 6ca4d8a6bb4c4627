// What staff did.

import { columnHead, tableOf } from "../arena/components.js";
import { el, untrusted } from "../viewer/dom.js";
import { counted, moment, words } from "../viewer/language.js";
import { get } from "./ask.js";
import { notice } from "./parts.js";

const logWords = words(
  {
    log: "Log",
    time: "Time",
    who: "Who",
    what: "What",
    terminal: "the terminal",
    people: (/** @type {string} */ lines) => `took a list with ${counted(lines, "line")}`,
    invite: "made a link for ",
  },
  {
    log: "日志",
    time: "时间",
    who: "操作人",
    what: "操作",
    terminal: "终端",
    people: (lines) => `读入了 ${lines} 行的名单`,
    invite: "生成了链接，给 ",
  },
);

/** @param {HTMLElement} place */
export function mountLog(place) {
  const told = notice();
  const table = el("div");
  place.append(told.place, table);
  /** @type {LogEntry[]} */
  let entries = [];
  const show = () => {
    const heads = [logWords.time, logWords.who, logWords.what].map((head) => columnHead(head));
    table.replaceChildren(tableOf(logWords.log, heads, entries.map(rowOf)));
  };
  const look = async () => {
    try {
      entries = await get("log");
      show();
    } catch (error) {
      told.fail(error);
    }
  };
  return () => {
    show();
    void look();
  };
}

/** @param {LogEntry} entry */
function rowOf({ time, who, action, subject, detail }) {
  const what = action === "invite" ? [logWords.invite, untrusted(subject ?? "")] : [logWords.people(detail)];
  return el("tr", {}, el("td", {}, moment(1000 * time)), el("td", {}, who === null ? logWords.terminal : untrusted(who)), el("td", {}, ...what));
}
