/** The menu of a session's row in the sidebar or the list, loaded when it is first opened: rename, pin, summary, delete. @import {El} from "./types" */
import { $, $$, h, icon, isolated, store } from "./dom.js";
import { sheet } from "./sheets.js";
import { api } from "./api.js";
import { report, say } from "./a11y.js";
import { confirmed } from "./dialogs.js";
import { update } from "./sidebar.js";

/** @param {string} id @param {string} title @param {Element | null} at where it was asked; the focus goes to its neighbour */
export async function removeSession(id, title, at) {
  if (!await confirmed(`Delete “${isolated(title)}”?`, "All its messages are deleted too. This cannot be undone.", "Delete")) return;
  await api("DELETE", `/api/sessions/${id}`);
  for (const what of ["draft", "queue", "rest"]) store.set(`alfred.${what}.${id}`, null);
  if ($("#composer")?.dataset.session === id) return location.assign("/");
  const had = at?.closest("[data-session]"), next = had?.nextElementSibling ?? had?.previousElementSibling;
  for (const el of $$(`[data-session="${id}"]`)) {
    const group = el.closest(".side section");
    (el.parentElement?.childElementCount === 1 && group ? group : el).remove();
  }
  if ($("#session-list:not(:has(li))")) return location.reload(); // it says what to do now
  $("a", next ?? $(".side"))?.focus();
  say("Deleted");
}

/** The title becomes a field in place. @param {El} row */
function rename(row) {
  const id = row.dataset.session ?? "", link = $("a", row);
  if (!link) return;
  const old = link.title;
  const box = h("input", { class: "row-rename", value: "untitled" in row.dataset ? "" : old, maxlength: 200, dir: "auto", "aria-label": "Title", autocomplete: "off" });
  let over = false;
  const done = async (/** @type {boolean} */ keep) => {
    if (over) return;
    over = true;
    const title = box.value.trim();
    box.replaceWith(link);
    if (!keep || !title || title === old) return;
    update({ id, title });
    delete row.dataset.untitled;
    await api("PATCH", `/api/sessions/${id}`, { title }).catch((e) => {
      update({ id, title: old });
      report(e);
    });
  };
  box.addEventListener("keydown", (e) => {
    e.stopPropagation();
    if (e.isComposing || !["Enter", "Escape"].includes(e.key)) return;
    void done(e.key === "Enter");
    link.focus();
  });
  box.addEventListener("blur", () => void done(true));
  link.replaceWith(box);
  box.select();
}

/** A pinned session stays out of the archive. @param {El} row */
async function pin(row) {
  const pinned = "pinned" in row.dataset;
  await api("POST", `/api/sessions/${row.dataset.session}/${pinned ? "unpin" : "pin"}`, {});
  if (pinned) delete row.dataset.pinned;
  else row.dataset.pinned = "";
  if (row.closest("#session-list")) return location.reload(); // it says which ones are pinned
  say(pinned ? "Unpinned" : "Pinned");
}

/** @param {El} button a link leads to the form where there is no script */
export async function menu(button) {
  await sheet("/static/css/over.css");
  const row = /** @type {El} */ (button.closest("[data-session]"));
  const close = (/** @type {boolean} */ back) => {
    box.remove();
    button.removeAttribute("aria-expanded");
    removeEventListener("pointerdown", outside, true);
    if (back) button.focus();
  };
  const outside = (/** @type {Event} */ e) => {
    if (box.contains(/** @type {Node} */ (e.target))) return;
    close(false);
    if (button.contains(/** @type {Node} */ (e.target))) button.addEventListener("click", (c) => c.stopPropagation(), { once: true });
  };
  const item = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => void} */ fn, cls = "") =>
    h("button", { role: "menuitem", type: "button", class: cls, onclick: () => { close(true); fn(); } }, icon(name), label);
  const box = h("div", { class: "menu", role: "menu", "aria-label": button.getAttribute("aria-label") },
    button instanceof HTMLAnchorElement
      ? item("edit", "Title and workspace", () => location.assign(button.href))
      : item("edit", "Rename", () => rename(row)),
    item("pin", "pinned" in row.dataset ? "Unpin" : "Pin", () => pin(row).catch(report)),
    item("note", "Summary", () => location.assign(`/s/${row.dataset.session}/summary`)),
    item("trash", "Delete", () => removeSession(row.dataset.session ?? "", $(".row-title, .item-title", row)?.firstChild?.textContent?.trim() ?? "", row).catch(report), "danger"));
  box.addEventListener("keydown", (e) => {
    const items = $$("button", box), at = items.findIndex((b) => b === document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: items.length - 1 }[e.key];
    if (step) items[(at + step) % items.length]?.focus();
    else if (e.key === "Escape" || e.key === "Tab") close(true);
    else return;
    e.preventDefault();
    e.stopPropagation();
  });
  row.closest("aside, main")?.append(box);
  const r = button.getBoundingClientRect(), m = box.getBoundingClientRect();
  box.style.left = `${Math.max(8, Math.min(r.left, document.documentElement.clientWidth - m.width - 8))}px`;
  box.style.top = `${r.bottom + m.height + 8 > innerHeight ? r.top - m.height - 4 : r.bottom + 4}px`;
  button.setAttribute("aria-expanded", "true");
  addEventListener("pointerdown", outside, true);
  $("button", box)?.focus();
}
