/**
 * The worker that reads the text of PDF files, so that a long one takes no time from the page. It answers with the text,
 * page by page, or with the reason why there is none.
 * @typedef {{library: string, bytes: ArrayBuffer, max: number}} Job
 * @typedef {{text: string} | {problem: "locked" | "empty" | "broken"}} Read
 */

/** The lines of a page. @param {any} page */
async function lines(page) {
  const { items } = await page.getTextContent();
  return items.map((/** @type {any} */ i) => i.str + (i.hasEOL ? "\n" : "")).join("").replace(/[^\S\n]+\n/g, "\n").trim();
}

/** Ends with the page at which the text has become longer than `max` bytes. @param {Job} job @returns {Promise<Read>} */
async function read({ library, bytes, max }) {
  const { getDocument } = await import(library);
  const pdf = await getDocument({ data: new Uint8Array(bytes), isEvalSupported: false, verbosity: 0 }).promise;
  let text = "";
  for (let n = 1; n <= pdf.numPages && text.length <= max; n++) text += `${await lines(await pdf.getPage(n))}\n\n`;
  return text.trim() ? { text: `${text.trim()}\n` } : { problem: "empty" };
}

self.addEventListener("message", async (/** @type {MessageEvent<Job>} */ { data }) => {
  if (!data.library) return; // a message of the library to itself: it uses the worker's own channel
  postMessage({ read: await read(data).catch((e) => ({ problem: e?.name === "PasswordException" ? "locked" : "broken" })) });
});

export {};
