// The rig: the whole service, real programs behind a real nginx, in a temporary folder on free ports. Every http and
// browser test starts here:
//
//     const alfred = await startAlfred({ t, env: provider.env });
//     const admin = await alfred.admin();                  // a Client, signed in by the first-run link
//     const anna = await alfred.user('anna');              // a member, made by `alfred user add`
//     assert.equal((await anna.get('/')).status, 200);
//
// With `t` the service is stopped after the test, and the test fails when a process outlives it. Every wait is for an
// event (a line, an answer of a port, the end of a process) and has a limit.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';

import { Client } from './client.js';
import { Output } from './output.js';
import { processesOf, pssOf } from './processes.js';
import { WAIT_MS } from './wait.js';

export { WAIT_MS };

export const ROOT = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');
export const FLAVOUR = process.env.FLAVOUR ?? 'release';
export const PROGRAM = `${ROOT}/build/${FLAVOUR}/bin/alfred`;
export const PASSWORD = 'correct horse battery staple';

/**
 * The folder of what the files of one run share; scripts/nodetest makes it. With it a service starts faster: with a copy of
 * a migrated database, and with passwords at the lowest cost (tests/fake/quick_passwords.c).
 */
const RUN = process.env.ALFRED_TEST_RUN;
const QUICK_PASSWORDS = `${ROOT}/build/quick_passwords.so`;

const CLI_OUTPUT_MAX = 256 * 1024 * 1024; // an export goes to standard output; node's default is 1 MB
// Below the kernel's range for outgoing connections, so that no other process takes a port in between.
const PORTS = { first: 20_000, end: 32_000 };

const running = new Set();
process.on('exit', () => {
    for (const alfred of running) alfred.killAll();
});
// A signal that ends a test file would leave its services behind: without a listener there is no 'exit'.
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) process.once(signal, () => process.exit(128 + number));

/** Resolves when `is()` is true: for conditions without an event. The pauses are a tenth of the wait so far, from 5 to 100 ms. */
export async function until(what, is, limitMs = WAIT_MS) {
    for (const start = Date.now(); ; ) {
        const got = await is();
        if (got) return got;
        const waited = Date.now() - start;
        if (waited > limitMs) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
        await new Promise((resolve) => setTimeout(resolve, Math.min(Math.max(waited / 10, 5), 100)));
    }
}

function isFree(port) {
    return new Promise((resolve) => {
        const server = net.createServer();
        server.on('error', () => resolve(false));
        server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
    });
}

const given = new Set();

/** A TCP port without a listener, which this process has not got before. */
export async function freePort() {
    for (;;) {
        const port = randomInt(PORTS.first, PORTS.end);
        if (given.has(port) || !(await isFree(port))) continue;
        given.add(port);
        return port;
    }
}

/** The code of a one-time link in a program's output; null when there is none. */
const codeOf = (output) => output.match(/\/welcome#([A-Za-z0-9_-]+)/)?.[1] ?? null;

function toml(value) {
    if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`;
    return JSON.stringify(value); // TOML's basic strings, integers and booleans are JSON's
}

/** {server: {https_port: 1}, 'provider.x': {...}} as a TOML file. */
export function tomlFile(config) {
    return Object.entries(config)
        .map(([section, keys]) => {
            const lines = Object.entries(keys).map(([key, value]) => `${key} = ${toml(value)}`);
            return `[${section}]\n${lines.join('\n')}\n`;
        })
        .join('\n');
}

/**
 * A new folder with data for services of a test. It is removed at the end of the process: the hooks of a test run in
 * the order in which they were added, so one that is added before the start would run before the service stops.
 */
export function serviceFolder() {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'alfred-data-'));
    process.once('exit', () => rmSync(dir, { recursive: true, force: true }));
    return dir;
}

/** The environment of a user's shell, without this machine's settings for providers or proxies. */
function environment(dir, more, failing) {
    const env = { PATH: process.env.PATH, HOME: dir, LANG: 'C.UTF-8', TZ: 'UTC', ALFRED_CONFIG: `${dir}/alfred.toml` };
    for (const name of ['ASAN_OPTIONS', 'UBSAN_OPTIONS', 'TSAN_OPTIONS']) {
        if (process.env[name]) env[name] = process.env[name];
    }
    const libraries = [failing?.library, RUN && QUICK_PASSWORDS].filter(Boolean);
    if (libraries.length) {
        env.LD_PRELOAD = libraries.join(' ');
        if (FLAVOUR !== 'release') env.ASAN_OPTIONS = [env.ASAN_OPTIONS, 'verify_asan_link_order=0'].filter(Boolean).join(':');
    }
    return { ...env, ...failing?.env, ...more };
}

/**
 * Copies a database that the program has made and migrated into a new data folder: the migrations take longer than the
 * rest of a start.
 */
function copyMigrated(dataDir) {
    const migrated = `${RUN}/migrated-${FLAVOUR}.db`;
    if (!existsSync(migrated)) {
        const dir = mkdtempSync(path.join(RUN, 'making-'));
        writeFileSync(`${dir}/alfred.toml`, tomlFile({ server: { data_dir: `${dir}/data` } }));
        execFileSync(PROGRAM, ['user', 'list'], { cwd: dir, env: environment(dir) });
        renameSync(`${dir}/data/alfred.db`, migrated); // another file of the run may do the same now
        rmSync(dir, { recursive: true });
    }
    mkdirSync(dataDir, { mode: 0o700 });
    copyFileSync(migrated, `${dataDir}/alfred.db`);
}

/** The service did not start; contains its output. */
class StartError extends Error {
    constructor(message, code, output) {
        super(`${message}\n--- it printed\n${output}`);
        this.code = code;
        this.output = output;
    }
}

class Alfred {
    #output = new Output();
    #users = 0;
    #db = null;

    constructor(dir, config, env) {
        this.dir = dir;
        this.dataDir = config.server.data_dir;
        this.config = config;
        this.env = env;
        this.httpsPort = config.server.https_port;
        this.httpPort = config.server.http_port;
        this.baseUrl = `https://localhost:${this.httpsPort}`;
        this.httpUrl = `http://127.0.0.1:${this.httpPort}`;
    }

    launch({ make = false, shell = '' } = {}) {
        running.add(this);
        this.startedAt = performance.now();
        // A session of its own: like Ctrl-C in a terminal, our signal goes to the whole group.
        const serve = shell ? ['sh', ['-c', `${shell}\nexec "$0" serve`, PROGRAM], this.dir] : [PROGRAM, ['serve'], this.dir];
        const [program, args, cwd] = make ? ['make', ['run', `FLAVOUR=${FLAVOUR}`], ROOT] : serve;
        this.child = spawn(program, args, { cwd, env: this.env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
        this.pid = this.child.pid;
        const take = (chunk) => this.#output.add(chunk);
        this.child.stdout.setEncoding('utf8').on('data', take);
        this.child.stderr.setEncoding('utf8').on('data', take);
        this.ended = new Promise((resolve) => {
            this.child.on('error', (error) => {
                take(String(error));
                resolve({ code: null, signal: null });
            });
            this.child.on('exit', (code, signal) => resolve({ code, signal }));
        });
        this.ended.then((how) => {
            this.result = how;
            this.#output.look();
        });
    }

    /** Everything that the service printed so far. */
    logs() {
        return this.#output.text;
    }

    /** Waits until the output matches; returns the match. `from` skips earlier output (logs().length). */
    waitForLog(pattern, { from = 0, limitMs = WAIT_MS } = {}) {
        const find = () => {
            const match = this.logs().slice(from).match(pattern);
            if (!match && this.result) throw this.#startError(`the service ended (${this.result.code ?? this.result.signal})`);
            return match;
        };
        return this.#output.wait(find, limitMs, () => this.#startError(`nothing like ${pattern} within ${limitMs} ms`));
    }

    #startError(message) {
        return new StartError(message, this.result?.code ?? null, this.logs());
    }

    async waitUntilReady() {
        await this.waitForLog(new RegExp(`https://\\S*:${this.httpsPort}\\b`));
        await until('the first page answers', () => this.answers());
    }

    /** Whether the first page answers with something other than a gateway error. */
    async answers() {
        if (this.result) throw this.#startError('the service ended');
        try {
            return (await this.client().get('/')).status < 500;
        } catch {
            return false;
        }
    }

    /** The code of the first-run link; null when there is none. */
    get setupCode() {
        return codeOf(this.logs());
    }

    client(options) {
        return new Client(this.baseUrl, options);
    }

    /** The first admin, by the first-run link. @returns {Promise<Client>} */
    async admin(name = 'admin', password = PASSWORD) {
        return this.#welcome(this.setupCode, name, password);
    }

    /**
     * A further user, by the link that the command line makes; options.role. A sign-in with a name and a password would
     * hash the password twice, which takes longer than everything else here.
     * @returns {Promise<Client>}
     */
    async user(name = `user${++this.#users}`, { password = PASSWORD, role = 'member' } = {}) {
        const made = await this.cli(['user', 'add', name, '--link', ...(role === 'admin' ? ['--admin'] : [])]);
        assert.equal(made.code, 0, `alfred user add: ${made.stderr}`);
        return this.#welcome(codeOf(made.stdout), name, password);
    }

    async #welcome(code, name, password) {
        const client = this.client();
        await client.get('/welcome');
        const answer = await client.post('/welcome', { code: code ?? '', name, password });
        assert.equal(answer.status, 303, `POST /welcome: ${answer.status}\n${answer.text}`);
        return this.#signedIn(client, name, password);
    }

    async signIn(name, password = PASSWORD) {
        const client = this.client();
        await client.get('/signin');
        const answer = await client.post('/signin', { name, password });
        assert.equal(answer.status, 303, `POST /signin: ${answer.status}\n${answer.text}`);
        return this.#signedIn(client, name, password);
    }

    async #signedIn(client, name, password) {
        // The first page has the login's CSRF token.
        const page = await client.get('/');
        assert.equal(page.status, 200, `GET / as ${name}: ${page.status}`);
        return Object.assign(client, { userName: name, password });
    }

    /** A connection to the database that waits for locks; the caller closes it. */
    openDatabase() {
        return new DatabaseSync(`${this.dataDir}/alfred.db`, { timeout: WAIT_MS });
    }
    /** Gives a connection to `use`: one for all calls, because a new one reads the whole schema. @template T @param {(db: DatabaseSync) => T} use */
    database(use) {
        this.#db ??= this.openDatabase();
        try {
            return use(this.#db);
        } catch (error) {
            this.#closeDatabase(); // it may be within a transaction
            throw error;
        }
    }
    #closeDatabase() {
        this.#db?.close();
        this.#db = null;
    }
    /** Reads or changes the database directly; gives the rows. */
    sql(query, ...values) {
        return this.database((db) => db.prepare(query).all(...values));
    }

    /** Runs `alfred ARGS` against the same configuration. */
    cli(args, { input = '', env = {} } = {}) {
        return new Promise((resolve) => {
            const child = execFile(PROGRAM, args, { cwd: this.dir, env: { ...this.env, ...env }, timeout: WAIT_MS, maxBuffer: CLI_OUTPUT_MAX }, (error, stdout, stderr) => {
                resolve({ code: error ? (error.code ?? error.signal) : 0, stdout, stderr });
            });
            child.stdin.on('error', () => {}); // it may end without reading
            child.stdin.end(input);
        });
    }

    /** The living processes of the service. */
    processes() {
        return processesOf(this.pid, this.dir);
    }
    /** The ids of the program `name`: alfred, pages, api, stream, helper, nginx. */
    pids(name, processes = this.processes()) {
        return processes
            .filter((p) => p.name === name || path.basename(p.command.split(' ')[0]) === name)
            .map((p) => p.pid);
    }
    /** The folder of nginx's configuration, its log and the sockets. */
    runDir() {
        return this.processes().find((p) => p.command.includes('nginx: master')).command.match(/-p (\S+)/)[1];
    }
    /** Sends a signal to every process of a program; gives their ids. */
    kill(name, signal = 'SIGKILL') {
        const pids = this.pids(name);
        assert.ok(pids.length > 0, `no program ${name} is running`);
        for (const pid of pids) {
            try {
                process.kill(pid, signal);
            } catch (error) {
                if (error.code !== 'ESRCH') throw error; // it has ended: a child that lived only for a moment
            }
        }
        return pids;
    }
    /** Whether a writer is at the head of the queue in which the programs wait for the write lock (src/db/write_queue.h). */
    hasQueuedWriter() {
        const { ino } = statSync(`${this.dataDir}/alfred.db-turn`);
        return readFileSync('/proc/locks', 'utf8').includes(`:${ino} `);
    }
    /** Stops the helper at a moment at which it does not hold the write lock of the database; gives the function that lets it go on. */
    async pauseHelper() {
        const stop = async () => {
            const db = this.openDatabase();
            db.exec('BEGIN IMMEDIATE');
            const pids = this.kill('helper', 'SIGSTOP');
            await until('the helper has stopped', () => pids.every((pid) => /^State:\tT/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))));
            db.exec('ROLLBACK');
            db.close();
            // It may have come to the head of the queue of writers meanwhile, which the other programs would wait for.
            const free = !this.hasQueuedWriter();
            if (!free) this.kill('helper', 'SIGCONT');
            return free;
        };
        await until('the helper is stopped outside of the queue of writers', stop);
        return () => this.kill('helper', 'SIGCONT');
    }
    /** Kills a program and waits until the supervisor has restarted it. */
    async killAndAwait(name, signal = 'SIGKILL') {
        await until(`${name} runs`, () => this.pids(name).length > 0);
        const old = this.kill(name, signal);
        await until(`${name} is back`, () => {
            const now = this.pids(name);
            return now.length > 0 && now.every((pid) => !old.includes(pid));
        });
    }
    /** Proportional memory of our programs in KiB, by name; nginx apart. */
    memory() {
        const sums = {};
        for (const p of this.processes()) {
            const name = p.command.startsWith('nginx') ? 'nginx' : p.name;
            sums[name] = (sums[name] ?? 0) + pssOf(p.pid);
        }
        return sums;
    }

    /** SIGKILL for all processes at once, like a power cut; the data is kept for another start. */
    killAll() {
        this.#closeDatabase();
        for (const p of this.processes()) {
            try {
                process.kill(p.pid, 'SIGKILL');
            } catch {
                // it has ended
            }
        }
        running.delete(this);
    }
    async crash() {
        this.killAll();
        await this.ended;
        await until('everything is gone', () => this.processes().length === 0);
    }

    /** Ctrl-C in the terminal: the signal goes to the whole group. */
    interrupt() {
        this.#closeDatabase(); // the last connection moves the log into the database: that must be one of the service
        process.kill(-this.pid, 'SIGINT');
        return this.#waitForEnd('SIGINT');
    }

    /** SIGTERM for the supervisor; checks that it ends properly and leaves no process. */
    async stop() {
        if (!running.has(this)) return this.result;
        this.#closeDatabase();
        if (!this.result) process.kill(this.pid, 'SIGTERM');
        return this.#waitForEnd('SIGTERM');
    }

    async #waitForEnd(signal) {
        let timer;
        const late = new Promise((resolve) => {
            timer = setTimeout(() => resolve(null), WAIT_MS);
        });
        const how = await Promise.race([this.ended, late]);
        clearTimeout(timer);
        const left = this.processes();
        this.killAll();
        assert.ok(how, `the service did not end within ${WAIT_MS} ms of ${signal}\n${this.logs()}`);
        assert.deepEqual(left.map((p) => `${p.pid} ${p.command}`), [], `processes outlived the service after ${signal}`);
        // With FLAVOUR=asan: a program that the sanitizer ended was restarted, maybe without effect on the test.
        assert.doesNotMatch(this.logs(), /(Address|Leak|Thread)Sanitizer|runtime error:/, 'a sanitizer has something to say');
        return how;
    }
}

/**
 * Starts the service and waits until it answers.
 *
 * options.t       the test: the service is stopped and the folder removed after it
 * options.config  settings by section, over the rig's own ({session: {idle_minutes: 1}})
 * options.env     further environment, for example a provider's
 * options.failing system calls that fail (failing.js)
 * options.dir     a folder of an earlier start, for the same data and ports
 * options.first   true: starts without a database, like the first start of a user
 * options.files   files to write into the folder first ({'prompt.md': '...'})
 * options.shell   a line for sh before the start ('trap "" HUP')
 * options.make    true: starts by `make run`, like a user
 * options.ready   false: do not wait (the service may fail to start)
 */
export async function startAlfred(options = {}) {
    const { t, env = {}, files = {} } = options;
    const dir = options.dir ?? mkdtempSync(path.join(os.tmpdir(), 'alfred-rig-'));
    const given = options.config ?? {};
    const config = {
        ...given,
        server: {
            https_port: await freePort(),
            http_port: await freePort(),
            data_dir: `${dir}/data`,
            template_dir: `${ROOT}/templates`,
            static_dir: `${ROOT}/static`,
            ...given.server,
        },
        // Tests send faster than users; the limits have their own tests.
        limits: { requests_per_second: 0, connections: 0, signins_per_minute: 0, turns_per_user: 100000, ...given.limits },
        // Providers of tests are on loopback, which is refused unless listed.
        net: { allow: ['127.0.0.1'], ...given.net },
    };
    writeFileSync(`${dir}/alfred.toml`, tomlFile(config));
    for (const [name, text] of Object.entries(files)) writeFileSync(`${dir}/${name}`, text);
    if (RUN && !options.dir && !options.first && config.server.data_dir === `${dir}/data`) copyMigrated(config.server.data_dir);
    const alfred = new Alfred(dir, config, environment(dir, env, options.failing));
    const cleanUp = async () => {
        try {
            await alfred.stop();
        } finally {
            if (!options.dir) rmSync(dir, { recursive: true, force: true });
        }
    };
    t?.after(cleanUp);
    alfred.launch(options);
    if (options.ready !== false) {
        try {
            await alfred.waitUntilReady();
        } catch (error) {
            alfred.killAll();
            throw error;
        }
    }
    return alfred;
}
