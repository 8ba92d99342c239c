/**
 * Applies the events of a turn to the page. A new chat gets its address with the first event. Loaded with live.js by
 * the first letter typed.
 * @import {Ask} from "../types"
 */
import { t } from "texts-later";
import { $, need, store } from "../base/dom.js";
import { say } from "../base/a11y.js";
import { newTurn } from "./scroll.js";
import { byId } from "./transcript.js";
import { finish, followed, now, place, session, slot, stop, tell } from "./turn.js";

/** Sets the address of a new chat. @param {string} id @param {string} url @param {string | null} title */
function setAddress(id, url, title) {
  if (session() === id) return;
  const form = need("#composer", HTMLFormElement), menu = need("#session-menu", HTMLElement);
  form.dataset.session = id;
  form.action = url;
  need("#stop", HTMLFormElement).action = `${url}/stop`;
  menu.dataset.session = id;
  menu.hidden = false;
  history.replaceState(null, "", url);
  $("#hello")?.remove();
  need("#page", HTMLElement).classList.remove("empty");
  tell((l) => l.named?.(id, title));
}

/** The end of a turn and the open question, for screen readers. @param {string} status */
function ending(status) {
  const question = $("#questions [data-state=open] p")?.textContent;
  return status !== "done" ? t.stopped : question ? t.complete_asks({ question }) : t.complete;
}

/** A turn has ended; false: another one still answers the same question. @param {import("../types").Turn} one */
export function ended(one) {
  if (one === now) now.over = true;
  else now.also = now.also.filter((id) => id !== one.turn);
  return now.over && !now.also.length;
}

/** The last reported reason of the wait, in this turn. */
let waiting = "";

/** Counts down the seconds in `text`, in the line under a running answer. @param {string} id @param {string} text @param {number} ms until the next attempt */
function countDown(id, text, ms) {
  const line = byId(id)?.querySelector(".live-note"), until = Date.now() + ms, named = String(Math.ceil(ms / 1000));
  let shown = text;
  const timer = setInterval(() => {
    const left = Math.ceil((until - Date.now()) / 1000);
    if (left < 1 || !line?.isConnected || line.textContent !== shown) clearInterval(timer);
    else line.textContent = shown = text.replace(named, String(left));
  }, 1000);
}

/**
 * False: the event does not fit what is here, and the turn has to be read from its beginning.
 * @param {typeof import("./live.js")} live @param {string} name @param {any} d @param {Ask} [ask] @param {import("../types").Turn} [one] the turn
 */
export function handle(live, name, d, ask, one = now) {
  switch (name) {
    case "turn": {
      const fresh = !one.began;
      if (fresh) waiting = "";
      one.began = true;
      one.turn = d.turn;
      followed.add(d.turn);
      if (ask?.message) store.set(slot("sent"), null);
      setAddress(d.session, d.session_url, d.title);
      live.dropPending();
      const asked = live.place(d.asked_html);
      if (d.compared) {
        live.columns(d.asked, d.compared.html);
        if (one === now) {
          /** @type {string[]} */
          const turns = d.compared.turns.map((/** @type {{turn: string}} */ x) => x.turn);
          now.also = turns.filter((id) => id !== now.turn);
          void import("./compare.js").then((m) => m.beside(live));
        }
      } else {
        const had = byId(d.reply); // of an answer that is continued
        if (!had || (!had.dataset.turn && d.reply_html.includes(' data-turn="'))) live.place(d.reply_html);
      }
      if (byId(d.reply)?.dataset.turn) one.reply = d.reply; // else a step has completed it
      place.name = "end"; // the session ends in this branch now
      if (ask && fresh) {
        history.replaceState(null, "", d.session_url);
        $("#newer")?.parentElement?.remove(); // belongs to the previous branch
        newTurn(asked.id);
      }
      if (now.stopping) void stop();
      break;
    }
    case "think":
      live.note(one.reply, "");
      void import("./thought.js").then((m) => m.think(one.reply, d.text, d.whole));
      break;
    case "wait": {
      const why = "percent" in d ? d.status : d.text; // a percentage is not announced each time
      live.note(one.reply, d.text);
      if (d.status === "retrying") countDown(one.reply, d.text, d.wait_ms);
      if (why !== waiting) say(d.text);
      waiting = why;
      break;
    }
    case "blocks":
      live.note(d.m, "");
      if (live.patch(d.m, d.b, d.from)) break;
      live.forget(d.m);
      return false;
    case "step":
      live.forget(d.m);
      live.place(d.html);
      for (const tool of d.tool_html) live.place(tool.html);
      one.reply = d.reply;
      live.place(d.reply_html);
      break;
    case "unsaved":
      live.note(d.m, d.text);
      say(d.text);
      break;
    case "end":
      live.forget(d.m);
      live.place(d.html);
      live.questions(d.questions_html, d.m);
      if ($("#questions [data-state=open]")) void import("../chat/suggestions.js").then((m) => m.watch()).catch(() => {});
      $(`[data-stop="${one.turn}"]`)?.remove();
      if (!ended(one)) break;
      finish();
      if (d.status === "failed") need("#alerts", HTMLElement).append(live.hidden(d.error));
      else say(ending(d.status));
      if (document.hidden && "notifications" in document.documentElement.dataset) void import("../frame/notify.js").then((m) => m.ended(d.status, d.session?.title ?? ""));
      tell((l) => l.ended?.(d.status, d.session ?? null));
  }
  return true;
}
