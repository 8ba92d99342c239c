// The user's instructions, personas and settings of a session, as the provider gets them.
import { test } from 'node:test';
import assert from 'node:assert/strict';

import { answers } from '../fake/provider.js';
import { asksForAnswer, exchange, provide, serveFile } from '../lib/chat.js';

const provider = await provide();
const alfred = await serveFile({ env: { ...provider.env, ...provider.anthropicEnv } });
const anna = await alfred.admin('anna');
const kinds = Object.fromEntries((await anna.getJson('/api/me')).choices.map((c) => [c.kind, c.value]));
const last = () => provider.calls.findLast(asksForAnswer);
const system = (call) => call.body.messages[0].content;
void answers;

test('instructions of the account are in the prompt of every session, the same bytes from turn to turn', async () => {
    await anna.request('PATCH', '/api/settings', { json: { about_me: 'I bake bread.', answer_style: 'Use metric units.' } });
    const { session } = await exchange(anna, provider, 'Hello', 'Hi.', { choice: kinds.openai });
    const first = system(last());
    assert.match(first, /I bake bread\.[^]*Use metric units\./);
    await exchange(anna, provider, 'And now?', 'Now.', { session });
    assert.equal(system(last()), first);
    await exchange(anna, provider, 'Claude?', 'Yes.', { choice: kinds.anthropic });
    assert.match(JSON.stringify(last().body.system), /I bake bread/);
    await anna.request('PATCH', '/api/settings', { json: { about_me: '' } });
    await exchange(anna, provider, 'And again?', 'Again.', { session });
    assert.doesNotMatch(system(last()), /I bake bread/);
});
