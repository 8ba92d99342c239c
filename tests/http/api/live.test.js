// GET /api/events: changes by every program, for each device of a user.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange, isCut, provide, serveFile } from '../../lib/chat.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');
const bob = await alfred.user('bob');

const dataOf = (event) => JSON.parse(event.data);
/** A connection that has said hello. */
async function live(client, { from, lastEventId } = {}) {
    const events = await client.events(`/api/events${from === undefined ? '' : `?from=${from}`}`, { lastEventId });
    const [hello] = await events.until((e) => e.event === 'hello');
    return { events, hello, next: async (name, is = () => true) => dataOf((await events.until((e) => e.event === name && is(dataOf(e)))).at(-1)) };
}
const position = async (client) => (await client.get('/tasks')).text.match(/data-live="\d+ (\d+)"/)[1];

test('every program reports what it changed, and only to its owner', async () => {
    const mine = await live(anna), other = await live(bob);
    const { session } = await exchange(anna, provider, 'Tell the others', 'Told.');
    const begun = await mine.next('turn');
    assert.equal(begun.session, session);
    await mine.next('session', (d) => d.id === session && d.head === begun.reply);
    await anna.request('PATCH', `/api/sessions/${session}`, { json: { title: 'Named by the program api' } });
    await mine.next('session', (d) => d.id === session);
    await anna.request('PATCH', `/api/sessions/${session}`, { json: { effort: 'low' } });
    assert.equal((await mine.next('choice')).id, session);
    await anna.post('/tasks', { text: 'By the program pages' });
    await mine.next('task');
    await anna.post('/data/export', {}); // done by the helper
    const { id } = await mine.next('transfer');
    const state = async () => (await anna.getJson('/api/transfers')).transfers.find((one) => one.id === id).state;
    while (await state() !== 'done') await mine.next('transfer');
    await anna.request('DELETE', `/api/sessions/${session}`);
    await mine.next('session', (d) => d.id === session);
    await bob.post('/tasks', { text: 'Of bob' });
    const [first] = await other.events.until((e) => e.event !== 'hello');
    assert.equal(first.event, 'task', 'nothing of anna');
});

test('a private persona is reported to its owner, a shared one to all users, also when it stops being shared', async () => {
    const mine = await live(anna), other = await live(bob);
    const make = async (name, shared) => (await anna.postJson('/api/personas', { name, text: 'You help.', shared })).json.persona.id;
    const change = (id, json) => anna.request('PATCH', `/api/personas/${id}`, { json });
    const secret = await make('For anna', false);
    assert.equal((await mine.next('persona')).id, secret);
    const id = await make('For all', true);
    const [first] = await other.events.until((e) => e.event !== 'hello');
    assert.deepEqual([first.event, dataOf(first)], ['persona', { id }], 'not the private one');
    await change(id, { shared: false });
    await other.events.until((e) => e.event === 'persona' && dataOf(e).id === id && e !== first);
    await anna.request('DELETE', `/api/personas/${id}`);
    await mine.next('persona', (d) => d.id === id && d.gone);
});

test('a reader that comes back gets what it missed, from the page or from the last event', async () => {
    const from = await position(anna);
    await anna.post('/tasks', { text: 'Missed by the page' });
    const page = await live(anna, { from });
    const missed = (await page.events.until((e) => e.event === 'task')).at(-1);
    page.events.close();
    await anna.post('/tasks', { text: 'Missed later' });
    const again = await live(anna, { lastEventId: missed.id });
    const got = (await again.events.until((e) => e.event === 'task')).at(-1);
    assert.ok(Number(got.id) > Number(missed.id), 'not the same again');
});

test('a position that is too old, of the future or no number means reading everything again', async () => {
    for (const how of [{ from: 1 }, { from: 2 ** 53 }, { lastEventId: 'abc' }]) {
        const reader = await live(anna, how);
        await reader.next('reload');
        reader.events.close();
    }
    assert.equal((await anna.get('/api/events?from=-1')).status, 400);
    assert.equal((await anna.stranger().get('/api/events')).status, 401);
});

test('readers come back after the program stream was killed, and are told to read everything', async () => {
    const from = await position(anna);
    await alfred.killAndAwait('stream');
    const reader = await live(anna, { from });
    await reader.next('reload');
    await anna.post('/tasks', { text: 'After the restart' });
    await reader.next('task');
});

test('changes that a stopped program could not take are not lost silently', async () => {
    const reader = await live(anna);
    const pids = alfred.kill('stream', 'SIGSTOP');
    try {
        // More datagrams than the socket's queue takes.
        for (let i = 0; i < 600; i++) await anna.postJson('/api/tasks', { text: `Task ${i}` });
    } finally {
        for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    await reader.next('reload');
});

test('a login that is revoked loses its connection', async () => {
    const other = await alfred.signIn('anna');
    const reader = await live(other);
    const stays = await live(anna);
    await other.post('/signout', {});
    await isCut(reader.events);
    await anna.post('/tasks', { text: 'The other login reads on' });
    await stays.next('task');
});
