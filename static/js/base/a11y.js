/** News for screen readers: progress in a live region, errors as new alerts. */
import { $, h, icon, need } from "./dom.js";
import { load, unreachable } from "./api.js";

const TOAST_MS = 8000;

/** @param {string} text */
export function say(text) {
  const el = $("dialog[open] > .sr") ?? need("#say", HTMLElement);
  el.textContent = "";
  requestAnimationFrame(() => { el.textContent = text; });
}

/** A problem with a button that helps. @param {string} text @param {string} [label] @param {() => void} [act] */
export function problem(text, label, act) {
  const el = h("div", { class: "problem", role: "alert" }, icon("alert"), h("p", {}, text));
  if (label) el.append(h("button", { class: "btn", type: "button", onclick: act }, label));
  return el;
}

/** An error without a place on the page, or in the open dialog. A failed load is a TypeError. @param {any} e */
export function report(e) {
  const el = problem((e instanceof TypeError ? unreachable() : e).message), to = $("dialog[open]") ?? need("#alerts", HTMLElement);
  for (const old of to.children) if (old.textContent === el.textContent) old.remove();
  to.append(el);
  if (e.status === 401) void load("base/signin").then((m) => m.offer(el), report);
  else setTimeout(() => el.remove(), TOAST_MS);
}
