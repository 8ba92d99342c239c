// Exports and imports whose helper is killed, whose file is gone, or that are deleted before their end.
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { test } from 'node:test';

import { isGoing } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';
import { bring, chatgpt, files, finished, service, many, raw, takeOut } from '../../lib/transfer.js';
import { recordsOf } from '../../lib/zip.js';

test('after a kill of the helper the import continues, and nothing is imported twice', async (t) => {
    const { alfred, anna, bob } = await service(t);
    const list = many(900);
    // Each conversation takes a millisecond more, so that the import is not over between two looks.
    const db = alfred.openDatabase();
    db.exec('CREATE TRIGGER pace AFTER INSERT ON imported BEGIN SELECT length(hex(randomblob(400000))); END');
    t.after(() => db.close());
    const sent = await raw(anna, JSON.stringify(list));
    const { id } = sent.json.transfer;
    let kills = 0;
    for (; kills < 4; kills++) {
        const at = (await anna.getJson(`/api/transfers/${id}`)).transfer;
        await until('it goes on', async () => {
            const now = (await anna.getJson(`/api/transfers/${id}`)).transfer;
            return !isGoing(now) || now.done > at.done + 20;
        });
        if (!isGoing((await anna.getJson(`/api/transfers/${id}`)).transfer)) break;
        await alfred.killAndAwait('helper');
    }
    assert.ok(kills > 0, 'it was killed at least once');
    db.exec('DROP TRIGGER pace');
    const done = await finished(anna, id);
    assert.deepEqual([done.state, done.done, done.skipped], ['done', 900, 0]);
    const { stdout } = await alfred.cli(['export', 'anna']);
    const out = stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
    assert.equal(new Set(out.filter((r) => r.type === 'session').map((r) => r.title)).size, 900);
    assert.equal(out.filter((r) => r.type === 'session').length, 900);
    assert.equal(out.filter((r) => r.type === 'message').length, 1800);

    const asked = await anna.postJson('/api/exports', {});
    await alfred.killAndAwait('helper');
    const exported = await finished(anna, asked.json.transfer.id);
    const file = await anna.get(exported.file_url);
    assert.equal(recordsOf(file.body).length, 1 + 900 + 1800);
    assert.equal(files(alfred).length, 1, 'no piece is left');
    assert.equal((await bring(bob, file.body)).done, 900);
});

test('a large conversation appears as a whole, after kills of the helper, and others can write meanwhile', async (t) => {
    const { alfred, anna, bob } = await service(t);
    const n = 6000;
    const lines = [{ type: 'header', format: 'alfred', version: 1, sessions: 1 }, { type: 'session', id: `ses_${'0'.repeat(26)}`, title: 'Large' }];
    for (let i = 1; i <= n; i++) lines.push({ type: 'message', id: `${i}`, parent: `${i - 1}`, role: i % 2 ? 'user' : 'assistant', created_at: 1.6e12 + i, text: `walrus number ${i} ${'and so on '.repeat(20)}` });
    lines.push({ type: 'memory', session: `ses_${'0'.repeat(26)}`, source: '1', text: 'Counts walruses', created_at: 1.6e12, tags: '' });
    const db = alfred.openDatabase();
    t.after(() => db.close());
    const stored = db.prepare(`SELECT count(*) AS n FROM message WHERE channel = 'import'`);
    // Each message takes part of a millisecond more, so that the import is not over before it was looked at.
    db.exec('CREATE TRIGGER pace AFTER INSERT ON message BEGIN SELECT length(hex(randomblob(200000))); END');
    const sent = await raw(anna, lines.map((l) => JSON.stringify(l)).join('\n'));
    assert.equal(sent.status, 202, sent.text);
    const { id } = sent.json.transfer;
    const { json: { task } } = await bob.postJson('/api/tasks', { text: 'Task' });
    let hidden = 0;
    let kills = 0;
    for (;;) {
        const before = stored.get().n;
        const [sessions, search, memories, added] = await Promise.all([
            anna.getJson('/api/sessions?show=all'), anna.getJson('/api/search?q=walrus'), anna.getJson('/api/memories'),
            bob.request('PATCH', `/api/tasks/${task.id}`, { json: { text: `Task ${before}` } }),
        ]);
        assert.ok(added.status < 300, added.text);
        const after = stored.get().n;
        if (after === n) break;
        assert.deepEqual([sessions.sessions.length, search.hits.length, memories.memories.length], [0, 0, 0], `nothing of ${after} messages is shown`);
        hidden += before > 0; // bob has written, and the import is not over
        if (kills < 2 && after > (kills + 1) * 500) {
            await alfred.killAndAwait('helper');
            kills++;
            if (kills === 2) db.exec('DROP TRIGGER pace'); // it has done its part
        }
    }
    db.exec('DROP TRIGGER IF EXISTS pace');
    assert.ok(kills > 0 && hidden > 0, `${kills} kills, ${hidden} looks and writes between two transactions`);
    const done = await finished(anna, id);
    assert.deepEqual([done.state, done.done, done.skipped, done.facts], ['done', 1, 0, 1], done.error);
    const [session] = (await anna.getJson('/api/sessions?show=all')).sessions;
    assert.equal(session.title, 'Large');
    const out = recordsOf(await takeOut(anna));
    assert.deepEqual(out.filter((r) => r.type === 'message').map((r) => r.text.match(/number (\d+)/)[1]), Array.from({ length: n }, (_, i) => `${i + 1}`));
    assert.ok((await anna.getJson('/api/search?q=walrus')).hits.length > 0);
});

test('an import that is deleted halfway keeps no incomplete conversation', async (t) => {
    const { alfred, anna } = await service(t);
    const texts = Array.from({ length: 8000 }, (_, i) => `walrus ${i} ${'and so on '.repeat(20)}`);
    const db = alfred.openDatabase();
    t.after(() => db.close());
    const number = (sql) => db.prepare(sql).get().n;
    // The import fails at this message and waits for its next attempt, so it cannot end before it is deleted.
    db.exec("CREATE TRIGGER halfway BEFORE INSERT ON message WHEN new.text LIKE 'walrus 4000 %' BEGIN SELECT RAISE(ABORT, 'halfway'); END");
    const sent = await raw(anna, JSON.stringify([chatgpt('whole', ['first', 'second']), chatgpt('large', texts)]));
    await until('it waits for its next attempt', async () => number("SELECT count(*) AS n FROM job WHERE kind = 'import' AND state = 'ready' AND error IS NOT NULL") > 0);
    const part = number('SELECT count(*) AS n FROM message');
    assert.ok(part > 100 && part <= 4002, `${part} messages are stored`);
    assert.equal((await anna.request('DELETE', `/api/transfers/${sent.json.transfer.id}`)).status, 200);
    await until('the rest is gone', async () => number('SELECT count(*) AS n FROM import_draft') === 0);
    assert.equal(number('SELECT count(*) AS n FROM message'), 2);
    assert.equal(number('SELECT count(*) AS n FROM session'), 1);
    assert.deepEqual(files(alfred), []);
});

test('an import whose file is missing, or that ended the helper too often, fails with a sentence', async (t) => {
    const { alfred, anna } = await service(t);
    const stopped = alfred.pids('helper');
    for (const pid of stopped) process.kill(pid, 'SIGSTOP');
    const sent = await raw(anna, JSON.stringify(many(2)));
    rmSync(`${alfred.dataDir}/transfers/${sent.json.transfer.id}`);
    const dead = await anna.postJson('/api/exports', {});
    const db = alfred.openDatabase();
    db.prepare("UPDATE job SET attempts = 99 WHERE kind = 'export'").run();
    db.close();
    for (const pid of stopped) process.kill(pid, 'SIGCONT');
    const gone = await finished(anna, sent.json.transfer.id);
    assert.equal(gone.state, 'failed');
    assert.match(gone.error, /no longer available/);
    const failed = await finished(anna, dead.json.transfer.id);
    assert.equal(failed.state, 'failed');
    assert.match(failed.error, /could not be written/);
    await until('it is no longer in the way', async () => (await anna.postJson('/api/exports', {})).status === 202);
});
