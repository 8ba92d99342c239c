/** Scripts of the pages other than the chat: copying a field, a pending summary, forms in lists. */
import { t } from "texts-later";
import { $, $$, composing, h, hit } from "../base/dom.js";
import { api } from "../base/api.js";
import { report, say } from "../base/a11y.js";

if ($("#welcome")) await import("./welcome.js");
for (const el of $$("[type=hidden][name=time_zone]")) el.setAttribute("value", Intl.DateTimeFormat().resolvedOptions().timeZone);

if ($("#session-list")) void import("./sessions.js");
if ($("[data-offers]")) void import("./offers.js");
if ($("main [data-setting]")) await import("../frame/settings.js");
if ($("#batch")) await import("./select.js");
if ($("main form[method=post], #typed")) await import("./typed.js");
if ($("main form[method=post], .flash")) await import("../frame/stay.js");

// A pending summary: reloads the page when it is written and no form has the focus.
const PENDING_MS = 2000;
if ($("[data-pending]")) {
  const id = location.pathname.split("/")[2];
  const look = setInterval(async () => {
    if (document.hidden || $("main form :focus")) return;
    const { pending } = await api("GET", `/api/sessions/${id}/summaries`).catch((e) => ({ pending: e.status !== 401 && e.status !== 404 && {} }));
    if (pending && pending.state !== "failed") return;
    clearInterval(look);
    location.replace(location.pathname);
  }, PENDING_MS);
}

// A form in a list: opening it focuses the first field, also when it came open with the page; Esc restores its values.
const focusFirst = (/** @type {Element | null} */ el) => $("input:not([type=hidden]), textarea", el?.closest(".rename[open]") ?? h("p"))?.focus();
document.addEventListener("toggle", (e) => { if (e.target instanceof Element) focusFirst(e.target); }, true);
if (document.activeElement === document.body) focusFirst($(".rename[open]"));
document.addEventListener("keydown", (e) => {
  const box = hit(e, ".rename[open]");
  if (e.key !== "Escape" || composing(e) || !(box instanceof HTMLDetailsElement)) return;
  e.preventDefault();
  box.querySelector("form")?.reset();
  box.open = false;
  $("summary", box)?.focus();
});

document.addEventListener("click", async (e) => {
  const b = hit(e, "[data-act=copy-field]");
  if (!b) return;
  const field = $(`#${b.dataset.field}`);
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return;
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
  } catch { return report(new Error(t.link_selected)); }
  b.textContent = t.copied;
  say(t.copied);
});
