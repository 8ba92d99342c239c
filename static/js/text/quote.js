/**
 * The button that puts selected text of messages, or of the document beside them, into the message box as a quotation.
 * With a mouse it is beside the selection. On a touch screen it is above the box, because the system shows its own menu
 * beside the selection. Loaded with the first selection.
 */
import { t as first } from "texts";
import { t } from "texts-later";
import { $$, h, icon, isMac, need } from "../base/dom.js";
import { elementOf, textOf, withTex } from "./copied.js";
import { mark, marked } from "../turn/pasted.js";

const SETTLE_MS = 150, GAP = 8;
/** What can be quoted. Not the names, times and buttons between two messages. */
const PARTS = "#transcript :is(.answer, .bubble, .file pre), #canvas :is(pre, .canvas-text)";

const box = need("#text", HTMLTextAreaElement), bar = need(".bar", HTMLElement), foot = need("#foot", HTMLElement);
const coarse = matchMedia("(pointer: coarse)");
const keys = isMac ? "⌘⇧9" : `${first.ctrl}+${t.shift}+9`;

const fence = (/** @type {string} */ text, language = "") => `\`\`\`${language}\n${text.replace(/\n$/, "")}\n\`\`\``;
const languageOf = (/** @type {Element | null} */ pre) => /language-(\S+)/.exec(pre?.querySelector("code")?.className ?? "")?.[1];

/** The rows as a Markdown table. A row that is selected from its middle begins with empty cells. @param {Element[][]} rows */
function table(rows) {
  const width = Math.max(...rows.map((cells) => cells.length));
  const lines = rows.map((cells, i) => {
    const texts = cells.map((el) => (el.textContent ?? "").trim().replace(/\s+/g, " ").replace(/\|/g, "\\|"));
    const none = Array(width - texts.length).fill("");
    return `| ${(i ? [...texts, ...none] : [...none, ...texts]).join(" | ")} |`;
  });
  return [lines[0], `|${" --- |".repeat(width)}`, ...lines.slice(1)].join("\n");
}

/** The number or the bullet of a list item. @param {Element} li */
function bullet(li) {
  const of = li.parentElement;
  return of instanceof HTMLOListElement ? `${of.start + [...of.children].indexOf(li)}. ` : "- ";
}

/** Text whose line breaks and spaces stay in textOf(), a paragraph of its own or a part of one. @param {string} text */
function kept(text, tag = /** @type {"p" | "span"} */ ("p")) {
  const el = h(tag, {}, text);
  el.style.whiteSpace = "pre-wrap";
  return el;
}

/** A selection within one part, as Markdown: its code, tables and lists; emphasis is left out. @param {Range} range @param {Element} part */
function markdown(range, part) {
  const { commonAncestorContainer: common } = range, around = elementOf(common), pre = around?.closest("pre");
  if (pre) return pre.matches(".prose") ? `${range}` : fence(`${range}`, languageOf(pre));
  if (around?.closest("code")) return `\`${range}\``;
  const items = $$("li", part).filter((li) => range.intersectsNode(li) && !li.contains(common)); // those that the copy has
  const { box: copy } = withTex(range);
  $$("li", copy).forEach((li, i) => {
    const source = items[i], to = li.firstElementChild?.matches("p:first-child") ? li.firstElementChild : li;
    if (!source) return;
    let depth = 0;
    for (let up = li.parentElement?.closest("li"); up && copy.contains(up); up = up.parentElement?.closest("li")) depth++;
    to.prepend(kept("   ".repeat(depth) + bullet(source), "span"));
  });
  for (const el of $$(".code-head", copy)) el.remove();
  for (const el of $$("pre", copy)) el.replaceWith(kept(fence(el.textContent ?? "", languageOf(el))));
  for (const el of $$("code", copy)) el.replaceWith(`\`${el.textContent}\``);
  for (const el of around?.matches("table, thead, tbody, tr") ? [copy] : $$("table", copy)) {
    const rows = $$("tr", el), cells = (rows.length ? rows : [el]).map((row) => [...row.children]);
    el.replaceChildren(kept(table(cells)));
  }
  return textOf(copy).trim().replace(/\n{3,}/g, "\n\n");
}

/** The selected parts, each with its own range. None when the message box is out of reach. */
function selected() {
  const selection = getSelection();
  if (selection?.type !== "Range" || box.closest("[inert]")) return [];
  const range = selection.getRangeAt(0);
  return $$(PARTS).filter((part) => selection.containsNode(part, true)).map((part) => {
    const own = range.cloneRange();
    if (!part.contains(range.startContainer)) own.setStart(part, 0);
    if (!part.contains(range.endContainer)) own.setEnd(part, part.childNodes.length);
    return { part, own };
  }).filter(({ own }) => `${own}`.trim());
}

/** The parts that the button quotes. @type {ReturnType<typeof selected>} */
let parts = [];
const button = h("button", { class: "btn quote", type: "button", title: keys, "aria-keyshortcuts": isMac ? "Meta+Shift+9" : "Control+Shift+9", onclick: quote }, icon("quote"), t.quote);
button.addEventListener("pointerdown", (e) => e.preventDefault()); // the selection and the focus stay

function quote() {
  const text = parts.map(({ own, part }) => markdown(own, part)).join("\n\n"), before = box.value.trimEnd();
  if (!text) return;
  const begin = before ? `${before}\n\n` : "", from = marked(box) ?? Infinity;
  getSelection()?.removeAllRanges();
  hide();
  box.value = `${begin}${text.split("\n").map((line) => `> ${line}`.trimEnd()).join("\n")}\n\n`;
  mark(box, Math.min(from, begin.length)); // the user did not type it
  box.dispatchEvent(new Event("input"));
  box.focus({ preventScroll: true });
  box.setSelectionRange(box.value.length, box.value.length);
  box.scrollTop = box.scrollHeight;
}

function hide() {
  parts = [];
  button.remove();
}

/** Above the beginning of the selection, else below its end; none when both are out of view. */
function place() {
  const rects = [...parts[0]?.own.getClientRects() ?? []], first = rects[0], end = [...parts[parts.length - 1]?.own.getClientRects() ?? []].pop();
  const top = bar.getBoundingClientRect().bottom + GAP, bottom = foot.getBoundingClientRect().top - GAP - button.offsetHeight;
  const above = (first?.top ?? 0) - button.offsetHeight - GAP, below = (end?.bottom ?? 0) + GAP;
  const y = above >= top && above <= bottom ? above : below, x = (y === above ? first : end)?.left ?? 0;
  button.style.visibility = y >= top && y <= bottom ? "" : "hidden";
  button.style.top = `${y}px`;
  button.style.left = `${Math.max(GAP, Math.min(x, document.documentElement.clientWidth - button.offsetWidth - GAP))}px`;
}

let timer = 0;
function show() {
  if (!coarse.matches && document.documentElement.matches(":active")) return; // the mouse still selects
  parts = selected();
  const last = parts[parts.length - 1];
  if (!last) return hide();
  const to = coarse.matches ? foot : last.part.closest("#canvas") ?? need("#main", HTMLElement);
  if (button.parentElement !== to) to.append(button);
  if (!coarse.matches) place();
}
function later() {
  clearTimeout(timer);
  timer = setTimeout(show, SETTLE_MS);
}
document.addEventListener("selectionchange", later);
addEventListener("pointerup", later);
for (const moves of ["scroll", "resize"]) addEventListener(moves, () => button.isConnected && !coarse.matches && place(), { passive: true, capture: true });
addEventListener("keydown", (e) => {
  if (e.code !== "Digit9" || !e.shiftKey || e.altKey || !(isMac ? e.metaKey : e.ctrlKey)) return;
  parts = selected();
  if (!parts.length) return;
  e.preventDefault();
  quote();
});
later();
