/**
 * Colours of code, loaded in idle time. Blocks in view come first. Fresh text is done at once as long as a frame has time.
 */
import { h, version } from "./dom.js";
import { sheet } from "./sheets.js";

await new Promise((ok) => (window.requestIdleCallback ?? setTimeout)(ok));
void sheet("/static/css/code.css");
/** @type {{default: any}} */
const { default: hljs } = await import(`/static/vendor/highlight.min.js${version}`);

const MAX_CHARS = 50_000, AT_ONCE_MS = 8, FRAME_MS = 50;

/** The highlighter's tree as nodes, so that no HTML string is needed. @param {any} n @returns {Node} */
function nodes(n) {
  if (typeof n === "string") return document.createTextNode(n);
  const [head, ...more] = (n.scope ?? "").split(".");
  return h("span", { class: head && [`hljs-${head}`, ...more.map((/** @type {string} */ s) => `${s}_`)].join(" ") }, ...n.children.map(nodes));
}

/** @param {HTMLElement} el */
export function colour(el) {
  const language = /language-(\S+)/.exec(el.className)?.[1];
  const text = el.textContent ?? "";
  el.dataset.done = "";
  if (!hljs.getLanguage(language) || text.length > MAX_CHARS) return;
  el.replaceChildren(nodes(hljs.highlight(text, { language, ignoreIllegals: true })._emitter.rootNode));
}

/** @typedef {(el: HTMLElement) => void} Work */
/** @type {Map<HTMLElement, Work>} */
const waiting = new Map();
/** @type {Set<HTMLElement>} the waiting ones in view */
const near = new Set();
let planned = false, frame = 0;

/** @param {IdleRequestCallback} fn */
const idle = (fn) => void (window.requestIdleCallback?.(fn) ?? setTimeout(() => fn({ didTimeout: false, timeRemaining: () => AT_ONCE_MS })));

function plan() {
  if (planned || !waiting.size) return;
  planned = true;
  idle((time) => {
    planned = false;
    for (const el of [...near, ...waiting.keys()]) {
      if (time.timeRemaining() < 1) break;
      waiting.get(el)?.(el);
      near.delete(el);
      waiting.delete(el);
      eye.unobserve(el);
    }
    plan();
  });
}

const eye = new IntersectionObserver((seen) => {
  for (const { target, isIntersecting } of seen) {
    const el = /** @type {HTMLElement} */ (target);
    if (isIntersecting && waiting.has(el)) near.add(el);
  }
  plan();
}, { rootMargin: "50% 0px" });

/** @param {HTMLElement[]} els @param {boolean} fresh @param {Work} [fn] */
export function each(els, fresh, fn = colour) {
  for (const el of els) {
    const now = performance.now();
    if (now - frame > FRAME_MS) frame = now;
    if (fresh && now - frame < AT_ONCE_MS) fn(el);
    else {
      waiting.set(el, fn);
      eye.observe(el);
    }
  }
}
