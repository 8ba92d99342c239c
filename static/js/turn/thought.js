/** The reasoning of a running answer, folded; loaded with its first piece. @import {El} from "../types" */
import { t } from "texts-later";
import { $, h, icon } from "../base/dom.js";
import { byId } from "./transcript.js";

/** Above the answer, as in message.mustache; it says how long it took once the answer begins. @param {El} art */
function begin(art) {
  const title = h("span", {}, t.thinking), fold = icon("down"), since = Date.now();
  fold.classList.add("fold");
  art.prepend(h("details", { class: "used thought" }, h("summary", {}, icon("note"), title, fold), h("pre", { tabindex: 0, "aria-label": t.reasoning, dir: "auto" })));
  const answer = $(".answer", art);
  const watch = new MutationObserver(() => {
    const s = Math.round((Date.now() - since) / 1000);
    title.replaceChildren(s ? t.thought({ s }) : t.thought_briefly);
    watch.disconnect();
  });
  if (answer) watch.observe(answer, { childList: true });
}

/** Adds a piece, or replaces all. @param {string} id @param {string} text @param {boolean} [whole] */
export function think(id, text, whole) {
  const art = byId(id);
  if (!art) return;
  if (!$(".thought", art)) begin(art);
  const pre = $(".thought pre", art);
  if (whole) pre?.replaceChildren();
  pre?.append(text);
}
