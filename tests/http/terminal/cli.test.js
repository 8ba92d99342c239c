// The command line: every command has help and refuses unknown arguments, and `user delete` leaves no data.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chownSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { beginTurn, exchange, isOver, provide } from '../../lib/chat.js';
import { PASSWORD, PROGRAM, startAlfred, tomlFile, until } from '../../lib/rig.js';

const NOBODY = 65534;

/** A folder without a service: `run(args, input)` returns {status, stdout, stderr}. */
function place(t, above = os.tmpdir()) {
    const dir = mkdtempSync(path.join(above, 'alfred-cli-'));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    writeFileSync(`${dir}/alfred.toml`, tomlFile({ server: { data_dir: `${dir}/data` } }));
    const env = { PATH: process.env.PATH, HOME: dir, LANG: 'C.UTF-8' };
    const run = (args, input = '', more = {}) => spawnSync(PROGRAM, args, { cwd: dir, env, input, encoding: 'utf8', timeout: 60_000, ...more });
    return { dir, run, files: () => readdirSync(dir).sort() };
}
const commandsOf = (help) => [...help.matchAll(/^ {2}([a-z]+(?: [a-z]+)?)(?: {2}| [A-Z[]|\n)/gm)].map((m) => m[1]);

test('every command has help with usage and an example, by --help and by help', (t) => {
    const { run, files } = place(t);
    const before = files();
    const all = run(['--help']);
    assert.equal(all.status, 0);
    assert.equal(run(['help']).stdout, all.stdout);
    assert.equal(run(['-h']).stdout, all.stdout);
    const commands = commandsOf(all.stdout);
    for (const name of ['serve', 'link', 'user add', 'user delete', 'jobs retry', 'backup', 'export', 'import', 'config check']) assert.ok(commands.includes(name), `${name} in ${commands}`);
    for (const name of commands) {
        const words = name.split(' ');
        const help = run([...words, '--help']);
        assert.equal(help.status, 0, `${name}: ${help.stderr}`);
        assert.ok(help.stdout.startsWith(`usage: alfred ${name}`), help.stdout);
        assert.match(help.stdout, new RegExp(`\\nExample:\\n +alfred ${name}`), name);
        assert.equal(run(['help', ...words]).stdout, help.stdout, name);
        assert.equal(run([...words, 'NAME', '-h']).stdout, help.stdout, name);
    }
    const group = run(['user', '--help']);
    assert.equal(group.status, 0);
    assert.deepEqual(commandsOf(group.stdout), commands.filter((name) => name.startsWith('user ')));
    assert.equal(run(['help', 'user']).stdout, group.stdout);
    assert.deepEqual(files(), before, 'help writes nothing');
});

test('the help of import names all products whose exports it reads', (t) => {
    const { run } = place(t);
    const help = run(['help', 'import']).stdout.replace(/\s+/g, ' ');
    for (const product of ['Alfred', 'ChatGPT', 'Claude', 'LibreChat', 'Open WebUI']) assert.ok(help.includes(product), product);
});

test('unknown options, commands and arguments end with 2, a usage line and nothing done', (t) => {
    const { run, files } = place(t);
    const before = files();
    const commands = commandsOf(run(['--help']).stdout);
    const wrong = [...commands.map((name) => [...name.split(' '), '--frobnicate']), ...commands.filter((name) => name !== 'chat').map((name) => [...name.split(' '), 'a', 'b', 'c']),
        [], ['fly'], ['--fly'], ['user'], ['user', 'fly'], ['user', 'add'], ['user', 'role', 'anna', 'king'], ['jobs', 'retry', 'x'], ['help', 'fly'], ['backup', '--config'], ['serve', '--socket-group', 'root']];
    for (const args of wrong) {
        const { status, stdout, stderr } = run(args);
        assert.equal(status, 2, `${args.join(' ')}: ${stdout}${stderr}`);
        assert.match(stderr, /^usage: alfred/m, args.join(' '));
        assert.equal(stdout, '', args.join(' '));
    }
    assert.match(run(['backup', '--frobnicate']).stderr, /frobnicate/);
    assert.match(run(['serve', '--socket-group', 'root']).stderr, /^alfred serve: --socket-group needs --without-nginx/);
    assert.deepEqual(files(), before);
});

test('alfred --version prints the version', (t) => {
    const { run } = place(t);
    const { status, stdout } = run(['--version']);
    assert.equal(status, 0);
    assert.match(stdout, /^alfred \d+\.\d+\.\d+\n$/);
});

test('--config works before and after the command', (t) => {
    const { dir, run } = place(t);
    writeFileSync(`${dir}/other.toml`, tomlFile({ server: { data_dir: `${dir}/elsewhere` } }));
    for (const args of [['--config', 'other.toml', 'config', 'check'], ['config', 'check', '--config', 'other.toml'], ['config', '-c', 'other.toml', 'check'].toSpliced(1, 2).concat('-c', 'other.toml')]) {
        const { status, stdout, stderr } = run(args);
        assert.equal(status, 0, stderr);
        assert.match(stdout, /elsewhere/);
    }
    assert.equal(run(['backup', '--', '--help']).stderr.includes('no database'), true, 'behind -- a file may have any name');
});

test('a command in a wrong folder creates nothing there, and says what it looked for', (t) => {
    const { dir, run, files } = place(t);
    rmSync(`${dir}/alfred.toml`);
    for (const args of [['user', 'list'], ['user', 'add', 'anna', '--link'], ['link'], ['jobs', 'list'], ['export', 'anna']]) {
        const { status, stdout, stderr } = run(args);
        assert.deepEqual([status, stdout], [1, ''], args.join(' '));
        assert.equal(stderr, `alfred: There is neither alfred.toml nor the data folder ${dir}/data. Run the command in the folder of Alfred, or name its settings file with --config. \`alfred serve\` creates the data folder.\n`);
    }
    assert.deepEqual(files(), []);
});

test('files of another user are named with the remedy, by commands and by the service', { skip: process.getuid() !== 0 && 'needs root' }, (t) => {
    const { dir, run } = place(t, '/tmp'); // the folder of the tests is closed to other users
    assert.equal(run(['user', 'add', 'anna', '--link']).status, 0);
    for (const name of ['', '/data', '/data/alfred.db', '/alfred.toml']) chownSync(dir + name, NOBODY, NOBODY);
    const as = (...args) => run(args, '', { uid: NOBODY, gid: NOBODY });
    chownSync(`${dir}/data/alfred.db`, 0, 0);
    for (const args of [['user', 'list'], ['serve'], ['backup', '/tmp/never.db']]) {
        const { status, stderr } = as(...args);
        assert.equal(status, 1);
        assert.equal(stderr, `alfred: ${dir}/data/alfred.db: Permission denied. This program runs as nobody. Run it as the owner of the data folder, or change the owner: chown -R nobody ${dir}/data\n`);
    }
    writeFileSync(`${dir}/data/credentials`, 'OPENAI_API_KEY=x\n', { mode: 0o600 });
    assert.equal(as('config', 'check').stderr, `alfred: ${dir}/data/credentials: Permission denied. It must belong to the user that Alfred runs as.\n`);
    chownSync(`${dir}/data`, 0, 0);
    for (const args of [['user', 'list'], ['backup', '/tmp/never.db']]) assert.match(as(...args).stderr, /\/data: Permission denied\. This program runs as nobody\./);
});

test('the output of commands says what is the case', (t) => {
    const { run } = place(t);
    assert.match(run(['config', 'check']).stdout, /Providers:\n {2}none in the settings or the environment\n/);
    assert.match(run(['user', 'add', 'anna', '--link']).stdout, /^anna is added, as member\.\nA link to sign in and choose a password/);
    assert.equal(run(['user', 'add', 'bert'], `${PASSWORD}\n`).stdout, 'bert can sign in now, as member.\n');
});

test('a command that writes a file leaves an existing one, and says so', (t) => {
    const { dir, run } = place(t);
    assert.equal(run(['user', 'add', 'anna', '--link']).status, 0);
    writeFileSync(`${dir}/mine`, 'mine');
    for (const args of [['backup', 'mine'], ['export', 'anna', 'mine']]) {
        const { status, stdout, stderr } = run(args);
        assert.deepEqual([status, stdout, stderr], [1, '', 'alfred: mine exists already. Nothing was written. Remove the file, or choose another name.\n'], args.join(' '));
    }
    assert.equal(readFileSync(`${dir}/mine`, 'utf8'), 'mine');
});

test('a database that is damaged or half of a copy is refused with the remedy', (t) => {
    const { dir, run } = place(t);
    assert.equal(run(['user', 'add', 'anna', '--link']).status, 0);
    assert.equal(run(['backup', `${dir}/whole.db`]).status, 0);
    const whole = readFileSync(`${dir}/whole.db`);
    for (const [content, reason] of [[whole.subarray(0, whole.length / 3), 'database disk image is malformed \\(11\\)'], ['nonsense', 'file is not a database \\(26\\)']]) {
        writeFileSync(`${dir}/data/alfred.db`, content);
        const { status, stderr } = run(['user', 'list']);
        assert.equal(status, 1);
        assert.match(stderr, new RegExp(`^alfred: database: ${reason}\\. The file is damaged or not a complete copy; restore a backup\\.\n$`));
    }
});

test('a backup beside the log of the database that it replaced is refused with the remedy, and unchanged', async (t) => {
    const alfred = await startAlfred({ t });
    await alfred.admin('anna');
    const file = path.join(alfred.dataDir, 'alfred.db');
    const copy = path.join(alfred.dir, 'copy.db');
    assert.equal((await alfred.cli(['backup', copy])).code, 0);
    alfred.killAll();
    await alfred.ended;
    assert.ok(statSync(`${file}-wal`).size > 0);
    copyFileSync(copy, file);
    for (const args of [['serve'], ['user', 'list'], ['backup', path.join(alfred.dir, 'other.db')]]) {
        const { code, stderr } = await alfred.cli(args);
        assert.equal(code, 1);
        assert.match(stderr, /alfred\.db is a backup\. The files .* -wal and -shm .* Move these two away/);
    }
    assert.deepEqual(readFileSync(file), readFileSync(copy));
    for (const end of ['-wal', '-shm']) rmSync(file + end);
    assert.match((await alfred.cli(['user', 'list'])).stdout, /anna/);
});

test('alfred user delete asks first, and only the name confirms', (t) => {
    const { dir, run } = place(t);
    for (const name of ['anna', 'bert']) assert.equal(run(['user', 'add', name, ...(name === 'anna' ? ['--admin'] : [])], `${PASSWORD}\n`).status, 0);
    for (const answer of ['', '\n', 'yes\n', 'anna\n']) {
        const asked = run(['user', 'delete', 'bert'], answer);
        assert.equal(asked.status, 1, `${answer}: ${asked.stdout}`);
        assert.match(asked.stderr, /bert/);
        assert.match(asked.stderr, /Nothing was erased/);
    }
    assert.match(run(['user', 'list']).stdout, /^bert /m);
    const done = run(['user', 'delete', 'Bert'], 'bert\n');
    assert.equal(done.status, 0, done.stderr);
    assert.doesNotMatch(run(['user', 'list']).stdout, /bert/);
    const last = run(['user', 'delete', 'anna', '--yes']);
    assert.equal(last.status, 1);
    assert.match(last.stderr, /last active admin\. Make another user an admin first\./);
    assert.match(run(['user', 'list']).stdout, /^anna +admin +active/m);
    const nobody = run(['user', 'delete', 'carl', '--yes']);
    assert.equal(nobody.status, 1);
    assert.match(nobody.stderr, /no user carl/);
    assert.ok(existsSync(`${dir}/data/alfred.db`));
});

/** The number of a user's rows in each table, except the audit trail and text indexes. */
function rowsOf(db, id) {
    const found = {};
    const tables = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'audit' AND name NOT GLOB '*_text*'").all();
    for (const { name } of tables) {
        const columns = db.prepare(`SELECT name FROM pragma_table_info('${name}')`).all().map((c) => c.name);
        // Ids of messages, summaries, memories, tasks and their vectors begin with the user's id.
        const is = name === 'user' ? 'id' : (['owner', 'user_id', 'id'].find((c) => columns.includes(c)) ?? null);
        if (!is) continue;
        const { n } = db.prepare(`SELECT count(*) AS n FROM "${name}" WHERE ${is === 'id' && name !== 'user' ? 'id >> 32' : is} = ${id}`).get();
        if (n) found[name] = n;
    }
    return found;
}

test('alfred user delete erases rows, index and files of one user only', async (t) => {
    const provider = await provide();
    const alfred = await startAlfred({ t, env: provider.env });
    const anna = await alfred.admin('anna');
    const bert = await alfred.user('bert');
    const sessions = {};
    for (const [client, word] of [[anna, 'trombone'], [bert, 'xylophone']]) {
        sessions[word] = (await exchange(client, provider, `I play the ${word}`, `A ${word} it is`)).session;
        await client.postJson('/api/memories', { text: `Plays the ${word}`, permanent: true });
        await client.postJson('/api/tasks', { text: `Tune the ${word}` });
        assert.equal((await client.postJson('/api/exports', {})).status, 202);
        mkdirSync(`${alfred.dataDir}/transcripts/${sessions[word]}`, { recursive: true });
        writeFileSync(`${alfred.dataDir}/transcripts/${sessions[word]}/old.jsonl`, word);
        await until('the export is there', async () => (await client.getJson('/api/transfers')).transfers.every((x) => !['waiting', 'running'].includes(x.state)));
    }
    await exchange(bert, provider, 'Only for now: the xylophone', 'Quietly.', { temporary: true });
    const files = (folder) => readdirSync(`${alfred.dataDir}/${folder}`);
    assert.equal(files('transfers').length, 2);

    const { call, events } = await beginTurn(bert, provider, 'And now?', { session: sessions.xylophone });
    const done = await alfred.cli(['user', 'delete', 'bert', '--yes']);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /bert is erased: 2 sessions, 6 messages, 1 fact, 1 task, 1 export or import\./);
    await call.gone; // an answer that was being written
    await isOver(events);
    assert.equal((await bert.get('/api/me')).status, 401);
    assert.equal((await bert.post('/signin', { name: 'bert', password: PASSWORD })).status, 401);
    assert.deepEqual(files('transcripts'), [sessions.trombone]);
    assert.equal(files('transfers').length, 1);
    assert.equal((await anna.getJson('/api/sessions')).sessions.length, 1);
    assert.equal((await anna.getJson('/api/memories')).memories.length, 1);
    const again = await alfred.user('bert');
    assert.equal((await again.getJson('/api/sessions')).sessions.length, 0, 'the name is free, and a new account is empty');

    // The marks of removed vectors go with the purge of the indexes, which is planned in minutes.
    const db = alfred.openDatabase();
    t.after(() => db.close());
    const planned = db.prepare("SELECT count(*) AS n FROM job WHERE kind = 'purge_index' AND state <> 'done'");
    assert.equal(planned.get().n, 1);
    db.exec("UPDATE job SET run_at = 0 WHERE kind = 'purge_index' AND state = 'ready'");
    await anna.postJson('/api/memories', { text: 'Wakes the helper' });
    await until('the purge is over', () => planned.get().n === 0);

    await alfred.stop();
    const [annas, berts] = [1, 2];
    assert.deepEqual(rowsOf(db, berts), {});
    for (const table of ['session', 'message', 'memory', 'task', 'transfer', 'login', 'device']) assert.ok(rowsOf(db, annas)[table] > 0, table);
    for (const table of ['message_text', 'memory_text']) {
        const found = (word) => db.prepare(`SELECT count(*) AS n FROM ${table} WHERE ${table} MATCH ?`).get(word).n;
        assert.equal(found('xylophone'), 0, table);
        assert.ok(found('trombone') > 0, table);
    }
    assert.equal(db.prepare("SELECT detail FROM audit WHERE action = 'user_deleted'").get().detail, 'user 2: bert');
    assert.ok(db.prepare('SELECT count(*) AS n FROM audit WHERE user_id = 2').get().n > 0, 'the audit trail stays');
});

test('a command upgrades no database under a service of an earlier version', async (t) => {
    const alfred = await startAlfred({ t });
    const newest = () => alfred.sql('SELECT * FROM schema_migration ORDER BY version DESC LIMIT 1')[0];
    const { version, name, applied_at } = newest();
    alfred.sql('DELETE FROM schema_migration WHERE version = ?', version); // as if the command's program were newer
    const refused = await alfred.cli(['user', 'list']);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /is of an earlier version\. Restart it, then repeat the command\./);
    assert.equal(newest().version, version - 1);
    alfred.sql('INSERT INTO schema_migration (version, name, applied_at) VALUES (?, ?, ?)', version, name, applied_at);
    assert.equal((await alfred.cli(['user', 'list'])).code, 0);
});
