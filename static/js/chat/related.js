/** Related sessions beside the conversation, in wide windows; otherwise the summary page has them. @import {Session} from "../types" */
import { t as first } from "texts";
import { t } from "texts-later";
import { h, need } from "../base/dom.js";
import { api } from "../base/api.js";
import { sheet } from "../base/sheets.js";
import { exact, words } from "../base/times.js";
import { session } from "../turn/turn.js";

const nav = need("#related", HTMLElement);
const got = await api("GET", `/api/sessions/${session()}/related?limit=4`).catch(() => ({ related: [] }));
/** @param {Session} s */
const line = (s) => {
  const at = new Date(s.active_at);
  return h("li", {}, h("a", { href: s.url, dir: "auto", title: s.title ?? "" }, s.title ?? first.untitled), h("time", { datetime: s.active_at }, h("span", { title: exact(at), "aria-hidden": "true" }, words(at)), h("span", { class: "sr" }, exact(at))));
};
nav.append(h("h2", {}, t.related), h("ul", {}, ...got.related.map(line)));
if (got.related.length) await sheet("/static/css/related.css");
nav.hidden = !got.related.length;
