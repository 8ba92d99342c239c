/** The list of sessions: further pages while scrolling, and F2 to rename. */
import { $, $$, hit } from "./dom.js";
import { report } from "./a11y.js";
import { page } from "./trust.js";

/** The page behind the link continues the list. @param {HTMLAnchorElement} link */
async function more(link) {
  const doc = page(await (await fetch(link.href)).text());
  for (const row of $$("#session-list > li", doc)) if (!$(`#session-list > [data-session="${row.dataset.session}"]`)) $("#session-list")?.append(row);
  const next = $("a[rel=next]", doc);
  if (next) link.replaceWith(next);
  else link.remove();
}

/** Loads the next page when the reader comes near its link. */
function watch() {
  const link = $("a[rel=next]");
  if (!(link instanceof HTMLAnchorElement)) return;
  const eye = new IntersectionObserver(async (seen) => {
    if (!seen.some((s) => s.isIntersecting)) return;
    eye.disconnect();
    try {
      await more(link);
      watch();
    } catch { /* the link stays, to be followed by hand */ }
  }, { rootMargin: "600px 0px" });
  eye.observe(link);
}
watch();
document.addEventListener("alfred-list", watch);

document.addEventListener("keydown", async (e) => {
  const row = hit(e, "#session-list > li");
  if (e.key !== "F2" || !row) return;
  e.preventDefault();
  try { (await import("./menu.js")).rename(row); } catch (why) { report(why); }
});
