// The path of a message: reading, reconnecting, stopping, branches, tools.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { articles, asksForAnswer, beginAnswer, comparable, ended, eventsOf, exchange, follow, provide, say, send, serveFile, sessionOf, stop, Transcript, wordsOf } from '../../lib/chat.js';
import { startAlfred, until } from '../../lib/rig.js';
import { EventStream } from '../../lib/sse.js';

const provider = await provide({ title: 'Tides and the moon' });
const alfred = await serveFile({ env: { ...provider.env, ...provider.anthropicEnv } });
const anna = await alfred.admin('anna');

const begin = (text) => beginAnswer(provider, text);
/** The newest request for an answer to `text`. */
const lastCall = (text) => provider.calls.findLast((c) => asksForAnswer(c) && c.asks(text));
const path = (session) => session.messages.map((m) => m.id);
const texts = (session) => session.messages.map((m) => m.text);

test('an answer streams token by token, and its end is what a reload shows', async () => {
    const sent = await send(anna, 'Tell me about **tides**');
    const call = await begin('Tell me about **tides**');
    const events = await eventsOf(anna, sent.turn);
    assert.equal(events.status, 200);
    assert.match(events.headers['content-type'], /^text\/event-stream/);
    assert.equal(events.headers['cache-control'], 'no-store, no-transform');
    const page = new Transcript();
    const pieces = ['The ', 'moon **pu', 'lls** at ', 'the sea.\n\n', '```c\nint ', 'x;\n```\n\n', '| a | b |\n|---|---|\n', '| 1 | 2 |\n'];
    for (const [i, piece] of pieces.entries()) {
        await call.text(piece);
        // Each piece arrives before the next one leaves the provider.
        const word = ['The', 'pu', 'pulls at', 'the sea.', 'int', 'x;', 'a', '2'][i];
        await follow(events, page, () => wordsOf(page.live).includes(word));
    }
    await call.end();
    await follow(events, page, (e) => e.event === 'end');
    assert.equal(await events.next(), null, 'the stream closes after the end');
    assert.equal(page.end.status, 'done');
    assert.equal(page.end.m, sent.reply);
    const reloaded = articles((await anna.get(`/s/${sent.session}`)).text);
    assert.deepEqual([...reloaded.keys()], [sent.asked, sent.reply]);
    assert.equal(comparable(page.end.html), reloaded.get(sent.reply));
    assert.equal(page.messages.get(sent.asked).html, reloaded.get(sent.asked));
    assert.match(reloaded.get(sent.reply), /<strong>pulls<\/strong>.*<table dir="auto">/s);
    assert.doesNotMatch(reloaded.get(sent.asked), /<strong>/, 'what a person typed is shown as typed');
});

test('the joined live blocks equal the HTML of the finished answer', async () => {
    const text = '# Head\n\n1. one\n2. two *and* `code`\n\n> quote\n\n- [x] done\n- [ ] open\n\n$x^2$ and <b>raw</b>\n\n```js\nlet a = "<";\n```\nlast [link](https://example.org) line';
    const sent = await send(anna, 'Everything');
    const call = await begin('Everything');
    const events = await eventsOf(anna, sent.turn);
    const page = new Transcript();
    for (const piece of text.match(/.{1,3}/gs)) await call.text(piece);
    await follow(events, page, () => wordsOf(page.live).endsWith('line') || wordsOf(page.live).trimEnd().endsWith('line'));
    const live = page.live;
    await call.end();
    await follow(events, page, (e) => e.event === 'end');
    const body = page.end.html.match(/<div class="answer">(.*?)<\/div>\s*(?=<div class="acts">)/s)[1];
    assert.equal(live.trim(), body.trim());
});

test('a send with Accept: text/event-stream gets the events as its answer', async () => {
    provider.next(answers('Straight away'), asksForAnswer);
    const { request, response } = await anna.open('POST', '/page/sessions/new/messages', {
        json: { text: 'Events, please' },
        headers: { accept: 'text/event-stream' },
    });
    assert.equal(response.statusCode, 200);
    const page = new Transcript();
    await follow(new EventStream(request, response), page, (e) => e.event === 'end');
    assert.match(page.end.html, /Straight away/);
});

test('a late reader gets all events; a returning one exactly the missing ones', async () => {
    const sent = await send(anna, 'Long one');
    const call = await begin('Long one');
    const events = await eventsOf(anna, sent.turn);
    const page = new Transcript();
    const history = [];
    // Each piece, and its visible part before the next one leaves the provider.
    const pieces = [
        ['Größe 🙂 ', '🙂'], ['and *more', 'more'], ['* of it\n\n', 'of it'], ['- a1\n', 'a1'], ['- b2\n\n', 'b2'], ['| x3 |\n|-'],
        ['--|\n| y4', 'y4'], [' |\n\n'], ['```\nco', 'co'], ['de5\n`', 'de5'], ['``\n'], ['A setext\n', 'setext'], ['===\n'],
        ['\n**bo', 'bo'], ['ld** [li', 'li'], ['nk](https://', 'nk'], ['x.org) end6', 'end6'],
    ];
    for (const [piece, seen] of pieces) {
        await call.text(piece);
        if (seen) history.push(...(await follow(events, page, () => wordsOf(page.live).includes(seen))));
    }
    const reads = async (lastEventId, known) => {
        const again = await eventsOf(anna, sent.turn, { lastEventId });
        // If the reader is up to date, the turn event is the only one.
        const got = [await again.next()];
        known.apply(got[0]);
        while (known.live !== page.live) {
            got.push(await again.next());
            known.apply(got.at(-1));
        }
        again.close();
        return got;
    };
    const whole = await reads(undefined, new Transcript());
    assert.equal(whole[0].event, 'turn');

    for (let cut = 1; cut <= history.length; cut++) {
        const known = new Transcript();
        for (const event of history.slice(0, cut)) known.apply(event);
        const lastEventId = history.slice(0, cut).findLast((e) => e.id)?.id;
        await reads(lastEventId, known);
        assert.deepEqual(known.shown, page.shown, `cut after event ${cut}`);
    }
    // Positions that no event had: inside characters, inside pieces, beyond the end, invalid.
    for (const lastEventId of ['-1', 'x', '', '.', `${sent.reply}.`, `${sent.reply}.-1`, `${sent.reply}.x`, '17.3', `${'9'.repeat(40)}.1`]) {
        await reads(lastEventId, new Transcript());
    }
    for (const position of ['1', '5', '11', '99999999']) {
        const odd = await eventsOf(anna, sent.turn, { lastEventId: `${sent.reply}.${position}` });
        assert.equal((await odd.next()).event, 'turn');
        odd.close();
    }
    await call.end();
    await follow(events, page, (e) => e.event === 'end');
    for (const lastEventId of [undefined, history[3].id, history.at(-1).id]) {
        const late = await eventsOf(anna, sent.turn, { lastEventId });
        const end = (await late.all()).at(-1);
        assert.equal(end.event, 'end');
        assert.equal(JSON.parse(end.data).html, page.end.html);
    }
});

test('two readers see the same, and one that leaves stops nothing', async () => {
    const sent = await send(anna, 'For two');
    const call = await begin('For two');
    const [one, two, gone] = [await eventsOf(anna, sent.turn), await eventsOf(anna.clone(), sent.turn), await eventsOf(anna, sent.turn)];
    const [a, b] = [new Transcript(), new Transcript()];
    await gone.next();
    gone.close();
    for (const word of ['alpha ', 'beta\n\n', 'gamma ', '`delta`']) {
        const seen = word.replaceAll('`', '').trim();
        await say(call, one, a, word, seen);
        await follow(two, b, () => wordsOf(b.live).includes(seen));
        assert.deepEqual(a.shown, b.shown);
    }
    one.close();
    await call.end();
    await follow(two, b, (e) => e.event === 'end');
    assert.equal(b.end.status, 'done');
    assert.equal(call.left, false);
});

test('an answer without readers is written to its end', async () => {
    const sent = await send(anna, 'Unwatched');
    const call = await begin('Unwatched');
    await call.text('All of it.');
    await call.end();
    await until('it is done', async () => (await anna.getJson(`/api/turns/${sent.turn}`)).status === 'done');
    assert.deepEqual(texts(await sessionOf(anna, sent.session)), ['Unwatched', 'All of it.']);
});

test('stop closes the connection to the provider and keeps the text', async () => {
    const sent = await send(anna, 'Stop me');
    const call = await begin('Stop me');
    const events = await eventsOf(anna, sent.turn);
    const page = new Transcript();
    await say(call, events, page, 'Half a sen');
    assert.equal((await stop(anna, sent.turn)).json.status, 'stopping');
    await call.gone;
    await follow(events, page, (e) => e.event === 'end');
    assert.equal(page.end.status, 'stopped');
    assert.equal(page.end.error, null);
    const session = await sessionOf(anna, sent.session);
    assert.deepEqual(texts(session), ['Stop me', 'Half a sen']);
    assert.equal(session.messages[1].status, 'stopped');
    assert.match(articles((await anna.get(`/s/${sent.session}`)).text).get(sent.reply), /Stopped\. The text so far is kept\./);
    assert.equal((await stop(anna, sent.turn)).json.status, 'stopped', 'stopping twice changes nothing');
    const next = await exchange(anna, provider, 'Go on', 'Gladly', { session: sent.session });
    assert.equal(next.end.status, 'done');
});

test('stop before the first token ends the request, too', async () => {
    const sent = await send(anna, 'Stop early');
    const call = await provider.call((c) => c.userText === 'Stop early');
    await stop(anna, sent.turn);
    await call.gone;
    assert.equal((await ended(anna, sent.turn)).status, 'stopped');
});

test('regenerate makes a sibling answer; edit a sibling question; ?at= switches between them', async () => {
    const first = await exchange(anna, provider, 'Question one', 'Answer one');
    const base = `/api/sessions/${first.session}`;
    const run = async (tail, body, question, answer) => {
        provider.next(answers(answer), (c) => asksForAnswer(c) && c.userText === question);
        const made = await anna.postJson(`${base}/messages/${tail}`, body);
        assert.equal(made.status, 202, made.text);
        assert.equal((await ended(anna, made.json.turn)).status, 'done');
        return made.json;
    };
    const second = await run(`${first.reply}/regenerate`, {}, 'Question one', 'Answer two');
    assert.equal(second.asked, first.asked);
    assert.deepEqual(texts(await sessionOf(anna, first.session)), ['Question one', 'Answer two']);
    // The provider does not get the replaced answer.
    assert.doesNotMatch(lastCall('Question one').prompt, /Answer one/);

    const edited = await run(`${first.asked}/edit`, { text: 'Question two' }, 'Question two', 'Answer three');
    assert.notEqual(edited.asked, first.asked);
    let session = await sessionOf(anna, first.session);
    assert.deepEqual(path(session), [edited.asked, edited.reply]);
    assert.equal(session.messages[0].sibling, 2);
    assert.equal(session.messages[0].siblings, 2);
    assert.equal(session.messages[0].prev_id, first.asked);

    const old = await sessionOf(anna, first.session, `?at=${first.asked}`);
    assert.deepEqual(texts(old), ['Question one', 'Answer two'], 'the newest leaf below it');
    const oldest = await sessionOf(anna, first.session, `?at=${first.reply}`);
    assert.deepEqual(texts(oldest), ['Question one', 'Answer one']);
    assert.equal(oldest.messages[1].next_id, second.reply);
    const page = (await anna.get(`/s/${first.session}?at=${first.reply}`)).text;
    assert.match(articles(page).get(first.reply), new RegExp(`href="/s/${first.session}\\?at=${second.reply}#m-${second.reply}"`));

    // Viewing changes nothing; selecting a branch does, and the next message goes there.
    assert.deepEqual(path(await sessionOf(anna, first.session)), [edited.asked, edited.reply]);
    assert.equal((await anna.postJson(`${base}/head`, { message: first.reply })).status, 200);
    const more = await exchange(anna, provider, 'And then', 'Then that', { session: first.session });
    session = await sessionOf(anna, first.session);
    assert.deepEqual(texts(session), ['Question one', 'Answer one', 'And then', 'Then that']);
    // `parent` does the same in one step.
    const branch = await exchange(anna, provider, 'From two', 'On two', { session: first.session, parent: second.reply });
    assert.deepEqual(texts(await sessionOf(anna, first.session)), ['Question one', 'Answer two', 'From two', 'On two']);
    assert.notEqual(branch.asked, more.asked);
});

for (const kind of ['openai', 'anthropic']) {
    test(`${kind}: a tool call runs, its step is stored, and the answer follows`, async () => {
        const { choices } = await anna.getJson('/api/me');
        const choice = choices.find((c) => c.kind === kind).value;
        const question = `What time is it, ${kind}?`;
        const mine = (c) => c.userText === question || c.hasToolResult;
        const sent = await send(anna, question, { choice });
        const events = await eventsOf(anna, sent.turn);
        const page = new Transcript();
        const call = await provider.call((c) => c.userText === question);
        assert.equal(call.protocol, kind);
        assert.match(JSON.stringify(call.body.tools), /current_time/);
        await call.start();
        await say(call, events, page, 'Let me look. ', 'Let me look.');
        await call.toolCall('current_time', {});
        await call.end('tool_calls');
        const answer = await provider.call(mine);
        assert.match(answer.prompt, new RegExp(String(new Date().getUTCFullYear())), 'the result reaches the model');
        await follow(events, page, (e) => e.event === 'step');
        // A reader that returns between the steps.
        const stepId = events.lastId;
        await answer.start();
        await say(answer, events, page, 'It is late.');
        for (const lastEventId of [undefined, stepId, `${sent.reply}.3`]) {
            const other = await eventsOf(anna, sent.turn, { lastEventId });
            const seen = new Transcript();
            if (lastEventId === stepId) seen.messages.set(page.reply, { blocks: [] });
            await follow(other, seen, () => wordsOf(seen.live).includes('It is late.'));
            assert.equal(seen.live, page.live);
            assert.equal(seen.reply, page.reply);
            other.close();
        }
        await answer.end();
        await follow(events, page, (e) => e.event === 'end');
        assert.equal(page.end.status, 'done');
        const session = await sessionOf(anna, sent.session);
        assert.deepEqual(session.messages.map((m) => m.role), ['user', 'assistant', 'tool', 'assistant']);
        assert.equal(session.messages[1].text, 'Let me look. ');
        assert.equal(session.messages[3].text, 'It is late.');
        // The page shows the same articles.
        const shown = articles((await anna.get(`/s/${sent.session}`)).text);
        assert.deepEqual([...shown.keys()], path(session));
        for (const [id, html] of page.shown) assert.equal(html, shown.get(id), `message ${id}`);

        // Calls and results are sent in the next turn, in the provider's format.
        const next = await exchange(anna, provider, `Thanks, ${kind}`, 'You are welcome', { session: sent.session });
        assert.equal(next.end.status, 'done');
        const { body } = lastCall(`Thanks, ${kind}`);
        assert.match(JSON.stringify(body.messages), kind === 'openai' ? /"tool_calls".*"role":"tool"/ : /"tool_use".*"tool_result"/);
    });

    test(`${kind}: a model that only calls tools is stopped at tool_calls_max, and the session continues`, async () => {
        const { choices } = await anna.getJson('/api/me');
        const choice = choices.find((c) => c.kind === kind).value;
        const question = `Loop for ever, ${kind}`;
        let count = 0;
        const loops = async (call) => {
            await call.start();
            await call.toolCall('current_time', {}, `call_${++count}`);
            await call.end('tool_calls');
        };
        for (let i = 0; i < 9; i++) provider.next(loops, (c) => JSON.stringify(c.body.messages).includes(question) && asksForAnswer(c));
        const sent = await send(anna, question, { choice });
        const end = await ended(anna, sent.turn);
        assert.equal(end.status, 'failed');
        assert.match(end.error, /more than 8 tool calls/);
        assert.equal(count, 9);
        const session = await sessionOf(anna, sent.session);
        assert.equal(session.messages.filter((m) => m.role === 'tool').length, 8);
        assert.equal(session.session.running, false);
        const next = await exchange(anna, provider, `After the loop, ${kind}`, 'Fine', { session: sent.session });
        assert.equal(next.end.status, 'done');
    });
}

test('a title appears after the first exchange without a change of order', async () => {
    const one = await exchange(anna, provider, 'About tides', 'Tides are…');
    await until('it has a title', async () => (await sessionOf(anna, one.session)).session.title === 'Tides and the moon');
    const held = [];
    const filter = (c) => c.prompt.includes('The second one');
    provider.always(async (call) => void held.push(call), (c) => c.prompt.includes('title') && filter(c));
    const two = await exchange(anna, provider, 'The second one', 'Answered');
    const titling = await until('the title is asked for', () => held[0]);
    const three = await exchange(anna, provider, 'A third one', 'Answered');
    const order = async () => (await anna.getJson('/api/sessions')).sessions.slice(0, 3).map((s) => s.id);
    const before = await order();
    assert.deepEqual(before, [three.session, two.session, one.session]);
    await answers('"Second title."')(titling);
    await until('it has a title', async () => (await sessionOf(anna, two.session)).session.title === 'Second title');
    assert.deepEqual(await order(), before);
    assert.ok((await anna.get('/sessions')).text.includes('Second title'));
    await exchange(anna, provider, 'Once more', 'Yes', { session: two.session });
    assert.equal((await sessionOf(anna, two.session)).session.title, 'Second title', 'only the first exchange names it');
});

test('the system prompt is read again for every answer', async () => {
    const file = `${alfred.dataDir}/system-prompt.md`;
    const original = readFileSync(file, 'utf8');
    const one = await exchange(anna, provider, 'Prompt one', 'Yes');
    assert.ok(lastCall('Prompt one').prompt.includes(JSON.stringify(original.trim().split('\n')[0]).slice(1, -1)));
    writeFileSync(file, 'Answer like a pirate, with "quotes" and {{braces}}.');
    await exchange(anna, provider, 'Prompt two', 'Arr', { session: one.session });
    writeFileSync(file, original);
    const call = lastCall('Prompt two');
    assert.equal(call.body.messages[0].role, 'system');
    assert.match(call.body.messages[0].content, /^Answer like a pirate, with "quotes" and \{\{braces\}\}\.$/m);
    assert.deepEqual(call.body.messages.slice(1).map((m) => m.content), ['Prompt one', 'Yes', 'Prompt two']);
});

for (const [policy, more, expected] of [
    ['full', {}, ['q0', 'a0', 'q1', 'a1', 'q2', 'a2', 'q3']],
    ['window', { window_messages: 4 }, ['q1', 'a1', 'q2', 'a2', 'q3']],
    ['thrifty', {}, ['q2', 'a2', 'q3']],
]) {
    test(`the context policy ${policy} is what the provider receives`, async (t) => {
        const service = await startAlfred({ t, env: provider.env, config: { context: { policy, ...more } } });
        const ben = await service.admin('ben');
        const long = (s) => `${s} ${'ä'.repeat(600)}`;
        let session;
        for (let i = 0; i < 4; i++) {
            const question = long(`q${i}`);
            provider.next(answers(long(`a${i}`), 100), (c) => asksForAnswer(c) && c.userText.startsWith(`q${i}`));
            const sent = await send(ben, question, { session });
            assert.equal((await ended(ben, sent.turn)).status, 'done');
            session = sent.session;
        }
        const { messages } = provider.calls.findLast((c) => asksForAnswer(c) && c.userText.startsWith('q3')).body;
        assert.equal(messages[0].role, 'system');
        assert.deepEqual(messages.slice(1).map((m) => m.content.slice(0, 2)), expected);
        const lengths = messages.slice(1).map((m) => [...m.content].length);
        assert.ok(lengths.slice(0, -1).every((n) => n === (policy === 'thrifty' ? 500 : 603)), String(lengths));
        assert.equal(lengths.at(-1), 603); // the newest message is never cut
    });
}

test('foreign ids and absent ids give the same bytes', async () => {
    const carl = await alfred.user('carl');
    const hers = await exchange(anna, provider, 'A secret of Anna', 'Kept');
    const running = await send(anna, 'Still running');
    const call = await begin('Still running');
    await call.text('secret piece');
    const his = await exchange(carl, provider, 'Carl asks', 'Answered');
    const absent = { session: `ses_${'0'.repeat(26)}`, turn: `trn_${'0'.repeat(26)}`, message: String(BigInt(his.asked) + 100000n) };
    const foreign = { session: hers.session, turn: running.turn, message: hers.asked, answer: hers.reply };
    const routes = [
        // method, path with the ids filled in, body
        ['GET', (i) => `/api/sessions/${i.session}`],
        ['GET', (i) => `/api/sessions/${i.session}/messages`],
        ['GET', (i) => `/api/sessions/${i.session}/messages?before=${i.message}`],
        ['GET', (i) => `/api/sessions/${his.session}?at=${i.message}`],
        ['GET', (i) => `/api/sessions/${his.session}/messages?before=${i.message}`],
        ['PATCH', (i) => `/api/sessions/${i.session}`, () => ({ title: 'Mine now' })],
        ['DELETE', (i) => `/api/sessions/${i.session}`, () => ({})],
        ['POST', (i) => `/api/sessions/${i.session}/head`, (i) => ({ message: i.message })],
        ['POST', () => `/api/sessions/${his.session}/head`, (i) => ({ message: i.message })],
        ['POST', (i) => `/api/sessions/${i.session}/seen`, () => ({})],
        ['POST', (i) => `/api/sessions/${i.session}/messages`, () => ({ text: 'Intruder' })],
        ['POST', () => `/api/sessions/${his.session}/messages`, (i) => ({ text: 'Intruder', parent: i.message })],
        ['PATCH', (i) => `/api/sessions/${i.session}/messages/${i.message}`, () => ({ text: 'Intruder' })],
        ['PATCH', (i) => `/api/sessions/${his.session}/messages/${i.message}`, () => ({ text: 'Intruder' })],
        ['DELETE', (i) => `/api/sessions/${i.session}/messages/${i.message}`, () => ({})],
        ['DELETE', (i) => `/api/sessions/${his.session}/messages/${i.message}`, () => ({})],
        ['POST', (i) => `/api/sessions/${i.session}/messages/${i.message}/edit`, () => ({ text: 'Intruder' })],
        ['POST', (i) => `/api/sessions/${his.session}/messages/${i.message}/edit`, () => ({ text: 'Intruder' })],
        ['POST', (i) => `/api/sessions/${i.session}/messages/${i.message}/regenerate`, () => ({})],
        ['POST', (i) => `/api/sessions/${his.session}/messages/${i.message}/regenerate`, () => ({})],
        ['GET', (i) => `/api/turns/${i.turn}`],
        ['GET', (i) => `/api/turns/${i.turn}/events`],
        ['POST', (i) => `/api/turns/${i.turn}/stop`, () => ({})],
        ['GET', (i) => `/s/${i.session}`],
        ['GET', (i) => `/s/${his.session}?at=${i.message}`],
        ['GET', (i) => `/s/${i.session}?before=${i.message}`],
        ['POST form', (i) => `/s/${i.session}`, () => ({ text: 'Intruder' })],
        ['POST form', (i) => `/s/${i.session}/edit`, (i) => ({ text: 'Intruder', message: i.message })],
        ['POST form', () => `/s/${his.session}/edit`, (i) => ({ text: 'Intruder', message: i.message })],
        ['POST form', (i) => `/s/${i.session}/regenerate`, (i) => ({ message: i.message })],
        ['POST form', (i) => `/s/${i.session}/stop`, () => ({})],
        ['POST form', (i) => `/sessions/${i.session}/rename`, () => ({ title: 'Mine now' })],
        ['POST form', (i) => `/sessions/${i.session}/delete`, () => ({})],
        ['POST form', (i) => `/sessions/${i.session}/messages/${i.message}/delete`, () => ({})],
        ['POST form', (i) => `/sessions/${his.session}/messages/${i.message}/delete`, () => ({})],
        ['POST form', (i) => `/sessions/${his.session}/messages/${i.message}/text`, () => ({ text: 'Intruder' })],
    ];
    const ask = async ([kind, url, body], ids) => {
        const [method, form] = kind.split(' ');
        const content = method === 'GET' ? {} : form ? { form: body(ids) } : { json: body(ids) };
        const answer = await carl.request(method, url(ids), content);
        // The nonce and the next client id may differ. The id in the request is not repeated in the answer.
        return `${answer.status}\n${answer.text.replace(/nonce="[^"]*"|name="csrf" (value|content)="[^"]*"| data-live="[^"]*"/g, '').replace(/name="client_id" value="[^"]*"/g, '')}`;
    };
    for (const route of routes) {
        const [theirs, nobodys] = [await ask(route, foreign), await ask(route, absent)];
        assert.match(nobodys, /^404\n/, `${route[0]} ${route[1](absent)}`);
        assert.equal(theirs, nobodys, `${route[0]} ${route[1](foreign)}`);
    }
    const list = await carl.getJson('/api/sessions?limit=100');
    assert.deepEqual(list.sessions.map((s) => s.id), [his.session]);
    for (const page of ['/', '/sessions', `/s/${his.session}`, '/sessions?q=secret']) {
        const { text } = await carl.get(page);
        assert.ok(!text.includes(hers.session) && !text.includes('secret of Anna'), page);
    }
    // Nothing of hers has changed.
    assert.deepEqual(texts(await sessionOf(anna, hers.session)), ['A secret of Anna', 'Kept']);
    assert.equal((await anna.getJson(`/api/turns/${running.turn}`)).status, 'running');
    await call.end();
    assert.equal((await ended(anna, running.turn)).status, 'done');
    assert.deepEqual(texts(await sessionOf(carl, his.session)), ['Carl asks', 'Answered']);
});
