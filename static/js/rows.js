/** A new session's row, loaded with the first one: it is added at the top. */
import { t as first } from "texts";
import { t } from "texts-later";
import { $, $$, h } from "./dom.js";
import { equip, rowOf, update } from "./sidebar.js";

/** Adds a session at the top, as the current one. @param {string} id @param {string} url @param {string | null} title */
export function insert(id, url, title) {
  const nav = $("#sessions-nav");
  if (!nav || rowOf(id)) return;
  for (const a of $$("#side [aria-current]")) a.removeAttribute("aria-current");
  const link = h("a", { class: "row-link", href: url, "aria-current": "page" }, h("span", { class: "row-title", dir: "auto" }));
  const row = h("li", { class: "row", "data-session": id }, link); // as in session-row.mustache
  equip(row);
  let group = $("[data-group=today]", nav);
  if (!group) {
    group = h("section", { "data-group": "today" }, h("h2", {}, t.today), h("ul"));
    nav.insertBefore(group, $("[data-group=pinned]", nav)?.nextElementSibling ?? nav.firstChild);
  }
  $("p.side-more", nav)?.remove();
  $("ul", group)?.prepend(row);
  update({ id, title: title ?? first.untitled, running: true, unread: false });
}
