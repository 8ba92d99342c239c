/** A menu of buttons beside the button that opens it, for menu.js and again.js. @import {El} from "../types" */
import { $$, composing, h, icon, need } from "./dom.js";
import { report } from "./a11y.js";
import { sheet } from "./sheets.js";

/**
 * `now`: the one in use
 * @typedef {{label: string, fn: () => void, icon?: string, cls?: string, now?: boolean}} Item
 */

/** The newest call: a menu that was asked for again while its style sheet was loading opens once. @type {Item[]} */
let newest;

/**
 * Arrows walk, Esc and Tab close and give the focus back. With `search` a box above finds other items.
 * @param {El} button @param {Item[]} items @param {Element} [place] a landmark
 * @param {{label: string, find: (q: string) => Promise<Item[]>}} [search]
 */
export async function popup(button, items, place = need("#main", HTMLElement), search) {
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
  const entries = (/** @type {Item[]} */ all) => all.map((i) => h("button", {
    role: "menuitem",
    type: "button",
    class: i.cls ?? "",
    dir: "auto",
    "aria-current": i.now ? "true" : null,
    onclick() {
      close(true);
      i.fn();
    },
  }, ...(i.icon ? [icon(i.icon)] : []), i.label, ...(i.now ? [icon("check")] : [])));
  const list = h("div", { role: "menu", "aria-label": button.getAttribute("aria-label") }, ...entries(items));
  const input = search && h("input", { type: "search", "aria-label": search.label, placeholder: search.label, autocomplete: "off" });
  const box = input ? h("div", {}, input, list) : list;
  box.className = "menu";
  box.dataset.key = "menu";
  input?.addEventListener("input", () => {
    const q = input.value;
    search?.find(q).then((found) => input.value === q && list.replaceChildren(...entries(found)), report);
  });
  box.addEventListener("keydown", (e) => {
    const buttons = $$("button", box), at = buttons.findIndex((b) => b === document.activeElement), all = buttons.length;
    const to = { ArrowDown: at + 1, ArrowUp: (at < 0 ? 0 : at) + all - 1 }[e.key];
    if (to !== undefined) buttons[to % all]?.focus();
    else if (e.key === "Escape" || e.key === "Tab") close(true);
    else if (input && at < 0 && e.key === "Enter" && !composing(e)) buttons[0]?.click();
    else return void (at >= 0 && e.key.length === 1 && e.key !== " " && !e.ctrlKey && !e.metaKey && !e.altKey && input?.focus()); // typed into it
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
  if (input) box.style.minBlockSize = `${m.height}px`; // it stays where it is when less is found
  (input && !matchMedia("(pointer: coarse)").matches ? input : $$("button", box)[0])?.focus();
}
