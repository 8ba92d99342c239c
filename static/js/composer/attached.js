/**
 * The text files of the message that is being written: shown above the text, each folded below its name and size. Their
 * texts become blocks at the end of the message. Loaded with the first file.
 * @import {TextFile} from "../types"
 */
import { t } from "texts-later";
import { h, need, store } from "../base/dom.js";
import { say } from "../base/a11y.js";
import { isolated } from "../base/isolated.js";
import * as turn from "../turn/turn.js";
import { chip } from "./chip.js";

const form = need("#composer", HTMLFormElement), box = need("#text", HTMLTextAreaElement);
const list = h("ul", { class: "files", "aria-label": t.files, hidden: "" });
form.prepend(list);

/** @type {TextFile[]} */
let files = [];
const key = () => turn.slot("files");

function show() {
  store.set(key(), files.length ? JSON.stringify(files) : null);
  list.replaceChildren(...files.map((file) => chip(file, () => remove(file))));
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
