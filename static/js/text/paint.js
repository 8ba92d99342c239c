/** Colours of code: a worker reads it, blocks in view first, and the page takes over what it found in short tasks. */
import { h, version } from "../base/dom.js";
import { whenIdle } from "../base/idle.js";
import { sheet } from "../base/sheets.js";
import { inSlices } from "../base/slices.js";
import { scriptUrl } from "../base/trust.js";

/** @import {Tree} from "./highlight.js" */

const MAX_CHARS = 50_000, WAIT_MAX_MS = 60_000;
const library = `/static/vendor/highlight.min.js${version}`;

/** The blocks that the worker reads. @type {Map<number, {el: HTMLElement, ok: (tree: Tree | null) => void}>} */
const asked = new Map();
let last = 0, wait = 1000;

await new Promise((ok) => (window.requestIdleCallback ?? setTimeout)(ok));
/** @type {Worker | undefined} */
let worker;

/** Its script or its library did not arrive: a new worker tries again, because browsers remember the failure of an import. */
function failed() {
  const els = [...asked.values()].map(({ el, ok }) => (ok(null), el));
  asked.clear();
  worker?.terminate();
  worker = undefined;
  setTimeout(() => each(els), wait);
  wait = Math.min(2 * wait, WAIT_MAX_MS);
}

function begin() {
  const one = new Worker(scriptUrl(`/static/${document.documentElement.dataset.asset}/js/text/highlight.js`), { type: "module" });
  one.onerror = () => one === worker && failed();
  one.onmessage = ({ data }) => {
    if (data.failed) return void (one === worker && failed());
    asked.get(data.id)?.ok(data.tree);
    asked.delete(data.id);
  };
  return one;
}

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
    asked.set(id, { el, ok });
    (worker ??= begin()).postMessage({ id, library, language, text });
  });
  if (!tree) return;
  const made = document.createDocumentFragment();
  await inSlices(tree.children, (n) => made.append(node(n)));
  if (el.textContent === text) el.replaceChildren(made);
}

/** @param {HTMLElement[]} els */
export function each(els) {
  void sheet("/static/css/code.css");
  for (const el of els) el.dataset.done = "";
  whenIdle(els, colour);
}
