/** @import {Message, TextFile} from "../types" */

/** As markdown_typed_files() reads it. @param {TextFile} file */
function block({ name, text }) {
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map((m) => m[0].length + 1))); // longer than any in it
  return `${/.\.[a-z\d]{1,10}$/i.test(name) ? "" : "./"}${name}\n${fence}\n${text.replace(/\n?$/, "\n")}${fence}`;
}

/** The text of a message with its files as blocks at its end, which count as pasted. @param {Message} m @returns {{text: string, pasted?: number}} */
export function whole({ text, pasted, files = [] }) {
  const typed = text && files.length ? `${text}\n\n` : text;
  return { text: typed + files.map(block).join("\n\n"), pasted: files.length ? Math.min(pasted ?? Infinity, typed.length) : pasted };
}

export const bytes = (/** @type {string} */ s) => new TextEncoder().encode(s).length;
