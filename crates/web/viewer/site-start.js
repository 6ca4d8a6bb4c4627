// Starts a static page.

import "./style.css";
import "./home.css";
import "./site.css";
import { mountAnalysis } from "./analysis.js";
import { EngineWorker } from "./engine-worker.js";
import { fetchEngine } from "./fetched-engine.js";
import { setReasons } from "./language.js";
import { begin } from "./main.js";
import { keepOffline } from "./offline.js";
import { chineseReason } from "./reasons.js";
import { mountSiteHome } from "./site-home.js";

/** Whether the page is on a web host. Saved as a file, it has neither the strong engine nor a start page. @param {string} host */
const isHosted = (host) => host === "site";

setReasons(chineseReason);
void begin((viewer, container, host) => void (isHosted(host.host) && mountSiteHome(viewer, container, host)), (viewer, { host, bots, engine }) => {
  if (isHosted(host)) viewer.worker = viewer.strong = new EngineWorker(bots, () => fetchEngine(engine));
}).then((viewer) => {
  if (!viewer || !isHosted(viewer.host)) return;
  mountAnalysis(viewer);
  void keepOffline();
});
