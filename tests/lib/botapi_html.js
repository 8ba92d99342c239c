// Telegram's HTML as its server reads it (parse_html of tdlib's MessageEntity.cpp): the text and its entities, or the error
// that a bot gets. Offsets of errors are bytes, those of entities UTF-16 code units.

const TAGS = new Set(['a', 'b', 'strong', 'i', 'em', 's', 'strike', 'del', 'u', 'ins', 'tg-spoiler', 'tg-emoji', 'span', 'pre', 'code', 'blockquote']);
const REFERENCES = { lt: '<', gt: '>', amp: '&', quot: '"' };

export class ParseError extends Error {}

function decode(text) {
    return text.replace(/&(?:#x([0-9a-fA-F]+)|#([0-9]+)|([a-z]+));/g, (all, hex, decimal, name) => {
        if (name) return REFERENCES[name] ?? all;
        const cp = hex ? parseInt(hex, 16) : parseInt(decimal, 10);
        return cp > 0 && cp < 0x10ffff ? String.fromCodePoint(cp) : all;
    });
}

const TYPES = { strong: 'bold', b: 'bold', em: 'italic', i: 'italic', s: 'strikethrough', strike: 'strikethrough', del: 'strikethrough', u: 'underline', ins: 'underline', 'tg-spoiler': 'spoiler', span: 'spoiler', blockquote: 'blockquote', pre: 'pre', code: 'code', a: 'text_link' };

/** {text, entities}; throws ParseError with the server's words. */
export function parseHtml(html) {
    const open = [];
    const entities = [];
    let text = '';
    const offset = (at) => Buffer.byteLength(html.slice(0, at));
    for (let i = 0; i < html.length; ) {
        const next = html.indexOf('<', i);
        const end = next === -1 ? html.length : next;
        text += decode(html.slice(i, end));
        if (next === -1) break;
        const close = html[next + 1] === '/';
        const match = (close ? /<\/([^\s>]*)\s*>/y : /<([^\s>]*)((?:\s+[^\s=>]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[a-zA-Z0-9.-]+))?)*)\s*>/y);
        match.lastIndex = next;
        const found = match.exec(html);
        if (!found) throw new ParseError(`Unclosed ${close ? 'end' : 'start'} tag at byte offset ${offset(next)}`);
        i = match.lastIndex;
        const tag = found[1].toLowerCase();
        if (close) {
            const top = open.pop();
            if (!top) throw new ParseError(`Unexpected end tag at byte offset ${offset(next)}`);
            if (tag !== '' && tag !== top.tag) throw new ParseError(`Unmatched end tag at byte offset ${offset(next)}, expected "</${top.tag}>", found "</${tag}>"`);
            const entity = { type: TYPES[top.tag], offset: top.at, length: text.length - top.at, ...top.more };
            if (entity.length > 0) entities.push(entity);
        } else {
            if (!TAGS.has(tag)) throw new ParseError(`Unsupported start tag "${tag}" at byte offset ${offset(next)}`);
            const attributes = Object.fromEntries([...found[2].matchAll(/([^\s=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+)))?/g)].map((m) => [m[1].toLowerCase(), decode(m[2] ?? m[3] ?? m[4] ?? '')]));
            if (tag === 'span' && attributes.class !== 'tg-spoiler') throw new ParseError(`Tag "span" must have class "tg-spoiler" at byte offset ${offset(next)}`);
            const more = {};
            if (tag === 'a') more.url = attributes.href;
            if (tag === 'code' && attributes.class?.startsWith('language-')) more.language = attributes.class.slice('language-'.length);
            open.push({ tag, at: text.length, more });
        }
    }
    if (open.length) throw new ParseError(`Can't find end tag corresponding to start tag "${open.at(-1).tag}"`);
    // <pre><code class="language-x"> is one entity; a link without an address is none, and so is one to a host without a dot (check_link() of tdlib's LinkManager.cpp)
    const inside = entities.filter((e) => e.type === 'code' && entities.some((p) => p.type === 'pre' && p.offset === e.offset && p.length === e.length));
    for (const code of inside) {
        const pre = entities.find((p) => p.type === 'pre' && p.offset === code.offset && p.length === code.length);
        if (code.language) pre.language = code.language;
    }
    return { text, entities: entities.filter((e) => !inside.includes(e) && !(e.type === 'text_link' && !/^(?:https?:\/\/[^/]*[.[]|mailto:|tg:)/.test(e.url ?? ''))).sort((a, b) => a.offset - b.offset || b.length - a.length) };
}
