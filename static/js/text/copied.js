/**
 * A copied selection has the TeX of its formulas. KaTeX shows each one twice, for the eye and for screen readers, and a
 * browser copies both, symbol by symbol. Loaded with edit.js.
 */
import { $, $$, h } from "../base/dom.js";
import { list } from "../turn/transcript.js";

/** @param {Node} node @returns {Element | null} */
export const elementOf = (node) => (node instanceof Element ? node : node.parentElement);

/** The formula around one end of a selection. @param {Node} node */
const formulaAt = (node) => elementOf(node)?.closest(".math.done") ?? null;

/** A copy of the range without buttons, with whole formulas as TeX, and the number of these. @param {Range} range */
export function withTex(range) {
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
  return { box, formulas: formulas.length };
}

/** The text of a copy with the line breaks of the layout. @param {HTMLElement} box */
export function textOf(box) {
  document.body.append(box);
  const text = box.innerText;
  box.remove();
  return text;
}

document.addEventListener("copy", (e) => {
  const selection = getSelection();
  if (!e.clipboardData || !selection?.rangeCount || e.target instanceof HTMLTextAreaElement || !selection.containsNode(list, true)) return;
  const { box, formulas } = withTex(selection.getRangeAt(0));
  if (!formulas) return;
  e.clipboardData.setData("text/plain", textOf(box));
  e.clipboardData.setData("text/html", box.innerHTML);
  e.preventDefault();
});
