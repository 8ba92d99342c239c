// The ends of a turn by the model or its provider: each has its own word and sentence. Continue resumes a truncated
// answer. A paused answer continues by itself. A refused question is not sent again.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers, fails } from '../../fake/provider.js';
import { asksForAnswer, ended, exchange, provide, send, serveFile, sessionOf } from '../../lib/chat.js';

const provider = await provide();
const alfred = await serveFile({ env: { ...provider.env, ...provider.anthropicEnv }, config: { context: { model_window: 16_000 } } });
const anna = await alfred.admin('anna');
const CLAUDE = { choice: (await anna.getJson('/api/me')).choices.find((c) => c.kind === 'anthropic').value };

/** An answer with this text and this finish reason. */
const endsWith = (text, reason) => async (call) => {
    await call.start();
    if (text) await call.text(text);
    await call.end(reason);
};
async function ask(text, behave, options) {
    provider.next(behave, (call) => asksForAnswer(call) && call.asks(text));
    const sent = await send(anna, text, options);
    return { ...sent, end: await ended(anna, sent.turn) };
}
const newest = async (session) => (await sessionOf(anna, session)).messages.at(-1);
const page = async (session) => (await anna.get(`/s/${session}`)).text;
const said = (call) => call.body.messages.filter((m) => m.role !== 'system').map((m) => (typeof m.content === 'string' ? m.content : m.content.map((b) => b.text).join('|')));
const callFor = (text) => provider.calls.findLast((c) => asksForAnswer(c) && c.asks(text));

test('each end has its own word in the store and its own sentence on the page', async () => {
    const ends = [
        ['length', 'length', /length limit/, {}],
        ['model_length', 'window', /window is full/, {}],
        ['content_filter', 'filter', /content filter ended this answer/, {}],
        ['SAFETY', 'filter', /content filter ended this answer/, {}],
        ['max_tokens', 'length', /length limit/, CLAUDE],
        ['model_context_window_exceeded', 'window', /window is full. Alfred summarises/, CLAUDE],
        ['refusal', 'refusal', /declined to answer/, CLAUDE],
    ];
    for (const [reason, stop, sentence, options] of ends) {
        const { session, end } = await ask(`End with ${reason}`, endsWith('As far as it got.', reason), options);
        assert.equal(end.status, 'done', reason);
        assert.match(end.error, sentence);
        const message = await newest(session);
        assert.deepEqual([message.stop, message.text], [stop, 'As far as it got.']);
        const html = await page(session);
        assert.match(html, sentence);
        assert.equal(html.includes('>Continue</button>'), stop === 'length' || stop === 'window', reason);
    }
    const whole = await exchange(anna, provider, 'End as usual', 'The end.');
    assert.equal((await newest(whole.session)).stop, null);
    assert.doesNotMatch(await page(whole.session), />Continue<\/button>/);
});

test('a stop by length at the end of the window is a full window', async () => {
    const { session, end } = await ask('Fill the window', async (call) => {
        await call.start();
        await call.text('So much');
        const usage = { prompt_tokens: 15_000, completion_tokens: 1000 };
        await call.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'length' }] })}\n\ndata: ${JSON.stringify({ choices: [], usage })}\n\ndata: [DONE]\n\n`);
        await call.close();
    });
    assert.match(end.error, /window is full. Alfred summarises/);
    assert.equal((await newest(session)).stop, 'window');
});

test('Continue resumes a truncated answer, without a script', async () => {
    const { session } = await ask('Count to four', endsWith('One, two', 'length'));
    const html = await page(session);
    const form = html.match(/<form class="retry"[^>]*action="([^"]*)"[^>]*data-act="continue">(.*?)<\/form>/s);
    assert.ok(form, 'a form stands beneath the answer');
    const fields = Object.fromEntries([...form[2].matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    provider.next(answers(' three, four.'), (call) => asksForAnswer(call) && call.body.messages.at(-2)?.content === 'One, two');
    const sent = await anna.post(form[1], fields);
    assert.equal(sent.status, 303, sent.text);
    assert.deepEqual((await sessionOf(anna, session)).messages.map((m) => m.text), ['Count to four', 'One, two three, four.']);
    assert.doesNotMatch(await page(session), />Continue<\/button>/);
});

test('an answer that the provider pauses continues in the same message', async () => {
    provider.next(async (call) => {
        await call.start();
        await call.text('I search. ');
        await call.write(`event: content_block_stop\ndata: {"type":"content_block_stop","index":0}\n\n`);
        await call.write(`event: content_block_start\ndata: {"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"srv_1","name":"web_search","input":{}}}\n\n`);
        await call.write(`event: content_block_delta\ndata: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\\"query\\":\\"tea\\"}"}}\n\n`);
        await call.end('pause_turn');
    }, (call) => asksForAnswer(call) && call.userText === 'What is tea?');
    provider.next(endsWith('It is a plant.', 'stop'), (call) => asksForAnswer(call) && call.body.messages.at(-1).role === 'assistant');
    const sent = await send(anna, 'What is tea?', CLAUDE);
    const end = await ended(anna, sent.turn);
    assert.equal(end.status, 'done');
    assert.equal(end.error, null);
    const { messages } = await sessionOf(anna, sent.session);
    assert.deepEqual(messages.map((m) => m.text), ['What is tea?', 'I search. It is a plant.']);
    const again = provider.calls.findLast((c) => asksForAnswer(c) && c.body.messages.at(-1).role === 'assistant');
    assert.deepEqual(again.body.messages.at(-1).content, [
        { type: 'text', text: 'I search. ' },
        { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'tea' } },
    ], 'it gets back what it sent');
});

test('a provider that always pauses is given up after a few times', async () => {
    let asked = 0;
    provider.always((call) => {
        asked++;
        return endsWith('more ', 'pause_turn')(call);
    }, (call) => asksForAnswer(call) && JSON.stringify(call.body.messages).includes('Go on for ever'));
    const sent = await send(anna, 'Go on for ever', CLAUDE);
    const end = await ended(anna, sent.turn);
    assert.match(end.error, /paused this answer too often/);
    assert.equal(asked, 9);
    assert.equal((await newest(sent.session)).stop, 'paused');
});

test('a question that a provider refused is not sent again with the next one', async () => {
    const first = await exchange(anna, provider, 'A harmless question', 'A harmless answer.');
    const refused = await ask('A question that is not allowed', fails(400, { message: 'Your input was flagged' }), { session: first.session });
    assert.equal(refused.end.status, 'failed');
    assert.equal((await newest(first.session)).stop, 'rejected');
    await ask('Filtered without a word', endsWith('', 'content_filter'), { session: first.session });
    await exchange(anna, provider, 'And now?', 'Now this.', { session: first.session });
    assert.deepEqual(said(callFor('And now?')), ['A harmless question', 'A harmless answer.', 'And now?']);
    const { messages } = await sessionOf(anna, first.session);
    assert.equal(messages.length, 8, 'all of it stays in the session');
});

test('a question that failed for another reason is sent with the next one', async () => {
    provider.always(fails(500), (call) => asksForAnswer(call) && call.userText === 'Is anybody there?');
    const down = await send(anna, 'Is anybody there?');
    assert.equal((await ended(anna, down.turn)).status, 'failed');
    await exchange(anna, provider, 'Hello?', 'Hello.', { session: down.session });
    assert.deepEqual(said(callFor('Hello?')), ['Is anybody there?\n\nHello?']);
});
