/** Notifications of the browser. Loaded when the user has turned them on and something is to be said in a hidden tab, or to ask for the permission. */
import { t } from "texts-later";
import { $ } from "../base/dom.js";
import { report } from "../base/a11y.js";

/** Browsers of phones have the class, but show notifications for installed apps only. Without permission nothing is shown here. */
function hasNone() {
  if (!window.Notification) return true;
  if (Notification.permission === "granted") return false;
  try { new Notification("", {}); } catch { return true; }
  return false;
}

/** Asks for the permission, once the user has turned notifications on. */
export async function ask() {
  if (hasNone()) return report(new Error(t.notify_none));
  const said = Notification.permission === "default" ? await Notification.requestPermission() : Notification.permission;
  if (said === "denied") report(new Error(t.notify_denied));
}

const question = () => $("#questions [data-state=open]:last-child p")?.textContent?.trim();

/** An answer has ended, or its question waits. @param {string} status @param {string} title of the session */
export function ended(status, title) {
  if (status !== "stopped") tell(title, question() ?? (status === "done" ? t.notify_done : t.notify_failed));
}

/** A question has begun to wait. */
export function asks() {
  const text = question();
  if (text) tell($("#session-title")?.textContent ?? "", text);
}

/** A reminder is due. The notifications of several pages replace each other. @param {string} title @param {string} body @param {string} id */
export const due = (title, body, id) => tell(title, body, `reminder ${id}`);

/** @param {string} title @param {string} body */
function tell(title, body, tag = location.pathname) {
  if (!window.Notification || Notification.permission !== "granted") return;
  try {
    const note = new Notification(title, { body, tag, icon: "/static/icons/icon-192.png", lang: document.documentElement.lang });
    note.onclick = () => {
      focus();
      note.close();
    };
  } catch { /* browsers of phones show them for installed apps only */ }
}
