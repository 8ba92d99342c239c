/** The scroll position. Pinned: the end stays in view as the page grows. A new turn has its question at the top, and space below. */
import { $, hit, need } from "../base/dom.js";
import { report } from "../base/a11y.js";

const NEAR = 60, TOP_GAP = 8;
const list = need("#transcript", HTMLElement);
const room = need("#room", HTMLElement);
const foot = need("#foot", HTMLElement);
const bar = need(".bar", HTMLElement);
const newest = $("[data-act=newest]");
const root = document.documentElement;

const left = () => root.scrollHeight - innerHeight - scrollY;
/** The page lacks the end. */
const cut = () => $("#newer");
/** "moved": the reader scrolled before this script came (chat.mustache). */
let pinned = !cut() && (left() < NEAR || !(location.hash || "moved" in root.dataset));
let anchor = "";
let lastY = scrollY, lastHeight = root.scrollHeight, touchY = 0;

function arrange() {
  root.style.scrollPaddingBlockEnd = foot.offsetHeight + 8 + "px"; // no focus beneath it
  const el = anchor ? document.getElementById(anchor) : null;
  let height = 0;
  if (el) {
    const view = innerHeight - bar.offsetHeight - foot.offsetHeight;
    const box = el.getBoundingClientRect();
    const top = $(".folded", el) ? box.top : Math.max(box.top, box.bottom - view * .8); // of a long question its end
    height = Math.max(0, Math.floor(view - TOP_GAP - (list.getBoundingClientRect().bottom - top) - parseFloat(getComputedStyle(foot).marginTop)));
  }
  room.style.height = `${height}px`;
  if (pinned) scrollTo(0, root.scrollHeight);
  show();
}

function show() {
  if (newest) root.toggleAttribute("data-newest", !(newest.hidden = !cut() && (pinned || left() - room.offsetHeight < NEAR))); // over.css
}

/** @param {boolean} on */
export function pin(on) {
  pinned = on;
  lastY = scrollY; // a scroll of the caller is not the reader's
  if (on) arrange();
  else show();
}

/** A new turn: scrolls its question to the top. @param {string} id of the article */
export function newTurn(id) {
  anchor = id;
  pin(true);
}

/** Changes the page above; visible text stays. @param {() => void} change */
export function keep(change) {
  const mark = [...list.children].find((li) => li.getBoundingClientRect().bottom > bar.offsetHeight);
  const before = mark?.getBoundingClientRect().top ?? 0;
  change();
  if (mark?.isConnected) scrollBy(0, mark.getBoundingClientRect().top - before);
  lastHeight = root.scrollHeight; // a jump is recognised by it
}

const sizes = new ResizeObserver(arrange);
sizes.observe(list);
sizes.observe(foot);
addEventListener("resize", arrange);
/** The event is in a part that scrolls by itself. @param {Event} e */
const elsewhere = (e) => hit(e, ".side, #canvas, dialog, select, textarea");
addEventListener("wheel", (e) => e.deltaY < 0 && !e.ctrlKey && !elsewhere(e) && pin(false), { passive: true });
addEventListener("touchstart", (e) => { touchY = e.touches[0]?.clientY ?? 0; }, { passive: true });
addEventListener("touchmove", (e) => {
  if ((e.touches[0]?.clientY ?? 0) > touchY + 4 && !hit(e, "#foot") && !elsewhere(e)) pin(false);
}, { passive: true });
addEventListener("keydown", (e) => {
  if (e.key === "PageUp" || (!hit(e, "input") && !elsewhere(e) && ["Home", "ArrowUp"].includes(e.key))) pin(false);
});
addEventListener("scroll", () => {
  const up = scrollY < lastY - 1 && root.scrollHeight >= lastHeight;
  if (up && left() > NEAR) pinned = false; // the scrollbar, find in page, a link
  else if (scrollY > lastY && left() < NEAR && !cut()) pinned = true;
  lastY = scrollY;
  lastHeight = root.scrollHeight;
  show();
}, { passive: true });
async function toNewest() {
  if (cut()) await (await import("./refresh.js")).toEnd();
  pin(true);
}
newest?.addEventListener("click", () => void toNewest().catch(report));
if (!pinned && location.hash) void import("./land.js").catch(() => {});
