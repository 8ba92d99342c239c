/**
 * A copied selection has the TeX of its formulas. KaTeX shows each one twice, for the eye and for screen readers, and a
 * browser copies both, symbol by symbol. Loaded with edit.js.
 */
import { $, $$, h } from "../base/dom.js";
import { list } from "../turn/transcript.js";

/** The formula around one end of a selection. @param {Node} node @returns {Element | null} */
const formulaAt = (node) => (node instanceof Element ? node : node.parentElement)?.closest(".math.done") ?? null;

/** The selection, with whole formulas, as TeX. @param {Range} range */
function withTex(range) {
  const first = formulaAt(range.startContainer), last = formulaAt(range.endContainer), whole = range.cloneRange();
  if (first) whole.setStartBefore(first);
  if (last) whole.setEndAfter(last);
  const box = h("div", { class: "answer" }, whole.cloneContents());
  const formulas = $$(".math.done", box);
  for (const el of formulas) {
    const mark = "display" in el.dataset ? "$$" : "$";
    el.replaceWith(mark + ($("annotation", el)?.textContent ?? "") + mark);
  }
  for (const el of $$("button, .sr", box)) el.remove(); // a browser leaves them out
  return formulas.length ? box : null;
}

document.addEventListener("copy", (e) => {
  const selection = getSelection();
  if (!e.clipboardData || !selection?.rangeCount || e.target instanceof HTMLTextAreaElement || !selection.containsNode(list, true)) return;
  const box = withTex(selection.getRangeAt(0));
  if (!box) return;
  document.body.append(box); // innerText has the line breaks of the layout
  e.clipboardData.setData("text/plain", box.innerText);
  e.clipboardData.setData("text/html", box.innerHTML);
  box.remove();
  e.preventDefault();
});
