/** The user's settings: a choice is saved at once, here and in the account menu; the forms of texts are sent without a new page. */
import { t as first } from "texts";
import { t } from "texts-later";
import { $, $$, hit, isMac } from "../base/dom.js";
import { api } from "../base/api.js";
import { report } from "../base/a11y.js";
import { sheet } from "../base/sheets.js";

const root = document.documentElement;
/** The page's state in the history while it is loaded again in another language. */
const AGAIN = "language";

/** Applies a setting to the open page. @param {string} name @param {string} value */
function apply(name, value) {
  if (name === "theme" && value !== "system") root.dataset.theme = value;
  else if (name === "theme") delete root.dataset.theme;
  if (name === "text_size") void sheet("/static/css/text-size.css").then(() => { root.dataset.textSize = value; });
  for (const el of $$(`[data-setting=${name}]`)) {
    if (el instanceof HTMLInputElement) el.checked = el.value === value;
    if (el instanceof HTMLSelectElement) el.value = value;
  }
}

/** The values that the server has. @type {Record<string, string>} */
const saved = {};
const value = (/** @type {any} */ el) => (el.type === "radio" && !el.checked ? undefined : el.value);
for (const el of $$("[data-setting]")) saved[el.dataset.setting ?? ""] = value(el) ?? saved[el.dataset.setting ?? ""];
saved.theme = root.dataset.theme ?? "system"; // the menu's own radios are written without it
apply("theme", saved.theme);

/** Saves one after the other, so that the last choice stays. */
let last = Promise.resolve();

/** @param {Element} form @param {Record<string, string | boolean>} change */
const save = (form, change) => (last = last.then(async () => {
  const said = $(".saved", form);
  if (said) said.textContent = "";
  if (change.language) for (const el of $$("form.setting textarea")) // the page that comes has only what is saved
    if (el instanceof HTMLTextAreaElement && el.value !== el.defaultValue) change[el.name] = el.value;
  try {
    await api("PATCH", "/api/settings", change);
    for (const [k, v] of Object.entries(change)) saved[k] = typeof v === "boolean" ? (v ? "yes" : "no") : v;
    if (change.language) {
      history.replaceState(AGAIN, "");
      return location.reload();
    }
    if (said) said.textContent = t.saved;
  } catch (why) {
    for (const k of Object.keys(change)) if (saved[k] !== undefined) apply(k, saved[k] ?? "");
    report(why);
  }
}));

if (history.state === AGAIN) {
  history.replaceState(null, "");
  $("[data-setting=language]:checked")?.focus({ preventScroll: true });
}

document.addEventListener("change", (e) => {
  const el = hit(e, "[data-setting]");
  if (!(el instanceof HTMLInputElement || el instanceof HTMLSelectElement)) return;
  const name = el.dataset.setting ?? "";
  apply(name, el.value);
  void save(el.closest("form") ?? el, { [name]: ["yes", "no"].includes(el.value) ? el.value === "yes" : el.value });
});

// The permission is asked for with the choice; once more in a browser that has not been asked.
$("[data-setting=notifications][value=yes]")?.addEventListener("click", () => void import("./notify.js").then((m) => m.ask()));

for (const form of /** @type {HTMLFormElement[]} */ ($$("form.setting"))) {
  form.addEventListener("submit", (e) => {
    const text = $("textarea", form);
    if (!(text instanceof HTMLTextAreaElement)) return;
    e.preventDefault();
    void save(form, { [text.name]: text.value });
  });
  form.addEventListener("input", () => { const said = $(".saved", form); if (said) said.textContent = ""; });
}

for (const el of $$("[data-mod-name]")) el.textContent = isMac ? "⌘" : first.ctrl;
