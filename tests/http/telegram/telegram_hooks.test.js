// The webhook: the program `hooks` behind nginx. It stores requests with the right secret and no others.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startBotApi } from '../../lib/botapi.js';
import { startAlfred, until } from '../../lib/rig.js';
import { HOOK, PUBLIC_URL, SECRET_HEADER, secretOf, startTelegram } from '../../lib/telegram.js';

/** Posts a body with the secret; `secret` null: without one. */
async function post(alfred, body, { secret = secretOf(alfred), method = 'POST', path = HOOK } = {}) {
    return alfred.client().request(method, path, { body, headers: { 'content-type': 'application/json', origin: null, 'sec-fetch-site': null, [SECRET_HEADER]: secret } });
}
const update = (id, text = 'Hello') => JSON.stringify({ update_id: id, message: { message_id: id, date: 1, chat: { id: 5, type: 'private' }, from: { id: 5, is_bot: false, first_name: 'Anna' }, text } });
const stored = (alfred) => alfred.sql('SELECT update_id, bot, channel FROM inbox ORDER BY id');
const start = (t, more = {}) => startTelegram({ t, setup: false, ...more });

test('an update with the secret is stored once and answered without a body', async (t) => {
    const { alfred, bot } = await start(t);
    await until('the secret is made', () => alfred.pids('hooks').length > 0 && secretOf(alfred));
    for (let i = 0; i < 3; i++) {
        const answer = await post(alfred, update(17));
        assert.equal(answer.status, 200);
        assert.equal(answer.text, '');
    }
    assert.equal((await post(alfred, update(18))).status, 200);
    const found = alfred.sql('SELECT update_id, bot, channel FROM inbox ORDER BY id').filter((r) => r.update_id === '17');
    assert.ok(found.length <= 1, 'stored once; a stranger leaves no row');
    assert.ok(found.every((r) => r.bot === String(bot.id) && r.channel === 'telegram'));
});

test('without the right secret nothing is stored, and the answer says nothing', async (t) => {
    const { alfred } = await start(t);
    const secret = secretOf(alfred);
    const wrong = [null, '', 'x', secret.slice(0, -1), `${secret}x`, secret.slice(1), secret.toLowerCase(), `${secret} ${secret}`];
    for (const given of wrong) {
        for (const body of [update(1), '{', 'x'.repeat(100_000), '']) {
            const answer = await post(alfred, body, { secret: given });
            assert.equal(answer.status, 401, `${given?.length ?? 'no'} characters of a secret`);
            assert.equal(answer.text, '');
        }
    }
    assert.deepEqual(stored(alfred), []);
});

test('an update that nobody understands is stored, and Telegram does not send it again', async (t) => {
    const { alfred } = await start(t);
    const odd = ['{', '[]', '{"update_id": "x"}', '"text"', '\u0000', `${'['.repeat(500)}${']'.repeat(500)}`, '{"message": {}}'];
    for (const body of [...odd, ...odd]) assert.equal((await post(alfred, body)).status, 200, body.slice(0, 20));
    const ids = stored(alfred).map((r) => r.update_id);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(ids.every((id) => id.startsWith('content-')), ids.join(' '));
});

test('other methods, addresses and lengths are refused', async (t) => {
    const { alfred } = await start(t);
    assert.equal((await post(alfred, undefined, { method: 'GET' })).status, 405);
    assert.equal((await post(alfred, update(1), { method: 'PUT' })).status, 405);
    for (const path of ['/hooks', '/hooks/', '/hooks/telegram/', '/hooks/slack', '/hooks/telegram/x', '/hooks/%74elegram/']) {
        const { status } = await post(alfred, update(1), { path });
        assert.equal(status, 404, path);
    }
    assert.equal((await post(alfred, update(1), { path: `${HOOK}?x=1` })).status, 200);
    assert.equal((await post(alfred, update(2, 'x'.repeat(900_000)))).status, 200, 'long, but not too long');
    assert.equal((await post(alfred, update(3, 'x'.repeat(1_100_000)))).status, 413);
    assert.ok(!stored(alfred).some((r) => r.update_id === '3'));
});

test('nothing is at the address while the webhook is not configured', async (t) => {
    const bot = await startBotApi({ t });
    for (const telegram of [{ mode: 'off' }, { mode: 'poll' }]) {
        const alfred = await startAlfred({ t, env: { TELEGRAM_BOT_TOKEN: bot.token }, config: { telegram: { api_url: bot.url, ...telegram } } });
        assert.equal((await post(alfred, update(1), { secret: 'x' })).status, 404);
        assert.equal((await post(alfred, undefined, { secret: 'x', method: 'GET' })).status, 404);
        assert.deepEqual(stored(alfred), []);
    }
    const alfred = await startAlfred({ t, config: { telegram: { mode: 'webhook', api_url: bot.url } } });
    assert.equal((await post(alfred, update(1), { secret: 'x' })).status, 404, 'there is no token');
    assert.match(alfred.logs(), /Telegram is off: There is no bot token/);
});

test('the limits of nginx do not refuse Telegram', async (t) => {
    const { alfred } = await start(t, { config: { limits: { requests_per_second: 2, connections: 2 } } });
    const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => post(alfred, update(100 + i))));
    assert.deepEqual([...new Set(answers.map((a) => a.status))], [200]);
});

test('the public address of [telegram] is one of ours', async (t) => {
    const { alfred } = await start(t);
    const host = new URL(PUBLIC_URL).host;
    const answer = await alfred.client().request('POST', HOOK, { body: update(1), headers: { host, origin: null, [SECRET_HEADER]: secretOf(alfred) } });
    assert.equal(answer.status, 200);
});

test('hooks killed under a stream of updates loses none and stores none twice', async (t) => {
    const { alfred, bot } = await startTelegram({ t });
    const sent = [];
    let on = true;
    const killer = (async () => {
        for (let i = 0; i < 4; i++) await alfred.killAndAwait('hooks');
        on = false;
    })();
    for (let i = 0; on || i < 100; i++) {
        sent.push(bot.push({ update_id: 1000 + i, my_chat_member: { chat: { id: 7, type: 'private' }, from: { id: 7, is_bot: false, first_name: 'A' }, date: 1 } }));
        if (sent.length % 10 === 0) await Promise.all(sent.slice(-10));
    }
    await killer;
    await Promise.all(sent);
    const ids = stored(alfred).map((r) => Number(r.update_id));
    assert.equal(ids.length, sent.length, 'every update is stored');
    assert.equal(new Set(ids).size, sent.length, 'none is stored twice');
});
