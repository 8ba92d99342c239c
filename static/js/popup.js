/** A menu of buttons beside the button that opens it, for menu.js and again.js. @import {El} from "./types" */
import { $$, h, icon, need } from "./dom.js";
import { sheet } from "./sheets.js";

/** @typedef {{label: string, fn: () => void, icon?: string, cls?: string}} Item */

/** The newest call: a menu that was asked for again while its style sheet was loading opens once. @type {Item[]} */
let newest;

/** Arrows walk, Esc and Tab close and give the focus back. @param {El} button @param {Item[]} items @param {Element} [place] */
export async function popup(button, items, place = need("#main", HTMLElement)) { // a landmark
  newest = items;
  await sheet("/static/css/over.css");
  if (newest !== items || button.hasAttribute("aria-expanded")) return;
  const close = (/** @type {boolean} */ back) => {
    box.remove();
    button.removeAttribute("aria-expanded");
    removeEventListener("pointerdown", outside, true);
    if (back) button.focus();
  };
  const outside = (/** @type {Event} */ e) => {
    if (box.contains(/** @type {Node} */ (e.target))) return;
    close(false);
    if (!button.contains(/** @type {Node} */ (e.target))) return;
    // The click that follows on the button would open the menu again, or follow the button's link. After another button of the mouse none follows.
    const next = new AbortController(), { signal } = next;
    button.addEventListener("click", (c) => { c.preventDefault(); c.stopPropagation(); }, { once: true, signal });
    for (const by of ["pointerdown", "keydown"]) addEventListener(by, () => next.abort(), { capture: true, signal });
  };
  const box = h("div", { class: "menu", role: "menu", "data-key": "menu", "aria-label": button.getAttribute("aria-label") }, ...items.map((i) =>
    h("button", { role: "menuitem", type: "button", class: i.cls ?? "", dir: "auto", onclick: () => { close(true); i.fn(); } }, ...(i.icon ? [icon(i.icon)] : []), i.label)));
  box.addEventListener("keydown", (e) => {
    const buttons = $$("button", box), at = buttons.findIndex((b) => b === document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: buttons.length - 1 }[e.key];
    if (step) buttons[(at + step) % buttons.length]?.focus();
    else if (e.key === "Escape" || e.key === "Tab") close(true);
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
  place.append(box);
  const r = button.getBoundingClientRect(), m = box.getBoundingClientRect();
  const width = document.documentElement.clientWidth, below = r.bottom + m.height + 8 <= innerHeight, above = r.top - m.height - 4;
  const beside = !below && above < 8 && r.right + m.width + 12 <= width; // a high menu would cover its button
  box.style.left = `${beside ? r.right + 4 : Math.max(8, Math.min(r.left, width - m.width - 8))}px`;
  box.style.top = `${below ? r.bottom + 4 : beside ? Math.min(r.top, innerHeight - m.height - 8) : Math.max(above, 8)}px`;
  button.setAttribute("aria-expanded", "true");
  addEventListener("pointerdown", outside, true);
  $$("button", box)[0]?.focus();
}
