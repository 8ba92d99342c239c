/** The text files of a sent message in its editor. Loaded when the editor of a message with files opens. @import {El} from "../types" */
import { t } from "texts-later";
import { $, $$, h } from "../base/dom.js";
import { sheet } from "../base/sheets.js";
import { chip } from "../composer/chip.js";

/** Replaces the blocks of the files by a list of chips above the box, whose text is then the one that was typed. Resolves when they have their style. @param {El} art @param {HTMLTextAreaElement} box */
export async function unpack(art, box) {
  const form = box.closest("form"), sent = $$(":scope > .files > .file", art);
  if (!form || $(".files", form) || box.value !== box.defaultValue) return; // it is being changed already
  const lines = box.value.split("\n"), starts = sent.map((el) => Number(el.dataset.line));
  const files = starts.map((from, i) => {
    const [name = "", , ...rest] = lines.slice(from, starts[i + 1]).join("\n").trimEnd().split("\n"); // the second line is the fence
    return { name: name.trim().replace(/^\.\//, ""), text: rest.slice(0, -1).map((line) => `${line}\n`).join("") };
  });
  if (files.some(({ name }, i) => name !== $(".file-name", sent[i])?.textContent)) return;
  form.prepend(h("ul", { class: "files", "aria-label": t.files }, ...files.map((file) => {
    const li = chip(file, () => {
      li.remove();
      box.focus({ preventScroll: true });
    });
    return li;
  })));
  box.value = lines.slice(0, starts[0]).join("\n").trimEnd();
  await sheet("/static/css/files.css");
}
