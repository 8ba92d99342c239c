/** The menu of a session: of its row in the sidebar or the list, or of the open one. Loaded when one is first opened. @import {El} from "../types" */
import { t } from "texts-later";
import { $, $$, composing, h } from "../base/dom.js";
import { popup } from "../base/popup.js";
import { api } from "../base/api.js";
import { report } from "../base/a11y.js";
import { refresh } from "./list.js";
import { update } from "./rows.js";
import { rowOf } from "./sidebar.js";
import { toast } from "../base/toast.js";

/** The page's own list of sessions, as the server has it now. */
export const redraw = async () => void ($("#session-list") && await (await import("../pages/sessions.js")).redraw());

/** Shows the result of an action in all lists. If they cannot be read, the action is done; follow.js tries again. */
export const show = () => Promise.allSettled([refresh(), redraw()]);

/** Moves the session to the trash. Its drafts stay, because it can be restored. @param {string} id @param {Element | null} at the button; the focus moves to the next row */
async function removeSession(id, at) {
  const { erased_at: kept } = await api("DELETE", `/api/sessions/${id}`);
  if ($("#composer")?.dataset.session === id) return location.assign(`/?done=${kept ? `deleted.${id}` : "erased"}`);
  const had = at?.closest("[data-session]"), next = had?.nextElementSibling ?? had?.previousElementSibling;
  for (const el of $$(`[data-session="${id}"]`)) {
    const group = el.closest(".side section");
    (el.parentElement?.childElementCount === 1 && group ? group : el).remove();
  }
  if ($("#session-list:not(:has(li))")) return location.reload(); // it shows what to do now
  $("a", next ?? $(".side"))?.focus();
  toast(kept ? t.session_trashed : t.session_erased, kept && (async () => {
    await api("POST", `/api/trash/${id}/restore`, {});
    await show();
    const back = $(`#session-list [data-session="${id}"]`) ?? rowOf(id);
    if (back) $("a", back)?.focus();
    toast(t.restored);
  }));
}

/** The title becomes a field in place. @param {El} row of a list, or the menu of the open session */
export function rename(row) {
  const text = /** @type {El} */ ($(".row-link, .item-main", row) ?? $("#session-title")), shown = $(".item-title", text);
  const id = row.dataset.session ?? "", old = text.title || (shown?.firstChild ?? text).textContent?.trim() || "";
  const box = h("input", { class: "row-rename", value: "untitled" in row.dataset ? "" : old, maxlength: 200, dir: "auto", "aria-label": t.title, autocomplete: "off" });
  let over = false;
  const done = async (/** @type {boolean} */ keep) => {
    if (over) return;
    over = true;
    const title = box.value.trim();
    box.replaceWith(text);
    if (!keep || !title || title === old) return;
    const put = (/** @type {string} */ s) => {
      if (shown?.firstChild) shown.firstChild.textContent = s;
      else if (!row.matches("li")) text.textContent = s;
      update({ id, title: s });
    };
    put(title);
    delete row.dataset.untitled;
    await api("PATCH", `/api/sessions/${id}`, { title }).catch((e) => {
      put(old);
      report(e);
    });
  };
  box.addEventListener("keydown", (e) => {
    e.stopPropagation();
    if (composing(e) || !["Enter", "Escape"].includes(e.key)) return;
    e.preventDefault(); // the key would press what gets the focus
    void done(e.key === "Enter");
    (row.matches("li") ? text : $("summary", row))?.focus();
  });
  box.addEventListener("blur", () => void done(true));
  text.replaceWith(box);
  box.select();
}

/** @typedef {"pin" | "unpin" | "archive" | "unarchive"} Place */
const DONE = { pin: t.pinned, unpin: t.unpinned, archive: t.archived, unarchive: t.unarchived };

/** Moves a session; every list on the page shows it at once. @param {string} id @param {Place} to @param {Place} [undo] the place before */
async function move(id, to, undo) {
  const archives = to.endsWith("archive");
  await (archives ? api("PATCH", `/api/sessions/${id}`, { archived: to === "archive" }) : api("POST", `/api/sessions/${id}/${to}`, {}));
  const open = $(`#session-menu[data-session="${id}"]`);
  open?.toggleAttribute("data-pinned", to === "pin");
  if (to !== "unpin") open?.toggleAttribute("data-archived", to === "archive");
  const from = document.activeElement?.closest("#session-list, .side"), had = $(`[data-session="${id}"]`, from), y = scrollY;
  const next = (had?.nextElementSibling ?? had?.previousElementSibling)?.getAttribute("data-session");
  await show();
  const row = (/** @type {string | null | undefined} */ of) => $(`#${from?.id} [data-session="${of}"]`), now = row(id), beside = row(next);
  if ($("[role=menu]")) { /* opened since; it has the focus */ }
  else if (from?.id === "side") $("a", now ?? beside ?? $(".side"))?.focus();
  else if (from) {
    const stays = now && [now.nextElementSibling, now.previousElementSibling].includes(beside);
    scrollTo(0, y);
    $("a", (stays ? now : beside ?? now) ?? $("#session-list"))?.focus({ preventScroll: true });
  }
  toast(DONE[to], undo && (() => move(id, undo)));
}

/** The actions on a session. @param {El} button of their menu @returns {import("../base/popup.js").Item[]} */
export function actions(button) {
  const row = /** @type {El} */ (button.closest("[data-session]"));
  const item = (/** @type {string} */ name, /** @type {string} */ label, /** @type {() => void} */ fn, cls = "") => ({ icon: name, label, fn, cls });
  const id = row.dataset.session ?? "", pinned = "pinned" in row.dataset, archived = "archived" in row.dataset;
  /** @type {Place} */
  const undo = archived ? "archive" : pinned ? "pin" : "unpin";
  const place = row.closest("aside, main") ?? undefined;
  const temporary = row.id === "session-menu" ? $("#temporary") : "temporary" in row.dataset;
  /** The actions that a temporary chat refuses. @param {import("../base/popup.js").Item[]} all */
  const kept = (...all) => (temporary ? [] : all);
  return [
    item("edit", t.rename, () => rename(row)),
    item("tag", t.tags, () => import("./tags.js").then((m) => m.tags(id, redraw)).catch(report)),
    item("folder", t.move_workspace, () => import("./workspace.js").then((m) => m.choose(button, id, show, place)).catch(report)),
    ...kept(
      item("search", t.search_session, () => location.assign(`/search?session=${id}`)),
      item("pin", pinned ? t.unpin : t.pin, () => move(id, pinned ? "unpin" : "pin", undo).catch(report)),
      item("box", archived ? t.unarchive : t.archive, () => move(id, archived ? "unarchive" : "archive", undo === "unpin" ? "unarchive" : undo).catch(report)),
    ),
    item("settings", t.answers, () => location.assign(`/sessions/${id}/answers`)),
    ...kept(item("note", t.summary, () => location.assign(`/s/${id}/summary`))),
    ...("share" in document.documentElement.dataset ? kept(item("share", t.share, () => location.assign(`/sessions/${id}/share`))) : []),
    item("list", t.details, () => location.assign(`/sessions/${id}/details`)),
    ...kept(item("out", t.export_one, () => location.assign(`/sessions/${id}/export`))),
    item("trash", t.delete, () => removeSession(id, row).catch(report), "danger"),
  ];
}

/** @param {El} button without script a link to the form */
export const menu = (button) => popup(button, actions(button), button.closest("aside, main") ?? undefined);
