/** The list of messages as the server renders it; live.js puts a running answer into it. @import {El} from "./types" */
import { $, need } from "./dom.js";
import { refresh as freshTimes } from "./times.js";

export const list = need("#transcript", HTMLElement);

/** @type {((root: ParentNode, grows?: boolean) => void) | undefined} */
let enhancer;

/** @param {string | undefined} id @returns {El | null} */
export const byId = (id) => document.getElementById(`m-${id}`);

/** The last message shown. */
export const last = () => $("li:last-child > article", list);

/** Finished text gets its colours, formulas, buttons and times; a block that still grows its formulas. @param {ParentNode} root @param {boolean} [grows] */
export function finish(root, grows) {
  if (!grows) freshTimes(root);
  if (!$(grows ? ".math" : ".code, .math, .table-scroll", root)) return;
  if (enhancer) enhancer(root, grows);
  else void import("./code.js").then((m) => { (enhancer = m.enhance)(root, grows); });
}

finish(list);
