/** The box: its height, Send and Stop. send.js sends its message. @import {Queue} from "../types" */
import { $, $$, composing, isMac, need, store } from "../base/dom.js";
import { load } from "../base/api.js";
import { report } from "../base/a11y.js";
import { drafts } from "./drafts.js";
import * as turn from "../turn/turn.js";

const form = need("#composer", HTMLFormElement), box = need("#text", HTMLTextAreaElement);
const sendButton = need(".send", HTMLButtonElement), stopButton = need(".stop", HTMLButtonElement);
const selects = /** @type {HTMLSelectElement[]} */ ($$("select:not([name=compare_with])", form));
const enterSends = document.documentElement.dataset.sendKey !== "mod_enter";
const coarse = matchMedia("(pointer: coarse)");

/** A virtual keyboard is open. */
let keyboardOpen = () => false;
if (coarse.matches) void import("./keyboard.js").then((m) => { keyboardOpen = m.isOpen; }, () => {});

export const draft = drafts(box);
/** @typedef {{pictures: typeof import("./pictures.js"), attached: typeof import("./attached.js")}} Parts */
/** The pictures and text files of the message, once they are loaded. @type {Partial<Parts>} */
export const parts = {};
/** @type {{[K in keyof Parts]?: Promise<Parts[K]>}} */
const loading = {};
/** Loads one with its first use. One promise for all callers keeps their order. @template {keyof Parts} K @param {K} name @returns {Promise<Parts[K]>} */
export const part = (name) => (loading[name] ??= load(`composer/${name}`).then((m) => (parts[name] = m), (e) => {
  delete loading[name];
  throw e;
}));
if (store.get(turn.slot("pictures"))) void part("pictures").catch(report);
if (store.get(turn.slot("files"))) void part("attached").catch(report);
/** The files being read; false when one is not in the message. @type {Promise<boolean> | null} */
let reading = null;
/** Adds files to the message. @param {Iterable<File>} files */
export function take(files) {
  const all = [...files];
  /** @type {Promise<boolean>} */
  const mine = Promise.all([import("./files.js"), reading])
    .then(async ([m, good]) => (await m.insert(all)) && good !== false)
    .catch((e) => (report(e), false));
  reading = mine;
  void mine.then(() => reading === mine && (reading = null));
}
/** Before pasted.js is loaded, all counts as pasted. @param {any} e */
function taken(e) {
  const { target, clipboardData } = e, data = clipboardData ?? e.dataTransfer;
  if (target instanceof HTMLTextAreaElement && !document.body.dataset.tells) target.dataset.pasted ??= "0";
  // a table is copied as text and as a picture
  if (!data?.files.length || data.types.includes("text/plain") || (clipboardData && target !== box)) return;
  e.preventDefault();
  take(data.files);
}
for (const how of ["paste", "drop"]) addEventListener(how, taken);
addEventListener("dragover", (e) => e.dataTransfer?.types.some((kind) => /^files$/i.test(kind)) && e.preventDefault());
/** @typedef {typeof import("./send.js")} Send */
/** @type {Send | undefined} loaded with the first letter */
let sender;
const sending = async () => (sender ??= /** @type {Send} */ (await load("composer/send")));
/** At once when the module is there: what is typed behind Enter belongs to the next message. @param {(m: Send) => void} fn */
const send = (fn) => void (sender ? fn(sender) : sending().then(fn).catch(report));

/** @type {Queue | undefined} */
let waiting;
/** Loaded when a message waits. */
export async function queue() {
  /** @type {[typeof import("./queue.js"), Send]} */
  const [m, s] = await Promise.all([load("composer/queue"), sending()]);
  return (waiting ??= m.queue(left, next, s.giveBack));
}
const left = store.get(turn.slot("sent")); // was being sent when the page was left
if (left || store.get(turn.slot("queue"))) void queue();
/** Sends the first waiting message. @param {boolean} [all] otherwise only one that is urgent */
export function next(all) {
  const w = waiting?.next(all);
  if (w) sender?.ask(w, w.id);
}

/** Selects changed here or on the page of models, not yet in the session. @type {Set<string>} */
export const changed = new Set(/[?&]choice=/.test(location.search) ? ["choice"] : []);
/** Model, effort and persona; of a session only those changed here. */
export const choice = (all = !turn.session()) =>
  Object.fromEntries(selects.filter((s) => all || changed.has(s.name)).map((s) => [s.name, s.value]));

/** A message that was refused or lost keeps its id when it is sent again. */
export const failed = { id: "", what: "" };
/** Resolves when all files are in the message, to false if one is missing. null: none is on its way. */
export function pending() {
  const pictures = parts.pictures ? parts.pictures.pending() : loading.pictures?.catch(() => null);
  const files = parts.attached ? null : loading.attached?.catch(() => null);
  return reading ?? pictures ?? files;
}

/** Stop during an answer, with Send beside it for a text. */
function show() {
  const had = document.activeElement;
  stopButton.hidden = !turn.running();
  sendButton.hidden = turn.running() && !box.value.trim() && !parts.pictures?.shown() && !parts.attached?.shown();
  if (had instanceof HTMLButtonElement && had.hidden && !coarse.matches) box.focus({ preventScroll: true }); // it had the focus
}

turn.listen({
  running: show,
  named() {
    changed.clear();
    draft.handOver();
    waiting?.handOver();
  },
  ended: (status) => next(status === "done" && !$(".compare")),
  refused: (e, a) => send((s) => import("./refused.js").then((m) => m.refused(e, a, s)).catch(report)),
});

form.addEventListener("submit", (e) => {
  e.preventDefault();
  const by = e.submitter;
  send((m) => m.submit(by instanceof HTMLButtonElement && by.name === "parent" ? by.value : undefined));
});
stopButton.addEventListener("click", (e) => {
  e.preventDefault();
  void turn.stop();
});
box.addEventListener("keydown", (e) => {
  if (e.key !== "Enter" || composing(e) || e.shiftKey || e.altKey) return;
  if (!(isMac ? e.metaKey : e.ctrlKey) && (!enterSends || keyboardOpen())) return;
  e.preventDefault();
  send((m) => m.submit());
});
box.addEventListener("input", () => {
  show();
  if (/(^|\s)[/@]\S*$/.test(box.value.slice(0, box.selectionStart))) void import("./library.js");
});
if (!CSS.supports("field-sizing", "content")) void import("./height.js");
const mic = need("#dictate", HTMLElement);
mic.onclick = () => void (mic.dataset.seconds ? import("./record.js") : import("./dictate.js")).then((m) => m.dictate(), report);
need("#attach", HTMLElement).onclick = () => void import("./files.js").then((m) => m.choose(), report);
const prepare = () => void Promise.all([turn.reader(), sending(), import("./refused.js")]).catch(() => {});
box.addEventListener("input", prepare, { once: true });
if (box.value) prepare(); // a draft: Enter may follow
if ($("#hello")) void import("./examples.js").then((m) => m.watch(prepare, (text) => send((m) => m.example(text))), () => {});
for (const s of selects) s.addEventListener("change", () => {
  changed.add(s.name);
  void import("./chosen.js").then((m) => m.chosen(s));
});
show();
