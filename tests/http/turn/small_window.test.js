// A model with a small window: all parts of a request share it, and a tool's result leaves the model room to continue.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, asksForCompaction, asksForSummary, exchange, exchangeWithTool, provide, serveFile } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const WINDOW = 4096;
const BYTES_PER_TOKEN = 3;
const provider = await provide();
provider.always(answers('A note.'), asksForSummary);
const alfred = await serveFile({
    env: provider.env,
    config: { jobs: { retry_seconds: 0 }, context: { compact_messages: 22, model_window: WINDOW } },
});
const anna = await alfred.admin('anna');

/** Alfred's estimate: three bytes per token of texts and schemas, without the JSON around them. */
function tokens({ messages, tools = [] }) {
    const texts = messages.flatMap((m) => [m.content ?? '', ...(m.tool_calls ?? []).map((c) => c.function.arguments)]);
    const schemas = tools.flatMap((t) => [t.function.name, t.function.description, JSON.stringify(t.function.parameters)]);
    return [...texts, ...schemas].reduce((sum, s) => sum + Math.floor(Buffer.byteLength(s) / BYTES_PER_TOKEN) + 4, 0);
}
const callFor = (text) => provider.calls.findLast((c) => asksForAnswer(c) && c.asks(text));
const systemOf = (call) => call.given;
const toolsOf = (call) => (call.body.tools ?? []).map((t) => t.function.name);

/** The model calls one tool, then answers; returns the request with the tool's result. */
const withTool = async (text, name, args, session) => (await exchangeWithTool(anna, provider, text, name, args, { session })).second;

test('facts, the focus, a compaction and tools leave room for the question and its answer', async () => {
    for (let i = 0; i < 20; i++) {
        await anna.postJson('/api/memories', { text: `Tea number ${i}: the user likes tea with ${'<milk> '.repeat(8)}`, permanent: true });
        await anna.postJson('/api/tasks', { text: `Buy tea ${i} ${'<and> '.repeat(8)}` });
    }
    let session = 'new';
    const big = '<tea> '.repeat(250);
    provider.always(answers(JSON.stringify({ summary: `We spoke of tea. ${'<tea> '.repeat(900)}`, facts: ['Anna likes tea.'] }), 64), asksForCompaction);
    for (let i = 0; i < 13; i++)
        ({ session } = await exchange(anna, provider, `Question ${i}`, `Answer ${i}. ${big}`, { session }));
    await until('a compaction', async () => (await anna.getJson(`/api/sessions/${session}/compactions`)).compactions.length > 0);
    await withTool('List them', 'list_tasks', {}, session);
    const question = `Which tea do I like with milk? ${'please '.repeat(100)}`.trim();
    await exchange(anna, provider, question, 'All.', { session });
    const call = callFor(question);
    for (const block of ['stored_facts', 'spoken_of', 'earlier_conversation'])
        assert.equal(systemOf(call).split(`</${block}>`).length, 2, `${block} is there, whole`);
    assert.equal(call.userText, question);
    assert.ok(tokens(call.body) <= WINDOW - WINDOW / 4, `${tokens(call.body)} tokens`);
    assert.ok(toolsOf(call).includes('remember') && !toolsOf(call).includes('read_messages'), `${toolsOf(call)}`);
});

test("a tool's result fits the rest of the window", async () => {
    const long = 'A long story about <dragons>. '.repeat(200);
    const { session } = await exchange(anna, provider, 'Tell me of dragons', long);
    await exchange(anna, provider, 'And of <dragons> again', long, { session });
    for (const [name, args] of [['read_messages', { last: 200, session }], ['search_sessions', { query: 'dragons', top_k: 10 }], ['list_tasks', {}]]) {
        const next = await withTool(`Use ${name}`, name, args);
        const result = next.body.messages.findLast((m) => m.role === 'tool').content;
        assert.equal(typeof JSON.parse(result), 'object', 'it is whole JSON');
        assert.ok(result.length > 400, `${name} gives what it can: ${result}`);
        assert.ok(tokens(next.body) <= WINDOW - WINDOW / 4, `${name}: ${tokens(next.body)} tokens`);
    }
});
