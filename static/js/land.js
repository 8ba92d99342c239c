/**
 * Keeps the message of the address in place until the reader scrolls: messages above it get their real heights only when
 * they come near. Loaded with such an address.
 */
import { list } from "./transcript.js";

const SLACK_PX = 20;

/** @type {Element | null} */
let aim = null;
let top = 0;

function arrange() {
  if (!aim) return;
  aim.scrollIntoView();
  top = aim.getBoundingClientRect().top;
}

export function land() {
  aim = document.getElementById(location.hash.slice(1));
  arrange();
}
new ResizeObserver(arrange).observe(list);
addEventListener("hashchange", land);
addEventListener("scroll", () => {
  if (aim && Math.abs(aim.getBoundingClientRect().top - top) > SLACK_PX) aim = null;
}, { passive: true });
land();
