// Two models side by side for one question: both answer at the same time, the user continues with one.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers, callsTool } from '../../fake/provider.js';
import { asksForAnswer, ended, eventsOf, exchange, newClientId, provide, send, serveFile, sessionOf, stop } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const provider = await provide();
const alfred = await serveFile({ env: { ...provider.env, ...provider.anthropicEnv } });
const anna = await alfred.admin('anna');
const bert = await alfred.user('bert');
const { choices } = await anna.getJson('/api/me');
const first = choices.find((c) => c.provider === 'openai');
const second = choices.find((c) => c.provider === 'anthropic');
const of = { openai: (text) => (c) => asksForAnswer(c) && c.protocol === 'openai' && c.asks(text), anthropic: (text) => (c) => asksForAnswer(c) && c.protocol === 'anthropic' && c.asks(text) };
const compare = (text, more = {}) => send(anna, text, { choice: first.value, compare_with: second.value, ...more });
const head = (client, session, message) => client.postJson(`/api/sessions/${session}/head`, { message });
const columnsOf = (page) => [...page.matchAll(/<section class="col"[^>]*>.*?<\/section>/gs)].map((m) => m[0]);

/** Both models are asked and wait for the test. */
async function asked(text, more) {
    const sent = await compare(text, more);
    const calls = await Promise.all([provider.call(of.openai(text)), provider.call(of.anthropic(text))]);
    for (const call of calls) await call.start();
    return { ...sent, calls };
}
/** Both have answered. */
async function compared(text, one, two, more) {
    provider.next(answers(one), of.openai(text));
    provider.next(answers(two), of.anthropic(text));
    const sent = await compare(text, more);
    await ended(anna, sent.turn);
    await ended(anna, sent.second.turn);
    return sent;
}

test('both answer at the same time; the first is the end until the user chooses, and the other stays a version', async () => {
    const { session, turn, reply, second: other, asked: question, calls } = await asked('Which is better?');
    assert.notEqual(turn, other.turn);
    const running = await sessionOf(anna, session);
    assert.deepEqual([running.session.running, running.messages.at(-1).id, running.turn], [true, reply, turn]);
    assert.deepEqual(running.comparison, { asked: question, answers: [{ message: reply, end: reply, turn }, { message: other.reply, end: other.reply, turn: other.turn }] });
    await calls[1].text('From the second.');
    await calls[0].text('From the first.');
    const lines = await Promise.all([turn, other.turn].map((t) => eventsOf(anna, t)));
    const said = await Promise.all(lines.map((l) => l.until((e) => e.event === 'blocks')));
    assert.match(said[0].at(-1).data, /From the first/);
    assert.match(said[1].at(-1).data, /From the second/);
    for (const events of said) {
        const { compared: c } = JSON.parse(events.find((e) => e.event === 'turn').data);
        assert.deepEqual(c.turns.map((t) => t.turn), [turn, other.turn]);
        assert.equal(columnsOf(c.html).length, 2);
    }
    const page = (await anna.get(`/s/${session}`)).text;
    assert.deepEqual(columnsOf(page).map((c) => c.match(/From the \w+/)[0]), ['From the first', 'From the second'], 'a reload shows both as far as they are');
    await calls[1].end();
    await ended(anna, other.turn);
    assert.equal((await send409(session)).error.code, 'conflict', 'the next message waits for the other column');
    assert.equal((await head(anna, session, other.reply)).status, 409, 'so does the choice');
    await calls[0].end();
    await ended(anna, turn);
    assert.equal((await sessionOf(anna, session)).session.running, false);
    const settled = (await anna.get(`/s/${session}`)).text;
    assert.equal(columnsOf(settled).length, 2);
    assert.equal((await head(bert, session, other.reply)).status, 404);
    assert.equal((await head(anna, session, other.reply)).status, 200);
    const chosen = await sessionOf(anna, session);
    assert.deepEqual([chosen.messages.at(-1).text, chosen.messages.at(-1).sibling, chosen.messages.at(-1).siblings, chosen.comparison], ['From the second.', 2, 2, null]);
    const after = (await anna.get(`/s/${session}`)).text;
    assert.equal(columnsOf(after).length, 0);
    assert.match(after, /rel="prev"/);
    const next = await exchange(anna, provider, 'And why?', 'Because.', { session });
    const call = provider.calls.find((c) => asksForAnswer(c) && c.userText === 'And why?');
    assert.deepEqual([call.protocol, call.body.messages.filter((m) => m.role === 'assistant').map((m) => m.content)], ['openai', ['From the second.']], 'the session keeps its model');
    assert.equal(next.end.status, 'done');
});

const send409 = async (session) => (await anna.postJson(`/api/sessions/${session}/messages`, { text: 'Too early' })).json;

test('the next message continues with the first answer and ends the comparison', async () => {
    const { session, reply } = await compared('Tea or coffee?', 'Tea.', 'Coffee.');
    await exchange(anna, provider, 'Thanks', 'Welcome.', { session, end: reply });
    const { messages, comparison } = await sessionOf(anna, session);
    assert.deepEqual([messages[1].text, messages[1].siblings, comparison], ['Tea.', 2, null]);
    assert.equal(columnsOf((await anna.get(`/s/${session}`)).text).length, 0);
});

test('one fails and one succeeds; each column has its own end', async () => {
    provider.next(async (call) => call.fail(400, { message: 'no' }), of.openai('Can you?'));
    provider.next(answers('I can.'), of.anthropic('Can you?'));
    const sent = await compare('Can you?');
    assert.equal((await ended(anna, sent.turn)).status, 'failed');
    assert.equal((await ended(anna, sent.second.turn)).status, 'done');
    const columns = columnsOf((await anna.get(`/s/${sent.session}`)).text);
    assert.match(columns[0], /class="problem"/);
    assert.match(columns[1], /I can\./);
    assert.equal((await head(anna, sent.session, sent.second.reply)).status, 200);
    assert.equal((await sessionOf(anna, sent.session)).messages.at(-1).text, 'I can.');
    await until('the session has the title of the model', async () => (await sessionOf(anna, sent.session)).session.named);
});

test('one is stopped, the other goes on; without a script, too', async () => {
    const { session, turn, second: other, calls } = await asked('A long one?');
    await calls[0].text('Half');
    const posted = anna.post(`/s/${session}/stop`, { turn });
    await calls[0].gone;
    assert.equal((await posted).status, 303);
    assert.equal((await anna.getJson(`/api/turns/${turn}`)).status, 'stopped');
    assert.equal((await anna.getJson(`/api/turns/${other.turn}`)).status, 'running');
    await calls[1].text('Whole.');
    await calls[1].end();
    assert.equal((await ended(anna, other.turn)).status, 'done');
    const two = await asked('And a longer one?', { session });
    const all = anna.post(`/s/${session}/stop`, {});
    await Promise.all(two.calls.map((c) => c.gone));
    assert.equal((await all).status, 303);
    for (const t of [two.turn, two.second.turn]) assert.equal((await ended(anna, t)).status, 'stopped');
    assert.equal((await stop(anna, two.turn)).status, 200);
});

test('a kill keeps the text of both, and both can be chosen and continued', async () => {
    const { session, turn, second: other, calls } = await asked('Will it hold?');
    const lines = await Promise.all([turn, other.turn].map((t) => eventsOf(anna, t)));
    await Promise.all([calls[0].text('First half'), calls[1].text('Second half')]);
    await Promise.all(lines.map((l) => l.until((e) => e.event === 'blocks')));
    alfred.kill('stream');
    await until('it answers again', async () => (await anna.get(`/api/turns/${turn}`).catch(() => ({ status: 0 }))).status === 200);
    for (const t of [turn, other.turn]) assert.equal((await anna.getJson(`/api/turns/${t}`)).status, 'interrupted');
    const columns = columnsOf((await anna.get(`/s/${session}`)).text);
    assert.deepEqual(columns.map((c) => c.match(/(First|Second) half/)[0]), ['First half', 'Second half']);
    assert.equal((await sessionOf(anna, session)).session.running, false);
    provider.next(answers(' and whole.'), (c) => asksForAnswer(c) && c.protocol === 'anthropic');
    const go = await anna.postJson(`/api/sessions/${session}/messages/${other.reply}/continue`, {});
    assert.equal(go.status, 202, go.text);
    await ended(anna, go.json.turn);
    const { messages, comparison } = await sessionOf(anna, session);
    assert.match(messages.at(-1).text, /^Second half.*whole/);
    assert.equal(comparison, null, 'to go on with one is to choose it');
});

test('a repeated request starts nothing twice and names both turns', async () => {
    const id = newClientId();
    const sent = await compared('Once?', 'One.', 'Two.', { client_id: id });
    const again = await compare('Once?', { client_id: id });
    assert.deepEqual([again.turn, again.reply, again.second], [sent.turn, sent.reply, sent.second]);
    assert.equal((await sessionOf(anna, sent.session)).messages.length, 2);
});

test('tools that change something are not offered to either, and refused when called', async () => {
    provider.next(callsTool('remember', { text: 'Anna likes tea.' }, 'Noted.'), of.openai('Remember that I like tea.'));
    provider.next(answers('Fine.'), (c) => c.hasToolResult && c.protocol === 'openai');
    provider.next(answers('Noted, too.'), of.anthropic('Remember that I like tea.'));
    const from = provider.calls.length;
    const sent = await compare('Remember that I like tea.');
    const end = await ended(anna, sent.turn);
    assert.equal(end.status, 'done');
    await ended(anna, sent.second.turn);
    const calls = provider.calls.slice(from).filter((c) => asksForAnswer(c) && c.body.tools);
    for (const call of calls) {
        const names = call.body.tools.map((t) => t.name ?? t.function.name);
        assert.ok(names.includes('search_memories') && names.includes('list_tasks') && names.includes('current_time'), String(names));
        for (const name of ['remember', 'forget', 'add_task', 'delete_session', 'set_workspace', 'summarize_range']) assert.ok(!names.includes(name), name);
    }
    const { messages, comparison } = await sessionOf(anna, sent.session);
    assert.match(messages.find((m) => m.role === 'tool').text, /no tool with this name/);
    assert.deepEqual((await anna.getJson('/api/memories')).memories, []);
    assert.deepEqual(comparison.answers.map((a) => a.message === a.end), [false, true], 'the first answer has steps');
    assert.equal((await head(anna, sent.session, sent.second.reply)).status, 200);
    assert.equal((await head(anna, sent.session, sent.reply)).status, 200, 'the other version can still be taken');
});

test('another model answers beside an existing answer, which stays the end', async () => {
    const { session, reply, asked: question } = await exchange(anna, provider, 'Alone?', 'Alone.', { choice: first.value });
    provider.next(answers('Beside.'), of.anthropic('Alone?'));
    const again = await anna.postJson(`/api/sessions/${session}/messages/${reply}/regenerate`, { compare_with: second.value });
    assert.equal(again.status, 202, again.text);
    await ended(anna, again.json.turn);
    const { messages, comparison, session: s } = await sessionOf(anna, session);
    assert.deepEqual([messages.at(-1).id, comparison.asked, comparison.answers.map((a) => a.message)], [reply, question, [reply, again.json.reply]]);
    assert.equal(s.running, false);
    assert.deepEqual(columnsOf((await anna.get(`/s/${session}`)).text).map((c) => c.match(/Alone\.|Beside\./)[0]), ['Alone.', 'Beside.']);
    const chosen = await anna.post(`/sessions/${session}/head`, { message: again.json.reply });
    assert.deepEqual([chosen.status, chosen.location], [303, `/s/${session}`]);
    assert.equal((await sessionOf(anna, session)).messages.at(-1).text, 'Beside.');
    await exchange(anna, provider, 'More', 'More.', { session });
    const late = await anna.postJson(`/api/sessions/${session}/messages/${reply}/regenerate`, { compare_with: second.value });
    assert.equal(late.status, 202, 'the other version is the end of its own branch');
    await provider.call(of.anthropic('Alone?')).then((c) => answers('Again.')(c));
    await ended(anna, late.json.turn);
    const above = await anna.postJson(`/api/sessions/${session}/messages/${again.json.reply}/regenerate`, { compare_with: second.value });
    assert.deepEqual([above.status, above.json.error.message], [409, 'Only the last answer of a conversation can be compared.']);
});

test('nothing is deleted while one is being written; a deleted answer leaves the other', async () => {
    const { session, reply, second: other, turn, calls } = await asked('Delete?');
    assert.equal((await anna.request('DELETE', `/api/sessions/${session}/messages/${other.reply}`)).status, 409);
    await calls[0].text('One.');
    await calls[0].end();
    await ended(anna, turn);
    assert.equal((await anna.request('DELETE', `/api/sessions/${session}/messages/${reply}`)).status, 200);
    await calls[1].toolCall('current_time', {});
    await calls[1].end('tool_calls');
    const more = await provider.call((c) => asksForAnswer(c) && c.hasToolResult && c.protocol === 'anthropic');
    await answers('It is now.')(more);
    await ended(anna, other.turn);
    const { messages, comparison } = await sessionOf(anna, session);
    assert.deepEqual([messages.at(-1).text, comparison], ['It is now.', null], 'the head followed the answer that is left');
});

test('a session that is deleted while both run stops them, and comes back with what both had', async () => {
    const { session, turn, second: other, calls } = await asked('Away?');
    const turns = [turn, other.turn], words = ['Here.', 'There.'];
    for (const [i, call] of calls.entries()) {
        await call.text(words[i]);
        const events = await anna.events(`/api/turns/${turns[i]}/events`);
        await events.until((e) => e.data.includes(words[i]));
        events.close();
    }
    assert.equal((await anna.request('DELETE', `/api/sessions/${session}`)).status, 200);
    await Promise.all(calls.map((call) => call.gone));
    const back = await anna.postJson(`/api/trash/${session}/restore`, {});
    assert.equal(back.status, 200, back.text);
    for (const t of turns) assert.equal((await ended(anna, t)).status, 'stopped');
    assert.deepEqual(columnsOf((await anna.get(`/s/${session}`)).text).map((c) => c.match(/T?[Hh]ere\./)[0]), words);
});

test('what cannot be compared is refused with a sentence', async () => {
    const bad = async (more) => (await anna.postJson('/api/sessions/new/messages', { text: 'x', choice: first.value, ...more }));
    const same = await bad({ compare_with: first.value });
    assert.deepEqual([same.status, same.json.error.message], [400, 'Choose two different models to compare.']);
    assert.equal((await bad({ compare_with: 'no/such' })).status, 400);
});

test('a reminder that is due during a comparison is told below the answer that is chosen', async () => {
    const told = (text) => alfred.sql("SELECT parent_id FROM message WHERE channel = 'reminder' AND text LIKE ?", `%${text}%`);
    for (const chosen of ['first', 'second']) {
        const sent = await compared(`Which for ${chosen}?`, 'Left.', 'Right.'), text = `Water the plants, ${chosen}`;
        const start = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
        assert.equal((await anna.post('/reminders', { text, start, repeat: 'never', kind: 'remind' })).status, 303);
        alfred.sql('UPDATE reminder SET next_at = ?, session_id = (SELECT id FROM session WHERE pub = ?) WHERE text = ?', Date.now(), sent.session, text);
        assert.equal((await anna.post('/reminders', { text: `Later than ${text}`, start, repeat: 'never', kind: 'remind' })).status, 303); // the helper looks
        await until('it is due', async () => (await anna.getJson('/page/reminders/due')).html.includes(text));
        assert.deepEqual(told(text), [], 'not below one of two answers');
        const end = chosen === 'first' ? sent.reply : sent.second.reply;
        assert.equal((await head(anna, sent.session, end)).status, 200);
        await until('it is told', () => told(text).length === 1);
        const { messages } = await sessionOf(anna, sent.session);
        assert.deepEqual(messages.slice(-2).map((m) => m.text.includes(text) ? 'reminder' : m.text), [chosen === 'first' ? 'Left.' : 'Right.', 'reminder']);
    }
});
