// Sign-in and rights, and that a revoked user is signed out everywhere.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { beginTurn, ended, exchange, isCut, isOver, provide, serveFile } from '../../lib/chat.js';
import { PASSWORD, startAlfred, until } from '../../lib/rig.js';

const provider = await provide();
// All tests come from one address; limits are in signin_limit.test.js.
const config = { login: { failures: 100, account_failures: 1000, address_failures: 1000 } };
const alfred = await serveFile({ env: provider.env, config });
/** Another service, with passwords at their real cost. */
const serveSlowly = (t) => startAlfred({ t, env: { LD_PRELOAD: '' }, config });
const admin = await alfred.admin('anna');

/** A running answer with an open reader. */
async function watch(client, text) {
    const running = await beginTurn(client, provider, text);
    assert.equal((await running.events.next()).event, 'turn');
    return running;
}
async function isOut(client) {
    assert.equal((await client.get('/api/me')).status, 401);
    const page = await client.get('/');
    assert.equal(page.status, 303);
    assert.match(page.location, /^\/signin/);
}
const cookieOf = (answer) => answer.headers['set-cookie'] ?? [];
const logins = async (client) => [...(await client.get('/account')).text.matchAll(/\/account\/logins\/(lgn_[a-z0-9]+)\/revoke/g)].map((m) => m[1]);
const userId = async (name) => {
    const page = (await admin.get('/admin/users')).text;
    const row = page.split(/<(?:tr|li)\b/).find((part) => new RegExp(`>\\s*${name}\\s*<`).test(part));
    return row.match(/\/admin\/users\/(\d+)\//)[1];
};

test('after a form that is refused because the sign-in has ended, the sign-in leads back to its page', async () => {
    const gone = await alfred.user('gone');
    const refused = async (referer) => {
        const answer = await gone.post('/personas', { name: 'Cook', text: 'You cook.' }, { headers: { referer } });
        assert.equal(answer.status, 401);
        return answer.text.match(/<a class="btn main" href="([^"]*)"/)[1];
    };
    await gone.post('/signout', {});
    assert.equal(await refused(`${alfred.baseUrl}/personas?done=library_saved`), '/signin?next=%2Fpersonas');
    assert.equal(await refused(`${alfred.baseUrl}//evil.example`), '/');
    assert.equal(await refused(null), '/');
    await gone.get('/signin');
    assert.equal((await gone.post('/signin?next=%2Fpersonas', { name: 'gone', password: PASSWORD })).location, '/personas');
});

test('the first-run link works once, and only with a good password', async (t) => {
    const fresh = await startAlfred({ t, first: true });
    const code = fresh.setupCode;
    assert.ok(code);
    const one = fresh.client();
    await one.get('/welcome');
    assert.equal((await one.post('/welcome', { code, name: 'eve', password: 'short' })).status, 400);
    const umlaut = await one.post('/welcome', { code, name: 'jörg', password: PASSWORD });
    assert.equal(umlaut.status, 400);
    assert.match(umlaut.text, /letters \(a to z\)/, 'an umlaut is a letter, too');
    assert.equal((await one.post('/welcome', { code: `${code}x`, name: 'eve', password: PASSWORD })).status, 401);
    assert.equal((await one.post('/welcome', { code: '', name: 'eve', password: PASSWORD })).status, 401);
    const made = await one.post('/welcome', { code, name: 'eve', password: PASSWORD });
    assert.equal(made.status, 303);
    const me = await one.getJson('/api/me');
    assert.deepEqual([me.name, me.role], ['eve', 'admin']);
    assert.equal((await fresh.client().post('/welcome', { code, name: 'mallory', password: PASSWORD })).status, 401);
    assert.doesNotMatch((await fresh.cli(['user', 'list'])).stdout, /mallory/);
});

test('of several users of the first-run link at the same time one succeeds', async (t) => {
    const fresh = await startAlfred({ t, first: true });
    const all = await Promise.all(['a1', 'b2', 'c3'].map((name) => fresh.client().post('/welcome', { code: fresh.setupCode, name, password: PASSWORD })));
    assert.deepEqual(all.map((a) => a.status).sort(), [303, 401, 401]);
    assert.equal((await fresh.cli(['user', 'list'])).stdout.trim().split('\n').length, 1);
});

test('the cookie has all protections, is new for each sign-in, and ends with signing out', async () => {
    await alfred.user('carl');
    const carl = alfred.client();
    const answer = await carl.post('/signin', { name: 'carl', password: PASSWORD });
    assert.equal(answer.status, 303);
    const [cookie] = cookieOf(answer);
    assert.match(cookie, /^__Host-alfred=[A-Za-z0-9_-]{40,};/);
    for (const part of ['Path=/', 'Secure', 'HttpOnly', 'SameSite=Lax']) assert.match(cookie, new RegExp(`; ${part}(;|$)`));
    assert.doesNotMatch(cookie, /Domain/i);
    const other = await alfred.signIn('CARL');
    assert.notEqual(other.cookies.get('__Host-alfred'), carl.cookies.get('__Host-alfred'));
    await carl.get('/');
    const stolen = carl.clone();
    assert.equal((await carl.get('/signout')).status >= 400, true, 'a link cannot sign anybody out');
    const out = await carl.post('/signout', {});
    assert.equal(out.status, 303);
    assert.match(cookieOf(out)[0], /^__Host-alfred=;.*Max-Age=0/i);
    await isOut(carl);
    await isOut(stolen);
    assert.equal((await other.get('/api/me')).status, 200);
});

test('a forged cookie signs no user in', async () => {
    const client = alfred.client();
    for (const value of ['x', 'A'.repeat(43), `${admin.cookies.get('__Host-alfred')}x`, '']) {
        client.cookies.set('__Host-alfred', value);
        assert.equal((await client.get('/api/me')).status, 401);
    }
});

test('a wrong password and an unknown name are the same answer', async (t) => {
    const slow = await serveSlowly(t);
    await slow.user('dora');
    const ask = async (name, password) => {
        const start = performance.now();
        const answer = await slow.client().post('/signin', { name, password });
        return { answer, ms: performance.now() - start };
    };
    const same = (a) => a.text.replace(/nonce="[^"]*"/g, '').replaceAll(/dora|nobody-here/g, 'NAME');
    const wrong = await ask('dora', 'not the password');
    const unknown = await ask('nobody-here', 'not the password');
    assert.equal(wrong.answer.status, 401);
    assert.equal(unknown.answer.status, 401);
    assert.equal(same(wrong.answer), same(unknown.answer));
    assert.deepEqual(cookieOf(wrong.answer), []);
    // Both hash a password. The best of some, because the machine has other work.
    let known = wrong.ms, absent = unknown.ms;
    await until('both take as long', async () => {
        known = Math.min(known, (await ask('dora', 'wrong again')).ms);
        absent = Math.min(absent, (await ask('nobody-here', 'wrong again')).ms);
        return absent > known / 3 && known > absent / 3;
    });
    await slow.cli(['user', 'disable', 'dora']);
    assert.equal(same((await ask('dora', PASSWORD)).answer), same(wrong.answer), 'a disabled account is no different');
});

test('a login that is revoked elsewhere is out, its open stream within seconds', async () => {
    await alfred.user('gina');
    const [here, there] = [await alfred.signIn('gina'), await alfred.signIn('gina')];
    const kept = await watch(here, 'Gina here');
    const lost = await watch(there, 'Gina there');
    const before = await logins(here);
    // In any order: revoke until the other one is signed out, never ourselves.
    const others = before;
    assert.ok(others.length >= 1);
    for (const id of others) {
        await here.post(`/account/logins/${id}/revoke`, {});
        if ((await there.get('/api/me')).status === 401) break;
    }
    await isOut(there);
    await isCut(lost.events);
    assert.equal((await here.get('/api/me')).status, 200);
    // The answer continues: it belongs to the session, not to the reader.
    await lost.call.text('To the end');
    await lost.call.end();
    assert.equal((await ended(here, lost.turn)).status, 'done');
    await kept.call.text('Here');
    await kept.call.end();
    assert.equal((await kept.events.until((e) => e.event === 'end')).at(-1).event, 'end');
});

test('a disabled user is signed out everywhere, and can sign in again when enabled', async () => {
    const hugo = await alfred.user('hugo');
    const open = await watch(hugo, 'Hugo asks');
    const id = await userId('hugo');
    assert.equal((await admin.post(`/admin/users/${id}/disable`, {})).status, 303);
    await isOut(hugo);
    await isOver(open.events);
    assert.equal((await alfred.client().post('/signin', { name: 'hugo', password: PASSWORD })).status, 401);
    assert.equal((await admin.post(`/admin/users/${id}/enable`, {})).status, 303);
    await isOut(hugo);
    const back = await alfred.signIn('hugo');
    assert.equal((await back.getJson('/api/sessions')).sessions.length, 1);
});

test('a new password needs the old one, ends the other logins and gives this one a new cookie', async () => {
    await alfred.user('ida');
    const [here, there] = [await alfred.signIn('ida'), await alfred.signIn('ida')];
    const open = await watch(there, 'Ida there');
    const old = here.clone();
    assert.equal((await here.post('/account/password', { current: 'wrong wrong', password: 'a whole new password' })).status, 401);
    assert.ok([400].includes((await here.post('/account/password', { current: PASSWORD, password: 'short' })).status));
    assert.equal((await there.get('/api/me')).status, 200, 'a refused change changes nothing');
    const changed = await here.post('/account/password', { current: PASSWORD, password: 'a whole new password' });
    assert.equal(changed.status, 303);
    assert.notEqual(here.cookies.get('__Host-alfred'), old.cookies.get('__Host-alfred'));
    assert.equal((await here.get('/api/me')).status, 200);
    await isOut(old);
    await isOut(there);
    await isCut(open.events);
    await open.call.end();
    assert.equal((await alfred.client().post('/signin', { name: 'ida', password: PASSWORD })).status, 401);
    await alfred.signIn('ida', 'a whole new password');
});

// Hashing takes a while: a sign-in with the old password can begin before the change and end after it.
test('no sign-in with the old password outlives its change', async (t) => {
    const slow = await serveSlowly(t);
    const jo = await slow.user('jo');
    const begun = [];
    let on = true;
    const signIn = async () => {
        while (on) {
            const other = slow.client();
            await other.get('/signin');
            begun.push(other);
            await other.post('/signin', { name: 'jo', password: PASSWORD });
        }
    };
    const loops = [signIn(), signIn(), signIn()];
    await until('logins were made', () => begun.length > 6);
    assert.equal((await jo.post('/account/password', { current: PASSWORD, password: 'a whole new password' })).status, 303);
    on = false;
    await Promise.all(loops);
    for (const other of begun) assert.equal((await other.get('/api/me')).status, 401);
    assert.equal((await jo.get('/api/me')).status, 200);
});

test('members cannot see or use the pages of admins', async () => {
    const karl = await alfred.user('karl');
    const id = await userId('karl');
    assert.doesNotMatch((await karl.get('/')).text, /\/admin\//);
    for (const [method, path, form] of [
        ['GET', '/admin/users'],
        ['POST', '/admin/users', { name: 'mole', role: 'admin' }],
        ['POST', `/admin/users/${id}/role`, { role: 'admin' }],
        ['POST', `/admin/users/${id}/link`, {}],
        ['POST', `/admin/users/${id}/disable`, {}],
        ['POST', `/admin/users/${id}/enable`, {}],
    ]) {
        const answer = await karl.request(method, path, form && { form });
        assert.ok([403, 404].includes(answer.status), `${method} ${path}: ${answer.status}`);
    }
    assert.equal((await karl.getJson('/api/me')).role, 'member');
    assert.equal((await admin.post(`/admin/users/${id}/role`, { role: 'admin' })).status, 303);
    assert.equal((await karl.get('/admin/users')).status, 200, 'a role counts at once');
    assert.equal((await admin.post(`/admin/users/${id}/role`, { role: 'member' })).status, 303);
    assert.equal((await karl.get('/admin/users')).status, 403);
});

test('the last admin stays one', async () => {
    const id = 1; // the first user; the page does not offer to change one's own role
    for (const [path, form] of [[`/admin/users/${id}/role`, { role: 'member' }], [`/admin/users/${id}/disable`, {}]]) {
        const answer = await admin.post(path, form);
        assert.equal(answer.status, 409);
        assert.match(answer.text, /last active admin/);
    }
    for (const args of [['disable', 'anna'], ['role', 'anna', 'member']]) {
        const done = await alfred.cli(['user', ...args]);
        assert.notEqual(done.code, 0);
        assert.match(done.stderr, /last active admin/);
    }
    assert.equal((await admin.getJson('/api/me')).role, 'admin');
});

test('an invited person chooses the password, once', async () => {
    const page = await admin.post('/admin/users', { name: 'lena', role: 'member' });
    assert.equal(page.status, 200);
    const code = page.text.match(/\/welcome#([A-Za-z0-9_-]+)/)[1];
    const lena = alfred.client();
    await lena.get('/welcome');
    assert.equal((await lena.post('/welcome', { code, password: PASSWORD })).status, 303);
    assert.deepEqual((await lena.getJson('/api/me')).role, 'member');
    assert.equal((await alfred.client().post('/welcome', { code, password: 'another password' })).status, 401);
    assert.ok(!(await admin.get('/admin/users')).text.includes(code), 'the link is shown once');
});

test('without signing in only the sign-in pages are open, and unknown addresses are closed', async () => {
    const nobody = alfred.client();
    for (const path of ['/', '/sessions', '/account', '/admin/users', '/connect', '/api', '/usage', '/trash', `/s/ses_${'0'.repeat(26)}`]) {
        const answer = await nobody.get(path);
        assert.equal(answer.status, 303, path);
        assert.match(answer.location, /^\/signin/);
    }
    for (const [method, path] of [['GET', '/api/me'], ['GET', '/api/sessions'], ['POST', '/api/sessions/new/messages'], ['GET', `/api/turns/trn_${'0'.repeat(26)}/events`], ['POST', `/api/turns/trn_${'0'.repeat(26)}/stop`], ['DELETE', `/api/sessions/ses_${'0'.repeat(26)}`]]) {
        const answer = await nobody.request(method, path, method === 'GET' ? {} : { json: { text: 'x' } });
        assert.equal(answer.status, 401, path);
        assert.equal(answer.json.error.code, 'unauthenticated');
    }
    for (const path of ['/admin', '/admin/', '/nothing', '/.env', '/api/', '/api/users', '/api/turns', '/api/turns/', '/s/', '/hooks/x', '/alfred.db', '/data/alfred.db', '/signin/']) {
        for (const client of [nobody, admin]) assert.equal((await client.get(path)).status, 404, path);
    }
});

test('every kind of answer has its security headers', async () => {
    const { session, turn } = await exchange(admin, provider, 'Headers', 'Checked');
    const kinds = [
        ['page', await admin.get('/')],
        ['session', await admin.get(`/s/${session}`)],
        ['sign-in', await alfred.client().get('/signin')],
        ['api', await admin.get('/api/me')],
        ['refusal', await admin.get('/api/sessions/x')],
        ['error page', await admin.get('/nothing')],
        ['redirect', await alfred.client().get('/')],
        ['events', await admin.get(`/api/turns/${turn}/events`)],
        ['static', await admin.get('/static/css/app.css')],
        ['missing file', await admin.get('/static/nothing.css')],
        ['nginx refusal', await admin.post('/signin', { name: 'x'.repeat(32 * 1024 * 1024), password: 'x' })],
    ];
    for (const [kind, { headers, status }] of kinds) {
        assert.equal(headers['x-content-type-options'], 'nosniff', kind);
        assert.match(headers['content-security-policy'], /default-src 'none'/, kind);
        assert.match(headers['content-security-policy'], /frame-ancestors 'none'/, kind);
        assert.doesNotMatch(headers['content-security-policy'], /unsafe/, kind);
        assert.doesNotMatch(headers.server ?? '', /\d/, kind);
        assert.equal(headers['x-powered-by'], undefined);
        if (!['static', 'missing file', 'nginx refusal'].includes(kind)) {
            assert.equal(headers['cache-control'], 'no-store, no-transform', `${kind} ${status}`);
            assert.equal(headers['cross-origin-opener-policy'], 'same-origin', kind);
            assert.equal(headers['cross-origin-resource-policy'], 'same-origin', kind);
        }
    }
    const [one, two] = [kinds[0][1], await admin.get('/')].map((a) => a.headers['content-security-policy'].match(/nonce-([^']+)/)[1]);
    assert.notEqual(one, two, 'a nonce is used once');
    assert.ok(kinds[0][1].text.includes(`nonce="${one}"`));
    assert.doesNotMatch(kinds[0][1].text, /<script(?![^>]*nonce=)|\son\w+="|style="/);
});

test('alfred user: add, passwd, disable, enable, role, list', async () => {
    const run = async (args, input) => alfred.cli(['user', ...args], { input });
    assert.equal((await run(['add', 'Mia'], `${PASSWORD}\n`)).code, 0);
    const again = await run(['add', 'mia'], `${PASSWORD}\n`);
    assert.notEqual(again.code, 0);
    assert.match(again.stderr, /already/);
    assert.notEqual((await run(['add', 'no spaces'], `${PASSWORD}\n`)).code, 0);
    assert.notEqual((await run(['add', 'nopass'], 'short\n')).code, 0);
    assert.notEqual((await run(['add', 'nopass'], '')).code, 0);
    const mia = await alfred.signIn('mia');
    assert.match((await run(['list'])).stdout, /^mia +member +active/m);
    assert.equal((await run(['passwd', 'mia'], 'a different password\n')).code, 0);
    await isOut(mia);
    const back = await alfred.signIn('mia', 'a different password');
    assert.equal((await run(['disable', 'mia'])).code, 0);
    await isOut(back);
    assert.match((await run(['list'])).stdout, /^mia +member +disabled/m);
    assert.equal((await run(['enable', 'mia'])).code, 0);
    assert.equal((await run(['role', 'mia', 'admin'])).code, 0);
    assert.equal((await (await alfred.signIn('mia', 'a different password')).getJson('/api/me')).role, 'admin');
    assert.equal((await run(['role', 'mia', 'member'])).code, 0);
    assert.notEqual((await run(['disable', 'nobody'])).code, 0);
    for (const args of [[], ['add'], ['fly', 'mia'], ['role', 'mia', 'king'], ['add', 'a', 'b']]) {
        const wrong = await run(args);
        assert.notEqual(wrong.code, 0, args.join(' '));
        assert.match(wrong.stderr, /usage/);
    }
    const link = await run(['passwd', 'mia', '--link']);
    const code = link.stdout.match(/\/welcome#([A-Za-z0-9_-]+)/)[1];
    assert.equal((await alfred.client().post('/welcome', { code, password: 'chosen by herself' })).status, 303);
    await alfred.signIn('mia', 'chosen by herself');
    assert.ok(!alfred.logs().includes(PASSWORD) && !alfred.logs().includes('chosen by herself'), 'no password is in the log');
});
