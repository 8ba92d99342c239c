/** Sends the message of the box. Loaded with the first letter. @import {Message, Waiting} from "../types" */
import { $, need, store } from "../base/dom.js";
import { clientId } from "../base/api.js";
import { report } from "../base/a11y.js";
import "./queue.js"; // a message waits offline, too
import { choice, draft, failed, part, parts, pending, queue } from "./composer.js";
import * as turn from "../turn/turn.js";
import { whole } from "./whole.js";
import { mark, marked, pastedField } from "../turn/pasted.js";

const form = need("#composer", HTMLFormElement), box = need("#text", HTMLTextAreaElement);
const rival = /** @type {HTMLSelectElement | null} */ ($("[name=compare_with]", form));

/** Selects the second model. @param {string} model */
function compare(model) {
  if (!rival || rival.value === model) return;
  rival.value = model;
  $("#options")?.dispatchEvent(new Event("change")); // shows its name
}

/** The second model, which is for one question. */
function takeRival() {
  const compare_with = rival?.value || undefined;
  compare("");
  return compare_with;
}

/** @param {string} text @param {number} [pasted] */
function set(text, pasted) {
  box.value = text;
  mark(box, pasted);
  box.dispatchEvent(new Event("input"));
  draft.save();
}
/** @param {Message} message */
export function giveBack({ text, pasted, pictures: own, files, compare_with }) {
  const rest = box.value.trim() && `\n\n${box.value}`, later = rest ? marked(box) : undefined;
  set(text + rest, pasted ?? (later === undefined ? later : text.length + 2 + later));
  if (compare_with) compare(compare_with);
  if (own) void part("pictures").then((m) => m.set([...own, ...m.shown() ?? []]), report);
  if (files) void part("attached").then((m) => m.set([...files, ...m.shown() ?? []]), report);
}

/** Keeps a message until the answer ends. @param {"add" | "back"} how @param {Waiting} w */
export const keep = (how, w) => queue().then((q) => q[how](w), (e) => {
  giveBack(w);
  report(e);
});

/** @param {Message} m */
export const what = ({ text, pictures: own, files }) => [whole({ text, files }).text, ...own?.map((p) => p.id) ?? []].join();

/** Sends a message, at the end or below `parent`. @param {Message} message @param {string} [id] @param {string} [parent] */
export function ask(message, id = failed.what === what(message) ? failed.id : clientId(), parent) {
  const { pictures: own, compare_with } = message, { text, pasted } = whole(message);
  const end = turn.setPlace(), where = parent ? { parent } : end ? { [turn.place.name]: end } : {};
  const { workspace, temporary } = /** @type {any} */ (Object.fromEntries(new FormData(form)));
  failed.what = "";
  store.set(turn.slot("sent"), JSON.stringify({ ...message, id }));
  const body = {
    text,
    pictures: own?.map((p) => p.id),
    client_id: id,
    ...pastedField(text, pasted),
    ...where,
    workspace,
    ...(temporary && !turn.session() && { temporary: true }),
    ...choice(),
    compare_with,
  };
  turn.start({ path: "messages", message, body });
}

/** Sends what is in the box. @param {string} [parent] */
export function submit(parent) {
  const before = turn.now.changing ?? pending();
  if (before) return void before.then((good) => good !== false && submit(parent)); // false: one is missing
  const typed = box.value, text = typed.trim(), from = marked(box);
  const pasted = from && Math.max(0, from - typed.indexOf(text));
  const message = { text, pasted };
  if (!text && !parts.pictures?.shown() && !parts.attached?.shown()) return;
  if (text === "/") return set(text), box.focus(); // the list of commands
  need("#send-problem", HTMLElement).replaceChildren();
  $("#command[data-refused]")?.remove();
  set("");
  const go = () => {
    const own = { ...message, pictures: parts.pictures?.shown(), files: parts.attached?.shown(), compare_with: takeRival() };
    parts.pictures?.set([]);
    parts.attached?.set([]);
    if (!turn.running()) return ask(own, undefined, parent);
    void keep("add", { ...own, id: clientId() });
  };
  if (!/^\/[a-z]\w*(\s|$)/i.test(typed)) return go();
  import("./commands.js").then((m) => m.run(text, go)).catch((e) => {
    giveBack({ text, pasted }); // pictures and files stay
    if (e) report(e);
  });
}

/** @param {string} text a question of a new chat */
export const example = (text) => void (turn.running() || ask({ text, compare_with: takeRival() }));
