/** Reads again after changes: soon, once for many, and only while the page is visible. */
const WAIT_MS = 300, LEAST_MS = 1000;

/** @param {() => Promise<void>} read @returns {() => void} asks for it */
export function later(read) {
  let timer = 0, last = 0, wanted = false;
  async function run() {
    timer = 0;
    if (document.hidden) return;
    wanted = false;
    last = Date.now();
    await read().catch(() => {}); // a failure is harmless: changes.js reports again once it is connected
  }
  const plan = () => {
    wanted = true;
    timer ||= setTimeout(run, Math.max(WAIT_MS, last + LEAST_MS - Date.now()));
  };
  document.addEventListener("visibilitychange", () => wanted && plan());
  return plan;
}
