/** The way to the sign-in, after a request was refused because the sign-in has ended. Loaded then. */
import { t } from "texts-later";
import { h } from "./dom.js";
import { leave } from "./toast.js";

/** The sign-in, which leads back to this page. */
export const address = () => `/signin?next=${encodeURIComponent(location.pathname + location.search)}`;

/** Adds the link to the notice of a refused request, which takes the place of an earlier one. @param {Element} el */
export function offer(el) {
  for (const old of el.parentElement?.children ?? []) if (old !== el && old.querySelector("p")?.textContent === el.textContent) old.remove();
  el.append(h("a", { class: "btn", href: address() }, t.sign_in));
  leave(el);
}
