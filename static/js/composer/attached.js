/**
 * The text files of the message that is being written: shown above the text, each folded below its name and size. Their
 * texts become blocks at the end of the message. Loaded with the first file.
 * @import {TextFile} from "../types"
 */
import { locale, t } from "texts-later";
import { h, icon, need, store } from "../base/dom.js";
import { say } from "../base/a11y.js";
import { isolated } from "../base/isolated.js";
import { sheet } from "../base/sheets.js";
import * as turn from "../turn/turn.js";

void sheet("/static/css/files.css");
const form = need("#composer", HTMLFormElement), box = need("#text", HTMLTextAreaElement);
const list = h("ul", { class: "files", "aria-label": t.files, hidden: "" });
form.prepend(list);

/** @type {TextFile[]} */
let files = [];
const key = () => turn.slot("files");

export const bytes = (/** @type {string} */ s) => new TextEncoder().encode(s).length;
/** As the server writes it (humanize_bytes()): rounded up. @param {number} n */
const size = (n) => n < 1024 ? t.n_bytes({ n }) : `${Math.ceil(n / 1024).toLocaleString(locale)}\u00a0KB`;

function show() {
  store.set(key(), files.length ? JSON.stringify(files) : null);
  list.replaceChildren(...files.map((file) => {
    const name = isolated(file.name);
    return h("li", {},
      h("details", { class: "file" },
        h("summary", {}, icon("clip"), h("span", { class: "file-name" }, file.name), h("span", { class: "file-size" }, size(bytes(file.text)))),
        h("pre", { tabindex: 0, "aria-label": name, dir: "auto" }, file.text)),
      h("button", { class: "ibtn", type: "button", title: t.remove_named({ name }), "aria-label": t.remove_named({ name }), onclick: () => remove(file) }, icon("close")));
  }));
  list.hidden = !files.length;
  box.dispatchEvent(new Event("input"));
}
/** @param {TextFile} file */
function remove(file) {
  set(files.filter((x) => x !== file));
  box.focus({ preventScroll: true });
}

/** @param {TextFile[]} now */
export function set(now) {
  if (!now.length && !files.length) return;
  files = now;
  show();
}
/** @param {TextFile} file */
export function add(file) {
  set([...files, file]);
  say(t.file_added({ name: isolated(file.name) }));
}
/** undefined: none */
export const shown = () => (files.length ? files : undefined);

turn.listen({
  named() {
    store.set(turn.slot("files", ""), null);
    show();
  },
});
// Another tab has sent the same files, or removed them.
addEventListener("storage", (e) => e.key === key() && !e.newValue && e.oldValue === JSON.stringify(files) && set([]));
try { files = JSON.parse(store.get(key()) ?? "[]"); } catch { /* of another version */ }
show();
