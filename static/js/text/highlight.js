/**
 * The worker that reads code: the library and long blocks take no time from the page. It answers each text with the
 * highlighter's tree, or null. Without the library `failed` is true.
 * @typedef {{id: number, library: string, language: string, text: string}} Job
 * @typedef {string | {scope?: string, children: Tree[]}} Tree
 */

/** @param {Job} job @returns {Promise<Tree | null>} */
async function read({ library, language, text }) {
  const { default: hljs } = await import(library);
  return hljs.getLanguage(language) ? hljs.highlight(text, { language, ignoreIllegals: true })._emitter.rootNode : null;
}

self.addEventListener("message", async (/** @type {MessageEvent<Job>} */ { data }) => {
  const came = await import(data.library).then(() => true, () => false), tree = came && await read(data).catch(() => null);
  postMessage({ id: data.id, tree, failed: !came });
});

export {};
