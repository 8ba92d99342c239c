/** Code and formulas, loaded when a page has some: copy buttons, highlight.js, and math.js for KaTeX. */
import { t } from "texts";
import { $$, h, hit, version } from "./dom.js";
import { sheet } from "./sheets.js";
import { report } from "./a11y.js";

const VENDOR = "/static/vendor/", MAX_CHARS = 50_000;
/** @type {any} */
let hljs;
/** @type {((el: HTMLElement) => void) | undefined} */
let typeset;

/** The highlighter's tree as nodes, so that no HTML string is needed. @param {any} n @returns {Node} */
function nodes(n) {
  if (typeof n === "string") return document.createTextNode(n);
  const [head, ...more] = (n.scope ?? "").split(".");
  return h("span", { class: head && [`hljs-${head}`, ...more.map((/** @type {string} */ s) => `${s}_`)].join(" ") }, ...n.children.map(nodes));
}

/** @param {HTMLElement} el */
function paint(el) {
  const language = /language-(\S+)/.exec(el.className)?.[1];
  const text = el.textContent ?? "";
  el.dataset.done = "";
  if (!hljs.getLanguage(language) || text.length > MAX_CHARS) return;
  el.replaceChildren(nodes(hljs.highlight(text, { language, ignoreIllegals: true })._emitter.rootNode));
}

/** @type {Record<string, Promise<void>>} */
const loading = {};
/** A library that fails to load leaves the text unchanged. @param {string} name @param {() => Promise<void>} fn */
const load = (name, fn) => (loading[name] ??= fn().catch(() => {}));

/** Highlights finished text; at once when the libraries are loaded, without flicker. In a growing block only the formulas. @param {ParentNode} root @param {boolean} [grows] */
export function enhance(root, grows) {
  if (!grows) {
    for (const b of $$(".code-copy[hidden]", root)) {
      b.textContent = t.copy;
      b.hidden = false;
    }
    for (const el of $$(".code pre, .table-scroll, .math[data-display]", root)) el.tabIndex = 0;
  }
  const code = grows ? [] : $$("pre code[class*=language-]:not([data-done])", root);
  const math = $$(".math:not([data-done])", root);
  if (hljs) code.forEach(paint);
  else if (code.length) {
    void load("hljs", async () => {
      void sheet("/static/css/code.css");
      hljs = (await import(`${VENDOR}highlight.min.js${version}`)).default;
    }).then(() => hljs && enhance(root));
  }
  if (typeset) math.forEach(typeset);
  else if (math.length) {
    void load("math", async () => {
      ({ typeset } = await import("./math.js"));
    }).then(() => typeset && enhance(root, grows));
  }
}

document.addEventListener("click", (e) => {
  const b = hit(e, ".code-copy");
  if (b) void import("./copy.js").then((m) => m.copyCode(b)).catch(report);
});
