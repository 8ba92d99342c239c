// A disk that is full while the helper erases the trash: nothing else is lost, and it continues when there is space.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { exchange, provide } from '../../lib/chat.js';
import { smallDisk } from '../../lib/disk.js';
import { startAlfred, until } from '../../lib/rig.js';

const SESSIONS = 5;
const { dir, t, reason, fill, makeRoom } = smallDisk();
const provider = await provide();
const alfred =
    dir && (await startAlfred({ t, env: provider.env, config: { server: { data_dir: dir }, jobs: { retry_seconds: 1 } } }));
const anna = alfred && (await alfred.admin('anna'));

const number = (sql) => {
    const db = new DatabaseSync(`${dir}/alfred.db`, { readOnly: true });
    const { n } = db.prepare(sql).get();
    db.close();
    return n;
};

test('a disk that is full while the trash is erased', { skip: reason }, async () => {
    const kept = await exchange(anna, provider, 'Keep the walrus', 'Kept');
    for (let i = 0; i < SESSIONS; i++) {
        const { session } = await exchange(anna, provider, `Forget the walrus ${i}`, 'Forgotten');
        assert.ok((await anna.request('DELETE', `/api/sessions/${session}`)).status < 300);
    }
    await until('the helper has nothing to do', () => number("SELECT count(*) AS n FROM job WHERE state = 'leased' OR (state = 'ready' AND run_at < unixepoch() * 1000)") === 0);
    const before = number('SELECT count(*) AS n FROM message');
    const from = alfred.logs().length;
    const goOn = await alfred.pauseHelper(); // so that the disk is full before it begins
    const emptied = await anna.request('DELETE', '/api/trash');
    fill();
    goOn();
    assert.ok(emptied.status < 300, emptied.text);
    const refused = await anna.postJson('/api/tasks', { text: 'Tea' });
    assert.equal(refused.status, 503, 'nobody can write');
    await alfred.waitForLog(/unavailable: The disk of this server is full/, { from });
    const since = Date.now();
    await until('the helper has waited several times', () => Date.now() > since + 3000);
    assert.equal(number('SELECT count(*) AS n FROM message'), before, 'nothing is half done');
    assert.deepEqual((await anna.getJson('/api/trash')).trash, [], 'what is erased is not shown again');
    assert.equal((await anna.getJson('/api/search?q=walrus')).hits.length, 1);
    makeRoom();
    await until('the trash is erased', () => number('SELECT count(*) AS n FROM trash') === 0);
    assert.equal(number('SELECT count(*) AS n FROM message'), 2);
    assert.equal(number('SELECT count(*) AS n FROM session'), 1);
    assert.equal((await anna.getJson(`/api/sessions/${kept.session}`)).session.id, kept.session);
    assert.equal(number("SELECT count(*) AS n FROM job WHERE state = 'dead'"), 0);
});
