// Durable jobs: a killed helper loses nothing and does nothing twice; final failures are visible and can be retried.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers, answersHtml, fails, hangs } from '../../fake/provider.js';
import { TOPIC, asksForAnswer, asksForSummary, asksForTitle, asksForTopic, exchange, newClientId, provide, send, ended } from '../../lib/chat.js';
import { startAlfred, until } from '../../lib/rig.js';
import { takeOut } from '../../lib/transfer.js';

const config = { session: { idle_minutes: 0 }, jobs: { retry_seconds: 0 } };
const NOTE = '**About**\n\nA talk.';

async function start(t, more = {}) {
    const provider = await provide({ topics: false });
    const alfred = await startAlfred({ t, env: provider.env, config: { ...config, ...more } });
    return { provider, alfred, anna: await alfred.admin('anna') };
}
const jobs = async (alfred) => (await alfred.cli(['jobs'])).stdout;
const quiet = (alfred) => until('nothing is left to do', async () => !/ (summarise|topic|title) /.test(await jobs(alfred)));
const summaries = async (client, session) => (await client.getJson(`/api/sessions/${session}/summaries`)).summaries;

/** Waits for the summary of a session, which a model has made. */
async function summaryByModel(client, session) {
    const [summary] = await until(`the summary of ${session}`, async () => {
        const made = await summaries(client, session);
        return made.length > 0 && made;
    });
    assert.equal(summary.by_rule, false);
}

/** Kills the helper and waits for the next one. */
const killHelper = (alfred) => alfred.killAndAwait('helper');

test('a job that ends the helper five times is dead, and the others run', async (t) => {
    const { provider, alfred, anna } = await start(t);
    const { session } = await exchange(anna, provider, 'Hello', 'Hi');
    for (let i = 0; i < 5; i++) {
        await provider.call(asksForSummary); // held: the helper dies while it waits
        await killHelper(alfred);
    }
    const line = await until('the job is dead', async () => (await jobs(alfred)).match(/^(\d+) +dead +summarise .*$/m));
    assert.match(line[0], /The helper ended 5 times during this job/);
    assert.equal(provider.calls.filter(asksForSummary).length, 5);
    assert.equal((await summaries(anna, session)).length, 0);

    provider.always(answers(NOTE), asksForSummary);
    const other = await exchange(anna, provider, 'Another one', 'Yes');
    await until('the rest goes on', async () => (await summaries(anna, other.session)).length === 1);

    const page = await anna.get('/admin/jobs');
    assert.match(page.text, /Summary of a session/);
    assert.match(page.text, /The helper ended 5 times during this job/);
    assert.match(page.text, /\b5 attempts/);
    assert.match(line[0], /\b5 tries/);
    const retried = await anna.post(`/admin/jobs/${line[1]}/retry`, {});
    assert.equal(retried.location, '/admin/jobs?done=job_retried');
    await until('the retry did it', async () => (await summaries(anna, session)).length === 1);
    await quiet(alfred);
    assert.equal((await anna.post(`/admin/jobs/${line[1]}/retry`, {})).status, 404, 'a job that is done is not retried');
});

test('a provider that is silent delays no export and no deletion', async (t) => {
    const { provider, alfred, anna } = await start(t);
    await exchange(anna, provider, 'Hello', 'Hi');
    await provider.call(asksForSummary); // never answered: its job has the lane
    await takeOut(anna);
    const bert = await alfred.user('bert');
    assert.equal((await bert.post('/account/delete', { name: 'bert', current: bert.password })).status, 303);
    await until('the account is erased', async () => !(await alfred.cli(['user', 'list'])).stdout.includes('bert'));
    assert.match(await jobs(alfred), /running +summarise/, 'the summary still waits');
});

test('the command line lists and retries, and reports errors', async (t) => {
    const { provider, alfred, anna } = await start(t);
    const { session } = await exchange(anna, provider, 'Hello', 'Hi');
    for (let i = 0; i < 5; i++) {
        await provider.call(asksForSummary);
        await killHelper(alfred);
    }
    const [, id] = await until('the job is dead', async () => (await jobs(alfred)).match(/^(\d+) +dead +summarise /m));
    provider.always(answers(NOTE), asksForSummary);
    const done = await alfred.cli(['jobs', 'retry', id]);
    assert.equal(done.code, 0, done.stderr);
    await until('the retry did it', async () => (await summaries(anna, session)).length === 1);
    assert.match((await alfred.cli(['jobs', 'retry', '999999'])).stderr, /There is no dead job 999999/);
    assert.match((await alfred.cli(['jobs', 'retry', 'x'])).stderr, /"x" is neither the number nor the kind of a job/);
    assert.equal((await alfred.cli(['jobs', 'nonsense'])).code, 2);
});

test('a helper that is killed again and again does every job, none twice', async (t) => {
    const { provider, alfred, anna } = await start(t);
    provider.always(answers(NOTE), asksForSummary).always(answers(TOPIC), asksForTopic);
    const sessions = [];
    let over = false;
    // Kills at any moment, but not before the helper has asked something: a job whose helper ends five times is dead, and
    // before that it is done by rule.
    const asked = () => provider.calls.filter((c) => !asksForAnswer(c)).length;
    const killer = (async () => {
        for (let i = 0; i < 12 && !over; i++) {
            await killHelper(alfred);
            const seen = asked();
            await until('the helper has asked something', () => over || asked() > seen + (i % 3));
        }
    })();
    for (let i = 0; i < 8; i++) {
        const { session } = await exchange(anna, provider, `Talk number ${i}`, 'Yes.');
        sessions.push(session);
        for (let k = 0; k < 2; k++) await exchange(anna, provider, `More of ${i}.${k}`, 'Yes.', { session });
    }
    over = true;
    await killer;
    await quiet(alfred);
    const dead = [...(await jobs(alfred)).matchAll(/ dead /g)].length;
    assert.equal(dead, 0, await jobs(alfred));
    for (const session of sessions) {
        const made = await summaries(anna, session);
        assert.ok(made.length >= 1, `${session} has no summary`);
        assert.equal(made[0].messages, 6, 'the newest one knows all');
        assert.equal(new Set(made.map((s) => s.last_id)).size, made.length, 'the same was summarised twice');
        const { topic } = (await anna.getJson(`/api/sessions/${session}`)).session;
        assert.equal(topic, 'What was talked about', `the topic is "${topic}"\n${alfred.logs().match(/.*(topic by rule| error ).*/g)?.join('\n')}`);
    }
});

test('a rate limit slows the queue and not the chat', async (t) => {
    const { provider, alfred, anna } = await start(t);
    provider.next(fails(429, { retryAfter: 3600 }), asksForSummary);
    const { session } = await exchange(anna, provider, 'Hello', 'Hi');
    await until('the provider has said no', () => provider.calls.some(asksForSummary));
    await until('the job is put off', async () => /waiting +summarise +0 tries/.test(await jobs(alfred)));
    const calls = provider.calls.filter((c) => !asksForAnswer(c) && !asksForTitle(c)).length;
    const again = await exchange(anna, provider, 'Still there?', 'At once.', { session });
    assert.equal(again.end.status, 'done');
    const other = await exchange(anna, provider, 'A new one', 'Yes.');
    await until('that one waits too', async () => [...(await jobs(alfred)).matchAll(/waiting +summarise +0 tries/g)].length === 2);
    assert.equal(provider.calls.filter((c) => !asksForAnswer(c) && !asksForTitle(c)).length, calls, 'a provider that said later was asked');
    assert.equal((await summaries(anna, other.session)).length, 0);
    const page = await anna.get('/admin/jobs');
    assert.match(page.text, /in \d+ minutes/);
    assert.match(page.text, /received too many requests \(429\)|asked for a pause/);
    assert.match((await anna.get('/admin/jobs', { headers: { 'accept-language': 'de' } })).text, /hat zu viele Anfragen bekommen \(429\)|hat um eine Pause gebeten/, 'the reason is in the language of the reader');
    await anna.postJson(`/api/sessions/${session}/summaries`, {});
    // The helper postpones the job: for that moment it is not waiting.
    await until('the page says that it waits', async () => /waiting to be written/.test((await anna.get(`/s/${session}/summary`)).text));
});

test('a session that is deleted while its job waits for the provider delays no other job', async (t) => {
    const { provider, alfred, anna } = await start(t);
    const bert = await alfred.user('bert');
    for (const asks of [asksForTitle, asksForSummary]) {
        let call;
        provider.next(async (held) => void (call = held), asks);
        const { session } = await exchange(anna, provider, 'Hello', 'Hi');
        await until('the provider hangs', () => call);
        assert.equal((await anna.request('DELETE', `/api/sessions/${session}`, { json: {} })).status, 200);
        await answers(NOTE)(call);
    }
    provider.always(answers(NOTE), asksForSummary);
    const other = await exchange(bert, provider, 'Another user', 'Yes');
    await until("the other user's job runs", async () => (await summaries(bert, other.session)).length === 1);
    await quiet(alfred);
    assert.doesNotMatch(alfred.logs(), /(warn|error) helper/, 'a deleted session is no failure');
});

test('jobs of used or opened sessions come before a backlog, and the oldest job is not starved', async (t) => {
    const { provider, alfred, anna } = await start(t, { session: { idle_minutes: 60 } });
    let first;
    provider.next(async (held) => void (first = held), asksForTitle);
    await exchange(anna, provider, 'Holds up the helper', 'Hi');
    await until('the provider is asked', () => first);
    const sessions = [];
    for (let i = 0; i < 16; i++) sessions.push((await exchange(anna, provider, `Talk number ${i}.`, 'Yes.')).session);
    assert.equal((await anna.get(`/s/${sessions[4]}`)).status, 200);
    const before = provider.calls.length;
    await answers('A title')(first);
    await until('all have a title', async () => (await anna.getJson('/api/sessions?limit=50')).sessions.every((s) => s.named));
    const order = provider.calls.slice(before).filter(asksForTitle).map((call) => Number(call.userText.match(/Talk number (\d+)\./)[1]));
    const place = (i) => order.indexOf(i);
    assert.equal(new Set(order).size, 16);
    // Every fourth job is the oldest one, so the expected place is one later at most. Another job can be older than the first title.
    assert.ok(place(4) <= 1, `the opened session: ${order}`);
    assert.ok(place(15) <= 2, `the one used last: ${order}`);
    assert.ok(place(0) <= 8, `the oldest: ${order}`);
});

test('a job that waits for its provider does not hold up the stop of the service', async (t) => {
    const { provider, alfred, anna } = await start(t);
    await exchange(anna, provider, 'Hello', 'Hi');
    await provider.call(asksForSummary);
    await alfred.stop();
    assert.doesNotMatch(alfred.logs(), /did not stop in time/);
});

test('a dead export runs again when it is retried', async (t) => {
    const { alfred, anna } = await start(t);
    const goOn = await alfred.pauseHelper();
    assert.ok([202, 303].includes((await anna.post('/data/export', {})).status));
    const [{ id }] = alfred.sql("SELECT id FROM job WHERE kind = 'export'");
    const now = Date.now(); // the sweep deletes old ones
    alfred.sql("UPDATE job SET state = 'dead', ended_at = ? WHERE id = ?", now, id);
    alfred.sql("UPDATE transfer SET state = 'failed', ended_at = ?, error = 'x'", now);
    goOn();
    assert.equal((await anna.post(`/admin/jobs/${id}/retry`, {})).location, '/admin/jobs?done=job_retried');
    await until('the export is made', async () => (await anna.getJson('/api/transfers')).transfers[0].state === 'done');
});

test('all dead jobs of a kind are retried at once, from the page and from the command line', async (t) => {
    const { alfred, anna } = await start(t);
    const goOn = await alfred.pauseHelper();
    const die = (kind, n) =>
        alfred.database((db) => {
            const job = db.prepare("INSERT INTO job (kind, subject, state, attempts, error, run_at, created_at, ended_at) VALUES (?, ?, 'dead', 5, 'x', 1, 1, 1)");
            db.exec('BEGIN');
            for (let subject = 1; subject <= n; subject++) job.run(kind, subject);
            db.exec('COMMIT');
        });
    const states = (kind) => Object.fromEntries(alfred.sql('SELECT state, count(*) AS n FROM job WHERE kind = ? GROUP BY state', kind).map(({ state, n }) => [state, n]));
    die('title', 250);
    die('topic', 2);
    die('title', 1); // as an old version has left it
    const page = (await anna.get('/admin/jobs')).text;
    assert.deepEqual([...page.matchAll(/action="\/admin\/jobs\/retry">.*?name="kind" value="(\w+)"/g)].map((m) => m[1]), ['title', 'topic']);
    assert.equal((await anna.post('/admin/jobs/retry', { kind: 'title' }, { csrf: false })).status, 403);
    assert.equal((await anna.post('/admin/jobs/retry', { kind: 'title' })).location, '/admin/jobs?done=jobs_retried');
    assert.deepEqual(states('title'), { ready: 250, dead: 1 });
    assert.deepEqual(states('topic'), { dead: 2 });
    assert.deepEqual({ ...alfred.sql("SELECT detail, user_id FROM audit WHERE action = 'jobs_retried'")[0] }, { detail: 'title 250', user_id: 1 });
    assert.match((await anna.get('/admin/jobs?done=jobs_retried')).text, /The failed jobs of this kind will run again\./);
    assert.equal((await anna.post('/admin/jobs/retry', { kind: 'title' })).status, 303, 'none is left: nothing happens');

    const done = await alfred.cli(['jobs', 'retry', 'topic']);
    assert.match(done.stdout, /^2 jobs will be retried\.$/m);
    assert.deepEqual(states('topic'), { ready: 2 });
    assert.match((await alfred.cli(['jobs', 'retry', 'topic'])).stderr, /There is no dead job "topic" to retry/);
    goOn();
});

test('only admins see the jobs', async (t) => {
    const { alfred, anna } = await start(t);
    const bert = await alfred.user('bert');
    assert.equal((await anna.get('/admin/jobs')).status, 200);
    assert.match((await anna.get('/')).text, /href="\/admin\/jobs"/);
    assert.equal((await bert.get('/admin/jobs')).status, 403);
    assert.equal((await bert.post('/admin/jobs/1/retry', {})).status, 403);
    assert.doesNotMatch((await bert.get('/')).text, /admin\/jobs/);
});

test('jobs wait for a provider that is away, and cost no attempts', async (t) => {
    const { provider, alfred, anna } = await start(t);
    const waits = (reason) => until(`the job waits: ${reason}`, async () => new RegExp(`waiting +summarise +0 tries .*${reason}`).test(await jobs(alfred)));
    const made = (session, n) => until(`summary ${n}`, async () => (await summaries(anna, session)).length === n);
    provider.always(answers(NOTE), asksForSummary).next(fails(503), asksForSummary);
    const { session: first } = await exchange(anna, provider, 'Hello', 'Hi');
    const { session: second } = await exchange(anna, provider, 'And another one', 'Yes.');
    for (const session of [first, second]) await made(session, 1);
    await provider.goesAway();
    for (const session of [first, second]) assert.equal((await anna.postJson(`/api/sessions/${session}/summaries`, { last: 2 })).status, 202);
    await waits('Could not connect');
    await waits('cannot answer now'); // one of them asks, and the other one waits for the same pause
    await provider.comesBack();
    for (const session of [first, second]) {
        await made(session, 2);
        assert.ok((await summaries(anna, session)).every((s) => !s.by_rule), session);
    }
});

test('a job at its last attempt waits for a provider that is away, and is not made by rule', async (t) => {
    const { provider, alfred, anna } = await start(t);
    provider.always(fails(503), asksForSummary);
    const { session } = await exchange(anna, provider, 'Hello', 'Hi');
    const asked = () => provider.calls.filter(asksForSummary).length;
    await until('the provider is asked', asked);
    await until('the job waits for its last attempt', async () => {
        alfred.sql("UPDATE job SET attempts = 4, run_at = 0 WHERE kind = 'summarise' AND state = 'ready'");
        return /waiting +summarise +4 tries/.test(await jobs(alfred));
    });
    const before = asked();
    await until('it was tried again', () => asked() > before + 3); // three requests are one attempt
    provider.always(answers(NOTE), asksForSummary);
    await summaryByModel(anna, session);
    await alfred.waitForLog(/info helper\[\d+\] \S+ works again after \d+ failures/);
    const lines = alfred.logs().match(/warn helper\[.*/g);
    assert.equal(lines.length, 1, lines.join('\n'));
    assert.match(lines[0], /jobs wait for \S+: /);
});

test('jobs wait for a provider that refuses the key or has no credit, and cost no attempts', async (t) => {
    const { provider, alfred, anna } = await start(t);
    for (const [status, reason] of [[401, 'does not accept the key'], [402, 'has no credit left']]) {
        provider.always(fails(status), asksForSummary);
        const { session } = await exchange(anna, provider, `Hello ${status}`, 'Hi');
        await until(`the job waits: ${reason}`, async () => new RegExp(`waiting +summarise +0 tries .*${reason}`).test(await jobs(alfred)));
        provider.always(answers(NOTE), asksForSummary);
        await summaryByModel(anna, session);
    }
});

test('a provider whose answers cannot be read for three sessions is asked less and less often, and the jobs wait', async (t) => {
    const { provider, alfred, anna } = await start(t, { jobs: { retry_seconds: 1 } }); // three sessions fail before one job has used its attempts
    const failed = [];
    let broken = true;
    const brokenFor = (is, good) => provider.always(async (call) => {
        if (!broken) return good(call);
        failed.push(performance.now());
        return answersHtml()(call);
    }, is);
    brokenFor(asksForSummary, answers(NOTE));
    brokenFor(asksForTopic, answers(TOPIC));
    brokenFor(asksForTitle, answers('A title'));
    const goOn = await alfred.pauseHelper();
    const sessions = [];
    for (let i = 0; i < 6; i++) sessions.push((await exchange(anna, provider, `Question ${i}`, 'An answer.')).session);
    goOn();
    await until('the pauses are long', () => failed.length > 4 && failed.at(-1) - failed.at(-2) > 3500);
    assert.ok(failed.length < 18, `asked ${failed.length} times`);
    broken = false;
    for (const session of sessions) {
        await summaryByModel(anna, session);
    }
    assert.equal(alfred.logs().match(/by rule/), null);
});

test('a provider that is silent is not asked for the next job at once', async (t) => {
    const { provider, alfred, anna } = await start(t, { turn: { first_byte_seconds: 5 } });
    provider.always(hangs(), asksForSummary);
    await exchange(anna, provider, 'Hello', 'Hi');
    await until('the provider is asked', () => provider.calls.some(asksForSummary));
    await exchange(anna, provider, 'And another one', 'Yes.');
    await until('one has failed', async () => /waiting +summarise +1 tries .*has been silent for 5 seconds/.test(await jobs(alfred)));
    await until('the other one waits', async () => /waiting +summarise +0 tries .*cannot answer now/.test(await jobs(alfred)));
});

test('without a model everything is made by rule', async (t) => {
    const alfred = await startAlfred({ t, config });
    const anna = await alfred.admin('anna');
    let session = 'new';
    for (const text of ['We decided to plant tomatoes on the balcony.', 'I need to buy soil for the tomatoes tomorrow.', 'Tomatoes like the sun, do they not?']) {
        const sent = await send(anna, text, { session, client_id: newClientId() });
        session = sent.session;
        await ended(anna, sent.turn);
    }
    const got = await until('summary and topic', async () => {
        const [made] = await summaries(anna, session);
        const s = (await anna.getJson(`/api/sessions/${session}`)).session;
        return made?.messages >= 6 && s.topic && { made, s };
    });
    assert.equal(got.made.by_rule, true);
    assert.match(got.made.text, /\*\*Decisions\*\*\n\n- We decided to plant tomatoes/);
    assert.match(got.made.text, /\*\*Open ends\*\*\n\n- I need to buy soil/);
    assert.equal(got.s.keywords[0], 'tomatoes');

    assert.equal((await anna.request('PATCH', '/api/settings', { json: { language: 'de' } })).status, 200);
    await anna.postJson(`/api/sessions/${session}/summaries`, {});
    const german = await until('a new version', async () => {
        const [made] = await summaries(anna, session); // the newest; there may be an older one of fewer messages
        return made.text !== got.made.text && made;
    });
    assert.match(german.text, /\*\*Entscheidungen\*\*\n\n- We decided[^]*\*\*Offene Punkte\*\*/, 'the headings are in the language of the user');
    assert.doesNotMatch(got.made.text, /No model|connect/i, "the offline model's own words are no content");
});
