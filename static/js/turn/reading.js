/** The reading position, kept with the entry of the browser's history: Back returns to it. Loaded with the first scroll, or to return. */
import { byId, list, last } from "./transcript.js";
import { pin } from "./scroll.js";
import { hold } from "./land.js";
import * as turn from "./turn.js";

const SAVE_MS = 150, NEAR_PX = 60;
let timer = 0;

/** Notes the first message in view, or nothing at the end of the conversation. */
function save() {
  clearTimeout(timer);
  delete list.dataset.wheel;
  const root = document.documentElement;
  const atEnd = root.scrollHeight - innerHeight - scrollY < NEAR_PX;
  const li = atEnd ? null : [...list.children].find((el) => el.getBoundingClientRect().bottom > 60);
  const art = li?.querySelector("article");
  const reading = art?.dataset.id ? { id: art.dataset.id, top: art.getBoundingClientRect().top } : null;
  if (reading || history.state?.reading) history.replaceState({ ...history.state, reading }, "");
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(save, SAVE_MS);
}

/** @param {{id: string, top: number}} at */
async function restore({ id, top }) {
  pin(false);
  if (!byId(id)) await turn.refresh("", `?at=${last()?.dataset.id}&message=${id}`).catch(() => {});
  hold(byId(id), top);
}

history.scrollRestoration = "manual";
const at = history.state?.reading;
if (at) void restore(at);
else later();
addEventListener("scroll", later, { passive: true });
// Buttons of messages that pass below the pointer stay hidden (app.css): each change of them paints the page again.
addEventListener("wheel", () => {
  list.toggleAttribute("data-wheel", true);
  later();
}, { passive: true });
addEventListener("pagehide", save);
