/** What the pages beside the chat need: the code of a welcome link, copying a field, settings. */
import { $, hit, need } from "./dom.js";
import { say } from "./a11y.js";
import "./theme.js";

// The code travels in the fragment, which no server and no log ever sees.
if ($("#welcome") && location.hash.length > 1) {
  need("[name=code]", HTMLInputElement).value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
  for (const sel of ["#code-field", "#code-hint"]) need(sel, HTMLElement).hidden = true;
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
