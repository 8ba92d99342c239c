/** Drafts by session; saved shortly after typing and when the page is left. */
import { store } from "./dom.js";

const SAVE_MS = 400;

/** @param {HTMLTextAreaElement} box @param {() => string} session the id, empty for a new chat */
export function drafts(box, session) {
  let timer = 0;
  const key = () => `alfred.draft.${session() || "new"}`, pastedKey = () => `alfred.pasted.${session() || "new"}`;
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
      store.set("alfred.draft.new", null);
      store.set("alfred.pasted.new", null);
      save();
    },
  };
}
