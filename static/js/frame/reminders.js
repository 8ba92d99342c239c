/**
 * Due reminders, on every page: they stay until they are answered, here or elsewhere. A hidden page tells a new one by a
 * notification of the browser, if the user has turned them on and no page that is visible shows it. Loaded with the first.
 */
import { $, $$, need } from "../base/dom.js";
import { api, token } from "../base/api.js";
import { report, say } from "../base/a11y.js";
import { fragment } from "../base/trust.js";

const WAIT_MS = 500; // until a page that is visible has the lock

const box = need("#due", HTMLElement);
const ids = () => $$("[data-due]", box).map((el) => el.dataset.due ?? "");
const part = (/** @type {string} */ sel, /** @type {Element} */ el) => $(sel, el)?.textContent?.trim() ?? "";
const words = (/** @type {Element} */ el) => part(".due-text", el), title = (/** @type {Element} */ el) => part(".due-title", el);
const lock = (/** @type {string} */ id) => `alfred due ${id}`;

/** A visible page holds the lock of what it shows until it is answered. @type {Map<string, () => void>} */
const held = new Map();

/** Notifies of reminders that are not in `known`. @param {Set<string>} known */
function tell(known) {
  for (const [id, release] of held) if (!ids().includes(id)) {
    release();
    held.delete(id);
  }
  for (const el of $$("[data-due]", box)) {
    const id = el.dataset.due ?? "";
    if (document.hidden) {
      if (!known.has(id)) setTimeout(() => void notify(id, el), WAIT_MS);
    } else if (!held.has(id)) {
      held.set(id, () => {});
      void navigator.locks?.request(lock(id), { ifAvailable: true }, (l) => l && new Promise((done) => held.set(id, () => done(0))));
      if (!known.has(id)) say(`${title(el)}: ${words(el)}`);
    }
  }
}

/** @param {string} id @param {Element} el */
async function notify(id, el) {
  if (!("notifications" in document.documentElement.dataset)) return;
  const { held: locks = [] } = (await navigator.locks?.query()) ?? {};
  if (!locks.some((l) => l.name === lock(id))) (await import("./notify.js")).due(words(el), title(el), id);
}

/** The element with the focus before the box had it. @type {HTMLElement | null} */
let before = null;
box.addEventListener("focusin", ({ relatedTarget: from }) => {
  if (from instanceof HTMLElement && !box.contains(from)) before = from;
});

/** @param {string} html */
function show(html) {
  const known = new Set(ids()), at = document.activeElement, inside = box.contains(at), keys = at?.matches(":focus-visible");
  const name = at?.getAttribute("value"), of = at?.closest("[data-due]")?.getAttribute("data-due");
  const unfolded = $(".due-fold[open]", box);
  box.replaceChildren(fragment(html));
  if (unfolded) $(".due-fold", box)?.setAttribute("open", "");
  for (const el of $$("[name=csrf]", box)) el.setAttribute("value", token());
  if (inside) {
    // With the keyboard the focus goes to the next reminder. After a click it returns to where it was before.
    const same = $(`[data-due="${of}"] button[value="${name}"]`, box), next = same ?? (keys && $("button", box));
    (next || (before?.isConnected && before) || $("#text") || need("#main", HTMLElement)).focus({ preventScroll: !next });
  }
  tell(known);
}

/** Grows with each change of the box: an answer of the server to an earlier request is then out of date. */
let version = 0;

export async function refresh() {
  const mine = ++version;
  const { html } = await api("GET", "/page/reminders/due").catch(() => ({}));
  if (html !== undefined && mine === version && !$("form[data-sent]", box)) show(html);
}

box.addEventListener("submit", async (e) => {
  const form = /** @type {HTMLFormElement} */ (e.target), by = /** @type {SubmitEvent} */ (e).submitter;
  e.preventDefault();
  if (form.dataset.sent) return;
  form.dataset.sent = "true";
  try {
    const { html } = await api("POST", `/page/reminders/${form.closest("[data-due]")?.getAttribute("data-due")}/answer`, { answer: by?.getAttribute("value") ?? "done" });
    show(html);
    void refresh(); // a request that ran meanwhile may have the state before or after this answer
  } catch (err) {
    delete form.dataset.sent;
    report(err);
  }
});
document.addEventListener("visibilitychange", () => document.hidden ? undefined : void refresh());
tell(new Set(ids()));
