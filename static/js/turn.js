/**
 * The one turn that runs here: started by a POST or joined, followed to its end, stopped on request. It owns
 * the address of the session (a new chat gets its own with the first event) and tells listeners what happens.
 * @import {Ask, Following, Listener, Fn} from "./types"
 */
import { $, $$, need } from "./dom.js";
import { api, send, unreachable } from "./api.js";
import { report, say } from "./a11y.js";
import { byId, last } from "./transcript.js";
import "./trust.js"; // which live.js needs, and could not ask for twice
import { newTurn } from "./scroll.js";

const form = need("#composer", HTMLFormElement), page = need("#page", HTMLElement);
const parent = need("#composer [name=parent]", HTMLInputElement);

/** @type {Listener[]} */
const listeners = [];
/** @type {{close: Fn} | null} */
let stream = null;
let turn = "", reply = "", stopping = false, began = false;

/** @param {Listener} l */
export const listen = (l) => void listeners.push(l);
export const running = () => stream !== null;
export const session = () => form.dataset.session ?? "";

/** The last message shown is where the next one goes. */
export const setParent = () => (parent.value = last()?.dataset.id ?? "");

/** @param {boolean} on */
function mark(on) {
  page.toggleAttribute("data-running", on);
  listeners.forEach((l) => l.running?.(on));
}

function finish() {
  stream?.close();
  stream = null;
  turn = reply = "";
  began = false;
  setParent();
  mark(false);
}

/** The new chat has its address now. @param {string} id @param {string} url */
function settle(id, url) {
  if (session() === id) return;
  form.dataset.session = id;
  form.action = url;
  need("#stop", HTMLFormElement).action = `${url}/stop`;
  history.replaceState(null, "", url);
  $("#hello")?.remove();
  page.classList.remove("empty");
  listeners.forEach((l) => l.named?.(id));
}

/** @param {string} name @param {any} d @param {Ask} [ask] */
function handle(name, d, ask) {
  switch (name) {
    case "turn": {
      const fresh = !began;
      began = true;
      turn = d.turn;
      settle(d.session, d.session_url);
      live.dropPending();
      const asked = live.place(d.asked_html);
      if (!byId(d.reply)) live.place(d.reply_html);
      if (byId(d.reply)?.dataset.turn) ({ reply } = d); // else a step has settled it
      if (ask && fresh) {
        history.replaceState(null, "", d.session_url);
        newTurn(asked.id);
      }
      if (fresh) listeners.forEach((l) => l.began?.(turn));
      if (stopping) void stop();
      break;
    }
    case "think":
      live.note(reply, "Thinking");
      break;
    case "retry":
      live.note(reply, d.text);
      break;
    case "blocks":
      live.note(d.m, "");
      if (!live.patch(d.m, d.b, d.from)) again();
      break;
    case "step":
      live.forget(d.m);
      live.place(d.html);
      for (const t of d.tool_html) live.place(t.html);
      reply = d.reply;
      live.place(d.reply_html);
      break;
    case "end":
      live.forget(d.m);
      if (d.html) live.place(d.html);
      else live.note(d.m, d.error); // could not be saved yet: what is here stays
      for (const f of $$(".asks")) if (d.html && f.closest("article")?.id !== `m-${d.asks}`) f.remove(); // answered, or replaced
      finish();
      if (d.status === "failed") need("#alerts", HTMLElement).append(live.hidden(d.error));
      else say(d.status === "done" ? "Complete" : "Stopped");
      listeners.forEach((l) => l.ended?.(d.status, d.session ?? null));
  }
}

/** @type {typeof import("./live.js")} here as soon as a turn is followed */
let live;
let retried = "";
/** What follows an answer: asked for by the first letter typed, so that it is there when it is sent. */
export async function reader() {
  try {
    const [l, s] = await Promise.all([live ?? import(`./live.js${retried}`), import(`./stream.js${retried}`)]);
    live = l;
    return s;
  } catch {
    retried = `?again=${Date.now()}`; // under its first name the browser remembers the failure
    throw unreachable();
  }
}

/** What is here does not fit the stream: read the turn from its beginning. */
function again() {
  stream?.close();
  live.forget(reply);
  watch({ turn });
}

/** @param {{first?: (s: AbortSignal) => Promise<Response>, turn?: string, ask?: Ask}} o */
function watch(o) {
  let broken = false, over = false;
  /** @type {{close: Fn} | undefined} */
  let line;
  stream = {
    close() {
      over = true;
      line?.close();
    },
  };
  /** @type {Following} */
  const following = {
    ...o,
    on: (name, d) => handle(name, d, o.ask),
    line(lost) {
      if (lost !== broken) live.note(reply, lost ? "The connection broke. Alfred keeps writing; reading on soon." : "");
      broken = lost;
    },
    fail(e) {
      const accepted = began;
      live?.dropPending();
      finish();
      if (o.ask && !accepted) listeners.forEach((l) => l.refused?.(e, /** @type {Ask} */ (o.ask)));
      else if (e.status === 404 || e.status === 410) refresh().catch(report); // over, and its log gone
      else report(new Error(`${e.message} What was written is kept.`));
    },
  };
  reader().then((m) => {
    if (over) return;
    if (o.ask?.text) {
      live.pend(o.ask.text);
      newTurn("m-pending");
    }
    line = m.follow(following);
  }, following.fail);
}

/** Starts a turn. @param {Ask} ask */
export function start(ask) {
  stopping = false;
  say("Generating");
  const path = `/api/sessions/${session() || "new"}/${ask.path}`;
  watch({ ask, first: (signal) => send("POST", path, ask.body, { signal, headers: { Accept: "text/event-stream" } }) });
  mark(true);
}

/** Follows a turn that somebody else started, or this page before it was loaded again. @param {string} id */
export function join(id) {
  if (running()) return;
  stopping = false;
  say("Generating");
  turn = id;
  watch({ turn: id });
  mark(true);
}

/** Stops the provider too; what has arrived stays. */
export async function stop() {
  stopping = true;
  if (!turn) return; // as soon as it has a name
  await api("POST", `/api/turns/${turn}/stop`, {}).catch(report);
}

/** Shows the session as the server has it, and joins what runs there. */
export async function refresh() {
  if (!session() || running()) return;
  const doc = await (await import("./history.js")).reload(location.pathname + location.search);
  setParent();
  const id = $("#composer", doc)?.dataset.turn;
  if (id) join(id);
}
