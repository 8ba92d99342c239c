/** What the pages beside the chat need: the code of a welcome link, copying a field, a summary on its way, settings. */
import { $, hit, need } from "./dom.js";
import { api } from "./api.js";
import { say } from "./a11y.js";
import "./theme.js";

// The code travels in the fragment, which no server and no log ever sees.
if ($("#welcome") && location.hash.length > 1) {
  need("[name=code]", HTMLInputElement).value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
  for (const sel of ["#code-field", "#code-hint"]) need(sel, HTMLElement).hidden = true;
}

// A summary that was asked for: the page shows it as soon as it is written, unless somebody is in the form.
const PENDING_MS = 2000;
if ($("[data-pending]")) {
  const id = location.pathname.split("/")[2];
  const look = setInterval(async () => {
    const { pending } = await api("GET", `/api/sessions/${id}/summaries`).catch(() => ({ pending: {} }));
    if (pending && !pending.failed) return;
    clearInterval(look);
    location.replace(location.pathname);
  }, PENDING_MS);
}

document.addEventListener("click", async (e) => {
  const b = hit(e, "[data-act=copy-field]");
  if (!b) return;
  const field = need(`#${b.dataset.field}`, HTMLInputElement);
  field.select();
  await navigator.clipboard.writeText(field.value);
  b.textContent = "Copied";
  say("Copied");
});
