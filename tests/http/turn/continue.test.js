// Going on with an answer that ended early: in the same message, without a gap, with each way of asking for it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { answers, fails } from '../../fake/provider.js';
import { startStrict } from '../../fake/strict.js';
import { asksForAnswer, beginAnswer, ended, newClientId, provide, send, serveFile, sessionOf, stop } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const provider = await provide();
const STORY = 'The tide rises twice a day in the Bay of Fundy, and it falls as often.';
const CUT = 40; // characters of the first part

/** A server that writes the story up to its limit, and then what follows the beginning that it gets. */
const strict = {};
const servers = {
    claude: { server: 'anthropic', models: [{ id: 'claude-sonnet-4-5', window: 200000 }, { id: 'claude-opus-5', window: 200000 }] },
    llama: { server: 'llama.cpp', models: [{ id: 'small.gguf', window: 32768 }] },
    thinker: { server: 'llama.cpp', models: [{ id: 'thinker.gguf', window: 32768, reasoning: 3 }] },
    vllm: { server: 'vllm', models: [{ id: 'qwen', window: 32768 }] },
    hosted: { server: 'openai', models: [{ id: 'gpt-4.1', window: 128000 }] },
};
const textOf = (message) => (typeof message.content === 'string' ? message.content : message.content.map((p) => p.text ?? '').join(''));
function reply(body) {
    if (!body.tools) return '{"topic": "Tides", "keywords": ["tide", "bay", "sea"]}';
    const last = body.messages.at(-1), said = textOf(last);
    if (last.role === 'assistant') return STORY.slice(said.length); // goes on
    const words = said.match(/---\n(.*)\n---$/s)?.[1];
    return words ? STORY.slice(STORY.indexOf(words)) : { text: STORY.slice(0, CUT), cut: true };
}
const config = {};
for (const [name, profile] of Object.entries(servers)) {
    strict[name] = await startStrict({ ...profile, reply });
    after(() => strict[name].stop());
    config[`provider.${name}`] = { kind: profile.server === 'anthropic' ? 'anthropic' : 'openai', base_url: strict[name].url };
}
const alfred = await serveFile({ env: provider.env, config: { models: { discover: 'no' }, ...config } });
const anna = await alfred.admin('anna');
const bert = await alfred.user('bert');

const goOn = (client, session, message, more = {}) => client.postJson(`/api/sessions/${session}/messages/${message}/continue`, more);
const messageOf = async (session, id) => (await sessionOf(anna, session)).messages.find((m) => m.id === id);

async function cutAnswer(choice) {
    const sent = await send(anna, 'Tell me about the tide', { choice });
    const end = await ended(anna, sent.turn);
    assert.equal(end.status, 'done', end.error);
    const message = await messageOf(sent.session, sent.reply);
    assert.deepEqual([message.text, message.stop], [STORY.slice(0, CUT), 'length']);
    return { ...sent, message };
}

for (const [choice, how] of [
    ['claude/claude-sonnet-4-5', 'the open end'],
    ['claude/claude-opus-5', 'an instruction'],
    ['llama/small.gguf', 'the open end'],
    ['thinker/thinker.gguf', 'an instruction after a refusal'],
    ['vllm/qwen', 'the open end'],
    ['hosted/gpt-4.1', 'an instruction'],
]) {
    test(`${choice} goes on by ${how}: one message, no gap, all tokens counted`, async () => {
        const { session, reply: id, message } = await cutAnswer(choice);
        const before = await sessionOf(anna, session);
        const on = await goOn(anna, session, id);
        assert.equal(on.status, 202, on.text);
        assert.equal(on.json.reply, id);
        const end = await ended(anna, on.json.turn);
        assert.equal(end.status, 'done', end.error);
        const whole = await messageOf(session, id);
        assert.deepEqual([whole.text, whole.stop, whole.error], [STORY, null, null]);
        assert.equal((await sessionOf(anna, session)).messages.length, before.messages.length, 'no message more');
        assert.ok(whole.usage.output_tokens > message.usage.output_tokens);
        assert.ok(whole.usage.input_tokens > message.usage.input_tokens);
        const server = strict[choice.split('/')[0]];
        const asked = server.requests.filter((r) => r.model === choice.split('/')[1] && r.tools && JSON.stringify(r.body).includes(STORY.slice(0, CUT).trim()));
        assert.deepEqual(asked.map((r) => r.status), how.endsWith('refusal') ? [400, 200] : [200]);
        assert.equal(asked.at(-1).body.messages.at(-1).role, how === 'the open end' ? 'assistant' : 'user');
        const again = await goOn(anna, session, id);
        assert.deepEqual([again.status, again.json.error.code], [400, 'bad_input'], 'it is complete');
        const found = await anna.getJson(`/api/search?q=${encodeURIComponent('falls as often')}`);
        assert.ok(found.hits.some((h) => h.id === id), 'the search finds the new part');
    });
}

const secret = (await anna.postJson('/api/tokens', { name: 'program', scopes: 'chat' })).json.secret;
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
const complete = (model, messages, more = {}) => anna.stranger().request('POST', '/v1/chat/completions', { json: { model, messages, tools, ...more }, headers: { authorization: `Bearer ${secret}` } });

for (const model of ['claude/claude-sonnet-4-5', 'claude/claude-opus-5', 'llama/small.gguf', 'thinker/thinker.gguf', 'vllm/qwen', 'hosted/gpt-4.1']) {
    test(`a program sends the beginning of the answer of ${model} and gets the rest`, async () => {
        const question = { role: 'user', content: `Tell ${model} about the tide` };
        const begun = { role: 'assistant', content: STORY.slice(0, CUT) };
        const got = await complete(model, [question, begun]);
        assert.equal(got.status, 200, got.text);
        assert.equal(got.json.choices[0].message.content, STORY.slice(CUT));
        const session = got.headers['x-session-id'];
        const stored = async () => (await sessionOf(anna, session)).messages.map((m) => [m.role, m.text]);
        assert.deepEqual(await stored(), [['user', question.content], ['assistant', STORY]]);
        for (const answer of [[{ role: 'assistant', content: STORY }], [begun, { role: 'assistant', content: STORY.slice(CUT) }]]) {
            const next = await complete(model, [question, ...answer, { role: 'user', content: 'And then?' }], { stream: true });
            assert.equal(next.headers['x-session-id'], session, 'the program goes on in its session');
        }
        const streamed = await complete(model, [question, begun], { stream: true });
        const pieces = [...streamed.text.matchAll(/^data: (\{.*)$/gm)].map((m) => JSON.parse(m[1]).choices[0]?.delta.content ?? '');
        assert.equal(pieces.join(''), STORY.slice(CUT));
    });
}

test('a program may not end in an empty beginning, or without a question', async () => {
    for (const messages of [[{ role: 'user', content: 'x' }, { role: 'assistant', content: ' ' }], [{ role: 'assistant', content: 'x' }]]) {
        const refused = await complete('hosted/gpt-4.1', messages);
        assert.deepEqual([refused.status, refused.json.error.param], [400, 'messages']);
    }
});

const { choices } = await anna.getJson('/api/me');
const OWN = choices.find((c) => c.value.startsWith('openai/')).value;

/** An answer that the user stopped after its first words. */
async function stoppedAnswer(text, words) {
    const sent = await send(anna, text, { choice: OWN });
    const call = await beginAnswer(provider, text);
    await call.text(words);
    await until('the words', async () => (await anna.get(`/s/${sent.session}`)).text.includes(words.trim()));
    await stop(anna, sent.turn);
    await ended(anna, sent.turn);
    return sent;
}
/** The request that goes on with it. */
const rest = (words) => provider.call((c) => asksForAnswer(c) && c.body.messages.some((m) => m.role === 'assistant' && m.content === words));

test('a stopped answer goes on without script, and its page shows it whole', async () => {
    const { session, reply: id } = await stoppedAnswer('Count to six', 'One, two, thr');
    const page = (await anna.get(`/s/${session}`)).text;
    assert.match(page, new RegExp(`action="/s/${session}/continue".*name="message" value="${id}"`, 's'));
    provider.next(answers('two, three, four, five, six.'), (c) => asksForAnswer(c) && c.body.messages.some((m) => m.content === 'One, two, thr'));
    const posted = await anna.post(`/s/${session}/continue`, { message: id });
    assert.equal(posted.status, 303, posted.text);
    assert.equal(posted.location, `/s/${session}#m-${id}`);
    const after = await messageOf(session, id);
    assert.deepEqual([after.text, after.status], ['One, two, three, four, five, six.', 'done']);
    const words = provider.calls.findLast((c) => c.body?.messages?.some((m) => m.content === 'One, two, thr')).body.messages.at(-1).content;
    assert.match(words, /cut off/);
    assert.ok((await sessionOf(anna, session)).messages.every((m) => m.text !== words), 'the instruction is not a message');
    assert.doesNotMatch((await anna.get(`/s/${session}`)).text, /data-act="continue"/);
});

test('readers of an answer that goes on get all of it, and a repeated request starts nothing', async () => {
    const { session, reply: id } = await stoppedAnswer('Say a sentence', 'The sea is ');
    const client_id = newClientId();
    const on = await goOn(anna, session, id, { client_id });
    const call = await rest('The sea is ');
    await call.start();
    await call.text('The sea is wide');
    const events = await anna.events(`/api/turns/${on.json.turn}/events`);
    let text = '';
    await events.until((e) => {
        if (e.event === 'text') text += JSON.parse(e.data).text;
        return text === 'The sea is wide';
    });
    assert.equal((await messageOf(session, id)).status, 'running');
    const same = await goOn(anna, session, id, { client_id });
    assert.deepEqual([same.status, same.json.turn], [202, on.json.turn]);
    assert.equal((await goOn(anna, session, id)).status, 409, 'it is being written');
    await call.text(' and deep.');
    await call.end();
    await ended(anna, on.json.turn);
    assert.equal((await messageOf(session, id)).text, 'The sea is wide and deep.');
    const late = await goOn(anna, session, id, { client_id });
    assert.deepEqual([late.status, late.json.turn], [202, on.json.turn]);
});

test('an answer that goes on may call tools', async () => {
    const { session, reply: id } = await stoppedAnswer('What time is it there?', 'I look at the clock');
    const on = await goOn(anna, session, id);
    const call = await rest('I look at the clock');
    await call.start();
    await call.text('at the clock now.');
    await call.toolCall('current_time', {});
    await call.end('tool_calls');
    const next = await provider.call((c) => asksForAnswer(c) && c.body.messages.at(-1).role === 'tool');
    assert.deepEqual(next.body.messages.slice(-4).map((m) => m.role), ['assistant', 'user', 'assistant', 'tool']);
    await next.start();
    await next.text('It is late.');
    await next.end();
    const end = await ended(anna, on.json.turn);
    assert.equal(end.status, 'done', end.error);
    const texts = (await sessionOf(anna, session)).messages.slice(-3).map((m) => [m.role, m.text]);
    assert.deepEqual([texts[0], texts[1][0], texts[2]], [['assistant', 'I look at the clock now.'], 'tool', ['assistant', 'It is late.']]);
});

test('nothing is lost when the server is killed before the model goes on', async () => {
    const { session, reply: id } = await stoppedAnswer('Tell it slowly', 'Once upon a time');
    const on = await goOn(anna, session, id);
    await rest('Once upon a time');
    await alfred.kill('stream');
    await until('the recovery', async () => (await anna.getJson(`/api/turns/${on.json.turn}`).catch(() => ({}))).status === 'interrupted');
    const after = await messageOf(session, id);
    assert.deepEqual([after.text, after.status], ['Once upon a time', 'interrupted']);
    const again = await goOn(anna, session, id);
    const call = await rest('Once upon a time');
    await call.start();
    await call.text('upon a time there was a king.');
    await call.end();
    await ended(anna, again.json.turn);
    assert.equal((await messageOf(session, id)).text, 'Once upon a time there was a king.');
});

test('only the last answer of a branch goes on, and only for its owner', async () => {
    const { session, reply: id, asked } = await stoppedAnswer('Begin', 'A beginning');
    assert.equal((await goOn(bert, session, id)).status, 404);
    assert.equal((await goOn(anna, session, asked)).status, 400);
    provider.next(answers('More.'), (c) => asksForAnswer(c) && c.userText === 'Next');
    const next = await send(anna, 'Next', { session, choice: OWN });
    await ended(anna, next.turn);
    const refused = await goOn(anna, session, id);
    assert.deepEqual([refused.status, refused.json.error.code], [409, 'conflict']);
    assert.equal((await messageOf(session, id)).text, 'A beginning');
});

test('a failure leaves the old part, and the answer can go on later', async () => {
    const { session, reply: id } = await stoppedAnswer('Try', 'Half of it');
    provider.next(fails(500), (c) => asksForAnswer(c) && c.body.messages.some((m) => m.content === 'Half of it'));
    provider.next(fails(500), (c) => asksForAnswer(c) && c.body.messages.some((m) => m.content === 'Half of it'));
    provider.next(fails(500), (c) => asksForAnswer(c) && c.body.messages.some((m) => m.content === 'Half of it'));
    const on = await goOn(anna, session, id);
    assert.equal((await ended(anna, on.json.turn)).status, 'failed');
    const after = await messageOf(session, id);
    assert.deepEqual([after.text, after.status], ['Half of it', 'failed']);
    provider.next(answers('of it is done.'), (c) => asksForAnswer(c) && c.body.messages.some((m) => m.content === 'Half of it'));
    const again = await goOn(anna, session, id);
    await ended(anna, again.json.turn);
    assert.deepEqual((await messageOf(session, id)).text, 'Half of it is done.');
});
