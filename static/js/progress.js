/** The progress of the search index, updated every few seconds while the page is visible. */
import { t } from "texts-later";
import { $, need } from "./dom.js";
import { api } from "./api.js";

const EVERY_MS = 3000;
const box = need("[data-progress]", HTMLElement);

/** @param {Element} el @param {string | null} text */
function show(el, text) {
  el.textContent = text ?? "";
  /** @type {HTMLElement} */ (el).hidden = !text;
}

const look = setInterval(async () => {
  if (document.hidden) return;
  const got = await api("GET", box.dataset.progress ?? "").catch(() => null);
  if (!got) return; // try again later
  const { progress } = got;
  const bar = need("[data-progress] progress", HTMLProgressElement);
  show(need(".indexing-words", HTMLElement), progress?.words ?? null);
  show(need(".indexing-stuck", HTMLElement), progress?.stuck ?? null);
  bar.hidden = !progress?.words;
  if (progress?.words) Object.assign(bar, { max: progress.total, value: progress.done });
  if (progress) return;
  clearInterval(look);
  box.hidden = true;
  $("#say")?.append(t.index_ready);
}, EVERY_MS);
