/**
 * Prompts, commands and personas in the message box: / lists prompts, and commands at the start of the text; @ lists
 * personas. Loaded when one of the two is first typed.
 * The keys of the list are taken before the composer's own.
 */
import { t } from "texts-later";
import { $, composing, h, need } from "../base/dom.js";
import { api } from "../base/api.js";
import { say } from "../base/a11y.js";
import { open } from "../base/dialogs.js";
import { sheet } from "../base/sheets.js";
import { commands } from "./commands.js";
import { mark as markPasted, marked } from "../turn/pasted.js";

const SHOWN_MAX = 8, TEXT_CHARS = 100; // of an entry
const TYPED = /(?:^|\s)([/@])(\S*)$/;
const FIELD = /\{\{([^{}\n]{1,60})\}\}/g; // of a prompt

const box = need("#text", HTMLTextAreaElement), form = need("#composer", HTMLFormElement);
const persona = /** @type {HTMLSelectElement | null} */ ($("select[name=persona]", form));
const list = h("ul", { class: "library-list", id: "library-list", role: "listbox", tabindex: 0, hidden: true });
form.append(list);
box.setAttribute("aria-controls", list.id);
box.setAttribute("aria-autocomplete", "list");

/** @typedef {{name: string, args?: string | null, text: string, choose: () => void}} Entry */
/** @type {Entry[]} */
let shown = [];
let at = 0;
/** The text for which the list was closed with Esc. */
let closed = "";

/** @type {Promise<{name: string, text: string}[]> | undefined} read once per page; a failure is not reported, as each letter tries again */
let prompts;
const read = () => (prompts ??= api("GET", "/api/prompts").then((a) => a.prompts).catch(() => {
  prompts = undefined;
  return [];
}));

const before = () => box.value.slice(0, box.selectionStart);

/** Place of the text typed for the list. */
function place() {
  const typed = TYPED.exec(before()), end = box.selectionStart;
  return { from: typed ? end - 1 - (typed[2] ?? "").length : end, end };
}

/** Puts `text` there, whose part from `pasted` on was pasted. @param {string} text @param {{from: number, end: number}} [at] */
function replace(text, { from, end } = place(), pasted = Infinity) {
  const was = marked(box) ?? Infinity; // it moves with the text behind the place
  const first = Math.min(was < end ? was : was - (end - from) + text.length, from + pasted);
  box.focus();
  box.setRangeText(text, from, end, "end");
  markPasted(box, first < Infinity ? first : undefined);
  box.dispatchEvent(new Event("input"));
}

/** The fields of a prompt, each once. @param {string} text */
const fields = (text) => [...new Set([...text.matchAll(FIELD)].map((m) => (m[1] ?? "").trim()).filter(Boolean))];

/** The prompt with the texts of its fields, and where the first pasted one begins. @param {string} text @param {HTMLTextAreaElement[]} inputs */
function filled(text, inputs) {
  let whole = "", end = 0, pasted = Infinity;
  for (const m of text.matchAll(FIELD)) {
    const input = inputs.find((i) => i.name === m[1]?.trim());
    whole += text.slice(end, m.index);
    end = m.index + m[0].length;
    pasted = Math.min(pasted, whole.length + ((input && marked(input)) ?? Infinity));
    whole += input ? input.value : m[0];
  }
  return { whole: whole + text.slice(end), pasted };
}

/** @param {string} name @param {string} text */
function insert(name, text) {
  const names = fields(text), here = place();
  if (!names.length) return replace(text, here);
  const d = h("dialog", { "aria-labelledby": "fill-title" });
  const inputs = names.map((n) => h("textarea", { rows: 1, dir: "auto", "aria-label": n, class: "source", name: n }));
  const fill = h("form", { method: "dialog", class: "fill" },
    h("h2", { id: "fill-title" }, name),
    ...names.map((n, i) => h("label", { class: "field" }, n, inputs[i] ?? "")),
    h("div", { class: "dialog-row" },
      h("button", { type: "button", class: "btn", onclick: () => d.close() }, t.cancel),
      h("button", { class: "btn main", value: "yes" }, t.insert)));
  fill.addEventListener("keydown", (/** @type {KeyboardEvent} */ e) => {
    if (e.key !== "Enter" || e.shiftKey || composing(e) || !(e.target instanceof HTMLTextAreaElement)) return;
    e.preventDefault();
    const target = e.target, empty = inputs.find((f, i) => i > inputs.indexOf(target) && !f.value);
    if (empty) empty.focus();
    else fill.requestSubmit(fill.querySelector("[value=yes]"));
  });
  d.append(fill);
  d.addEventListener("close", () => {
    const { whole, pasted } = filled(text, inputs);
    if (d.returnValue === "yes") replace(whole, here, pasted);
    box.focus();
  });
  void open(d).then(() => inputs[0]?.focus());
}

/** The commands that begin like this, first the one that is this. @param {string} what @returns {Promise<Entry[]>} */
const matching = async (what) => (await commands()).filter((c) => c.name.startsWith(what)).sort((a, b) => +(b.name === what) - +(a.name === what)).map((c) => ({
  name: `/${c.name}`, args: c.args, text: c.help, choose: () => replace(`/${c.name}${c.args ? " " : ""}`),
}));

function personas() {
  const all = [...persona?.options ?? []], none = all.shift();
  if (none && persona?.value !== none.value) all.push(none); // only if a persona is chosen
  return all.map((o) => ({
    name: o.text, text: "", choose() {
      if (persona) persona.value = o.value;
      persona?.dispatchEvent(new Event("change", { bubbles: true }));
      replace("");
      say(o.text);
    },
  }));
}

function hide() {
  list.hidden = true;
  shown = [];
  box.removeAttribute("aria-activedescendant");
}

/** @param {number} i */
function mark(i) {
  at = (i + shown.length) % shown.length;
  [...list.children].forEach((li, k) => li.setAttribute("aria-selected", String(k === at)));
  list.children[at]?.scrollIntoView({ block: "nearest" });
  box.setAttribute("aria-activedescendant", `library-${at}`);
}

/** The user has closed the list of this text, or the list would cover why the text was refused. @param {string} text */
const isClosed = (text) => text === closed || text === $("#command")?.dataset.refused;

/** The only entry of an empty list: it leads to the page where the first one is added. @param {boolean} ofPersonas @returns {Entry} */
const invitation = (ofPersonas) => ofPersonas
  ? { name: t.add_persona, text: "", choose: () => location.assign("/personas") }
  : { name: t.add_prompt, text: "", choose: () => location.assign("/prompts") };

/** @param {Entry} e @param {number} i */
const option = (e, i) => h("li", {
  id: `library-${i}`,
  role: "option",
  onpointerdown: (/** @type {Event} */ press) => press.preventDefault(), // the box keeps the focus
  onclick() {
    hide();
    e.choose();
  },
},
h("span", { dir: "auto" }, e.name),
...(e.args ? [h("span", { class: "library-args" }, e.args)] : []),
h("span", { class: "library-text", dir: "auto" }, e.text.slice(0, TEXT_CHARS)));

/** The prompts of the user. @returns {Promise<Entry[]>} */
const promptEntries = async () => (await read()).map((/** @type {{name: string, text: string}} */ p) => ({ ...p, choose: () => insert(p.name, p.text) }));

/** Shows the list for what is typed before the caret, or hides it. */
async function look() {
  const text = before(), typed = TYPED.exec(text);
  if (!typed || isClosed(text)) return hide();
  const what = (typed[2] ?? "").toLowerCase(), ofPersonas = typed[1] === "@";
  const isFirst = !ofPersonas && place().from === 0; // of the message: it may be a command
  const all = ofPersonas ? personas() : await promptEntries();
  const commands = isFirst ? await matching(what) : [];
  await sheet("/static/css/library.css");
  if (before() !== text || isClosed(text)) return; // another text meanwhile, or this one was refused
  const own = all.filter((e) => e.name.toLowerCase().includes(what)).slice(0, SHOWN_MAX);
  shown = what ? [...commands, ...own] : [...own, ...commands]; // a typed letter is more often that of a command
  if (!shown.length && !all.length && !what) shown = [invitation(ofPersonas)];
  if (!shown.length) return hide();
  const label = ofPersonas ? t.personas : isFirst ? t.commands : t.prompts;
  list.setAttribute("aria-label", label);
  list.replaceChildren(...shown.map(option));
  if (list.hidden) say(label);
  list.hidden = false;
  mark(0);
}

// Once everything is loaded, the list is that of the typed text before the next key comes.
box.addEventListener("input", () => { closed = ""; void look(); });
box.addEventListener("blur", () => setTimeout(() => document.activeElement !== box && hide(), 100));
addEventListener("keydown", (e) => {
  if (list.hidden || e.target !== box || composing(e)) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  if (step) mark(at + step);
  else if (e.key === "Escape") {
    closed = before();
    hide();
  } else if (e.key === "Enter" && shown[at]?.name === before()) { // a whole command: it is run
    hide();
    return;
  } else if ((e.key === "Enter" && !e.shiftKey) || (e.key === "Tab" && !e.shiftKey)) {
    const chosen = shown[at];
    hide();
    chosen?.choose();
  } else return;
  e.preventDefault();
  e.stopImmediatePropagation();
}, true);
void look();
