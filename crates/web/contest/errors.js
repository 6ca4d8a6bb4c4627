// What the server says of an error, in the reader's language. The codes are those of `crates/contest`, whose test compares them.

import { language } from "../viewer/language.js";
import { visibleText } from "../viewer/dom.js";
import { wordError } from "../viewer/server-errors.js";

const columns = /** @type {Record<string, string>} */ ({ name: "姓名", number: "学号", group: "班级" });

/** @type {Record<string, string | ((params: Record<string, any>) => string)>} */
const chineseErrors = {
  "sign-in-needed": "请先登录",
  "staff-only": "只有助教和教师可以这样做",
  "teachers-only": "只有教师可以这样做",
  "wrong-password": "学号或密码不对",
  "too-many-guesses": ({ minutes }) => `错误次数太多，请 ${minutes} 分钟后再试`,
  "wrong-invitation": "这个链接已经用过、过期或被新的链接代替，请向老师要一个新的链接",
  "password-length": ({ min, max }) => `密码须有 ${min} 到 ${max} 个字符`,
  "origin-needed": "请求没有说明来自哪个网页，请使用较新的浏览器",
  "no-such-person": "没有这个人",
  "file-needed": "请求须用 ?file=文件名 给出文件名",
  "file-too-large": ({ max_mb, bytes }) => `文件最大 ${max_mb} MB，得到的是 ${bytes} 字节`,
  "quota": ({ per_hour, seconds }) => `每小时最多提交 ${per_hour} 个版本，${seconds} 秒后可以再次提交`,
  "file-name": "文件名太长，或者以点开头",
  "contest-failed": "服务器处理时出错，原因见终端",
  "list-form": ({ line }) => `第 ${line} 行：每行的项数须相同`,
  "list-columns": "第一行须有“姓名”和“学号”两列，还可以有“班级”和“角色”",
  "list-field": ({ line, column, max }) => `第 ${line} 行：${columns[column]}须有 1 到 ${max} 个字符，不能有不可见的字符`,
  "list-role": ({ line, got }) => `第 ${line} 行：角色须是学生、助教或教师，得到的是“${got}”`,
  "list-twice": ({ line, number }) => `第 ${line} 行：学号 ${number} 在名单里已经出现过`,
  "list-empty": "名单是空的",
  "list-long": ({ max }) => `名单最多有 ${max} 人`,
};

/** @param {import("../viewer/server-errors.js").ServerProblem} problem */
export function problemText(problem) {
  const { code = "", params = {} } = problem;
  const chinese = language() === "zh" && Object.hasOwn(chineseErrors, code) && chineseErrors[code];
  return visibleText(typeof chinese === "function" ? chinese(params) : chinese || wordError(problem, language()));
}
