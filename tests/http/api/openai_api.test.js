// /v1 with the official client of OpenAI, unmodified.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';

import OpenAI from 'openai';

import { asksForAnswer, eventsOf, provide, serveFile } from '../../lib/chat.js';
import { png } from '../../lib/picture.js';
import { until } from '../../lib/rig.js';

process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; // the certificate of the rig
const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');
const bob = await alfred.user('bob');

async function token(client, more = {}) {
    const made = await client.postJson('/api/tokens', { name: 'client', scopes: 'chat', ...more });
    assert.equal(made.status, 201, made.text);
    return made.json.secret;
}
const client = (apiKey, more = {}) => new OpenAI({ apiKey, baseURL: new URL('/v1', anna.base).href, maxRetries: 0, ...more });
const ai = client(await token(anna));
const [{ id: model }] = (await ai.models.list()).data;
const tell = (content) => [{ role: 'user', content }];
const asked = (text) => provider.call((c) => asksForAnswer(c) && c.asks(text));
const messagesOf = async (session) => (await anna.getJson(`/api/sessions/${session}/messages?limit=100`)).messages;
/** Starts a request and answers it; gives the response with its session. */
async function exchange(text, answer, body = {}, options = {}) {
    const running = ai.chat.completions.create({ model, messages: tell(text), ...body }, options).withResponse();
    const call = await asked(text);
    await call.start();
    await call.text(answer);
    await call.end();
    const { data, response } = await running;
    return { data, call, session: response.headers.get('x-session-id') };
}

test('models are listed and read', async () => {
    const list = (await ai.models.list()).data;
    assert.ok(list.every((m) => m.object === 'model' && m.id && m.owned_by));
    assert.equal((await ai.models.retrieve(model)).id, model);
    await assert.rejects(ai.models.retrieve('nothing/like-it'), (e) => e instanceof OpenAI.NotFoundError && e.code === 'model_not_found');
});

test('an answer at once, stored as a session that the browser sees', async () => {
    const { data, call, session } = await exchange('Say hi', 'Hi there', { temperature: 0.5, max_tokens: 77 });
    assert.equal(data.object, 'chat.completion');
    assert.deepEqual(data.choices[0].message.content, 'Hi there');
    assert.equal(data.choices[0].finish_reason, 'stop');
    assert.deepEqual([data.usage.prompt_tokens, data.usage.completion_tokens, data.usage.total_tokens], [7, 5, 12]);
    assert.equal(data.model, model);
    // The context is the client's alone: no prompt, tool or fact of Alfred's.
    assert.deepEqual(call.body.messages.map((m) => m.role), ['user']);
    assert.equal(call.body.tools, undefined);
    assert.equal(call.body.temperature, 0.5);
    const stored = await messagesOf(session);
    assert.deepEqual(stored.map((m) => [m.role, m.text, m.status]), [['user', 'Say hi', 'done'], ['assistant', 'Hi there', 'done']]);
    assert.ok((await anna.get(`/s/${session}`)).text.includes('Hi there'));
});

test('a stream with usage, followed live in the browser', async () => {
    const stream = await (async () => {
        const running = ai.chat.completions.create({ model, messages: [{ role: 'system', content: 'Be brief.' }, ...tell('Stream this')], stream: true, stream_options: { include_usage: true } }).withResponse();
        const call = await asked('Stream this');
        assert.equal(call.body.messages[0].content, 'Be brief.');
        await call.start();
        await call.text('One ');
        const { data, response } = await running;
        return { data, call, session: response.headers.get('x-session-id') };
    })();
    const { turn } = await anna.getJson(`/api/sessions/${stream.session}`);
    const events = await eventsOf(anna, turn);
    await events.until((e) => e.data.includes('One'));
    await stream.call.text('two');
    await stream.call.end();
    let text = '';
    const chunks = [];
    for await (const chunk of stream.data) {
        chunks.push(chunk);
        text += chunk.choices[0]?.delta.content ?? '';
    }
    assert.equal(text, 'One two');
    assert.equal(chunks[0].choices[0].delta.role, 'assistant');
    assert.equal(chunks.at(-2).choices[0].finish_reason, 'stop');
    assert.deepEqual(chunks.at(-1).choices, []);
    assert.equal(chunks.at(-1).usage.total_tokens, 12);
    assert.equal(new Set(chunks.map((c) => c.id)).size, 1);
    await events.until((e) => e.event === 'end');
});

test('a conversation goes on in its session, and another one begins a new session', async () => {
    const first = await exchange('What is a mast?', 'A pole on a ship.');
    const history = [...tell('What is a mast?'), { role: 'assistant', content: 'A pole on a ship.' }];
    const second = await exchange('And a sail?', 'Cloth on it.', { messages: [{ role: 'system', content: 'Now with a system prompt' }, ...history, ...tell('And a sail?')] });
    assert.equal(second.session, first.session);
    assert.deepEqual((await messagesOf(first.session)).map((m) => m.text), ['What is a mast?', 'A pole on a ship.', 'And a sail?', 'Cloth on it.']);
    // The same beginning with another question is a branch.
    const branch = await exchange('And a keel?', 'Below.', { messages: [...history, ...tell('And a keel?')] });
    assert.equal(branch.session, first.session);
    assert.deepEqual((await messagesOf(first.session)).map((m) => m.text), ['What is a mast?', 'A pole on a ship.', 'And a keel?', 'Below.']);
    // A history that was never seen is stored whole.
    const strange = await exchange('Go on', 'Gladly.', { messages: [...tell('Tell me a tale'), { role: 'assistant', content: 'Once upon a time' }, ...tell('Go on')] });
    assert.notEqual(strange.session, first.session);
    assert.deepEqual((await messagesOf(strange.session)).map((m) => m.text), ['Tell me a tale', 'Once upon a time', 'Go on', 'Gladly.']);
    // A deleted session is not found again.
    assert.equal((await anna.request('DELETE', `/api/sessions/${first.session}`)).status, 200);
    const after = await exchange('And a rope?', 'Long.', { messages: [...history, ...tell('And a rope?')] });
    assert.notEqual(after.session, first.session);
});

test('a client names its conversation by metadata or header', async () => {
    const first = await exchange('Named one', 'Yes', { metadata: { session_id: 'conv-1' } });
    const second = await exchange('Named two', 'Yes again', { messages: tell('Named two') }, { headers: { 'X-Session-Id': 'conv-1' } });
    assert.equal(second.session, first.session);
    const third = await exchange('By its id', 'Sure', {}, { headers: { 'X-Session-Id': first.session } });
    assert.equal(third.session, first.session);
    assert.equal((await messagesOf(first.session)).length, 6);
    // Another user's session does not exist.
    const his = client(await token(bob));
    await assert.rejects(his.chat.completions.create({ model, messages: tell('x'), metadata: { session_id: first.session } }), (e) => e.status === 404 && e.code === 'session_not_found');
});

test('parallel requests with one history are answered, those that find its session busy in their own', async () => {
    const first = await exchange('Name a planet', 'Mars.');
    const messages = [...tell('Name a planet'), { role: 'assistant', content: 'Mars.' }, ...tell('How far away?')];
    let open;
    const all = new Promise((resolve) => (open = resolve));
    const holds = async (call) => {
        assert.deepEqual(call.body.messages, messages);
        await call.start();
        await call.text('Far');
        await all;
        await call.end();
    };
    provider.always(holds, (c) => asksForAnswer(c) && c.asks('How far away?'));
    const streams = await Promise.all([1, 2, 3].map(() => ai.chat.completions.create({ model, messages, stream: true }).withResponse()));
    open(); // all three have begun
    for (const { data } of streams) {
        let text = '';
        for await (const chunk of data) text += chunk.choices[0].delta.content ?? '';
        assert.equal(text, 'Far');
    }
    const sessions = streams.map((s) => s.response.headers.get('x-session-id'));
    assert.equal(new Set(sessions).size, 3);
    assert.ok(sessions.includes(first.session));
    for (const session of sessions) assert.deepEqual((await messagesOf(session)).map((m) => m.text), ['Name a planet', 'Mars.', 'How far away?', 'Far']);
    // A session that the program names is busy for it.
    const headers = { 'X-Session-Id': first.session };
    const one = ai.chat.completions.create({ model, messages: tell('In miles?') }, { headers });
    const call = await asked('In miles?');
    await assert.rejects(ai.chat.completions.create({ model, messages: tell('In feet?') }, { headers }), (e) => e.status === 409 && e.code === 'conflict');
    await call.start();
    await call.text('Many.');
    await call.end();
    await one;
});

const weather = { type: 'function', function: { name: 'get_weather', description: 'The weather', parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } } };

for (const stream of [false, true]) {
    test(`the client's tools are passed through and back, ${stream ? 'streamed' : 'at once'}`, async () => {
        const question = `Weather in Ulm? ${stream}`;
        const running = ai.chat.completions.create({ model, messages: tell(question), tools: [weather], stream }).withResponse();
        const call = await asked(question);
        assert.deepEqual(call.body.tools.map((t) => t.function.name), ['get_weather']);
        await call.start();
        await call.toolCall('get_weather', { city: 'Ulm' }, 'call_w');
        await call.end('tool_calls');
        const { data, response } = await running;
        let message, finish;
        if (stream) {
            message = { role: 'assistant', content: null, tool_calls: [] };
            for await (const chunk of data) {
                for (const { index, ...rest } of chunk.choices[0].delta.tool_calls ?? []) message.tool_calls[index] = rest;
                finish = chunk.choices[0].finish_reason ?? finish;
            }
        } else ({ message, finish_reason: finish } = data.choices[0]);
        assert.equal(finish, 'tool_calls');
        assert.equal(message.tool_calls[0].function.name, 'get_weather');
        assert.deepEqual(JSON.parse(message.tool_calls[0].function.arguments), { city: 'Ulm' });
        const result = { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'Sunny' };
        const again = ai.chat.completions.create({ model, messages: [...tell(question), message, result], tools: [weather] }).withResponse();
        const next = await provider.call((c) => asksForAnswer(c) && JSON.stringify(c.body.messages).includes('Sunny') && c.userText === question);
        assert.deepEqual(next.body.messages.map((m) => m.role), ['user', 'assistant', 'tool']);
        await next.start();
        await next.text('It is sunny.');
        await next.end();
        const end = await again;
        assert.equal(end.data.choices[0].message.content, 'It is sunny.');
        const session = response.headers.get('x-session-id');
        assert.equal(end.response.headers.get('x-session-id'), session);
        const stored = await messagesOf(session);
        assert.deepEqual(stored.map((m) => [m.role, m.text]), [['user', question], ['assistant', ''], ['tool', 'Sunny'], ['assistant', 'It is sunny.']]);
        assert.deepEqual(stored[1].calls.map((c) => c.name), ['get_weather']);
        assert.equal((await anna.get(`/s/${session}`)).status, 200);
    });
}

test("Alfred's memory and tools are used only where the token allows it", async () => {
    await anna.postJson('/api/memories', { text: 'The dog of Anna is called Rufus', permanent: true });
    const plain = await exchange('What is the dog of Anna called?', 'I do not know');
    assert.ok(!JSON.stringify(plain.call.body).includes('Rufus'));
    const own = client(await token(anna, { use_memory: true, use_tools: true }));
    const running = own.chat.completions.create({ model, messages: tell('What is the dog of Anna called? Note it.'), tools: [weather] });
    const call = await asked('What is the dog of Anna called? Note it.');
    assert.ok(JSON.stringify(call.body).includes('Rufus'));
    const names = call.body.tools.map((t) => t.function.name);
    assert.ok(names.includes('get_weather') && names.includes('add_task'), names.join());
    await call.start();
    await call.text('Noted');
    await call.toolCall('add_task', { text: 'Walk Rufus' });
    await call.end('tool_calls');
    const next = await provider.call((c) => asksForAnswer(c) && c.body.messages.at(-1).role === 'tool');
    await next.start();
    await next.text('Rufus.');
    await next.end();
    const { choices } = await running;
    assert.equal(choices[0].message.content, 'Noted\n\nRufus.');
    assert.equal(choices[0].finish_reason, 'stop');
});

test('a client that goes away stops the model; what has come is kept', async () => {
    const abort = new AbortController();
    const running = ai.chat.completions.create({ model, messages: tell('Count to a million'), stream: true }, { signal: abort.signal }).withResponse();
    const call = await asked('Count to a million');
    await call.start();
    await call.text('1, 2, 3');
    const { data, response } = await running;
    for await (const chunk of data) {
        if (chunk.choices[0]?.delta.content?.includes('3')) break;
    }
    abort.abort();
    const session = response.headers.get('x-session-id');
    await until('the answer is stopped', async () => (await messagesOf(session)).at(-1).status === 'stopped');
    assert.equal((await messagesOf(session)).at(-1).text, '1, 2, 3');
});

test('errors have the form of OpenAI', async () => {
    const is = (Class, status, param, code) => (e) => {
        assert.ok(e instanceof Class, `${e}`);
        assert.deepEqual([e.status, e.param, e.code].slice(0, code ? 3 : 2), [status, param, code].slice(0, code ? 3 : 2), `${e}`);
        assert.ok(e.error.message.length > 5);
        return true;
    };
    const ask = (body) => ai.chat.completions.create({ model, messages: tell('x'), ...body });
    await assert.rejects(client('alf_wrong').models.list(), is(OpenAI.AuthenticationError, 401, null, 'invalid_api_key'));
    await assert.rejects(client(await token(anna, { scopes: 'read' })).chat.completions.create({ model, messages: tell('x') }), is(OpenAI.PermissionDeniedError, 403, null));
    await assert.rejects(ask({ model: 'gpt-nothing' }), is(OpenAI.NotFoundError, 404, 'model', 'model_not_found'));
    await assert.rejects(ask({ wibble: 1 }), is(OpenAI.BadRequestError, 400, 'wibble'));
    await assert.rejects(ask({ n: 2 }), is(OpenAI.BadRequestError, 400, 'n'));
    await assert.rejects(ask({ temperature: 9 }), is(OpenAI.BadRequestError, 400, 'temperature'));
    await assert.rejects(ask({ response_format: { type: 'grammar' } }), is(OpenAI.BadRequestError, 400, 'response_format'));
    await assert.rejects(ask({ messages: [] }), is(OpenAI.BadRequestError, 400, 'messages'));
    await assert.rejects(ask({ messages: [{ role: 'robot', content: 'x' }] }), is(OpenAI.BadRequestError, 400, 'messages[0].role'));
    await assert.rejects(ask({ messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:' } }] }] }), is(OpenAI.BadRequestError, 400, 'messages[0].content[0].image_url'));
    await assert.rejects(ask({ messages: [...tell('x'), { role: 'tool', tool_call_id: 'none', content: 'y' }] }), is(OpenAI.BadRequestError, 400, 'messages[1].tool_call_id'));
    await assert.rejects(ai.responses.create({ model, input: 'x' }), (e) => is(OpenAI.NotFoundError, 404, null, 'not_found')(e) && /only \/v1\/models/.test(e.error.message));
    const none = await anna.request('POST', '/v1/chat/completions', { json: { model, messages: tell('x') } });
    assert.equal(none.status, 401, 'a cookie does not count');
    assert.equal(none.json.error.code, 'invalid_api_key');
});

test('a failure of the provider is an error, before and in a stream', async () => {
    const long = ai.chat.completions.create({ model, messages: tell('Far too long') });
    const call = await asked('Far too long');
    await call.refuse(400, { error: { message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", type: 'invalid_request_error', param: 'messages', code: 'context_length_exceeded' } });
    await assert.rejects(long, (e) => e instanceof OpenAI.BadRequestError && e.code === 'context_length_exceeded');

    const streamed = ai.chat.completions.create({ model, messages: tell('Fails at once'), stream: true });
    await (await asked('Fails at once')).refuse(400, { error: { message: 'No.', type: 'invalid_request_error' } });
    await assert.rejects(streamed, (e) => e instanceof OpenAI.BadRequestError);

    const broken = ai.chat.completions.create({ model, messages: tell('Breaks off'), stream: true });
    const half = await asked('Breaks off');
    await half.start();
    await half.text('So far');
    const stream = await broken;
    let text = '';
    await assert.rejects(async () => {
        for await (const chunk of stream) {
            text += chunk.choices[0]?.delta.content ?? '';
            if (text === 'So far') half.breakOff();
        }
    }, OpenAI.APIError);
    assert.equal(text, 'So far');
});

test('a conversation of 5 MB is answered, and kept; a longer body names the limit and its setting', async () => {
    const text = `Read this: ${'word '.repeat(1_000_000)}`;
    const { data, call, session } = await exchange(text, 'Long.');
    assert.equal(data.choices[0].message.content, 'Long.');
    assert.equal(call.body.messages[0].content, text);
    assert.equal((await messagesOf(session))[0].text.length, text.length);
    const tooLong = (error) => {
        assert.deepEqual([error.status, error.code, error.type], [413, 'too_big', 'invalid_request_error']);
        assert.match(error.message, /v1_body_bytes/);
        return error;
    };
    const ask = (content) => ai.chat.completions.create({ model, messages: tell(content) }).then(() => assert.fail('it is answered'), tooLong);
    assert.match((await ask('x'.repeat(8 * 1024 * 1024))).message, /8\sMB/);
    await ask('x'.repeat(9 * 1024 * 1024)); // nginx refuses it
    const input = Array.from({ length: 100 }, (_, i) => `${i} `.repeat(2000).slice(0, 8000));
    assert.equal((await ai.embeddings.create({ model: 'alfred', input })).data.length, 100, '800 KB');
    // Only with a token.
    const stranger = await anna.request('POST', '/v1/chat/completions', { json: { model, messages: tell('x'.repeat(5 * 1024 * 1024)) } });
    assert.equal(stranger.status, 401);
    const other = await anna.request('POST', '/api/tasks', { json: { text: 'x'.repeat(5 * 1024 * 1024) } });
    assert.equal(other.status, 413, 'other bodies keep their limit');
});

test('long bodies without a length (chunked) are answered up to the same limit', async () => {
    const headers = { authorization: `Bearer ${ai.apiKey}`, 'content-type': 'application/json' };
    const chunked = (path, json) => anna.stranger().request('POST', path, { headers, body: Readable.from([JSON.stringify(json)]) });
    for (let i = 0; i < 10; i++) assert.equal((await chunked('/v1/chat/completions', { model: 'none', messages: tell('x'.repeat(5 * 1024 * 1024)) })).status, 404, 'more often than long bodies have room at the same time');
    const text = `Chunked: ${'word '.repeat(1_000_000)}`;
    const running = chunked('/v1/chat/completions', { model, messages: tell(text) });
    const call = await asked(text);
    await call.start();
    await call.text('Joined.');
    await call.end();
    assert.equal((await running).json.choices[0].message.content, 'Joined.');
    const over = await chunked('/v1/chat/completions', { model, messages: tell('x'.repeat(8 * 1024 * 1024)) });
    assert.equal(over.status, 413);
    assert.match(over.json.error.message, /8\sMB/);
});

test('the long bodies of a program in memory at the same time have a limit', async () => {
    const text = (i) => `${i} ${'x'.repeat(7_900_000)}`;
    const calls = [], running = [];
    for (let i = 0; i < 8; i++) {
        running.push(ai.chat.completions.create({ model, messages: tell(text(i)) }));
        calls.push(await asked(text(i)));
    }
    const refusal = await ai.chat.completions.create({ model, messages: tell(text(9)) }).then(() => null, (e) => e);
    assert.deepEqual([refusal?.status, refusal?.headers.get('retry-after')], [503, '5']);
    for (const call of calls) {
        await call.start();
        await call.text('ok');
        await call.end();
    }
    await Promise.all(running);
    assert.equal((await exchange(text(10), 'There is room again')).data.choices[0].message.content, 'There is room again');
});

test('embeddings, as numbers and in base64', async () => {
    const [a, b] = (await ai.embeddings.create({ model: 'alfred', input: ['a ship with sails', 'a boat with sails'] })).data;
    assert.equal(a.embedding.length, b.embedding.length);
    assert.ok(a.embedding.every(Number.isFinite) && a.embedding.some((x) => x !== 0));
    const plain = await ai.embeddings.create({ model: 'alfred', input: 'a ship with sails', encoding_format: 'float' });
    assert.equal(plain.object, 'list');
    plain.data[0].embedding.forEach((x, i) => assert.ok(Math.abs(x - a.embedding[i]) < 1e-6));
    await assert.rejects(ai.embeddings.create({ model: 'other', input: 'x' }), (e) => e.status === 404 && e.code === 'model_not_found');
    for (const input of ['', [], Array(2049).fill('x'), 'x'.repeat(9000)]) await assert.rejects(ai.embeddings.create({ model: 'alfred', input }), (e) => e.status === 400 && e.param === 'input', JSON.stringify(input).slice(0, 20));
    for (const input of [[1, 2], [[1, 2], [3]]]) await assert.rejects(ai.embeddings.create({ model: 'alfred', input }), (e) => e.status === 400 && e.param === 'input' && /check_embedding_ctx_length=False/.test(e.message));
    const many = await ai.embeddings.create({ model: 'alfred', input: Array.from({ length: 2048 }, (_, i) => `ship ${i}`) });
    assert.deepEqual(many.data.map((d) => d.index), Array.from({ length: 2048 }, (_, i) => i));
    const [alone] = (await ai.embeddings.create({ model: 'alfred', input: 'ship 1999' })).data;
    assert.deepEqual(many.data[1999].embedding, alone.embedding);
    for (const path of ['/v1/embeddings', '/v1/chat/completions']) {
        const empty = await fetch(new URL(path, anna.base), { method: 'POST', headers: { authorization: `Bearer ${ai.apiKey}`, 'content-type': 'application/json' }, body: '' });
        assert.equal(empty.status, 400, `${path} without a body`);
    }
});

test('sessions of programs have their own channel, and no facts are drawn from them', () => {
    alfred.database((db) => assert.ok(db.prepare(`SELECT count(*) n FROM session WHERE channel = 'api'`).get().n > 5));
});

test('pictures of the user go to the model, are stored with their message, and are found again', async () => {
    const url = `data:image/png;base64,${png(64, 48).toString('base64')}`;
    const question = { role: 'user', content: [{ type: 'text', text: 'What is on this picture?' }, { type: 'image_url', image_url: { url, detail: 'low' } }] };
    const running = ai.chat.completions.create({ model, messages: [question] }).withResponse();
    const call = await asked('What is on this picture?');
    assert.deepEqual(call.body.messages.at(-1).content[0], { type: 'image_url', image_url: { url } });
    await call.start();
    await call.text('A red square.');
    await call.end();
    const { response } = await running, session = response.headers.get('x-session-id');
    const [stored] = await messagesOf(session);
    assert.deepEqual([stored.text, stored.pictures.length, stored.pictures[0].width, stored.pictures[0].height], ['What is on this picture?', 1, 64, 48]);
    assert.ok((await anna.get(stored.pictures[0].url)).body.equals(png(64, 48)));

    const next = ai.chat.completions.create({ model, messages: [question, { role: 'assistant', content: 'A red square.' }, { role: 'user', content: 'Which red?' }] }).withResponse();
    const second = await asked('Which red?');
    assert.equal(second.body.messages[0].content[0].image_url.url, url);
    await second.start();
    await second.text('Crimson.');
    await second.end();
    assert.equal((await next).response.headers.get('x-session-id'), session, 'the same conversation goes on');
    assert.equal((await messagesOf(session)).length, 4);

    const refused = (content, words) => assert.rejects(ai.chat.completions.create({ model, messages: [{ role: 'user', content: [content] }] }), (e) => e.status === 400 && e.param === 'messages[0].content[0].image_url' && words.test(e.message));
    await refused({ type: 'image_url', image_url: { url: 'https://example.org/a.png' } }, /data URL/);
    await refused({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }, /PNG, JPEG, GIF or WebP/);
});
