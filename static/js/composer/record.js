/**
 * Dictation into the message box by the transcription model of the server: records, sends the recording, inserts its
 * text. A recording whose text has not come is kept until the page is left. Loaded with the first use of its button.
 */
import { t } from "texts-later";
import { h, icon, need } from "../base/dom.js";
import { load, send } from "../base/api.js";
import { report, say } from "../base/a11y.js";
import { sheet } from "../base/sheets.js";

void sheet("/static/css/record.css");

const TICK_MS = 250, BITS_PER_SECOND = 32_000; // enough for speech
const TYPES = ["audio/webm;codecs=opus", "audio/mp4", "audio/ogg;codecs=opus"];

const box = need("#text", HTMLTextAreaElement), button = need("#dictate", HTMLElement);
const longest = Number(button.dataset.seconds), coarse = matchMedia("(pointer: coarse)");

const state = h("span", {}), again = h("button", { class: "btn", type: "button", onclick: () => void transcribe() }, t.record_again);
const drop = h("button", { class: "btn", type: "button", onclick: discard }, t.record_discard);
const bar = h("div", { class: "recording", role: "group", "aria-label": t.recording, hidden: "" }, icon("mic"), state, again, drop);
need(".composer-row", HTMLElement).before(bar);

/** @type {MediaRecorder | null} */
let recorder = null;
/** What was recorded and has no text yet. @type {Blob | null} */
let kept = null;
let busy = false; // the browser asks for the microphone, or the server is at work
/** Of the request that runs. @type {AbortController | null} */
let leave = null;
let since = 0, timer = 0;

const clock = (/** @type {number} */ s) => `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, "0")}`;

/** @param {string} text what happens now; "": nothing */
function show(text) {
  button.setAttribute("aria-pressed", `${!!recorder}`);
  button.replaceChildren(icon(recorder ? "stop" : "mic"));
  bar.hidden = !text;
  state.textContent = text;
  again.hidden = !kept || busy;
}

/** The text follows. */
function finish() {
  clearInterval(timer);
  if (recorder?.state === "recording") recorder.stop();
}

function tick() {
  const s = (Date.now() - since) / 1000;
  state.textContent = `${clock(s)} / ${clock(longest)}`;
  if (s < longest) return;
  say(t.record_full);
  finish();
}

const refused = (/** @type {any} */ e) => new Error(e.name === "NotFoundError" ? t.record_none : e.name === "NotAllowedError" ? t.dictate_denied : t.dictate_failed);

async function record() {
  busy = true;
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } }).finally(() => { busy = false; });
  /** @type {Blob[]} */
  const pieces = [], mine = new MediaRecorder(stream, { mimeType: TYPES.find((type) => MediaRecorder.isTypeSupported(type)), audioBitsPerSecond: BITS_PER_SECOND });
  recorder = mine;
  mine.ondataavailable = (e) => pieces.push(e.data);
  mine.onstop = () => { // also when the microphone is gone
    clearInterval(timer);
    for (const track of stream.getTracks()) track.stop();
    if (recorder !== mine) return; // discarded
    recorder = null;
    kept = new Blob(pieces, { type: mine.mimeType });
    void transcribe();
  };
  mine.start();
  since = Date.now();
  timer = setInterval(tick, TICK_MS);
  show(`${clock(0)} / ${clock(longest)}`);
  say(t.record_begun);
}

function discard() {
  const was = recorder;
  recorder = kept = null;
  busy = false;
  was?.stop();
  leave?.abort();
  show("");
  say(t.record_discarded);
  if (!coarse.matches) box.focus();
}

/** At the cursor, in place of what is selected. @param {string} text */
function insert(text) {
  const before = box.value.slice(0, box.selectionStart), after = box.value.slice(box.selectionEnd);
  box.setRangeText(`${/\S$/.test(before) ? " " : ""}${text}${/^\S/.test(after) ? " " : ""}`, box.selectionStart, box.selectionEnd, "end");
  box.dispatchEvent(new Event("input", { bubbles: true }));
  if (!after) box.scrollTop = box.scrollHeight;
  say(text);
}

/** @param {Blob} sound @param {AbortSignal} signal @returns {Promise<string>} */
async function ask(sound, signal) {
  const res = await send("POST", "/page/transcriptions", undefined, { body: sound, signal, headers: { "Content-Type": sound.type } });
  return (await res.json()).text;
}

/** Some models read no WebM of browsers, which lacks its length, but all read WAV. @param {Blob} sound @param {AbortSignal} signal */
const words = (sound, signal) => ask(sound, signal).catch(async (e) => {
  if (e.status !== 415) throw e;
  return ask(await load("composer/wav").then((m) => m.wav(sound)).catch(() => { throw e; }), signal);
});

async function transcribe() {
  const sound = kept;
  if (!sound || busy) return;
  const { signal } = (leave = new AbortController());
  busy = true;
  show(t.record_sent);
  say(t.record_sent);
  try {
    const text = sound.size ? await words(sound, signal) : "";
    busy = false;
    kept = null;
    show("");
    if (text) insert(text);
    else report(new Error(t.record_silent));
    if (!coarse.matches) box.focus(); // no keyboard over what was said
  } catch (e) {
    if (signal.aborted) return; // discarded
    busy = false;
    show(t.record_kept);
    report(e);
  }
}

document.addEventListener("keydown", (e) => {
  if (e.key !== "Escape" || !recorder || e.isComposing) return;
  e.preventDefault();
  e.stopPropagation();
  discard();
}, true);
addEventListener("pagehide", () => {
  const was = recorder;
  recorder = null;
  was?.stop();
});

/** Begins, ends, or tries again. */
export async function dictate() {
  if (recorder) return finish();
  if (kept) return transcribe();
  if (!busy) await record().catch((e) => report(refused(e)));
}
