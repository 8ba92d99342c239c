/** Other pages of the same session: shows their changes here. Loaded when the page is left or notified. */
import { $ } from "./dom.js";
import { api } from "./api.js";
import { last } from "./transcript.js";
import * as turn from "./turn.js";

const ASK_EVERY_MS = 5000;
let asked = 0;

const free = () => !turn.running() && !$("#transcript .edit[open]");

/** Shows the server's state, unless this page is busy. */
export async function take() {
  if (free()) await turn.refresh().catch(() => {}); // the next return tries again
}

/** A phone may have continued the session: checks, and shows new messages. */
async function look() {
  const id = turn.session();
  if (!id || document.hidden || !free() || Date.now() - asked < ASK_EVERY_MS) return;
  asked = Date.now();
  const s = await api("GET", `/api/sessions/${id}`).catch(() => null);
  if (!s || !free() || turn.session() !== id) return;
  if (s.turn || (s.messages.at(-1)?.id !== last()?.dataset.id && !location.search)) await take();
  if (s.session.unread) await api("POST", `/api/sessions/${id}/seen`, {}).catch(() => {});
}
document.addEventListener("visibilitychange", look);
addEventListener("focus", look);
addEventListener("pageshow", (e) => e.persisted && look());
