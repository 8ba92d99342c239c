// Killed programs: nothing acknowledged is lost or doubled, and the service starts again at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { articles, asksForAnswer, beginTurn, ended, exchange, newClientId, provide, say, send, serveFile, sessionOf, Transcript, wordsOf } from '../../lib/chat.js';
import { startAlfred, until } from '../../lib/rig.js';

const ROUNDS = 20;
const STREAMS = 4;

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');

/** A running answer: `seen` is the text that a reader has. */
async function running(text, session) {
    const clientId = newClientId();
    return { ...await beginTurn(anna, provider, text, { client_id: clientId, session }), text, clientId, page: new Transcript() };
}

/** Sends words of the provider until the reader has `words` of them. */
async function speak(one, words) {
    for (let i = 0; i < words; i++) {
        const word = `word${i}`;
        await one.call.text(`${word} `);
        while (!wordsOf(one.page.live).includes(word)) {
            const event = await one.events.next();
            one.page.apply(event);
        }
    }
    one.seen = wordsOf(one.page.live).trim();
}

test(`${ROUNDS} times: stream is killed in the middle of answers, and everything acknowledged is stored once`, async (t) => {
    const sessions = Array.from({ length: STREAMS });
    const told = sessions.map(() => []);
    const back = [];
    for (let round = 0; round < ROUNDS; round++) {
        const answers = await Promise.all(sessions.map((id, i) => running(`Question ${i} of round ${round}`, id)));
        await Promise.all(answers.map((one, i) => speak(one, (round + i) % 5)));
        // One message is being sent; it is acknowledged or not, and its sender will retry.
        const clientId = newClientId();
        const text = `In flight ${round}`;
        const inFlight = anna.postJson('/api/sessions/new/messages', { text, client_id: clientId }).catch(() => null);
        // Sometimes the provider continues while the program dies.
        const late = answers.map((one) => one.call.text('unseen ').catch(() => {}));
        alfred.kill('stream');
        const killed = performance.now();
        const acknowledged = await inFlight;
        await Promise.all(late);
        await until('it answers again', async () => {
            try {
                return (await anna.get(`/api/turns/${answers[0].turn}`)).status === 200;
            } catch {
                return false;
            }
        });
        back.push(performance.now() - killed);

        for (const [i, one] of answers.entries()) {
            sessions[i] = one.session;
            const turn = await anna.getJson(`/api/turns/${one.turn}`);
            assert.equal(turn.status, 'interrupted');
            // A returning reader gets the end; a retry of the message the same turn.
            const end = await ended(anna, one.turn);
            assert.equal(end.status, 'interrupted');
            assert.match(end.html, /interrupted.*Try again/s);
            const again = await send(anna, one.text, { client_id: one.clientId, session: one.session });
            assert.equal(again.turn, one.turn);
            const session = await sessionOf(anna, one.session, '?limit=100');
            assert.equal(session.session.running, false);
            const reply = session.messages.at(-1);
            assert.equal(reply.id, one.reply);
            assert.equal(reply.status, 'interrupted');
            assert.ok(reply.text.trim().startsWith(one.seen), `seen ${JSON.stringify(one.seen)}, kept ${JSON.stringify(reply.text)}`);
            told[i].push(one.text);
        }
        // A message in flight is stored once, whether or not its sender got the answer.
        const retried = await send(anna, text, { client_id: clientId });
        if (acknowledged?.status === 202) assert.equal(acknowledged.json.turn, retried.turn);
        const found = (await anna.getJson('/api/sessions?limit=100')).sessions;
        assert.equal(found.length, STREAMS + 1 + round);
        await anna.postJson(`/api/turns/${retried.turn}/stop`, {});
        await ended(anna, retried.turn);
        assert.deepEqual((await sessionOf(anna, retried.session.id ?? retried.session)).messages.map((m) => m.role), ['user', 'assistant']);
    }
    for (const [i, id] of sessions.entries()) {
        const { messages, session } = await sessionOf(anna, id, '?limit=100');
        assert.deepEqual(messages.filter((m) => m.role === 'user').map((m) => m.text), told[i]);
        assert.equal(session.message_count, 2 * ROUNDS);
        const next = await exchange(anna, provider, `Afterwards ${i}`, 'Whole again', { session: id });
        assert.equal(next.end.status, 'done');
    }
    // The median: a single slow round can be caused by the machine.
    const median = back.sort((a, b) => a - b)[ROUNDS / 2];
    t.diagnostic(`answered again within ${median.toFixed(0)} ms, at most ${back.at(-1).toFixed(0)}`);
    const waits = [...alfred.logs().matchAll(/stream starts again in (\d+) ms/g)].map((m) => Number(m[1]));
    assert.ok(waits.length >= ROUNDS && waits.every((ms) => ms <= 100), `waits before a start: ${waits}`);
});

test('the text of an interrupted answer is in the next context', async () => {
    const one = await running('Cut me');
    await speak(one, 3);
    await alfred.killAndAwait('stream');
    await until('it answers', async () => (await anna.get(`/api/turns/${one.turn}`)).status === 200);
    await exchange(anna, provider, 'Where were we?', 'There', { session: one.session });
    const { body } = provider.calls.findLast((c) => asksForAnswer(c) && c.userText === 'Where were we?');
    assert.deepEqual(body.messages.slice(1).map((m) => m.content.trim()), ['Cut me', 'word0 word1 word2', 'Where were we?']);
});

test('a turn that is killed between a tool call and the next answer keeps the step', async () => {
    const one = await running('Call the clock');
    await one.call.toolCall('current_time', {});
    await one.call.end('tool_calls');
    const next = await provider.call((c) => c.hasToolResult);
    await alfred.killAndAwait('stream');
    await next.gone;
    await until('it answers', async () => (await anna.get(`/api/turns/${one.turn}`)).status === 200);
    const { messages } = await sessionOf(anna, one.session);
    assert.deepEqual(messages.map((m) => [m.role, m.status]), [['user', 'done'], ['assistant', 'done'], ['tool', 'done'], ['assistant', 'interrupted']]);
    const again = await exchange(anna, provider, 'And now?', 'Noon', { session: one.session });
    assert.equal(again.end.status, 'done');
});

test('an interrupted answer keeps its list of remembered facts, also after a tool call', async () => {
    assert.equal((await anna.postJson('/api/memories', { text: 'The gate code is 4711', permanent: true })).status, 201);
    for (const tools of [false, true]) {
        const one = await running(`What is the gate code? ${tools}`);
        await speak(one, 2);
        let last = one.call;
        if (tools) {
            await last.toolCall('current_time', {});
            await last.end('tool_calls');
            last = await provider.call((c) => c.hasToolResult);
            await last.start();
            await last.text('It is');
            while (!wordsOf(one.page.live).includes('It is')) one.page.apply(await one.events.next());
        }
        await alfred.killAndAwait('stream');
        await last.gone;
        await until('it answers', async () => (await anna.get(`/api/turns/${one.turn}`)).status === 200);
        const shown = [...articles((await anna.get(`/s/${one.session}`)).text).values()];
        assert.match(wordsOf(shown.at(-1)), /From memory: 1 fact.*interrupted|interrupted.*From memory: 1 fact/s);
        assert.equal(shown.filter((html) => /From memory/.test(html)).length, 1, 'beside the end only');
    }
});

for (const program of ['pages', 'api', 'helper']) {
    test(`${program} is killed while an answer runs: it restarts, and the answer is not affected`, async () => {
        const one = await running(`Undisturbed by ${program}`);
        await speak(one, 2);
        await alfred.killAndAwait(program);
        assert.equal((await anna.get('/sessions')).status, 200);
        assert.equal((await anna.get('/api/me')).status, 200);
        await speak(one, 4);
        await one.call.end();
        assert.equal((await ended(anna, one.turn)).status, 'done');
    });
}

test('SIGTERM drains: running answers become interrupted with their text, the exit is clean', async (t) => {
    const service = await startAlfred({ t, env: provider.env });
    const ben = await service.admin('ben');
    const { session: id, call, events } = await beginTurn(ben, provider, 'Drain me');
    await say(call, events, new Transcript(), 'As far as here');
    const ending = service.stop();
    await call.gone;
    const rest = await events.all();
    assert.equal(rest.at(-1).event, 'end', 'the reader is told');
    assert.equal(JSON.parse(rest.at(-1).data).status, 'interrupted');
    assert.deepEqual(await ending, { code: 0, signal: null });
    const again = await startAlfred({ t, env: provider.env, dir: service.dir, config: service.config });
    const back = await again.signIn('ben');
    const { messages, session } = await sessionOf(back, id);
    assert.deepEqual(messages.map((m) => [m.status, m.text]), [['done', 'Drain me'], ['interrupted', 'As far as here']]);
    assert.equal(session.running, false);
    assert.doesNotMatch(again.logs(), /cut by a crash/);
});

test('a power cut in the middle of an answer: the next start has it as interrupted', async (t) => {
    const service = await startAlfred({ t, env: provider.env });
    const ben = await service.admin('ben');
    const { session: id, call, events } = await beginTurn(ben, provider, 'Power cut');
    await say(call, events, new Transcript(), 'As far as here');
    await service.crash();
    const again = await startAlfred({ t, env: provider.env, dir: service.dir, config: service.config });
    const back = await again.signIn('ben');
    const { messages } = await sessionOf(back, id);
    assert.deepEqual(messages.map((m) => [m.status, m.text]), [['done', 'Power cut'], ['interrupted', 'As far as here']]);
});

test('stream is killed while a model reasons: what was shown of it is kept', async () => {
    const one = await running('Think about it');
    await one.call.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { reasoning_content: 'First I look at the tides.' } }] })}\n\n`);
    await one.events.until((e) => e.data.includes('look at the tides'));
    alfred.kill('stream');
    await until('it is interrupted', async () => {
        const turn = await anna.getJson(`/api/turns/${one.turn}`).catch(() => ({}));
        return turn.status === 'interrupted';
    });
    assert.equal((await sessionOf(anna, one.session)).messages.at(-1).reasoning, 'First I look at the tides.');
});

test('a program that is killed at each of its starts is started less and less often', async (t) => {
    const one = await startAlfred({ t });
    let killed = 0;
    await until('the waits grow', () => {
        const [pid] = one.pids('hooks');
        if (pid && pid !== killed) process.kill((killed = pid), 'SIGKILL');
        return /hooks starts again in 200 ms/.test(one.logs());
    });
    assert.ok(one.logs().match(/hooks was ended by signal 9/g).length > 50, 'not after a few kills by hand');
});
