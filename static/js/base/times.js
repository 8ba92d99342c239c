/** Dates in words, updated while the page is open. The server writes the first ones, so this comes after a minute. */
import { locale, t } from "texts-later";
import { $$ } from "./dom.js";

const MINUTE = 60e3, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

/** "yesterday" has a word of its own, "2 days ago" has none in some languages. */
const always = new Intl.RelativeTimeFormat(locale), auto = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

/** @param {number} n @param {"minute" | "hour" | "day"} unit */
const ago = (n, unit) => always.format(-n, unit);

/** The user's zone, else that of the browser. */
const timeZone = document.documentElement.dataset.setZone;

/** The day in this zone, such as 2026-11-20. */
const iso = new Intl.DateTimeFormat("sv-SE", { timeZone });

/** @param {Date} at @param {boolean} year */
const date = (at, year) => at.toLocaleDateString(locale, { day: "numeric", month: "long", ...(year && { year: "numeric" }), timeZone });

/** By the rules of humanize_ago(). @param {Date} at @param {Date} [now] */
export function words(at, now = new Date()) {
  const ms = now.getTime() - at.getTime();
  if (ms < MINUTE) return t.just_now;
  if (ms < HOUR) return ago(Math.floor(ms / MINUTE), "minute");
  const then = iso.format(at), today = iso.format(now), days = (Date.parse(today) - Date.parse(then)) / DAY;
  if (days === 0 || ms < 6 * HOUR) return ago(Math.floor(ms / HOUR), "hour");
  if (days === 1) return auto.format(-1, "day");
  if (days < 7) return ago(days, "day");
  return date(at, then.slice(0, 4) !== today.slice(0, 4));
}

/** The exact time, in the form of humanize_exact(). @param {Date} at */
export const exact = (at) => `${date(at, true)}, ${at.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone })}`;

/** Updates the words; the exact times beside them stay right. @param {ParentNode} [root] */
export function refresh(root) {
  for (const el of $$("time[datetime]", root)) {
    const at = new Date(el.getAttribute("datetime") ?? "");
    const [short, long] = el.children;
    if (!isNaN(at.getTime()) && short && long) short.textContent = words(at);
  }
}

setInterval(() => document.hidden || refresh(), MINUTE);
