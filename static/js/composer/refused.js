/** The error above the box when the server refused a message, with buttons that help. Loaded when that happens. @import {Ask} from "../types" */
import { t as first } from "texts";
import { t } from "texts-later";
import { h } from "../base/dom.js";
import { problem, report } from "../base/a11y.js";
import * as turn from "../turn/turn.js";

/** @param {string} label @param {() => void} onclick */
const button = (label, onclick) => h("button", { class: "btn", type: "button", onclick }, label);

/** @param {import("../base/api.js").ApiError} e @param {Ask} a @param {(parent?: string) => void} submit @param {() => void} retry */
export function trouble({ status, message, more }, a, submit, retry) {
  if (status === 401) return problem(t.sign_in_again, t.sign_in, () => location.assign(`/signin?next=${encodeURIComponent(location.pathname + location.search)}`));
  if (status === 403) return problem(t.reload_page, t.reload, () => location.reload());
  const kept = a.message ? t.kept({ message }) : message;
  if (status === 410) return problem(kept, t.reload, () => location.reload()); // its page can restore it
  if (status === 404 || status === 413) return problem(kept); // the same is refused again
  if (more.end === undefined) return problem(kept, first.retry, retry);
  const el = problem(kept); // another device continued the conversation: the user decides where the text goes
  el.append(button(t.at_the_end, () => turn.refresh("", "").then(() => {
    history.replaceState(null, "", location.pathname);
    submit();
  }).catch(report)));
  if (more.branch) el.append(button(t.branch, () => submit(more.branch)));
  return el;
}
