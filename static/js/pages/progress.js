/** The progress of the search index, which follows what the helper reports. */
import { t } from "texts-later";
import { need } from "../base/dom.js";
import { say } from "../base/a11y.js";
import { api } from "../base/api.js";
import { listen } from "../frame/changes.js";
import { later } from "../base/later.js";

const box = need("[data-progress]", HTMLElement);

/** @param {Element} el @param {string | null} text */
function show(el, text) {
  el.textContent = text ?? "";
  /** @type {HTMLElement} */ (el).hidden = !text;
}

async function look() {
  const { progress } = await api("GET", box.dataset.progress ?? "");
  if (box.hidden) return;
  const bar = need("[data-progress] progress", HTMLProgressElement);
  show(need(".indexing-words", HTMLElement), progress?.words ?? null);
  show(need(".indexing-stuck", HTMLElement), progress?.stuck ?? null);
  bar.hidden = !progress?.words;
  if (progress?.words) Object.assign(bar, { max: progress.total, value: progress.done });
  if (progress) return;
  box.hidden = true;
  say(t.index_ready);
}
const soon = later(look);
listen(({ name }) => ["index", "reload"].includes(name) && soon());
soon();
