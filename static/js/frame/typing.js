/** Keys that no focused element takes are typed into the message box: after "Answer again", or a click beside the text. */
import { composing, need } from "../base/dom.js";

const box = need("#text", HTMLTextAreaElement);
addEventListener("keydown", (e) => {
  const typed = e.key.length === 1 && e.key !== " " && !e.ctrlKey && !e.metaKey && !e.altKey; // space scrolls
  if (typed && !composing(e) && !e.defaultPrevented && document.activeElement?.matches("body, main, article")) box.focus({ preventScroll: true });
});
