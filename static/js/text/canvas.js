/**
 * A document of the conversation beside it, or over it in a narrow window: its versions, copy, download, the preview of
 * HTML and SVG, and a long answer as text. Loaded with the first one that is opened. The preview is a frame of another origin without access to
 * this one or to the network (web/chat/preview.h).
 * @import {Version} from "./documents.js"
 */
import { t as first } from "texts";
import { t } from "texts-later";
import { $, $$, composing, h, icon, need } from "../base/dom.js";
import { say } from "../base/a11y.js";
import { enhance } from "./code.js";
import { documents, isPage, isPicture } from "./documents.js";
import { keep } from "../turn/scroll.js";
import { sheet } from "../base/sheets.js";
import { list } from "../turn/transcript.js";

await sheet("/static/css/canvas.css");

const NARROW = matchMedia("(width < 900px)"), TIGHT = matchMedia("(width < 1500px)");
const root = document.documentElement;

/** @type {Version[]} */
let versions = [];
/** `entry`: over the conversation it has an entry in the history, so that Back closes it. */
let at = 0, preview = false, scripts = false, sideClosed = false, entry = false;
/** The version whose text is in `pre`. @type {Version | null} */
let drawn = null;
/** The line of the opened block. @type {() => HTMLElement | null} */
let opener = () => null;

const button = (/** @type {string} */ label, /** @type {() => void} */ onclick, attrs = {}) => h("button", { type: "button", class: "btn", onclick, ...attrs }, label);
const arrow = (/** @type {string} */ name, /** @type {string} */ label, /** @type {number} */ by) =>
  h("button", { type: "button", class: "ibtn", "aria-label": label, title: label, onclick: () => show(at + by, true) }, icon(name));

const title = h("h2", { id: "canvas-title", class: "clip", dir: "auto" });
const previous = arrow("left", t.previous_version, -1), next = arrow("right", t.next_version, 1), count = h("span", {});
const browse = h("nav", { class: "canvas-versions", "aria-label": t.versions_of }, previous, count, next);
const asCode = button(t.canvas_code, () => look(false)), asPreview = button(t.canvas_preview, () => look(true));
const run = h("p", { class: "canvas-note" }, t.scripts_off, button(t.run_scripts, () => { scripts = true; draw(); }));
const views = h("div", { class: "canvas-views", role: "group", "aria-label": t.canvas_view }, asCode, asPreview);
const pre = h("pre", { tabindex: 0, "aria-label": t.canvas_text });
const frame = h("div", { class: "canvas-frame" });
const text = h("div", { class: "answer canvas-text", tabindex: 0, role: "region", "aria-label": t.canvas_text });
const panel = h("section", { id: "canvas", class: "canvas code", tabindex: -1, "aria-labelledby": "canvas-title" },
  h("header", {}, title, browse, h("button", { type: "button", class: "ibtn", "aria-label": t.close, title: t.close, onclick: close }, icon("close"))),
  h("div", { class: "canvas-tools" }, views, h("div", { class: "canvas-acts" }, button(first.copy, () => {}, { class: "btn code-copy" }), button(t.download, download))),
  run, pre, frame, text);

/** @param {boolean} on */
function look(on) {
  if (on === preview && !scripts) return;
  preview = on;
  scripts = false;
  draw();
}

/** A version by its index. @param {number} index @param {boolean} [aloud] */
function show(index, aloud) {
  at = Math.max(0, Math.min(versions.length - 1, index));
  scripts = false;
  draw();
  if (aloud) say(t.version_of({ n: at + 1, all: versions.length }));
}

/**
 * The frame asks for nothing: the page sends it the document once it is there. Only once, because a frame that went on
 * to /preview/scripts by itself would run the scripts. @param {Version} v
 */
function framed(v) {
  const el = h("iframe", { sandbox: "allow-scripts", referrerpolicy: "no-referrer", src: `/preview${scripts ? "/scripts" : ""}`, title: t.preview_of({ name: v.name }) });
  const send = () => el.contentWindow?.postMessage(isPicture(v) ? `<body style="margin:0">${v.text.replace(/^\s*<\?xml[^>]*>/, "")}` : v.text, "*");
  el.addEventListener("load", send, { once: true });
  return el;
}

/** The answer as it is in the conversation. @param {Version} v */
function copied(v) {
  const copy = /** @type {HTMLElement} */ (v.el.cloneNode(true));
  for (const el of $$(".code-open", copy)) el.remove();
  for (const el of $$("[data-done]:not(.done, :has(span))", copy)) delete el.dataset.done; // they waited for idle time
  return copy.childNodes;
}

function draw() {
  const v = versions[at], held = document.activeElement;
  if (!v) return;
  const shown = v.prose || isPage(v) || isPicture(v), framing = shown && preview && !v.prose, reading = !!v.prose && preview;
  title.replaceChildren(v.name);
  browse.hidden = versions.length < 2;
  count.replaceChildren(h("span", { class: "sr" }, t.version_of({ n: at + 1, all: versions.length })), h("span", { "aria-hidden": true }, `${at + 1} / ${versions.length}`));
  previous.disabled = at === 0;
  next.disabled = at === versions.length - 1;
  views.hidden = !shown;
  if ((views.firstChild === asPreview) !== !!v.prose) views.append(v.prose ? asCode : asPreview); // a text is read first
  asCode.textContent = v.prose ? t.canvas_markdown : t.canvas_code;
  asPreview.textContent = v.prose ? t.canvas_read : t.canvas_preview;
  asCode.setAttribute("aria-pressed", `${!framing && !reading}`);
  asPreview.setAttribute("aria-pressed", `${framing || reading}`);
  run.hidden = !framing || scripts || !/<script|\son\w+\s*=/i.test(v.text);
  pre.hidden = framing || reading;
  pre.classList.toggle("prose", !!v.prose);
  if (drawn !== v) pre.replaceChildren(h("code", { class: v.language && `language-${v.language}` }, v.text));
  drawn = v; // painted once
  frame.hidden = !framing;
  frame.replaceChildren(...(framing ? [framed(v)] : []));
  text.hidden = !reading;
  text.replaceChildren(...(reading ? copied(v) : []));
  text.scrollTop = 0;
  enhance(panel);
  // A button that cannot be used now gives the focus to another one.
  if (held === previous && previous.disabled) next.focus();
  else if (held === next && next.disabled) previous.focus();
  else if (run.hidden && run.contains(held)) asPreview.focus();
}

/** Beside the conversation, or over it: then the rest of the page is out of reach. */
function arrange() {
  const over = panel.isConnected && NARROW.matches;
  for (const el of [need("#page", HTMLElement), $("#side"), $(".skip")]) if (el) el.inert = over;
  panel.toggleAttribute("aria-modal", over);
  if (over) panel.setAttribute("aria-modal", "true");
  panel.setAttribute("role", over ? "dialog" : "complementary");
  root.dataset.canvas = over ? "over" : "beside";
  if (!panel.isConnected) delete root.dataset.canvas;
  if (!over || entry) return;
  entry = true;
  history.scrollRestoration = "manual"; // as in reading.js: Back must not scroll the conversation
  if (!history.state?.canvas) history.pushState({ ...history.state, canvas: true }, "");
}
NARROW.addEventListener("change", () => panel.isConnected && arrange());

/** Opens the document of the block or the answer that a button belongs to. @param {HTMLElement} by */
export function open(by) {
  const article = by.closest("article"), block = by.closest(".code");
  const el = block ? $("pre code", block) : $(".answer", article), doc = documents().find((d) => d.some((v) => v.el === el));
  if (!doc) return;
  versions = doc;
  const id = article?.id ?? "", place = $$(".code", article).findIndex((one) => one === block);
  opener = () => {
    const now = document.getElementById(id);
    return block ? $(".code-open", $$(".code", now)[place] ?? null) : $("[data-act=open]", now);
  };
  const index = doc.findIndex((v) => v.el === el), v = doc[index];
  preview = !!v && (!block || isPage(v) || isPicture(v)); // read first, without its scripts
  if (!panel.isConnected) {
    keep(() => {
      if (TIGHT.matches && !NARROW.matches && !root.dataset.side) {
        root.dataset.side = "closed"; // room for both; closing the canvas opens the sidebar again
        sideClosed = true;
      }
      document.body.append(panel);
      arrange();
    });
  }
  show(index);
  panel.focus();
}

function close() {
  if (!panel.isConnected) return;
  if (entry) history.back();
  entry = false;
  keep(() => {
    panel.remove();
    frame.replaceChildren();
    arrange();
    if (sideClosed) delete root.dataset.side;
    sideClosed = false;
  });
  (opener() ?? $("#text"))?.focus({ preventScroll: true });
}

addEventListener("popstate", () => {
  const mine = entry;
  entry = false;
  if (mine) close();
});

function download() {
  const v = versions[at];
  if (!v) return;
  const url = URL.createObjectURL(new Blob([v.text], { type: "text/plain" }));
  h("a", { href: url, download: v.name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000); // the browser has begun to read by then
}

// Esc closes it. In the conversation, too, if Esc stops nothing there.
panel.addEventListener("keydown", (e) => {
  if (e.key !== "Escape" || e.shiftKey || composing(e)) return;
  e.preventDefault();
  close();
});
addEventListener("keydown", (e) => {
  if (e.key === "Escape" && !e.shiftKey && !composing(e) && !e.defaultPrevented && !$("dialog[open]")) close();
});
addEventListener("message", (e) => {
  if (e.data === "escape" && e.source === frame.querySelector("iframe")?.contentWindow) close();
});

// A new message may have the next version. The newest stays the newest; an older one that is shown stays.
new MutationObserver(() => {
  const shown = versions[at];
  if (!panel.isConnected || !shown || $("[data-turn]", list)) return;
  const doc = documents().find((d) => d.some((v) => v.text === shown.text && v.language === shown.language));
  if (!doc || (doc.length === versions.length && doc.every((v, i) => v.text === versions[i]?.text))) return;
  const newest = at === versions.length - 1;
  versions = doc;
  if (newest && doc[doc.length - 1]?.text !== shown.text) show(doc.length - 1, true);
  else {
    at = doc.findIndex((v) => v.text === shown.text);
    draw();
  }
}).observe(list, { childList: true, subtree: true });
