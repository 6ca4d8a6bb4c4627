// Runs the test files that are named on the command line in one process: node browser/all.js browser/*.test.js

import path from "node:path";
import { testFiles } from "./harness.js";

await testFiles(process.argv.slice(2).map((file) => path.resolve(file)));
