/**
 * Shows the conversation as the server has it now, or its end. Loaded when needed.
 * @import {El} from "../types"
 */
import { $, $$ } from "../base/dom.js";
import { atEnd, read, way } from "./history.js";
import { keep } from "./scroll.js";
import { finish, list } from "./transcript.js";
import * as turn from "./turn.js";

/** @param {El} li */
const idOf = (li) => $("article", li)?.id ?? "";

/** A message without its rendered text, which the page enhances, and without its times. Of a long text there is a mark. @param {El} li */
function looks(li) {
  const copy = /** @type {El} */ (li.cloneNode(true));
  for (const el of $$(".answer, .bubble, .files, time, [data-text] .edit", copy)) el.remove();
  const marks = $$("article, [data-act], [data-state]", copy).map((el) => `${el.id} ${el.dataset.act} ${el.dataset.state} ${el.dataset.text}`);
  return [...marks, copy.textContent].join();
}

/**
 * Puts the server's messages in place. Those that are the same, or are being edited, stay as they are, and so do the
 * view and the focus.
 * @param {Document} doc @param {El[]} items
 */
function show(doc, items) {
  const focused = document.activeElement?.closest("#transcript article");
  const at = $$("#transcript > li").findIndex((li) => li.contains(document.activeElement));
  const old = new Map($$("#transcript > li").map((li) => [idOf(li), li])), top = items[0] && old.get(idOf(items[0]));
  const all = items.map((li) => {
    const had = old.get(idOf(li));
    if (!had || !($(".edit[open]", had) || looks(had) === looks(li))) return finish(li), li;
    had.className = li.className;
    return had;
  });
  const joins = top && $("#older", doc); // to the older parts of this page
  if (joins) for (let li = top.previousElementSibling; li; li = li.previousElementSibling) all.unshift(/** @type {El} */ (li));
  keep(() => {
    for (const li of [...list.children]) if (!all.includes(/** @type {El} */ (li))) li.remove();
    let spot = list.firstElementChild;
    for (const li of all) {
      if (li === spot) spot = spot.nextElementSibling;
      else list.insertBefore(li, spot);
    }
    if (!joins) way("older", doc);
    way("newer", doc);
  });
  if (focused && !focused.isConnected) {
    const instead = document.getElementById(focused.id) ?? $("article", list.children[at] ?? list);
    instead?.focus({ preventScroll: true });
  }
  $("#questions")?.replaceChildren(...($("#questions", doc)?.childNodes ?? []));
}

/** The personas that can be chosen. The chosen one stays, unless it was deleted. @param {Document} doc */
export function personas(doc) {
  const mine = $("#composer [name=persona]"), now = $("#composer [name=persona]", doc);
  if (!(mine instanceof HTMLSelectElement) || !$("#composer", doc)) return;
  const { value } = mine, none = /** @type {Element} */ (mine.options[0]);
  mine.replaceChildren(...(now instanceof HTMLSelectElement ? now.options : [none]));
  mine.value = value;
  if (mine.value !== value) mine.value = "0";
  $("#options")?.dispatchEvent(new Event("change")); // shows its name
}

/** The session's model, effort and persona: a command may have changed them, or another page. @param {Document} doc @param {Set<string>} [own] names of those that were changed here */
export function choose(doc, own) {
  if (!$("#composer", doc)) return; // another page has deleted the session
  for (const s of $$("#composer select:not([name=compare_with])")) {
    if (!(s instanceof HTMLSelectElement) || own?.has(s.name)) continue;
    const now = $(`#composer [name=${s.name}]`, doc);
    if (now instanceof HTMLSelectElement) for (const o of s.options) if (o.value === now.value) o.selected = true;
  }
  const persona = $("#options-chosen");
  if (persona && !own?.has("persona")) persona.textContent = $("#options-chosen", doc)?.textContent ?? "";
  $("#composer")?.dispatchEvent(new Event("change")); // for what depends on the model
}

/**
 * Shows the session as the server has it, and joins its running turn, except `lost`. Does nothing when meanwhile a turn, an
 * editor or another session began.
 * @param {string} [lost] @param {string} [query] the part of the conversation
 */
export async function refresh(lost, query = location.search) {
  if (!turn.session() || turn.running()) return;
  const id = turn.session(), turns = turn.followed.size, editors = $$(".edit[open]", list);
  const { doc, items } = await read(location.pathname + query);
  if (turn.running() || turn.followed.size !== turns || turn.session() !== id) return;
  if ($$(".edit[open]", list).some((el) => !editors.includes(el))) return;
  show(doc, items);
  choose(doc);
  turn.setPlace();
  turn.place.name = $("#composer [name=parent]", doc) ? "parent" : "end";
  const now = $("#composer", doc)?.dataset.turn;
  if (now && now !== lost && !$("#newer")) turn.join(now);
}

/** @type {Promise<void> | undefined} */
let going;
/** Goes to the end of the branch that is shown. */
export const toEnd = () => (going ??= end().finally(() => { going = undefined; }));

async function end() {
  const link = $("#end");
  if (!(link instanceof HTMLAnchorElement)) return;
  const { doc, items } = await read(link.href);
  show(doc, items);
  turn.setPlace();
  atEnd(doc);
}
