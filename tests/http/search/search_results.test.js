// One search for messages, sessions and facts; related sessions; the progress of the search index; separation of users.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { ended, send } from '../../lib/chat.js';
import { fails, startProvider } from '../../fake/provider.js';
import { startAlfred, until } from '../../lib/rig.js';

const AT_ONCE = { session: { idle_minutes: 0 }, jobs: { retry_seconds: 0 } };
const alfred = await startAlfred({ t: { after }, config: AT_ONCE });
const anna = await alfred.admin('anna');
const bob = await alfred.user('bob');

const search = (client, q, more = '') => client.getJson(`/api/search?q=${encodeURIComponent(q)}${more}`);
const related = (client, session, more = '') => client.get(`/api/sessions/${session}/related${more}`);
const titles = (list) => list.map((s) => s.id);

/** A session of these messages, summarised. */
async function talk(client, ...texts) {
    let session;
    for (const text of texts) {
        const sent = await send(client, text, session ? { session } : {});
        session = sent.session;
        await ended(client, sent.turn);
    }
    await until('it is summarised', async () => {
        const got = await client.getJson(`/api/sessions/${session}/summaries`);
        return got.summaries.length > 0 && got.summaries[0].messages >= 2 * texts.length;
    });
    return session;
}
const quiet = () => until('the helper has nothing to do', async () => !/ (summarise|topic|title|facts|embed) /.test((await alfred.cli(['jobs'])).stdout));

const lisbon = await talk(anna, 'We want to travel to Lisbon in May and take the violin along.', 'We decided to take the night train to Lisbon. The hotel in Lisbon is still open.');
const porto = await talk(anna, 'Which hotel do you know in Lisbon? We travel there in May by train.', 'The hotel should have room for a violin.');
const taxes = await talk(anna, 'The tax office wants last year’s invoices by Friday.', 'I decided to ask the accountant about the tax form.');
const secret = await talk(bob, 'Bob travels to Lisbon with his violin, too, by night train in May.', 'Bob’s hotel in Lisbon is called Mandarin.');
const fact = (await anna.postJson('/api/memories', { text: 'Plays the violin since 1999 <b>loud</b>', tags: 'music', permanent: true })).json.memory;
const theirs = (await bob.postJson('/api/memories', { text: 'Bob owns a violin made in Lisbon', permanent: true })).json.memory;
await quiet();

test('one query finds facts, sessions and messages', async () => {
    const got = await search(anna, 'violin Lisbon');
    assert.deepEqual(got.memories.map((m) => m.id), [fact.id]);
    assert.equal(got.memories[0].url, `/memory?after=${Number(fact.id) + 1}#memory-${fact.id}`);
    assert.deepEqual(titles(got.sessions).sort(), [lisbon, porto].sort());
    const one = got.sessions.find((s) => s.id === lisbon);
    assert.equal(one.summary_url, `/s/${lisbon}/summary`);
    assert.match(one.pieces.map((p) => p.text).join(''), /Lisbon/);
    assert.doesNotMatch(one.pieces.map((p) => p.text).join(''), /\*\*/, 'no Markdown');
    assert.ok(one.pieces.some((p) => p.hit));
    assert.ok(got.hits.length >= 3);
});

test('a session limits the search to its messages', async () => {
    const got = await search(anna, 'hotel violin', `&session=${porto}&show=facts`);
    assert.ok(got.hits.length >= 2);
    assert.deepEqual([...new Set(got.hits.map((h) => h.session))], [porto]);
    assert.deepEqual([got.memories, got.sessions], [[], []]);
    assert.deepEqual((await search(anna, 'accountant', `&session=${porto}`)).hits, []);
    assert.equal((await anna.get(`/api/search?q=hotel&session=${secret}`)).status, 404);
    assert.equal((await bob.get(`/search?q=hotel&session=${porto}`)).status, 404);
    assert.equal((await anna.get('/api/search?q=hotel&session=violin')).status, 404, 'no id');
    const page = (await anna.get(`/search?q=hotel&session=${porto}`)).text;
    assert.match(page, new RegExp(`name="session" value="${porto}" checked`));
    assert.match(page, new RegExp(`href="/s/${porto}\\?at=`));
    assert.doesNotMatch(page, new RegExp(`${lisbon}\\?at=`));
    const all = (await anna.get('/search?q=hotel')).text;
    assert.doesNotMatch(all, /name="session"/);
});

test('show selects one kind; days and invalid words are checked', async () => {
    const lengths = (got) => [got.memories.length > 0, got.sessions.length > 0, got.hits.length > 0];
    assert.deepEqual(lengths(await search(anna, 'violin', '&show=facts')), [true, false, false]);
    assert.deepEqual(lengths(await search(anna, 'violin', '&show=sessions')), [false, true, false]);
    assert.deepEqual(lengths(await search(anna, 'violin', '&show=messages')), [false, false, true]);
    assert.deepEqual(lengths(await search(anna, 'violin', '&show=all')), [true, true, true]);
    assert.deepEqual(lengths(await search(anna, 'violin', '&before=2020-01-01')), [false, false, false]);
    assert.deepEqual(lengths(await search(anna, '')), [false, false, false]);
    assert.deepEqual(await search(anna, 'zzzqqq'), { notices: [], memories: [], sessions: [], files: [], hits: [] });
    for (const bad of ['show=everything', 'show=all%00', 'after=soon', 'limit=0']) assert.equal((await anna.get(`/api/search?q=violin&${bad}`)).status, 400, bad);
});

test('hits of one session have one title, and weak hits are left out', async () => {
    const page = (await anna.get('/search?q=violin+Lisbon+train+night&show=messages')).text;
    const talks = [...page.matchAll(/<a class="item-title" href="\/s\/(ses_[^"?]+)"/g)].map((m) => m[1]);
    assert.deepEqual(talks, [...new Set(talks)]);
    assert.equal(talks[0], lisbon);
    assert.ok(page.split('id="hits"')[1].split('</ul>')[0].match(/class="item-main"/g).length >= 2, 'both of its messages');
    const got = (await search(anna, 'accountant tax form Lisbon', '&show=messages')).hits;
    assert.ok(got.length >= 1 && got.every((h) => h.session === taxes), 'one word of four is not worth showing');
    const beside = (await search(anna, 'accountant', '&show=messages')).hits;
    assert.deepEqual(beside.map((h) => h.pieces.some((p) => p.hit)), [true], 'what only stands beside is context');
    const compound = (await search(anna, 'invoice', '&show=messages')).hits;
    assert.deepEqual(compound[0].pieces.filter((p) => p.hit).map((p) => p.text), ['invoices']);
});

test('a snippet of a question has no fences around the text of a file', async () => {
    const sent = await send(anna, 'Keep this.\n\nlease.txt\n```\nThe marmalade costs 870.\n```', { choice: 'offline/offline' });
    await ended(anna, sent.turn);
    const { hits } = await search(anna, 'marmalade', '&show=messages');
    const snippet = hits[0].pieces.map((p) => p.text).join('');
    assert.match(snippet.replace(/\s+/g, ' '), /Keep this\. lease\.txt The marmalade costs 870\./);
});

test('the page says that facts belong to no workspace', async () => {
    assert.match((await anna.get('/search?q=violin&workspace=Home')).text, /Facts have no workspace/);
    assert.doesNotMatch((await anna.get('/search?q=violin')).text, /no workspace/);
});

test('the page shows the three kinds, marked and escaped, with chips that keep the query', async () => {
    const page = await anna.get('/search?q=violin+Lisbon&after=2020-01-01');
    assert.equal(page.status, 200);
    for (const [kind, id] of [['facts-h', fact.id], ['sessions-h', lisbon], ['messages-h', lisbon]]) {
        assert.ok(page.text.includes(`id="${kind}"`), kind);
        assert.ok(page.text.includes(id), kind);
    }
    assert.match(page.text, /Plays the <mark>violin<\/mark> since 1999 &lt;b&gt;loud/);
    const chips = [...page.text.match(/<nav class="views".*?<\/nav>/s)[0].matchAll(/href="([^"]+)"/g)].map((m) => m[1].replaceAll('&amp;', '&'));
    assert.equal(chips.length, 5);
    assert.match(chips[2], /^\/search\?show=sessions&q=violin%20Lisbon&after=2020-01-01$/);
    const sessions = await anna.get(chips[2]);
    assert.match(sessions.text, /aria-current="page">Sessions</);
    assert.doesNotMatch(sessions.text, /id="facts-h"|id="messages-h"/);
    assert.match(sessions.text, /name="show" value="sessions"/, 'another question stays there');
    assert.match((await anna.get('/search?q=zzzqqq&show=sessions')).text, /Sessions are found by title/);
    assert.match((await anna.get('/search?q=zzzqqq')).text, /Nothing found for “<bdi>zzzqqq<\/bdi>”/);
    assert.match((await anna.get('/search')).text, /Search your conversations/);
    assert.doesNotMatch((await anna.get('/search')).text, /class="views"/);
    const wrong = await anna.get('/search?q=violin&show=x');
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /must be &quot;all&quot;, &quot;messages&quot;, &quot;sessions&quot;, &quot;facts&quot; or &quot;files&quot;/);
});

test('related sessions are in the API and on the summary page', async () => {
    const got = await related(anna, lisbon);
    assert.equal(got.status, 200, got.text);
    assert.deepEqual(titles(got.json.related), [porto]);
    assert.ok(got.json.related[0].active_at);
    assert.deepEqual(titles((await related(anna, porto)).json.related), [lisbon]);
    assert.ok(!titles((await related(anna, taxes)).json.related).includes(taxes));
    const page = await anna.get(`/s/${lisbon}/summary`);
    assert.match(page.text, /Related sessions/);
    assert.ok(page.text.match(/id="related".*/s)[0].includes(`href="/s/${porto}"`));
    assert.match((await anna.get(`/s/${lisbon}`)).text, new RegExp(`<a href="/s/${lisbon}/summary">Summary and related sessions</a>`));
    assert.equal((await related(anna, lisbon, '?limit=1')).json.related.length, 1);
    for (const bad of ['?limit=0', '?limit=21', '?limit=x']) assert.equal((await related(anna, lisbon, bad)).status, 400, bad);
});

test("no address shows another user's data", async () => {
    for (const q of ['violin', 'Lisbon', 'Bob', 'Mandarin', 'violin Lisbon night train hotel', secret, theirs.id]) {
        for (const show of ['all', 'facts', 'sessions', 'messages']) {
            const got = await anna.get(`/api/search?q=${encodeURIComponent(q)}&show=${show}&owner=2&after=&memory=${theirs.id}`);
            assert.equal(got.status, 200);
            assert.doesNotMatch(got.text, /Mandarin|Bob/);
            assert.ok(!got.text.includes(secret) && !got.json.memories.some((m) => m.id === theirs.id));
        }
        const page = (await anna.get(`/search?q=${encodeURIComponent(q)}`)).text;
        assert.ok(!page.includes(`/s/${secret}`) && !page.includes(`memory-${theirs.id}`), q);
    }
    for (const [client, session] of [[anna, secret], [bob, lisbon]]) {
        const gone = await related(client, session);
        const absent = await related(client, `ses_${'0'.repeat(26)}`);
        assert.deepEqual([gone.status, gone.text], [404, absent.text], 'foreign and absent are the same');
    }
    assert.deepEqual((await related(bob, secret)).json.related, [], 'no session of others is near');
    assert.equal((await alfred.client().get(`/api/sessions/${lisbon}/related`)).status, 401);
    for (const surface of ['api', 'page']) {
        const refused = await alfred.client().get(`/${surface}/search/progress`);
        assert.deepEqual([refused.status, refused.json.error.code], [401, 'unauthenticated'], 'scripts are answered with JSON, too');
        assert.equal((await bob.get(`/${surface}/jobs/progress`)).status, 403);
    }
});

/** Changes the database directly. */
const change = (...statements) => alfred.database((db) => {
    for (const [sql, ...args] of statements) db.prepare(sql).run(...args);
});

test('the progress of a new model is shown to its owner, and for all users to admins', async () => {
    assert.equal((await anna.getJson('/api/search/progress')).progress, null);
    assert.doesNotMatch((await anna.get('/search')).text, /data-progress/);
    change(
        [`INSERT INTO embedding_model (id, provider, model, prefix, dimension, state, created_at) VALUES (77, 'x', 'y', '', 8, 'building', 1)`],
        [`INSERT INTO embedding_progress (model_id, layer, owner, done_to) VALUES (77, 'message', 1, (1 << 32) + 3)`],
        [`INSERT INTO embedding_progress (model_id, layer, owner, done_to) VALUES (77, 'memory', 2, (2 << 32) + 1)`],
        [`UPDATE user SET message_seq = 12300, summary_seq = 0, memory_seq = 0 WHERE id = 1`],
        [`UPDATE user SET message_seq = 700, summary_seq = 0, memory_seq = 0 WHERE id = 2`]);
    const own = { done: 3, total: 12300, stuck: null };
    assert.deepEqual((await anna.getJson('/api/search/progress')).progress, own);
    assert.deepEqual((await anna.getJson('/page/search/progress')).progress, { ...own, words: 'Re-indexing: 3 of 12,300' }, 'the script gets words, too');
    assert.deepEqual((await bob.getJson('/api/search/progress')).progress, { done: 1, total: 700, stuck: null });
    assert.equal((await anna.getJson('/api/jobs/progress')).progress.done, 4);
    assert.equal((await anna.getJson('/page/jobs/progress')).progress.words, 'Re-indexing: 4 of 13,000');
    assert.match((await bob.get('/search')).text, /Re-indexing: 1 of 700.*value="1"/s);
    assert.match((await anna.get('/admin/jobs')).text, /Re-indexing: 4 of 13,000/);
    change( ['DELETE FROM embedding_model WHERE id = 77']);
    assert.equal((await anna.getJson('/api/search/progress')).progress, null);
});

test('a provider that is down is named in a plain sentence, without its error', async () => {
    const provider = await startProvider();
    after(() => provider.stop());
    provider.always(fails(500, { message: 'secret internals of the provider' }));
    const other = await startAlfred({ t: { after }, env: provider.env, config: { ...AT_ONCE, embedding: { provider: 'openai', model: 'embed' } } });
    const root = await other.admin('root');
    await send(root, 'Something to be embedded');
    const progress = await until('it is said', async () => (await root.getJson('/api/search/progress')).progress);
    assert.match(progress.stuck, /busy or does not answer|could not be brought up to date/);
    assert.equal(progress.total, null);
    const page = await root.get('/search');
    assert.match(page.text, /[Ss]earch finds words/);
    assert.doesNotMatch(page.text, /secret internals/);
});
