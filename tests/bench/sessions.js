// A user with many sessions beside other users: pages of the list, search, long sessions, and what others notice while
// 10,000 sessions move to the trash. sessions.c makes the data.
import { mkdirSync, rmSync } from 'node:fs';
import { performance } from 'node:perf_hooks';

import { startAlfred, until } from '../lib/rig.js';
import { Background, BENCH_BIN, cpuOfAll, median, sleep } from './measure.js';

const USERS = 100;
const SESSIONS = 100_000;
const MESSAGES = 1_000_000;
const ROUNDS = 40;
const SEARCHES = 100;
const PAGE = 50; // rows
const DEEP = 1000; // pages
const TRASHED = 10_000;
const INDEX_SECONDS_MAX = 1200;

const quantile = (values, q) => [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))];

async function timed(run) {
    const begun = performance.now();
    await run();
    return performance.now() - begun;
}

/** Medians of functions that take turns, in ms. */
async function inTurns(functions, rounds = ROUNDS) {
    const took = functions.map(() => []);
    for (let round = 0; round < rounds; round++) for (const [i, run] of functions.entries()) took[i].push(await timed(run));
    return took.map(median);
}

/** The `after` of the page that begins `rows` rows after the first. */
async function deepPage(client, rows) {
    let next = '';
    for (let seen = 0; seen < rows; seen += 100) ({ next } = await client.getJson(`/api/sessions?limit=100${next && `&after=${encodeURIComponent(next)}`}`));
    return next;
}

async function rest(alfred) {
    const pids = ['pages', 'api', 'stream', 'helper'].flatMap((name) => alfred.pids(name));
    await until('the helper has made all vectors', async () => {
        const before = cpuOfAll(pids);
        await sleep(1000);
        return cpuOfAll(pids) - before <= 20_000;
    }, INDEX_SECONDS_MAX * 1000);
}

export async function measureSessions(table, dir) {
    mkdirSync(dir);
    let alfred = await startAlfred({ dir, config: { server: { log_level: 'warn' } } });
    try {
        await alfred.admin('root');
        for (const name of ['many', 'few', 'other0']) await alfred.user(name);
        await alfred.stop();
        const filler = new Background(`${BENCH_BIN}/sessions`, [`${alfred.dataDir}/alfred.db`, USERS, SESSIONS, MESSAGES]);
        const made = JSON.parse(await filler.line());
        await filler.stop();
        alfred = await startAlfred({ dir, config: alfred.config });
        const begun = performance.now();
        await rest(alfred);
        const indexed = (performance.now() - begun) / 1000;
        const [many, few, other] = [await alfred.signIn('many'), await alfred.signIn('few'), await alfred.signIn('other0')];

        table.part('sessions', `A user with ${SESSIONS} sessions and ${MESSAGES} messages beside ${USERS} others`);
        table.row('to make the data', made.seconds, 's');
        table.row('until the service rested', indexed, 's');

        const after = await deepPage(many, PAGE * DEEP);
        const page = (client, key) => () => client.getJson(`/api/sessions?limit=${PAGE}${key ? `&after=${encodeURIComponent(key)}` : ''}`);
        const [base, first, deep] = await inTurns([page(few), page(many), page(many, after)]);
        table.row('a page of the list, of 1,000 sessions', base, 'ms');
        table.row(`  first page of ${SESSIONS} / that`, first / base, 'x', { aim: 1.5 });
        table.row(`  page ${DEEP} / that`, deep / base, 'x', { aim: 1.5 });
        const [listPage, manyPage] = await inTurns([() => few.get('/sessions'), () => many.get('/sessions')], ROUNDS / 2);
        table.row(`  the page /sessions, of ${SESSIONS} / of 1,000`, manyPage / listPage, 'x', { aim: 1.5 });

        const known = made.words;
        const query = (i) => encodeURIComponent(`${known[i % known.length]} ${known[(7 * i + 3) % known.length]}`);
        // The last two letters of the longest words in the wrong order.
        const mistyped = known.toSorted((a, b) => b.length - a.length).map((word) => `${word.slice(0, -2)}${word.at(-1)}${word.at(-2)}`);
        const typed = [];
        const wrong = [];
        const whole = [];
        for (let i = 0; i < SEARCHES; i++) {
            typed.push(await timed(() => many.getJson(`/page/search/typed?q=${query(i)}`)));
            wrong.push(await timed(() => many.getJson(`/page/search/typed?q=${mistyped[i % mistyped.length]}`)));
            whole.push(await timed(() => many.getJson(`/api/search?q=${query(i)}`)));
        }
        table.row('search for two words while typing, p50', median(typed), 'ms', { aim: 10 });
        table.row('  p99', quantile(typed, 0.99), 'ms', { aim: 50 });
        table.row('search for a mistyped word while typing, p50', median(wrong), 'ms');
        table.row('  p99', quantile(wrong, 0.99), 'ms');
        table.row('search by words and meaning, p50', median(whole), 'ms');
        table.row('  p99', quantile(whole, 0.99), 'ms');

        const [short, long] = (await Promise.all(['50 messages', '5000 messages'].map((title) => many.getJson(`/api/sessions?q=${encodeURIComponent(`"${title}"`)}`)))).map((a) => a.sessions[0].url);
        const [opensShort, opensLong] = await inTurns([() => many.get(short), () => many.get(long)]);
        table.row('to open a session of 50 messages at its end', opensShort, 'ms');
        table.row('  of 5,000 / that', opensLong / opensShort, 'x', { aim: 1.1 });

        const waits = [];
        let trashing = true;
        const quiet = [];
        for (let i = 0; i < ROUNDS; i++) quiet.push(await timed(() => other.getJson('/api/sessions')));
        // The sessions are a minute apart, the last one a day old.
        const day = new Date(Date.now() - 86_400_000 - (SESSIONS - TRASHED) * 60_000).toISOString().slice(0, 10);
        const begin = many.postJson('/api/sessions/batch', { action: 'trash', all: true, q: `before:${day}` });
        const others = (async () => {
            while (trashing) {
                waits.push(await timed(() => other.getJson('/api/sessions')));
                waits.push(await timed(() => other.postJson('/api/tasks', { text: 'Meanwhile' }).then(async (t) => other.request('DELETE', `/api/tasks/${t.json.task.id}`))));
            }
        })();
        let batch;
        const took = await timed(async () => {
            try {
                ({ batch } = (await begin).json);
                await until('the sessions are in the trash', async () => !(await many.get(`/api/batches/${batch.id}`)).json.batch.running, 600_000);
            } finally {
                trashing = false;
                await others;
            }
        });
        table.row(`${batch.total} sessions move to the trash`, took / 1000, 's');
        table.row('  requests of another user meanwhile, p99', quantile(waits, 0.99), 'ms', { aim: 50 });
        table.row('  the same before, p99', quantile(quiet, 0.99), 'ms');
    } finally {
        await alfred.stop();
        rmSync(dir, { recursive: true, force: true });
    }
}
