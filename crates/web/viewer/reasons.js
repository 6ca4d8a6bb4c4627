// Reasons in Chinese, by their codes. English has the sentences that come with the codes. Codes are written by the `problem.rs` of
// several crates; a test compares them. Pages without a server contain this script, and a server's page fetches it.

import catalogue from "../../botzone/words/zh.json";

/** Words for odd cells. @param {string} odd @returns {(at: Record<string, any>) => string} */
const atCells = (odd) => ({ row, col, more }) => `${odd}：第 ${row} 行第 ${col} 列${more ? `，另有 ${more} 处` : ""}`;

/** @type {Record<string, string>} */
const chineseValues = { missing: "没有给出", list: "列表", string: "字符串", object: "对象", null: " null", true: " true", false: " false" };
/** A rejected value. @param {string | number} got @param {number} [items] */
export const rejectedValue = (got, items) => `得到的是${items === undefined ? chineseValues[got] ?? ` ${got}` : `有 ${items} 项的列表`}`;

/** @type {Record<string, string>} */
export const chineseExpectations = {
  list: "列表",
  four: "有四项的列表",
  object: "对象",
  string: "字符串",
  number: "数",
  count: "非负整数",
  "count-32": "0 到 4294967295 的整数",
  action: "32 位整数或 null",
  verdict: "OK、TLE、MLE、OLE、NJ、RE、ILLEGAL 或 null",
  fingerprint: "16 位小写十六进制数",
  ruling: '"sample"、"judge" 或 "prose"',
  tier: '"A"、"A-"、"B"、"C" 或 null',
};

/** Reasons, joined. @param {Record<string, any>} params with `causes`, and `reason` in English for when no cause has words */
export function chineseCauses({ causes = [], reason = "" }) {
  return causes.map(chineseReason).filter(Boolean).join("；") || reason;
}

/** The parts of a sandbox. @type {Record<string, string>} */
const chineseParts = {
  system: "本机的系统",
  namespaces: "命名空间",
  files: "文件视图",
  "control-groups": "控制组",
  rights: "权限和资源限制",
  landlock: "Landlock",
  "system-calls": "系统调用的限制",
  supervisor: "监督进程",
};

/** @typedef {Record<string, string | ((params: Record<string, any>) => string)>} ChineseWords */

/** @type {ChineseWords} */
export const chineseReasons = {
  // Maps.
  map: (params) => `地图不可用：${chineseCauses(params)}`,
  "map-not-object": ({ got }) => `初始化数据须是 JSON 对象，${rejectedValue(got)}`,
  "map-number": ({ name, min, max, got }) => `${name} 须是 ${min} 到 ${max} 之间的整数，${rejectedValue(got)}`,
  "map-side-missing": ({ name }) => `有 static 和 content 时须给出 ${name}`,
  "map-matrix": ({ matrix, got }) => `${matrix} 须是由行组成的列表，${rejectedValue(got)}`,
  "map-row-count": ({ matrix, expected, got }) => `${matrix} 须有 ${expected} 行，与 height 一致，得到的是 ${got} 行`,
  "map-row": ({ matrix, row, got }) => `${matrix} 第 ${row} 行须是由数组成的列表，${rejectedValue(got)}`,
  "map-row-length": ({ matrix, row, expected, got }) =>
    `${matrix} 第 ${row} 行须有 ${expected} 个数，与 width 一致，得到的是 ${got} 个`,
  "map-cell": ({ matrix, row, col, max, got }) => `${matrix} 第 ${row} 行第 ${col} 列须是 0 到 ${max} 之间的整数，${rejectedValue(got)}`,
  "map-generators": ({ got }) => `static 里最多 4 个豆子产生器，得到的是 ${got} 个`,
  "map-player": ({ seat, got }) => `content 里 ${seat} 号玩家须恰好在一格上，得到的是 ${got} 格`,
  "map-squares": ({ expected, got }) => `迷宫须有 ${expected} 格，得到的是 ${got} 格`,
  "map-maze": "迷宫无法建立",
  "and-more": ({ more }) => `另有 ${more} 处错误`,
  asymmetric: "地图不是左右、上下都对称",
  "one-sided-wall": atCells("有墙只挡住一个方向"),
  "unwalled-generator": atCells("有豆子产生器没有被墙围住"),
  "out-of-reach": atCells("有格子是 0 号玩家走不到的"),
  "shared-by-players": atCells("有玩家同在一格"),
  "player-on-generator": atCells("有玩家站在豆子产生器上"),
  "fruit-on-generator": atCells("有豆子放在豆子产生器上"),
  "both-fruits": atCells("大豆和小豆同在一格"),
  "unknown-key": ({ key }) => `初始化数据里没有“${key}”这一项，已忽略`,

  // Files, replays and match logs.
  "unknown-format": "既不是录像、Botzone 的对局记录、程序的输入、初始化数据，也不是对局链接",
  "game-io": ({ reason }) => `无法读取：${reason}`,
  "game-too-long": "一场对局的文本最多 64 MB",
  "game-encoding": "不是 UTF-8 或 UTF-16 文本",
  "page-without-match": "网页里没有对局。请保存对局的网页，或对局记录",
  "game-packed": ({ got }) => `这是 ${got} 压缩的文件，请先解压`,
  "page-web-archive": "这是单个文件的网页存档（MHTML）。请把网页另存为“仅 HTML”，或保存对局记录",
  zip: ({ reason }) => `无法读取 zip 文件：${reason}`,
  "zip-too-many-files": ({ got }) => `zip 里最多 10000 个文件，得到的是 ${got} 个`,
  "zip-empty": "zip 里没有文件",
  "zip-nested": "zip 里还有 zip，请先解压外层",
  "games-too-many-bad": "无法读取的对局太多，其余部分不再读取",
  "replay-format": "不是录像：缺少值为 \"pacman2 replay\" 的 format",
  "replay-version": ({ expected, got }) => `只能读取版本 ${expected} 的录像，这份的版本是 ${got}`,
  "value-missing": ({ path }) => `缺少 ${path}`,
  value: ({ path, expected, got, items }) => `${path ? `${path} ` : ""}须是${chineseExpectations[expected]}，${rejectedValue(got, items)}`,
  "replay-map": (params) => `录像的地图不可用：${chineseCauses(params)}`,
  "log-other-game": ({ got }) => `应为 Pacman2 的对局，实际是 ${got} 的`,
  "log-no-map": "对局记录里没有地图：第一项的 output 或 initdata 须有初始化数据",
  "log-no-items": "对局记录须有非空的列表 log（或 logs）",
  "log-map": (params) => `对局记录的初始化数据不可用：${chineseCauses(params)}`,
  "input-no-requests": "程序的输入须有非空的列表 requests",
  "input-map": (params) => `输入的第一条 request 里的地图不可用：${chineseCauses(params)}`,
  "input-no-seat": ({ got }) => `输入的第一条 request 须有 0 到 3 的 id，${rejectedValue(got)}`,
  "turn-missing": ({ turn }) => `缺少第 ${turn} 回合：游戏没有结束，却有得分`,
  "turn-no-action": ({ turn, seat }) => `第 ${turn} 回合：${seat} 号玩家活着，却没有动作`,
  "turn-action-of-dead": ({ turn, seat }) => `第 ${turn} 回合：${seat} 号玩家已经死亡，却有动作`,
  "turn-action-and-verdict": ({ turn, seat }) => `第 ${turn} 回合：${seat} 号玩家的动作与结果矛盾`,
  "turn-game-over": ({ turn }) => `第 ${turn} 回合在游戏结束之后`,
  "turn-position": ({ turn }) => `第 ${turn} 回合之后的局面与规则不符`,
  "turn-verdicts": ({ turn, expected, got }) => `第 ${turn} 回合：按规则结果应为 ${expected}，记录的是 ${got}`,
  "turn-strength": ({ turn, expected, got }) => `第 ${turn} 回合：按规则力量的变化应为 ${expected}，记录的是 ${got}`,
  "turn-scores": ({ turn, expected, got }) => `第 ${turn} 回合：按规则得分应为 ${expected}，记录的是 ${got}`,
  scores: ({ expected, got }) => `按规则得分应为 ${expected}，记录的是 ${got}`,
  "link-map": (params) => `链接里的地图不可用：${chineseCauses(params)}`,
  "link-content": "链接的内容不是一场对局",
  "link-start": "对局不是从地图的初始局面开始的，链接只能保存从第一回合开始的对局",

  // What the page and the engines ask.
  "no-turn": ({ turn, last }) => `没有第 ${turn} 回合，对局只到第 ${last} 回合`,
  "no-action-of": ({ seat }) => `${seat} 号玩家活着，却没有动作`,
  "game-over": "游戏已经结束",
  "unknown-built-in": ({ bot }) => `没有名为 ${bot} 的内置程序`,
  "nothing-to-decide": ({ seat }) => `${seat} 号玩家已经死亡，或游戏已经结束`,
  "no-request": ({ seat, turn }) => `第 ${turn} 回合之后不再询问 ${seat} 号玩家`,
  "qr-too-long": ({ got }) => `二维码最多容纳 2953 字节，内容有 ${got} 字节`,
  "out-of-range": ({ name, min, max, got }) => `${name} 须在 ${min} 到 ${max} 之间，得到的是 ${got}`,
  "two-efforts": "time_ms 和 simulations 只能给出一项",
  "query-ruling": ({ got }) => `没有名为 ${got} 的裁定，应为 sample、judge 或 prose`,

  // Sandboxes that cannot be built.
  "start-sandbox": ({ part, causes }) =>
    [part === "program" ? "无法在沙箱中启动程序" : `无法建立沙箱，问题在于${chineseParts[part] ?? part}`, chineseCauses({ causes })]
      .filter(Boolean).join("："),
  "sandbox-unsupported": "沙箱需要 x86-64 或 AArch64 上的 Linux",
  "sandbox-broke-down": "监督进程意外结束",
  "control-groups-unsupported": "内核没有第 2 版控制组",
  "control-groups-not-mounted": "没有挂载第 2 版控制组",
  "control-groups-no-kill": "内核不能整组结束或冻结进程",
};

/** The sentences that the terminal and notes have, too. @type {Record<string, string>} */
const sentences = catalogue;

/** @typedef {import("./language.js").Problem} Problem */

/** A problem in Chinese; empty if its code is not known. @param {Problem} problem @returns {string} */
export function chineseReason({ code, params = {} }) {
  if (Object.hasOwn(sentences, code)) return explained({ code, params });
  const reason = Object.hasOwn(chineseReasons, code) ? chineseReasons[code] : "";
  return typeof reason === "function" ? reason(params) : reason;
}

/** What is wrong and why, the line that shows it, and what to do if the cause was seen. @param {Required<Problem>} problem */
function explained({ code, params }) {
  const cause = typeof params.cause?.code === "string" ? params.cause : null;
  const what = cause ? `${filled(`${code}-because`, params) || filled(code, params)}：${wordsOf(cause)}` : filled(code, params);
  const seen = cause ? { code: cause.code, params: cause.params ?? {} } : { code, params };
  const { line, place } = seen.params;
  const shown = line && !what.includes(line) ? `（${line}${rendered("place", place)}）` : "";
  const advice = seen.code.startsWith("cause-") ? filled(`${seen.code}-advice`, seen.params) : "";
  return what + shown + (advice && `。${advice}`);
}

/** A sentence with its parameters; empty if there is none. @param {string} code @param {Record<string, any>} params */
function filled(code, params) {
  if (!Object.hasOwn(sentences, code)) return "";
  // Reasons are in English, and their causes say the same.
  const value = (/** @type {string} */ name) => (name === "reason" && rendered(name, params.causes)) || rendered(name, params[name]);
  return sentences[code].replace(/\{([a-z_]+)\}/g, (_, name) => value(name));
}

/** A parameter as text. @param {string} name @param {any} value @returns {string} */
function rendered(name, value) {
  if (Array.isArray(value)) return value.map((item) => rendered(name, item)).filter(Boolean).join("；");
  if (value && typeof value === "object") return typeof value.code === "string" ? wordsOf(value) : "";
  const known = `${name}-${value}`;
  return Object.hasOwn(sentences, known) ? sentences[known] : String(value ?? "");
}

/** A problem within another one. @param {Problem} problem */
const wordsOf = ({ code, params }) =>
  Object.hasOwn(sentences, code) ? filled(code, params ?? {}) : chineseReason({ code, params: params ?? {} });
