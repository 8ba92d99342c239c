/**
 * The pictures of the message that is being written: made smaller, uploaded, shown above the text. One that the server
 * refuses keeps its place. Send uploads it again, and so does the next load of the page, such as after a sign-in.
 * Loaded with the first picture.
 * @import {Picture} from "../types"
 * @typedef {{name: string, data: Blob}} Own a picture as it is uploaded
 */
import { t } from "texts-later";
import { $, h, icon, need, store } from "../base/dom.js";
import { send } from "../base/api.js";
import { report, say } from "../base/a11y.js";
import { isolated } from "../base/isolated.js";
import { toast } from "../base/toast.js";
import { sheet } from "../base/sheets.js";
import * as turn from "../turn/turn.js";

const MOST = 8; // of a message; PICTURES_PER_MESSAGE of the server
const SIDE_PX = 2000; // models see no more
const KEPT_BYTES = 1_500_000; // a larger PNG becomes a JPEG
const SHOT_PX = 64; // height
const JPEG = "image/jpeg", PNG = "image/png", QUALITY = 0.85;

void sheet("/static/css/pictures.css");
const form = need("#composer", HTMLFormElement), box = need("#text", HTMLTextAreaElement);
const list = h("ul", { class: "shots", "aria-label": t.pictures, hidden: "" });
const note = h("p", { class: "shots-note", role: "status" });
form.prepend(list, note);

/** @type {Picture[]} */
let pictures = [];
/** Those that were refused, by their place. @type {Map<Element, Own>} */
const refused = new Map();
/** Uploads, one after the other; false when one of them failed. @type {Promise<boolean> | null} */
let uploads = null;

const key = () => turn.slot("pictures");

/** Warns before the message is sent that the chosen model cannot read pictures. */
function warn() {
  const model = $("[name=choice] option:checked, .choice[data-blind]", form);
  const blind = pictures.length > 0 && model && "blind" in model.dataset;
  note.textContent = blind ? t.cannot_see({ model: isolated(model.textContent?.trim() ?? "") }) : "";
}
form.addEventListener("change", warn);

/** @param {string} name @param {string} label @param {() => void} onclick */
const button = (name, label, onclick) => h("button", { class: "ibtn", type: "button", title: label, "aria-label": label, onclick }, icon(name));

/** @param {Picture} p @param {number} i */
const shot = (p, i) => h("li", {},
  h("img", {
    src: `/pictures/${p.id}`,
    width: Math.round(Math.min(2, Math.max(1, p.width / p.height)) * SHOT_PX),
    height: SHOT_PX,
    alt: t.picture_n({ n: i + 1 }),
    onerror: () => lost(p),
  }),
  button("close", t.remove_picture({ n: i + 1 }), () => remove(p)));

function show() {
  store.set(key(), pictures.length || refused.size ? JSON.stringify(pictures) : null);
  for (const li of [...list.children]) if (!("waits" in /** @type {HTMLElement} */ (li).dataset)) li.remove();
  list.prepend(...pictures.map(shot));
  list.hidden = !list.children.length;
  warn();
  box.dispatchEvent(new Event("input"));
}
/** @param {Picture} p */
function remove(p) {
  set(pictures.filter((x) => x !== p));
  box.focus({ preventScroll: true });
}
/** An old draft's: removed if the server no longer has it. @param {Picture} p */
const lost = (p) => void send("GET", `/api/pictures/${p.id}`).catch((e) => {
  if (e.status === 404) set(pictures.filter((x) => x.id !== p.id));
});

/** @param {Picture[]} now */
export function set(now) {
  if (!now.length && !pictures.length) return;
  pictures = now;
  show();
}
/** undefined: none */
export const shown = () => (pictures.length ? pictures : undefined);
/** Uploads again what was refused. Resolves when all uploads have ended, to false when one failed; null: none runs. */
export function pending() {
  if (!uploads && refused.size) enqueue([...refused].map(([li, own]) => again(li, own)));
  return uploads;
}

/** @param {ImageBitmap} bitmap @param {number} scale @param {string} type */
function draw(bitmap, scale, type) {
  const canvas = new OffscreenCanvas(Math.max(1, Math.round(bitmap.width * scale)), Math.max(1, Math.round(bitmap.height * scale)));
  const to = /** @type {OffscreenCanvasRenderingContext2D} */ (canvas.getContext("2d"));
  if (type === JPEG) {
    to.fillStyle = "#fff";
    to.fillRect(0, 0, canvas.width, canvas.height);
  }
  to.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return canvas.convertToBlob({ type, quality: QUALITY });
}

/** The file as models can read it, without the place and the time that a camera wrote into it. @param {File} file */
async function shrink(file) {
  const bitmap = await createImageBitmap(file);
  const scale = Math.min(1, SIDE_PX / Math.max(bitmap.width, bitmap.height));
  try {
    if (file.type === "image/gif" && scale === 1 && file.size <= KEPT_BYTES) return file;
    const sharp = file.type === JPEG ? null : await draw(bitmap, scale, PNG);
    return sharp && sharp.size <= KEPT_BYTES ? sharp : await draw(bitmap, scale, JPEG);
  } finally {
    bitmap.close();
  }
}

/** Stores the refused pictures in the browser, after an earlier call has ended. */
let kept = Promise.resolve();
const keep = () => (kept = kept.then(async () => {
  const name = key();
  await caches.delete(name);
  if (!refused.size) return;
  const shelf = await caches.open(name);
  for (const [i, own] of [...refused.values()].entries()) await shelf.put(`/${i}?${encodeURIComponent(own.name)}`, new Response(own.data));
}).catch(() => {})); // full, denied or without TLS: only this page has them

/** Uploads those that an earlier page has stored. */
async function restore() {
  if (!await caches.has(key())) return [];
  const shelf = await caches.open(key());
  return Promise.all((await shelf.keys()).map(async (request) => {
    const data = await (/** @type {Response} */ (await shelf.match(request))).blob();
    return again(place(), { name: decodeURIComponent(new URL(request.url).search.slice(1)), data });
  }));
}

const waits = () => h("span", { class: "sr" }, t.picture_loads);
/** The place of a picture until it is accepted. */
function place() {
  const li = h("li", { "data-waits": "" }, waits());
  list.append(li);
  list.hidden = false;
  return li;
}
/** @param {Element} li */
function drop(li) {
  li.remove();
  if (refused.delete(li)) void keep();
  show();
}
/** @param {Element} li @param {Own} own */
function refuse(li, own) {
  const name = isolated(own.name), label = t.upload_again({ name });
  refused.set(li, own);
  void keep();
  const retry = h("button", { class: "again", type: "button", title: label, "aria-label": label, onclick: () => enqueue([again(li, own)]) }, icon("again"), h("bdi", {}, own.name));
  li.replaceChildren(retry, button("close", t.remove_named({ name }), () => {
    drop(li);
    box.focus({ preventScroll: true });
  }));
  show();
}
/** @param {Element} li @param {Own} own */
function again(li, own) {
  refused.set(li, own);
  li.replaceChildren(waits());
  return () => upload(li, own);
}

/** False: it failed, which is said. @param {Element} li its place @param {Own} own */
async function upload(li, own) {
  try {
    const res = await send("POST", "/api/pictures", undefined, { body: own.data });
    pictures.push((await res.json()).picture);
    drop(li);
    say(t.picture_added);
    return true;
  } catch (e) {
    refuse(li, own);
    report(e);
    return false;
  }
}
/** @param {Element} li @param {File} file */
async function prepare(li, file) {
  const data = await shrink(file).catch(() => null), { name } = file;
  if (data) return upload(li, { name, data });
  drop(li);
  await toast(t.no_picture({ name: isolated(name) }));
  return false;
}

/** Runs uploads one after the other, behind those that wait. @typedef {() => Promise<boolean>} Task @param {Task[] | Promise<Task[]>} tasks */
function enqueue(tasks) {
  const all = Promise.all([tasks, uploads ?? true]).then(async ([mine, good]) => {
    for (const task of mine) good = (await task()) && good;
    return good;
  }).finally(() => { if (uploads === all) uploads = null; });
  uploads = all;
}

/** @param {File[]} files */
export function add(files) {
  const room = MOST - pictures.length - list.querySelectorAll("[data-waits]").length;
  if (files.length > room) toast(t.many_pictures({ max: MOST })).catch(report);
  enqueue(files.slice(0, Math.max(0, room)).map((file) => ({ file, li: place() })) // all places at once: the next choice counts them
    .map(({ file, li }) => () => prepare(li, file)));
  box.focus();
}

turn.listen({
  named() {
    const before = turn.slot("pictures", "");
    store.set(before, null);
    show();
    void keep().then(() => caches.delete(before)).catch(() => {});
  },
});
try { pictures = JSON.parse(store.get(key()) ?? "[]"); } catch { /* of another version */ }
show();
enqueue(restore().catch(() => []));
