// Two-step sign-in: setting it up, signing in with codes of an app and with recovery codes, and every way around it.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';

import { serveFile } from '../../lib/chat.js';
import { parallel } from '../../lib/client.js';
import { PASSWORD, serviceFolder, startAlfred } from '../../lib/rig.js';
import { begin, CODE_PAGE, codeOf, forget, halfway, recoveryCodes, turnOn, withCode, wrongCode } from '../../lib/second_step.js';

const LOGIN = '__Host-alfred', BEGUN = '__Host-alfred-signin';
// All tests come from one address; the limits have a service of their own below.
const alfred = await serveFile({ config: { login: { failures: 200, account_failures: 1000, address_failures: 1000 } } });
const admin = await alfred.admin('anna');

const signIn = (client, name) => client.post('/signin', { name, password: PASSWORD });
const sendCode = (client, code) => client.post(CODE_PAGE, { code });
const isIn = async (client) => (await client.get('/api/me')).status === 200;
const cookie = (answer, name) => (answer.headers['set-cookie'] ?? []).find((c) => c.startsWith(`${name}=`));
const audit = (name) => alfred.sql('SELECT a.action FROM audit a JOIN user u ON u.id = a.user_id WHERE u.name = ? ORDER BY a.id', name).map((r) => r.action);
const problem = (answer) => answer.text.match(/role="alert"[^]*?<p[^>]*>(.*?)<\/p>/)?.[1];
/** A user with two-step sign-in. */
async function userWith(name) {
    const client = await alfred.user(name);
    return { client, name, ...(await turnOn(alfred, client)) };
}
/** Signs a new browser in with a code of now. */
async function enter({ name, secret }) {
    const client = await halfway(alfred, name, PASSWORD);
    assert.equal((await withCode(secret, (code) => sendCode(client, code))).status, 303);
    assert.ok(await isIn(client));
    return client;
}

test('it is set up with the password and a code of the app, and then asked for', async () => {
    const bea = await alfred.user('bea');
    assert.equal((await bea.post('/account/second-step', { current: 'not the password' })).status, 401);
    assert.equal((await bea.get('/account/second-step')).location, '/account#second-step');
    const secret = await begin(bea);
    const page = await bea.get('/account/second-step');
    assert.match(page.text, /<div class="qr" role="img" aria-label="[^"]+"><svg /);
    assert.ok(page.text.includes(`<code>${secret.match(/.{4}/g).join(' ')}</code>`));
    assert.ok(page.text.includes(`href="otpauth://totp/Alfred:bea%40localhost?secret=${secret}&amp;issuer=Alfred"`));
    assert.equal((await signIn(alfred.client(), 'bea')).location, '/', 'it is not on yet');

    const refused = await bea.post('/account/second-step/confirm', { code: wrongCode(secret) });
    assert.equal(refused.status, 401);
    assert.match(problem(refused), /wrong/);
    assert.ok(refused.text.includes(secret), 'the page has the same secret');
    const on = await withCode(secret, (code) => bea.post('/account/second-step/confirm', { code }));
    assert.equal(on.status, 200);
    const recovery = recoveryCodes(on);
    assert.equal(new Set(recovery).size, 10);
    for (const code of recovery) assert.match(code, /^(\d{4}-){4}\d{4}$/);
    assert.ok(recovery.every((code) => on.text.includes(`%0A${code}`)), 'the file has all codes');
    assert.match((await bea.get('/account')).text, /10 recovery codes are left/);
    assert.equal((await bea.get('/account/second-step')).location, '/account#second-step', 'the secret is not shown again');
    assert.equal((await bea.post('/account/second-step', { current: PASSWORD })).status, 409);
    assert.ok(await isIn(bea));

    forget(alfred, 'bea');
    const fresh = alfred.client();
    const first = await fresh.post('/signin', { name: 'bea', password: PASSWORD, next: '/tasks' });
    assert.equal(first.location, '/signin/code?next=%2Ftasks');
    assert.equal(cookie(first, LOGIN), undefined);
    assert.match(cookie(first, BEGUN), /^__Host-alfred-signin=[\w-]{43}; Path=\/; .*Max-Age=300/);
    for (const part of ['Secure', 'HttpOnly', 'SameSite=Lax']) assert.match(cookie(first, BEGUN), new RegExp(`; ${part}(;|$)`));
    assert.equal(await isIn(fresh), false);
    const form = await fresh.get(first.location);
    assert.match(form.text, /<input name="code"[^>]* inputmode="numeric" autocomplete="one-time-code"/);
    assert.match(form.text, /name="next" value="\/tasks"/);
    const wrong = await sendCode(fresh, wrongCode(secret));
    assert.equal(wrong.status, 401);
    assert.match(wrong.text, /name="code"[^>]*aria-invalid|aria-invalid[^>]*name="code"/);
    assert.doesNotMatch(wrong.text, new RegExp(wrongCode(secret)), 'a code is not repeated on a page');
    const done = await withCode(secret, (code) => fresh.post(CODE_PAGE, { code, next: '/tasks' }));
    assert.deepEqual([done.status, done.location], [303, '/tasks']);
    assert.match(cookie(done, LOGIN), /^__Host-alfred=[\w-]{43};/);
    assert.match(cookie(done, BEGUN), /Max-Age=0/);
    assert.ok(await isIn(fresh));
    assert.deepEqual(audit('bea').filter((a) => a !== 'refused'), ['welcome', 'signin', 'second_step_on', 'code_asked', 'signin_refused', 'signin']);
});

test('a setup is for the login that began it, and for an hour', async () => {
    const carl = await alfred.user('carl');
    const secret = await begin(carl);
    const other = await alfred.signIn('carl');
    assert.equal((await other.get('/account/second-step')).location, '/account#second-step');
    assert.equal((await other.post('/account/second-step/confirm', { code: codeOf(secret) })).location, '/account#second-step');
    alfred.sql("UPDATE second_step SET begun_at = begun_at - 3600001 WHERE user_id = (SELECT id FROM user WHERE name = 'carl')");
    assert.equal((await carl.post('/account/second-step/confirm', { code: codeOf(secret) })).location, '/account#second-step');
    assert.equal((await signIn(alfred.client(), 'carl')).location, '/');
});

test('a code works once, on one device, and the clock of the phone may be wrong by one step', async () => {
    const dora = await userWith('dora');
    const one = await halfway(alfred, 'dora', PASSWORD), two = await halfway(alfred, 'dora', PASSWORD);
    let used;
    assert.equal((await withCode(dora.secret, (code) => sendCode(one, (used = code)))).status, 303);
    const again = await sendCode(two, used);
    assert.equal(again.status, 401);
    assert.match(problem(again), /used before/);
    assert.equal(await isIn(two), false);
    // The code of the next step is later than the one that was used.
    assert.equal((await sendCode(two, codeOf(dora.secret, 1))).status, 303);
    assert.ok(await isIn(two));
    const late = await halfway(alfred, 'dora', PASSWORD);
    assert.equal((await sendCode(late, codeOf(dora.secret, 3))).status, 401);
    assert.equal((await sendCode(late, codeOf(dora.secret, -3))).status, 401);
});

test('of many uses of one code at the same time one succeeds', async () => {
    const { secret } = await userWith('emil');
    const all = await Promise.all(Array.from({ length: 6 }, () => halfway(alfred, 'emil', PASSWORD)));
    const code = codeOf(secret);
    const got = await Promise.all(all.map((client) => sendCode(client, code)));
    assert.deepEqual(got.map((a) => a.status).sort(), [303, ...Array(5).fill(401)]);
});

test('a recovery code works once, with or without dashes', async () => {
    const fred = await userWith('fred');
    const [first, second] = fred.recovery;
    const lost = await halfway(alfred, 'fred', PASSWORD);
    assert.equal((await sendCode(lost, ` ${first.replaceAll('-', ' ')} `)).status, 303);
    assert.match((await lost.get('/account')).text, /9 recovery codes are left/);
    const again = await halfway(alfred, 'fred', PASSWORD);
    assert.equal((await sendCode(again, first)).status, 401);
    assert.equal((await sendCode(again, second.slice(0, -1))).status, 401);
    assert.equal((await sendCode(again, second)).status, 303);
    assert.equal(audit('fred').filter((a) => a === 'recovery_code_used').length, 2);
    const other = await userWith('frida');
    const stranger = await halfway(alfred, 'frida', PASSWORD);
    assert.equal((await sendCode(stranger, fred.recovery[2])).status, 401, 'a code of another user');
    assert.equal((await sendCode(stranger, other.recovery[2])).status, 303);
});

test('the begun sign-in is bound to the browser and ends after minutes', async () => {
    const gina = await userWith('gina');
    const begun = await halfway(alfred, 'gina', PASSWORD);
    const stranger = alfred.client();
    assert.equal((await stranger.get(CODE_PAGE)).location, '/signin?done=signin_again&next=%2F');
    assert.equal((await sendCode(stranger, codeOf(gina.secret))).location, '/signin?done=signin_again&next=%2F');
    stranger.cookies.set(BEGUN, `${begun.cookies.get(BEGUN).slice(0, -2)}xx`);
    assert.equal((await sendCode(stranger, codeOf(gina.secret))).location, '/signin?done=signin_again&next=%2F');
    assert.match((await stranger.get('/signin?done=signin_again&next=%2F')).text, /took too long/);
    assert.equal((await begun.get('/tasks')).status, 303, 'it is no login');
    alfred.sql('UPDATE signin_begun SET expires_at = expires_at - 300001');
    assert.equal((await begun.get(CODE_PAGE)).location, '/signin?done=signin_again&next=%2F');
    assert.equal((await sendCode(begun, codeOf(gina.secret))).location, '/signin?done=signin_again&next=%2F');
    assert.equal(await isIn(begun), false);
});

test('a new password, disabling and deleting the user end a begun sign-in', async () => {
    const hugo = await userWith('hugo');
    const { client, secret } = hugo;
    const over = async (begun) => {
        assert.equal((await sendCode(begun, codeOf(secret))).location, '/signin?done=signin_again&next=%2F');
        assert.equal(await isIn(begun), false);
    };
    let begun = await halfway(alfred, 'hugo', PASSWORD);
    assert.equal((await client.post('/account/password', { current: PASSWORD, password: 'another good password' })).status, 303);
    await over(begun);
    begun = await halfway(alfred, 'hugo', 'another good password');
    await alfred.cli(['user', 'disable', 'hugo']);
    await over(begun);
    await alfred.cli(['user', 'enable', 'hugo']);
    await over(begun);
    begun = await halfway(alfred, 'hugo', 'another good password');
    assert.equal((await alfred.cli(['user', 'delete', 'hugo', '--yes'])).code, 0);
    await over(begun);
    for (const table of ['second_step', 'recovery_code', 'signin_begun']) assert.deepEqual(alfred.sql(`SELECT 1 FROM ${table} WHERE user_id NOT IN (SELECT id FROM user)`), []);
});

test('an admin turns it off for a user who has lost the phone, and so does the command line', async () => {
    const ida = await userWith('ida');
    const [{ id }] = alfred.sql("SELECT id FROM user WHERE name = 'ida'");
    const off = `/admin/users/${id}/second-step-off`;
    assert.equal((await ida.client.post(off)).status, 403);
    const page = await admin.get('/admin/users?q=ida');
    assert.ok(page.text.includes(`action="${off}"`));
    const begun = await halfway(alfred, 'ida', PASSWORD);
    assert.match((await admin.post(off)).location, /done=user_second_off/);
    assert.equal((await sendCode(begun, codeOf(ida.secret))).location, '/signin?done=signin_again&next=%2F');
    assert.equal((await signIn(begun, 'ida')).location, '/');
    assert.equal((await admin.get('/admin/users?q=ida')).text.includes(off), false);
    assert.equal((await admin.post(off)).status, 404);
    assert.ok(audit('anna').includes('second_step_off'));

    await turnOn(alfred, ida.client);
    assert.match((await alfred.cli(['user', 'list'])).stdout, /^ida .*two-step sign-in$/m);
    assert.equal((await alfred.cli(['user', 'second-step-off', 'ida'])).code, 0);
    assert.equal((await signIn(alfred.client(), 'ida')).location, '/');
    const twice = await alfred.cli(['user', 'second-step-off', 'ida']);
    assert.equal(twice.code, 1);
    assert.match(twice.stderr, /is off/);
});

test('new recovery codes and turning it off need the password and a code', async () => {
    const jana = await userWith('jana');
    const change = (what, current, code) => jana.client.post(`/account/second-step/${what}`, { current, code });
    for (const what of ['codes', 'off']) {
        assert.equal((await change(what, 'not the password', jana.recovery[0])).status, 401);
        const wrong = await change(what, PASSWORD, wrongCode(jana.secret));
        assert.equal(wrong.status, 401);
        assert.match(wrong.text, new RegExp(`<details open class="add">(?:(?!</details>)[^])*action="/account/second-step/${what}"`), 'its form is open');
    }
    const fresh = recoveryCodes(await change('codes', PASSWORD, jana.recovery[0]));
    assert.equal(fresh.length, 10);
    assert.equal((await change('off', PASSWORD, jana.recovery[1])).status, 401, 'the old ones are gone');
    assert.match((await change('off', PASSWORD, fresh[0])).location, /done=second_off/);
    assert.equal((await signIn(alfred.client(), 'jana')).location, '/');
    assert.deepEqual(audit('jana').filter((a) => /step|recovery/.test(a)), ['second_step_on', 'recovery_code_used', 'recovery_codes_made', 'recovery_code_used', 'second_step_off']);
    assert.deepEqual(alfred.sql("SELECT 1 FROM recovery_code WHERE user_id = (SELECT id FROM user WHERE name = 'jana')"), []);
});

test('a one-time link sets the password, and the code is asked for', async () => {
    const kai = await userWith('kai');
    const code = (await alfred.cli(['user', 'passwd', 'kai', '--link'])).stdout.match(/#([\w-]+)/)[1];
    const linked = alfred.client();
    const answer = await linked.post('/welcome', { code, password: 'another good password' });
    assert.match(answer.location, /^\/signin\/code\?/);
    assert.equal(cookie(answer, LOGIN), undefined);
    assert.equal(await isIn(linked), false);
    assert.equal(await isIn(kai.client), false, 'the password was changed');
    assert.equal((await withCode(kai.secret, (c) => sendCode(linked, c))).status, 303);
    assert.ok(await isIn(linked));
});

test('the API names the missing code and takes it with the password', async () => {
    const lena = await userWith('lena');
    const api = (code, client = alfred.client()) => client.postJson('/api/signin', { name: 'lena', password: PASSWORD, ...(code === undefined ? {} : { code }) });
    const missing = await api();
    assert.equal(missing.status, 401);
    assert.match(missing.headers['content-type'], /application\/problem\+json/);
    assert.deepEqual(missing.json.errors.map((e) => e.pointer), ['#/code']);
    assert.match(missing.json.detail, /two-step/);
    assert.equal(missing.headers['set-cookie'], undefined);
    assert.deepEqual(alfred.sql("SELECT 1 FROM signin_begun WHERE user_id = (SELECT id FROM user WHERE name = 'lena')"), []);
    const wrong = await api(wrongCode(lena.secret));
    assert.deepEqual([wrong.status, wrong.json.errors[0].pointer], [401, '#/code']);
    const client = alfred.client();
    const right = await withCode(lena.secret, (code) => api(code, client));
    assert.deepEqual([right.status, right.json.name], [200, 'lena']);
    assert.ok(await isIn(client));
    assert.equal((await api(lena.recovery[3])).status, 200);
    assert.equal((await alfred.client().postJson('/api/signin', { name: 'lena', password: 'wrong', code: lena.recovery[4] })).status, 401);
    assert.equal((await api(lena.recovery[4])).status, 200, 'a wrong password uses no code');
    const plain = await alfred.user('mona');
    assert.equal((await plain.stranger().postJson('/api/signin', { name: 'mona', password: PASSWORD, code: '123456' })).status, 200);
});

test('no secret and no code is in the log, the audit trail or an export', async () => {
    const nora = await userWith('nora');
    await enter(nora);
    const exported = (await alfred.cli(['export', 'nora'])).stdout;
    const trail = JSON.stringify(alfred.sql('SELECT action, detail, address FROM audit'));
    const begun = await halfway(alfred, 'nora', PASSWORD);
    await sendCode(begun, nora.recovery[5]);
    for (const secret of [nora.secret, ...nora.recovery, ...nora.recovery.map((c) => c.replaceAll('-', '')), begun.cookies.get(LOGIN)]) {
        for (const text of [exported, trail, alfred.logs()]) assert.equal(text.includes(secret), false);
    }
    const stored = JSON.stringify(alfred.sql('SELECT hex(hash) AS h FROM recovery_code'));
    for (const code of nora.recovery) assert.equal(stored.includes(Buffer.from(code.replaceAll('-', '')).toString('hex').toUpperCase()), false);
});

test('without the library for QR codes the setup has the key and the link', async (t) => {
    const dir = serviceFolder(); // a file that is no library hides the one of the system
    writeFileSync(`${dir}/libqrencode.so.4`, 'none');
    const plain = await startAlfred({ t, env: { LD_LIBRARY_PATH: dir } });
    const anna = await plain.admin('anna');
    const secret = await begin(anna);
    const page = await anna.get('/account/second-step');
    assert.doesNotMatch(page.text, /class="qr"|Scan/);
    assert.ok(page.text.includes(secret.match(/.{4}/g).join(' ')));
    assert.match(plain.logs(), /no QR code: .*libqrencode/);
    assert.equal(plain.logs().includes(secret), false);
});

/** A service with few attempts. `pat` has two-step sign-in. */
async function limited(t) {
    const few = await startAlfred({ t, config: { login: { failures: 4, account_failures: 60, address_failures: 50 }, server: { trusted_proxy: ['127.0.0.1', '::1'] } } });
    await few.admin('anna');
    const pat = await few.user('pat');
    return { few, pat, ...(await turnOn(few, pat)), at: (address) => few.client({ headers: { 'x-forwarded-for': address } }) };
}

test('wrong codes are limited, also at the same time, and the right password does not forgive them', async (t) => {
    const { few, secret, recovery, at } = await limited(t);
    const wrong = wrongCode(secret);
    const thief = await halfway(few, 'pat', PASSWORD, at('203.0.113.9'));
    const got = await parallel(20, 20, () => sendCode(thief.clone(), wrong));
    assert.deepEqual(got.map((a) => a.status).sort(), [...Array(4).fill(401), ...Array(16).fill(429)]);
    const right = await sendCode(thief, recovery[0]);
    assert.equal(right.status, 429, 'a right code is too late');
    assert.ok(Number(right.headers['retry-after']) > 0);
    assert.equal((await thief.post('/signin', { name: 'pat', password: PASSWORD })).status, 429);
    assert.ok(few.sql("SELECT 1 FROM audit WHERE action = 'signin_limited' AND detail = 'code'").length);
});

test('from many networks there are 20 wrong codes a day, until the password is changed', async (t) => {
    const { few, secret, recovery, pat, at } = await limited(t);
    const elsewhere = (n) => halfway(few, 'pat', PASSWORD, at(`203.0.113.${n}`));
    for (let n = 1; n <= 5; n++) {
        const thief = await elsewhere(n);
        for (let i = 0; i < 4; i++) assert.equal((await sendCode(thief, wrongCode(secret))).status, 401);
    }
    const later = () => few.sql('UPDATE signin_failure SET at = at - 7200000');
    later();
    assert.equal((await sendCode(await elsewhere(6), recovery[0])).status, 429);
    const api = () => at('203.0.113.7').postJson('/api/signin', { name: 'pat', password: PASSWORD, code: recovery[0] });
    for (let i = 0; i < 6; i++) assert.equal((await api()).status, 429);
    assert.deepEqual(few.sql("SELECT subject FROM signin_failure WHERE subject LIKE '%203.0.113.7'"), [], 'the password was right, and the code was not tried');
    // The owner's browser has signed in before.
    pat.cookies.delete(LOGIN);
    await halfway(few, 'pat', PASSWORD, pat);
    assert.equal((await sendCode(pat, recovery[0])).status, 303);
    await pat.get('/');
    const fresh = 'another good password';
    assert.equal((await pat.post('/account/password', { current: PASSWORD, password: fresh })).status, 303);
    assert.equal((await sendCode(await halfway(few, 'pat', fresh, at('203.0.113.8')), recovery[1])).status, 303);
});

test('between wrong codes the right password does not start the count again', async (t) => {
    const { few, secret, at } = await limited(t);
    const thief = at('203.0.113.9'), statuses = [];
    for (let i = 0; i < 3; i++) {
        await halfway(few, 'pat', PASSWORD, thief);
        statuses.push((await sendCode(thief, wrongCode(secret))).status);
    }
    await halfway(few, 'pat', PASSWORD, thief);
    statuses.push((await sendCode(thief, wrongCode(secret))).status, (await sendCode(thief, wrongCode(secret))).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 429]);
});

test('a signed-in user can guess codes up to the limit', async (t) => {
    const { secret, pat } = await limited(t);
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push((await pat.post('/account/second-step/off', { current: PASSWORD, code: wrongCode(secret) })).status);
    assert.deepEqual(statuses, [401, 401, 401, 401, 429]);
});
