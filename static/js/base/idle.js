/** Work on elements in idle time, those in view first. Loaded with the first work. */
import { SLICE_MS } from "./slices.js";

/** @typedef {(el: HTMLElement) => void} Work */

/** @type {Map<HTMLElement, Set<Work>>} a formula is rendered, and laid out */
const waiting = new Map();
/** @type {Set<HTMLElement>} the waiting ones in view */
const near = new Set();
let planned = false;

function* next() {
  for (;;) {
    const [el] = near.size ? near : waiting.keys();
    if (!el) return;
    near.delete(el);
    eye.unobserve(el);
    yield el;
  }
}

function plan() {
  if (planned || !waiting.size) return;
  planned = true;
  const run = (/** @type {IdleDeadline | void} */ idle) => {
    planned = false;
    const began = performance.now();
    for (const el of next()) {
      for (const fn of waiting.get(el) ?? []) fn(el);
      void el.offsetHeight; // the layout is a part of this work, not of the next frame
      waiting.delete(el);
      if (performance.now() - began > SLICE_MS || (idle && idle.timeRemaining() < 1)) break;
    }
    plan();
  };
  (window.requestIdleCallback ?? setTimeout)(run);
}

const eye = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    const el = /** @type {HTMLElement} */ (target);
    if (isIntersecting && waiting.has(el)) near.add(el);
  }
  plan();
}, { rootMargin: "50% 0px" });

/** Calls `fn` for each one in idle time, those in view first. @param {HTMLElement[]} els @param {Work} fn */
export function whenIdle(els, fn) {
  for (const el of els) {
    waiting.set(el, (waiting.get(el) ?? new Set()).add(fn));
    eye.observe(el);
  }
}
