// The limit of open streams: who comes when it is reached, and who comes afterwards.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { asksForAnswer, beginAnswer, eventsOf, provide, send, serveFile, stop } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const STREAMS = 2; // half of them may be of /api/events
// Before, the number of readers was updated once a minute.
const SOON_MS = 40_000;

const provider = await provide();
const alfred = await serveFile({ env: provider.env, config: { limits: { streams: STREAMS } } });
const anna = await alfred.admin('anna');

/** Opens a stream; one that is refused is closed again. */
async function attempt(open) {
    const events = await open();
    if (events.status !== 200) events.close();
    return events;
}

/** A running turn with as many readers as there may be. */
async function crowd() {
    const sent = await send(anna, 'Read by many');
    const call = await beginAnswer(provider, 'Read by many');
    const readers = [];
    await until('all places are taken', async () => {
        const events = await attempt(() => eventsOf(anna, sent.turn));
        if (events.status === 200) readers.push(events);
        return events.status === 503;
    });
    assert.equal(readers.length, STREAMS);
    return {
        turn: sent.turn,
        readers,
        async leave() {
            for (const reader of readers) reader.close();
            await stop(anna, sent.turn);
            await until('the places are free', async () => {
                const events = await attempt(() => eventsOf(anna, sent.turn));
                events.close();
                return events.status === 200;
            }, SOON_MS);
        },
    };
}

test('the place of a reader that leaves is free at once', async () => {
    const { turn, readers, leave } = await crowd();
    readers.pop().close();
    readers.push(await until('a place is free', async () => {
        const events = await attempt(() => eventsOf(anna, turn));
        return events.status === 200 && events;
    }, SOON_MS));
    const live = await anna.events('/api/events');
    assert.equal(live.status, 200);
    const refused = await attempt(() => anna.events('/api/events'));
    assert.equal(refused.status, 503);
    live.close();
    await until('a place of /api/events is free', async () => {
        const events = await attempt(() => anna.events('/api/events'));
        events.close();
        return events.status === 200;
    }, SOON_MS);
    await leave();
});

test('a request that waits for an answer is refused before the turn begins when there is no place', async () => {
    const made = await anna.postJson('/api/tokens', { name: 'client', scopes: 'chat' });
    assert.equal(made.status, 201, made.text);
    const { leave } = await crowd();
    const turns = () => alfred.sql('SELECT count(*) AS n FROM turn')[0].n;
    const before = turns(), calls = provider.calls.length;
    const stream = await anna.request('POST', '/api/sessions/new/messages', { json: { text: 'Told at once' }, headers: { accept: 'text/event-stream' } });
    assert.equal(stream.status, 503);
    assert.match(stream.text, /Too many people are reading/);
    const form = await anna.post('/s/new', { text: 'Told by a form' });
    assert.equal(form.status, 503);
    assert.match(form.text, /Too many people are reading.*Told by a form/s);
    const [{ id: model }] = (await anna.getJson('/v1/models', { headers: { authorization: `Bearer ${made.json.secret}` } })).data;
    const call = await anna.stranger().request('POST', '/v1/chat/completions', {
        json: { model, messages: [{ role: 'user', content: 'Told to a program' }] },
        headers: { authorization: `Bearer ${made.json.secret}` },
    });
    assert.equal(call.status, 503);
    assert.match(call.json.error.message, /Too many people are reading/);
    assert.equal(turns(), before);
    const sent = await send(anna, 'Not waited for'); // needs no place
    assert.equal(turns(), before + 1);
    await provider.call((c) => asksForAnswer(c) && c.asks('Not waited for'));
    assert.deepEqual(provider.calls.slice(calls).filter((c) => /Told/.test(c.prompt)), []);
    const stopped = await anna.post(`/s/${sent.session}/stop`);
    assert.equal(stopped.status, 303, 'stopped without waiting for it');
    await until('the turn is over', async () => (await anna.getJson(`/api/turns/${sent.turn}`)).status === 'stopped');
    await leave();
});
