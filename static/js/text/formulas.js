/** Formulas that are not near: their fonts first, because a layout without them costs twice, then one after the other. */
import { whenIdle } from "../base/idle.js";

/** KaTeX's most frequent ones. */
const FONTS = ["1em KaTeX_Main", "italic 1em KaTeX_Math"];

/** @param {HTMLElement[]} els @param {(el: HTMLElement) => void} typeset */
export async function later(els, typeset) {
  await Promise.allSettled(FONTS.map((font) => document.fonts.load(font)));
  whenIdle(els, typeset);
}
