/**
 * Turns of other pages and devices: the page follows a turn of its session that begins elsewhere, and shows messages
 * that it lacks. Loaded a moment after a conversation, with changes.js.
 */
import { $, $$, hit, need, store } from "../base/dom.js";
import { problem, report } from "../base/a11y.js";
import { api, load } from "../base/api.js";
import { changed, next, queue } from "../composer/composer.js";
import { current, later } from "../base/later.js";
import { byId, last, list } from "../turn/transcript.js";
import { morph } from "../base/morph.js";
import * as turn from "../turn/turn.js";
import { t } from "texts-later";

const WAIT_MS = 300; // a turn that begins has an event of its own, which comes first

/** No turn runs, no editor is open, and the end is shown. */
const free = () => !turn.running() && !$("#newer, #transcript .edit[open]");

/** Shows the server's messages. */
async function refresh() {
  const compared = $(".compare");
  await turn.refresh().catch(() => {});
  if (compared && !$(".compare") && !turn.running()) next(true); // one was chosen elsewhere
  turn.seen();
}

/** Shows model, effort and persona of the session, except those that were changed here. */
const choose = later(async () => {
  const [{ doc }, m] = await Promise.all([current(), import("../turn/refresh.js")]);
  m.choose(doc, changed);
});

/** Another page has made, renamed or deleted a persona. */
const personas = later(async () => {
  const [{ doc }, m] = await Promise.all([current(), import("../turn/refresh.js")]);
  m.personas(doc);
});

/** @param {any} d */
function began({ turn: id, asked, reply, parent }) {
  if (!free() || turn.followed.has(id)) return; // an event from before the page was connected
  if (byId(reply)) return void ($("[data-act=continue]", byId(reply)) && turn.join(id)); // it is continued
  if (parent === (last()?.dataset.id ?? null)) turn.join(id);
  else if (location.search) return; // the reader chose another branch
  else if (byId(parent) || byId(asked)) turn.join(id);
  else void refresh();
}

let head = "", timer = 0;
/** The session ends elsewhere now, or one of two answers was chosen. */
async function ends() {
  timer = 0;
  if (!free() || location.search) return;
  const moved = head !== (last()?.dataset.id ?? null);
  const chosen = () => api("GET", `/api/sessions/${turn.session()}?limit=1`).then((s) => !s.comparison, () => false);
  if (moved || ($(".compare") && await chosen())) void refresh();
}

let gone = false;
/** Another page has deleted the session, or restored it. The page that a reload shows can restore it, too. @param {boolean} now */
function deleted(now) {
  if (now === gone) return;
  gone = now;
  need("#send-problem", HTMLElement).replaceChildren(...(now ? [problem(t.deleted_elsewhere, t.reload, () => location.reload())] : []));
}

const open = () => $$("#questions [data-state=open]");

/** No question is being answered here: the news of it may come before the answer to its request. A running turn can ask, too. */
const undecided = () => !$("#newer, #questions :is(:focus, :disabled)");

const notifies = "notifications" in document.documentElement.dataset;

/** The open questions: another page may have decided one, and a new one may wait. */
const questions = later(async () => {
  if (!undecided() || !turn.session()) return;
  const now = $("#questions", (await current()).doc); // none in the answer for a deleted session
  if (!undecided() || !now) return;
  const known = new Set(open().map((el) => el.dataset.suggestion));
  morph(/** @type {Element} */ ($("#questions")), now);
  const asks = open().find((el) => !known.has(el.dataset.suggestion));
  if (asks && document.hidden && notifies) (await import("../frame/notify.js")).asks();
}, notifies);

/** @param {import("../frame/hub.js").News} n */
export function take({ name, data }) {
  if (name === "suggestion") return questions();
  if (name === "persona" || name === "reload") personas();
  if (!turn.session()) return;
  if (name === "reload" || (name === "session" && data.id === turn.session())) turn.tell((l) => l.changed?.());
  if (name === "reload") return void (free() && refresh());
  if (name === "choice" && data.id === turn.session()) choose();
  if (name === "turn" && data.session === turn.session()) began(data);
  if (name !== "session" || data.id !== turn.session()) return;
  deleted(!!data.gone);
  if (data.gone) return;
  head = data.head;
  timer ||= setTimeout(ends, WAIT_MS);
}

// A click focuses the message: without this, the next key would draw a focus ring around it.
document.addEventListener("click", (e) => {
  const at = hit(e, "#transcript article");
  if (e.detail && at === document.activeElement) at?.blur();
});
void import("../turn/reading.js");
// If the module of transcript.js did not come.
if ($(".code, .math, .table-scroll", list)) later(async () => (await load("text/code")).enhance(list))();
void import("../composer/files.js");
void import("./edit.js"); // now, because on a touch screen nothing comes near a message before it is touched
// Now, because Safari forgets a click while a module loads, and copies and speaks only after one.
void import("./actions.js");
void import("../text/copy.js");
void import("../text/speak.js");

// The height of the message box with what stands above it: questions, waiting messages, a long draft (over.css, due.css).
const foot = need("#foot", HTMLElement), notices = need(".toasts", HTMLElement);
new ResizeObserver(() => notices.style.setProperty("--foot", `${foot.getBoundingClientRect().height}px`)).observe(foot);

if (store.get(turn.slot("queue")) && !$("#newer")) void queue().then((q) => q.rest()).catch(report);
// A message waits in another tab.
addEventListener("storage", (e) => void (e.key === turn.slot("queue") && e.newValue && queue().catch(report)));

// Another tab has sent or removed the draft that is in the box, or the user has signed out there. One that only lost its
// room is "" (room.js).
addEventListener("storage", (e) => {
  const box = need("#text", HTMLTextAreaElement);
  if (e.key !== turn.slot("draft") || e.newValue !== null || box.value !== e.oldValue) return;
  box.value = "";
  box.dispatchEvent(new Event("input"));
});

// A reload has closed the canvas over the conversation: its entry in the history is removed.
if (history.state?.canvas && !$("#canvas")) history.back();

// Related sessions, when the window has room for them.
const roomy = matchMedia("(width >= 1440px)");
const beside = () => roomy.matches && $("#related") && void import("./related.js");
roomy.addEventListener("change", beside);
beside();
