/**
 * In a low window the bar does not stay (low.css). Its own place may be far away, because older messages are added
 * above. So scrolling up shows it, and scrolling down hides it. Loaded a moment after the page.
 */
import { sheet } from "../base/sheets.js";

const UP = 32, DOWN = 8; // px that count as wanted
const root = document.documentElement, low = matchMedia("(height < 480px)");

/** The message in the middle, also below a menu that goes before the next scroll; or another part of the page. */
function middle() {
  const all = document.elementsFromPoint(innerWidth / 2, innerHeight / 2);
  return all.find((el) => el.matches("#transcript > li")) ?? all[0] ?? null;
}
const topOf = (/** @type {Element | null} */ el) => el?.getBoundingClientRect().top ?? 0;
let seen = middle(), at = topOf(seen), moved = 0;

/** Messages that come and go leave what is in view where it is. Only the reader moves it. A browser may scroll beyond an end for a moment. */
function look() {
  if (scrollY < 0 || scrollY > root.scrollHeight - innerHeight + 1) return;
  const down = seen?.isConnected ? at - topOf(seen) : 0;
  seen = middle();
  at = topOf(seen);
  if (down > 0) moved = Math.max(moved, 0) + down;
  else if (down < 0) moved = Math.min(moved, 0) + down;
  if (moved < -UP) root.dataset.bar = "";
  else if (moved > DOWN) delete root.dataset.bar;
}

function begin() {
  removeEventListener("scroll", look);
  if (!low.matches) return;
  void sheet("/static/css/low.css");
  seen = middle();
  at = topOf(seen);
  addEventListener("scroll", look, { passive: true });
}
low.addEventListener("change", begin);
begin();
