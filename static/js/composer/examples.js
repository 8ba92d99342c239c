/** The example questions of a new chat: a click sends one. Loaded with them. */
import { $$ } from "../base/dom.js";

/** @param {() => void} prepare @param {(text: string) => void} ask */
export function watch(prepare, ask) {
  for (const b of $$("[data-act=example]")) {
    b.addEventListener("pointerenter", prepare, { once: true });
    b.addEventListener("click", (e) => {
      e.preventDefault();
      ask(/** @type {HTMLButtonElement} */ (b).value);
    });
  }
}
