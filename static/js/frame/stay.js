/**
 * After a change in a list its page comes back where it was: at the same row, with the focus in it, or in the form for
 * a further entry. The notice of the change, and the button that undoes it, are shown as a toast then.
 */
import { $, $$, need } from "../base/dom.js";
import { formsTo } from "../base/forms.js";

const KEY = "alfred.stay";
const CONTROL = "button, summary, a[href], input:not([type=hidden]), textarea";

/** The row's id, and that of the next one with its place in the window: a row can go to another group. @param {Element | null} row */
function placeOf(row) {
  const rows = $$(".list > li[id]"), at = rows.findIndex((r) => r === row), next = rows[at + 1] ?? rows[at - 1];
  return at < 0 ? {} : { row: row?.id, next: next?.id, top: next?.getBoundingClientRect().top };
}

/** @param {Element | null} el */
const isInView = (el) => {
  const box = el?.getBoundingClientRect();
  return Boolean(box && box.bottom > 0 && box.top < innerHeight);
};

addEventListener("submit", (e) => {
  const form = e.target;
  if (!(form instanceof HTMLFormElement) || form.method !== "post" || !form.closest("main")) return;
  const action = form.getAttribute("action");
  const was = { path: location.pathname, y: scrollY, action, nth: formsTo(action).indexOf(form), ...placeOf(form.closest(".list > li[id]")) };
  try { sessionStorage.setItem(KEY, JSON.stringify(was)); } catch { /* full or denied */ }
});

function take() {
  try {
    const was = JSON.parse(sessionStorage.getItem(KEY) ?? "null");
    sessionStorage.removeItem(KEY);
    return was;
  } catch { return null; }
}

const was = take(), flash = $(".flash");
if (was?.path === location.pathname && flash) {
  const row = document.getElementById(was.row ?? ""), next = document.getElementById(was.next ?? "");
  if (was.y > 0) {
    const url = new URL(location.href);
    for (const name of ["done", "undo", "at"]) url.searchParams.delete(name);
    history.replaceState(null, "", url); // the page that follow.js reads again has no notice then
    await (await import("../base/toast.js")).show(flash);
    scrollTo(0, was.y);
    if (next) scrollBy(0, next.getBoundingClientRect().top - was.top);
  }
  const list = was.row && (isInView(row) ? row : next), form = formsTo(was.action)[was.nth] ?? formsTo(was.action)[0];
  const folded = form?.closest("details:not([open])"); // its summary is its first control
  // A page that waits for a summary comes again when no form has the focus (pages.js).
  if (!$("[data-pending]")) $(CONTROL, list || folded || form || need("#main", HTMLElement))?.focus({ preventScroll: true });
}
