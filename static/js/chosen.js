/** Model, effort and persona are changed: the session keeps them, or the draft of a new chat. Loaded with the first change. */
import { $$, store } from "./dom.js";
import { api } from "./api.js";
import { report } from "./a11y.js";
import * as turn from "./turn.js";

/** A persona brings its model. @param {HTMLSelectElement} select @param {() => object} choice */
export function chosen(select, choice) {
  const own = select.name === "persona" && select.selectedOptions[0]?.dataset.choice;
  if (own) for (const o of $$("select[name=choice] option")) if (o instanceof HTMLOptionElement && o.value === own) o.selected = true;
  if (turn.session()) api("PATCH", `/api/sessions/${turn.session()}`, choice()).catch(report);
  else store.set(turn.slot("choice"), JSON.stringify(choice()));
}

/** Restores the choices of a new chat's draft. A choice in the address goes first. */
export function restore() {
  const kept = JSON.parse(store.get(turn.slot("choice")) ?? "{}"), asked = new URLSearchParams(location.search);
  for (const s of $$("#composer select")) {
    if (!(s instanceof HTMLSelectElement) || !(s.name in kept) || asked.has(s.name)) continue;
    const option = [...s.options].find((o) => o.value === `${kept[s.name]}`);
    if (option) option.selected = true; // not one that is gone
  }
  void import("./options.js").then((m) => m.show(), () => {});
}
