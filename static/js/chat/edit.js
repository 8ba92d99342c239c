/**
 * The editor of a message: its style, and the focus at its end when it opens; other parts of a message that open. Loaded
 * a moment after a conversation, or when the pointer or the focus comes near a message.
 * @import {El} from "../types"
 */
import { $, $$, hit } from "../base/dom.js";
import { report } from "../base/a11y.js";
import "../text/copied.js";
import { pin } from "../turn/scroll.js";
import { sheet } from "../base/sheets.js";
import { list } from "../turn/transcript.js";

const styled = sheet("/static/css/message.css");

/** A part that has opened: the page may lack it. An editor gets the focus. @param {Element} details */
async function enter(details) {
  const art = /** @type {El | null} */ (details.closest("article"));
  if (art && $("[data-whole]", art)) await import("./whole.js").then((m) => m.complete(art));
  const box = details.matches(".edit") && $("textarea", details);
  if (!(box instanceof HTMLTextAreaElement) || !art) return;
  if ($(".file", art)) await import("./edit_files.js").then((m) => m.unpack(art, box), () => {}); // else they are blocks of the text
  await styled; // the place of the box depends on it
  if (box === document.activeElement) return;
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
  for (const el of [box.form, box]) el?.scrollIntoView({ block: "nearest" }); // the box has by now, when the page was drawn before this
  pin(false); // the end of the page, which grows, would take the box out of view
}

// A part that opens grows downward and stays where it is: the end of the page, kept in view, would take a long text out of it.
document.addEventListener("click", (e) => {
  const opens = hit(e, "#transcript details:not([open], .edit) > summary")?.parentElement;
  if (!opens) return;
  pin(false);
  opens.addEventListener("toggle", () => opens.matches(".unfold") || opens.scrollIntoView({ block: "nearest" }), { once: true });
});
const PARTS = ":is(.edit, .file, .unfold)[open]", opened = () => $(".edit[open]", list), root = document.documentElement;
/** For message.css: ":has()" would style all messages again when one comes or goes (docs/performance.md). */
const note = () => root.toggleAttribute("data-edits", !!opened());
list.addEventListener("toggle", (e) => {
  note();
  if (e.target instanceof Element && e.target.matches(PARTS)) enter(e.target).catch(report);
}, true);
new MutationObserver(() => "edits" in root.dataset && note()).observe(list, { childList: true, subtree: true });
// Text is selected, which can be quoted.
const select = () => getSelection()?.type === "Range" && void import("../text/quote.js").then(() => document.removeEventListener("selectionchange", select), () => {});
document.addEventListener("selectionchange", select);
select();
note();
for (const el of $$(PARTS, list)) enter(el).catch(report); // opened before this module arrived
