/** The account menu in the sidebar: the theme, the list of keys, and signing out. Loaded when it first opens. */
import { $, need, store } from "../base/dom.js";
import { report } from "../base/a11y.js";
import { sheet } from "../base/sheets.js";
import "./settings.js";

const menu = need("#account-menu", HTMLDetailsElement);
const within = (/** @type {EventTarget | null} */ el) => el instanceof Node && menu.contains(el);

menu.addEventListener("focusout", (e) => { if (e.relatedTarget && !within(e.relatedTarget)) menu.open = false; });
menu.addEventListener("toggle", () => menu.open && menu.scrollIntoView({ block: "nearest" }));

$("[data-act=keys]", menu)?.addEventListener("click", () => {
  menu.open = false;
  void import("../base/dialogs.js").then((m) => m.help()).catch(report);
});

// Drafts belong to the user who typed them.
$("[data-signout]")?.addEventListener("submit", () => {
  const box = $("#text");
  if (box instanceof HTMLTextAreaElement) box.value = "";
  for (const k of Object.keys(localStorage)) if (/^alfred\.(draft|files|pasted|pictures|queue|sent)\./.test(k)) {
    store.set(k, null);
    globalThis.caches?.delete(k).catch(() => {}); // of pictures.js
  }
});

void sheet("/static/css/menus.css").then(() => menu.scrollIntoView({ block: "nearest" }));
