/**
 * A running answer in the list of messages, loaded with the first letter that is typed: the server's articles
 * are put in place, and the blocks of the answer are patched.
 * @import {Change, El} from "../types"
 */
import { t } from "texts";
import { $, $$, h, icon } from "../base/dom.js";
import { token } from "../base/api.js";
import "./pasted.js";
import { sheet } from "../base/sheets.js";
import { byId, finish, list } from "./transcript.js";
import { fragment } from "../base/trust.js";

await Promise.all(["live", "message", "suggestion"].map((name) => sheet(`/static/css/${name}.css`)));

/** @type {Map<string, string[]>} the blocks' HTML by message */
const sources = new Map();
/** @type {Map<string, Set<number>>} blocks that changed since the last frame */
const dirty = new Map();
const SAID_MS = 5000, NEAR_END = 3; // see transcript.c
let frame = 0;

/** Gives the forms their token, which broadcasts do not contain. @param {ParentNode | null} root */
function addTokens(root) {
  for (const el of $$("[name=csrf]", root)) el.setAttribute("value", token());
}

/** Puts a server article at its place: over itself, or after its parent, where another branch begins. @param {string} html */
export function place(html) {
  const art = /** @type {El} */ (fragment(html).firstElementChild);
  addTokens(art);
  const old = document.getElementById(art.id), had = document.activeElement;
  finish(art);
  if (old) return replace(old, art);
  const parent = art.dataset.parent, column = byId(parent)?.closest(".col");
  if (column) {
    column.append(art);
    return art;
  }
  const li = byId(parent)?.closest("li");
  if (!parent) list.replaceChildren();
  while (li?.nextElementSibling) li.nextElementSibling.remove();
  list.append(h("li", { class: "end" }, art));
  if (!had?.isConnected) art.focus({ preventScroll: true }); // what was removed had the focus
  list.children[list.children.length - 1 - NEAR_END]?.classList.remove("end");
  return art;
}

/** Puts the columns of a comparison below their question. @param {string} asked @param {string} html */
export function columns(asked, html) {
  const li = /** @type {El} */ (fragment(html).firstElementChild), at = byId(asked)?.closest("li");
  if (document.getElementById(li.id)) return;
  while (at?.nextElementSibling) at.nextElementSibling.remove();
  addTokens(li);
  finish(li);
  list.append(li);
}

/** Replaces an article, unless the user selects text in it. @param {El} old @param {El} art */
function replace(old, art) {
  const was = $(".answer", old), is = $(".answer", art), marked = getSelection();
  if (was && is) is.style.minBlockSize = was.style.minBlockSize && `${was.offsetHeight}px`;
  if (was && is && marked?.type === "Range" && marked.containsNode(was, true) && was.textContent === is.textContent) {
    delete was.dataset.live;
    delete old.dataset.turn;
    while (was.nextSibling) was.nextSibling.remove();
    while (is.nextSibling) old.append(is.nextSibling);
    return old;
  }
  const had = old.contains(document.activeElement), shown = $(".thought[open]", old);
  if (shown) $(".thought", art)?.setAttribute("open", "");
  old.replaceWith(art);
  if (had) art.focus({ preventScroll: true });
  return art;
}

/** The size of one of `n` pictures, as the server has it (picture_resource.c). @param {import("../types").Picture} p @param {number} n */
function fit({ width, height }, n) {
  const most = n > 1 ? 160 : 240;
  if (width > 320) [width, height] = [320, Math.floor(height * 320 / width)];
  if (height > most) [width, height] = [Math.floor(width * most / height), most];
  return { width: width || 1, height: height || 1 };
}

const PENDING_CHARS = 20_000;
/** Shows a question before the server has answered. @param {import("../types").Message} message */
export function pend({ text, pictures = [], files = [] }) {
  const images = pictures.map((p) => h("a", {}, h("img", { src: `/pictures/${p.id}`, ...fit(p, pictures.length), alt: "" })));
  const rows = files.map((f) => h("details", { class: "file" }, h("summary", {}, icon("clip"), h("span", { class: "file-name" }, f.name))));
  list.append(...[
    h("article", { class: "msg user", id: "m-pending", "aria-label": t.you },
      ...(images.length ? [h("p", { class: "pictures" }, ...images)] : []),
      ...(rows.length ? [h("div", { class: "files" }, ...rows)] : []),
      h("div", { class: "bubble", hidden: !text }, ...text.slice(0, PENDING_CHARS).split(/\n{2,}/).map((p) => h("p", { dir: "auto" }, p))),
      h("div", { class: "acts" })),
    h("article", { class: "msg assistant", "data-turn": true, "aria-label": "Alfred" }, h("div", { class: "answer", "data-live": true })),
  ].map((art) => h("li", { class: "pending" }, art)));
}

/** A line under a running answer, or none. @param {El | null} art @param {string} text */
function line(art, text) {
  const old = $(".live-note", art ?? h("p"));
  if (old && text) old.textContent = text;
  else if (text) art?.append(h("p", { class: "live-note" }, text));
  else old?.remove();
}
/** @param {string} id @param {string} text */
export const note = (id, text) => line(byId(id), text);
/** The same for the answer that a pending question will get. @param {string} text */
export const pendingNote = (text) => line($(".pending [data-turn]", list), text);

export const dropPending = () => $$(".pending", list).forEach((li) => li.remove());

/** Shows the open questions as the server has them. Removes other copies of the suggestions that the answer `id` shows. @param {string} html @param {string} id of the answer */
export function questions(html, id) {
  const box = $("#questions");
  box?.replaceChildren(fragment(html));
  addTokens(box);
  for (const el of $$("[data-suggestion]", byId(id)))
    for (const other of $$(`[data-suggestion="${el.dataset.suggestion}"]`, list)) if (other !== el) other.remove();
}

/**
 * Applies changes of blocks; false: they do not fit what is here. With `from`, blocks from there on go first.
 * @param {string} id @param {Change[]} changes @param {number} [from]
 */
export function patch(id, changes, from = Infinity) {
  const blocks = sources.get(id) ?? [], set = dirty.get(id) ?? new Set();
  for (let i = from; i < blocks.length; i++) {
    blocks[i] = "";
    set.add(i);
  }
  sources.set(id, blocks);
  dirty.set(id, set);
  for (const [i, keep, html] of changes) {
    const old = blocks[i] ?? "";
    if (i > blocks.length || keep > old.length) return false;
    blocks[i] = old.slice(0, keep) + html;
    set.add(i);
  }
  frame ||= requestAnimationFrame(flush);
  return true;
}

function flush() {
  frame = 0;
  for (const [id, set] of dirty) {
    const box = $(".answer[data-live]", byId(id) ?? h("p")), blocks = sources.get(id) ?? [];
    if (!box) continue;
    // Keeps its height, so that text that is being read does not move. Read before the changes, which would cost a further layout.
    box.style.minBlockSize = `${box.offsetHeight}px`;
    if (!box.firstElementChild?.classList.contains("b")) box.replaceChildren();
    for (const i of [...set].sort((a, b) => a - b)) {
      while (box.children.length <= i) {
        if (box.lastElementChild) finish(box.lastElementChild);
        box.append(h("div", { class: "b" }));
      }
      const block = /** @type {El} */ (box.children[i]);
      block.replaceChildren(fragment(blocks[i] ?? ""));
      finish(block, i >= blocks.length - 1);
    }
  }
  dirty.clear();
}
addEventListener("resize", () => {
  for (const el of $$(".answer[style]", list)) el.style.minBlockSize = "";
});

/** The message is complete, or its stream restarts. @param {string} id */
export function forget(id) {
  sources.delete(id);
  dirty.delete(id);
}

/** Announces a failure that the article shows. @param {string} text */
export function hidden(text) {
  const p = h("p", { class: "sr", role: "alert" }, text);
  setTimeout(() => p.remove(), SAID_MS);
  return p;
}
