/** Formulas: KaTeX, loaded with the first one. */
import { version } from "../base/dom.js";
import { sheet } from "../base/sheets.js";
import { inSlices, task } from "../base/slices.js";
import { list } from "../turn/transcript.js";

const KATEX = "/static/vendor/katex/katex";
// Its minified form defines a global. Without the style formulas show twice.
if (!(await Promise.all([sheet(`${KATEX}.min.css`), import(`${KATEX}.min.js${version}`)]))[0]) throw Error();
const { katex } = /** @type {any} */ (self);

const KEPT_MAX = 200;
/** @type {Map<string, Node>} by TeX: a growing block has the same ones in every frame */
const kept = new Map();

/** @param {HTMLElement} el */
function typeset(el) {
  const tex = el.textContent ?? "", display = "display" in el.dataset, key = `${display} ${tex}`;
  try {
    const same = kept.get(key);
    if (same) el.replaceChildren(...same.cloneNode(true).childNodes);
    else katex.render(tex, el, { displayMode: display, throwOnError: false, trust: false, maxSize: 20, maxExpand: 1000, strict: "ignore" });
    el.classList.add("done");
    if (kept.size > KEPT_MAX) kept.clear();
    if (!same) kept.set(key, el.cloneNode(true));
  } catch { el.textContent = tex; }
}

/** @param {HTMLElement[]} els @returns {Promise<HTMLElement[]>} */
const inView = (els) => new Promise((ok) => {
  const eye = new IntersectionObserver((seen) => {
    eye.disconnect();
    ok(els.filter((_, i) => seen[i]?.isIntersecting));
  }, { rootMargin: "100% 0px" });
  els.forEach((el) => eye.observe(el));
});

/** Of a loaded page those in view first, with their fonts (math.css). @param {HTMLElement[]} els @param {boolean} fresh */
export async function each(els, fresh) {
  for (const el of els) el.dataset.done = "";
  if (fresh || !els.length) return els.forEach(typeset);
  const near = document.hidden ? els : await inView(els);
  const made = near.map((el) => /** @type {HTMLElement} */ (el.cloneNode(true))); // one layout for all
  await inSlices(made, typeset);
  near.forEach((el, i) => el.replaceWith(made[i] ?? el));
  await task();
  void list.offsetHeight; // the layout asks for the fonts
  await document.fonts.ready;
  document.documentElement.dataset.set = "";
  const rest = els.filter((el) => !near.includes(el));
  if (rest.length) (await import("./formulas.js")).later(rest, typeset);
}
