/** A line that reports an action, with Undo. */
import { t as first } from "texts";
import { t } from "texts-later";
import { $, h, hit, isMac, need } from "./dom.js";
import { report } from "./a11y.js";
import { sheet } from "./sheets.js";

const SHOWN_MS = 8000, SHOWN_TO_UNDO_MS = 20_000;

/** Removes a line once nobody points at it. @param {Element} el */
export const leave = (el, ms = SHOWN_TO_UNDO_MS) => void setTimeout(() => el.matches(":hover, :focus-within") ? leave(el, ms) : el.remove(), ms);

/** Shows a line. A button in it is Undo. @param {HTMLElement} el */
export async function show(el) {
  const undo = $("button", el);
  await sheet("/static/css/over.css");
  undo?.setAttribute("aria-keyshortcuts", isMac ? "Meta+Z" : "Control+Z");
  if (undo) el.append(h("span", { class: "sr" }, t.undo_key({ key: isMac ? "⌘Z" : `${first.ctrl}+Z` }))); // the button is the last one of the page
  el.className = "toast";
  need("#toasts", HTMLElement).replaceChildren(el);
  leave(el, undo ? SHOWN_TO_UNDO_MS : SHOWN_MS);
}

addEventListener("keydown", (e) => {
  const undo = $("#toasts [aria-keyshortcuts]");
  if (!undo || e.key.toLowerCase() !== "z" || !(isMac ? e.metaKey : e.ctrlKey) || e.altKey || e.shiftKey) return;
  if (hit(e, "input:not([type=checkbox], [type=radio]), textarea") || $("dialog[open]")) return;
  e.preventDefault();
  undo.click();
});

/** Resolves with the line. After Undo the focus is where it was before it came to the button. @param {string} text @param {() => Promise<void>} [undo] */
export async function toast(text, undo) {
  const el = h("div", {}, h("p", {}, text)), before = /** @type {HTMLElement} */ (document.activeElement);
  const press = () => {
    el.remove();
    if (document.activeElement === document.body) before.focus({ preventScroll: true });
    undo?.().catch(report);
  };
  if (undo) el.append(h("button", { class: "btn", type: "button", onclick: press }, t.undo));
  await show(el);
  return el;
}
