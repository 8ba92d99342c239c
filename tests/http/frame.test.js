// The frame around the content of every page: it is small, and its sidebar is never older than the sessions.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange, provide, send, serveFile } from '../lib/chat.js';

const SESSIONS = 45; // more than the sidebar shows
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

test('the sidebar shows on the next page what any program has changed', async () => {
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

test('no page has more than 30 KB around its content, whatever the sessions are called', async () => {
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
    assert.equal((await sidebar(anna)).length, 40);
});
