/** Dialogs, loaded with the first one: confirmation of a deletion, and the list of keys. */
import { $, h, icon, isMac } from "./dom.js";
import { sheet } from "./sheets.js";

/** Opens a modal dialog that is removed when closed; the browser restores the focus. @param {HTMLDialogElement} d */
export async function open(d) {
  await sheet("/static/css/over.css");
  if ($("dialog[open]")) return;
  d.addEventListener("close", () => d.remove());
  d.addEventListener("click", (e) => e.target === d && d.close());
  document.body.append(d);
  d.showModal();
}

/** @type {(title: string, text: string, label: string) => Promise<boolean>} */
export const confirmed = (title, text, label) => new Promise((done) => {
  const d = h("dialog", { "aria-labelledby": "dialog-title" },
    h("h2", { id: "dialog-title" }, title), h("p", {}, text),
    h("div", { class: "dialog-row" },
      h("button", { class: "btn", onclick: () => d.close(), autofocus: true }, "Cancel"),
      h("button", { class: "btn danger", onclick: () => d.close("yes") }, label)));
  d.addEventListener("close", () => done(d.returnValue === "yes"));
  void open(d);
});

export function help() {
  const mod = isMac ? "⌘" : "Ctrl+", shift = isMac ? "⇧" : "Shift+";
  const modSends = document.documentElement.dataset.sendKey === "mod_enter";
  const keys = {
    "Send": modSends ? `${mod}Enter` : "Enter",
    "New line": modSends ? "Enter" : `${shift}Enter`,
    "Search": `${mod}K`,
    "New chat": `${mod}${shift}O`,
    "Show or hide the sidebar": `${mod}${shift}S`,
    "Go to the message box": `${shift}Esc`,
    "Stop the answer, cancel an edit": "Esc",
    "Switch versions of a message": "← →",
    "Save and rerun an edit": `${mod}Enter`,
    "Show these keys": `${mod}/`,
  };
  const d = h("dialog", { "aria-labelledby": "help-title" },
    h("div", { class: "dialog-head" }, h("h2", { id: "help-title" }, "Keys"),
      h("button", { class: "ibtn", "aria-label": "Close", onclick: () => d.close() }, icon("close"))),
    h("dl", { class: "keys" }, ...Object.entries(keys).flatMap(([what, key]) => [h("dt", {}, what), h("dd", {}, h("kbd", {}, key))])));
  void open(d);
}
