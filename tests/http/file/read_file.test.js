// A file that is longer than the model's window: the model gets a part of it, and reads the rest by the tool read_file.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startStrict } from '../../fake/strict.js';
import { ended, send, serveFile, sessionOf } from '../../lib/chat.js';
import { block, row, rows } from '../../lib/rows.js';

const ROWS = 8000, HEAD = 1; // line of the head
const typed = 'What does row 3,120 say?\n\n', csv = rows(ROWS), question = `${typed}${block('data.csv', csv)}`;
const models = [{ id: 'wide', window: 131072 }, { id: 'small', window: 8192 }];

/** A model that does as the cut says. */
function reply({ messages, tools }) {
    const asked = messages.findLast((m) => m.role === 'user').content, calls = messages.filter((m) => m.role === 'tool');
    if (!/read_file/.test(asked) || !tools) return 'Nothing is left out.';
    if (calls.length === 0) return { call: 'read_file', args: { name: 'data.csv', from_line: 3120 + HEAD, lines: 1 } };
    if (calls.length === 1) return { call: 'read_file', args: { name: 'data.csv', find: ',failed,', lines: 1 } };
    const [line, count] = calls.map((m) => JSON.parse(m.content));
    return `${line.text.trim()} and ${count.lines_found} failed`;
}

/** Two servers, because llama.cpp has one window. */
const servers = {}, config = { models: { discover: 'no' } };
for (const { id, window } of models) {
    servers[id] = await startStrict({ server: 'llama.cpp', models: [{ id, window }], reply });
    after(() => servers[id].stop());
    config[`provider.${id}`] = { kind: 'openai', base_url: servers[id].url };
}
const alfred = await serveFile({ config });
const anna = await alfred.admin('anna');

for (const { id, window } of models) {
    test(`a model with a window of ${window} gets a part of ${csv.length >> 10} KB, and finds lines of the rest`, async () => {
        const strict = servers[id], sent = await send(anna, question, { choice: `${id}/${id}`, pasted_from: typed.length });
        const end = await ended(anna, sent.turn);
        assert.equal(end.status, 'done', end.error);
        const { messages } = await sessionOf(anna, sent.session);
        assert.equal(messages.at(-1).text, `${3120 + HEAD}: ${row(3120)} and ${ROWS / 4} failed`);
        assert.deepEqual(messages.map((m) => m.role), ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant']);
        assert.equal(messages[0].text, question);
        const [first] = strict.requests.filter((r) => r.tools);
        const content = first.body.messages.findLast((m) => m.role === 'user').content;
        assert.ok(content.length < 2 * window && !content.includes(row(3120)), 'it was cut');
        assert.match(content, /left out here.*: lines \d+ to \d+ of "data\.csv", which has 8001 lines\. Use the tool read_file/);
        assert.ok(strict.requests.every((r) => r.status === 200), 'no request was too long');

        const later = await send(anna, 'And what is row 3,120 again?', { session: sent.session, choice: `${id}/${id}` });
        assert.equal((await ended(anna, later.turn)).status, 'done');
        assert.ok(strict.requests.findLast((r) => r.tools).body.tools.some((t) => t.function.name === 'read_file'));
    });
}

test('without a long message read_file is not offered', async () => {
    const sent = await send(anna, 'hello', { choice: 'wide/wide' });
    await ended(anna, sent.turn);
    const { body } = servers.wide.requests.findLast((r) => r.tools);
    assert.ok(body.tools.length > 5 && body.tools.every((t) => t.function.name !== 'read_file'));
});
