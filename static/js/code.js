/** Code and formulas, loaded when a page has some: buttons, paint.js for colours, math.js for KaTeX. */
import { t } from "texts";
import { $$, h, hit } from "./dom.js";
import { report } from "./a11y.js";
import { list } from "./transcript.js";

const LONG = /(?:.*\n){15}\s*\S/; // opens in the canvas (documents.js)
/** @type {typeof import("./paint.js") | undefined} */
let paint;
/** @type {typeof import("./math.js") | undefined} */
let math;

/** @type {Record<string, Promise<void>>} */
const loading = {};
/** A library that fails to load leaves the text unchanged. @param {string} name @param {() => Promise<void>} fn */
const load = (name, fn) => (loading[name] ??= fn().catch(() => {}));

/** Finished text; in a growing block only the formulas. @param {ParentNode} root @param {boolean} [grows] */
export function enhance(root, grows) {
  if (!grows) {
    for (const b of $$(".code-copy[hidden]", root)) {
      b.textContent = t.copy;
      b.hidden = false;
      if (LONG.test(b.closest(".code")?.textContent ?? "")) b.before(h("button", { class: "code-open", type: "button", title: t.open_beside }, t.open));
    }
    for (const el of $$(".code pre, .table-scroll, .math[data-display]", root)) el.tabIndex = 0;
  }
  const code = grows ? [] : $$("pre code[class*=language-]:not([data-done])", root);
  const tex = $$(".math:not([data-done])", root);
  if (paint) paint.each(code, root !== list);
  else if (code.length) {
    void load("paint", async () => {
      await new Promise((ok) => (window.requestIdleCallback ?? setTimeout)(ok));
      paint = await import("./paint.js");
    }).then(() => paint && enhance(root));
  }
  if (math) void math.typesetAll(tex, root !== list);
  else if (tex.length) {
    void load("math", async () => {
      math = await import("./math.js");
    }).then(() => { math ? enhance(root, grows) : document.documentElement.dataset.set = ""; }); // math.css
  }
}

document.addEventListener("click", (e) => {
  const b = hit(e, ".code-copy, .code-open");
  if (b) void (b.matches(".code-open") ? import("./canvas.js").then((m) => m.open(b)) : import("./copy.js").then((m) => m.copyCode(b))).catch(report);
});
