// One conversation as a file: Markdown, a page, JSON and JSON Lines; the visible branch or all; names; length.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answerWithTool, asksForAnswer, ended, exchange, provide, serveFile } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');
await anna.get('/');

const file = (client, id, query, api = true) => client.get(`${api ? '/api' : ''}/sessions/${id}/file?${query}`);
const lines = (answer) => answer.text.trimEnd().split('\n').map((line) => JSON.parse(line));
const title = (id, text) => anna.request('PATCH', `/api/sessions/${id}`, { json: { title: text } });

/** A question whose answer has two versions and calls a tool; the second version is shown. */
async function branched() {
    const first = await exchange(anna, provider, 'What is $x^2$?', 'It is **four**, $2^2$, for `x = 2`.\n\n```js\nlet x = "`" < 2;\n```');
    const edited = await anna.postJson(`/api/sessions/${first.session}/messages/${first.asked}/edit`, { text: 'Remember for good that I like <tea> & ``cake``' });
    const mine = (c) => asksForAnswer(c) && c.userText.startsWith('Remember for good');
    await answerWithTool(provider, mine, 'remember', { text: 'Likes tea', tags: ['food'], permanent: true }, 'Noted: <b>tea</b>.');
    await ended(anna, edited.json.turn);
    await title(first.session, 'Tee: „Käse“/Brot?');
    return first;
}
const { session, asked } = await branched();

test('Markdown has the visible branch with its tools, and all branches when asked', async () => {
    const shown = await file(anna, session, 'format=md');
    assert.equal(shown.status, 200);
    assert.equal(shown.headers['content-type'], 'text/markdown; charset=utf-8');
    assert.match(shown.text, /^# Tee: „Käse“\/Brot\?\n/);
    assert.match(shown.text, /## You · \d{4}-\d\d-\d\d \d\d:\d\d\n\nRemember for good that I like <tea> & ``cake``\n/, 'a text as it was typed');
    assert.match(shown.text, /### Memory: new fact\n\nAsked:\n\n```json\n\{.*"Likes tea".*\}\n```\n\nResult:\n\n```\n/);
    assert.match(shown.text, /## Alfred · .*\n\nNoted: <b>tea<\/b>\.\n/);
    assert.doesNotMatch(shown.text, /four/, 'the other branch is left out');
    const all = await file(anna, session, 'format=md&all=yes');
    assert.match(all.text, /Another version from here on[^]*What is \$x\^2\$\?[^]*It is \*\*four\*\*/);
    assert.ok(all.text.startsWith(shown.text), 'the visible branch comes first');
});

test('a file has the title as its name, for old clients and for new ones', async () => {
    const names = async (text) => {
        assert.equal((await title(session, text)).status, 200);
        return (await file(anna, session, 'format=html', false)).headers['content-disposition'];
    };
    assert.equal(await names('Plain name'), `attachment; filename="Plain name.html"; filename*=UTF-8''Plain%20name.html`);
    assert.equal(await names('Käse "x"/..\\%41'), `attachment; filename="K__se -x--..--41.html"; filename*=UTF-8''K%C3%A4se%20-x--..--41.html`);
    const birds = '🦜'.repeat(100), cut = '🦜'.repeat(80);
    assert.ok((await names(birds)).endsWith(`; filename*=UTF-8''${encodeURIComponent(cut)}.html`), 'a long name of long characters');
    assert.equal(await names('...'), `attachment; filename="New chat.html"; filename*=UTF-8''New%20chat.html`);
});

test('the page loads nothing, runs nothing and shows markup of users as text', async () => {
    const page = await file(anna, session, 'format=html&all=yes');
    assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
    assert.match(page.headers['content-disposition'], /^attachment/);
    assert.match(page.text, /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'/);
    assert.doesNotMatch(page.text, /<script|<link|src=|@import|url\(/);
    assert.match(page.text, /I like &lt;tea&gt; &amp; ``cake``/);
    assert.match(page.text, /@media print/);
    assert.match(page.text, /<code class="language-js">/);
    assert.match(page.text, /What is \$x\^2\$/);
    assert.match(page.text, /, 2², for/); // formulas of answers are readable without a script
    assert.ok(page.text.trimEnd().endsWith('</html>'));
});

test('JSON Lines can be imported again; JSON has the same records in one object', async () => {
    const list = lines(await file(anna, session, 'format=jsonl&all=yes'));
    assert.deepEqual([list[0].type, list[0].format, list[0].sessions, list[0].user], ['header', 'alfred', 1, undefined], 'it does not name its owner');
    assert.equal(list[1].type, 'session');
    assert.equal(list.filter((r) => r.type === 'message').length, 6);
    const { header, session: one, messages, summaries, compactions } = (await file(anna, session, 'format=json&all=yes')).json;
    assert.equal(header.format, 'alfred');
    assert.deepEqual([one.id, messages, summaries, compactions], [session, list.slice(2), [], []]);
    assert.equal((await file(anna, session, 'format=json')).json.messages.length, 4);

    const bob = await alfred.user('bob');
    await bob.get('/');
    const body = (await file(anna, session, 'format=jsonl&all=yes')).body;
    const sent = await bob.request('POST', '/api/imports', { body, headers: { 'content-type': 'application/octet-stream', accept: 'application/json' } });
    assert.equal(sent.status, 202, sent.text);
    const { sessions } = await until('the import has ended', async () => {
        const got = await bob.getJson('/api/sessions?show=all');
        return got.sessions.length && got;
    });
    const back = lines(await file(bob, sessions[0].id, 'format=jsonl&all=yes'));
    assert.deepEqual(back.map((r) => r.text), list.map((r) => r.text));
});

test('reasoning is exported only when asked for', async () => {
    const db = alfred.openDatabase();
    db.prepare("UPDATE message SET reasoning = 'Hmm, <tea>?', reasoning_ms = 1200 WHERE role = 'assistant' AND text LIKE 'Noted%'").run();
    db.close();
    for (const [format, said] of [['md', 'Hmm, <tea>?'], ['html', 'Hmm, &lt;tea&gt;?'], ['json', '"reasoning_ms":1200,"reasoning":"Hmm, '], ['jsonl', '"reasoning_ms":1200,"reasoning":"Hmm, ']]) {
        assert.ok(!(await file(anna, session, `format=${format}`)).text.includes(said), format);
        assert.ok((await file(anna, session, `format=${format}&reasoning=yes`)).text.includes(said), format);
    }
});

test('strangers, foreign and unknown sessions, and unknown formats get what they get everywhere', async () => {
    const carl = await alfred.user('carl');
    const foreign = await file(carl, session, 'format=md');
    const absent = await file(carl, `ses_${'0'.repeat(26)}`, 'format=md');
    assert.deepEqual([foreign.status, foreign.text], [404, absent.text]);
    assert.equal((await file(anna.stranger(), session, 'format=md')).status, 401);
    assert.equal((await file(anna, session, 'format=pdf')).status, 400);
    assert.equal((await file(anna, session, '')).status, 400);
    assert.equal((await carl.get(`/sessions/${session}/export`)).status, 404);
    const page = await anna.get(`/sessions/${session}/export`);
    assert.match(page.text, /name="all"/);
    assert.match(page.text, new RegExp(`action="/sessions/${session}/file"`));
});

test('a conversation of 5,000 messages is exported with little memory', async () => {
    const long = await exchange(anna, provider, 'A long one', 'Yes.');
    const db = alfred.openDatabase();
    const { id, parent, owner } = db.prepare('SELECT s.id, s.head_id AS parent, s.owner FROM session s WHERE pub = ?').get(long.session);
    const add = db.prepare("INSERT INTO message (id, session_id, parent_id, role, status, channel, text, created_at) VALUES (?, ?, ?, ?, 'done', 'web', ?, 1800000000000)");
    db.exec('BEGIN');
    let at = parent;
    for (let i = 0; i < 5000; i++) {
        add.run(at + 1, id, at, i % 2 ? 'assistant' : 'user', `Number ${i} ${'words of a long text '.repeat(400)}`);
        at++;
    }
    db.prepare('UPDATE session SET head_id = ? WHERE id = ?').run(at, id);
    db.prepare('UPDATE user SET message_seq = ? WHERE id = ?').run(at - owner * 2 ** 32, owner);
    db.exec('COMMIT');
    db.close();
    await file(anna, session, 'format=md');
    const before = alfred.memory().api;
    for (const format of ['md', 'jsonl', 'html']) {
        const whole = await file(anna, long.session, `format=${format}`);
        assert.equal(whole.status, 200);
        assert.ok(whole.body.length > 40_000_000, `${format}: ${whole.body.length}`);
        assert.match(whole.body.toString('latin1'), /Number 4999/);
    }
    const grown = (alfred.memory().api) - before;
    assert.ok(grown < 16_000, `${grown} KB`);
});
