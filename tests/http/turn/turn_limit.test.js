// The limit of answers that are written for one user at the same time ([limits] turns_per_user).
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { hangs } from '../../fake/provider.js';
import { asksForAnswer, provide, serveFile } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const chat = await provide();
const alfred = await serveFile({ config: { limits: { turns_per_user: 3 }, 'provider.chat': { kind: 'openai', base_url: `${chat.url}/v1`, model: 'test-model', models: ['test-model', 'other-model'] } } });
const anna = await alfred.admin('anna');
const bob = await alfred.user('bob');
chat.always(hangs(), asksForAnswer);
const send = (client, text, more = {}) => client.postJson('/api/sessions/new/messages', { text, choice: 'chat/test-model', ...more });
const running = () => alfred.sql("SELECT * FROM turn WHERE status = 'running'");

test('a user has so many answers at once, over all ways to ask, and gets a sentence', async () => {
    const sent = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((text) => send(bob, text, { client_id: `client-${text}` })));
    assert.deepEqual(sent.map((s) => s.status).sort(), [202, 202, 202, 429, 429]);
    const refused = sent.find((s) => s.status === 429);
    assert.match(refused.json.error.message, /at most 3 answers .* at the same time/);
    assert.ok(Number(refused.headers['retry-after']) > 0 && refused.headers.ratelimit === undefined);
    assert.equal(running().length, 3);
    const german = await bob.postJson('/api/sessions/new/messages', { text: 'x' }, { headers: { 'accept-language': 'de' } });
    assert.match(german.json.error.message, /höchstens 3 Antworten gleichzeitig/);
    const page = await bob.post('/s/new', { text: 'A question that stays', client_id: 'of-the-form-1' });
    assert.equal(page.status, 429);
    assert.match(page.text, /at most 3 answers/);
    assert.match(page.text, /A question that stays/, 'the text is offered again');
    const { secret } = (await bob.postJson('/api/tokens', { name: 'program', scopes: 'chat' })).json;
    const v1 = await bob.stranger().request('POST', '/v1/chat/completions', { json: { model: 'chat/test-model', messages: [{ role: 'user', content: 'x' }] }, csrf: false, headers: { origin: null, 'sec-fetch-site': null, authorization: `Bearer ${secret}` } });
    assert.deepEqual([v1.status, v1.json.error.type, v1.json.error.code], [429, 'rate_limit_error', 'rate_limit_exceeded']);
    assert.match(v1.json.error.message, /at most 3 answers/);
    const again = ['a', 'b', 'c', 'd', 'e'][sent.findIndex((s) => s.status === 202)];
    assert.equal((await send(bob, again, { client_id: `client-${again}` })).status, 202, 'a repeated send needs no place');
    assert.equal(running().length, 3);
    assert.equal((await send(anna, 'Of another user')).status, 202);

    const { turn } = sent.find((s) => s.status === 202).json;
    await bob.postJson(`/api/turns/${turn}/stop`, {});
    await until('it has ended', () => running().length === 3);
    assert.equal((await send(bob, 'two', { compare_with: 'chat/other-model' })).status, 429, 'a comparison needs two places');
    await until('a place is free', async () => (await send(bob, 'f')).status === 202); // soon after the row has ended
    assert.equal((await send(bob, 'g')).status, 429);
});
