// Actions on many sessions at once: exact undo, foreign and vanished ids, ten thousand sessions as a job.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ended, send, serveFile } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const alfred = await serveFile({ config: { jobs: { retry_seconds: 0 } } });
const anna = await alfred.admin('anna'), ben = await alfred.user('ben');

async function chat(client, text = 'hello') {
    const sent = await send(client, text, { choice: 'offline/offline' });
    await ended(client, sent.turn);
    return sent.session;
}
const act = (client, json) => client.postJson('/api/sessions/batch', json);
const undo = (client, id) => client.postJson(`/api/batches/${id}/undo`, {});
const one = async (client, id) => (await client.getJson(`/api/sessions/${id}`)).session;
const places = async (ids) => Promise.all(ids.map(async (id) => { const s = await one(anna, id); return [s.pinned, s.archived, s.archived_by, s.workspace]; }));

test('each action changes what it names, and Undo gives each session back what it had', async () => {
    const ids = [await chat(anna), await chat(anna), await chat(anna)];
    await anna.request('PATCH', `/api/sessions/${ids[0]}`, { json: { workspace: 'Home' } });
    await anna.postJson(`/api/sessions/${ids[1]}/pin`, {});
    await anna.request('PATCH', `/api/sessions/${ids[2]}`, { json: { archived: true } });
    const before = await places(ids);
    for (const [json, after] of [
        [{ action: 'pin' }, [[true, false, null, 'Home'], [true, false, null, null], [true, false, null, null]]],
        [{ action: 'unpin' }, [[false, false, null, 'Home'], [false, false, null, null], [false, true, 'user', null]]],
        [{ action: 'archive' }, [[false, true, 'user', 'Home'], [false, true, 'user', null], [false, true, 'user', null]]],
        [{ action: 'unarchive' }, [[false, false, null, 'Home'], [true, false, null, null], [false, false, null, null]]],
        [{ action: 'workspace', workspace: 'Work' }, before.map((b) => [...b.slice(0, 3), 'Work'])],
        [{ action: 'workspace', workspace: '' }, before.map((b) => [...b.slice(0, 3), null])],
    ]) {
        const done = await act(anna, { ...json, ids });
        assert.equal(done.status, 200, done.text);
        assert.deepEqual([done.json.batch.total, done.json.batch.done, done.json.batch.not_found], [3, 3, 0], json.action);
        assert.deepEqual(await places(ids), after, json.action);
        const back = await undo(anna, done.json.batch.id);
        assert.equal(back.json.batch.undone, true);
        assert.deepEqual(await places(ids), before, `undo of ${json.action}`);
        assert.equal((await undo(anna, done.json.batch.id)).status, 409);
    }
});

test('the trash and back: sessions leave the lists and return', async () => {
    const ids = [await chat(anna, 'About badgers'), await chat(anna, 'About foxes')];
    const done = await act(anna, { action: 'trash', ids });
    assert.equal(done.json.batch.changed, 2);
    for (const id of ids) assert.notEqual((await anna.get(`/api/sessions/${id}`)).status, 200);
    await undo(anna, done.json.batch.id);
    assert.equal((await one(anna, ids[0])).id, ids[0]);
});

test('foreign, vanished, doubled and malformed ids: the others are done, and the answer counts', async () => {
    const mine = await chat(anna), gone = await chat(anna), foreign = await chat(ben);
    await anna.request('DELETE', `/api/sessions/${gone}`);
    const done = await act(anna, { action: 'pin', ids: [mine, foreign, gone, mine, 'ses_nonsense'] });
    assert.equal(done.json.batch.changed, 1);
    assert.equal(done.json.batch.not_found, 3);
    assert.equal((await one(anna, mine)).pinned, true);
    assert.equal((await one(ben, foreign)).pinned, false);
    assert.equal((await ben.get(`/api/batches/${done.json.batch.id}`)).status, 404);
    assert.equal((await undo(ben, done.json.batch.id)).status, 404);
    for (const bad of [{ action: 'pin', ids: [] }, { action: 'pin' }, { action: 'explode', ids: [mine] }, { action: 'tag', ids: [mine] }, { action: 'pin', ids: 'x' }, { action: 'pin', ids: [1] },
        { action: 'pin', ids: ['../etc'] }, { action: 'workspace', workspace: 'x'.repeat(61), ids: [mine] }, { action: 'pin', ids: Array(1001).fill(mine) }]) assert.equal((await act(anna, bad)).status, 400, JSON.stringify(bad).slice(0, 80));
    assert.equal((await act(anna, { action: 'tag', tag: '999', ids: [mine] })).status, 404);
});

test('without scripts: the form leads to a page that says what happened and undoes it', async () => {
    const ids = [await chat(anna), await chat(anna)];
    const form = new URLSearchParams([['csrf', anna.csrf], ['action', 'archive'], ...ids.map((id) => ['ids', id])]);
    const sent = await anna.request('POST', '/sessions/batch', { body: form.toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' }, csrf: false });
    assert.equal(sent.status, 303, sent.text);
    const page = await anna.get(sent.headers.location);
    assert.match(page.text, /2 sessions are in the archive\./);
    const back = await anna.postAndFollow(`${sent.headers.location}/undo`, {});
    assert.match(back.text, /2 sessions are as they were\./);
});

test('thousands of sessions are a job; a killed helper goes on, and others write meanwhile', async () => {
    const db = alfred.openDatabase();
    const owner = db.prepare("SELECT id FROM user WHERE name = 'ben'").get().id;
    const add = db.prepare('INSERT INTO session (pub, owner, title, created_at, active_at) VALUES (?, ?, ?, ?, ?)');
    const ids = [];
    db.exec('BEGIN');
    for (let i = 0; i < 1000; i++) {
        ids.push(`ses_${String(i).padStart(26, '0')}`);
        add.run(ids[i], owner, `Number ${i}`, i + 1, i + 1);
    }
    db.exec('COMMIT');
    db.close();
    const began = await act(ben, { action: 'trash', ids });
    await alfred.killAndAwait('helper');
    await chat(anna, 'Can I still write?');
    const ready = await until('the batch has ended', async () => { const { batch } = await ben.getJson(`/api/batches/${began.json.batch.id}`); return !batch.running && batch; });
    assert.deepEqual([ready.total, ready.done, ready.changed], [1000, 1000, 1000]);
    await undo(ben, ready.id);
    const back = await until('all are back', async () => { const { batch } = await ben.getJson(`/api/batches/${ready.id}`); return !batch.running && batch; });
    assert.equal(back.changed, 1000);
    assert.equal((await one(ben, ids[999])).title, 'Number 999');
});

/** The filter that the form beneath the list sends. */
function filterOf(page) {
    const form = page.text.match(/<form id="batch".*?<\/p>|<form id="batch".*?<\/form>/s)[0], plain = (s) => s?.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
    return Object.fromEntries(['q', 'show', 'within'].map((name) => [name, plain(form.match(new RegExp(`type="hidden" name="${name}" value="([^"]*)"`))?.[1])]));
}

test('all that match a query of the list: its words, tags and workspace; nothing else is touched', async () => {
    const carl = await alfred.user('carl');
    const tea = [await chat(carl, 'Tea one'), await chat(carl, 'Tea two')], other = await chat(carl, 'Coffee');
    for (const id of tea) await carl.request('PATCH', `/api/sessions/${id}`, { json: { title: 'Green tea', workspace: 'Drinks' } });
    assert.deepEqual(filterOf(await carl.get('/sessions?workspace=Drinks')), { q: '', show: 'listed', within: 'Drinks' });
    const done = await act(carl, { action: 'archive', all: true, q: '', show: 'listed', within: 'Drinks' });
    assert.equal(done.json.batch.changed, 2);
    assert.equal((await one(carl, other)).archived, false);
    assert.equal((await act(carl, { action: 'archive', all: true, q: 'tag:"nowhere"' })).status, 400);
    assert.equal((await act(carl, { action: 'archive', all: true, q: '', show: 'blue' })).status, 400);
    const rest = await act(carl, { action: 'pin', all: true, q: '', show: 'listed' });
    assert.equal(rest.json.batch.total, 1);
});

test('all that match: names with quotation marks, signs of the query, and typed words with an open mark', async () => {
    const eve = await alfred.user('eve'), id = await chat(eve, 'Tea'), other = await chat(eve, 'Tea');
    for (const session of [id, other]) await eve.request('PATCH', `/api/sessions/${session}`, { json: { title: 'Tea "for two' } });
    for (const workspace of ['the "old" wall', '"', '""', '"new"', '„neu“ und “alt”', 'C:\\new\\', 'a:b is:archived', '-tag:x', 'x*', '"'.repeat(60)])
        for (const words of ['', 'tea', '"for', '"for two', '-"', '-tea', 'is:pinned workspace:"nowhere']) {
            assert.equal((await eve.request('PATCH', `/api/sessions/${id}`, { json: { workspace } })).status, 200);
            const page = await eve.get(`/sessions?${new URLSearchParams({ workspace, q: words })}`), at = `${workspace} with ${words}`;
            const listed = [...page.text.matchAll(/<li class="item" data-session="([^"]+)"/g)].map((m) => m[1]);
            assert.deepEqual(listed, words.startsWith('is:') ? [] : [id], at);
            if (!listed.length) continue;
            const done = await act(eve, { action: 'pin', all: true, ...filterOf(page) });
            assert.equal(done.status, 200, `${at}: ${done.text}`);
            assert.deepEqual([done.json.batch.total, (await one(eve, id)).pinned, (await one(eve, other)).pinned], [1, true, false], at);
            await undo(eve, done.json.batch.id);
        }
});

test('a selection, or all that match, is exported as a zip', async () => {
    const dora = await alfred.user('dora');
    const ids = [await chat(dora, 'First'), await chat(dora, 'Second'), await chat(dora, 'Third')];
    for (const [form, n] of [[{ ids: ids.slice(0, 2).join(' ') }, 2], [{ all: 'yes', q: '', show: 'listed' }, 3]]) {
        const sent = await dora.post('/sessions/export', form);
        assert.equal(sent.status, 303, sent.text);
        const made = await until('the export', async () => (await dora.getJson('/api/transfers')).transfers.find((t) => t.state === 'done'));
        assert.equal(made.total, n);
        await dora.request('DELETE', `/api/transfers/${made.id}`);
    }
    assert.equal((await dora.post('/sessions/export', {})).status, 400);
});
