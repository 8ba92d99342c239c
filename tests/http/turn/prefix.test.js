// Prompt caches of providers: each request of a session begins with the bytes of the previous one, whatever facts,
// tasks and tools change between turns. Anthropic gets the cache marks. Tokens from a cache are counted.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, asksForCompaction, asksForSummary, ended, exchange, provide, send, serveFile, sessionOf } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const TURNS = 10;
const provider = await provide();
provider.always(answers('A note.'), asksForSummary);
const alfred = await serveFile({ env: { ...provider.env, ...provider.anthropicEnv }, config: { jobs: { retry_seconds: 0 }, session: { idle_minutes: 0 } } });
const anna = await alfred.admin('anna');
const kinds = Object.fromEntries((await anna.getJson('/api/me')).choices.map((c) => [c.kind, c.value]));

/** The length of the common prefix of two requests. */
function common(one, two) {
    let n = 0;
    while (n < one.length && n < two.length && one[n] === two[n]) n++;
    return n;
}
/** The body without the cache marks, which are not part of the cached text. */
const bare = (call) => call.raw.toString('utf8').replaceAll(',"cache_control":{"type":"ephemeral"}', '');
const ofSession = (marker) => provider.calls.filter((c) => asksForAnswer(c) && c.raw.includes(marker));

/** One turn; every third calls a tool. */
async function turn(i, marker, session, choice) {
    const text = `${marker}: what did I say about tea number ${i}?`;
    await anna.postJson('/api/memories', { text: `${marker} tea number ${i} is green`, permanent: true });
    await anna.postJson('/api/tasks', { text: `${marker} buy tea ${i}` });
    const mine = (call) => asksForAnswer(call) && call.raw.includes(text);
    if (i % 3 === 2)
        provider.next(async (call) => {
            await call.start();
            await call.toolCall('list_tasks', {}, `call_${i}`);
            await call.end('tool_calls');
        }, (call) => mine(call) && !call.hasToolResult);
    provider.next(answers(`You said that it is green, and more of number ${i}.`), (call) => mine(call) && (i % 3 !== 2 || call.hasToolResult));
    const sent = await send(anna, text, { session, choice });
    assert.equal((await ended(anna, sent.turn)).status, 'done');
    return sent.session;
}

for (const kind of ['openai', 'anthropic'])
    test(`${kind}: over ten turns with facts, tasks and tools each request begins with the one before it`, async (t) => {
        const marker = `Marker-${kind}`;
        let session = 'new';
        for (let i = 0; i < TURNS; i++) session = await turn(i, marker, session, kinds[kind]);
        const calls = ofSession(marker);
        assert.equal(calls.length, TURNS + 3);
        const shares = [];
        for (let i = 1; i < calls.length; i++) {
            const [before, now] = [calls[i - 1], calls[i]];
            assert.deepEqual(now.body.tools, before.body.tools);
            assert.deepEqual(now.body.system, before.body.system);
            // all earlier messages, up to the data for that request only
            const text = `tea number ${bare(before).match(/.*about tea number (\d+)\?/s)[1]}?`;
            const end = bare(before).lastIndexOf(text) + text.length;
            const prefix = common(bare(before), bare(now));
            assert.ok(prefix >= end, `request ${i}: ${prefix} of ${end} bytes`);
            shares.push(prefix / bare(now).length);
        }
        assert.match(calls.at(-1).aside, /stored_facts/, 'facts are there, behind the question');
        assert.match(calls.at(-1).aside, /spoken_of/, 'and so is what was spoken of');
        t.diagnostic(`share of the prefix: ${shares.map((s) => s.toFixed(2)).join(' ')}`);
    });

test('anthropic gets cache marks at the prompt with the tools, the question, and the newest result', async () => {
    const marked = (call) => [...call.body.system, ...call.body.messages.flatMap((m) => m.content)].filter((b) => b.cache_control).map((b) => b.text ?? b.type);
    const calls = ofSession('Marker-anthropic');
    const plain = calls.find((c) => c.userText.includes('number 3?'));
    assert.deepEqual(marked(plain).slice(1), [plain.userText]);
    const withResult = calls.find((c) => c.hasToolResult);
    assert.deepEqual(marked(withResult).slice(1), ['Marker-anthropic: what did I say about tea number 2?', 'tool_result']);
    for (const call of calls) assert.ok(marked(call).length <= 4, 'the API takes four');
});

test('tokens that a provider read from its cache, and those of reasoning, are counted, stored and shown', async () => {
    provider.next(async (call) => {
        await call.start();
        await call.text('Cheap.');
        await call.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })}\n\n`);
        await call.write(`data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 4000, completion_tokens: 20, prompt_tokens_details: { cached_tokens: 3000 }, completion_tokens_details: { reasoning_tokens: 12 } } })}\n\ndata: [DONE]\n\n`);
        await call.close();
    }, (call) => asksForAnswer(call) && call.userText === 'How cheap?');
    const sent = await send(anna, 'How cheap?', { choice: kinds.openai });
    await ended(anna, sent.turn);
    const message = (await sessionOf(anna, sent.session)).messages.at(-1);
    assert.deepEqual(message.usage, { input_tokens: 4000, output_tokens: 20, cached_tokens: 3000, reasoning_tokens: 12 });
    assert.match((await anna.get(`/s/${sent.session}`)).text, /4,000 tokens read \(75 % from a cache\), 20 written \(12 of them reasoning\)/);
});

test('a compaction begins a new prefix, which stays', async () => {
    const marker = 'Marker-compacted';
    let session = 'new';
    for (let i = 0; i < 11; i++) ({ session } = await exchange(anna, provider, `${marker} ${i}`, 'Yes.', { session, choice: kinds.openai }));
    provider.next(answers(JSON.stringify({ summary: 'Much was said.', facts: [] }), 64), asksForCompaction);
    assert.equal((await anna.postJson(`/api/sessions/${session}/compact`, {})).status, 202);
    await until('a compaction', async () => (await anna.getJson(`/api/sessions/${session}/compactions`)).compactions.length > 0);
    for (let i = 11; i < 14; i++) await exchange(anna, provider, `${marker} ${i}`, 'Yes.', { session, choice: kinds.openai });
    const calls = ofSession(`${marker} 10`).slice(-2);
    assert.match(calls[0].given, /Much was said/);
    assert.deepEqual(calls[1].body.messages[0], calls[0].body.messages[0]);
    assert.deepEqual(calls[1].body.messages.slice(1, calls[0].body.messages.length - 1), calls[0].body.messages.slice(1, -1));
});
