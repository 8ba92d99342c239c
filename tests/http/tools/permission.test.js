// Calls of connected tools that wait for the user's permission (docs/mcp.md).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startMcp, text, tool } from '../../fake/mcp.js';
import { answers } from '../../fake/provider.js';
import { asksForAnswer, beginAnswer, decide, ended, eventsOf, provide, questionOf, questionsOf, send, serveFile, sessionOf, stop, suggestionsOf } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const NONE = '4294967296';
const home = await startMcp({ tools: [tool('list_lamps', { reads: true, title: 'List lamps' }), tool('turn_on', { title: 'Turn on', properties: { lamp: { type: 'string' } } })] });
const wiki = await startMcp({ tools: [tool('search', { reads: true }), tool('edit', { title: 'Edit' })] });
const mail = await startMcp({ tools: [tool('send', { title: 'Send' }), tool('list', { reads: true })], call: (name) => text(`${name}: done`) });
for (const server of [home, wiki, mail]) after(() => server.stop());
const provider = await provide();
const alfred = await serveFile({
    config: {
        models: { discover: 'no' },
        turn: { tool_calls_max: 30 },
        'provider.main': { kind: 'openai', base_url: `${provider.url}/v1`, model: 'test-model' },
        'mcp.home': { url: home.url, label: 'Home', tools: ['all'] },
        'mcp.wiki': { url: wiki.url, label: 'Wiki', tools: ['all'] },
        'mcp.mail': { url: mail.url, label: 'Mail', tools: ['all'], ask: 'changes' },
    },
});
const anna = await alfred.admin('anna'), bob = await alfred.user('bob');
await until('the lists of tools', () => alfred.sql('SELECT name FROM mcp_server WHERE listed_at > 0').length === 3);

let texts = 0;
const ofTurn = (words) => (c) => asksForAnswer(c) && c.asks(words);
const made = (server, name) => server.calls.filter((one) => one.name === name).length;

/** The id of the question that waits in a session; not that of `last`. */
const asked = (client, session, last) => until('the question', async () => {
    const id = await questionOf(client, session);
    return id !== NONE && id !== last && id;
});

/** A turn of several steps. */
async function begin(client = anna, session = 'new') {
    const words = `A question, number ${++texts}.`, sent = await send(client, words, { session });
    const turn = {
        ...sent,
        /** The next step calls one tool. */
        async calls(name, args = {}) {
            const request = await provider.call(ofTurn(words));
            await request.start();
            await request.toolCall(name, args);
            await request.end('tool_calls');
        },
        asks: (last) => asked(client, sent.session, last),
        /** The model's last words; gives the results of all calls. */
        async ends() {
            await answers('Very well.')(await provider.call(ofTurn(words)));
            assert.equal((await ended(client, sent.turn)).status, 'done');
            return turn.results();
        },
        results: async () => (await sessionOf(client, sent.session)).messages.filter((m) => m.role === 'tool').map((m) => JSON.parse(m.text)),
    };
    return turn;
}

test('after text from elsewhere a call that may change something waits; allowed, it is made', async () => {
    const before = made(home, 'turn_on'), turn = await begin();
    const events = await anna.events(`/api/turns/${turn.turn}/events`), page = await eventsOf(anna, turn.turn);
    await turn.calls('wiki_search', { query: 'x' });
    await turn.calls('home_turn_on', { lamp: 'desk', level: { percent: 40 } });
    const id = await turn.asks();
    const told = (await events.until((e) => e.event === 'status' && JSON.parse(e.data).status === 'asks')).at(-1);
    assert.deepEqual(JSON.parse(told.data), { status: 'asks', suggestion: id, text: 'Waits for your permission.' });
    assert.match((await page.until((e) => e.event === 'wait' && e.data.includes('permission'))).at(-1).data, /Waits for your permission/);
    const late = await anna.events(`/api/turns/${turn.turn}/events`);
    await late.until((e) => e.event === 'status' && JSON.parse(e.data).suggestion === id);
    const [question] = questionsOf((await anna.get(`/s/${turn.session}`)).text);
    assert.equal(question.words, 'Allow “Home: Turn on (lamp: desk, level: {"percent":40})”?');
    assert.equal(made(home, 'turn_on'), before, 'nothing is sent before');
    assert.equal((await bob.postJson(`/api/suggestions/${id}/keep`, {})).status, 404);
    const kept = await anna.postJson(`/api/suggestions/${id}/keep`, {});
    assert.equal(kept.status, 200);
    assert.deepEqual([kept.json.suggestion.kind, kept.json.suggestion.state, kept.json.suggestion.can_undo], ['call_tool', 'done', false]);
    await events.until((e) => e.event === 'status' && JSON.parse(e.data).status === 'decided');
    const [, result] = await turn.ends();
    assert.equal(result.text, 'Done.');
    assert.equal(made(home, 'turn_on'), before + 1);
    assert.equal((await anna.postJson(`/api/suggestions/${id}/keep`, {})).status, 409, 'a decision takes effect once');
    const shown = suggestionsOf((await anna.get(`/s/${turn.session}`)).text).map((one) => one.words);
    assert.deepEqual(shown, ['Allowed: “Home: Turn on (lamp: desk, level: {"percent":40})”'], 'the answer keeps what was allowed');
    assert.equal(made(home, 'turn_on'), before + 1);
});

test('a refused call is not made, and the model is told', async () => {
    const before = made(home, 'turn_on'), turn = await begin();
    await turn.calls('wiki_search');
    await turn.calls('home_turn_on', { lamp: 'desk' });
    assert.equal((await decide(anna, await turn.asks(), 'dismiss')).status, 303);
    const [, result] = await turn.ends();
    assert.match(result.error, /^The user refused this call/);
    assert.equal(made(home, 'turn_on'), before);
    assert.equal(await questionOf(anna, turn.session), NONE);
});

test('text of the same server does not count, and reading asks nobody', async () => {
    const turn = await begin();
    await turn.calls('home_list_lamps');
    await turn.calls('home_turn_on', { lamp: 'desk' });
    await turn.calls('wiki_search');
    await turn.calls('home_list_lamps');
    assert.deepEqual((await turn.ends()).map((r) => r.text), ['Done.', 'Done.', 'Done.', 'Done.']);
    const after = await begin();
    await after.calls('search_sessions', { query: 'lamp' });
    await after.calls('home_turn_on', { lamp: 'desk' });
    await decide(anna, await after.asks(), 'dismiss');
    assert.match((await after.ends())[1].error, /^The user refused/, 'text of another session counts');
});

test('with ask = "changes" each call that may change something waits, and each has its own question', async () => {
    const before = made(mail, 'send'), turn = await begin();
    await turn.calls('mail_list');
    await turn.calls('mail_send', { to: 'a' });
    const first = await turn.asks();
    await decide(anna, first, 'keep');
    await turn.calls('mail_send', { to: 'a' });
    await decide(anna, await turn.asks(first), 'dismiss');
    const results = await turn.ends();
    assert.deepEqual(results.map((r) => r.text ?? 'refused'), ['list: done', 'send: done', 'refused']);
    assert.equal(made(mail, 'send'), before + 1);
});

test('a stop ends the wait, and the question goes', async () => {
    const before = made(mail, 'send'), turn = await begin();
    await turn.calls('mail_send');
    const id = await turn.asks();
    assert.equal((await stop(anna, turn.turn)).status, 200);
    assert.equal((await ended(anna, turn.turn)).status, 'stopped');
    assert.equal(await questionOf(anna, turn.session), NONE);
    assert.equal((await anna.postJson(`/api/suggestions/${id}/keep`, {})).status, 404, 'a late decision has no effect');
    assert.equal(made(mail, 'send'), before);
});

test('without a decision the call is not made; a decision of which no report came is found', async () => {
    const before = made(mail, 'send'), turn = await begin(), news = await anna.events('/api/events');
    const reported = (id) => news.until((e) => e.event === 'suggestion' && JSON.parse(e.data).id === id).then(() => id); // it was looked at
    await turn.calls('mail_send');
    alfred.sql('UPDATE suggestion SET lapses_at = 1 WHERE id = ?', await reported(await turn.asks()));
    await turn.calls('mail_send', { to: 'b' });
    alfred.sql("UPDATE suggestion SET state = 'done', settled_at = 1 WHERE id = ?", await reported(await turn.asks()));
    const [none, found] = await turn.ends();
    assert.match(none.error, /^The user did not answer the question/);
    assert.equal(found.text, 'send: done');
    assert.equal(made(mail, 'send'), before + 1);
});

test('a deleted session and a killed program end the wait', async () => {
    const before = made(mail, 'send');
    const deleted = await begin();
    await deleted.calls('mail_send');
    const id = await deleted.asks();
    assert.equal((await anna.request('DELETE', `/api/sessions/${deleted.session}`)).status, 200);
    await until('its end', async () => (await anna.getJson(`/api/turns/${deleted.turn}`).catch(() => ({ status: 'gone' }))).status !== 'running');
    assert.equal((await anna.postJson(`/api/suggestions/${id}/keep`, {})).status, 404);
    const killed = await begin();
    await killed.calls('mail_send');
    await killed.asks();
    await alfred.killAndAwait('stream');
    await until('its end', async () => (await ended(anna, killed.turn)).status === 'interrupted');
    assert.equal(await questionOf(anna, killed.session), NONE);
    assert.equal(made(mail, 'send'), before);
    const next = await begin(anna, killed.session);
    await next.calls('mail_send');
    await decide(anna, await next.asks(), 'keep');
    await next.ends();
    assert.equal(made(mail, 'send'), before + 1);
});

test('of long arguments the question says how much it does not show', async () => {
    const turn = await begin();
    await turn.calls('mail_send', { text: 'ü'.repeat(3000) });
    await turn.asks();
    const [question] = questionsOf((await anna.get(`/s/${turn.session}`)).text);
    assert.match(question.words, /^Allow “Mail: Send \(text: ü{997}… and 2,003 more characters\)”\?$/);
    await stop(anna, turn.turn);
    await ended(anna, turn.turn);
});

test('a continued answer knows what its tools have read before', async () => {
    const words = `A question, number ${++texts}.`, before = made(home, 'turn_on');
    const sent = await send(anna, words, {});
    let request = await beginAnswer(provider, words);
    await request.toolCall('wiki_search', {});
    await request.end('tool_calls');
    request = await beginAnswer(provider, words);
    await request.text('The wiki says ');
    await request.end('length');
    await ended(anna, sent.turn);
    const { messages } = await sessionOf(anna, sent.session);
    const again = await anna.postJson(`/api/sessions/${sent.session}/messages/${messages.at(-1).id}/continue`, {});
    request = await provider.call((c) => asksForAnswer(c) && c.prompt.includes(words));
    await request.start();
    await request.toolCall('home_turn_on', { lamp: 'x' });
    await request.end('tool_calls');
    await decide(anna, await asked(anna, sent.session), 'dismiss');
    await answers('that.')(await provider.call((c) => asksForAnswer(c) && c.prompt.includes(words)));
    await ended(anna, again.json.turn);
    const last = (await sessionOf(anna, sent.session)).messages.findLast((m) => m.role === 'tool');
    assert.match(JSON.parse(last.text).error, /^The user refused/);
    assert.equal(made(home, 'turn_on'), before);
});

test('no rule of the protocol was broken', () => {
    for (const server of [home, wiki, mail]) assert.deepEqual(server.broken, []);
});
