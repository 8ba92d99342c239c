/**
 * The text of a form that is refused, because the user is signed out, comes back into the form after the sign-in. It is
 * kept in this tab and for this user, and sent only when the user presses the button again. Passwords and files are
 * not kept. Without scripts the page of the error shows the text (templates/error.mustache).
 */
import { t } from "texts-later";
import { $ } from "../base/dom.js";
import { formsTo } from "../base/forms.js";
import { toast } from "../base/toast.js";

const KEY = "alfred.typed";
const user = parseInt(document.documentElement.dataset.live ?? "") || 0; // 0: nobody is signed in

/** @typedef {HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement} Control */
/** @typedef {{name: string, value: string, checked: boolean}} Value */
/** @typedef {{user: number, path: string, action: string | null, nth: number, values: Value[], refused?: boolean}} Typed */

const CONTROL = "input[name]:not([type=hidden], [type=password], [type=file]), textarea[name], select[name]";
/** @param {HTMLFormElement} form */
const controls = (form) => /** @type {Control[]} */ ([...form.elements].filter((el) => el.matches(CONTROL)));
/** @param {Control} c @returns {Value} */
const valueOf = (c) => ({ name: c.name, value: c.value, checked: c instanceof HTMLInputElement && c.checked });

/** @param {Typed | null} typed */
function store(typed) {
  try {
    if (typed) sessionStorage.setItem(KEY, JSON.stringify(typed));
    else sessionStorage.removeItem(KEY);
  } catch { /* full or denied: the page of the error has the text */ }
}
/** @returns {Typed | null} */
function stored() {
  try { return JSON.parse(sessionStorage.getItem(KEY) ?? "null"); } catch { return null; }
}

/** @param {Control} c @param {Value} v */
function fill(c, v) {
  if (c instanceof HTMLInputElement && /^(checkbox|radio)$/.test(c.type)) c.checked = v.checked;
  else if (!(c instanceof HTMLSelectElement) || [...c.options].some((o) => o.value === v.value)) c.value = v.value;
  c.dispatchEvent(new Event("input", { bubbles: true }));
}

/** @param {Typed} typed */
function bringBack(typed) {
  const form = formsTo(typed.action)[typed.nth], now = form ? controls(form) : [];
  if (!form || now.length !== typed.values.length || now.some((c, i) => c.name !== typed.values[i]?.name)) return;
  store(null);
  for (const el of form.querySelectorAll("details")) el.open = true;
  for (let el = form.closest("details"); el; el = el.parentElement?.closest("details") ?? null) el.open = true;
  now.forEach((c, i) => fill(c, /** @type {Value} */ (typed.values[i])));
  now.find((c) => c.matches("textarea, input:not([type=checkbox], [type=radio])"))?.focus();
  toast(t.typed_is_back);
}

addEventListener("submit", (e) => {
  const form = e.target;
  if (!(form instanceof HTMLFormElement) || !user) return;
  const action = form.getAttribute("action"), nth = formsTo(action).indexOf(form), values = controls(form).map(valueOf);
  if (nth >= 0 && values.some((v) => v.value.trim())) store({ user, path: location.pathname, action, nth, values });
});

const typed = stored();
if (typed && $("#typed[data-returns]")) {
  store({ ...typed, refused: true });
  $("a[target]", $("#typed")?.parentElement ?? document)?.removeAttribute("target"); // the text comes back in this tab
} else if (typed && user && (!typed.refused || typed.user !== user)) store(null);
else if (typed && user && typed.path === location.pathname) bringBack(typed);
