/** The list of messages as rendered by the server; live.js adds a running answer. @import {El} from "../types" */
import { $, need } from "../base/dom.js";
import { load } from "../base/api.js";

export const list = need("#transcript", HTMLElement);

/** @type {any} */
let enhancer;

/** @param {string | undefined} id @returns {El | null} */
export const byId = (id) => document.getElementById(`m-${id}`);

/** The last message shown. */
export const last = () => $("li:last-child > article, li:last-child > .cols > .col:first-child > article:last-child", list);

/** Enhances finished text; in a growing block only formulas. @param {ParentNode} root @param {boolean} [grows] */
export function finish(root, grows) {
  if (!$(grows ? ".math" : ".code, .math, .table-scroll", root)) return;
  if (enhancer) enhancer(root, grows);
  else load("text/code").then((m) => (enhancer = m.enhance)(root, grows), () => {}); // see watch.js
}

finish(list);
