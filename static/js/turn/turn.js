/**
 * The one turn that runs here: started by a POST or joined, followed to its end, stopped on request.
 * events.js applies its events.
 * @import {Ask, Following, Listener, Fn} from "../types"
 */
import { t } from "texts";
import { $, need } from "../base/dom.js";
import { api, load, send } from "../base/api.js";
import { report, say } from "../base/a11y.js";
import { last } from "./transcript.js";
import "../base/trust.js"; // needed by live.js, which cannot retry it
import { newTurn } from "./scroll.js";

const form = need("#composer", HTMLFormElement), page = need("#page", HTMLElement);
/** Place of the next message: `end` of the session, or `parent` on another branch. */
export const place = need("#composer :is([name=end], [name=parent])", HTMLInputElement);

/** @type {Listener[]} */
const listeners = [];
/** @type {{close: Fn} | null} */
let stream = null;
/** @type {import("../types").Turn} */
export const now = { turn: "", reply: "", began: false, stopping: false, also: [] };

/** The turns that this page has shown, some deleted since. @type {Set<string>} */
export const followed = new Set();

/** @param {Listener} l */
export const listen = (l) => void listeners.push(l);
/** @param {(l: Listener) => void} fn */
export const tell = (fn) => listeners.forEach(fn);
export const running = () => stream !== null;
export const session = () => form.dataset.session ?? "";
const user = parseInt(document.documentElement.dataset.live ?? "");
/** The name of a text that the browser stores for the session, or for the user's new chat. @param {string} kind */
export const slot = (kind, id = session()) => `alfred.${kind}.${id || user}`;

/** The next message follows the last one shown, unless this page lacks the end. */
export const setPlace = () => ($("#newer") ? place.value : (place.value = last()?.dataset.id ?? ""));

/** @param {boolean} on */
function mark(on) {
  page.toggleAttribute("data-running", on);
  tell((l) => l.running?.(on));
}

export function finish() {
  stream?.close();
  stream = null;
  Object.assign(now, { turn: "", reply: "", began: false, over: false, also: [] });
  setPlace();
  mark(false);
}

/** @type {typeof import("./live.js")} loaded when a turn is followed */
let live;
/** @type {typeof import("./events.js")} */
let events;
/** Loads the reader of events, at the first typed letter. */
export async function reader() {
  const [l, e, s] = await Promise.all([live ?? load("turn/live"), events ?? load("turn/events"), load("turn/stream")]);
  live = l;
  events = e;
  return s;
}

/** @param {{first?: (s: AbortSignal) => Promise<Response>, turn?: string, ask?: Ask}} o */
function watch(o) {
  let broken = false, over = false;
  now.stopping = false;
  now.turn = o.turn ?? "";
  say(t.generating);
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
    on: (name, d) => events.handle(live, name, d, o.ask),
    lost(lost) {
      if (lost !== broken) live.note(now.reply, lost ? t.line_lost : "");
      broken = lost;
    },
    fail(e) {
      const accepted = now.began, lost = now.turn;
      live?.dropPending();
      finish();
      if (o.ask && !accepted) tell((l) => l.refused?.(e, /** @type {Ask} */ (o.ask)));
      else if (e.status === 404 || e.status === 410) refresh(lost).catch(report); // the turn is deleted
      else report(new Error(t.kept_so_far({ message: e.message })));
    },
  };
  const message = o.ask?.message;
  const end = message && $("#newer") ? import("./refresh.js").then((m) => m.toEnd()) : null;
  Promise.all([reader(), end]).then(([m]) => {
    if (over) return;
    if (message) {
      live.pend(message);
      newTurn("m-pending");
    }
    line = m.follow(following);
  }, following.fail);
  mark(true);
}

/** Starts a turn. @param {Ask} ask */
export const start = (ask) =>
  watch({ ask, first: (signal) => send("POST", `/page/sessions/${session() || "new"}/${ask.path}`, ask.body, { signal, headers: { Accept: "text/event-stream" } }) });

/** Follows a turn of another page, or of this page before a reload. @param {string} turn */
export const join = (turn) => void (running() || watch({ turn }));

/** Stops the provider, too; received text stays. */
export async function stop() {
  now.stopping = true;
  if (!now.turn) return; // as soon as it has an id
  for (const id of [now.turn, ...now.also]) await api("POST", `/api/turns/${id}/stop`, {}).catch(report);
}

/** The user sees the end of the session, or will when the page is visible. */
export function seen() {
  if (document.hidden) document.addEventListener("visibilitychange", seen, { once: true });
  else if (session()) api("POST", `/api/sessions/${session()}/seen`, {}).catch(() => {});
}

/** @type {typeof import("./refresh.js")["refresh"]} */
export const refresh = async (...which) => (await import("./refresh.js")).refresh(...which);
