/** Dictation into the message box, with the browser's speech recognition. Loaded with the first use of its button. */
import { t } from "texts-later";
import { icon, need } from "../base/dom.js";
import { report, say } from "../base/a11y.js";

const w = /** @type {any} */ (window), Recognition = w.SpeechRecognition ?? w.webkitSpeechRecognition;
const box = need("#text", HTMLTextAreaElement), button = need("#dictate", HTMLElement);
/** @type {any} */
let heard = null;

/** @param {boolean} on */
function mark(on) {
  button.setAttribute("aria-pressed", `${on}`);
  button.replaceChildren(icon(on ? "stop" : "mic"));
}

const base = () => (box.value && !/\s$/.test(box.value) ? `${box.value} ` : box.value);
/** The text before the dictation; the first result that is not in it yet; the number of results. */
let before = "", from = 0, n = 0;
let ours = false; // the event

const coarse = matchMedia("(pointer: coarse)"), android = /Android/.test(navigator.userAgent);
/** Chrome on Android calls each guess final, without confidence, and repeats it in the next result. @type {(r: any, i: number, all: any[]) => boolean} */
const isRepeated = (r, i, all) => android && r.isFinal && r[0].confidence === 0 && i < all.length - 1;

box.addEventListener("input", (e) => {
  if (!heard || ours) return;
  if (box.value || e.isTrusted) { // typed: what was heard so far belongs to the text
    before = base();
    from = n;
  } else { // sent
    heard.onresult = null;
    heard.abort();
  }
});

/** Begins, or ends. */
export function dictate() {
  if (heard) return heard.stop();
  heard = new Recognition();
  heard.lang = document.documentElement.lang;
  heard.continuous = true;
  heard.interimResults = true;
  before = base();
  from = n = 0;
  heard.onresult = (/** @type {any} */ e) => {
    n = e.results.length;
    box.value = before + [...e.results].slice(from).filter((r, i, all) => !isRepeated(r, i, all)).map((r) => r[0].transcript).join("");
    ours = true;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    ours = false;
    box.scrollTop = box.scrollHeight; // what is said is in view
  };
  heard.onerror = (/** @type {any} */ e) => {
    if (!["aborted", "no-speech"].includes(e.error)) report(new Error(e.error === "not-allowed" ? t.dictate_denied : t.dictate_failed));
  };
  heard.onend = () => {
    heard = null;
    mark(false);
    say(t.dictate_over);
    if (!coarse.matches) box.focus(); // no keyboard over what was said
  };
  mark(true);
  heard.start();
}
addEventListener("pagehide", () => heard?.abort());
