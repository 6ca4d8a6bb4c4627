// Starts a static page.

import { mountAnalysis } from "./analysis.js";
import { EngineWorker } from "./engine-worker.js";
import { begin } from "./main.js";
import { keepOffline } from "./offline.js";
import { mountSiteHome } from "./site-home.js";

void begin(mountSiteHome, (viewer, { bots }) => {
  viewer.worker = new EngineWorker(bots);
}).then((viewer) => {
  if (!viewer) return;
  mountAnalysis(viewer);
  void keepOffline();
});
