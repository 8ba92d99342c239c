/** The only Trusted Types policy: only HTML of our server becomes nodes, and only our scripts become workers. */
const types = /** @type {any} */ (window).trustedTypes;
const rules = { createHTML: (/** @type {string} */ s) => s, createScriptURL: (/** @type {string} */ s) => s };
export const policy = types ? types.createPolicy("alfred", rules) : rules;

/** A piece of server HTML as nodes. @param {string} html */
export function fragment(html) {
  const t = document.createElement("template");
  t.innerHTML = policy.createHTML(html);
  return t.content;
}

/** A whole server page, inert. @param {string} html */
export const page = (html) => new DOMParser().parseFromString(policy.createHTML(html), "text/html");

/** The address of a script of ours, for a worker. @param {`/static/${string}/js/${string}`} path @returns {string} */
export const scriptUrl = (path) => policy.createScriptURL(path);
