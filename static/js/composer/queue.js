/**
 * Messages that wait above the box during an answer; stored per session, sent in order when it is complete. After an answer
 * that was stopped or failed, the user decides: they are held, and what is sent meanwhile does not send them.
 * @import {Waiting} from "../types"
 */
import { t } from "texts-later";
import { $, $$, h, hit, icon, need, store } from "../base/dom.js";
import { report, say } from "../base/a11y.js";
import { sheet } from "../base/sheets.js";
import { listen, refresh, running, session, slot, stop } from "../turn/turn.js";
import { bytes, whole } from "./whole.js";

const CHOSEN = "alfred.chosen"; // the session whose compared answer was chosen before the page load

/** Whether the page comes after the choice of a compared answer, which ends the wait for it. */
function chosen() {
  try {
    const id = sessionStorage.getItem(CHOSEN);
    sessionStorage.removeItem(CHOSEN);
    return id === session() && !$(".compare");
  } catch { return false; }
}

/**
 * @param {string | null} left a message that was sent, and not yet accepted when the page was left
 * @param {() => void} next sends the first one if it is urgent
 * @param {(w: Waiting) => void} giveBack puts it into the box
 */
export function queue(left, next, giveBack) {
  const list = need("#queue", HTMLElement);
  void sheet("/static/css/over.css");
  const key = () => slot("queue");
  /** @type {Waiting[]} */
  let items = [];
  /** @type {Set<string>} the messages that were sent again after another page was faster */
  const again = new Set();

  const save = () => {
    store.set(key(), items.length ? JSON.stringify(items) : null);
    draw();
  };
  /** @type {(w: Waiting) => void} */
  const remove = (w) => {
    items = items.filter((x) => x.id !== w.id);
    save();
  };
  /** Before the others, behind those that are urgent already. @param {Waiting} w */
  const hurry = (w) => {
    w.now = true;
    w.held = false;
    items.sort((a, b) => Number(b.now ?? false) - Number(a.now ?? false));
    save();
    if (running()) void stop();
    else next();
  };
  const hold = () => {
    if (!items.length) return;
    for (const w of items) Object.assign(w, { held: true, now: false });
    save();
    say(t.held_messages({ n: items.length }));
  };
  /** @param {Waiting} w */
  const edit = (w) => {
    remove(w);
    giveBack(w);
    need("#text", HTMLElement).focus();
  };
  /** @param {Waiting} w */
  const item = (w) => h("li", {},
    ...(w.pictures ?? []).map((p) => h("img", { src: `/pictures/${p.id}`, width: p.width, height: p.height, alt: t.picture })),
    ...(w.files ?? []).map((f) => h("span", { class: "file-name" }, f.name)),
    h("div", {}, h("p", { dir: "auto" }, w.text), ...(w.held ? [h("span", { class: "held" }, t.held)] : [])),
    h("button", { class: "btn", type: "button", onclick: () => hurry(w) }, t.send_now),
    h("button", { class: "ibtn", type: "button", title: t.edit, "aria-label": t.edit_waiting, onclick: () => edit(w) }, icon("edit")),
    h("button", { class: "ibtn", type: "button", title: t.delete, "aria-label": t.delete_waiting, onclick: () => remove(w) }, icon("trash")));

  function draw() {
    const at = $$("button", list).findIndex((b) => b.matches(":focus-visible")); // of the keyboard: a focus in the box would open that of a phone
    list.hidden = !items.length;
    list.replaceChildren(...items.map(item));
    if (at >= 0) ($$("button", list)[at] ?? $$("button", list).pop() ?? need("#text", HTMLElement)).focus({ preventScroll: true });
  }
  function read() {
    try { items = JSON.parse(store.get(key()) ?? "[]"); } catch { items = []; }
    draw();
  }
  addEventListener("storage", (e) => e.key === key() && read());
  addEventListener("submit", (e) => {
    if (!hit(e, "[data-choose]") || !items.length) return;
    try { sessionStorage.setItem(CHOSEN, session()); } catch { /* the user sends it */ }
  });
  read();
  const unsent = slot("sent");
  if (left && left === store.get(unsent)) {
    const w = JSON.parse(left), { text } = whole(w), asked = $$("#transcript article.user").pop();
    const same = asked?.dataset.text ? parseInt(asked.dataset.text) === bytes(text) : text && $(".source", asked)?.textContent?.trim() === text;
    if (!same) items.unshift(w); // else the server had it after all
    store.set(unsent, null);
    save();
  }
  // When the composer has the queue.
  if (chosen()) queueMicrotask(() => !running() && items[0] && !items[0].held && hurry(items[0]));
  listen({ ended: (status) => void (status !== "done" && !running() && hold()) }); // one that is urgent runs already
  return {
    /** @param {Waiting} w */
    add(w) {
      items.push(w);
      save();
      say(t.waits);
    },
    /** Another page was faster: the message waits for its answer to end. If that has ended meanwhile, it is sent again, once. @param {Waiting} w */
    back(w) {
      items.unshift(w);
      save();
      refresh().then(() => {
        const mine = items.find((x) => x.id === w.id);
        if (!mine || running() || again.has(w.id)) return;
        again.add(w.id);
        hurry(mine);
      }).catch(report);
    },
    /** @param {boolean} [all] otherwise only one that is urgent */
    next(all) {
      const w = items.find((x) => x.now || (all && !x.held));
      if (w) remove(w);
      return w;
    },
    /** The page was loaded, and no answer runs whose end would send them. */
    rest() {
      if (!running() && !$(".compare") && items.some((w) => !w.held)) hold();
    },
    /** The new chat has its id. */
    handOver() {
      store.set(slot("queue", ""), null);
      save();
    },
  };
}
