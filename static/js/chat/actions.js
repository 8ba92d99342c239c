/** Actions on a message, loaded with the first use: copy, edit, regenerate, switch versions, delete. @import {El} from "../types" */
import { t } from "texts-later";
import { $, $$, icon, need } from "../base/dom.js";
import { api, clientId } from "../base/api.js";
import { report, say } from "../base/a11y.js";
import { choice } from "../composer/composer.js";
import { whole } from "../composer/whole.js";
import { toast } from "../base/toast.js";
import * as turn from "../turn/turn.js";
import { mark, marked, pastedField } from "../turn/pasted.js";

const PLACE = "alfred.place"; // position of the message before the page load

/** @param {El} art */
const source = (art) => /** @type {HTMLTextAreaElement} */ ($(".source", art));
/** @param {El} art */
const url = (art) => `/api/sessions/${turn.session()}/messages/${art.dataset.id}`;

/** An answer for other programs: without buttons, with formulas as TeX, with the levels of headings that its Markdown has. @param {El} answer */
function rich(answer) {
  const copy = /** @type {El} */ (answer.cloneNode(true));
  for (const el of $$(".code-head", copy)) el.remove();
  for (const el of $$(".math", copy)) el.textContent = $("annotation", el)?.textContent ?? el.textContent;
  return copy.innerHTML.replace(/(<\/?h)([3-6])/g, (_, tag, level) => tag + (level - 2));
}

/** @param {El} art @param {El} button */
async function copy(art, button) {
  const answer = $(".answer", art), html = answer && rich(answer), comes = $("[data-whole]", art) && import("./whole.js").then((m) => m.complete(art));
  const blob = (/** @type {string} */ s, /** @type {string} */ type) => new Blob([s], { type });
  const text = async () => {
    await comes;
    return source(art).defaultValue;
  };
  try {
    if (window.ClipboardItem && (html || comes)) // a promise, because some browsers forget the click while a text is loaded
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": text().then((s) => blob(s, "text/plain")), ...(html && { "text/html": blob(html, "text/html") }) })]);
    else await navigator.clipboard.writeText(await text());
  } catch {
    await comes; // its error says why
    throw new Error(t.no_copying);
  }
  say(t.copied);
  button.replaceChildren(icon("check"));
  setTimeout(() => button.replaceChildren(icon("copy")), 1500);
}

/** Starts a turn from a message, whose controls are hidden then. What takes its place gets its focus (live.js). @param {El} art @param {string} how @param {object} body */
function start(art, how, body) {
  art.focus({ preventScroll: true });
  turn.start({ path: `messages/${art.dataset.id}/${how}`, body: { ...body, client_id: clientId() } });
}

/** Changes messages and shows the result; nothing is sent meanwhile. @template T @param {() => Promise<T>} fn */
async function change(fn) {
  const changed = fn();
  turn.now.changing = changed.catch(() => {}).then(() => delete turn.now.changing);
  return await changed;
}

/** @param {El} art @param {boolean} rerun */
async function save(art, rerun) {
  const box = source(art), files = $$(".edit .file", art).map((el) => ({ name: $(".file-name", el)?.textContent ?? "", text: $("pre", el)?.textContent ?? "" }));
  const message = whole({ text: box.value.trim(), pasted: marked(box), files }), { text } = message;
  const pasted = pastedField(text, message.pasted), empty = !text && box.required; // pictures need no text
  if (empty) {
    box.value = ""; // white space is no value
    box.reportValidity();
  }
  if (empty || turn.running()) return;
  if (rerun) return start(art, "edit", { text, ...pasted, ...choice() });
  arrive(await change(async () => {
    const { message } = await api("PATCH", url(art), { text, ...pasted }), version = message.id !== art.dataset.id;
    const place = { id: message.id, top: art.getBoundingClientRect().top, focus: true };
    $(".edit", art)?.removeAttribute("open"); // an open one stays as it is
    await turn.refresh("", version ? "" : `?at=${turn.setPlace()}&message=${place.id}`);
    return place;
  }));
  say(t.saved);
}

/** @param {El} art */
function cancel(art) {
  const box = source(art), details = /** @type {HTMLDetailsElement} */ (box.closest("details"));
  box.value = box.defaultValue;
  $(".files", details)?.remove();
  mark(box); // the server knows the pasted part
  details.open = false;
  $("summary", details)?.focus();
}

/** Shows the messages after a deletion or its Undo. If they cannot be read, the action is done: its event makes watch.js try again. */
const show = () => turn.refresh().catch(() => {});

/** @param {El} art */
async function remove(art) {
  const id = art.dataset.id, { trash, messages } = await change(async () => {
    const gone = await api("DELETE", url(art));
    if (location.search) history.replaceState(null, "", location.pathname); // it may name a deleted message
    await show();
    return gone;
  });
  (document.getElementById(`m-${art.dataset.parent}`) ?? need("#text", HTMLElement)).focus({ preventScroll: true });
  toast(t.messages_trashed({ n: messages || 1 }), trash && (async () => {
    await api("POST", `/api/trash/${trash}/restore`, {});
    await show();
    (document.getElementById(`m-${id}`) ?? need("#text", HTMLElement)).focus({ preventScroll: true });
    toast(t.restored);
  }));
}

/** Goes to another version; the message keeps its place on the screen. @param {El} art @param {HTMLAnchorElement} link @param {boolean} focus */
function walk(art, link, focus) {
  try {
    sessionStorage.setItem(PLACE, JSON.stringify({ id: link.dataset.branch, top: art.getBoundingClientRect().top, focus }));
  } catch { /* the address leads there too */ }
  location.assign(link.href);
}

/** Controls whose action runs: a second click of theirs does nothing. @type {WeakSet<El>} */
const busy = new WeakSet();

/** Runs the control of a message. @param {El} el @param {boolean} keyboard */
export async function act(el, keyboard) {
  const art = /** @type {El} */ (el.closest("article"));
  if (busy.has(el)) return;
  busy.add(el);
  try {
    switch (el.dataset.act) {
      case "copy": return await copy(art, el);
      case "open": return (await import("../text/canvas.js")).open(el);
      case "edit-cancel": return cancel(art);
      case "edit-save": return await save(art, false);
      case "edit-rerun": return await save(art, true);
      case "delete": return await remove(art);
      case "regenerate":
        if (!turn.running()) start(art, "regenerate", choice());
        return;
      case "again-with": return (await import("./again.js")).menu(el, art.dataset.id ?? "", (how) => start(art, "regenerate", how));
      case "speak": return (await import("../text/speak.js")).speak(art, el);
      case "continue":
        if (!turn.running()) start(art, "continue", {});
        return;
      default: if (el instanceof HTMLAnchorElement) walk(art, el, keyboard);
    }
  } catch (e) {
    report(e);
  } finally {
    busy.delete(el);
  }
}

/** Handles a key in a message. @param {KeyboardEvent} e @param {El} art */
export function key(e, art) {
  if (e.key === "Escape") return cancel(art);
  if (e.key === "Enter") return void save(art, art.dataset.role === "user").catch(report);
  const link = $(`a[rel=${e.key === "ArrowLeft" ? "prev" : "next"}]`, art);
  if (link instanceof HTMLAnchorElement) walk(art, link, true);
}

/** After a switch of versions: scrolls the message to where the other version was. @param {{id: string, top: number, focus: boolean}} place */
export function arrive(place) {
  const art = document.getElementById(`m-${place.id}`);
  if (!art) return;
  art.parentElement?.classList.add("stepped"); // is not lit
  if (place.focus) art.focus({ preventScroll: true });
  void import("../turn/land.js").then((m) => m.hold(art, place.top)).catch(() => {}); // formulas above it change their heights
}
