// Facts of the layout of a page: what is visible, what overlaps, what fits, and how they are checked in every look.

import assert from "node:assert/strict";

/** @typedef {import("playwright-core").Page} Page */

/** Sizes of windows. In a narrow one, everything else is below the board. */
const sizes = [
  { width: 1280, height: 720, narrow: false },
  { width: 1920, height: 1080, narrow: false },
  { width: 1024, height: 768, narrow: false },
  { width: 768, height: 1024, narrow: true },
  { width: 390, height: 844, narrow: true },
  { width: 320, height: 568, narrow: true },
];
/** Both languages and both themes: one of these lines for each size, in turn. */
const looks = /** @type {{ language: "en" | "zh-CN", theme: "light" | "dark" }[][]} */ ([
  [{ language: "en", theme: "light" }, { language: "zh-CN", theme: "dark" }],
  [{ language: "zh-CN", theme: "light" }, { language: "en", theme: "dark" }],
]);

/** @typedef {typeof sizes[number]} Size */

/**
 * A state of a page: how it is reached, and left. Nothing in it may depend on the language.
 * @typedef {{ name: string, open: (page: Page) => Promise<unknown>, close?: (page: Page) => Promise<unknown>, check?: (facts: Facts, size: Size) => void }} State
 * @typedef {Awaited<ReturnType<typeof factsOf>>} Facts
 */

/**
 * Checks the layout of each state in both languages, in light and dark, in six sizes. One page takes all of these looks in turn, because
 * loading it again, and changing its size, take most of the time.
 * @param {Page} page
 * @param {State[]} states
 * @param {string} about
 */
export async function checkStates(page, states, about) {
  const emulation = await page.context().newCDPSession(page);
  for (const [index, size] of sizes.entries()) {
    const { width, height, narrow } = size;
    await emulation.send("Emulation.setTouchEmulationEnabled", { enabled: narrow });
    await emulation.send("Emulation.setDeviceMetricsOverride", { width, height, mobile: narrow, deviceScaleFactor: 1 });
    for (const { language, theme } of looks[index % 2]) {
      await page.emulateMedia({ colorScheme: theme });
      await page.evaluate((wanted) => {
        const button = /** @type {HTMLElement | null} */ (document.querySelector("#header button[lang]"));
        if (document.documentElement.lang !== wanted) button?.click();
        // The board follows the size of the window in the next frame.
        return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      }, language);
      for (const { name, open, close, check = () => {} } of states) {
        try {
          await open(page);
          const facts = await factsOf(page, theme);
          assert.deepEqual(facts.wrong, []);
          check(facts, size);
          await close?.(page);
        } catch (error) {
          throw new Error(`${about}: ${name}, ${width} × ${height}, ${language}, ${theme}`, { cause: error });
        }
      }
    }
  }
}

/** Nothing of the pad covers the board or the row of time. @param {Facts} facts */
export function padIsBeside({ board, time, pad }) {
  assert.ok(board && time && pad);
  assert.ok(pad.top >= time.bottom - 1 || pad.left >= board.right - 1, `the pad at ${pad.left}, ${pad.top} covers the board or the row of time`);
}

/** Facts of the layout at three places of the page: boxes of its parts, and what is wrong. @param {Page} page @param {"light" | "dark"} theme */
export function factsOf(page, theme = "light") {
  return page.evaluate((wantedTheme) => {
    scrollTo(0, 0);
    const isShown = (/** @type {Element} */ element) => element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    const boxOf = (/** @type {Element | null} */ element) => {
      if (!element || !isShown(element)) return null;
      const { left, top, right, bottom, width, height } = element.getBoundingClientRect();
      return { left, top, right, bottom, width, height };
    };
    const nameOf = (/** @type {Element} */ element) => `${element.tagName.toLowerCase()}.${element.getAttribute("class") ?? element.id}`;
    /** @type {Set<string>} */
    const wrong = new Set();
    const top = [...document.querySelectorAll("dialog[open]")].pop() ?? document.body;
    const styles = new Map();
    const styleOf = (/** @type {Element} */ element) => {
      if (!styles.has(element)) styles.set(element, getComputedStyle(element));
      return /** @type {CSSStyleDeclaration} */ (styles.get(element));
    };
    const ancestors = function* (/** @type {Element | null} */ element) {
      for (; element; element = element.parentElement) yield element;
    };
    /** Whether an element stays where it is while the page scrolls, so that it may cover other things. */
    const floats = (/** @type {Element} */ element) =>
      [...ancestors(element)].some((outer) => ["fixed", "sticky", "absolute"].includes(styleOf(outer).position) || outer.matches("dialog, [popover]"));

    // The colours are those of the theme.
    const shade = (styleOf(top).backgroundColor.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number);
    const isDark = shade.reduce((sum, part) => sum + part, 0) < 384;
    if (shade.length && isDark !== (wantedTheme === "dark")) wrong.add(`the background is ${styleOf(top).backgroundColor} in ${wantedTheme}`);

    if (top.matches(".legend, .keys-help") && top.scrollTop > 0) wrong.add(`a dialog opens ${top.scrollTop} below its beginning`);

    // Nothing scrolls sideways, except what is meant to.
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) wrong.add(`the page is ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
    for (const element of top.querySelectorAll("*")) {
      if (element.scrollWidth <= element.clientWidth + 1 || !element.clientWidth || !isShown(element)) continue;
      if (styleOf(element).overflowX === "visible" || element.closest(".visually-hidden, .table-scroll, pre, svg, textarea, input, select")) continue;
      if (styleOf(element).textOverflow === "ellipsis") continue;
      wrong.add(`${nameOf(element)} is ${element.scrollWidth} wide in ${element.clientWidth}`);
    }

    // Texts are inside their controls and the window, and are not cut, unless on purpose.
    const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    /** @type {{ text: string, element: Element, boxes: DOMRect[] }[]} */
    const texts = [];
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const element = node.parentElement;
      if (!element || !node.nodeValue?.trim() || element.closest("svg, option, .visually-hidden, script, style, .table-scroll, textarea") || !isShown(element)) continue;
      range.selectNodeContents(node);
      const boxes = [...range.getClientRects()].filter(({ width, height }) => width > 1 && height > 1);
      if (!boxes.length) continue;
      const text = `"${node.nodeValue.trim().slice(0, 30)}" in ${nameOf(element)}`;
      texts.push({ text, element, boxes });
      if ([...ancestors(element)].some((outer) => styleOf(outer).textOverflow === "ellipsis")) continue;
      const [left, right] = [Math.min(...boxes.map((box) => box.left)), Math.max(...boxes.map((box) => box.right))];
      const isScrolled = element.closest("pre");
      if (!isScrolled && (left < -1 || right > innerWidth + 1)) wrong.add(`${text} reaches from ${left} to ${right}`);
      const control = element.closest("button, [role=tab], th, td, dt, summary, h1, h2, h3, label, dialog");
      const outer = control?.getBoundingClientRect();
      if (!isScrolled && outer && (left < outer.left - 1 || right > outer.right + 1)) wrong.add(`${text} does not fit ${outer.left} to ${outer.right}: ${left} to ${right}`);
      const button = element.closest("button, [role=tab]")?.getBoundingClientRect();
      if (button && boxes.some((box) => box.top < button.top - 2 || box.bottom > button.bottom + 2)) wrong.add(`${text} is higher than its button`);
    }

    // Texts of a chart are inside it, and do not overlap each other.
    for (const chart of top.querySelectorAll("svg.chart, svg.bars, svg.plot")) {
      if (!isShown(chart)) continue;
      const outer = chart.getBoundingClientRect();
      const labels = [...chart.querySelectorAll("text")].filter((one) => isShown(one) && one.textContent?.trim()).map((one) => {
        const { left, top: upper, right, bottom, height } = one.getBoundingClientRect();
        // The box of a text has room for accents and descenders, which digits and most letters leave empty.
        return { text: one.textContent, left, right, top: upper + 0.2 * height, bottom: bottom - 0.2 * height };
      });
      labels.forEach((label, index) => {
        if (label.left < outer.left - 0.5 || label.right > outer.right + 0.5 || label.top < outer.top - 0.5 || label.bottom > outer.bottom + 0.5) {
          wrong.add(`"${label.text}" at ${label.left} to ${label.right}, ${label.top} to ${label.bottom} leaves its ${nameOf(chart)} at ${outer.left} to ${outer.right}, ${outer.top} to ${outer.bottom}`);
        }
        for (const other of labels.slice(index + 1)) {
          const [width, height] = [Math.min(label.right, other.right) - Math.max(label.left, other.left), Math.min(label.bottom, other.bottom) - Math.max(label.top, other.top)];
          if (width > 0.5 && height > 0.5) wrong.add(`"${label.text}" overlaps "${other.text}" in ${nameOf(chart)}`);
        }
        for (const mark of chart.querySelectorAll(".bars-mistake")) {
          const { left, right, top: upper, bottom } = mark.getBoundingClientRect();
          const isApart = left > label.right || right < label.left || upper > label.bottom || bottom < label.top;
          if (!isApart) wrong.add(`"${label.text}" overlaps a mark in ${nameOf(chart)}`);
        }
      });
    }

    // Controls do not overlap each other.
    const controls = [...top.querySelectorAll("button, select, input:not([type=file]), textarea, summary")]
      .filter((control) => isShown(control) && !control.closest(".visually-hidden, .table-scroll"))
      .map((control) => ({ control, box: control.getBoundingClientRect(), floating: floats(control) }))
      .filter(({ box }) => box.width > 1 && box.height > 1);
    controls.forEach(({ control, box, floating }, index) => {
      for (const other of controls.slice(index + 1)) {
        if (other.floating !== floating || floating || other.control.contains(control) || control.contains(other.control)) continue;
        const [width, height] = [
          Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left),
          Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top),
        ];
        if (width > 1.5 && height > 1.5) wrong.add(`${nameOf(control)} "${control.textContent}" overlaps ${nameOf(other.control)} "${other.control.textContent}"`);
      }
    });

    // Themes have the same layout, so the page scrolls in one of them.
    const places = (wantedTheme === "light" ? [0, 400, 5000] : [0]).map((y) => {
      scrollTo(0, y);
      const board = boxOf(document.querySelector(".board-picture"));
      // What a finger or a pointer finds at points of the board belongs to the board.
      const side = y ? 3 : 6;
      for (let step = 0; board && top === document.body && step < side * side; step += 1) {
        const [right, down] = [step % side, Math.floor(step / side)];
        // The outermost points are at the edges.
        const [x, at] = [board.left + 1 + ((board.width - 2) * right) / (side - 1), board.top + 1 + ((board.height - 2) * down) / (side - 1)];
        const found = document.elementFromPoint(x, at);
        if (!found?.closest("#board, .message-bar, .open-veil, [popover]")) wrong.add(`${found && nameOf(found)} covers the board (${Math.round(board.top)} to ${Math.round(board.bottom)}) where the page is scrolled to ${scrollY}`);
      }
      // A text is found where it is, unless something that floats lies above it.
      for (const { text, element, boxes: [{ left, top: upper, width, height }] } of y ? [] : texts) {
        const [x, at] = [left + Math.min(width / 2, 20), upper + height / 2];
        if (x < 0 || at < 0 || x >= innerWidth || at >= innerHeight) continue;
        const found = document.elementFromPoint(x, at);
        if (found && !found.contains(element) && !element.contains(found) && !floats(found)) wrong.add(`${nameOf(found)} covers ${text}`);
      }
      return {
        board,
        time: boxOf(document.querySelector("#transport")),
        turn: boxOf(document.querySelector("#turn")),
        side: boxOf(document.querySelector(".page-side")),
        tabs: boxOf(document.querySelector(".page-tabs")),
        pad: boxOf(document.querySelector("#seat")),
      };
    });
    scrollTo(0, 0);
    const { board } = places[0];
    const [banner, veil] = ["#result[data-over]", ".open-veil"].map((selector) => boxOf(document.querySelector(selector)));
    // Names of six letters are not cut.
    for (const name of document.querySelectorAll("#scores .players-name")) {
      if (isShown(name) && (name.textContent?.length ?? 0) <= 6 && name.scrollWidth > name.clientWidth) wrong.add(`"${name.textContent}" is cut`);
    }
    const others = [...document.querySelectorAll("header, p, svg, details, [role=tabpanel], #page section")].filter((part) => isShown(part) && !part.closest("#board, #transport, #scores"));
    const start = boxOf(document.querySelector("dialog[open] form .primary"));
    const exit = boxOf(document.querySelector(".theatre-buttons button:last-child"));
    // The sizes of the texts of the theatre, on the screen. The digits of the players are large elsewhere.
    const letters = [...document.querySelectorAll(".theatre .page-side :is(bdi, span, h2, p, .chart text:not(.chart-digit))")].filter((one) => isShown(one) && one.textContent).map((one) => {
      const zoom = one instanceof SVGGraphicsElement ? one.getScreenCTM()?.a ?? 1 : 1;
      return /** @type {[string, number]} */ ([one.textContent ?? "", zoom * parseFloat(styleOf(one).fontSize)]);
    });
    const winner = document.querySelector(".result-name .untrusted")?.getBoundingClientRect().width ?? 0;
    const isCodeDrawn = boxOf(document.querySelector(".share-qr svg")) !== null;
    return { ...places[0], places, isCodeDrawn, banner, winner, exit, letters, start, others: others.map(nameOf), room: innerHeight - root.scrollHeight, veil, share: board ? (board.width * board.height) / (innerWidth * innerHeight) : 0, wrong: [...wrong] };
  }, theme);
}
