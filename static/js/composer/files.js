/**
 * Files that are dropped on the chat page, pasted into the message box or chosen with the button beside it. Text, also
 * that of a PDF file or an office document, goes to attached.js, pictures go to pictures.js.
 * Loaded with watch.js, or with the first use.
 * @typedef {(o: {name: string, max: string}) => string} Reason
 */
import { t } from "texts-later";
import { h, need } from "../base/dom.js";
import { isolated } from "../base/isolated.js";
import { size } from "../base/size.js";
import { toast } from "../base/toast.js";
import { part, take } from "./composer.js";
import { isPicture, read } from "./read_file.js";
import { bytes, whole } from "./whole.js";

const box = need("#text", HTMLTextAreaElement), max = Number(box.dataset.max); // bytes of a message

/** @type {Record<import("./read_file.js").Problem, Reason>} */
const REASONS = { locked: t.locked_pdf, empty: t.empty_pdf, broken: t.broken_pdf, long: t.long_file, binary: t.no_text_file };

/** False: one is not in the message, which is said. @param {File[]} files */
export async function insert(files) {
  const shots = files.filter(isPicture), texts = files.filter((file) => !isPicture(file));
  /** The names of the files that are not in the message, by the reason. @type {Map<Reason, string[]>} */
  const refused = new Map();
  if (shots.length) (await part("pictures")).add(shots);
  const list = texts.length ? await part("attached") : undefined;
  for (const file of texts) {
    const found = await read(file, max);
    const one = { name: file.name, text: "text" in found ? found.text : "" };
    const fits = list && bytes(whole({ text: box.value, files: [...list.shown() ?? [], one] }).text) <= max;
    if ("text" in found && fits) {
      list.add(one);
      box.focus();
      continue;
    }
    const said = "said" in found ? found.said : "", why = said ? () => said : REASONS["problem" in found ? found.problem : "long"];
    refused.set(why, [...refused.get(why) ?? [], isolated(file.name)]);
  }
  if (refused.size) await toast([...refused].map(([why, names]) => why({ name: names.join(", "), max: size(max, Math.floor) })).join("\n"));
  return !refused.size;
}

const DRAG_MS = 500; // browsers repeat "dragover" at least every 350 ms
const form = need("#composer", HTMLElement), dragEnds = () => { delete form.dataset.drop; };
let drag = 0;
// The box shows that it takes the files that are dragged over the page.
addEventListener("dragover", (e) => {
  if (!e.defaultPrevented) return; // composer.js takes only files
  form.dataset.drop = "";
  clearTimeout(drag);
  drag = setTimeout(dragEnds, DRAG_MS);
});
addEventListener("drop", dragEnds);

const field = h("input", { type: "file", multiple: "", onchange: () => take(field.files ?? []) });
/** Asks for files. */
export function choose() {
  field.value = ""; // the same file may be chosen again
  field.click();
}
