/** Further parts of a long list, loaded before the reader is at its end. */

/** Calls `more` when the reader comes near the link, and again with the link of that part. Gives the function that looks for the link anew. @param {() => Element | null | false} find @param {(link: HTMLAnchorElement) => Promise<unknown>} more @param {IntersectionObserverInit} options */
export function further(find, more, options) {
  /** @type {IntersectionObserver | undefined} */
  let eye;
  return function watch() {
    eye?.disconnect();
    const link = find();
    if (!(link instanceof HTMLAnchorElement)) return;
    eye = new IntersectionObserver(async (seen) => {
      if (!seen.some((s) => s.isIntersecting)) return;
      eye?.disconnect();
      try {
        await more(link);
        watch();
      } catch { /* the link stays, to be followed by hand */ }
    }, options);
    eye.observe(link);
  };
}
