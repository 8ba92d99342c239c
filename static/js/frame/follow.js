/** The sidebar and the lists of pages follow what changes elsewhere (changes.js): they are read again, at most once a second, while the page is visible. */
import { $, need } from "../base/dom.js";
import { current, later } from "../base/later.js";
import { morph } from "../base/morph.js";
import { sheet } from "../base/sheets.js";

void sheet("/static/css/over.css"); // now, because the place of an error depends on it

const BUSY_MS = 2000;

/** The pages that follow, and what they show. @type {Record<string, string[]>} */
const SHOWN = {
  "/sessions": ["session"],
  "/tasks": ["task", "suggestion", "reminder"],
  "/reminders": ["reminder"],
  "/data": ["transfer"],
  "/memory": ["memory", "suggestion"],
  "/workspace/instructions": ["file"],
};
const shown = $("#problem") ? [] : SHOWN[location.pathname] ?? []; // a refused form shows what the user has sent

const sidebar = later(async () => (await import("./list.js")).refresh());
/** A menu is open, an upload runs, or rows are selected: asks again later. */
const busy = () => Boolean($("#main :is([role=menu], form[data-sent], .choose:checked)") && setTimeout(main, BUSY_MS));
const main = later(async () => {
  if (busy()) return;
  if ($("#session-list")) return (await import("../pages/sessions.js")).redraw();
  const { res, doc } = await current();
  const now = res.ok && !res.redirected && $("#main", doc);
  if (now && !busy()) morph(need("#main", HTMLElement), now);
});

/** @param {import("./hub.js").News} n */
export function take({ name }) {
  const all = name === "reload";
  if ((all || name === "session") && $("#sessions-nav")) sidebar();
  if (all || name === "reminder") void import("./reminders.js").then((m) => m.refresh());
  if (shown.length && (all || shown.includes(name))) main();
}

if ($("#due form")) void import("./reminders.js");
