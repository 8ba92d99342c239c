/** The page of a one-time link: takes the code from the address, and shows the sign-in name of the user who is invited. */
import { $, hit, need } from "../base/dom.js";
import { page } from "../base/trust.js";

/** Shows the name. For a bad code, shows the page that the server answers. */
async function look() {
  const code = need("[name=code]", HTMLInputElement).value, field = $("#invited input");
  if (!(field instanceof HTMLInputElement) || !code.trim()) return;
  const res = await fetch("/welcome", { method: "POST", body: new URLSearchParams({ code, password: "" }) });
  const doc = page(await res.text()), name = $("#invited input", doc), main = $("main", doc);
  if (name instanceof HTMLInputElement && name.value) {
    field.value = name.value;
    need("#invited", HTMLElement).hidden = false;
  } else if ($("#welcome", doc) && main) {
    const zone = need("[name=time_zone]", HTMLInputElement).value;
    need("main", HTMLElement).replaceChildren(...main.childNodes);
    need("[name=time_zone]", HTMLInputElement).value = zone;
    $("main [autofocus]")?.focus();
  }
}
const show = () => void look().catch(() => {}); // the page after the sign-in has the name, too

// The code is in the fragment, which is not sent to the server.
if (location.hash.length > 1) {
  need("[name=code]", HTMLInputElement).value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, "", location.pathname);
  for (const sel of ["#code-field", "#code-hint"]) need(sel, HTMLElement).hidden = true;
  need("[name=display_name]", HTMLInputElement).focus();
  show();
}
document.addEventListener("change", (e) => hit(e, "#welcome [name=code]") && show());
