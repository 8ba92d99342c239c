// kill -9 of the helper at random moments during chats: every job ends done or visible, and nothing is done twice. The
// test prints the seed of the moments; ALFRED_SEED=n repeats a run.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { embeds } from '../../fake/embeddings.js';
import { answers, startProvider } from '../../fake/provider.js';
import { asksForSummary, asksForTitle, asksForTopic, exchange, provide } from '../../lib/chat.js';
import { startAlfred, until } from '../../lib/rig.js';

const SEED = Number(process.env.ALFRED_SEED ?? Date.now() % 1_000_000);
const KILLS = 40;
const KILLING_MS = 25_000;
const SESSIONS = 8;
const EXCHANGES = 4;

/** mulberry32: small, and the same everywhere. */
function random(seed) {
    let a = seed;
    return () => {
        a = (a + 0x6d2b79f5) | 0;
        let t = Math.imul(a ^ (a >>> 15), 1 | a);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
    };
}
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('killed at random moments, the helper does every job, and none twice', async (t) => {
    t.diagnostic(`ALFRED_SEED=${SEED}`);
    const next = random(SEED);
    const provider = await provide({ topics: false });
    const vectors = await startProvider();
    after(() => vectors.stop());
    // Answers take time, so that kills fall before, into and after them; all titles and summaries differ.
    let made = 0;
    const slowly = (text) => async (call) => {
        await pause(next() * 30);
        if (!call.left) await answers(text())(call);
    };
    provider.always(slowly(() => `Title ${++made}`), asksForTitle);
    provider.always(slowly(() => `**About**\n\nTalk ${++made}.\n\n**Open ends**\n\n- none`), asksForSummary);
    provider.always(slowly(() => `{"topic": "Topic ${++made}", "keywords": ["one", "two", "three"]}`), asksForTopic);
    const embed = embeds((text) => [text.length, 1, 0, 0]);
    vectors.always(async (call) => {
        await pause(next() * 30);
        if (!call.left) await embed(call);
    });
    const alfred = await startAlfred({
        t,
        config: {
            session: { idle_minutes: 0 },
            jobs: { retry_seconds: 0 },
            embedding: { provider: 'vec', model: 'embed-1' },
            'provider.main': { kind: 'openai', base_url: `${provider.url}/v1`, model: 'test-model' },
            'provider.vec': { kind: 'openai', base_url: `${vectors.url}/v1`, model: 'nothing' },
        },
    });
    const anna = await alfred.admin('anna');
    const rows = (sql) => {
        return alfred.sql(sql);
    };

    let talking = true;
    let kills = 0;
    const titles = new Map();
    const noteTitles = () => {
        for (const s of rows("SELECT pub, title FROM session WHERE titled_by <> 'none'")) {
            if (titles.has(s.pub)) assert.equal(s.title, titles.get(s.pub), 'a title changed after it was given');
            else titles.set(s.pub, s.title);
        }
    };
    const killer = (async () => {
        const deadline = Date.now() + KILLING_MS;
        while (kills < KILLS / 2 || (talking && kills < KILLS && Date.now() < deadline)) {
            await pause(next() ** 2 * 200);
            await alfred.killAndAwait('helper');
            kills++;
            noteTitles();
        }
    })();
    const sessions = [];
    for (let i = 0; i < SESSIONS; i++) {
        let session = 'new';
        for (let k = 0; k < EXCHANGES; k++) {
            const sent = await exchange(anna, provider, `Talk ${i}, part ${k}`, 'Yes.', { session, choice: 'main/test-model' });
            assert.equal(sent.end.status, 'done');
            session = sent.session;
            await pause(next() * 60);
        }
        sessions.push(session);
    }
    talking = false;
    await killer;
    t.diagnostic(`${kills} kills`);

    // A job that crashed five times is dead and shown as dead; it continues after a retry.
    const open = () => rows(`SELECT * FROM job WHERE state IN ('ready', 'leased') AND kind <> 'sweep' AND run_at < ${Date.now() + 60_000}`);
    await until('nothing is left to do', () => open().length === 0);
    const dead = rows(`SELECT * FROM job WHERE state = 'dead'`);
    const page = (await anna.get('/admin/jobs')).text;
    for (const job of dead) {
        assert.match(job.error, /^job\.ended_helper\tn:5$/, 'nothing but kills takes a job down');
        assert.equal(Number(job.attempts), 5);
        assert.match(page, new RegExp(`number ${job.id}\\b`), 'it is visible');
        assert.equal((await alfred.cli(['jobs', 'retry', String(job.id)])).code, 0);
    }
    t.diagnostic(`${dead.length} dead jobs, retried`);
    await until('nothing is left to do', () => open().length === 0);
    noteTitles();

    assert.deepEqual(rows(`SELECT id FROM job WHERE state = 'leased' AND kind <> 'sweep'`), []);
    assert.deepEqual(rows(`SELECT kind, owner, subject FROM job WHERE state = 'ready' GROUP BY kind, owner, subject HAVING count(*) > 1`), []);
    assert.equal(Number(rows('SELECT count(*) AS n FROM message')[0].n), SESSIONS * EXCHANGES * 2, 'no message came or went');
    assert.deepEqual(rows('SELECT session_id, last_id FROM summary WHERE whole GROUP BY session_id, first_id, last_id HAVING count(*) > 1'), [], 'one state was summarised twice');
    for (const session of sessions) {
        const { summaries } = await anna.getJson(`/api/sessions/${session}/summaries`);
        assert.equal(summaries[0]?.messages, EXCHANGES * 2, `${session}: the newest summary knows all`);
        assert.deepEqual(summaries.map((s) => s.version), summaries.map((_, i) => summaries.length - i), 'no version is missing');
        assert.equal(summaries.filter((s) => s.current).length, 1);
        const { session: s } = await anna.getJson(`/api/sessions/${session}`);
        assert.match(s.topic, /^Topic \d+$/);
        assert.equal(s.title, titles.get(session));
        assert.match(s.title, /^Title \d+$/);
    }
    const lists = rows(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'vector_message_[0-9]*'`);
    assert.deepEqual(lists.map((l) => l.name), ['vector_message_1']);
    assert.deepEqual(rows(`SELECT id FROM message WHERE text <> '' AND id NOT IN (SELECT id FROM vector_message_1)`), [], 'a message has no vector');
    assert.deepEqual(rows('SELECT id FROM vector_message_1 GROUP BY id HAVING count(*) > 1'), []);
    assert.deepEqual(rows('SELECT id FROM vector_message_1 WHERE id NOT IN (SELECT id FROM message)'), []);
    assert.equal(rows(`SELECT id FROM embedding_model WHERE state = 'serving'`).length, 1);
});
