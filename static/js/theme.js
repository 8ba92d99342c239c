/** The choices of this device, in the account menu and on the account page: colours, and the key that sends. Both live in localStorage. */
import { $$, isMac, store } from "./dom.js";

function apply() {
  const theme = store.get("alfred.theme");
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

const radios = /** @type {HTMLInputElement[]} */ ($$("input[name$=theme], input[name=send]"));
/** The account menu's radios are a group of their own. @param {HTMLInputElement} r */
const key = (r) => `alfred.${r.name.replace("side-", "")}`;
const show = () => { for (const r of radios) r.checked = r.value === (store.get(key(r)) ?? ""); };

for (const el of $$("[data-mod-name]")) el.textContent = isMac ? "⌘" : "Ctrl";
for (const radio of radios) {
  radio.addEventListener("change", () => {
    store.set(key(radio), radio.value);
    apply();
    show();
  });
}
show();
