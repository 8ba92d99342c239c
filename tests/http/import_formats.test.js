// The exports of other services on their whole way: the upload, the session, the search.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { sessionOf } from '../lib/chat.js';
import { bring, service } from '../lib/transfer.js';

/** Imports conversations and returns the messages of the newest session. */
async function messagesOf(client, list) {
    const done = await bring(client, JSON.stringify(list));
    assert.deepEqual([done.state, done.done, done.skipped], ['done', list.length, 0], done.error);
    const { sessions } = await client.getJson('/api/sessions?show=all');
    return (await sessionOf(client, sessions[0].id)).messages;
}

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
