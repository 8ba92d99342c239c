/**
 * What the events of a turn do to the page. A new chat gets its address with the first one. Loaded with live.js by
 * the first letter typed.
 * @import {Ask} from "./types"
 */
import { $, $$, need } from "./dom.js";
import { say } from "./a11y.js";
import { newTurn } from "./scroll.js";
import { byId } from "./transcript.js";
import { again, finish, now, session, stop, tell } from "./turn.js";

/** The new chat has its address now. @param {string} id @param {string} url */
function settle(id, url) {
  if (session() === id) return;
  const form = need("#composer", HTMLFormElement), about = need("#about", HTMLAnchorElement);
  form.dataset.session = id;
  form.action = url;
  need("#stop", HTMLFormElement).action = `${url}/stop`;
  about.href = `${url}/summary`;
  about.hidden = false;
  history.replaceState(null, "", url);
  $("#hello")?.remove();
  need("#page", HTMLElement).classList.remove("empty");
  tell((l) => l.named?.(id));
}

/** @param {typeof import("./live.js")} live @param {string} name @param {any} d @param {Ask} [ask] */
export function handle(live, name, d, ask) {
  switch (name) {
    case "turn": {
      const fresh = !now.began;
      now.began = true;
      now.turn = d.turn;
      settle(d.session, d.session_url);
      live.dropPending();
      const asked = live.place(d.asked_html);
      if (!byId(d.reply)) live.place(d.reply_html);
      if (byId(d.reply)?.dataset.turn) now.reply = d.reply; // else a step has settled it
      if (ask && fresh) {
        history.replaceState(null, "", d.session_url);
        newTurn(asked.id);
      }
      if (fresh) tell((l) => l.began?.(d.turn));
      if (now.stopping) void stop();
      break;
    }
    case "think":
      live.note(now.reply, "Thinking");
      break;
    case "retry":
      live.note(now.reply, d.text);
      break;
    case "blocks":
      live.note(d.m, "");
      if (!live.patch(d.m, d.b, d.from)) again();
      break;
    case "step":
      live.forget(d.m);
      live.place(d.html);
      for (const t of d.tool_html) live.place(t.html);
      now.reply = d.reply;
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
      tell((l) => l.ended?.(d.status, d.session ?? null));
  }
}
