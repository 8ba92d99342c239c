/** Changes of rows in the sidebar: a new session, titles, marks. Loaded with the first one. @import {Session} from "../types" */
import { t as first } from "texts";
import { t } from "texts-later";
import { $, $$, h } from "../base/dom.js";
import { isolated } from "../base/isolated.js";
import { equip, rowOf } from "./sidebar.js";

/** Updates a row. @param {Partial<Session> & {id: string}} s */
export function update(s) {
  const row = rowOf(s.id), link = $("a", row);
  if (!row || !link) return;
  if (s.title) {
    $(".row-title", row)?.replaceChildren(s.title);
    link.title = s.title;
    $("button", row)?.setAttribute("aria-label", first.options_of({ title: s.title }));
    if (link.hasAttribute("aria-current")) {
      $("#session-title")?.replaceChildren(s.title);
      document.title = `${isolated(s.title)} · Alfred`;
    }
  }
  for (const [m, says] of /** @type {const} */ ([["running", first.answering], ["unread", first.unread]])) {
    const mark = $(`.${m}`, link);
    if (s[m] === false) mark?.remove();
    else if (s[m] && !mark) link.append(h("span", { class: `row-mark ${m}` }, h("span", { class: "sr" }, says)));
  }
}

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
