/** What is half written, by session; saved a moment after typing and when the page goes away. */
import { store } from "./dom.js";

const SAVE_MS = 400;

/** @param {HTMLTextAreaElement} box @param {() => string} session the id, empty for a new chat */
export function drafts(box, session) {
  let timer = 0;
  const key = () => `alfred.draft.${session() || "new"}`;
  const save = () => {
    clearTimeout(timer);
    store.set(key(), box.value.trim() ? box.value : null);
  };
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(save, SAVE_MS);
  });
  addEventListener("pagehide", save);
  box.value ||= store.get(key()) ?? "";
  return {
    save,
    /** The new chat got its id: what was typed since goes with it. */
    handOver() {
      store.set("alfred.draft.new", null);
      save();
    },
  };
}
