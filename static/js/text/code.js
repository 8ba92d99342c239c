/** Code and formulas: buttons, colours, KaTeX. */
import { t } from "texts";
import { $$, h, hit } from "../base/dom.js";
import { load } from "../base/api.js";
import { report } from "../base/a11y.js";
import { list } from "../turn/transcript.js";

/** Code that opens beside: a page, a drawing, or 16 lines. */
export const OPENS = /^\s*<(!doctype html|html|svg)\b|(?:.*\n){15}\s*\S/i;
/** @type {any} modules, or promises of them */
const libs = {};
let wait = 1000;

/** @type {(name: string, els: HTMLElement[], root: ParentNode, grows?: boolean) => void} */
function use(name, els, root, grows) {
  if (libs[name]?.each) return libs[name].each(els, root !== list);
  if (!els.length) return;
  libs[name] ??= load(`text/${name}`).then((m) => { libs[name] = m; }, () => {
    document.documentElement.dataset.set = ""; // math.css
    setTimeout(() => {
      delete libs[name];
      enhance(list);
    }, wait *= 2);
  });
  libs[name].then(() => libs[name].each && enhance(root, grows));
}

/** For finish(). @param {ParentNode} root @param {boolean} [grows] */
export function enhance(root, grows) {
  if (!grows) {
    for (const b of $$(".code-copy[hidden]", root)) {
      b.textContent = t.copy;
      b.hidden = false;
      if (OPENS.test(b.closest(".answer .code")?.lastElementChild?.textContent ?? "")) b.before(h("button", { class: "code-open", type: "button", title: t.open_beside }, t.open));
    }
    for (const el of $$(".math[data-display]", root)) el.tabIndex = 0;
  }
  if (!grows) use("paint", $$("pre code[class*=language-]:not([data-done])", root), root);
  use("math", $$(".math:not([data-done])", root), root, grows);
}

document.addEventListener("click", (e) => {
  const b = hit(e, ".code-copy, .code-open");
  if (b) void (b.matches(".code-open") ? import("./canvas.js").then((m) => m.open(b)) : import("./copy.js").then((m) => m.copyCode(b))).catch(report);
});
