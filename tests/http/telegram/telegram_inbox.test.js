// Updates from Telegram through the webhook: chats and their sessions, order, strangers, groups, edits, and kill -9 of
// the helper.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, test } from 'node:test';

import { answers, hangsAfter } from '../../fake/provider.js';
import { asksForAnswer, provide, sessionOf } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';
import { processed, startTelegram } from '../../lib/telegram.js';

const provider = await provide();
provider.always(async (call) => answers(`You wrote: ${call.userText}`)(call), asksForAnswer);
const { alfred, bot } = await startTelegram({ t: { after }, env: provider.env, telegram: { group_context: 'yes' }, bot: { readsGroups: true } });
const admin = await alfred.admin('anna');

let people = 1000;
/** A person of Telegram whose account is linked. */
function linked(name = 'anna') {
    const person = people++;
    alfred.sql("INSERT INTO channel_identity (channel, external_id, name, user_id, created_at, linked_at) SELECT 'telegram', ?, 'A person', id, 1, 1 FROM user WHERE name = ?", String(person), name);
    return person;
}
const shows = (chat, what, thread) => until(`chat ${chat} shows ${what}`, () => bot.texts(chat, thread).find((text) => (what instanceof RegExp ? what.test(text) : text === what)));
const answered = (chat, text, thread) => shows(chat, `You wrote: ${text}`, thread);
const sessionsOf = (chat) => alfred.sql("SELECT s.pub, c.thread FROM channel_chat c JOIN session s ON s.id = c.session_id WHERE c.chat = ? ORDER BY c.id", String(chat));
/** The questions of each chat, in their order. */
const questions = (chats) => alfred.database((db) => {
    const of = db.prepare("SELECT m.text FROM message m JOIN channel_chat c ON c.session_id = m.session_id WHERE c.chat = ? AND m.role = 'user' ORDER BY m.id");
    return chats.map((chat) => of.all(String(chat)).map((r) => r.text));
});
const asked = (chat) => questions([chat])[0];

test('a first message begins a session and says so once; the browser sees it', async () => {
    const chat = linked();
    await bot.says({ chat, text: 'Hello Alfred' });
    await answered(chat, 'Hello Alfred');
    await bot.says({ chat, text: 'And again' });
    await answered(chat, 'And again');
    assert.equal(bot.texts(chat).filter((text) => /new session/.test(text)).length, 1);
    const [{ pub }] = sessionsOf(chat);
    const { messages } = await sessionOf(admin, pub);
    assert.deepEqual(messages.map((m) => m.text), ['Hello Alfred', 'You wrote: Hello Alfred', 'And again', 'You wrote: And again']);
});

test('messages in quick succession are one question, and commands are not held back', async () => {
    const chat = linked();
    await Promise.all(['one', 'two', 'three'].map((text) => bot.says({ chat, text })));
    await processed(alfred);
    await until('all lines are asked', () => asked(chat).join('\n').split('\n').length === 3);
    const texts = asked(chat);
    assert.ok(texts.length <= 3);
    for (const text of ['/help', '/']) {
        const before = bot.texts(chat).length;
        await bot.says({ chat, text });
        await until(`the commands after ${text}`, () => bot.texts(chat).slice(before).some((said) => said.includes('/sessions')));
    }
    assert.deepEqual(asked(chat), texts, 'the model gets neither');
});

test('a long paste is one question', async () => {
    const chat = linked();
    const pieces = [...'abcde'].map((letter) => letter.repeat(4096));
    for (const text of pieces) await bot.says({ chat, text });
    await bot.says({ chat, text: 'What is this?' });
    await until('the question is stored', () => asked(chat).length > 0);
    await processed(alfred);
    assert.equal(asked(chat).join('').replaceAll('\n', ''), `${pieces.join('')}What is this?`);
});

test('a hundred chats at once are each answered, in order', async () => {
    const chats = Array.from({ length: 100 }, () => linked());
    await Promise.all(chats.map(async (chat) => {
        await bot.says({ chat, text: `first of ${chat}` });
        await bot.says({ chat, text: '/session' });
        await bot.says({ chat, text: `second of ${chat}` });
    }));
    await until('all questions are stored', () => questions(chats).every((of) => of.length === 2), 180_000); // seven seconds of processor time
    assert.deepEqual(questions(chats), chats.map((chat) => [`first of ${chat}`, `second of ${chat}`]));
    await until('all are answered', () => alfred.sql("SELECT count(*) AS n FROM message WHERE role = 'assistant' AND status = 'done' AND text LIKE 'You wrote: % of %'")[0].n === 200);
});

test('kill -9 of helper and hooks under a stream of updates: every message is asked and answered once, in order', async () => {
    const chats = Array.from({ length: 6 }, () => linked());
    const count = 8;
    let over = false;
    const stream = Promise.all(chats.map(async (chat) => {
        for (let n = 0; n < count; n++) {
            await bot.says({ chat, text: `${chat}: ${n}` });
            await bot.says({ chat, text: '/session' }); // parts the messages
        }
    })).then(() => (over = true));
    const moments = [];
    for (let kills = 0; kills < 12 && !over; kills++) {
        const steps = randomInt(1, 30), from = bot.calls.length + bot.deliveries.length;
        moments.push(steps);
        await until('some more has happened', () => over || bot.calls.length + bot.deliveries.length >= from + steps);
        await alfred.killAndAwait(kills % 2 ? 'hooks' : 'helper');
    }
    await stream;
    await processed(alfred);
    await until('all questions are stored', () => questions(chats).every((of) => of.length >= count));
    assert.deepEqual(questions(chats), chats.map((chat) => Array.from({ length: count }, (_, n) => `${chat}: ${n}`)));
    const unanswered = () => alfred.sql("SELECT count(*) AS n FROM turn WHERE status = 'running'")[0].n;
    await until('no turn runs', () => unanswered() === 0);
    const outbox = (states) => alfred.sql(`SELECT count(*) AS n FROM outbox o JOIN channel_chat c ON c.id = o.chat_id WHERE o.state IN (${states}) AND c.chat IN (${chats.map((c) => `'${c}'`)})`)[0].n;
    await until('all answers are sent', () => alfred.sql('SELECT count(*) AS n FROM channel_turn')[0].n === 0 && outbox("'ready', 'sending'") === 0, 120_000);
    const why = `killed after ${moments} steps`;
    assert.ok(moments.length >= 4, why);
    let missing = 0;
    for (const chat of chats) {
        const got = bot.texts(chat).filter((text) => text.startsWith(`You wrote: ${chat}: `)).map((text) => Number(text.split(': ').at(-1)));
        assert.deepEqual(got, [...new Set(got)].sort((a, b) => a - b), why);
        missing += count - got.length;
    }
    assert.ok(missing <= outbox("'doubtful'"), `${missing} are missing; ${why}`);
});

test('a stranger gets one sentence, and nothing of them is stored', async () => {
    const chat = 777_001;
    await bot.says({ chat, text: 'Let me in, my secret word is walrus' });
    await shows(chat, /\/link/);
    await bot.says({ chat, text: 'Please' });
    await processed(alfred);
    assert.equal(bot.texts(chat).filter((text) => /\/link/.test(text)).length, 1);
    assert.equal(alfred.sql('SELECT count(*) AS n FROM channel_chat WHERE chat = ?', String(chat))[0].n, 0);
    assert.equal(alfred.sql("SELECT count(*) AS n FROM inbox WHERE body LIKE '%walrus%'")[0].n, 0);
});

test('an id beyond 2^53 is a person like any other', async () => {
    const chat = 9_007_199_254_740_993n;
    alfred.sql("INSERT INTO channel_identity (channel, external_id, name, user_id, created_at, linked_at) SELECT 'telegram', ?, 'A person', id, 1, 1 FROM user WHERE name = 'anna'", String(chat));
    await bot.says({ chat, text: 'Hello from afar' });
    await answered(chat, 'Hello from afar');
});

test('in a group only what is meant for Alfred is answered; the rest is context if the owner allows it', async () => {
    const anna = linked();
    const group = -5001;
    bot.chatOf(group, { type: 'group' });
    await bot.says({ chat: group, from: anna, text: `@${bot.name} hello` });
    await answered(group, 'hello');
    await bot.says({ chat: group, from: 888_001, name: 'Carl', text: 'lunch at one?' });
    await bot.says({ chat: group, from: anna, text: 'not for you' });
    await processed(alfred);
    await bot.says({ chat: group, from: anna, text: `@${bot.name} when is lunch?` });
    await until('the question with its context', () => asked(group).some((text) => text.startsWith('when is lunch?') && text.includes('Carl: lunch at one?') && text.includes('not for you')));
    assert.equal(asked(group).length, 2);
    // a stranger who asks there: one sentence per group
    await bot.says({ chat: group, from: 888_001, text: `@${bot.name} and me?` });
    await bot.says({ chat: group, from: 888_002, text: `@${bot.name} and me?` });
    await shows(group, /\/link/);
    await processed(alfred);
    assert.equal(bot.texts(group).filter((text) => /\/link/.test(text)).length, 1);
    assert.equal(asked(group).length, 2);
});

test('an admin who writes as the group, or a person as a channel, is told once why there is no answer', async () => {
    const anna = linked();
    const group = -1_005_021;
    bot.chatOf(group, { type: 'supergroup' });
    await bot.says({ chat: group, inTheNameOf: group, text: 'not for Alfred' });
    await processed(alfred);
    assert.deepEqual(bot.texts(group), []);
    await bot.says({ chat: group, inTheNameOf: group, text: `@${bot.name} what is new?` });
    await shows(group, /cannot see who wrote it/);
    await bot.says({ chat: group, inTheNameOf: group, text: `/help@${bot.name}` });
    await bot.says({ chat: group, inTheNameOf: -1_005_022, text: `@${bot.name} and here?` });
    await bot.says({ chat: group, from: anna, text: `@${bot.name} in my name` });
    await answered(group, 'in my name');
    assert.equal(bot.texts(group).filter((text) => /cannot see who wrote it/.test(text)).length, 1);
    assert.deepEqual(asked(group), ['in my name']);
});

test('a forum topic has a session of its own', async () => {
    const anna = linked();
    const forum = -1_005_002;
    bot.chatOf(forum, { forum: true, type: 'supergroup' });
    for (const thread of [11, 12]) {
        await bot.says({ chat: forum, from: anna, thread, text: `@${bot.name} topic ${thread}` });
        await answered(forum, `topic ${thread}`, thread);
    }
    const sessions = sessionsOf(forum);
    assert.deepEqual(sessions.map((s) => s.thread), ['11', '12']);
    assert.notEqual(sessions[0].pub, sessions[1].pub);
});

test('in General, messages have no thread and typing has it, also after a restart', async () => {
    const anna = linked();
    const forum = -1_005_013;
    bot.chatOf(forum, { forum: true, type: 'supergroup' });
    await bot.says({ chat: forum, from: anna, text: `@${bot.name} in General` });
    await answered(forum, 'in General');
    await bot.says({ chat: forum, from: anna, thread: 9, text: `@${bot.name} in a topic` });
    await answered(forum, 'in a topic', 9);
    assert.deepEqual(sessionsOf(forum).map((s) => s.thread), ['1', '9']);
    provider.always(hangsAfter('Once'), (c) => c.prompt.includes('and hang'));
    await bot.says({ chat: forum, from: anna, text: `@${bot.name} and hang` });
    const typing = () => bot.of('sendChatAction').filter((c) => String(c.chat) === String(forum));
    await until('typing in General', () => typing().length >= 3);
    const before = typing().length;
    await alfred.killAndAwait('helper');
    await until('typing after the restart', () => typing().length > before);
    assert.equal(Number(typing().at(-1).params.message_thread_id), 1);
    await bot.says({ chat: forum, from: anna, text: `/stop@${bot.name}` });
    await shows(forum, /Stopped/);
    assert.deepEqual(bot.complaints, []);
});

test('a group that becomes a supergroup keeps its session', async () => {
    const anna = linked();
    const [group, now] = [-5003, -1_005_003];
    bot.chatOf(group, { type: 'group' });
    bot.chatOf(now, { type: 'supergroup' });
    await bot.says({ chat: group, from: anna, text: `@${bot.name} before` });
    await answered(group, 'before');
    const [{ pub }] = sessionsOf(group);
    await bot.migrates(group, now);
    await bot.says({ chat: now, from: anna, text: `@${bot.name} after` });
    await answered(now, 'after');
    assert.equal(sessionsOf(now)[0].pub, pub);
    assert.deepEqual(asked(now), ['before', 'after']);
});

test('an edited message changes the stored text, and no answer follows', async () => {
    const chat = linked();
    const message = await bot.says({ chat, text: 'teh question' });
    await answered(chat, 'teh question');
    await until('the turn has ended', () => alfred.sql("SELECT count(*) AS n FROM turn t JOIN channel_chat c ON c.session_id = t.session_id WHERE c.chat = ? AND t.status = 'running'", String(chat))[0].n === 0);
    await bot.edits(message, 'the question');
    await until('the text is changed', () => asked(chat)[0] === 'the question');
    assert.equal(alfred.sql('SELECT count(*) AS n FROM turn t JOIN channel_chat c ON c.session_id = t.session_id WHERE c.chat = ?', String(chat))[0].n, 1);
});

test('a video without words is named, and one with words is asked', async () => {
    const chat = linked();
    const video = { file_id: 'a', file_unique_id: 'b', width: 1, height: 1, duration: 1 };
    await bot.says({ chat, more: { video } });
    await shows(chat, /cannot read this yet: video/);
    await bot.says({ chat, more: { video, caption: 'What do you see?' } });
    await shows(chat, /only the text.*video/);
    await answered(chat, 'What do you see?');
    assert.deepEqual(asked(chat), ['What do you see?']);
});

test('a session that is deleted in the browser: the chat is told once, and the next message begins another', async () => {
    const chat = linked();
    await bot.says({ chat, text: 'short-lived' });
    await answered(chat, 'short-lived');
    const [{ pub }] = sessionsOf(chat);
    assert.equal((await admin.request('DELETE', `/api/sessions/${pub}`)).status < 300, true);
    await shows(chat, /was deleted/);
    await bot.says({ chat, text: 'again' });
    await answered(chat, 'again');
    assert.equal(bot.texts(chat).filter((text) => /deleted/.test(text)).length, 1);
    assert.deepEqual(asked(chat), ['again']);
});

test('a message during a turn waits for its end; /stop ends the turn', async () => {
    const chat = linked();
    provider.next(hangsAfter('So far'), (call) => asksForAnswer(call) && call.userText === 'a long story');
    await bot.says({ chat, text: 'a long story' });
    await until('the turn runs', () => asked(chat).length === 1);
    await bot.says({ chat, text: 'and then?' });
    await processed(alfred);
    assert.deepEqual(asked(chat), ['a long story']);
    await bot.says({ chat, text: '/stop' });
    await shows(chat, /So far/);
});

test('/new and a button of /sessions change the session of a chat', async () => {
    const chat = linked();
    await bot.says({ chat, text: 'about bees' });
    await answered(chat, 'about bees');
    await bot.says({ chat, text: `/rename Bees of ${chat}` });
    await processed(alfred);
    const [{ pub: bees }] = sessionsOf(chat);
    await bot.says({ chat, text: '/new' });
    await processed(alfred);
    await bot.says({ chat, text: 'about owls' });
    await answered(chat, 'about owls');
    assert.equal(bot.texts(chat).filter((text) => /begins a new session/.test(text)).length, 1, 'after /new it need not be said');
    assert.notEqual(sessionsOf(chat)[0].pub, bees);
    await bot.says({ chat, text: '/sessions Bees' });
    const label = await until('a button', () => bot.shown(chat).flatMap((m) => m.reply_markup?.inline_keyboard.flat() ?? []).map((b) => b.text).find((text) => text.includes('Bees')));
    const press = await bot.press(chat, label);
    await until('the press is answered', () => bot.presses.get(press).answered !== undefined);
    assert.equal(sessionsOf(chat)[0].pub, bees);
    await bot.says({ chat, text: 'more about bees' });
    await answered(chat, 'more about bees');
    assert.deepEqual(asked(chat), ['about bees', 'more about bees']);
});

test('a chat continues a branch of its session, whatever the browser opens', async () => {
    const chat = linked();
    for (const text of ['root', 'second']) {
        await bot.says({ chat, text });
        await answered(chat, text);
    }
    const [{ pub }] = sessionsOf(chat);
    const all = () => alfred.sql('SELECT m.id, m.text, p.text AS parent FROM message m JOIN session s ON s.id = m.session_id LEFT JOIN message p ON p.id = m.parent_id WHERE s.pub = ?', pub);
    const messageOf = (text) => until(`the message ${text}`, () => all().find((m) => m.text === text));
    const second = await messageOf('second');
    assert.equal((await admin.postJson(`/api/sessions/${pub}/messages/${second.id}/edit`, { text: 'second, otherwise' })).status, 202);
    await answered(chat, 'second, otherwise'); // until now the chat follows the open branch
    await bot.says({ chat, text: `/resume https://alfred.example.org/s/${pub}?at=${second.id}#m-${second.id}` });
    await shows(chat, /in the branch of this message: “second”/);
    assert.equal((await admin.postJson(`/api/sessions/${pub}/messages`, { text: 'of the browser' })).status, 202);
    assert.equal((await messageOf('You wrote: of the browser')).parent, 'of the browser');
    await bot.says({ chat, text: 'third' });
    await answered(chat, 'third');
    assert.equal((await messageOf('of the browser')).parent, 'You wrote: second, otherwise');
    assert.equal((await messageOf('third')).parent, 'You wrote: second');
    assert.ok(!bot.texts(chat).some((text) => text.includes('of the browser')), 'another branch is not shown');
    assert.ok((await admin.postJson(`/api/sessions/${pub}/head`, { message: String((await messageOf('of the browser')).id) })).status < 300);
    await bot.says({ chat, text: '/undo' });
    await shows(chat, /third/);
    await until('the exchange is in the trash', () => !all().some((m) => m.text === 'third'));
    await bot.says({ chat, text: 'fourth' });
    await answered(chat, 'fourth');
    assert.equal((await messageOf('fourth')).parent, 'You wrote: second');
    await bot.says({ chat, text: `/resume ${pub} 4242` });
    await shows(chat, /not there any more/);
});

test('/export sends the session as a file', async () => {
    const chat = linked();
    await bot.says({ chat, text: 'Keep this' });
    await answered(chat, 'Keep this');
    await bot.says({ chat, text: '/export' });
    const { params, raw } = await bot.until((c) => c.method === 'sendDocument' && String(c.chat) === String(chat));
    assert.match(params.document, /Keep this[\s\S]*You wrote: Keep this/);
    assert.match(raw.toString('utf8'), /filename="[^"]+\.md"/);
    await until('it is sent, and erased', () => alfred.sql("SELECT state, file FROM outbox o JOIN channel_chat c ON c.id = o.chat_id WHERE c.chat = ? AND file_name IS NOT NULL", String(chat)).every((r) => r.state === 'sent' && r.file === null));
});

test('a forged button does nothing and ends its wait', async () => {
    const chat = linked();
    await bot.says({ chat, text: 'Hello' });
    await answered(chat, 'Hello');
    const [message] = bot.shown(chat);
    const press = await bot.pressed(message, 'forged', chat);
    await until('the press is answered', () => bot.presses.get(press).answered);
    await processed(alfred);
});
