/**
 * Messages of other server pages: the parts before and after the shown one, loaded while the reader scrolls.
 * Loaded when there are some.
 * @import {El} from "../types"
 */
import { t } from "texts-later";
import { $, $$ } from "../base/dom.js";
import { ApiError, unreachable } from "../base/api.js";
import { prepare } from "./near.js";
import { keep } from "./scroll.js";
import { sheet } from "../base/sheets.js";
import { SLICE_MS } from "../base/slices.js";
import { finish, list } from "./transcript.js";
import { page, policy } from "../base/trust.js";
import * as turn from "./turn.js";

/** Loads a page of the server and its messages. @param {string} url @param {(html: string) => Document | Promise<Document>} [parse] */
export async function read(url, parse = page) {
  const res = await fetch(url, { cache: "no-store" }).catch(() => { throw unreachable(); });
  const doc = await parse(await res.text().catch(() => { throw unreachable(); }));
  if (!res.ok) throw new ApiError(res.status, t.no_conversation);
  if (!$("#transcript", doc)) throw new ApiError(401, t.signed_out); // it is the sign-in page
  if ($(".suggestion", doc)) await sheet("/static/css/suggestion.css");
  return { doc, items: $$("#transcript > li", doc) };
}

const eye = new IntersectionObserver((seen) => {
  for (const s of seen) if (s.isIntersecting && s.target instanceof HTMLAnchorElement) void more(s.target);
}, { rootMargin: "2000px 0px" });

/** Loads the part that a link leads to when the reader comes near it. @param {Element | null} link */
export const watch = (link) => void (link && eye.observe(link));

/** The link to further messages, from another page of the server. @param {"older" | "newer"} id @param {Document} doc */
export function way(id, doc) {
  const mine = $(`#${id}`)?.parentElement, next = $(`#${id}`, doc)?.parentElement, held = mine?.contains(document.activeElement);
  mine?.remove();
  if (next && id === "older") list.before(next);
  else if (next) list.after(next);
  const link = $(`#${id}`);
  watch(link);
  if (held) (link ?? $(`:scope > li:${id === "older" ? "first" : "last"}-child article`, list))?.focus({ preventScroll: true });
}

/** The end is shown: the page follows a running turn. @param {Document} doc */
export function atEnd(doc) {
  const id = $("#composer", doc)?.dataset.turn;
  if (id) turn.join(id);
}

/** The page has at most so many messages: each one costs time in every frame. */
const SHOWN_MAX = 100;
/** Messages that are added or removed at once, or pieces that are parsed: as many as their time allows. */
const AT_ONCE_MAX = 8;
/** Each change of the list styles, lays out and paints what is in view, which costs as much for one message as for some. */
const CHANGE_MS = 3 * SLICE_MS;
/** A reader who scrolls leaves little idle time, and waits at the end of what is there. */
const IDLE_WAIT_MS = 16, FRAMES_MAX = 3;
const soon = () => new Promise((ok) => setTimeout(ok));
/** A message was shown for the first time. */
let shown = false;
list.addEventListener("contentvisibilityautostatechange", (e) => {
  shown ||= !(/** @type {ContentVisibilityAutoStateChangeEvent} */ (e).skipped);
}, true);

/** Waits for idle time, or for a frame that shows no message for the first time: one that does takes long. */
async function idle() {
  if (document.hidden || !window.requestIdleCallback) return soon();
  /** @type {IdleDeadline} */
  const { didTimeout } = await new Promise((ok) => requestIdleCallback(ok, { timeout: IDLE_WAIT_MS }));
  for (let i = 0; didTimeout && !document.hidden && i < FRAMES_MAX && (!i || shown); i++) {
    shown = false;
    await new Promise(requestAnimationFrame);
    await soon(); // after the frame
    await soon(); // after its events, which come later than a timer of the frame's callback
  }
}

/** Calls `fn` for all of them, some in each idle period. @template T @param {T[]} all @param {(some: T[]) => void} fn @param {() => boolean} [on] whether to go on @param {number} [ms] for some */
async function whileIdle(all, fn, on = () => true, ms = SLICE_MS) {
  for (let some = 1; all.length && on();) {
    await idle();
    const began = performance.now();
    fn(all.splice(0, some));
    some = performance.now() - began > ms ? Math.ceil(some / 2) : Math.min(2 * some, AT_ONCE_MAX);
  }
}

const PIECES = /[^]{1,8000}/gu;

/** Parses a page in idle time, in pieces. Its addresses stay as they are written. @param {string} html */
async function parseInIdle(html) {
  const doc = document.implementation.createHTMLDocument();
  doc.open();
  await whileIdle(html.match(PIECES) ?? [], (some) => some.forEach((s) => doc.write(policy.createHTML(s))));
  doc.close();
  return doc;
}

/** Whether the user is busy with this element. @param {Element} el */
const used = (el) => el.contains(document.activeElement) || $("details[open], [data-turn]", el) || getSelection()?.containsNode(el, true);

/**
 * Removes the messages that are farthest from the ones that were added. The links of the added part lead back to them.
 * @param {"older" | "newer"} id the link that led to `doc` @param {Document} doc
 */
async function trim(id, doc) {
  const other = id === "older" ? "newer" : "older", kids = $$("#transcript > li");
  /** @type {El[]} */
  const gone = [];
  if (turn.running()) return;
  while (kids.length > SHOWN_MAX) {
    const li = other === "newer" ? kids.pop() : kids.shift();
    if (!li || used(li)) break;
    gone.push(li);
  }
  const last = $("article", other === "newer" ? kids[kids.length - 1] : kids[0]), link = $(`#${other}`, doc), edge = last?.dataset.id;
  if (!gone.length || !edge || !(link instanceof HTMLAnchorElement)) return;
  const url = new URL(link.getAttribute("href") ?? "", location.href);
  url.searchParams.set(other === "newer" ? "after" : "before", edge);
  link.href = url.href;
  $(`#${other}`)?.parentElement?.remove(); // it leads to a part behind those that go
  await whileIdle(gone, (some) => {
    const remove = () => some.forEach((li) => li.remove());
    if (other === "newer") remove();
    else keep(remove);
    void list.offsetHeight; // the layout is a part of this work, not of the next frame
  }, () => last.isConnected, CHANGE_MS);
  if (last.isConnected) keep(() => way(other, doc));
}

/** The last removal of messages, after which the next one begins. */
let trimmed = Promise.resolve();

/** @param {HTMLAnchorElement} link */
async function more(link) {
  eye.unobserve(link);
  const id = link.id === "older" ? "older" : "newer";
  try {
    const { doc, items } = await read(link.href, parseInIdle);
    if (!link.isConnected) return; // replaced by another page meanwhile
    const fresh = items.filter((li) => !document.getElementById($("article", li)?.id ?? ""));
    if (id === "older") fresh.reverse();
    await whileIdle(fresh, (some) => {
      some.forEach((li) => {
        finish(li);
        prepare(li);
      });
      keep(() => (id === "older" ? list.prepend(...some.reverse()) : list.append(...some)));
    }, () => link.isConnected, CHANGE_MS);
    if (!link.isConnected) return;
    keep(() => way(id, doc)); // its part is read while messages are removed
    const next = $(`#${id}`);
    trimmed = trimmed.then(() => trim(id, doc));
    await trimmed;
    if (!$("#newer") && next === $(`#${id}`)) atEnd(doc);
  } catch { /* the user can still click the link */ }
}
