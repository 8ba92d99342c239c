// A full disk during exports and imports: a clear sentence, no partial file or conversation, and full recovery when
// there is space.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { test } from 'node:test';

import { isGoing } from '../../lib/chat.js';
import { smallDisk } from '../../lib/disk.js';
import { startAlfred, until } from '../../lib/rig.js';
import { recordsOf } from '../../lib/zip.js';

const ATTEMPTS = 5; // HELPER_ATTEMPTS
const disk = smallDisk();
const { dir, reason, fill, makeRoom } = disk;
const alfred = dir && (await startAlfred({ t: disk.t, config: { server: { data_dir: dir }, jobs: { retry_seconds: 1 } } }));
const anna = alfred && (await alfred.admin('anna'));

const talk = (i, text) => ({ id: `d${i}`, title: `Talk ${i}`, mapping: { a: { parent: null, message: { author: { role: 'user' }, create_time: 1.6e9 + i, content: { parts: [text] } } } } });
const body = (n) => JSON.stringify(Array.from({ length: n }, (_, i) => talk(i, `${i} ${'words '.repeat(300)}`)));
const send = (text) => anna.request('POST', '/api/imports', { body: text, headers: { 'content-type': 'application/json', accept: 'application/json' } });
const state = async (id) => (await anna.getJson(`/api/transfers/${id}`)).transfer;
const ended = (id) => until('it has ended', async () => !isGoing(await state(id)) && state(id));
const files = () => readdirSync(`${dir}/transfers`);

test('an upload to a full disk is 503 with a sentence and leaves nothing', { skip: reason }, async () => {
    fill(64 * 1024);
    const refused = await send(body(400));
    makeRoom();
    assert.equal(refused.status, 503, refused.text);
    assert.match(refused.json.error.message, /disk of this server is full/);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.deepEqual(files(), []);
    assert.deepEqual((await anna.getJson('/api/transfers')).transfers, []);
});

test('a disk that fills while an import runs: it continues when there is space, with nothing twice', { skip: reason }, async () => {
    const sent = await send(body(500));
    assert.equal(sent.status, 202, sent.text);
    const { id } = sent.json.transfer;
    await until('it has begun', async () => (await state(id)).done > 0);
    fill();
    await until('the helper has met it, or was faster', async () => /disk|full/i.test(alfred.logs()) || !isGoing(await state(id)), 10_000).catch(() => {});
    makeRoom();
    const done = await ended(id);
    assert.deepEqual([done.state, done.done, done.skipped], ['done', 500, 0], done.error);
    const out = `${dir}/out.jsonl`;
    assert.equal((await alfred.cli(['export', 'anna', out])).code, 0);
    const lines = readFileSync(out, 'utf8');
    rmSync(out);
    assert.equal(lines.split('\n').filter((line) => line.startsWith('{"type":"session"')).length, 500);
    assert.equal(lines.split('\n').filter((line) => line.startsWith('{"type":"message"')).length, 500);
});

test('an export to a full disk is written when there is space, and is complete', { skip: reason }, async () => {
    const asked = await anna.postJson('/api/exports', {});
    assert.equal(asked.status, 202, asked.text);
    fill();
    const { id } = asked.json.transfer;
    await until('it was tried', async () => alfred.logs().includes('(export)') || (await state(id)).state === 'done', 10_000).catch(() => {});
    makeRoom();
    const done = await ended(id);
    assert.equal(done.state, 'done', done.error);
    const file = await anna.get(`/api/transfers/${id}/file`);
    assert.equal(recordsOf(file.body).length, 1001);
    assert.deepEqual(files(), [id]);
});

test('a zip that finds no room is tried again for as long as the disk is full, and is complete', { skip: reason }, async () => {
    const random = (n) => Array.from({ length: n }, () => randomBytes(24).toString('hex')).join(' ');
    const sent = await send(JSON.stringify(Array.from({ length: 200 }, (_, i) => talk(1000 + i, random(60)))));
    assert.equal((await ended(sent.json.transfer.id)).state, 'done');
    await until('no job takes the rest of the disk', async () => !/(waiting|running) +embed/.test((await alfred.cli(['jobs'])).stdout));
    // Otherwise the database grows by what waits in its log, and takes the room that is left.
    await until('the write-ahead log is in the database', () => alfred.sql('PRAGMA wal_checkpoint(RESTART)')[0].busy === 0);
    fill(512 * 1024); // room for the database, not for the zip
    const from = alfred.logs().length;
    const { id } = (await anna.postJson('/api/exports', {})).json.transfer;
    const failures = () => alfred.logs().slice(from).match(/\(export\), attempt 1: The disk of this server is full/g)?.length ?? 0;
    await until('it has failed more often than a job may', () => failures() > ATTEMPTS);
    assert.ok(isGoing(await state(id)), 'it is not given up');
    assert.deepEqual(files().filter((name) => name.startsWith(id)), [], 'the incomplete file is removed');
    makeRoom();
    const done = await ended(id);
    assert.equal(done.state, 'done', done.error);
    const zip = (await anna.get(`/api/transfers/${id}/file`)).body;
    assert.equal(recordsOf(zip).filter((r) => r.type === 'session').length, 700);
});

test('the command writes a zip to another disk while that of the data is full', { skip: reason }, async () => {
    fill(64 * 1024); // room for the row of the audit trail
    const path = `${alfred.dir}/anna.zip`;
    const done = await alfred.cli(['export', 'anna', path]);
    makeRoom();
    assert.equal(done.code, 0, done.stderr);
    assert.equal(recordsOf(readFileSync(path)).filter((r) => r.type === 'session').length, 700);
});
