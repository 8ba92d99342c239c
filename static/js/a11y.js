/** What screen readers are told: a polite line for progress, an assertive one for errors. */
import { h, icon, need } from "./dom.js";

const TOAST_MS = 8000;

/** @param {string} text */
export function say(text) {
  const el = need("#say", HTMLElement);
  el.textContent = "";
  requestAnimationFrame(() => { el.textContent = text; });
}

/** A problem with the button that helps. @param {string} text @param {string} [label] @param {() => void} [act] */
export function problem(text, label, act) {
  const el = h("div", { class: "problem" }, icon("alert"), h("p", {}, text));
  if (label) el.append(h("button", { class: "btn", type: "button", onclick: act }, label));
  return el;
}

/** An error that belongs to no place on the page. @param {unknown} e */
export function report(e) {
  const el = problem(e instanceof Error ? e.message : "Something went wrong.");
  need("#alerts", HTMLElement).append(el);
  setTimeout(() => el.remove(), TOAST_MS);
}
