// Refusals of providers: a turn answers them with another request, or ends with the cause and loses nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { after, test } from 'node:test';

import { ended, send, serveFile, sessionOf } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const json = (response, status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
};
const refuse = (status, message, more) => (response) => json(response, status, { error: { message, ...more } });
const stream = (...chunks) => (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end([...chunks.map((c) => JSON.stringify(c)), '[DONE]'].map((data) => `data: ${data}\n\n`).join(''));
};
const says = (text) => stream({ choices: [{ index: 0, delta: { content: text } }] }, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
const gemma = "Conversation roles must alternate user/assistant/user/assistant/...", databricks = 'json: unknown field "stream_options"', newer = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", older = 'extra_forbidden: max_completion_tokens';
const whole = (text) => (response) => json(response, 200, { choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }] });
const calls = stream({ choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'abcdefghi', type: 'function', function: { name: 'current_time', arguments: '{}' } }] } }] }, { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });

const callsTwice = stream({ choices: [{ index: 0, delta: { content: 'Let me see.', tool_calls: [0, 1].map((index) => ({ index, id: `abcdefgh${index}`, type: 'function', function: { name: 'current_time', arguments: '{}' } })) } }] }, { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });
const thinksAndCalls = stream({ choices: [{ index: 0, delta: { reasoning_content: 'Hm.', tool_calls: [{ index: 0, id: 'abcdefghi', type: 'function', function: { name: 'current_time', arguments: '{}' } }] } }] }, { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });

let verified = false;

/** The behaviour of each provider, for its n-th request for an answer, from 1. */
const providers = {
    fallback: () => says('From the default model.'),
    policy: () => refuse(404, 'No endpoints found matching your data policy (Free model training).', { code: 404 }),
    wrong_address: () => (response) => response.writeHead(404).end('<html>nginx</html>'),
    gone: () => refuse(404, 'The model `model-gone` does not exist.', { code: 'model_not_found' }),
    retired: () => refuse(400, 'The model `model-retired` has been decommissioned and is no longer supported.', { type: 'invalid_request_error', code: 'model_decommissioned' }),
    credit: (n, body) => (body.max_tokens === 30104 ? says('Short of money.') : refuse(402, 'This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 30104.', { code: 402 })),
    vllm: (n, body) => (body.max_tokens ? refuse(400, "This model's maximum context length is 8192 tokens. However, you requested 8000 output tokens and your prompt contains at least 193 input tokens, for a total of at least 8193 tokens. Please reduce the length of the input prompt or the number of requested output tokens.") : says('Without a limit.')),
    forbids: (n, { messages }) => (n === 1 ? thinksAndCalls : messages.some((m) => m.reasoning_content) ? refuse(400, "'messages.2' : for 'role:assistant' the following must be satisfied[('messages.2' : property 'reasoning_content' is unsupported)]") : says('Without it.')),
    'llama-3': (n, { messages }) => (n === 1 ? callsTwice : messages.some((m) => m.tool_calls?.length > 1) ? refuse(400, 'This model only supports single tool-calls at once!') : says('Twice.')),
    broke: (n) => refuse(402, `This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford ${900 - n}.`),
    unverified: (n, body) => (body.stream && verified ? says('In pieces.') : body.stream ? refuse(400, 'Your organization must be verified to stream this model.', { param: 'stream', code: 'unsupported_value' }) : whole('In one piece.')),
    gemma: (n, { messages }) => (messages[0].role === 'system' ? refuse(400, gemma) : says('As a question.')),
    databricks: (n, body) => (body.stream_options ? refuse(400, databricks) : says('Uncounted.')),
    limit: (n, body) => (body.max_tokens && n < 4 ? refuse(400, newer) : body.max_completion_tokens && n >= 4 ? refuse(400, older) : says('Short.')),
    unlisted: (n, body) => (body.stream_options ? refuse(400, databricks) : says('Uncounted.')),
    flagged: (n, body) => (JSON.stringify(body.messages).includes('nasty') ? refuse(403, 'Your input was flagged for "violence".', { code: 403 }) : says('Fine.')),
    mimo: (n, { messages }) => (messages.some((m) => m.content === null) ? refuse(400, 'Param Incorrect', { code: '400', param: '`text` is not set' }) : n === 1 ? calls : says('With a text.')),
    spent: (n) => (n === 1 ? refuse(400, 'You have reached your specified API usage limits. You will regain access on 2026-12-01.') : says('Both are here.')),
    bad_call: (n) => (n === 1 ? refuse(400, 'Failed to call a function.', { code: 'tool_use_failed' }) : says('Once more.')),
    mistral: (n, { messages }) => {
        if (messages.some((m, i) => m.role === 'user' && messages[i - 1]?.role === 'tool')) return refuse(400, "Unexpected role 'user' after role 'tool'");
        return n === 1 ? calls : n === 2 ? refuse(400, 'No.') : says('Well.');
    },
};
const asked = {};
const server = http.createServer(async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const name = request.url.split('/')[1];
    if (request.method === 'GET' && name === 'unlisted') return json(response, 404, {});
    if (request.method === 'GET') return json(response, 200, { object: 'list', data: [{ id: `model-${name}`, object: 'model' }] });
    const body = JSON.parse(Buffer.concat(chunks));
    if (!body.tools && !(name === 'unverified' && body.stream)) return (body.stream ? says : whole)('A title')(response); // of the helper
    if (body.tools) (asked[name] ??= []).push(body);
    return providers[name](asked[name]?.length ?? 0, body)(response);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => {
    server.closeAllConnections();
    server.close();
});

const config = { models: { discover: 'no', default_model: 'fallback/model-fallback' } };
for (const name of Object.keys(providers)) config[`provider.${name}`] = { kind: 'openai', base_url: `http://127.0.0.1:${server.address().port}/${name}/v1` };
config['provider.unlisted'].model = 'model-unlisted';
const alfred = await serveFile({ config });
const anna = await alfred.admin('anna');

async function ask(name, text, session) {
    const sent = await send(anna, text, { choice: `${name}/model-${name}`, session });
    const end = await ended(anna, sent.turn);
    const { messages } = await sessionOf(anna, sent.session);
    return { session: sent.session, status: end.status, error: end.error, text: messages.at(-1).text };
}

test('a refusal by a setting of the account sends the text to no other provider', async () => {
    const end = await ask('policy', 'A private question');
    assert.equal(end.status, 'failed');
    assert.match(end.error, /data policy/);
    assert.equal(asked.fallback, undefined);
});

test('a wrong address sends the text to no other provider', async () => {
    const end = await ask('wrong_address', 'A private question');
    assert.equal(end.status, 'failed');
    assert.match(end.error, /the address is wrong \(404\)/);
    assert.equal(asked.fallback, undefined);
});

test('the default model answers for one that is gone', async () => {
    for (const name of ['gone', 'retired']) assert.equal((await ask(name, 'hello')).text, 'From the default model.', name);
});

test('with little credit the same question is asked for a shorter answer', async () => {
    const end = await ask('credit', 'hello');
    assert.equal(end.text, 'Short of money.');
    assert.equal(asked.credit.length, 2);
});

test('with ever less credit the question is asked twice, not for ever', async () => {
    const end = await ask('broke', 'hello');
    assert.match(end.error, /can only afford 898/);
    assert.equal(asked.broke.length, 2);
});

test('a limit of the answer for which the window has no room is left out, and the conversation stays', async () => {
    const { session } = await ask('vllm', 'the first question');
    assert.equal((await anna.request('PATCH', `/api/sessions/${session}`, { json: { answer_tokens: 8000 } })).status, 200);
    const end = await ask('vllm', 'the second question', session);
    assert.equal(end.text, 'Without a limit.');
    assert.match(end.error, /does not write answers of the length/);
    assert.match(JSON.stringify(asked.vllm.at(-1).messages), /the first question.*the second question/);
    assert.equal(asked.vllm.length, 3);
});

test('a gateway that does not take its own reasoning back gets the same question without it', async () => {
    assert.equal((await ask('forbids', 'What time is it?')).text, 'Without it.');
    assert.equal(asked.forbids.length, 3);
});

test('a server that takes no null gets an empty text, from then on', async () => {
    const { session, text } = await ask('mimo', 'What time is it?');
    assert.equal(text, 'With a text.');
    assert.equal(asked.mimo.length, 3);
    assert.equal((await ask('mimo', 'And now?', session)).status, 'done');
    assert.equal(asked.mimo.length, 4);
});

test('Llama 3 gets its two calls of one answer one after the other, as its template wants them', async () => {
    assert.equal((await ask('llama-3', 'What time is it?')).text, 'Twice.');
    assert.deepEqual(asked['llama-3'][1].messages.slice(-4).map((m) => [m.role, m.content === 'Let me see.', m.tool_calls?.[0].id ?? m.tool_call_id]), [
        ['assistant', true, 'abcdefgh0'],
        ['tool', false, 'abcdefgh0'],
        ['assistant', false, 'abcdefgh1'],
        ['tool', false, 'abcdefgh1'],
    ]);
    assert.equal(asked['llama-3'].length, 2);
});

test('an account that may not stream gets its answer, and the title, in one piece', async () => {
    const end = await ask('unverified', 'hello');
    await until('the title is there', async () => (await sessionOf(anna, end.session)).session.title === 'A title');
    assert.equal(end.text, 'In one piece.');
    assert.equal(asked.unverified[1].stream_options, undefined);
});

test('a form of the request that a model refused is not tried again in the next turn', async () => {
    for (const name of ['unverified', 'gemma', 'databricks', 'unlisted']) {
        await ask(name, 'hello');
        const before = asked[name].length;
        assert.equal((await ask(name, 'hello again')).status, 'done', name);
        assert.equal(asked[name].length, before + 1, name);
    }
    const [{ at }] = await alfred.sql("SELECT at FROM model_learned WHERE provider = 'gemma' AND form > 1");
    assert.ok(Date.now() - at < 60_000);
});

test('the test of a provider finds that it streams again', async () => {
    await ask('unverified', 'hello');
    verified = true;
    assert.equal((await ask('unverified', 'hello')).text, 'In one piece.');
    assert.equal((await anna.post('/connect/test', { name: 'unverified' })).status, 200);
    assert.equal((await ask('unverified', 'hello')).text, 'In pieces.');
});

test('the name of the limit of an answer is learned, and again when the server has changed', async () => {
    const limited = async (text) => {
        const { session } = await ask('limit', text);
        assert.equal((await anna.request('PATCH', `/api/sessions/${session}`, { json: { answer_tokens: 500 } })).status, 200);
        return session;
    };
    const session = await limited('hello');
    for (const [text, requests] of [['one', 3], ['two', 5], ['three', 6]]) {
        assert.equal((await ask('limit', text, session)).text, 'Short.');
        assert.equal(asked.limit.length, requests, text);
    }
});

test('a question that a classifier refused is not sent again with the next one', async () => {
    const first = await ask('flagged', 'something nasty');
    assert.match(first.error, /flagged for "violence"/);
    assert.equal((await ask('flagged', 'something nice', first.session)).text, 'Fine.');
});

test('a question that met the limit of the account is sent again with the next one', async () => {
    const first = await ask('spent', 'the first question');
    assert.match(first.error, /no credit left \(400\)\. It said: You have reached.*2026-12-01/);
    await ask('spent', 'the second question', first.session);
    assert.match(JSON.stringify(asked.spent[1].messages), /the first question.*the second question/);
});

test('a call of a tool that the server could not read is asked for again', async () => {
    assert.equal((await ask('bad_call', 'hello')).text, 'Once more.');
});

test('after a turn that ended between a tool and its answer the session goes on', async () => {
    const first = await ask('mistral', 'What time is it?');
    assert.equal(first.status, 'failed');
    assert.equal((await ask('mistral', 'And now?', first.session)).text, 'Well.');
});
