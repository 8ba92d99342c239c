// Exports and imports as zip: the folder per session, a selection, the way back, Claude's export, and files that
// are damaged or malicious.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { beginAnswer, exchange, provide, sessionOf } from '../../lib/chat.js';
import { startAlfred, until } from '../../lib/rig.js';
import { files, finished, raw } from '../../lib/transfer.js';
import { recordsOf, unzip, zip } from '../../lib/zip.js';

const MB = 1024 * 1024;

async function house(t) {
    const provider = await provide();
    const alfred = await startAlfred({ t, env: provider.env });
    const anna = await alfred.admin('anna');
    await anna.get('/');
    return { provider, alfred, anna };
}
async function bring(client, body) {
    const sent = await raw(client, body, { 'content-type': 'application/zip' });
    assert.equal(sent.status, 202, sent.text);
    return finished(client, sent.json.transfer.id);
}
async function takeOut(client, want = {}) {
    const asked = await client.postJson('/api/exports', want);
    assert.equal(asked.status, 202, asked.text);
    const done = await finished(client, asked.json.transfer.id);
    assert.equal(done.state, 'done', done.error);
    const file = await client.get(`/api/transfers/${done.id}/file`);
    assert.deepEqual([file.status, file.headers['content-type']], [200, 'application/zip']);
    assert.equal((await client.request('DELETE', `/api/transfers/${done.id}`, { json: {} })).status, 200);
    return file.body;
}

/** A session with two branches, an edited answer, a summary and a compaction of its first exchange. */
async function furnished(anna, alfred, provider) {
    const { session, asked, reply } = await exchange(anna, provider, 'First question', 'First answer');
    const second = await exchange(anna, provider, 'Second question', 'Second answer', { session });
    const again = await anna.postJson(`/api/sessions/${session}/messages/${second.asked}/edit`, { text: 'Second, again' });
    const call = await beginAnswer(provider, 'Second, again');
    await call.text('Another answer');
    await call.end();
    await until('the turn has ended', async () => (await sessionOf(anna, session)).messages.at(-1).status === 'done');
    assert.equal(again.status, 202);
    const { persona } = (await anna.postJson('/api/personas', { name: 'Pirate', text: 'Speak like a pirate.' })).json;
    const set = await anna.request('PATCH', `/api/sessions/${session}`, { json: { title: 'Kept', temperature: '0.7', effort: 'high', answer_tokens: 500, persona: Number(persona.id), workspace: 'Home' } });
    assert.equal(set.status, 200, set.text);
    const db = alfred.openDatabase();
    const { id, owner } = db.prepare('SELECT id, owner FROM session WHERE pub = ?').get(session);
    db.prepare("UPDATE message SET reasoning = 'Hm.', reasoning_ms = 1500, stop = 'length' WHERE id = ?").run(reply);
    db.prepare('UPDATE message SET edited = 1 WHERE id = ?').run(second.reply);
    db.prepare(`INSERT INTO compaction (session_id, first_id, last_id, messages, tokens_before, tokens_after, keep, text, facts, transcript, provider, model, created_at)
        VALUES (?, ?, ?, 2, 900, 50, 'names', 'What was shortened', '["one fact"]', 'x', 'p', 'm', 5000)`).run(id, asked, reply);
    db.prepare("INSERT INTO tag (owner, name, folded, colour, created_at) VALUES (?, 'Été', 'été', 3, 5)").run(owner);
    db.prepare('INSERT INTO session_tag (tag_id, session_id) SELECT id, ? FROM tag').run(id);
    db.close();
    return { session, asked, reply };
}

test('a zip has a folder per session; what compaction removed from the context is apart', async (t) => {
    const { provider, alfred, anna } = await house(t);
    const { session } = await furnished(anna, alfred, provider);
    await anna.postJson('/api/memories', { text: 'Likes tea', tags: 'food', permanent: true });
    await anna.postJson('/api/tasks', { text: 'Buy bread' });
    await anna.postJson('/api/reminders', { text: 'Call', at: '2040-12-03T08:00' });
    const entries = unzip(await takeOut(anna));
    assert.deepEqual([...entries.keys()].sort(), ['alfred.json', `${session}/archive.jsonl`, `${session}/current.jsonl`, `${session}/meta.json`, `${session}/summary.json`,
        'memory.jsonl', 'personas.jsonl', 'reminders.jsonl', 'tags.jsonl', 'tasks.jsonl'].sort());
    const texts = (name) => entries.get(`${session}/${name}`).toString().trimEnd().split('\n').map((line) => JSON.parse(line).text);
    assert.deepEqual(texts('archive.jsonl'), ['First question', 'First answer']);
    assert.deepEqual(texts('current.jsonl'), ['Second question', 'Second answer', 'Second, again', 'Another answer']);
    const meta = JSON.parse(entries.get(`${session}/meta.json`));
    assert.deepEqual([meta.id, meta.title, meta.persona, meta.temperature, meta.effort, meta.answer_tokens, meta.tags], [session, 'Kept', 'Pirate', 70, 'high', 500, ['Été']]);
    assert.equal(JSON.parse(entries.get(`${session}/summary.json`)).find((r) => r.type === 'compaction').text, 'What was shortened');
    assert.ok(!JSON.stringify(recordsOf(await takeOut(anna))).includes('Hm.'), 'without reasoning');
    assert.ok(JSON.stringify(recordsOf(await takeOut(anna, { reasoning: true }))).includes('Hm.'));
});

test('export, erase, import: the same sessions under the same ids; a second import changes nothing', async (t) => {
    const { provider, alfred, anna } = await house(t);
    const { session } = await furnished(anna, alfred, provider);
    const other = await exchange(anna, provider, 'Another session', 'Yes.');
    const whole = await takeOut(anna, { reasoning: true });
    const before = recordsOf(whole);
    const db = alfred.openDatabase();
    db.exec('DELETE FROM session_tag; DELETE FROM tag');
    for (const one of [session, other.session]) {
        assert.equal((await anna.request('DELETE', `/api/sessions/${one}`, { json: {} })).status, 200);
        db.prepare("UPDATE session SET pub = 'ses_' || substr(pub, 6) || 'x' WHERE pub = ?").run(one); // as after the trash
    }
    db.close();
    const done = await bring(anna, whole);
    assert.deepEqual([done.state, done.format, done.done, done.skipped], ['done', 'alfred', 2, 0], done.error);
    // ids of messages are new; channel says where they came from
    const comparable = (list) => {
        const places = new Map();
        const place = (id) => id && (places.has(id) || places.set(id, places.size), places.get(id));
        return list.slice(1).map(({ channel, ...r }) => {
            if (r.type === 'session') return { ...r, head: place(r.head), topic_knows: place(r.topic_knows), summary_knows: place(r.summary_knows) };
            for (const key of ['id', 'parent', 'first', 'last', 'source']) if (r[key]) r[key] = place(r[key]);
            return r;
        });
    };
    const back = await takeOut(anna, { reasoning: true });
    assert.deepEqual(comparable(recordsOf(back)), comparable(before));
    assert.deepEqual([...unzip(back).keys()].sort(), [...unzip(whole).keys()].sort(), 'also what is archived');
    const page = (await anna.getJson(`/api/sessions/${session}/compactions`)).compactions[0];
    assert.deepEqual([page.text, page.transcript_url], ['What was shortened', null]);
    assert.equal((await anna.get(page.url)).status, 200);
    const twice = await bring(anna, whole);
    assert.deepEqual([twice.done, twice.known, twice.facts], [0, 2, 0]);
    // another user gets copies: the ids are taken
    const bob = await alfred.user('bob');
    await bob.get('/');
    assert.equal((await bring(bob, whole)).done, 2);
    const theirs = (await bob.getJson('/api/sessions?show=all')).sessions;
    assert.ok(theirs.every((s) => s.id !== session && s.id !== other.session));
    assert.equal((await bring(bob, whole)).known, 2);
});

test('a zip that was unpacked and packed again is read whatever its order and folder', async (t) => {
    const { provider, alfred, anna } = await house(t);
    await furnished(anna, alfred, provider);
    const entries = [...unzip(await takeOut(anna))];
    const bob = await alfred.user('bob');
    await bob.get('/');
    const again = zip([['alfred/', ''], ...entries.sort(([x], [y]) => (x < y ? 1 : -1)).map(([name, data]) => [`alfred/${name}`, data]), ['__MACOSX/alfred/._meta.json', 'x']]);
    const done = await bring(bob, again);
    assert.deepEqual([done.state, done.done], ['done', 1], done.error);
    const [copy] = (await bob.getJson('/api/sessions?show=all')).sessions;
    assert.deepEqual((await sessionOf(bob, copy.id)).messages.map((m) => m.text), ['First question', 'First answer', 'Second, again', 'Another answer']);
});

test('a selection has only its sessions; foreign ones are left out', async (t) => {
    const { provider, alfred, anna } = await house(t);
    const one = await exchange(anna, provider, 'One', 'Yes.');
    await exchange(anna, provider, 'Two', 'Yes.');
    const bob = await alfred.user('bob');
    await bob.get('/');
    const theirs = await exchange(bob, provider, 'Of Bob', 'Yes.');
    await anna.postJson('/api/memories', { text: 'Likes tea', tags: '', permanent: true });
    const list = recordsOf(await takeOut(anna, { ids: [one.session, theirs.session, one.session] }));
    assert.deepEqual(list.map((r) => r.type), ['header', 'session', 'message', 'message']);
    assert.equal(list[0].sessions, 1);
    assert.equal((await anna.postJson('/api/exports', { ids: [theirs.session] })).status, 404);
    assert.equal((await anna.postJson('/api/exports', { ids: ['ses_x'] })).status, 404);
    assert.equal((await anna.postJson('/api/exports', { ids: [] })).status, 400, 'nothing, not everything');
    assert.deepEqual((await anna.getJson('/api/transfers')).transfers, [], 'nothing was begun');
});

const claude = (messages, more = {}) => [{
    uuid: '11111111-1111-4111-8111-111111111111', name: 'From Claude', summary: '', created_at: '2026-03-29T07:06:34.084721Z', updated_at: '2026-03-29T12:59:41.658730Z',
    account: { uuid: '22222222-2222-4222-8222-222222222222' }, chat_messages: messages, ...more,
}];
const message = (uuid, sender, content, more = {}) => ({ uuid, sender, text: '', content, created_at: '2026-03-29T07:06:35.552627Z', updated_at: '2026-03-29T07:06:35.552627Z', attachments: [], files: [], ...more });
const text = (words) => ({ start_timestamp: null, stop_timestamp: null, flags: null, type: 'text', text: words, citations: [] });
const ROOT = '00000000-0000-4000-8000-000000000000';

test("Claude's zip: branches, tools, thinking, attachments, older messages", async (t) => {
    const { provider, anna } = await house(t);
    const list = [
        message('a', 'human', [text('Read this')], { parent_message_uuid: ROOT, attachments: [{ file_name: '', file_size: 9, file_type: 'txt', extracted_content: 'A long paste' }], files: [{ file_name: 'cat.png' }] }),
        message('b', 'assistant', [
            { type: 'thinking', thinking: 'Let me look.', summaries: [], cut_off: false },
            text('I look it up.'),
            { type: 'tool_use', id: 'toolu_1', name: 'web search', input: { query: 'cats' }, message: 'Searching' },
            { type: 'tool_result', tool_use_id: 'toolu_1', name: 'web search', content: [{ type: 'text', text: 'Cats are fine.' }], is_error: false },
            text('Cats are fine, I read.'),
        ], { parent_message_uuid: 'a' }),
        message('c', 'human', [text('Thanks')], { parent_message_uuid: 'b' }),
        message('d', 'human', [text('Thanks a lot')], { parent_message_uuid: 'b' }),
        message('e', 'assistant', [text('Welcome.')], { parent_message_uuid: 'd' }),
        message('f', 'assistant', [text('Welcome!')], { parent_message_uuid: 'c' }),
    ];
    const old = { uuid: 'old', name: '', created_at: '2023-08-01T10:00:00.000000+00:00', updated_at: '2023-08-01T10:00:01.000000+00:00', chat_messages: [
        { uuid: 'x', text: 'Old question', sender: 'human', created_at: '2023-08-01T10:00:00.000000+00:00', attachments: [], files: [] },
        { uuid: 'y', text: 'Old answer', sender: 'assistant', created_at: '2023-08-01T10:00:01.000000+00:00', attachments: [], files: [] }] };
    const file = zip([['users.json', '[]'], ['conversations.json', JSON.stringify([...claude(list, { current_leaf_message_uuid: 'f' }), old])], ['projects.json', '[]'], ['memories.json', '[]']]);
    const done = await bring(anna, file);
    assert.deepEqual([done.state, done.format, done.done, done.skipped], ['done', 'claude', 2, 0], done.error);
    const { sessions } = await anna.getJson('/api/sessions?show=all');
    const [one, two] = ['From Claude', 'Old question'].map((title) => sessions.find((s) => s.title === title || (title !== 'From Claude' && s.title !== 'From Claude')));
    const seen = (await sessionOf(anna, one.id)).messages;
    assert.deepEqual(seen.map((m) => [m.role, m.text]), [
        ['user', 'Read this\n\nA long paste\n\n(The file cat.png was here.)'], ['assistant', 'I look it up.'], ['tool', 'Cats are fine.'],
        ['assistant', 'Cats are fine, I read.'], ['user', 'Thanks'], ['assistant', 'Welcome!']]);
    assert.equal(seen[4].siblings ?? 2, 2);
    const records = (await anna.get(`/api/sessions/${one.id}/file?format=jsonl&all=yes&reasoning=yes`)).text.trimEnd().split('\n').map((line) => JSON.parse(line));
    assert.equal(records.filter((r) => r.type === 'message').length, 8, 'the other branch, too');
    assert.deepEqual(records.find((r) => r.text === 'I look it up.').calls, [{ id: 'toolu_1', name: 'web_search', args: { query: 'cats' } }]);
    assert.equal(records.find((r) => r.text === 'I look it up.').reasoning, 'Let me look.');
    assert.equal(records[1].created_at, Date.parse('2026-03-29T07:06:34.084Z'));
    assert.deepEqual((await sessionOf(anna, two.id)).messages.map((m) => m.text), ['Old question', 'Old answer']);
    assert.equal((await bring(anna, file)).known, 2);
    assert.equal((await bring(anna, JSON.stringify(claude([message('z', 'human', [text('Plain file')])], { uuid: 'other' })))).done, 1, 'also without the zip');
    assert.ok(provider.calls.every((c) => !c.userText?.includes('Read this')), 'nothing runs a turn');
});

test('damaged and malicious zips get a sentence, and nothing of them stays', async (t) => {
    const { alfred, anna } = await house(t);
    const good = JSON.stringify(claude([message('a', 'human', [text('Hello')])]));
    const header = JSON.stringify({ type: 'header', format: 'alfred', version: 1, sessions: 1 });
    const name = 'conversations.json';
    for (const [what, file, words] of [
        ['leads out', zip([[`../${name}`, good]]), /leads out of it/],
        ['leads out below', zip([[`a/../../${name}`, good]]), /leads out of it/],
        ['absolute', zip([[`/etc/${name}`, good]]), /leads out of it/],
        ['of Windows', zip([[`C:\\${name}`, good]]), /leads out of it/],
        ['leads out in the words of Windows', zip([[`a\\..\\..\\${name}`, good]]), /leads out of it/],
        ['beside a bad name', zip([[name, good], ['../../.ssh/authorized_keys', 'x']]), /leads out of it/],
        ['a link', zip([[name, '/etc/passwd', { mode: 0o120777 }]]), /a link/],
        ['twice', zip([[name, good], [name, good]]), /a name twice/],
        ['encrypted', zip([[name, good, { flags: 1 }]]), /encrypted/],
        ['another method', zip([[name, good, { method: 14 }]]), /damaged/],
        ['a wrong checksum', zip([[name, good, { crc: 5 }]]), /damaged/],
        ['a smaller stated size', zip([[name, good, { size: 5 }]]), /damaged/],
        ['truncated', zip([[name, good]]).subarray(0, -30), /damaged/],
        ['without conversations', zip([['readme.txt', good]]), /no conversations\.json/],
        ['of another part of Claude', zip([['projects/1.json', '{}']]), /Projects and memories are not imported/],
        ['of its memories', zip([['memories.json', '[]'], ['users.json', '[]']]), /Projects and memories are not imported/],
        ['a zip of zips of ChatGPT', zip([['User Online Activity/Conversations__ab12-part-0001.zip', zip([[name, good]])], ['report.html', '']]), /begins with Conversations__/],
        ['empty', zip([]), /no conversations\.json/],
        ['a bomb', zip([[name, Buffer.alloc(80 * MB, ' ')]]), /exceeds the limit/],
        ['many small bombs', zip(Array.from({ length: 20 }, (_, i) => [`conversations-${i}.json`, Buffer.alloc(4 * MB, ' ')])), /exceeds the limit/],
        ['no JSON', zip([[name, 'hello']]), /not a JSON file/],
        ['not ours', zip([['alfred.json', 'hello']]), /not a JSON file/],
        ['only a header', zip([['alfred.json', `${header}\n`]]), null],
    ]) {
        const done = await bring(anna, file);
        assert.equal(done.state, words ? 'failed' : 'done', what);
        if (words) assert.match(done.error, words, what);
        assert.equal(done.done, 0, what);
    }
    assert.deepEqual(files(alfred), []);
    assert.deepEqual((await anna.getJson('/api/sessions?show=all')).sessions, []);
    assert.equal((await bring(anna, zip([[`export\\${name}`, good]]))).done, 1, 'packed by Windows');
    await anna.request('DELETE', `/api/sessions/${(await anna.getJson('/api/sessions?show=all')).sessions[0].id}`);
    // A broken line in the middle: its session is left out as a whole, the others are there.
    const session = (n) => `ses_${String(n).repeat(26)}`;
    const meta = (n) => JSON.stringify({ type: 'session', id: session(n), title: `Nr. ${n}`, created_at: 1.7e12 });
    const line = (n, id, words) => JSON.stringify({ type: 'message', session: session(n), id, role: 'user', text: words, created_at: 1.7e12 });
    const done = await bring(anna, zip([
        ['alfred.json', `${header}\n`],
        ...[1, 2, 3].flatMap((n) => [[`${session(n)}/meta.json`, `${meta(n)}\n`], [`${session(n)}/current.jsonl`, n === 2 ? `${line(n, '1', 'a')}\n{"type":"message",]}\n${line(n, '2', 'b')}\n` : `${line(n, '1', 'Fine')}\n`]]),
    ]));
    assert.deepEqual([done.state, done.done, done.skipped], ['done', 2, 1], done.error);
    assert.deepEqual((await anna.getJson('/api/sessions?show=all')).sessions.map((s) => s.title).sort(), ['Nr. 1', 'Nr. 3']);
});

test('two imports of one file at once add each conversation once', async (t) => {
    const { anna } = await house(t);
    const list = Array.from({ length: 30 }, (_, i) => claude([message('a', 'human', [text(`Hello ${i}`)])], { uuid: `many-${i}` })[0]);
    const file = zip([['conversations.json', JSON.stringify(list)]]);
    const headers = { 'content-type': 'application/octet-stream', accept: 'application/json' };
    const ids = [];
    for (let i = 0; i < 2; i++) ids.push((await anna.request('POST', '/api/imports', { body: file, headers })).json.transfer.id);
    const ended = await Promise.all(ids.map((id) => finished(anna, id)));
    assert.equal(ended.reduce((n, one) => n + one.done, 0), 30);
    assert.equal((await anna.getJson('/api/sessions?show=all&limit=100')).sessions.length, 30);
});
