// Reasoning: stored with its step, given back to the provider and the model it came from as each of them demands, to nobody
// else; folded on the page; not searched and not exported.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, ended, eventsOf, exchange, provide, send, serveFile, sessionOf } from '../../lib/chat.js';

const provider = await provide();
const alfred = await serveFile({
    env: { ...provider.env, ...provider.anthropicEnv },
    config: {
        'provider.thinker': { kind: 'openai', base_url: `${provider.url}/v1`, model: 'gpt-5-mini', api: 'chat' },
        'provider.claude': { kind: 'anthropic', base_url: provider.url, model: 'claude-opus-5' },
    },
});
const anna = await alfred.admin('anna');
const all = (await anna.getJson('/api/me')).choices;
const choices = Object.fromEntries(['openai', 'anthropic'].map((name) => [name, all.find((c) => c.provider === name).value]));

const sse = (call, data, name) => call.write(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
const chunk = (call, delta, finish = null) => sse(call, { choices: [{ index: 0, delta, finish_reason: finish }] });
/** OpenAI's protocol: these deltas, then the end. */
const deltas = (list, finish = 'stop') => async (call) => {
    call.head(200, { 'content-type': 'text/event-stream' });
    for (const delta of list) await chunk(call, delta);
    await chunk(call, {}, finish);
    await call.write('data: [DONE]\n\n');
    await call.close();
};
const tool = (more = {}) => ({ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'current_time', arguments: '{}' }, ...more }] });
/** Anthropic's: these blocks as [start, ...deltas]. */
const blocks = (list, stop = 'end_turn') => async (call) => {
    call.head(200, { 'content-type': 'text/event-stream' });
    await sse(call, { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 7, output_tokens: 1 } } }, 'message_start');
    for (const [index, [start, ...pieces]] of list.entries()) {
        await sse(call, { type: 'content_block_start', index, content_block: start }, 'content_block_start');
        for (const delta of pieces) await sse(call, { type: 'content_block_delta', index, delta }, 'content_block_delta');
        await sse(call, { type: 'content_block_stop', index }, 'content_block_stop');
    }
    await sse(call, { type: 'message_delta', delta: { stop_reason: stop }, usage: { output_tokens: 5 } }, 'message_delta');
    await sse(call, { type: 'message_stop' }, 'message_stop');
    await call.close();
};
const has = (call, text) => asksForAnswer(call) && call.raw.includes(text);
const lastWith = (text) => provider.calls.findLast((c) => has(c, text));

/** A question whose answer calls the clock first; `step` is what the model sends for it. */
async function withTool(text, step, answer, options) {
    provider.next(step, (c) => has(c, text) && !c.hasToolResult);
    provider.next(answer, (c) => has(c, text) && c.hasToolResult);
    const sent = await send(anna, text, options);
    const end = await ended(anna, sent.turn);
    assert.equal(end.status, 'done', end.error);
    return { ...sent, end };
}

test('anthropic: thinking goes back with its signature, redacted thinking as it is, only in its turn', async () => {
    const text = 'What time is it, Claude?';
    const { session } = await withTool(text, blocks([
        [{ type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: 'The user ' }, { type: 'thinking_delta', thinking: 'wants the time.' }, { type: 'signature_delta', signature: 'c2ln' }],
        [{ type: 'redacted_thinking', data: 'b3BhcXVl' }],
        [{ type: 'text', text: '' }, { type: 'text_delta', text: 'Let me look. ' }],
        [{ type: 'tool_use', id: 'toolu_1', name: 'current_time', input: {} }, { type: 'input_json_delta', partial_json: '{}' }],
    ], 'tool_use'), blocks([[{ type: 'text', text: '' }, { type: 'text_delta', text: 'Noon.' }]]), { choice: choices.anthropic });
    const wanted = [
        { type: 'thinking', thinking: 'The user wants the time.', signature: 'c2ln' },
        { type: 'redacted_thinking', data: 'b3BhcXVl' },
        { type: 'text', text: 'Let me look. ' },
        { type: 'tool_use', id: 'toolu_1', name: 'current_time', input: {} },
    ];
    const step = provider.calls.findLast((c) => has(c, text) && c.hasToolResult);
    assert.deepEqual(step.body.messages.find((m) => m.role === 'assistant').content, wanted);
    await exchange(anna, provider, 'Thank you, Claude', 'Gladly.', { session });
    const next = lastWith('Thank you, Claude').body.messages.find((m) => m.role === 'assistant').content;
    assert.deepEqual(next.map((b) => b.type), ['text', 'tool_use'], 'the API takes thinking of earlier turns only behind the same prompt');

    await exchange(anna, provider, 'And what does another one say?', 'The same.', { session, choice: choices.openai });
    const other = lastWith('another one say').raw.toString('utf8');
    assert.doesNotMatch(other, /wants the time|c2ln|b3BhcXVl|thinking/, 'nothing of it goes to another provider');
    assert.match(other, /Let me look/);
});

test('reasoning_content goes back with an answer that calls tools, and only with that', async () => {
    const text = 'What time is it, DeepSeek?';
    const { session } = await withTool(text, deltas([{ reasoning_content: 'I need ' }, { reasoning_content: 'the clock.' }, tool()], 'tool_calls'), deltas([{ reasoning_content: 'It is noon then.' }, { content: 'Noon.' }]), { choice: choices.openai });
    await exchange(anna, provider, 'Thank you, DeepSeek', 'Gladly.', { session });
    const sent = lastWith('Thank you, DeepSeek').body.messages.filter((m) => m.role === 'assistant');
    assert.deepEqual(sent.map((m) => m.reasoning_content), ['I need the clock.', undefined]);
    await exchange(anna, provider, 'And Claude?', 'Hm.', { session, choice: choices.anthropic });
    assert.doesNotMatch(lastWith('And Claude?').raw.toString('utf8'), /the clock\.|It is noon then/);
});

test("OpenRouter's reasoning_details and Gemini's signature of a call go back as they came", async () => {
    const text = 'What time is it, router?';
    const details = [{ type: 'reasoning.text', text: 'Look at the clock.', signature: 's', format: 'anthropic-claude-v1', index: 0 }];
    const { session } = await withTool(text, deltas([{ reasoning: 'Look at ', reasoning_details: [{ ...details[0], text: 'Look at ', signature: null }] }, { reasoning: 'the clock.', reasoning_details: [{ ...details[0], text: 'the clock.' }] }, tool()], 'tool_calls'), answers('Noon.'), { choice: choices.openai });
    const step = provider.calls.findLast((c) => has(c, text) && c.hasToolResult).body.messages.find((m) => m.role === 'assistant');
    assert.deepEqual(step.reasoning_details, details);
    assert.equal(step.reasoning, undefined, 'it is in the details');

    const question = 'What time is it, Gemini?';
    const extra = { google: { thought_signature: 'Z2Vt' } };
    await withTool(question, deltas([tool({ extra_content: extra })], 'tool_calls'), answers('Noon.'), { session, choice: choices.openai });
    const gemini = provider.calls.findLast((c) => has(c, question) && c.hasToolResult).body.messages.findLast((m) => m.role === 'assistant');
    assert.deepEqual(gemini.tool_calls[0].extra_content, extra);
});

test('it streams, and is folded on the page with how long it took; <think> at the start is the same', async () => {
    const sent = await send(anna, 'Think aloud', { choice: choices.openai });
    const call = await provider.call((c) => has(c, 'Think aloud'));
    const page = await eventsOf(anna, sent.turn);
    const api = await anna.events(`/api/turns/${sent.turn}/events`);
    await page.until((e) => e.event === 'turn');
    await call.start();
    await call.text('<th');
    await call.text('ink>Hmm, <b>tea</b>');
    const [piece] = (await page.until((e) => e.event === 'think')).slice(-1);
    assert.equal(JSON.parse(piece.data).text, 'Hmm, <b>tea</b>');
    const [status] = (await api.until((e) => e.event === 'status')).slice(-1);
    assert.deepEqual(JSON.parse(status.data), { status: 'thinking', text: 'Hmm, <b>tea</b>' });
    const later = await eventsOf(anna, sent.turn);
    const [all] = (await later.until((e) => e.event === 'think')).slice(-1);
    assert.deepEqual(JSON.parse(all.data), { text: 'Hmm, <b>tea</b>', whole: true }, 'a reader that comes later gets all of it');
    await call.text(' or xylitol?</think>\n\nTea.');
    await call.end();
    const end = JSON.parse((await page.until((e) => e.event === 'end')).at(-1).data);
    const folded = /<details class="used thought"><summary>.*?Thought for (a moment|\d+ s)<.*?<pre [^>]*>Hmm, &lt;b&gt;tea&lt;\/b&gt; or xylitol\?<\/pre><\/details>/s;
    assert.match(end.html, folded);
    assert.match((await anna.get(`/s/${sent.session}`)).text, folded);
    const message = (await sessionOf(anna, sent.session)).messages.at(-1);
    assert.deepEqual([message.text, message.reasoning], ['Tea.', 'Hmm, <b>tea</b> or xylitol?']);
    assert.ok(message.reasoning_ms >= 0);
    await exchange(anna, provider, 'And now without', 'Done.', { session: sent.session });
    assert.doesNotMatch(lastWith('And now without').raw.toString('utf8'), /xylitol/, 'nobody wants it back');
    const found = await anna.getJson('/api/search?q=xylitol');
    assert.deepEqual(found.hits, [], 'it is not searched');
});

test('an answer with only the tag that closes the reasoning is divided there when it ends', async () => {
    const texts = { 'Think unseen': 'The user wants tea.\n</think>\n\nTea.', 'Say no more': 'Only this.\n</think>\n', 'Explain the tag': 'It is written so:\n```\n</think>\n```\nNo more.' };
    const got = [];
    for (const [question, answer] of Object.entries(texts)) {
        const { session } = await exchange(anna, provider, question, answer, { choice: choices.openai });
        const { text, reasoning } = (await sessionOf(anna, session)).messages.at(-1);
        got.push([text, reasoning ?? '']);
    }
    assert.deepEqual(got, [['Tea.', 'The user wants tea.'], [texts['Say no more'], ''], [texts['Explain the tag'], '']]);
});

test('the effort can be chosen where the model takes one, the session keeps it, and no other model gets it', async () => {
    assert.deepEqual(all.filter((c) => c.effort).map((c) => c.value), ['thinker/gpt-5-mini', 'claude/claude-opus-5']);
    const ask = async (text, options) => {
        await exchange(anna, provider, text, 'Yes.', options).then((s) => (session = s.session));
        return lastWith(text).body;
    };
    let session;
    const first = await ask('With little effort', { choice: 'thinker/gpt-5-mini', effort: 'low' });
    assert.equal(first.reasoning_effort, 'low');
    assert.equal((await ask('And again', { session })).reasoning_effort, 'low', 'the session keeps it');
    assert.equal((await sessionOf(anna, session)).session.effort, 'low');
    const page = (await anna.get(`/s/${session}`)).text;
    assert.match(page, /<option [^>]*value="thinker\/gpt-5-mini" data-effort selected>/);
    assert.match(page, /<select name="effort">.*<option value="low" selected>Low effort<\/option>/);
    const claude = await ask('With Claude', { session, choice: 'claude/claude-opus-5', effort: 'high' });
    assert.deepEqual([claude.output_config, claude.reasoning_effort], [{ effort: 'high' }, undefined]);
    const plain = await ask('With another', { session, choice: choices.openai });
    assert.deepEqual([plain.output_config, plain.reasoning_effort], [undefined, undefined]);
    assert.equal((await ask('As usual', { session, choice: 'thinker/gpt-5-mini', effort: '' })).reasoning_effort, undefined);
    assert.equal((await sessionOf(anna, session)).session.effort, null);
    const bad = await anna.postJson(`/api/sessions/${session}/messages`, { text: 'x', effort: 'extreme' });
    assert.equal(bad.status, 400);
});

test('a model that refuses an effort answers with its default, says so once, and the session has that', async () => {
    const refuse = async (call) => call.fail(400, { message: 'Function tools with reasoning_effort are not supported for gpt-5-mini in /v1/chat/completions. Please use /v1/responses instead.' });
    provider.next(refuse, (c) => has(c, 'Think hard') && c.body.reasoning_effort === 'high');
    provider.next(answers('Done.'), (c) => has(c, 'Think hard') && c.body.reasoning_effort === undefined);
    const sent = await send(anna, 'Think hard', { choice: 'thinker/gpt-5-mini', effort: 'high' });
    const end = await ended(anna, sent.turn);
    assert.equal(end.status, 'done');
    assert.match(end.error, /its default/);
    assert.ok(lastWith('Think hard').body.tools.length > 0, 'the tools stay');
    assert.equal((await sessionOf(anna, sent.session)).session.effort, null);
    const next = await exchange(anna, provider, 'And now?', 'Fine.', { session: sent.session });
    assert.equal(next.end.error, null);
});
