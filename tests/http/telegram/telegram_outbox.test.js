// Messages to Telegram: a growing answer in a chat, and failures of the Bot API.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { answers, callsTool } from '../../fake/provider.js';
import { badRequest, delivered, deliveredThenBroken, fails, tooMany } from '../../lib/botapi.js';
import { asksForAnswer, provide, send } from '../../lib/chat.js';
import { png, upload } from '../../lib/picture.js';
import { until } from '../../lib/rig.js';
import { problems, processed, startTelegram, waitIsOver } from '../../lib/telegram.js';

const CHAT = 42;
const AT_ONCE = 3; // tests; each has its own Alfred, and most of its time is waiting for the gaps between messages


async function start(t, { chats = [CHAT], ...more } = {}) {
    const provider = await provide();
    const { alfred, bot } = await startTelegram({ t, env: provider.env, ...more });
    const anna = await alfred.admin('anna');
    for (const chat of chats) {
        bot.chatOf(chat);
        alfred.sql(`INSERT INTO channel_identity (channel, external_id, name, user_id, created_at, linked_at) VALUES ('telegram', ?, 'Anna', 1, 1, 1)`, String(chat));
    }
    return { provider, alfred, bot, anna };
}

/** Asks in the chat, and resolves with the call of the provider, which the test answers. */
async function ask({ provider, bot }, text, chat = CHAT) {
    const said = bot.says({ chat, text });
    const call = await provider.call((c) => asksForAnswer(c) && c.prompt.includes(text));
    await said;
    return call;
}
const shows = (bot, text, chat = CHAT) => until(`the chat shows “${text}”`, () => bot.texts(chat).includes(text));
const states = (alfred) => alfred.sql('SELECT state FROM outbox ORDER BY id').map((r) => r.state);
// The end of a turn moves its row from channel_turn to the outbox in one transaction, so channel_turn is read first. 30 s: the gaps between messages.
const isSettled = (alfred) => until('the outbox is settled', () => alfred.sql('SELECT 1 FROM channel_turn').length === 0 && !states(alfred).some((s) => s === 'ready' || s === 'sending'));
const MAY_BE_MISSING = 'A message to this chat may be missing: its sending was interrupted. Answers are also in the session.';
const LONG = 'This answer has more than forty characters, so it is shown while it grows. ';

describe('messages to Telegram', { concurrency: AT_ONCE }, () => {
    test('an answer is typed, drafted, and then one message', async (t) => {
        const it = await start(t);
        const call = await ask(it, 'Tell me');
        await it.bot.until((c) => c.method === 'sendChatAction');
        await call.start();
        await call.text('**Half** of');
        const draft = await it.bot.until((c) => c.method === 'sendMessageDraft');
        assert.equal(draft.params.text, '<b>Half</b> of\n\n/stop ends the answer');
        await call.text(' it');
        await call.end();
        await shows(it.bot, 'Half of it');
        await isSettled(it.alfred);
        assert.deepEqual(it.bot.of('editMessageText'), []);
        assert.equal(it.bot.texts(CHAT).filter((x) => x.startsWith('Half')).length, 1);
        assert.deepEqual(it.bot.complaints, []);
    });

    test('the Stop button of a draft stops its answer and no other', async (t) => {
        const it = await start(t);
        const first = await ask(it, 'Tell me');
        await first.start();
        await first.text(LONG);
        await it.bot.until((c) => c.method === 'sendMessageDraft');
        const draft_id = Number(it.bot.chatOf(CHAT).draft.draft_id);
        await it.bot.stopsDraft(CHAT);
        await shows(it.bot, `${LONG.trim()}\n\nStopped. The text so far is kept.`);
        const second = await ask(it, 'And now');
        await second.start();
        await second.text('The second');
        await it.bot.until((c) => c.method === 'sendMessageDraft' && c.params.text.startsWith('The second'));
        await it.bot.push({ stopped_message_generation: { chat: { id: CHAT, type: 'private', first_name: 'Anna' }, draft_id } });
        await processed(it.alfred); // the late press
        await second.text(' answer is whole.');
        await second.end();
        await shows(it.bot, 'The second answer is whole.');
        assert.deepEqual(it.bot.complaints, []);
    });

    test('a very long answer is some messages and a file', async (t) => {
        const it = await start(t);
        const line = 'A line of the long answer, with some words in it.\n\n';
        it.provider.always(answers(line.repeat(2000)), asksForAnswer);
        await it.bot.says({ chat: CHAT, text: 'Tell me everything' });
        const sent = await it.bot.until((c) => c.method === 'sendDocument');
        assert.match(String(sent.raw), /filename="answer\.md"/);
        assert.equal(sent.params.document.trim(), line.repeat(2000).trim());
        const messages = it.bot.texts(CHAT).filter((text) => text.includes('A line of the long answer') || text.includes('too long for a chat'));
        assert.equal(messages.length, 8);
        await isSettled(it.alfred);
    });

    test('a chat that takes no files is told so, and gets the next answers', async (t) => {
        const it = await start(t);
        it.bot.always('sendDocument', badRequest('not enough rights to send documents to the chat'));
        it.provider.always(answers('A short answer.'), asksForAnswer);
        await it.bot.says({ chat: CHAT, text: 'Say something' });
        await shows(it.bot, 'A short answer.');
        await it.bot.says({ chat: CHAT, text: '/export' });
        await until('the chat is told', () => it.bot.texts(CHAT).some((text) => /^This chat did not take the file .*\.md\. Perhaps it allows no files\./.test(text)));
        it.provider.always(answers('The next answer.'), (c) => c.userText === 'And now?');
        await it.bot.says({ chat: CHAT, text: 'And now?' });
        await shows(it.bot, 'The next answer.');
        await isSettled(it.alfred);
        assert.equal(it.bot.of('sendDocument').length, 1);
        assert.deepEqual(it.bot.complaints, []);
    });

    test('without drafts the answer grows in a message with a Stop button, which stops it', async (t) => {
        const it = await start(t, { bot: { without: ['sendMessageDraft'] } });
        const call = await ask(it, 'Tell me');
        await call.start();
        await call.text(LONG);
        const grown = await until('the answer grows', () => it.bot.shown(CHAT).find((m) => m.text === LONG.trim()));
        assert.equal(grown.reply_markup.inline_keyboard[0][0].text, 'Stop');
        await it.bot.press(CHAT, 'Stop');
        const end = `${LONG.trim()}\n\nStopped. The text so far is kept.`;
        await shows(it.bot, end);
        await isSettled(it.alfred);
        const last = it.bot.shown(CHAT).find((m) => m.text === end);
        assert.equal(last.message_id, grown.message_id, 'the same message');
        assert.equal(last.reply_markup.inline_keyboard[0][0].text, 'Try again');

        await it.bot.press(CHAT, 'Try again');
        const again = await it.provider.call(asksForAnswer);
        await answers('Well')(again);
        await shows(it.bot, 'Well');
    });

    test('answers that grow in a group at the same time stay below its limit', async (t) => {
        const it = await start(t);
        const group = -1_005_101, topics = [11, 12, 13, 14];
        it.bot.chatOf(group, { forum: true, type: 'supergroup' });
        const calls = [];
        for (const thread of topics) {
            const said = it.bot.says({ chat: group, from: CHAT, thread, text: `@${it.bot.name} Topic ${thread}` });
            calls.push(await it.provider.call((c) => asksForAnswer(c) && c.prompt.includes(`Topic ${thread}`)));
            await said;
        }
        for (const call of calls) await call.start();
        // Each topic types every 4 s: after 24 of these actions, edits every 3 s per answer are above the limit.
        for (let n = 1; n <= 24; n++) {
            for (const call of calls) await call.text(LONG);
            await until('the next typing', () => it.bot.of('sendChatAction').length >= n);
        }
        for (const call of calls) {
            await call.text('The end.');
            await call.end();
        }
        for (const thread of topics) await until(`the answer in topic ${thread}`, () => it.bot.texts(group, thread).some((text) => text.endsWith('The end.')));
        await isSettled(it.alfred);
        assert.deepEqual(it.bot.complaints, []);
    });

    test('a long answer is several messages, in order', async (t) => {
        const it = await start(t);
        const parts = Array.from({ length: 3 }, (_, i) => `${i}`.repeat(3000));
        await answers(parts.join('\n\n'), 4000)(await ask(it, 'Tell me all'));
        await until('all parts are there', () => it.bot.texts(CHAT).filter((x) => /^([012])\1+$/.test(x)).length === 3);
        assert.deepEqual(it.bot.texts(CHAT).slice(-3), parts);
    });

    test('a chat that has to wait delays no other', async (t) => {
        const it = await start(t, { chats: [CHAT, 43] });
        const [one, two] = [await ask(it, 'First question'), await ask(it, 'Second question', 43)];
        it.bot.always('sendMessage', tooMany(2), (p) => p.chat_id === CHAT && p.text === 'one');
        await answers('one')(one);
        await it.bot.until((c) => c.method === 'sendMessage' && c.params.text === 'one');
        await answers('two')(two);
        await shows(it.bot, 'two', 43);
        it.bot.forget();
        await shows(it.bot, 'one');
        const sent = it.bot.of('sendMessage').filter((c) => c.params.text === 'one');
        assert.ok(sent.length >= 2);
        for (let i = 1; i < sent.length; i++) assert.ok(sent[i].at - sent[i - 1].at >= 2000, 'not before the time that it named');
    });

    test('text that cannot be parsed is sent as plain text', async (t) => {
        const it = await start(t);
        const call = await ask(it, 'Tell me');
        it.bot.next('sendMessage', badRequest("can't parse entities: Unsupported start tag"), (p) => p.parse_mode === 'HTML' && p.text === '<b>Bold</b>');
        await answers('**Bold**')(call);
        await shows(it.bot, 'Bold');
        assert.equal(it.bot.of('sendMessage').at(-1).params.parse_mode, undefined);
        await isSettled(it.alfred);
    });

    test('a message that was perhaps delivered is not sent twice, unless an admin wants it', async (t) => {
        const it = await start(t);
        const call = await ask(it, 'Tell me');
        it.bot.next('sendMessage', deliveredThenBroken(), (p) => p.text === 'Once');
        await answers('Once')(call);
        await until('it is doubtful', () => states(it.alfred).includes('doubtful'));
        await shows(it.bot, MAY_BE_MISSING); // without another question
        await answers('Next')(await ask(it, 'And then'));
        await shows(it.bot, 'Next');
        assert.equal(it.bot.texts(CHAT).filter((x) => x === 'Once').length, 1);
        assert.equal(it.bot.texts(CHAT).filter((x) => x === MAY_BE_MISSING).length, 1);
        const page = await it.anna.get('/admin/outbox');
        assert.match(page.text, /Perhaps delivered/);
        assert.ok(!page.text.includes('Once'));
        const id = page.text.match(/\/admin\/outbox\/(\d+)\/retry/)[1];
        await it.anna.post(`/admin/outbox/${id}/retry`, {});
        await until('it is sent again', () => it.bot.texts(CHAT).filter((x) => x === 'Once').length === 2);
        await isSettled(it.alfred);
    });

    test('an answer whose growing message was deleted is sent anew', async (t) => {
        const it = await start(t, { bot: { without: ['sendMessageDraft'] } });
        const call = await ask(it, 'Tell me');
        await call.start();
        await call.text(LONG);
        const grown = await until('the answer grows', () => it.bot.shown(CHAT).find((m) => m.text === LONG.trim()));
        it.bot.remove(CHAT, grown.message_id);
        await call.text('The end.');
        await call.end();
        await shows(it.bot, `${LONG}The end.`);
        await isSettled(it.alfred);
        assert.equal(it.bot.texts(CHAT).filter((x) => x.startsWith(LONG.trim())).length, 1);
    });

    test('who has blocked the bot gets what waits when it is back', async (t) => {
        const it = await start(t);
        const call = await ask(it, 'Tell me');
        it.bot.block(CHAT);
        await answers('While you were away')(call);
        // Not the state of the chat alone: Telegram may refuse the draft before the answer is in the outbox.
        await until('the page says that the answer waits', async () => (await it.anna.get('/admin/outbox')).text.includes('until the chat takes messages again'));
        await it.bot.member(CHAT, 'member');
        await shows(it.bot, 'While you were away');
    });

    test('a refused token stops everything, is told to the admin and no chat, and can be tried again', async (t) => {
        const it = await start(t);
        const call = await ask(it, 'Tell me');
        it.bot.always('sendMessage', fails(401));
        it.bot.always('sendMessageDraft', fails(401));
        it.bot.always('sendChatAction', fails(401));
        await answers('Finally')(call);
        const page = await until('the page says it', async () => {
            const { text } = await it.anna.get('/admin/outbox');
            return text.includes('refuses the bot') && text;
        });
        assert.match(page, /Unauthorized/);
        await it.alfred.waitForLog(/refuses the bot's token/);
        assert.equal(it.alfred.logs().match(/refuses the bot's token/g).length, 1, 'logged once');
        it.bot.forget();
        await it.anna.post('/admin/outbox/resume', {});
        await shows(it.bot, 'Finally');
        assert.doesNotMatch((await it.anna.get('/admin/outbox')).text, /Unauthorized/);
    });

    test('messages go on when Telegram accepts the token again, also after a 404', async (t) => {
        const it = await start(t);
        const call = await ask(it, 'Tell me');
        await shows(it.bot, 'This message begins a new session.');
        it.bot.next('sendMessage', fails(404));
        await answers('Finally')(call);
        const [problem] = await until('nothing is sent', () => problems(it.alfred).length && problems(it.alfred));
        assert.deepEqual([problem.task, problem.error, problem.wait], ['send', '404 Not Found', 60_000]);
        assert.match((await it.anna.get('/admin/telegram')).text, /Telegram refuses the bot&#39;s token, so no message is sent/);
        assert.match((await it.alfred.cli(['telegram', 'info'])).stdout, /^Sending +wrong +\S+ +Telegram refuses the bot's token/m);
        it.bot.next('getMe', fails(401));
        await waitIsOver(it.alfred, it.anna);
        await until('Telegram was asked, and refuses', () => problems(it.alfred)[0]?.wait >= 120_000);
        assert.ok(!it.bot.texts(CHAT).includes('Finally'));
        await waitIsOver(it.alfred, it.anna);
        await shows(it.bot, 'Finally');
        assert.deepEqual(problems(it.alfred), []);
        await isSettled(it.alfred);
        assert.equal(it.bot.texts(CHAT).filter((x) => x === 'Finally').length, 1);
        assert.deepEqual(it.bot.complaints, []);
    });

    test('without a network the answer waits, and comes once', async (t) => {
        const it = await start(t);
        const call = await ask(it, 'Tell me');
        await it.bot.down();
        await answers('Later')(call);
        await until('it failed once', () => it.alfred.sql(`SELECT 1 FROM outbox WHERE state = 'ready' AND attempts > 0`).length === 1);
        await it.bot.up();
        await shows(it.bot, 'Later'); // the wait between two attempts is as long as the outage
        await isSettled(it.alfred);
        assert.equal(it.bot.texts(CHAT).filter((x) => x === 'Later').length, 1);
    });

    test('a question from the browser is quoted in the chat, with its answer', async (t) => {
        const it = await start(t);
        await answers('Hello')(await ask(it, 'Hi there'));
        await shows(it.bot, 'Hello');
        const [{ pub }] = it.alfred.sql('SELECT pub FROM session ORDER BY id DESC LIMIT 1');
        const before = it.bot.texts(CHAT).length;
        await send(it.anna, 'From the browser', { session: pub });
        await answers('To both')(await it.provider.call((c) => asksForAnswer(c) && c.prompt.includes('From the browser')));
        await shows(it.bot, 'To both');
        assert.deepEqual(it.bot.texts(CHAT).slice(before), ['From the browser', 'To both']);
        assert.match(it.bot.of('sendMessage').at(-2).params.text, /^<blockquote>/);
        assert.equal(it.bot.of('sendMessage').at(-2).params.disable_notification, true);
    });

    test('a quoted question from the browser names its pictures', async (t) => {
        const it = await start(t);
        await answers('Hello')(await ask(it, 'Hi there'));
        await shows(it.bot, 'Hello');
        const [{ pub }] = it.alfred.sql('SELECT pub FROM session ORDER BY id DESC LIMIT 1');
        const before = it.bot.texts(CHAT).length;
        await send(it.anna, '', { session: pub, pictures: [(await upload(it.anna, png(64, 48))).id] });
        await answers('A square')(await it.provider.call((c) => asksForAnswer(c) && c.prompt.includes('image_url')));
        await shows(it.bot, 'A square');
        assert.deepEqual(it.bot.texts(CHAT).slice(before), ['[Picture, 64 x 48]', 'A square']);
    });

    test('a helper killed while it sends neither loses nor doubles anything', async (t) => {
        const it = await start(t);
        const first = await ask(it, 'First');
        it.bot.next('sendMessage', delivered(), (p) => p.text === 'one');
        await answers('one')(first);
        await it.bot.until((c) => c.method === 'sendMessage' && c.params.text === 'one');
        await it.alfred.killAndAwait('helper');
        await answers('two')(await ask(it, 'Second'));
        await shows(it.bot, 'two');
        await isSettled(it.alfred);
        assert.deepEqual(it.bot.texts(CHAT).slice(-3), ['one', MAY_BE_MISSING, 'two']);
        assert.equal(states(it.alfred).filter((s) => s === 'doubtful').length, 1);
    });

    test('a helper killed again and again while answers run: each comes once, or is doubtful', async (t) => {
        const it = await start(t);
        const questions = Array.from({ length: 8 }, (_, i) => `Question${i}`);
        it.provider.always((call) => answers(`Answer${questions.findLast((q) => call.prompt.includes(q)).slice(8)}`)(call), asksForAnswer);
        let on = true;
        const killer = (async () => {
            for (let i = 0; i < 4; i++) await it.alfred.killAndAwait('helper');
            on = false;
        })();
        for (const q of questions) {
            await it.bot.says({ chat: CHAT, text: q });
            await until(`${q} was asked`, () => it.alfred.sql(`SELECT 1 FROM message WHERE role = 'user' AND text = ?`, q).length === 1);
        }
        await killer;
        assert.equal(on, false);
        await until('all turns ended', () => it.alfred.sql(`SELECT 1 FROM turn WHERE status <> 'running'`).length === questions.length);
        await isSettled(it.alfred);
        const doubtful = states(it.alfred).filter((s) => s === 'doubtful').length;
        const got = it.bot.texts(CHAT).filter((x) => x.startsWith('Answer'));
        assert.equal(new Set(got).size, got.length, `doubled: ${got}`);
        assert.ok(got.length >= questions.length - doubtful && got.length <= questions.length, `${got} and ${doubtful} doubtful`);
        assert.deepEqual(got, [...got].sort(), 'in order');
    });

    test('a change that asks first has its buttons in the chat', async (t) => {
        const it = await start(t);
        await it.anna.postJson('/api/memories', { text: 'Plays the tuba', permanent: true });
        const [memory] = (await it.anna.getJson('/api/memories')).memories;
        const call = await ask(it, 'Forget that I play the tuba');
        const asked = it.provider.call((c) => asksForAnswer(c) && c.hasToolResult);
        await callsTool('forget', { id: memory.id }, '')(call);
        await answers('Shall I?')(await asked);
        const question = await until('the question', () => it.bot.shown(CHAT).find((m) => m.text.includes('Plays the tuba')));
        const labels = question.reply_markup.inline_keyboard.flat().map((b) => b.text);
        assert.equal(labels.length, 2);
        assert.ok(question.reply_markup.inline_keyboard.flat().every((b) => !b.callback_data.includes('/decide')), 'a token, not the command');
        await it.bot.press(CHAT, labels[0]);
        await until('it is forgotten', async () => (await it.anna.getJson('/api/memories')).memories.length === 0);
    });
});
