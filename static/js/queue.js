/** Messages that wait above the box during an answer; stored per session, sent in order. @import {Waiting} from "./types" */
import { t } from "texts-later";
import { h, icon, need, store } from "./dom.js";
import { say } from "./a11y.js";
import { sheet } from "./sheets.js";

/** @param {() => string} session @param {{sendNow: (w: Waiting) => void, edit: (w: Waiting) => void}} act */
export function queue(session, act) {
  const list = need("#queue", HTMLElement);
  void sheet("/static/css/over.css");
  const key = () => `alfred.queue.${session() || "new"}`;
  /** @type {Waiting[]} */
  let items = [];

  const save = () => {
    store.set(key(), items.length ? JSON.stringify(items) : null);
    draw();
  };
  /** @type {(w: Waiting) => void} */
  const remove = (w) => {
    items = items.filter((x) => x.id !== w.id);
    save();
  };
  function draw() {
    list.hidden = !items.length;
    list.replaceChildren(...items.map((w) => {
      const button = (/** @type {string} */ label, /** @type {((w: Waiting) => void) | null} */ fn, name = "", whole = "") =>
        h("button", { class: name ? "ibtn" : "btn", type: "button", title: name && label, "aria-label": whole || null, onclick: () => { remove(w); fn?.(w); } }, name ? icon(name) : label);
      return h("li", {}, h("p", { dir: "auto" }, w.text), button(t.send_now, act.sendNow), button(t.edit, act.edit, "edit", t.edit_waiting), button(t.delete, null, "trash", t.delete_waiting));
    }));
  }
  function read() {
    try { items = JSON.parse(store.get(key()) ?? "[]"); } catch { items = []; }
    draw();
  }
  addEventListener("storage", (e) => e.key === key() && read());
  read();
  return {
    /** @param {Waiting} w */
    add(w) {
      items.push(w);
      save();
      say(t.waits);
    },
    /** Puts it to the front again. @param {Waiting} w */
    back(w) {
      items.unshift(w);
      save();
    },
    next() {
      const w = items[0];
      if (w) remove(w);
      return w;
    },
    /** The new chat has its id. */
    handOver() {
      store.set("alfred.queue.new", null);
      save();
    },
  };
}
