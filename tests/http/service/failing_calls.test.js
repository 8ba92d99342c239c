// System calls that fail: no descriptors, no memory in the kernel, interrupted and short transfers, a broken disk. A fault
// has a clear answer, and nothing of it is left when it is over.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, exchange, provide, send, sessionOf } from '../../lib/chat.js';
import { failingCalls } from '../../lib/failing.js';
import { cpuOf } from '../../lib/processes.js';
import { PROGRAM, startAlfred, until } from '../../lib/rig.js';
import { linkPerson, startTelegram } from '../../lib/telegram.js';
import { bring, many, raw, takeOut } from '../../lib/transfer.js';

const STARTS = 5;
const UNREADABLE = { read: { every: 1, errors: ['EIO'], programs: ['api', 'pages'] } };

const provider = await provide();
const failing = failingCalls();
const { alfred, bot } = await startTelegram({ t: { after }, env: provider.env, failing });
const anna = await alfred.admin('anna');
linkPerson(alfred, 42, 'anna');

/** Runs `use` while calls fail. The programs must survive it. */
async function during(rules, use, seed) {
    const pids = ['pages', 'api', 'stream', 'hooks', 'helper'].map((name) => alfred.pids(name));
    failing.set(rules, seed);
    try {
        return await use(alfred.logs().length);
    } finally {
        failing.set({});
        assert.deepEqual(['pages', 'api', 'stream', 'hooks', 'helper'].map((name) => alfred.pids(name)), pids, alfred.logs());
    }
}

test('a connection to a model that cannot be watched fails its answer, and later ones come', async () => {
    await exchange(anna, provider, 'Are you there?', 'Yes'); // the program has started
    await during({ epollAdd: { every: 1, programs: ['stream'] } }, async (from) => {
        const { session } = await send(anna, 'Nobody hears this');
        const answer = await until('the answer has failed', async () => (await sessionOf(anna, session)).messages.find((m) => m.status === 'failed'));
        assert.match(answer.error, /server/);
        assert.match(alfred.logs().slice(from), /cannot be watched: (Cannot allocate memory|No space left)/);
    });
    assert.equal((await exchange(anna, provider, 'Is anybody there?', 'Yes')).end.status, 'done');
});

test('connections wait while there is no descriptor for them, without a busy loop', async () => {
    const pids = ['pages', 'api'].flatMap((name) => alfred.pids(name));
    const used = () => pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
    let page;
    await during({ accept: { every: 1, programs: ['pages', 'api'], errors: ['EMFILE'] } }, async (from) => {
        const [begun, cpu] = [performance.now(), used()];
        page = anna.get('/tasks');
        await until('accepting has failed often', () => failing.failed.accept > 100);
        assert.ok(used() - cpu < (performance.now() - begun) / 1000 / 2, 'half of a processor at most');
        const lines = alfred.logs().slice(from).match(/.* pages\[.*cannot be accepted: Too many open files/g);
        assert.equal(lines?.length, 1, alfred.logs().slice(from));
    });
    assert.equal((await page).status, 200);
});

test('a request is refused at once while few descriptors are left, and later ones are answered', async () => {
    const { session } = await exchange(anna, provider, 'Hello', 'Hi');
    for (const [program, ask] of [['stream', () => anna.postJson(`/api/sessions/${session}/messages`, { text: 'Is there room?' })], ['api', () => anna.get('/api/tasks')], ['pages', () => anna.get('/tasks')]]) {
        const [pid] = alfred.pids(program), open = readdirSync(`/proc/${pid}/fd`).length;
        const limit = (n) => execFileSync('prlimit', ['--pid', String(pid), `--nofile=${n}:`]);
        const [, before] = readFileSync(`/proc/${pid}/limits`, 'utf8').match(/Max open files +(\d+)/);
        const from = alfred.logs().length;
        limit(open + 16);
        try {
            for (let i = 0; i < 3; i++) {
                const refused = await ask();
                assert.equal(refused.status, 503, program);
                assert.equal(refused.headers['retry-after'], '5', program);
            }
        } finally {
            limit(before);
        }
        assert.equal(alfred.logs().slice(from).match(/a connection is refused: Too many open files/g)?.length, 1, program);
        if (program === 'stream') provider.next(answers('Yes.'), asksForAnswer);
        assert.ok((await ask()).status < 300, program);
    }
});

test('interrupted and short transfers are not noticed', async () => {
    const parts = { errors: ['EINTR', 'SHORT'] };
    for (const seed of [1, 2, 3]) {
        // Seldom enough that an import, which zlib reads and which begins again after EINTR, needs no fifth attempt.
        await during({ read: { every: 10, ...parts }, write: { every: 3, ...parts }, receive: { every: 2, ...parts }, send: { every: 2, errors: ['EINTR', 'SHORT', 'EAGAIN'] } }, async () => {
            const text = `Question ${seed} ${'in many words '.repeat(2000)}`;
            const { session, end } = await exchange(anna, provider, text, `Answer ${'in many words '.repeat(200)}`);
            assert.equal(end.status, 'done');
            const { messages } = await sessionOf(anna, session);
            assert.deepEqual(messages.map((m) => m.text.trim()), [text.trim(), `Answer ${'in many words '.repeat(200)}`.trim()]);
            assert.equal((await anna.get(`/s/${session}`)).status, 200);
            const imported = await bring(anna, JSON.stringify(many(5, `Of seed ${seed}. `).map((c) => ({ ...c, conversation_id: `${c.conversation_id}-${seed}` }))));
            assert.deepEqual([imported.state, imported.done], ['done', 5]);
            assert.ok((await takeOut(anna)).length > 1000);
        }, seed);
    }
});

test('users stay signed in when their login cannot be looked up', async () => {
    await during(UNREADABLE, async () => {
        alfred.sql('UPDATE login SET used_at = used_at + 1'); // the programs have its page in memory
        for (const address of ['/api/tasks', '/tasks', '/']) assert.ok((await anna.get(address)).status >= 500, address);
    });
    assert.equal((await anna.get('/tasks')).status, 200);
});

test('a database that cannot be read is a broken disk, not a damaged file', async () => {
    await during(UNREADABLE, async (from) => {
        alfred.sql('UPDATE login SET used_at = used_at + 1');
        const refused = await anna.get('/api/tasks');
        assert.equal(refused.status, 503, refused.text);
        assert.match(refused.json.error.message, /disk of this server does not work \(reading or writing fails\)/);
        const german = await anna.request('GET', '/api/tasks', { headers: { 'accept-language': 'de' } });
        assert.equal(german.json.error.message, 'Der Speicher dieses Servers funktioniert nicht (Lesen oder Schreiben scheitert). Es wurde nichts gespeichert.');
        assert.equal((await anna.get('/tasks')).status, 503);
        assert.doesNotMatch(alfred.logs().slice(from), /damaged/);
    });
});

test('an upload that cannot be synced is refused for a broken disk', async () => {
    await during({ sync: { every: 1, errors: ['EIO'], programs: ['api'] } }, async () => {
        const refused = await raw(anna, JSON.stringify(many(1)));
        assert.equal(refused.status, 503, refused.text);
        assert.match(refused.json.error.message, /disk of this server does not work \(reading or writing fails\)/);
    });
});

test('a message whose log cannot be made is refused with the reason', async () => {
    await exchange(anna, provider, 'Before', 'Written'); // makes the folder
    const turns = `${alfred.dataDir}/turns`;
    renameSync(turns, `${turns}.away`);
    writeFileSync(turns, '');
    const refused = await anna.postJson('/api/sessions/new/messages', { text: 'Nowhere to write' });
    rmSync(turns);
    renameSync(`${turns}.away`, turns);
    assert.equal(refused.status, 503, refused.text);
    assert.equal(refused.json.error.message, 'The message could not be saved on this server (Not a directory). Nothing was sent.');
    assert.equal((await exchange(anna, provider, 'And now?', 'Written')).end.status, 'done');
});

test('a message of Telegram is answered after the calls of all programs failed for a while', async () => {
    provider.always(async (call) => answers(`You wrote: ${call.userText}`)(call), (call) => asksForAnswer(call) && call.userText.startsWith('From Telegram'));
    const rules = { socket: { every: 3 }, connect: { every: 3 }, epollAdd: { every: 4, programs: ['hooks', 'helper'] }, sync: { every: 4 }, open: { every: 5 } };
    await during(rules, () => bot.says({ chat: 42, text: 'From Telegram' })); // the webhook is called until it is stored
    await until('it is answered', () => bot.texts(42).some((said) => said.includes('You wrote: From Telegram')));
});

test('Telegram starts when its secret can be read again', async (t) => {
    const secret = `${alfred.dataDir}/telegram-webhook-secret`;
    const kept = readFileSync(secret);
    const from = alfred.logs().length;
    rmSync(secret);
    mkdirSync(secret, { mode: 0o700 });
    const repair = () => {
        rmSync(secret, { recursive: true });
        writeFileSync(secret, kept, { mode: 0o600 });
    };
    t.after(() => statSync(secret).isDirectory() && repair());
    alfred.kill('helper');
    await alfred.waitForLog(/helper.*telegram-webhook-secret: Is a directory/, { from });
    repair();
    await bot.says({ chat: 42, text: '/help' });
    await until('the bot answers', () => bot.texts(42).some((said) => said.includes('/sessions')));
});

test('a stream that cannot serve ends in order while it starts a turn', async (t) => {
    const stopped = await startAlfred({ t });
    const { session } = await send(await stopped.admin('anna'), 'Hello');
    await stopped.stop();
    stopped.sql(`INSERT INTO turn_order (owner, session_id, kind, text, client_id, channel, purpose, purpose_id, created_at)
        SELECT owner, id, 'send', 'Ordered', 'ordered', 'telegram', 'channel', 1, 1 FROM session WHERE pub = ?`, session);
    for (let i = 0; i < STARTS; i++) {
        const stream = spawn(PROGRAM.replace(/alfred$/, 'stream'), { cwd: stopped.dir, env: stopped.env, stdio: ['ignore', 'ignore', 'pipe'] });
        const [output, how] = await Promise.all([text(stream.stderr), once(stream, 'exit')]);
        assert.match(output, /descriptor 0 is not a listening socket/);
        assert.doesNotMatch(output, /Sanitizer/);
        assert.deepEqual(how, [1, null], output);
    }
});

test('a program that cannot start a thread names the cause and ends', async () => {
    await during({ thread: { every: 1, programs: ['pages'] } }, async () => {
        const pages = spawn(PROGRAM.replace(/alfred$/, 'pages'), { cwd: alfred.dir, env: alfred.env, stdio: ['ignore', 'ignore', 'pipe'] });
        const [output, how] = await Promise.all([text(pages.stderr), once(pages, 'exit')]);
        assert.match(output, /cannot start the thread of .*: Resource temporarily unavailable/);
        assert.deepEqual(how, [1, null], output);
    });
});
