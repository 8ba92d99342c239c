/** Colours of code: a worker reads it, blocks in view first, and the page takes over what it found in short tasks. */
import { h, version } from "../base/dom.js";
import { whenIdle } from "../base/idle.js";
import { sheet } from "../base/sheets.js";
import { inSlices } from "../base/slices.js";
import { scriptUrl } from "../base/trust.js";

/** @import {Tree} from "./highlight.js" */

const MAX_CHARS = 50_000;
const library = `/static/vendor/highlight.min.js${version}`;

/** @type {Map<number, (tree: Tree | null) => void>} */
const asked = new Map();
let last = 0;

await new Promise((ok) => (window.requestIdleCallback ?? setTimeout)(ok));
void sheet("/static/css/code.css");
const worker = new Worker(scriptUrl(`/static/${document.documentElement.dataset.asset}/js/text/highlight.js`), { type: "module" });
worker.onmessage = ({ data }) => {
  asked.get(data.id)?.(data.tree);
  asked.delete(data.id);
};

/** @param {Tree} n @returns {Node} */
function node(n) {
  if (typeof n === "string") return document.createTextNode(n);
  const [head, ...more] = (n.scope ?? "").split(".");
  return h("span", { class: head && [`hljs-${head}`, ...more.map((/** @type {string} */ s) => `${s}_`)].join(" ") }, ...n.children.map(node));
}

/** @param {HTMLElement} el */
async function colour(el) {
  const language = /language-(\S+)/.exec(el.className)?.[1], text = el.textContent ?? "", id = ++last;
  if (text.length > MAX_CHARS) return;
  const tree = await new Promise((ok) => {
    asked.set(id, ok);
    worker.postMessage({ id, library, language, text });
  });
  if (!tree) return;
  const made = document.createDocumentFragment();
  await inSlices(tree.children, (n) => made.append(node(n)));
  if (el.textContent === text) el.replaceChildren(made);
}

/** @param {HTMLElement[]} els */
export function each(els) {
  for (const el of els) el.dataset.done = "";
  whenIdle(els, colour);
}
