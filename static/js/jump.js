/** The dialog that finds a session by its title; loaded with its first use. */
import { UNTITLED, h, isolated } from "./dom.js";
import { api } from "./api.js";
import { open } from "./dialogs.js";
import { words } from "./times.js";

const WAIT_MS = 120, SHOWN = 12;

export async function jump() {
  let asked = 0, timer = 0, at = 0;
  const box = h("input", { type: "text", dir: "auto", placeholder: "Find a session", role: "combobox", "aria-label": "Find a session by its title", "aria-controls": "jump-list", "aria-expanded": "true", autocomplete: "off", spellcheck: "false" });
  const list = h("ul", { id: "jump-list", role: "listbox", "aria-label": "Sessions" });
  const empty = h("p", { class: "hint-text", role: "status", hidden: true });
  const d = h("dialog", { class: "jump", "aria-label": "Find a session" }, box, list, empty);

  /** @param {number} i */
  function mark(i) {
    const n = list.children.length;
    at = n ? (i + n) % n : 0;
    [...list.children].forEach((li, k) => li.setAttribute("aria-selected", String(k === at)));
    const li = list.children[at];
    li?.scrollIntoView({ block: "nearest" });
    box.setAttribute("aria-activedescendant", li?.id ?? "");
  }
  /** @param {boolean} [tab] */
  function go(tab) {
    const url = /** @type {HTMLElement | undefined} */ (list.children[at])?.dataset.url;
    if (!url) return;
    if (tab) window.open(url, "_blank", "noopener");
    else location.assign(url);
  }
  async function find() {
    const mine = ++asked, q = box.value.trim();
    let found;
    try {
      found = await api("GET", `/api/sessions?limit=${SHOWN}&q=${encodeURIComponent(q)}`);
    } catch (e) { found = { sessions: [], error: e }; }
    if (mine !== asked) return;
    list.replaceChildren(...found.sessions.map((/** @type {import("./types").Session} */ s, /** @type {number} */ i) =>
      h("li", { role: "option", id: `jump-${i}`, "data-url": s.url, onclick: (/** @type {MouseEvent} */ e) => { at = i; go(e.ctrlKey || e.metaKey); }, onpointermove: () => at !== i && mark(i) },
        h("span", { class: "clip", dir: "auto" }, s.title ?? UNTITLED), h("span", {}, words(new Date(s.active_at))))));
    // The last row searches the messages.
    if (q) {
      const i = list.children.length;
      list.append(h("li", { role: "option", id: `jump-${i}`, "data-url": `/search?q=${encodeURIComponent(q)}`, onclick: (/** @type {MouseEvent} */ e) => { at = i; go(e.ctrlKey || e.metaKey); }, onpointermove: () => at !== i && mark(i) },
        h("span", { class: "clip" }, `Search all messages for “${isolated(q)}”`), h("span", {})));
    }
    list.hidden = !list.children.length;
    empty.hidden = found.sessions.length > 0;
    empty.textContent = found.error ? found.error.message : q ? `No title contains “${isolated(q)}”` : "No sessions yet";
    mark(0);
  }
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(find, WAIT_MS);
  });
  box.addEventListener("keydown", (e) => {
    if (e.isComposing) return;
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      mark(at + (e.key === "ArrowDown" ? 1 : -1));
    } else if (e.key === "Enter") {
      e.preventDefault();
      go(e.ctrlKey || e.metaKey);
    }
  });
  await open(d);
  box.focus();
  void find();
}
