// Starts the page of a server.

import { mountHome } from "./home.js";
import { begin } from "./main.js";
import { ServerBots } from "./server-bots.js";

void begin(mountHome, (viewer, { bots }) => {
  const light = viewer.engine.builtIn().map(({ name }) => name);
  viewer.strong = new ServerBots(bots.filter((/** @type {string} */ bot) => !light.includes(bot)));
});
