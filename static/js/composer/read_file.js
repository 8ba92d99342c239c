/**
 * Reads the text of files, also of PDF files and, by the server, of office documents, for messages and for workspaces.
 * @typedef {"locked" | "empty" | "broken" | "long" | "binary"} Problem the first three of a PDF file
 * @typedef {{text: string} | {problem: Problem} | {said: string}} Read said: the server's sentence
 */
import { t } from "texts-later";
import { send } from "../base/api.js";
import { version } from "../base/dom.js";
import { isolated } from "../base/isolated.js";
import { toast } from "../base/toast.js";
import { scriptUrl } from "../base/trust.js";

/** @param {Uint8Array} data @param {string} encoding */
function decode(data, encoding) {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(data);
  } catch {
    return null;
  }
}

/**
 * The text of a file, read as editors do: UTF-16 with a byte order mark, UTF-8, else Windows-1252, which includes the
 * letters of Latin-1. Any bytes are Windows-1252, so control characters tell binary files. Null for one that is no text.
 * @param {File} file
 */
async function decoded(file) {
  const data = new Uint8Array(await file.arrayBuffer()), mark = `${data[0]} ${data[1]}`;
  const wide = { "255 254": "utf-16le", "254 255": "utf-16be" }[mark];
  let text = decode(data, wide ?? "utf-8");
  if (text === null && !wide) {
    text = decode(data, "windows-1252");
    if (text && /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]/.test(text)) return null;
  }
  return text === null || text.includes("\0") ? null : text.replace(/\r\n?/g, "\n");
}

const PDF_MS = 60_000;
/** @param {File} file */
const isPdf = (file) => file.type === "application/pdf" || /\.pdf$/i.test(file.name);

/** @param {File} file @param {number} max @returns {Promise<import("./pdf.js").Read>} */
async function readPdf(file, max) {
  const bytes = await file.arrayBuffer();
  const worker = new Worker(scriptUrl(`/static/${document.documentElement.dataset.asset}/js/composer/pdf.js`), { type: "module" });
  try {
    return await new Promise((ok) => {
      worker.onmessage = ({ data }) => data.read && ok(data.read); // the others are the library's
      worker.onerror = () => ok({ problem: "broken" });
      setTimeout(() => ok({ problem: "broken" }), PDF_MS);
      worker.postMessage({ library: `/static/vendor/pdf.mjs${version}`, bytes, max }, [bytes]);
    });
  } finally {
    worker.terminate();
  }
}

/** A zip, or a compound file of Microsoft: the server tells what is in it. @param {File} file */
async function isDocument(file) {
  const start = [...new Uint8Array(await file.slice(0, 4).arrayBuffer())].join(" ");
  return start === "80 75 3 4" || start === "208 207 17 224";
}

/** @param {File} file @returns {Promise<Read>} */
const readDocument = (file) => send("POST", `/page/documents?name=${encodeURIComponent(file.name)}`, undefined, { body: file, headers: { "Content-Type": "application/octet-stream" } }).then((res) => res.json(), (e) => ({ said: e.message }));

/** @param {File} file @param {number} max @returns {Promise<Read>} */
async function textOf(file, max) {
  const reader = isPdf(file) ? readPdf : await isDocument(file) ? readDocument : undefined;
  if (reader) {
    const line = await toast(t.reads_file({ name: isolated(file.name) }));
    const found = await reader(file, max);
    line.remove();
    return found;
  }
  if (file.size > 2 * max) return { problem: "long" };
  const text = await decoded(file);
  return text === null ? { problem: "binary" } : { text };
}

/** The text of a file, at most `max` bytes, or why there is none. @param {File} file @param {number} max @returns {Promise<Read>} */
export async function read(file, max) {
  const found = await textOf(file, max);
  return "text" in found && new Blob([found.text]).size > max ? { problem: "long" } : found;
}

/** A drawing in SVG is text for models. Not every system knows the type of a photo of an iPhone. @param {File} file */
export const isPicture = (file) => file.type ? file.type.startsWith("image/") && file.type !== "image/svg+xml" : /\.hei[cf]$/i.test(file.name);
