/**
 * Two answers to one question: the second is followed beside the first, each has a Stop of its own, and the user
 * continues with one. Loaded with the first comparison that runs.
 */
import { t } from "texts";
import { $$, hit } from "../base/dom.js";
import { api } from "../base/api.js";
import { report } from "../base/a11y.js";
import { ended, handle } from "./events.js";
import * as turn from "./turn.js";

/** @type {Set<string>} */
const followed = new Set();

/** Follows the other turns. @param {typeof import("./live.js")} live */
export async function beside(live) {
  const { follow } = await turn.reader();
  for (const id of turn.now.also) {
    if (followed.has(id)) continue;
    followed.add(id);
    const one = { turn: id, reply: "", began: false, stopping: false, also: [] };
    /** @type {import("../types").Following} */
    const following = {
      turn: id,
      on: (name, d) => handle(live, name, d, undefined, one),
      lost: (lost) => live.note(one.reply, lost ? t.line_lost : ""),
      fail(e) {
        report(new Error(t.kept_so_far({ message: e.message })));
        if (ended(one)) turn.finish();
      },
    };
    follow(following);
  }
}

addEventListener("submit", (e) => {
  const form = hit(e, "form[data-stop]");
  if (!form) return;
  e.preventDefault();
  api("POST", `/api/turns/${form.dataset.stop}/stop`, {}).catch(report);
});

/** Both have ended: the user can choose. @param {boolean} on */
function running(on) {
  if (!on) for (const form of $$("[data-choose]")) form.hidden = false;
}
turn.listen({ running });
running(turn.running());
