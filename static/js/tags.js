/** The tags of a session: a dialog with all of the user's tags and a field for a new one. Loaded when it is first opened. */
import { t } from "texts-later";
import { h } from "./dom.js";
import { api } from "./api.js";
import { report, say } from "./a11y.js";
import { dialog, open } from "./dialogs.js";

/** @param {string} id of the session @param {() => unknown} changed */
export async function tags(id, changed) {
  const [{ tags: all }, { session }] = await Promise.all([api("GET", "/api/tags"), api("GET", `/api/sessions/${id}?limit=1`)]);
  /** @type {Set<string>} */
  const on = new Set(session.tags);
  let dirty = false;
  const list = h("ul", { class: "tag-choices" });
  const box = h("input", { dir: "auto", maxlength: 50, "aria-label": t.new_tag, placeholder: t.new_tag, autocomplete: "off", list: "tag-names" });

  /** @param {string} name @param {boolean} add */
  async function set(name, add) {
    const answer = await api("PATCH", `/api/sessions/${id}`, add ? { tag: name } : { without_tag: name });
    dirty = true;
    say(answer.session.tags.join(", ") || t.no_tags);
    return /** @type {string[]} */ (answer.session.tags);
  }
  /** @param {string} name @param {boolean} checked */
  function row(name, checked) {
    const check = h("input", { type: "checkbox", ...(checked && { checked: "" }), onchange: () => set(name, check.checked).catch((e) => {
      check.checked = !check.checked;
      report(e);
    }) });
    return h("li", {}, h("label", { class: "check" }, check, h("bdi", {}, name)));
  }
  list.append(...all.map((/** @type {{name: string}} */ tag) => row(tag.name, on.has(tag.name))));
  const form = h("form", { class: "dialog-row", onsubmit: async (/** @type {Event} */ e) => {
    e.preventDefault();
    const name = box.value.trim();
    if (!name) return;
    try {
      const now = await set(name, true);
      box.value = "";
      for (const one of now.filter((tag) => !on.has(tag))) {
        on.add(one);
        [...list.children].find((li) => li.textContent === one)?.remove();
        list.prepend(row(one, true));
      }
    } catch (why) { report(why); }
  } }, box, h("button", { class: "btn main" }, t.add_tag));
  const d = dialog(t.tags, form, h("datalist", { id: "tag-names" }, ...all.map((/** @type {{name: string}} */ tag) => h("option", { value: tag.name }))), list);
  d.addEventListener("close", () => { if (dirty) void changed(); });
  await open(d);
  box.focus();
}
