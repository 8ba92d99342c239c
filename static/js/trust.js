/** The only Trusted Types policy: only HTML of our server becomes nodes. */
const types = /** @type {any} */ (window).trustedTypes;
const rules = { createHTML: (/** @type {string} */ s) => s };
const policy = types ? types.createPolicy("alfred", rules) : rules;

/** A piece of server HTML as nodes. @param {string} html */
export function fragment(html) {
  const t = document.createElement("template");
  t.innerHTML = policy.createHTML(html);
  return t.content;
}

/** A whole server page, inert. @param {string} html */
export const page = (html) => new DOMParser().parseFromString(policy.createHTML(html), "text/html");
