/** The list of sessions: further pages while scrolling, all of it anew after a change, and F2 to rename. */
import { $, $$, hit, need } from "../base/dom.js";
import { report } from "../base/a11y.js";
import { unreachable } from "../base/api.js";
import { further } from "../base/further.js";
import { morph } from "../base/morph.js";
import { page } from "../base/trust.js";

const LEAST = 30, MOST = 199; // rows of one answer: without a number, and at most

/** @param {Document} [root] */
const rows = (root) => $$("#session-list > li", root);
/** @param {string} url */
async function read(url) {
  const res = await fetch(url, { cache: "no-store" });
  if (!res.ok || res.redirected) throw unreachable();
  return page(await res.text());
}

/** The page behind the link continues the list. @param {HTMLAnchorElement} link @param {Document} root has both */
async function more(link, root) {
  const doc = await read(link.href);
  for (const row of rows(doc)) if (!$(`#session-list > [data-session="${row.dataset.session}"]`, root)) $("#session-list", root)?.append(row);
  const next = $("a[rel=next]", doc);
  if (next) link.replaceWith(next);
  else link.remove();
}

const watch = further(() => $("a[rel=next]"), (link) => more(link, document), { rootMargin: "600px 0px" });
watch();

/** The page as the server has it now, with as many rows. What the user is busy with stays as it is. */
export async function redraw() {
  const n = rows().length, url = new URL(location.href);
  url.searchParams.set("limit", `${Math.min(Math.max(n, LEAST), MOST)}`);
  const doc = await read(url.href);
  for (let link; rows(doc).length < n && (link = $("a[rel=next]", doc)) instanceof HTMLAnchorElement;) await more(link, doc);
  morph(need("#main", HTMLElement), /** @type {Element} */ ($("#main", doc)));
  watch();
}

document.addEventListener("keydown", async (e) => {
  const row = hit(e, "#session-list > li");
  if (e.key !== "F2" || !row) return;
  e.preventDefault();
  try { (await import("../frame/menu.js")).rename(row); } catch (why) { report(why); }
});
