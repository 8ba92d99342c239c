// Guessing passwords: the limit, the clients that it affects, and the load for others. The service trusts the
// X-Forwarded-For of loopback, so a test can come from any address.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parallel } from '../../lib/client.js';
import { PASSWORD, startAlfred } from '../../lib/rig.js';

const DEVICE = '__Host-alfred-device';
const FAILURES = 10; // the default of [login] failures
const HOME = '198.51.100.1';
const STRANGER = '203.0.113.9';

const start = (t, config = {}, env = {}) => startAlfred({ t, env, config: { server: { trusted_proxy: ['127.0.0.1', '::1'] }, ...config } });
/** With passwords at their real cost. */
const startSlow = (t, config) => start(t, config, { LD_PRELOAD: '' });

/** A browser at an address. */
const at = (alfred, address) => alfred.client({ headers: { 'x-forwarded-for': address } });
const signIn = (client, name, password) => client.post('/signin', { name, password });
/** The statuses of `n` wrong passwords, one after the other. */
async function guess(client, name, n) {
    const statuses = [];
    for (let i = 0; i < n; i++) statuses.push((await signIn(client, name, `wrong guess ${i}`)).status);
    return statuses;
}
const all = (n, status) => Array(n).fill(status);
/** Moves a browser, with its cookies, to another address. */
function moved(client, address) {
    const other = client.clone();
    other.headers = { 'x-forwarded-for': address };
    return other;
}

test('a stranger who guesses locks out only his own address', async (t) => {
    const alfred = await start(t);
    const anna = await alfred.admin('anna');
    assert.deepEqual(await guess(at(alfred, STRANGER), 'anna', FAILURES), all(FAILURES, 401));
    const limited = await signIn(at(alfred, STRANGER), 'ANNA', PASSWORD);
    assert.equal(limited.status, 429, 'in any spelling, with the right password too');
    const wait = Number(limited.headers['retry-after']);
    assert.ok(wait > 0 && wait <= 15 * 60, limited.headers['retry-after']);
    assert.match(limited.text, /try again|wait|minutes/i);

    assert.equal((await signIn(at(alfred, HOME), 'anna', PASSWORD)).status, 303, 'from elsewhere, with a new browser');
    const changed = await moved(anna, STRANGER).post('/account/password', { current: PASSWORD, password: 'a whole new password' });
    assert.equal(changed.status, 303, 'who is signed in changes the password, even at that address');
});

test('a signed-in user can guess the current password up to the limit, and locks out nobody', async (t) => {
    const alfred = await start(t);
    const anna = await alfred.admin('anna');
    const change = async () => (await anna.post('/account/password', { current: 'wrong', password: 'a whole new password' })).status;
    for (let i = 0; i < FAILURES; i++) assert.equal(await change(), 401);
    assert.equal(await change(), 429);
    assert.equal((await signIn(anna.stranger(), 'anna', PASSWORD)).status, 303);
});

test('a known device signs in while its account and its address are at their limits', async (t) => {
    const alfred = await start(t, { login: { failures: 3, account_failures: 6, address_failures: 5 } });
    await alfred.admin('anna');
    await alfred.user('bert');
    const known = at(alfred, HOME);
    const first = await signIn(known, 'anna', PASSWORD);
    const cookie = first.headers['set-cookie'].find((line) => line.startsWith(`${DEVICE}=`));
    for (const part of ['Path=/', 'Secure', 'HttpOnly', 'SameSite=Lax', `Max-Age=${365 * 24 * 3600}`]) assert.ok(cookie.includes(`; ${part}`), `${part} in ${cookie}`);
    await known.get('/');
    assert.equal((await known.post('/signout', {})).status, 303);
    assert.ok(known.cookies.has(DEVICE), 'signing out forgets no device');

    // Many addresses fill the account.
    for (const address of [STRANGER, '203.0.113.10']) assert.deepEqual(await guess(at(alfred, address), 'anna', 3), all(3, 401));
    assert.equal((await signIn(at(alfred, '203.0.113.11'), 'anna', PASSWORD)).status, 429, 'a new device waits everywhere');
    assert.equal((await signIn(at(alfred, '203.0.113.11'), 'bert', PASSWORD)).status, 303, 'other accounts do not');
    // Many accounts fill the address.
    const bad = at(alfred, '203.0.113.20');
    assert.deepEqual(await guess(bad, 'bert', 3), all(3, 401));
    assert.deepEqual(await guess(bad, 'nobody', 3), [401, 401, 429]);

    assert.equal((await signIn(moved(known, '203.0.113.20'), 'anna', PASSWORD)).status, 303);
    // A cookie is known to the accounts that signed in with it, and to no other.
    assert.equal((await signIn(moved(known, '203.0.113.20'), 'bert', PASSWORD)).status, 429);
    const shared = moved(known, HOME);
    assert.equal((await signIn(shared, 'bert', PASSWORD)).status, 303);
    assert.equal(shared.cookies.get(DEVICE), known.cookies.get(DEVICE));
    assert.equal((await signIn(moved(shared, '203.0.113.20'), 'bert', PASSWORD)).status, 303);
    assert.equal((await signIn(moved(shared, '203.0.113.20'), 'anna', PASSWORD)).status, 303);
    // It has its own limit at any address.
    assert.deepEqual(await guess(moved(known, '192.0.2.1'), 'anna', 4), [401, 401, 401, 429]);
    assert.equal((await signIn(moved(known, '192.0.2.2'), 'anna', PASSWORD)).status, 429);
    // A forged cookie counts as a stranger's.
    const forged = at(alfred, HOME);
    forged.cookies.set(DEVICE, 'A'.repeat(43));
    assert.equal((await signIn(forged, 'anna', PASSWORD)).status, 429);
});

test('parallel guesses are limited like guesses in a row', async (t) => {
    const alfred = await startSlow(t);
    await alfred.admin('anna');
    const statuses = [];
    for (let round = 0; round < 100 && !statuses.includes(429); round++) statuses.push(...(await parallel(30, 30, () => signIn(at(alfred, STRANGER), 'anna', 'wrong guess'))).map((a) => a.status));
    statuses.push(...(await guess(at(alfred, STRANGER), 'anna', 3)));
    assert.equal(statuses.filter((s) => s === 401).length, FAILURES, statuses.join(' '));
    assert.ok(statuses.every((s) => [401, 429, 503].includes(s)), statuses.join(' '));
    assert.equal(statuses.at(-1), 429);
});

test('addresses of one IPv6 network count as one', async (t) => {
    const alfred = await start(t, { limits: { signins_per_minute: 6 }, login: { address_failures: 5 } });
    await alfred.admin('anna');
    for (let i = 1; i <= 5; i++) assert.deepEqual(await guess(at(alfred, `2001:db8:1:2:${i}::${i}`), `somebody${i}`, 1), [401]);
    assert.equal((await signIn(at(alfred, '2001:db8:1:2:ffff::1'), 'anna', PASSWORD)).status, 429);
    assert.equal((await signIn(at(alfred, '2001:db8:1:3::1'), 'anna', PASSWORD)).status, 303);
    // nginx also refuses, before the program gets the request.
    const asked = await parallel(40, 1, (i) => signIn(at(alfred, `2001:db8:1:4::${i + 1}`), 'x', 'y'));
    assert.ok(asked.some((a) => a.headers['retry-after'] === '5'), 'nginx lets each address of a network try');
    assert.notEqual((await signIn(at(alfred, '2001:db8:1:5::1'), 'anna', PASSWORD)).headers['retry-after'], '5');
});

test('while many try to sign in, pages are served and known devices sign in', async (t) => {
    const alfred = await startSlow(t, { login: { failures: 1000, account_failures: 1000, address_failures: 1000 } });
    const anna = await alfred.admin('anna');
    let looked = 0;
    const turnedAway = [];
    const flood = parallel(200, 200, async (i) => {
        const answer = await signIn(at(alfred, `203.0.113.${i}`), `guest${i}`, 'wrong guess');
        if (answer.status === 401) looked++;
        else turnedAway.push(answer);
    });
    const pages = [];
    for (let i = 0; i < 5; i++) pages.push((await anna.get('/')).status);
    const before = looked;
    assert.deepEqual(pages, all(5, 200));
    await flood;
    assert.ok(before < 50, `${before} passwords were looked at before five pages came`);
    assert.ok(turnedAway.length > 0, 'all 200 were looked at');
    for (const answer of turnedAway) {
        assert.equal(answer.status, 503);
        assert.ok(Number(answer.headers['retry-after']) > 0);
        assert.match(answer.text, /try again/i);
    }
    // A place is reserved for known devices: each attempt is answered, with any number of strangers.
    let going = true;
    const strangers = parallel(12, 12, async () => {
        while (going) await signIn(at(alfred, STRANGER), 'guest', 'wrong guess');
    });
    const entered = [];
    for (let i = 0; i < 5; i++) entered.push((await signIn(anna, 'anna', PASSWORD)).status);
    going = false;
    await strangers;
    assert.deepEqual(entered, all(5, 303));
});
