/** The menu of models beside “Answer again”, loaded with its first use. @import {El} from "./types" */
import { api } from "./api.js";
import { popup } from "./popup.js";
import { last } from "./transcript.js";
import * as turn from "./turn.js";
import { t } from "texts-later";

const MOST = 12; // the page has all of them

/** @param {El} link to the page with the same choice @param {string} id of the answer @param {(how: object) => void} begin */
export async function menu(link, id, begin) {
  if (turn.running() || link.getAttribute("aria-expanded")) return;
  const { models, total } = await api("GET", `/api/models?limit=${MOST}`);
  const list = (/** @type {(value: string) => object} */ how) => models.map((/** @type {{label: string, value: string}} */ m) => ({ label: m.label, fn: () => begin(how(m.value)) }));
  const items = list((choice) => ({ choice, once: true }));
  if (last()?.dataset.id === id) items.push({ label: t.compare_with, fn: () => void popup(link, list((value) => ({ compare_with: value }))) });
  if (total > models.length && link instanceof HTMLAnchorElement) items.push({ label: t.all_models, fn: () => location.assign(link.href) });
  await popup(link, items);
}
