// A request of a program with an Idempotency-Key, sent again: no second effect, and the answer of the first.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { serveFile } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const alfred = await serveFile();
const anna = await alfred.admin('anna');
const berta = await alfred.user('berta');

const send = (user, method, path, json, key) => user.request(method, path, { json, headers: { 'idempotency-key': key } });
const tasks = async (user) => (await user.get('/api/tasks')).json.tasks.map((t) => t.text);

test('the second request has no effect and gets the answer of the first', async () => {
    const first = await send(anna, 'POST', '/api/tasks', { text: 'Buy bread' }, 'bread-1');
    assert.equal(first.status, 201);
    assert.equal(first.headers['idempotent-replayed'], undefined);
    for (const key of ['bread-1', '"bread-1"']) {
        const again = await send(anna, 'POST', '/api/tasks', { text: 'Buy bread' }, key);
        assert.equal(again.status, 201);
        assert.equal(again.headers['idempotent-replayed'], 'true');
        assert.equal(again.text, first.text);
    }
    assert.deepEqual(await tasks(anna), ['Buy bread']);
    const { id } = first.json.task;
    const gone = await send(anna, 'DELETE', `/api/tasks/${id}`, undefined, 'delete-1');
    assert.equal(gone.status, 200);
    assert.equal((await send(anna, 'DELETE', `/api/tasks/${id}`, undefined, 'delete-1')).status, 200);
    assert.equal((await anna.request('DELETE', `/api/tasks/${id}`)).status, 404);
});

test('a key belongs to one user and one request', async () => {
    assert.equal((await send(anna, 'POST', '/api/tasks', { text: 'Anna' }, 'shared')).status, 201);
    assert.equal((await send(berta, 'POST', '/api/tasks', { text: 'Berta' }, 'shared')).status, 201);
    assert.deepEqual(await tasks(berta), ['Berta']);
    for (const [path, body] of [['/api/tasks', { text: 'Another' }], ['/api/tasks', { text: 'Anna', due: '2030-01-01' }], ['/api/memories', { text: 'Anna' }]]) {
        const other = await send(anna, 'POST', path, body, 'shared');
        assert.equal(other.status, 400, path);
        assert.match(other.json.detail, /another request/);
        assert.deepEqual(other.json.errors, [], 'no member of the body is wrong');
    }
    for (const key of ['', '"', 'a"b', 'x'.repeat(256), 'a\\b']) {
        const wrong = await send(anna, 'POST', '/api/tasks', { text: 'Never' }, key);
        assert.equal(wrong.status, 400, JSON.stringify(key));
        assert.deepEqual(wrong.json.errors, [], JSON.stringify(key));
    }
    assert.ok(!(await tasks(anna)).includes('Never'));
});

test('a request that failed leaves its key free', async () => {
    assert.equal((await send(anna, 'POST', '/api/tasks', { text: ' ' }, 'retry')).status, 400);
    assert.equal((await send(anna, 'POST', '/api/tasks', { text: 'Now' }, 'retry')).status, 201);
});

test('many at once have one effect', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, () => send(anna, 'POST', '/api/tasks', { text: 'Once' }, 'many')));
    for (const a of answers) assert.ok(a.status === 201 || (a.status === 409 && /running/.test(a.json.detail)), a.text);
    assert.equal((await tasks(anna)).filter((t) => t === 'Once').length, 1);
    assert.equal((await send(anna, 'POST', '/api/tasks', { text: 'Once' }, 'many')).status, 201);
});

test('a secret is shown once and not kept', async () => {
    const first = await send(anna, 'POST', '/api/tokens', { name: 'x', scopes: 'read' }, 'token');
    assert.match(first.json.secret, /^alf_/);
    const again = await send(anna, 'POST', '/api/tokens', { name: 'x', scopes: 'read' }, 'token');
    assert.equal(again.status, 409);
    assert.ok(!again.text.includes('alf_'));
    assert.equal((await anna.get('/api/tokens')).json.tokens.length, 1);
});

test('for a message the key is its client id', async () => {
    const first = await send(anna, 'POST', '/api/sessions/new/messages', { text: 'Hello' }, 'hello-1');
    assert.equal(first.status, 202);
    await until('the answer ends', async () => (await anna.get(`/api/turns/${first.json.turn}`)).json.status === 'done');
    const again = await send(anna, 'POST', '/api/sessions/new/messages', { text: 'Hello' }, 'hello-1');
    assert.equal(again.json.turn, first.json.turn);
    const { messages } = (await anna.get(`/api/sessions/${first.json.session.id}/messages`)).json;
    assert.equal(messages.filter((m) => m.role === 'user').length, 1);
});

test('pages and reading take no key', async () => {
    assert.equal((await anna.get('/api/tasks', { headers: { 'idempotency-key': 'bread-1' } })).status, 200);
});
