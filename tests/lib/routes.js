// The route tables of the programs, read from their sources: addresses, access and fields. Tests that check all routes
// thus include new ones.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';

import { ROOT } from './rig.js';

/** '#define NAME { ... }' with continuation lines, by name. */
function macros(source) {
    const found = new Map();
    for (const [, name, body] of source.matchAll(/^#define +([A-Z_]+) *((?:[^\n]*\\\n)*[^\n]*)$/gm)) found.set(name, body.replaceAll('\\\n', ' '));
    return found;
}
/** A table with its string macros written out: 'PATH "/more"' is one string in C. */
const strings = (source, defined) => source.replace(/(\{HTTP_[A-Z]+,\s*)([A-Z_]+)\s*(?:"([^"]*)")?/g, (all, head, name, rest = '') => (defined.has(name) ? `${head}${defined.get(name).trim().slice(0, -1)}${rest}"` : all));
const expand = (text, defined) => text.replace(/\b[A-Z_]+\b/g, (word) => (/^\s*\{.*\}\s*$/s.test(defined.get(word) ?? '') ? defined.get(word) : word));

function fieldsOf(body) {
    return [...body.matchAll(/\{\s*(?:\.field = )?F_([A-Z_]+)([^{}]*)\}/g)]
        .filter(([, name]) => name !== 'NONE')
        .map(([, name, rest]) => ({ name: name.toLowerCase(), type: rest.match(/FIELD_([A-Z_]+)/)[1], required: /\.required = true/.test(rest) }));
}

/** The lists of fields in a source, by name. */
const fieldLists = (source) => [...source.matchAll(/struct field_rule (\w+)\[\] = \{(.*?)\};/gs)].map(([, name, body]) => [name, fieldsOf(expand(body, macros(source)))]);

/**
 * [{method, path, handler, access, scopes, surface, fields: [{name, type, required}], file}], in the order of the tables. A
 * token passes with one of the scopes; without scopes only a login does.
 */
export function routeTables() {
    const routes = [];
    const shared = fieldLists(readFileSync(`${ROOT}/src/web/http/fields.c`, 'utf8'));
    for (const file of readdirSync(`${ROOT}/src/web`, { recursive: true, encoding: 'utf8' }).filter((f) => f.endsWith('.c')).sort()) {
        const source = readFileSync(`${ROOT}/src/web/${file}`, 'utf8');
        if (!/\bstruct route \w+\[/.test(source)) continue;
        const defined = macros(source);
        const lists = new Map([...shared, ...fieldLists(source)]);
        const rows = [...strings(source, defined).matchAll(/\{HTTP_([A-Z]+),\s*"([^"]+)",\s*(\w+),\s*([^{}]*?),\s*(\w+)\s*\}/g)];
        assert.equal(rows.length, [...source.matchAll(/\{HTTP_[A-Z]+,/g)].length, `${file}: a row of the table is not understood`);
        for (const [, method, path, handler, rest, fields] of rows) {
            const said = rest.replace(/\b[A-Z]+\b/g, (word) => defined.get(word) ?? word);
            const access = said.match(/ACCESS_([A-Z]+)|V1_/)[1] ?? 'MEMBER';
            const scopes = [...rest.matchAll(/SCOPE_([A-Z]+)/g)].flatMap(([, name]) => ({ ANY: ['read', 'write', 'chat'], LOGIN: [] })[name] ?? [name.toLowerCase()]);
            routes.push({ method, path, handler, access, scopes, surface: path.startsWith('/api/') ? 'API' : path.startsWith('/v1/') ? 'V1' : path.startsWith('/page/') ? 'SCRIPT' : 'PAGE', fields: lists.get(fields), file: `src/web/${file}` });
        }
    }
    return routes;
}
