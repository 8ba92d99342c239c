/** The tags of a session: a dialog with all of the user's tags and a field for a new one. Loaded when it is first opened. */
import { t } from "texts-later";
import { h } from "../base/dom.js";
import { api } from "../base/api.js";
import { report, say } from "../base/a11y.js";
import { dialog, open } from "../base/dialogs.js";

/** @param {string} id of the session @param {() => unknown} changed */
export async function tags(id, changed) {
  const [all, { session }] = await Promise.all([api("GET", "/api/tags"), api("GET", `/api/sessions/${id}?limit=1`)]);
  /** @type {Set<string>} */
  let on = new Set(session.tags);
  let dirty = false;
  const list = h("ul", { class: "tag-choices" }), names = h("datalist", { id: "tag-names" });
  const box = h("input", { dir: "auto", maxlength: 50, "aria-label": t.new_tag, placeholder: t.new_tag, autocomplete: "off", list: "tag-names" });

  /** @param {string} name @param {boolean} add */
  async function set(name, add) {
    const answer = await api("PATCH", `/api/sessions/${id}`, add ? { tag: name } : { without_tag: name });
    dirty = true;
    say(answer.session.tags.join(", ") || t.no_tags);
    on = new Set(answer.session.tags);
  }
  /** @param {string} name */
  function row(name) {
    const check = h("input", { type: "checkbox", ...(on.has(name) && { checked: "" }), onchange: () => set(name, check.checked).catch((e) => {
      check.checked = !check.checked;
      report(e);
    }) });
    return h("li", {}, h("label", { class: "check" }, check, h("bdi", {}, name)));
  }
  /** Shows all tags in the order of the server. @param {{tags: {name: string}[]}} answer */
  function show({ tags }) {
    list.replaceChildren(...tags.map(({ name }) => row(name)));
    names.replaceChildren(...tags.map(({ name }) => h("option", { value: name })));
  }
  show(all);
  const form = h("form", { class: "dialog-row", onsubmit: async (/** @type {Event} */ e) => {
    e.preventDefault();
    const name = box.value.trim();
    if (!name) return;
    try {
      const before = on;
      await set(name, true);
      box.value = "";
      show(await api("GET", "/api/tags"));
      [...list.children].find((li) => on.has(li.textContent) && !before.has(li.textContent))?.scrollIntoView({ block: "nearest" });
    } catch (why) { report(why); }
  } }, box, h("button", { class: "btn main" }, t.add_tag));
  const d = dialog(t.tags, form, names, list);
  d.addEventListener("close", () => { if (dirty) void changed(); });
  await open(d);
  box.focus();
}
