/** The long code blocks of the shown conversation as documents: their file names, and their versions across turns. */
import { $, $$ } from "./dom.js";

/** Blocks with more lines open in the canvas. */
export const LINES = 15;
const NAME_MAX = 60;
/** Share of the lines that two versions of a document have in common. */
const ALIKE = .4;

/** @typedef {{code: HTMLElement, text: string, language: string, name: string, named: boolean, article: Element | null, lines: Set<string>}} Version */

/** @type {Record<string, string>} */
const ENDINGS = {
  javascript: "js", mjs: "js", node: "js", typescript: "ts", python: "py", python3: "py", markdown: "md", bash: "sh", shell: "sh", zsh: "sh",
  console: "sh", "c++": "cpp", "c#": "cs", csharp: "cs", kotlin: "kt", golang: "go", rust: "rs", ruby: "rb", perl: "pl", yaml: "yml", latex: "tex",
  text: "txt", plaintext: "txt", powershell: "ps1", haskell: "hs", elixir: "ex", "objective-c": "m", htm: "html", xhtml: "html", patch: "diff",
};

/** @param {string} text */
export const isLong = (text) => text.trimEnd().split("\n", LINES + 1).length > LINES;

/** @param {{language: string, text: string}} v */
export const isPicture = (v) => v.language === "svg" || (/^(xml)?$/.test(v.language) && /^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/i.test(v.text));
/** @param {{language: string, text: string}} v */
export const isPage = (v) => /^(x?html?)$/.test(v.language) || (!v.language && /^\s*<(!doctype html|html)[\s>]/i.test(v.text));

/** @param {{language: string, text: string}} v */
function ending(v) {
  if (isPicture(v)) return "svg";
  if (isPage(v)) return "html";
  return ENDINGS[v.language] ?? (/^[a-z0-9]{1,8}$/.test(v.language) ? v.language : "txt");
}

/** A file name of letters and digits of any script. @param {string} words */
const slug = (words) => words.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, NAME_MAX).replace(/^-|-$/g, "");

/** The name that the text itself or the sentence before it gives. @param {{language: string, text: string}} v @param {Element} block */
function given(v, block) {
  const end = ending(v), fits = (/** @type {string} */ name) => !v.language || (ENDINGS[name.split(".").pop() ?? ""] ?? name.split(".").pop()) === end;
  const file = /(?:^|[\s/`"'(*])([\p{L}\p{N}_][\p{L}\p{N}_.-]{0,48}\.[A-Za-z0-9]{1,8})(?=$|[\s:`"'),*])/u;
  const first = v.text.trimStart().split("\n", 2).find((line) => !/^(#!|<!doctype|<\?xml)/i.test(line)) ?? "";
  const comment = /^\s*(?:\/\/|\/\*|#|--|;|%|<!--)\s*(.*)/.exec(first)?.[1] ?? "";
  const before = block.previousElementSibling ?? block.closest(".b")?.previousElementSibling?.lastElementChild;
  for (const words of [comment, ...(before ? $$("code, strong", before) : []).map((el) => el.textContent ?? ""), before?.textContent ?? ""]) {
    const name = file.exec(words)?.[1];
    if (name && fits(name)) return name;
  }
  return "";
}

/** @param {{language: string, text: string}} v @param {Element} block */
function nameOf(v, block) {
  const own = given(v, block);
  if (own) return { name: own, named: true };
  const title = isPage(v) || isPicture(v) ? /<title[^>]*>([^<]+)/i.exec(v.text)?.[1] : ending(v) === "md" ? /^#{1,2} (.+)/m.exec(v.text)?.[1] : "";
  const words = slug(title ?? "") || slug($("#session-title")?.textContent ?? "") || "alfred";
  return { name: `${words}.${ending(v)}`, named: false };
}

/** @param {Version} a @param {Version} b */
function alike(a, b) {
  if (a.named && b.named) return a.name === b.name ? 1 : 0;
  let shared = 0;
  for (const line of a.lines) if (b.lines.has(line)) shared++;
  return shared / Math.max(1, Math.min(a.lines.size, b.lines.size));
}

/** @param {HTMLElement} block */
function version(block) {
  const code = $("pre code", block), text = code?.textContent ?? "";
  const language = /language-(\S+)/.exec(code?.className ?? "")?.[1]?.toLowerCase() ?? "";
  const lines = new Set(text.split("\n").map((line) => line.trim()).filter((line) => line.length > 2));
  return code && isLong(text) ? { code, text, language, lines, article: block.closest("article"), ...nameOf({ language, text }, block) } : null;
}

/** The documents in the order of their first versions. A version is in another message than the one before it. */
export function documents() {
  /** @type {Version[][]} */
  const all = [];
  for (const block of $$("#transcript .code")) {
    const v = version(block);
    if (!v) continue;
    let best = ALIKE, into = null;
    for (const doc of all) {
      const last = doc[doc.length - 1];
      if (!last || last.article === v.article || last.language !== v.language) continue;
      const a = alike(last, v);
      if (a >= best) [best, into] = [a, doc];
    }
    if (!into) all.push([v]);
    else {
      if (!v.named && into[0]) v.name = into[0].name;
      into.push(v);
    }
  }
  return all;
}
