/** Messages from other server pages: earlier ones, or the whole conversation as it is now. Loaded when needed. */
import { $, $$ } from "./dom.js";
import { keep } from "./scroll.js";
import { sheet } from "./sheets.js";
import { finish, list } from "./transcript.js";
import { page } from "./trust.js";

/** A page of the server, and its messages ready to be shown. @param {string} url */
export async function read(url) {
  const res = await fetch(url, { cache: "no-store" }), doc = page(await res.text());
  if (!res.ok) throw new Error("The conversation cannot be reached right now.");
  if (!$("#transcript", doc)) throw new Error("You have been signed out."); // what came is the door
  if ($(".suggestion", doc)) await sheet("/static/css/suggestion.css");
  const items = $$("#transcript > li", doc);
  items.forEach((li) => finish(li));
  return { doc, items };
}

/** @param {HTMLAnchorElement} link */
async function older(link) {
  const { doc, items } = await read(link.href);
  const next = $("#older", doc)?.getAttribute("href");
  keep(() => {
    list.prepend(...items.filter((li) => !document.getElementById($("article", li)?.id ?? "")));
    if (next) link.href = next;
    else link.parentElement?.remove();
  });
}

/** Takes the conversation as the server has it now; gives the page for what else it says. @param {string} url */
export async function reload(url) {
  const { doc, items } = await read(url);
  list.replaceChildren(...items);
  $("#questions")?.replaceChildren(...($("#questions", doc)?.childNodes ?? []));
  return doc;
}

/** Loads earlier messages when the reader comes near the top. @param {HTMLAnchorElement} link */
export function watchOlder(link) {
  let busy = false;
  const eye = new IntersectionObserver(async (seen) => {
    if (busy || !seen.some((s) => s.isIntersecting)) return;
    busy = true;
    eye.unobserve(link);
    try {
      await older(link);
      if (link.isConnected) eye.observe(link);
    } catch { /* the link stays, to be followed by hand */ }
    busy = false;
  }, { rootMargin: "600px 0px" });
  eye.observe(link);
}
