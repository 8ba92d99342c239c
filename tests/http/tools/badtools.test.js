// Invalid tool calls, endless loops of calls, and turns that end while a tool runs. Each turn ends with a clear
// sentence, the session is consistent, and the next message is answered.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { embeds } from '../../fake/embeddings.js';
import { startProvider } from '../../fake/provider.js';
import { asksForAnswer, ended, eventsOf, exchange, provide, send, serveFile, sessionOf, stop } from '../../lib/chat.js';
import { startAlfred, until } from '../../lib/rig.js';

const CALLS_MAX = 6;
const provider = await provide();
const vectors = await startProvider();
after(() => vectors.stop());
const config = {
    turn: { tool_calls_max: CALLS_MAX },
    embedding: { provider: 'vec', model: 'embed-1' },
    'provider.main': { kind: 'openai', base_url: `${provider.url}/v1`, model: 'test-model' },
    'provider.vec': { kind: 'openai', base_url: `${vectors.url}/v1`, model: 'nothing' },
};
const choice = 'main/test-model';
const good = embeds((text) => [text.length, 1, 0, 0]);
vectors.always(good);
const alfred = await serveFile({ config });
const anna = await alfred.admin('anna');

let texts = 0;
/** Sends a message; returns its ids and the provider's first call. */
async function begin(client = anna, session = 'new') {
    const text = `Question ${++texts}`;
    const sent = await send(client, text, { session, choice });
    const mine = (call) => asksForAnswer(call) && call.asks(text);
    return { ...sent, mine, call: await provider.call(mine) };
}
async function callTools(call, list) {
    await call.start();
    await call.toolCalls(list);
    await call.end('tool_calls');
}
const answer = async (call, text = 'Very well.') => {
    await call.start();
    await call.text(text);
    await call.end();
};

/** Each call has its result, each message follows the one before it, nothing runs, and the next message is answered. */
async function isWhole(client, id) {
    const { messages, session } = await sessionOf(client, id, '?limit=100');
    assert.equal(session.running, false);
    for (const m of messages) assert.notEqual(m.status, 'running');
    const next = await exchange(client, provider, `Afterwards ${++texts}`, 'Yes.', { session: id, choice });
    assert.equal(next.end.status, 'done');
    // The context has calls only with their results and results only with their calls, in the same order.
    const { body } = provider.calls.findLast((c) => asksForAnswer(c) && c.asks(`Afterwards ${texts}`));
    const open = [];
    for (const m of body.messages) {
        if (m.role === 'tool') assert.equal(m.tool_call_id, open.shift(), 'a result in its place');
        else assert.deepEqual(open, [], 'a call has no result');
        for (const c of m.tool_calls ?? []) {
            open.push(c.id);
            assert.doesNotThrow(() => JSON.parse(c.function.arguments), 'broken JSON is not sent back');
            assert.match(c.function.name, /^[a-zA-Z0-9_-]{1,64}$/, 'servers refuse other names');
        }
    }
    assert.deepEqual(open, []);
    return messages;
}

const deep = `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`;
for (const [name, args] of [
    ['cut JSON', '{"text": "Likes t'],
    ['no JSON', 'remember: tea!'],
    ['a list', '[1, 2]'],
    ['null', 'null'],
    ['a duplicate key', '{"text": "a", "text": "b"}'],
    ['a key that is not offered', '{"text": "a", "owner": 2}'],
    ['too deep', deep],
    ['a NUL in it', '{"text": "a\\u0000b"}'],
    ['the wrong types', '{"text": 7, "tags": "x", "permanent": "yes"}'],
    ['a lone surrogate', '{"text": "\\ud800"}'],
]) {
    test(`arguments that are ${name}: the model gets the error, nothing is stored, the turn ends properly`, async () => {
        const one = await begin();
        await callTools(one.call, [{ id: 'call_1', name: 'remember', args }]);
        const next = await provider.call(one.mine);
        const { error } = JSON.parse(next.body.messages.at(-1).content);
        assert.match(error, /^\S.{10,}\.$/);
        await answer(next);
        assert.equal((await ended(anna, one.turn)).status, 'done');
        assert.deepEqual((await anna.getJson('/api/memories')).memories, []);
        assert.deepEqual((await isWhole(anna, one.session)).map((m) => m.role).slice(0, 4), ['user', 'assistant', 'tool', 'assistant']);
    });
}

test('calls that share an id, have none, or an odd one, each get their own result', async () => {
    const one = await begin();
    await callTools(one.call, [
        { id: 'same', name: 'current_time', args: '{}' },
        { id: 'same', name: 'search_memories', args: '{"query": "tea"}' },
        { id: '', name: 'current_time', args: '' },
        { id: 'x'.repeat(500), name: 'no_such_tool', args: '{}' },
        { id: '<b>"\u0007', name: 'current_time', args: '{}' },
    ]);
    const next = await provider.call(one.mine);
    const results = next.body.messages.filter((m) => m.role === 'tool');
    assert.equal(new Set(results.map((m) => m.tool_call_id)).size, 5, 'servers refuse an id that is there twice');
    assert.match(results[0].content, /utc/);
    assert.match(results[1].content, /memories/);
    assert.match(results[3].content, /no tool with this name/);
    await answer(next);
    assert.equal((await ended(anna, one.turn)).status, 'done');
    await isWhole(anna, one.session);
    assert.equal((await anna.get(`/s/${one.session}`)).status, 200);
});

test('names that a model invents are sent back as servers take them, in the turn and after it', async () => {
    const one = await begin();
    const names = ['multi_tool_use.parallel', 'functions.current_time', 'current_time<|channel|>analysis', 'w\u00e4r es', 'x'.repeat(200)];
    await callTools(one.call, names.map((name, i) => ({ id: `call_${i}`, name, args: '{}' })));
    const next = await provider.call(one.mine);
    const sent = next.body.messages.find((m) => m.tool_calls).tool_calls.map((c) => c.function.name);
    assert.deepEqual(sent, ['multi_tool_use_parallel', 'functions_current_time', 'current_time', 'w__r_es', 'x'.repeat(64)]);
    const known = next.body.messages.filter((m) => m.role === 'tool').map((m) => !/no tool with this name/.test(m.content));
    assert.deepEqual(known, [false, true, true, false, false]);
    await answer(next);
    assert.equal((await ended(anna, one.turn)).status, 'done');
    await isWhole(anna, one.session);
});

test('64 KB of arguments run; more than that ends the turn with a sentence', async () => {
    const size = 64 * 1024 - 20;
    const one = await begin();
    await callTools(one.call, [{ id: 'call_1', name: 'search_memories', args: `{"query": "${'x'.repeat(size)}"}` }]);
    const next = await provider.call(one.mine);
    assert.match(next.body.messages.at(-1).content, /^\{/);
    await answer(next);
    assert.equal((await ended(anna, one.turn)).status, 'done');
    await isWhole(anna, one.session);

    const two = await begin();
    await callTools(two.call, [{ id: 'call_1', name: 'search_memories', args: `{"query": "${'x'.repeat(70 * 1024)}"}` }]);
    const end = await ended(anna, two.turn);
    assert.equal(end.status, 'failed');
    assert.match(end.error, /called a tool with too much input/);
    await isWhole(anna, two.session);
});

for (const [name, perStep] of [['one by one', 1], ['three at once', 3]]) {
    test(`an endless loop of calls, ${name}, is stopped at ${CALLS_MAX} in a turn`, async () => {
        const one = await begin();
        let { call } = one;
        let made = 0;
        for (; made + perStep <= CALLS_MAX; made += perStep) {
            await callTools(call, Array.from({ length: perStep }, (_, i) => ({ id: `call_${made + i}`, name: 'current_time', args: '{}' })));
            call = await provider.call(one.mine);
        }
        await callTools(call, Array.from({ length: perStep }, (_, i) => ({ id: `over_${i}`, name: 'remember', args: '{"text": "Over the limit"}' })));
        const end = await ended(anna, one.turn);
        assert.equal(end.status, 'failed');
        assert.match(end.error, new RegExp(`more than ${CALLS_MAX} tool calls in a row and gave no answer`));
        assert.deepEqual((await anna.getJson('/api/memories')).memories, [], 'the call over the limit did not run');
        const messages = await isWhole(anna, one.session);
        assert.equal(messages.filter((m) => m.role === 'tool').length, CALLS_MAX);
    });
}

let readied = 0;
/** A turn whose tool runs: the search waits for the query's vector. */
async function inTool(client) {
    vectors.always(good);
    const before = await begin(client);
    await answer(before.call);
    await ended(client, before.turn);
    // Words find messages before there are vectors; a query gets a vector only from then on.
    await until('queries get vectors', async () => {
        const query = `ready ${++readied}`;
        await client.get(`/api/search?q=${encodeURIComponent(query)}`);
        return vectors.calls.some((c) => c.body.input[0].includes(query));
    });
    vectors.always(async () => {}); // held from now on
    const seen = vectors.calls.length;
    const one = await begin(client);
    const query = `sought ${texts}`;
    await callTools(one.call, [{ id: 'call_1', name: 'search_sessions', args: JSON.stringify({ query }) }]);
    const held = await until('the tool runs', () => vectors.calls.slice(seen).find((c) => c.body.input[0].includes(query)));
    return { ...one, release: () => good(held) };
}

test('a stop while a tool runs: its result is kept, the provider gets no further request, the turn is stopped', async () => {
    const one = await inTool(anna);
    const before = provider.calls.filter(one.mine).length;
    assert.equal((await stop(anna, one.turn)).json.status, 'stopping');
    await one.release();
    const end = await ended(anna, one.turn);
    assert.equal(end.status, 'stopped');
    assert.equal(provider.calls.filter(one.mine).length, before);
    vectors.always(good);
    const messages = await isWhole(anna, one.session);
    assert.deepEqual(messages.slice(0, 4).map((m) => [m.role, m.status]), [['user', 'done'], ['assistant', 'done'], ['tool', 'done'], ['assistant', 'stopped']]);
});

test('SIGTERM of stream while a tool runs: the turn is interrupted after the step, the session goes on', async () => {
    const one = await inTool(anna);
    const before = provider.calls.filter(one.mine).length;
    const other = await begin(); // a running answer: stream ends when its provider's connection is closed
    await other.call.start();
    const events = await eventsOf(anna, one.turn);
    const old = alfred.pids('stream');
    alfred.kill('stream', 'SIGTERM');
    await other.call.gone;
    // New connections wait in the socket's backlog; the existing reader gets the end.
    await one.release();
    const last = (await events.until((e) => e.event === 'end')).at(-1);
    assert.equal(JSON.parse(last.data).status, 'interrupted');
    await until('stream is new', () => alfred.pids('stream').length > 0 && !old.some((pid) => alfred.pids('stream').includes(pid)));
    assert.equal(provider.calls.filter(one.mine).length, before, 'the provider is not asked again');
    vectors.always(good);
    const messages = await isWhole(anna, one.session);
    assert.deepEqual(messages.slice(0, 4).map((m) => [m.role, m.status]), [['user', 'done'], ['assistant', 'done'], ['tool', 'done'], ['assistant', 'interrupted']]);
    assert.doesNotMatch(alfred.logs(), /cut by a crash/);
});

test('kill -9 of stream while a tool runs: the turn is interrupted, without the step, and nothing is open', async (t) => {
    const service = await startAlfred({ t, config });
    const ben = await service.admin('ben');
    const one = await inTool(ben);
    await service.killAndAwait('stream');
    await until('it answers', async () => {
        const got = await ben.get(`/api/turns/${one.turn}`); // nginx's own page while the program is down
        return got.status === 200 && got.json.status === 'interrupted';
    });
    vectors.always(good);
    const messages = await isWhole(ben, one.session);
    assert.deepEqual(messages.slice(0, 2).map((m) => [m.role, m.status]), [['user', 'done'], ['assistant', 'interrupted']]);
});

// The last test: afterwards the program sends the embedding provider nothing for a while.
test('a stop while a tool waits for a provider ends when the tool gives up', async () => {
    const one = await inTool(anna);
    await stop(anna, one.turn);
    const end = await ended(anna, one.turn);
    assert.equal(end.status, 'stopped');
    vectors.always(good);
    await isWhole(anna, one.session);
});

test('the page says of a call that failed that it did, and of one that asks the user what it asks', async () => {
    const begun = await begin();
    await callTools(begun.call, [
        { id: 'a', name: 'remember', args: '{"text": "Anna likes rye bread", "colour": "red"}' },
        { id: 'b', name: 'remember', args: '{"text": "Anna likes rye bread"}' },
    ]);
    await answer(await provider.call(begun.mine));
    assert.equal((await ended(anna, begun.turn)).status, 'done');
    const html = (await anna.get(`/s/${begun.session}`)).text;
    assert.deepEqual([...html.matchAll(/#([a-z]+)"\/><\/svg>(Memory: new fact[^<]*|Asked whether[^<]*)</g)].map((m) => [m[1], m[2]]), [['alert', 'Memory: new fact (failed)'], ['memory', 'Asked whether to remember a fact']]);
});
