// Keeps a static page on this device, so that it works without a network, and takes new versions of it.

import { el } from "./dom.js";
import { onLanguage, words } from "./language.js";
import { scriptUrl } from "./script-url.js";

const offlineWords = words(
  { newer: "A new version of this page is ready.", reload: "Reload", later: "Later" },
  { newer: "本页有新版本。", reload: "重新载入", later: "以后再说" },
);

/** How long the page may do other things first. */
const idleMs = 2000;
/** How long the old version may take to end what it is doing. Those before this was asked of them never answer. */
const leaveMs = 1000;

/** Whether a new version is being taken, after which the page is loaded again. */
let reloading = false;
let keeping = 0;

/** Registers the service worker. Without one, or from a disk, the page works as well, but needs a network. */
export async function keepOffline() {
  if (!("serviceWorker" in navigator)) return;
  const { serviceWorker } = navigator;
  const registration = await serviceWorker.register(scriptUrl("sw.js")).catch(() => null);
  if (!registration) return;
  serviceWorker.addEventListener("controllerchange", () => {
    if (reloading) location.reload();
  });
  serviceWorker.addEventListener("message", ({ data: { kept } }) => {
    if (kept) document.body.dataset.kept = kept;
  });
  // A version that was fetched during the last visit is taken before anything is begun.
  if (registration.waiting && registration.active) return take(registration, registration.waiting);
  const offerWhenInstalled = () => {
    const { installing } = registration;
    if (!installing) return;
    // Set, not added: a version that is seen twice is offered once.
    installing.onstatechange = () => {
      if (installing.state === "installed" && registration.active) offerVersion(() => take(registration, installing));
    };
  };
  // The browser may have found it before this page was ready.
  offerWhenInstalled();
  registration.addEventListener("updatefound", offerWhenInstalled);
  const { active } = await serviceWorker.ready;
  const isSparing = /** @type {any} */ (navigator).connection?.saveData;
  if (!isSparing && !reloading) keeping = setTimeout(() => active?.postMessage({ keep: true }), idleMs);
}

/** @param {ServiceWorkerRegistration} registration @param {ServiceWorker} waiting */
async function take(registration, waiting) {
  reloading = true;
  clearTimeout(keeping);
  await leave(registration.active);
  waiting.postMessage({ take: true });
}

/** Offers the version of the host, which has no longer the files of this one. */
export function offerNewer() {
  offerVersion(async () => {
    const registration = await navigator.serviceWorker?.getRegistration();
    await registration?.update().catch(() => {});
    const next = registration?.installing ?? registration?.waiting;
    if (next?.state === "installing") await new Promise((done) => next.addEventListener("statechange", done, { once: true }));
    if (registration && next?.state === "installed") await take(registration, next);
    else location.reload();
  });
}

/**
 * Waits until the old version has nothing left to do. A new version becomes active only then; and if the old one gets a message just
 * when it is to end, Chromium waits for five minutes.
 * @param {ServiceWorker | null} old
 */
function leave(old) {
  return new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    old?.postMessage({ leave: true }, [port2]);
    setTimeout(done, leaveMs);
  });
}

/** Offers a new version. It is taken now, or at the next visit. @param {() => unknown} accept */
function offerVersion(accept) {
  document.querySelector(".offline-bar")?.remove();
  const text = el("span");
  const reload = el("button", { type: "button", class: "primary", onclick: () => { reload.disabled = true; accept(); } });
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
