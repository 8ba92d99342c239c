/** Actions on many sessions of the list: the bar with what is selected, ranges with Shift, the key x, and Undo. */
import { t } from "texts-later";
import { $, $$, h, hit, need } from "../base/dom.js";
import { api } from "../base/api.js";
import { report, say } from "../base/a11y.js";
import { open } from "../base/dialogs.js";
import { show } from "../frame/menu.js";
import { toast } from "../base/toast.js";

const main = need("#main", HTMLElement);
/** @type {HTMLInputElement | null} */
let last = null; // the other end of a range

const picks = () => /** @type {HTMLInputElement[]} */ ($$(".choose", main));
const picked = () => picks().filter((p) => p.checked);

/** The box for all that match. */
const every = () => /** @type {HTMLInputElement | null} */ ($("[name=all]", main));

/** How many match. @type {Promise<number> | null} */
let matching = null;
/** The filter of the list. @param {FormData} data */
const filter = (data) => Object.fromEntries(["q", "show", "within"].map((name) => [name, `${data.get(name) ?? ""}`]));
/** Asked for once something is selected. */
async function ask() {
  const label = need("#all-match", HTMLElement), data = new FormData(/** @type {HTMLFormElement} */ (label.closest("form")));
  const { n, words } = await api("GET", `/page/sessions/count?${new URLSearchParams(filter(data))}`);
  label.textContent = words;
  return /** @type {number} */ (n);
}
const countAll = () => (matching ??= ask().catch((e) => {
  matching = null;
  throw e;
}));

/** Shows and says how many are selected. The bar comes with the first one, so its line cannot be a live region. @param {number} n */
function tell(n) {
  const line = $("#picked", main), words = n ? t.picked({ n }) : "";
  if (line) line.textContent = words;
  if (words) say(words);
}

async function count() {
  const box = every(), all = !!box?.checked;
  if (all) for (const p of picks()) p.checked = true;
  const n = picked().length;
  tell(all ? 0 : n);
  if (!box || !n) return;
  const found = await countAll();
  if (box.checked) tell(found);
}

/** @param {HTMLInputElement} pick @param {boolean} range */
function choose(pick, range) {
  const all = picks(), from = range && last ? all.indexOf(last) : -1, to = all.indexOf(pick);
  if (from >= 0) for (const p of all.slice(Math.min(from, to), Math.max(from, to) + 1)) p.checked = pick.checked;
  last = pick;
  const box = every();
  if (box && !pick.checked) box.checked = false;
  count().catch(report);
}

/** @param {boolean} byKey the focus goes from the bar, which is hidden then, to the place of the first selected row */
async function redrawAll(byKey) {
  const at = Math.max(0, picks().findIndex((p) => p.checked));
  document.forms.namedItem("batch")?.reset(); // nothing is selected
  last = matching = null;
  await show();
  if (byKey) (picks()[at] ?? picks().pop())?.focus({ preventScroll: true });
  count().catch(report);
}

/** Asks before sessions go to the trash that the page does not show. @param {number} n @returns {Promise<boolean>} */
const sure = (n) => new Promise((ok, no) => {
  const d = h("dialog", { "aria-labelledby": "dialog-title" }, h("h2", { id: "dialog-title" }, t.trash_many({ n })), h("p", {}, t.trash_many_text),
    h("form", { class: "dialog-row", method: "dialog" }, h("button", { class: "btn" }, t.cancel), h("button", { class: "btn danger", value: "yes" }, t.delete)));
  d.addEventListener("close", () => ok(d.returnValue === "yes"));
  open(d).catch(no);
});

/** @param {HTMLFormElement} form @param {HTMLElement | null} button */
async function run(form, button) {
  const data = new FormData(form, button), all = data.get("all") === "yes", byKey = !!button?.matches(":focus-visible");
  const action = /** @type {string | null} */ (data.get("action")); // none: the export
  if (all && action === "trash" && (await countAll()) > picks().length && !(await sure(await countAll()))) return;
  const body = {
    ...(action && { action }), ...(all ? { all, ...filter(data) } : { ids: picked().map((p) => p.value) }),
    ...(action === "workspace" && { workspace: data.get("workspace") }), ...(action?.endsWith("tag") && { tag: data.get("tag") }),
  };
  const done = await api("POST", action ? "/page/sessions/batch" : "/page/sessions/export", body);
  if (done.running || !action) return location.assign(done.url);
  await redrawAll(byKey);
  toast(done.words, done.undo_url && (async () => {
    const back = await api("POST", done.undo_url, {});
    if (back.running) return location.assign(back.url);
    await redrawAll(byKey);
    toast(back.words);
  }));
}

document.addEventListener("click", (e) => {
  const pick = hit(e, "main .choose");
  if (pick instanceof HTMLInputElement) choose(pick, e.shiftKey);
  if (!hit(e, "#batch [type=reset]")) return;
  (last?.isConnected ? last : picked()[0])?.focus({ preventScroll: true }); // the bar goes
  last = null;
  setTimeout(() => void count().catch(report)); // after the reset
});
main.addEventListener("change", (e) => e.target === every() && count().catch(report));
new MutationObserver(() => { // further pages of the list
  if (every()?.checked && picks().length > picked().length) count().catch(report);
}).observe(main, { childList: true, subtree: true });
main.addEventListener("keydown", (e) => {
  if (e.key !== "x" || e.ctrlKey || e.metaKey || e.altKey || hit(e, "input:not(.choose), textarea, select")) return;
  const row = hit(e, "#session-list > li"), pick = row && $(".choose", row);
  if (!(pick instanceof HTMLInputElement)) return;
  e.preventDefault();
  pick.checked = !pick.checked;
  choose(pick, e.shiftKey);
});
// Enter in a field does what the button beside it does, not what the first one of the form does.
main.addEventListener("keydown", (e) => {
  const field = e.key === "Enter" && hit(e, "#batch input:not([type=hidden]), .choose");
  if (!(field instanceof HTMLInputElement)) return;
  e.preventDefault();
  if (field.name === "workspace") field.form?.requestSubmit($("[value=workspace]", field.form));
});
main.addEventListener("submit", (e) => {
  if (!(e.target instanceof HTMLFormElement) || e.target.id !== "batch" || (!picked().length && !new FormData(e.target).has("all"))) return;
  e.preventDefault();
  run(e.target, e.submitter).catch(report);
});
count().catch(report);
