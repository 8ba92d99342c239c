// alfred telegram setup, info, remove, and the admins' page that does the same.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { fails, garbage } from '../../lib/botapi.js';
import { startAlfred } from '../../lib/rig.js';
import { HOOK, PUBLIC_URL, secretOf, startTelegram } from '../../lib/telegram.js';

const run = (alfred, ...args) => alfred.cli(['telegram', ...args]);
const audited = (alfred) => alfred.sql("SELECT user_id, action, detail FROM audit WHERE action LIKE 'telegram%' ORDER BY id").map((r) => `${r.user_id ?? 0} ${r.action} ${r.detail}`);
const noSecret = (alfred, bot, ...texts) => {
    for (const text of [alfred.logs(), ...texts]) {
        assert.ok(!text.includes(bot.token), 'the token is shown nowhere');
        assert.ok(!text.includes(secretOf(alfred)), 'nor is the secret of the webhook');
    }
};

test('setup sets webhook and menus, info says so, remove takes both away', async (t) => {
    const { alfred, bot } = await startTelegram({ t, setup: false });
    const before = await run(alfred, 'info');
    assert.equal(before.code, 1);
    assert.match(before.stdout, /^Webhook +wrong +No webhook is set at Telegram/m);

    const done = await run(alfred, 'setup');
    assert.equal(done.code, 0, done.stdout + done.stderr);
    assert.match(done.stdout, /^Bot +ok +@alfred_test_bot/m);
    const [set] = bot.of('setWebhook');
    assert.equal(set.params.url, PUBLIC_URL + HOOK);
    assert.equal(set.params.secret_token, secretOf(alfred));
    assert.match(set.params.secret_token, /^[A-Za-z0-9_-]{43}$/);
    assert.deepEqual(set.params.allowed_updates, ['message', 'edited_message', 'callback_query', 'stopped_message_generation', 'my_chat_member']);
    assert.equal(set.params.drop_pending_updates, false);
    const english = bot.commands.get('default '), german = bot.commands.get('default de');
    assert.ok(english.some((c) => c.command === 'new'));
    assert.deepEqual(german.map((c) => c.command), english.map((c) => c.command));
    assert.notDeepEqual(german, english);

    assert.doesNotMatch((await run(alfred, 'info')).stdout, /^Updates/m);
    bot.webhook.allowed_updates = ['message', 'callback_query']; // as an earlier version has set it
    assert.match((await run(alfred, 'info')).stdout, /^Updates +wrong +The webhook was set up by an earlier version/m);
    assert.match((await alfred.cli(['telegram', 'info'], { env: { PATH: '/nowhere' } })).stdout, /^Files +note +PDF files cannot be read.*pdftotext is missing\. Install the package poppler-utils/m);

    const removed = await run(alfred, 'remove');
    assert.equal(removed.code, 0, removed.stderr);
    assert.equal(bot.webhook.url, '');
    assert.equal(bot.commands.size, 0);
    assert.deepEqual(bot.complaints, []);
    assert.equal((await run(alfred, 'setup', '--drop-pending')).code, 0);
    assert.deepEqual(audited(alfred), ['0 telegram_setup command line, webhook', '0 telegram_removed command line, webhook and menus', '0 telegram_setup command line, webhook, waiting updates dropped']);
    noSecret(alfred, bot, before.stdout, done.stdout, done.stderr, removed.stdout);
});

test('setup can be repeated, and drops waiting updates only when asked', async (t) => {
    const { alfred, bot } = await startTelegram({ t });
    const secret = secretOf(alfred);
    assert.equal((await run(alfred, 'setup')).code, 0);
    assert.equal(secretOf(alfred), secret);
    bot.webhookGoes({ [PUBLIC_URL]: 'http://127.0.0.1:1' });
    bot.push({ message: bot.message({ chat: 5, text: 'lost' }) });
    const waiting = await run(alfred, 'info');
    assert.match(waiting.stdout, /^Waiting +note +1 message waits/m);
    assert.match(waiting.stdout, /^Last error +wrong +\d{4}-\S+ +“Connection refused”\. Telegram does not reach/m);
    assert.equal((await run(alfred, 'setup', '--drop-pending')).code, 0);
    assert.equal(bot.of('setWebhook').at(-1).params.drop_pending_updates, true);
    assert.equal(bot.pending.length, 0);
});

test('a self-signed certificate is uploaded, a private key is not', async (t) => {
    const { alfred, bot } = await startTelegram({ t, setup: false, telegram: { certificate: 'hook.pem' } });
    assert.match((await run(alfred, 'setup')).stderr, /The certificate \S+hook\.pem cannot be read/);
    execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=alfred.example.org', '-keyout', `${alfred.dir}/key.pem`, '-out', `${alfred.dir}/hook.pem`], { stdio: 'ignore' });
    const done = await run(alfred, 'setup');
    assert.equal(done.code, 0, done.stderr);
    assert.match(bot.of('setWebhook').at(-1).params.certificate, /^-----BEGIN CERTIFICATE-----/);
    assert.equal(bot.of('setWebhook').at(-1).params.url, PUBLIC_URL + HOOK);
    writeFileSync(`${alfred.dir}/hook.pem`, execFileSync('cat', [`${alfred.dir}/hook.pem`, `${alfred.dir}/key.pem`]));
    const calls = bot.calls.length;
    assert.match((await run(alfred, 'setup')).stderr, /no private key/);
    assert.equal(bot.calls.length, calls, 'nothing was asked');
});

test('every failure of setup is a sentence', async (t) => {
    const { alfred, bot } = await startTelegram({ t, setup: false });
    // always(): the helper asks getMe, too
    const cases = [
        [() => bot.always('getMe', fails(401)), /token/i],
        [() => bot.always('getMe', fails(500)), /Telegram|Bot API/],
        [() => bot.always('getMe', garbage()), /Telegram|Bot API/],
        [() => bot.always('setWebhook', fails(400, 'Bad Request: bad webhook: failed to resolve host')), /failed to resolve host/],
        [() => bot.always('setMyCommands', fails(429, 'Too Many Requests: retry after 3')), /Too Many Requests|too many/i],
        [() => bot.down(), /Telegram|127\.0\.0\.1/],
    ];
    for (const [prepare, sentence] of cases) {
        await prepare();
        const { code, stdout, stderr } = await run(alfred, 'setup');
        assert.equal(code, 1);
        assert.match(stderr, sentence);
        assert.equal(stderr.trim().split('\n').length, 1, stderr);
        noSecret(alfred, bot, stdout, stderr);
        bot.forget();
    }
    await bot.up();
});

test('setup says what is missing before it asks anybody', async (t) => {
    const off = await startTelegram({ t, mode: 'off', setup: false });
    assert.match((await run(off.alfred, 'setup')).stderr, /Telegram is off\. Set mode/);
    assert.equal(off.bot.calls.length, 0);
    const bare = await startAlfred({ t, config: { telegram: { mode: 'webhook' } } });
    assert.match((await run(bare, 'setup')).stderr, /There is no bot token/);
    const token = { env: { TELEGRAM_BOT_TOKEN: '123456:no-real_one' } };
    assert.match((await bare.cli(['telegram', 'setup'], token)).stderr, /Telegram cannot reach localhost/);
    assert.match((await bare.cli(['telegram', 'setup'], { env: { TELEGRAM_BOT_TOKEN: 'x' } })).stderr, /is not a bot token/);
    const port = await startAlfred({ t, env: token.env, config: { telegram: { mode: 'webhook', public_url: 'https://alfred.example.org:9443' } } });
    assert.match((await run(port, 'setup')).stderr, /443, 80, 88 and 8443 only, but the address has port 9443/);
});

test('an admin does the same on a page, others do not', async (t) => {
    const { alfred, bot } = await startTelegram({ t, setup: false });
    const admin = await alfred.admin();
    const member = await alfred.user('bob');
    const page = await admin.get('/admin/telegram');
    assert.match(page.text, /A bot in five minutes/);
    assert.equal(bot.calls.length, bot.of('getMe').length, 'the page itself asks nobody');
    for (const path of ['check', 'setup', 'remove']) assert.equal((await member.post(`/admin/telegram/${path}`, {})).status, 403);

    const checked = await admin.post('/admin/telegram/check', {});
    assert.match(checked.text, /No webhook is set at Telegram/);
    const done = await admin.post('/admin/telegram/setup', {});
    assert.equal(done.status, 200);
    assert.match(done.text, /Set, on alfred\.example\.org/);
    assert.equal(bot.webhook.url, PUBLIC_URL + HOOK);
    bot.next('setWebhook', fails(400, 'Bad Request: bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443'));
    const failed = await admin.post('/admin/telegram/setup', {});
    assert.match(failed.text, /class="problem"[\s\S]*only on ports 80, 88, 443 or 8443/);
    await admin.post('/admin/telegram/remove', {});
    assert.equal(bot.webhook.url, '');
    assert.match((await admin.get('/admin/telegram')).text, /@alfred_test_bot/);
    assert.deepEqual(audited(alfred), ['1 telegram_setup webhook', '1 telegram_removed webhook and menus'], 'a refused one changes nothing');
    noSecret(alfred, bot, page.text, done.text, failed.text);
});
