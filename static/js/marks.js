/** Refreshes the sidebar's marks when the user returns. Loaded when the page is left. */
import { $$ } from "./dom.js";
import { api } from "./api.js";
import { update } from "./sidebar.js";

const ASK_EVERY_MS = 5000, MOST = 199; // rows of one answer
let asked = 0;

async function look() {
  const rows = $$("#sessions-nav .row");
  if (document.hidden || !rows.length || Date.now() - asked < ASK_EVERY_MS) return;
  asked = Date.now();
  const found = await api("GET", `/api/sessions?limit=${Math.min(rows.length, MOST)}`).catch(() => null);
  for (const { id, running, unread, title } of found?.sessions ?? []) {
    const row = rows.find((r) => r.dataset.session === id);
    if (!row || row.querySelector("[aria-current]")) continue; // this page knows its own state better
    update({ id, running, unread, ...(title && { title }) });
  }
}
document.addEventListener("visibilitychange", look);
addEventListener("pageshow", (e) => e.persisted && look());
