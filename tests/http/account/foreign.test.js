// Users cannot reach each other's data. Every route with an id is called with another user's ids. The answer is byte
// for byte the one for ids that do not exist, contains nothing of the other user, and leaves the other's rows
// unchanged. The routes come from the programs' own tables, so new ones are included.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ended, send, serveFile } from '../../lib/chat.js';
import { upload } from '../../lib/picture.js';
import { until } from '../../lib/rig.js';
import { routeTables } from '../../lib/routes.js';

const SECRET = 'xylophone';
const alfred = await serveFile({ config: { share: { members: 'yes' } } });
await alfred.admin('root');
const anna = await alfred.user('anna');
const bob = await alfred.user('bob');

const one = (sql, ...args) => alfred.database((db) => Object.values(db.prepare(sql).get(...args))[0]);
const owner = one(`SELECT id FROM user WHERE name = 'anna'`);

/** One record of each kind of a user: a session with an exchange, its turn, a fact, a task, and so on. */
async function belongings(client, word) {
    const first = await send(client, `My ${word} is broken`);
    await ended(client, first.turn);
    await client.postJson('/api/memories', { text: `Plays the ${word}`, permanent: true });
    await client.postJson('/api/tasks', { text: `Mend the ${word}` });
    const { reminder } = (await client.postJson('/api/reminders', { text: `Play the ${word}`, at: '2040-12-01T17:00' })).json;
    const { file } = (await client.postJson('/api/workspace/files', { workspace: word, name: `${word}.txt`, text: `How to play the ${word}` })).json;
    const { persona } = (await client.postJson('/api/personas', { name: `Knows the ${word}`, text: `You play the ${word}.` })).json;
    const [memory] = (await client.getJson('/api/memories')).memories;
    const id = one(`SELECT id FROM user WHERE name = ?`, client.userName);
    const session = one('SELECT id FROM session WHERE pub = ?', first.session);
    const asked = BigInt(first.asked);
    alfred.database((db) => {
        const insert = (table, row) => db.prepare(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map(() => '?')})`).run(...Object.values(row));
        insert('compaction', { session_id: session, first_id: asked, last_id: BigInt(first.reply), messages: 2, tokens_before: 9, tokens_after: 5, keep: '', text: `About a ${word}`, facts: '[]', transcript: `${first.session}-1.jsonl`, provider: 'offline', model: 'offline', created_at: 1 });
        insert('suggestion', { owner: id, kind: 'remember', state: 'open', text: `Owns a ${word}`, source_id: asked, created_at: 1 });
        insert('suggestion', { owner: id, kind: 'forget', state: 'open', text: '', session_id: session, message_id: BigInt(first.reply), subject: BigInt(memory.id), created_at: Date.now(), lapses_at: Date.now() + 1_800_000 });
        insert('channel_identity', { channel: 'telegram', external_id: word, name: word, user_id: id, created_at: 1, linked_at: 1 });
        insert('transfer', { pub: `xfr_${first.session.slice(4)}`, owner: id, kind: 'export', state: 'done', format: 'alfred', created_at: 1, ended_at: 2 });
    });
    return {
        ID_SESSION: first.session,
        ID_SESSION_NEW: first.session,
        ID_TURN: first.turn,
        ID_LOGIN: one('SELECT pub FROM login WHERE user_id = ? ORDER BY id DESC LIMIT 1', id),
        ID_TRANSFER: `xfr_${first.session.slice(4)}`,
        ID_BATCH: (await client.postJson('/api/sessions/batch', { action: 'pin', ids: [first.session] })).json.batch.id,
        ID_PICTURE: (await upload(client)).id,
        ID_OR_NONE: persona.id,
        ID_API_TOKEN: (await client.postJson('/api/tokens', { name: `A ${word}`, scopes: 'read' })).json.token.id,
        rows: {
            file: file.id,
            entry: persona.id,
            reminder: reminder.id,
            identity: String(one('SELECT id FROM channel_identity WHERE user_id = ?', id)),
            message: first.asked,
            memory: memory.id,
            task: String(one('SELECT id FROM task WHERE owner = ?', id)),
            compaction: String(one('SELECT id FROM compaction WHERE session_id = ?', session)),
            suggestion: String(one('SELECT id FROM suggestion WHERE owner = ? ORDER BY id', id)),
        },
    };
}
const hers = await belongings(anna, SECRET);
const his = await belongings(bob, 'trumpet');

/** Ids of the same form that do not exist. */
const nobodys = {
    ID_SESSION: hers.ID_SESSION.replace(/.{5}$/, '22222'),
    ID_SESSION_NEW: hers.ID_SESSION.replace(/.{5}$/, '22222'),
    ID_TURN: hers.ID_TURN.replace(/.{5}$/, '22222'),
    ID_LOGIN: hers.ID_LOGIN.replace(/.{5}$/, '22222'),
    ID_TRANSFER: hers.ID_TRANSFER.replace(/.{5}$/, '22222'),
    ID_BATCH: hers.ID_BATCH.replace(/.{5}$/, '22222'),
    ID_API_TOKEN: hers.ID_API_TOKEN.replace(/.{5}$/, '22222'),
    ID_PICTURE: hers.ID_PICTURE.replace(/.{5}$/, '22222'),
    ID_OR_NONE: '999999',
};
const isId = (field) => field.type.startsWith('ID_');
/** The kind of record of a row id whose name does not say it. */
function thingOf(route, field) {
    if (field.name in hers.rows) return field.name;
    return ['memory', 'memories', 'tasks', 'task', 'suggestions'].reduce((found, word) => (route.path.includes(`/${word}`) ? { memories: 'memory', tasks: 'task', suggestions: 'suggestion' }[word] ?? word : found), 'message');
}
function idOf(whose, route, field) {
    if (field.type !== 'ID_ROW') {
        assert.ok(whose[field.type], `${route.file}: ${route.path} takes a ${field.type}: say in belongings() how a user gets one, and what is nobody's`);
        return whose[field.type];
    }
    return whose.rows ? whose.rows[thingOf(route, field)] : thingOf(route, field).match(/message|memory|task|reminder/) ? String(((BigInt(hers.rows.message) >> 32n) << 32n) + 999999n) : '999999';
}

/** Values for the other required fields. */
const filler = { text: 'Taken over', title: 'Taken over', answer: 'yes', keep: 'all', name: 'x', format: 'md', role: 'member', due: '', line: '/undo', for: '10m', at: '2040-12-01T17:00', start: '2040-12-01T17:00', repeat: 'never' };

/** Calls a route with the ids of `whose` by field; returns the comparable part of the answer. */
async function ask(route, whoseOf) {
    const values = {};
    for (const f of route.fields) {
        if (isId(f)) {
            const whose = whoseOf(f);
            if (whose) values[f.name] = idOf(whose, route, f);
        } else if (f.required || (['PATCH', 'POST'].includes(route.method) && ['text', 'title'].includes(f.name))) {
            assert.ok(f.name in filler, `${route.file}: ${route.path} needs ${f.name}: give it a value in filler`);
            values[f.name] = route.surface !== 'PAGE' && f.type === 'BOOL' ? true : filler[f.name];
        }
    }
    const told = Object.values(values).filter((v) => /^(\d{6,}|[a-z]{3}_\w{26})$/.test(v));
    let path = route.path.replace(/\{(\w+)\}/g, (_, name) => {
        const value = encodeURIComponent(values[name]);
        delete values[name];
        return value;
    });
    const unsafe = route.method !== 'GET';
    if (!unsafe) path += `?${new URLSearchParams(values)}`;
    const answer = await bob.request(route.method, path, unsafe ? (route.surface !== 'PAGE' ? { json: values } : { form: values }) : { headers: route.surface !== 'PAGE' ? { accept: 'application/json' } : {} });
    const untold = (said) => told.reduce((all, id) => all.replaceAll(id, 'ID'), said);
    const text = untold(answer.text).replace(/(csrf"?[^>]*?(?:value|content)=")[^"]*/g, '$1').replace(/nonce="[^"]*"/g, '').replace(/ data-live="[^"]*"/, '').replace(/name="(back|client_id)" value="[^"]*"/g, '');
    return { status: answer.status, text, location: answer.location && untold(answer.location) };
}

/** All rows of anna, in every table but the logs of requests. */
function snapshot() {
    return alfred.database((db) => {
        const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '*_text_*'`).all().map((t) => t.name);
        const sessions = new Set(db.prepare('SELECT id FROM session WHERE owner = ?').all(owner).map((s) => s.id));
        const rows = {};
        for (const table of tables.filter((name) => !['login', 'job', 'audit'].includes(name))) {
            const statement = db.prepare(`SELECT * FROM ${table}`);
            statement.setReadBigInts(true);
            const mine = statement.all().filter((r) => Number(r.owner ?? 0) === owner || (table === 'api_token' && Number(r.user_id) === owner) || (r.session_id !== undefined && sessions.has(Number(r.session_id))) ||
                (table === 'user' && Number(r.id) === owner) || (typeof r.id === 'bigint' && Number(r.id >> 32n) === owner) || (typeof r.message_id === 'bigint' && Number(r.message_id >> 32n) === owner));
            if (mine.length) rows[table] = mine.map((r) => JSON.stringify(r, (_, v) => (typeof v === 'bigint' ? String(v) : v instanceof Uint8Array ? [...v].join() : v))).sort();
        }
        return rows;
    });
}
await until('the helper is done', async () => !/ (embed|title|topic|facts) /.test((await alfred.cli(['jobs'])).stdout));
const before = snapshot();
for (const table of ['api_token', 'workspace_file', 'session', 'message', 'memory', 'task', 'suggestion', 'compaction', 'transfer']) assert.ok(before[table]?.length, `anna has a ${table}`);
const unchanged = (what) => assert.deepEqual(snapshot(), before, `${what} changed something of anna's`);

const attacked = routeTables().filter((r) => r.access === 'MEMBER' && r.fields?.some(isId));
test('all route tables are read', () => {
    assert.ok(attacked.length > 40, `${attacked.length} routes take ids`);
    for (const r of routeTables()) {
        assert.ok(r.fields, `${r.file}: the fields of ${r.path} were not found`);
        for (const [, name] of r.path.matchAll(/\{(\w+)\}/g)) assert.ok(r.fields.some((f) => f.name === name), `${r.path}: {${name}}`);
    }
});

/** Routes that act on all own records up to an id: the answer depends on the position of the id. */
const isBound = (route) => route.path.endsWith('/suggestions/keep');

for (const route of attacked) {
    test(`${route.method} ${route.path} with another's ids`, async () => {
        const same = async (what, theirs, absent) => {
            const [got, gone] = [await ask(route, theirs), await ask(route, absent)];
            assert.ok(!got.text.includes(SECRET), `${what}: it shows what is anna's`);
            // An optional id may be the start of a page; a required one, or a session, must not be found.
            if (route.path.includes('{')) assert.equal(got.status, route.path.includes('/trash/') ? 410 : 404, `${what}: ${got.text.slice(0, 200)}`);
            if (!isBound(route)) assert.deepEqual(got, gone, `${what}: it tells her ids from nobody's`);
            unchanged(what);
        };
        await same('all ids hers', () => hers, () => nobodys);
        const ids = route.fields.filter(isId);
        if (ids.length < 2) return;
        for (const f of ids.filter((x) => x.name !== 'session')) {
            const with_ = (whose) => (x) => (x.name === f.name ? whose : x.required || x.name === 'session' ? his : null);
            const [got, gone] = [await ask(route, with_(hers)), await ask(route, with_(nobodys))];
            assert.deepEqual(got, gone, `${f.name} in an own session: it tells her ids from nobody's`);
            assert.ok(got.status !== 202 && !got.text.includes(SECRET), `${f.name} in an own session`);
            unchanged(`${f.name} in an own session`);
        }
    });
}

test("no search, list or page shows another user's data", async () => {
    for (const path of [`/api/search?q=${SECRET}`, `/search?q=${SECRET}`, `/api/sessions?q=${SECRET}`, `/sessions?q=${SECRET}`, `/api/memories?q=${SECRET}`, `/memory?q=${SECRET}`, '/', '/sessions', '/memory', '/tasks', '/api/tasks', '/api/sessions?show=all', '/api/suggestions', '/account', '/api/search/progress']) {
        const answer = await bob.get(path);
        assert.equal(answer.status, 200, path);
        assert.doesNotMatch(answer.text.replaceAll(`value="${SECRET}"`, '').replaceAll(`“<bdi>${SECRET}</bdi>”`, '').replaceAll(`q=${SECRET}`, ''), new RegExp(`${SECRET}|${hers.ID_SESSION}`), path);
    }
    for (const path of ['/admin/jobs', '/admin/telegram', '/admin/users', '/admin/outbox', '/api/jobs/progress', '/api/outbox']) assert.equal((await bob.get(path)).status, 403, path);
});

test("a client id of another user starts a new turn", async () => {
    const mine = await send(anna, 'One of mine', { client_id: 'the-same' });
    const other = await send(bob, 'One of his', { client_id: 'the-same' });
    assert.notEqual(mine.turn, other.turn);
    assert.equal((await bob.get(`/api/turns/${mine.turn}`)).status, 404);
});
