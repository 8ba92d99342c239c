// Invalid answers that some providers send: the turn ends with the text or with a sentence, the session stays whole, and the
// next message is answered. The same for lists of models.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { answers, answersHtml, endlessHeaders, startProvider } from '../../fake/provider.js';
import { asksForAnswer, ended, provide, send, serveFile, sessionOf, wordsOf } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const MANY = 10_000, LONG = 1024 * 1024;

const list = async (behave) => {
    const provider = await startProvider();
    provider.lists(behave).always(answers('Fine.'));
    after(() => provider.stop());
    return provider;
};
const lists = {
    huge: await list((call) => call.json(JSON.stringify({ object: 'list', data: [...Array(50_000).keys()].map((i) => ({ id: `model-${i}`, object: 'model', created: 1, owned_by: 'x', meta: { n: i } })) }))),
    html: await list(answersHtml()),
    headers: await list(endlessHeaders()),
    redirect: await list(async (call) => { call.head(301, { location: 'https://example.org/' }); await call.close(); }),
    nothing: await list(async (call) => call.breakOff()),
    empty: await list((call) => call.json('')),
    odd: await list((call) => call.json('{"data":[{"id":7},{"id":""},null,[],{"id":"fine"},{"id":"has a blank"},{"id":"fine"}]}')),
};
const provider = await provide();
const block = (of, kind = 'openai') => ({ kind, base_url: kind === 'openai' ? `${of.url}/v1` : of.url });
const alfred = await serveFile({
    config: {
        models: { discover: 'no' },
        'provider.openai': { ...block(provider), model: 'test-model' },
        'provider.anthropic': { ...block(provider, 'anthropic'), model: 'test-model' },
        ...Object.fromEntries(Object.entries(lists).map(([name, of]) => [`provider.${name}`, block(of)])),
    },
});
const anna = await alfred.admin('anna');
const stream = alfred.pids('stream');

// The pieces of both protocols, as text.
const frame = (data) => `data: ${JSON.stringify(data)}\n\n`;
const delta = (call, d) => frame({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'test-model', choices: [{ index: 0, delta: d, finish_reason: null }] });
const block_ = (index, content) => frame({ type: 'content_block_start', index, content_block: content });
const textOf = (call, text) => (call.protocol === 'openai' ? delta(call, { content: text }) : frame({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }));
const toolOf = (call, i, index, id) =>
    call.protocol === 'openai'
        ? delta(call, { tool_calls: [{ index, id, type: 'function', function: { name: 'current_time', arguments: '{}' } }] })
        : block_(index + 1, { type: 'tool_use', id, name: 'current_time', input: {} });
/** Replaces a mark in a piece by bytes that are no text. */
const withBytes = (piece, bytes) => Buffer.concat(piece.split('MARK').flatMap((part, i) => (i ? [Buffer.from(bytes), Buffer.from(part)] : [Buffer.from(part)])));
const usage = (call, n) => (call.protocol === 'openai' ? frame({ id: 'c', object: 'chat.completion.chunk', choices: [], usage: { prompt_tokens: n, completion_tokens: n, prompt_tokens_details: { cached_tokens: n } } }) : frame({ type: 'message_delta', delta: {}, usage: { input_tokens: n, output_tokens: n, cache_read_input_tokens: n, cache_creation_input_tokens: n } }));

const says = (make, reason = 'stop') => async (call) => {
    await call.start();
    for (const piece of [make(call)].flat()) await call.write(piece);
    await call.end(reason);
};

/** [name, behaviour, {status, text, error}] */
const cases = [
    ['NUL, escaped', says((call) => textOf(call, 'a\u0000b')), { text: 'a\ufffdb' }],
    ['NUL, as a byte', says((call) => [textOf(call, 'Begun. '), withBytes(textOf(call, 'aMARKb'), [0])]), { status: 'failed', text: 'Begun. ', error: /cannot be read/ }],
    ['half a character in each of two events', says((call) => [withBytes(textOf(call, 'cafMARK'), [0xc3]), withBytes(textOf(call, 'MARK!'), [0xa9])]), { text: 'caf\u00e9!' }],
    ['half a character at the end', says((call) => withBytes(textOf(call, 'cafMARK'), [0xc3])), { text: 'caf\ufffd' }],
    ['nearly 1 MB in one delta', says((call) => textOf(call, 'x'.repeat(LONG - 1024))), { text: 'x'.repeat(LONG - 1024) }],
    ['over 1 MB in one delta', says((call) => [textOf(call, 'Begun. '), textOf(call, 'x'.repeat(LONG))]), { status: 'failed', text: 'Begun. ', error: /sent more at once than can be read/ }],
    ['10,000 tool calls', says((call) => [textOf(call, 'Let me see.'), Array.from({ length: MANY }, (_, i) => toolOf(call, i, i, `call_${i}`)).join('')], 'tool_calls'), { status: 'failed', text: 'Let me see.', error: /called too many tools at once/ }],
    ['usage of -1', says((call) => [textOf(call, 'Fine.'), usage(call, -1)]), { text: 'Fine.' }],
    ['usage beyond all numbers', says((call) => [textOf(call, 'Fine.'), usage(call, Number.MAX_SAFE_INTEGER), usage(call, 9e18)]), { text: 'Fine.' }],
    ['another model than requested', says((call) => (call.protocol === 'openai' ? frame({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'another', choices: [{ index: 0, delta: { content: 'Mine.' }, finish_reason: null }] }) : [frame({ type: 'message_start', message: { id: 'm', model: 'another', content: [], usage: {} } }), textOf(call, 'Mine.')])), { text: 'Mine.' }],
    ['header lines without end', endlessHeaders(), { status: 'failed', error: /has too many header lines/ }],
    ['a redirect', async (call) => { call.head(307, { location: '/elsewhere' }); await call.close(); }, { status: 'failed', error: /redirects to another address \(307\)\. Is its base_url right\?/ }],
    ['no byte', async (call) => call.breakOff(), { status: 'failed', error: /closed the connection without an answer/ }],
    ['a head and no body', async (call) => { call.head(200, { 'content-type': 'text/event-stream' }); await call.close(); }, { status: 'failed', error: /gave an empty answer/ }],
    ['comments alone', async (call) => { call.head(200, { 'content-type': 'text/event-stream' }); await call.write(': keep-alive\n\n: keep-alive\n\n'); await call.close(); }, { status: 'failed', error: /gave an empty answer/ }],
    ['events without content', says((call) => ['data:\n\n', textOf(call, 'Fi'), 'data: null\n\n', 'event: ping\ndata: \n\n', textOf(call, 'ne.')]), { text: 'Fine.' }],
    ['a failure in plain words', says((call) => [textOf(call, 'Begun. '), 'data: The model ran out of memory.\n\n']), { status: 'failed', text: 'Begun. ', error: /internal error \(500\)\. It said: The model ran out of memory\./ }],
    ['a refusal in plain words', async (call) => { call.head(422, { 'content-type': 'text/plain' }); await call.write('Failed to deserialize the JSON body: tools[0]'); await call.close(); }, { status: 'failed', error: /does not accept the request \(422\)\. It said: Failed to deserialize/ }],
    ['white space alone', says((call) => textOf(call, '\n\n ')), { status: 'failed', error: /gave an empty answer/ }],
    ['not HTTP', async (call) => { await call.bytes('SSH-2.0-OpenSSH_9.6\r\n'); call.breakOff(); }, { status: 'failed', error: /does not speak HTTP|closed the connection/ }],
    ['events that are lists and numbers', async (call) => { call.head(200, { 'content-type': 'text/event-stream' }); await call.write('data: [1,2]\n\ndata: 7\n\n'); await call.close(); }, { status: 'failed', error: /cannot be read/ }],
];

for (const kind of ['openai', 'anthropic'])
    for (const [name, behave, { status = 'done', text = '', error = null }] of cases)
        test(`${kind}: ${name}`, async () => {
            const question = `${kind}: ${name}`, mine = (call) => asksForAnswer(call) && call.userText === question;
            provider.always(behave, mine);
            const sent = await send(anna, question, { choice: `${kind}/test-model` });
            // Not by the events: a reader of a megabyte at once may have to connect again.
            const [asked, answer, ...more] = await until('the turn ends', async () => {
                const { session, messages } = await sessionOf(anna, sent.session);
                return !session.running && messages;
            });
            assert.equal(answer.status, status, answer.error);
            if (error) assert.match(answer.error, error);
            else assert.equal(answer.error, null);
            assert.deepEqual([asked.text, answer.text, more], [question, text, []]);
            assert.ok(Object.values(answer.usage ?? {}).every((n) => n >= 0 && n < 1e10), JSON.stringify(answer.usage));
            assert.equal((await anna.get(`/s/${sent.session}`)).status, 200);
            provider.next(answers('All is well.'), (call) => asksForAnswer(call) && call.userText.endsWith(', and then?'));
            const next = await ended(anna, (await send(anna, `${question}, and then?`, { session: sent.session })).turn);
            assert.equal(next.status, 'done', next.error);
            assert.deepEqual(alfred.pids('stream'), stream, 'the program lives');
        });

for (const [kind, index, ids] of [
    ['openai', [0, 0], ['call_a', 'call_b']],
    ['openai', [0, 0], ['', '']],
    ['anthropic', [0, 0], ['toolu_a', 'toolu_b']],
    ['anthropic', [0, 1], ['toolu_same', 'toolu_same']],
])
    test(`${kind}: tool calls ${ids.map((id, i) => `"${id}" at index ${index[i]}`).join(' and ')}`, async () => {
        const question = `Twice ${kind} ${ids}`, mine = (call) => asksForAnswer(call) && call.prompt.includes(question);
        provider.next(says((call) => ids.map((id, i) => toolOf(call, i, index[i], id)), 'tool_calls'), mine);
        provider.next(answers('Two times.'), mine);
        const sent = await send(anna, question, { choice: `${kind}/test-model` });
        assert.equal((await ended(anna, sent.turn)).status, 'done');
        const { messages } = await sessionOf(anna, sent.session);
        assert.equal(messages.at(-1).text, 'Two times.');
        const results = messages.filter((m) => m.role === 'tool');
        assert.ok(results.length >= 1 && results.length <= 2, `${results.length} results`);
        const next = provider.calls.findLast(mine).body.messages;
        const called = next.flatMap((m) => m.tool_calls?.map((c) => c.id) ?? (Array.isArray(m.content) ? m.content.filter((b) => b.type === 'tool_use').map((b) => b.id) : []));
        assert.equal(called.length, results.length);
        assert.equal(new Set(called).size, called.length, 'each call has an id of its own');
    });

test('anthropic: thinking without its signature does not go back', async () => {
    const question = 'Think, unsigned', mine = (call) => asksForAnswer(call) && call.userText.endsWith(question);
    provider.next(async (call) => {
        await call.start();
        await call.write(block_(1, { type: 'thinking', thinking: '' }) + frame({ type: 'content_block_delta', index: 1, delta: { type: 'thinking_delta', thinking: 'Hm.' } }));
        await call.text('Thought.');
        await call.end();
    }, mine);
    const sent = await send(anna, question, { choice: 'anthropic/test-model' });
    assert.equal((await ended(anna, sent.turn)).status, 'done');
    provider.next(answers('Again.'), (call) => asksForAnswer(call) && call.userText.endsWith('Once more'));
    await ended(anna, (await send(anna, 'Once more', { session: sent.session })).turn);
    const { messages } = provider.calls.findLast((call) => asksForAnswer(call)).body;
    assert.deepEqual(messages[1].content.map((b) => [b.type, b.text]), [['text', 'Thought.']]);
});

test('lists of models: each provider shows the error of its list, and the others are listed', async () => {
    const page = (await anna.get('/connect')).text;
    const of = (name) => wordsOf(page.match(new RegExp(`aria-labelledby="p-${name}".*?</section>`, 's'))[0]);
    for (const [name, pattern] of [
        ['huge', /Only the first 1,000 models of its list are offered/],
        ['html', /cannot be read\. Is its base_url right\?/],
        ['headers', /has too many header lines/],
        ['redirect', /redirects to another address \(301\)\. Is its base_url right\?/],
        ['nothing', /closed the connection without an answer/],
        ['empty', /cannot be read/],
    ])
        assert.match(of(name), pattern, name);
    // The start waits 3 s for all lists, which a busy machine may need; a further failure is not logged again.
    assert.match(alfred.logs(), /warn \w+\[\d+\] nothing: the list of models could not be read: (\S+ closed the connection without an answer|The answer from nothing took too long|nothing has been silent for 3 seconds)/);
    const count = async (name) => (await anna.getJson(`/api/models?limit=1000&q=${name}/`)).total;
    assert.equal(await count('huge'), 1000);
    assert.equal(await count('odd'), 1);
    const tested = await alfred.cli(['provider', 'test', 'huge']);
    assert.match(tested.stdout, /Models +ok +1,000 in the list\. The list has more\./);
});
