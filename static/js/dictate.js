/** Dictation into the message box, with the browser's speech recognition. Loaded with the first use of its button. */
import { t } from "texts-later";
import { icon, need } from "./dom.js";
import { report, say } from "./a11y.js";

const w = /** @type {any} */ (window), Recognition = w.SpeechRecognition ?? w.webkitSpeechRecognition;
const box = need("#text", HTMLTextAreaElement), button = need("#dictate", HTMLElement);
/** @type {any} */
let heard = null;

/** @param {boolean} on */
function mark(on) {
  button.setAttribute("aria-pressed", `${on}`);
  button.replaceChildren(icon(on ? "stop" : "mic"));
}

/** Begins, or ends. */
export function dictate() {
  if (heard) return heard.stop();
  heard = new Recognition();
  heard.lang = document.documentElement.lang;
  heard.continuous = true;
  heard.interimResults = true;
  const before = box.value && !/\s$/.test(box.value) ? `${box.value} ` : box.value;
  heard.onresult = (/** @type {any} */ e) => {
    box.value = before + [...e.results].map((r) => r[0].transcript).join("");
    box.dispatchEvent(new Event("input", { bubbles: true }));
  };
  heard.onerror = (/** @type {any} */ e) => {
    if (!["aborted", "no-speech"].includes(e.error)) report(new Error(e.error === "not-allowed" ? t.dictate_denied : t.dictate_failed));
  };
  heard.onend = () => {
    heard = null;
    mark(false);
    say(t.dictate_over);
    box.focus();
  };
  mark(true);
  heard.start();
}
addEventListener("pagehide", () => heard?.abort());
