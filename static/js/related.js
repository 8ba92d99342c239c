/** Sessions about the same, beside the conversation. Loaded where there is room; elsewhere the summary's page has them. */
import { h, need } from "./dom.js";
import { api } from "./api.js";
import { sheet } from "./sheets.js";
import { session } from "./turn.js";

const nav = need("#related", HTMLElement);
const got = await api("GET", `/api/sessions/${session()}/related?limit=4`).catch(() => ({ related: [] }));
const line = (/** @type {any} */ s) =>
  h("li", {}, h("a", { href: s.url }, s.title), h("time", { datetime: s.active_iso, title: s.active_exact }, s.active_words));
nav.append(h("h2", {}, "Related sessions"), h("ul", {}, ...got.related.map(line)));
if (got.related.length) await sheet("/static/css/related.css");
nav.hidden = !got.related.length;
