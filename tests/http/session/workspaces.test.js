// Workspaces as a whole: which are listed, another name, and their end; by the pages and by the API.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ended, send, serveFile } from '../../lib/chat.js';

const alfred = await serveFile();
const anna = await alfred.admin('anna'), bob = await alfred.user('bob');

const put = (client, workspace, name, text = 'x') => client.postJson('/api/workspace/files', { workspace, name, text });
const instruct = (client, workspace, text) => client.request('PATCH', '/api/workspace/instructions', { json: { workspace, text } });
const rename = (client, workspace, name) => client.request('PATCH', '/api/workspace', { json: { workspace, name } });
const remove = (client, workspace) => client.request('DELETE', `/api/workspace?workspace=${encodeURIComponent(workspace)}`);
const names = async (client) => (await client.getJson('/api/sessions')).workspaces;
const files = async (client, workspace) => (await client.getJson(`/api/workspace/files?workspace=${encodeURIComponent(workspace)}`)).files.map((f) => f.name);
const text = async (client, workspace) => (await client.getJson(`/api/workspace/instructions?workspace=${encodeURIComponent(workspace)}`)).text;
const of = async (client, id) => (await client.getJson(`/api/sessions/${id}`)).session.workspace;
async function chat(client, workspace) {
    const sent = await send(client, 'hello', { choice: 'offline/offline', workspace });
    await ended(client, sent.turn);
    return sent.session;
}

test('a workspace is listed while something is kept for it, in the spelling of its sessions', async () => {
    const eve = await alfred.user('eve');
    await put(eve, 'boat', 'a.txt');
    await instruct(eve, 'Attic', 'Be brief.');
    assert.deepEqual(await names(eve), ['Attic', 'boat']);
    assert.match((await eve.get('/sessions')).text, /workspace=Attic/);
    assert.match((await eve.get('/sessions?workspace=Attic')).text, /No session matches|No sessions/);
    await chat(eve, 'Boat');
    await chat(eve, 'Cellar');
    assert.deepEqual(await names(eve), ['Attic', 'Boat', 'Cellar']);
    await instruct(eve, 'attic', '');
    assert.deepEqual(await names(eve), ['Boat', 'Cellar']);
});

test('another name: sessions, also in the trash, instructions and files have it; nobody else is touched', async () => {
    const open = await chat(anna, 'Boat'), trashed = await chat(anna, 'Boat'), foreign = await chat(bob, 'Boat');
    await put(anna, 'Boat', 'ropes.md');
    await put(bob, 'Boat', 'his.md');
    await instruct(anna, 'Boat', 'Be brief.');
    await anna.request('DELETE', `/api/sessions/${trashed}`);
    const done = await rename(anna, 'BOAT', '  Sailing   boat ');
    assert.deepEqual([done.status, done.json], [200, { workspace: 'Sailing boat' }]);
    assert.equal(await of(anna, open), 'Sailing boat');
    assert.equal(await text(anna, 'Sailing boat'), 'Be brief.');
    assert.deepEqual([await files(anna, 'Sailing boat'), await files(anna, 'Boat'), await text(anna, 'Boat')], [['ropes.md'], [], '']);
    await anna.postJson(`/api/trash/${trashed}/restore`, {});
    assert.equal(await of(anna, trashed), 'Sailing boat');
    assert.deepEqual([await of(bob, foreign), await files(bob, 'Boat')], ['Boat', ['his.md']]);
    assert.equal((await rename(anna, 'Sailing boat', 'sailing BOAT')).status, 200, 'the case alone');
    assert.deepEqual(await names(anna), ['sailing BOAT']);
});

test('refused: a name that is taken, no name, a long one, a workspace that is not there', async () => {
    const carl = await alfred.user('carl');
    await put(carl, 'One', 'a.txt');
    await put(carl, 'Two', 'a.txt');
    const taken = await rename(carl, 'One', 'two');
    assert.equal(taken.status, 409);
    assert.match(taken.text, /There is a workspace with the name two/);
    for (const [from, to, status] of [['One', ' ', 400], ['One', 'x'.repeat(61), 400], ['Three', 'Four', 404]])
        assert.equal((await rename(carl, from, to)).status, status, to);
    assert.equal((await remove(carl, 'Three')).status, 404);
    assert.equal((await rename(bob, 'One', 'Mine')).status, 404, 'that of another user');
    assert.deepEqual(await names(carl), ['One', 'Two']);
    const page = await carl.post('/workspace/rename', { workspace: 'One', name: 'Two' });
    assert.equal(page.status, 409);
    assert.match(page.text, /There is a workspace with the name Two/);
    assert.match(page.text, /<input name="name"[^>]*value="Two"/, 'what was typed is kept');
    assert.match(page.text, /<input type="hidden" name="workspace" value="One">/);
});

test('without scripts: the page of a workspace gives it another name, and deletes it; its sessions stay', async () => {
    const dora = await alfred.user('dora'), id = await chat(dora, 'Old & new');
    await put(dora, 'Old & new', 'a.txt');
    await instruct(dora, 'Old & new', 'Be brief.');
    const renamed = await dora.postAndFollow('/workspace/rename', { workspace: 'Old & new', name: 'New <name>' });
    assert.match(renamed.text, /The workspace has a new name\./);
    assert.match(renamed.text, /a\.txt/);
    const link = renamed.text.match(/href="(\/workspace\/delete[^"]*)"/)[1].replaceAll('&amp;', '&');
    const ask = await dora.get(link);
    assert.match(ask.text, /Its sessions stay, in no workspace\./);
    const action = ask.text.match(/<form class="confirm" method="post" action="([^"]*)"/)[1].replaceAll('&amp;', '&');
    assert.match((await dora.postAndFollow(action, {})).text, /The workspace is deleted\./);
    assert.equal(await of(dora, id), null);
    assert.deepEqual([await names(dora), await files(dora, 'New <name>'), await text(dora, 'New <name>')], [[], [], '']);
    const none = await dora.get('/workspace/instructions?workspace=Nothing');
    assert.doesNotMatch(none.text, /action="\/workspace\/rename"/, 'what does not exist has no name to change');
});

test('ten thousand sessions have another name in one step, and other writers wait briefly', async () => {
    const db = alfred.openDatabase(), fay = await alfred.user('fay');
    const owner = db.prepare("SELECT id FROM user WHERE name = 'fay'").get().id;
    const add = db.prepare('INSERT INTO session (pub, owner, title, workspace, created_at, active_at) VALUES (?, ?, ?, ?, ?, ?)');
    db.exec('BEGIN');
    for (let i = 0; i < 10_000; i++) add.run(`ses_${String(i).padStart(26, '0')}`, owner, `Number ${i}`, 'Big', i + 1, i + 1);
    db.exec('COMMIT');
    db.close();
    const [done] = await Promise.all([rename(fay, 'Big', 'Bigger'), chat(anna)]);
    assert.equal(done.status, 200, done.text);
    assert.deepEqual(await names(fay), ['Bigger']);
    assert.equal(alfred.sql('SELECT count(*) AS n FROM session WHERE owner = ? AND workspace = ?', owner, 'Bigger')[0].n, 10_000);
    assert.equal((await remove(fay, 'Bigger')).status, 200);
    assert.deepEqual(await names(fay), []);
});

test('the search box finds files of workspaces by the beginnings of their words', async () => {
    const gina = await alfred.user('gina');
    await put(gina, 'Garden', 'Plan of beds-2026.xlsx');
    await put(gina, 'House', 'garden.txt');
    const typed = async (q, client = gina) => (await client.getJson(`/page/search/typed?q=${encodeURIComponent(q)}`)).files.map((f) => [f.name, f.workspace]);
    assert.deepEqual(await typed('bed 202'), [['Plan of beds-2026.xlsx', 'Garden']]);
    assert.deepEqual(await typed('gard'), [['garden.txt', 'House']]);
    assert.deepEqual(await typed('gard', bob), []);
    const [{ url }] = (await gina.getJson('/page/search/typed?q=garden')).files;
    assert.match((await gina.get(url)).text, /garden\.txt/);
    await remove(gina, 'House');
    assert.deepEqual(await typed('gard'), []);
});

test('the search finds files by name and text, with an excerpt, within what the query allows', async () => {
    const hugo = await alfred.user('hugo');
    const found = async (q, more = {}, client = hugo) => (await client.getJson(`/api/search?${new URLSearchParams({ q, ...more })}`)).files;
    const names = async (...args) => (await found(...args)).map((f) => f.name);
    await put(hugo, 'Boat', 'Ropes.md', `${'Filler about nothing.\n'.repeat(3000)}The mainsheet is blue & 12 m long.\n${'More filler.\n'.repeat(3000)}`);
    await put(hugo, 'Boat', 'mainsheet.txt', 'See the other file.');
    await put(hugo, 'House', 'Lease.docx', 'The tenant may keep a cat. 猫を飼う。');
    const [first, second] = await found('mainsheet');
    assert.deepEqual([first.name, second.name], ['mainsheet.txt', 'Ropes.md'], 'a name counts more');
    assert.equal(second.workspace, 'Boat');
    assert.match(second.pieces.map((p) => (p.hit ? `[${p.text}]` : p.text)).join(''), /The \[mainsheet\] is blue & 12 m long/);
    assert.ok(second.cut_head && second.cut_end);
    assert.deepEqual(await names('Which cats may a tenant keep?'), ['Lease.docx'], 'other forms of a word');
    assert.deepEqual(await names('飼う'), ['Lease.docx']);
    assert.deepEqual(await names('"blue & 12"'), ['Ropes.md'], 'a phrase');
    assert.deepEqual(await names('mainsheet -blue'), ['mainsheet.txt']);
    assert.deepEqual([await names('cat workspace:House'), await names('cat workspace:Boat')], [['Lease.docx'], []]);
    assert.deepEqual([await names('cat', { workspace: 'House' }), await names('cat', { workspace: 'Boat' })], [['Lease.docx'], []]);
    assert.deepEqual([await names('cat role:user'), await names('cat is:pinned'), await names('cat before:2020')], [[], [], []]);
    assert.deepEqual([await names('cat', { show: 'facts' }), await names('cat', { show: 'files' })], [[], ['Lease.docx']]);
    assert.deepEqual(await names('mainsheet', {}, bob), [], 'of nobody else');
    const page = (await hugo.get('/search?q=mainsheet&show=files')).text;
    assert.match(page, /<ul class="list" id="found-files">[^]*href="\/workspace\/files\/\d+"[^]*<mark>mainsheet<\/mark> is blue &amp; 12 m/);
    assert.match(page, /aria-current="page">Files</);
});
