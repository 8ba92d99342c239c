/** The sidebar: drawer or column, and its rows. */
import { t } from "texts";
import { $, $$, h, hit, need, store } from "../base/dom.js";
import { report } from "../base/a11y.js";

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

/** Shows or hides it, as drawer or column. */
export function toggle() {
  if (!$("#side")) return;
  if (NARROW.matches) return drawer(!set.drawer);
  const closed = !set.side;
  if (closed) set.side = "closed";
  else delete set.side;
  store.set("alfred.side", closed ? "closed" : null);
  if ($(closed ? "#side :focus" : ".side-open:focus")) $(closed ? ".side-open" : ".side-close")?.focus();
}

/** Closes the drawer; false when there was none. */
export function closeDrawer() {
  if (!set.drawer) return false;
  drawer(false);
  return true;
}
NARROW.addEventListener("change", closeDrawer);
addEventListener("pageshow", (e) => e.persisted && closeDrawer());

/** Adds what needs scripts: the whole title on hover, the menu button. @param {Element} row */
export function equip(row) {
  const title = $(".row-title", row)?.textContent ?? "";
  $("a", row)?.setAttribute("title", title);
  row.append(h("button", { class: "ibtn row-more dots", type: "button", "data-act": "row-menu", "aria-haspopup": "menu", "aria-label": t.options_of({ title }) }));
}
for (const row of $$("#sessions-nav .row")) equip(row);

document.addEventListener("click", (e) => {
  const el = hit(e, "[data-act]"), act = el?.dataset.act ?? "";
  if (!["side", "side-close", "row-menu"].includes(act)) return;
  e.preventDefault();
  if (act === "side") toggle();
  else if (act === "side-close") closeDrawer();
  else if (el) void import("./menu.js").then((m) => m.menu(el)).catch(report);
});

if ($("a.side-more")) void import("./list.js");
$("#account-menu")?.addEventListener("toggle", () => void import("./account.js"));
