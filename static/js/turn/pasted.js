/**
 * The start of the first pasted text of a box: data-pasted, in UTF-16 units; absent when all text was typed. Text after
 * that place counts as pasted too. Pasted text is no request of the user, so the server gets the position. It only
 * lowers the server's trust, never raises it. This module is loaded with live.js at the first typed letter; until then
 * chat.js marks a whole box.
 * @import {El} from "../types"
 */

/** The start of pasted text in a box. @type {(box: El) => number | undefined} */
export const marked = (box) => (box.dataset.pasted ? +box.dataset.pasted : undefined);
/** @type {(box: El, from?: number) => void} */
export const mark = (box, from) => void (from === undefined ? delete box.dataset.pasted : (box.dataset.pasted = `${from}`));
/** Its place in bytes, for the server. @type {(text: string, from?: number) => {pasted_from?: number}} */
export const pastedField = (text, from) => (from === undefined ? {} : { pasted_from: new TextEncoder().encode(text.slice(0, from)).length });

/** @type {WeakMap<HTMLTextAreaElement, {value: string, caret: number}>} the box before the change */
const before = new WeakMap();

const TYPED = /^(insert(Text|LineBreak|Paragraph|CompositionText|FromComposition|ReplacementText)|delete(?!ByDrag))/;

/** @param {string} a @param {string} b */
function common(a, b) {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return n;
}

addEventListener("beforeinput", (e) => {
  if (e.target instanceof HTMLTextAreaElement) before.set(e.target, { value: e.target.value, caret: e.target.selectionStart });
}, true);
addEventListener("input", (e) => {
  const box = e.target, kind = e instanceof InputEvent ? e.inputType : "";
  if (!(box instanceof HTMLTextAreaElement) || !e.isTrusted) return;
  const was = before.get(box) ?? { value: "", caret: 0 }, old = Number(box.dataset.pasted ?? Infinity);
  const at = Math.min(was.caret, common(was.value, box.value));
  if (!box.value) delete box.dataset.pasted;
  else if (!TYPED.test(kind)) box.dataset.pasted = String(Math.min(old, at)); // pasted, dropped, undone, or inserted by a program
  else if (at < old && old < Infinity) box.dataset.pasted = String(Math.max(at, old + box.value.length - was.value.length));
}, true);
document.body.dataset.tells = "typed from pasted";
