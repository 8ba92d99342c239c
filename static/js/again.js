/** The menu of models beside “Answer again”, loaded with its first use. @import {El} from "./types" */
import { $$, h } from "./dom.js";
import { api, clientId } from "./api.js";
import { sheet } from "./sheets.js";
import * as turn from "./turn.js";
import { t } from "texts-later";

const MOST = 12; // the page has all of them

/** @param {El} link to the page with the same choice @param {string} id of the answer */
export async function menu(link, id) {
  if (turn.running() || link.getAttribute("aria-expanded")) return;
  const [{ models, total }] = await Promise.all([api("GET", `/api/models?limit=${MOST}`), sheet("/static/css/over.css")]);
  const close = (/** @type {boolean} */ back) => {
    box.remove();
    link.removeAttribute("aria-expanded");
    removeEventListener("pointerdown", outside, true);
    if (back) link.focus();
  };
  const outside = (/** @type {Event} */ e) => void (box.contains(/** @type {Node} */ (e.target)) || close(false));
  const item = (/** @type {string} */ label, /** @type {() => void} */ fn) =>
    h("button", { role: "menuitem", type: "button", dir: "auto", onclick: () => { close(true); fn(); } }, label);
  const box = h("div", { class: "menu", role: "menu", "aria-label": link.getAttribute("aria-label") },
    ...models.map((/** @type {{label: string, value: string}} */ m) => item(m.label, () => turn.start({ path: `messages/${id}/regenerate`, body: { client_id: clientId(), choice: m.value, once: true } }))),
    ...(total > models.length && link instanceof HTMLAnchorElement ? [item(t.all_models, () => location.assign(link.href))] : []));
  box.addEventListener("keydown", (e) => {
    const items = $$("button", box), at = items.findIndex((b) => b === document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: items.length - 1 }[e.key];
    if (step) items[(at + step) % items.length]?.focus();
    else if (e.key === "Escape" || e.key === "Tab") close(true);
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
  document.body.append(box);
  const r = link.getBoundingClientRect(), m = box.getBoundingClientRect();
  box.style.left = `${Math.max(8, Math.min(r.left, document.documentElement.clientWidth - m.width - 8))}px`;
  box.style.top = `${r.bottom + m.height + 8 <= innerHeight ? r.bottom + 4 : Math.max(r.top - m.height - 4, 8)}px`;
  link.setAttribute("aria-expanded", "true");
  addEventListener("pointerdown", outside, true);
  $$("button", box)[0]?.focus();
}
