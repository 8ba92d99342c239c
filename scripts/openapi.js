// Writes docs/openapi.yaml, and docs/api_reference.md for the page /api: routes and fields from the programs' tables,
// descriptions from the table of docs/api.md.
// Run by `make openapi`. tests/rig/openapi.test.js refuses an outdated file.
import { readFileSync, writeFileSync } from 'node:fs';
import { STATUS_CODES } from 'node:http';
import { fileURLToPath } from 'node:url';

import { routeTables } from '../tests/lib/routes.js';
import { answers, events, schemaOf, schemas } from './openapi-schemas.js';

const docs = fileURLToPath(new URL('../docs/', import.meta.url));

/** '/api/sessions/{session}/pin' and '/api/sessions/{ses}/pin' have the same key. */
const keyOf = (method, path) => `${method} ${path.replace(/\?.*/, '').replace(/\{[^}]*\}/g, '{}')}`;

/** The descriptions in docs/api.md by keyOf(). In a row, `…` stands for the beginning of the previous path. */
function descriptions() {
    const said = new Map();
    for (const [, calls, what] of readFileSync(`${docs}api.md`, 'utf8').matchAll(/^\| (`(?:GET|POST|PUT|PATCH|DELETE) .*?) \| (.*?) \|$/gm)) {
        let method;
        let before = '';
        for (const [, verb, path] of calls.matchAll(/`(?:([A-Z]+) )?([^`]*)`/g)) {
            method = verb ?? method;
            // In one row: `/a/pin`, `…/unpin` is /a/unpin, and `/a`, `…/{id}` is /a/{id}. At the start of one: of a session.
            const begun = !before ? '/api/sessions/{}' : path.startsWith('…/{') ? before : before.replace(/\/[^/]*$/, '');
            const whole = path.startsWith('…') ? begun + path.slice(1) : path;
            before = whole;
            said.set(keyOf(method, whole), what);
        }
    }
    return said;
}

/** Its body is a file, so its fields are in the query. */
const takesFile = ({ method, path }) => method === 'POST' && path === '/api/workspace/documents';
const inQuery = (route) => route.method === 'GET' || takesFile(route);

/** The meanings of the members of a message by name, from the table of the section Sending. */
const members = () => new Map([...section('Sending').matchAll(/^\| `(\w+)` \| (.*?) \|$/gm)].map(([, name, what]) => [name, what]));
const sends = /^POST \/api\/sessions\/\{\}\/messages/;

const types = {
    LINE: { type: 'string' },
    LINES: { type: 'string' },
    SECRET: { type: 'string', format: 'password' },
    BOOL: { type: 'boolean' },
    INT: { type: 'integer' },
    ID_ROW: { type: 'string', pattern: '^[0-9]{1,19}$' },
    ID_OR_NONE: { type: 'string', pattern: '^[0-9]{1,19}$' },
    ID_SESSION: { type: 'string', pattern: '^ses_[0-9a-z]{26}$' },
    ID_SESSION_NEW: { type: 'string', pattern: '^(ses_[0-9a-z]{26}|new)$' },
    ID_TURN: { type: 'string', pattern: '^trn_[0-9a-z]{26}$' },
    ID_LOGIN: { type: 'string', pattern: '^lgn_[0-9a-z]{26}$' },
    ID_API_TOKEN: { type: 'string', pattern: '^tok_[0-9a-z]{26}$' },
    ID_TRANSFER: { type: 'string', pattern: '^xfr_[0-9a-z]{26}$' },
    ID_PICTURE: { type: 'string', pattern: '^pic_[0-9a-z]{26}$' },
    IDS_SESSION: { type: 'array', items: { type: 'string', pattern: '^ses_[0-9a-z]{26}$' } },
    IDS_PICTURE: { type: 'array', items: { type: 'string', pattern: '^pic_[0-9a-z]{26}$' } },
};

/** Calls whose success is not JSON with status 200. */
const successes = [
    [/^POST \/api\/sessions\/\{\}\/(messages|messages\/\{\}\/(edit|continue|regenerate))$/, { 202: 'application/json', 200: 'text/event-stream' }],
    [/^GET \/api\/(turns\/\{\}\/)?events$/, { 200: 'text/event-stream' }],
    [/^POST \/api\/sessions\/\{\}\/(summaries|compact)$/, { 202: 'application/json' }],
    [/^GET \/api\/health$/, { 200: 'application/json', 503: 'application/json' }],
    [/^POST \/api\/(memories|workspace\/(files|documents))$/, { 200: 'application/json', 201: 'application/json' }],
    [/^POST \/api\/(exports|imports)$/, { 202: 'application/json' }],
    [/^GET \/api\/sessions\/\{\}\/file$/, { 200: '*/*' }],
    [/^POST \/api\/sessions\/batch$/, { 200: 'application/json', 202: 'application/json' }],
    [/^POST \/api\/(personas|pictures|prompts|reminders|tags|tasks|tokens|sessions\/\{\}\/shares)$/, { 201: 'application/json' }],
    [/\/transcript$/, { 200: 'application/x-ndjson' }],
    [/^GET \/api\/transfers\/\{\}\/file$/, { 200: 'application/zip' }],
    [/^GET \/api\/pictures\/\{\}$/, { 200: 'image/*' }],
];
export const successOf = (key) => successes.find(([pattern]) => pattern.test(key))?.[1] ?? { 200: 'application/json' };

const eventNames = Object.entries(events).map(([name, schema]) => `${name} (${schema})`).join(', ');

function success(key, status, type) {
    if (type === 'text/event-stream') return { description: `Server-sent events: ${eventNames}. docs/api.md says when each comes.`, content: { [type]: { schema: { type: 'string' } } } };
    return { description: status < 300 ? 'Done.' : `${STATUS_CODES[status]}.`, content: { [type]: { schema: type === 'application/json' ? schemaOf(answers[key]) : { type: 'string' } } } };
}

/** The scopes that a token must all have, by the sentence of docs/api.md; the handler checks them. */
const needsAll = (what) => what.match(/needs the scopes `(\w+)` and `(\w+)`/)?.slice(1);
/** "get_sessions_session_messages" for GET /api/sessions/{session}/messages. */
const operationId = ({ method, path }) => `${method.toLowerCase()}_${path.replace(/^\/api\//, '').replace(/\W+/g, '_').replace(/_$/, '')}`;

const verbs = { GET: 'Read', PUT: 'Set', PATCH: 'Change', DELETE: 'Delete' };

/** "Change one task", "Read messages of a session", "Run pin on a session": from method and path. */
function summary({ method, path }, isList) {
    const parts = path.split('/').slice(2);
    const last = parts.at(-1);
    const above = parts.slice(0, -1).findLast((part) => part.startsWith('{'))?.slice(1, -1);
    if (last.startsWith('{')) return `${verbs[method]} one ${parts.at(-2).replace(/ies$/, 'y').replace(/s$/, '')}`;
    const words = parts.slice(parts.findLastIndex((part) => part.startsWith('{')) + 1).join(' ');
    const verb = method !== 'POST' ? verbs[method] : isList ? 'Add to' : 'Run';
    return above ? `${verb} ${words} ${verb === 'Run' ? 'on' : 'of'} one ${above}` : `${verb} ${words}`;
}

function operation(route, what, isList) {
    const key = keyOf(route.method, route.path);
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const meanings = sends.test(key) ? members() : new Map();
    const schema = (f) => ({ ...(types[f.type] ?? { type: 'string' }), ...(meanings.has(f.name) ? { description: meanings.get(f.name) } : {}) });
    const rest = route.fields.filter((f) => !inPath.includes(f.name));
    const parameters = inPath.map((name) => ({ name, in: 'path', required: true, schema: schema(route.fields.find((f) => f.name === name)) }));
    const made = { operationId: operationId(route), summary: summary(route, isList), description: what };
    if (inQuery(route)) parameters.push(...rest.map((f) => ({ name: f.name, in: 'query', required: f.required, schema: schema(f) })));
    if (route.method !== 'GET') parameters.push(...(route.access === 'PUBLIC' ? [] : [{ $ref: '#/components/parameters/csrf' }]), { $ref: '#/components/parameters/origin' }, ...(route.access === 'PUBLIC' ? [] : [{ $ref: '#/components/parameters/key' }]));
    if (parameters.length) made.parameters = parameters;
    if (!inQuery(route) && rest.length) {
        const required = rest.filter((f) => f.required).map((f) => f.name);
        const body = { type: 'object', additionalProperties: false, ...(required.length ? { required } : {}), properties: Object.fromEntries(rest.map((f) => [f.name, schema(f)])) };
        made.requestBody = { required: required.length > 0, content: { 'application/json': { schema: body } } };
    }
    if (key === 'POST /api/imports') made.requestBody = { required: true, content: { 'application/octet-stream': {}, 'application/json': {} } };
    if (key === 'POST /api/pictures') made.requestBody = { required: true, content: { 'image/png': {}, 'image/jpeg': {}, 'image/gif': {}, 'image/webp': {} } };
    if (takesFile(route)) made.requestBody = { required: true, content: { 'application/octet-stream': {} } };
    made.responses = Object.fromEntries(Object.entries(successOf(key)).map(([status, type]) => [status, success(key, status, type)]));
    if (route.access === 'PUBLIC') made.security = [];
    else if (route.scopes.length) made.security = [{ login: [] }, ...(needsAll(what) ? [{ token: needsAll(what) }] : route.scopes.map((scope) => ({ token: [scope] })))];
    made.responses['4XX'] = { $ref: '#/components/responses/error' };
    made.responses.default = { $ref: '#/components/responses/error' };
    return made;
}

/** A value as YAML: strings are quoted as in JSON, which YAML accepts. */
function yaml(value, indent = '') {
    const scalar = (v) => (v === null || typeof v !== 'object' || Object.keys(v).length === 0 ? JSON.stringify(v) : null);
    const plain = (key) => (/^[A-Za-z_$][\w$]*$/.test(key) ? key : JSON.stringify(key));
    if (Array.isArray(value)) return value.map((v) => `${indent}- ${scalar(v) ?? yaml(v, `${indent}  `).trimStart()}`).join('\n');
    return Object.entries(value).map(([k, v]) => `${indent}${plain(k)}:${scalar(v) === null ? `\n${yaml(v, `${indent}  `)}` : ` ${scalar(v)}`}`).join('\n');
}

/** The whole file. Throws when a route is not in docs/api.md, or a row there has no route. */
export function openapi() {
    const said = descriptions();
    const routes = routeTables().filter((r) => r.path.startsWith('/api/'));
    const keys = routes.map((r) => keyOf(r.method, r.path));
    const missing = routes.filter((_, i) => !said.has(keys[i])).map((r) => `${r.method} ${r.path} (${r.file})`);
    const stale = [...said.keys()].filter((key) => !keys.includes(key));
    if (missing.length) throw new Error(`docs/api.md has no row for:\n  ${missing.join('\n  ')}\nAdd one to its table ("| \`METHOD /api/path\` | what it does |"), then run: make openapi`);
    if (stale.length) throw new Error(`docs/api.md has a row for what no program serves:\n  ${stale.join('\n  ')}`);
    const bare = keys.filter((key) => Object.values(successOf(key)).includes('application/json') && !answers[key]);
    if (bare.length) throw new Error(`\`answers\` in scripts/openapi-schemas.js has no row for:\n  ${bare.join('\n  ')}`);
    const paths = {};
    for (const [i, route] of routes.entries()) (paths[route.path] ??= {})[route.method.toLowerCase()] = operation(route, said.get(keys[i]), keys.includes(keys[i].replace(/^POST/, 'GET')));
    const unserved = Object.keys(answers).filter((key) => !keys.includes(key));
    if (unserved.length) throw new Error(`scripts/openapi-schemas.js knows answers that no program serves:\n  ${unserved.join('\n  ')}`);
    const file = {
        openapi: '3.1.0',
        info: { title: 'Alfred', version: '1', description: 'What the pages do, for programs. A program sends an API token, which a user makes on the Account page, as Authorization: Bearer. Or it signs in with POST /api/signin, which sets the cookie and answers with csrf, and sends both, and Origin, with each request that changes something. docs/api.md says more.' },
        servers: [{ url: '/' }],
        security: [{ login: [] }],
        paths,
        components: {
            securitySchemes: {
                login: { type: 'apiKey', in: 'cookie', name: '__Host-alfred', description: 'Set by POST /api/signin.' },
                token: { type: 'http', scheme: 'bearer', description: 'An API token, alf_.... The words at an operation are its scopes. One of the entries is enough; an entry with several words needs all of them.' },
            },
            parameters: {
                csrf: { name: 'X-CSRF-Token', in: 'header', required: false, description: 'The csrf of POST /api/signin or GET /api/me. Required without an API token.', schema: { type: 'string' } },
                key: { name: 'Idempotency-Key', in: 'header', required: false, description: 'A request with a known key has no second effect and gets the answer of the first.', schema: { type: 'string', maxLength: 255 } },
                origin: { name: 'Origin', in: 'header', required: false, description: 'The address of this server, such as https://alfred.example. Required without an API token.', schema: { type: 'string' } },
            },
            responses: { error: { description: 'Any failure, as RFC 9457 describes.', content: { 'application/problem+json': { schema: schemaOf({ type: 'string', title: 'string', status: 'integer', detail: 'string', errors: ['FieldError'], error: 'Error' }) } } } },
            schemas: Object.fromEntries(Object.entries(schemas).map(([name, properties]) => [name, schemaOf(properties)])),
        },
    };
    return `# Written by scripts/openapi.js from the route tables and docs/api.md: make openapi\n${yaml(file)}\n`;
}

/** A section of docs/api.md without its heading. Links become their words, because the page has no other documents. */
const withoutLinks = (text) => text.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
function section(title) {
    const [, text] = readFileSync(`${docs}api.md`, 'utf8').split(`\n## ${title}\n`);
    return withoutLinks(text.split(/\n## /)[0]).trim();
}

const example = { text: 'Buy bread', name: 'My script', scopes: 'read chat', title: 'A title', client_id: 'my-key-1' };
const sample = (f) => example[f.name] ?? { BOOL: true, INT: 1 }[f.type] ?? (f.type.startsWith('ID_') ? '1' : '...');
function curl(route, inPath, rest) {
    const path = route.path.replace(/\{(\w+)\}/g, (_, name) => `$${name.toUpperCase()}`);
    const needed = rest.filter((f) => f.required), body = needed.length ? needed : rest.filter((f) => f.name === 'text').slice(0, 1);
    const address = takesFile(route) ? `${path}?workspace=Boat&name=plan.docx` : path;
    const lines = [`curl${route.access === 'PUBLIC' ? '' : ' -H "$auth"'}${route.method === 'GET' ? '' : ` -X ${route.method}`}`, `"$alfred${address}"`];
    if (route.path === '/api/pictures') lines.splice(1, 0, '--data-binary @picture.png');
    if (takesFile(route)) lines.splice(1, 0, '--data-binary @plan.docx');
    if (body.length && !inQuery(route)) lines.splice(1, 0, `-H "$json" -d '${JSON.stringify(Object.fromEntries(body.map((f) => [f.name, sample(f)])))}'`);
    return lines.join(' \\\n  ');
}

/** Who may call it, as a sentence. */
function access(route, what) {
    if (route.access === 'PUBLIC') return 'Without a sign-in.';
    return route.scopes.length ? `Scope: ${needsAll(what)?.join(' and ') ?? route.scopes.join(' or ')}` : 'Signed-in browsers only.';
}

/** One call: heading, description, fields, example. */
function call(route, what) {
    const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const rest = route.fields.filter((f) => !inPath.includes(f.name));
    const type = (f) => (f.type === 'BOOL' ? 'true or false' : f.type === 'INT' ? 'number' : f.type.startsWith('IDS_') ? 'list of ids' : f.type.startsWith('ID_') ? 'id' : 'text');
    const fields = rest.map((f) => `- \`${f.name}\`: ${type(f)}${f.required ? ', required' : ''}`);
    return [
        `## ${route.method} ${route.path}`, withoutLinks(what), access(route, what),
        ...(fields.length ? [`${inQuery(route) ? 'Query' : 'Fields'}:\n\n${fields.join('\n')}`] : []),
        ...(route.scopes.length ? [`\`\`\`sh\n${curl(route, inPath, rest)}\n\`\`\``] : []),
    ].join('\n\n');
}

/** The text of the page /api. */
export function reference() {
    const said = descriptions();
    const nouns = Map.groupBy(routeTables().filter((r) => r.path.startsWith('/api/')), (r) => r.path.split('/')[2]);
    const parts = [...nouns].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([noun, routes]) => [`# ${noun}`, ...routes.map((r) => call(r, said.get(keyOf(r.method, r.path))))]);
    return ['# API tokens', section('API tokens'), ...parts, '# Sending', section('Sending'), '# Events', section('Events'), '# Errors', section('Errors'), '# OpenAI-compatible', section('OpenAI-compatible')].join('\n\n') + '\n';
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    writeFileSync(`${docs}openapi.yaml`, openapi());
    writeFileSync(`${docs}api_reference.md`, reference());
}
