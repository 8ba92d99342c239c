/** Drafts by session; saved shortly after typing and when the page is left. */
import { store } from "./dom.js";
import { slot } from "./turn.js";

const SAVE_MS = 400;

/** @param {HTMLTextAreaElement} box */
export function drafts(box) {
  let timer = 0;
  const key = () => slot("draft"), pastedKey = () => slot("pasted");
  const save = () => {
    clearTimeout(timer);
    store.set(key(), box.value.trim() ? box.value : null);
    store.set(pastedKey(), (box.value.trim() && box.dataset.pasted) || null);
  };
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_MS);
  });
  addEventListener("pagehide", save);
  const pasted = store.get(pastedKey());
  if (!box.value && pasted) box.dataset.pasted = pasted;
  box.value ||= store.get(key()) ?? "";
  return {
    save,
    /** The new chat has its id: its draft moves to it. */
    handOver() {
      store.set(slot("draft", ""), null);
      store.set(slot("pasted", ""), null);
      save();
    },
  };
}
