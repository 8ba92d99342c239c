// A full disk: a clear sentence, no partial data, and full recovery when there is space.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, test } from 'node:test';

import { beginAnswer, beginTurn, eventsOf, exchange, follow, newClientId, provide, say, send, sessionOf, Transcript } from '../../lib/chat.js';
import { smallDisk } from '../../lib/disk.js';
import { startAlfred, until } from '../../lib/rig.js';

const disk = smallDisk();
const { dir, reason, makeRoom } = disk;

const provider = await provide();
const alfred = dir && (await startAlfred({ t: disk.t, env: provider.env, config: { server: { data_dir: dir } } }));
const anna = alfred && (await alfred.admin('anna'));

/** Uses all free bytes, also those that the write-ahead log keeps for its next pages. */
async function fill() {
    const db = new DatabaseSync(`${dir}/alfred.db`);
    try {
        await until('the write-ahead log is empty', () => db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get().busy === 0);
    } finally {
        db.close();
    }
    disk.fill();
}
afterEach(() => dir && makeRoom());

test('a send on a full disk is 503 with a sentence, nothing is stored, and it works when there is room', { skip: reason }, async () => {
    const first = await exchange(anna, provider, 'Before', 'Stored');
    const pids = alfred.pids('stream');
    await fill();
    const clientId = newClientId();
    for (const [where, body] of [
        ['new', { text: 'No room', client_id: clientId }],
        [first.session, { text: 'No room either' }],
        [first.session, { text: `${'No room at all '.repeat(6000)}` }],
    ]) {
        const refused = await anna.postJson(`/api/sessions/${where}/messages`, body);
        assert.equal(refused.status, 503, refused.text);
        assert.match(refused.json.error.message, /disk of this server is full/);
        assert.ok(Number(refused.headers['retry-after']) > 0);
    }
    // Reading works.
    assert.equal((await anna.get('/')).status, 200);
    assert.deepEqual((await sessionOf(anna, first.session)).messages.map((m) => m.text), ['Before', 'Stored']);
    const renamed = await anna.request('PATCH', `/api/sessions/${first.session}`, { json: { title: 'x'.repeat(200) } });
    assert.ok([200, 503].includes(renamed.status), renamed.text);
    makeRoom();
    const { sessions } = await anna.getJson('/api/sessions');
    assert.deepEqual(sessions.map((s) => s.id), [first.session]);
    assert.equal(sessions[0].message_count, 2);
    assert.equal(sessions[0].running, false);
    const later = await exchange(anna, provider, 'No room', 'Now there is', { client_id: clientId });
    assert.equal(later.end.status, 'done');
    assert.deepEqual(alfred.pids('stream'), pids);
});

test('requests that a full disk refuses are counted in the log, one line per program and cause', { skip: reason }, async () => {
    const { session } = await exchange(anna, provider, 'Before', 'Stored');
    await fill();
    const from = alfred.logs().length;
    const refused = [];
    for (let i = 0; i < 20; i++) {
        refused.push(await anna.postJson(`/api/sessions/${i % 2 ? session : 'new'}/messages`, { text: `No room ${i} `.repeat(500) }));
        refused.push(await anna.postJson('/api/tasks', { text: `No room ${i} `.repeat(40) }));
        refused.push(await anna.post('/tasks', { text: `No room ${i} `.repeat(40) }));
    }
    assert.ok(refused.filter((r) => r.status === 503).length > 50, refused.map((r) => r.status).join());
    const lines = alfred.logs().slice(from).split('\n').filter((line) => / (stream|api|pages)\[/.test(line));
    assert.ok(lines.length <= 6, lines.join('\n'));
});

test('readers on a full disk are served, and what is noted of their visits is logged once', { skip: reason }, async () => {
    const { session } = await exchange(anna, provider, 'To be read', 'Read it');
    alfred.sql('UPDATE login SET used_at = used_at - 3600000');
    alfred.sql('UPDATE session SET active_at = active_at + 1');
    await fill();
    const from = alfred.logs().length;
    for (let i = 0; i < 5; i++) {
        assert.equal((await anna.get(`/s/${session}`)).status, 200);
        await anna.getJson('/api/tasks');
    }
    const lines = alfred.logs().slice(from).match(/^.*(pages|api)\[.*disk of this server is full.*$/gm) ?? [];
    assert.equal(lines.length, 2, lines.join('\n')); // one of each program
    makeRoom();
    await anna.getJson('/api/tasks');
    await alfred.waitForLog(/api\S* noting visits works again after \d+ failures/, { from });
});

test('a disk that fills while an answer runs: the text is kept, and the turn is over when there is room', { skip: reason }, async () => {
    const page = new Transcript();
    const { call, events, ...sent } = await beginTurn(anna, provider, 'Fills meanwhile');
    await say(call, events, page, 'Seen before. ');
    await fill();
    // More than the rest of the log's last block.
    await call.text('y'.repeat(20_000)).catch(() => {});
    await call.end().catch(() => {});
    const unsaved = await follow(events, page, (e) => e.event === 'unsaved');
    assert.match(JSON.parse(unsaved.at(-1).data).text, /disk of this server is full.*keeps trying/);
    // A new reader sees the same, and waits for the end as well.
    const late = await eventsOf(anna, sent.turn);
    const seen = new Transcript();
    await follow(late, seen, (e) => e.event === 'unsaved');
    assert.match(seen.live, /Seen before\./);
    makeRoom();
    for (const [reader, transcript] of [[events, page], [late, seen]]) {
        await follow(reader, transcript, (e) => e.event === 'end');
        assert.equal(transcript.end.status, 'failed');
        assert.match(transcript.end.html, /Seen before\..*disk of this server is full/s);
    }
    const session = await sessionOf(anna, sent.session);
    assert.equal(session.session.running, false);
    assert.equal(session.messages.length, 2);
    assert.ok(session.messages[1].text.startsWith('Seen before. '));
    const again = await exchange(anna, provider, 'And on', 'Fine', { session: sent.session });
    assert.equal(again.end.status, 'done');
});

test('a disk that fills before a step of tools: the turn is over when there is room', { skip: reason }, async () => {
    const text = 'Calls a tool meanwhile';
    const sent = await send(anna, text);
    const call = await beginAnswer(provider, text);
    await fill();
    await call.toolCall('current_time', { x: 'z'.repeat(60_000) });
    await call.end('tool_calls');
    const events = await eventsOf(anna, sent.turn);
    await events.until((e) => e.event === 'unsaved');
    makeRoom();
    const end = (await events.until((e) => e.event === 'end')).at(-1);
    assert.equal(JSON.parse(end.data).status, 'failed');
    assert.equal((await sessionOf(anna, sent.session)).session.running, false);
});

// Each retry waits twice as long as the last one, up to 4 s: the eighth comes after 20 s.
const EIGHT_RETRIES_MS = 20_000;

test('a disk that is full for longer than eight retries locks no session', { skip: reason }, async () => {
    const text = 'Longer than patience';
    const sent = await send(anna, text);
    const call = await beginAnswer(provider, text);
    const answer = 'A whole answer. '.repeat(2000); // larger than the free pages
    for (let at = 0; at < answer.length; at += 8000) await call.text(answer.slice(at, at + 8000));
    const events = await eventsOf(anna, sent.turn);
    const page = new Transcript();
    await follow(events, page, () => page.live.length >= answer.length);
    await fill();
    await call.end();
    await events.until((e) => e.event === 'unsaved');
    const since = Date.now();
    await until('the first eight retries are over', () => Date.now() - since > EIGHT_RETRIES_MS, 2 * EIGHT_RETRIES_MS);
    const refused = await anna.postJson(`/api/sessions/${sent.session}/messages`, { text: 'Too early' });
    assert.equal(refused.status, 409, refused.text);
    const stop = () => anna.postJson(`/api/turns/${sent.turn}/stop`, {});
    assert.equal((await stop()).json.status, 'stopping');
    assert.equal((await anna.getJson(`/api/turns/${sent.turn}`)).status, 'running');
    makeRoom();
    assert.equal((await stop()).status, 200);
    await follow(events, page, (e) => e.event === 'end');
    assert.equal(page.end.status, 'done');
    const { session, messages } = await sessionOf(anna, sent.session);
    assert.equal(session.running, false);
    assert.equal(messages.at(-1).text, answer);
    // One line at the beginning and one at the end; at most one per minute between.
    const lines = alfred.logs().split('\n').filter((l) => l.includes(sent.turn) && l.includes('could not be saved'));
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.equal((await exchange(anna, provider, 'And on', 'Fine', { session: sent.session })).end.status, 'done');
    assert.equal((await anna.request('DELETE', `/api/sessions/${sent.session}`)).status, 200);
});

test('a start on a full disk serves readers, and saves interrupted answers when there is space', { skip: reason }, async () => {
    const text = 'Cut by a crash';
    const sent = await send(anna, text);
    const call = await beginAnswer(provider, text);
    const answer = 'Kept words. '.repeat(2000);
    await call.text(answer);
    const before = new Transcript();
    await follow(await eventsOf(anna, sent.turn), before, () => before.live.includes('Kept words.'));
    await fill();
    await alfred.killAndAwait('stream');
    const events = await eventsOf(anna, sent.turn);
    const page = new Transcript();
    await follow(events, page, (e) => e.event === 'unsaved');
    assert.match(page.live, /Kept words\./);
    makeRoom();
    await follow(events, page, (e) => e.event === 'end');
    assert.equal(page.end.status, 'interrupted');
    assert.match((await sessionOf(anna, sent.session)).messages.at(-1).text, /^(Kept words\. )+/);
});

test('stream ends while a program waits for an answer that cannot be saved', { skip: reason }, async () => {
    const { secret } = (await anna.postJson('/api/tokens', { name: 'program', scopes: 'chat' })).json;
    const headers = { authorization: `Bearer ${secret}` };
    const [{ id: model }] = (await anna.getJson('/v1/models', { headers })).data;
    const text = 'Asked by a program';
    const opened = anna.stranger().open('POST', '/v1/chat/completions', { headers, json: { model, stream: true, messages: [{ role: 'user', content: text }] } });
    const call = await beginAnswer(provider, text);
    await call.text('y'.repeat(20_000));
    const { response } = await opened;
    response.on('error', () => {}); // it is cut
    response.resume();
    await fill();
    const from = alfred.logs().length;
    await alfred.killAndAwait('stream', 'SIGTERM');
    await alfred.waitForLog(/could not be saved/, { from });
    assert.doesNotMatch(alfred.logs().slice(from), /Sanitizer|signal/);
    makeRoom();
    const session = response.headers['x-session-id'];
    const last = async () => (await sessionOf(anna, session)).messages.at(-1);
    assert.match((await until('the answer is saved', async () => (await last()).status === 'interrupted' && last())).text, /^y+$/);
});
