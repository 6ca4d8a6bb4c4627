// The people of a contest, for staff: a list that adds them, and links with which they choose a password.

import { columnHead, tableOf } from "../arena/components.js";
import { el, untrusted, visibleText } from "../viewer/dom.js";
import { counted, words } from "../viewer/language.js";
import { get, post } from "./ask.js";
import { field, formOf, notice, worded } from "./parts.js";

const peopleWords = words(
  {
    add: "Add people",
    file: "A list as CSV with the columns name, number, group and, for staff, role",
    text: "Or as text",
    send: "Add",
    added: (/** @type {number} */ people) => `${counted(people, "line")} taken. People with a known number were changed.`,
    nothing: "Choose a file or enter lines.",
    people: "People",
    number: "Number",
    name: "Name",
    group: "Group",
    role: "Role",
    student: "student",
    assistant: "assistant",
    teacher: "teacher",
    state: "Account",
    has: "has a password",
    hasNot: "has no password yet",
    link: "New link",
    linkAbout: (/** @type {string} */ name) => `New link for ${name}`,
    allLinks: "Links for all without a password",
    links: "Links",
    linksAbout: "Each link works once and for 14 days. A new link replaces the one before; with it, a person also gets in who has forgotten the password. Links are not shown again.",
    save: "Save as CSV",
  },
  {
    add: "添加人员",
    file: "CSV 名单，有“姓名、学号、班级”三列，助教和教师还要有“角色”一列",
    text: "或者直接输入",
    send: "添加",
    added: (people) => `已读入 ${people} 行；学号已有的人按名单更新。`,
    nothing: "请选择文件，或输入名单。",
    people: "人员",
    number: "学号",
    name: "姓名",
    group: "班级",
    role: "角色",
    student: "学生",
    assistant: "助教",
    teacher: "教师",
    state: "账号",
    has: "已有密码",
    hasNot: "还没有密码",
    link: "新链接",
    linkAbout: (name) => `给 ${name} 的新链接`,
    allLinks: "给所有没有密码的人生成链接",
    links: "链接",
    linksAbout: "每个链接只能用一次，14 天内有效。新的链接会代替旧的；忘记密码的人也用它登录。链接以后不再显示。",
    save: "存为 CSV",
  },
);

/** The text of a list. Spreadsheets write it in UTF-8 or, in Chinese, in GB 18030. @param {ArrayBuffer} bytes */
function textOf(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("gb18030").decode(bytes);
  }
}

/** @param {HTMLElement} place @param {Me} me */
export function mountPeople(place, me) {
  const told = notice();
  const file = el("input", { type: "file", accept: ".csv,text/csv", name: "list" });
  const text = el("textarea", { rows: 4, spellcheck: false, name: "lines" });
  text.placeholder = "name,number,group\n";
  const add = async () => {
    const csv = file.files?.[0] ? textOf(await file.files[0].arrayBuffer()) : text.value;
    if (!csv.trim()) return told.say(() => peopleWords.nothing);
    const { people } = await post("people", { csv });
    told.say(() => peopleWords.added(people));
    file.value = "";
    text.value = "";
    await look();
  };
  const parts = [field(() => peopleWords.file, file), field(() => peopleWords.text, text)];
  if (me.role === "teacher") place.append(formOf({ name: () => peopleWords.add, button: () => peopleWords.send, parts, send: add, told }));

  const troubles = notice();
  const links = el("section", { class: "links" });
  const all = el("button", { type: "button", onclick: () => makeLinks(people.filter(mayInvite).filter((person) => !person.has_password)) });
  const table = el("div");
  place.append(worded(el("h2"), () => peopleWords.people), all, troubles.place, links, table);
  const mayInvite = (/** @type {ContestPerson} */ person) => me.role === "teacher" || person.role === "student";
  /** @type {ContestPerson[]} */
  let people = [];
  /** @type {PersonLink[]} */
  let made = [];
  const makeLinks = async (/** @type {ContestPerson[]} */ chosen) => {
    try {
      made = await post("links", { people: chosen.map(({ id }) => id) });
      troubles.say(() => "");
      showLinks();
      links.scrollIntoView({ block: "nearest" });
    } catch (error) {
      troubles.fail(error);
    }
  };
  const showLinks = () => links.replaceChildren(...linkList(made));
  const rowOf = (/** @type {ContestPerson} */ person) => el(
    "tr",
    {},
    el("th", { scope: "row" }, untrusted(person.name)),
    el("td", {}, untrusted(person.number)),
    el("td", {}, untrusted(person.class)),
    el("td", {}, peopleWords[person.role]),
    el("td", {}, person.has_password ? peopleWords.has : peopleWords.hasNot),
    el("td", {}, mayInvite(person) && el("button", {
      type: "button",
      "aria-label": peopleWords.linkAbout(visibleText(person.name)),
      onclick: () => makeLinks([person]),
    }, peopleWords.link)),
  );
  const show = () => {
    const heads = [peopleWords.name, peopleWords.number, peopleWords.group, peopleWords.role, peopleWords.state, peopleWords.link];
    table.replaceChildren(tableOf(peopleWords.people, heads.map((head) => columnHead(head)), people.map(rowOf)));
    all.textContent = peopleWords.allLinks;
    all.hidden = !people.some((person) => mayInvite(person) && !person.has_password);
    showLinks();
  };
  const look = async () => {
    try {
      people = await get("people");
      show();
    } catch (error) {
      troubles.fail(error);
    }
  };
  void look();
  return show;
}

/** @param {PersonLink[]} made */
function linkList(made) {
  if (!made.length) return [];
  const address = (/** @type {PersonLink} */ { link }) => `${location.origin}${link}`;
  const quoted = (/** @type {string} */ text) => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replace(/"/g, '""')}"`;
  const save = () => {
    const lines = made.map((line) => [line.name, line.number, line.class, address(line)].map(quoted).join(","));
    const csv = new Blob([`\ufeffname,number,group,link\r\n${lines.join("\r\n")}\r\n`], { type: "text/csv" });
    const href = URL.createObjectURL(csv);
    el("a", { href, download: "links.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  };
  const rows = made.map((line) => el("li", {}, untrusted(line.name), " ", el("code", { class: "link" }, address(line))));
  return [
    el("h2", {}, peopleWords.links),
    el("p", { class: "soft" }, peopleWords.linksAbout),
    el("ol", {}, ...rows),
    el("button", { type: "button", onclick: save }, peopleWords.save),
  ];
}
