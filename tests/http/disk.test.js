// A full disk: a clear sentence, nothing half stored, and all is well again when there is room.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, rmdirSync, writeSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

import { asksForAnswer, ended, eventsOf, exchange, follow, newClientId, provide, send, sessionOf, Transcript } from '../lib/chat.js';
import { startAlfred, until } from '../lib/rig.js';

/** A small file system of its own, or the reason why there can be none. */
function smallDisk() {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'alfred-disk-'));
    try {
        execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=0700', 'tmpfs', dir], { stdio: 'pipe' });
    } catch (error) {
        rmdirSync(dir);
        return { reason: `no small file system can be mounted here: ${String(error.stderr ?? error.message).trim()}` };
    }
    return { dir };
}

const { dir, reason } = smallDisk();
// The service goes first, then its disk.
const ends = [];
after(async () => {
    for (const end of ends.reverse()) await end();
    if (!dir) return;
    execFileSync('umount', [dir]);
    rmdirSync(dir);
});

const provider = await provide();
const alfred = dir && (await startAlfred({ t: { after: (end) => ends.push(end) }, env: provider.env, config: { server: { data_dir: dir } } }));
const anna = alfred && (await alfred.admin('anna'));
const filler = `${dir}/filler`;

/** Takes every byte that is left. */
function fill() {
    const fd = openSync(filler, 'w');
    for (const size of [1024 * 1024, 4096, 1]) {
        const block = Buffer.alloc(size, 'x');
        try {
            while (writeSync(fd, block) === size);
        } catch (error) {
            assert.equal(error.code, 'ENOSPC');
        }
    }
    closeSync(fd);
}
const makeRoom = () => rmSync(filler, { force: true });

test('a send on a full disk is 503 with a sentence, nothing is stored, and it works when there is room', { skip: reason }, async () => {
    const first = await exchange(anna, provider, 'Before', 'Stored');
    const pids = alfred.pids('stream');
    fill();
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
    // Reading goes on.
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

test('a disk that fills while an answer runs: the text is kept, and the turn is over when there is room', { skip: reason }, async () => {
    const text = 'Fills meanwhile';
    const sent = await send(anna, text);
    const call = await provider.call((c) => asksForAnswer(c) && c.userText === text);
    await call.start();
    const events = await eventsOf(anna, sent.turn);
    const page = new Transcript();
    await call.text('Seen before. ');
    await follow(events, page, () => page.live.includes('Seen before.'));
    fill();
    // More than what is left of the log's last block.
    await call.text('y'.repeat(20_000)).catch(() => {});
    await call.end().catch(() => {});
    await follow(events, page, (e) => e.event === 'end');
    assert.equal(page.end.status, 'failed');
    assert.match(page.end.error, /disk of this server is full/);
    // Whoever comes now gets no end, since there is none yet, and comes again.
    const early = await (await eventsOf(anna, sent.turn)).all();
    assert.deepEqual(early.map((e) => e.event), ['turn']);
    makeRoom();
    await until('the service has saved it', async () => (await anna.getJson(`/api/turns/${sent.turn}`)).status === 'failed');
    assert.match((await ended(anna, sent.turn)).html, /Seen before\..*disk of this server is full/s);
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
    const call = await provider.call((c) => asksForAnswer(c) && c.userText === text);
    await call.start();
    fill();
    await call.toolCall('current_time', { x: 'z'.repeat(60_000) });
    await call.end('tool_calls');
    const events = await (await eventsOf(anna, sent.turn)).all();
    assert.ok(events.every((e) => e.event !== 'end' || JSON.parse(e.data).status === 'failed'));
    makeRoom();
    await until('the service has saved it', async () => (await anna.getJson(`/api/turns/${sent.turn}`)).status === 'failed');
    assert.equal((await sessionOf(anna, sent.session)).session.running, false);
});
