/** The chat page. */
import { $, $$, composing, hit, need } from "../base/dom.js";
import { report } from "../base/a11y.js";
import { hooks } from "../frame/keys.js";
import { newTurn } from "../turn/scroll.js";
import { list } from "../turn/transcript.js";
import * as turn from "../turn/turn.js";
import "../composer/composer.js";

hooks.stop = () => {
  if (turn.running()) void turn.stop();
  return turn.running();
};

// The address of a refused form cannot be reloaded.
if (location.pathname.startsWith("/sessions/")) history.replaceState(null, "", need("#composer", HTMLFormElement).action);

// Loaded when the pointer comes near, or after a change.
const gauge = need("#gauge", HTMLElement), gauged = () => import("../composer/gauge.js");
for (const near of ["pointerenter", "focusin"]) gauge.addEventListener(near, () => void gauged());
if ("busy" in gauge.dataset) void gauged();
for (const near of ["pointerenter", "focusin", "change"]) $("#options")?.addEventListener(near, () => void import("../composer/options.js").then((m) => m.show()));
const rested = () => import("../composer/rest.js");
if (!need("#rest", HTMLElement).hidden) void rested();

const rows = () => import("../frame/rows.js");
/** @param {Partial<import("../types").Session>} s */
const row = (s, id = turn.session()) => rows().then((m) => m.update({ id, ...s }));
turn.listen({
  named: (id, title) => void rows().then((m) => m.insert(id, location.pathname, title)),
  running: (running) => void row({ running }),
  ended(_, s) {
    if (s) void gauged().then((m) => m.show(s.context));
    void rested().then((m) => m.look());
    void row({ running: false, unread: false, ...(s?.title && { title: s.title }) });
    turn.seen();
  },
});

if ($("#temporary")) void import("./temporary.js");

const suggestions = () => import("./suggestions.js");
addEventListener("submit", (e) => {
  const form = hit(e, "form[data-decide]");
  if (form) e.preventDefault();
  if (form) void suggestions().then((m) => m.decide(form)).catch(report);
});
if ($("#questions > *")) void suggestions();

for (const near of ["pointerover", "focusin"]) list.addEventListener(near, () => void import("./edit.js"), { once: true });

// Loaded with the first use.
const actions = () => import("./actions.js");
document.addEventListener("click", (e) => { // of the list it would make all messages "clickable"
  const el = hit(e, "#transcript [data-act], [data-branch]");
  if (!el || (el instanceof HTMLAnchorElement && (e.ctrlKey || e.metaKey || e.shiftKey))) return;
  e.preventDefault();
  void actions().then((m) => m.act(el, e.detail === 0)).catch(report);
});
list.addEventListener("keydown", (e) => {
  const art = hit(e, "article"), typing = e.target instanceof HTMLTextAreaElement, mod = e.ctrlKey || e.metaKey;
  if (!art || composing(e) || e.altKey || hit(e, "pre, .table-scroll, .math")) return;
  const mine = e.key === "Escape" ? $(".edit[open]", art) : typing ? e.key === "Enter" && mod : /^Arrow(Left|Right)$/.test(e.key) && !mod;
  if (!mine) return;
  e.preventDefault();
  void actions().then((m) => m.key(e, art)).catch(report);
});

try {
  const place = sessionStorage.getItem("alfred.place");
  sessionStorage.removeItem("alfred.place");
  if (place) void actions().then((m) => m.arrive(JSON.parse(place)));
} catch { /* no storage, no place */ }

if ($("#older, #newer")) void import("../turn/history.js").then((m) => ["#older", "#newer"].forEach((id) => m.watch($(id))));
if (history.state?.reading) void import("../turn/reading.js");

const now = need("#composer", HTMLFormElement).dataset.turn;
if (now && !$("#newer")) {
  const asked = $$("article.user", list).pop();
  if (asked) newTurn(asked.id);
  turn.join(now);
}
