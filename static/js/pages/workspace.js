/** The files of a workspace: chosen or dropped ones are read here and added one by one. Without this script the form sends them. */
import { t } from "texts-later";
import { $, h, need } from "../base/dom.js";
import { api } from "../base/api.js";
import { isolated } from "../base/isolated.js";
import { current } from "../base/later.js";
import { morph } from "../base/morph.js";
import { size } from "../base/size.js";

const form = need("#add-files", HTMLFormElement), field = need("#add-files [type=file]", HTMLInputElement), said = need("#files-said", HTMLElement);
const main = need("#main", HTMLElement), max = Number(form.dataset.most);

/** @type {Record<import("../composer/read_file.js").Problem, (o: {name: string, max: string}) => string>} */
const REASONS = { locked: t.locked_pdf, empty: t.pictures_only, broken: t.broken_pdf, long: t.long_text, binary: t.no_text };

/** Adds a file. Resolves with the sentence that says why not. @param {File} file */
async function add(file) {
  const { read } = await import("../composer/read_file.js");
  const found = await read(file, max);
  if ("said" in found) return found.said;
  if ("problem" in found) return REASONS[found.problem]({ name: isolated(file.name), max: size(max, Math.floor) });
  return api("POST", "/api/workspace/files", { workspace: new FormData(form).get("workspace"), name: file.name, text: found.text }).then(() => "", (e) => e.message);
}

/** Files to add. More may come while some are added. @type {File[]} */
const waiting = [];

async function addAll() {
  const refused = [];
  do {
    form.dataset.sent = "true"; // follow.js waits
    for (let file; (file = waiting.shift());) refused.push(await add(file));
    field.value = "";
    const { doc } = await current(), now = $("#main", doc);
    if (now) morph(main, now);
  } while (waiting.length);
  delete form.dataset.sent;
  const lines = refused.filter(Boolean);
  said.replaceChildren(...(lines.length ? lines : [t.files_added]).map((line) => h("p", {}, line)));
}

/** @param {Iterable<File>} files */
function take(files) {
  const n = waiting.push(...files);
  if (!n) return;
  said.replaceChildren(h("p", {}, t.adding_files({ n })));
  if (!form.dataset.sent) addAll().catch((e) => {
    waiting.length = 0;
    delete form.dataset.sent;
    said.replaceChildren(h("p", {}, e.message));
  });
}

form.addEventListener("submit", (e) => {
  e.preventDefault();
  take(field.files ?? []);
});
field.addEventListener("change", () => form.requestSubmit());

const DRAG_MS = 500; // browsers repeat "dragover" at least every 350 ms
let drag = 0;
const dragEnds = () => { delete form.dataset.drop; };
addEventListener("dragover", (e) => {
  if (!e.dataTransfer?.types.some((kind) => /^files$/i.test(kind))) return;
  e.preventDefault();
  form.dataset.drop = "";
  clearTimeout(drag);
  drag = setTimeout(dragEnds, DRAG_MS);
});
addEventListener("drop", (e) => {
  if (!e.dataTransfer?.files.length) return;
  e.preventDefault();
  dragEnds();
  take(e.dataTransfer.files);
});
