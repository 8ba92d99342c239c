// Pictures in the exports of ChatGPT and Open WebUI.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { serveFile, sessionOf } from '../../lib/chat.js';
import { noise, png } from '../../lib/picture.js';
import { startAlfred } from '../../lib/rig.js';
import { bring, chatgpt } from '../../lib/transfer.js';
import { zip } from '../../lib/zip.js';

const KB = 1024;
const alfred = await serveFile({ config: { limits: { picture_bytes: 64 * KB }, session: { idle_minutes: 0 } } });
await alfred.admin('anna');

const RED = png(64, 48, [200, 30, 30]), BLUE = png(20, 20, [30, 30, 200]), NOISE = noise(130, 130), LARGE = noise(160, 160);
/** A difference of bytes would be printed with all of them, which takes minutes and gigabytes. */
const NAMES = { RED, BLUE, NOISE, LARGE };
const nameOf = (bytes) => Object.keys(NAMES).find((name) => NAMES[name].equals(bytes)) ?? 'another';
const url = (bytes) => `data:image/png;base64,${bytes.toString('base64')}`;
const count = (sql) => alfred.database((db) => db.prepare(sql).get().n);

/** Imports as a new user; gives [role, text, names of the pictures] of each message of the only session. */
async function messages(name, file) {
    const client = await alfred.user(name);
    const done = await bring(client, file);
    assert.deepEqual([done.state, done.done, done.skipped], ['done', 1, 0], done.error);
    const [{ id }] = (await client.getJson('/api/sessions?show=all')).sessions;
    const list = (await sessionOf(client, id)).messages;
    const all = await Promise.all(list.map(async (m) => [m.role, m.text, await Promise.all(m.pictures.map(async (p) => nameOf((await client.get(p.url)).body)))]));
    const again = await bring(client, file);
    assert.deepEqual([again.done, again.known], [0, 1]);
    return all;
}

/** A conversation whose messages have these parts. */
function pointing(id, parts) {
    const made = chatgpt(id, parts.map(() => ''));
    parts.forEach((list, i) => (made.mapping[`${id}-${i}`].message.content = { content_type: 'multimodal_text', parts: list }));
    return made;
}
const image = (asset_pointer) => ({ content_type: 'image_asset_pointer', asset_pointer, size_bytes: 1, width: 1, height: 1 });

test('the pictures in the zip of ChatGPT become pictures of their messages', async () => {
    const conversation = pointing('c1', [
        [image('file-service://file-AbC123'), image('sediment://file_00ff?shared_conversation_id=1'), 'What are these?'],
        ['A square.', image('file-service://file-AbC123')],
        [image('sediment://file_stored')],
        ['Yes.'],
        [image('file-service://file-Absent'), image('file-service://file-TooLarge'), image('file-service://file-Text'), image('file-service://file-Damaged'), image('file-service://file-AbC'), 'None of these'],
        ['No.'],
        [...Array.from({ length: 9 }, () => image('file-service://file-AbC123')), 'Nine'],
    ]);
    const file = zip([
        ['user-1/file_00ff-sanitized.dat', BLUE],
        ['conversations.json', JSON.stringify([conversation])],
        ['file-AbC123-photo of a square.png', RED],
        ['dalle-generations/file_stored.webp', NOISE, { method: 0 }],
        ['file-TooLarge-big.png', LARGE],
        ['file-Text-notes.txt', 'no picture'],
        ['file-Damaged-x.png', BLUE, { crc: 1 }],
        ['chat.html', '<html>'],
    ]);
    const note = '(An image was here.)';
    assert.deepEqual(await messages('gpt', file), [
        ['user', 'What are these?', ['RED', 'BLUE']],
        ['assistant', 'A square.', ['RED']],
        ['user', '', ['NOISE']],
        ['assistant', 'Yes.', []],
        ['user', `${Array(5).fill(note).join('\n\n')}\n\nNone of these`, []],
        ['assistant', 'No.', []],
        ['user', `${note}\n\nNine`, Array(8).fill('RED')],
    ]);
    assert.equal(count('SELECT count(*) AS n FROM picture WHERE message_id IS NULL'), 0);
});

test('a picture that ChatGPT has drawn is an answer below its call', async () => {
    const conversation = chatgpt('c5', ['Draw a fox', '{"prompt": "A red fox"}', '', 'Here it is.']);
    const [call, result, said] = [1, 2, 3].map((n) => conversation.mapping[`c5-${n}`].message);
    call.recipient = 'dalle.text2im';
    Object.assign(result, { author: { role: 'tool', name: 'dalle.text2im' }, content: { content_type: 'multimodal_text', parts: [{ ...image('sediment://file_fox'), metadata: { dalle: { prompt: 'A red fox' } } }] } });
    said.author = { role: 'assistant' };
    const got = await messages('drawn', zip([['conversations.json', JSON.stringify([conversation])], ['file_fox-1.webp', NOISE]]));
    assert.deepEqual(got.map(([role, , pictures]) => [role, pictures]), [['user', []], ['assistant', []], ['tool', []], ['assistant', ['NOISE']], ['assistant', []]]);
    assert.equal(alfred.sql("SELECT json_extract(pictures, '$[0].alt') AS alt FROM message WHERE role = 'assistant' AND pictures IS NOT NULL ORDER BY id DESC LIMIT 1")[0].alt, 'A red fox');
    const without = await messages('undrawn', Buffer.from(JSON.stringify([{ ...conversation, conversation_id: 'c6' }])));
    assert.deepEqual(without.map(([role, text]) => [role, text]).slice(2), [['tool', '(An image was here.)'], ['assistant', 'Here it is.']]);
});

test('an import leaves out the pictures for which the user has no room, and nothing else', async (t) => {
    const small = await startAlfred({ t, config: { limits: { user_pictures_bytes: 1024 * KB }, session: { idle_minutes: 0 } } });
    const client = await small.admin('anna');
    const half = noise(400, 400), note = '(An image was here.)';
    assert.ok(half.length > 400 * KB && half.length < 512 * KB);
    const asks = pointing('c3', [[image('file-service://file-AbC123'), 'One'], ['Yes.'], [image('file-service://file-AbC123'), image('file-service://file-AbC123')], ['Well.']]);
    const file = (conversation) => zip([['conversations.json', JSON.stringify([conversation])], ['file-AbC123-a.png', half]]);
    const texts = async () => {
        const [{ id }] = (await client.getJson('/api/sessions?show=all')).sessions;
        return (await sessionOf(client, id)).messages.map((m) => [m.text, m.pictures.length]);
    };
    const done = await bring(client, file(asks));
    assert.deepEqual([done.state, done.done, done.skipped, done.pictures_left_out], ['done', 1, 0, 1], done.error);
    assert.deepEqual(await texts(), [['One', 1], ['Yes.', 0], [note, 1], ['Well.', 0]]);
    assert.match((await client.get('/data')).text, /1 picture left out \(it exceeds the space for your pictures; a note stands for it\)/);

    const longer = pointing('c3', [[image('file-service://file-AbC123'), 'One'], ['Yes.'], [image('file-service://file-AbC123'), image('file-service://file-AbC123')], ['Well.'], ['Two', image('file-service://file-AbC123')], ['Good.']]);
    const again = await bring(client, file(longer));
    assert.deepEqual([again.done, again.grown, again.changed, again.pictures_left_out], [1, 1, 0, 1], again.error);
    assert.deepEqual((await texts()).slice(4), [[`Two\n\n${note}`, 0], ['Good.', 0]]);
});

test('without the zip, a note stands for each picture of ChatGPT', async () => {
    const text = JSON.stringify([pointing('c2', [[image('file-service://file-AbC123'), 'What is this?']])]);
    assert.deepEqual(await messages('plain', Buffer.from(text)), [['user', '(An image was here.)\n\nWhat is this?', []]]);
});

test('pictures inside an export of Open WebUI become pictures of their messages', async () => {
    const say = (id, parentId, role, content, files) => ({ id, parentId, childrenIds: [], role, content, timestamp: 1.6e9 + Number(id), files });
    const list = [
        say('1', null, 'user', 'What are these?', [{ type: 'image', url: url(RED) }, { type: 'image', url: url(NOISE) }, { type: 'image', url: url(BLUE) }]),
        say('2', '1', 'assistant', 'Squares.', [{ type: 'image', url: url(NOISE) }]),
        say('3', '2', 'user', '', [{ type: 'image', url: url(NOISE) }]),
        say('4', '3', 'assistant', 'Noise.'),
        say('5', '4', 'user', 'None of these', [{ type: 'image', url: url(LARGE) }, { type: 'image', url: '/api/v1/files/1' }, { type: 'image', url: 'data:image/png;base64,#9' }, { type: 'image', url: 'data:image/png;base64,AAAA' }]),
        say('6', '5', 'assistant', 'No.'),
        say('7', '6', 'user', [{ type: 'text', text: 'In parts' }, { type: 'image_url', image_url: { url: url(NOISE) } }]),
    ];
    const chat = { id: 'w1', title: 'Pictures', created_at: 1.6e9, updated_at: 1.6e9, chat: { title: 'Pictures', history: { messages: Object.fromEntries(list.map((m) => [m.id, m])), currentId: '7' } } };
    const note = '(An image was here.)';
    assert.deepEqual(await messages('webui', Buffer.from(JSON.stringify([chat]))), [
        ['user', 'What are these?', ['RED', 'NOISE', 'BLUE']],
        ['assistant', 'Squares.', ['NOISE']],
        ['user', '', ['NOISE']],
        ['assistant', 'Noise.', []],
        ['user', `None of these\n\n${Array(4).fill(note).join('\n\n')}`, []],
        ['assistant', 'No.', []],
        ['user', 'In parts', ['NOISE']],
    ]);
});
