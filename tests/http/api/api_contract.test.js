// Rules of all calls of the API: errors, conditions, limits.
import assert from 'node:assert/strict';
import { STATUS_CODES } from 'node:http';
import { test } from 'node:test';

import { serveFile } from '../../lib/chat.js';
import { Client } from '../../lib/client.js';

const alfred = await serveFile({ config: { login: { failures: 3, address_failures: 100 } } });
const anna = await alfred.admin('anna');
const { secret } = (await anna.postJson('/api/tokens', { name: 'x', scopes: 'read write chat' })).json;
const program = new Client(anna.base.href, { headers: { authorization: `Bearer ${secret}`, origin: null, 'sec-fetch-site': null } });
const task = async (text) => (await anna.postJson('/api/tasks', { text })).json.task;

test('errors are problems that name the wrong field', async () => {
    const problem = (answer, status, ...errors) => {
        assert.equal(answer.status, status, answer.text);
        assert.match(answer.headers['content-type'], /^application\/problem\+json/);
        const { type, title, detail, error, ...rest } = answer.json;
        assert.deepEqual([type, title, rest.status, detail], ['about:blank', STATUS_CODES[status], status, error.message]);
        assert.deepEqual(rest.errors.map((e) => e.pointer ?? e.parameter), errors);
    };
    const soon = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T10:00`;
    problem(await anna.postJson('/api/tasks', {}), 400, '#/text');
    problem(await anna.postJson('/api/tasks', { text: 7 }), 400, '#/text');
    problem(await anna.postJson('/api/tasks', { text: 'x', wibble: 1 }), 400, '#/wibble');
    problem(await anna.postJson('/api/tasks', { text: 'x'.repeat(3000) }), 400, '#/text');
    problem(await anna.postJson('/api/tasks', { text: ' ' }), 400, '#/text'); // found by the handler
    problem(await anna.get('/api/tasks?limit=many'), 400, 'limit');
    problem(await anna.get('/api/tasks/99999999'), 404);
    problem(await anna.request('PATCH', `/api/tasks/${(await task('One')).id}`, { json: { due: 'soon' } }), 400, '#/due');
    problem(await anna.postJson('/api/personas', { name: 'Cook', text: 'You cook.', temperature: 'warm' }), 400, '#/temperature'); // one of several
    problem(await anna.get('/api/tasks?limit=2&show=some'), 400, 'show');
    problem(await anna.get('/api/search?q=x&show=some'), 400, 'show');
    problem(await anna.postJson('/api/reminders', { text: 'x', at: '2099-01-01T10:00', kind: 'alarm' }), 400, '#/kind');
    problem(await anna.postJson('/api/reminders', { text: 'x', at: soon, repeat: 'FREQ=SECONDLY' }), 400, '#/repeat');
    problem(await anna.postJson('/api/sessions/batch', { action: 'pin' }), 400, '#/ids');
    problem(await anna.postJson('/api/sessions/batch', { action: 'burn', ids: ['ses_1'] }), 400, '#/action');
    const sent = async (more) => anna.postJson('/api/sessions/new/messages', { text: 'Hello', ...more });
    problem(await sent({ choice: 'no/model' }), 400, '#/choice');
    problem(await sent({ compare_with: 'no/model' }), 400, '#/compare_with');
    problem(await sent({ pictures: ['pic_01m8kfj4fff8xsw93raept4ggw'] }), 400, '#/pictures');
    problem(await sent({ channel: 'pigeon' }), 400, '#/channel');
    problem(await sent({ text: ' ', client_id: 'c' }), 400, '#/text');
    // The forms of the pages' own scripts stay as they are.
    assert.match((await anna.get('/page/sidebar?limit=many')).headers['content-type'], /^application\/json/);
});

test('an unchanged answer is not sent again', async () => {
    const { id } = await task('Read me');
    for (const path of ['/api/tasks', `/api/tasks/${id}`, '/api/settings', '/api/memories', '/api/sessions', '/api/personas', '/api/tokens']) {
        const first = await anna.get(path);
        assert.match(first.headers.etag, /^"[0-9a-f]{32}"$/, path);
        const again = await anna.get(path, { headers: { 'if-none-match': `"other", W/${first.headers.etag}` } });
        assert.equal(again.status, 304, path);
        assert.equal(again.text, '');
        assert.equal(again.headers.etag, first.headers.etag);
        assert.equal((await anna.get(path, { headers: { 'if-none-match': '"other"' } })).status, 200);
    }
    const before = await program.get('/api/tasks');
    assert.equal(before.headers['cache-control'], 'private, no-cache');
    assert.equal((await anna.get('/api/tasks')).headers['cache-control'], 'no-store, no-transform');
    await task('Something new');
    assert.equal((await program.get('/api/tasks', { headers: { 'if-none-match': before.headers.etag } })).status, 200);
});

test('a change under a condition is made only to what was read', async () => {
    await anna.postJson('/api/memories', { text: 'Likes tea', permanent: true });
    const persona = (await anna.postJson('/api/personas', { name: 'Cook', text: 'You cook.' })).json.persona;
    const prompt = (await anna.postJson('/api/prompts', { name: 'Short', text: 'Be short.' })).json.prompt;
    const [memory] = (await anna.getJson('/api/memories')).memories;
    const things = [
        [`/api/tasks/${(await task('Two')).id}`, { text: 'By one' }, { text: 'By two' }],
        [`/api/memories/${memory.id}`, { text: 'Likes coffee' }, { text: 'Likes milk' }],
        [`/api/personas/${persona.id}`, { text: 'You bake.' }, { text: 'You fry.' }],
        [`/api/prompts/${prompt.id}`, { text: 'Be brief.' }, { text: 'Be long.' }],
        ['/api/settings', { about_me: 'One' }, { about_me: 'Two' }],
    ];
    for (const [path, one, two] of things) {
        const { etag } = (await anna.get(path)).headers;
        const conditional = (json) => anna.request('PATCH', path, { json, headers: { 'if-match': etag } });
        assert.equal((await conditional(one)).status, 200, path);
        const late = await conditional(two);
        assert.equal(late.status, 412, path);
        assert.deepEqual([late.json.error.code, late.json.title], ['changed', 'Precondition Failed']);
        assert.ok((await anna.get(path)).text.includes(Object.values(one)[0]), path);
    }
    const [path] = things[0];
    assert.equal((await anna.request('DELETE', path, { headers: { 'if-match': '"old"' } })).status, 412);
    assert.equal((await anna.request('DELETE', path, { headers: { 'if-match': '*' } })).status, 200);
    assert.equal((await anna.request('DELETE', '/api/tokens/tok_01arz3ndektsv4rrffq69g5fav', { headers: { 'if-match': '*' } })).status, 412, 'it cannot be read');
});

test('of two changes with the same tag at the same time one is made', async () => {
    const path = `/api/tasks/${(await task('Race')).id}`;
    for (let round = 0; round < 5; round++) {
        const { etag } = (await anna.get(path)).headers;
        const answers = await Promise.all([1, 2, 3, 4].map((n) => anna.request('PATCH', path, { json: { text: `${round} by ${n}` }, headers: { 'if-match': etag } })));
        assert.deepEqual(answers.map((a) => a.status).filter((s) => s === 200).length, 1, answers.map((a) => a.status).join());
        for (const a of answers.filter((x) => x.status !== 200)) assert.ok([412, 503].includes(a.status), a.text);
    }
});

test('a limit tells when to come again', async () => {
    const guest = anna.stranger();
    const guess = () => guest.postJson('/api/signin', { name: 'nobody', password: 'wrong password' });
    for (let i = 0; i < 3; i++) assert.equal((await guess()).status, 401);
    const limited = await guess();
    assert.equal(limited.status, 429);
    const seconds = Number(limited.headers['retry-after']);
    assert.ok(seconds > 0);
    assert.equal(limited.headers.ratelimit, `"failures";r=0;t=${seconds}`);
    assert.equal(limited.headers['ratelimit-policy'], '"failures";q=3;w=900');
    assert.equal(limited.json.error.retry_after, seconds);
});

test('the page /api has every call, without a script of its own', async () => {
    const page = await anna.get('/api');
    assert.equal(page.status, 200);
    for (const text of ['POST /api/tasks', 'Scope: write', 'GET /api/tokens', 'OpenAI-compatible', 'Authorization: Bearer']) assert.ok(page.text.includes(text), text);
    assert.equal((await anna.stranger().get('/api')).status, 303);
});
