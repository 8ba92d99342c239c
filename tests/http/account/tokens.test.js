// API tokens: sign-in with them, the routes that each scope allows, and their end.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { beginAnswer, isCut, provide, send, serveFile } from '../../lib/chat.js';
import { Client } from '../../lib/client.js';
import { PASSWORD } from '../../lib/rig.js';
import { routeTables } from '../../lib/routes.js';

const SCOPES = ['read', 'write', 'chat'];
const provider = await provide();
const alfred = await serveFile({ env: provider.env, config: { login: { failures: 1000, address_failures: 1000 } } });
const root = await alfred.admin('root');
const anna = await alfred.user('anna');
const bob = await alfred.user('bob');

/** A program: no cookie, no origin, no CSRF token. */
const program = (secret) => new Client(anna.base.href, { headers: { authorization: `Bearer ${secret}`, origin: null, 'sec-fetch-site': null } });
async function make(client, scopes, more = {}) {
    const made = await client.postJson('/api/tokens', { name: `for ${scopes}`, scopes, ...more });
    assert.equal(made.status, 201, made.text);
    return made.json;
}
async function auditOf(action) {
    const { DatabaseSync } = await import('node:sqlite');
    return alfred.sql('SELECT detail, times FROM audit WHERE action = ? ORDER BY id', action);
}

test('a program reads, writes and chats with a token alone', async () => {
    const { secret, token } = await make(anna, 'read write chat', { days: 30 });
    assert.match(secret, /^alf_[0-9A-Za-z]{33}$/);
    assert.equal(token.begins, secret.slice(0, 12));
    const p = program(secret);
    const me = await p.getJson('/api/me');
    assert.deepEqual([me.name, me.csrf, me.scopes], ['anna', null, 'read write chat']);
    assert.equal((await p.postJson('/api/tasks', { text: 'Buy bread' })).status, 201);
    const sent = await p.postJson('/api/sessions/new/messages', { text: 'Hello there' });
    assert.equal(sent.status, 202);
    const call = await beginAnswer(provider, 'Hello there');
    await call.text('Hi');
    await call.end();
    const [listed] = (await anna.getJson('/api/tokens')).tokens;
    assert.equal(listed.id, token.id);
    assert.ok(Date.parse(listed.used_at) > 0);
    assert.ok(!JSON.stringify(await anna.getJson('/api/tokens')).includes(secret));
});

test('a token never has the rights of a cookie beside it', async () => {
    const { secret } = await make(bob, 'read');
    const mixed = anna.clone();
    mixed.headers = { authorization: `Bearer ${secret}` };
    assert.equal((await mixed.getJson('/api/me')).name, 'bob');
    assert.equal((await mixed.postJson('/api/tasks', { text: 'As anna?' })).status, 403);
    mixed.headers = { authorization: 'Bearer alf_wrong' };
    assert.equal((await mixed.get('/api/me')).status, 401);
    // Credentials of a proxy before us do not matter.
    mixed.headers = { authorization: 'Basic YTpi' };
    assert.equal((await mixed.getJson('/api/me')).name, 'anna');
});

test('each scope opens its routes and no others', async () => {
    const ids = { session: 'ses_01arz3ndektsv4rrffq69g5fav', turn: 'trn_01arz3ndektsv4rrffq69g5fav', transfer: 'xfr_01arz3ndektsv4rrffq69g5fav', token: 'tok_01arz3ndektsv4rrffq69g5fav', login: 'lgn_01arz3ndektsv4rrffq69g5fav' };
    const routes = routeTables().filter((r) => r.surface === 'API' || r.surface === 'V1');
    assert.ok(routes.length > 50);
    for (const r of routes) assert.ok(r.scopes.length || /^\/api\/sign(in|out)$/.test(r.path), `${r.method} ${r.path} is for no token`);
    for (const scope of SCOPES) {
        const { secret } = await make(root, scope);
        const p = program(secret);
        for (const r of routes) {
            // Ids that do not exist, and a body that no route takes: a route that opens refuses for another reason.
            const path = r.path.replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? '4000000000');
            const { request, response } = await p.open(r.method, path, r.method === 'GET' ? {} : { json: { no_such_field: 1 } });
            const challenge = response.headers['www-authenticate'] ?? '';
            request.destroy(); // a stream has no end
            assert.equal(response.statusCode !== 403 || !/insufficient_scope/.test(challenge), r.scopes.includes(scope) || !r.scopes.length, `${scope} at ${r.method} ${r.path}: ${response.statusCode}`);
            if (!r.scopes.length) assert.equal(response.statusCode, 403, `${scope} at ${r.method} ${r.path}`);
            if (/insufficient_scope/.test(challenge)) assert.match(challenge, /scope="[a-z ]+"/);
        }
    }
});

test('pages and their scripts are closed to tokens', async () => {
    const { secret } = await make(anna, 'read write chat');
    const p = program(secret);
    for (const path of ['/', '/account', '/settings', '/page/sidebar']) assert.equal((await p.get(path)).status, 403, path);
    assert.equal((await p.post('/account/password', { current: PASSWORD, password: `${PASSWORD}2` })).status, 403);
});

test('a bad token is refused with a reason, and noted', async () => {
    for (const bad of ['', 'x', 'alf_', `alf_${'a'.repeat(33)}`, `alf_${'0'.repeat(5000)}`]) {
        const answer = await program(bad).get('/api/me');
        assert.equal(answer.status, 401, bad.slice(0, 20));
        assert.match(answer.headers['www-authenticate'], /^Bearer realm="Alfred", error="invalid_token"$/);
    }
    assert.ok((await auditOf('token_refused')).length > 0);
});

test('a program without a token learns that it needs one', async () => {
    const nobody = new Client(anna.base.href, { headers: { origin: null, 'sec-fetch-site': null } });
    for (const [method, path] of [['GET', '/api/tasks'], ['POST', '/api/tasks'], ['DELETE', '/api/tasks/1'], ['POST', '/api/sessions/new/messages'], ['POST', '/v1/chat/completions']]) {
        const answer = await nobody.request(method, path, { json: method === 'POST' ? { text: 'Buy bread' } : undefined });
        assert.equal(answer.status, 401, `${method} ${path}: ${answer.text}`);
        assert.equal(answer.headers['www-authenticate'], 'Bearer realm="Alfred"');
    }
    assert.equal((await nobody.postJson('/api/signin', { name: 'anna', password: PASSWORD })).status, 403, 'a sign-in needs an origin');
});

test('a token makes no stronger one, and lists nothing of others', async () => {
    const { secret, token } = await make(anna, 'read write', { days: 5 });
    const p = program(secret);
    assert.equal((await p.postJson('/api/tokens', { name: 'x', scopes: 'read', days: 4 })).status, 201);
    for (const more of [{ scopes: 'chat', days: 4 }, { scopes: 'read' }, { scopes: 'read', days: 6 }, { scopes: 'read', days: 4, use_memory: true }]) {
        assert.equal((await p.postJson('/api/tokens', { name: 'x', ...more })).status, 403, JSON.stringify(more));
    }
    for (const wrong of [{ scopes: 'admin' }, { scopes: '' }, { scopes: 'read', days: 0 }, { scopes: 'read', days: 9999 }, {}]) {
        assert.equal((await anna.postJson('/api/tokens', { name: 'x', ...wrong })).status, 400, JSON.stringify(wrong));
    }
    assert.equal((await bob.request('DELETE', `/api/tokens/${token.id}`)).status, 404);
    assert.ok(!(await bob.getJson('/api/tokens')).tokens.some((t) => t.id === token.id));
    assert.equal((await p.get('/api/me')).status, 200);
});

test('a token that is revoked during a stream is cut', async () => {
    const { secret, token } = await make(anna, 'chat');
    const p = program(secret);
    const sent = await send(anna, 'A long story');
    const call = await beginAnswer(provider, 'A long story');
    await call.text('Once');
    const events = await p.events(`/api/turns/${sent.turn}/events`);
    await events.until((e) => e.data.includes('Once'));
    assert.equal((await anna.request('DELETE', `/api/tokens/${token.id}`)).status, 200);
    assert.equal((await p.get('/api/me')).status, 401);
    await isCut(events);
    await call.end();
    assert.deepEqual((await auditOf('token_revoked')).map((a) => a.detail).includes(token.id), true);
});

test('a new password and disabling end the tokens', async () => {
    const eve = await alfred.user('eve');
    const { secret } = await make(eve, 'read');
    assert.equal((await eve.post('/account/password', { current: PASSWORD, password: `${PASSWORD} new` })).status, 303);
    assert.equal((await program(secret).get('/api/me')).status, 401);
    const { secret: second } = await make(await alfred.signIn('eve', `${PASSWORD} new`), 'read');
    assert.equal((await program(second).get('/api/me')).status, 200);
    await alfred.cli(['user', 'disable', 'eve']);
    assert.equal((await program(second).get('/api/me')).status, 401);
});

test('the operator makes, lists and revokes tokens', async () => {
    const { stdout: secret } = await alfred.cli(['token', 'add', 'bob', 'backup script', '--scopes', 'read', '--days', '3']);
    assert.equal((await program(secret.trim()).getJson('/api/me')).name, 'bob');
    const { stdout: list } = await alfred.cli(['token', 'list', 'bob']);
    const line = list.split('\n').find((l) => l.includes('backup script'));
    assert.ok(line.includes('read') && !line.includes(secret.trim()));
    await alfred.cli(['token', 'revoke', 'bob', line.split(' ')[0]]);
    assert.equal((await program(secret.trim()).get('/api/me')).status, 401);
    const again = await alfred.cli(['token', 'revoke', 'bob', line.split(' ')[0]]);
    assert.equal(again.code, 1);
    assert.match(again.stderr, /has no token/);
    assert.equal((await alfred.cli(['token', 'add', 'bob', 'x', '--scopes', 'everything'])).code, 1);
});

test('the Account page makes, shows once and revokes a token without scripts', async () => {
    const page = await bob.post('/account/tokens', { name: 'My <editor>', scope_chat: 'yes', use_memory: 'yes', days: '' });
    assert.equal(page.status, 200);
    const secret = page.text.match(/value="(alf_[0-9A-Za-z]{33})"/)[1];
    assert.ok(page.text.includes('My &lt;editor&gt;'));
    assert.equal((await program(secret).getJson('/api/me')).scopes, 'chat');
    const again = await bob.get('/account');
    assert.ok(!again.text.includes(secret) && again.text.includes('My &lt;editor&gt;'));
    const refused = await bob.post('/account/tokens', { name: 'No rights', days: '7' });
    assert.equal(refused.status, 400);
    assert.ok(refused.text.includes('value="No rights"'));
    const id = (await bob.getJson('/api/tokens')).tokens.find((t) => t.name === 'My <editor>').id;
    assert.equal((await bob.post(`/account/tokens/${id}/revoke`)).status, 303);
    assert.equal((await program(secret).get('/api/me')).status, 401);
});
