/** Your data: uploads, and the progress of exports and imports. */
import { t as first } from "texts";
import { t } from "texts-later";
import { $, $$ } from "./dom.js";
import { api, token } from "./api.js";
import { say } from "./a11y.js";

const LOOK_MS = 2000;

// Running exports and imports: their numbers change in place. When one has ended, the page is reloaded.
const going = () => $$("[data-going]");
async function look() {
  const { transfers } = await api("GET", "/page/transfers").catch(() => ({ transfers: null }));
  for (const row of transfers ? going() : []) {
    const now = transfers.find((/** @type {{id: string}} */ one) => one.id === row.dataset.transfer);
    if (!now?.going) return location.replace("/data");
    const bar = row.querySelector("progress"), words = row.querySelector("[data-status]");
    if (bar) bar.value = now.percent;
    if (words && words.textContent !== now.status_words) words.textContent = now.status_words;
  }
  if (going().length) setTimeout(look, LOOK_MS);
}
if (going().length) setTimeout(look, LOOK_MS);

// The upload: the same request as the form's, with a progress bar. fetch() reports no upload progress.
const form = $("#import");
form?.addEventListener("submit", (e) => {
  const file = /** @type {HTMLInputElement} */ (form.querySelector("[type=file]")).files?.[0];
  const box = /** @type {HTMLElement} */ (form.querySelector(".sending")), button = /** @type {HTMLButtonElement} */ (form.querySelector("button"));
  const bar = /** @type {HTMLProgressElement} */ (box.querySelector("progress")), words = /** @type {HTMLElement} */ (box.querySelector("span"));
  if (!file) return;
  e.preventDefault();
  const tell = (/** @type {string} */ text) => {
    words.textContent = text;
    say(text);
  };
  const request = new XMLHttpRequest();
  request.open("POST", "/api/imports");
  request.setRequestHeader("X-CSRF-Token", token());
  request.setRequestHeader("Content-Type", "application/octet-stream");
  request.responseType = "json";
  request.upload.onprogress = (p) => {
    bar.value = (p.loaded / p.total) * 100;
    words.textContent = t.percent_sent({ percent: Math.floor(bar.value) });
  };
  request.onload = () => {
    if (request.status === 202) return location.replace("/data?done=import_asked");
    failed(request.response?.error?.message ?? first.went_wrong({ status: request.status }));
  };
  request.onerror = () => failed(t.upload_failed);
  const failed = (/** @type {string} */ text) => {
    bar.hidden = true;
    button.disabled = false;
    tell(text);
  };
  bar.hidden = box.hidden = false;
  button.disabled = true;
  tell(t.sending_file);
  request.send(file);
});
