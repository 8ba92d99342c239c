// An embedding provider and all its failures: the job reports the reason, the word search works, no chat waits, and the
// old vectors stay in use until the new ones are complete.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { embeddingsJson, embeds, tokensOf } from '../../fake/embeddings.js';
import { callsTool, fails, hangs, startProvider } from '../../fake/provider.js';
import { asksForTitle, asksForVectors, ended, exchange, provide, send } from '../../lib/chat.js';
import { startAlfred, until } from '../../lib/rig.js';

const chat = await provide();
const vectors = await startProvider();
after(() => vectors.stop());

const DIMENSION = 4;
/** A model with three meanings: vehicles, plants, and the rest. */
const meaning = (text) => [/car|automobile|vehicle/i.test(text) ? 1 : 0, /tree|oak|plant/i.test(text) ? 1 : 0, 0.1, 0];

/** The service with a model of `vectors` for embeddings; `embedding` false: the built-in embedder. */
function start(t, { embedding = { model: 'embed-1' }, retry_seconds = 0, url = vectors.url, ...more } = {}) {
    return startAlfred({
        t,
        config: {
            session: { idle_minutes: 600 },
            jobs: { retry_seconds },
            'provider.chat': { kind: 'openai', base_url: `${chat.url}/v1`, model: 'test-model' },
            ...(url ? { 'provider.vec': { kind: 'openai', base_url: `${url}/v1`, model: 'nothing' } } : {}),
            ...(embedding ? { embedding: { provider: 'vec', ...embedding } } : {}),
        },
        ...more,
    });
}
const jobs = async (alfred) => (await alfred.cli(['jobs'])).stdout;
const hits = async (client, q) => (await client.getJson(`/api/search?q=${encodeURIComponent(q)}`)).hits.map((h) => h.id);
const say = (client, text, options) => exchange(client, chat, text, 'Noted.', { choice: 'chat/test-model', ...options });

const models = (alfred) => alfred.sql('SELECT * FROM embedding_model ORDER BY id');
/** Waits until model `id` has a vector for each message and serves. */
const serves = (alfred, id) => until(`model ${id} serves`, () => models(alfred).some((m) => Number(m.id) === id && m.state === 'serving') && vectorless(alfred, id).length === 0);
const vectorless = (alfred, id) => alfred.sql(`SELECT id FROM message WHERE text <> '' AND role IN ('user', 'assistant') AND id NOT IN (SELECT id FROM vector_message_${id})`);

const good = embeds(meaning);
/** A service whose search has the vectors of one message, about a car. */
async function startWithCar(t, options) {
    vectors.always(good);
    const alfred = await start(t, options);
    const anna = await alfred.admin('anna');
    await say(anna, 'The car stands in the yard');
    await serves(alfred, 1);
    return { alfred, anna };
}
const wrong = (make) => async (call) => call.json(make(call.body.input));
const listOf = (texts, vector) => texts.map(() => vector);
/** The harmless text after them is refused, too, so no text is the cause. */
const brokenServers = [
    ['too few', wrong((texts) => embeddingsJson(listOf(texts, [1, 0, 0, 0]).slice(1))), /answered with \d+ vectors instead of \d+/],
    ['too many', wrong((texts) => embeddingsJson([...listOf(texts, [1, 0, 0, 0]), [0, 0, 0, 1]])), /answered with \d+ vectors instead of \d+/],
    ['another dimension', wrong((texts) => embeddingsJson(listOf(texts, [1, 0, 0]))), /3 numbers in a vector instead of 4/],
    ['zeros', wrong((texts) => embeddingsJson(listOf(texts, [0, 0, 0, 0]))), /a vector of zeros/],
    ['strings', wrong((texts) => embeddingsJson(listOf(texts, ['1', '0', '0', '0']))), /something other than numbers/],
    ['NaN', wrong((texts) => embeddingsJson(listOf(texts, [1, 2, 3, 4])).replaceAll('[1,2,3,4]', '[1,NaN,3,4]')), /cannot be read/],
    ['Infinity', wrong((texts) => embeddingsJson(listOf(texts, [1, 2, 3, 4])).replaceAll('[1,2,3,4]', '[1,1e999,3,4]')), /cannot be read|something other than numbers/],
    ['nothing but text', wrong(() => 'I am no JSON'), /cannot be read/],
    ['an internal error', fails(500, { message: 'boiler on fire' }), /had an internal error/],
    ['no connection to the end', async (call) => call.breakOff(), /closed the connection without an answer|broke off/],
    ['a key that is needed', fails(401), /needs a key/],
];

test('while the server fails for every text the job waits and costs no attempts', async (t) => {
    const { alfred, anna } = await startWithCar(t);
    for (const [name, behave, reason] of brokenServers) {
        vectors.always(behave);
        const sent = await say(anna, `A tree, then ${name}`);
        await until(`${name}: the job waits`, async () => new RegExp(`waiting +embed +0 tries .*(${reason.source})`).test(await jobs(alfred)));
        assert.match((await anna.get('/admin/jobs')).text, reason, name);
        assert.ok((await hits(anna, `tree ${name}`)).includes(sent.asked), `${name}: the words find it`);
        vectors.always(good);
        await until(`${name}: the vector is made`, () => !vectorless(alfred, 1).some(({ id }) => Number(id) === Number(sent.asked)));
    }
    assert.doesNotMatch(await jobs(alfred), /dead/);
    assert.equal(models(alfred).length, 1);
    assert.ok((await hits(anna, 'automobile')).length > 0, 'likeness finds again');
});

test('a model with a wrong first answer leaves the word search, and no partial model', async (t) => {
    vectors.always(wrong((texts) => embeddingsJson(listOf(texts, []))));
    const alfred = await start(t);
    const anna = await alfred.admin('anna');
    const sent = await say(anna, 'The oak fell in the storm');
    await until('the job waits', async () => /waiting +embed +0 tries .*0 numbers in a vector/.test(await jobs(alfred)));
    assert.deepEqual(models(alfred), []);
    assert.ok((await hits(anna, 'oak storm')).includes(sent.asked));
    assert.deepEqual(await hits(anna, 'plant'), []);
});

test('a provider that never answers delays neither chats, nor the word search, nor the stop of the service', async (t) => {
    const { alfred, anna } = await startWithCar(t, { retry_seconds: 60 });
    vectors.always(hangs());
    const before = vectors.calls.length;
    const { session } = await say(anna, 'A tree grows beside it');
    await until('it was asked', () => vectors.calls.length > before);
    const hanging = vectors.calls[before];
    for (let i = 0; i < 5; i++) assert.equal((await say(anna, `And number ${i}?`, { session })).end.status, 'done');
    assert.ok(!hanging.left, 'the chats have ended, the request has not');
    const [found, other] = await Promise.all([hits(anna, 'yard'), anna.get('/sessions')]);
    assert.equal(found.length > 0 && other.status, 200, 'the question was not embedded, the words decide');
    const { code } = await alfred.stop();
    assert.equal(code, 0);
    assert.doesNotMatch(alfred.logs(), /helper did not stop in time/);
});

test('an embedding server that hangs delays no title, and a chat provider that hangs delays no embedding', async (t) => {
    const { alfred, anna } = await startWithCar(t, { retry_seconds: 60 });
    vectors.always(hangs());
    const before = vectors.calls.length;
    await say(anna, 'A tree grows beside it');
    await until('it was asked', () => vectors.calls.length > before);
    const { session } = await say(anna, 'And a second tree');
    await until('the session has its title', async () => (await anna.getJson(`/api/sessions/${session}`)).session.title === 'A short title');
    assert.match(await jobs(alfred), /running +embed/);
    await alfred.stop();

    vectors.always(good);
    const again = await start(t, { dir: alfred.dir, retry_seconds: 60 });
    const client = await again.signIn('anna');
    const titles = chat.calls.filter(asksForTitle).length;
    chat.next(hangs(), asksForTitle);
    await say(client, 'A vehicle came');
    await until('the title was asked for', () => chat.calls.filter(asksForTitle).length > titles);
    await say(client, 'And went');
    await serves(again, 1);
    assert.match(await jobs(again), /running +title/);
});

test('a query is sent once, and a provider that hangs delays one search of a program, then neither page nor tool', async (t) => {
    const from = vectors.calls.length;
    const { alfred, anna } = await startWithCar(t, { retry_seconds: 60 });
    const asked = (q) => vectors.calls.slice(from).filter((c) => asksForVectors(c) && c.body.input.includes(q)).length;
    assert.ok((await hits(anna, 'automobile')).length > 0, 'likeness finds');
    assert.equal(asked('automobile'), 1, 'for messages, sessions and facts the provider is asked once');
    assert.ok((await hits(anna, 'automobile')).length > 0);
    assert.equal(asked('automobile'), 1, 'and not again');
    assert.match((await anna.get('/search?q=automobile')).text, /stands in the yard/);

    vectors.always(hangs());
    const page = async (q) => assert.match((await anna.get(`/search?q=${q}`)).text, /id="hits"/);
    const api = async (q) => assert.equal((await hits(anna, q)).length > 0, true);
    const tool = async (q) => {
        const text = `Where was the ${q}?`;
        chat.always(callsTool('search_sessions', { query: q }, 'There.'), (call) => call.asks(text));
        const sent = await send(anna, text, { choice: 'chat/test-model' });
        assert.equal((await ended(anna, sent.turn)).status, 'done');
    };
    const tried = [page('yard'), api('yard'), tool('yard')];
    await Promise.all(tried);
    assert.equal(asked('yard'), tried.length, 'once by each program');
    for (const search of [page, api, tool]) await search('stands');
    await api('automobile');
    assert.equal(asked('stands'), 0, 'the provider is left alone');
});

test('six searches that wait for a provider delay no sign-in', async (t) => {
    const { alfred, anna } = await startWithCar(t, { retry_seconds: 60 });
    vectors.always(hangs());
    for (const search of [(q) => anna.get(`/search?q=${q}`), (q) => anna.get(`/api/search?q=${q}`)]) {
        const before = vectors.calls.length;
        let waiting = 6;
        const searches = Array.from({ length: waiting }, (_, i) =>
            search(`yard${i}`).then(({ status }) => {
                waiting--;
                return status;
            }),
        );
        await until('the provider is asked', () => vectors.calls.length >= before + 2);
        await alfred.signIn('anna');
        assert.equal((await anna.getJson('/api/sessions')).sessions.length, 1);
        assert.ok(waiting > 0, 'the sign-in waited until the searches were done');
        assert.deepEqual(await Promise.all(searches), Array(6).fill(200));
        assert.equal(vectors.calls.length, before + 2, 'two threads at most wait for the provider');
    }
});

test('searches while the provider fails are logged once, with their number at the end', async (t) => {
    vectors.always(good);
    const alfred = await start(t);
    const anna = await alfred.admin('anna');
    await say(anna, 'The automobile is blue');
    await serves(alfred, 1);
    const lines = () => alfred.logs().match(/^.*(without|with) vectors.*$/gm) ?? [];
    vectors.always(fails(500, { message: 'boiler on fire' }));
    for (let i = 0; i < 5; i++) assert.equal((await hits(anna, `automobile ${i}`)).length, 1);
    assert.equal(lines().length, 1, lines().join('\n'));
    vectors.always(good);
    await hits(anna, 'automobile again');
    await alfred.waitForLog(/searching with vectors works again after 10 failures/); // of messages and of sessions
    assert.equal(lines().length, 2, lines().join('\n'));
});

test('a rate limit is respected, with any number of new messages, and costs no attempts', async (t) => {
    vectors.always(good);
    const alfred = await start(t);
    const anna = await alfred.admin('anna');
    const bert = await alfred.user('bert');
    await say(anna, 'The car stands in the yard');
    await serves(alfred, 1);
    vectors.always(fails(429, { retryAfter: 3600 }));
    const before = vectors.calls.filter(asksForVectors).length;
    const { session } = await say(anna, 'A tree grows beside it');
    await until('the job is put off', async () => vectors.calls.filter(asksForVectors).length > before && /waiting +embed +0 tries/.test(await jobs(alfred)));
    for (let i = 0; i < 3; i++) await say(anna, `And number ${i}?`, { session });
    await say(bert, 'I am here, too');
    await until('both wait', async () => [...(await jobs(alfred)).matchAll(/waiting +embed +0 tries .*(?:429|pause)/g)].length === 2);
    const asked = vectors.calls.slice(before).filter((c) => c.body.input.length > 1 || /tree|number|here/.test(c.body.input[0]));
    assert.equal(asked.length, 1, 'it was asked again before its time');
    assert.match((await anna.get('/admin/jobs')).text, /in \d+ minutes/);
    assert.match((await anna.get('/admin/jobs')).text, /too many requests \(429\)|asked for a pause/);
});

test('another model: the old vectors are used until the new ones are complete; and back; and without the provider', async (t) => {
    vectors.always(good);
    let alfred = await start(t, { embedding: null });
    let anna = await alfred.admin('anna');
    const { asked: car } = await say(anna, 'The car stands beside the raspberries');
    await say(anna, 'My aunt paints on Sundays');
    await serves(alfred, 1);
    const again = async (options) => {
        await alfred.stop();
        alfred = await start(t, { dir: alfred.dir, ...options });
        anna = await alfred.signIn('anna');
    };
    const typo = async () => (await hits(anna, 'raspbery'))[0];
    const sense = async () => (await hits(anna, 'automobile'))[0];
    assert.equal(await typo(), car, 'the built-in model forgives');
    assert.equal(await sense(), undefined, 'and knows no meanings');

    // The new model gets requests and does not answer yet.
    const held = [];
    vectors.always(async (call) => (call.body.input[0] === 'dimension' ? good(call) : held.push(call)));
    await again({});
    await until('the batch is asked for', () => held.length > 0);
    assert.equal(await typo(), car, 'the old vectors serve');
    const fresh = await say(anna, 'A vehicle was seen at night');
    assert.ok((await hits(anna, 'night')).includes(fresh.asked), 'new messages are found meanwhile');
    vectors.always(good);
    for (const call of held) await good(call);
    await serves(alfred, 2);
    assert.deepEqual(new Set((await hits(anna, 'automobile')).slice(0, 2)), new Set([car, fresh.asked]), 'now meaning counts');
    assert.notEqual(await typo(), car, 'and spelling no more');
    assert.equal(Number(models(alfred).find((m) => Number(m.id) === 2).dimension), DIMENSION);

    // The same provider, a longer vector.
    vectors.always(embeds((text) => [...meaning(text), 0, 0, 0, 0.2]));
    await again({ embedding: { model: 'embed-2' } });
    await serves(alfred, 3);
    assert.ok([car, fresh.asked].includes(await sense()));
    assert.deepEqual(vectorless(alfred, 3), []);

    // It no longer answers: words decide. It is no longer configured: the same.
    vectors.always(async (call) => call.breakOff());
    assert.ok((await hits(anna, 'stands')).includes(car));
    await again({ embedding: null, url: null });
    await until('the built-in model serves again', async () => (await typo()) === car);
    assert.equal(await sense(), undefined);
    await until('what nobody uses is gone', () => alfred.sql(`SELECT name FROM sqlite_schema WHERE name GLOB 'vector_message_*' AND type = 'table'`).length === 1);
});

// Refusals in the words of real servers (tests/fake/embeddings.js).
const FILLER = 'The meeting spoke of budgets, of the calendar and of who brings cake. ';
const longText = (bytes, end) => FILLER.repeat(Math.ceil((bytes - end.length) / FILLER.length)) + end;
const BAD = 'ŧŧŧŧŧŧŧŧ'; // and so is every part of it
const strict = [
    { server: 'openai', tokens: 300, inputs: 5, filter: (text) => text.includes('ŧ') },
    { server: 'ollama', tokens: 256, inputs: 16, nan: (text) => text.includes('ŧ') },
    { server: 'llamacpp', tokens: 512, nan: (text) => text.includes('ŧ') },
    { server: 'vllm', tokens: 100, inputs: 3, nan: (text) => text.includes('ŧ') },
];

for (const options of strict) {
    test(`${options.server}: refused texts are cut, split or skipped, and delay neither other texts nor another model`, async (t) => {
        vectors.always(good);
        let alfred = await start(t, { embedding: null });
        let anna = await alfred.admin('anna');
        const bert = await alfred.user('bert');
        const { session, asked: first } = await say(anna, 'The car stands in the yard');
        const { asked: long } = await say(anna, longText(8192, 'At last they saw an oak.'), { session });
        const { asked: bad } = await say(anna, BAD, { session });
        const { asked: half } = await say(anna, `A vehicle came.${' and then'.repeat(60)} the ${BAD}`, { session });
        for (let i = 0; i < 4; i++) await say(anna, `Number ${i} of many`, { session }); // a summary comes with 20 messages
        const { asked: berts } = await say(bert, 'My automobile is old');
        await until('the built-in model serves', () => models(alfred).some((m) => m.state === 'serving') && vectorless(alfred, 1).length === 0);

        vectors.always(embeds(meaning, options));
        const again = async () => {
            await alfred.stop();
            alfred = await start(t, { dir: alfred.dir });
            anna = await alfred.signIn('anna');
        };
        await again();
        await until('the new model serves', () => models(alfred).some((m) => m.provider === 'vec' && m.state === 'serving'));
        const id = Number(models(alfred)[0].id);
        assert.deepEqual(alfred.sql('SELECT layer, reason FROM embedding_skip').map((s) => ({ ...s })), [{ layer: 'message', reason: options.server === 'llamacpp' ? 'no_vector' : 'refused' }]);
        assert.deepEqual(vectorless(alfred, id).length, 1, 'only the bad one has no vector');
        const shown = await anna.get('/admin/jobs');
        assert.match(shown.text, options.server === 'llamacpp' ? /without a usable vector<\/th><td>1</ : /Refused by the provider<\/th><td>1</);
        assert.doesNotMatch(shown.text, /ŧ/);
        assert.match((await alfred.cli(['jobs'])).stdout, /texts without a vector: 1 /);
        assert.doesNotMatch(alfred.logs(), /ŧ/);
        assert.equal((await hits(anna, 'plant'))[0], String(long), 'the end of the long one is found by its meaning');
        assert.deepEqual(new Set((await hits(anna, 'automobile')).slice(0, 2)), new Set([String(first), String(half)]), 'so is what a part of was refused');
        assert.equal((await hits(await alfred.signIn('bert'), 'vehicle'))[0], String(berts), 'and what others said');
        assert.ok((await hits(anna, BAD)).includes(String(bad)), 'words find the bad one');

        // The accepted sizes were learned and are known after a restart.
        const learned = models(alfred)[0];
        assert.ok(Number(learned.passage_bytes) > 0 && tokensOf('x'.repeat(Number(learned.passage_bytes))) <= options.tokens, `${learned.passage_bytes} bytes`);
        await again();
        const before = vectors.calls.length;
        const more = await say(anna, longText(5000, 'Beside it grew a plant.'));
        await until('it has its vectors', () => vectorless(alfred, id).length === 1);
        assert.deepEqual(vectors.calls.slice(before).filter((c) => c.refusal), [], 'nothing is refused any more');
        assert.ok((await hits(anna, 'tree')).includes(String(more.asked)));

        // Only an admin can retry them after the provider is repaired.
        assert.equal((await (await alfred.signIn('bert')).post('/admin/jobs/retry-skipped', {})).status, 403);
        vectors.always(good);
        assert.equal((await anna.post('/admin/jobs/retry-skipped', {})).location, '/admin/jobs?done=skipped_retried');
        await until('the bad one has its vector', () => vectorless(alfred, id).length === 0);
        assert.doesNotMatch((await anna.get('/admin/jobs')).text, /by their words only/);
    });
}

test('with a model that accepts one text of 200 bytes at a time all vectors are made', async (t) => {
    vectors.always(embeds(meaning, { server: 'vllm', tokens: tokensOf('x'.repeat(200)), inputs: 1 }));
    const alfred = await start(t);
    const anna = await alfred.admin('anna');
    for (const end of ['An oak.', 'A car.', 'A plant.']) await say(anna, longText(3000, end));
    await serves(alfred, 1);
    assert.equal((await hits(anna, 'automobile')).length, 1);
    assert.equal((await hits(anna, 'tree')).length, 2);
    const [model] = models(alfred);
    assert.ok(Number(model.passage_bytes) <= 200 && Number(model.batch_texts) === 1, `${model.passage_bytes} ${model.batch_texts}`);
});

test('requests to /v1/embeddings that wait for the model leave threads for the changes of others', async (t) => {
    vectors.always(hangs());
    const alfred = await start(t);
    const anna = await alfred.admin('anna');
    const people = [await alfred.user('bob'), await alfred.user('carl'), await alfred.user('dora')];
    const tokens = await Promise.all(people.map(async (c) => (await c.postJson('/api/tokens', { name: 'client', scopes: 'chat' })).json.secret));
    const create = (secret, model = 'embed-1') => anna.stranger().request('POST', '/v1/embeddings', { json: { model, input: 'ship' }, csrf: false, headers: { origin: null, 'sec-fetch-site': null, authorization: `Bearer ${secret}` } });
    const before = vectors.calls.length;
    const waiting = [...Array.from({ length: 12 }, () => tokens[0]), tokens[1]].map((secret) => create(secret));
    for (const w of waiting) w.catch(() => {}); // the service ends before they do
    await until('two were asked', () => vectors.calls.length - before >= 2);
    const asked = vectors.calls.slice(before);
    assert.equal((await anna.postJson('/api/tasks', { text: 'Buy milk' })).status, 201);
    assert.ok(asked.every((call) => !call.left), 'the change is made, the requests still wait');
    for (const secret of [tokens[0], tokens[2]]) {
        const refused = await create(secret);
        assert.equal(refused.status, 503);
        assert.match(refused.headers['retry-after'], /^[1-9]/);
        assert.match(refused.json.error.message, /being embedded/);
    }
    assert.equal((await create(tokens[2], 'other')).status, 404, 'what needs no model needs no place');
    assert.equal(vectors.calls.length - before, 2);
});

test('the texts of a request to /v1/embeddings reach the model in groups', async (t) => {
    vectors.always(embeds((text) => [Number(text.slice(5)) + 1, 1, 0, 0]));
    const alfred = await start(t);
    const anna = await alfred.admin('anna');
    const { secret } = (await anna.postJson('/api/tokens', { name: 'client', scopes: 'chat' })).json;
    const create = (input) => anna.request('POST', '/v1/embeddings', { json: { model: 'embed-1', input }, headers: { authorization: `Bearer ${secret}` } });
    const before = vectors.calls.length;
    const { data } = (await create(Array.from({ length: 130 }, (_, i) => `text ${i}`))).json;
    const asked = vectors.calls.slice(before).filter((c) => asksForVectors(c) && c.body.input[0].startsWith('text'));
    assert.deepEqual(asked.map((c) => c.body.input.length), [64, 64, 2]);
    assert.deepEqual(data.map((d) => [d.index, Math.round(d.embedding[0] / d.embedding[1])]), Array.from({ length: 130 }, (_, i) => [i, i + 1]));
});
