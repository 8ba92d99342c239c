/**
 * Lays out messages before they come near the view, in idle time: the text first, then one part after the other. A part
 * that comes near before its turn is laid out when it is in view. Loaded with the links to further messages.
 */
import { $, $$ } from "../base/dom.js";
import { whenIdle } from "../base/idle.js";
import { keep } from "./scroll.js";
import { list } from "./transcript.js";

/** Parts that show nothing beyond their edges, with their usual height. */
const PARTS = { ".acts": 32, ".code": 340, ".math[data-display]": 60, ".table-scroll": 80 };
/** Each new height moves all messages, which costs as much for one as for many. */
const HEIGHTS_AT_ONCE = 10;

/** @type {Map<HTMLElement, number>} heights that the list does not have yet */
const heights = new Map();

/** @param {HTMLElement} el @param {number} px until it is shown */
const reserve = (el, px) => { el.style.containIntrinsicBlockSize = `auto ${px}px`; };

/** Lets the browser lay it out in the next layout (idle.js), also when its message is not near. @param {HTMLElement} el */
const layOut = (el) => void el.style.removeProperty("content-visibility");

/** @param {HTMLElement} li */
function measure(li) {
  const article = $(":scope > article:only-child", li);
  if (article) heights.set(li, article.getBoundingClientRect().height);
  if (heights.size < HEIGHTS_AT_ONCE) return;
  keep(() => heights.forEach((px, el) => reserve(el, px)));
  heights.clear();
}

/** Defers the layout of the parts of a message that is not near. @param {HTMLElement} li */
export function prepare(li) {
  const parts = $$(Object.keys(PARTS).join(), li);
  for (const el of parts) {
    el.style.contain = "style"; // also later: when it changes, the browser visits all elements for their counters
    el.style.contentVisibility = "auto";
    reserve(el, Object.entries(PARTS).find(([selector]) => el.matches(selector))?.[1] ?? 0);
  }
  whenIdle([...$$("article", li), ...parts.reverse()], layOut);
  whenIdle([li], measure);
}

// Formulas change their sizes when their fonts arrive.
document.fonts.addEventListener("loadingdone", () => whenIdle($$("li:has(.math) > article", list), layOut));

for (const li of $$(":scope > li", list).reverse()) if ($("article", li)?.checkVisibility({ contentVisibilityAuto: true }) === false) prepare(li);
