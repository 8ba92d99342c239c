/** The options of a message: persona, second model. Loaded when the pointer or the focus comes near them, or with a change. */
import { $$, need } from "../base/dom.js";
import { sheet } from "../base/sheets.js";

const box = need("#options", HTMLDetailsElement);
void sheet("/static/css/menus.css");

const selects = () => $$("#composer select").filter((s) => s instanceof HTMLSelectElement);
const model = selects().find((s) => s.name === "choice"), rival = selects().find((s) => s.name === "compare_with");

/** A model is not compared with itself. */
function differ() {
  if (!model || !rival) return;
  for (const o of rival.options) o.hidden = o.disabled = o.value === model.value;
  if (rival.selectedOptions[0]?.disabled) rival.value = "";
}

/** The summary names what is chosen. */
export function show() {
  differ();
  const chosen = $$("select", box).flatMap((s) => (s instanceof HTMLSelectElement && s.value > "0" ? [(s.name === "persona" ? "" : "+ ") + s.selectedOptions[0]?.text] : []));
  need("#options-chosen", HTMLElement).textContent = chosen.reverse().join(" ");
}

model?.addEventListener("change", show);
