/** Formulas: KaTeX, loaded with the first one. */
import { $$, version } from "./dom.js";
import { sheet } from "./sheets.js";
import { list } from "./transcript.js";

const KATEX = "/static/vendor/katex/katex";
// Its minified form defines a global. Without the style formulas would be shown twice.
await Promise.all([import(`${KATEX}.min.js${version}`), sheet(`${KATEX}.min.css`)]);
const { katex } = /** @type {any} */ (self);

const KEPT_MAX = 200;
/** @type {Map<string, Node>} formulas by their TeX: a growing block has the same ones in every frame */
const kept = new Map();

/** @param {HTMLElement} el */
function typeset(el) {
  const tex = el.textContent ?? "", display = "display" in el.dataset, key = `${display} ${tex}`;
  el.dataset.done = "";
  try {
    const same = kept.get(key);
    if (same) el.replaceChildren(...same.cloneNode(true).childNodes);
    else katex.render(tex, el, { displayMode: display, throwOnError: false, trust: false, maxSize: 20, maxExpand: 1000, strict: "ignore" });
    el.classList.add("done");
    if (kept.size > KEPT_MAX) kept.clear();
    if (!same) kept.set(key, el.cloneNode(true));
  } catch { el.textContent = tex; }
}

/** Of a loaded page those in view first, with their fonts (math.css). @param {HTMLElement[]} els @param {boolean} fresh */
export async function each(els, fresh) {
  if (fresh) return els.forEach(typeset);
  const seen = $$("article", list).filter((art) => {
    const { top, bottom } = art.getBoundingClientRect();
    return bottom > -innerHeight && top < innerHeight * 2;
  });
  const rest = els.filter((el) => !seen.some((art) => art.contains(el)) || typeset(el));
  void list.offsetHeight; // the layout asks for the fonts
  await document.fonts.ready;
  document.documentElement.dataset.set = "";
  if (rest.length) (await import("./paint.js")).each(rest, false, typeset);
}
