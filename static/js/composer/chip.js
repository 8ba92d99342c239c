/** A text file of a message that is being written or edited, folded below its name and size. @import {TextFile} from "../types" */
import { t } from "texts-later";
import { h, icon } from "../base/dom.js";
import { isolated } from "../base/isolated.js";
import { sheet } from "../base/sheets.js";
import { size } from "../base/size.js";
import { bytes } from "./whole.js";

void sheet("/static/css/files.css");

/** An item of a list of files. @param {TextFile} file @param {() => void} remove */
export function chip(file, remove) {
  const name = isolated(file.name), label = t.remove_named({ name });
  return h("li", { class: "file-item" },
    h("details", { class: "file" },
      h("summary", {}, icon("clip"), h("span", { class: "file-name" }, file.name), h("span", { class: "file-size" }, size(bytes(file.text)))),
      h("pre", { tabindex: 0, "aria-label": name, dir: "auto" }, file.text)),
    h("button", { class: "ibtn", type: "button", title: label, "aria-label": label, onclick: remove }, icon("close")));
}
