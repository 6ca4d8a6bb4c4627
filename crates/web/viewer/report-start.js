// Starts the page of a game in the report of an arena or a tournament, which contains the strong engine.

import "./style.css";
import { mountAnalysis } from "./analysis.js";
import { unpackEngine } from "./engine.js";
import { EngineWorker } from "./engine-worker.js";
import { setReasons } from "./language.js";
import { begin } from "./main.js";
import { chineseReason } from "./reasons.js";

/** Whether the page is that of a report. Saved as a file, it has no strong engine. @param {string} host */
const isReport = (host) => host === "report";

setReasons(chineseReason);
void begin(() => false, (viewer, { host, bots, engine }) => {
  if (!isReport(host)) return;
  viewer.worker = viewer.strong = new EngineWorker(bots, async () => {
    const script = URL.createObjectURL(new Blob([engine.script], { type: "text/javascript" }));
    return { module: await unpackEngine(engine.module), script };
  });
}).then((viewer) => void (viewer && isReport(viewer.host) && mountAnalysis(viewer)));
