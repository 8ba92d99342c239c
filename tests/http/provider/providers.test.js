// Failures of providers: each class has its own sentence, the user's text is kept, and the program continues.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { answers, answersHtml, breaksOffAfter, endsEarlyAfter, fails, garbage, hangs, hangsAfter, longLine } from '../../fake/provider.js';
import { startAimock } from '../../lib/aimock.js';
import { articles, asksForAnswer, beginAnswer, ended, eventsOf, exchange, follow, provide, send, serveFile, sessionOf, Transcript, wordsOf } from '../../lib/chat.js';
import { freePort } from '../../lib/rig.js';

const KEY = 'sk-test-never-to-be-seen';
const provider = await provide();
const mock = await startAimock([
    { match: { userMessage: 'hello' }, response: { content: 'Hi there, from the mock.' } },
    { match: { userMessage: 'time', hasToolResult: false }, response: { toolCalls: [{ name: 'current_time', arguments: '{}' }] } },
    { match: { userMessage: 'time', hasToolResult: true }, response: { content: 'It is noon.' } },
    { match: { userMessage: 'refuse' }, response: { error: { message: 'No such thing', type: 'invalid_request_error' }, status: 400 } },
    { match: { userMessage: 'half' }, response: { content: 'A long answer that never comes to its end' }, truncateAfterChunks: 5, chunkSize: 8, latency: 20 },
]);
after(() => mock.stop());
/** A service with these limits of silence. */
async function serve(turn) {
    const alfred = await serveFile({
        env: { FAKE_KEY: KEY, CLAUDE_KEY: KEY },
        config: {
            turn,
            'provider.main': { kind: 'openai', base_url: `${provider.url}/v1`, model: 'test-model', key_env: 'FAKE_KEY', label: 'Main' },
            'provider.claude': { kind: 'anthropic', base_url: provider.url, model: 'claude-test', key_env: 'CLAUDE_KEY' },
            'provider.dead': { kind: 'openai', base_url: `http://127.0.0.1:${await freePort()}/v1`, model: 'nobody' },
            'provider.mock': { kind: 'openai', base_url: `${mock.url}/v1`, model: 'mock-model' },
            'provider.mockclaude': { kind: 'anthropic', base_url: mock.url, model: 'mock-claude' },
        },
    });
    return { alfred, anna: await alfred.admin('anna'), stream: alfred.pids('stream') };
}
const usual = await serve({}), hasty = await serve({ first_byte_seconds: 1, silence_seconds: 1 });
const { alfred, anna, stream } = usual;

/** Sends to a provider with this behaviour; returns the end, the session and the calls. */
async function fail(behave, { choice = 'main/test-model', text = 'Please **keep** this', times = 1, on: { alfred, anna, stream } = usual } = {}) {
    const before = provider.calls.filter(asksForAnswer).length;
    for (let i = 0; i < times; i++) provider.next(behave, asksForAnswer);
    const sent = await send(anna, text, { choice });
    const end = await ended(anna, sent.turn);
    const session = await sessionOf(anna, sent.session);
    assert.equal(session.messages[0].text, text, 'what the person wrote is kept');
    assert.equal(session.session.running, false);
    assert.deepEqual(alfred.pids('stream'), stream, 'the program lives');
    return { ...sent, end, answer: session.messages[1], calls: provider.calls.filter(asksForAnswer).length - before };
}

const sentences = new Map();
for (const [name, behave, pattern, more = {}] of [
    ['401 wrong key', fails(401, { message: `Incorrect API key provided: ${KEY}` }), /does not accept the key\./],
    ['403 forbidden', fails(403), /does not let this key use the model test-model \(403\)/],
    ['402 no credit', fails(402), /no credit left \(402\)/],
    ['404 unknown model', fails(404, { message: 'The model does not exist' }), /does not know the model test-model.*\(404\)/],
    ['400 bad request', fails(400, { message: 'seed is odd' }), /does not accept the request \(400\).*seed is odd/],
    ['400 context too long', fails(400, { message: "This model's maximum context length is 4096 tokens" }), /longer than the model test-model can read/, { times: 2 }],
    ['429 without end', fails(429), /too many requests \(429\)\. Wait a little/, { times: 3 }],
    ['429 with a long wait', fails(429, { retryAfter: 3000 }), /too many requests \(429\)\. It asks to wait 50 minutes/],
    ['500 without end', fails(500, { message: 'boiler on fire' }), /had an internal error \(500\)/, { times: 3 }],
    ['503 without end', fails(503), /overloaded or temporarily down/, { times: 3 }],
    ['302 elsewhere', async (call) => { call.head(302, { location: 'https://example.org/' }); await call.close(); }, /redirects to another address \(302\)/],
    ['silence before the head', hangs(), /has been silent for 1 second/, { on: hasty }],
    ['garbage', garbage(), /cannot be read/],
    ['a page instead of a stream', answersHtml(), /cannot be read/],
    ['an endless line', longLine(), /sent more at once than can be read/],
    ['empty answers without end', answers(''), /gave an empty answer/, { times: 3 }],
    ['nobody there', null, /(refused|reach|connect)/i, { choice: 'dead/nobody' }],
]) {
    test(`${name}: its own sentence, no answer, the text kept`, async () => {
        const { times = 1, choice, on = usual } = more, { alfred, anna } = on;
        const failed = await fail(behave ?? hangs(), { times: behave ? times : 0, choice, on });
        assert.equal(failed.end.status, 'failed');
        assert.match(failed.end.error, pattern);
        assert.equal(failed.answer.status, 'failed');
        assert.equal(failed.answer.text, '');
        if (behave) assert.equal(failed.calls, times, 'tried as often as that helps');
        assert.ok(!alfred.logs().includes(KEY) && !JSON.stringify(failed).includes(KEY), 'the key is nowhere');
        const page = articles((await anna.get(`/s/${failed.session}`)).text).get(failed.reply);
        assert.ok(wordsOf(page).includes(failed.end.error), 'the page shows the sentence');
        assert.match(page, /Your message is kept\./);
        // A provider repeats such a refusal, so there is only "Answer again" among the actions.
        const lasts = /^40[0-4] (?!context)/.test(name);
        assert.deepEqual([/Try again/.test(page), /"Answer again"/.test(page)], [!lasts, lasts]);
        sentences.set(name, failed.end.error);
    });
}

test('no two classes share a sentence, except those that are the same to a user', () => {
    const alike = new Map([['a page instead of a stream', 'garbage']]);
    const distinct = [...sentences].filter(([name]) => !alike.has(name));
    assert.equal(distinct.length, 16);
    assert.equal(new Set(distinct.map(([, text]) => text)).size, distinct.length, JSON.stringify([...sentences], null, 1));
    for (const text of sentences.values()) assert.match(text, /^\S.*[.…?)\w]$/s);
});

for (const [name, behave, on = usual] of [
    ['hangs in the middle', hangsAfter('Half of '), hasty],
    ['breaks off in the middle', breaksOffAfter('Half of ')],
    ['ends early', endsEarlyAfter('Half of ')],
    ['sends an endless line in the middle', longLine(10 * 1024 * 1024, 'Half of ')],
]) {
    test(`a provider that ${name}: the text is kept as failed, and Retry gives a whole answer`, async () => {
        const { anna } = on, failed = await fail(behave, { on });
        assert.equal(failed.calls, 1, 'after the first token nothing is tried again');
        assert.equal(failed.end.status, 'failed');
        assert.equal(failed.answer.text, 'Half of ');
        assert.ok(failed.end.error.length > 10);
        assert.match(failed.end.html, /Half of.*Try again/s);
        provider.next(answers('The whole'), asksForAnswer);
        const again = await anna.postJson(`/api/sessions/${failed.session}/messages/${failed.reply}/regenerate`, {});
        assert.equal((await ended(anna, again.json.turn)).status, 'done');
        const session = await sessionOf(anna, failed.session);
        assert.deepEqual(session.messages.map((m) => m.text), ['Please **keep** this', 'The whole']);
        assert.equal(session.messages[1].siblings, 2);
    });
}

for (const [status, options, least] of [
    [429, { retryAfter: 1 }, 1000],
    [503, { retryAfter: 1 }, 1000],
    [500, {}, 0],
    [529, {}, 0],
]) {
    test(`${status} before the first token is retried after the requested time, and readers are told`, async () => {
        const text = `Busy ${status}`;
        const sent = await send(anna, text, { choice: 'main/test-model' });
        const first = await provider.call((c) => c.asks(text));
        const events = await eventsOf(anna, sent.turn);
        assert.equal((await events.next()).event, 'turn');
        const start = performance.now();
        first.fail(status, options);
        const retry = await events.next();
        assert.equal(retry.event, 'wait');
        assert.ok(JSON.parse(retry.data).wait_ms >= least);
        const second = await provider.call((c) => c.asks(text));
        assert.ok(performance.now() - start >= least);
        assert.deepEqual(second.body, first.body);
        await answers('At last')(second);
        const page = new Transcript();
        page.messages.set(sent.reply, { blocks: [] });
        page.reply = sent.reply;
        await follow(events, page, (e) => e.event === 'end');
        assert.equal(page.end.status, 'done');
        assert.equal((await sessionOf(anna, sent.session)).messages[1].text, 'At last');
    });
}

test('a connection that breaks before the first token is tried again', async () => {
    provider.next(async (call) => call.breakOff(), asksForAnswer);
    const sent = await exchange(anna, provider, 'Broken once', 'Good now', { choice: 'main/test-model' });
    assert.equal(sent.end.status, 'done');
    assert.equal(sent.end.error, null);
});

test('an error event inside the stream gets the sentence of its status', async () => {
    const failed = await fail(async (call) => {
        await call.start();
        await call.text('Begun');
        await call.write(`data: ${JSON.stringify({ error: { message: 'Overloaded', type: 'overloaded_error' } })}\n\n`);
        await call.close();
    });
    assert.match(failed.end.error, /overloaded or temporarily down/);
    assert.equal(failed.answer.text, 'Begun');
});

test('a refused key: an admin gets the link to the connection, others are told to ask an admin', async () => {
    const member = await alfred.user('member');
    for (const [user, links] of [[anna, true], [member, false]]) {
        provider.next(fails(401), asksForAnswer);
        const sent = await send(user, 'With a wrong key');
        const end = await ended(user, sent.turn);
        for (const html of [end.html, (await user.get(`/s/${sent.session}`)).text]) {
            assert.equal(/<a class="btn" href="\/connect">Check the key</.test(html), links);
            assert.equal(html.includes('Ask an admin to correct the key.'), !links);
        }
    }
});

test('anthropic: refusal, overload and a broken connection have the same sentences', async () => {
    const choice = 'claude/claude-test';
    assert.match((await fail(fails(401), { choice })).end.error, /claude does not accept the key\./);
    assert.match((await fail(fails(529), { choice, times: 3 })).end.error, /claude is overloaded or temporarily down/);
    const broken = await fail(breaksOffAfter('Half of '), { choice });
    assert.equal(broken.answer.text, 'Half of ');
    assert.match((await fail(garbage(), { choice })).end.error, /cannot be read/);
});

test('an answer that is truncated at the model\'s length limit says so and is kept', async () => {
    const cut = await fail(async (call) => {
        await call.start();
        await call.text('As far as it goes');
        await call.end('length');
    });
    assert.equal(cut.end.status, 'done');
    assert.match(cut.end.error, /length limit/);
    assert.equal(cut.answer.text, 'As far as it goes');
});

test('a tool that does not exist, or arguments that are not JSON, are reported to the model, which continues', async () => {
    const text = 'Call something odd';
    const sent = await send(anna, text, { choice: 'main/test-model' });
    const first = await beginAnswer(provider, text);
    await first.toolCall('launch_rockets', { at: 'dawn' });
    await first.end('tool_calls');
    const second = await provider.call((c) => c.hasToolResult);
    assert.match(second.body.messages.at(-1).content, /There is no tool with this name/);
    await answers('Then not')(second);
    assert.equal((await ended(anna, sent.turn)).status, 'done');
    const session = await sessionOf(anna, sent.session);
    assert.deepEqual(session.messages.map((m) => m.role), ['user', 'assistant', 'tool', 'assistant']);
});

test('malicious text of a model is shown as text, and loads nothing from other servers', async () => {
    const text = '<script>alert(1)</script> <img src=x onerror=alert(1)> ![pixel](https://evil.example/p.png?secret) [x](javascript:alert(1)) {{csrf}} {{{body_html}}}\n\n<iframe src="https://evil.example">';
    const { session, reply } = await exchange(anna, provider, 'Be evil', text, { choice: 'main/test-model' });
    const article = articles((await anna.get(`/s/${session}`)).text).get(reply);
    const body = article.match(/<div class="answer">(.*?)<\/div>/s)[1];
    assert.doesNotMatch(body, /<(script|img|iframe)|href="javascript:|src="http/i);
    assert.match(wordsOf(body), /<script>alert\(1\)<\/script>.*\{\{csrf\}\} \{\{\{body_html\}\}\}/s);
});

test('no failure of a provider stops the next answer', async () => {
    const sent = await exchange(anna, provider, 'After all that', 'Still here', { choice: 'main/test-model' });
    assert.equal(sent.end.status, 'done');
    assert.deepEqual(alfred.pids('stream'), stream);
});

for (const choice of ['mock/mock-model', 'mockclaude/mock-claude']) {
    test(`aimock as ${choice}: a chat, a tool call, and errors`, async () => {
        const chat = await send(anna, 'hello', { choice });
        const events = await eventsOf(anna, chat.turn);
        const page = new Transcript();
        await follow(events, page, (e) => e.event === 'end');
        assert.equal(page.end.status, 'done');
        assert.equal((await sessionOf(anna, chat.session)).messages[1].text, 'Hi there, from the mock.');

        const timed = await send(anna, 'what time is it', { choice });
        assert.equal((await ended(anna, timed.turn)).status, 'done');
        const session = await sessionOf(anna, timed.session);
        assert.deepEqual(session.messages.map((m) => m.role), ['user', 'assistant', 'tool', 'assistant']);
        assert.equal(session.messages[3].text, 'It is noon.');

        const refused = await send(anna, 'refuse', { choice });
        const end = await ended(anna, refused.turn);
        assert.equal(end.status, 'failed');
        assert.match(end.error, /does not accept the request \(400\)/);

        const half = await send(anna, 'half', { choice });
        assert.equal((await ended(anna, half.turn)).status, 'failed');
        const kept = (await sessionOf(anna, half.session)).messages[1].text;
        assert.ok(kept.length > 0 && 'A long answer that never comes to its end'.startsWith(kept), kept);
    });
}
