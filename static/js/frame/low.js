/**
 * In a low window the bar does not stay (low.css). Its own place may be far away, because older messages are added
 * above. So scrolling up shows it, and scrolling down hides it. Loaded a moment after the page.
 */
import { sheet } from "../base/sheets.js";

const UP = 32, DOWN = 8; // px that count as wanted
const root = document.documentElement, low = matchMedia("(height < 480px)");

/** The message at this height of the window, also below a menu that goes before the next scroll; or the page. @param {number} y */
const at = (y) => document.elementsFromPoint(innerWidth / 2, y).find((el) => el.matches("#transcript > li")) ?? root;
const topOf = (/** @type {Element} */ el) => el.getBoundingClientRect().top;
/** The parts at the top and in the middle of the window, and their places. */
const mark = () => [1, innerHeight / 2].map(at).map((el) => ({ el, top: topOf(el) }));
let seen = mark(), moved = 0;

/**
 * A reader who scrolls moves both. Messages that come, go or change their height move one at most. A browser may scroll beyond
 * an end for a moment.
 */
function look() {
  if (scrollY < 0 || scrollY > root.scrollHeight - innerHeight + 1) return;
  const [a, b] = seen.map(({ el, top }) => el.isConnected ? top - topOf(el) : 0);
  seen = mark();
  if (a > 0 && b > 0) moved = Math.max(moved, 0) + Math.min(a, b);
  else if (a < 0 && b < 0) moved = Math.min(moved, 0) + Math.max(a, b);
  if (moved < -UP) root.dataset.bar = "";
  else if (moved > DOWN) delete root.dataset.bar;
}

function begin() {
  removeEventListener("scroll", look);
  if (!low.matches) return;
  void sheet("/static/css/low.css");
  seen = mark();
  addEventListener("scroll", look, { passive: true });
}
low.addEventListener("change", begin);
begin();
