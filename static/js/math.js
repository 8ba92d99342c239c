/** Formulas: KaTeX, loaded with the first one. */
import { version } from "./dom.js";
import { sheet } from "./sheets.js";

const KATEX = "/static/vendor/katex/katex";
/** @type {[any, unknown]} without the style the formulas would stand there twice */
const [{ default: katex }] = await Promise.all([import(`${KATEX}.mjs${version}`), sheet(`${KATEX}.min.css`)]);

/** @param {HTMLElement} el */
export function typeset(el) {
  const tex = el.textContent ?? "";
  el.dataset.done = "";
  try {
    katex.render(tex, el, { displayMode: "display" in el.dataset, throwOnError: false, trust: false, maxSize: 20, maxExpand: 1000, strict: "ignore" });
    el.classList.add("done");
  } catch { el.textContent = tex; }
}
