// Shared links: a copy of one branch for people without an account, its limits, and what its page does not show.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { answerWithTool, asksForAnswer, ended, exchange, provide, serveFile } from '../../lib/chat.js';
import { Client } from '../../lib/client.js';
import { until } from '../../lib/rig.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env, config: { server: { log_level: 'debug' }, login: { failures: 3, address_failures: 12 }, limits: { signins_per_minute: 0 } } });
const anna = await alfred.admin('anna');
await anna.get('/');
const bob = await alfred.user('bob');
await bob.get('/');
const reader = () => anna.stranger();

const share = async (client, session, want = {}) => {
    const made = await client.postJson(`/api/sessions/${session}/shares`, want);
    assert.equal(made.status, 201, made.text);
    return { ...made.json.share, path: new URL(made.json.share.url).pathname };
};
const open = (path, options) => reader().get(path, options);
const forgetGuesses = () => alfred.sql('DELETE FROM signin_failure');

async function withTool() {
    const first = await exchange(anna, provider, 'Where to in May?', 'To **Naxos** & $x^2$ <script>alert(1)</script>, see [that plan](/s/ses_01234567890123456789012345?at=1#m-1)');
    const sent = await anna.postJson(`/api/sessions/${first.session}/messages`, { text: 'Remember for good that I like tea' });
    const mine = (c) => asksForAnswer(c) && c.userText === 'Remember for good that I like tea';
    await answerWithTool(provider, mine, 'remember', { text: 'Likes tea', tags: ['food'], permanent: true }, 'Noted.');
    await ended(anna, sent.json.turn);
    await anna.request('PATCH', `/api/sessions/${first.session}`, { json: { title: 'Islands <1>' } });
    alfred.sql("UPDATE message SET reasoning = 'secret thoughts' WHERE role = 'assistant'");
    return first.session;
}
const session = await withTool();

test('a stranger reads the copy, which has neither owner, model, tools nor reasoning', async () => {
    const link = await share(anna, session);
    assert.match(link.path, /^\/share\/[\w-]{22}$/, '128 bits');
    const page = await open(link.path);
    assert.equal(page.status, 200);
    assert.match(page.text, /<h1 dir="auto">Islands &lt;1&gt;<\/h1>/);
    assert.match(page.text, /Where to in May\?[^]*<strong>Naxos<\/strong>[^]*&lt;script&gt;alert[^]*I like tea[^]*Noted\./);
    for (const hidden of ['anna', 'test-model', 'secret thoughts', 'Likes tea', 'class="tool"', session, 'ses_', '<script', 'csrf']) assert.ok(!page.text.includes(hidden), hidden);
    assert.equal(page.headers['content-security-policy'], "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'");
    assert.equal(page.headers['referrer-policy'], 'no-referrer');
    assert.equal(page.headers['x-robots-tag'], 'noindex, nofollow, noarchive');
    assert.equal(page.headers['cache-control'], 'private, no-cache');
    assert.match(page.text, /<meta name="robots" content="noindex/);
    assert.equal(page.headers['set-cookie'], undefined);
    assert.equal((await anna.get(link.path)).text, page.text, 'its owner sees the same');
});

test('tools and a name are shown when they were chosen', async () => {
    const link = await share(anna, session, { tools: true, name: 'Aunt <Anna>' });
    const page = await open(link.path);
    assert.match(page.text, /Shared by <bdi>Aunt &lt;Anna&gt;<\/bdi>/);
    assert.match(page.text, /Memory: new fact[^]*Likes tea/);
    assert.ok(!page.text.includes('secret thoughts'));
});

test('a later message is in the copy only after an update, under the same link; the browser then gets the new one', async () => {
    const link = await share(anna, session);
    const before = await open(link.path);
    const kept = await open(link.path, { headers: { 'if-none-match': before.headers.etag } });
    assert.deepEqual([kept.status, kept.body.length], [304, 0]);
    await exchange(anna, provider, 'And by ferry?', 'From Piraeus.', { session });
    assert.ok(!(await open(link.path)).text.includes('Piraeus'));
    const renewed = await anna.postJson(`/api/shares/${link.id}/renew`, {});
    assert.equal(renewed.json.share.url, link.url);
    const after = await open(link.path, { headers: { 'if-none-match': before.headers.etag } });
    assert.equal(after.status, 200);
    assert.match(after.text, /Piraeus/);
});

test('a link ends when its owner ends it, by its day, and with the session', async () => {
    const absent = await open(`/share/${'A'.repeat(22)}`);
    assert.equal(absent.status, 404);
    assert.match(absent.text, /This link has ended, or it was not copied completely/);
    const plain = (answer) => answer.text.replace(/nonce="[^"]*"|nonce-[^']*/g, '');
    const first = await share(anna, session);
    assert.equal((await anna.request('DELETE', `/api/shares/${first.id}`, { json: {} })).status, 200);
    const gone = await open(first.path);
    assert.deepEqual([gone.status, plain(gone)], [404, plain(absent)]);

    const dated = await share(anna, session, { until: '2030-01-31' });
    assert.match(dated.expires_at, /^2030-0(1-31|2-01)T/);
    const listed = async (headers) => (await anna.get('/shares', { headers })).text.match(new RegExp(`id="share-of-${dated.id}"[\\s\\S]*?</li>`))[0];
    assert.match(await listed({ 'accept-language': 'en' }), /until 31 January 2030</);
    assert.match(await listed({ 'accept-language': 'de' }), /bis 31\. Januar 2030</);
    alfred.sql('UPDATE share SET expires_at = ? WHERE id = ?', Date.parse('2020-02-01T00:00Z'), dated.id);
    assert.match(await listed({ 'accept-language': 'en' }), /ended 31 January 2020</);
    assert.equal((await open(dated.path)).status, 404);
    assert.equal((await anna.getJson('/api/shares')).shares.find((s) => s.id === dated.id).ended, true);

    const other = await exchange(anna, provider, 'Short', 'Yes.');
    const last = await share(anna, other.session);
    assert.equal((await open(last.path)).status, 200);
    assert.equal((await anna.request('DELETE', `/api/sessions/${other.session}`, { json: {} })).status, 200);
    assert.equal((await open(last.path)).status, 404);
    forgetGuesses();
});

test('a password is asked for, remembered by the browser, and limited as at the sign-in', async () => {
    const link = await share(anna, session, { password: 'open sesame now' });
    assert.equal(link.password, true);
    const someone = reader();
    const asked = await someone.get(link.path);
    assert.equal(asked.status, 200);
    assert.match(asked.text, /type="password"/);
    assert.ok(!/Islands|Naxos/.test(asked.text), 'not even the title');
    assert.equal(asked.headers['cache-control'], 'no-store, no-transform');
    const wrong = await someone.post(link.path, { password: 'wrong' }, { csrf: false });
    assert.deepEqual([wrong.status, /The password is wrong/.test(wrong.text)], [401, true]);
    const right = await someone.post(link.path, { password: 'open sesame now' }, { csrf: false });
    assert.deepEqual([right.status, right.location], [303, link.path]);
    assert.match(right.headers['set-cookie'][0], /^__Host-alfred-share-[0-9a-f]{12}=[\w-]{43}; .*HttpOnly/);
    assert.match((await someone.get(link.path)).text, /Naxos/);
    assert.ok(!(await open(link.path)).text.includes('Naxos'), 'only in that browser');
    const forger = reader();
    forger.cookies.set(right.headers['set-cookie'][0].split('=')[0], 'A'.repeat(43));
    assert.ok(!(await forger.get(link.path)).text.includes('Naxos'));
    for (let i = 0; i < 3; i++) assert.equal((await reader().post(link.path, { password: `guess ${i}` }, { csrf: false })).status, 401);
    const limited = await reader().post(link.path, { password: 'open sesame now' }, { csrf: false });
    assert.equal(limited.status, 429);
    assert.ok(limited.headers['retry-after'] > 0);
    const foreignSite = await reader().post(link.path, { password: 'open sesame now' }, { csrf: false, headers: { 'sec-fetch-site': 'cross-site' } });
    assert.equal(foreignSite.status, 403);
    forgetGuesses();
});

test('guessing links is limited, and no address of a link is logged', async () => {
    const link = await share(anna, session);
    const statuses = [];
    for (let i = 0; i < 14; i++) statuses.push((await open(`/share/${String(i).padStart(22, 'B')}`)).status);
    assert.deepEqual(statuses, [...Array(12).fill(404), 429, 429]);
    assert.equal((await open(link.path)).status, 429, 'from this network');
    forgetGuesses();
    assert.equal((await open(link.path)).status, 200);
    const runDir = alfred.runDir();
    const log = await until('the access log has the request', () => {
        const text = readFileSync(`${runDir}/access.log`, 'utf8');
        return text.includes('GET /share/- 200') && text;
    });
    for (const text of [log, alfred.logs()]) assert.ok(!text.includes(link.path.slice('/share/'.length)), 'without its address');
    for (const odd of ['x', '%ff', 'a'.repeat(500)]) assert.equal((await open(`/share/${odd}`)).status, 404, odd);
    forgetGuesses();
});

test('members share only when the server allows it; foreign links and sessions are not found', async () => {
    const own = await exchange(bob, provider, 'Of Bob', 'Yes.');
    const refused = await bob.postJson(`/api/sessions/${own.session}/shares`, {});
    assert.equal(refused.status, 403);
    assert.match(refused.text, /not allowed members/);
    assert.ok(!/\/shares"/.test((await bob.get('/')).text), 'the menu does not offer it');
    assert.match((await bob.get(`/sessions/${own.session}/share`)).text, /not allowed members/);
    const link = await share(anna, session);
    assert.equal((await bob.postJson(`/api/shares/${link.id}/renew`, {})).status, 403);
    assert.equal((await bob.request('DELETE', `/api/shares/${link.id}`, { json: {} })).status, 404);
    assert.equal((await bob.get(`/sessions/${session}/share`)).status, 404);
    assert.deepEqual((await bob.getJson('/api/shares')).shares, []);
    assert.equal((await anna.postJson(`/api/sessions/${own.session}/shares`, {})).status, 404);
    // an admin's link ends when they become a member, and when they are disabled
    alfred.sql("UPDATE user SET role = 'member' WHERE name = 'anna'");
    assert.equal((await open(link.path)).status, 404);
    alfred.sql("UPDATE user SET role = 'admin', disabled_at = 5 WHERE name = 'anna'");
    assert.equal((await open(link.path)).status, 404);
    alfred.sql("UPDATE user SET disabled_at = NULL WHERE name = 'anna'");
    assert.equal((await open(link.path)).status, 200);
    forgetGuesses();
});

test('a program shares only what it may read', async () => {
    const { id } = await share(anna, session);
    const before = (await anna.getJson('/api/shares')).shares;
    const program = async (scopes) => {
        const { secret } = (await anna.postJson('/api/tokens', { name: scopes, scopes })).json;
        return new Client(anna.base.href, { headers: { authorization: `Bearer ${secret}`, origin: null, 'sec-fetch-site': null } });
    };
    const writer = await program('write'), both = await program('read write');
    for (const path of [`/api/sessions/${session}/shares`, `/api/shares/${id}/renew`]) {
        const refused = await writer.postJson(path, {});
        assert.equal(refused.status, 403);
        assert.match(refused.json.detail, /read/);
        assert.match(refused.headers['www-authenticate'], /insufficient_scope.*scope="read write"/);
    }
    assert.deepEqual((await anna.getJson('/api/shares')).shares, before);
    await share(both, session);
    assert.equal((await both.postJson(`/api/shares/${id}/renew`, {})).status, 200);
    assert.equal((await writer.request('DELETE', `/api/shares/${id}`, { json: {} })).status, 200, 'an end publishes nothing');
});

test('bad wishes get a sentence, and nothing is made', async () => {
    const before = (await anna.getJson('/api/shares')).shares.length;
    for (const [want, words] of [[{ until: '2001-01-01' }, /from today on/], [{ until: '2027-02-30' }, /from today on/], [{ until: 'soon' }, /from today on/], [{ password: 'short' }, /10/], [{ name: 'x'.repeat(61) }, /60/]]) {
        const answer = await anna.postJson(`/api/sessions/${session}/shares`, want);
        assert.equal(answer.status, 400);
        assert.match(answer.text, words);
    }
    assert.equal((await anna.getJson('/api/shares')).shares.length, before);
});

test('without scripts: made, listed, updated and ended on pages', async () => {
    const { session: id } = await exchange(anna, provider, 'For the pages', 'Good.');
    const made = await anna.postAndFollow(`/sessions/${id}/share`, { name: '', until: '', password: '', tools: 'yes' });
    assert.match(made.text, /The link is ready/);
    const [, path] = made.text.match(/value="https:\/\/[^"]*(\/share\/[\w-]{22})"/);
    const [, number] = made.text.match(/data-share="(\d+)"/);
    assert.equal((await open(path)).status, 200);
    assert.match((await anna.get('/shares')).text, new RegExp(path));
    assert.match((await anna.postAndFollow(`/shares/${number}/renew`, { back: `/sessions/${id}/share` })).text, /as it is now/);
    assert.match((await anna.postAndFollow(`/shares/${number}/end`, {})).text, /The link has ended/);
    assert.equal((await open(path)).status, 404);
    const bad = await anna.post(`/sessions/${id}/share`, { name: 'Me', until: '2001-01-01', password: '' });
    assert.equal(bad.status, 400);
    assert.match(bad.text, /value="Me"/);
});

/** A session that goes on with these messages, each [role, text]. */
async function longSession(messages) {
    const { session: id } = await exchange(anna, provider, 'Long', 'Yes.');
    const [row] = alfred.sql('SELECT id, head_id AS head, owner FROM session WHERE pub = ?', id);
    alfred.database((db) => {
        const add = db.prepare("INSERT INTO message (id, session_id, parent_id, role, status, channel, text, created_at) VALUES (?, ?, ?, ?, 'done', 'web', ?, 1800000000000)");
        messages.forEach(([role, text], i) => add.run(row.head + i + 1, row.id, row.head + i, role, text));
    });
    const last = row.head + messages.length;
    alfred.sql('UPDATE session SET head_id = ? WHERE id = ?', last, row.id);
    alfred.sql('UPDATE user SET message_seq = ? WHERE id = ?', last - row.owner * 2 ** 32, row.owner);
    return id;
}

/** The numbers of "Nr. 1!" on each page of a copy. */
async function pagesOf(link) {
    const pages = [];
    for (let path = link.path; path; ) {
        assert.ok(pages.length < 10);
        const { text } = await open(path);
        pages.push([...text.matchAll(/Nr\. (\d+)!/g)].map(([, n]) => Number(n)));
        path = text.match(/href="([^"]+)" rel="next"/)?.[1];
    }
    return pages;
}

test('a long copy has pages, each message once', async () => {
    const all = Array.from({ length: 450 }, (_, i) => i + 1);
    const link = await share(anna, await longSession(all.map((n) => ['user', `Nr. ${n}!`])));
    assert.equal(link.messages, 452);
    const pages = await pagesOf(link);
    assert.deepEqual([pages.length, pages.flat()], [3, all]);
});

const PARAGRAPH = 'Some *words* with `code` and [a link](https://example.org/x), $x^2$ too.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n';
const large = (n, kilobytes) => ['assistant', `Nr. ${n}!\n\n${PARAGRAPH.repeat((kilobytes * 1024) / PARAGRAPH.length)}`];

test('a page of a copy has at most 256 KB of text, or one message', async () => {
    const link = await share(anna, await longSession([large(1, 100), large(2, 100), large(3, 100), large(4, 300), large(5, 300), large(6, 1)]));
    assert.deepEqual(await pagesOf(link), [[1, 2], [3], [4], [5], [6]]);
});

test('HEAD and the known tag are answered without the messages', async () => {
    const link = await share(anna, session);
    const { headers } = await open(link.path);
    alfred.sql('ALTER TABLE share_message RENAME TO share_message_away');
    try {
        const head = await reader().request('HEAD', link.path);
        assert.deepEqual([head.status, head.headers.etag, head.headers['content-type'], head.headers['content-length']], [200, headers.etag, headers['content-type'], undefined]);
        for (const method of ['GET', 'HEAD']) assert.equal((await reader().request(method, link.path, { headers: { 'if-none-match': headers.etag } })).status, 304);
    } finally {
        alfred.sql('ALTER TABLE share_message_away RENAME TO share_message');
    }
    assert.equal((await open(link.path)).status, 200);
});

test('few pages of copies are rendered at once; further ones get 503 and Retry-After', async () => {
    const link = await share(anna, await longSession(Array.from({ length: 30 }, (_, i) => large(i, 257))));
    const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => open(`${link.path}?after=${i + 2}`)));
    const refused = answers.filter((a) => a.status !== 200);
    assert.ok(refused.length > 0 && refused.length < answers.length, `${refused.length} are refused`);
    for (const answer of refused) {
        assert.deepEqual([answer.status, answer.headers['retry-after'], answer.headers.etag], [503, '2', undefined]);
        assert.match(answer.text, /Many shared conversations are being opened/);
    }
    assert.equal((await open(link.path)).status, 200);
});

test('the shared page names the zone of its times, which is not the reader\'s', async () => {
    const { session: id } = await exchange(anna, provider, 'What time is it?', 'Noon.');
    const { text } = await open((await share(anna, id)).path);
    assert.match(text, /<p class="meta">.*\d\d:\d\d<\/time> UTC<\/p>/);
});
