/** The error above the box when the server refused a message, with buttons that help. Loaded when that happens. @import {Ask} from "./types" */
import { h } from "./dom.js";
import { problem, report } from "./a11y.js";
import * as turn from "./turn.js";

/** @param {string} label @param {() => void} onclick */
const button = (label, onclick) => h("button", { class: "btn", type: "button", onclick }, label);

/** @param {import("./api.js").ApiError} e @param {Ask} a @param {(parent?: string) => void} submit @param {() => void} retry */
export function trouble({ status, message, more }, a, submit, retry) {
  if (status === 401) return problem("You have been signed out. Your text is kept here.", "Sign in", () => location.assign(`/signin?next=${encodeURIComponent(location.pathname)}`));
  if (status === 403) return problem("You signed in again since this page was loaded. Your text is kept.", "Reload", () => location.reload());
  const kept = `${message}${a.text ? " Your text is kept." : ""}`;
  if (more.end === undefined) return problem(kept, "Retry", retry);
  const el = problem(kept); // another device continued the conversation: the user decides where the text goes
  el.append(button("Continue at the end", () => turn.refresh("", "").then(() => {
    history.replaceState(null, "", location.pathname);
    submit();
  }).catch(report)));
  if (more.branch) el.append(button("Branch here", () => submit(more.branch)));
  return el;
}
