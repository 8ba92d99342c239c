/** Model, effort and persona are changed: the session keeps them, and the next new chat has them (composer.mustache). Loaded with the first change. */
import { $$, store } from "../base/dom.js";
import { api } from "../base/api.js";
import { report } from "../base/a11y.js";
import { changed, choice } from "./composer.js";
import * as turn from "../turn/turn.js";

/** A persona brings its model. @param {HTMLSelectElement} select */
export function chosen(select) {
  const own = select.name === "persona" && select.selectedOptions[0]?.dataset.choice;
  if (own) for (const o of $$("select[name=choice] option")) if (o instanceof HTMLOptionElement && o.value === own) {
    o.selected = true;
    changed.add("choice");
  }
  store.set(turn.slot("choice", ""), JSON.stringify(choice(true)));
  if (!turn.session()) return;
  const now = choice();
  api("PATCH", `/api/sessions/${turn.session()}`, now).then(() => {
    const later = choice();
    for (const name in now) if (later[name] === now[name]) changed.delete(name);
  }).catch(report);
}
