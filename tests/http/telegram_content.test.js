// What messages of Telegram have besides plain text, as the model and the session get it: authors of forwarded messages,
// links behind words, and code.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { answers } from '../fake/provider.js';
import { asksForAnswer, provide } from '../lib/chat.js';
import { until } from '../lib/rig.js';
import { linkPerson, startTelegram } from '../lib/telegram.js';

const provider = await provide();
provider.always(answers('Read.'), asksForAnswer);
const { alfred, bot } = await startTelegram({ t: { after }, env: provider.env, bot: { readsGroups: true } });
await alfred.admin('anna');

let people = 1000;
function linked() {
    linkPerson(alfred, ++people, 'anna');
    return people;
}
const asked = (chat) => alfred.sql("SELECT m.text FROM message m JOIN channel_chat c ON c.session_id = m.session_id WHERE c.chat = ? AND m.role = 'user' ORDER BY m.id", String(chat)).map((r) => r.text);
/** The text that the model and the session have, when there is one that fits. */
const reads = async (chat, fits) => {
    const text = await until(`chat ${chat} asks`, () => asked(chat).find((t) => fits.test(t)), 20_000);
    await until('the model has it, too', () => provider.calls.some((c) => asksForAnswer(c) && c.userText === text));
    return text;
};

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
