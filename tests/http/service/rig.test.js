// The rig and `make run`: start, stop, and no leftover processes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, rmSync, statSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';

import { startProvider } from '../../fake/provider.js';
import { processesOf } from '../../lib/processes.js';
import { PROGRAM, ROOT, freePort, startAlfred, until } from '../../lib/rig.js';

test('a fresh start prints the address and the first-run link, and answers', async (t) => {
    const alfred = await startAlfred({ t, first: true });
    assert.match(alfred.logs(), new RegExp(`https://\\S+:${alfred.httpsPort}`));
    assert.ok(alfred.setupCode, alfred.logs());
    const page = await alfred.client().get('/');
    assert.ok([200, 303].includes(page.status), String(page.status));
    for (const program of ['alfred', 'pages', 'api', 'stream', 'hooks', 'helper', 'nginx']) {
        assert.ok(alfred.pids(program).length > 0, `${program} runs`);
    }
});

test('the rig signs in the first admin and further users', async (t) => {
    const alfred = await startAlfred({ t });
    const admin = await alfred.admin();
    const anna = await alfred.user('anna');
    assert.equal((await admin.getJson('/api/me')).name, 'admin');
    assert.equal((await anna.getJson('/api/me')).name, 'anna');
    assert.equal((await alfred.client().get('/api/me')).status, 401);
});

test('the provider holds a message until the test releases it', async (t) => {
    const provider = await startProvider();
    t.after(() => provider.stop());
    const alfred = await startAlfred({ t, env: provider.env });
    const anna = await alfred.admin('anna');
    const sent = await anna.postJson('/api/sessions/new/messages', { text: 'Hello' });
    assert.equal(sent.status, 202, sent.text);
    const call = await provider.call();
    assert.equal(call.userText, 'Hello');
    await call.start();
    await call.text('Good ');
    const events = await anna.events(`/api/turns/${sent.json.turn}/events`);
    await events.until((e) => e.data.includes('Good'));
    await call.text('day');
    await events.until((e) => e.data.includes('day'));
    await call.end();
    const end = (await events.until((e) => e.event === 'end')).at(-1);
    assert.equal(JSON.parse(end.data).status, 'done');
    assert.equal(await events.next(), null);
});

test('Ctrl-C ends everything: no process, no port, no socket is left', async (t) => {
    const alfred = await startAlfred({ t });
    const { code } = await alfred.interrupt();
    assert.equal(code, 0, alfred.logs());
    assert.deepEqual(alfred.processes(), []);
    // Both ports are free again.
    for (const port of [alfred.httpsPort, alfred.httpPort]) {
        const server = net.createServer().listen(port, '127.0.0.1');
        await once(server, 'listening');
        server.close();
    }
});

test('make run only starts what is built, and Ctrl-C ends all of it', async (t) => {
    const made = () => statSync(PROGRAM).mtimeMs, before = made();
    const alfred = await startAlfred({ t, make: true, first: true });
    assert.equal(made(), before);
    assert.ok(alfred.setupCode);
    await alfred.interrupt();
    assert.deepEqual(alfred.processes(), []);
});

test('all processes end when the supervisor is killed', async (t) => {
    const alfred = await startAlfred({ t });
    alfred.kill('alfred');
    await alfred.ended;
    await until('nothing is left', () => alfred.processes().length === 0);
});

test('a test file that a signal ends leaves no service behind', async () => {
    const file = `const { startAlfred } = await import(${JSON.stringify(`${ROOT}/tests/lib/rig.js`)}); const a = await startAlfred(); console.log(a.pid, a.dir); setInterval(() => {}, 1000);`;
    for (const signal of ['SIGTERM', 'SIGINT']) {
        const child = spawn(process.execPath, ['--input-type=module', '-e', file], { stdio: ['ignore', 'pipe', 'inherit'] });
        const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
        const [pid, dir] = line.trim().split(' ');
        assert.ok(processesOf(Number(pid), dir).length > 0, 'it runs');
        child.kill(signal);
        await once(child, 'exit');
        await until('nothing is left', () => processesOf(Number(pid), dir).length === 0);
        rmSync(dir, { recursive: true });
    }
});

test('a port in use is reported, and no process is left', async (t) => {
    for (const key of ['https_port', 'http_port']) {
        const server = net.createServer().listen(await freePort(), '127.0.0.1');
        t.after(() => server.close());
        await once(server, 'listening');
        const { port } = server.address();
        const alfred = await startAlfred({ t, config: { server: { [key]: port } }, ready: false });
        const { code } = await alfred.ended;
        assert.notEqual(code, 0);
        assert.match(alfred.logs(), new RegExp(`\\b${port}\\b`));
        assert.deepEqual(alfred.processes(), []);
    }
});

test('a second start uses the same data', async (t) => {
    const first = await startAlfred({ t, first: true });
    await first.admin('martha');
    const settings = { dir: first.dir, config: first.config };
    await first.stop();
    assert.ok(existsSync(`${first.dataDir}/alfred.db`));
    assert.equal(statSync(`${first.dataDir}/alfred.db`).mode & 0o077, 0);

    const second = await startAlfred({ t, ...settings });
    assert.equal(second.setupCode, null, 'the first-run link is gone for good');
    const martha = await second.signIn('martha');
    assert.equal((await martha.getJson('/api/me')).name, 'martha');
    await second.stop();

    // After a power cut, too.
    const third = await startAlfred({ t, ...settings });
    await third.crash();
    const fourth = await startAlfred({ t, ...settings });
    await fourth.signIn('martha');
});

test('a program that is killed starts again at once', async (t) => {
    const alfred = await startAlfred({ t });
    for (const program of ['pages', 'api', 'stream', 'hooks', 'helper']) {
        await alfred.killAndAwait(program);
        await alfred.waitForLog(new RegExp(`${program} starts again in 0 ms`));
    }
    assert.ok(await alfred.answers());
});
