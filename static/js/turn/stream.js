/**
 * A turn's events over fetch, continued from the last id when the connection breaks. The first connection may be the
 * answer of a POST; once the turn is known, every further one is a GET with Last-Event-ID.
 * Each failure doubles the wait before the next connection. Only text that was never seen before resets it, so that a
 * server that accepts each connection and ends it is asked less and less often.
 * @import {Following, Fn} from "../types"
 */
import { t } from "texts-later";
import { ApiError, send } from "../base/api.js";
import { pendingNote } from "./live.js";
import { now } from "./turn.js";

const WAIT_MIN_MS = 250, WAIT_MAX_MS = 8000;
const SILENCE_MS = 40_000; // the server pings every 15 s
const BUSY = [429, 503], SENDS_MAX = 8, LOOK_MS = 100; // a message that was not accepted
const LEAVING_MS = 3000;
const TRANSIENT = [0, 408, 425, 429]; // and 500 to 599

let leaves = 0; // when the page began to leave
addEventListener("beforeunload", () => { leaves = Date.now(); });

/** Calls fn for every event of a body. @type {(body: ReadableStream, fn: (id: string, name: string, data: string) => void, heard: Fn) => Promise<void>} */
async function read(body, fn, heard) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "", id = "", name = "", data = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    heard();
    const lines = (rest + value).split(/\r?\n/);
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const at = line.indexOf(":"), text = line.slice(at + 1).replace(/^ /, "");
      const field = line.slice(0, Math.max(at, 0));
      if (!line) {
        if (data) fn(id, name, data);
        name = data = "";
      } else if (field === "id") id = text;
      else if (field === "event") name = text;
      else if (field === "data") data += text;
    }
  }
}

/** True when an event id ("message.position") is after another. @param {string} id @param {string} other */
function further(id, other) {
  const [m = 0, pos = 0] = id.split(".").map(Number), [om = 0, opos = 0] = other.split(".").map(Number);
  return m > om || (m === om && pos > opos);
}

/** @param {Following} o @returns {{close: Fn}} */
export function follow(o) {
  let { first, turn } = o;
  let last = "", furthest = "", wait = WAIT_MIN_MS, over = false, heard = 0, sends = 0;
  let control = new AbortController();
  /** @type {Fn | null} */
  let wake = null;

  const hurry = () => {
    if (document.hidden) return;
    if (wake) wake();
    else if (Date.now() - heard > SILENCE_MS / 2) control.abort();
  };
  const watch = setInterval(() => Date.now() - heard > SILENCE_MS && control.abort(), 5000);
  const close = () => {
    over = true;
    control.abort();
    clearInterval(watch);
    wake?.();
    removeEventListener("online", hurry);
    document.removeEventListener("visibilitychange", hurry);
  };
  addEventListener("online", hurry);
  document.addEventListener("visibilitychange", hurry);

  /** One connection; true: the next one may follow at once. */
  async function once() {
    control = new AbortController();
    heard = Date.now();
    const { signal } = control;
    const headers = { Accept: "text/event-stream", ...(last && { "Last-Event-ID": last }) };
    const posted = first, get = () => send("GET", `/page/turns/${turn}/events`, undefined, { signal, headers });
    const res = await (posted ? posted(signal) : get());
    first = undefined;
    if (!res.headers.get("Content-Type")?.startsWith("text/event-stream")) {
      if (!posted) throw new Error("No events."); // a proxy has answered
      turn = (await res.json()).turn; // 202: the turn runs already
      return true;
    }
    o.lost(false);
    if (res.body) {
      await read(res.body, (id, name, data) => {
        if (over || signal.aborted) return;
        if (further(id, furthest)) {
          furthest = id;
          wait = WAIT_MIN_MS;
        }
        last = id || last;
        const d = JSON.parse(data);
        if (name === "turn") turn = d.turn;
        if (name === "end") close();
        let fits = true;
        try { fits = o.on(name, d); } catch (e) { reportError(e); } // our error, not the connection's
        if (fits) return;
        last = ""; // read the turn from its beginning
        control.abort();
      }, () => { heard = Date.now(); });
    }
    return false;
  }

  /** The server has no place for the message yet: it is sent again, with its client id. @param {ApiError} why */
  async function again(why) {
    const ms = Math.max(why.retryAfter * 1000, wait) * (1 + Math.random() / 2); // random, so that many readers do not come back at once
    sends++;
    wait = Math.min(wait * 2, WAIT_MAX_MS);
    const when = t.sent_again({ s: Math.ceil(ms / 1000) });
    pendingNote(why.status === 429 ? `${why.message} ${when}` : when); // 429 says what the user can do
    for (let left = ms; left > 0 && !over && !now.stopping; left -= LOOK_MS) await new Promise((ok) => setTimeout(ok, LOOK_MS));
    pendingNote("");
  }

  async function run() {
    while (!over) {
      let e = new ApiError(0, t.connection_lost);
      try {
        if (await once()) continue;
      } catch (why) {
        if (why instanceof ApiError) e = why;
      }
      // The page is left: the server may have the message, so the next page offers it under the same client id.
      if (first && !e.status && Date.now() - leaves < LEAVING_MS) await new Promise((ok) => setTimeout(ok, LEAVING_MS));
      if (over) return;
      if (first && BUSY.includes(e.status) && sends < SENDS_MAX) {
        await again(e);
        if (!now.stopping) continue;
      }
      if (!turn || !(TRANSIENT.includes(e.status) || e.status >= 500)) {
        close();
        return o.fail(e);
      }
      o.lost(true);
      await new Promise((ok) => {
        wake = () => ok(0);
        setTimeout(wake, Math.max(wait, e.retryAfter * 1000));
      });
      wake = null;
      wait = Math.min(wait * 2, WAIT_MAX_MS);
    }
  }
  void run();
  return { close };
}
