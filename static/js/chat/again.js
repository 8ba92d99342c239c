/** The menu of models beside “Answer again”, loaded with its first use. @import {El} from "../types" */
import { $ } from "../base/dom.js";
import { api } from "../base/api.js";
import { popup } from "../base/popup.js";
import { last } from "../turn/transcript.js";
import * as turn from "../turn/turn.js";
import { t } from "texts-later";

const MOST = 12; // a search finds others, and the page has all of them

/** @param {El} link to the page with the same choice @param {string} id of the answer @param {(how: object) => void} begin */
export async function menu(link, id, begin) {
  if (turn.running() || link.getAttribute("aria-expanded")) return;
  const find = (q = "") => api("GET", `/api/models?limit=${MOST}&q=${encodeURIComponent(q)}`);
  const first = await find(), now = $(".model", link.closest("article"))?.textContent;
  /** A menu of the models that are found. @param {(value: string) => object} how @param {import("../base/popup.js").Item[]} more */
  const choose = (how, more) => {
    /** @param {{models: {label: string, value: string}[]}} found */
    const items = (found) => [
      ...found.models.map(({ label, value }) => ({ label, now: label === now, fn: () => begin(how(value)) })),
      ...more,
    ];
    return popup(link, items(first), undefined, first.total > MOST ? { label: t.find_model, find: (q) => find(q).then(items) } : undefined);
  };
  const more = [];
  if (last()?.dataset.id === id) more.push({ label: t.compare_with, cls: "apart", fn: () => void choose((value) => ({ compare_with: value }), []) });
  if (first.total > MOST && link instanceof HTMLAnchorElement) more.push({ label: t.all_models, cls: more.length ? "" : "apart", fn: () => location.assign(link.href) });
  await choose((choice) => ({ choice, once: true }), more);
}
