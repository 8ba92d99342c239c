// alfred chat without a terminal: messages from arguments and pipes, JSON lines, the token, the certificate, errors,
// and the loss of the server. terminal_prompt.test.js has the conversation at a prompt.
import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { after, test } from 'node:test';

import { startMcp, text, tool } from '../../fake/mcp.js';
import { answers, callsTool } from '../../fake/provider.js';
import { asksForAnswer, newClientId, provide, send, sessionOf, serveFile } from '../../lib/chat.js';
import { docx } from '../../lib/documents.js';
import { home } from '../../lib/pty.js';
import { PROGRAM, tomlFile, until } from '../../lib/rig.js';

const provider = await provide();
const door = await startMcp({ tools: [tool('unlock', { title: 'Unlock' })], call: () => text('The door is open.') });
after(() => door.stop());
const alfred = await serveFile({ env: provider.env, config: { 'mcp.door': { url: door.url, label: 'Door', tools: ['all'], ask: 'changes' } } });
const anna = await alfred.admin('anna');
const tokenOf = async (scopes) => (await anna.postJson('/api/tokens', { name: newClientId(), scopes })).json.secret;
const token = await tokenOf('read write chat');

/** Runs `alfred chat ARGS`. `env` with the value undefined removes a variable. */
function chat(args, { input = '', env = {}, dir = home(), cwd = alfred.dir } = {}) {
    const all = { ...alfred.env, HOME: dir, ALFRED_TOKEN: token, ...env };
    for (const name of Object.keys(all)) if (all[name] === undefined) delete all[name];
    const child = spawn(PROGRAM, ['chat', ...args], { cwd, env: all, stdio: ['pipe', 'pipe', 'pipe'] });
    const run = { child, stdout: '', stderr: '', code: null };
    child.stdout.setEncoding('utf8').on('data', (s) => (run.stdout += s));
    child.stderr.setEncoding('utf8').on('data', (s) => (run.stderr += s));
    child.stdin.on('error', () => {});
    if (input !== null) child.stdin.end(input);
    run.ended = new Promise((resolve) => child.on('close', (code) => resolve(Object.assign(run, { code }))));
    after(() => child.kill('SIGKILL'));
    return run;
}
/** The next request of a chat with this text, held until the test answers. */
const callFor = (text) => provider.call((c) => asksForAnswer(c) && c.asks(text));
const answer = (text, reply) => provider.next(answers(reply), (c) => asksForAnswer(c) && c.asks(text));

test('a message of the arguments gets its answer as plain text', async () => {
    answer('How are you?', 'I am **well**.\n\n- one');
    const run = await chat(['How', 'are', 'you?']).ended;
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'I am **well**.\n\n- one\n', '']);
});

test('standard input follows the message, and is the message when there is none', async () => {
    answer('review this\n\n-a\n+b\n', 'Looks good');
    const both = await chat(['review this'], { input: '-a\n+b\n' }).ended;
    assert.deepEqual([both.code, both.stdout, both.stderr], [0, 'Looks good\n', '']);
    answer('from a pipe\n', 'Read');
    const piped = await chat([], { input: 'from a pipe\n' }).ended;
    assert.deepEqual([piped.code, piped.stdout], [0, 'Read\n']);
    answer('sum up\n\nThree months.', 'Notice');
    assert.equal((await chat(['sum up'], { input: docx(['Three months.']) }).ended).stdout, 'Notice\n', 'the text of a document');
    const none = await chat([], { input: ' \n' }).ended;
    assert.equal(none.code, 1);
    assert.match(none.stderr, /There is no message/);
});

test('input that is too large or not text is handled with a sentence, and nothing is sent', async () => {
    const before = (await anna.getJson('/api/sessions')).sessions.length;
    const large = await chat(['x'], { input: 'a'.repeat(5 * 1024 * 1024) }).ended;
    assert.equal(large.code, 1);
    assert.match(large.stderr, /^alfred: Standard input is longer than 4 MB\.\n$/);
    const limited = await chat(['x'], { input: 'a'.repeat(1500 * 1024) }).ended;
    assert.equal(limited.code, 1);
    assert.match(limited.stderr, /^alfred: .+\.\n$/);
    assert.equal((await anna.getJson('/api/sessions')).sessions.length, before);
    answer('x\n\na\uFFFDb', 'ok');
    assert.equal((await chat(['x'], { input: Buffer.from([0x61, 0xff, 0, 0x62]) }).ended).stdout, 'ok\n');
});

test('control characters of an answer do not reach the output', async () => {
    answer('attack', 'a\x1b]0;title\x07b\x1b[2Jc\u009b31md\re\u202Ef\tg');
    const run = await chat(['attack']).ended;
    assert.equal(run.stdout, 'a]0;titleb[2Jc31md\nef\tg\n');
});

test('the next run goes on with the session; --new begins one; --temporary leaves no trace', async () => {
    const dir = home();
    answer('first', 'one');
    assert.equal((await chat(['first'], { dir }).ended).code, 0);
    const file = `${dir}/.local/state/alfred/localhost_${alfred.httpsPort}/session`;
    const id = readFileSync(file, 'utf8').trim();
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.equal((await sessionOf(anna, id)).session.channel, 'terminal');
    assert.equal((await anna.postJson('/api/sessions/new/messages', { text: 'x', channel: 'pigeon' })).status, 400);
    answer('second', 'two');
    await chat(['second'], { dir }).ended;
    assert.equal((await sessionOf(anna, id)).messages.length, 4);
    answer('third', 'three');
    await chat(['--new', 'third'], { dir }).ended;
    const other = readFileSync(file, 'utf8').trim();
    assert.notEqual(other, id);
    answer('fourth', 'four');
    await chat(['--temporary', 'fourth'], { dir }).ended;
    assert.equal(readFileSync(file, 'utf8').trim(), other);
    answer('fifth', 'five');
    await chat(['--session', id, 'fifth'], { dir }).ended;
    assert.equal((await sessionOf(anna, id)).messages.length, 6);
    assert.equal((await chat(['--session', 'x', 'fifth'], { dir }).ended).code, 1);
    assert.equal((await chat(['--session', id, '--new', 'fifth'], { dir }).ended).code, 2);

    await anna.request('DELETE', `/api/sessions/${id}`, { json: {} });
    answer('sixth', 'six');
    const run = await chat(['sixth'], { dir }).ended;
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'six\n', 'alfred: The session was deleted. A new one begins.\n']);
    const gone = await chat(['--session', id, 'seventh'], { dir }).ended;
    assert.deepEqual([gone.code, gone.stdout], [1, '']);
    assert.match(gone.stderr, /There is no session ses_/);
});

test('--json prints each event as one line', async () => {
    answer('in JSON', 'Hello \x1b[31mred');
    const run = await chat(['--json', 'in JSON']).ended;
    assert.equal(run.code, 0);
    assert.ok(!run.stdout.includes('\x1b'));
    const events = run.stdout.trim().split('\n').map((line) => JSON.parse(line));
    assert.deepEqual([...new Set(events.map((e) => e.event))].sort(), ['end', 'text', 'turn', 'usage']);
    assert.equal(events.filter((e) => e.event === 'text').map((e) => e.text).join(''), 'Hello \x1b[31mred');
    assert.equal(events.at(-1).status, 'done');
    const failed = await chat(['--json', '--session', 'ses_01arz3ndektsv4rrffq69g5fav', 'x']).ended;
    assert.equal(failed.code, 1);
    assert.deepEqual(JSON.parse(failed.stdout), { event: 'error', code: 'not_found', message: 'There is no session ses_01arz3ndektsv4rrffq69g5fav.' });
});

test('a failed answer is an exit code and a sentence', async () => {
    const run = chat(['fails']);
    const call = await callFor('fails');
    call.fail(400, { message: 'no' });
    await run.ended;
    assert.equal(run.code, 1);
    assert.match(run.stderr, /^alfred: .+/);
});

test('Ctrl-C stops the answer and keeps what came', async () => {
    const run = chat(['stop me']);
    const call = await callFor('stop me');
    await call.start();
    await call.text('Half of ');
    await until('the text is printed', () => run.stdout === 'Half of ');
    run.child.kill('SIGINT');
    await run.ended;
    assert.deepEqual([run.code, run.stdout, run.stderr], [130, 'Half of \n', 'alfred: The answer was stopped.\n']);
});

test('a second Ctrl-C ends it at once, also while the request to stop has no answer', async (t) => {
    let stops = 0;
    const proxy = http.createServer((request, response) => {
        if (request.url.endsWith('/stop')) return void stops++;
        const { host } = new URL(alfred.httpUrl);
        request.pipe(http.request(`${alfred.httpUrl}${request.url}`, { method: request.method, headers: { ...request.headers, host } }, (answer) => {
            answer.pipe(response.writeHead(answer.statusCode, answer.headers));
        }));
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    t.after(() => (proxy.close(), proxy.closeAllConnections()));
    const run = chat(['--server', `http://127.0.0.1:${proxy.address().port}`, 'stop me twice']);
    const call = await callFor('stop me twice');
    await call.start();
    await call.text('Half of ');
    await until('the text is printed', () => run.stdout === 'Half of ');
    run.child.kill('SIGINT');
    await until('it asks to stop', () => stops === 1);
    run.child.kill('SIGINT');
    await run.ended;
    assert.equal(run.code, 130);
    assert.match(run.stderr, /^alfred: The answer goes on without this terminal\.\n$/);
    await call.end();
});

test('a message waits for an answer that is being written elsewhere', async () => {
    const dir = home();
    answer('start', 'started');
    await chat(['start'], { dir }).ended;
    const id = readFileSync(`${dir}/.local/state/alfred/localhost_${alfred.httpsPort}/session`, 'utf8').trim();
    await send(anna, 'from the browser', { session: id });
    const call = await callFor('from the browser');
    await call.start();
    const run = chat(['from the terminal'], { dir });
    await until('it says that it waits', () => /Your message follows it/.test(run.stderr));
    answer('from the terminal', 'second answer');
    await call.text('first answer');
    await call.end();
    await run.ended;
    assert.deepEqual([run.code, run.stdout], [0, 'second answer\n']);
    assert.deepEqual((await sessionOf(anna, id)).messages.map((m) => m.text).slice(2), ['from the browser', 'first answer', 'from the terminal', 'second answer']);
});

test('nothing is lost or doubled when the server restarts in the middle of an answer', async () => {
    const run = chat(['restart']);
    const call = await callFor('restart');
    await call.start();
    await call.text('one two ');
    await until('the text is printed', () => run.stdout === 'one two ');
    await call.text('three');
    await until('the text is printed', () => run.stdout === 'one two three');
    await alfred.killAndAwait('stream');
    await run.ended;
    assert.equal(run.code, 1);
    assert.equal(run.stdout, 'one two three\n');
    assert.match(run.stderr, /Connecting again/);
});

test('a reader that loses its connection gets the rest once', async () => {
    const run = chat(['reload']);
    const json = chat(['--json', 'reload, in JSON']);
    const calls = [await callFor('reload'), await callFor('reload, in JSON')];
    for (const call of calls) {
        await call.start();
        await call.text('begin ');
    }
    await until('the text is printed', () => run.stdout === 'begin ' && json.stdout.includes('begin '));
    // nginx's workers hold the connections; their master starts others.
    const workers = alfred.processes().filter((p) => p.command.includes('nginx: worker')).map((p) => p.pid);
    assert.ok(workers.length > 0);
    for (const pid of workers) process.kill(pid, 'SIGKILL');
    for (const call of calls) {
        await call.text('end');
        await call.end();
    }
    await run.ended;
    assert.deepEqual([run.code, run.stdout], [0, 'begin end\n']);
    await json.ended;
    const events = json.stdout.trim().split('\n').map((line) => JSON.parse(line));
    assert.deepEqual([events.filter((e) => e.event === 'turn').length, events.at(-1).event], [1, 'end']);
    assert.equal(events.filter((e) => e.event === 'text').map((e) => e.text).join(''), 'begin end');
});

test('a tool that asks is told, with the page where to decide', async () => {
    const { task } = (await anna.postJson('/api/tasks', { text: 'Feed the cat' })).json;
    const asks = (c) => asksForAnswer(c) && c.userText === 'What about the cat?';
    for (const args of [[], ['--json']]) {
        provider.next(callsTool('delete_task', { task: task.id }), asks);
        provider.next(answers('I asked.'), asks);
        const run = await chat([...args, 'What about the cat?']).ended;
        assert.equal(run.code, 0, run.stderr);
        if (args.length) {
            const question = run.stdout.trim().split('\n').map((line) => JSON.parse(line)).at(-1);
            assert.deepEqual([question.event, question.kind, question.text], ['question', 'delete_task', 'Feed the cat']);
        } else {
            assert.equal(run.stdout, 'I asked.\n');
            assert.match(run.stderr, /^alfred: A question waits for your decision, on the page https:\/\/localhost:\d+\/s\/ses_\w+: Delete the task “Feed the cat”\n$/);
        }
    }
});

test('an answer that waits for a permission says so, with the page where it is given', async () => {
    await until('the list of tools', () => alfred.sql('SELECT name FROM mcp_server WHERE listed_at > 0').length === 1);
    const asks = (c) => asksForAnswer(c) && c.userText === 'Open the door';
    for (const args of [[], ['--json']]) {
        provider.next(callsTool('door_unlock', { door: 'garden' }), asks);
        provider.next(answers('It is open.'), asks);
        const run = chat([...args, 'Open the door']);
        await until('the question', () => /Door: Unlock \(door: garden\)/.test(args.length ? run.stdout : run.stderr));
        const [question] = (await anna.getJson('/api/suggestions')).suggestions;
        assert.equal((await anna.postJson(`/api/suggestions/${question.id}/keep`, {})).status, 200);
        assert.equal((await run.ended).code, 0, run.stderr);
        const told = args.length ? run.stdout.trim().split('\n').filter((line) => JSON.parse(line).event === 'question') : run.stderr.trim().split('\n');
        assert.equal(told.length, 1, 'it is told once');
        if (!args.length) assert.equal(run.stdout, 'It is open.\n');
    }
});

test('the token comes from the environment or a file that only its owner can read', async () => {
    const dir = home();
    const none = await chat(['x'], { dir, env: { ALFRED_TOKEN: undefined } }).ended;
    assert.equal(none.code, 1);
    assert.match(none.stderr, /There is no API token\. .*alfred chat --login/);
    const wrong = await chat(['--login'], { dir, input: 'alf_wrong\n', env: { ALFRED_TOKEN: undefined } }).ended;
    assert.equal(wrong.code, 1);
    const file = `${dir}/.config/alfred/token`;
    assert.ok(!existsSync(file));
    const login = await chat(['--login'], { dir, input: `${token}\n`, env: { ALFRED_TOKEN: undefined } }).ended;
    assert.equal(login.code, 0, login.stderr);
    assert.match(login.stdout, /as anna/);
    assert.ok(!login.stdout.includes(token));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    answer('with the file', 'yes');
    assert.equal((await chat(['with the file'], { dir, env: { ALFRED_TOKEN: undefined } }).ended).stdout, 'yes\n');
    chmodSync(file, 0o640);
    const open = await chat(['x'], { dir, env: { ALFRED_TOKEN: undefined } }).ended;
    assert.equal(open.code, 1);
    assert.match(open.stderr, /Other users can read .*chmod 600/);
});

test('wrong tokens, missing rights, other servers and certificates are one clear sentence', async () => {
    const fails = async (what, pattern) => {
        const run = await chat(what.args ?? ['x'], what).ended;
        assert.equal(run.code, 1, run.stdout);
        assert.match(run.stderr, pattern);
        assert.equal(run.stderr.trim().split('\n').length, 1, run.stderr);
        assert.equal(run.stdout, '');
    };
    await fails({ env: { ALFRED_TOKEN: 'alf_wrong' } }, /does not accept the API token/);
    await fails({ env: { ALFRED_TOKEN: await tokenOf('read') } }, /lacks the right chat/);
    await fails({ env: { ALFRED_TOKEN: await tokenOf('chat') } }, /lacks the right read/);
    await fails({ args: ['--server', 'https://localhost:1', 'x'] }, /Is Alfred running/);
    await fails({ args: ['--server', 'http://alfred.example', 'x'] }, /over https only/);
    await fails({ args: ['--server', 'alfred.example', 'x'] }, /such as https:\/\/alfred\.example/);
    await fails({ args: ['--ca-file', '/nowhere', 'x'] }, /cannot be read/);
    await fails({ args: ['--model', 'nothing/at-all', 'x'] }, /There is no model nothing\/at-all/);
    // Another machine: without the settings, the certificate is not trusted until it is named.
    const elsewhere = home();
    const args = ['--server', alfred.baseUrl, 'far away'];
    await fails({ args, cwd: elsewhere, env: { ALFRED_CONFIG: undefined } }, /certificate.*--ca-file cert\.pem/);
    copyFileSync(`${alfred.dataDir}/tls/cert.pem`, `${elsewhere}/cert.pem`);
    answer('far away', 'trusted');
    const run = await chat(['--ca-file', 'cert.pem', ...args], { cwd: elsewhere, env: { ALFRED_CONFIG: undefined } }).ended;
    assert.deepEqual([run.code, run.stdout, run.stderr], [0, 'trusted\n', '']);
});

const SYSTEM_FILE = '/etc/ssl/certs/ca-certificates.crt';
const noMounts = spawnSync('unshare', ['-m', 'true']).status !== 0 || !existsSync(SYSTEM_FILE);
test('behind a proxy on the same machine, an authority of the system and the own certificate are trusted', { skip: noMounts && 'no mounts' }, async (t) => {
    const dir = home();
    const at = (name) => ({ key: readFileSync(`${dir}/${name}.key`), cert: readFileSync(`${dir}/${name}.pem`) });
    for (const name of ['authority', 'own', 'foreign'])
        execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=alfred.test',
            '-addext', 'subjectAltName=DNS:alfred.test', '-keyout', `${dir}/${name}.key`, '-out', `${dir}/${name}.pem`], { stdio: 'ignore' });
    mkdirSync(`${dir}/data/tls`, { recursive: true, mode: 0o700 });
    copyFileSync(`${dir}/own.pem`, `${dir}/data/tls/cert.pem`);
    const proxy = https.createServer(at('authority'), (request, response) => response.writeHead(401).end());
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    t.after(() => proxy.close());
    const public_url = `https://alfred.test:${proxy.address().port}`;
    writeFileSync(`${dir}/alfred.toml`, tomlFile({ server: { ...alfred.config.server, data_dir: `${dir}/data`, public_url } }));
    writeFileSync(`${dir}/hosts`, '127.0.0.1 alfred.test\n');
    // in a view of its own of the file system, the machine trusts `authority`
    const script = `mount --bind hosts /etc/hosts && mount --bind authority.pem ${SYSTEM_FILE} && exec "$0" chat x </dev/null`;
    const asked = () => new Promise((resolve) => {
        const env = { ...alfred.env, HOME: dir, ALFRED_TOKEN: token, ALFRED_CONFIG: `${dir}/alfred.toml` };
        const child = spawn('unshare', ['-m', 'sh', '-c', script, PROGRAM], { cwd: dir, env, stdio: ['ignore', 'ignore', 'pipe'] });
        let said = '';
        child.stderr.setEncoding('utf8').on('data', (s) => (said += s));
        child.on('close', () => resolve(said));
    });
    for (const name of ['authority', 'own']) {
        proxy.setSecureContext(at(name));
        assert.match(await asked(), /does not accept the API token/, name);
    }
    proxy.setSecureContext(at('foreign'));
    const refused = await asked();
    assert.match(refused, /certificate/);
    assert.doesNotMatch(refused, /--ca-file/, 'the file is trusted already');
});

test('a closed pipe ends the program quietly', async () => {
    const run = chat(['closed pipe']);
    const call = await callFor('closed pipe');
    await call.start();
    await call.text('first ');
    await until('the text is printed', () => run.stdout === 'first ');
    run.child.stdout.destroy();
    await call.text('second ');
    await call.text('third');
    await call.end();
    await run.ended;
    assert.equal(run.code, 1);
});
