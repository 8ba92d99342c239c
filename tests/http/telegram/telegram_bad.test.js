// Bad input from Telegram's side: updates of every wrong shape, buttons of others, very long texts, a Bot API that answers
// anything, and failures whose cause no chat may read.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers, fails as providerFails, hangsAfter } from '../../fake/provider.js';
import { toJson } from '../../lib/botapi_updates.js';
import { badRequest, fails, garbage, tooMany } from '../../lib/botapi.js';
import { asksForAnswer, provide } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';
import { HOOK, linkPerson, processed, SECRET_HEADER, secretOf, startTelegram } from '../../lib/telegram.js';

const ANNA = 42;
const BERT = 43;

async function start(t, { people = [ANNA], ...more } = {}) {
    const provider = await provide();
    const { alfred, bot } = await startTelegram({ t, env: provider.env, ...more });
    await alfred.admin('anna');
    for (const person of people) linkPerson(alfred, person, 'anna');
    return { provider, alfred, bot };
}
const shows = (bot, chat, what) => until(`chat ${chat} shows ${what}`, () => bot.texts(chat).find((text) => text.includes(what)));

const WRONG = [null, true, -1, 1.5, 0, '', 'text', '\u202e', [], [[]], {}, { id: null }, 9007199254740993n, '9'.repeat(300)];

/** Every object that differs from `value` in one place. */
function* mutations(value) {
    for (const wrong of WRONG) yield wrong;
    if (value === null || typeof value !== 'object') return;
    for (const key of Object.keys(value)) {
        const { [key]: part, ...rest } = value;
        if (!Array.isArray(value)) yield rest;
        for (const other of mutations(part)) yield Array.isArray(value) ? value.with(Number(key), other) : { ...value, [key]: other };
    }
}

test('updates of every wrong shape are taken, do nothing, and stop nobody', async (t) => {
    const { provider, alfred, bot } = await start(t);
    provider.always(answers('Still here.'), asksForAnswer);
    const chat = { id: 5, type: 'private' };
    const from = { id: 5, is_bot: false, first_name: 'Eve' };
    const message = { message_id: 1, date: 1, chat, from, text: '/new@x', entities: [{ type: 'bot_command', offset: 0, length: 6 }], reply_to_message: { message_id: 1, from, text: 'x' } };
    const good = [{ message }, { callback_query: { id: '7', from, message: { message_id: 1, chat }, data: 'x' } }, { my_chat_member: { chat, from, new_chat_member: { status: 'kicked' } } }, { stopped_message_generation: { chat, draft_id: 1 } }];
    const pids = { hooks: alfred.pids('hooks'), helper: alfred.pids('helper') };
    const client = alfred.client();
    const headers = { 'content-type': 'application/json', origin: null, 'sec-fetch-site': null, [SECRET_HEADER]: secretOf(alfred) };
    let id = 1;
    for (const update of good.flatMap((g) => [...mutations(g)])) {
        const body = toJson(update !== null && typeof update === 'object' && !Array.isArray(update) ? { update_id: id++, ...update } : update);
        assert.equal((await client.request('POST', HOOK, { body, headers })).status, 200, body);
    }
    await processed(alfred);
    await bot.says({ chat: ANNA, text: 'Are you there?' });
    await shows(bot, ANNA, 'Still here.');
    assert.deepEqual({ hooks: alfred.pids('hooks'), helper: alfred.pids('helper') }, pids, 'no program ended');
    assert.equal(alfred.sql('SELECT count(*) AS n FROM session')[0].n, 1, 'Eve has no session');
    assert.deepEqual(bot.complaints, []);
});

test('a text that is too long gets a sentence, and the next one an answer', async (t) => {
    const { provider, alfred, bot } = await start(t, { config: { limits: { message_bytes: 128 * 1024 } } });
    provider.always(answers('Read.'), asksForAnswer);
    await bot.says({ chat: ANNA, text: 'word '.repeat(40_000) });
    await shows(bot, ANNA, 'The message is longer than 128\u00a0KB. Nothing was sent.');
    const text = `${'word '.repeat(20_000)}end`;
    await bot.says({ chat: ANNA, text });
    await shows(bot, ANNA, 'Read.');
    assert.deepEqual(alfred.sql("SELECT length(text) AS n FROM message WHERE role = 'user'").map((m) => m.n), [text.length]);
});

test('a button works only in its chat', async (t) => {
    const { provider, alfred, bot } = await start(t, { people: [ANNA, BERT], bot: { without: ['sendMessageDraft'] } });
    provider.next(hangsAfter(`${'A long answer that is shown while it grows. '.repeat(3)}`), asksForAnswer);
    await bot.says({ chat: ANNA, text: 'Tell me' });
    const stop = await until('the Stop button', () => bot.shown(ANNA).flatMap((m) => m.reply_markup?.inline_keyboard.flat() ?? []).find((b) => b.text === 'Stop'));
    const runs = () => alfred.sql("SELECT count(*) AS n FROM message WHERE status = 'running'")[0].n;
    // Bert sends the token of Anna's button from his own chat, and a stranger from Anna's
    const theirs = bot.newMessage(BERT, { ours: true, text: 'x', entities: [] });
    for (const [message, person] of [[theirs, BERT], [bot.shown(ANNA)[0], 4711]]) {
        const press = await bot.pressed(message, stop.callback_data, person);
        await until('the press is answered', () => bot.presses.get(press).answered !== undefined);
    }
    await processed(alfred);
    assert.equal(runs(), 1, 'the answer goes on');
    await bot.press(ANNA, 'Stop');
    await until('the answer is stopped', () => runs() === 0);
});

test('whatever the Bot API answers, a message comes once', async (t) => {
    const { provider, alfred, bot } = await start(t);
    provider.always(async (call) => answers(`Answer to ${call.userText}`)(call), asksForAnswer);
    await bot.says({ chat: ANNA, text: 'zero' });
    await shows(bot, ANNA, 'Answer to zero');
    const bad = [fails(500), garbage('<html>', 502), tooMany(1), badRequest("can't parse entities: Unclosed start tag at byte offset 3"), fails(503, 'x'.repeat(5000))];
    for (const [i, answer] of bad.entries()) {
        bot.next('sendMessage', answer, (p) => p.text.includes(`Answer to ${i}`));
        await bot.says({ chat: ANNA, text: `${i}` });
        await until(`answer ${i}`, () => bot.texts(ANNA).includes(`Answer to ${i}`));
    }
    for (let i = 0; i < bad.length; i++) assert.equal(bot.texts(ANNA).filter((x) => x === `Answer to ${i}`).length, 1);
    await until('every message is known to be sent', () => alfred.sql('SELECT state FROM outbox').every((r) => r.state === 'sent'));
    assert.ok(!alfred.logs().includes(bot.token), 'no log has the token');
});

test('an answer of the Bot API that proves nothing is a doubt, and the next message comes', async (t) => {
    const { provider, alfred, bot } = await start(t);
    provider.always(async (call) => answers(`Answer to ${call.userText}`)(call), asksForAnswer);
    await bot.says({ chat: ANNA, text: 'zero' });
    await shows(bot, ANNA, 'Answer to zero');
    for (const [i, body] of ['', '{', 'null', '{"ok":true', '[]', '{"ok":1}'].entries()) {
        bot.next('sendMessage', garbage(body), (p) => p.text.includes(`Answer to ${i}`));
        await bot.says({ chat: ANNA, text: `${i}` });
        await until(`answer ${i} is doubtful`, () => alfred.sql("SELECT count(*) AS n FROM outbox WHERE state = 'doubtful'")[0].n === i + 1);
    }
    await bot.says({ chat: ANNA, text: 'last' });
    await shows(bot, ANNA, 'Answer to last');
});

test('a chat gets a sentence when the model fails, and never the cause', async (t) => {
    const { provider, alfred, bot } = await start(t);
    provider.always(providerFails(400, { message: 'Traceback: /srv/model.py line 3' }), asksForAnswer);
    await bot.says({ chat: ANNA, text: 'Hello' });
    await until('the failure is told', () => bot.shown(ANNA).some((m) => m.reply_markup)); // with Retry
    const texts = bot.texts(ANNA).join('\n');
    assert.doesNotMatch(texts, /sqlite|RC_|\.c:\d+|SELECT|\/tmp\//);
    assert.ok(texts.trim().length > 0);
    assert.ok(!alfred.logs().includes(bot.token));
});
