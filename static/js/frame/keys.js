/** Keys that work everywhere. */
import { t } from "texts";
import { $, $$, composing, h, hit, isMac } from "../base/dom.js";
import { report } from "../base/a11y.js";
import { closeDrawer, toggle } from "./sidebar.js";

/** Set by the chat page. @type {{stop?: () => boolean}} */
export const hooks = {};

/** Takes what is typed while the search box loads. */
const early = h("input", { class: "sr" });

async function find() {
  if (!$("#side") || early.isConnected || $("dialog[open]")) return;
  closeDrawer();
  const before = document.activeElement;
  document.body.append(early);
  early.focus({ preventScroll: true });
  await import("./find.js").then((m) => m.find(early, before)).catch(report);
  early.remove();
}

for (const k of $$("[data-key]")) k.textContent = (isMac ? "⌘" : `${t.ctrl}+`) + k.dataset.key;
$("[data-act=find]")?.addEventListener("click", (e) => {
  if (e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  void find();
});

/** The button of the open menu: those with this name are never open together. */
const opener = () => $("[name=popover][open] > summary");
for (const by of ["pointerdown", "focusin"]) addEventListener(by, (e) => hit(e, "[name=popover][open]") || opener()?.click());

addEventListener("keydown", (e) => {
  if (composing(e) || e.defaultPrevented) return;
  const key = e.key.toLowerCase();
  let act;
  if ((isMac ? e.metaKey : e.ctrlKey) && !e.altKey) {
    if (key === "/") act = () => import("../base/dialogs.js").then((m) => m.help()).catch(report);
    else if (e.shiftKey) act = { o: () => location.assign("/"), s: toggle }[key];
    else if (key === "k") act = find;
  } else if (key === "escape" && !$("dialog[open]")) {
    const button = opener();
    button?.focus();
    button?.click();
    if (e.shiftKey) act = () => $("#text")?.focus();
    else if (button || closeDrawer() || hooks.stop?.()) e.preventDefault();
  }
  if (!act) return;
  e.preventDefault();
  void act();
});
