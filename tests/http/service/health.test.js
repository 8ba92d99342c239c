// GET /api/health, for monitors: 200 while Alfred can read and write, else 503 with a word for the cause.
import assert from 'node:assert/strict';
import { readFileSync, renameSync } from 'node:fs';
import { test } from 'node:test';

import { breakableDisk, smallDisk } from '../../lib/disk.js';
import { failingCalls } from '../../lib/failing.js';
import { startAlfred, until } from '../../lib/rig.js';

const full = smallDisk();
const broken = breakableDisk();

/** Asks without a cookie or token, as monitors do. */
const ask = async (client) => client.get('/api/health', { headers: { origin: null, 'sec-fetch-site': null } });
/** An answer is up to a second old. */
const becomes = (client, status, reason) => until(`${status} ${reason}`, async () => {
    const { json } = await ask(client);
    return json?.status === status && json.reason === reason;
});
const fails = (client, reason) => becomes(client, 'failed', reason);

test('a running Alfred is healthy, for everybody', async (t) => {
    const alfred = await startAlfred({ t });
    const answer = await ask(alfred.client());
    assert.deepEqual([answer.status, answer.json], [200, { status: 'ok', reason: null }]);
    assert.equal(answer.headers['cache-control'], 'no-store, no-transform');
});

test('no limit counts the questions, and no line of the log has them', async (t) => {
    const alfred = await startAlfred({ t, config: { server: { log_level: 'debug' }, limits: { requests_per_second: 1, connections: 1 } } });
    const client = alfred.client();
    const many = await Promise.all(Array.from({ length: 50 }, () => ask(client)));
    assert.deepEqual([...new Set(many.map((a) => a.status))], [200]);
    await client.get('/api/me');
    const log = () => readFileSync(`${alfred.runDir()}/access.log`, 'utf8');
    await until('another call is logged', () => log().includes('/api/me'));
    assert.doesNotMatch(log(), /\/api\/health/);
});

test('a locked and a missing database have their words, and pass', async (t) => {
    const alfred = await startAlfred({ t });
    const client = alfred.client(), db = alfred.openDatabase();
    db.exec('BEGIN IMMEDIATE');
    await fails(client, 'database_locked');
    assert.equal((await ask(client)).status, 503);
    db.exec('ROLLBACK');
    db.close();
    await becomes(client, 'ok', null);
    renameSync(`${alfred.dataDir}/alfred.db`, `${alfred.dataDir}/away.db`);
    await fails(client, 'database_missing');
    renameSync(`${alfred.dataDir}/away.db`, `${alfred.dataDir}/alfred.db`);
    await becomes(client, 'ok', null);
});

test('another failure is told, and the log has its cause once', async (t) => {
    const failing = failingCalls();
    const alfred = await startAlfred({ t, failing });
    const client = alfred.client();
    await becomes(client, 'ok', null);
    failing.set({ open: { every: 1, programs: ['api'], errors: ['EACCES'] } });
    await fails(client, 'database_failed');
    await alfred.waitForLog(/error api\[\d+\] the test for \/api\/health: io: \S+\/data: Permission denied\n/);
    failing.set({});
    await becomes(client, 'ok', null);
    await alfred.waitForLog(/info api\[\d+\] the test for \/api\/health works again after \d+ failures/);
});

test('a full disk is told, and passes', { skip: full.reason }, async () => {
    const alfred = await startAlfred({ t: full.t, config: { server: { data_dir: full.dir } } });
    const client = alfred.client();
    full.fill();
    await fails(client, 'disk_full');
    full.makeRoom();
    await becomes(client, 'ok', null);
});

test('a disk that hangs, and one that can only be read, are told', { skip: broken.reason }, async () => {
    const alfred = await startAlfred({ t: broken.t, config: { server: { data_dir: broken.dir } } });
    const client = alfred.client();
    await becomes(client, 'ok', null);
    const thaw = broken.freeze();
    await fails(client, 'disk_hangs');
    thaw();
    await becomes(client, 'ok', null);
    broken.break();
    await fails(client, 'disk_broken');
});

test('a program that hangs is a 503 within seconds', async (t) => {
    const alfred = await startAlfred({ t });
    const client = alfred.client();
    assert.equal((await ask(client)).status, 200);
    for (const pid of alfred.pids('api')) process.kill(pid, 'SIGSTOP');
    const answer = await ask(client);
    for (const pid of alfred.pids('api')) process.kill(pid, 'SIGCONT');
    assert.deepEqual([answer.status, answer.json.error.code], [503, 'unavailable']);
    await becomes(client, 'ok', null);
});
