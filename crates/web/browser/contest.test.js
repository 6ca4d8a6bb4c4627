// The page of a contest: from an invitation link to an uploaded version, and what staff do.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { pacman2 } from "./fixtures.js";
import { PACMAN2, harness, pageTest, tempPath } from "./harness.js";
import { axeFile, assertAccessible, assertChinese, assertTouchable, textOf, waitUntil } from "./page-helpers.js";

harness();

const withAxe = { before: (/** @type {import("playwright-core").BrowserContext} */ context) => context.addInitScript({ path: axeFile }) };
const password = "correct horse";

/** Starts a new contest, and returns the link for the first teacher. @param {import("./harness.js").Harness} harness */
async function serveContest({ later }) {
  await mkdir(tempPath("ladder"));
  await writeFile(tempPath("ladder/contest.toml"), "[limits]\nturns = 10\n");
  const server = spawn(PACMAN2, ["serve", "--contest", tempPath("ladder"), "--port", "0"], { cwd: tempPath() });
  later(async () => {
    server.kill();
    await once(server, "close");
  });
  for await (const line of createInterface({ input: server.stdout })) {
    const link = line.match(/http:\S+#invitation=\S+/);
    if (link) return link[0];
  }
  throw new Error("the server printed no link");
}

/** Chooses a password in the page of a link. @param {import("playwright-core").Page} page */
async function accept(page) {
  await page.getByLabel(/password|密码/).fill(password);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation").waitFor();
}

pageTest("a teacher invites a student, whose version is judged and plays", async (harness) => {
  const teacher = await harness.open(await serveContest(harness), withAxe);
  await accept(teacher);
  assert.ok(!teacher.url().includes("invitation"), "the secret leaves the address");
  await teacher.getByRole("link", { name: "People" }).click();
  await writeFile(tempPath("list.csv"), "姓名,学号,班级\n张三,1001,一班\n<b>Eve,1002,二班\n");
  await teacher.getByLabel(/A list as CSV/).setInputFiles(tempPath("list.csv"));
  await teacher.getByRole("button", { name: "Add", exact: true }).click();
  await teacher.getByText("2 lines taken").waitFor();
  await teacher.getByRole("button", { name: "Links for all without a password" }).click();
  const link = await textOf(teacher, ".links li:nth-child(1) code");
  await assertAccessible(teacher, "people");

  const student = await harness.open(link, { locale: "zh-CN", phone: true, ...withAxe });
  await accept(student);
  await student.getByText("或者粘贴程序").click();
  await student.getByLabel("语言").selectOption("Python");
  await student.getByLabel("程序", { exact: true }).fill("print()");
  await assertChinese(student, ["张三", "1001"], "code, option");
  await assertTouchable(student, "versions on a phone");
  await assertAccessible(student, "versions");
  await student.getByRole("button", { name: "提交" }).click();
  await waitUntil(() => textOf(student, ".versions"), /版本 1[\s\S]*未通过[\s\S]*main\.py/);
  await pacman2("new", "mine", "--lang", "python");
  await student.getByLabel(/一个源文件/).setInputFiles(tempPath("mine/bot.py"));
  await student.getByRole("button", { name: "提交" }).click();
  await waitUntil(() => textOf(student, ".versions"), /^版本 2\s+通过[\s\S]*bot\.py/);

  await student.getByRole("link", { name: "排名和对局" }).click();
  await waitUntil(() => textOf(student, ".view-table"), /张三@2/);
  await student.getByRole("link", { name: "对局", exact: true }).click();
  await student.locator(".watch").first().click();
  await student.locator("#happened").waitFor();
  assert.match(new URL(student.url()).pathname, /^\/arena\/games\/.+/);
  await student.goto(new URL(link).origin);
  await student.getByRole("button", { name: "退出 张三" }).click();
  await student.getByLabel("学号").fill("1001");
  await student.getByLabel("密码").fill(password);
  await student.keyboard.press("Enter");
  await waitUntil(() => textOf(student, ".versions"), /版本 1/);

  await teacher.getByRole("link", { name: "Log" }).click();
  await waitUntil(() => textOf(teacher, ".view-log"), /made a link for 张三[\s\S]*took a list with 2 lines/);
});
