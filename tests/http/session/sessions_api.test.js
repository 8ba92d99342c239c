// The JSON endpoints for sessions and messages. No provider is connected, so the offline model answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ended, newClientId, send, serveFile, sessionOf } from '../../lib/chat.js';
import { PASSWORD, until } from '../../lib/rig.js';

const alfred = await serveFile();
const anna = await alfred.admin('anna');
const bert = await alfred.user('bert');

/** A finished exchange. */
async function talk(client, text, more) {
    const sent = await send(client, text, { client_id: newClientId(), ...more });
    await ended(client, sent.turn);
    return sent;
}
const call = (client, method, path, json) => client.request(method, path, json === undefined ? {} : { json });

test('me has the user and the models', async () => {
    const me = await anna.getJson('/api/me');
    assert.equal(me.name, 'anna');
    assert.equal(me.role, 'admin');
    assert.notEqual(me.csrf, anna.csrf, 'each answer has another token');
    assert.equal((await anna.postJson('/api/tasks', { text: 'By the token of me' }, { csrf: me.csrf })).status, 201);
    assert.deepEqual(me.choices.map((c) => [c.value, c.selected]), [['offline/offline', true]]);
    assert.equal((await bert.getJson('/api/me')).role, 'member');
});

test('a program signs in with JSON, uses the token of the answer and signs out', async () => {
    const program = alfred.client();
    const refused = await program.postJson('/api/signin', { name: 'anna', password: 'not this one' });
    assert.deepEqual([refused.status, refused.json.error.code], [401, 'unauthenticated']);
    assert.equal(refused.headers['set-cookie'], undefined);
    const elsewhere = await program.postJson('/api/signin', { name: 'anna', password: PASSWORD }, { headers: { origin: 'https://evil.example', 'sec-fetch-site': null } });
    assert.equal(elsewhere.status, 403, 'only from this origin');
    // A program sends no Sec-Fetch-Site: the Origin is enough.
    const signed = await program.postJson('/api/signin', { name: 'anna', password: PASSWORD }, { headers: { 'sec-fetch-site': null } });
    assert.equal(signed.status, 200, signed.text);
    assert.deepEqual({ ...signed.json, csrf: '' }, { ...(await program.getJson('/api/me')), csrf: '' });
    assert.equal((await program.postJson('/api/tasks', { text: 'Without the token' }, { csrf: false })).status, 403);
    const made = await program.postJson('/api/tasks', { text: 'Of a program' }, { csrf: signed.json.csrf });
    assert.equal(made.status, 201, made.text);
    assert.equal((await program.request('DELETE', `/api/tasks/${made.json.task.id}`, { csrf: signed.json.csrf })).status, 200);
    assert.equal((await program.postJson('/api/signout', {}, { csrf: signed.json.csrf })).status, 200);
    assert.equal((await program.get('/api/me')).status, 401);
});

test('a session is changed by its owner only', async () => {
    const { session, asked, reply } = await talk(anna, 'What time is it?');
    const path = `/api/sessions/${session}`;
    for (const [method, at, body] of [
        ['GET', path],
        ['PATCH', path, { title: 'x' }],
        ['DELETE', path],
        ['POST', `${path}/head`, { message: asked }],
        ['POST', `${path}/seen`, {}],
        ['GET', `${path}/messages`],
        ['PATCH', `${path}/messages/${asked}`, { text: 'x' }],
        ['DELETE', `${path}/messages/${asked}`],
    ]) {
        const answer = await call(bert, method, at, body);
        assert.equal(answer.status, 404, `${method} ${at}`);
        assert.deepEqual(answer.json, {
            type: 'about:blank', title: 'Not Found', status: 404, detail: 'There is nothing here.', errors: [],
            error: { code: 'not_found', message: 'There is nothing here.' },
        });
    }
    const now = await sessionOf(anna, session);
    assert.equal(now.messages[0].id, asked);
    assert.ok(now.messages.some((m) => m.id === reply));
    assert.equal(now.turn, null);
    assert.equal(now.older, null);
});

test('a window around a message leads to the older and the newer ones', async () => {
    const { session } = await talk(anna, 'one');
    for (const text of ['two', 'three', 'four', 'five']) await talk(anna, text, { session });
    const all = (await sessionOf(anna, session)).messages.map((m) => m.id);
    assert.equal(all.length, 10);
    const read = (query) => anna.getJson(`/api/sessions/${session}/messages?${query}`);
    const ids = (part) => part.messages.map((m) => m.id);
    const middle = await read(`around=${all[5]}&limit=4`);
    assert.deepEqual(ids(middle), all.slice(4, 8));
    assert.deepEqual([middle.older, middle.newer], [all[3], all[7]]);
    const newer = await read(`after=${middle.newer}&limit=4`);
    assert.deepEqual([ids(newer), newer.newer], [all.slice(8), null]);
    const older = await read(`before=${middle.older}&limit=3`);
    assert.deepEqual([ids(older), older.older, older.newer], [all.slice(1, 4), all[0], all[3]]);
    assert.deepEqual(ids(await read(`before=${older.older}`)), all.slice(0, 1));
    assert.deepEqual(ids(await anna.getJson(`/api/sessions/${session}?around=${all[0]}&limit=2`)), all.slice(0, 2));

    // The window is on the branch of its message.
    const again = await anna.postJson(`/api/sessions/${session}/messages/${all[3]}/regenerate`, {});
    await ended(anna, again.json.turn);
    assert.deepEqual(ids(await read(`around=${all[3]}&limit=4`)), all.slice(2, 6));
    assert.deepEqual(ids(await read(`around=${all[2]}&limit=4`)), [...all.slice(0, 3), again.json.reply]);

    const other = await talk(anna, 'elsewhere');
    for (const query of [`around=${other.asked}`, `after=${other.asked}`]) assert.equal((await anna.get(`/api/sessions/${session}/messages?${query}`)).status, 404, query);
    assert.equal((await bert.get(`/api/sessions/${session}/messages?around=${all[3]}`)).status, 404);
});

test('title and model are set, wrong ones refused', async () => {
    const { session } = await talk(anna, 'hello');
    const path = `/api/sessions/${session}`;
    const changed = await call(anna, 'PATCH', path, { title: '  Ünïcode {{x}} ', choice: 'offline/offline' });
    assert.equal(changed.json.session.title, 'Ünïcode {{x}}');
    for (const body of [{}, { title: '' }, { title: 'a\nb' }, { title: 'x'.repeat(201) }, { title: 7 }, { choice: 'nobody/none' }, { title: 'x', owner: 2 }]) {
        assert.equal((await call(anna, 'PATCH', path, body)).status, 400, JSON.stringify(body));
    }
    assert.equal((await sessionOf(anna, session)).session.title, 'Ünïcode {{x}}');
});

test('the list is read by its keys', async () => {
    const made = [];
    for (let i = 0; i < 5; i++) made.unshift((await talk(bert, `number ${i}`)).session);
    const got = [];
    for (let next = ''; next !== null; ) {
        const list = await bert.getJson(`/api/sessions?limit=2${next && `&after=${encodeURIComponent(next)}`}`);
        got.push(...list.sessions.map((s) => s.id));
        next = list.next;
    }
    assert.deepEqual(got, made);
    for (const query of ['limit=0', 'limit=200', 'limit=x', 'after=', 'after=x', 'after=1', 'after=1.2.3']) {
        const answer = await bert.get(`/api/sessions?${query}`);
        assert.equal(answer.status, 400, query);
        assert.equal(answer.json.error.code, 'bad_input');
    }
});

test('messages are read in pieces, every one once', async () => {
    const { session } = await talk(anna, 'message 0');
    for (let i = 1; i < 4; i++) await talk(anna, `message ${i}`, { session });
    const all = (await sessionOf(anna, session)).messages.map((m) => m.id);
    const got = [];
    for (let before = ''; before !== null; ) {
        const piece = await anna.getJson(`/api/sessions/${session}/messages?limit=3${before && `&before=${before}`}`);
        got.unshift(...piece.messages.map((m) => m.id));
        before = piece.older;
    }
    assert.deepEqual(got, all);
});

test('a session continues in the branch of its head', async () => {
    const { session, asked } = await talk(anna, 'hello');
    const first = (await sessionOf(anna, session)).messages.at(-1);
    const again = await anna.postJson(`/api/sessions/${session}/messages/${first.id}/regenerate`, { client_id: newClientId() });
    await ended(anna, again.json.turn);
    const second = (await sessionOf(anna, session)).messages.at(-1);
    assert.notEqual(second.id, first.id);
    assert.deepEqual([second.sibling, second.siblings, second.prev_id, second.next_id], [2, 2, first.id, null]);
    assert.equal((await anna.postJson(`/api/sessions/${session}/head`, { message: first.id })).status, 200);
    assert.equal((await sessionOf(anna, session)).messages.at(-1).id, first.id);
    assert.equal((await sessionOf(anna, session, `?at=${second.id}`)).messages.at(-1).id, second.id);
    const elsewhere = await talk(anna, 'other');
    assert.equal((await anna.postJson(`/api/sessions/${session}/head`, { message: elsewhere.asked })).status, 404);
    assert.equal((await anna.postJson(`/api/sessions/${session}/head`, { message: asked })).status, 200);
    assert.equal((await sessionOf(anna, session)).messages.at(-1).id, second.id, 'the newest branch below');
});

test('an own message is rewritten, and invalid input is refused', async () => {
    const { session, asked, reply } = await talk(anna, 'hello');
    const path = `/api/sessions/${session}/messages`;
    const changed = await call(anna, 'PATCH', `${path}/${asked}`, { text: '<i>new</i>' });
    assert.equal(changed.status, 200);
    assert.equal(changed.json.message.text, '<i>new</i>');
    assert.ok((await anna.get(`/s/${session}`)).text.includes('<p dir="auto">&lt;i&gt;new&lt;/i&gt;</p>'));
    for (const body of [{ text: '' }, { text: ' \n' }, {}, { text: null }, { text: ['x'] }]) {
        assert.equal((await call(anna, 'PATCH', `${path}/${asked}`, body)).status, 400, JSON.stringify(body));
    }
    assert.equal((await call(anna, 'PATCH', `${path}/${asked}`, { text: 'x'.repeat(1_100_000) })).status, 413);
    assert.equal((await call(anna, 'PATCH', `${path}/${reply}`, { text: '' })).status, 400);
    const elsewhere = await talk(anna, 'other');
    assert.equal((await call(anna, 'PATCH', `${path}/${elsewhere.asked}`, { text: 'x' })).status, 404);
    for (const id of ['0', '-1', 'x', '99999999999999999999', '1%00']) {
        assert.notEqual((await call(anna, 'PATCH', `${path}/${id}`, { text: 'x' })).status, 200, id);
    }
});

test('deleting removes a message with all after it, or the whole session', async () => {
    const { session, asked } = await talk(anna, 'hello');
    await talk(anna, 'more', { session });
    const gone = await call(anna, 'DELETE', `/api/sessions/${session}/messages/${asked}`);
    assert.equal(gone.status, 200);
    assert.equal(gone.json.session.message_count, 0);
    assert.deepEqual((await sessionOf(anna, session)).messages, []);
    assert.equal((await call(anna, 'DELETE', `/api/sessions/${session}`)).status, 200);
    assert.equal((await anna.get(`/api/sessions/${session}`)).status, 410, 'it is in the trash');
    assert.equal((await call(anna, 'DELETE', `/api/trash/${session}`)).status, 200);
    await until('its rows are removed', async () => (await anna.get(`/api/sessions/${session}`)).status === 404);
});

test('a session is unread until its owner opens it', async () => {
    const { session } = await talk(anna, 'hello');
    await anna.get(`/s/${session}`);
    assert.equal((await sessionOf(anna, session)).session.unread, false);
    assert.equal((await anna.postJson(`/api/sessions/${session}/seen`, {})).json.session.unread, false);
});

test('JSON needs its type, its token and a signed-in owner', async () => {
    const { session } = await talk(anna, 'hello');
    const path = `/api/sessions/${session}`;
    assert.equal((await anna.request('PATCH', path, { json: { title: 'x' }, csrf: false })).status, 403);
    assert.equal((await anna.request('DELETE', path, { csrf: false })).status, 403);
    assert.equal((await anna.request('PATCH', path, { body: '{"title":"x"}', headers: { 'content-type': 'text/plain' } })).status, 415);
    for (const body of ['{', '[]', '"x"', '{"title":"a","title":"b"}', '{"title":"\\u0000"}', '{"title":"\xff"}']) {
        const answer = await anna.request('PATCH', path, { body: Buffer.from(body, 'latin1'), headers: { 'content-type': 'application/json' } });
        assert.equal(answer.status, 400, body);
        assert.equal(answer.json.error.code, 'bad_input');
    }
    const stranger = await alfred.client().get(path);
    assert.equal(stranger.status, 401);
    assert.equal(stranger.json.error.code, 'unauthenticated');
    const put = await anna.request('PUT', path, { json: {} });
    assert.equal(put.status, 405);
    assert.equal(put.headers.allow, 'GET, PATCH, DELETE');
});
