/**
 * Makes room in localStorage for text of the user that found none, or says that there is none. Loaded when it is full.
 * Entries of other sessions go first, until the text fits: closed hints, then attached files, then drafts, each from the
 * oldest session on. Messages that wait or are being sent stay.
 */
import { t } from "texts-later";
import { $, store } from "./dom.js";
import { problem, report } from "./a11y.js";
import { toast } from "./toast.js";

const TEXT = /^alfred\.(draft|files|pasted|pictures|queue|sent)\./;
const SPARE = ["rest", "files", "draft"];

/** @param {string} key @param {string} value */
function put(key, value) {
  try {
    localStorage.setItem(key, value);
    return true;
  } catch { return false; }
}

/** Entries of other sessions, in the order in which they go. Ids of sessions sort by their time. @param {string[]} wanted */
function spare(wanted) {
  const owner = (/** @type {string} */ key) => key.split(".")[2], here = wanted.map(owner);
  return SPARE.flatMap((kind) => Object.keys(localStorage).filter((key) => key.startsWith(`alfred.${kind}.ses_`) && !here.includes(owner(key))).sort());
}

let said = false;
function make() {
  const wanted = [...store.unkept].filter(([key]) => TEXT.test(key)), others = spare(wanted.map(([key]) => key));
  /** @type {[string, string][]} */
  const gone = [];
  for (const [key, value] of wanted) {
    let fits;
    while (!(fits = put(key, value)) && others.length) {
      const other = /** @type {string} */ (others.shift()), was = localStorage.getItem(other);
      if (was) gone.push([other, was]);
      if (was) localStorage.setItem(other, ""); // a tab with this draft in its box would clear it when the entry is removed
      else localStorage.removeItem(other);
    }
    if (fits) store.unkept.delete(key);
  }
  // It was too little, or more than enough: the newest of what is gone comes back, as far as it fits.
  const n = gone.reverse().filter(([key, value]) => !put(key, value) && !key.startsWith("alfred.rest.")).length;
  if (n) toast(t.drafts_dropped({ n })).catch(report);
  if (said || !wanted.some(([key]) => store.unkept.has(key) && !key.startsWith("alfred.sent."))) return;
  said = true;
  $("#send-problem")?.append(problem(t.no_room));
}

store.full = make;
make();
