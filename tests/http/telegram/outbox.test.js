// The outbox of channels as admins see it: chat, state and reason, never a text; send again, delete.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { serveFile } from '../../lib/chat.js';

const SECRET = 'a text that is nobody’s business';
const alfred = await serveFile({});
const anna = await alfred.admin('anna');

/** Fills the outbox with one message of each state, for a channel that is not configured, so that nobody sends them. */
function fill() {
    return alfred.database((db) => {
        db.exec('DELETE FROM outbox');
        const chat = db.prepare(`INSERT INTO channel_chat (channel, chat, thread, grouped, owner, sender, created_at) VALUES ('telegram', ?, '', ?, (SELECT id FROM user LIMIT 1), '7', 1) RETURNING id`);
        const ids = {};
        const own = chat.get(String(Date.now()), 0).id;
        const group = chat.get(String(-Date.now()), 1).id;
        const add = db.prepare(`INSERT INTO outbox (chat_id, post, markdown, size, state, attempts, run_at, since_at, error, created_at, ended_at) VALUES (?, ?, ?, ?, ?, 3, ?, unixepoch() * 1000, ?, 1, ?) RETURNING id`);
        const rows = [['ready', own, null], ['sent', own, null], ['failed', group, 'Bad Request: chat not found'], ['doubtful', own, 'no answer for 30 seconds']];
        rows.forEach(([state, at, error], i) => {
            ids[state] = add.get(at, i + 1, SECRET, SECRET.length, state, Date.now() + 600_000, error, state === 'ready' ? null : Date.now()).id;
        });
        return ids;
    });
}
const stateOf = (id) => alfred.database((db) => db.prepare('SELECT state FROM outbox WHERE id = ?').get(id)?.state);

test('the page shows chat, state and reason, and no text', async () => {
    fill();
    const { text, status } = await anna.get('/admin/outbox');
    assert.equal(status, 200);
    assert.match(text, /Telegram, group -\d+/);
    assert.match(text, /chat not found/);
    assert.match(text, /Perhaps delivered/);
    assert.match(text, /no answer for 30 seconds/);
    assert.match(text, /in \d+ minutes/);
    assert.doesNotMatch(text, new RegExp(SECRET));
    assert.doesNotMatch((await anna.get('/api/outbox')).text, new RegExp(SECRET));
});

test('failed and doubtful messages are sent again, others are not', async () => {
    const ids = fill();
    for (const state of ['failed', 'doubtful']) {
        assert.equal((await anna.post(`/admin/outbox/${ids[state]}/retry`, {})).location, '/admin/outbox?done=outbox_retried');
        assert.equal(stateOf(ids[state]), 'ready');
    }
    for (const id of [ids.ready, ids.sent, 999_999]) assert.equal((await anna.post(`/admin/outbox/${id}/retry`, {})).status, 404);
    assert.match((await anna.get('/admin/outbox')).text, /No message has failed/);
});

test('a message is deleted unless it is being sent', async () => {
    const ids = fill();
    assert.equal((await anna.post(`/admin/outbox/${ids.ready}/drop`, {})).status, 303);
    assert.equal(stateOf(ids.ready), undefined);
    alfred.database((db) => db.exec(`UPDATE outbox SET state = 'sending' WHERE id = ${ids.failed}`));
    assert.equal((await anna.request('DELETE', `/api/outbox/${ids.failed}`, { json: {} })).status, 404);
    assert.equal(stateOf(ids.failed), 'sending');
});

test('a channel that refuses the token is shown, and tried again', async () => {
    alfred.database((db) => db.exec(`INSERT INTO channel_problem (channel, error, at) VALUES ('telegram', 'Unauthorized', 1)`));
    assert.match((await anna.get('/admin/outbox')).text, /Telegram refuses the bot&#39;s token[^]*Unauthorized/);
    assert.equal((await anna.post('/admin/outbox/resume', {})).location, '/admin/outbox?done=outbox_resumed');
    assert.doesNotMatch((await anna.get('/admin/outbox')).text, /Unauthorized/);
});

test('it is for admins', async () => {
    const ids = fill();
    const bert = await alfred.user('bert');
    for (const [method, path] of [['GET', '/admin/outbox'], ['GET', '/api/outbox'], ['POST', `/api/outbox/${ids.failed}/retry`], ['DELETE', `/api/outbox/${ids.failed}`]]) {
        assert.equal((await bert.request(method, path, method === 'GET' ? {} : { json: {} })).status, 403, path);
    }
    assert.doesNotMatch((await bert.get('/')).text, /admin\/outbox/);
    assert.equal(stateOf(ids.failed), 'failed');
});
