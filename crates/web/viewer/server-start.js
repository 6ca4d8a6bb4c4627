// Starts the page of a server.

import { mountHome } from "./home.js";
import { begin } from "./main.js";
import { ServerBots } from "./server-bots.js";

// Saved as a file, the page has no server.
void begin((viewer, container, host) => host.host === "server" && mountHome(viewer, container, host), (viewer, { host, bots }) => {
  if (host !== "server") return;
  const light = viewer.engine.builtIn().map(({ name }) => name);
  viewer.strong = new ServerBots(bots.filter((/** @type {string} */ bot) => !light.includes(bot)));
});
