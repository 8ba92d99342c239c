/** The server has refused a message, or another request for an answer: the error above the box, with buttons that help. Loaded before a message is sent. @import {Ask} from "../types" */
import { t as first } from "texts";
import { t } from "texts-later";
import { h, need, store } from "../base/dom.js";
import { problem, report } from "../base/a11y.js";
import { address } from "../base/signin.js";
import { failed } from "./composer.js";
import * as turn from "../turn/turn.js";

/** @typedef {import("../base/api.js").ApiError} ApiError */

/** @param {string} label @param {() => void} onclick */
const button = (label, onclick) => h("button", { class: "btn", type: "button", onclick }, label);

/** @param {ApiError} e @param {Ask} a @param {(parent?: string) => void} submit @param {() => void} retry */
function trouble({ status, message, more }, a, submit, retry) {
  if (status === 401) return problem(t.sign_in_again, t.sign_in, () => location.assign(address()));
  if (status === 403) return problem(t.reload_page, t.reload, () => location.reload());
  const kept = a.message ? t.kept({ message }) : message;
  if (status === 410) return problem(kept, t.reload, () => location.reload()); // its page can restore it
  if (more.end === undefined) return status === 404 || status === 413 ? problem(kept) : problem(kept, first.retry, retry); // those are refused again
  const el = problem(kept); // another device continued the conversation, or deleted this branch: the user decides where the text goes
  el.append(button(t.at_the_end, () => turn.refresh("", "").then(() => {
    history.replaceState(null, "", location.pathname);
    submit();
  }).catch(report)));
  if (more.branch) el.append(button(t.branch, () => submit(more.branch)));
  return el;
}

/** @param {ApiError} e @param {Ask} a @param {typeof import("./send.js")} by */
export function refused(e, a, { giveBack, keep, submit, what }) {
  const { message, body } = a, above = need("#send-problem", HTMLElement);
  if (message) {
    store.set(turn.slot("sent"), null);
    if (e.status === 409 && e.more.end === undefined) return void keep("back", { ...message, id: body.client_id }); // another page was faster
    Object.assign(failed, { id: body.client_id, what: what(message) });
    giveBack(message);
  } else if (body.text && (e.status === 401 || e.status === 403)) giveBack({ text: body.text }); // an editor is lost with its page
  above.replaceChildren(trouble(e, a, submit, () => {
    above.replaceChildren();
    if (message) submit(body.parent);
    else turn.start(a);
  }));
}
