// Pictures in copies of conversations: exports and imports, files of one conversation, shared links.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startStrict } from '../../fake/strict.js';
import { ended, send, serveFile, sessionOf } from '../../lib/chat.js';
import { noise, png, upload } from '../../lib/picture.js';
import { bring, takeOut } from '../../lib/transfer.js';
import { recordsOf } from '../../lib/zip.js';

const KB = 1024;
const strict = await startStrict({ server: 'openai', models: [{ id: 'gpt-4.1', window: 128000 }] });
after(() => strict.stop());
const alfred = await serveFile({ config: { limits: { picture_bytes: 64 * KB }, models: { discover: 'no' }, session: { idle_minutes: 0 }, 'provider.openai': { kind: 'openai', base_url: strict.url } } });
const anna = await alfred.admin('anna');

const RED = png(64, 48, [200, 30, 30]), BLUE = png(20, 20, [30, 30, 200]), NOISE = noise(120, 120);
const base64 = (bytes) => bytes.toString('base64');

async function ask(text, pictures, session = 'new') {
    const ids = [];
    for (const bytes of pictures) ids.push((await upload(anna, bytes)).id);
    const sent = await send(anna, text, { choice: 'openai/gpt-4.1', session, pictures: ids });
    const end = await ended(anna, sent.turn);
    assert.equal(end.status, 'done', end.error);
    return sent.session;
}
const bytesOf = async (client, picture) => (await client.get(picture.url)).body;
/** The messages of the user of the only session: text and the bytes of the pictures. */
async function asked(client, session) {
    const list = (await sessionOf(client, session)).messages.filter((m) => m.role === 'user');
    return Promise.all(list.map(async (m) => [m.text, await Promise.all(m.pictures.map((p) => bytesOf(client, p)))]));
}
const count = (sql) => alfred.database((db) => db.prepare(sql).get().n);

const session = await ask('What are these?', [RED, NOISE]);
await ask('', [BLUE], session);
const EXPECTED = [['What are these?', [RED, NOISE]], ['', [BLUE]]];

test('the size of a session counts its pictures', async () => {
    const { json } = await anna.get(`/api/sessions/${session}/details`);
    assert.ok(json.bytes > RED.length + NOISE.length + BLUE.length);
});

test('an export has the pictures, and an import restores them once', async () => {
    const out = await takeOut(anna);
    const records = recordsOf(out), pictures = records.filter((r) => r.type === 'picture');
    const [first, second] = records.filter((r) => r.type === 'message' && r.role === 'user');
    assert.deepEqual(pictures, [
        { type: 'picture', session, message: first.id, media_type: 'image/png', width: 64, height: 48, data: base64(RED) },
        { type: 'picture', session, message: first.id, media_type: 'image/png', width: 120, height: 120, data: base64(NOISE) },
        { type: 'picture', session, message: second.id, media_type: 'image/png', width: 20, height: 20, data: base64(BLUE) },
    ]);
    assert.equal(records[records.indexOf(pictures[0]) - 1], first, 'a picture follows its message');

    const bob = await alfred.user('bob');
    const done = await bring(bob, out);
    assert.deepEqual([done.state, done.done, done.skipped], ['done', 1, 0], done.error);
    const [copy] = (await bob.getJson('/api/sessions?show=all')).sessions;
    assert.deepEqual(await asked(bob, copy.id), EXPECTED);
    const before = count('SELECT count(*) AS n FROM picture');
    const again = await bring(bob, out);
    assert.deepEqual([again.done, again.known], [0, 1]);
    assert.equal(count('SELECT count(*) AS n FROM picture'), before);
    assert.equal(count('SELECT count(*) AS n FROM picture WHERE message_id IS NULL'), 0);
    const [{ pictures: [mine] }] = (await sessionOf(anna, session)).messages;
    assert.equal((await bob.get(mine.url)).status, 404, 'the rows are his own');
    assert.deepEqual(recordsOf(await takeOut(bob)).filter((r) => r.type === 'picture').map((r) => r.data), pictures.map((r) => r.data));
});

test('what cannot be a picture of its message becomes a note', async () => {
    const header = { type: 'header', format: 'alfred', version: 1, sessions: 1 };
    const id = 'ses_00000000000000000000000001';
    const message = (n, role, more) => ({ type: 'message', session: id, id: `${n}`, role, status: 'done', created_at: 1.7e12 + n, text: `Text ${n}`, ...more });
    const picture = (of, data) => ({ type: 'picture', session: id, message: `${of}`, data });
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    const lines = [
        header, { type: 'session', id, title: 'Odd', created_at: 1.7e12 },
        message(1, 'user'), picture(1, base64(RED)), picture(1, base64(svg)), picture(1, '%%%'), picture(1, base64(noise(160, 160))),
        message(2, 'assistant', { parent: '1' }), picture(2, base64(RED)), picture(1, base64(BLUE)),
        message(3, 'user', { parent: '2' }), ...Array.from({ length: 9 }, () => picture(3, base64(BLUE))), picture(77, base64(RED)),
    ];
    const carl = await alfred.user('carl');
    const done = await bring(carl, Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n')));
    assert.deepEqual([done.state, done.done], ['done', 1], done.error);
    const [copy] = (await carl.getJson('/api/sessions?show=all')).sessions;
    const [first, answer, second] = (await sessionOf(carl, copy.id)).messages;
    assert.equal(first.text, 'Text 1\n\n(An image was here.)\n\n(An image was here.)\n\n(An image was here.)');
    assert.deepEqual(first.pictures.map((p) => p.width), [64]);
    assert.equal(answer.text, 'Text 2');
    assert.deepEqual(answer.pictures.map((p) => p.width), [64]);
    assert.equal(second.pictures.length, 8);
    assert.equal(second.text, 'Text 3\n\n(An image was here.)');
});

test('one conversation as a file has its pictures in the form of the format', async () => {
    const file = (format) => anna.get(`/api/sessions/${session}/file?format=${format}`);
    const page = (await file('html')).text;
    const images = [...page.matchAll(/<img src="([^"]*)" width="(\d+)" height="(\d+)" alt="Picture"/g)].map((m) => m.slice(1));
    assert.deepEqual(images, [[RED, '64', '48'], [NOISE, '120', '120'], [BLUE, '20', '20']].map(([bytes, ...size]) => [`data:image/png;base64,${base64(bytes)}`, ...size]));
    assert.match(page, /default-src 'none'; style-src 'unsafe-inline'; img-src data:;/);
    assert.match(page, /alt="Picture"[^>]*><\/p>\n<div class="text">[^]*What are these\?/);
    assert.match((await file('md')).text, /\n\n\[Picture, 64 x 48\]\n\n\[Picture, 120 x 120\]\n\nWhat are these\?\n\n[^]*\n\n\[Picture, 20 x 20\]\n\n## Alfred/);
    const { messages, pictures } = (await file('json')).json;
    assert.equal(messages.length, 4);
    assert.deepEqual(pictures.map((p) => [p.message, p.data]), [[messages[0].id, base64(RED)], [messages[0].id, base64(NOISE)], [messages[2].id, base64(BLUE)]]);
    const dora = await alfred.user('dora');
    assert.equal((await bring(dora, (await file('jsonl')).body)).done, 1);
    assert.deepEqual(await asked(dora, (await dora.getJson('/api/sessions')).sessions[0].id), EXPECTED);
});

test('a shared copy shows the pictures by the rules of its link', async () => {
    const share = async (want = {}) => {
        const made = await anna.postJson(`/api/sessions/${session}/shares`, want);
        assert.equal(made.status, 201, made.text);
        assert.equal(made.json.share.pictures, 3);
        return { ...made.json.share, path: new URL(made.json.share.url).pathname };
    };
    const reader = anna.stranger(), link = await share();
    const page = (await reader.get(link.path)).text;
    const images = [...page.matchAll(/<img src="([^"]*)"/g)].map((m) => m[1]);
    assert.equal(images.length, 3);
    assert.ok(images.every((url) => url.startsWith(`${link.path}/pictures/pic_`)));
    const got = await reader.get(images[0]);
    assert.equal(got.status, 200);
    assert.ok(got.body.equals(RED));
    assert.equal(got.headers['content-type'], 'image/png');
    assert.match(got.headers['content-security-policy'], /default-src 'none'; sandbox/);
    assert.deepEqual(['cache-control', 'referrer-policy', 'x-robots-tag', 'x-content-type-options'].map((name) => got.headers[name]), ['private, no-cache', 'no-referrer', 'noindex, nofollow, noarchive', 'nosniff']);
    assert.equal((await reader.get(images[0], { headers: { 'if-none-match': got.headers.etag } })).status, 304);
    assert.ok((await reader.get(images[2])).body.equals(BLUE));
    assert.match((await anna.get(`/sessions/${session}/share`)).text, /4 messages<span aria-hidden="true"> ·<\/span> 3 pictures/);

    const other = await ask('Not shared', [RED]);
    const [{ pictures: [hidden] }] = (await sessionOf(anna, other)).messages;
    assert.equal((await reader.get(`${link.path}/pictures/${hidden.id}`)).status, 404);

    const locked = await share({ password: 'long enough 1' });
    const inside = images[0].replace(link.path, locked.path);
    assert.equal((await reader.get(inside)).status, 404);
    assert.equal((await reader.post(locked.path, { password: 'long enough 1' }, { csrf: false })).status, 303);
    assert.equal((await reader.get(inside)).status, 200);

    const asks = (await sessionOf(anna, session)).messages[2];
    assert.equal((await anna.request('DELETE', `/api/sessions/${session}/messages/${asks.id}`, { json: {} })).status, 200);
    assert.ok((await reader.get(images[2])).body.equals(BLUE), 'the copy stays as it was');
    assert.equal((await anna.postJson(`/api/shares/${link.id}/renew`, {})).json.share.pictures, 2);
    assert.equal((await reader.get(images[2])).status, 404);
    assert.equal((await anna.request('DELETE', `/api/shares/${link.id}`, { json: {} })).status, 200);
    assert.equal((await reader.get(images[0])).status, 404);
    assert.equal(count(`SELECT count(*) AS n FROM share_picture WHERE share_id = ${Number(link.id.replace(/\D+/g, ''))}`), 0);
});
