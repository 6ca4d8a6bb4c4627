// Starts the page of a server.

import { mountHome } from "./home.js";
import { begin } from "./main.js";

void begin(mountHome);
