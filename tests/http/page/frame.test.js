// The frame around the content of every page: it is small, and its sidebar is current.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange, provide, send, serveFile } from '../../lib/chat.js';

const SESSIONS = 45; // more than one part of the sidebar
const TITLE_MAX = 200; // characters, of a session
const FRAME_MAX = 30 * 1024; // bytes

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');

async function newSession(client, title) {
    const { session } = await exchange(client, provider, 'A question', 'Yes.');
    await rename(client, session, title);
    return session;
}

async function rename(client, session, title) {
    assert.equal((await client.request('PATCH', `/api/sessions/${session}`, { json: { title } })).status, 200);
}

/** The titles in the sidebar of a page, newest first. */
async function sidebar(client, path = '/tasks') {
    const html = (await client.get(path)).text;
    const nav = html.match(/<nav class="side-list".*?<\/nav>/s)[0];
    return [...nav.matchAll(/<span class="row-title"[^>]*>(.*?)<\/span>/g)].map((m) => m[1]);
}

test('the next page shows changes by any program in the sidebar', async () => {
    const first = await newSession(anna, 'First');
    assert.deepEqual(await sidebar(anna), ['First']);
    assert.deepEqual(await sidebar(anna), ['First']);
    await rename(anna, first, 'Renamed');
    assert.deepEqual(await sidebar(anna), ['Renamed']);
    const second = await newSession(anna, 'Second');
    assert.deepEqual(await sidebar(anna), ['Second', 'Renamed']);
    assert.deepEqual(await sidebar(anna, `/s/${first}`), ['Second', 'Renamed']);
    assert.match((await anna.get(`/s/${first}`)).text, new RegExp(`href="/s/${first}" aria-current="page"`));
    assert.doesNotMatch((await anna.get('/tasks')).text, new RegExp(`href="/s/${first}" aria-current`));
    assert.match((await anna.get(`/s/${second}`)).text, new RegExp(`href="/s/${second}" aria-current="page"`));
    assert.doesNotMatch((await anna.get(`/s/${second}`)).text, new RegExp(`href="/s/${first}" aria-current`));
    const ben = await alfred.user('ben');
    assert.deepEqual(await sidebar(ben), []);
    const bens = await newSession(ben, 'Of ben');
    assert.deepEqual(await sidebar(ben), ['Of ben']);
    assert.deepEqual(await sidebar(anna), ['Second', 'Renamed']);
    await ben.request('DELETE', `/api/sessions/${bens}`);
    assert.deepEqual(await sidebar(ben), []);
    await anna.post(`/sessions/${second}/delete`, {});
    assert.deepEqual(await sidebar(anna), ['Renamed']);
});

test('the sidebar has pinned sessions first, keeps idle ones, and drops those that the user archived', async () => {
    const [top, idle, away, other] = await Promise.all(['Top', 'Idle', 'Away', 'Other'].map((title) => newSession(anna, title)));
    alfred.sql('UPDATE session SET archived_at = 5, active_at = active_at - 100 * 86400000 WHERE pub = ?', idle);
    assert.equal((await anna.postJson(`/api/sessions/${top}/pin`, {})).status, 200);
    const listed = await sidebar(anna);
    assert.equal(listed[0], 'Top');
    assert.equal(listed.at(-1), 'Idle');
    assert.match((await anna.get('/tasks')).text, /<h2>Pinned<\/h2>\s*<ul>\s*<li class="row" data-session="ses_[a-z0-9]+" data-pinned>/);

    const archive = (id, archived) => anna.request('PATCH', `/api/sessions/${id}`, { json: { archived } });
    const answer = await archive(away, true);
    assert.deepEqual([answer.status, answer.json.session.archived, answer.json.session.archived_by], [200, true, 'user']);
    assert.ok(!(await sidebar(anna)).includes('Away'));
    const open = (await anna.get(`/s/${away}`)).text;
    assert.match(open, new RegExp(`<section>\\s*<h2>Archived</h2>\\s*<ul>\\s*<li class="row" data-session="${away}" data-archived><a class="row-link" href="/s/${away}" aria-current="page">`));
    const titles = async (query) => (await anna.getJson(`/api/sessions${query}`)).sessions.map((s) => s.title);
    assert.deepEqual(await titles('?show=hidden'), ['Away']);
    assert.deepEqual((await titles('?show=archived')).sort(), ['Away', 'Idle']);
    assert.ok(!(await titles('?show=active')).includes('Idle'));
    assert.equal((await anna.getJson(`/api/sessions/${idle}`)).session.archived_by, 'idle');
    assert.match((await anna.get('/sessions?show=hidden')).text, /Away/);
    assert.equal((await archive(away, false)).json.session.archived_by, null);
    assert.ok((await sidebar(anna)).includes('Away'));

    // Without a script, and back by a new message.
    const done = await anna.post(`/sessions/${other}/archive`, { back: '/sessions' });
    assert.deepEqual([done.status, done.location], [303, '/sessions?done=archived']);
    assert.ok(!(await sidebar(anna)).includes('Other'));
    await send(anna, 'Once more', { session: other });
    assert.ok((await sidebar(anna)).includes('Other'));
    await anna.post(`/sessions/${other}/archive`, {});
    assert.equal((await anna.post(`/sessions/${other}/unarchive`, {})).location, '/sessions?done=unarchived');
    const ben = await alfred.signIn('ben');
    assert.equal((await ben.request('PATCH', `/api/sessions/${other}`, { json: { archived: true } })).status, 404);
    for (const id of [top, idle, away]) await anna.request('DELETE', `/api/sessions/${id}`);
});

test('no page has more than 30 KB around its content, with any titles of sessions', async () => {
    const long = await newSession(anna, 'x'.repeat(TITLE_MAX));
    for (let i = 1; i < SESSIONS; i++) await rename(anna, (await send(anna, `Question ${i}`)).session, `${i} ${'x'.repeat(TITLE_MAX - 3)}`);
    const pages = ['/', `/s/${long}`, `/s/${long}/summary`, '/sessions', '/sessions?show=archived', '/search', '/search?q=question', '/memory', '/tasks', '/account', '/data',
        '/connect', '/admin/users', '/admin/jobs', `/sessions/${long}/delete`, '/nothing-here'];
    const stranger = alfred.client();
    const asked = [...pages.map((path) => [anna, path]), ...['/signin', '/welcome'].map((path) => [stranger, path])];
    for (const [client, path] of asked) {
        const { text, headers } = await client.get(path);
        assert.match(headers['content-type'] ?? '', /^text\/html/, path);
        const content = text.match(/<main[^>]*>.*<\/main>/s)?.[0] ?? assert.fail(`${path} has no content`);
        const frame = Buffer.byteLength(text) - Buffer.byteLength(content);
        assert.ok(frame <= FRAME_MAX, `${path} has ${frame} bytes around its content`);
    }
    assert.equal((await sidebar(anna)).length, 32);
    assert.equal((await sidebar(anna, `/s/${long}`)).length, 33, 'the open one has a row');
    // The rest, part by part.
    const after = (await anna.get('/tasks')).text.match(/class="side-more" href="\/sessions\?after=([^"]+)"/)[1];
    const { html } = await anna.getJson(`/page/sidebar?after=${after}`);
    assert.ok(html.includes(`data-session="${long}"`));
    assert.doesNotMatch(html, /side-more/);
    assert.match((await anna.get(`/sessions?after=${after}`)).text, new RegExp(`data-session="${long}"`), 'the link without a script');
    assert.equal((await anna.get('/page/sidebar?after=x')).status, 400);
    assert.equal((await anna.get(`/page/sidebar?session=${long}&limit=199`)).json.html.match(/aria-current/g).length, 1);
});

test('the sidebar of an open page follows after its session went to the trash elsewhere', async () => {
    const session = await newSession(anna, 'Leaves');
    await anna.request('DELETE', `/api/sessions/${session}`);
    const { status, json } = await anna.get(`/page/sidebar?session=${session}&limit=199`);
    assert.equal(status, 200);
    assert.doesNotMatch(json.html, new RegExp(`aria-current|${session}`));
});

test('the error page has no row of a session with its own title', async () => {
    const page = await anna.get('/nowhere', { headers: { accept: 'text/html' } });
    assert.equal(page.status, 404);
    assert.match(page.text, /<h1>Not found<\/h1>/);
    assert.doesNotMatch(page.text, /row-title"[^>]*>Not found/);
});

test('every page of the menu is marked as the current one in it, and no other', async () => {
    const menu = (await anna.get('/')).text.match(/<aside .*?<\/aside>/s)[0].replace(/<nav class="side-list".*?<\/nav>/s, '');
    const paths = [...menu.matchAll(/<a class="side-link" href="([^"]+)"/g)].map((m) => m[1]);
    assert.ok(paths.includes('/data') && paths.includes('/shares') && paths.includes('/admin/outbox'), paths.join(' '));
    for (const path of paths) {
        const side = (await anna.get(path)).text.match(/<aside .*?<\/aside>/s)[0];
        assert.deepEqual([...side.matchAll(/href="([^"]+)"[^>]* aria-current="page"/g)].map((m) => m[1]), [path]);
    }
});
