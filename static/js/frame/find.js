/** The search box: sessions, messages, facts and actions while typing. Loaded when it is first opened. */
import { t as first } from "texts";
import { t } from "texts-later";
import { $, $$, composing, h, icon } from "../base/dom.js";
import { api } from "../base/api.js";
import { say } from "../base/a11y.js";
import { help, open } from "../base/dialogs.js";
import { isolated } from "../base/isolated.js";
import { address } from "../base/signin.js";
import { words } from "../base/times.js";
import { actions as ofSession } from "./menu.js";

const WAIT_MS = 120;

/**
 * A result: its address, or its action.
 * @typedef {{icon: string, text: string | Node, sub?: string, url?: string, act?: () => void, stays?: boolean}} Line
 *
 * A part of a text, and the answer of the server.
 * @typedef {{pieces: {text: string, hit: boolean}[], cut_head: boolean, cut_end: boolean}} Excerpt
 * @typedef {{
 *   offers: {part: string, query: string}[],
 *   sessions: {title: string | null, active_at: string, url: string}[],
 *   workspaces: {name: string, url: string}[],
 *   files: {name: string, workspace: string, url: string}[],
 *   hits: (Excerpt & {title: string | null, url: string})[],
 *   memories: (Excerpt & {url: string})[],
 * }} Found
 */

/** The actions in the menus of the account and of the open session. @returns {Line[]} */
function ofMenus() {
  const dots = $("#session-menu:not([hidden]) summary"), theme = $(".themes legend")?.textContent;
  const title = $("#session-title")?.textContent ?? "";
  const press = (/** @type {HTMLElement} */ el) => () => void import("./account.js").then(() => el.click());
  return [
    ...(dots ? ofSession(dots).map((i) => ({ icon: i.icon ?? "", text: i.label, sub: title, act: i.fn })) : []),
    ...$$(".themes label").map((el) => ({ icon: "settings", text: `${theme}: ${el.textContent}`, act: press(el) })),
    ...$$("[data-signout] button").map((el) => ({ icon: "out", text: el.textContent?.trim() ?? "", act: press(el) })),
  ];
}

/**
 * The pages of the sidebar, those behind the account and the settings, and the list of keys. What menus do is
 * listed only if it is typed.
 * @param {string} q @returns {Line[]}
 */
function actions(q) {
  /** @type {Line[]} */
  const all = $$(".side-tools a:not([data-act]), .account-box a").map((el) => ({
    icon: $("use", el)?.getAttribute("href")?.split("#")[1] ?? "right",
    text: el.textContent?.trim() ?? "",
    url: el.getAttribute("href") ?? "/",
  }));
  all.push(
    { icon: "note", text: t.prompts, url: "/prompts" },
    { icon: "user", text: t.personas, url: "/personas" },
    { icon: "chart", text: t.usage, url: "/usage" },
    { icon: "keyboard", text: t.keys, act: help },
    ...(q ? ofMenus() : []),
  );
  return all.filter((a) => ` ${a.text}`.toLowerCase().includes(` ${q.toLowerCase()}`));
}

const LEAD = 20; // characters before the first searched word, so that a short line has it
/** A text with the searched words marked. @param {Excerpt} s */
function marked({ pieces, cut_head, cut_end }) {
  const head = pieces[1] && !pieces[0].hit ? [...pieces[0].text] : [], far = head.length > LEAD;
  const words = pieces.map((p, i) => p.hit ? h("mark", {}, p.text) : far && !i ? head.slice(-LEAD).join("").replace(/^\S*\s/, "") : p.text);
  return h("span", {}, far || cut_head ? "…" : "", ...words, cut_end ? "…" : "");
}

const when = (/** @type {string} */ at) => words(new Date(at));

/**
 * @param {HTMLInputElement} early has what was typed before; it is removed
 * @param {any} before had the focus then
 */
export async function find(early, before) {
  let asked = 0, timer = 0, at = 0, moved = false;
  /** @type {Line[]} */
  let lines = [];
  /** @type {string | undefined} their query */
  let shown;
  const box = h("input", {
    type: "text",
    dir: "auto",
    placeholder: t.search,
    role: "combobox",
    "aria-label": t.search_all,
    "aria-controls": "find-list",
    "aria-expanded": "true",
    "aria-autocomplete": "list",
    autocomplete: "off",
    spellcheck: "false",
    maxlength: 200,
  });
  const here = $("#session-menu:not([hidden])") && !$("#temporary") ? $("#composer")?.dataset.session : undefined;
  const list = h("div", { id: "find-list", role: "listbox", "aria-label": t.results });
  const d = h("dialog", { class: "finder", "aria-label": t.search }, box, list);
  const options = () => $$("[role=option]", list);

  /** @param {number} i */
  function mark(i) {
    const all = options();
    at = all.length ? (i + all.length) % all.length : 0;
    all.forEach((el, k) => el.setAttribute("aria-selected", String(k === at)));
    all[at]?.scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", all[at]?.id ?? "");
  }
  /** @param {boolean} [tab] */
  function go(tab) {
    const line = lines[at];
    if (!line) return;
    if (line.url && tab) return void window.open(line.url, "_blank", "noopener");
    const run = () => line.url ? location.assign(line.url) : line.act?.();
    if (line.stays) return void run();
    d.addEventListener("close", run); // when the focus is back, because an action may move it
    d.close();
  }
  /** Enter: the list may still be that of an earlier query. @param {boolean} tab */
  async function enter(tab) {
    const q = box.value;
    clearTimeout(timer);
    if (shown !== q) await look();
    if (shown === q && box.value === q && d.open) go(tab);
  }
  /** @param {string} q */
  function type(q) {
    box.value = q.endsWith(":") ? q : `${q} `;
    box.focus();
    void look();
  }
  /** @param {Line} line */
  function option(line) {
    const i = lines.push(line) - 1;
    return h("div", {
      role: "option",
      id: `find-${i}`,
      onclick(/** @type {MouseEvent} */ e) {
        at = i;
        go(e.ctrlKey || e.metaKey);
      },
      onpointermove: () => at !== i && mark(i),
    },
    icon(line.icon),
    h("span", { class: "clip", dir: "auto" }, line.text),
    h("span", { class: "find-sub clip", dir: "auto" }, line.sub ?? ""));
  }
  /** @param {string} name @param {Line[]} of */
  function group(name, of) {
    if (!of.length) return [];
    return [h("div", { role: "group", "aria-label": name }, h("p", { "aria-hidden": "true" }, name), ...of.map(option))];
  }

  async function look() {
    const mine = ++asked, q = box.value;
    /** @type {Found} */
    let found = { offers: [], workspaces: [], files: [], sessions: [], hits: [], memories: [] };
    /** @type {any} */
    let error = {};
    try {
      found = await api("GET", `/page/search/typed?q=${encodeURIComponent(q)}`);
    } catch (e) { error = e; }
    if (mine !== asked) return;
    const before = moved ? lines[at] : null, typed = q.trim();
    lines = [];
    shown = q;
    const title = (/** @type {{title: string | null}} */ of) => of.title ?? first.untitled;
    list.replaceChildren(
      ...group(t.operators, found.offers.map((o) => ({ icon: "search", text: o.part, act: () => type(o.query), stays: true }))),
      ...group(typed ? t.sessions : t.recent,
        found.sessions.map((s) => ({ icon: "note", text: title(s), sub: when(s.active_at), url: s.url }))),
      ...group(t.workspaces, found.workspaces.map((w) => ({ icon: "folder", text: w.name, url: w.url }))),
      ...group(t.workspace_files, found.files.map((f) => ({ icon: "clip", text: f.name, sub: f.workspace, url: f.url }))),
      ...group(t.messages, found.hits.map((m) => ({ icon: "search", text: marked(m), sub: title(m), url: m.url }))),
      ...group(t.memory, found.memories.map((m) => ({ icon: "memory", text: marked(m), url: m.url }))),
      ...group(t.actions, actions(typed)));
    const n = lines.length, all = `/search?q=${encodeURIComponent(typed)}`;
    if (typed && here) list.append(option({ icon: "search", text: t.search_here({ q: isolated(typed) }), url: `${all}&session=${here}` }));
    if (typed) list.append(option({ icon: "search", text: t.search_for({ q: isolated(typed) }), url: all }));
    if (error.message) list.append(h("p", { class: "hint-text" }, error.message));
    if (error.status === 401) list.append(option({ icon: "user", text: t.sign_in, url: address() }));
    say(error.message ?? (n ? t.n_results({ n }) : t.no_results));
    mark(Math.max(before ? lines.findIndex((l) => l.url ? l.url === before.url : l.text === before.text) : 0, 0));
  }
  box.addEventListener("input", () => {
    moved = false;
    clearTimeout(timer);
    timer = setTimeout(look, WAIT_MS);
  });
  box.addEventListener("keydown", (e) => {
    if (composing(e)) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
    if (step) mark(at + step);
    else if (e.key === "Enter") void enter(e.ctrlKey || e.metaKey);
    else return;
    moved ||= !!step;
    e.preventDefault();
  });
  await open(d, () => {
    box.value = early.value;
    early.value = "";
    early.remove();
    before.focus({ preventScroll: true }); // the browser restores the focus to this element
  });
  box.focus();
  void look();
}
