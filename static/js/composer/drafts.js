/** Drafts by session; saved shortly after typing and when the page is left. watch.js follows other tabs. */
import { store } from "../base/dom.js";
import { slot } from "../turn/turn.js";

const SAVE_MS = 400;

/** @param {HTMLTextAreaElement} box */
export function drafts(box) {
  let timer = 0, saved = store.get(slot("draft")) ?? "";
  const save = () => {
    clearTimeout(timer);
    const text = box.value.trim() && box.value;
    if (text === saved) return; // the stored one may be another tab's
    const was = saved;
    saved = text;
    if (!text && store.get(slot("draft")) !== was) return; // so may this one
    store.set(slot("draft"), text);
    store.set(slot("pasted"), (text && box.dataset.pasted) || null);
  };
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_MS);
  });
  addEventListener("pagehide", save);
  const pasted = store.get(slot("pasted"));
  if (!box.value && pasted) box.dataset.pasted = pasted;
  box.value ||= saved;
  return {
    save,
    /** The new chat has its id: its draft moves to it. */
    handOver() {
      if (saved && store.get(slot("draft", "")) === saved) for (const kind of ["draft", "pasted"]) store.set(slot(kind, ""), null);
      saved = "";
      save();
    },
  };
}
