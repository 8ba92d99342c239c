// The events of a turn for programs: text, steps, states, usage and the end, without HTML.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers, callsTool } from '../../fake/provider.js';
import { asksForAnswer, beginAnswer, ended, eventsOf, exchange, provide, send, serveFile, sessionOf, stop } from '../../lib/chat.js';
import { EventStream } from '../../lib/sse.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');
const bert = await alfred.user('bert');

const read = (client, turn, options) => client.events(`/api/turns/${turn}/events`, options);
const isEnd = (e) => e.event === 'end';
const dataOf = (e) => JSON.parse(e.data);
/** The text of a message, joined from its events. */
const textOf = (events, message) => events.filter((e) => e.event === 'text' && dataOf(e).message === message).map((e) => dataOf(e).text).join('');
const named = (events, name) => events.filter((e) => e.event === name).map(dataOf);

test('text arrives in pieces, and the end has the message, the session and the usage', async () => {
    const sent = await send(anna, 'Tell me about **tides**');
    const call = await beginAnswer(provider, 'Tell me about **tides**');
    const events = await read(anna, sent.turn);
    const got = [];
    for (const piece of ['The **moon', '** <b>pulls</b> ', 'grün.']) {
        await call.text(piece);
        // Each piece arrives before the next one leaves the provider.
        got.push(...(await events.until((e) => e.event === 'text' && dataOf(e).text.endsWith(piece.at(-1)))));
    }
    await call.end();
    got.push(...(await events.until(isEnd)));
    assert.equal(await events.next(), null, 'the stream closes after the end');
    assert.deepEqual(dataOf(got[0]), { turn: sent.turn, session: sent.session, asked: sent.asked, reply: sent.reply });
    assert.equal(got[0].event, 'turn');
    assert.equal(textOf(got, sent.reply), 'The **moon** <b>pulls</b> grün.');
    assert.deepEqual(got.map((e) => e.event).filter((name) => name !== 'text'), ['turn', 'usage', 'end']);
    const end = dataOf(got.at(-1));
    assert.deepEqual(Object.keys(end).toSorted(), ['message', 'session', 'status']);
    assert.equal(end.status, 'done');
    const { session, messages } = await sessionOf(anna, sent.session);
    assert.deepEqual(end.message, messages.at(-1), 'the message is the one of the session');
    assert.deepEqual(end.session, { ...session, title: end.session.title, named: end.session.named }, 'but the title, which a job may have improved since');
    assert.deepEqual(named(got, 'usage'), [{ usage: end.message.usage }]);
    assert.ok(end.message.usage.input_tokens > 0 && end.message.usage.output_tokens > 0);
    assert.ok(!got.some((e) => /_html|csrf|<\/|<p/.test(e.data.replaceAll('<b>', '').replaceAll('</b>', ''))), 'no HTML of ours');
});

test('a send with Accept: text/event-stream gets the events as its answer', async () => {
    provider.next(answers('Straight away'), asksForAnswer);
    const { request, response } = await anna.open('POST', '/api/sessions/new/messages', { json: { text: 'Events, please' }, headers: { accept: 'text/event-stream' } });
    assert.equal(response.statusCode, 200);
    const got = await new EventStream(request, response).until(isEnd);
    assert.equal(textOf(got, dataOf(got[0]).reply) || dataOf(got.at(-1)).message.text, 'Straight away');
});

test('a returning reader continues at any position, and a late one gets the end', async () => {
    const sent = await send(anna, 'Once more');
    const call = await beginAnswer(provider, 'Once more');
    await call.text('Über Wasser');
    const all = await read(anna, sent.turn);
    await all.until((e) => e.event === 'text' && e.data.includes('Wasser'));
    // Positions are bytes; a position inside the two bytes of Ü counts as the one before it.
    for (const [position, rest] of [['', 'Über Wasser'], [`${sent.reply}.0`, 'Über Wasser'], [`${sent.reply}.1`, 'Über Wasser'], [`${sent.reply}.5`, ' Wasser'], ['nonsense', 'Über Wasser']]) {
        const again = await read(anna, sent.turn, { lastEventId: position });
        const got = await again.until((e) => e.event === 'text');
        assert.equal(textOf(got, sent.reply), rest, position);
        assert.equal(got.at(-1).id, `${sent.reply}.12`);
        again.close();
    }
    const back = await read(anna, sent.turn, { lastEventId: `${sent.reply}.12` });
    await call.text('!');
    assert.equal(textOf(await back.until((e) => e.event === 'text'), sent.reply), '!');
    await call.end();
    for (const reader of [all, back]) assert.equal(dataOf((await reader.until(isEnd)).at(-1)).message.text, 'Über Wasser!');
    const late = await (await read(anna, sent.turn)).until(isEnd);
    assert.deepEqual(late.map((e) => e.event), ['turn', 'usage', 'end']);
    assert.equal((await bert.get(`/api/turns/${sent.turn}/events`)).status, 404);
});

test('a step has the call with its arguments and the results, and the answer continues in the next message', async () => {
    provider.always(callsTool('add_task', { text: 'Feed the cat' }, 'It is on the list.'), (c) => asksForAnswer(c) && c.userText === 'Note: feed the cat');
    const sent = await send(anna, 'Note: feed the cat');
    const got = await (await read(anna, sent.turn)).until(isEnd);
    const end = dataOf(got.at(-1));
    assert.equal(end.message.text, 'It is on the list.');
    const { messages } = await sessionOf(anna, sent.session);
    assert.deepEqual(messages.map((m) => m.role), ['user', 'assistant', 'tool', 'assistant']);
    const [, called, result, reply] = messages;
    assert.equal(called.calls_tools, true);
    assert.equal(result.tool, 'add_task');
    assert.deepEqual(JSON.parse(result.arguments), { text: 'Feed the cat' });
    assert.equal(JSON.parse(result.text).task.text, 'Feed the cat');
    const steps = named(got, 'step');
    if (steps.length) {
        assert.deepEqual(steps.map((s) => [s.message.id, s.results.map((r) => [r.id, r.tool, r.text]), s.reply]), [[called.id, [[result.id, 'add_task', result.text]], reply.id]]);
    } else assert.deepEqual(got.map((e) => e.event), ['turn', 'usage', 'end'], 'it was over before it was read');
});

test('the reason of a wait is a state', async () => {
    const sent = await send(anna, 'Are you there?');
    const isMine = (c) => asksForAnswer(c) && c.userText === 'Are you there?';
    const call = await provider.call(isMine);
    const events = await read(anna, sent.turn);
    await events.until((e) => e.event === 'turn');
    provider.next(answers('Now I am.'), isMine);
    await call.fail(503, { retryAfter: 1 });
    const got = await events.until(isEnd);
    assert.equal(dataOf(got.at(-1)).message.text, 'Now I am.');
    const [state] = named(got, 'status');
    assert.equal(state.status, 'retrying');
    assert.ok(state.wait_ms > 0 && state.text.length > 0);
});

test('a model that is being loaded, and a provider that fails or is busy, are a state for readers that come later, too', async () => {
    for (const [text, status, options, state, words] of [
        ['Wake up', 503, { message: 'Loading model' }, 'loading', /^The model is being loaded\. /],
        ['Are you well?', 500, {}, 'retrying', /^The provider could not answer\. /], // it did answer
        ['Are you busy?', 429, { retryAfter: 1 }, 'retrying', /^The provider is busy\. (Next try in [12] s|Trying again)\.$/],
    ]) {
        const sent = await send(anna, text);
        const isMine = (c) => asksForAnswer(c) && c.asks(text);
        const call = await provider.call(isMine);
        const early = await read(anna, sent.turn);
        await early.until((e) => e.event === 'turn');
        call.fail(status, options);
        await early.until((e) => e.event === 'status');
        const late = await read(anna, sent.turn);
        const [told] = named(await late.until((e) => e.event === 'status'), 'status');
        assert.equal(told.status, state);
        assert.match(told.text, words);
        await answers('Here.')(await provider.call(isMine));
        await late.until(isEnd);
    }
});

test('a stopped answer ends with the text so far', async () => {
    const sent = await send(anna, 'Talk for long');
    const call = await beginAnswer(provider, 'Talk for long');
    await call.text('Well');
    const events = await read(anna, sent.turn);
    await events.until((e) => e.event === 'text');
    await stop(anna, sent.turn);
    const end = dataOf((await events.until(isEnd)).at(-1));
    assert.deepEqual([end.status, end.message.status, end.message.text], ['stopped', 'stopped', 'Well']);
});

test('the page’s own stream needs the same rights, and refuses with JSON', async () => {
    const { turn } = await exchange(anna, provider, 'A private question', 'A private answer');
    for (const surface of ['api', 'page']) {
        const answersOf = [await bert.get(`/${surface}/turns/${turn}/events`), await alfred.client().get(`/${surface}/turns/${turn}/events`)];
        assert.deepEqual(answersOf.map((a) => [a.status, a.json.error.code]), [[404, 'not_found'], [401, 'unauthenticated']]);
        assert.equal((await anna.postJson(`/${surface}/sessions/new/messages`, { text: 'x' }, { csrf: false })).status, 403);
    }
    assert.equal((await ended(anna, turn)).status, 'done');
});

test('two readers of one turn each get their own language', async () => {
    provider.next(callsTool('current_time', {}, 'Noon.'), (c) => asksForAnswer(c) && c.userText === 'In two languages?' && !c.hasToolResult);
    const sent = await send(anna, 'In two languages?');
    const call = await provider.call((c) => asksForAnswer(c) && c.hasToolResult && c.userText === 'In two languages?');
    await call.start();
    const lines = await Promise.all(['de', 'en', 'de'].map((l) => eventsOf(anna, sent.turn, { headers: { 'accept-language': l } })));
    await call.text('It is');
    for (const [i, words] of ['Uhr', 'clock', 'Uhr'].entries()) {
        const events = await lines[i].until((e) => e.event === 'blocks');
        assert.match(events.find((e) => e.event === 'step').data, new RegExp(words, 'i'), 'the step');
    }
    await stop(anna, sent.turn);
    for (const [i, words] of ['Gestoppt', 'Stopped', 'Gestoppt'].entries()) assert.match((await lines[i].until((e) => e.event === 'end')).at(-1).data, new RegExp(words), 'the end');
});
