// The trash: what is in it is nowhere else, it comes back as it was, and what is erased leaves nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers, callsTool } from '../../fake/provider.js';
import { asksForSummary, beginAnswer, confirm, ended, eventsOf, exchange, isGoing, provide, send, serveFile } from '../../lib/chat.js';
import { PASSWORD, until } from '../../lib/rig.js';
import { bring } from '../../lib/transfer.js';

const provider = await provide();
provider.always(answers('What was said.'), asksForSummary);
const alfred = await serveFile({ env: provider.env, config: { jobs: { retry_seconds: 0 } } });
const anna = await alfred.admin('anna');

const remove = (client, path) => client.request('DELETE', path, { json: {} });
const trash = async (client) => (await client.getJson('/api/trash')).trash;
const restore = (client, id) => client.postJson(`/api/trash/${id}/restore`, {});

const count = (sql, ...args) => alfred.database((db) => db.prepare(`SELECT count(*) AS n FROM ${sql}`).get(...args).n);
const purged = () => until('the erased rows are gone', () => count('trash WHERE erased = 1 OR trashed_at = 1') === 0);

/** Everywhere where a word of a conversation, its title or its id could appear. */
const places = {
    'the list': '/sessions',
    'the whole list': '/api/sessions?show=all',
    'the found list': '/api/sessions?q=quokka',
    'the sidebar': '/page/sidebar',
    'the chat page': '/',
    'the search': '/api/search?q=quokka',
    'the search page': '/search?q=quokka',
    'the search while typing': '/page/search/typed?q=quokk',
    'the suggestions': '/api/suggestions',
    'related sessions': (other) => `/api/sessions/${other}/related?limit=20`,
    'another conversation': (other) => `/api/sessions/${other}`,
};
/** The places that show it, as names. */
async function shownIn(other) {
    const found = [];
    for (const [name, place] of Object.entries(places)) {
        const answer = await anna.get(typeof place === 'string' ? place : place(other));
        assert.equal(answer.status, 200, `${name}: ${answer.text}`);
        if (/quokka/i.test(answer.text.replaceAll(/value="[^"]*"|“[^”]*”|<title>[^<]*|q=quokka/g, ''))) found.push(name);
    }
    return found;
}
const before = ['the list', 'the whole list', 'the found list', 'the sidebar', 'the chat page', 'the search', 'the search page', 'the search while typing'];

test('a session in the trash is in no list, search or tool, and comes back', async () => {
    const other = await exchange(anna, provider, 'A question about kettles', 'They boil.');
    const { session } = await exchange(anna, provider, 'Tell me about the quokka', 'The quokka is small.');
    assert.equal((await anna.request('PATCH', `/api/sessions/${session}`, { json: { title: 'Quokkas' } })).status, 200);
    const saw = await shownIn(other.session);
    assert.deepEqual(before.filter((name) => !saw.includes(name)), []);

    const gone = await remove(anna, `/api/sessions/${session}`);
    assert.equal(gone.status, 200);
    assert.ok(Date.parse(gone.json.erased_at) > Date.now() + 29 * 86_400_000);
    assert.deepEqual(await shownIn(other.session), []);
    const [entry] = await trash(anna);
    assert.deepEqual([entry.id, entry.kind, entry.title, entry.message_count], [session, 'session', 'Quokkas', 2]);

    for (const path of [`/api/sessions/${session}`, `/api/sessions/${session}/messages`, `/api/sessions/${session}/related`, `/api/sessions/${session}/file?format=md`, `/api/sessions/${session}/summaries`]) {
        const answer = await anna.get(path);
        assert.equal(answer.status, 410, path);
        assert.match(answer.json.error.message, /in the trash/);
    }
    const sent = await anna.postJson(`/api/sessions/${session}/messages`, { text: 'Hello?' });
    assert.equal(sent.status, 410);
    const page = await anna.get(`/s/${session}`);
    assert.equal(page.status, 410);
    assert.match(page.text, new RegExp(`action="/trash/${session}/restore"`));

    for (const [tool, args] of [['search_sessions', { query: 'quokka' }], ['list_sessions', {}]]) {
        const text = `Look it up with ${tool}`;
        provider.next(callsTool(tool, args, 'Nothing.'), (call) => call.asks(text));
        provider.next(callsTool(tool, args, 'Nothing.'), (call) => call.asks(text));
        const asked = await send(anna, text, { session: other.session });
        await ended(anna, asked.turn);
        const result = (await anna.getJson(`/api/sessions/${other.session}`)).messages.findLast((m) => m.role === 'tool');
        assert.equal(result.tool, tool);
        assert.doesNotMatch(result.text, /quokka/i, tool);
    }
    assert.equal((await restore(anna, session)).status, 200);
    const again = await shownIn(other.session);
    assert.deepEqual(before.filter((name) => !again.includes(name)), []);
    assert.deepEqual(await trash(anna), []);
    assert.equal((await restore(anna, session)).status, 200, 'another device was faster');
});

test('messages in the trash are nowhere, and return to their place', async () => {
    const other = await exchange(anna, provider, 'A question about lamps', 'They shine.');
    const first = await exchange(anna, provider, 'Something harmless', 'Indeed.');
    const second = await exchange(anna, provider, 'The numbat eats termites', 'The numbat does.', { session: first.session });
    const messages = async () => (await anna.getJson(`/api/sessions/${first.session}`)).messages.map((m) => m.id);
    const all = await messages();
    const gone = await remove(anna, `/api/sessions/${first.session}/messages/${second.asked}`);
    assert.equal(gone.json.session.message_count, 2);
    assert.deepEqual(await messages(), all.slice(0, 2));
    assert.doesNotMatch((await anna.get('/api/search?q=numbat')).text, /termites/);
    assert.doesNotMatch((await anna.get(`/api/sessions/${other.session}/related`)).text, /numbat/);
    const [entry] = await trash(anna);
    assert.deepEqual([entry.id, entry.kind, entry.session, entry.text, entry.message_count], [gone.json.trash, 'messages', first.session, 'The numbat eats termites', 2]);
    for (const query of [`at=${second.asked}`, `around=${second.reply}`]) assert.equal((await anna.get(`/api/sessions/${first.session}/messages?${query}`)).status, query.startsWith('at') ? 410 : 404);

    const back = await restore(anna, entry.id);
    assert.deepEqual([back.status, back.json.message], [200, second.asked]);
    assert.deepEqual(await messages(), all);
    assert.match((await anna.get('/api/search?q=numbat')).text, /termites/);
    const again = await restore(anna, entry.id);
    assert.equal(again.status, 410);
    assert.match(again.json.error.message, /restored or erased/);
});

test('a message whose session is in the trash brings the session back', async () => {
    const { session, asked } = await exchange(anna, provider, 'About axolotls', 'They are amphibians.');
    const { trash: entry } = (await remove(anna, `/api/sessions/${session}/messages/${asked}`)).json;
    await remove(anna, `/api/sessions/${session}`);
    assert.equal((await trash(anna)).find((e) => e.id === entry).session_in_trash, true);
    assert.equal((await restore(anna, entry)).json.session.id, session);
    assert.equal((await anna.getJson(`/api/sessions/${session}`)).messages.length, 2);
});

test('another user sees, restores and erases nothing', async () => {
    const { session } = await exchange(anna, provider, 'Mine alone', 'Yes.');
    const bob = await alfred.user('bob');
    await remove(anna, `/api/sessions/${session}`);
    assert.deepEqual(await trash(bob), []);
    assert.equal((await restore(bob, session)).status, 410);
    assert.equal((await remove(bob, `/api/trash/${session}`)).status, 410);
    assert.equal((await bob.get(`/api/sessions/${session}`)).status, 404);
    assert.equal((await restore(anna, session)).status, 200);
});

test('a running answer stops, and its text is there after the way back', async () => {
    const text = 'Tell about wombats';
    let left;
    provider.next(async (call) => {
        left = call.gone;
        await call.start();
        await call.text('Wombats dig');
        await call.gone;
    }, (call) => call.asks(text));
    const sent = await send(anna, text);
    const events = await eventsOf(anna, sent.turn);
    await events.until((e) => e.data.includes('Wombats'));
    assert.equal((await remove(anna, `/api/sessions/${sent.session}`)).status, 200);
    await left; // the request to the provider is closed
    await until('the turn has ended', () => count("turn WHERE status = 'running'") === 0);
    await restore(anna, sent.session);
    const { session, messages } = await anna.getJson(`/api/sessions/${sent.session}`);
    assert.equal(session.running, false);
    assert.deepEqual([messages.at(-1).status, messages.at(-1).text], ['stopped', 'Wombats dig']);
    assert.match((await anna.get('/api/search?q=wombats')).text, /Wombats/);
});

test('facts and tasks of a session in the trash stay, and say where their source is', async () => {
    const { session, asked } = await exchange(anna, provider, 'Please remember that I like figs', 'I will.');
    const { memory } = (await anna.postJson('/api/memories', { text: 'Likes figs', permanent: true })).json;
    alfred.database((db) => db.prepare('UPDATE memory SET source_id = ? WHERE id = ?').run(BigInt(asked), BigInt(memory.id)));
    const fact = async () => (await anna.getJson('/api/memories?q=figs')).memories[0];
    assert.equal((await fact()).source_in_trash, false);
    const { trash: entry } = (await remove(anna, `/api/sessions/${session}/messages/${asked}`)).json;
    assert.deepEqual([(await fact()).source_in_trash, (await fact()).source_url.split('?')[0]], [true, `/s/${session}`]);
    assert.match((await anna.get('/memory')).text, /Source, in the trash/);
    await restore(anna, entry);
    await remove(anna, `/api/sessions/${session}`);
    assert.equal((await fact()).source_in_trash, true);
    await remove(anna, `/api/trash/${session}`);
    await purged();
    assert.deepEqual([(await fact()).source_in_trash, (await fact()).source_url], [false, null]);
});

test('an export has nothing of the trash but the facts', async () => {
    const { session, asked } = await exchange(anna, provider, 'The okapi is striped', 'It is.');
    const kept = await exchange(anna, provider, 'Something to keep', 'Kept.');
    await remove(anna, `/api/sessions/${session}`);
    const { transfer } = (await anna.postJson('/api/exports', {})).json;
    const done = await until('the export', async () => {
        const { transfer: now } = await anna.getJson(`/api/transfers/${transfer.id}`);
        return !isGoing(now) && now;
    });
    const file = await anna.get(done.file_url);
    const { gunzipSync } = await import('node:zlib');
    const bytes = file.body;
    const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString();
    assert.doesNotMatch(text, new RegExp(`okapi|${session}`)); // the names in a zip are readable
    assert.match(text, new RegExp(kept.session));
    assert.ok(asked);
    await restore(anna, session);
});

test('the trash is erased by its age, and a helper that is killed meanwhile goes on', async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await exchange(anna, provider, `An old story ${i}`, 'Long ago.')).session);
    for (const id of ids) await remove(anna, `/api/sessions/${id}`);
    // 3,000 messages in one of them, so that the removal takes several steps
    alfred.database((db) => {
        const { id: session } = db.prepare('SELECT id FROM session WHERE pub = ?').get(ids[0]);
        const { id: user, message_seq: seq } = db.prepare("SELECT id, message_seq FROM user WHERE name = 'anna'").get();
        const add = db.prepare("INSERT INTO message (id, session_id, role, status, channel, text, created_at) VALUES (?, ?, 'user', 'done', 'web', 'old', 1)");
        db.exec('BEGIN IMMEDIATE');
        for (let i = 1; i <= 3000; i++) add.run(BigInt(user) * 4294967296n + BigInt(seq + i), session);
        db.prepare('UPDATE user SET message_seq = message_seq + 3000 WHERE id = ?').run(user);
        db.prepare(`UPDATE trash SET trashed_at = 1 WHERE session_id IN (SELECT id FROM session WHERE pub IN (?, ?, ?))`).run(...ids);
        db.prepare("INSERT INTO job (kind, subject, state, run_at, created_at) VALUES ('purge_trash', 0, 'ready', 0, 1) ON CONFLICT DO NOTHING").run();
        db.exec('COMMIT');
    });
    await alfred.killAndAwait('helper');
    await purged();
    assert.deepEqual((await trash(anna)).filter((e) => ids.includes(e.id)), []);
    assert.equal(count("message WHERE text IN ('old', 'Long ago.')"), 0);
    assert.equal(count('session WHERE owner = 0'), (await trash(anna)).length);
    for (const id of ids) assert.equal((await restore(anna, id)).status, 410);
    assert.equal((await anna.get(`/api/sessions/${ids[0]}`)).status, 404);
});

test('the page lists, restores, erases and empties, and only emptying asks', async () => {
    const { session, reply } = await exchange(anna, provider, 'A page of its own', 'Yes.');
    assert.equal((await anna.post(`/sessions/${session}/delete`, { back: '/sessions' })).location, `/sessions?done=deleted.${session}`);
    const page = await anna.get('/trash');
    assert.match(page.text, new RegExp(`<li class="item" id="${session}"`));
    const { location } = await anna.post(`/trash/${session}/restore`, { back: '/trash' });
    assert.equal(location, `/trash?done=restored.${session}`);
    assert.match((await anna.get(location)).text, new RegExp(`class="flash"[^]*<p>The session is restored\\.</p><a class="btn" href="/s/${session}">Open</a></div>`));
    const { trash: entry } = (await anna.request('DELETE', `/api/sessions/${session}/messages/${reply}`)).json;
    const back = (await anna.post(`/trash/${entry}/restore`, { back: '/trash' })).location;
    assert.equal(back, `/trash?done=message_restored.${session}.${reply}`);
    assert.match((await anna.get(back)).text, new RegExp(`restored\\.</p><a class="btn" href="/s/${session}\\?at=${reply}#m-${reply}">Open</a></div>`));
    for (const odd of ['restored', 'restored.', 'restored.x', `restored.${session}x`])
        assert.match((await anna.get(`/trash?done=${odd}`)).text, /<p>The session is restored\.<\/p><\/div>/, odd);
    await anna.post(`/sessions/${session}/delete`);
    assert.equal((await anna.post(`/trash/${session}/erase`)).location, '/trash?done=erased');
    assert.equal((await anna.post(`/trash/${session}/restore`)).status, 410);
    const more = await exchange(anna, provider, 'One more for the bin', 'Yes.');
    await anna.post(`/sessions/${more.session}/delete`);
    assert.equal((await anna.post('/trash/restore')).location, '/trash?done=all_restored');
    assert.equal((await anna.get(`/s/${more.session}`)).status, 200);
    await anna.post(`/sessions/${more.session}/delete`);
    assert.match((await anna.get('/trash/empty')).text, /Empty the trash\?[^]*erased for good/);
    assert.equal((await anna.post('/trash/empty')).location, '/trash?done=emptied');
    assert.match((await anna.get('/trash')).text, /The trash is empty/);
    await purged();
    for (const after of ['x', '1', '1.', '.1', '-1.2', '9'.repeat(40), '0.0']) assert.equal((await anna.get(`/api/trash?after=${after}`)).status, 400, after);
});

test('is:trashed leads to what is in the trash, by the words of its titles and messages', async () => {
    const plum = await exchange(anna, provider, 'How do I prune a plum tree?', 'In summer, 100% of the time.');
    const pear = await exchange(anna, provider, 'And a pear_tree?', 'In winter.');
    for (const { session } of [plum, pear]) await anna.post(`/sessions/${session}/delete`);
    const found = async (q) => (await anna.get(`/api/trash?q=${encodeURIComponent(q)}`)).json.trash.map((t) => t.id);
    assert.deepEqual(await found('TREE'), [pear.session, plum.session]);
    assert.deepEqual(await found('tree winter'), [pear.session]);
    assert.deepEqual(await found('100%'), [plum.session]);
    assert.deepEqual(await found('r_t'), [pear.session], '_ is no wildcard');
    assert.deepEqual(await found('tree autumn'), []);
    assert.deepEqual(await found('a b c d e f g h i j k l'.repeat(20)), []);
    for (const path of ['/search', '/sessions']) assert.equal((await anna.get(`${path}?q=is:trashed+plum+tree`)).location, '/trash?q=plum%20tree');
    assert.equal((await anna.get('/search?q=-is:trashed')).status, 200);
    const page = await anna.get('/trash?q=plum');
    assert.ok(page.text.includes(plum.session) && !page.text.includes(pear.session));
    assert.match((await anna.get('/trash?q=wibble')).text, /Nothing in the trash has all of these words/);
    const api = (await anna.get('/api/search?q=is:trashed+plum')).json;
    assert.deepEqual([api.hits.length, api.sessions.length, api.notices], [0, 0, ['Deleted sessions and messages are in the trash.']]);
    assert.equal((await anna.get('/api/sessions?q=is:trashed')).status, 400);
    assert.equal((await anna.postJson('/api/sessions/batch', { action: 'pin', q: 'is:trashed' })).status, 400);
    await anna.post('/trash/restore');
});

test('the model’s deletion of a session goes to the trash as well', async () => {
    const { session } = await exchange(anna, provider, 'To be deleted by words', 'Yes.');
    const text = 'Delete that chat, please';
    for (let i = 0; i < 2; i++) provider.next(callsTool('delete_session', { session }, 'Please confirm.'), (call) => call.asks(text));
    const asks = await send(anna, text);
    await ended(anna, asks.turn);
    assert.equal((await confirm(anna, asks.session, 'yes')).status, 303);
    assert.equal((await trash(anna))[0].id, session);
    await restore(anna, session);
});

test('10,000 messages go to the trash and back, and the search knows it', async () => {
    const { session } = await exchange(anna, provider, 'The beginning', 'Yes.');
    alfred.database((db) => {
        const { id, head_id: head } = db.prepare('SELECT id, head_id FROM session WHERE pub = ?').get(session);
        const { id: user, message_seq: seq } = db.prepare("SELECT id, message_seq FROM user WHERE name = 'anna'").get();
        const add = db.prepare("INSERT INTO message (id, session_id, parent_id, role, status, channel, text, created_at) VALUES (?, ?, ?, 'user', 'done', 'web', ?, 1)");
        const index = db.prepare('INSERT INTO message_text (rowid, text) VALUES (?, ?)');
        let parent = BigInt(head);
        db.exec('BEGIN IMMEDIATE');
        for (let i = 1; i <= 10_000; i++) {
            const at = BigInt(user) * 4294967296n + BigInt(seq + i);
            add.run(at, id, parent, `The platypus number ${i}`);
            index.run(at, `The platypus number ${i}`);
            parent = at;
        }
        db.prepare('UPDATE user SET message_seq = message_seq + 10000 WHERE id = ?').run(user);
        db.prepare('UPDATE session SET head_id = ?, message_count = message_count + 10000 WHERE id = ?').run(parent, id);
        db.exec('COMMIT');
    });
    assert.match((await anna.get('/api/search?q=platypus')).text, /platypus/);
    assert.equal((await remove(anna, `/api/sessions/${session}`)).status, 200);
    assert.deepEqual((await anna.getJson('/api/search?q=platypus')).hits, []);
    assert.equal((await restore(anna, session)).status, 200);
    assert.ok((await anna.getJson('/api/search?q=platypus')).hits.length > 0);
    alfred.database((db) => db.exec("INSERT INTO message_text (message_text, rank) VALUES ('integrity-check', 1)"));
    await remove(anna, `/api/sessions/${session}`);
    await remove(anna, '/api/trash');
    await purged();
    assert.equal(count("message WHERE text LIKE 'The platypus%'"), 0);
});

test('an account is deleted by its user with all that is of it', async () => {
    const carl = await alfred.user('carl');
    const phone = await alfred.user('carl2');
    assert.ok(phone);
    const { session } = await exchange(carl, provider, 'The zyzzyva is a weevil', 'It is.');
    const inTrash = await exchange(carl, provider, 'Another zyzzyva', 'Yes.');
    await remove(carl, `/api/sessions/${inTrash.session}`);
    await carl.postJson('/api/memories', { text: 'Collects zyzzyvas', permanent: true });
    for (const [fields, status] of [[{ name: 'anna', current: PASSWORD }, 400], [{ name: 'carl', current: 'wrong password' }, 401]]) {
        const refused = await carl.post('/account/delete', fields);
        assert.equal(refused.status, status);
        assert.match(refused.text, /class="problem"/);
    }
    assert.equal((await carl.get(`/s/${session}`)).status, 200, 'nothing has happened');
    assert.equal((await anna.post('/account/delete', { name: 'anna', current: PASSWORD })).status, 409, 'the last admin stays');
    const { id } = alfred.database((db) => db.prepare("SELECT id FROM user WHERE name = 'carl'").get());
    const gone = await carl.post('/account/delete', { name: ' Carl ', current: PASSWORD });
    assert.deepEqual([gone.status, gone.location], [303, '/signin?done=account_deleted']);
    assert.equal((await carl.get('/api/me')).status, 401);
    await until('the account is erased', () => count('user WHERE id = ?', id) === 0);
    const first = BigInt(id) << 32n;
    alfred.database((db) => {
        for (const { name } of db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%owner %'").all())
            assert.equal(db.prepare(`SELECT count(*) AS n FROM ${name} WHERE owner = ?`).get(id).n, 0, name);
        assert.equal(db.prepare('SELECT count(*) AS n FROM message WHERE id BETWEEN ? AND ?').get(first, first + 4294967295n).n, 0);
        assert.equal(db.prepare("SELECT count(*) AS n FROM audit WHERE action = 'account_deleted' AND user_id = ?").get(id).n, 1, 'the audit trail stays');
        assert.equal(db.prepare("SELECT count(*) AS n FROM message_text WHERE message_text MATCH 'zyzzyva'").get().n, 0);
    });
    assert.doesNotMatch(alfred.logs(), /zyzzyva/i);
});

test('a turn stops when its session goes to the trash with hundreds of others', async () => {
    const carl = await alfred.user('carl');
    const others = [];
    // More changes than one report of a commit has room for.
    for (let i = 0; i < 200; i++) others.push(await send(carl, `One of many ${i}`, { choice: 'offline/offline' }));
    for (const { turn } of others) await ended(carl, turn);
    const text = 'Thrown away with the others';
    const sent = await send(carl, text);
    const call = await beginAnswer(provider, text);
    const ids = [sent, ...others].map((s) => s.session);
    const done = await carl.postJson('/api/sessions/batch', { action: 'trash', ids });
    assert.equal(done.status, 200, done.text);
    assert.equal(done.json.batch.done, ids.length);
    await until('the provider is left', () => call.left);
});

test('a long session leaves the index in steps and comes back in steps, also when programs are killed', async () => {
    const lea = await alfred.user('lea');
    const id = 'ses_00000000000000000000000001', many = 6000;
    const records = [{ type: 'header', format: 'alfred', version: 1, sessions: 1 }, { type: 'session', id, title: 'Long' }];
    for (let i = 1; i <= many; i++) records.push({ type: 'message', id: `${i}`, parent: i > 1 ? `${i - 1}` : undefined, role: i % 2 ? 'user' : 'assistant', text: `A numbat in the forest, seen for the ${i}th time`, created_at: i });
    assert.equal((await bring(lea, records.map((r) => `${JSON.stringify(r)}\n`).join(''))).state, 'done');
    const [{ id: session }] = (await lea.getJson('/api/sessions')).sessions;
    const first = BigInt(alfred.sql("SELECT id FROM user WHERE name = 'lea'")[0].id) << 32n;
    const indexed = () => count('message_text_docsize WHERE id BETWEEN ? AND ?', first, first + 4294967295n);
    const found = async () => (await lea.getJson('/api/search?q=numbat')).hits.length > 0;
    assert.equal(indexed(), many);
    assert.ok(await found());

    assert.ok((await remove(lea, `/api/sessions/${session}`)).status < 300);
    assert.ok(indexed() > 0, 'the helper takes the rest out');
    await alfred.killAndAwait('helper');
    assert.ok(!(await found()));
    assert.equal((await lea.get(`/api/sessions/${session}`)).status, 410);
    await until('no message is in the index', () => indexed() === 0);

    const broken = restore(lea, session).catch(() => null);
    await until('it comes back', () => indexed() > 0);
    await alfred.killAndAwait('api');
    await broken;
    const [entry] = await trash(lea);
    if (entry) {
        assert.ok(!(await found()), 'it is still hidden');
        assert.equal((await restore(lea, entry.id)).status, 200);
    }
    assert.equal(indexed(), many);
    assert.ok(await found());
    assert.deepEqual(await trash(lea), []);

    await remove(lea, `/api/sessions/${session}`);
    assert.equal((await restore(lea, session)).status, 200, 'undo while it leaves the index');
    assert.equal(indexed(), many);
});

test('the deletion of a long branch that was broken off goes on with its entry, or is undone', async () => {
    const mia = await alfred.user('mia');
    const many = 6000, records = [{ type: 'header', format: 'alfred', version: 1, sessions: 1 }, { type: 'session', id: 'ses_00000000000000000000000001', title: 'Long' }];
    for (let i = 1; i <= many; i++) records.push({ type: 'message', id: `${i}`, parent: i > 1 ? `${i - 1}` : undefined, role: i % 2 ? 'user' : 'assistant', text: `A numbat, seen for the ${i}th time`, created_at: i });
    assert.equal((await bring(mia, records.map((r) => `${JSON.stringify(r)}\n`).join(''))).state, 'done');
    const [{ id: session }] = (await mia.getJson('/api/sessions')).sessions;
    const [{ id, sid }] = alfred.sql('SELECT m.id, m.session_id AS sid FROM message m JOIN session s ON s.id = m.session_id WHERE s.pub = ? ORDER BY m.id LIMIT 1 OFFSET 2', session);
    const left = () => count('message WHERE session_id = ?', sid), message = `/api/sessions/${session}/messages/${id}`;
    /** Kills the program after a part of the deletion, unless that has ended already. */
    const breakOff = async (program, request) => {
        const pids = alfred.pids(program), broken = request().catch(() => null);
        await until('a part is in the trash', () => alfred.database((db) => {
            db.exec('BEGIN IMMEDIATE'); // no part follows before the kill
            const now = left();
            if (now < many && now > 2) pids.forEach((pid) => process.kill(pid, 'SIGKILL'));
            db.exec('COMMIT');
            return now < many;
        }));
        return broken;
    };

    const again = await breakOff('api', () => remove(mia, message)); // nginx sends a DELETE again
    assert.equal(again.status, 200, again.text);
    const [entry, second] = await trash(mia);
    assert.deepEqual([second, entry.message, left()], [undefined, `${id}`, 2]);
    assert.equal((await restore(mia, entry.id)).status, 200);
    assert.equal(left(), many);

    await breakOff('pages', () => mia.post(`/sessions/${session}/messages/${id}/delete`));
    if (left() > 2) {
        assert.equal((await trash(mia)).length, 1);
        alfred.sql('UPDATE trash SET trashed_at = trashed_at - 60000 WHERE from_id = ?', sid);
        const { session: other } = await exchange(mia, provider, 'Another one', 'Yes');
        await remove(mia, `/api/sessions/${other}`); // wakes the helper
        await until('all messages are back', () => left() === many);
        assert.deepEqual((await trash(mia)).map((e) => e.session), [other]);
    }
});
