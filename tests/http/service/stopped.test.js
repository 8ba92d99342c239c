// A program that was stopped for longer than its time limits, such as by a machine that stood still, goes on with what
// it was doing: neither a query nor a wait for the database has used up its time.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { cpuOf } from '../../lib/processes.js';
import { startAlfred, until } from '../../lib/rig.js';

const LIMIT_MS = 5000; // DB_TIME_LIMIT_MS and STORE_WRITE_WAIT_MS

/** Stops a program for longer than the limits. */
async function stopFor(alfred, name) {
    const pids = alfred.kill(name, 'SIGSTOP'), at = performance.now();
    try {
        await until('the limits have passed', () => performance.now() > at + LIMIT_MS + 1000);
    } finally {
        for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
}

test('a page whose query was interrupted by a stop is shown', async (t) => {
    const alfred = await startAlfred({ t });
    const anna = await alfred.admin('anna');
    await anna.post('/tasks', { text: 'Seen after the stop' });
    const [pid] = alfred.pids('pages');
    // The query of the tasks takes some tenths of a second of processor time.
    alfred.sql('ALTER TABLE task RENAME TO task_kept');
    alfred.sql('CREATE VIEW task AS SELECT * FROM task_kept WHERE (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT count(*) FROM n) > 0');
    const before = cpuOf(pid), page = anna.get('/tasks');
    await until('the query runs', () => cpuOf(pid) > before + 0.05);
    await stopFor(alfred, 'pages');
    const { status, text } = await page;
    assert.equal(status, 200);
    assert.match(text, /Seen after the stop/);
});

test('changes that waited for the database during a stop are made', async (t) => {
    const alfred = await startAlfred({ t });
    const anna = await alfred.admin('anna');
    const db = alfred.openDatabase();
    t.after(() => db.close());
    db.exec('BEGIN IMMEDIATE');
    const changes = ['One', 'Two', 'Three'].map((text) => anna.postJson('/api/tasks', { text }));
    await until('one waits for the lock, and the others for it', () => alfred.hasQueuedWriter());
    await stopFor(alfred, 'api');
    assert.equal((await anna.get('/api/tasks')).status, 200, 'it runs again');
    db.exec('ROLLBACK');
    for (const change of changes) assert.equal((await change).status, 201);
});
