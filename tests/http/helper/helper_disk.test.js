// The helper on a full disk: it waits without using the processor, writes one line, and continues when there is space.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';

import { answers, fails } from '../../fake/provider.js';
import { asksForTitle, exchange, provide, sessionOf } from '../../lib/chat.js';
import { smallDisk } from '../../lib/disk.js';
import { cpuOf } from '../../lib/processes.js';
import { startAlfred, until } from '../../lib/rig.js';

const FULL_MS = 3000; // several of the helper's waits, which begin with a quarter of a second
const { dir, t, reason, fill, makeRoom } = smallDisk();
const provider = await provide();
const alfred =
    dir && (await startAlfred({ t, env: provider.env, config: { server: { data_dir: dir }, jobs: { retry_seconds: 2 } } }));
const anna = alfred && (await alfred.admin('anna'));

const linesOf = (pattern, from) => alfred.logs().slice(from).split('\n').filter((line) => pattern.test(line));
const titled = (session) => until('the title', async () => (await sessionOf(anna, session)).session.named);
const passed = (at) => until('the time is over', () => Date.now() > at, FULL_MS + 20_000);

/** A session whose title job failed once, on a disk that is filled before the job is due again; returns {session, due}. */
async function failedOnce() {
    for (;;) {
        provider.always(fails(500), asksForTitle);
        const { session } = await exchange(anna, provider, 'Hello', 'Hi');
        const due = await until('the job waits', () => {
            const db = new DatabaseSync(`${dir}/alfred.db`, { readOnly: true });
            const row = db.prepare("SELECT run_at FROM job WHERE kind = 'title' AND state = 'ready' AND error IS NOT NULL").get();
            db.close();
            return row?.run_at;
        });
        provider.always(answers('A title'), asksForTitle);
        fill();
        if (Date.now() < due) return { session, due };
        makeRoom(); // the machine was too slow
        await titled(session);
    }
}

test('when no job can be claimed the helper waits: one line, hardly any processor time', { skip: reason }, async () => {
    const { session, due } = await failedOnce();
    const [helper] = alfred.pids('helper');
    const from = alfred.logs().length;
    const before = cpuOf(helper);
    await passed(due + FULL_MS);
    const used = cpuOf(helper) - before;
    assert.ok(used < FULL_MS / 1000 / 5, `${used} s of processor time in ${FULL_MS} ms`);
    const lines = linesOf(/error helper/, from);
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(lines[0], /the job queue: unavailable: The disk of this server is full/);
    makeRoom();
    await titled(session);
    const [, tries] = await alfred.waitForLog(/the job queue works again after (\d+) failures/, { from });
    assert.ok(tries >= 2 && tries < 20, `${tries} tries`);
    assert.deepEqual(alfred.pids('helper'), [helper]);
});

test('a result that cannot be stored is kept until there is space', { skip: reason }, async () => {
    let call;
    provider.next(async (held) => void (call = held), asksForTitle);
    const { session } = await exchange(anna, provider, 'Hello again', 'Hi');
    await until('the provider is asked', () => call);
    const from = alfred.logs().length;
    fill();
    const at = Date.now();
    await answers('Too late')(call);
    await alfred.waitForLog(/finishing a job: unavailable: The disk of this server is full/, { from });
    await passed(at + FULL_MS);
    assert.equal(linesOf(/error helper.*finishing a job/, from).length, 1);
    assert.ok(linesOf(/error helper/, from).length <= 2, 'the other lane may want a job: one line, too');
    makeRoom();
    await alfred.waitForLog(/finishing a job works again after \d+ failures/, { from });
    await titled(session);
});
