/** Dates in words, updated while the page is open. The server writes the first ones, so this comes after a minute. */
import { locale, t } from "texts-later";
import { $$ } from "./dom.js";

const MINUTE = 60e3, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

/** "yesterday" has a word of its own, "2 days ago" has none in some languages. */
const always = new Intl.RelativeTimeFormat(locale), auto = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

/** @param {number} n @param {"minute" | "hour" | "day"} unit */
const ago = (n, unit) => always.format(-n, unit);

/** @param {Date} at @param {Date} [now] */
export function words(at, now = new Date()) {
  const d = now.getTime() - at.getTime();
  if (d < MINUTE) return t.just_now;
  if (d < HOUR) return ago(Math.floor(d / MINUTE), "minute");
  if (d < DAY) return ago(Math.floor(d / HOUR), "hour");
  if (d < 2 * DAY) return auto.format(-1, "day");
  if (d < 7 * DAY) return ago(Math.floor(d / DAY), "day");
  const sameYear = at.getFullYear() === now.getFullYear();
  return at.toLocaleDateString(locale, { day: "numeric", month: "long", ...(sameYear ? {} : { year: "numeric" }) });
}

/** The exact time in the user's zone. @param {Date} at */
export const exact = (at) => at.toLocaleString(locale, { dateStyle: "full", timeStyle: "short", timeZone: document.documentElement.dataset.setZone });

/** Updates exact times and words. @param {ParentNode} [root] */
export function refresh(root) {
  for (const el of $$("time[datetime]", root)) {
    const at = new Date(el.getAttribute("datetime") ?? "");
    const [short, long] = el.children;
    if (isNaN(at.getTime()) || !short || !long) continue;
    el.title = long.textContent = exact(at);
    short.textContent = words(at);
  }
}

setInterval(() => document.hidden || refresh(), MINUTE);
