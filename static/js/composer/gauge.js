/**
 * Shows in the composer's row how full the model's window is, and compacts from there. Loaded when the user comes
 * near it, when an answer has ended, or when a compaction is on its way.
 * @import {Context} from "../types"
 */
import { locale, t } from "texts-later";
import { $, $$, need } from "../base/dom.js";
import { api } from "../base/api.js";
import { say } from "../base/a11y.js";
import { read } from "../turn/history.js";
import { restart } from "./rest.js";
import { keep } from "../turn/scroll.js";
import { sheet } from "../base/sheets.js";
import * as turn from "../turn/turn.js";

void sheet("/static/css/menus.css");
const ASK_MIN_MS = 1000, ASK_MAX_MS = 15_000;

const box = need("#gauge", HTMLDetailsElement), form = need("#compact", HTMLFormElement);
const summary = need("#gauge summary", HTMLElement), said = need("#gauge-said", HTMLElement);
const field = need("#gauge input", HTMLInputElement), button = need("#gauge .btn", HTMLButtonElement);

const number = (/** @type {number} */ n) => n.toLocaleString(locale);
/** As the server writes it: rounded down. @param {number} n */
const size = (n) => (n >= 1e6 ? `${Math.floor(n / 1e5) / 10}M` : n >= 1000 ? `${Math.floor(n / 1000)}k` : `${n}`);

/** Waiting, busy or failed; `text` is the sentence below the numbers. @param {boolean} busy @param {boolean} failed @param {...(string | Node)} text */
function state(busy, failed, ...text) {
  box.toggleAttribute("data-busy", busy);
  box.toggleAttribute("data-failed", failed);
  said.replaceChildren(...text);
  for (const el of [field.parentElement, button]) el?.toggleAttribute("hidden", busy);
  button.textContent = failed ? t.try_again : t.compact;
}

/** @param {Context} c */
export function show(c) {
  const words = t.tokens_of({ tokens: number(c.tokens), window: number(c.window) });
  box.hidden = !c.known;
  box.toggleAttribute("data-full", c.known && c.percent >= Number(box.dataset.near));
  summary.setAttribute("aria-label", t.context_full({ percent: c.percent, words }));
  $("circle + circle", summary)?.setAttribute("stroke-dasharray", `${c.percent} 100`);
  need("#gauge-percent", HTMLElement).textContent = `${c.percent} %`;
  need("#gauge-title", HTMLElement).textContent = t.percent_of({ percent: c.percent, window: size(c.window) });
  need("#gauge-words", HTMLElement).textContent = words;
  if (c.error) state(false, true, c.error);
  else if (c.compacting) follow();
}

/** Adds marks of compactions that the page lacks. */
async function marks() {
  const { doc } = await read(location.pathname + location.search);
  /** @type {Element | undefined} */
  let newest;
  keep(() => {
    for (const mark of $$(".compacted", doc)) {
      const art = document.getElementById(mark.nextElementSibling?.id ?? "");
      const old = art?.previousElementSibling;
      if (!art) continue;
      newest = mark;
      if (old?.innerHTML === mark.innerHTML) continue; // the page followed it already
      old?.remove();
      art.before(mark);
    }
  });
  return newest;
}

/** The session has changed since the server was asked last. */
let changed = false, wake = () => {};
turn.listen({
  changed() {
    changed = true;
    wake();
  },
});

/** Resolves with the next change of the session, or after this time. @param {number} ms */
const change = (ms) => new Promise((/** @type {(value?: unknown) => void} */ ok) => {
  if (changed) return ok();
  wake = ok;
  setTimeout(ok, ms);
});

let following = false;
/** Asks after each change of the session, and with growing pauses, until the compaction has ended. */
async function follow() {
  if (following) return;
  following = true;
  state(true, false, t.compacting);
  const id = turn.session();
  for (let wait = ASK_MIN_MS; turn.session() === id; wait = Math.min(2 * wait, ASK_MAX_MS)) {
    await change(wait);
    changed = false;
    if (document.hidden) continue;
    const got = await api("GET", `/api/sessions/${id}?limit=1`).catch((e) => e);
    if (got.status === 401 || got.status === 404) { // signed out, or the session is deleted
      following = false;
      return state(false, true, got.message);
    }
    const c = got.session?.context;
    if (!c || c.compacting) continue;
    following = false;
    show(c);
    if (c.error) return say(t.compacting_failed({ reason: c.error }));
    const mark = await marks().catch(() => undefined);
    state(false, false, t.done, ...(mark ? $$("[title], a", mark).flatMap((el) => [el.cloneNode(true), " "]) : []));
    field.value = "";
    restart(Date.now());
    return say(t.compacted);
  }
}

form.addEventListener("submit", async (e) => {
  e.preventDefault();
  state(true, false, t.compacting);
  summary.focus(); // the focused element is hidden
  try {
    await api("POST", `/api/sessions/${turn.session()}/compact`, { ...(field.value.trim() && { keep: field.value.trim() }) });
    void follow(); // also when the answer comes after the end of the compaction
  } catch (why) { state(false, true, /** @type {Error} */ (why).message); }
});

if ("busy" in box.dataset) void follow();
