// The whole way: a message in Telegram, through nginx (or fetched), to a model and back into the chat. Once with the scripted
// Bot API of tests/lib/botapi.js, once with telegram-test-api, which others wrote.
import assert from 'node:assert/strict';
import http from 'node:http';
import https from 'node:https';
import { once } from 'node:events';
import { test } from 'node:test';

import telegramTestApi from 'telegram-test-api';

import { answers, hangs } from '../../fake/provider.js';
import { breaks, fails, garbage, tooMany } from '../../lib/botapi.js';
import { asksForAnswer, provide } from '../../lib/chat.js';
import { freePort, startAlfred, until } from '../../lib/rig.js';
import { linkPerson, problems, startTelegram, waitIsOver } from '../../lib/telegram.js';

const ANNA = 4_294_967_301; // beyond 2^32, as people's ids are

async function start(t, options = {}) {
    const provider = await provide();
    const got = await startTelegram({ t, env: provider.env, ...options });
    const anna = await got.alfred.admin('anna');
    linkPerson(got.alfred, ANNA, 'anna');
    return { provider, anna, ...got };
}
const texts = (bot, what) => until(what, () => bot.texts(ANNA).some((text) => text.includes(what)) && bot.texts(ANNA));

test('a message is answered in its chat, and its session is one of the user', async (t) => {
    const { bot, provider, anna } = await start(t);
    provider.always(answers('A **tortoise** lives long.'), asksForAnswer);
    await bot.says({ chat: ANNA, text: 'Which animal lives long?' });
    await texts(bot, 'A tortoise lives long.');
    const { sessions } = await anna.getJson('/api/sessions');
    assert.equal(sessions.length, 1);
    const session = await anna.getJson(`/api/sessions/${sessions[0].id}`);
    assert.deepEqual(session.messages.map((m) => m.text), ['Which animal lives long?', 'A **tortoise** lives long.']);
    await until('a title by the model', async () => (await anna.getJson('/api/sessions')).sessions[0].title === 'A short title');
    await bot.says({ chat: ANNA, text: 'And which one is fast?' });
    await until('the second answer', async () => (await anna.getJson(`/api/sessions/${sessions[0].id}`)).messages.length === 4);
    assert.deepEqual(bot.complaints, []);
});

test('a chat is told that so many answers of its user are being written', async (t) => {
    const { bot, provider, anna } = await start(t, { config: { limits: { turns_per_user: 1 } } });
    provider.always(hangs(), asksForAnswer);
    const sent = await anna.postJson('/api/sessions/new/messages', { text: 'A long question' });
    assert.equal(sent.status, 202);
    await bot.says({ chat: ANNA, text: 'And another one' });
    await texts(bot, 'Wait until one has ended, or stop one.');
    await anna.postJson(`/api/turns/${sent.json.turn}/stop`, {});
    provider.always(answers('Now.'), asksForAnswer);
    await bot.says({ chat: ANNA, text: 'Once more' });
    await texts(bot, 'Now.');
});

test('a stranger gets one sentence, and nothing is kept', async (t) => {
    const { bot, alfred } = await start(t);
    await bot.says({ chat: 77, text: 'Who are you?' });
    await until('the sentence', () => bot.texts(77).length === 1);
    await until('nothing is kept', () => alfred.sql('SELECT body FROM inbox WHERE body IS NOT NULL').length === 0);
    assert.equal(alfred.sql("SELECT 1 FROM channel_chat WHERE chat = '77'").length, 0);
});

test('a stranger who asks is told when an admin has admitted them; /link then names the account', async (t) => {
    const { bot, alfred, anna } = await start(t, { config: { channels: { strangers: 'ask' } } });
    await bot.says({ chat: 77, text: 'Let me in' });
    await until('the answer', () => bot.texts(77).some((text) => /An admin has been asked/.test(text)));
    const [{ id }] = alfred.sql("SELECT id FROM channel_identity WHERE external_id = '77'");
    const page = await anna.get('/admin/users');
    assert.ok(page.text.includes(`/admin/asking/${id}/admit`));
    const unknown = await anna.post(`/admin/asking/${id}/admit`, { name: 'annna' });
    assert.equal(unknown.status, 400);
    assert.match(unknown.text, /There is no user “annna”\./);
    await anna.post(`/admin/asking/${id}/admit`, { name: 'Anna' });
    await until('the chat is told', () => bot.texts(77).some((text) => text.includes('You can use Alfred now, with the account anna.')));
    await bot.says({ chat: 77, text: '/link ABCD1234' });
    await until('which account it is', () => bot.texts(77).some((text) => text.includes('already linked to the account anna')));
});

test('with mode "poll" updates are fetched, after a webhook is removed', async (t) => {
    const { bot, provider, alfred } = await start(t, { mode: 'poll' });
    provider.always(answers('Fetched and answered.'), asksForAnswer);
    await bot.until((c) => c.method === 'getUpdates');
    assert.deepEqual(bot.calls.slice(0, 3).map((c) => c.method), ['getMe', 'deleteWebhook', 'getUpdates']);
    await bot.says({ chat: ANNA, text: 'Hello' }); // resolves when a later offset confirms it
    await texts(bot, 'Fetched and answered.');
    for (const { params } of bot.of('getUpdates')) {
        assert.ok(params.timeout <= 50 && params.timeout > 0);
        assert.deepEqual(params.allowed_updates, ['message', 'edited_message', 'callback_query', 'stopped_message_generation', 'my_chat_member']);
    }
    assert.deepEqual(bot.complaints, []);
    assert.ok(!alfred.logs().includes(bot.token));
});

test('an update is confirmed only after it is stored', async (t) => {
    const { bot, provider, alfred } = await start(t, { mode: 'poll' });
    provider.always(answers('Here.'), asksForAnswer);
    await bot.until((c) => c.method === 'getUpdates');
    const told = [];
    for (let i = 0; i < 3; i++) {
        for (let k = 0; k < 5; k++) told.push(bot.push({ my_chat_member: { chat: { id: ANNA, type: 'private' }, from: { id: ANNA, is_bot: false, first_name: 'A' }, date: 1 } }));
        await alfred.killAndAwait('helper');
    }
    await Promise.all(told);
    const ids = alfred.sql('SELECT update_id FROM inbox').map((r) => r.update_id);
    assert.equal(ids.length, told.length);
    assert.equal(new Set(ids).size, told.length);
});

test('fetching survives every failure of the Bot API', async (t) => {
    const { bot, provider, alfred } = await start(t, { mode: 'poll' });
    provider.always(answers('Still here.'), asksForAnswer);
    await bot.until((c) => c.method === 'getUpdates');
    for (const answer of [fails(500), fails(502), garbage(), breaks(), tooMany(1)]) {
        bot.next('getUpdates', answer);
        await bot.says({ chat: 77, text: 'Taken' }); // by the next attempt
    }
    await bot.down();
    await alfred.waitForLog(/warn helper\S* Telegram: /);
    await bot.up();
    await bot.says({ chat: ANNA, text: 'Hello?' });
    await texts(bot, 'Still here.');
});

test('messages that wait while Telegram cannot be reached stay apart, and the parts of one that was cut do not', async (t) => {
    const { bot, provider, alfred } = await start(t, { mode: 'poll' });
    provider.always(async (call) => answers(`You wrote: ${call.userText}`)(call), asksForAnswer);
    await bot.until((c) => c.method === 'getUpdates');
    await bot.down();
    const now = Math.floor(Date.now() / 1000);
    const told = [['An hour ago', 3600], ['A minute ago', 60], ['Just now', 1], ['and more', 0]].map(([text, ago]) => bot.says({ chat: ANNA, text, more: { date: now - ago } }));
    await bot.up();
    await Promise.all(told);
    await texts(bot, 'Just now');
    assert.deepEqual(alfred.sql("SELECT text FROM message WHERE role = 'user' ORDER BY id").map((m) => m.text), ['An hour ago', 'A minute ago', 'Just now\nand more']);
});

test('another program that fetches, or sets a webhook, is said in the log', async (t) => {
    const { bot, provider, alfred } = await start(t, { mode: 'poll' });
    provider.always(answers('Mine again.'), asksForAnswer);
    await bot.until((c) => c.method === 'getUpdates');
    const other = await fetch(`${bot.url}/bot${bot.token}/setWebhook`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ url: 'https://other.example.org/x' }) });
    assert.ok(other.ok);
    await alfred.waitForLog(/warn helper\S* Telegram: .*(webhook|another|other)/i);
    await until('the webhook is gone', () => bot.webhook.url === '');
    await bot.says({ chat: ANNA, text: 'Hello?' });
    await texts(bot, 'Mine again.');
});

test('a refused token ends nothing: fetching goes on when Telegram accepts it', async (t) => {
    const { bot, alfred, anna, provider } = await start(t, { mode: 'poll' });
    provider.always(answers('Back again.'), asksForAnswer);
    await bot.until((c) => c.method === 'getUpdates');
    bot.next('getUpdates', fails(401));
    bot.says({ chat: 77, text: 'This ends the call that waits' });
    const [problem] = await until('it is stored', () => problems(alfred).length && problems(alfred));
    assert.deepEqual([problem.task, problem.wait, /401/.test(problem.error)], ['fetch', 60_000, true]);
    assert.match((await anna.get('/admin/telegram')).text, /role="alert"[^]*Telegram refuses the bot&#39;s token[^]*asked again in (1 minute|\d+ seconds)/);
    assert.match((await anna.get('/admin/outbox')).text, /Telegram refuses the bot&#39;s token/);
    const info = await alfred.cli(['telegram', 'info']);
    assert.equal(info.code, 1);
    assert.match(info.stdout, /^Receiving +wrong +\S+ +Telegram refuses the bot's token/m);
    const asked = () => bot.of('getMe').length, before = asked();
    const said = bot.says({ chat: ANNA, text: 'Are you there?' });
    bot.next('getMe', fails(401));
    bot.next('getMe', fails(404));
    for (let n = 1; n <= 2; n++) {
        await waitIsOver(alfred, anna);
        await until('Telegram was asked, and refuses', () => asked() === before + n && problems(alfred)[0]?.next_at > 0);
    }
    assert.ok(problems(alfred)[0].wait >= 240_000, 'the waits grow');
    await waitIsOver(alfred, anna);
    await said;
    await texts(bot, 'Back again.');
    assert.deepEqual(problems(alfred), []);
    assert.match((await alfred.cli(['telegram', 'info'])).stdout, /^Bot +ok/m);
    assert.doesNotMatch((await anna.get('/admin/telegram')).text, /refuses/);
    assert.equal(alfred.logs().match(/Telegram refuses the bot's token/g).length, 1);
    assert.ok(!alfred.logs().includes(bot.token));
});

test('a token that is refused at the start is asked about, too, and an admin need not wait', async (t) => {
    const { bot, alfred, anna, provider } = await start(t, { mode: 'poll', bot: { refuses: 'getMe' } });
    provider.always(answers('Started.'), asksForAnswer);
    await until('it is stored', () => problems(alfred).length === 1);
    bot.forget();
    await anna.post('/admin/outbox/resume', {});
    await bot.says({ chat: ANNA, text: 'Hello' });
    await texts(bot, 'Started.');
});

/* ---- telegram-test-api ---- */

/** telegram-test-api sends no secret and trusts no self-signed certificate; this passes its updates on to Alfred. */
async function relay(t, alfred, webhook) {
    const server = http.createServer(async (request, response) => {
        const parts = [];
        for await (const part of request) parts.push(part);
        const { secret_token } = webhook();
        const onward = https.request(`${alfred.baseUrl}/hooks/telegram`, { method: 'POST', rejectUnauthorized: false, headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret_token } }, (answer) => {
            response.writeHead(answer.statusCode);
            answer.pipe(response);
        });
        onward.on('error', () => response.destroy());
        onward.end(Buffer.concat(parts));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    return `http://127.0.0.1:${server.address().port}`;
}

for (const mode of ['webhook', 'poll']) {
    test(`telegram-test-api: a conversation with mode "${mode}"`, async (t) => {
        const token = '123456789:AAToken-of-the-other-server';
        const server = new telegramTestApi({ port: await freePort(), host: '127.0.0.1' });
        await server.start();
        t.after(() => server.stop());
        const provider = await provide();
        provider.always(answers('Good *evening*.'), asksForAnswer);
        const alfred = await startAlfred({ t, env: { ...provider.env, TELEGRAM_BOT_TOKEN: token }, config: { telegram: { mode, api_url: server.config.apiURL, public_url: 'https://alfred.example.org' } } });
        await alfred.admin('anna');
        linkPerson(alfred, 1, 'anna');
        if (mode === 'webhook') {
            // it does not know setMyCommands: the webhook is set before
            assert.match((await alfred.cli(['telegram', 'setup'])).stderr, /setMyCommands|Telegram|Bot API/);
            const set = server.webhooks[token];
            assert.equal(set.url, 'https://alfred.example.org/hooks/telegram');
            const { secret_token } = set;
            set.url = await relay(t, alfred, () => ({ secret_token }));
        }
        const client = server.getClient(token, { timeout: 20_000 });
        await client.sendMessage(client.makeMessage('Hello'));
        const shown = () => server.storage.botMessages.map((m) => m.message.text);
        await until('the answer', () => shown().some((text) => text.includes('Good <i>evening</i>.')));
        await client.sendCommand(client.makeCommand('/help'));
        await until('the list of commands', () => shown().some((text) => text.includes('/resume')));
    });
}
