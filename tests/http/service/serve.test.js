// `alfred serve` and its processes: refused starts, keys and certificates, signals, and restarts after kills.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, closeSync, constants, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, readSync, readdirSync, rmSync, statSync, writeFileSync, writeSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import { test } from 'node:test';
import tls from 'node:tls';

import { startProvider } from '../../fake/provider.js';
import { startStrict } from '../../fake/strict.js';
import { freePort, serviceFolder, startAlfred, until } from '../../lib/rig.js';

/** A start that fails; gives its exit code and output. */
async function fails(t, options) {
    const alfred = await startAlfred({ t, ready: false, ...options });
    const { code } = await alfred.ended;
    assert.deepEqual(alfred.processes(), []);
    return { code, output: alfred.logs() };
}

test('Ctrl-C ends a start that waits, such as one that upgrades a large database', async (t) => {
    const provider = await startProvider();
    t.after(() => provider.stop());
    const asked = new Promise((resolve) => provider.lists(async (call) => resolve(call)));
    const alfred = await startAlfred({ t, ready: false, env: provider.env });
    const call = await asked;
    // The child that asks would wait for 3 s. Held, it waits for ever.
    const [child] = alfred.pids('alfred').filter((pid) => pid !== alfred.pid);
    process.kill(child, 'SIGSTOP');
    assert.deepEqual(await alfred.interrupt(), { code: 0, signal: null });
    await call.gone;
    assert.doesNotMatch(alfred.logs(), /Alfred is at/);
});

test('a wrong setting stops the start and is named with its line', async (t) => {
    const wrong = await fails(t, { config: { session: { idle_minute: 3 } } });
    assert.equal(wrong.code, 1);
    assert.match(wrong.output, /alfred\.toml line \d+: \[session\] has no setting idle_minute; did you mean idle_minutes\?/);

    const key = await fails(t, { config: { 'provider.work': { kind: 'openai', model: 'm', key_env: 'WORK_KEY' } } });
    assert.equal(key.code, 1);
    assert.match(key.output, /\[provider\.work\] needs the key WORK_KEY/);

    for (const [embedding, reason] of [
        [{ provider: 'nowhere', model: 'm' }, /\[embedding\] provider: there is no provider "nowhere"/],
        [{ provider: 'other', model: 'm' }, /\[embedding\] provider: "other" has no embeddings/],
        [{ provider: 'local' }, /\[embedding\] model: set the model of "local" to use/],
    ]) {
        const found = await fails(t, { config: { 'provider.local': { kind: 'openai', base_url: 'http://localhost:1/v1' }, 'provider.other': { kind: 'anthropic', base_url: 'http://localhost:1' }, embedding } });
        assert.equal(found.code, 1);
        assert.match(found.output, reason);
    }
});

test('a file of the settings that is missing stops the start, and `config check` names it, too', async (t) => {
    const provider = { kind: 'openai', base_url: 'http://localhost:1/v1' };
    for (const [config, reason] of [
        [{ server: { certificate: '/nonexistent/a.pem', certificate_key: '/nonexistent/a.key' } }, /\[server\] certificate: \/nonexistent\/a\.pem: No such file/],
        [{ server: { template_dir: '/nonexistent' } }, /\[server\] template_dir: \/nonexistent: No such file/],
        [{ 'provider.work': { ...provider, ca_file: '/nonexistent' } }, /\[provider\.work\] ca_file: \/nonexistent: No such file/],
    ]) {
        const alfred = await startAlfred({ t, ready: false, config });
        assert.equal((await alfred.ended).code, 1);
        assert.match(alfred.logs(), reason);
        const checked = await alfred.cli(['config', 'check']);
        assert.equal(checked.code, 1);
        assert.match(checked.stderr, reason);
    }
    const prompt = await fails(t, { config: { context: { system_prompt: '/nonexistent/prompt.md' } } });
    assert.match(prompt.output, /\[context\] system_prompt: .*No such file/);
    const data = await fails(t, { config: { server: { data_dir: '/proc/nope' } } });
    assert.match(data.output, /\[server\] data_dir: .*No such file/);
});

/** Makes a certificate and its key, files by the names of the settings. */
function selfSigned({ certificate, certificate_key: key }, ...more) {
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost',
        '-keyout', key, '-out', certificate, ...more], { stdio: 'ignore' });
}

test('a certificate that nginx would refuse stops the start, an expired one does not, and `config check` names both', async (t) => {
    const dir = mkdtempSync(`${os.tmpdir()}/alfred-pair-`);
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const pair = (name) => ({ certificate: `${dir}/${name}.pem`, certificate_key: `${dir}/${name}.key` });
    const [good, other, expired, locked] = ['good', 'other', 'expired', 'locked'].map(pair);
    for (const made of [good, other]) selfSigned(made);
    selfSigned(expired);
    execFileSync('openssl', ['x509', '-in', good.certificate, '-signkey', expired.certificate_key, '-days', '-1', '-out', expired.certificate], { stdio: 'ignore' });
    writeFileSync(`${dir}/nonsense`, 'nonsense');
    const wrongOrder = `${dir}/order.pem`;
    writeFileSync(wrongOrder, readFileSync(other.certificate, 'utf8') + readFileSync(good.certificate, 'utf8'));
    execFileSync('openssl', ['pkey', '-in', good.certificate_key, '-out', locked.certificate_key, '-aes256', '-passout', 'pass:secret']);
    const check = async (server) => {
        const alfred = await startAlfred({ t, ready: false, config: { server } });
        const { code, stderr } = await alfred.cli(['config', 'check']);
        return { alfred, code, stderr };
    };
    for (const [server, reason] of [
        [{ ...good, certificate: `${dir}/nonsense` }, /\[server\] certificate: .*nonsense does not begin with a certificate in the form PEM/],
        [{ ...good, certificate_key: `${dir}/nonsense` }, /\[server\] certificate_key: .*nonsense is no private key in the form PEM without a password/],
        [{ ...good, certificate_key: locked.certificate_key }, /\[server\] certificate_key: .*locked.key is no private key in the form PEM without a password/],
        [{ ...good, certificate_key: other.certificate_key }, /\[server\] certificate_key: .*other.key does not belong to the first certificate of .*good.pem/],
        [{ ...good, certificate: wrongOrder }, /\[server\] certificate_key: .*good.key does not belong to the first certificate of .*order.pem/],
    ]) {
        const { alfred, code, stderr } = await check(server);
        assert.equal((await alfred.ended).code, 1);
        assert.match(alfred.logs(), reason);
        assert.doesNotMatch(alfred.logs(), /nginx/);
        assert.equal(code, 1);
        assert.match(stderr, reason);
    }
    const { alfred, code, stderr } = await check(expired);
    assert.equal(code, 1);
    assert.match(stderr, /\[server\] certificate: .*expired.pem has expired.*Renew it/);
    await alfred.waitForLog(/warn .*expired.pem has expired/);
    assert.equal((await (await startAlfred({ t, config: { server: good } })).cli(['config', 'check'])).code, 0);
});

test('an error that only nginx detects stops the start, too', async (t) => {
    const dir = mkdtempSync(`${os.tmpdir()}/alfred-tls-`);
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const server = { certificate: `${dir}/cert.pem`, certificate_key: `${dir}/key.pem` };
    const absent = await fails(t, { config: { server } });
    assert.equal(absent.code, 1);
    assert.match(absent.output, /\[server\] certificate: .*No such file/);
    selfSigned(server);
    appendFileSync(server.certificate, '-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n');
    const broken = await fails(t, { config: { server } });
    assert.equal(broken.code, 1);
    assert.match(broken.output, /cannot load certificate/);
    assert.match(broken.output, /nginx does not start/);
});

test('the self-signed certificate has all names, and is made again for a new one and before its end', async (t) => {
    const dir = mkdtempSync(`${os.tmpdir()}/alfred-names-`);
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const file = `${dir}/data/tls/cert.pem`;
    /** The certificate after a start with these settings. */
    const after = async (server = {}) => {
        const alfred = await startAlfred({ dir, config: { server } });
        await alfred.stop();
        return new X509Certificate(readFileSync(file));
    };
    const first = await after();
    for (const name of ['localhost', os.hostname()]) assert.ok(first.checkHost(name), name);
    for (const ip of ['127.0.0.1', '::1']) assert.ok(first.checkIP(ip), ip);
    const days = (Date.parse(first.validTo) - Date.parse(first.validFrom)) / 86_400_000;
    assert.equal(days, 825);
    assert.equal((await after()).fingerprint256, first.fingerprint256);

    const port = await freePort();
    const server = { https_port: port, public_url: `https://alfred.test:${port}`, hosts: ['other.test', '192.0.2.7', '[2001:db8::7]'] };
    const named = await after(server);
    for (const name of ['alfred.test', 'other.test', 'localhost']) assert.ok(named.checkHost(name), name);
    for (const ip of ['192.0.2.7', '2001:db8::7']) assert.ok(named.checkIP(ip), ip);
    assert.equal((await after(server)).fingerprint256, named.fingerprint256);

    const make = (...more) =>
        execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=x', '-days', '20',
            '-addext', `subjectAltName=${named.subjectAltName.replaceAll('IP Address', 'IP')}`, '-keyout', `${dir}/data/tls/key.pem`, '-out', file, ...more], { stdio: 'ignore' });
    make();
    assert.ok(Date.parse((await after(server)).validTo) > Date.now() + 800 * 86_400_000, 'it would end soon');
    make('-keyout', `${dir}/ca.key`, '-out', `${dir}/ca.pem`, '-subj', '/CN=authority');
    make('-CA', `${dir}/ca.pem`, '-CAkey', `${dir}/ca.key`);
    const given = new X509Certificate(readFileSync(file)).fingerprint256;
    assert.equal((await after(server)).fingerprint256, given, 'one of an authority is left alone');
});

test('nginx loads a renewed certificate on SIGHUP, and keeps the old one when it is broken', async (t) => {
    const dir = mkdtempSync(`${os.tmpdir()}/alfred-renewed-`);
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const server = { certificate: `${dir}/cert.pem`, certificate_key: `${dir}/key.pem` };
    const renew = () => {
        selfSigned(server);
        return new X509Certificate(readFileSync(server.certificate)).fingerprint256;
    };
    renew();
    const alfred = await startAlfred({ t, config: { server } });
    const master = alfred.processes().find((p) => p.command.includes('nginx: master')).pid;
    const served = async () => {
        const socket = tls.connect({ host: '127.0.0.1', port: alfred.httpsPort, rejectUnauthorized: false });
        await once(socket, 'secureConnect');
        const { fingerprint256 } = socket.getPeerCertificate();
        socket.destroy();
        return fingerprint256;
    };
    const renewed = renew();
    process.kill(master, 'SIGHUP');
    await until('the renewed certificate is served', async () => (await served()) === renewed);
    writeFileSync(server.certificate, 'nonsense');
    process.kill(master, 'SIGHUP');
    await alfred.waitForLog(/cannot load certificate/);
    assert.equal(await served(), renewed);
    assert.ok(alfred.processes().some((p) => p.pid === master));
});

test('a second service on the same data is refused, the first continues', async (t) => {
    const first = await startAlfred({ t });
    const { code, stderr } = await first.cli(['serve']);
    assert.equal(code, 1);
    assert.match(stderr, /running already/);
    assert.ok(await first.answers());
});

test('nothing private can be read by others, and no secret reaches nginx', async (t) => {
    const secret = 'sk-not-for-nginx';
    const alfred = await startAlfred({ t, first: true, env: { ANTHROPIC_API_KEY: secret, ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' } });
    assert.equal(statSync(alfred.dataDir).mode & 0o077, 0);
    for (const name of readdirSync(alfred.dataDir, { recursive: true })) {
        assert.equal(statSync(`${alfred.dataDir}/${name}`).mode & 0o077, 0, name);
    }
    for (const pid of alfred.pids('nginx')) assert.ok(!readFileSync(`/proc/${pid}/environ`, 'latin1').includes(secret));
    assert.ok(readFileSync(`/proc/${alfred.pids('stream')[0]}/environ`, 'latin1').includes(secret));
    assert.ok(!alfred.logs().includes(secret));
});

test('the first-run link is available again until it is used', async (t) => {
    const alfred = await startAlfred({ t, first: true });
    const code = async () => (await alfred.cli(['link'])).stdout.match(/\/welcome#(\S+)/)?.[1];
    const lost = alfred.setupCode;
    const fresh = await code();
    assert.ok(fresh && fresh !== lost);
    const visitor = alfred.client();
    await visitor.get('/welcome');
    const refused = await visitor.post('/welcome', { code: lost, name: 'mallory', password: 'a long enough one' });
    assert.notEqual(refused.status, 303, 'the older link is void');
    const taken = await visitor.post('/welcome', { code: fresh, name: 'anna', password: 'a long enough one' });
    assert.equal(taken.status, 303);
    assert.equal(await code(), undefined);
});

test('users are managed from the command line', async (t) => {
    const alfred = await startAlfred({ t });
    const admin = await alfred.admin('root');
    const anna = await alfred.user('anna');
    assert.match((await alfred.cli(['user', 'list'])).stdout, /^anna +member +active/m);
    assert.match((await alfred.cli(['user', 'disable', 'root'])).stderr, /last active admin/);
    assert.equal((await alfred.cli(['user', 'disable', 'ANNA'])).code, 0);
    assert.equal((await anna.get('/api/me')).status, 401);
    assert.equal((await alfred.cli(['user', 'enable', 'anna'])).code, 0);
    assert.match((await alfred.cli(['user', 'passwd', 'anna'], { input: 'short\n' })).stderr, /at least 10/);
    assert.equal((await alfred.cli(['user', 'passwd', 'anna'], { input: 'another long one\n' })).code, 0);
    await alfred.signIn('anna', 'another long one');
    assert.equal((await admin.get('/api/me')).status, 200);
    assert.equal((await alfred.cli(['user', 'frobnicate'])).code, 2);
});

test('no request is lost while programs are killed', async (t) => {
    const alfred = await startAlfred({ t });
    const client = alfred.client();
    for (let round = 0; round < 5; round++) {
        const killed = alfred.pids('pages');
        alfred.kill('pages');
        // It waits in the backlog of the socket, which never closes.
        assert.equal((await client.get('/signin')).status, 200);
        await until('pages is back', () => alfred.pids('pages').some((pid) => !killed.includes(pid)));
    }
});

test('nginx restarts, too, without leaving workers behind', async (t) => {
    const alfred = await startAlfred({ t });
    const master = () => alfred.processes().find((p) => p.command.includes('nginx: master'))?.pid;
    const old = alfred.pids('nginx');
    process.kill(master(), 'SIGKILL');
    await until('a new nginx answers', async () => master() && !old.includes(master()) && (await alfred.answers()));
    await until('the old workers are gone', () => !alfred.pids('nginx').some((pid) => old.includes(pid)));
});

test('SIGHUP and SIGINT end the service, except when its parent ignores them', async (t) => {
    const plain = await startAlfred({ t });
    process.kill(plain.pid, 'SIGHUP');
    assert.equal((await plain.ended).code, 0);
    const kept = await startAlfred({ t, shell: 'trap "" HUP INT' });
    process.kill(kept.pid, 'SIGHUP');
    process.kill(kept.pid, 'SIGINT');
    await kept.killAndAwait('pages'); // a signal that waits is taken before the end of this program
    assert.ok(await kept.answers());
    assert.equal((await kept.stop()).code, 0);
});

test('signals that come together are one, and kill no program', async (t) => {
    const alfred = await startAlfred({ t });
    process.kill(alfred.pid, 'SIGHUP'); // from the terminal that was closed
    process.kill(alfred.pid, 'SIGTERM');
    assert.equal((await alfred.ended).code, 0);
    assert.doesNotMatch(alfred.logs(), /is killed/);
});

test('the service manager is told of the start, and the programs cannot speak to it', async (t) => {
    const alfred = await startAlfred({ t, env: { NOTIFY_SOCKET: '/nowhere/at/all' } });
    await alfred.waitForLog(/service manager could not be told of the start at \/nowhere\/at\/all: No such file/);
    for (const program of ['pages', 'helper']) {
        const [pid] = alfred.pids(program);
        assert.doesNotMatch(readFileSync(`/proc/${pid}/environ`, 'utf8'), /NOTIFY_SOCKET/);
    }
});

test('the service continues when the reader of its log ends', async (t) => {
    const alfred = await startAlfred({ t });
    alfred.child.stdout.destroy();
    alfred.child.stderr.destroy();
    await alfred.killAndAwait('pages'); // the supervisor logs this
    assert.ok(await alfred.answers());
    assert.equal((await alfred.stop()).code, 0);
});

test('all processes end when the supervisor is killed', async (t) => {
    const alfred = await startAlfred({ t });
    process.kill(alfred.pid, 'SIGKILL');
    await until('everything is gone', () => alfred.processes().length === 0);
});

test('nginx workers that outlive a killed supervisor end at the next start, and no other process does', async (t) => {
    const dir = mkdtempSync(`${os.tmpdir()}/alfred-orphans-`);
    const neighbour = await startAlfred({ t });
    const first = await startAlfred({ dir });
    const nginx = first.processes().filter((p) => p.command.startsWith('nginx'));
    const master = nginx.find((p) => p.command.includes('master'));
    const workers = nginx.filter((p) => p.pid !== master.pid).map((p) => p.pid);
    const runDir = master.command.match(/-p (\S+)/)[1];
    const bystander = spawn('sleep', ['600'], { cwd: runDir, stdio: 'ignore' });
    const alive = (pid) => first.processes().some((p) => p.pid === pid); // those of its session
    t.after(() => {
        bystander.kill('SIGKILL');
        first.killAll();
        rmSync(dir, { recursive: true, force: true });
    });
    assert.ok(workers.length > 0);
    process.kill(first.pid, 'SIGSTOP'); // it does not see the master's end
    process.kill(master.pid, 'SIGKILL');
    process.kill(first.pid, 'SIGKILL');
    await first.ended;
    await until('only the workers are left', () => first.pids('pages').length === 0);
    assert.deepEqual(workers.filter(alive), workers);

    const second = await startAlfred({ dir, config: first.config });
    assert.ok(await second.answers());
    assert.deepEqual(workers.filter(alive), []);
    assert.match(second.logs(), /ended \d+ nginx processes that a killed start left behind/);
    assert.ok(bystander.exitCode === null && bystander.signalCode === null, 'a process that is no nginx is left alone');
    assert.ok(await neighbour.answers(), 'the nginx of another service is left alone');
    bystander.kill('SIGKILL');
    await once(bystander, 'exit');
    await second.stop();
});

test('nginx goes on while nobody reads the log', async (t) => {
    const alfred = await startAlfred({ t, ready: false, shell: 'mkfifo log; exec 2<>log' });
    await until('it answers', () => alfred.answers());
    const log = openSync(`${alfred.dir}/log`, constants.O_RDWR | constants.O_NONBLOCK);
    t.after(() => closeSync(log));
    /** Until it has no room, or no more text. */
    const repeat = (act) => {
        try {
            for (;;) act();
        } catch (error) {
            assert.equal(error.code, 'EAGAIN');
        }
    };
    const workers = () => alfred.processes().filter((p) => p.command.startsWith('nginx: worker')).map((p) => p.pid);
    /** The master reports each of them. */
    const killWorkers = async () => {
        const old = workers();
        old.forEach((pid) => process.kill(pid, 'SIGKILL'));
        await until('there are new workers', () => workers().length === old.length && !workers().some((pid) => old.includes(pid)));
    };
    for (let i = 0; i < 2; i++) {
        repeat(() => writeSync(log, 'x\n'));
        await killWorkers();
    }
    assert.ok(await alfred.answers());
    let text = '';
    const chunk = Buffer.alloc(65536), read = () => repeat(() => { text += chunk.toString('latin1', 0, readSync(log, chunk)); });
    read();
    await killWorkers();
    await until('the log has what nginx says', () => (read(), /worker process \d+ exited on signal 9/.test(text)));
});

test('a program that ignores the stop signal is killed after five seconds', async (t) => {
    const alfred = await startAlfred({ t });
    for (const pid of [...alfred.pids('pages'), ...alfred.pids('nginx')]) process.kill(pid, 'SIGSTOP');
    const start = performance.now();
    const { code } = await alfred.stop(); // fails when a process is left
    const took = performance.now() - start;
    assert.equal(code, 0);
    assert.ok(took > 4000, `${took} ms`);
    assert.match(alfred.logs(), /pages did not stop in time and is killed/);
});

/** The priority of a process, by its id, or of a thread, as "PID/task/ID". */
const niceOf = (id) => Number(readFileSync(`/proc/${id}/stat`, 'latin1').split(') ').at(-1).split(' ')[16]);

test('a token has the same priority in stream and in nginx', async (t) => {
    const alfred = await startAlfred({ t });
    const [stream] = alfred.pids('stream');
    const nginx = alfred.processes().filter((p) => p.command.startsWith('nginx')).map((p) => p.pid);
    assert.ok(nginx.length >= 2, 'a master and a worker');
    await until('stream has set its priority', () => niceOf(stream) === niceOf(nginx[0]));
    assert.deepEqual(nginx.map(niceOf), nginx.map(() => niceOf(stream)));
    // the service is a session of its own, which the kernel may schedule as one group
    const group = `/proc/${alfred.pid}/autogroup`;
    if (existsSync(group)) assert.match(readFileSync(group, 'latin1'), new RegExp(`nice ${niceOf(stream)}\\n$`));
});

test('in the helper only background work has a low priority; reminders and channels, for which people wait, have that of pages', async (t) => {
    const alfred = await startAlfred({ t });
    const of = (name) => {
        const [pid] = alfred.pids(name);
        return readdirSync(`/proc/${pid}/task`).map((thread) => niceOf(`${pid}/task/${thread}`));
    };
    const [usual] = of('pages');
    assert.ok(usual < 10, 'the tests run with the usual priority');
    await until('three lanes and the watch of models have it', () => of('helper').filter((n) => n === 10).length === 4);
    const others = of('helper').filter((n) => n !== 10);
    assert.ok(others.length >= 2 && others.every((n) => n === usual), `the main thread and that of reminders: ${others}`);
});

test('a data folder with a long path works', async (t) => {
    const dir = serviceFolder();
    const dataDir = `${dir}/${'x'.repeat(120)}`;
    mkdirSync(dataDir, { mode: 0o700 });
    const alfred = await startAlfred({ t, config: { server: { data_dir: dataDir } } });
    const admin = await alfred.admin();
    assert.equal((await admin.get('/')).status, 200);
    assert.ok(alfred.pids('helper').length > 0);
});

test('a running Ollama is found and offered', async (t) => {
    const ollama = http.createServer((request, response) => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ models: [{ name: 'llama3.2:latest', model: 'llama3.2:latest' }] }));
    });
    ollama.listen(0, '127.0.0.1');
    await once(ollama, 'listening');
    t.after(() => ollama.close());
    const alfred = await startAlfred({ t, env: { OLLAMA_HOST: `0.0.0.0:${ollama.address().port}` } });
    const admin = await alfred.admin();
    const me = await admin.getJson('/api/me');
    assert.deepEqual(me.choices.map((c) => c.value), ['ollama/llama3.2:latest', 'offline/offline']);
});

test('keys come from the credentials file, and only when no other user can read it', async (t) => {
    const folder = (mode) => {
        const dir = serviceFolder();
        mkdirSync(`${dir}/data`, { mode: 0o700 });
        writeFileSync(`${dir}/data/credentials`, 'ANTHROPIC_API_KEY=sk-file\n', { mode });
        return dir;
    };
    const open = await fails(t, { dir: folder(0o644) });
    assert.equal(open.code, 1);
    assert.match(open.output, /credentials can be read by other users/);
    const server = await startStrict({ server: 'anthropic', key: 'sk-file', models: [{ id: 'claude-sonnet-5', window: 200000 }] });
    t.after(() => server.stop());
    const alfred = await startAlfred({ t, dir: folder(0o600), env: { ANTHROPIC_BASE_URL: server.url } });
    const me = await (await alfred.admin()).getJson('/api/me');
    assert.equal(me.choices[0].value, 'anthropic/claude-sonnet-5');
});

test('an address beside a key in the credentials file belongs to the key', async (t) => {
    const server = await startStrict({ server: 'openrouter', key: 'sk-file', models: [{ id: 'maker/model', window: 32768 }, { id: 'maker/other', window: 32768 }] });
    t.after(() => server.stop());
    const dir = serviceFolder();
    mkdirSync(`${dir}/data`, { mode: 0o700 });
    writeFileSync(`${dir}/data/credentials`, `OPENAI_API_KEY=sk-file\nOPENAI_BASE_URL=${server.url}\nOPENAI_MODEL=maker/other\n`, { mode: 0o600 });
    const alfred = await startAlfred({ t, dir });
    const me = await (await alfred.admin()).getJson('/api/me');
    assert.deepEqual(me.choices.map((c) => [c.value, c.selected]), [['openai/maker/other', true], ['openai/maker/model', false], ['offline/offline', false]]);
});
