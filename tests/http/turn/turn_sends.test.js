// Sends that are repeated, and sends at the same time.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, beginAnswer, ended, eventsOf, exchange, newClientId, provide, say, send, serveFile, sessionOf, stop, Transcript } from '../../lib/chat.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');

const texts = (session) => session.messages.map((m) => m.text);

test('a repeated send with a client id gives the same turn and one message', async () => {
    const clientId = newClientId();
    const sent = await send(anna, 'Only once', { client_id: clientId });
    const again = await send(anna, 'Only once', { client_id: clientId });
    assert.deepEqual([again.turn, again.session, again.asked, again.reply], [sent.turn, sent.session, sent.asked, sent.reply]);
    const call = await beginAnswer(provider, 'Only once');
    await call.text('Yes.');
    await call.end();
    await ended(anna, sent.turn);
    const later = await send(anna, 'Only once', { client_id: clientId, session: sent.session });
    assert.equal(later.turn, sent.turn, 'also after the end');
    assert.deepEqual(texts(await sessionOf(anna, sent.session)), ['Only once', 'Yes.']);
});

test('two sends with one client id at the same time start one turn', async () => {
    for (let round = 0; round < 8; round++) {
        const clientId = newClientId();
        const before = (await anna.getJson('/api/sessions?limit=100')).sessions.length;
        const both = await Promise.all([1, 2, 3].map(() => send(anna, `Race ${round}`, { client_id: clientId })));
        assert.equal(new Set(both.map((s) => s.turn)).size, 1);
        assert.equal(new Set(both.map((s) => s.session)).size, 1);
        await stop(anna, both[0].turn);
        await ended(anna, both[0].turn);
        const after = await anna.getJson('/api/sessions?limit=100');
        assert.equal(after.sessions.length, before + 1);
        assert.equal(after.sessions[0].message_count, 2);
    }
});

test('two users may use the same client id', async () => {
    const ben = await alfred.user('ben-ids');
    const clientId = newClientId();
    const one = await exchange(anna, provider, 'Mine', 'A', { client_id: clientId });
    const two = await exchange(ben, provider, 'Mine too', 'B', { client_id: clientId });
    assert.notEqual(one.turn, two.turn);
    assert.deepEqual(texts(await sessionOf(ben, two.session)), ['Mine too', 'B']);
});

test('an empty client id counts as absent', async () => {
    const one = await exchange(anna, provider, 'First', 'A', { client_id: '' });
    const two = await exchange(anna, provider, 'Second', 'B', { client_id: '' });
    assert.notEqual(one.turn, two.turn);
});

test('a second send while an answer runs is refused and nothing of it is stored', async () => {
    const sent = await send(anna, 'First');
    const call = await beginAnswer(provider, 'First');
    const events = await eventsOf(anna, sent.turn);
    await say(call, events, new Transcript(), 'Going on');
    for (const [tail, body] of [
        ['messages', { text: 'Second' }],
        [`messages/${sent.asked}/edit`, { text: 'Second' }],
        [`messages/${sent.reply}/regenerate`, {}],
    ]) {
        const refused = await anna.postJson(`/api/sessions/${sent.session}/${tail}`, body);
        assert.equal(refused.status, 409, tail);
        assert.match(refused.json.error.message, /still being written/);
    }
    await call.end();
    await ended(anna, sent.turn);
    assert.deepEqual(texts(await sessionOf(anna, sent.session)), ['First', 'Going on']);
    assert.equal((await sessionOf(anna, sent.session)).session.message_count, 2);
});

test('two sends to one session at the same time: one runs, one is refused', async () => {
    const first = await exchange(anna, provider, 'Begin', 'Begun');
    const both = await Promise.all(['left', 'right'].map((text) => anna.postJson(`/api/sessions/${first.session}/messages`, { text })));
    assert.deepEqual(both.map((a) => a.status).sort(), [202, 409]);
    const won = both.find((a) => a.status === 202).json;
    await stop(anna, won.turn);
    await ended(anna, won.turn);
    assert.equal((await sessionOf(anna, first.session)).session.message_count, 4);
});

test('each regeneration with a client id can be repeated', async () => {
    const first = await exchange(anna, provider, 'Again and again', 'One');
    const url = `/api/sessions/${first.session}/messages/${first.reply}/regenerate`;
    const ids = [newClientId(), newClientId()];
    const made = [];
    for (const client_id of ids) {
        provider.next(answers('Other'), (c) => asksForAnswer(c) && c.userText === 'Again and again');
        made.push((await anna.postJson(url, { client_id })).json);
        await ended(anna, made.at(-1).turn);
    }
    for (const [i, client_id] of ids.entries()) {
        assert.equal((await anna.postJson(url, { client_id })).json.turn, made[i].turn);
    }
    assert.equal((await sessionOf(anna, first.session)).messages[1].siblings, 3);
});
