// Starts the page of a server, a file, or Botzone.

import { mountHome } from "./home.js";
import { begin } from "./main.js";

void begin(mountHome);
