/** Style sheets that few pages need. */
import { $, h, version } from "./dom.js";

/** @type {any} */
const sheets = {};

/** False: it did not come. @param {string} url */
export const sheet = (url) => (sheets[url] ??= new Promise((done) => {
  if ($(`link[rel=stylesheet][href="${url + version}"]`)) return done(1);
  const link = h("link", { rel: "stylesheet", href: url + version, onload: done, onerror() { link.remove(); done(!delete sheets[url]); } });
  document.head.append(link);
}));
