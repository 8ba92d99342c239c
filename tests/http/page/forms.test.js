// The pages without script: forms, redirects, notices, and refused forms that come back. No provider is connected, so
// the offline model answers.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { articles, serveFile, wordsOf } from '../../lib/chat.js';
import { PASSWORD } from '../../lib/rig.js';

const alfred = await serveFile();
const root = await alfred.admin('root');

/** Sends without script; returns the session's address and the page after it. */
async function talk(client, text, url = '/s/new') {
    const sent = await client.post(url, { text, parent: '', client_id: `c${Math.random()}` });
    assert.equal(sent.status, 303, sent.text);
    const [, path, reply] = sent.location.match(/^(\/s\/ses_[0-9a-z]{26})#m-(\d+)$/);
    return { url: path, session: path.slice(3), reply, page: await client.get(path) };
}
const ids = (page) => [...articles(page.text).keys()];
const hidden = (page, name) => page.text.match(new RegExp(`name="${name}" value="([^"]*)"`))?.[1];
const linksTo = (page, pattern) => [...page.text.matchAll(/href="([^"]+)"/g)].map((m) => m[1].replaceAll('&amp;', '&')).filter((u) => pattern.test(u));
const codeIn = (page) => page.text.match(/\/welcome#([\w-]+)/)?.[1];

/** A member who was invited by a link. */
async function invite(name) {
    const added = await root.post('/admin/users', { name, role: 'member' });
    assert.equal(added.status, 200, added.text);
    const client = alfred.client();
    const entered = await client.post('/welcome', { code: codeIn(added), name: '', password: PASSWORD });
    assert.equal(entered.status, 303, entered.text);
    await client.get('/');
    return client;
}

test('a message without script leads to its answer', async () => {
    const chat = await talk(root, 'What time is it?');
    assert.equal(chat.page.status, 200);
    assert.match(chat.page.text, /What time is it\?/);
    assert.ok(ids(chat.page).includes(chat.reply));
    assert.equal(hidden(chat.page, 'end'), ids(chat.page).at(-1));
    assert.match(wordsOf([...articles(chat.page.text).values()].at(-1)), /it is \d\d:\d\d on/);
});

test("a user's text is shown as typed, also template syntax and markup", async () => {
    const { page } = await talk(root, '{{page_title}} <script>alert(1)</script> &amp;\r\n\r\nsecond');
    assert.match(page.text, /<p dir="auto">\{\{page_title\}\} &lt;script&gt;alert\(1\)&lt;\/script&gt; &amp;amp;<\/p><p dir="auto">second<\/p>/);
});

test('a refused message is back in the box', async () => {
    const long = 'x'.repeat(1_100_000);
    const big = await root.post('/s/new', { text: long, parent: '', client_id: 'big' });
    assert.equal(big.status, 413);
    assert.ok(big.text.includes(`${long}</textarea>`));
    assert.match(big.text, />Retry</);
    const { url } = await talk(root, 'hello');
    const blank = await root.post(url, { text: '  \n ', parent: '', client_id: 'blank' });
    assert.equal(blank.status, 400);
    assert.match(blank.text, /class="problem"/);
});

test('a session is renamed, found by its title and deleted', async () => {
    const { session, url } = await talk(root, 'hello');
    const renamed = await root.post(`/sessions/${session}/rename`, { title: ' Walruses <b> ', back: '/sessions?q=wal' });
    assert.equal(renamed.location, '/sessions?q=wal&done=renamed');
    const list = await root.get(renamed.location);
    assert.match(list.text, /The title is saved\./);
    assert.match(list.text, /Walruses &lt;b&gt;/);
    assert.deepEqual([...list.text.matchAll(/<li class="item" data-session="([^"]+)"/g)].map((m) => m[1]), [session]);
    assert.match((await root.get('/sessions?q=%25')).text, /No title or topic contains “<bdi>%<\/bdi>”/);
    assert.equal((await root.post(`/sessions/${session}/rename`, { title: '   ' })).status, 400);

    const gone = await root.post(`/sessions/${session}/delete`, {});
    assert.equal(gone.location, `/sessions?done=deleted.${session}`);
    assert.match((await root.get(gone.location)).text, new RegExp(`The session is in the trash\\.[^]*?action="/trash/${session}/restore"`));
    assert.equal((await root.get(url)).status, 410);
    assert.equal((await root.post(`/sessions/${session}/delete`, {})).location, gone.location, 'another tab deletes it, too');
    assert.equal((await root.post(`/trash/${session}/restore`, {})).location, `${url}?done=restored`);
    assert.match((await root.get(`${url}?done=restored`)).text, /The session is restored\./);
    await root.post(`/sessions/${session}/delete`, {});
});

test('a redirect never leaves the server, and a notice never shows words of the address', async () => {
    const { session } = await talk(root, 'hello');
    for (const back of ['//evil.example/', '/\\evil.example', 'https://evil.example', '/x\ty', 'javascript:alert(1)']) {
        const answer = await root.post(`/sessions/${session}/rename`, { title: 'T', back });
        assert.ok([undefined, '/sessions?done=renamed'].includes(answer.location ?? undefined), `${back}: ${answer.location}`);
    }
    assert.doesNotMatch((await root.get('/sessions?done=You+won')).text, /You won/);
});

test('an own message is changed in place, a call of tools is not', async () => {
    const { session, url, page } = await talk(root, 'What time is it?');
    const [asked] = ids(page);
    const saved = await root.post(`/sessions/${session}/messages/${asked}/text`, { message: asked, text: 'one\r\ntwo' });
    assert.equal(saved.location, `${url}?at=${asked}&done=saved#m-${asked}`);
    const branch = await root.post(`/sessions/${session}/messages/${asked}/text?parent=${ids(page).at(-1)}`, { message: asked, text: 'one\r\ntwo' });
    assert.equal(branch.location, `${url}?at=${ids(page).at(-1)}&message=${asked}&done=saved#m-${asked}`, 'the branch that was looked at');
    assert.match((await root.get(url)).text, /<p dir="auto">one<br>two<\/p>/);
    const refused = await root.post(`/sessions/${session}/messages/${ids(page)[1]}/text`, { text: 'mine <now>' });
    assert.equal(refused.status, 400);
    assert.ok(refused.text.includes('mine &lt;now&gt;</textarea>'), 'the typed text is kept');
});

test('versions of an answer with tools have their arrows where the reader looks', async () => {
    const { session, url, page, reply } = await talk(root, 'What time is it?');
    const last = ids(page).at(-1);
    assert.equal((await root.post(`${url}/regenerate`, { message: last })).status, 303);
    const second = await root.get(url);
    const article = articles(second.text).get(ids(second).at(-1));
    assert.match(wordsOf(article).replace(/\s+/g, ' '), /Version 2 \/of 2/);
    const [previous] = linksTo(second, /\?at=/).filter((u) => u.includes(`at=${reply}#`));
    assert.ok(previous, 'a link to the first version');
    const first = await root.get(previous);
    assert.deepEqual(ids(first), ids(page));
    assert.equal(hidden(first, 'parent'), last, 'the next message continues the version that is shown');
    assert.equal((await root.get(`/s/${session}?at=1`)).status, 404);
});

test('deleting an answer removes its tool calls as well', async () => {
    const { session, url, page } = await talk(root, 'What time is it?');
    const last = ids(page).at(-1);
    const gone = await root.post(`/sessions/${session}/messages/${last}/delete`);
    const [, entry] = gone.location.match(/done=message_deleted\.(ses_\w+)$/);
    assert.deepEqual(ids(await root.get(url)), [ids(page)[0]]);
    assert.equal((await root.post(`/sessions/${session}/messages/${last}/delete`)).status, 410);
    assert.equal((await root.get(`${url}?at=${last}`)).status, 410);
    const back = await root.post(`/trash/${entry}/restore`);
    assert.match(back.location, new RegExp(`^${url}\\?at=\\d+&done=message_restored#m-\\d+$`));
    assert.deepEqual(ids(await root.get(url)), ids(page));
    assert.equal((await root.post(`/trash/${entry}/restore`)).status, 410);
});

test('links lead through a long session and a long list, each entry once', async () => {
    const { url } = await talk(root, 'message 0');
    for (let i = 1; i < 30; i++) await talk(root, `message ${i}`, url);
    let page = await root.get(url);
    const parent = hidden(page, 'end');
    let seen = ids(page);
    assert.equal(seen.length, 50);
    for (let older; (older = linksTo(page, /before=/)[0]); ) {
        page = await root.get(older);
        seen = [...ids(page), ...seen];
        assert.equal(hidden(page, 'end'), parent, 'a message goes to the end, whatever is shown');
        assert.deepEqual(linksTo(page, /^\/s\/ses_\w+$/).includes(url), true);
    }
    assert.equal(seen.length, 60);
    assert.equal(new Set(seen).size, 60);

    for (let i = 0; i < 42; i++) await talk(root, 'hello');
    const rows = [];
    for (let next = '/sessions'; next; next = page.text.match(/href="([^"]+)" rel="next"/)?.[1]) {
        page = await root.get(next);
        rows.push(...[...page.text.matchAll(/<li class="item" data-session="([^"]+)"/g)].map((m) => m[1]));
    }
    assert.ok(rows.length > 42);
    assert.equal(new Set(rows).size, rows.length);
    assert.match((await root.get('/sessions?after=1')).text, /not a place in this list/);
});

test('the sign-in leads back to the requested page', async () => {
    const stranger = alfred.client();
    assert.equal((await stranger.get('/')).location, '/signin');
    const sent = await stranger.get('/sessions?q=a%20b');
    assert.equal(sent.location, '/signin?next=%2Fsessions%3Fq%3Da%2520b');
    const form = await stranger.get(sent.location);
    assert.equal(hidden(form, 'next'), '/sessions?q=a%20b');
    const wrong = await stranger.post('/signin', { name: 'Root', password: 'not this one', next: '/sessions?q=a%20b' });
    assert.equal(wrong.status, 401);
    assert.equal(hidden(wrong, 'next'), '/sessions?q=a%20b');
    assert.match(wrong.text, /name="name" value="Root"/);
    assert.doesNotMatch(wrong.text, /not this one/);
    const right = await stranger.post('/signin', { name: 'ROOT', password: PASSWORD, next: '/sessions?q=a%20b' });
    assert.equal(right.location, '/sessions?q=a%20b');
    assert.match(right.headers['set-cookie'][0], /^__Host-alfred=[\w-]{43}; Path=\/; .*Secure.*HttpOnly.*SameSite=Lax/);
    assert.equal((await stranger.get('/signin?next=/account')).location, '/account');
    await stranger.get('/');
    assert.equal((await stranger.post('/signout')).location, '/signin');
    assert.equal((await stranger.get('/account')).status, 303);
});

test('an invitation works once, and a refused form keeps the typed text', async () => {
    const added = await root.post('/admin/users', { name: 'Iris', role: 'member' });
    const code = codeIn(added);
    assert.ok(code);
    assert.doesNotMatch((await root.get('/admin/users')).text, /welcome#/, 'shown once');
    const iris = alfred.client();
    const short = await iris.post('/welcome', { code, name: '', password: 'short' });
    assert.equal(short.status, 400);
    assert.match(short.text, new RegExp(`name="code" value="${code}"`));
    assert.equal((await iris.post('/welcome', { code, name: '', password: PASSWORD })).location, '/');
    assert.equal((await alfred.client().post('/welcome', { code, name: '', password: PASSWORD })).status, 401);
});

test('a new password ends the other logins, a wrong one nothing', async () => {
    const jo = await invite('jo');
    const other = await alfred.signIn('jo');
    const wrong = await jo.post('/account/password', { current: 'not this one', password: 'another long one' });
    assert.equal(wrong.status, 401);
    assert.match(wrong.text, /The current password is wrong\./);
    assert.equal((await other.get('/account')).status, 200);
    assert.equal((await jo.post('/account/password', { current: PASSWORD, password: 'short' })).status, 400);
    const changed = await jo.post('/account/password', { current: PASSWORD, password: 'another long one' });
    assert.equal(changed.location, '/account?done=password');
    assert.match((await jo.get(changed.location)).text, /You are signed out everywhere else\./);
    assert.equal((await other.get('/account')).status, 303);
});

test('own logins are listed and revoked, those of others are not found', async () => {
    const kim = await invite('kim');
    const other = await alfred.signIn('kim');
    const [login] = (await kim.get('/account')).text.match(/lgn_[0-9a-z]{26}/);
    assert.equal((await root.post(`/account/logins/${login}/revoke`)).status, 404);
    assert.equal((await other.get('/account')).status, 200);
    assert.equal((await kim.post(`/account/logins/${login}/revoke`)).location, '/account?done=revoked');
    assert.equal((await other.get('/account')).status, 303);
    assert.equal((await kim.post('/account/logins/revoke-others')).status, 303);
    assert.equal((await kim.get('/account')).status, 200);
});

test('the users page shows fifty users at a time, by name, and finds them by a part of their name', async () => {
    const now = Date.now(), names = Array.from({ length: 120 }, (_, i) => `many${String(i).padStart(3, '0')}`);
    const ids = alfred.database((db) => names.map((name) => db.prepare("INSERT INTO user (name, role, password, created_at) VALUES (?, 'member', 'x', ?) RETURNING id").get(name, now).id));
    alfred.sql("INSERT INTO setting (user_id, name, value) VALUES (?, 'display_name', 'Zed_100%')", ids[7]);
    const shown = (page) => [...page.text.matchAll(/id="user-(\d+)"/g)].map((m) => Number(m[1]));
    const next = (page) => page.text.match(/href="([^"]*)" rel="next"/)?.[1].replaceAll('&amp;', '&');
    const seen = [];
    for (let at = '/admin/users?q=many'; at;) {
        const page = await root.get(at);
        assert.ok(shown(page).length <= 50);
        seen.push(...shown(page));
        at = next(page);
    }
    assert.deepEqual(seen, ids);
    assert.deepEqual(shown(await root.get('/admin/users?q=MANY11')), ids.slice(110));
    assert.deepEqual(shown(await root.get('/admin/users?q=d_100%25')), [ids[7]]);
    assert.match((await root.get('/admin/users?q=nobody')).text, /Nothing found/);
    const first = await root.get('/admin/users');
    assert.equal(shown(first).length, 50);
    const place = '/admin/users?q=many&after=many049';
    const disabled = await root.post(`/admin/users/${ids[60]}/disable`, {}, { headers: { referer: `https://alfred.test${place}` } });
    assert.equal(disabled.location, `${place}&done=disabled`);
    assert.match((await root.get(disabled.location)).text, /The user is disabled/);
    alfred.sql("DELETE FROM user WHERE name LIKE 'many%'");
});

test('the users page is for admins, and one of them stays', async () => {
    const lee = await invite('lee');
    assert.equal((await lee.get('/admin/users')).status, 403);
    assert.equal((await lee.post('/admin/users', { name: 'x', role: 'admin' })).status, 403);
    const users = await root.get('/admin/users');
    const id = users.text.match(/>lee<[^]*?\/admin\/users\/(\d+)\/role/)[1];
    const own = users.text.match(/>root</) && '1';
    for (const [path, form] of [[`/admin/users/${own}/disable`, {}], [`/admin/users/${own}/role`, { role: 'member' }]]) {
        const refused = await root.post(path, form);
        assert.equal(refused.status, 409);
        assert.match(refused.text, /last active admin/);
    }
    const taken = await root.post('/admin/users', { name: 'LEE', role: 'member' });
    assert.equal(taken.status, 409);
    assert.match(taken.text, /value="LEE"/);
    for (const form of [{ name: 'two words', role: 'member' }, { name: 'x', role: 'owner' }]) {
        assert.equal((await root.post('/admin/users', form)).status, 400);
    }
    assert.equal((await root.post(`/admin/users/${id}/role`, { role: 'admin' })).location, '/admin/users?done=role');
    assert.equal((await lee.get('/admin/users')).status, 200);
    assert.equal((await root.post(`/admin/users/${id}/disable`)).location, '/admin/users?done=disabled');
    assert.equal((await lee.get('/')).status, 303, 'a disabled user is out');
    assert.equal((await root.post(`/admin/users/${id}/enable`)).status, 303);
    assert.equal((await root.post('/admin/users/4242/disable')).status, 404);
    assert.equal((await root.post('/admin/users/4242/link')).status, 404);
});

test('a foreign page and an absent one are the same bytes', async () => {
    const { session, url, page } = await talk(root, 'secret');
    const [id] = ids(page);
    const max = await invite('max');
    const bare = (answer) => answer.text.replace(/nonce="[^"]*"|name="csrf" (value|content)="[^"]*"/g, '');
    const nowhere = `ses_${'0'.repeat(26)}`;
    for (const path of [url, `${url}?at=${id}`, '/s/none', '/s/ses_%2e%2e']) {
        const answer = await max.get(path);
        const absent = await max.get(path.includes(session) ? path.replace(session, nowhere) : `/s/${nowhere}`);
        assert.deepEqual([answer.status, absent.status], [404, 404], path);
        assert.equal(bare(answer), bare(absent), path);
    }
    const own = await talk(max, 'hello');
    for (const query of [`at=${id}`, `before=${id}`, 'at=abc', 'before=-1']) assert.equal((await max.get(`${own.url}?${query}`)).status, 404, query);
});

test('forms need the token of their page', async () => {
    const { session } = await talk(root, 'hello');
    const path = `/sessions/${session}/rename`;
    assert.equal((await root.post(path, { title: 'x' }, { csrf: false })).status, 403);
    assert.equal((await root.post(path, { title: 'x' }, { csrf: 'A'.repeat(43) })).status, 403);
    assert.equal((await root.post(path, { title: 'x' }, { headers: { 'sec-fetch-site': 'cross-site' } })).status, 403);
    assert.equal((await root.post(path, { title: 'x', owner: '2' })).status, 400);
    assert.equal((await root.post('/signin', { name: 'root', password: PASSWORD }, { headers: { 'sec-fetch-site': 'cross-site' } })).status, 403);
});

test('the page of a link names the user for a good code only', async () => {
    const code = codeIn(await root.post('/admin/users', { name: 'kimberly', role: 'member' })), guest = alfred.client(), stranger = alfred.client();
    const named = (page) => page.text.match(/id="invited"[^>]*>[^<]*<input value="([^"]*)" readonly/)?.[1];
    const ask = (what) => stranger.post('/welcome', { code: what, password: '' });
    assert.equal(named(await guest.get('/welcome')), '');
    for (let i = 0; i < 2; i++) {
        const page = await ask(code);
        assert.deepEqual([page.status, named(page)], [200, 'kimberly']);
    }
    const short = await guest.post('/welcome', { code, password: 'short' });
    assert.deepEqual([short.status, named(short)], [400, 'kimberly']);
    assert.equal((await guest.post('/welcome', { code, password: PASSWORD })).status, 303);
    const answers = await Promise.all([code, `${code}x`, alfred.setupCode].map(ask));
    for (const [i, page] of answers.entries()) assert.deepEqual([page.status, named(page)], [401, ''], `code ${i}`);
    const plain = answers.map((page, i) => page.text.replaceAll([code, `${code}x`, alfred.setupCode][i], 'CODE').replace(/nonce="[^"]*"|nonce-[^']*/g, ''));
    assert.equal(plain[0], plain[1], 'a used link is told like a wrong one');
    // Tries are limited, also those that ask for the name. Then a good code is not told from a bad one, either.
    const other = codeIn(await root.post('/admin/users', { name: 'louisa', role: 'member' }));
    const late = [];
    while (late.length < 12) late.push(await ask('wrong'));
    assert.equal(late.at(-1).status, 429);
    const good = await ask(other);
    assert.deepEqual([good.status, named(good)], [429, '']);
});
