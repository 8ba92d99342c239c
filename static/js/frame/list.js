/** The sidebar's list: its further parts while the reader scrolls, and all of it anew after a change. Loaded when there is more, or with a menu. */
import { $, $$, hit, need } from "../base/dom.js";
import { api } from "../base/api.js";
import { further } from "../base/further.js";
import { morph } from "../base/morph.js";
import { update } from "./rows.js";
import { equip } from "./sidebar.js";
import { fragment } from "../base/trust.js";

const PART = 32, MOST = 199; // rows of one answer
const ROWS = "alfred.rows"; // of the page before, as its position is in alfred.list (sidebar.mustache)
const nav = need("#sessions-nav", HTMLElement);

/** A part as nodes. @param {Record<string, string>} query */
async function read(query) {
  const { html } = await api("GET", `/page/sidebar?${new URLSearchParams(query)}`);
  const part = fragment(html);
  for (const row of $$(".row", part)) equip(row);
  return part;
}

/** The part behind a link takes its place. Sessions that are listed already stay where they are. @param {HTMLAnchorElement} link @param {Record<string, string>} [query] @param {ParentNode} [root] has the list */
async function more(link, query, root = nav) {
  const after = new URL(link.href, location.href).searchParams.get("after") ?? ""; // in a template it is relative
  const part = await read({ after, ...query });
  const listed = (/** @type {string | undefined} */ id) => $(`[data-session="${id}"]`, root);
  if ($("[aria-current]", part)) listed(query?.session)?.remove(); // it was above the others
  for (const row of $$(".row", part)) if (listed(row.dataset.session)) row.remove();
  const last = $$("section", root).pop(), first = $("section", part);
  if (last && first && $("h2", last)?.textContent === $("h2", first)?.textContent) {
    $("ul", last)?.append(...$$(".row", first));
    first.remove();
  }
  link.replaceWith(part);
  for (const group of $$("section:not(:has(.row))", root)) group.remove();
}

/** As many rows as on the page before, and the list where it was, unless the reader has scrolled it since. */
async function restore() {
  let rows = 0, top = 0;
  try {
    [rows, top] = [Number(sessionStorage[ROWS]), Number(sessionStorage["alfred.list"])];
    addEventListener("pagehide", () => { sessionStorage[ROWS] = $$(".row", nav).length; });
  } catch { /* no storage, no place */ }
  const session = $("#composer")?.dataset.session;
  let busy = rows <= PART || low.matches;
  for (const by of ["wheel", "touchmove", "keydown"]) nav.addEventListener(by, () => { busy = true; }, { once: true, passive: true });
  for (let left; (left = rows - $$(".row", nav).length) > 0;) {
    const link = $("a.side-more");
    if (!(link instanceof HTMLAnchorElement)) break;
    await more(link, { limit: `${Math.min(left, MOST)}`, ...(session && { session }) });
  }
  if (busy) return;
  nav.scrollTop = top;
  $("[aria-current]", nav)?.scrollIntoView({ block: "nearest" });
}

/** In a low window the whole drawer scrolls: a list that grows would move what is below it away from the reader. There the next part comes with a click. */
const low = matchMedia("(height < 600px)");

const watch = further(() => !low.matches && $("a.side-more"), more, { root: $("#side"), rootMargin: "400px 0px", scrollMargin: "400px 0px" });

/** The list as the server has it now, with as many rows. The element that the user is busy with stays as it is. */
async function reread() {
  const open = $("#composer")?.dataset.session, had = () => $$(".row", nav).length;
  const query = (/** @type {number} */ rows) => ({ limit: `${Math.min(rows, MOST)}`, ...(open && { session: open }) });
  const part = await read(query(Math.max(had(), PART)));
  for (let left; (left = had() - $$(".row", part).length) > 0;) {
    const link = $("a.side-more", part);
    if (!(link instanceof HTMLAnchorElement)) break;
    await more(link, query(left), part);
  }
  const top = nav.scrollTop;
  morph(nav, part);
  nav.scrollTop = top;
  const current = $("[aria-current]", nav)?.closest(".row"), title = $(".row-title", current)?.textContent;
  if (current && title && title !== $("#session-title")?.textContent) update({ id: current.getAttribute("data-session") ?? "", title });
  watch();
}

let reading = restore().finally(watch);
/** Reads the list again. One reading follows another, so that no older answer takes the place of a newer one. */
export const refresh = () => (reading = reading.catch(() => {}).then(reread));

document.addEventListener("click", (e) => {
  const link = hit(e, "#sessions-nav a.side-more");
  if (!(link instanceof HTMLAnchorElement) || e.ctrlKey || e.metaKey || e.shiftKey) return;
  e.preventDefault();
  const row = $$(".row", nav).pop();
  more(link).then(() => {
    ($(".row-link", row?.nextElementSibling ?? row?.closest("section")?.nextElementSibling) ?? nav).focus();
    watch();
  }, () => { location.href = link.href; });
});
low.addEventListener("change", watch);
