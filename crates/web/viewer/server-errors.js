// The server's errors in the reader's language. Each has a code with parameters, and an English sentence. The codes are those
// of `../src/server/error.rs`, which has the sentences; a test compares them. A server's page fetches this script by itself,
// because other pages have no use for it.

import { chineseCauses, chineseExpectations, chineseReasons, rejectedValue } from "./reasons.js";

/** @type {Record<string, string>} */
const chineseUnits = { MB: "MB", includes: "处 #include", files: "个文件", "levels of includes": "层 #include" };

/** What a value of a request is called; empty for the request as a whole. @param {string} path */
const valueAt = (path) => (path ? `${path} ` : "请求");

/** @param {number} bytes */
const inMegabytes = (bytes) => `${Math.ceil(bytes / 1048576)} MB`;

// Reasons that only a server gives: those about requests, files, programs that cannot play, and the arena.
Object.assign(chineseReasons, /** @type {import("./reasons.js").ChineseWords} */ ({
  "request-form": ({ path }) => `${valueAt(path)}的形式不对`,
  "request-number": ({ path, min, max, got }) => `${valueAt(path)}须是 ${min} 到 ${max} 之间的整数，${rejectedValue(got)}`,
  "request-value": ({ path, expected, got }) =>
    `${valueAt(path)}须是${expected === "boolean" ? " true 或 false" : chineseExpectations[expected]}，${rejectedValue(got)}`,
  "request-length": ({ path, expected, got }) => `${valueAt(path)}须有 ${expected} 项，得到的是 ${got} 项`,
  "request-unknown-key": ({ key, expected }) => `没有 ${key} 这一项，可以给出的是 ${expected}`,
  "request-missing-key": ({ key }) => `缺少 ${key}`,
  "file-is-folder": "是文件夹，不是普通文件",
  "file-is-special": "是管道、套接字或设备，不是普通文件",
  "file-too-large": ({ limit, got }) => `文件最大 ${inMegabytes(limit)}，得到的是 ${inMegabytes(got)}`,
  "bot-several": ({ folder, names }) => `${folder} 里有不止一个程序：${names}；请指明其中一个，或把它命名为 main`,
  "bot-cargo": ({ folder }) => `${folder} 里的 Rust 程序还没有构建，请先在其中运行 cargo build --release`,
  "bot-none": ({ folder, extensions }) => `${folder} 里没有程序，应有一个扩展名为 ${extensions} 的文件，或一个可执行文件`,
  "bot-no-interpreter": ({ file, program, package: name }) => `${file} 需要 ${program}，本机没有安装（Debian、Ubuntu：apt-get install ${name}）`,
  "bot-no-compiler": ({ file, program, package: name }) => `编译 ${file} 需要 ${program}，本机没有安装（Debian、Ubuntu：apt-get install ${name}）`,
  "bot-unbuilt": ({ file, command, program }) => `${file} 须先构建：在它的文件夹里运行 ${command}，再使用 ${program}`,
  "bot-no-command": "不是命令：内容为空，或引号不成对",
  "bot-installed": ({ program }) => `没有这个内置程序、文件或文件夹；要使用本机安装的程序，请写出路径 ${program}`,
  "bot-file": ({ file, ...params }) => `${file}：${chineseCauses(params)}`,
  "bot-link": ({ file }) => `${file} 是指向另一个文件夹的链接，请直接给出文件本身`,
  "bot-archive": ({ file, zh }) => `压缩包 ${file} 无法使用：${zh}`,
  "bot-folder-too-large": ({ folder, max }) => `程序的文件夹最多有 ${max} 个文件，${folder} 里的更多；请把程序和它需要的文件移到单独的文件夹`,
  "bot-style": ({ got }) => `没有名为 ${got} 的风格`,
  "bot-style-missing": "须指明风格，例如 style sniper",
  "bot-option": ({ got }) => `没有选项 ${got}`,
  "bot-option-without-value": ({ option }) => `选项 ${option} 缺少值`,
  "bot-option-number": ({ option, min, max, got }) => `${option} 须是 ${min} 到 ${max} 之间的整数，得到的是 ${got}`,
  "bot-option-word": ({ option, expected, got }) => `${option} 可用的值是 ${expected}，得到的是 ${got}`,
  "bot-option-repeated": ({ option }) => `选项 ${option} 只能给出一次`,
  "bot-options-conflict": ({ one, other }) => `${one} 和 ${other} 不能同时使用`,
  "bot-does-not-simulate": ({ bot }) => `${bot} 不做模拟，没有模拟次数和时间这两个选项`,
  "bot-does-not-search": ({ bot }) => `${bot} 不做搜索，没有 --without、--net 和 --threads 这些选项`,
  "bot-without-styles": ({ bot }) => `${bot} 没有风格，只有 style 可以指明风格`,
  "net-header": ({ expected }) => `不是这个版本的网络，第一行须是“${expected}”`,
  "net-length": ({ expected, got }) => `权重须有 ${expected} 字节，得到的是 ${got} 字节`,
  "net-weight": ({ index, weights }) => `${weights} 个权重中的第 ${index} 个不是有限的数`,
  "source-too-large": ({ file, max, unit }) => `${file} 连同它包含的头文件最多 ${max} ${chineseUnits[unit]}，实际超过了`,
  "compiler-output": ({ output, causes }) => [`编译器的输出：\n${output}`, chineseCauses({ causes })].filter(Boolean).join("\n"),
  "compiler-without-program": ({ file }) => `编译器没有从 ${file} 生成程序`,
  "no-home-folder": "找不到用户的主文件夹，编译好的程序须存放在那里",
  "not-a-file-name": ({ file }) => `${file} 须是已有文件夹中的文件名`,
  "last-replay": ({ file }) => `${file} 不是本程序写的最新录像，新的录像不能覆盖它，请把它移走`,
  "arena-missing": ({ file }) => `${file} 里没有竞技场`,
  "arena-no-database": ({ file }) => `${file} 不是竞技场：不是 SQLite 数据库`,
  "arena-foreign": ({ file }) => `${file} 不是竞技场：数据库属于别的程序`,
  "arena-too-new": ({ file, expected, got }) => `${file} 的版本是 ${got}，本程序只能打开不高于 ${expected} 的版本，请使用更新的 pacman2`,
  "arena-damaged": ({ file }) => `竞技场的数据库 ${file} 已损坏`,
  "arena-disk-full": ({ file }) => `磁盘已满，无法写入 ${file}`,
  "arena-not-writable": ({ file }) => `无法打开或写入 ${file}，请检查权限`,
  "arena-unmerged-log": ({ file }) => `${file} 是只读的，而上次运行被中断；请把竞技场复制到可写的文件夹`,
  "arena-busy": ({ file }) => `${file} 一直被别的程序占用`,
  "arena-unreadable": ({ file, number }) => `无法读取 ${file}${number === null ? "" : `（SQLite 错误 ${number}）`}`,
  "bot-trusted": ({ required }) => `服务器要求沙箱等级 ${required}，而受信任的程序不在沙箱里运行`,
  "bot-tier": ({ required, got }) => `服务器要求沙箱等级 ${required}，本机只有 ${got}（原因见 pacman2 doctor）`,
}));

/** @type {import("./reasons.js").ChineseWords} */
const chineseErrors = {
  "wrong-host": ({ port }) => `不能用这个主机名访问本服务器，请打开 http://127.0.0.1:${port}/`,
  "foreign-origin": "不接受其他来源的网页发来的请求",
  "token-needed": "没有口令或口令不对，请输入终端里显示的口令",
  "wrong-secret": "验证码或口令不对，或者验证码已经用过或过期，请输入终端里显示的口令",
  "nothing-there": ({ path }) => `${path} 不存在`,
  "method-not-allowed": "这里不能用这种请求方法",
  "request-too-large": "请求太大",
  "request-cut-off": "请求不完整",
  "request-too-slow": "请求太久没有发完",
  "invalid-request": ({ reason, causes }) => `请求无效：${chineseCauses({ reason, causes })}`,
  "out-of-range": ({ name, min, max, got }) => `${name} 须在 ${min} 到 ${max} 之间，得到的是 ${got}`,
  "server-failed": "服务器处理时出错，原因见终端",
  internal: ({ reason, causes }) => `服务器出错：${chineseCauses({ reason, causes })}`,
  "shutting-down": "服务器正在关闭",
  "too-many-responses": () => "太多响应还没有被客户端读取，请稍后再试",
  "too-many-listeners": ({ limit }) => `已经打开了 ${limit} 个网页，请先关闭一个`,
  "too-many-listeners-of-client": ({ limit }) => `你的地址已经打开了 ${limit} 个网页，请先关闭一个`,
  "no-such-match": "没有这场对局；服务器不会一直保留旧对局，重启后则全部清空",
  "no-such-seat": ({ seat }) => `座位须在 0 到 3 之间，得到的是 ${seat}`,
  "not-waiting": ({ seat, turn }) => `对局没有在等 ${seat} 号玩家第 ${turn} 回合的动作`,
  "too-many-matches": ({ limit }) => `已有 ${limit} 场对局在进行，请等一场结束，或中止一场`,
  "bot-too-long": ({ seat, max, got }) => `${seat} 号座位：程序的写法不能超过 ${max} 字节，得到的是 ${got} 字节`,
  "unknown-bot": ({ seat, bot }) => `${seat} 号座位：没有名为 ${bot} 的内置 Bot，也没有这个名字的文件或程序`,
  "no-such-program": ({ seat, bot }) => `${seat} 号座位：找不到 ${bot}`,
  "no-sandbox": ({ seat, bot }) =>
    `${seat} 号座位：本机没有沙箱（原因见 pacman2 doctor），${bot} 会拥有你的全部权限；如果信任它，请加上 --trust 重新启动服务器`,
  "does-not-compile": ({ seat, bot, reason, causes }) => `${seat} 号座位：${bot} 编译不过。${chineseCauses({ reason, causes })}`,
  "bot-rejected": ({ seat, bot, reason, causes }) => `${seat} 号座位：${bot} 不能上场。${chineseCauses({ reason, causes })}`,
  "zero-time": ({ name }) => `${name} 至少为 1，得到的是 0`,
  "unknown-ruling": ({ got }) => `没有名为 ${got} 的裁定，应为 sample、judge 或 prose`,
  "map-with-size": "地图自带大小，不能同时选择列数和行数",
  "map-size": ({ name, min, max, got }) =>
    `${name === "seed" ? "种子" : name === "width" ? "列数" : "行数"}须是 ${min} 到 ${max} 之间的整数，得到的是 ${got}`,
  "past-with-map": "from 已经带有地图、回合数和裁定，不能再给出 seed、width、height、map、turns 或 ruling",
  "past-too-long": ({ max, got }) => `from.turn 须在 0 到 ${max} 之间（对局还在进行的最后一个回合），得到的是 ${got}`,
  "map-rejected": ({ reason, causes }) => `无法使用这张地图：${chineseCauses({ reason, causes })}`,
  "replay-not-saved": ({ reason, causes }) => chineseCauses({ reason, causes }),
  "no-such-replay": "没有这份录像",
  "folder-unreadable": ({ folder, reason, causes }) => `无法读取文件夹 ${folder}：${chineseCauses({ reason, causes })}`,
  "file-unreadable": ({ reason, causes }) => `无法读取文件：${chineseCauses({ reason, causes })}`,
  "not-utf8": "不是 UTF-8 文本",
  "not-json": ({ reason, causes }) => `不是有效的 JSON：${chineseCauses({ reason, causes })}`,
  "unknown-format": "既不是录像，也不是 Botzone 的对局记录",
  "replay-version": ({ expected, got }) => `只能读取版本 ${expected} 的录像，这份的版本是 ${got}`,
  "replay-rejected": ({ reason, causes }) => `录像有误：${chineseCauses({ reason, causes })}`,
  "match-log-rejected": ({ reason, causes }) => `对局记录有误：${chineseCauses({ reason, causes })}`,
  "analysis-source": "film、replay 和 match 必须恰好给出一项",
  "hint-with-turns": "提示只针对当前回合，不能给出 turns",
  "hint-without-seat": "提示须用 seat 指明座位",
  "no-hint": ({ seat }) => `无法提示：对局没有在等 ${seat} 号玩家的动作`,
  "two-efforts": "time_ms 和 simulations 只能给出一项",
  "nothing-decided": ({ reason, causes }) => `无法决定动作：${chineseCauses({ reason, causes })}`,
  "too-many-analyses": ({ limit }) => `已有 ${limit} 项分析在进行（每个核心一项），请稍后再试`,
  "no-bots-folder": "这个服务器没有 Bot 文件夹，请加上 --bots 文件夹 重新启动",
  "no-such-own-bot": ({ bot }) => `Bot 文件夹里没有 ${bot}`,
  "no-such-own-file": ({ file }) => `这个 Bot 没有文件 ${file}`,
  "no-such-version": ({ bot, version }) => `${bot} 没有版本 ${version}`,
  "bot-name": ({ got, suggested }) =>
    `“${got}”不能用作名字：最多 60 个字符，只能用字母、数字、-、_ 和 .，并以字母或数字开头，例如 ${suggested}`,
  "bot-path": ({ path }) => `“${path}”须是 Bot 文件夹里的路径，不能有 ..、隐藏文件、链接，也不能用某些系统保留的名字`,
  "bot-exists": ({ bot, free }) => `${bot} 已经存在，可以用 ${free}`,
  "bot-content": "template 和 files 须给出其中一项；每个文件须有 text 或 base64 其中一项",
  "bot-unusable": ({ reason, causes }) => chineseCauses({ reason, causes }),
  "bot-too-large": ({ files, bytes }) => `Bot 最多 ${files} 个文件，共 ${inMegabytes(bytes)}，实际超过了`,
  "bot-read-only": ({ bot }) => `${bot} 是压缩包或编译好的程序，没有可以编辑的源代码`,
  "source-changed": ({ file }) => `${file} 读取之后被别的程序修改了，没有保存`,
  "bot-work-running": "自己的 Bot 正在检查、重新作答或比较，请等它结束，或停止它",
  "no-arena": "这个服务器没有竞技场，请加上竞技场的文件夹重新启动",
  "no-such-game": "这个竞技场里没有这场对局",
  "no-such-earlier-game": "before：这个竞技场里没有这场对局",
  "no-such-bot": ({ bot }) => `这个竞技场里没有程序 ${bot}`,
  "unknown-parameter": ({ expected }) => `参数不认识或有重复；可用的是 ${expected}，各至多一次`,
  "unknown-fault": ({ expected, got }) => `没有错误类型 ${got}；可用的是 ${expected}`,
};

/**
 * What the server says of an error. Where `error` is null, there was none.
 * @typedef {{ error?: string | null, code?: string, params?: Record<string, string | number> }} ServerProblem
 */

/**
 * Words an error of the server. The server may be newer than the page, so codes may be unknown.
 * @param {ServerProblem} problem
 * @param {import("./language.js").Language} language
 */
export function wordError({ error, code = "", params = {} }, language) {
  const chinese = language === "zh" && Object.hasOwn(chineseErrors, code) && chineseErrors[code];
  return typeof chinese === "function" ? chinese(params) : chinese || (error ?? "");
}
