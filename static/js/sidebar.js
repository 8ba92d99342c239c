/** The sidebar: drawer or column, and what its rows say. @import {Session} from "./types" */
import { $, h, hit, need, store } from "./dom.js";
import { report } from "./a11y.js";

const NARROW = matchMedia("(width < 900px)");
const set = document.documentElement.dataset;

/** @param {string} id */
export const rowOf = (id) => $(`#side [data-session="${id}"]`);

/** @param {boolean} on */
function drawer(on) {
  if (on) set.drawer = "open";
  else delete set.drawer;
  need("#page", HTMLElement).inert = on;
  (on ? $("#side a") : $(".side-open"))?.focus();
}

/** Shows or hides it, in the way this width has. */
export function toggle() {
  if (!$("#side")) return;
  if (NARROW.matches) return drawer(!set.drawer);
  const closed = !set.side;
  if (closed) set.side = "closed";
  else delete set.side;
  store.set("alfred.side", closed ? "closed" : null);
  $(closed ? ".side-open" : ".side-close")?.focus();
}

/** Closes the drawer; false when there was none. */
export function closeDrawer() {
  if (!set.drawer) return false;
  drawer(false);
  return true;
}
NARROW.addEventListener("change", closeDrawer);
addEventListener("pageshow", (e) => e.persisted && closeDrawer());

/** Sets what a row says. @param {Partial<Session> & {id: string}} s */
export function update(s) {
  const row = rowOf(s.id), link = $("a", row);
  if (!row || !link) return;
  if (s.title !== undefined) {
    $(".row-title", row)?.replaceChildren(s.title);
    link.title = s.title;
    $("button", row)?.setAttribute("aria-label", `Options of ${s.title}`);
    if (link.hasAttribute("aria-current")) {
      $("#session-title")?.replaceChildren(s.title);
      document.title = `${s.title} · Alfred`;
    }
  }
  for (const [m, says] of /** @type {const} */ ([["running", ", answering"], ["unread", ", unread"]])) {
    const mark = $(`.${m}`, link);
    if (s[m] === false) mark?.remove();
    else if (s[m] && !mark) link.append(h("span", { class: `row-mark ${m}` }, h("span", { class: "sr" }, says)));
  }
}

document.addEventListener("click", async (e) => {
  const el = hit(e, "[data-act]"), act = el?.dataset.act ?? "";
  if (!["side", "side-close", "row-menu", "session-delete"].includes(act)) return;
  e.preventDefault();
  if (act === "side") toggle();
  else if (act === "side-close") closeDrawer();
  else if (el) {
    const item = el.closest("li");
    try {
      const m = await import("./menu.js");
      if (act === "row-menu") await m.menu(el);
      else await m.removeSession(item?.dataset.session ?? "", $(".item-title", item)?.textContent?.trim() ?? "", item);
    } catch (why) { report(why); }
  }
});

document.addEventListener("visibilitychange", () => void import("./marks.js"), { once: true });

// What was typed here belongs to who typed it.
$("[data-signout]")?.addEventListener("submit", () => {
  const box = $("#text");
  if (box instanceof HTMLTextAreaElement) box.value = "";
  for (const k of Object.keys(localStorage)) if (/^alfred\.(draft|queue)\./.test(k)) store.set(k, null);
});
