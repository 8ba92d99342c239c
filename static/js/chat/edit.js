/**
 * The editor of a message: its style, and the focus at its end when it opens; other parts of a message that open. Loaded
 * a moment after a conversation, or when the pointer or the focus comes near a message.
 */
import { $, hit } from "../base/dom.js";
import "../text/copied.js";
import { pin } from "../turn/scroll.js";
import { sheet } from "../base/sheets.js";
import { list } from "../turn/transcript.js";

const styled = sheet("/static/css/message.css");

/** @param {Element | null} details */
async function enter(details) {
  const box = details && $("textarea", details), art = details?.closest("article");
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
const opened = () => $(".edit[open]", list), root = document.documentElement;
/** For message.css: ":has()" would style all messages again when one comes or goes (docs/performance.md). */
const note = () => root.toggleAttribute("data-edits", !!opened());
list.addEventListener("toggle", (e) => {
  note();
  if (e.target instanceof Element && e.target.matches(".edit[open]")) void enter(e.target);
}, true);
new MutationObserver(() => "edits" in root.dataset && note()).observe(list, { childList: true, subtree: true });
// Text is selected, which can be quoted.
const select = () => getSelection()?.type === "Range" && void import("../text/quote.js").then(() => document.removeEventListener("selectionchange", select), () => {});
document.addEventListener("selectionchange", select);
select();
note();
void enter(opened()); // opened before this module arrived
