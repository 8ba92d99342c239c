// A due reminder in Telegram: its message, and the answer by its buttons.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, provide } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';
import { linkPerson, startTelegram } from '../../lib/telegram.js';

const ANNA = 7001;

test('a reminder is posted to the linked chat, and its button answers it everywhere', async (t) => {
    const provider = await provide();
    const { bot, alfred } = await startTelegram({ t, env: provider.env });
    const anna = await alfred.admin('anna');
    linkPerson(alfred, ANNA, 'anna');
    provider.always(answers('Hello.'), asksForAnswer);
    await bot.says({ chat: ANNA, text: 'Hello' });
    await until('the chat is known', () => bot.texts(ANNA).some((text) => text.includes('Hello.')));

    const start = new Date(Date.now() + 86_400_000).toISOString().slice(0, 16);
    await anna.post('/reminders', { text: 'Call the bank', start, repeat: 'never', kind: 'remind' });
    const db = alfred.openDatabase();
    db.prepare('UPDATE reminder SET next_at = ?').run(Date.now());
    db.close();
    await anna.post('/reminders', { text: 'Much later', start, repeat: 'never', kind: 'remind' }); // wakes the helper
    const isIt = (c) => c.method === 'sendMessage' && /Reminder:.*Call the bank/.test(c.params.text);
    await until('the message', () => bot.calls.some(isIt));
    const buttons = bot.calls.find(isIt).params.reply_markup.inline_keyboard.flat();
    assert.deepEqual(buttons.map((b) => b.text), ['Done', '10 min', '1 h', 'Tomorrow']);
    assert.match((await anna.getJson('/page/reminders/due')).html, /Call the bank/);
    await bot.press(ANNA, 'Done');
    await until('it is done', () => alfred.sql("SELECT 1 FROM reminder_due WHERE state = 'open'").length === 0);
    assert.doesNotMatch((await anna.getJson('/page/reminders/due')).html ?? '', /Call the bank/);
    assert.equal(bot.calls.filter(isIt).length, 1);
    assert.deepEqual(bot.complaints, []);
});
