/** Your data: uploads. The list of exports and imports follows by follow.js. */
import { t } from "texts-later";
import { $ } from "../base/dom.js";
import { token } from "../base/api.js";
import { reason } from "../base/proxy.js";
import { say } from "../base/a11y.js";
import { size } from "../base/size.js";

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
  const failed = (/** @type {string} */ text) => {
    bar.hidden = true;
    button.disabled = false;
    delete form.dataset.sent;
    tell(text);
  };
  const most = Number(form.dataset.most);
  box.hidden = false;
  if (!file.size) return failed(t.empty_file);
  // nginx would refuse it after a part was sent, without the limit and the way out.
  if (file.size > most) return failed(t.file_too_big({ size: size(file.size), max: size(most, Math.floor) }));
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
    failed(request.response?.error?.message ?? reason(request.status));
  };
  request.onerror = () => failed(t.upload_failed);
  bar.hidden = false;
  button.disabled = true;
  form.dataset.sent = "true"; // follow.js waits
  tell(t.sending_file);
  request.send(file);
});
