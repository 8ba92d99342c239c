/**
 * Files that are dropped on the chat page, pasted into the message box or chosen with the button beside it. Text, also
 * that of a PDF file, goes to attached.js, pictures go to pictures.js.
 * Loaded with watch.js, or with the first use.
 * @typedef {(o: {name: string, max: string}) => string} Reason
 */
import { t } from "texts-later";
import { h, need, version } from "../base/dom.js";
import { isolated } from "../base/isolated.js";
import { size } from "../base/size.js";
import { toast } from "../base/toast.js";
import { scriptUrl } from "../base/trust.js";
import { part, take } from "./composer.js";
import { bytes, whole } from "./whole.js";

const box = need("#text", HTMLTextAreaElement), max = Number(box.dataset.max); // bytes of a message

/** @param {Uint8Array} data @param {string} encoding */
function decode(data, encoding) {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(data);
  } catch {
    return null;
  }
}

/**
 * The text of a file, read as editors do: UTF-16 with a byte order mark, UTF-8, else Windows-1252, which includes the
 * letters of Latin-1. Any bytes are Windows-1252, so control characters tell binary files. Null for one that is no text.
 * @param {File} file
 */
async function read(file) {
  const data = new Uint8Array(await file.arrayBuffer()), mark = `${data[0]} ${data[1]}`;
  const wide = { "255 254": "utf-16le", "254 255": "utf-16be" }[mark];
  let text = decode(data, wide ?? "utf-8");
  if (text === null && !wide) {
    text = decode(data, "windows-1252");
    if (text && /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]/.test(text)) return null;
  }
  return text === null || text.includes("\0") ? null : text.replace(/\r\n?/g, "\n");
}

const PDF_MS = 60_000;
/** @param {File} file */
const isPdf = (file) => file.type === "application/pdf" || /\.pdf$/i.test(file.name);

/** The text of a PDF file. @param {File} file @returns {Promise<import("./pdf.js").Read>} */
async function readPdf(file) {
  const bytes = await file.arrayBuffer();
  const worker = new Worker(scriptUrl(`/static/${document.documentElement.dataset.asset}/js/composer/pdf.js`), { type: "module" });
  try {
    return await new Promise((ok) => {
      worker.onmessage = ({ data }) => data.read && ok(data.read); // the others are the library's
      worker.onerror = () => ok({ problem: "broken" });
      setTimeout(() => ok({ problem: "broken" }), PDF_MS);
      worker.postMessage({ library: `/static/vendor/pdf.mjs${version}`, bytes, max }, [bytes]);
    });
  } finally {
    worker.terminate();
  }
}

/** The text of a file, or the sentence that says why there is none. @param {File} file @returns {Promise<{text: string} | {refusal: Reason}>} */
async function textOf(file) {
  if (isPdf(file)) {
    const line = await toast(t.reads_file({ name: isolated(file.name) }));
    const read = await readPdf(file);
    line.remove();
    if ("text" in read) return read;
    return { refusal: { locked: t.locked_pdf, empty: t.empty_pdf, broken: t.broken_pdf }[read.problem] };
  }
  if (file.size > 2 * max) return { refusal: t.long_file };
  const text = await read(file);
  return text === null ? { refusal: t.no_text_file } : { text };
}

/** A drawing in SVG is text for models. Not every system knows the type of a photo of an iPhone. @param {File} file */
const isPicture = (file) => file.type ? file.type.startsWith("image/") && file.type !== "image/svg+xml" : /\.hei[cf]$/i.test(file.name);

/** False: one is not in the message, which is said. @param {File[]} files */
export async function insert(files) {
  const shots = files.filter(isPicture), texts = files.filter((file) => !isPicture(file));
  /** The names of the files that are not in the message, by the reason. @type {Map<Reason, string[]>} */
  const refused = new Map();
  if (shots.length) (await part("pictures")).add(shots);
  const list = texts.length ? await part("attached") : undefined;
  for (const file of texts) {
    const found = await textOf(file);
    const one = { name: file.name, text: "text" in found ? found.text : "" };
    const fits = list && bytes(whole({ text: box.value, files: [...list.shown() ?? [], one] }).text) <= max;
    if ("text" in found && fits) {
      list.add(one);
      box.focus();
      continue;
    }
    const why = "refusal" in found ? found.refusal : t.long_file;
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
