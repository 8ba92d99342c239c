// Upgrades of the database: a copy is made first, once per upgrade, and nothing is changed without room for it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { smallDisk } from '../../lib/disk.js';
import { PROGRAM, ROOT, serviceFolder, startAlfred, until } from '../../lib/rig.js';

const MIGRATIONS = `${ROOT}/src/db/migrations/sqlite`;
const migrations = readdirSync(MIGRATIONS).sort();
const OLD = 60, BETWEEN = 65, NEWEST = migrations.length;
const COPY = `alfred.db.schema-${OLD}-before-${NEWEST}`;
const DAY_MS = 86_400_000;

const disk = smallDisk();

/** Makes the database of an earlier version, with the user "anna", and `bytes` of data. */
function oldDatabase(file, schema, bytes = 0) {
    const db = new DatabaseSync(file, { defensive: false });
    db.exec('PRAGMA journal_mode = wal; CREATE TABLE schema_migration (version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied_at INTEGER NOT NULL)');
    for (const name of migrations.slice(0, schema)) {
        db.exec(`BEGIN; ${readFileSync(`${MIGRATIONS}/${name}`, 'utf8')}; COMMIT`);
        db.prepare('INSERT INTO schema_migration VALUES (?, ?, 1)').run(parseInt(name), name);
    }
    db.prepare("INSERT INTO user (name, role, password, created_at) VALUES ('anna', 'admin', ?, 1)").run('x'.repeat(bytes));
    db.close();
}
/** A data folder with it. */
function oldData(schema) {
    const dir = serviceFolder();
    oldDatabase(`${dir}/alfred.db`, schema);
    return dir;
}
function read(file, query) {
    const db = new DatabaseSync(`file:${file}?immutable=1`, { readOnly: true });
    try {
        return Object.values(db.prepare(query).get())[0];
    } finally {
        db.close();
    }
}
const schemaOf = (file) => read(file, 'SELECT max(version) FROM schema_migration');
const copies = (dir) => readdirSync(dir).filter((name) => name.startsWith('alfred.db.'));

test('an upgrade leaves a complete copy of the database before it, for a week', async (t) => {
    const dir = oldData(OLD);
    writeFileSync(`${dir}/alfred.db.schema-50-before-${OLD}`, 'of an earlier upgrade');
    writeFileSync(`${dir}/${COPY}.part-abcdef`, 'of one that was killed');
    const first = await startAlfred({ t, config: { server: { data_dir: dir } } });
    assert.match((await first.cli(['user', 'list'])).stdout, /anna/);
    assert.deepEqual(copies(dir), [COPY]);
    assert.equal(statSync(`${dir}/${COPY}`).mode & 0o777, 0o600);
    assert.equal(schemaOf(`${dir}/${COPY}`), OLD);
    assert.equal(read(`${dir}/${COPY}`, 'SELECT max(name) FROM user'), 'anna');
    assert.equal(read(`${dir}/${COPY}`, 'PRAGMA integrity_check'), 'ok');
    assert.match(first.logs(), /before its upgrade the database is copied to \S+schema-60-before/);

    const made = statSync(`${dir}/${COPY}`).mtimeMs;
    await first.killAndAwait('helper');
    assert.equal(statSync(`${dir}/${COPY}`).mtimeMs, made, 'it is made once');
    const old = new Date(Date.now() - 8 * DAY_MS);
    utimesSync(`${dir}/${COPY}`, old, old);
    await first.killAndAwait('helper'); // it begins with a sweep
    await until('the copy is removed', () => copies(dir).length === 0);
});

test('a request during a long upgrade gets a page that reloads by itself, in its language, or a problem', async (t) => {
    const dir = oldData(OLD);
    const lock = new DatabaseSync(`${dir}/alfred.db`);
    lock.exec('BEGIN IMMEDIATE'); // the migration waits for it
    const begun = Date.now();
    const alfred = await startAlfred({ t, ready: false, config: { server: { data_dir: dir } } });
    const client = alfred.client();
    await alfred.waitForLog(/the database is upgraded from schema 60/);
    const page = await until('nginx answers', () => client.get('/').catch(() => null));
    assert.equal(page.status, 503);
    assert.equal(page.headers['retry-after'], '5');
    assert.match(page.text, /is being upgraded\. This page reloads by itself\./);
    assert.match(page.text, /<meta http-equiv="refresh" content="5">/);
    const german = await client.get('/s/ses_0', { headers: { 'accept-language': 'de' } });
    assert.match(german.text, /<html lang="de">[^]*wird aktualisiert\. Diese Seite lädt sich von selbst neu\./);
    const form = await client.post('/signin', { name: 'anna', password: 'x' });
    assert.equal(form.status, 503);
    assert.doesNotMatch(form.text, /http-equiv/, 'a form is not sent again');
    for (const [method, path] of [['GET', '/api/me'], ['GET', '/api/turns/x/events'], ['POST', '/api/sessions/new/messages'], ['GET', '/api/health']]) {
        const { status, json, headers } = await client.request(method, path, method === 'POST' ? { json: { text: 'x' } } : {});
        assert.equal(status, 503, path);
        assert.deepEqual([json.status, json.error.code, headers['retry-after']], [503, 'unavailable', '5'], path);
        assert.match(json.detail, /is being upgraded/);
    }
    assert.match((await client.get('/v1/models')).json.error.message, /is being upgraded/);
    // Longer than any other wait for the lock: no program gives up.
    await until('the programs have waited', async () => (await client.get('/')).status === 503 && Date.now() - begun > 7000);
    lock.exec('ROLLBACK');
    lock.close();
    await until('the upgraded service answers', async () => (await client.get('/signin')).status === 200);
    assert.equal((await client.get('/api/health')).status, 200);
    assert.doesNotMatch(alfred.logs(), /ended with/);
});

test('a stop during a long upgrade waits for no program', async (t) => {
    const dir = oldData(OLD);
    const lock = new DatabaseSync(`${dir}/alfred.db`);
    lock.exec('BEGIN IMMEDIATE');
    const alfred = await startAlfred({ t, ready: false, config: { server: { data_dir: dir } } });
    await until('nginx answers', () => alfred.client().get('/').catch(() => null));
    await alfred.stop();
    assert.equal((await alfred.ended).code, 0);
    assert.doesNotMatch(alfred.logs(), /did not stop in time/);
    lock.exec('ROLLBACK');
    lock.close();
    assert.match((await alfred.cli(['user', 'list'])).stdout, /anna/);
});

test('a long upgrade that fails ends the service', async (t) => {
    const dir = oldData(OLD);
    const lock = new DatabaseSync(`${dir}/alfred.db`);
    lock.exec(`BEGIN IMMEDIATE; UPDATE schema_migration SET version = ${NEWEST + 1} WHERE version = ${OLD}`);
    const alfred = await startAlfred({ t, ready: false, config: { server: { data_dir: dir } } });
    await until('nginx answers', () => alfred.client().get('/').catch(() => null));
    lock.exec('COMMIT');
    lock.close();
    assert.equal((await alfred.ended).code, 1);
    assert.match(alfred.logs(), /of a newer Alfred/);
    assert.match(alfred.logs(), /the upgrade of the database ended with exit code 3/);
});

test('limits in the sentences of older versions become bytes', async (t) => {
    const dir = oldData(80);
    const db = new DatabaseSync(`${dir}/alfred.db`);
    db.exec(`PRAGMA foreign_keys = off;
        INSERT INTO session (id, pub, owner, created_at, active_at) VALUES (1, 's', 1, 1, 1);
        INSERT INTO message (id, session_id, role, status, channel, text, error, created_at)
            VALUES (1, 1, 'user', 'failed', 'web', 'Hello', 'answer.too_long' || char(9) || 'max:1024', 1);
        INSERT INTO transfer (pub, owner, kind, state, format, error, created_at)
            VALUES ('x', 1, 'import', 'failed', '', 'import.too_big' || char(9) || 'max:640', 1)`);
    db.close();
    const alfred = await startAlfred({ t, config: { server: { data_dir: dir } } });
    assert.equal(alfred.sql('SELECT error FROM message')[0].error, 'answer.too_long\tmax#1048576');
    assert.equal(alfred.sql('SELECT error FROM transfer')[0].error, 'import.too_big\tmax#671088640');
});

test('a new database has no copy', async (t) => {
    const alfred = await startAlfred({ t, first: true });
    assert.deepEqual(copies(alfred.dataDir), []);
});

test('an upgrade that goes on keeps the copy of its begin, and one after a return makes a new one', async (t) => {
    const dir = oldData(BETWEEN);
    oldDatabase(`${dir}/${COPY}`, OLD);
    const alfred = await startAlfred({ t, config: { server: { data_dir: dir } } });
    assert.deepEqual(copies(dir), [COPY]);
    assert.equal(schemaOf(`${dir}/${COPY}`), OLD);
    await alfred.stop();

    for (const end of ['', '-wal', '-shm']) rmSync(`${dir}/alfred.db${end}`, { force: true });
    copyFileSync(`${dir}/${COPY}`, `${dir}/alfred.db`); // as docs/operations.md says
    const db = new DatabaseSync(`${dir}/alfred.db`);
    db.exec("UPDATE user SET name = 'berta' WHERE name = 'anna'");
    db.close();
    assert.match((await alfred.cli(['user', 'list'])).stdout, /berta/);
    assert.deepEqual(copies(dir), [COPY]);
    assert.equal(read(`${dir}/${COPY}`, 'SELECT max(name) FROM user'), 'berta');
});

test('killed at any point, an upgrade leaves a complete copy, or the database as it was', async (t) => {
    const alfred = await startAlfred({ t });
    await alfred.stop();
    for (const timeout of [10, 20, 30, 50, 80, 120]) {
        rmSync(alfred.dataDir, { recursive: true });
        mkdirSync(alfred.dataDir, { mode: 0o700 });
        oldDatabase(`${alfred.dataDir}/alfred.db`, OLD);
        spawnSync(PROGRAM, ['user', 'list'], { cwd: alfred.dir, env: alfred.env, timeout, killSignal: 'SIGKILL' });
        const made = copies(alfred.dataDir).includes(COPY);
        if (!made) assert.equal(read(`${alfred.dataDir}/alfred.db`, 'SELECT max(version) FROM schema_migration'), OLD, String(timeout));
        assert.match((await alfred.cli(['user', 'list'])).stdout, /anna/);
        assert.deepEqual(copies(alfred.dataDir), [COPY], String(timeout));
        assert.equal(schemaOf(`${alfred.dataDir}/${COPY}`), OLD, String(timeout));
    }
});

test('what a killed upgrade left does not take the room of the next copy', { skip: disk.reason }, async (t) => {
    const dir = `${disk.dir}/killed`;
    t.after(() => {
        disk.makeRoom();
        rmSync(dir, { recursive: true });
    });
    mkdirSync(dir, { mode: 0o700 });
    oldDatabase(`${dir}/alfred.db`, OLD, 2 * 1024 * 1024);
    for (const end of ['', '-journal']) writeFileSync(`${dir}/${COPY}.part-abcdef${end}`, Buffer.alloc(4 * 1024 * 1024));
    disk.fill(1024 * 1024);
    const alfred = await startAlfred({ t, config: { server: { data_dir: dir } } });
    assert.match((await alfred.cli(['user', 'list'])).stdout, /anna/);
    assert.deepEqual(copies(dir), [COPY]);
});

test('without room for the copy nothing is changed, and the reason is said', { skip: disk.reason }, async (t) => {
    oldDatabase(`${disk.dir}/alfred.db`, OLD, 3 * 1024 * 1024);
    const room = 2 * 1024 * 1024;
    disk.fill(room);
    await assert.rejects(startAlfred({ t, config: { server: { data_dir: disk.dir } } }), (error) => {
        assert.match(error.output, /begins with a copy of it\. The disk has no room for the copy: it needs \d MB, and 1 MB are free\./);
        assert.equal(error.output.match(/no room for the copy/g).length, 1, error.output);
        assert.doesNotMatch(error.output, /that is running|starts again/);
        return true;
    });
    assert.deepEqual(copies(disk.dir), []);
    assert.equal(schemaOf(`${disk.dir}/alfred.db`), OLD);
    disk.makeRoom();
    const alfred = await startAlfred({ t: disk.t, config: { server: { data_dir: disk.dir } } });
    assert.match((await alfred.cli(['user', 'list'])).stdout, /anna/);
    assert.deepEqual(copies(disk.dir), [COPY]);
});
