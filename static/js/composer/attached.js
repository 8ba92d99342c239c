/**
 * The text files of the message that is being written: shown above the text, each folded below its name and size. Their
 * texts become blocks at the end of the message. Loaded with the first file.
 * @import {TextFile} from "../types"
 */
import { t } from "texts-later";
import { $, h, need, store } from "../base/dom.js";
import { say } from "../base/a11y.js";
import { api } from "../base/api.js";
import { isolated } from "../base/isolated.js";
import * as turn from "../turn/turn.js";
import { chip } from "./chip.js";
import { bytes, whole } from "./whole.js";

/** As the server counts (context.h); tools, instructions and the answer take the rest of a window. */
const BYTES_PER_TOKEN = 3, WINDOW_SHARE = .75, WINDOW_LEAST = 2048;

const form = need("#composer", HTMLFormElement), box = need("#text", HTMLTextAreaElement);
const list = h("ul", { class: "files", "aria-label": t.files, hidden: "" });
const note = h("p", { class: "files-note", role: "status" });
form.prepend(list, note);

/** @type {TextFile[]} */
let files = [];
const key = () => turn.slot("files");

/** The number of the last look at the window: a later one overtakes it. */
let looked = 0;
/** Says before the message is sent that the chosen model reads parts of it. */
async function measure() {
  const mine = ++looked, tokens = files.length ? bytes(whole({ text: box.value, files }).text) / BYTES_PER_TOKEN : 0;
  let text = "";
  if (tokens > WINDOW_LEAST * WINDOW_SHARE) {
    const option = /** @type {HTMLOptionElement | null} */ ($("[name=choice] option:checked", form));
    const { models } = await api("GET", `/api/models?limit=100&q=${encodeURIComponent(option?.textContent?.trim() ?? "")}`);
    const model = models.find((/** @type {any} */ m) => (option ? m.value === option.value : m.default));
    if (model && model.kind !== "offline" && tokens > model.window * WINDOW_SHARE) text = (model.tools === "no" ? t.reads_ends : t.reads_parts)({ model: isolated(model.label) });
  }
  if (mine === looked && note.textContent !== text) note.textContent = text;
}
const look = () => void measure().catch(() => {}); // a hint only
form.addEventListener("change", look);

function show() {
  store.set(key(), files.length ? JSON.stringify(files) : null);
  list.replaceChildren(...files.map((file) => chip(file, () => remove(file))));
  list.hidden = !files.length;
  look();
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
addEventListener("storage", (e) => e.key === key() && e.newValue === null && e.oldValue === JSON.stringify(files) && set([]));
try { files = JSON.parse(store.get(key()) ?? "[]"); } catch { /* of another version */ }
show();
