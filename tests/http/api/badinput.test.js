// Invalid requests: a clear answer in Alfred's own format, the same processes alive, and nothing stored.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, test } from 'node:test';
import tls from 'node:tls';

import { articles, exchange, provide, send, serveFile, sessionOf, stop } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');
const ben = await alfred.user('ben');
const hers = await exchange(anna, provider, 'Kept', 'Safe');
await until('it has its title', async () => (await sessionOf(anna, hers.session)).session.named);
const SEND = '/api/sessions/new/messages';

const programs = ['alfred', 'pages', 'api', 'stream', 'hooks', 'helper'];
const pids = () => {
    const processes = alfred.processes();
    return programs.map((name) => [name, alfred.pids(name, processes)]);
};
const before = pids();
const stored = async () => JSON.stringify([await anna.getJson('/api/sessions'), await sessionOf(anna, hers.session), await ben.getJson('/api/sessions')]).replace(/"\w+_words":"[^"]*"/g, '');
const whole = await stored();
const calls = () => provider.calls.length;

afterEach(async () => {
    assert.deepEqual(pids(), before, 'the same processes live');
    assert.equal(await stored(), whole, 'nothing was stored or changed');
});

/** Posts raw bytes as JSON. */
const post = (body, { path = SEND, headers = {}, client = anna, method = 'POST' } = {}) =>
    client.request(method, path, { body, headers: { 'content-type': 'application/json', accept: 'application/json', ...headers } });

/** An error of the API: status, our JSON form, no internal details. */
function refused(answer, status, pattern = /./) {
    assert.equal(answer.status, status, answer.body.toString());
    assert.match(answer.headers['content-type'], /^application\/(problem\+)?json/);
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    assert.match(answer.json.error.code, /^[a-z_]+$/);
    assert.match(answer.json.error.message, pattern);
    assert.doesNotMatch(answer.text, /\.c:|sqlite|jansson|nginx/i);
}
/** An error page. */
function refusedPage(answer, status) {
    assert.equal(answer.status, status, answer.body.toString().slice(0, 300));
    assert.match(answer.headers['content-type'], /^text\/html/);
    assert.match(answer.text, /<html/i);
    assert.doesNotMatch(answer.text, /nginx/i);
}

const deep = (n) => '['.repeat(n) + ']'.repeat(n);
for (const [name, body] of [
    ['nothing', ''],
    ['half an object', '{"text":"x"'],
    ['no object', '["text"]'],
    ['a bare word', 'text'],
    ['a trailing comma', '{"text":"x",}'],
    ['something after it', '{"text":"x"} {"text":"y"}'],
    ['a duplicate key', '{"text":"x","text":"y"}'],
    ['a duplicate key by escape', '{"text":"x","te\\u0078t":"y"}'],
    ['an escaped NUL', '{"text":"a\\u0000b"}'],
    ['a raw NUL', Buffer.from('{"text":"a\0b"}')],
    ['a NUL in a key', '{"text\\u0000":"x"}'],
    ['invalid UTF-8', Buffer.from([...Buffer.from('{"text":"'), 0xc3, 0x28, ...Buffer.from('"}')])],
    ['overlong UTF-8', Buffer.from([...Buffer.from('{"text":"'), 0xc0, 0xaf, ...Buffer.from('"}')])],
    ['half a surrogate pair', '{"text":"\\ud83d"}'],
    ['UTF-16', Buffer.from('\ufeff{"text":"x"}', 'utf16le')],
    ['a number for text', '{"text":5}'],
    ['an object for text', '{"text":{"text":"x"}}'],
    ['true for text', '{"text":true}'],
    ['null for text', '{"text":null}'],
    ['an empty text', '{"text":""}'],
    ['only white space', '{"text":" \\n\\t "}'],
    ['an owner', '{"text":"x","owner":2}'],
    ['a user id', '{"text":"x","user_id":"2"}'],
    ['a role', '{"text":"x","role":"admin"}'],
    ['a session in the body', `{"text":"x","session":"${'ses_' + '0'.repeat(26)}"}`],
    ['a prototype', '{"text":"x","__proto__":{"admin":true}}'],
    ['a long client id', `{"text":"x","client_id":"${'i'.repeat(65)}"}`],
    ['a line break in a client id', '{"text":"x","client_id":"a\\nb"}'],
    ['a model that is not there', '{"text":"x","choice":"openai/none"}'],
]) {
    test(`JSON with ${name} is 400`, async () => {
        const asked = calls();
        refused(await post(body), 400);
        assert.equal(calls(), asked, 'the provider was not asked');
    });
}

test('JSON that is nested too deeply is 413', async () => {
    for (const depth of [100, 50_000]) refused(await post(`{"text":${deep(depth)}}`), 413, /nested too deeply/);
});

for (const [name, parent] of [
    ['of nobody', '99999999999'],
    ['below zero', '-1'],
    ['zero', '0'],
    ['no number', 'abc'],
    ['too large for any', '9'.repeat(30)],
    ['with a sign', '+1'],
    ['in hex', '0x10'],
]) {
    test(`a parent ${name} is 404`, async () => refused(await post(JSON.stringify({ text: 'x', parent }), { path: `/api/sessions/${hers.session}/messages` }), 404));
}

test('invalid ids get the same 404 as absent ones', async () => {
    const absent = await anna.get(`/api/sessions/ses_${'0'.repeat(26)}`);
    refused(absent, 404);
    for (const id of ['x', 'ses_', 'ses_1', hers.session.toUpperCase(), `${hers.session}x`, hers.turn, '..%2f..', '%00', '%ff', '%E2%80%AE', "'%20OR%201=1--", '{{id}}', 'new', 'a'.repeat(2000)]) {
        const answer = await anna.get(`/api/sessions/${id}`);
        if (id === '%00') assert.ok([400, 404].includes(answer.status)); // by nginx
        else assert.equal(`${answer.status} ${answer.text}`, `404 ${absent.text}`, id);
    }
    for (const id of ['0', '-1', '1e3', '9'.repeat(40), 'x', '1%00']) {
        const answer = await post('{"text":"x"}', { path: `/api/sessions/${hers.session}/messages/${id}`, method: 'PATCH' });
        assert.ok([404, 400].includes(answer.status), `${id}: ${answer.status}`);
    }
});

test('a message over the cap is 413 from the program, in our form', async () => {
    refused(await post(JSON.stringify({ text: 'x'.repeat(1024 * 1024 + 1) })), 413, /longer than 1\sMB/);
    refused(await post(JSON.stringify({ text: 'ä'.repeat(512 * 1024 + 1) })), 413, /longer than 1\sMB/);
});
test('a body over the cap of nginx is 413 from nginx, in our form', async () => {
    refused(await post(Buffer.alloc(32 * 1024 * 1024, 'x')), 413);
    refused(await post(JSON.stringify({ title: 'x'.repeat(5 * 1024 * 1024) }), { path: `/api/sessions/${hers.session}`, method: 'PATCH' }), 413);
    refusedPage(await anna.post(`/s/${hers.session}`, { text: 'x'.repeat(32 * 1024 * 1024) }), 413);
});
test('a message as long as the cap is accepted', async () => {
    const sent = await send(anna, 'x'.repeat(1024 * 1024));
    await stop(anna, sent.turn);
    const gone = () => anna.request('DELETE', `/api/sessions/${sent.session}`, { json: {} });
    while ((await gone()).status === 409);
});

test('a body needs its content type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'application/jsonx', 'json', null]) {
        refused(await post('{"text":"x"}', { headers: { 'content-type': type } }), 415);
    }
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain']) {
        refusedPage(await anna.request('POST', `/s/${hers.session}`, { body: `text=x&csrf=${anna.csrf}`, headers: { 'content-type': type } }), 415);
    }
});

test('forms with broken fields are 400', async () => {
    for (const body of [`text=a%00b`, 'text=%ff%fe', 'text=%zz', 'text=a&text=b', 'text=a&owner=2', 'text=a&user_id=2', 'nothing=at+all', 'text=', '%00=1&text=a', '&'.repeat(5000) + 'text=a&text=b']) {
        const answer = await anna.request('POST', `/s/${hers.session}`, { body: `${body}&csrf=${anna.csrf}`, headers: { 'content-type': 'application/x-www-form-urlencoded' } });
        assert.equal(answer.status, 400, `${body.slice(0, 40)}: ${answer.status}`);
        assert.match(answer.headers['content-type'], /^text\/html/);
    }
});

test('methods that a route does not have are refused', async () => {
    for (const [method, path] of [['PUT', SEND], ['DELETE', SEND], ['GET', SEND], ['POST', '/api/me'], ['PATCH', '/api/sessions'], ['POST', '/api/sessions'], ['OPTIONS', '/api/me'], ['TRACE', '/api/me'], ['BREW', '/api/me'], ['DELETE', `/api/turns/${hers.turn}`]]) {
        const answer = await post('{}', { method, path });
        assert.ok([400, 404, 405, 415].includes(answer.status), `${method} ${path}: ${answer.status}`);
        assert.doesNotMatch(answer.body.toString(), /nginx/i);
    }
    for (const [method, path] of [['PUT', '/'], ['DELETE', '/sessions'], ['POST', '/'], ['POST', '/account'], ['GET', '/signout'], ['PATCH', '/admin/users']]) {
        const answer = await anna.request(method, path, { form: { a: 'b' } });
        assert.ok([400, 404, 405, 415].includes(answer.status), `${method} ${path}: ${answer.status}`);
    }
});

const SITES = [
    ['a cross-site post', { 'sec-fetch-site': 'cross-site' }],
    ['a same-site post', { 'sec-fetch-site': 'same-site' }],
    ['a navigation by hand', { 'sec-fetch-site': 'none' }],
    ['an odd Sec-Fetch-Site', { 'sec-fetch-site': 'Same-Origin, same-origin' }],
    ['a foreign origin', { 'sec-fetch-site': null, origin: 'https://evil.example' }],
    ['another port', { 'sec-fetch-site': null, origin: 'https://localhost:1' }],
    ['http instead of https', { 'sec-fetch-site': null, origin: alfred.baseUrl.replace('https', 'http') }],
    ['the null origin', { 'sec-fetch-site': null, origin: 'null' }],
    ['no origin at all', { 'sec-fetch-site': null, origin: null }],
    ['an origin that only begins like ours', { 'sec-fetch-site': null, origin: `${alfred.baseUrl}.evil.example` }],
];
for (const [name, headers] of SITES) {
    test(`${name} is 403`, async () => {
        refused(await post('{"text":"x"}', { headers }), 403);
        refusedPage(await anna.post(`/s/${hers.session}`, { text: 'x' }, { headers }), 403);
        refusedPage(await alfred.client().post('/signin', { name: 'anna', password: anna.password }, { headers }), 403);
    });
}

test('a refused request of a signed-in user is in the audit trail', async () => {
    const times = () => alfred.sql("SELECT coalesce(sum(times), 0) AS n FROM audit WHERE action = 'refused' AND detail LIKE 'POST /api/%'")[0].n;
    const before = times();
    refused(await post('{"text":"x"}', { headers: { 'sec-fetch-site': 'cross-site' } }), 403);
    assert.equal(times(), before + 1);
    refused(await post('{"text":"x"}', { headers: { 'sec-fetch-site': 'cross-site' }, client: alfred.client() }), 403);
    assert.equal(times(), before + 1, 'a stranger cannot fill it');
});

test('a missing, foreign or changed CSRF token is 403', async () => {
    for (const csrf of [false, ben.csrf, `${anna.csrf}x`, anna.csrf.slice(0, -1), anna.csrf.toLowerCase(), 'x']) {
        const answer = await anna.request('POST', SEND, { json: { text: 'x' }, csrf });
        refused(answer, 403);
        refusedPage(await anna.request('POST', `/s/${hers.session}`, { form: { text: 'x' }, csrf }), 403);
    }
    // A token in the address has no effect.
    refusedPage(await anna.request('POST', `/s/${hers.session}?csrf=${anna.csrf}`, { form: { text: 'x' }, csrf: false }), 403);
});

test('template syntax in titles and messages is shown as text', async () => {
    const evil = '{{csrf}} {{{csrf}}} {{#user}}x{{/user}} {{> layout}} {{=<% %>=}} <b>&amp;</b> ${1} <%= 1 %>';
    const shown = '{{csrf}} {{{csrf}}} {{#user}}x{{/user}} {{&gt; layout}} {{=&lt;% %&gt;=}} &lt;b&gt;&amp;amp;&lt;/b&gt; ${1} &lt;%= 1 %&gt;';
    const { session, asked, reply } = await exchange(anna, provider, evil, evil);
    assert.equal((await anna.request('PATCH', `/api/sessions/${session}`, { json: { title: evil } })).status, 200);
    for (const path of [`/s/${session}`, '/sessions', '/', `/sessions/${session}/export`, `/sessions/${session}/details`]) {
        const page = await anna.get(path);
        assert.equal(page.status, 200);
        assert.ok(page.text.includes(shown), path);
    }
    const page = articles((await anna.get(`/s/${session}`)).text);
    assert.ok(page.get(asked).includes(shown) && page.get(reply).includes('{{csrf}} {{{csrf}}} {{#user}}x{{/user}}'));
    assert.equal((await sessionOf(anna, session)).session.title, evil);
    const found = await anna.get(`/sessions?q=${encodeURIComponent('{{csrf}} {{{')}`);
    assert.ok(found.text.includes(shown));
    assert.equal((await anna.request('DELETE', `/api/sessions/${session}`, { json: {} })).status, 200);
});

test('the path never leaves /static', async () => {
    for (const path of ['/static/../alfred.toml', '/static/%2e%2e/alfred.toml', '/static/..%2f..%2fetc/passwd', '/static/....//etc/passwd', '/static//etc/passwd', '/static/css/../../src/cli/cli.c', '/static/%252e%252e/x', '/static/..\\..\\x', '/static/.git/config', '/static/', '/static/css', '/static/js/', '/_error/404.html', '/_stream']) {
        const answer = await rawGet(path);
        assert.match(answer, /^HTTP\/1\.1 (400|403|404|301)\b/, `${path}\n${answer.slice(0, 200)}`);
        assert.doesNotMatch(answer, /root:|\[server\]|#include|Index of|<title>40/);
    }
});

/** One raw request, without normalisation. */
function rawGet(path, more = '') {
    return raw(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${more}\r\n`);
}
async function raw(bytes) {
    const socket = tls.connect({ port: alfred.httpsPort, host: '127.0.0.1', rejectUnauthorized: false });
    let got = '';
    socket.on('data', (chunk) => (got += chunk));
    socket.on('error', () => {});
    socket.write(bytes);
    await once(socket, 'close');
    return got;
}

test('unusual requests are answered or cut, never fatal', async () => {
    const cookie = `Cookie: ${[...anna.cookies].map(([k, v]) => `${k}=${v}`).join('; ')}\r\n`;
    for (const [request, pattern] of [
        ['GARBAGE\r\n\r\n', /^HTTP\/1\.1 400|^$/],
        ['GET / HTTP/1.1\r\n\r\n', /^HTTP\/1\.1 400/], // no Host
        [`GET /api/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${cookie}X-Long: ${'x'.repeat(7000)}\r\n\r\n`, /^HTTP\/1\.1 200/],
        [`GET /api/me HTTP/1.1\r\nHost: localhost\r\n${cookie}X-Long: ${'x'.repeat(100_000)}\r\n\r\n`, /^HTTP\/1\.1 4(00|14|31)/],
        [`GET /api/sessions?q=${'x'.repeat(5000)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${cookie}\r\n`, /^HTTP\/1\.1 400/],
        [`GET /?${'a=b&'.repeat(1500)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${cookie}\r\n`, /^HTTP\/1\.1 (200|400|413)/],
        [`GET /?${'x'.repeat(200_000)} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`, /^HTTP\/1\.1 4(00|14)/],
        [`GET /api/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: ${'a=b; '.repeat(1000)}\r\n\r\n`, /^HTTP\/1\.1 401/],
        [`GET /api/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nCookie: __Host-alfred=\x01\xff; =; ;;\r\n\r\n`, /^HTTP\/1\.1 40[01]/],
        [`GET /api/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${cookie}${cookie}\r\n`, /^HTTP\/1\.1 (200|400|401)/],
        [`POST ${SEND} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: -5\r\n\r\n`, /^HTTP\/1\.1 400/],
        [`POST ${SEND} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, /^HTTP\/1\.1 4/],
        [`POST ${SEND} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`, /^HTTP\/1\.1 400/],
        [`GET /api/turns/${hers.turn}/events HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${cookie}Last-Event-ID: ${'9'.repeat(3000)}\r\n\r\n`, /^HTTP\/1\.1 200.*event: end/s],
        ['GET http://evil.example/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 (303|400|421)/],
    ]) {
        const answer = await raw(request);
        assert.match(answer, pattern, `${request.slice(0, 80)}\n${answer.slice(0, 400)}`);
        assert.doesNotMatch(answer, /Location: .*evil/i);
    }
});

test('a body that stops in the middle stores nothing', async () => {
    const socket = tls.connect({ port: alfred.httpsPort, host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', () => {});
    await once(socket, 'secureConnect');
    await new Promise((resolve) => socket.write(`POST ${SEND} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"text":"ha`, resolve));
    socket.destroy();
    await once(socket, 'close');
});
