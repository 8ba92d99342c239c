/** Style sheets that few pages need. */
import { $, h, version } from "./dom.js";

/** @type {Record<string, Promise<unknown>>} */
const sheets = {};

/** @param {string} url */
export const sheet = (url) => (sheets[url] ??= new Promise((done) => {
  if ($(`link[rel=stylesheet][href="${url + version}"]`)) return done(0);
  document.head.append(h("link", { rel: "stylesheet", href: url + version, onload: done, onerror: done }));
}));
