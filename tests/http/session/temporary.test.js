// Temporary chats: they leave nothing behind, live for a while after their last message, and can be kept.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, ended, exchange, provide, send, serveFile, sessionOf } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const provider = await provide({ title: 'Title of a model' });
const MESSAGES = 6;
const alfred = await serveFile({ env: provider.env, config: { temporary: { messages: MESSAGES, minutes: 30 } } });
const anna = await alfred.admin('anna');
const bob = await alfred.user('bob');

const idOf = (session) => alfred.sql('SELECT id FROM session WHERE pub = ?', session)[0].id;
const begin = (text, answer = 'Quietly.') => exchange(anna, provider, text, answer, { temporary: true });
/** The request for the answer to a text. */
const asked = (text) => provider.calls.find((c) => asksForAnswer(c) && c.asks(text));
/** Its time is over. */
const end = (session) => alfred.sql('UPDATE temporary SET ends_at = 1000 WHERE session_id = ?', idOf(session));
const shown = (page, id) => page.includes(id);

test('it is in no list, search, export or index, and no job is about it', async () => {
    const { session } = await begin('The zeppelin is secret', 'The zeppelin stays secret.');
    const id = idOf(session);
    const page = (await anna.get(`/s/${session}`)).text;
    assert.match(page, /id="temporary"/);
    assert.match(page, /is erased in 30 minutes/);
    assert.ok(shown((await anna.get('/')).text, session), 'the sidebar has it while it lives');
    assert.equal((await sessionOf(anna, session)).session.temporary, true);
    for (const [what, answer] of [
        ['the list', await anna.getJson('/api/sessions')],
        ['all sessions', await anna.getJson('/api/sessions?show=all')],
        ['the list by words', await anna.getJson('/api/sessions?q=zeppelin')],
        ['the search', await anna.getJson('/api/search?q=zeppelin')],
    ]) assert.ok(!JSON.stringify(answer).includes(session), what);
    assert.equal(alfred.sql("SELECT count(*) AS n FROM message_text WHERE message_text MATCH 'zeppelin'")[0].n, 0, 'the text index');
    assert.deepEqual(alfred.sql("SELECT kind FROM job WHERE subject = ? AND kind IN ('title', 'summarise', 'topic', 'facts', 'compact')", id), []);
    const exported = await alfred.cli(['export', 'anna']);
    assert.equal(exported.code, 0, exported.stderr);
    assert.ok(!exported.stdout.includes('zeppelin'), 'the export');
    // The embeddings of what comes after it are made; it has none.
    const other = await exchange(anna, provider, 'Something ordinary', 'Ordinary.');
    await until('the other session is embedded', () => alfred.sql("SELECT count(*) AS n FROM embedding_progress WHERE layer = 'message' AND done_to >= ?", Number(other.reply))[0].n > 0);
    const tables = alfred.sql("SELECT name FROM sqlite_master WHERE name GLOB 'vector_message_*'").map((t) => t.name);
    assert.ok(tables.length > 0);
    for (const name of tables) assert.equal(alfred.sql(`SELECT count(*) AS n FROM ${name} v JOIN message m ON m.id = v.id WHERE m.session_id = ?`, id)[0].n, 0, name);
});

test('its model gets no tools, no memory and nothing of other sessions', async () => {
    const text = 'What do you know of me?';
    await anna.postJson('/api/memories', { text: 'Anna has a red kayak', permanent: true });
    await begin(text);
    const call = asked(text);
    assert.ok(!(call.body.tools?.length > 0));
    assert.ok(!call.prompt.includes('kayak'));
    // An ordinary one has both.
    const ordinary = 'What do you know of my kayak?';
    await exchange(anna, provider, ordinary, 'It is red.');
    const other = asked(ordinary);
    assert.ok(other.body.tools.length > 0 && other.prompt.includes('red kayak'));
});

test('what leaves traces elsewhere is refused with a sentence', async () => {
    const { session } = await begin('No traces');
    for (const [method, path, json] of [
        ['POST', 'pin', {}],
        ['POST', 'summaries', {}],
        ['POST', 'compact', {}],
        ['PATCH', '', { archived: true }],
        ['GET', 'file?format=md'],
    ]) {
        const answer = await anna.request(method, `/api/sessions/${session}${path && '/'}${path}`, json ? { json } : { headers: { accept: 'application/json' } });
        assert.equal(answer.status, 409, `${method} ${path}: ${answer.text.slice(0, 200)}`);
        assert.match(answer.text, /temporary chat/);
    }
});

test('older messages are erased, not only left out', async () => {
    const first = await begin('Message 0', 'Answer 0');
    for (let i = 1; i < 5; i++) await exchange(anna, provider, `Message ${i}`, `Answer ${i}`, { session: first.session });
    const { session, messages } = await sessionOf(anna, first.session);
    assert.deepEqual(messages.map((m) => m.text), ['Message 2', 'Answer 2', 'Message 3', 'Answer 3', 'Message 4', 'Answer 4']);
    assert.equal(session.message_count, MESSAGES);
    assert.equal(alfred.sql('SELECT count(*) AS n FROM message WHERE session_id = ?', idOf(first.session))[0].n, MESSAGES);
    const call = asked('Message 4');
    assert.ok(call.prompt.includes('Answer 1') && !call.prompt.includes('Message 0'));
});

test('it ends on time: 404 with a sentence, then nothing is left', async () => {
    const { session } = await begin('Gone soon');
    const id = idOf(session);
    end(session);
    for (const path of [`/s/${session}`, `/api/sessions/${session}`]) {
        const answer = await anna.get(path);
        assert.equal(answer.status, 404, path);
        assert.match(answer.text, /This temporary chat has ended\./, path);
    }
    const german = await anna.get(`/s/${session}`, { headers: { 'accept-language': 'de' } });
    assert.match(german.text, /Dieser temporäre Chat ist beendet\./);
    assert.equal((await anna.postJson(`/api/sessions/${session}/messages`, { text: 'Still there?' })).status, 404);
    assert.doesNotMatch((await bob.get(`/api/sessions/${session}`)).text, /temporary/, 'others learn nothing');
    alfred.sql("INSERT INTO job (kind, subject, state, run_at, created_at) VALUES ('end_temporary', 0, 'ready', 0, 0) ON CONFLICT DO UPDATE SET run_at = 0");
    await begin('Another one wakes the helper');
    await until('it is erased', () => alfred.sql('SELECT count(*) AS n FROM session WHERE id = ?', id)[0].n === 0);
    assert.equal(alfred.sql('SELECT count(*) AS n FROM message WHERE session_id = ?', id)[0].n, 0);
    assert.doesNotMatch((await anna.get('/')).text, new RegExp(session));
});

test('a running turn keeps it alive, and its end counts as activity', async () => {
    const { session } = await begin('Slow');
    const answer = provider.call((c) => asksForAnswer(c) && c.userText === 'Take your time');
    const sent = await send(anna, 'Take your time', { session });
    end(session);
    assert.equal((await anna.get(`/api/sessions/${session}`)).status, 200);
    const call = await answer;
    await call.start();
    await call.text('Done.');
    await call.end();
    await ended(anna, sent.turn);
    const left = Date.parse((await sessionOf(anna, session)).session.ends_at) - Date.now();
    assert.ok(left > 29 * 60_000 && left <= 30 * 60_000, `${left} ms`);
});

test('a clock that was set back makes no chat live longer', async () => {
    const { session } = await begin('Clock');
    alfred.sql('UPDATE temporary SET ends_at = ends_at + 86400000 WHERE session_id = ?', idOf(session));
    alfred.sql("INSERT INTO job (kind, subject, state, run_at, created_at) VALUES ('end_temporary', 0, 'ready', 0, 0) ON CONFLICT DO UPDATE SET run_at = 0");
    await begin('Wakes the helper, too');
    await until('its time is corrected', () => alfred.sql('SELECT ends_at FROM temporary WHERE session_id = ?', idOf(session))[0].ends_at < Date.now() + 31 * 60_000);
});

test('kept, it is an ordinary session: listed, found, titled', async () => {
    const { session } = await begin('The dirigible may stay', 'The dirigible stays.');
    assert.equal((await anna.request('PATCH', `/api/sessions/${session}`, { json: { temporary: true } })).status, 400);
    const kept = await anna.request('PATCH', `/api/sessions/${session}`, { json: { temporary: false } });
    assert.equal(kept.status, 200, kept.text);
    assert.deepEqual([kept.json.session.temporary, kept.json.session.ends_at], [false, null]);
    assert.ok(JSON.stringify(await anna.getJson('/api/sessions')).includes(session));
    assert.ok(JSON.stringify(await anna.getJson('/api/search?q=dirigible')).includes(session));
    await until('a model has named it', async () => (await sessionOf(anna, session)).session.title === 'Title of a model');
    const [{ id }] = alfred.sql('SELECT max(m.id) AS id FROM message m WHERE m.session_id = ?', idOf(session));
    const tables = alfred.sql("SELECT name FROM sqlite_master WHERE name GLOB 'vector_message_*'").map((t) => t.name);
    await until('it has vectors', () => tables.some((name) => alfred.sql(`SELECT count(*) AS n FROM ${name} WHERE id = ?`, id)[0].n > 0));
    // By the form of the page, and twice.
    const other = await begin('By form');
    assert.equal((await anna.post(`/sessions/${other.session}/keep`, {})).status, 303);
    assert.equal((await anna.post(`/sessions/${other.session}/keep`, {})).status, 303);
    assert.doesNotMatch((await anna.get(`/s/${other.session}`)).text, /id="temporary"/);
    assert.equal((await bob.post(`/sessions/${other.session}/keep`, {})).status, 404);
});

test('deleting it erases it at once, and no trash has it', async () => {
    const { session, reply } = await begin('Deleted');
    const id = idOf(session);
    assert.equal((await anna.request('DELETE', `/api/sessions/${session}/messages/${reply}`)).status, 200);
    assert.equal((await anna.request('DELETE', `/api/sessions/${session}`)).status, 200);
    assert.equal((await anna.getJson('/api/trash')).entries?.length ?? 0, 0);
    await until('it is erased', () => alfred.sql('SELECT count(*) AS n FROM message WHERE session_id = ? OR id = ?', id, Number(reply))[0].n === 0);
});

test('without script the page begins one, says how long it lives, and keeps it', async () => {
    const page = (await anna.get('/?temporary=1')).text;
    assert.match(page, /name="temporary" value="yes"/);
    assert.match(page, /30 minutes after its last message/);
    provider.next(answers('By form.'), (c) => asksForAnswer(c) && c.userText === 'By a form');
    const sent = await anna.post('/s/new', { text: 'By a form', temporary: 'yes' });
    assert.equal(sent.status, 303);
    assert.match((await anna.get(sent.location.split('#')[0])).text, /id="temporary"[^>]*data-left/);
});

test('a temporary chat that is deleted cannot be restored, and the answers say so', async () => {
    const one = await begin('Leave nothing'), two = await begin('Leave nothing here');
    assert.equal((await anna.request('DELETE', `/api/sessions/${one.session}`, { json: {} })).json.erased_at, null);
    assert.equal((await anna.post(`/sessions/${two.session}/delete`, { back: '/' })).location, '/?done=erased');
});
