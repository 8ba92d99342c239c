// Exports and imports over the API, and conversations to import.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';

import { isGoing, provide } from './chat.js';
import { startAlfred, until } from './rig.js';

/** A service with two users, anna and bob. */
export async function service(t, config = {}) {
    const provider = await provide();
    const alfred = await startAlfred({ t, env: provider.env, config });
    const anna = await alfred.admin('anna');
    return { provider, alfred, anna, bob: await alfred.user('bob') };
}

/** The export or import at its end. */
export const finished = (client, id, limitMs) =>
    until(`${id} has ended`, async () => {
        const { transfer } = await client.getJson(`/api/transfers/${id}`);
        return !isGoing(transfer) && transfer;
    }, limitMs);
/** The answer to an upload. */
export const raw = (client, body, headers = {}) =>
    client.request('POST', '/api/imports', { body, headers: { 'content-type': 'application/octet-stream', accept: 'application/json', ...headers } });
/** Imports a file. */
export async function bring(client, body) {
    const sent = await raw(client, body);
    assert.equal(sent.status, 202, sent.text);
    return finished(client, sent.json.transfer.id);
}
/** The file of a new export. */
export async function takeOut(client) {
    const asked = await client.postJson('/api/exports', {});
    assert.equal(asked.status, 202, asked.text);
    const done = await finished(client, asked.json.transfer.id);
    assert.equal(done.state, 'done', done.error);
    const file = await client.get(`/api/transfers/${done.id}/file`);
    assert.equal(file.status, 200);
    return file.body;
}

/** A conversation in ChatGPT's format. Its messages are a second apart, from `create_time` on. */
export function chatgpt(id, texts, { create_time = 1.6e9, ...more } = {}) {
    const mapping = { [`${id}-root`]: { id: `${id}-root`, message: null, parent: null, children: [] } };
    let parent = `${id}-root`;
    texts.forEach((text, i) => {
        const key = `${id}-${i}`;
        mapping[key] = {
            id: key,
            parent,
            children: [],
            message: { id: key, author: { role: i % 2 ? 'assistant' : 'user' }, create_time: create_time + i, recipient: 'all', content: { content_type: 'text', parts: [text] }, metadata: {} },
        };
        parent = key;
    });
    return { conversation_id: id, title: `Title of ${id}`, create_time, update_time: create_time + texts.length, current_node: parent, mapping, ...more };
}
/** `n` of them, c0 to c(n-1), with a question and an answer each. */
export const many = (n, words = 'Some words to find later. ') => Array.from({ length: n }, (_, i) => chatgpt(`c${i}`, [`Question ${i} ${words}`, `Answer ${i} ${words}`]));

/** The files of all exports and imports. */
export const files = (alfred) => readdirSync(`${alfred.dataDir}/transfers`);
