/**
 * Commands of the message box: their list for library.js, running one, and the card with its reply. The card is the
 * same that the page shows without script (partials/command). Loaded with the first line that begins with a slash.
 */
import { t } from "texts-later";
import { $, h, icon, need } from "../base/dom.js";
import { api, unreachable } from "../base/api.js";
import { problem, report, say } from "../base/a11y.js";
import { sheet } from "../base/sheets.js";
import { fragment } from "../base/trust.js";
import * as turn from "../turn/turn.js";

/** @typedef {{name: string, args: string | null, help: string}} Command */

const box = need("#text", HTMLTextAreaElement), below = need("#questions", HTMLElement);

/** @type {Promise<Command[]> | undefined} read once per page; a failure is not reported, as each letter tries again */
let table;
/** @returns {Promise<Command[]>} */
export const commands = () => (table ??= api("GET", "/api/commands").then((a) => a.commands).catch(() => {
  table = undefined;
  return [];
}));

/** @param {string} [line] one that was no command, and is not sent: it goes back into the box */
function close(line) {
  $("#command")?.remove();
  if (line && !box.value.trim()) {
    box.value = line;
    box.dispatchEvent(new Event("input"));
  }
  box.focus({ preventScroll: true });
}

/** @param {{name: string, text: string}} file */
function save({ name, text }) {
  const url = URL.createObjectURL(new Blob([text]));
  h("a", { href: url, download: name }).click();
  setTimeout(URL.revokeObjectURL, 10000, url);
}

/** The answer has ended that a card is about: its line began the answer, or was refused meanwhile. */
function ended() {
  const card = $("#command[data-until-end]");
  if (card?.contains(document.activeElement)) box.focus({ preventScroll: true });
  card?.remove();
}
turn.listen({ running: (on) => on || ended() });

/** The card of a line that was refused, in place of the reply to an earlier one. @param {string} line @param {unknown} e @param {() => void} send */
function refuse(line, e, send) {
  const { message, status } = e instanceof TypeError ? unreachable() : /** @type {import("../base/api.js").ApiError} */ (e); // a failed load is a TypeError
  $("#command")?.remove();
  below.before(h("section", { class: "command", id: "command", "aria-label": t.command_reply, tabindex: "-1", "data-refused": line, "data-until-end": status === 409 && turn.running() },
    h("div", { class: "answer", dir: "auto" }),
    h("a", { class: "ibtn", href: location.pathname, "data-command": "close", "aria-label": t.close, title: t.close }, icon("close"))));
  need("#command .answer", HTMLElement).append(problem(message));
  watch(send);
}

/**
 * Runs a line and shows the reply above the box. Rejects without a reason when the line is refused, after it has shown why.
 * @param {string} line @param {() => void} send sends the line as a message
 */
export async function run(line, send) {
  const session = turn.session(), turns = turn.followed.size;
  let reply;
  try {
    [reply] = await Promise.all([api("POST", "/page/commands", { line, ...(session && { session }) }), sheet("/static/css/command.css")]);
  } catch (e) {
    await sheet("/static/css/command.css");
    refuse(line, e, send);
    return Promise.reject();
  }
  if (reply.url) return location.assign(reply.url);
  if (reply.file) save(reply.file);
  $("#command")?.remove();
  below.before(fragment(reply.html));
  watch(send, line);
  say($("#command .answer")?.textContent ?? "");
  if (session) await turn.refresh().catch(report);
  if (turn.followed.size > turns && !turn.running()) ended(); // before its card came
}

/** The buttons of the card, which may be one of the page. @param {() => void} send @param {string} [line] that was run */
export function watch(send, line) {
  const card = need("#command", HTMLElement), unsent = $("[data-command=send]", card) ? line : "";
  card.addEventListener("keydown", (e) => e.key === "Escape" && close(unsent));
  need("[data-command=close]", HTMLElement).addEventListener("click", (e) => {
    e.preventDefault();
    close(unsent);
  });
  $("[data-command=run]", card)?.addEventListener("submit", (e) => {
    const by = /** @type {SubmitEvent} */ (e).submitter;
    if (!(by instanceof HTMLButtonElement)) return;
    e.preventDefault();
    if (by.dataset.command !== "send") return void run(by.value, send).catch((why) => why && report(why));
    close();
    send();
  });
}
