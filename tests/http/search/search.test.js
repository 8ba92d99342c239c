// Search over all messages: found by their owner only, with any query; a helper that is killed while it embeds loses
// nothing and does nothing twice; the offline model answers with quotations.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';

import { startAlfred, until } from '../../lib/rig.js';

const alfred = await startAlfred({ t: { after } });
const anna = await alfred.admin('anna');
const bob = await alfred.user('bob');

/** One exchange with the offline model; returns the session and its messages after the answer. */
async function say(client, text, session = 'new') {
    const sent = await client.postJson(`/api/sessions/${session}/messages`, { text });
    assert.equal(sent.status, 202, sent.text);
    const id = sent.json.session.id;
    return until('the answer is there', async () => {
        const s = await client.getJson(`/api/sessions/${id}`);
        return s.turn === null && s.messages.length > 1 ? { id, messages: s.messages } : null;
    });
}
const search = (client, q, more = '') => client.getJson(`/api/search?q=${encodeURIComponent(q)}${more}`);
const ids = (found) => found.hits.map((h) => h.id);
/** Reads the database directly. */
const count = (sql, ...args) => alfred.database((db) => Object.values(db.prepare(sql).get(...args))[0]);
const embedded = () => until('all is embedded', () => count(`SELECT count(*) FROM sqlite_schema WHERE name = 'vector_message_1'`) === 1
    && count(`SELECT count(*) FROM message m WHERE role = 'user' AND text <> '' AND NOT EXISTS (SELECT 1 FROM vector_message_1 v WHERE v.id = m.id)`) === 0);

const key = await say(anna, 'The spare key lies under the blue flower pot <b>&amp; "quoted"</b>');
await say(anna, 'Our violin teacher is called Ludmilla');
await say(bob, 'The secret key of bob opens the cellar');

test('a message is found by its words, by a typo, and by its owner only', async () => {
    await embedded();
    const asked = key.messages[0].id;
    for (const q of ['spare key', 'Where is the KEYS?', 'flowr pot', 'blue']) assert.equal(ids(await search(anna, q))[0], asked, q);
    const theirs = await search(bob, 'spare key flower pot');
    assert.ok(!ids(theirs).includes(asked));
    assert.ok((await search(anna, 'bob cellar secret')).hits.every((h) => BigInt(h.id) >> 32n === BigInt(asked) >> 32n));
    assert.equal((await search(anna, 'zzzqqq')).hits.length, 0);
    assert.equal((await search(anna, '')).hits.length, 0);
    assert.equal((await alfred.client().get('/api/search?q=key')).status, 401);
});

test('parts of Japanese words and mistyped words are found and marked', async () => {
    const ramen = await say(anna, '昨日は味噌ラーメンを食べた');
    const hit = (await search(anna, '味噌')).hits.find((h) => h.id === ramen.messages[0].id);
    assert.deepEqual(hit.pieces, [{ text: '昨日は', hit: false }, { text: '味噌', hit: true }, { text: 'ラーメンを食べた', hit: false }]);
    const teacher = (await search(anna, 'violn taecher')).hits[0];
    assert.deepEqual(teacher.pieces.filter((p) => p.hit).map((p) => p.text), ['violin', 'teacher']);
    assert.equal((await anna.postJson('/api/memories', { text: '好きな食べ物は味噌ラーメン', tags: '', permanent: true })).status, 201);
    assert.equal((await anna.getJson(`/api/memories?q=${encodeURIComponent('味噌')}`)).memories.length, 1);
    assert.equal((await anna.getJson(`/api/memories?q=${encodeURIComponent('味覚')}`)).memories.length, 0);
});

test('“ß” and “ss” are one spelling in every search, and both are marked', async () => {
    const greta = await alfred.user('greta');
    const both = [await say(greta, 'Die lange Hauptstrasse ist gross'), await say(greta, 'In der langen Hauptstraße steht ein großer Baum')].map((s) => s.messages[0].id);
    for (const text of ['Wohnt in der Hauptstrasse', 'Arbeitet in der HAUPTSTRAẞE']) assert.equal((await greta.postJson('/api/memories', { text, tags: '', permanent: true })).status, 201);
    const typed = async (q) => (await greta.getJson(`/page/search/typed?q=${encodeURIComponent(q)}`)).hits.map((h) => h.id ?? h.message);
    for (const q of ['hauptstrasse', 'Hauptstraße', 'HAUPTSTRASSE', 'hauptstrass*', 'hauptstraß*', '"lange Hauptstraße"', '"lange hauptstrasse"']) {
        const found = await search(greta, q);
        assert.deepEqual(new Set(ids(found)), new Set(q.includes('"') ? [both[0]] : both), q);
        if (!/[*"]/.test(q)) assert.deepEqual(new Set(found.hits.map((h) => h.pieces.find((p) => p.hit).text)), new Set(['Hauptstrasse', 'Hauptstraße']), q);
    }
    for (const q of ['hauptstrass', 'Hauptstraß', 'hauptstraße', 'hauptstrasse', 'lange gross hauptstrasse']) assert.equal((await typed(q)).length, q.startsWith('lange') ? 1 : 2, q);
    assert.deepEqual(ids(await search(greta, 'lange -hauptstraße')), []);
    for (const q of ['hauptstraße', 'hauptstrasse']) assert.equal((await greta.getJson(`/api/memories?q=${encodeURIComponent(q)}`)).memories.length, 2, q);
});

test('phrases, beginnings and exclusions of scripts without blanks are no error, on every way of searching', async () => {
    const cook = await alfred.user('cook');
    const { id: session, messages: [asked] } = await say(cook, '夕飯は塩ラーメンです 오늘 날씨가');
    await say(cook, 'ラーメンと塩ラと噌ラー');
    assert.equal((await cook.request('PATCH', `/api/sessions/${session}`, { json: { title: '塩ラーメン' } })).status, 200);
    assert.equal((await cook.postJson('/api/memories', { text: '塩ラーメンが好き', permanent: true })).status, 201);
    for (const q of ['"塩ラーメン"', '塩ラー*', '"오늘 날씨가"', 'ラーメン -"塩ラと"']) {
        assert.deepEqual(ids(await search(cook, q, '&show=messages')), [asked.id], q);
        const page = await cook.get(`/search?q=${encodeURIComponent(q)}`);
        assert.equal(page.status, 200, q);
        assert.ok(page.text.includes(`/s/${session}?at=`), q);
        assert.equal((await cook.getJson(`/page/search/typed?q=${encodeURIComponent(q)}`)).hits.length, 1, q);
        assert.ok(Array.isArray((await cook.getJson(`/api/sessions?q=${encodeURIComponent(q)}`)).sessions), q);
    }
    for (const [q, found] of [['"塩ラーメン"', true], ['"ラーメン塩"', false], ['ラーメン -"塩ラーメン"', false]]) {
        assert.equal((await search(cook, q, '&show=facts')).memories.length > 0, found, q);
        assert.equal((await search(cook, q, '&show=sessions')).sessions.some((s) => s.id === session), found, q);
    }
});

test('a hit has its session, date and link; days filter', async () => {
    const [hit] = (await search(anna, 'spare key')).hits;
    assert.equal(hit.session, key.id);
    assert.equal(hit.url, `/s/${key.id}?at=${hit.id}#m-${hit.id}`);
    assert.deepEqual(hit.pieces.filter((p) => p.hit).map((p) => p.text), ['spare', 'key']);
    assert.match(hit.created_at, /^\d{4}-\d\d-\d\dT/);
    assert.equal((await anna.get(hit.url)).status, 200);
    assert.equal((await search(anna, 'spare key', '&before=2020-01-01')).hits.length, 0);
    assert.ok((await search(anna, 'spare key', '&after=2020-01-01')).hits.length > 0);
    assert.equal((await search(anna, 'key', '&limit=1')).hits.length, 1);
    for (const bad of ['after=soon', 'before=2026-02-30', 'limit=0', 'limit=1000', 'limit=x']) {
        assert.equal((await anna.get(`/api/search?q=key&${bad}`)).status, 400, bad);
    }
});

test('malicious queries are only text', async () => {
    const attacks = ['"', '""', 'key"', 'key* OR rowid:1', 'NEAR(key cellar)', 'text : secret', '{text}: secret', '^key', '-key', '(', "' OR 1=1 --",
        'key AND', 'NOT key', '%', '\\', '😀', '<script>alert(1)</script>', '{{q}}', 'secret OR cellar OR bob'];
    for (const q of attacks) {
        const page = await anna.get(`/search?q=${encodeURIComponent(q)}`);
        assert.equal(page.status, 200, q);
        assert.doesNotMatch(page.text, /<script>alert|opens the cellar/);
        assert.equal((await anna.get(`/api/search?q=${encodeURIComponent(q)}`)).status, 200, q);
    }
    for (const bad of ['%00', 'a%00b', '%FF', 'x'.repeat(501)]) assert.equal((await anna.get(`/api/search?q=${bad}`)).status, 400, bad.slice(0, 9));
});

test('the page works without script: hits with marked words, an empty state, a wrong day', async () => {
    const page = await anna.get('/search?q=spare+key');
    assert.equal(page.status, 200);
    assert.ok(page.text.includes(`href="/s/${key.id}?at=${key.messages[0].id}#m-${key.messages[0].id}"`));
    assert.match(page.text, /The <mark>spare<\/mark> <mark>key<\/mark> lies under/);
    assert.match(page.text, /&lt;b&gt;&amp;amp; &quot;quoted&quot;/);
    assert.match(page.text, /name="q" value="spare key"/);
    assert.match((await anna.get('/search')).text, /Search your conversations/);
    assert.match((await anna.get('/search?q=zzzqqq')).text, /Nothing found for “<bdi>zzzqqq<\/bdi>”/);
    const wrong = await anna.get('/search?q=key&after=soon');
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /must be a day/);
    assert.match((await anna.get('/')).text, /href="\/search"/);
    assert.equal((await alfred.client().get('/search?q=key')).status, 303);
});

test('the offline model answers with quotes of other sessions, or says that there are none', async () => {
    const answered = await say(anna, 'Where is the spare key?');
    const [question, , result, answer] = answered.messages;
    assert.equal(question.role, 'user');
    assert.equal(result.tool, 'search_sessions');
    assert.match(answer.text, /built-in model/);
    assert.match(answer.text, /spare key lies under the blue flower pot/);
    assert.ok(answer.text.includes(`](/s/${key.id}`), answer.text);
    assert.ok((await anna.get(`/s/${answered.id}`)).text.includes(`<a href="/s/${key.id}">`), 'a quote leads to its session');
    assert.ok(!answer.text.includes('cellar'));
    const nothing = await say(anna, 'What about zzzqqq?');
    assert.match(nothing.messages.at(-1).text, /found nothing/);
});

test('a changed message is found by its new words, a deleted one not at all', async () => {
    const said = await say(anna, 'The dentist is called Mortimer');
    const id = said.messages[0].id;
    const changed = await anna.request('PATCH', `/api/sessions/${said.id}/messages/${id}`, { json: { text: 'The dentist is called Rosalind' } });
    assert.equal(changed.status, 200, changed.text);
    await embedded();
    assert.ok(ids(await search(anna, 'Rosalind')).includes(id));
    assert.ok(!ids(await search(anna, 'Mortimer')).includes(id));
    assert.equal((await anna.request('DELETE', `/api/sessions/${said.id}`, { json: {} })).status, 200);
    assert.ok(!ids(await search(anna, 'Rosalind dentist')).includes(id));
    assert.equal((await anna.request('DELETE', `/api/trash/${said.id}`, { json: {} })).status, 200);
    await until('its vector is gone', () => count('SELECT count(*) FROM vector_message_1 WHERE id = ?', BigInt(id)) === 0);
});

/** The ids that have a vector, in rows and in packs, each once; and those that need one. */
function everyVector() {
    const db = new DatabaseSync(`${alfred.dataDir}/alfred.db`, { readOnly: true });
    const all = (sql) => {
        const statement = db.prepare(sql);
        statement.setReadBigInts(true);
        return statement.all();
    };
    db.exec('BEGIN'); // one snapshot: the helper may be packing
    const once = new Set(all('SELECT id FROM vector_message_1').map((row) => row.id));
    for (const { id, ids } of all('SELECT id, ids FROM pack_message_1'))
        for (const low of new Uint32Array(ids.buffer.slice(ids.byteOffset, ids.byteOffset + ids.byteLength))) {
            const one = ((id >> 32n) << 32n) | BigInt(low);
            assert.ok(!once.has(one), `${one} has two vectors`);
            once.add(one);
        }
    const wanted = all(`SELECT id FROM message WHERE text <> '' AND (role = 'user' OR (role = 'assistant' AND provider IS NOT 'offline'))`).map((row) => row.id);
    db.close();
    return { once, wanted };
}

test('a helper that is killed repeatedly while it embeds omits and repeats nothing', async () => {
    const MANY = 20_000;
    const db = alfred.openDatabase();
    const { owner, session } = db.prepare('SELECT owner, id AS session FROM session WHERE pub = ?').get(key.id);
    db.exec('BEGIN IMMEDIATE');
    const { message_seq: last } = db.prepare('SELECT message_seq FROM user WHERE id = ?').get(owner);
    const add = db.prepare(`INSERT INTO message (id, session_id, role, status, channel, text, created_at) VALUES (?, ?, 'user', 'done', 'web', ?, 1700000000000)`);
    const index = db.prepare('INSERT INTO message_text (rowid, text) VALUES (?, ?)');
    for (let i = 1; i <= MANY; i++) {
        const id = (BigInt(owner) << 32n) + BigInt(last + i);
        const text = `note ${i} about sailing, gardens and number${i % 97}`;
        add.run(id, session, text);
        index.run(id, text);
    }
    db.prepare('UPDATE user SET message_seq = ? WHERE id = ?').run(last + MANY, owner);
    db.prepare(`INSERT INTO job (kind, owner, subject, state, run_at, created_at) VALUES ('embed', ?, 0, 'ready', 0, 0) ON CONFLICT DO NOTHING`).run(owner);
    db.exec('COMMIT');
    db.close();
    // Older vectors are in packs: such a message has no row, but an id between the ends of a pack.
    const lacking = () => count(`SELECT count(*) FROM message m WHERE role = 'user' AND text <> '' AND NOT EXISTS (SELECT 1 FROM vector_message_1 v WHERE v.id = m.id)
        AND coalesce((SELECT k.first FROM pack_message_1 k WHERE k.id >= m.id ORDER BY k.id LIMIT 1), m.id + 1) > m.id`);
    const packs = () => count('SELECT count(*) FROM pack_message_1');
    let kills = 0;
    for (let before = lacking(); kills < 2 && before > 0; before = lacking()) {
        await alfred.killAndAwait('helper');
        kills++;
        // Each helper makes progress before it is killed.
        await until('the helper goes on', () => lacking() < before);
    }
    await until('everything has its vector', () => lacking() === 0);
    for (let i = 0; i < 2; i++) { // a fifth early end would be the job's last
        const before = packs();
        await until('the helper packs', () => packs() > before || packs() * 256 > MANY - 1000);
        await alfred.killAndAwait('helper');
    }
    await until('what has settled is packed', () => packs() * 256 > MANY - 1000);
    const { once, wanted } = everyVector();
    assert.equal(once.size, wanted.length);
    assert.ok(wanted.every((id) => once.has(id)));
    assert.equal(count(`SELECT count(*) FROM vector_message_1 v WHERE NOT EXISTS (SELECT 1 FROM message m WHERE m.id = v.id)`), 0);
    assert.equal(count(`SELECT count(*) FROM job WHERE kind = 'embed' AND state = 'dead'`), 0);
    assert.equal(ids(await search(anna, 'spare key flower pot'))[0], key.messages[0].id);
});

test('while a query is typed, the beginning of its last word finds messages, sessions and facts', async () => {
    const typist = await alfred.user('typist');
    const { id: session } = await say(typist, 'How does a mortgage in 味噌ラーメン shops work?');
    await typist.request('PATCH', `/api/sessions/${session}`, { json: { title: 'Mortgages' } });
    await typist.postJson('/api/memories', { text: 'Pays the mortgage on Mondays', permanent: true });
    const other = await alfred.user('onlooker');
    await say(other, 'A mortgage of mine');
    const typed = async (q) => {
        const { sessions, hits, memories } = await typist.getJson(`/page/search/typed?q=${encodeURIComponent(q)}`);
        return [sessions.length, hits.length, memories.length];
    };
    assert.deepEqual(await typed('mort'), [1, 1, 1]);
    assert.deepEqual(await typed('m'), [1, 0, 1], 'one letter begins no word of a message');
    assert.deepEqual(await typed('how mort'), [0, 1, 0], 'all words count');
    assert.equal((await typed('mort '))[1], 0, 'a blank ends the word');
    assert.equal((await typed('味噌'))[1], 1);
    assert.equal((await typed('味'))[1], 1);
    assert.equal((await typed('mortgage 味噌'))[1], 1);
    assert.equal((await typed('mortgage 寿司'))[1], 0);
    assert.deepEqual(await typed('"*) OR'), [0, 0, 0]);
    assert.deepEqual(await typed(''), [1, 0, 0], 'nothing typed: the sessions');
    const [hit] = (await typist.getJson('/page/search/typed?q=mortgage')).hits;
    assert.ok(hit.pieces.some((p) => p.hit && p.text === 'mortgage') && hit.url.startsWith(`/s/${session}?at=`));
});
