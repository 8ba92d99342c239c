// Pictures that people send in Telegram: photos, albums and files become pictures of the question. The Bot API that the test
// plays has their files.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { startStrict } from '../../fake/strict.js';
import { badRequest, breaks, fails, hangs, tooMany } from '../../lib/botapi.js';
import { asksForAnswer, provide, sessionOf } from '../../lib/chat.js';
import { GIF, noise, png } from '../../lib/picture.js';
import { until } from '../../lib/rig.js';
import { linkPerson, processed, startTelegram } from '../../lib/telegram.js';

const provider = await provide();
const blind = await startStrict({ server: 'openrouter', models: [{ id: 'maker/blind', window: 32768 }] });
after(() => blind.stop());
/** The pictures of the newest question, as bytes. */
const picturesOf = (call) => [call.body.messages.filter((m) => m.role === 'user').at(-1).content].flat().filter((p) => p.type === 'image_url').map((p) => Buffer.from(p.image_url.url.split(',')[1], 'base64'));
provider.always(async (call) => answers(`Pictures: ${picturesOf(call).length}. Text: ${call.userText}.`)(call), asksForAnswer);
const { alfred, bot } = await startTelegram({
    t: { after },
    env: provider.env,
    config: { limits: { picture_bytes: 64 * 1024, user_pictures_bytes: 1024 * 1024 }, models: { discover: 'no', default_model: 'seeing/sees' }, 'provider.seeing': { kind: 'openai', base_url: provider.env.OPENAI_BASE_URL, model: 'sees' }, 'provider.blind': { kind: 'openai', base_url: blind.url } },
    bot: { readsGroups: true },
});
const anna = await alfred.admin('anna');

const RED = png(64, 48, [200, 30, 30]), BLUE = png(20, 20, [30, 30, 200]);
let people = 1000;
function linked() {
    linkPerson(alfred, ++people, 'anna');
    return people;
}
const shows = (chat, what) => until(`chat ${chat} shows ${what}`, () => bot.texts(chat).find((text) => (what instanceof RegExp ? what.test(text) : text === what)));
const questions = (chat) => alfred.sql("SELECT m.id, m.text, s.pub AS session FROM message m JOIN channel_chat c ON c.session_id = m.session_id JOIN session s ON s.id = m.session_id WHERE c.chat = ? AND m.role = 'user' ORDER BY m.id", String(chat));
const photo = (bytes = RED, more = {}) => bot.files.photo(bytes, more);
const fetched = (file) => bot.of('getFile').filter((c) => c.params.file_id === file.file_id).length;
const lastCall = (text) => provider.calls.findLast((c) => asksForAnswer(c) && c.userText === text);

test('a photo with a caption is a question with a picture; the browser shows both', async () => {
    const chat = linked(), sizes = photo(RED);
    await bot.says({ chat, more: { photo: sizes, caption: 'What is this?' } });
    await shows(chat, 'Pictures: 1. Text: What is this?.');
    assert.ok(picturesOf(lastCall('What is this?'))[0].equals(RED));
    assert.deepEqual([fetched(sizes[0]), fetched(sizes[1])], [0, 1]);
    const [{ session }] = questions(chat);
    const { messages } = await sessionOf(anna, session);
    assert.deepEqual(messages[0].pictures.map((p) => [p.media_type, p.width, p.height]), [['image/png', 64, 48]]);
    assert.ok((await anna.get(messages[0].pictures[0].url)).body.equals(RED));
    await bot.says({ chat, text: 'And what colour?' });
    await shows(chat, /And what colour/);
    assert.match(JSON.stringify(lastCall('And what colour?').body.messages), /data:image\/png/);
});

test('a photo alone is a question, and so is a file that is a picture', async () => {
    const chat = linked();
    await bot.says({ chat, more: { photo: photo() } });
    await shows(chat, /^Pictures: 1\./);
    await bot.says({ chat, more: { document: bot.files.document(GIF, 'image/gif'), caption: 'And this' } });
    await shows(chat, 'Pictures: 1. Text: And this.');
    assert.ok(picturesOf(lastCall('And this'))[0].equals(GIF));
});

test('an album is one question, with its caption and at most eight pictures', async () => {
    const chat = linked();
    await bot.album({ chat, photos: [photo(RED), photo(BLUE), photo(GIF)], caption: 'Compare these' });
    await shows(chat, 'Pictures: 3. Text: Compare these.');
    assert.deepEqual(new Set(picturesOf(lastCall('Compare these')).map((p) => p.length)), new Set([RED, BLUE, GIF].map((p) => p.length)));
    assert.deepEqual(questions(chat).map((q) => q.text), ['Compare these']);
    await bot.album({ chat, photos: Array.from({ length: 10 }, () => photo(BLUE)) });
    await shows(chat, /first 8 pictures/);
    await shows(chat, /^Pictures: 8\./);
});

test('without [speech] voice messages are refused, and so are films', async () => {
    const chat = linked();
    await bot.says({ chat, more: { voice: { file_id: 'v', file_unique_id: 'v', duration: 1 } } });
    await shows(chat, /cannot read this yet: voice message \(the owner of this server has to set \[speech\] first\)/);
    await bot.says({ chat, more: { audio: { file_id: 'a', file_unique_id: 'a', duration: 1 }, caption: 'Listen' } });
    await shows(chat, 'Pictures: 0. Text: Listen.');
    await bot.says({ chat, more: { document: bot.files.document(Buffer.from('film'), 'video/mp4'), caption: 'Summarise' } });
    await shows(chat, 'Pictures: 0. Text: Summarise.');
    await shows(chat, /only the text, not this: file/);
});

test('what is too large, no picture or gone ends with a sentence and no question', async () => {
    const chat = linked();
    const cases = [
        [{ document: bot.files.document(noise(160, 160), 'image/png'), caption: 'Large' }, /larger than the limit/],
        [{ document: bot.files.document(RED, 'image/png', { size: 21 * 1024 * 1024 }), caption: 'Larger' }, /larger than the limit/],
        [{ document: bot.files.document(Buffer.from('<svg/>'), 'image/png'), caption: 'None' }, /PNG, JPEG, GIF and WebP/],
    ];
    for (const [more, words] of cases) {
        const before = bot.texts(chat).length;
        await bot.says({ chat, more });
        await until(`the chat is told ${words}`, () => bot.texts(chat).slice(before).find((text) => words.test(text)));
    }
    bot.next('getFile', badRequest('file is too big'));
    await bot.says({ chat, more: { photo: photo() } });
    await until('it is told', () => bot.texts(chat).filter((text) => /larger than the limit/.test(text)).length === 3);
    bot.next('getFile', badRequest('invalid file_id'));
    await bot.says({ chat, more: { photo: photo(), caption: 'Gone' } });
    await shows(chat, /could not be fetched from Telegram/);
    const [{ id, data }] = alfred.sql('SELECT id, data FROM picture ORDER BY id LIMIT 1');
    alfred.sql('UPDATE picture SET data = zeroblob(1024 * 1024) WHERE id = ?', id);
    await bot.says({ chat, more: { photo: photo(), caption: 'Too many' } });
    await shows(chat, /all of the 1\sMB that this server allows/);
    alfred.sql('UPDATE picture SET data = ? WHERE id = ?', data, id);
    assert.deepEqual(questions(chat), []);
    await bot.says({ chat, text: 'Still there?' });
    await shows(chat, 'Pictures: 0. Text: Still there?.');
});

test('a download that fails for a while is repeated, and the message is asked once', async () => {
    const chat = linked(), sizes = photo(BLUE);
    bot.next('getFile', fails(502));
    bot.next('getFile', tooMany(1));
    bot.next('getFile', badRequest('wrong file_id or the file is temporarily unavailable'));
    bot.next('file', breaks());
    bot.next('file', fails(404));
    await bot.says({ chat, more: { photo: sizes, caption: 'After a while' } });
    await until('the first attempt is made', () => fetched(sizes[1]) > 0);
    await bot.says({ chat, text: 'Next' });
    await shows(chat, 'Pictures: 1. Text: After a while.');
    await shows(chat, 'Pictures: 0. Text: Next.');
    assert.ok(fetched(sizes[1]) >= 5); // curl itself repeats a GET when a kept connection breaks
    assert.deepEqual(questions(chat).map((q) => q.text), ['After a while', 'Next']);
    assert.match(alfred.logs(), /a file cannot be fetched: getFile: 502/);
});

test('a helper that is killed or stopped while it downloads begins again', async () => {
    const chat = linked();
    for (const [n, end] of [() => alfred.killAndAwait('helper'), () => alfred.killAndAwait('helper', 'SIGTERM')].entries()) {
        const sizes = photo(RED), caption = `Restart ${n}`;
        const before = bot.of('file').length;
        bot.next('file', hangs()); // the next helper gets it
        await bot.says({ chat, more: { photo: sizes, caption } });
        await until('the file is asked for', () => bot.of('file').length > before);
        await end();
        await shows(chat, `Pictures: 1. Text: ${caption}.`);
    }
    assert.equal(questions(chat).length, 2);
});

test('a model without pictures is named in the chat', async () => {
    const chat = linked();
    for (const [model, words] of [['blind/maker/blind', /does not support pictures\. Choose a model that does/], ['offline/offline', /built-in model does not support pictures/]]) {
        await bot.says({ chat, text: `/model ${model}` });
        await processed(alfred);
        await bot.says({ chat, more: { photo: photo(), caption: `For ${model}` } });
        await shows(chat, words);
    }
    assert.deepEqual(questions(chat), []);
    assert.equal(blind.requests.filter((r) => r.tools > 0).length, 0);
});

test('an edited caption keeps the pictures', async () => {
    const chat = linked();
    const [first] = await bot.album({ chat, photos: [photo(RED), photo(BLUE)], caption: 'Waht is this' });
    await shows(chat, 'Pictures: 2. Text: Waht is this.');
    await until('no turn runs', () => alfred.sql("SELECT count(*) AS n FROM turn WHERE status = 'running'")[0].n === 0);
    await bot.edits(first, 'What is this');
    await until('the message is changed', () => questions(chat)[0].text === 'What is this');
    assert.equal((await sessionOf(anna, questions(chat)[0].session)).messages[0].pictures.length, 2);
});

test('in a group the album of a mention is a question; other photos and those of strangers are not fetched', async () => {
    const anna = linked(), group = -7001;
    const other = photo(), strange = photo();
    await bot.says({ chat: group, from: anna, more: { photo: other, caption: 'Look' } });
    await bot.says({ chat: 888_001, more: { photo: strange, caption: 'Let me in' } });
    await shows(888_001, /\/link/);
    const caption = `@${bot.name} what are these?`;
    const [one, two] = ['one', 'two'].map((_, i) => bot.message({ chat: group, from: anna, more: { media_group_id: '77', photo: photo(BLUE), ...(i === 0 && { caption, caption_entities: [{ type: 'mention', offset: 0, length: bot.name.length + 1 }] }) } }));
    await bot.push({ message: one });
    await bot.push({ message: two });
    await shows(group, 'Pictures: 2. Text: what are these?.');
    assert.equal(fetched(other[1]) + fetched(strange[1]), 0);
});

test('a question below a picture is about it, in a group also below that of a stranger', async () => {
    const chat = linked(), group = -7002, sizes = photo(BLUE);
    await bot.says({ chat: group, from: chat, text: `@${bot.name} hello` });
    await shows(group, /Text: hello/);
    const { message_id: replyTo } = await bot.says({ chat: group, from: 888_002, more: { photo: sizes, caption: 'Our new boat' } });
    await bot.says({ chat: group, from: chat, text: `@${bot.name} what is this?`, replyTo });
    await shows(group, /^Pictures: 1\. Text: what is this\?\n\nIn reply to:\n\nOur new boat\.$/);
    assert.ok(picturesOf(provider.calls.findLast((c) => asksForAnswer(c)))[0].equals(BLUE));
    assert.equal(questions(group).length, 2);
});

test('the token is in no log, and the requests are those of the documentation', () => {
    assert.ok(!alfred.logs().includes(bot.token));
    assert.ok(!alfred.logs().includes(bot.token.split(':')[1]));
    assert.deepEqual(bot.complaints, []);
});
