/** The code blocks and answers that open beside the shown conversation as documents: their file names, and their versions across turns. */
import { OPENS } from "./code.js";
import { $, $$ } from "../base/dom.js";

const NAME_MAX = 60;
/** Share of the lines that two versions of a document have in common. */
const ALIKE = .4;

/**
 * `el`: the code, or the answer of a text. `title`: of a text that has one.
 * @typedef {{el: HTMLElement, text: string, language: string, prose?: boolean, title?: string, name: string, named: boolean, article: Element | null, lines: Set<string>}} Version
 */

/** The title of a Markdown text. */
const HEADING = /^#{1,2} (.+)/m;

/** @type {Record<string, string>} */
const ENDINGS = {
  javascript: "js", mjs: "js", node: "js", typescript: "ts", python: "py", python3: "py", markdown: "md", bash: "sh", shell: "sh", zsh: "sh",
  console: "sh", "c++": "cpp", "c#": "cs", csharp: "cs", kotlin: "kt", golang: "go", rust: "rs", ruby: "rb", perl: "pl", yaml: "yml", latex: "tex",
  text: "txt", plaintext: "txt", powershell: "ps1", haskell: "hs", elixir: "ex", "objective-c": "m", htm: "html", xhtml: "html", patch: "diff",
};

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
const slug = (words) => words.normalize("NFC").toLowerCase().replace(/[^\p{L}\p{M}\p{N}]+/gu, "-").slice(0, NAME_MAX).replace(/^-|-$/g, "");

/** The name that the text itself or the sentence before it gives. @param {{language: string, text: string}} v @param {Element} block */
function given(v, block) {
  const end = ending(v);
  /** True when the ending of the name is that of the language. @param {string} name */
  function fits(name) {
    const own = name.split(".").pop() ?? "";
    return !v.language || (ENDINGS[own] ?? own) === end;
  }
  const file = /(?:^|[\s/`"'(*])([\p{L}\p{N}_][\p{L}\p{N}_.-]{0,48}\.[A-Za-z0-9]{1,8})(?=$|[\s:`"'),*])/u;
  const first = v.text.trimStart().split("\n", 2).find((line) => !/^(#!|<!doctype|<\?xml)/i.test(line)) ?? "";
  const comment = /^\s*(?:\/\/|\/\*|#|--|;|%|<!--)\s*(.*)/.exec(first)?.[1] ?? "";
  const before = block.previousElementSibling ?? block.closest(".b")?.previousElementSibling?.lastElementChild;
  const marked = before ? $$("code, strong", before).map((el) => el.textContent ?? "") : [];
  for (const words of [comment, ...marked, before?.textContent ?? ""]) {
    const name = file.exec(words)?.[1];
    if (name && fits(name)) return name;
  }
  return "";
}

const sessionName = () => slug($("#session-title")?.textContent ?? "") || "alfred";

/** @param {{language: string, text: string}} v @param {Element} block */
function nameOf(v, block) {
  const own = given(v, block);
  if (own) return { name: own, named: true };
  let title;
  if (isPage(v) || isPicture(v)) title = /<title[^>]*>([^<]+)/i.exec(v.text)?.[1];
  else if (ending(v) === "md") title = HEADING.exec(v.text)?.[1];
  const words = slug(title ?? "") || sessionName();
  return { name: `${words}.${ending(v)}`, named: false };
}

/** @param {Version} a @param {Version} b */
function alike(a, b) {
  if (a.title && a.title === b.title) return 1;
  if (a.named && b.named) return a.name === b.name ? 1 : 0;
  let shared = 0;
  for (const line of a.lines) if (b.lines.has(line)) shared++;
  return shared / Math.max(1, Math.min(a.lines.size, b.lines.size));
}

/** @param {string} text */
const linesOf = (text) => new Set(text.split("\n").map((line) => line.trim()).filter((line) => line.length > 2));

/** A long answer. @param {HTMLElement} button @returns {Version | null} */
function prose(button) {
  const article = button.closest("article"), el = $(".answer", article), source = $(".source", article);
  if (!el || !(source instanceof HTMLTextAreaElement)) return null;
  const text = source.defaultValue, title = HEADING.exec(text)?.[1] ?? "";
  const name = `${slug(title) || sessionName()}.md`;
  return { el, text, language: "markdown", prose: true, title, lines: linesOf(text), article, name, named: false };
}

/** @param {HTMLElement} block @returns {Version | null} */
function version(block) {
  const code = $("pre code", block), text = code?.textContent ?? "";
  const language = /language-(\S+)/.exec(code?.className ?? "")?.[1]?.toLowerCase() ?? "";
  if (!code || !OPENS.test(text)) return null;
  const name = nameOf({ language, text }, block);
  return { el: code, text, language, lines: linesOf(text), article: block.closest("article"), ...name };
}

/** The documents in the order of their first versions. A version is in another message than the one before it. */
export function documents() {
  /** @type {Version[][]} */
  const all = [];
  for (const el of $$("#transcript :is(.answer .code, [data-act=open])")) {
    const v = el.matches(".code") ? version(el) : prose(el);
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
