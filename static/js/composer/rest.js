/** The hint that suggests a new chat in a long session; loaded after an answer, or with the hint. */
import { t } from "texts-later";
import { need, store } from "../base/dom.js";
import { sheet } from "../base/sheets.js";
import * as turn from "../turn/turn.js";

void sheet("/static/css/message.css");

const HOUR_MS = 3_600_000, HOURS_IN_WORDS = 48;

const line = need("#rest", HTMLElement);
const limit = Number(line.dataset.hours) * HOUR_MS;
let since = Date.parse(line.dataset.since ?? "") || Date.now();

/** Whether the user has dismissed the hint of this session. */
const closed = () => `alfred.rest.${turn.session()}`;

/** Shows the hint when it is time. */
export function look() {
  const hours = Math.floor((Date.now() - since) / HOUR_MS);
  if (!limit || Date.now() - since < limit || store.get(closed())) return;
  need("#rest-words", HTMLElement).textContent = hours < HOURS_IN_WORDS ? t.n_hours({ n: hours }) : t.n_days({ n: Math.floor(hours / 24) });
  line.hidden = false;
}

/** The session's context was compacted. @param {number} at */
export function restart(at) {
  since = at;
  line.hidden = true;
}

need("#rest button", HTMLButtonElement).addEventListener("click", () => {
  store.set(closed(), "closed");
  line.hidden = true;
  need("#text", HTMLElement).focus({ preventScroll: true });
});
