// The exports of other services on their whole way: the upload, the session, the search.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange, sessionOf } from '../lib/chat.js';
import { bring, chatgpt, service } from '../lib/transfer.js';

/** Imports conversations and returns the messages of the newest session. */
async function messagesOf(client, list) {
    const done = await bring(client, JSON.stringify(list));
    assert.deepEqual([done.state, done.done, done.skipped], ['done', list.length, 0], done.error);
    const { sessions } = await client.getJson('/api/sessions?show=all');
    return (await sessionOf(client, sessions[0].id)).messages;
}

const counts = ({ done, grown, skipped, known, changed }) => ({ done, grown, skipped, known, changed });
const found = async (client, word) => JSON.stringify((await client.getJson(`/api/search?q=${word}`)).hits);

/** A chat of Open WebUI with a question and an answer that has `more`. */
const openwebui = (id, more) => ({
    id,
    title: id,
    chat: { history: { currentId: 'a', messages: {
        q: { id: 'q', parentId: null, role: 'user', content: 'Weather?', timestamp: 1.7e9 },
        a: { id: 'a', parentId: 'q', role: 'assistant', model: 'qwen3', content: '', timestamp: 1.7e9 + 5, ...more },
    } } },
});

test('answers that Open WebUI keeps as items are shown and found', async (t) => {
    const { anna } = await service(t);
    const list = await messagesOf(anna, [openwebui('items', { output: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Where?' }], duration: 2 },
        { type: 'function_call', call_id: 'c', name: 'weather', arguments: '{"city":"Oslo"}' },
        { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: '-3' }] },
        { type: 'message', content: [{ type: 'output_text', text: 'Freezing.' }] },
    ] })]);
    assert.deepEqual(list.map((m) => [m.role, m.text]), [['user', 'Weather?'], ['assistant', ''], ['tool', '-3'], ['assistant', 'Freezing.']]);
    assert.match(await found(anna, 'freezing'), /Freezing/);
});

test('a later export of the account adds its new messages, except to a session that was continued here', async (t) => {
    const { provider, anna } = await service(t);
    const texts = (id, n) => Array.from({ length: n }, (_, i) => `${id} ${i % 2 ? 'answer' : 'question'} ${i}`);
    const talk = (id, n) => chatgpt(id, texts(id, n));
    const bringAll = (n) => bring(anna, JSON.stringify([talk('grows', n), talk('continued', n)]));
    assert.deepEqual(counts(await bringAll(2)), { done: 2, grown: 0, skipped: 0, known: 0, changed: 0 });
    const { sessions } = await anna.getJson('/api/sessions?show=all');
    const id = (name) => sessions.find((s) => s.title === `Title of ${name}`).id;
    await exchange(anna, provider, 'And here?', 'Here as well.', { session: id('continued') });

    assert.deepEqual(counts(await bringAll(4)), { done: 1, grown: 1, skipped: 1, known: 0, changed: 1 });
    assert.deepEqual((await sessionOf(anna, id('grows'))).messages.map((m) => m.text), texts('grows', 4));
    assert.deepEqual((await sessionOf(anna, id('continued'))).messages.map((m) => m.text), [...texts('continued', 2), 'And here?', 'Here as well.']);
    assert.match(await found(anna, 'grows'), /answer 3/);
    assert.match((await anna.get('/data')).text, /0 conversations, 1 got further messages, 1 skipped: 1 has further messages but differs here/);
    assert.deepEqual(counts(await bringAll(2)), { done: 0, grown: 0, skipped: 2, known: 2, changed: 0 }, 'an older export has nothing new');
});
