// The strong engine of a static page: files beside it.

import { words } from "./language.js";
import { offerNewer } from "./offline.js";

const fetchWords = words(
  {
    missing: "The engine of the strong bots could not be loaded. Is there a network?",
    newer: "The engine of the strong bots is of another version than this page. Reload the page.",
  },
  {
    missing: "无法加载强引擎。网络连接正常吗？",
    newer: "强引擎与本页版本不同，请重新载入本页。",
  },
);

/**
 * Fetches the module, and looks at the script, whose digest a browser does not check when it starts a worker.
 * @param {{ module: string, script: string }} digests
 * @returns {Promise<import("./engine-worker.js").EngineFiles>}
 */
export async function fetchEngine({ module, script }) {
  const [response] = await Promise.all([fetchOwn("analysis.wasm", module), fetchOwn("worker.js", script)]);
  return { module: await response.arrayBuffer(), script: "worker.js" };
}

/**
 * Fetches a file that has to be the one with which the page was made. A host with another one has another version of the page.
 * @param {string} name
 * @param {string} integrity
 */
async function fetchOwn(name, integrity) {
  const response = await fetch(name, { integrity }).catch(() => null);
  if (response?.ok) return response;
  const there = await fetch(name, { method: "HEAD", cache: "no-store" }).catch(() => null);
  if (!there?.ok) throw new Error(fetchWords.missing);
  offerNewer();
  throw new Error(fetchWords.newer);
}
