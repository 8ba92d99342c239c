// Keeps the shape of every request body that the http tests make Alfred send, in build/requests, one file per test file.
// scripts/request-types.js checks them against the types of the providers' own packages.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../build/requests/', import.meta.url));
const TESTS = `${path.sep}tests${path.sep}http${path.sep}`;

// Strings that types name one by one. All other strings are equal.
const WORDS = new Set(['role', 'type', 'tool_choice', 'reasoning_effort', 'effort', 'display', 'ttl', 'summary', 'service_tier', 'verbosity', 'media_type', 'detail', 'encoding_format', 'include', 'phase', 'parse_mode', 'action', 'allowed_updates', 'language_code']);
const SCHEMAS = new Set(['parameters', 'input_schema', 'schema']);
const OF_FEW = { server_tool_use: 'name', web_search_20250305: 'name', web_search_call: 'status' }; // a member that has one of a few words, by type
const FREE = new Set(['input']); // the arguments of a call; as a list, the items of a request

const shapes = new Map(); // by path: the shapes as JSON text

/** The types in a body. Equal items of a list are one. */
function shapeOf(value, key = '') {
    if (Array.isArray(value)) return [...new Set(value.map((item) => JSON.stringify(shapeOf(item, FREE.has(key) ? '' : key))))].map((text) => JSON.parse(text));
    if (typeof value === 'string') return WORDS.has(key) ? value : '';
    if (typeof value === 'bigint') return 1;
    if (typeof value === 'number') return Number.isInteger(value) ? 1 : 0.5;
    if (value === null || typeof value !== 'object') return value;
    if (SCHEMAS.has(key)) return { type: value.type };
    if (FREE.has(key)) return {};
    const own = OF_FEW[value.type] ? { [OF_FEW[value.type]]: value[OF_FEW[value.type]] } : {};
    return { ...Object.fromEntries(Object.entries(value).map(([name, v]) => [name, shapeOf(v, name)])), ...own };
}

function save() {
    const name = path.basename(process.argv[1], '.test.js');
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(`${FOLDER}${name}.json`, JSON.stringify(Object.fromEntries([...shapes].map(([at, set]) => [at, [...set].map((text) => JSON.parse(text))]))));
}

/** Records a body that was sent to `url`. Does nothing outside of the http tests. */
export function noteBody(url, body) {
    if (!process.argv[1]?.includes(TESTS) || body === null) return;
    if (shapes.size === 0) process.on('exit', save);
    const at = url.replace(/\?.*/, '');
    if (!shapes.has(at)) shapes.set(at, new Set());
    shapes.get(at).add(JSON.stringify(shapeOf(body)));
}
