/** Work in short tasks. */
export const SLICE_MS = 6; // no long task (50 ms) on a processor four times slower

/** The next task. A hidden page has slow timers. */
export const task = () => (document.hidden ? Promise.resolve() : new Promise((ok) => setTimeout(ok)));

/** Calls `fn` for each one, in as many tasks as it takes. @template T @param {T[]} all @param {(one: T) => void} fn */
export async function inSlices(all, fn) {
  let began = -SLICE_MS;
  for (const one of all) {
    if (performance.now() - began > SLICE_MS) {
      await task();
      began = performance.now();
    }
    fn(one);
  }
}
