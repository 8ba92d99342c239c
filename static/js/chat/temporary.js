/** A temporary chat: how long it lives, Keep, and its end. Loaded with one. */
import { t } from "texts-later";
import { $, $$, need, store } from "../base/dom.js";
import { api, send } from "../base/api.js";
import { report } from "../base/a11y.js";
import { listen } from "../frame/changes.js";
import { later } from "../base/later.js";
import { toast } from "../base/toast.js";
import { list } from "../turn/transcript.js";
import * as turn from "../turn/turn.js";

const MINUTE_MS = 60_000, TICK_MS = 1000;
const line = need("#temporary", HTMLFormElement), words = need(".temporary-left", HTMLElement);
/** When it ends, by this device's clock. */
let ends = line.dataset.left ? Date.now() + Number(line.dataset.left) : Infinity;

function over() {
  need("#text", HTMLTextAreaElement).value = ""; // its draft goes with the page
  for (const kind of ["queue", "sent", "files"]) store.set(turn.slot(kind), null);
  location.replace(`/s/${turn.session()}`); // the server says that it has ended
}

function show() {
  if (!line.isConnected || document.hidden || turn.running() || ends === Infinity) return;
  const left = ends - Date.now();
  if (left <= 0) return void (left > -MINUTE_MS ? ask() : over());
  words.textContent = left > MINUTE_MS ? t.erased_in_minutes({ n: Math.ceil(left / MINUTE_MS) }) : t.erased_in_seconds({ n: Math.ceil(left / 1000) });
}

/** Its end as the server knows it: another device may have written, or kept it. */
const ask = later(async () => {
  if (!turn.session() || turn.running()) return;
  const res = await send("GET", `/api/sessions/${turn.session()}?limit=1`).catch((e) => (e.status === 404 ? over() : null));
  if (!res) return;
  const { session } = await res.json();
  if (!session.temporary) return line.remove();
  ends = Date.now() + Date.parse(session.ends_at) - Date.parse(res.headers.get("date") ?? "");
  show();
});

function begin() {
  line.action = `/sessions/${turn.session()}/keep`;
  line.hidden = false;
  ask();
}
turn.listen({
  named: begin,
  ended() {
    ask();
    if ($$("article", list).length > Number(line.dataset.messages)) void turn.refresh(); // the oldest are erased
  },
});
listen(({ name, data }) => {
  if (name === "reload" || (name === "session" && data.id === turn.session())) ask();
});
line.addEventListener("submit", async (e) => {
  e.preventDefault();
  try {
    await api("PATCH", `/api/sessions/${turn.session()}`, { temporary: false });
    line.remove();
    toast(t.chat_kept);
    $("#text")?.focus({ preventScroll: true });
  } catch (why) { report(why); }
});
if (turn.session() && line.hidden) begin();
setInterval(show, TICK_MS);
document.addEventListener("visibilitychange", show);
