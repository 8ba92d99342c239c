// Exports and imports: an export can be imported again, nothing is imported twice, and files are only data.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';

import { answers } from '../../fake/provider.js';
import { answerWithTool, asksForAnswer, asksForSummary, beginAnswer, ended, exchange, sessionOf } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';
import { bring, chatgpt, files, finished, many, raw, service, takeOut } from '../../lib/transfer.js';
import { recordsOf } from '../../lib/zip.js';

const MB = 1024 * 1024;
/** A body that is read by its handler, piece by piece. */
const LONG = 5 * MB;

const transfers = async (client) => (await client.getJson('/api/transfers')).transfers;

/** Independent of the server: ids become positions in the file; values that an import may change are left out. */
function comparable(list) {
    const places = new Map();
    const place = (id) => (id === undefined ? undefined : (places.has(id) || places.set(id, `#${places.size}`), places.get(id)));
    return list.slice(1).map(({ channel, ...r }) => {
        for (const key of ['id', 'session', 'parent', 'head', 'source', 'first', 'last', 'topic_knows', 'summary_knows']) if (r[key]) r[key] = place(r[key]);
        return r;
    });
}

/** multipart/form-data as from a browser: pairs of name and value, or {filename, body}. */
function multipart(parts) {
    const boundary = '----tests0123456789';
    const out = [];
    for (const [name, value] of parts) {
        const file = value.filename === undefined ? '' : `; filename="${value.filename}"\r\nContent-Type: application/json`;
        out.push(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file}\r\n\r\n`, value.body ?? value, '\r\n');
    }
    out.push(`--${boundary}--\r\n`);
    return { body: Buffer.concat(out.map((p) => Buffer.from(p))), headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}
const postFile = (client, parts) => client.request('POST', '/data/import', { ...multipart(parts), csrf: false });

test('an export that another user imports and exports again is equal except for ids', async (t) => {
    const { provider, alfred, anna, bob } = await service(t);
    provider.always(answers('A note on **Naxos**.'), asksForSummary);
    const first = await exchange(anna, provider, 'Plan **Naxos** for May', 'Very well: <May> & "sun".\n\nЯ готов.');
    await exchange(anna, provider, 'And the ferry?', 'From Piraeus.', { session: first.session });
    const again = await anna.postJson(`/api/sessions/${first.session}/messages/${first.asked}/edit`, { text: 'Remember for good that I like islands, and plan Paros' });
    assert.equal(again.status, 202, again.text);
    const mine = (c) => asksForAnswer(c) && c.userText === 'Remember for good that I like islands, and plan Paros';
    await answerWithTool(provider, mine, 'remember', { text: 'Likes islands', tags: ['islands'], permanent: true }, 'Noted.');
    await ended(anna, again.json.turn);
    const pinned = await exchange(anna, provider, 'Second session', 'Yes.');
    await anna.request('PATCH', `/api/sessions/${pinned.session}`, { json: { title: 'My own title' } });
    await anna.postJson(`/api/sessions/${pinned.session}/pin`, {});
    await anna.postJson('/api/memories', { text: 'Vegetarian', tags: 'food', permanent: true });
    await anna.postJson('/api/tasks', { text: 'Book the ferry', due: '2027-05-01' });
    const third = await exchange(anna, provider, 'Third session', 'Old.');
    await anna.request('PATCH', `/api/sessions/${third.session}`, { json: { workspace: 'Journeys' } });
    await anna.postJson('/api/memories', { text: 'Has a cold this week', tags: '', permanent: false });
    await anna.postJson('/api/tasks', { text: 'Call the hotel' });
    const { tasks } = await anna.getJson('/api/tasks');
    assert.equal(tasks.length, 2);
    await anna.request('PATCH', `/api/tasks/${tasks.find((one) => one.text === 'Call the hotel').id}`, { json: { done: true } });
    assert.equal((await anna.postJson(`/api/sessions/${first.session}/summaries`, {})).status, 202);
    await until('the summary is there', async () => (await anna.getJson(`/api/sessions/${first.session}/summaries`)).summaries.length > 0);
    await until('the titles are there', async () => (await anna.getJson('/api/sessions')).sessions.every((s) => s.named));
    const db = alfred.openDatabase();
    db.prepare('UPDATE session SET archived_at = active_at + 5, archived_by_user = 1 WHERE pub = ?').run(third.session);
    const compact = db.prepare(`INSERT INTO compaction (session_id, first_id, last_id, messages, tokens_before, tokens_after, keep, text, facts, transcript, provider, model, created_at)
        SELECT session_id, min(id), max(id), 2, 9, 5, '', 'What was shortened', '[]', 'x', 'p', 'm', 5 FROM message WHERE session_id = (SELECT id FROM session WHERE pub = ?)`).run(third.session);
    db.close();
    assert.equal(compact.changes, 1);

    const out = await takeOut(anna);
    const list = recordsOf(out);
    assert.deepEqual([list[0].format, list[0].version, list[0].user, list[0].sessions], ['alfred', 1, 'anna', 3]);
    const count = (type) => list.filter((r) => r.type === type).length;
    assert.deepEqual(['session', 'message', 'memory', 'task', 'summary', 'compaction'].map(count), [3, 12, 3, 2, 1, 1]);
    const one = (test) => assert.equal(list.filter(test).length, 1, `${test}`);
    one((r) => r.pinned && r.title === 'My own title' && r.titled_by === 'user');
    one((r) => r.workspace === 'Journeys' && r.archived_at > 0 && r.archived_by_user && r.titled_by === 'helper');
    one((r) => r.type === 'task' && r.due === '2027-05-01' && !r.done_at);
    one((r) => r.type === 'task' && r.done_at > 0);
    one((r) => r.type === 'memory' && r.expires_at > Date.now());
    one((r) => r.type === 'summary' && /Naxos/.test(r.text));
    assert.ok(list.some((r) => r.calls?.[0].name === 'remember'), 'calls of tools are in it');
    assert.ok(list.some((r) => r.type === 'memory' && r.source), 'a fact names its message');

    const calls = provider.calls.length;
    const done = await bring(bob, out);
    assert.equal(done.state, 'done', done.error);
    assert.deepEqual([done.format, done.done, done.skipped, done.facts], ['alfred', 3, 0, 5]);
    assert.deepEqual(comparable(recordsOf(await takeOut(bob))), comparable(list));
    const sessions = (await bob.getJson('/api/sessions?show=all')).sessions;
    const title = (s) => s.title;
    assert.ok(sessions.map(title).includes('My own title'));
    assert.equal((await bob.getJson('/api/sessions?show=archived')).sessions.length, 1);
    assert.equal((await bob.getJson('/api/sessions?show=hidden')).sessions.length, 1);
    const copy = await sessionOf(bob, sessions.find((s) => s.title !== 'My own title' && !s.archived).id);
    assert.deepEqual(copy.messages.filter((m) => m.role !== 'tool').map((m) => m.text).slice(-1), ['Noted.']);
    assert.ok(provider.calls.slice(calls).every((c) => !asksForAnswer(c)), 'nothing runs a turn');
    assert.match(JSON.stringify((await bob.getJson('/api/search?q=Piraeus')).hits), /From/, 'it is found at once');

    const twice = await bring(bob, out);
    assert.deepEqual([twice.done, twice.skipped, twice.known, twice.facts], [0, 3, 3, 0]);
    assert.ok((await bob.get('/data')).text.includes('0 conversations, 3 skipped: 3 already existed'), 'the page says it in words');
    assert.equal('status_words' in twice, false);
    const own = await bring(anna, out);
    assert.deepEqual([own.done, own.known], [0, 3], 'what is here already is not doubled by its own export');
    assert.equal((await bob.getJson('/api/memories')).memories.length, 3);
    assert.equal((await bob.getJson('/api/tasks?show=all')).tasks.length, 2);
    assert.deepEqual(files(alfred).length, 2, 'uploads leave no files, exports do');
});

test('each line of an export is JSON, with any spelling of the arguments of calls', async (t) => {
    const { provider, alfred, anna, bob } = await service(t);
    const pretty = '{\n  "text": "Likes tea",\r\n\t"tags": [\n    "food"\n  ]\n}\n';
    const asks = async (text, args) => {
        const sent = await anna.postJson('/api/sessions/new/messages', { text });
        const call = await beginAnswer(provider, text);
        await call.toolCalls([{ id: 'call_1', name: 'remember', args }]);
        await call.end('tool_calls');
        const next = await provider.call((c) => asksForAnswer(c) && c.asks(text) && c.hasToolResult);
        await answers('Noted.')(next);
        await ended(anna, sent.json.turn);
        return { sent: sent.json, args: next.body.messages.find((m) => m.tool_calls).tool_calls[0].function.arguments };
    };
    const one = await asks('I like tea', pretty);
    assert.equal(one.args, '{"text":"Likes tea","tags":["food"]}', 'the model gets them compact from the first time on');
    const two = await asks('I like rum', pretty);
    const three = await asks('I like gin', '{\n"text": "Likes g');
    const db = alfred.openDatabase(); // rows of earlier versions, and a damaged one
    const old = `[{"id":"call_1","name":"remember","args":${pretty}}]`;
    db.prepare('UPDATE message SET calls = ? WHERE calls IS NOT NULL AND session_id = (SELECT id FROM session WHERE pub = ?)').run(old, two.sent.session.id);
    db.prepare('UPDATE message SET calls = ? WHERE calls IS NOT NULL AND role = \'tool\' AND session_id = (SELECT id FROM session WHERE pub = ?)').run('[{\n"id', three.sent.session.id);
    db.close();
    const file = await takeOut(anna);
    const calls = recordsOf(file).filter((r) => r.calls).map((r) => r.calls);
    const whole = [{ id: 'call_1', name: 'remember', args: { text: 'Likes tea', tags: ['food'] } }];
    assert.deepEqual(calls, [whole, whole, whole, whole, [{ id: 'call_1', name: 'remember', args: '{\n"text": "Likes g' }], '[{\n"id']);
    const brought = await bring(bob, file);
    assert.equal(brought.state, 'done');
    assert.equal(brought.done, 3);
});

test('the page accepts a file without script, shows the result, and each user sees only their own', async (t) => {
    const { alfred, anna, bob } = await service(t);
    const page = await anna.get('/data');
    assert.match(page.text, /Start export/);
    const sent = await postFile(anna, [['csrf', anna.csrf], ['file', { filename: 'conversations.json', body: JSON.stringify([chatgpt('one', ['Hi', 'Hello']), { no: 'conversation' }, 7]) }]]);
    assert.equal(sent.status, 303, sent.text);
    assert.equal(sent.location, '/data?done=import_asked');
    const [row] = await transfers(anna);
    await finished(anna, row.id);
    const after = await anna.get('/data?done=import_asked');
    assert.match(after.text, /Import from ChatGPT/);
    assert.match(after.text, /1 conversation, 2 skipped: 2 could not be read or had no messages/);
    const [session] = (await anna.getJson('/api/sessions?show=all')).sessions;
    assert.equal(session.title, 'Title of one');
    assert.match(session.created ?? session.created_at ?? '2020', /2020/);
    const { messages } = await sessionOf(anna, session.id);
    assert.deepEqual(messages.map((m) => [m.role, m.text]), [['user', 'Hi'], ['assistant', 'Hello']]);

    assert.deepEqual(await transfers(bob), []);
    for (const [method, path] of [['GET', ''], ['GET', '/file'], ['DELETE', '']])
        assert.equal((await bob.request(method, `/api/transfers/${row.id}${path}`, { json: {} })).status, 404, `${method} ${path}`);
    assert.equal((await anna.get(`/api/transfers/${row.id}/file`)).status, 404, 'an import has no file');
    assert.equal((await anna.post(`/data/${row.id}/delete`, {})).location, '/data?done=transfer_deleted');
    assert.deepEqual(await transfers(anna), []);
    assert.equal((await anna.getJson('/api/sessions?show=all')).sessions.length, 1, 'what was imported stays');

    const out = await anna.postAndFollow('/data/export', {});
    assert.equal(out.status, 200);
    const [exported] = await transfers(anna);
    const done = await finished(anna, exported.id);
    const path = `/data/${done.id}/file`;
    assert.ok((await anna.get('/data')).text.includes(`href="${path}"`));
    const file = await anna.get(path);
    assert.deepEqual((await anna.get(done.file_url)).body, file.body);
    assert.match(file.headers['content-disposition'], /^attachment; filename="alfred-\d{4}-\d\d-\d\d\.zip"$/);
    assert.equal(Number(file.headers['content-length']), file.body.length);
    assert.equal(file.headers['cache-control'], 'no-store, no-transform');
    assert.equal(recordsOf(file.body)[0].user, 'anna');
    const head = await anna.request('HEAD', path);
    assert.equal(head.status, 200);
    assert.equal((await bob.get(path)).status, 404);
    assert.equal((await anna.stranger().get(path)).status, 303, 'a stranger signs in first');
    await anna.request('DELETE', `/api/transfers/${done.id}`, { json: {} });
    assert.equal((await anna.get(path)).status, 404);
    assert.deepEqual(files(alfred), []);
});

test('forged requests, broken forms and invalid files are refused, and leave nothing', async (t) => {
    const { alfred, anna } = await service(t, { limits: { import_bytes: MB } });
    const file = { filename: 'a.json', body: JSON.stringify([chatgpt('x', ['a', 'b'])]) };
    const csrf = ['csrf', anna.csrf];
    assert.equal((await postFile(anna, [['file', file]])).status, 403, 'no token');
    assert.equal((await postFile(anna, [['file', file], csrf])).status, 403, 'the token comes too late');
    assert.equal((await postFile(anna, [['csrf', 'wrong'], ['file', file]])).status, 403);
    const signedOut = await postFile(anna.stranger(), [csrf, ['file', file]]);
    assert.equal(signedOut.status, 401);
    assert.match(signedOut.text, /Please sign in first\. The file was not saved\. Choose it again\./);
    assert.equal((await raw(anna, file.body, { 'x-csrf-token': null })).status, 403);
    assert.equal((await raw(anna, file.body, { 'sec-fetch-site': 'cross-site' })).status, 403);
    assert.equal((await raw(anna.stranger(), file.body)).status, 401);
    assert.equal((await raw(anna, file.body, { 'content-type': 'text/html' })).status, 415);
    assert.equal((await postFile(anna, [csrf])).status, 400, 'no file');
    assert.equal((await postFile(anna, [csrf, ['file', { filename: '', body: '' }]])).status, 400, 'nothing was chosen');
    assert.equal((await postFile(anna, [csrf, ['owner', '2'], ['file', file]])).status, 400, 'a field that nobody declared');
    assert.equal((await postFile(anna, [csrf, ['file', file], ['file', file]])).status, 400, 'two files');
    assert.equal((await anna.post('/data/import', {})).status, 415, 'a form of the usual kind');
    const cut = multipart([csrf, ['file', file]]);
    assert.equal((await anna.request('POST', '/data/import', { body: cut.body.subarray(0, -10), headers: cut.headers, csrf: false })).status, 400, 'the last border is missing');
    assert.equal((await raw(anna, Buffer.alloc(3 * MB, ' '))).status, 413);
    assert.equal((await postFile(anna, [csrf, ['file', { filename: 'big', body: Buffer.alloc(3 * MB, ' ') }]])).status, 413);
    assert.deepEqual(await transfers(anna), []);
    assert.deepEqual(files(alfred), [], 'nothing lies about');

    // Accepted, read, refused with a sentence.
    for (const [body, words] of [
        ['not json at all', /This is not a JSON file/],
        ['[]', /no conversations in this file/],
        ['[{"a":1},{"b":2}]', /not an export of Alfred/],
        [JSON.stringify([chatgpt('cut', ['a', 'b'])]).slice(0, -5), /ends too early/],
        ['{"type":"header","format":"alfred","version":99,"sessions":1}\n', /another version of Alfred/],
        [Buffer.from('504b0304aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'hex'), /zip file is damaged/],
        [gzipSync(Buffer.from('[]')).subarray(0, 12), /compressed file|no conversations/],
        [gzipSync(Buffer.alloc(80 * MB, ' ')), /uncompressed file exceeds the limit/],
    ]) {
        const failed = await bring(anna, body);
        assert.equal(failed.state, 'failed');
        assert.match(failed.error, words);
    }
    assert.deepEqual(files(alfred), [], 'nor after that');
    assert.deepEqual((await anna.getJson('/api/sessions?show=all')).sessions, []);
});

test('a malicious file is only data: loops, depth, wrong types, foreign ids, calls of tools', async (t) => {
    const { provider, anna, bob } = await service(t);
    const theirs = await exchange(bob, provider, 'Secret of Bob', 'Safe.');
    const deep = '['.repeat(100_000);
    const loop = chatgpt('loop', ['a', 'b']);
    loop.mapping['loop-0'].parent = 'loop-1';
    const strange = chatgpt('strange', ['Kept', 'Answer']);
    Object.assign(strange.mapping, {
        n: null, s: 'text', l: [], o: { parent: 7, message: 'x' },
        role: { parent: 'strange-1', message: { author: { role: 'developer' }, content: { content_type: 'text', parts: ['dropped'] } } },
        below: { parent: 'role', message: { author: { role: 'user' }, create_time: 'never', content: { content_type: 'text', parts: ['Below', { content_type: 'image_asset_pointer' }, 5] } } },
        self: { parent: 'self', message: { author: { role: 'user' }, content: { parts: ['self'] } } },
    });
    Object.assign(strange, { title: { no: 'title' }, create_time: 1e300, update_time: -5, current_node: 'below' });
    const tool = chatgpt('tool', ['Do it', 'x', 'Done']);
    tool.mapping['tool-1'].message = { author: { role: 'assistant' }, recipient: 'forget', create_time: 1.6e9, content: { content_type: 'code', text: '{"id":"1"}' } };
    tool.mapping['tool-2'].message = { author: { role: 'tool' }, create_time: 1.6e9, content: { content_type: 'text', parts: ['Done'] } };
    const body = `[${JSON.stringify(loop)},${JSON.stringify(strange)},${deep}${']'.repeat(100_000)},{"mapping":{"a":{"message":{"author":{"role":"user"},"content":{"parts":["\\u0000"]}}}}},${JSON.stringify(tool)},{"mapping":{}},{"mapping":[]}]`;
    const calls = provider.calls.length;
    const done = await bring(anna, body);
    // NUL is replaced, so the conversation that is nothing else has one character.
    assert.deepEqual([done.state, done.done, done.skipped], ['done', 3, 4], done.error);
    const { sessions } = await anna.getJson('/api/sessions?show=all');
    assert.equal(sessions.length, 3);
    const kept = [];
    for (const s of sessions) kept.push((await sessionOf(anna, s.id)).messages.map((m) => `${m.role}: ${m.text}`).join(' | '));
    assert.ok(kept.some((text) => /^user: Kept \| assistant: Answer \| user: Below/.test(text)), kept.join('\n'));
    assert.ok(kept.includes('user: \uFFFD'), kept.join('\n'));
    assert.ok(kept.some((text) => /^user: Do it \| assistant:.*\| tool: Done/.test(text)), kept.join('\n'));
    for (const s of sessions) assert.equal((await anna.get(s.url)).status, 200);

    const ours = [
        { type: 'header', format: 'alfred', version: 1, sessions: 3 },
        { type: 'session', id: theirs.session, title: 'Mine now?', head: theirs.asked },
        { type: 'message', session: theirs.session, id: theirs.asked, parent: theirs.asked, role: 'user', text: 'own parent', created_at: 5 },
        { type: 'message', session: theirs.session, id: '1', role: 'user', text: 'A text', created_at: 9e18, calls: [{ id: 'x', name: 'forget', args: {} }] },
        { type: 'message', session: theirs.session, id: '2', parent: '1', role: 'tool', tool: 'forget', call_id: 'x', text: '{}' },
        { type: 'memory', session: theirs.session, source: theirs.asked, text: 'A fact', created_at: -1, expires_at: -1 },
        { type: 'session', id: '../../etc/passwd' },
        { type: 'message', id: '3', role: 'user', text: 'of nobody' },
        { type: 'session', id: `ses_${'0'.repeat(26)}`, pinned: 'yes', created_at: 'x' },
        { type: 'unknown' },
        { type: 'message', id: '4', role: 'assistant', status: 'running', text: 'cut', parent: 'nobody' },
    ];
    const mine = await bring(anna, ours.map((r) => JSON.stringify(r)).join('\n'));
    assert.deepEqual([mine.state, mine.done, mine.skipped, mine.facts], ['done', 2, 1, 1], mine.error);
    const copy = (await anna.getJson('/api/sessions?show=all')).sessions.find((s) => s.title === 'Mine now?');
    assert.notEqual(copy.id, theirs.session);
    assert.deepEqual((await sessionOf(anna, copy.id)).messages.map((m) => m.text), ['A text']);
    assert.deepEqual((await sessionOf(bob, theirs.session)).messages.map((m) => m.text), ['Secret of Bob', 'Safe.']);
    assert.ok(provider.calls.slice(calls).every((c) => !asksForAnswer(c)), 'nothing runs a turn');
});

test('an upload of 24 MB is never in memory as a whole, and is imported completely', async (t) => {
    const { alfred, anna } = await service(t);
    const words = 'A sentence that takes some room in the file. '.repeat(100);
    const list = many(2600, words);
    const body = JSON.stringify(list);
    assert.ok(body.length > 22 * MB, `${body.length}`);
    const rss = (name) => Math.max(...alfred.pids(name).map((pid) => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmHWM:\s+(\d+)/)[1]) / 1024));
    const honest = !process.env.FLAVOUR || process.env.FLAVOUR === 'release'; // a sanitizer keeps freed memory
    const before = { pages: rss('pages'), helper: rss('helper') };
    const sent = await postFile(anna, [['csrf', anna.csrf], ['file', { filename: 'c.json', body }]]);
    assert.equal(sent.status, 303, sent.text);
    const [row] = await transfers(anna);
    const done = await finished(anna, row.id, 200_000);
    assert.deepEqual([done.state, done.total, done.done], ['done', 2600, 2600]);
    assert.ok(!honest || rss('pages') - before.pages < 12, `pages: ${before.pages} to ${rss('pages')} MB`);
    assert.ok(!honest || rss('helper') - before.helper < 40, `helper: ${before.helper} to ${rss('helper')} MB`);
    const out = recordsOf(await takeOut(anna));
    assert.equal(out.filter((r) => r.type === 'message').length, 5200);
    assert.ok(!honest || rss('helper') - before.helper < 40, `helper after the export: ${rss('helper')} MB`);
});

test('the command line does the same', async (t) => {
    const { alfred, anna } = await service(t);
    const path = `${alfred.dataDir}/in.json`;
    writeFileSync(path, JSON.stringify([{ id: 'w1', title: 'Web', created_at: 1.6e9, updated_at: 1.6e9 + 9, chat: { history: { currentId: 'b', messages: { a: { id: 'a', parentId: null, childrenIds: ['b'], role: 'user', content: 'Hi', timestamp: 1.6e9 }, b: { id: 'b', parentId: 'a', role: 'assistant', content: 'Hello', model: 'llama3', timestamp: 1.6e9 + 5 } } } } }]));
    const done = await alfred.cli(['import', 'anna', path]);
    assert.equal(done.code, 0, done.stderr);
    assert.match(done.stdout, /^1 conversation\.$/m);
    assert.match((await alfred.cli(['import', 'anna', path])).stdout, /1 already existed/);
    const [session] = (await anna.getJson('/api/sessions?show=all')).sessions;
    assert.deepEqual((await sessionOf(anna, session.id)).messages.map((m) => m.text), ['Hi', 'Hello']);
    const to = `${alfred.dataDir}/out.jsonl.gz`;
    assert.equal((await alfred.cli(['export', 'anna', to])).code, 0);
    assert.equal(gunzipSync(readFileSync(to)).toString('utf8').trimEnd().split('\n').length, 4);
    assert.equal((await alfred.cli(['export', 'anna', `${alfred.dataDir}/out.zip`])).code, 0);
    assert.equal(recordsOf(readFileSync(`${alfred.dataDir}/out.zip`)).length, 4);
    for (const file of [to, `${alfred.dataDir}/out.zip`]) assert.match((await alfred.cli(['import', 'anna', file])).stdout, /1 already existed/);
    assert.equal((await alfred.cli(['export', 'anna', to])).code, 1, 'an existing file is left alone');
    assert.match((await alfred.cli(['export', 'nobody'])).stderr, /There is no user nobody/);
    assert.match((await alfred.cli(['import', 'anna', '/nowhere'])).stderr, /No such file/);
    assert.equal((await alfred.cli(['import', 'anna'])).code, 2);
});

test('a slow client delays neither pages, nor other uploads, nor downloads', async (t) => {
    const { alfred, anna, bob } = await service(t);
    const exported = await takeOut(bob);
    assert.ok(exported.length > 0);
    const drips = [];
    t.after(() => drips.forEach((s) => s.destroy()));
    const drip = (client, path, headers, first) => {
        const body = new PassThrough();
        drips.push(body);
        client.open('POST', path, { body, csrf: false, headers: { 'content-length': String(LONG), ...headers } }).catch(() => {});
        body.write(first);
        return body;
    };
    const form = { 'content-type': 'multipart/form-data; boundary=x' };
    const [row] = await transfers(bob);
    const hasNoPlace = async () => {
        const answer = await postFile(anna, [['csrf', anna.csrf], ['file', { filename: 'a', body: '[]' }]]);
        return answer.status === 503 && /Other files are being transferred/.test(answer.text) && Number(answer.headers['retry-after']) > 0;
    };
    await until('others are served while her slow uploads have places', async () => { // they lose them when the machine stops for too long
        // Of strangers, without a token, before the file and in it: more than the program has threads.
        for (let i = 0; i < 8; i++) {
            drip(alfred.client(), '/data/import', form, '--x\r\nContent');
            drip(anna, '/data/import', { ...form }, '--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n');
            drip(anna, '/data/import', { ...form }, `--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n${anna.csrf}\r\n--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n[`);
        }
        await until('one of hers has a place', hasNoPlace);
        assert.equal((await bob.get('/')).status, 200, 'pages come');
        assert.equal((await bob.get(row.file_url)).status, 200, 'downloads come');
        const sent = await postFile(bob, [['csrf', bob.csrf], ['file', { filename: 'a.json', body: JSON.stringify([chatgpt('x', ['a', 'b'])]) }]]);
        assert.equal(sent.status, 303, 'and the place of another is free');
        assert.ok(files(alfred).length <= 2 + 1, 'what is refused lies nowhere');
        return hasNoPlace();
    });
});

test('an upload that is too slow is ended, and leaves nothing', async (t) => {
    const { alfred, anna } = await service(t);
    const body = new PassThrough();
    const began = performance.now();
    const open = anna.open('POST', '/api/imports', { body, headers: { 'content-length': String(LONG), 'content-type': 'application/octet-stream' } });
    const timer = setInterval(() => body.write(' '), 1000);
    t.after(() => clearInterval(timer));
    const { response } = await open;
    clearInterval(timer);
    assert.equal(response.statusCode, 400);
    const seconds = (performance.now() - began) / 1000;
    assert.ok(seconds > 15 && seconds < 90, `after ${seconds} s`);
    response.destroy();
    body.destroy();
    await until('its file is gone', () => files(alfred).length === 0);
});

test('a user cannot have more exports than the limit, and the download is in the audit trail', async (t) => {
    const { alfred, anna } = await service(t);
    for (let i = 0; i < 3; i++) await takeOut(anna);
    const refused = await anna.postJson('/api/exports', {});
    assert.equal(refused.status, 409);
    assert.match(refused.json.error.message, /There are already 3 exports/);
    const page = await anna.post('/data/export', {});
    assert.match(page.text, /There are already 3 exports/);
    const [row] = await transfers(anna);
    await anna.request('DELETE', `/api/transfers/${row.id}`, { json: {} });
    await takeOut(anna);
    const db = alfred.openDatabase();
    const noted = db.prepare("SELECT count(*) AS n FROM audit WHERE action = 'export_downloaded'").get();
    db.close();
    assert.equal(noted.n, 4);
});
