import { chromium } from "playwright-core";
import { hostSite } from "./site-host.js";
const h = await hostSite("/work/wt/site/target/site");
const b = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const out = "/tmp/site-scratch/";
for (const [name, vp, locale, colorScheme, phone] of [["desk-en-light", {width:1280,height:720}, "en-GB", "light", false], ["desk-zh-dark", {width:1280,height:720}, "zh-CN", "dark", false], ["phone-en-dark", {width:390,height:844}, "en-GB", "dark", true], ["phone-zh-light", {width:390,height:844}, "zh-CN", "light", true]]) {
  const c = await b.newContext({ viewport: vp, locale, colorScheme, isMobile: phone, hasTouch: phone });
  const p = await c.newPage();
  p.on("console", m => console.log(name, m.type(), m.text())); p.on("pageerror", e => console.log(name, "ERR", e));
  await p.goto(h.address); await p.waitForSelector("body[data-ready]");
  console.log(name, "ready", await p.evaluate(() => document.body.dataset.ready));
  await p.screenshot({ path: `${out}${name}-home.png`, fullPage: phone });
  await p.locator("form button.primary").click();
  await p.locator("#seat .seat-key[aria-disabled=false]").first().waitFor();
  for (let i = 0; i < 3; i++) { const before = await p.locator(".transport-turn").innerText(); await p.locator("#seat .seat-key[aria-disabled=false]:visible").first().click(); await p.waitForFunction((t) => document.querySelector(".transport-turn").textContent !== t, before); }
  await p.locator(".hint button").click(); await p.locator(".hint-list li").first().waitFor();
  await p.screenshot({ path: `${out}${name}-play.png` });
  await c.close();
}
await b.close(); await h.close();
