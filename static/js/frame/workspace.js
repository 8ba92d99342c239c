/** The workspaces to which a session can move: a menu in place of that of the session. Loaded when it is first opened. @import {El} from "../types" */
import { t } from "texts-later";
import { $, h, need } from "../base/dom.js";
import { api } from "../base/api.js";
import { report } from "../base/a11y.js";
import { dialog, open } from "../base/dialogs.js";
import { popup } from "../base/popup.js";
import { sheet } from "../base/sheets.js";
import { toast } from "../base/toast.js";

/** A dialog that asks for the name of a new workspace. @param {(name: string) => Promise<void>} move */
async function ask(move) {
  const box = h("input", { dir: "auto", maxlength: 60, required: "", "aria-labelledby": "dialog-title", autocomplete: "off" });
  const d = dialog(t.new_workspace,
    h("form", { onsubmit: (/** @type {Event} */ e) => {
      e.preventDefault();
      const name = box.value.trim();
      if (!name) return;
      d.close();
      void move(name);
    } }, box, h("div", { class: "dialog-row" }, h("button", { class: "btn main" }, t.move_workspace))));
  await open(d);
  box.focus();
}

/** The link before the title of the open session. @param {string} name or none */
async function within(name) {
  $(".within")?.remove();
  if (!name) return;
  await sheet("/static/css/within.css");
  need("#session-title", HTMLElement).before(h("a", { class: "within", href: `/sessions?workspace=${encodeURIComponent(name)}`, dir: "auto" }, name));
}

/** @param {El} button that opened the menu of the session @param {string} id of the session @param {() => unknown} changed shows the lists again @param {Element} [place] */
export async function choose(button, id, changed, place) {
  const [{ workspaces }, { session }] = await Promise.all([api("GET", "/api/sessions?limit=1"), api("GET", `/api/sessions/${id}?limit=1`)]);
  const now = /** @type {string} */ (session.workspace ?? "");
  const move = async (/** @type {string} */ to, undo = true) => {
    try {
      await api("PATCH", `/api/sessions/${id}`, { workspace: to });
      if ($("#composer")?.dataset.session === id) await within(to);
      await changed();
      void toast(to ? t.moved_workspace({ workspace: to }) : t.left_workspace, undo ? () => move(now, false) : undefined);
    } catch (why) { report(why); }
  };
  const others = /** @type {string[]} */ (workspaces).filter((name) => name !== now);
  const begin = () => ask(move).catch(report);
  if (!others.length && !now) return begin();
  await popup(button, [
    ...others.map((name) => ({ icon: "folder", label: name, fn: () => void move(name) })),
    ...(now ? [{ icon: "close", label: t.no_workspace, fn: () => void move("") }] : []),
    { icon: "edit", label: t.new_workspace, fn: () => void begin() },
  ], place);
}
