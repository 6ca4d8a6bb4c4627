// Starts the page of a server.

import { mountHome } from "./home.js";
import { begin } from "./main.js";

// Saved as a file, the page has no start page.
void begin((viewer, container, host) => host.host === "server" && mountHome(viewer, container, host));
