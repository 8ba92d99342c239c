// Another process holds the write lock of the database: changes end after their wait with a 503, and reading always
// works.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startAlfred, until } from '../../lib/rig.js';

const CHANGES = 12; // a program has 6 threads for changes, and 3 of its 6 for reading may also take one
const READS = 20;   // answered while all changes wait; if changes held all threads, the reads would stop after a few

/** Takes the write lock; returns the function that releases it. */
function lock(alfred) {
    const db = alfred.openDatabase();
    db.exec('BEGIN IMMEDIATE');
    return () => {
        db.exec('ROLLBACK');
        db.close();
    };
}

for (const [program, change, read] of [
    ['api', (client, i) => client.postJson('/api/tasks', { text: `Task ${i}` }), (client) => client.get('/api/tasks')],
    ['pages', (client, i) => client.post('/tasks', { text: `Task ${i}` }), (client) => client.get('/tasks')],
    ['stream', (client, i) => client.postJson('/api/sessions/new/messages', { text: `Hello ${i}` }), (client) => client.get('/api/turns/trn_00000000000000000000000000/events')],
]) {
    test(`${program}: changes that wait for a locked database end with 503 and do not delay readers`, async (t) => {
        const alfred = await startAlfred({ t });
        const anna = await alfred.admin('anna');
        const usual = (await read(anna)).status;
        const attempt = async () => {
            const unlock = lock(alfred);
            let waiting = CHANGES;
            const changes = Promise.all(Array.from({ length: CHANGES }, (_, i) => change(anna, i).finally(() => waiting--)));
            let reads = 0;
            while (waiting) {
                assert.equal((await read(anna)).status, usual);
                reads += waiting === CHANGES;
            }
            const answers = await changes;
            unlock();
            t.diagnostic(`${reads} reads while all changes waited`);
            for (const { status, headers, text } of answers) {
                assert.equal(status, 503, text);
                assert.match(headers['retry-after'], /^\d+$/);
                assert.match(text, /busy/);
            }
            return reads >= READS;
        };
        await until('readers are served while all changes wait', attempt); // the machine may have stopped during an attempt
        const after = await change(anna, 'afterwards');
        assert.ok(after.status < 400, `${after.status}: ${after.text}`);
    });
}
