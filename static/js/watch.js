/**
 * Loaded a moment after a conversation. Turns of other pages and devices: the server reports when a turn of this session begins, and the page follows it. The
 * connection is open while the page is visible. Loaded when the page shows the end of a session.
 */
import { $ } from "./dom.js";
import { api } from "./api.js";
import { byId, last, list } from "./transcript.js";
import * as turn from "./turn.js";

const WAIT_MIN_MS = 2000, WAIT_MAX_MS = 60_000;

/** @type {EventSource | null} */
let line = null;
let wait = WAIT_MIN_MS, timer = 0;

/** No turn runs, no editor is open, and the end is shown. */
const free = () => !turn.running() && !$("#newer, #transcript .edit[open]");

/** Shows the server's messages; the next connection tries again. */
async function take() {
  await turn.refresh().catch(() => {});
  if (!document.hidden) await api("POST", `/api/sessions/${turn.session()}/seen`, {}).catch(() => {});
}

/** @param {MessageEvent} e */
function state(e) {
  wait = WAIT_MIN_MS;
  const { head } = JSON.parse(e.data);
  if (free() && head !== (last()?.dataset.id ?? null) && !location.search) void take();
}

/** @param {MessageEvent} e */
function began(e) {
  const { turn: id, asked, reply, parent } = JSON.parse(e.data);
  if (!free()) return;
  if (byId(reply)) return void ($("[data-act=continue]", byId(reply)) && turn.join(id)); // it goes on
  if (parent === (last()?.dataset.id ?? null)) turn.join(id);
  else if (location.search) return; // the reader chose another branch
  else if (byId(parent) || byId(asked)) turn.join(id);
  else void take();
}

function close() {
  clearTimeout(timer);
  line?.close();
  line = null;
}

/** Connects, or connects again. */
export function open() {
  close();
  if (document.hidden || !turn.session() || $("#newer")) return;
  const now = (line = new EventSource(`/page/sessions/${turn.session()}/events`));
  now.addEventListener("state", state);
  now.addEventListener("began", began);
  now.addEventListener("error", () => {
    if (line !== now) return;
    close(); // the browser's own retry comes at once or never
    timer = setTimeout(open, wait);
    wait = Math.min(wait * 2, WAIT_MAX_MS);
  });
}
document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
addEventListener("online", open);
addEventListener("pagehide", close);
addEventListener("pageshow", (e) => e.persisted && open());

// The focus of a click: the next key would draw a ring around the message.
list.addEventListener("click", (e) => {
  const at = document.activeElement;
  if (e.detail && at instanceof HTMLElement && at.matches("article")) at.blur();
});
void import("./reading.js");

// An opened editor has the focus at its end.
list.addEventListener("toggle", (e) => {
  const box = $("details[open] textarea", /** @type {Element} */ (e.target).parentElement);
  if (!(box instanceof HTMLTextAreaElement)) return;
  box.focus();
  box.setSelectionRange(box.value.length, box.value.length);
}, true);

// Related sessions, when the window has room for them.
const roomy = matchMedia("(width >= 1440px)");
const beside = () => roomy.matches && $("#related") && void import("./related.js");
roomy.addEventListener("change", beside);
beside();
