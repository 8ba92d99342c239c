// A change of several members that is refused changes nothing: one transaction, whatever the members are.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange, provide, serveFile } from '../../lib/chat.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');

/** A PATCH is refused, and the GET of the same address answers as before. */
async function refused(path, json, read = () => anna.getJson(path)) {
    const before = await read(), sent = await anna.request('PATCH', path, { json });
    assert.ok(sent.status >= 400, `${path} ${JSON.stringify(json)}: ${sent.status} ${sent.text}`);
    assert.deepEqual(await read(), before, `${path} ${JSON.stringify(json)}`);
}
/** The columns of a session that users change; jobs change the rest. */
async function members(session) {
    const s = (await anna.getJson(`/api/sessions/${session}`)).session;
    return Object.fromEntries(['title', 'archived', 'workspace', 'tags', 'effort', 'persona', 'temperature', 'answer_tokens', 'temporary'].map((name) => [name, s[name]]));
}
async function eachWrong(session, more = {}) {
    assert.equal((await anna.request('PATCH', `/api/sessions/${session}`, { json: { title: 'Its title' } })).status, 200);
    for (const [name, value] of Object.entries(WRONG)) await refused(`/api/sessions/${session}`, { ...RIGHT, ...more, [name]: value }, () => members(session));
}
const WRONG = { title: '', choice: 'no/model', effort: 'huge', persona: 999, temperature: 'warm', answer_tokens: -1, workspace: 'x'.repeat(61), tags: 'a"b', tag: 'a"b', temporary: true };
const RIGHT = { title: 'Another title', effort: 'low', temperature: '0.5', answer_tokens: 100, workspace: 'Another', tag: 'another', archived: true };

test('a session: with each wrong member beside right ones', async () => {
    const { session } = await exchange(anna, provider, 'A session', 'Yes.');
    await eachWrong(session);
    const done = await anna.request('PATCH', `/api/sessions/${session}`, { json: RIGHT });
    assert.equal(done.status, 200, done.text);
    for (const name of ['title', 'workspace', 'archived']) assert.equal(done.json.session[name], RIGHT[name]);
    assert.deepEqual(done.json.session.tags, ['another']);
});

test('a temporary chat is kept with all other changes, or it stays temporary', async () => {
    const { session } = await exchange(anna, provider, 'A temporary chat', 'Yes.', { temporary: true });
    const jobs = () => alfred.sql("SELECT count(*) AS n FROM job WHERE kind IN ('title', 'summarise') AND subject = (SELECT id FROM session WHERE pub = ?)", session)[0].n;
    await eachWrong(session, { temporary: false });
    assert.equal((await members(session)).temporary, true);
    assert.equal(jobs(), 0);
    const done = await anna.request('PATCH', `/api/sessions/${session}`, { json: { ...RIGHT, temporary: false } });
    assert.deepEqual([done.status, done.json.session.temporary, done.json.session.archived], [200, false, true]);
    assert.ok(jobs() > 0, 'it is summarised now');
});

test('a form of a session', async () => {
    const { session } = await exchange(anna, provider, 'Its form', 'Yes.');
    await anna.request('PATCH', `/api/sessions/${session}`, { json: { title: 'Its title' } });
    const before = await members(session);
    assert.equal((await anna.post(`/sessions/${session}/rename`, { title: 'New', workspace: 'New', tags: 'new, a"b' })).status, 400);
    assert.equal((await anna.post(`/sessions/${session}/answers`, { effort: 'low', persona: 999, temperature: '0.5', answer_tokens: 7 })).status, 400);
    assert.deepEqual(await members(session), before);
    assert.ok(!(await anna.getJson('/api/tags')).tags.some((tag) => tag.name === 'new'));
});

test('a task: the list is full, so it is not opened again and keeps its text', async () => {
    const ben = await alfred.user('ben');
    const { task } = (await ben.postJson('/api/tasks', { text: 'Done long ago', due: '2040-01-01' })).json;
    const path = `/api/tasks/${task.id}`, patch = (json) => ben.request('PATCH', path, { json });
    assert.equal((await patch({ done: true })).json.task.done, true);
    alfred.sql('WITH RECURSIVE n (n) AS (SELECT 1000 UNION ALL SELECT n + 1 FROM n WHERE n < 2999) INSERT INTO task (id, owner, text, created_at) SELECT (owner << 32) + n, owner, n, 1 FROM n, (SELECT owner FROM task WHERE id = ?)', Number(task.id));
    const before = await ben.getJson(path), sent = await patch({ text: 'Open again', due: '2041-01-01', done: false });
    assert.equal(sent.status, 409, sent.text);
    assert.deepEqual(await ben.getJson(path), before);
    alfred.sql('DELETE FROM task WHERE id = (SELECT max(id) FROM task)');
    const open = (await patch({ text: 'Open again', due: '2041-01-01', time: '09:00', done: false })).json.task;
    assert.deepEqual([open.text, open.due, open.done], ['Open again', '2041-01-01', false]);
    assert.equal((await patch({ done: true, due: 'soon' })).status, 400);
    assert.equal((await ben.getJson(path)).task.done, false);
});

test('a reminder: what cannot be paused keeps its time', async () => {
    const { reminder } = (await anna.postJson('/api/reminders', { text: 'Call', at: '2040-12-03T08:00', zone: 'UTC' })).json;
    const path = `/api/reminders/${reminder.id}`, json = { text: 'Write', at: '2040-12-04T08:00', paused: true };
    await refused(path, { ...json, repeat: 'FREQ=NEVER' });
    alfred.sql("CREATE TRIGGER no_pause BEFORE UPDATE OF paused_at ON reminder WHEN new.paused_at IS NOT NULL BEGIN SELECT RAISE(ABORT, 'no pause'); END");
    await refused(path, json);
    alfred.sql('DROP TRIGGER no_pause');
    const done = (await anna.request('PATCH', path, { json })).json.reminder;
    assert.deepEqual([done.text, done.at ?? done.start, done.next_at], ['Write', done.at ?? done.start, null]);
    assert.equal((await anna.request('PATCH', path, { json: { paused: false } })).json.reminder.next_at, '2040-12-04T08:00:00Z');
});

test('facts, tags, personas, prompts and settings', async () => {
    const add = async (path, json, name) => (await anna.postJson(path, json)).json[name].id;
    await refused(`/api/memories/${await add('/api/memories', { text: 'Anna likes tea' }, 'memory')}`, { text: 'Anna likes milk', permanent: true, tags: 'a/b?' });
    await refused(`/api/personas/${await add('/api/personas', { name: 'Cook', text: 'You cook.' }, 'persona')}`, { name: 'Chef', text: 'You lead.', temperature: '9' });
    const { id } = (await anna.postJson('/api/prompts', { name: 'One', text: 'One' })).json.prompt;
    await anna.postJson('/api/prompts', { name: 'Two', text: 'Two' });
    await refused(`/api/prompts/${id}`, { name: 'Two', text: 'Changed' });
    await refused('/api/settings', { theme: 'dark', text_size: 'large', send_key: 'none' });
    const tags = async () => (await anna.getJson('/api/tags')).tags, tag = await add('/api/tags', { name: 'garden', colour: 1 }, 'tag');
    await add('/api/tags', { name: 'house' }, 'tag');
    const before = await tags();
    assert.equal((await anna.request('PATCH', `/api/tags/${tag}`, { json: { name: 'house', colour: 2 } })).status, 409);
    assert.deepEqual(await tags(), before);
});

test('a new account for a person who no longer asks is not made', async () => {
    const users = () => alfred.sql('SELECT name FROM user ORDER BY id').map((u) => u.name), before = users();
    const sent = await anna.post('/admin/asking/4294967297/new', { name: 'zoe' });
    assert.ok(sent.status >= 400, `${sent.status}`);
    assert.deepEqual(users(), before);
    alfred.sql("INSERT INTO channel_identity (channel, external_id, name, created_at) VALUES ('telegram', '77', 'Zoe', 1)");
    const [{ id }] = alfred.sql('SELECT id FROM channel_identity');
    assert.equal((await anna.post(`/admin/asking/${id}/new`, { name: 'anna' })).status, 409);
    assert.equal((await anna.post(`/admin/asking/${id}/new`, { name: 'zoe' })).status, 200);
    assert.deepEqual(users(), [...before, 'zoe']);
});
