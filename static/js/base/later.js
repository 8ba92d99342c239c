/** Reads again after changes: soon, once for many, one read at a time, and only while the page is visible. */
import { unreachable } from "./api.js";
import { page } from "./trust.js";

const WAIT_MS = 300, LEAST_MS = 1000, MOST_MS = 30_000;

/** @param {() => Promise<void>} read one that fails is repeated after a growing wait @param {boolean} [hidden] also in a hidden page @returns {() => void} asks for it */
export function later(read, hidden = false) {
  let timer = 0, last = 0, wait = LEAST_MS, wanted = false, reading = false;
  async function run() {
    timer = 0;
    if (document.hidden && !hidden) return;
    wanted = false;
    reading = true;
    last = Date.now();
    await read().then(() => { wait = LEAST_MS; }, (e) => { // no further change may come that would ask again
      wanted ||= !(e?.status >= 400 && e.status < 500); // gone or forbidden: no repetition
      wait = Math.min(2 * wait, MOST_MS);
    });
    reading = false;
    if (wanted) plan();
  }
  const plan = () => {
    wanted = true;
    if (!reading) timer ||= setTimeout(run, Math.max(WAIT_MS, last + wait - Date.now()));
  };
  document.addEventListener("visibilitychange", () => wanted && plan());
  return plan;
}

/** This page as the server has it now. When the server fails, so does the read, which is repeated. */
export async function current() {
  const res = await fetch(location.href, { cache: "no-store" });
  if (res.status >= 500) throw unreachable();
  return { res, doc: page(await res.text()) };
}
