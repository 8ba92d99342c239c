/**
 * Suggestions and changes: Keep, Dismiss and Undo in place. Each suggestion has the texts of all states that it can
 * reach; one is shown. Loaded with the first use, or with a question that waits.
 * @import {El} from "../types"
 */
import { $, $$, need } from "../base/dom.js";
import { api } from "../base/api.js";
import { report, say } from "../base/a11y.js";
import { last, list } from "../turn/transcript.js";
import * as turn from "../turn/turn.js";

const pinned = need("#questions", HTMLElement);
let timer = 0;

/** @param {string | undefined} id */
const boxes = (id) => $$(`[data-suggestion="${id}"]`);

/** @param {El} box @param {string} state @param {boolean} canUndo */
function put(box, state, canUndo) {
  box.dataset.state = state;
  box.hidden = false;
  delete box.dataset.lapses;
  for (const part of $$("[data-when]", box)) part.hidden = part.dataset.when !== state;
  for (const form of $$("[data-decide=undo]", box)) form.hidden = !canUndo;
}

/** Updates the one in the transcript, if its answer is the last; otherwise the one above the box shows the result. @param {string | undefined} id */
function showResult(id) {
  const under = boxes(id).find((b) => list.contains(b)), above = boxes(id).find((b) => pinned.contains(b));
  if (under && above && last()?.contains(under)) above.remove();
  return above?.isConnected ? above : under;
}

/** Sends the decision of a button. @param {El} form */
export async function decide(form) {
  const box = /** @type {El} */ (form.closest("[data-suggestion]")), id = box.dataset.suggestion, buttons = $$("button", box);
  for (const b of buttons) b.setAttribute("disabled", "");
  try {
    const { suggestion } = await api("POST", `/api/suggestions/${id}/${form.dataset.decide}`, {});
    for (const b of boxes(id)) put(b, suggestion.state, suggestion.can_undo);
    const shown = showResult(id) ?? box;
    shown.focus({ preventScroll: true });
    say($(`[data-when="${suggestion.state}"] p`, shown)?.textContent ?? "");
  } catch (e) {
    report(e);
    if (/** @type {import("../base/api.js").ApiError} */ (e).status === 409) await turn.refresh().catch(report);
  } finally {
    for (const b of buttons) b.removeAttribute("disabled");
  }
}

/** Removes lapsed questions, because the server accepts no answer to them. */
export function watch() {
  clearTimeout(timer);
  const open = $$("[data-lapses]", pinned).map((el) => ({ el, at: Date.parse(el.dataset.lapses ?? "") }));
  for (const { el, at } of open) if (at <= Date.now()) el.remove();
  const next = Math.min(...open.map((o) => o.at).filter((at) => at > Date.now()));
  if (next < Infinity) timer = setTimeout(watch, next - Date.now() + 1);
}

/** A new turn removes decided suggestions. */
turn.listen({
  running(on) {
    if (on) for (const el of $$("[data-suggestion]:not([data-state=open])", pinned)) el.remove();
  },
});
watch();
