/** Dialogs, loaded with the first one: the list of keys. */
import { t as first } from "texts";
import { t } from "texts-later";
import { $, h, icon, isMac } from "./dom.js";
import { sheet } from "./sheets.js";

/**
 * Opens a modal dialog that is removed when closed; the browser restores the focus.
 * @param {HTMLDialogElement} d @param {() => void} [ready] called when its style is there, before it is shown
 */
export async function open(d, ready) {
  await sheet("/static/css/over.css");
  ready?.();
  if ($("dialog[open]")) return;
  d.addEventListener("close", () => {
    d.remove();
    const at = document.activeElement;
    if (!(at instanceof HTMLTextAreaElement || at instanceof HTMLInputElement)) return;
    at.blur(); // Chromium gives the focus back without the caret, and typed text would be lost
    at.focus({ preventScroll: true });
  });
  const outside = (/** @type {MouseEvent} */ e) => {
    const r = d.getBoundingClientRect();
    return e.clientX < r.left || e.clientX > r.right || e.clientY < r.top || e.clientY > r.bottom;
  };
  let began = false; // a selection of text may end outside
  d.addEventListener("pointerdown", (e) => { began = outside(e); });
  d.addEventListener("click", (e) => e.target === d && began && outside(e) && d.close());
  d.append(h("p", { class: "sr", role: "status" })); // for say(): the rest of the page is inert
  document.body.append(d);
  d.showModal();
}

/** A dialog with its title, which has the id "dialog-title", and a button that closes it. @param {string} title @param {Node[]} kids */
export function dialog(title, ...kids) {
  const d = h("dialog", { "aria-labelledby": "dialog-title" },
    h("div", { class: "dialog-head" }, h("h2", { id: "dialog-title" }, title),
      h("button", { class: "ibtn", type: "button", "aria-label": t.close, onclick: () => d.close() }, icon("close"))),
    ...kids);
  return d;
}

export function help() {
  const mod = isMac ? "⌘" : `${first.ctrl}+`, shift = isMac ? "⇧" : `${t.shift}+`;
  const modSends = document.documentElement.dataset.sendKey === "mod_enter";
  const keys = {
    [t.key_send]: modSends ? `${mod}${t.enter}` : t.enter,
    [t.key_line]: modSends ? t.enter : `${shift}${t.enter}`,
    [t.key_search]: `${mod}K`,
    [t.key_new]: `${mod}${shift}O`,
    [t.key_side]: `${mod}${shift}S`,
    [t.key_box]: `${shift}Esc`,
    [t.key_stop]: "Esc",
    [t.key_versions]: "← →",
    [t.key_rerun]: `${mod}${t.enter}`,
    [t.key_quote]: `${mod}${shift}9`,
    [t.key_undo]: `${mod}Z`,
    [t.key_help]: `${mod}/`,
  };
  void open(dialog(t.keys, h("dl", { class: "keys" }, ...Object.entries(keys).flatMap(([what, key]) => [h("dt", {}, what), h("dd", {}, h("kbd", {}, key))]))));
}
