// Keeps a static page on this device, so that it works without a network, and takes new versions of it.

import { el } from "./dom.js";
import { engineFiles } from "./engine-worker.js";
import { onLanguage, words } from "./language.js";
import { scriptUrl } from "./script-url.js";

const offlineWords = words(
  { newer: "A new version of this page is ready.", reload: "Reload", later: "Later" },
  { newer: "本页有新版本。", reload: "重新载入", later: "以后再说" },
);

/** How long the page may do other things first. */
const idleMs = 2000;

/** Registers the service worker. Without one, or from a disk, the page works as well, but needs a network. */
export async function keepOffline() {
  if (!("serviceWorker" in navigator)) return;
  const { serviceWorker } = navigator;
  const registration = await serviceWorker.register(scriptUrl("sw.js")).catch(() => null);
  if (!registration) return;
  let reloading = false;
  const take = (/** @type {ServiceWorker} */ waiting) => {
    reloading = true;
    waiting.postMessage({ take: true });
  };
  serviceWorker.addEventListener("controllerchange", () => {
    if (reloading) location.reload();
  });
  serviceWorker.addEventListener("message", ({ data: { kept } }) => {
    if (kept) document.body.dataset.kept = kept;
  });
  // A version that was fetched during the last visit is taken before anything is begun.
  if (registration.waiting && registration.active) return take(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const { installing } = registration;
    installing?.addEventListener("statechange", () => {
      if (installing.state === "installed" && registration.active) offerVersion(() => take(installing));
    });
  });
  const { active } = await serviceWorker.ready;
  const isSparing = /** @type {any} */ (navigator).connection?.saveData;
  if (!isSparing) setTimeout(() => active?.postMessage({ keep: { without: [engineFiles.other] } }), idleMs);
}

/** Offers a new version. It is taken now, or at the next visit. @param {() => void} take */
function offerVersion(take) {
  const text = el("span");
  const reload = el("button", { type: "button", class: "primary", onclick: take });
  const later = el("button", { type: "button", onclick: () => bar.remove() });
  const bar = document.body.appendChild(el("div", { class: "offline-bar", role: "status" }, text, reload, later));
  const localize = () => {
    text.textContent = offlineWords.newer;
    reload.textContent = offlineWords.reload;
    later.textContent = offlineWords.later;
  };
  onLanguage(localize);
  localize();
}
