/** The list of messages as rendered by the server; live.js adds a running answer. @import {El} from "../types" */
import { $, need } from "../base/dom.js";

export const list = need("#transcript", HTMLElement);

/** @type {((root: ParentNode, grows?: boolean) => void) | undefined} */
let enhancer;

/** @param {string | undefined} id @returns {El | null} */
export const byId = (id) => document.getElementById(`m-${id}`);

/** The last message shown. */
export const last = () => $("li:last-child > article, li:last-child > .cols > .col:first-child > article:last-child", list);

/** Enhances finished text; in a growing block only formulas. @param {ParentNode} root @param {boolean} [grows] */
export function finish(root, grows) {
  if (!$(grows ? ".math" : ".code, .math, .table-scroll", root)) return;
  if (enhancer) enhancer(root, grows);
  else void import("../text/code.js").then((m) => { (enhancer = m.enhance)(root, grows); });
}

finish(list);
