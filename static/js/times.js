/** Dates in words, updated while the page is open. The server writes the first ones, so this comes after a minute. */
import { $$ } from "./dom.js";

const MINUTE = 60e3, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

/** @param {number} n @param {string} unit */
const ago = (n, unit) => `${n} ${unit}${n === 1 ? "" : "s"} ago`;

/** @param {Date} at @param {Date} [now] */
export function words(at, now = new Date()) {
  const d = now.getTime() - at.getTime();
  if (d < MINUTE) return "just now";
  if (d < HOUR) return ago(Math.floor(d / MINUTE), "minute");
  if (d < DAY) return ago(Math.floor(d / HOUR), "hour");
  if (d < 2 * DAY) return "yesterday";
  if (d < 7 * DAY) return ago(Math.floor(d / DAY), "day");
  const sameYear = at.getFullYear() === now.getFullYear();
  return at.toLocaleDateString("en-GB", { day: "numeric", month: "long", ...(sameYear ? {} : { year: "numeric" }) });
}

/** The exact time in the user's zone. @param {Date} at */
export const exact = (at) => at.toLocaleString("en-GB", { dateStyle: "full", timeStyle: "short", timeZone: document.documentElement.dataset.setZone });

/** Updates exact times and words. @param {ParentNode} [root] */
export function refresh(root) {
  for (const t of $$("time[datetime]", root)) {
    const at = new Date(t.getAttribute("datetime") ?? "");
    const [short, long] = t.children;
    if (isNaN(at.getTime()) || !short || !long) continue;
    t.title = long.textContent = exact(at);
    short.textContent = words(at);
  }
}

setInterval(() => document.hidden || refresh(), MINUTE);
