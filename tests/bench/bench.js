// `make bench`: README.md in this folder describes the measurements.
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';

import { parallel } from '../lib/client.js';
import { ROOT, freePort, startAlfred, until } from '../lib/rig.js';
import { BENCH_BIN, Background, cpuOfAll, diskSyncMs, load, median, sleep, sum } from './measure.js';
import { addToHistory, commitOfTree, readHistory } from './history.js';
import { measureLive } from './live.js';
import { measurePages } from './page.js';
import { measureRequests } from './provider_requests.js';
import { measureSessions } from './sessions.js';
import { Table } from './table.js';
import { measureTelegram } from './telegram.js';
import { ReferenceSystems } from './reference_systems.js';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 2); // of one measurement
const ROUNDS = 5;
const THREADS = 6; // the default of [server] threads
const CLIENTS = 8;
const SESSIONS = 1000;
const FIRST_BYTES = 60; // of one round
const STARTS = 20;
const STREAMS = 1000;
const TOKENS_PER_SECOND = 20;
const MESSAGES = 100_000;
const MANY = 1_000_000;
const STREAM_SECONDS = Math.max(4 * SECONDS, 4);
const STREAM_TOKENS = 300 * TOKENS_PER_SECOND; // more than are read: the bench ends the answers
const BUSY_SECONDS_MAX = 120; // limit, whatever happens to the bench
const OURS = ['alfred', 'pages', 'api', 'stream', 'hooks', 'helper'];
const ONLY = process.env.BENCH_ONLY?.split(',');

// On a busy machine an answer of one token may end before its reader is attached; `end` then contains it.
const SPOKEN = ['event: blocks', 'event: end'];

const NEW_MESSAGE = '/page/sessions/new/messages'; // the page's address

/** The parts of the bench need a service on a disk, one with data in memory, and the reference systems. */
class Bench {
    table = new Table(readHistory());

    async start() {
        this.dir = mkdtempSync(`${ROOT}/build/bench-`);
        chmodSync(this.dir, 0o755); // nginx's workers run as another user
        const port = await freePort();
        this.provider = new Background(`${BENCH_BIN}/provider`, [port]);
        await this.provider.line();
        const base = `http://127.0.0.1:${port}/v1`;
        this.providerPort = port;
        this.config = {
            server: { threads: THREADS, log_level: 'warn' },
            // the first one is the default
            'provider.one': { kind: 'openai', base_url: `${base}/1/0`, model: 'm' },
            'provider.paced': { kind: 'openai', base_url: `${base}/${STREAM_TOKENS}/${1000 / TOKENS_PER_SECOND}`, model: 'm' },
        };
        await this.startDisk();
        this.references = await ReferenceSystems.start(this.alfred, this.dir, THREADS, port);
    }

    async startDisk() {
        mkdirSync(`${this.dir}/a`);
        this.alfred = await startAlfred({ dir: `${this.dir}/a`, config: this.config });
        const admin = await this.alfred.admin();
        await parallel(SESSIONS, 16, (i) => admin.postJson(NEW_MESSAGE, { text: `What is to be done on day ${i}?` }));
        await this.settle(this.alfred);
        // All measurements use existing data, as in daily use.
        this.headers = headersOf(admin);
        await this.restart();
    }

    async restart() {
        await this.alfred.stop();
        this.alfred = await startAlfred({ dir: this.alfred.dir, config: this.alfred.config });
    }

    /** A second service whose data folder is in memory: the waiting time without the disk. */
    async startInMemory() {
        if (!existsSync('/dev/shm')) return null;
        const dir = mkdtempSync('/dev/shm/alfred-bench-');
        const alfred = await startAlfred({ dir, config: this.config });
        return { alfred, dir, headers: headersOf(await alfred.admin()) };
    }

    /** Until every turn has ended and the helper is idle. */
    async settle(alfred) {
        const turns = `${alfred.dataDir}/turns`;
        await until('all answers have ended', () => !existsSync(turns) || readdirSync(turns).length === 0);
        const pids = this.ourPids(alfred);
        await until('the service rests', async () => {
            const before = cpuOfAll(pids);
            await sleep(500);
            return cpuOfAll(pids) - before <= 20_000;
        }, 120_000);
    }

    ourPids(alfred, names = OURS) {
        return names.flatMap((name) => alfred.pids(name));
    }
    nginxPids(alfred) {
        return alfred.processes().filter((p) => p.command.startsWith('nginx')).map((p) => p.pid);
    }
    /** KiB of all our programs. */
    ourMemory(alfred) {
        const all = alfred.memory();
        return { ...all, ours: sum(OURS.map((name) => all[name] ?? 0)) };
    }

    async stop() {
        await this.references?.stop();
        await this.alfred?.stop();
        await this.provider?.stop();
        rmSync(this.dir, { recursive: true, force: true });
    }
}

function headersOf(client) {
    const cookie = [...client.cookies].map(([k, v]) => `${k}=${v}`).join('; ');
    return `Cookie: ${cookie}\r\nX-CSRF-Token: ${client.csrf}\r\nSec-Fetch-Site: same-origin\r\nContent-Type: application/json\r\n`;
}

function body(provider) {
    return JSON.stringify({ text: 'Question number %d', choice: `${provider}/m` });
}

const ms = (us) => us / 1000;

/** Programs idle: after one request each. */
async function idleMemory(b) {
    const samples = [];
    for (let i = 0; i < 3; i++) {
        await b.restart();
        const client = b.alfred.client({ headers: { cookie: b.headers.match(/Cookie: (.*)\r\n/)[1] } });
        await client.get('/sessions');
        await client.getJson('/api/sessions');
        await client.get('/api/turns/none');
        await sleep(1000);
        samples.push(b.ourMemory(b.alfred));
    }
    const of = (name) => median(samples.map((s) => s[name] ?? 0)) / 1024;
    b.table.part('idleMemory', 'Memory at rest (PSS), after one request to each program');
    b.table.row('all our programs', of('ours'), 'MB', { aim: 18 });
    for (const name of [...OURS, 'nginx']) b.table.row(`  ${name}`, of(name), 'MB');
}

/** Sends a request as soon as the port listens; resolves with the first line of the answer. */
function firstAnswer(port, request) {
    return new Promise((resolve) => {
        const socket = net.connect(port, '127.0.0.1', () => socket.write(request));
        let text = '';
        socket.setEncoding('latin1').on('data', (more) => {
            text += more;
            if (!text.includes('\r\n')) return;
            socket.destroy();
            resolve(text.slice(0, text.indexOf('\r\n')));
        });
        socket.on('error', () => {}); // no listener yet; 'close' follows
        socket.on('close', () => resolve(''));
    });
}

async function starts(b) {
    const took = [];
    const request = 'GET /signin HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    for (let i = 0; i < STARTS; i++) {
        await b.alfred.stop();
        b.alfred = await startAlfred({ dir: b.alfred.dir, config: b.alfred.config, ready: false });
        for (;;) {
            if ((await firstAnswer(b.alfred.httpPort, request)).startsWith('HTTP/1.1 200')) break;
            await sleep(1);
        }
        took.push(performance.now() - b.alfred.startedAt);
    }
    b.table.part('starts', `From the start of \`alfred serve\` to the first page, ${STARTS} starts on existing data`);
    b.table.row('median', median(took), 'ms', { aim: 100 });
    b.table.row('worst', Math.max(...took), 'ms');
}

/** Requests per second and processor time per request of four targets, in turns. */
async function requests(b) {
    const client = b.alfred.client({ headers: { cookie: b.headers.match(/Cookie: (.*)\r\n/)[1] } });
    const bytes = Buffer.byteLength((await client.get('/sessions')).text);
    const referencePids = [...b.references.nginxPids(), b.references.responder.pid];
    const targets = [
        { name: 'static file (nginx alone)', port: b.alfred.httpPort, path: '/static/css/app.css', pids: b.nginxPids(b.alfred) },
        { name: `empty responder, ${THREADS} threads`, port: b.references.port.empty, path: '/', pids: referencePids },
        { name: 'a responder of as many constant bytes as the sessions page', port: b.references.port.empty, path: `/?bytes=${bytes}`, pids: referencePids },
        { name: `sessions page, ${SESSIONS} sessions`, port: b.alfred.httpPort, path: '/sessions', pids: [...b.nginxPids(b.alfred), ...b.ourPids(b.alfred)] },
    ];
    for (const t of targets) Object.assign(t, { rate: [], cpu: [], p99: [] });
    for (let round = 0; round < ROUNDS; round++) {
        for (const t of targets) {
            const before = cpuOfAll(t.pids);
            const got = await load('get', t.port, t.path, b.headers, CLIENTS, SECONDS);
            if (got.failures) throw new Error(`${t.name}: ${got.failures} requests failed`);
            t.rate.push(got.count / SECONDS);
            t.cpu.push((cpuOfAll(t.pids) - before) / got.count);
            t.p99.push(ms(got.p99_us));
        }
    }
    const [, empty, constant, page] = targets;
    b.table.part('requests', `Requests, ${CLIENTS} kept connections, plain http, ${ROUNDS} rounds in turns`);
    for (const t of targets) {
        b.table.row(t.name, median(t.rate), 'requests/s');
        b.table.row('  CPU per request, nginx and program', median(t.cpu), 'us');
        b.table.row('  slowest of 100', median(t.p99), 'ms');
    }
    const over = (other) => median(page.rate.map((rate, i) => rate / other.rate[i]));
    b.table.row('bytes of the sessions page', bytes / 1000, 'kB');
    b.table.row('sessions page / constant bytes', over(constant), 'x', { aim: 0.5, least: true });
    b.table.row('sessions page / empty responder', over(empty), 'x', { aim: 0.4, least: true });
}

/** The time to the first token of a provider that answers at once. */
async function firstByte(b) {
    const memory = await b.startInMemory();
    const json = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Question number %d' }] });
    const plain = 'Content-Type: application/json\r\n';
    const upstream = '/v1/1/0/chat/completions';
    const events = 'Accept: text/event-stream\r\n';
    const targets = [
        { name: 'direct', args: [b.providerPort, upstream, plain, json], mark: ['data: '] },
        { name: 'through nginx proxy_pass', args: [b.references.port.proxy, upstream, plain, json], mark: ['data: '] },
        { name: 'through Alfred, data on this disk', args: [b.alfred.httpPort, NEW_MESSAGE, b.headers + events, body('one')], mark: SPOKEN },
    ];
    if (memory) targets.push({ name: 'through Alfred, data in memory', args: [memory.alfred.httpPort, NEW_MESSAGE, memory.headers + events, body('one')], mark: SPOKEN });
    for (const t of targets) t.p50 = [];
    const disk = [];
    for (let round = 0; round < ROUNDS; round++) {
        for (const t of targets) {
            const got = await load('first', ...t.args, FIRST_BYTES, ...t.mark);
            if (got.failures) throw new Error(`${t.name}: ${got.failures} of ${FIRST_BYTES} without a token`);
            t.p50.push(ms(got.p50_us));
        }
        disk.push(diskSyncMs(b.dir, 40));
    }
    b.table.part('firstByte', `First token of an instant provider, ${ROUNDS} rounds of ${FIRST_BYTES} in turns`);
    for (const t of targets) b.table.row(t.name, median(t.p50), 'ms');
    const [, proxy, onDisk, inMemory] = targets;
    const added = (t) => median(t.p50.map((v, i) => v - proxy.p50[i]));
    if (inMemory) b.table.row('added by Alfred over proxy_pass, data in memory', added(inMemory), 'ms', { aim: 0.4 });
    b.table.row('added over proxy_pass, the message on disk before the token', added(onDisk), 'ms');
    b.table.row('  this disk makes 4 KB durable in', median(disk), 'ms');
    if (memory) {
        await b.settle(memory.alfred);
        await memory.alfred.stop();
        rmSync(memory.dir, { recursive: true, force: true });
    }
}

/** `load streams` with one window per call of a function in `windows`, which begins it: the results, with the processor time per token of each group of processes. */
async function streamRun(port, path, headers, text, groups, windows) {
    const program = new Background(`${BENCH_BIN}/load`, ['streams', port, path, headers, text, STREAMS, STREAM_SECONDS, windows.length]);
    const expect = async (word) => {
        const line = await program.line();
        if (line !== word) throw new Error(`load said ${line} instead of ${word}`);
    };
    const results = [];
    for (const measure of windows) {
        await expect('begin');
        const before = groups.map(cpuOfAll);
        await expect('end');
        const cpu = groups.map((pids, i) => cpuOfAll(pids) - before[i]);
        const got = JSON.parse(await program.line());
        results.push({ ...got, cpuPerToken: cpu.map((us) => us / got.count) });
        measure();
    }
    await program.ended;
    return results;
}

/** As many busy processes as there are processors. */
function startBusy() {
    return os.cpus().map(() => new Background('timeout', [BUSY_SECONDS_MAX, 'sh', '-c', 'while :; do :; done']));
}

async function streams(b) {
    await b.restart();
    await sleep(500);
    const rest = b.ourMemory(b.alfred);
    let full, busy = [];
    const json = JSON.stringify({ model: 'm', stream: true, messages: [] });
    try {
        const [got, crowded] = await streamRun(b.alfred.httpPort, NEW_MESSAGE, `${b.headers}Accept: text/event-stream\r\n`, body('paced'),
            [b.ourPids(b.alfred), b.nginxPids(b.alfred)], [() => {
                full = b.ourMemory(b.alfred);
                busy = startBusy();
            }, () => {}]);
        await Promise.all(busy.map((program) => program.stop()));
        await b.restart(); // ends the answers
        const [proxied, proxiedCrowded] = await streamRun(b.references.port.proxy, `/v1/${STREAM_TOKENS}/${1000 / TOKENS_PER_SECOND}/chat/completions`,
            'Content-Type: application/json\r\n', json, [b.references.nginxPids()], [() => {
                busy = startBusy();
            }, () => {}]);
        printStreams(b.table, { rest, full, got, crowded, proxied, proxiedCrowded });
    } finally {
        await Promise.all(busy.map((program) => program.stop()));
    }
}

function printStreams(table, { rest, full, got, crowded, proxied, proxiedCrowded }) {
    const [ours, nginx] = got.cpuPerToken;
    table.part('streams', `${STREAMS} streams of ${TOKENS_PER_SECOND} tokens/s, for ${STREAM_SECONDS} s`);
    table.row('tokens that came', got.count / STREAM_SECONDS, '1/s');
    table.row('streams that broke', got.failures + crowded.failures, '', { aim: 0 });
    table.row('memory of all our programs (PSS)', full.ours / 1024, 'MB', { aim: 45 });
    table.row('  of which the streams', (full.ours - rest.ours) / 1024, 'MB');
    table.row('CPU per token, our programs', ours, 'us');
    table.row("CPU per token, nginx's own in front of them", nginx, 'us');
    table.row('CPU per token, nginx alone as a proxy of such streams', proxied.cpuPerToken[0], 'us');
    table.row("ours / nginx's own", ours / nginx, 'x', { aim: 1.2 });
    table.row('delay of a token, median', ms(got.p50_us), 'ms');
    table.row('delay of a token, slowest of 100', ms(got.p99_us), 'ms', { aim: 15 });
    table.row('  the same through nginx proxy_pass', ms(proxied.p99_us), 'ms');
    table.row('slowest of 100 while other programs keep all processors busy', ms(crowded.p99_us), 'ms', { aim: 15 });
    table.row('  tokens that came', crowded.count / STREAM_SECONDS, '1/s');
    table.row('  the same through nginx proxy_pass', ms(proxiedCrowded.p99_us), 'ms');
}

/** Messages that are on disk when their 202 arrives. */
async function durable(b) {
    const counts = [1, 16, 64];
    const rates = counts.map(() => []);
    const worst = counts.map(() => []);
    for (let round = 0; round < 3; round++) {
        for (const [i, clients] of counts.entries()) {
            const got = await load('post', b.alfred.httpPort, NEW_MESSAGE, b.headers, body('one'), clients, SECONDS);
            if (got.failures) throw new Error(`${clients} clients: ${got.failures} messages were not taken`);
            rates[i].push(got.count / SECONDS);
            worst[i].push(ms(got.max_us));
        }
    }
    b.table.part('durable', 'Durable messages (202 after the commit), 3 rounds in turns');
    for (const [i, clients] of counts.entries()) {
        b.table.row(`${clients} client${clients > 1 ? 's' : ''}`, median(rates[i]), 'messages/s');
        b.table.row('  longest wait', Math.max(...worst[i]), 'ms', i === 2 ? { aim: 1000 } : {});
    }
    b.table.row('64 clients / 1 client', median(rates[2].map((r, i) => r / rates[0][i])), 'x', { aim: 3, least: true });
    b.table.row('  this disk makes 4 KB durable in', diskSyncMs(b.dir), 'ms');
}

/** The cost of search: a separate program on the product's store, search and tasks. */
async function finding(b) {
    const dir = `${b.dir}/search`;
    mkdirSync(dir);
    const program = new Background(`${BENCH_BIN}/search`, [dir, MESSAGES, MANY]);
    const got = JSON.parse(await program.line());
    await program.stop();
    rmSync(dir, { recursive: true, force: true });
    b.table.part('finding', `Finding (processor time, the file in the system's memory)`);
    const scan = (title, name, aim) => {
        b.table.row(title, got[`${name}_ms`], 'ms', aim ? { aim } : {});
        b.table.row('  / the same dot products in memory', got[`${name}_ratio`], 'x');
    };
    scan(`vectors of ${MESSAGES} messages, one a row`, 'rows');
    scan(`vectors of ${MESSAGES} messages, packed by the helper`, 'packed', 50);
    b.table.row(`search over ${MESSAGES} messages, words alone`, got.words_ms, 'ms');
    b.table.row(`search over ${MESSAGES} messages`, got.search_ms, 'ms', { aim: 100 });
    b.table.row('  memory at its peak', got.search_kib / 1024, 'MB');
    scan(`vectors of ${MANY} messages, packed by the helper`, 'many_packed', 400);
    b.table.row('  to pack them all', got.many_pack_s, 's');
    b.table.row('embeddings of the built-in embedder, 25 words each', got.embeddings_s, '1/s');
    b.table.row("the helper's work for a turn: vectors, topic, summary", got.work_ms, 'ms');
}

async function provider(b) {
    const got = await measureRequests();
    b.table.part('provider', `What a provider gets in a session of ${got.turns} turns with facts, tasks and tools`);
    b.table.row('sent per turn', got.perTurn / 1024, 'KB');
    b.table.row('  the last request', got.last / 1024, 'KB');
    b.table.row('share of a request that begins the next one', 100 * got.share, '%', { aim: 80, least: true });
    b.table.row('  the least of them', 100 * got.least, '%');
    b.table.row('added by Alfred to the first token', got.added, 'ms');
}

const page = (b) => measurePages(b.table);
const telegram = (b) => measureTelegram(b.table, `${b.dir}/telegram`);

const live = async (b) => {
    await b.settle(b.alfred);
    const memory = () => OURS.reduce((all, name) => all + (b.alfred.memory()[name] ?? 0), 0);
    await measureLive(b.table, { port: b.alfred.httpPort, headers: b.headers, ours: b.ourPids(b.alfred), nginx: b.nginxPids(b.alfred), memory });
};

const sessions = (b) => measureSessions(b.table, `${b.dir}/sessions`);

/**
 * The parts in their order: memory and starts first, on the data as it was made; messages last, because they leave many
 * behind.
 */
const PARTS = { idleMemory, starts, requests, firstByte, streams, durable, finding, provider, telegram, page, live, sessions };

const unknown = ONLY?.filter((name) => !(name in PARTS)) ?? [];
if (unknown.length) {
    console.error(`BENCH_ONLY: there is no part ${unknown.join(', ')}; the parts are ${Object.keys(PARTS).join(', ')}`);
    process.exit(2);
}

// stops the service when the bench is interrupted
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(1));

const begun = performance.now();
const bench = new Bench();
try {
    await bench.start();
    for (const name of Object.keys(PARTS)) {
        if (ONLY && !ONLY.includes(name)) continue;
        process.stderr.write(`${name} ...\n`);
        try {
            await PARTS[name](bench);
        } catch (error) {
            bench.table.failed(name, error);
        }
    }
} finally {
    await bench.stop();
}
const run = {
    date: new Date().toISOString().slice(0, 16),
    commit: commitOfTree(),
    load: os.loadavg()[2], // of the last 15 minutes, most of it before the bench
    seconds: (performance.now() - begun) / 1000,
    figures: bench.table.figures,
};
bench.table.print(run);
addToHistory(run);
if (bench.table.broken) process.exitCode = 1; // a missed aim is a result, not a failure
