/** Actions on many sessions of the list: the bar with what is selected, ranges with Shift, the key x, and Undo. */
import { t } from "texts-later";
import { $, $$, hit, need } from "./dom.js";
import { api } from "./api.js";
import { report } from "./a11y.js";
import { refresh } from "./list.js";
import { redraw } from "./menu.js";
import { toast } from "./toast.js";

const main = need("#main", HTMLElement);
/** @type {HTMLInputElement | null} */
let last = null; // the other end of a range

const picks = () => /** @type {HTMLInputElement[]} */ ($$(".choose", main));
const picked = () => picks().filter((p) => p.checked);

/** The number of all that match, once something is selected. */
async function countAll() {
  const label = $("#all-match:not([data-counted])", main), form = label?.closest("form");
  if (!label || !form) return;
  label.dataset.counted = "";
  const data = new FormData(form), query = new URLSearchParams({ q: `${data.get("q")}`, show: `${data.get("show")}` });
  label.textContent = (await api("GET", `/page/sessions/count?${query}`)).words;
}

function count() {
  const line = $("#picked", main), all = main.querySelector("[name=all]");
  if (line) line.textContent = picked().length ? t.picked({ n: picked().length }) : "";
  if (all instanceof HTMLInputElement && !picked().length) all.checked = false;
  if (picked().length) countAll().catch(report);
}

/** @param {HTMLInputElement} pick @param {boolean} range */
function choose(pick, range) {
  const all = picks(), from = range && last ? all.indexOf(last) : -1, to = all.indexOf(pick);
  if (from >= 0) for (const p of all.slice(Math.min(from, to), Math.max(from, to) + 1)) p.checked = pick.checked;
  last = pick;
  count();
}

async function redrawAll() {
  document.forms.namedItem("batch")?.reset(); // nothing is selected
  await Promise.all([refresh(), redraw()]);
  last = null;
  count();
}

/** @param {HTMLFormElement} form @param {HTMLElement | null} button */
async function run(form, button) {
  const data = new FormData(form, button), all = data.get("all") === "yes";
  const action = /** @type {string | null} */ (data.get("action")); // none: the export
  const body = {
    ...(action && { action }), ...(all ? { all, q: data.get("q"), show: data.get("show") } : { ids: picked().map((p) => p.value) }),
    ...(action === "workspace" && { workspace: data.get("workspace") }), ...(action?.endsWith("tag") && { tag: data.get("tag") }),
  };
  const done = await api("POST", action ? "/page/sessions/batch" : "/page/sessions/export", body);
  if (done.running || !action) return location.assign(done.url);
  await redrawAll();
  toast(done.words, done.undo_url && (async () => {
    const back = await api("POST", done.undo_url, {});
    if (back.running) return location.assign(back.url);
    await redrawAll();
    toast(back.words);
  }));
}

main.addEventListener("click", (e) => {
  const pick = hit(e, ".choose");
  if (pick instanceof HTMLInputElement) choose(pick, e.shiftKey);
});
main.addEventListener("keydown", (e) => {
  const pick = e.key === "x" && !e.ctrlKey && !e.metaKey && !e.altKey && !hit(e, "input:not(.choose), textarea, select") && $(".choose", hit(e, "#session-list > li"));
  if (!(pick instanceof HTMLInputElement)) return;
  e.preventDefault();
  pick.checked = !pick.checked;
  choose(pick, e.shiftKey);
});
main.addEventListener("submit", (e) => {
  if (!(e.target instanceof HTMLFormElement) || e.target.id !== "batch" || (!picked().length && !new FormData(e.target).has("all"))) return;
  e.preventDefault();
  run(e.target, e.submitter).catch(report);
});
count();
