// Tests of the rig itself, without Alfred.
import assert from 'node:assert/strict';
import http from 'node:http';
import { once } from 'node:events';
import { test } from 'node:test';

import { startAimock } from '../lib/aimock.js';
import { Client, parallel } from '../lib/client.js';
import { SseParser } from '../lib/sse.js';
import { embeds } from '../fake/embeddings.js';
import { answers, breaksOffAfter, callsTool, fails, hangs, longLine, startProvider } from '../fake/provider.js';

const ask = (text, more = {}) => ({ model: 'm', stream: true, messages: [{ role: 'user', content: text }], ...more });

async function stream(url, body, path = '/v1/chat/completions') {
    const client = new Client(url);
    const { request, response } = await client.open('POST', path, { json: body });
    const { EventStream } = await import('../lib/sse.js');
    return new EventStream(request, response);
}

const textOf = (events) =>
    events
        .filter((e) => e.data.startsWith('{'))
        .map((e) => JSON.parse(e.data).choices?.[0]?.delta?.content ?? JSON.parse(e.data).delta?.text ?? '')
        .join('');

test('the SSE parser takes every line end, split anywhere', () => {
    const text = 'id: 1\r\nevent: a\r\ndata: x\r\ndata: y\r\n\r\n: beat\n\ndata:z\r\rdata\n\nid: 2\n\n';
    const expected = [
        { id: '1', event: 'a', data: 'x\ny' },
        { id: '1', event: 'message', data: 'z' },
        { id: '1', event: 'message', data: '' },
    ];
    for (let cut = 0; cut <= text.length; cut++) {
        const parser = new SseParser();
        assert.deepEqual([...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut))], expected, `cut at ${cut}`);
    }
});

test('the client keeps cookies and the token, and forges on demand', async (t) => {
    const seen = [];
    const server = http.createServer(async (request, response) => {
        let body = '';
        for await (const chunk of request) body += chunk;
        seen.push({ headers: request.headers, body });
        response.setHeader('set-cookie', request.url === '/out' ? 'login=; Max-Age=0' : 'login=abc; Path=/; HttpOnly');
        response.setHeader('content-type', 'text/html');
        response.end('<form><input type="hidden" name="csrf" value="tok+n"></form>');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    const client = new Client(`http://127.0.0.1:${server.address().port}`);
    await client.get('/');
    await client.post('/form', { a: 'b c' });
    await client.postJson('/json', { a: 1 }, { csrf: false, headers: { origin: 'https://evil.example', 'sec-fetch-site': null } });
    await client.get('/out');
    await client.get('/');
    assert.equal(seen[0].headers.cookie, undefined);
    assert.equal(seen[1].headers.cookie, 'login=abc');
    assert.equal(seen[1].body, 'a=b+c&csrf=tok%2Bn');
    assert.equal(seen[1].headers['sec-fetch-site'], 'same-origin');
    assert.equal(seen[2].headers['x-csrf-token'], undefined);
    assert.equal(seen[2].headers.origin, 'https://evil.example');
    assert.equal(seen[2].headers['sec-fetch-site'], undefined);
    assert.equal(seen[4].headers.cookie, undefined);
    assert.deepEqual(await parallel(5, 2, async (i) => (await client.get(`/${i}`)).status), [200, 200, 200, 200, 200]);
});

test('the fake provider sends each piece when the test says so, in both protocols', async (t) => {
    const provider = await startProvider();
    t.after(() => provider.stop());
    for (const path of ['/v1/chat/completions', '/v1/messages']) {
        const opening = stream(provider.url, ask('hi'), path);
        const call = await provider.call();
        assert.equal(call.userText, 'hi');
        await call.start();
        const reader = await opening;
        await call.text('Hel');
        await reader.until((e) => textOf([e]) === 'Hel');
        await call.text('lo');
        await call.end();
        assert.equal(textOf(await reader.all()), 'lo');
        assert.equal(call.left, false);
    }
});

test('the fake provider notices a client that leaves', async (t) => {
    const provider = await startProvider();
    t.after(() => provider.stop());
    const opening = stream(provider.url, ask('hi'));
    const call = await provider.call();
    await call.start();
    (await opening).close();
    await call.gone;
    assert.equal(call.left, true);
});

test('scripted behaviours come in order, filters choose', async (t) => {
    const provider = await startProvider();
    t.after(() => provider.stop());
    provider.always(answers('always')).always(answers('A title'), (call) => call.userText.includes('title'));
    provider.next(fails(429, { retryAfter: 2 })).next(breaksOffAfter('half')).next(callsTool('current_time', {}, 'noon'));
    const busy = await stream(provider.url, ask('1'));
    assert.equal(busy.status, 429);
    assert.equal(busy.headers['retry-after'], '2');
    const broken = await stream(provider.url, ask('2'));
    await assert.rejects(broken.all(), /aborted|ECONNRESET/);
    const tool = await (await stream(provider.url, ask('3'))).all();
    assert.match(JSON.stringify(tool), /current_time/);
    assert.equal(textOf(await (await stream(provider.url, ask('4'))).all()), 'always');
    assert.equal(textOf(await (await stream(provider.url, ask('a title please'))).all()), 'A title');
    assert.equal(provider.calls.length, 5);
});

test('a provider that hangs or writes an endless line can be left', async (t) => {
    const provider = await startProvider();
    t.after(() => provider.stop());
    provider.next(hangs()).next(longLine(10 * 1024 * 1024));
    const abort = new AbortController();
    const nothing = new Client(provider.url).postJson('/v1/chat/completions', ask('x'), { signal: abort.signal });
    while (provider.calls.length === 0) await new Promise(setImmediate);
    abort.abort();
    await assert.rejects(nothing, /abort/);
    await provider.calls[0].gone;
    const { response } = await new Client(provider.url).open('POST', '/v1/chat/completions', { json: ask('y') });
    let bytes = 0;
    for await (const chunk of response) bytes += chunk.length;
    assert.ok(bytes > 10 * 1024 * 1024);
});

test('aimock streams fixtures, calls tools and fails on demand', async (t) => {
    const mock = await startAimock([
        { match: { userMessage: 'time', hasToolResult: false }, response: { toolCalls: [{ name: 'current_time', arguments: '{}' }] } },
        { match: { userMessage: 'busy' }, response: { error: { message: 'busy' }, status: 429, retryAfter: 1 } },
        { match: { userMessage: 'hello' }, response: { content: 'Hi, how are you today?' }, chunkSize: 5 },
    ]);
    t.after(() => mock.stop());
    const events = await (await stream(mock.url, ask('hello you'))).all();
    assert.equal(textOf(events), 'Hi, how are you today?');
    assert.ok(events.length > 4);
    const claude = await (await stream(mock.url, ask('hello you', { max_tokens: 100 }), '/v1/messages')).all();
    assert.equal(textOf(claude), 'Hi, how are you today?');
    assert.match(JSON.stringify(await (await stream(mock.url, ask('what time'))).all()), /current_time/);
    assert.equal((await stream(mock.url, ask('busy'))).status, 429);
    assert.equal(mock.requests().length, 4);
});

test('the fake embeddings refuse what real servers refuse, in their words', async (t) => {
    const provider = await startProvider();
    t.after(() => provider.stop());
    const client = new Client(provider.url);
    const cases = [
        ['openai', { input: [''] }, 400, /'\$\.input' is invalid/],
        ['openai', { input: Array(2049).fill('x') }, 400, /'\$\.input' is invalid/],
        ['openai', { input: ['x'.repeat(100)] }, 400, /maximum context length is 30 tokens, however you requested 34 tokens/],
        ['openai', { input: ['x'], dimensions: 3 }, 400, /does not support specifying dimensions/],
        ['openai', { input: ['nan'] }, 500, /server_error/],
        ['ollama', { input: ['x'.repeat(100)] }, 400, /the input length exceeds the context length/],
        ['ollama', { input: ['nan'] }, 500, /unsupported value: NaN/],
        ['llamacpp', { input: ['x'.repeat(100)] }, 500, /input \(34 tokens\) is too large to process.*batch size: 30/],
        ['llamacpp', { input: ['nan'] }, 200, /\[null,null\]/],
        ['vllm', { input: ['x'.repeat(100)] }, 400, /maximum context length is 30 tokens\. However, you requested 34 tokens in the input for embedding generation/],
        ['vllm', { input: ['fine'] }, 200, /"embedding":\[1,4\]/],
    ];
    for (const [server, body, status, says] of cases) {
        provider.next(embeds((text) => [1, text.length], { server, tokens: 30, nan: (text) => text === 'nan' }));
        const got = await client.postJson('/v1/embeddings', { model: 'm', ...body });
        assert.equal(got.status, status, server);
        assert.match(got.text, says, server);
    }
});
