// Tests of the fake Bot API, without Alfred: it refuses what the real one refuses, in its words.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';

import { TOKEN, badRequest, delivered, fails, garbage, hangs, startBotApi, tooMany } from '../lib/botapi.js';
import { parseHtml } from '../lib/botapi_html.js';

/** Calls a method; resolves with the answer's JSON. */
async function call(bot, method, params = {}, token = TOKEN) {
    const response = await fetch(`${bot.url}/bot${token}/${method}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(params) });
    return response.json();
}
const refuses = async (bot, method, params, words) => assert.equal((await call(bot, method, params)).description, words);

/** A webhook that answers with `statuses` in turn, then 200. */
async function webhook(t, ...statuses) {
    const got = [];
    const server = http.createServer(async (request, response) => {
        const chunks = await request.toArray();
        got.push({ secret: request.headers['x-telegram-bot-api-secret-token'], host: request.headers.host, body: Buffer.concat(chunks).toString() });
        response.writeHead(statuses.shift() ?? 200).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    t.after(() => server.close());
    return { got, url: `http://127.0.0.1:${server.address().port}` };
}

test('tokens and methods are checked first', async (t) => {
    const bot = await startBotApi({ t, without: ['sendMessageDraft'] });
    assert.equal((await call(bot, 'getMe')).result.username, bot.name);
    assert.equal((await call(bot, 'getme')).result.id, bot.id);
    assert.equal((await call(bot, 'getMe', {}, '1:another_token')).error_code, 401);
    assert.equal((await call(bot, 'getMe', {}, 'x')).error_code, 404);
    assert.equal((await call(bot, 'sendMessageDraft', { chat_id: 1, draft_id: 1, text: 'x' })).error_code, 404);
});

test('messages are checked as the documentation says', async (t) => {
    const bot = await startBotApi({ t });
    bot.chatOf(42);
    bot.chatOf(-100, { forum: true }).threads.add('17');
    const html = (text) => ({ chat_id: 42, text, parse_mode: 'HTML' });
    await refuses(bot, 'sendMessage', { chat_id: 7, text: 'x' }, 'Bad Request: chat not found');
    await refuses(bot, 'sendMessage', { chat_id: 42, text: ' \n' }, 'Bad Request: message text is empty');
    await refuses(bot, 'sendMessage', { chat_id: 42, text: 'x'.repeat(4097) }, 'Bad Request: message is too long');
    await refuses(bot, 'sendMessage', { chat_id: 42, text: '😀'.repeat(2049) }, 'Bad Request: message is too long');
    await refuses(bot, 'sendMessage', html('<b>x'), 'Bad Request: can\'t parse entities: Can\'t find end tag corresponding to start tag "b"');
    await refuses(bot, 'sendMessage', html('<p>x</p>'), 'Bad Request: can\'t parse entities: Unsupported start tag "p" at byte offset 0');
    await refuses(bot, 'sendMessage', html('ä<b'), "Bad Request: can't parse entities: Unclosed start tag at byte offset 2");
    await refuses(bot, 'sendMessage', { chat_id: 42, text: 'x', message_thread_id: 9 }, 'Bad Request: message thread not found');
    await refuses(bot, 'sendMessage', { chat_id: -100, text: 'x', message_thread_id: 1 }, 'Bad Request: message thread not found');
    await refuses(bot, 'sendMessage', { chat_id: 42, text: 'x', reply_parameters: { message_id: 5 } }, 'Bad Request: message to be replied not found');
    const button = (data) => ({ chat_id: 42, text: 'x', reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data: data }]] } });
    await refuses(bot, 'sendMessage', button('ä'.repeat(33)), 'Bad Request: BUTTON_DATA_INVALID');
    assert.ok((await call(bot, 'sendMessage', button('ä'.repeat(32)))).ok);
    assert.ok((await call(bot, 'sendMessage', { chat_id: -100, text: 'x', message_thread_id: 17 })).result.is_topic_message);
    assert.ok((await call(bot, 'sendChatAction', { chat_id: -100, action: 'typing', message_thread_id: 1 })).ok);
    assert.deepEqual(bot.complaints, []);
    await refuses(bot, 'sendMessage', { chat_id: 42, text: 'x', disable_web_page_preview: true }, 'Bad Request: unknown parameter disable_web_page_preview');
    assert.ok((await call(bot, 'sendMessage', html('<b>x</b> '.repeat(101)))).ok);
    assert.equal(bot.complaints.length, 2, 'what the real server ignores in silence');
});

test('edits, drafts, presses and chats have their states', async (t) => {
    const bot = await startBotApi({ t });
    bot.chatOf(42);
    bot.chatOf(-5);
    const sent = (await call(bot, 'sendMessage', { chat_id: 42, text: 'one', reply_markup: { inline_keyboard: [[{ text: 'Go', callback_data: 't' }]] } })).result;
    const edit = { chat_id: 42, message_id: sent.message_id, text: 'two' };
    const id = await Promise.race([bot.press(42, 'Go'), new Promise((resolve) => setImmediate(resolve))]);
    assert.equal(id, undefined, 'the press waits for the webhook or getUpdates');
    const [query] = bot.presses.keys();
    assert.ok((await call(bot, 'answerCallbackQuery', { callback_query_id: query })).ok);
    await refuses(bot, 'answerCallbackQuery', { callback_query_id: query }, 'Bad Request: query is too old and response timeout expired or query ID is invalid');
    assert.ok((await call(bot, 'editMessageText', edit)).ok);
    assert.match((await call(bot, 'editMessageText', edit)).description, /^Bad Request: message is not modified/);
    bot.remove(42, sent.message_id);
    await refuses(bot, 'editMessageText', edit, 'Bad Request: message to edit not found');
    assert.ok((await call(bot, 'sendMessageDraft', { chat_id: 42, draft_id: 3, text: 'gr' })).ok);
    assert.equal(bot.chatOf(42).draft.text, 'gr');
    await refuses(bot, 'sendMessageDraft', { chat_id: -5, draft_id: 3, text: 'gr' }, 'Bad Request: TEXTDRAFT_PEER_INVALID');
    bot.block(42);
    assert.equal((await call(bot, 'sendMessage', { chat_id: 42, text: 'x' })).error_code, 403);
    bot.migrates(-5, -1005);
    assert.equal((await call(bot, 'sendMessage', { chat_id: -5, text: 'x' })).parameters.migrate_to_chat_id, -1005);
});

test('scripted answers come in order, filters choose, and a delivered one counts', async (t) => {
    const bot = await startBotApi({ t });
    bot.chatOf(42);
    const send = (text) => call(bot, 'sendMessage', { chat_id: 42, text });
    bot.next('sendMessage', tooMany(3), (p) => p.text === 'b');
    bot.next('sendMessage', badRequest('message thread not found'));
    assert.equal((await send('a')).description, 'Bad Request: message thread not found');
    assert.equal((await send('b')).parameters.retry_after, 3);
    bot.next('sendMessage', garbage());
    await assert.rejects(send('c'), SyntaxError);
    bot.next('sendMessage', delivered());
    bot.next('sendMessage', hangs());
    const waiting = [send('d'), send('e')].map((p) => p.catch(() => 'left'));
    await bot.until((c) => c.params.text === 'e');
    assert.deepEqual(bot.texts(42), ['d'], 'only the first took effect');
    await bot.down();
    assert.deepEqual(await Promise.all(waiting), ['left', 'left']);
    await bot.up();
    assert.ok((await send('f')).ok);
});

test('updates go to the webhook with its secret until it takes them', async (t) => {
    const bot = await startBotApi({ t });
    const hook = await webhook(t, 503, 500);
    bot.webhookGoes({ 'https://alfred.example.org': hook.url });
    const set = (params) => call(bot, 'setWebhook', { url: 'https://alfred.example.org/hooks/telegram', ...params });
    assert.match((await set({ url: 'https://alfred.example.org:444/x' })).description, /ports 80, 88, 443 or 8443/);
    assert.match((await set({ url: 'http://alfred.example.org/x' })).description, /HTTPS URL/);
    assert.match((await set({ secret_token: 'a b' })).description, /unallowed characters/);
    assert.ok((await set({ secret_token: 'abc', allowed_updates: ['message'] })).ok);
    await bot.says({ chat: 42, text: '/start@alfred_test_bot 😀 @alfred_test_bot' });
    assert.equal(hook.got.length, 3);
    assert.deepEqual(new Set(hook.got.map((g) => g.secret)), new Set(['abc']));
    assert.equal(hook.got[0].host, 'alfred.example.org');
    const { entities } = JSON.parse(hook.got[2].body).message;
    assert.deepEqual(entities, [{ type: 'bot_command', offset: 0, length: 22 }, { type: 'mention', offset: 26, length: 16 }]);
    assert.equal(await bot.member(42, 'kicked').then(() => hook.got.length), 3, 'not in allowed_updates');
    assert.match((await call(bot, 'getWebhookInfo')).result.last_error_message, /500 Internal Server Error/);
    assert.equal((await call(bot, 'getUpdates')).error_code, 409);
});

test('the webhook gets the next update of a chat when it has taken the last one', async (t) => {
    const bot = await startBotApi({ t });
    const hook = await webhook(t, 503);
    bot.webhookGoes({ 'https://alfred.example.org': hook.url });
    await call(bot, 'setWebhook', { url: 'https://alfred.example.org/hooks/telegram' });
    await Promise.all([bot.says({ chat: 42, text: 'one' }), bot.says({ chat: 42, text: 'two' }), bot.says({ chat: 43, text: 'other' })]);
    const texts = hook.got.map((g) => JSON.parse(g.body).message.text);
    assert.deepEqual(texts.filter((text) => text !== 'other'), ['one', 'one', 'two'], 'after the refusal, too');
    assert.ok(texts.indexOf('other') < texts.indexOf('two'), 'another chat does not wait');
});

test('getUpdates waits, keeps updates until they are confirmed, and has one caller', async (t) => {
    const bot = await startBotApi({ t });
    const first = call(bot, 'getUpdates', { timeout: 50 });
    await bot.until((c) => c.method === 'getUpdates');
    const second = call(bot, 'getUpdates', { timeout: 50 });
    assert.match((await first).description, /terminated by other getUpdates request/);
    const said = bot.says({ chat: 9007199254740993n, text: 'x' });
    const { result } = await second;
    assert.equal(result.length, 1);
    assert.equal((await call(bot, 'getUpdates')).result.length, 1, 'again, as nobody confirmed it');
    assert.match(bot.calls.at(-1).answer.raw, /"id":9007199254740993/);
    assert.equal((await call(bot, 'getUpdates', { offset: result[0].update_id + 1 })).result.length, 0);
    await said;
});

test('messages of people can be formatted, forwarded and rich', async (t) => {
    const bot = await startBotApi({ t });
    const text = '😀 /start here: @alfred_test_bot';
    const { entities } = bot.message({ chat: 42, text, marks: [{ words: 'here', type: 'text_link', url: 'https://a.example' }, { words: '@alfred', type: 'code' }] });
    assert.deepEqual(entities, [{ type: 'bot_command', offset: 3, length: 6 }, { type: 'text_link', offset: 10, length: 4, url: 'https://a.example' }, { type: 'code', offset: 16, length: 7 }]);
    assert.throws(() => bot.message({ chat: 42, text, marks: [{ words: 'there', type: 'code' }] }), /“there” is not in/);
    assert.deepEqual(bot.message({ chat: 42, text: 'x', forwarded: 'Mum' }).forward_origin, { date: 1, type: 'hidden_user', sender_user_name: 'Mum' });
    const rich = bot.message({ chat: 42, rich: [{ type: 'divider' }] });
    assert.deepEqual([rich.rich_message, 'text' in rich], [{ blocks: [{ type: 'divider' }] }, false]);
});

test('a file is at the address that getFile tells, and nowhere before', async (t) => {
    const bot = await startBotApi({ t });
    const at = (path, token = TOKEN) => fetch(`${bot.url}/file/bot${token}/${path}`);
    const [small, large] = bot.files.photo(Buffer.from('bytes'), { width: 1280, height: 640 });
    assert.deepEqual([small.width, small.height, large.file_size], [90, 45, 5]);
    assert.equal((await at('photos/file_2.jpg')).status, 404);
    const { result } = await call(bot, 'getFile', { file_id: large.file_id });
    assert.equal(result.file_path, 'photos/file_2.jpg');
    assert.equal(await (await at(result.file_path)).text(), 'bytes');
    assert.equal((await at(result.file_path, '1:another_token')).status, 401);
    bot.next('file', fails(502));
    assert.deepEqual([(await at(result.file_path)).status, (await at(result.file_path)).status], [502, 200]);
    bot.files.remove(large);
    assert.equal((await at(result.file_path)).status, 404);
    await refuses(bot, 'getFile', { file_id: large.file_id }, 'Bad Request: wrong file_id or the file is temporarily unavailable');
    await refuses(bot, 'getFile', { file_id: 'AgADBAAD' }, 'Bad Request: invalid file_id');
    await refuses(bot, 'getFile', { file_id: bot.files.document(Buffer.from('x'), 'image/png', { size: 21 * 1024 * 1024 }).file_id }, 'Bad Request: file is too big');
});

test('scripted failures pass one after the other', async (t) => {
    const bot = await startBotApi({ t, refuses: 'getMe' });
    assert.equal((await call(bot, 'getMe')).error_code, 401);
    bot.forget();
    bot.next('getMe', fails(401));
    bot.next('getMe', fails(404));
    assert.deepEqual([(await call(bot, 'getMe')).error_code, (await call(bot, 'getMe')).error_code, (await call(bot, 'getMe')).ok], [401, 404, true]);
});

test('HTML is read as the real server reads it', () => {
    assert.deepEqual(parseHtml('<pre><code class="language-c">x &lt; y</code></pre> <a href="https://a.example/?a&amp;b">ä</a>'), {
        text: 'x < y ä',
        entities: [
            { type: 'pre', offset: 0, length: 5, language: 'c' },
            { type: 'text_link', offset: 6, length: 1, url: 'https://a.example/?a&b' },
        ],
    });
    assert.equal(parseHtml('&amp;lt; &nbsp; &#228;&#x1F600;').text, '&lt; &nbsp; ä😀');
    for (const [html, words] of [
        ['</b>', 'Unexpected end tag at byte offset 0'],
        ['<i><b></i>', 'Unmatched end tag at byte offset 6, expected "</b>", found "</i>"'],
        ['<span>x</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
    ])
        assert.throws(() => parseHtml(html), { message: words });
});
