/** Finds and makes elements, and wraps the browser's storage. @import {El} from "../types" */

/** @type {(sel: string, root?: ParentNode | null) => El | null} */
export const $ = (sel, root) => (root ?? document).querySelector(sel);

/** @type {(sel: string, root?: ParentNode | null) => El[]} */
export const $$ = (sel, root) => [...(root ?? document).querySelectorAll(/** @type {"a"} */ (sel))];

/** A required element of the page, with its type. @template {El} T @param {string} sel @param {new () => T} type @returns {T} */
export function need(sel, type) {
  const el = $(sel);
  if (el instanceof type) return el;
  throw new Error(`no ${sel}`);
}

/** The closest match of `sel` from the target of an event. @type {(e: Event, sel: string) => El | null} */
export const hit = (e, sel) => (e.target instanceof Element ? e.target.closest(sel) : null);

/** A key of an input method. Safari tells the last one by its code only. @param {KeyboardEvent} e */
export const composing = (e) => e.isComposing || e.keyCode === 229;

/**
 * Makes an element; `on…` attributes are listeners.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag @param {Record<string, any>} [attrs] @param {...(Node | string)} kids
 */
export function h(tag, attrs = {}, ...kids) {
  const el = document.createElement(tag);
  for (const [k, v] of Object.entries(attrs)) {
    if (k.startsWith("on")) el.addEventListener(k.slice(2), v);
    else if (v !== false && v != null) el.setAttribute(k, v === true ? "" : v);
  }
  el.append(...kids);
  return el;
}

export const version = `?v=${document.documentElement.dataset.asset}`;

/** An icon of the sprite. @param {string} name */
export function icon(name) {
  const make = (/** @type {string} */ tag) => document.createElementNS("http://www.w3.org/2000/svg", tag);
  const svg = make("svg"), use = make("use");
  svg.setAttribute("class", "i");
  svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", `/static/icons/sprite.svg${version}#${name}`);
  svg.append(use);
  return svg;
}

/** localStorage, where there is one. */
export const store = {
  /** Values that found no room. @type {Map<string, string>} */
  unkept: new Map(),
  /** room.js replaces this function. @returns {void} */
  full() { void import("./room.js").catch(() => {}); },
  /** @param {string} key */
  get(key) {
    try { return localStorage.getItem(key); } catch { return null; }
  },
  /** @param {string} key @param {string | null} value */
  set(key, value) {
    store.unkept.delete(key);
    try {
      if (value) localStorage.setItem(key, value);
      else localStorage.removeItem(key);
    } catch {
      if (!value) return;
      store.set(key, null); // full or denied: the old value must not stay
      store.unkept.set(key, value);
      store.full();
    }
  },
};

export const isMac = /Mac|iP/.test(navigator.platform);
