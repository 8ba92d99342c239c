/** The parts of a long message that its page lacks. Loaded when one of them is needed. @import {El} from "../types" */
import { $, $$ } from "../base/dom.js";
import { read } from "../turn/history.js";
import { finish } from "../turn/transcript.js";

const PARTS = [".files > .file", ".bubble", ".edit"];

/** Replaces what an element contains, apart from its summary, which may have the focus. @param {El} el @param {El} now */
const fill = (el, now) => el.replaceChildren(...$$(":scope > summary", el), ...[...now.childNodes].filter((x) => x.nodeName !== "SUMMARY"));

/** @param {El} art @param {HTMLAnchorElement} link */
async function load(art, link) {
  const { doc } = await read(link.href), all = doc.getElementById(art.id);
  for (const part of all ? PARTS : []) {
    const now = $$(part, all ?? undefined);
    $$(part, art).forEach((el, i) => now[i] && fill(el, now[i]));
  }
  finish(art);
}

/** @type {WeakMap<El, Promise<void>>} */
const coming = new WeakMap();

/** Resolves when the page has all of this message. @param {El} art */
export async function complete(art) {
  const link = $("[data-whole]", art);
  if (!(link instanceof HTMLAnchorElement)) return;
  const loads = coming.get(art) ?? load(art, link).finally(() => coming.delete(art));
  coming.set(art, loads);
  await loads;
}
