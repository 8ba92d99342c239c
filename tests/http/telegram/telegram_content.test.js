// Messages of Telegram with more than plain text, as the model and the session get them: authors of forwarded messages,
// links and code of entities, rich messages, and kinds that nobody knows yet.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { answers, fails, hangsAfter } from '../../fake/provider.js';
import { asksForAnswer, provide } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';
import { linkPerson, startTelegram } from '../../lib/telegram.js';

const provider = await provide();
provider.always(answers('Read.'), asksForAnswer);
const { alfred, bot } = await startTelegram({ t: { after }, env: provider.env, bot: { readsGroups: true } });
const anna = await alfred.admin('anna');

let people = 1000;
function linked() {
    linkPerson(alfred, ++people, 'anna');
    return people;
}
const asked = (chat) => alfred.sql("SELECT m.text FROM message m JOIN channel_chat c ON c.session_id = m.session_id WHERE c.chat = ? AND m.role = 'user' ORDER BY m.id", String(chat)).map((r) => r.text);
/** The text that the model and the session have, when there is one that fits. */
const reads = async (chat, fits) => {
    const text = await until(`chat ${chat} asks`, () => asked(chat).find((t) => fits.test(t)));
    await until('the model has it, too', () => provider.calls.some((c) => asksForAnswer(c) && c.userText === text));
    return text;
};
const says = (chat, what) => until(`chat ${chat} is told`, () => bot.texts(chat).find((t) => what.test(t)));

test("what comes later is in the language of the person's app, too, unless the user has chosen one", async () => {
    const chat = linked();
    provider.next(fails(401), asksForAnswer);
    await bot.says({ chat, text: 'Hallo', language: 'de' });
    await says(chat, /akzeptiert den Schlüssel nicht/);
    await anna.request('PATCH', '/api/settings', { json: { language: 'en' } });
    provider.next(fails(401), asksForAnswer);
    await bot.says({ chat, text: 'Noch einmal', language: 'de' });
    await says(chat, /does not accept the key/);
    await anna.request('PATCH', '/api/settings', { json: { language: 'auto' } });
});

test('in a group a command that Alfred does not know is that of another bot, unless it names Alfred', async () => {
    const from = linked(), chat = -7100;
    for (const text of ['/ban somebody', '/poll', `/nonsense@${bot.name}`]) await bot.says({ chat, from, text });
    await says(chat, /no command .*nonsense/);
    await bot.says({ chat, from: 888_100, text: '/ban me' });
    await bot.says({ chat, from, text: '/help' });
    await says(chat, /\/new/);
    assert.equal(bot.texts(chat).filter((t) => /ban|poll/.test(t)).length, 0);
    assert.equal(bot.texts(chat).length, 2);
    await bot.says({ chat, from, text: `@${bot.name} /rubbish` });
    await says(chat, /no command .*rubbish/);
});

const sent = (chat) => bot.of('sendMessage').findLast((c) => Number(c.chat) === chat);

test('in a group an answer replies to its question, also while it grows', async () => {
    const from = linked(), chat = -7200;
    const question = await bot.says({ chat, from, text: `@${bot.name} what is new?` });
    await says(chat, /^Read\.$/);
    assert.equal(sent(chat).params.reply_parameters.message_id, question.message_id);
    provider.next(hangsAfter('So much that it takes a while to write it down, '), (c) => asksForAnswer(c) && c.asks('tell me more'));
    const next = await bot.says({ chat, from, text: `@${bot.name} tell me more` });
    await says(chat, /So much/);
    assert.equal(sent(chat).params.reply_parameters.message_id, next.message_id);
});

test('a forwarded message is quoted below the name of its author', async () => {
    const chat = linked();
    await Promise.all([bot.says({ chat, text: 'What do they want?' }), bot.says({ chat, text: 'Please call me.\nToday.', forwarded: 'Mum' })]);
    const text = await reads(chat, /Today/);
    assert.match(text, /^(What do they want\?\n\n)?Forwarded from Mum:\n\n> Please call me\.\n> Today\.$/);
    const [{ pasted_from }] = alfred.sql('SELECT m.pasted_from FROM message m WHERE m.text = ?', text);
    assert.equal(pasted_from, text.indexOf('Forwarded'));
    const other = linked();
    await bot.says({ chat: other, text: 'News of the day', forwarded: { type: 'channel', message_id: 1, chat: { id: -1, type: 'channel', title: 'The Paper' } } });
    assert.equal(await reads(other, /News/), 'Forwarded from The Paper:\n\n> News of the day');
});

test('links behind words and code stay', async () => {
    const chat = linked();
    await bot.says({ chat, text: '😀 Read this page, and 😀 that one.', marks: [{ words: 'this page', type: 'text_link', url: 'https://example.org/a_(b)' }, { words: 'that one', type: 'text_link', url: 'https://example.org/c' }] });
    assert.equal(await reads(chat, /Read/), '😀 Read [this page](https://example.org/a_%28b%29), and 😀 [that one](https://example.org/c).');
    await bot.says({ chat, text: 'Why?\nif x:\n    y()\nSays y undefined.', marks: [{ words: 'if x:\n    y()', type: 'pre', language: 'python' }, { words: 'y undefined', type: 'code' }] });
    assert.equal(await reads(chat, /Why/), 'Why?\n```python\nif x:\n    y()\n```\nSays `y undefined`.');
    assert.deepEqual(bot.complaints, []);
});

test('a rich message is read as Markdown', async () => {
    const chat = linked();
    await bot.says({
        chat,
        forwarded: 'Another bot',
        rich: [
            { type: 'heading', size: 2, text: 'Ferns' },
            { type: 'paragraph', text: ['They like ', { type: 'bold', text: 'shade' }, ', see ', { type: 'url', text: 'here', url: 'https://example.org/f' }, '.'] },
            { type: 'list', items: [{ label: '1.', value: 1, type: '1', blocks: [{ type: 'paragraph', text: 'Water' }] }, { label: '2.', value: 2, type: '1', blocks: [{ type: 'paragraph', text: 'Wait' }] }] },
            { type: 'pre', language: 'sh', text: 'water --often' },
        ],
    });
    assert.equal(await reads(chat, /Ferns/), 'Forwarded from Another bot:\n\n> ## Ferns\n> \n> They like shade, see [here](https://example.org/f).\n> \n> 1. Water\n> 2. Wait\n> \n> ```sh\n> water --often\n> ```');
});

test('what cannot be read is said, also of kinds that do not exist yet; service messages are no messages', async () => {
    const chat = linked();
    await bot.says({ chat, rich: [{ type: 'divider' }] });
    await says(chat, /cannot read this yet: attachment/);
    const other = linked();
    await bot.says({ chat: other, more: { hologram: { file_id: 'x' } } });
    await says(other, /cannot read this yet: attachment/);
    const third = linked();
    await bot.says({ chat: third, more: { pinned_message: { message_id: 1, date: 1, chat: { id: third, type: 'private' } } } });
    await bot.says({ chat: third, more: { chat_background_set: { type: {} } } });
    await bot.says({ chat: third, text: 'Hello' });
    await says(third, /^Read\.$/);
    assert.ok(!bot.texts(third).some((t) => /cannot read/.test(t)));
});

test('a chat in a workspace has its files', async () => {
    const chat = linked();
    await anna.postJson('/api/workspace/files', { workspace: 'Boat', name: 'ropes.md', text: 'The mainsheet is blue.' });
    await bot.says({ chat, text: '/workspace Boat' });
    await says(chat, /Workspace: Boat\s+It has 1 file,/);
    await bot.says({ chat, text: 'Which one is blue?' });
    await reads(chat, /Which one is blue/);
    assert.match(provider.calls.findLast((c) => asksForAnswer(c) && c.asks('Which one is blue?')).given, /The mainsheet is blue/);
});
