/**
 * The pictures of the message that is being written: made smaller, uploaded, shown above the text. Loaded with the
 * first picture.
 * @import {Picture} from "../types"
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

function show() {
  store.set(key(), pictures.length ? JSON.stringify(pictures) : null);
  for (const li of [...list.children]) if (!("waits" in /** @type {HTMLElement} */ (li).dataset)) li.remove();
  list.prepend(...pictures.map((p, i) => h("li", {},
    h("img", { src: `/pictures/${p.id}`, width: Math.round(Math.min(2, Math.max(1, p.width / p.height)) * SHOT_PX), height: SHOT_PX, alt: t.picture_n({ n: i + 1 }), onerror: () => lost(p) }),
    h("button", { class: "ibtn", type: "button", title: t.remove_picture({ n: i + 1 }), "aria-label": t.remove_picture({ n: i + 1 }), onclick: () => remove(p) }, icon("close")))));
  list.hidden = !list.children.length;
  warn();
  box.required = !pictures.length;
  box.dispatchEvent(new Event("input"));
}
/** @param {Picture} p */
function remove(p) {
  set(pictures.filter((x) => x !== p));
  box.focus({ preventScroll: true });
}
/** An old draft's: removed if the server no longer has it. @param {Picture} p */
const lost = (p) => void send("GET", `/api/pictures/${p.id}`).catch((e) => e.status === 404 && set(pictures.filter((x) => x.id !== p.id)));

/** @param {Picture[]} now */
export function set(now) {
  if (!now.length && !pictures.length) return;
  pictures = now;
  show();
}
/** undefined: none */
export const shown = () => (pictures.length ? pictures : undefined);
/** Resolves when all uploads have ended, to false when one failed; null: none runs. */
export const pending = () => uploads;

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

/** The place of a picture until its upload has ended. */
function place() {
  const li = h("li", { "data-waits": "" }, h("span", { class: "sr" }, t.picture_loads));
  list.append(li);
  list.hidden = false;
  return li;
}
/** False: it failed, which is said. @param {File} file @param {Element} li its place */
async function upload(file, li) {
  try {
    const small = await shrink(file).catch(() => null);
    if (!small) {
      await toast(t.no_picture({ name: isolated(file.name) }));
      return false;
    }
    const res = await send("POST", "/api/pictures", undefined, { body: small });
    pictures.push((await res.json()).picture);
    say(t.picture_added);
    return true;
  } catch (e) {
    report(e);
    return false;
  } finally {
    li.remove();
    show();
  }
}

/** @param {File[]} files */
export function add(files) {
  const room = MOST - pictures.length - list.querySelectorAll("[data-waits]").length;
  if (files.length > room) toast(t.many_pictures({ max: MOST })).catch(report);
  const mine = files.slice(0, Math.max(0, room)).map((file) => ({ file, li: place() })) // all places at once: the next choice counts them
    .reduce((before, { file, li }) => before.then(async (good) => (await upload(file, li)) && good), uploads ?? Promise.resolve(true));
  const all = mine.finally(() => { if (uploads === all) uploads = null; });
  uploads = all;
  box.focus();
}

turn.listen({
  named() {
    store.set(turn.slot("pictures", ""), null);
    show();
  },
});
try { pictures = JSON.parse(store.get(key()) ?? "[]"); } catch { /* of another version */ }
show();
