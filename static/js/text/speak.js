/** Reads answers aloud, sentence by sentence, each block in the language of its text. Loaded with the first use. @import {El} from "../types" */
import { t } from "texts-later";
import { $, $$, icon } from "../base/dom.js";
import { say } from "../base/a11y.js";

/** Scripts that belong to one language here. @type {[RegExp, string][]} */
const SCRIPTS = [
  [/[\u3040-\u30ff]/, "ja"],
  [/[\uac00-\ud7af]/, "ko"],
  [/[\u4e00-\u9fff]/, "zh"],
  [/[\u0e00-\u0e7f]/, "th"],
  [/[\u0590-\u05ff]/, "he"],
  [/[\u0600-\u06ff]/, "ar"],
  [/[\u0900-\u097f]/, "hi"],
  [/[\u0370-\u03ff]/, "el"],
  [/[\u0400-\u04ff]/, "ru"],
];
/** Frequent words of languages with Latin letters. @type {Record<string, string>} */
const WORDS = {
  en: "the and of to is in that it you for with this are was not",
  de: "der die das und ist nicht ein eine zu den mit von auf für sich du",
  fr: "le la les et est une des que pour dans pas vous sur avec du",
  es: "el los las y es una que por para con no del como está lo",
  it: "il gli e è una che per non con della sono di nel questo lo",
  nl: "de het een en is niet van dat op te voor met zijn je aan",
  pt: "o os as e é uma que para com não do da em por mais",
};

/** @param {string} text */
function languageOf(text) {
  const letters = text.replace(/[^\p{L}]/gu, "");
  for (const [script, lang] of SCRIPTS) if ((letters.match(new RegExp(script, "g"))?.length ?? 0) > letters.length / 4) return lang;
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [], own = document.documentElement.lang;
  let best = own, most = 0;
  for (const [lang, list] of Object.entries(WORDS)) {
    const known = new Set(list.split(" ")), n = words.filter((w) => known.has(w)).length + (lang === own ? 0.5 : 0);
    if (n > most) [best, most] = [lang, n];
  }
  return best;
}

/** The spoken text of a block: formulas as their source, code not at all. @param {El} block */
function spoken(block) {
  const copy = /** @type {El} */ (block.cloneNode(true));
  for (const el of $$(".code, pre, .code-head", copy)) el.remove();
  for (const el of $$(".math", copy)) el.textContent = $("annotation", el)?.textContent ?? el.textContent;
  return copy.textContent?.trim() ?? "";
}

/** @param {El} answer @returns {{text: string, lang: string}[]} */
function sentences(answer) {
  const blocks = $$("p, li, h3, h4, h5, h6, td, th", answer).filter((b) => !$("p, li", b) && !b.closest(".code"));
  return (blocks.length ? blocks : [answer]).flatMap((block) => {
    const text = spoken(block), lang = languageOf(text);
    const parts = Intl.Segmenter ? [...new Intl.Segmenter(lang, { granularity: `sentence` }).segment(text)].map((s) => s.segment) : text.split(/(?<=[.!?])\s+/);
    return parts.map((s) => s.trim()).filter((s) => /[\p{L}\p{N}]/u.test(s)).map((s) => ({ text: s, lang }));
  });
}

/** @type {El | null} the button of the answer that is read */
let reading = null;

/** @param {El} button @param {boolean} on */
function mark(button, on) {
  const label = on ? t.speak_stop : t.speak;
  button.setAttribute("aria-label", label);
  button.title = label;
  button.replaceChildren(icon(on ? "stop" : "speak"));
}

export function stop() {
  if (reading) mark(reading, false);
  reading = null;
  speechSynthesis.cancel();
}

/** @param {El} art @param {El} button */
export function speak(art, button) {
  const again = reading === button, answer = $(".answer", art);
  stop();
  if (again || !answer) return;
  const rest = sentences(answer);
  reading = button;
  mark(button, true);
  const next = () => {
    const one = reading === button ? rest.shift() : undefined;
    if (!one) {
      if (reading === button) stop();
      return;
    }
    const u = new SpeechSynthesisUtterance(one.text), voices = speechSynthesis.getVoices().filter((v) => v.lang.toLowerCase().startsWith(one.lang));
    u.lang = one.lang;
    u.voice = voices.find((v) => v.localService) ?? voices[0] ?? null;
    u.onend = next;
    u.onerror = (e) => {
      if (reading !== button || e.error === "canceled" || e.error === "interrupted") return;
      stop();
      say(t.speak_failed);
    };
    speechSynthesis.speak(u);
  };
  next();
}
addEventListener("pagehide", stop);
addEventListener("keydown", (e) => {
  if (e.key !== "Escape" || !reading) return;
  e.preventDefault();
  const button = reading;
  stop();
  button.focus();
}, true);
