/**
 * In a low window the bar does not stay (low.css). Its own place may be far away, because older messages are added
 * above. So scrolling up shows it, and scrolling down hides it. Loaded a moment after the page.
 */
import { $, need } from "../base/dom.js";
import { sheet } from "../base/sheets.js";

const UP = 32, DOWN = 8; // px that count as wanted
const root = document.documentElement, bar = need(".bar", HTMLElement), low = matchMedia("(height < 480px)");

/** The distances to both ends of the page, and the messages at its ends. A browser may scroll beyond an end for a moment. */
function ends() {
  const list = $("#transcript"), all = Math.max(root.scrollHeight - innerHeight, 0), above = Math.min(Math.max(scrollY, 0), all);
  return { above, below: all - above, first: list?.firstElementChild, final: list?.lastElementChild };
}
let last = ends(), moved = 0;

/** A change of a height in the page changes one distance. Only the reader changes both, and messages that come at one end and go at the other. */
function look() {
  const was = last, now = (last = ends());
  if (now.first !== was.first || now.final !== was.final) return;
  const down = Math.min(now.above - was.above, was.below - now.below), up = Math.min(was.above - now.above, now.below - was.below);
  if (down > 0) moved = Math.max(moved, 0) + down;
  else if (up > 0) moved = Math.min(moved, 0) - up;
  if (moved < -UP) bar.dataset.shown = "";
  else if (moved > DOWN) delete bar.dataset.shown;
}

function begin() {
  removeEventListener("scroll", look);
  if (!low.matches) return;
  void sheet("/static/css/low.css");
  last = ends();
  addEventListener("scroll", look, { passive: true });
}
low.addEventListener("change", begin);
begin();
