// Starts the page of a server.

import "./style.css";
import "./home.css";
import "./my-bots.css";
import { mountHome } from "./home.js";
import { begin } from "./main.js";
import { ServerBots } from "./server-bots.js";
import { savePagesFrom } from "./page-file.js";
import { getText, whenCodeTaken } from "./server.js";

/** Whether the page is that of a server. Saved as a file, it has neither a start page nor the strong engine. @param {string} host */
const isServed = (host) => host === "server";

void begin((viewer, container, host) => void (isServed(host.host) && mountHome(viewer, container, host)), (viewer, { host, bots }) => {
  if (!isServed(host)) return;
  savePagesFrom(() => getText("/file.html"));
  const light = viewer.engine.builtIn().map(({ name }) => name);
  viewer.strong = new ServerBots(bots.filter((/** @type {string} */ bot) => !light.includes(bot)));
}).then(async (viewer) => {
  if (!viewer || !isServed(viewer.host)) return;
  await whenCodeTaken();
  // The page does not wait for the script of the analysis.
  const script = "./analysis.js";
  const { mountAnalysis } = await import(script);
  mountAnalysis(viewer);
});
