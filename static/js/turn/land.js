/**
 * Keeps a message in place until the reader scrolls: messages above it get their real heights only when they come near.
 * Loaded for the message of the address, and when a reading position comes back.
 */
import { list } from "./transcript.js";

const SLACK_PX = 20;

/** @type {Element | null} */
let aim = null;
let top = 0;

function arrange() {
  if (aim) scrollBy(0, aim.getBoundingClientRect().top - top);
}

/** Holds the message `at` pixels below the top of the window; without `at`, where a link would scroll it. @param {Element | null} el @param {number} [at] */
export function hold(el, at) {
  if (at === undefined) el?.scrollIntoView();
  aim = el;
  top = at ?? el?.getBoundingClientRect().top ?? 0;
  arrange();
}

const land = () => hold(document.getElementById(location.hash.slice(1)));

new ResizeObserver(arrange).observe(list);
addEventListener("scroll", () => {
  if (aim && Math.abs(aim.getBoundingClientRect().top - top) > SLACK_PX) aim = null;
}, { passive: true });
addEventListener("hashchange", land);
if (location.hash && !history.state?.reading) land();
