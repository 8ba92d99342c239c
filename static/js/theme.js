/** The choices of this device on the account page: colours, and the key that sends. Both live in localStorage. */
import { $$, isMac, store } from "./dom.js";

function apply() {
  const theme = store.get("alfred.theme");
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
}

for (const el of $$("[data-mod-name]")) el.textContent = isMac ? "⌘" : "Ctrl";
for (const el of $$("input[name=theme], input[name=send]")) {
  const radio = /** @type {HTMLInputElement} */ (el), key = `alfred.${radio.name}`;
  radio.checked = radio.value === (store.get(key) ?? "");
  radio.addEventListener("change", () => {
    store.set(key, radio.value);
    apply();
  });
}
