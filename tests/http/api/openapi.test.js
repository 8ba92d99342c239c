// Compares the schemas of docs/openapi.yaml (scripts/openapi-schemas.js) with the service's answers, route by route and
// event by event: no property is missing, none is extra, and each has the declared type. The status is a declared one.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { successOf } from '../../../scripts/openapi.js';
import { answers as tables, events as eventTables, schemas, typeOf } from '../../../scripts/openapi-schemas.js';
import { answers, callsTool } from '../../fake/provider.js';
import { asksForAnswer, asksForCompaction, asksForFacts, asksForSummary, ended, exchange, provide, send, serveFile } from '../../lib/chat.js';
import { docx } from '../../lib/documents.js';
import { png } from '../../lib/picture.js';
import { PASSWORD, until } from '../../lib/rig.js';
import { EventStream } from '../../lib/sse.js';

const provider = await provide();
provider.always(answers('A note.'), asksForSummary);
provider.always(answers(JSON.stringify({ summary: 'So far.', facts: ['Anna likes tea.'] })), asksForCompaction);
provider.always(answers(JSON.stringify([{ text: 'Lives in Hamburg', message: 1 }])), (call) => asksForFacts(call) && call.prompt.includes('Hamburg'));
const alfred = await serveFile({ env: provider.env, config: { session: { idle_minutes: 0 }, jobs: { retry_seconds: 0 }, usage: { member_month_cost: 5 }, context: { compact_messages: 24, model_window: 16_000 } } });
const anna = await alfred.admin('anna');

const seen = new Map(Object.keys(schemas).map((name) => [name, new Set()]));

function isOf(value, word, where) {
    const { type, nullable, item } = typeOf(word);
    if (item) {
        assert.ok(Array.isArray(value), where);
        for (const one of value) isOf(one, item, where);
    } else if (value === null) assert.ok(nullable, `${where} is null`);
    else if (type in schemas) {
        for (const name of Object.keys(value)) seen.get(type).add(name);
        fits(value, schemas[type], `${where}: ${type}`);
    } else if (type === 'integer') assert.ok(Number.isInteger(value), `${where} is ${JSON.stringify(value)}`);
    else assert.equal(typeof value, type, where);
}
function fits(value, properties, where) {
    const wanted = Object.entries(properties).filter(([, word]) => !typeOf(word).optional).map(([name]) => name);
    assert.deepEqual(wanted.filter((name) => !(name in value)), [], `${where} lacks what the schema has`);
    assert.deepEqual(Object.keys(value).filter((name) => !(name in properties)), [], `${where} has what the schema lacks`);
    for (const [name, one] of Object.entries(value)) isOf(one, properties[name], `${where}.${name}`);
}
const checked = new Set();
async function check(key, answer) {
    assert.ok(answer.status in successOf(key), `${key} answers ${answer.status}, which is not in docs/openapi.yaml (successes in scripts/openapi.js): ${answer.text}`);
    fits(answer.json, tables[key], key);
    checked.add(key);
}

/** Marks a new search index as being built while `fn` runs, so that there is progress to report. */
async function whileIndexing(fn) {
    const db = alfred.openDatabase();
    try {
        db.exec(`INSERT INTO embedding_model (id, provider, model, prefix, dimension, state, created_at) VALUES (77, 'x', 'y', '', 8, 'building', 1)`);
        await fn();
        db.exec('DELETE FROM embedding_model WHERE id = 77');
    } finally {
        db.close();
    }
}

/** A failed and a doubtful message of the outbox, of a channel with a problem. */
function outgoing() {
    return alfred.database((db) => {
        db.exec(`INSERT INTO channel_chat (channel, chat, thread, owner, sender, created_at) SELECT 'none', '7', '3', id, '7', 1 FROM user LIMIT 1`);
        db.exec(`INSERT INTO channel_problem (channel, error, at) VALUES ('none', 'Unauthorized', 1)`);
        const add = db.prepare(`INSERT INTO outbox (chat_id, post, size, state, run_at, since_at, error, created_at, ended_at) SELECT max(id), ?, 9, ?, 1, 1, 'no', 1, 2 FROM channel_chat RETURNING id`);
        return [add.get(1, 'failed').id, add.get(2, 'doubtful').id];
    });
}

/** Each call of the API once, on a session that has everything. */
async function usesAll(session) {
    const at = `/api/sessions/${session}`;
    const get = async (key, path) => {
        const answer = await anna.get(path);
        await check(key, answer);
        return answer.json;
    };
    const change = async (key, path, json = {}) => {
        const answer = await anna.request(key.split(' ')[0], path, { json });
        await check(key, answer);
        return answer.json;
    };
    await get('GET /api/sessions', '/api/sessions');
    const { messages } = await get('GET /api/sessions/{}', `${at}?limit=200`);
    await get('GET /api/sessions/{}/messages', `${at}/messages?limit=200`);
    await get('GET /api/sessions/{}/details', `${at}/details`);
    await change('PATCH /api/sessions/{}', at, { title: 'All about tea', workspace: 'Drinks' });
    for (const what of ['seen', 'pin', 'unpin']) await change(`POST /api/sessions/{}/${what}`, `${at}/${what}`);
    await change('POST /api/sessions/{}/head', `${at}/head`, { message: messages.at(-1).id });
    await get('GET /api/sessions/{}/summaries', `${at}/summaries`);
    await change('POST /api/sessions/{}/summaries', `${at}/summaries`);
    const { compactions: [made] } = await get('GET /api/sessions/{}/compactions', `${at}/compactions`);
    await get('GET /api/sessions/{}/compactions/{}', `${at}/compactions/${made.id}`);
    assert.equal((await anna.get(made.transcript_url)).status, 200);

    // A separate session for calls that change messages.
    const sent = await change('POST /api/sessions/{}/messages', '/api/sessions/new/messages', { text: 'Which tea?', choice: 'offline/offline' });
    await ended(anna, sent.turn);
    await get('GET /api/turns/{}', `/api/turns/${sent.turn}`);
    await change('POST /api/turns/{}/stop', `/api/turns/${sent.turn}/stop`);
    const other = `/api/sessions/${sent.session.id}`;
    await get('GET /api/sessions/{}/related', `${other}/related`);
    await change('PATCH /api/sessions/{}/messages/{}', `${other}/messages/${sent.asked}`, { text: 'Which green tea?' });
    for (const [how, id, body] of [['edit', sent.asked, { text: 'Which black tea?' }], ['regenerate', sent.reply, {}]]) {
        const again = await change(`POST /api/sessions/{}/messages/{}/${how}`, `${other}/messages/${id}/${how}`, { ...body, choice: 'offline/offline' });
        await ended(anna, again.turn);
    }
    const { messages: others } = await get('GET /api/sessions/{}/messages', `${other}/messages`);
    alfred.sql("UPDATE message SET status = 'interrupted' WHERE id = ?", others.at(-1).id);
    const on = await change('POST /api/sessions/{}/messages/{}/continue', `${other}/messages/${others.at(-1).id}/continue`, {});
    await ended(anna, on.turn);
    await change('DELETE /api/sessions/{}/messages/{}', `${other}/messages/${sent.reply}`);
    const [entry] = (await anna.get('/api/trash')).json.trash;
    await get('GET /api/trash', '/api/trash');
    await change('POST /api/trash/{}/restore', `/api/trash/${entry.id}/restore`);
    const { choices } = (await anna.getJson('/api/me'));
    provider.next(answers('Tea.'), (c) => asksForAnswer(c) && c.userText === 'Tea or coffee?');
    const two = await change('POST /api/sessions/{}/messages', `${other}/messages`, { text: 'Tea or coffee?', choice: 'offline/offline', compare_with: choices.find((c) => c.value !== 'offline/offline').value });
    for (const t of [two.turn, two.second.turn]) await ended(anna, t);
    await get('GET /api/sessions/{}', other);
    await change('DELETE /api/sessions/{}', other);
    await change('POST /api/trash/restore', '/api/trash/restore');
    await change('DELETE /api/sessions/{}', other);
    await change('DELETE /api/trash/{}', other.replace('sessions', 'trash'));
    await change('DELETE /api/trash', '/api/trash');
    const long = await longSession();
    await change('POST /api/sessions/{}/compact', `/api/sessions/${long}/compact`);

    await get('GET /api/models', '/api/models');
    const { batch } = await change('POST /api/sessions/batch', '/api/sessions/batch', { action: 'pin', ids: [session] });
    await get('GET /api/batches/{}', `/api/batches/${batch.id}`);
    await change('POST /api/batches/{}/undo', `/api/batches/${batch.id}/undo`);
    await get('GET /api/usage', '/api/usage');
    await get('GET /api/health', '/api/health');
    await get('GET /api/usage/all', '/api/usage/all');
    const [failed, doubtful] = outgoing();
    await get('GET /api/outbox', '/api/outbox');
    await change('POST /api/outbox/{}/retry', `/api/outbox/${failed}/retry`);
    await change('DELETE /api/outbox/{}', `/api/outbox/${doubtful}`);
    await change('POST /api/outbox/resume', '/api/outbox/resume');
    await get('GET /api/search', '/api/search?q=tea');
    await whileIndexing(async () => {
        for (const of of ['search', 'jobs']) await get(`GET /api/${of}/progress`, `/api/${of}/progress`);
    });

    const { share } = await change('POST /api/sessions/{}/shares', `/api/sessions/${long}/shares`, { name: 'Me' });
    await get('GET /api/sessions/{}/shares', `/api/sessions/${long}/shares`);
    await change('POST /api/shares/{}/renew', `/api/shares/${share.id}/renew`);
    await get('GET /api/shares', '/api/shares');
    await change('DELETE /api/shares/{}', `/api/shares/${share.id}`);

    const { memory } = await change('POST /api/memories', '/api/memories', { text: 'Bees are kind' });
    await change('PATCH /api/memories/{}', `/api/memories/${memory.id}`, { tags: 'bees' });
    await get('GET /api/memories/{}', `/api/memories/${memory.id}`);
    await get('GET /api/memories', '/api/memories');
    await change('DELETE /api/memories/{}', `/api/memories/${memory.id}`);
    await useSuggestions(get, change);
    await get('GET /api/commands', '/api/commands');
    await change('POST /api/commands', '/api/commands', { line: '/export', session });
    await change('POST /api/commands', '/api/commands', { line: '/model' });

    const { tag: bees } = await change('POST /api/tags', '/api/tags', { name: 'Bees' }), { tag: wasps } = await change('POST /api/tags', '/api/tags', { name: 'Wasps' });
    await change('PATCH /api/tags/{}', `/api/tags/${bees.id}`, { colour: 2 });
    await get('GET /api/tags', '/api/tags');
    await change('POST /api/tags/{}/merge', `/api/tags/${bees.id}/merge`, { to: wasps.id });
    await change('DELETE /api/tags/{}', `/api/tags/${wasps.id}`);
    const { reminder } = await change('POST /api/reminders', '/api/reminders', { text: 'Call Anna', at: '2040-12-01T17:00', zone: 'Europe/Berlin', repeat: 'FREQ=WEEKLY' });
    await change('PATCH /api/reminders/{}', `/api/reminders/${reminder.id}`, { paused: true });
    await get('GET /api/reminders/{}', `/api/reminders/${reminder.id}`);
    await get('GET /api/reminders', '/api/reminders');
    await change('POST /api/reminders/{}/snooze', `/api/reminders/${reminder.id}/snooze`, { for: '10m' });
    await change('POST /api/reminders/{}/done', `/api/reminders/${reminder.id}/done`, {});
    await change('DELETE /api/reminders/{}', `/api/reminders/${reminder.id}`);
    await change('POST /api/reminders/{}/restore', `/api/reminders/${reminder.id}/restore`, {});
    const { task } = await change('POST /api/tasks', '/api/tasks', { text: 'Buy bread' });
    await change('PATCH /api/tasks/{}', `/api/tasks/${task.id}`, { done: true });
    await get('GET /api/tasks/{}', `/api/tasks/${task.id}`);
    await get('GET /api/tasks', '/api/tasks?show=all');
    await change('DELETE /api/tasks/{}', `/api/tasks/${task.id}`);

    const { transfer } = await change('POST /api/exports', '/api/exports');
    const brought = await anna.request('POST', '/api/imports', { body: '[]', headers: { 'content-type': 'application/json', accept: 'application/json' } });
    await check('POST /api/imports', brought);
    const added = await anna.request('POST', '/api/pictures', { body: png(), headers: { 'content-type': 'image/png', accept: 'application/json' } });
    await check('POST /api/pictures', added);
    await get('GET /api/transfers', '/api/transfers');
    await get('GET /api/transfers/{}', `/api/transfers/${transfer.id}`);
    await change('DELETE /api/transfers/{}', `/api/transfers/${transfer.id}`);

    await change('PATCH /api/me', '/api/me', { time_zone: 'Europe/Berlin' });
    await change('PATCH /api/settings', '/api/settings', { theme: 'dark', about_me: 'I bake.' });
    await get('GET /api/me', '/api/me');
    await get('GET /api/settings', '/api/settings');
    const { token } = await change('POST /api/tokens', '/api/tokens', { name: 'A program', scopes: 'read chat', days: 9 });
    await get('GET /api/tokens', '/api/tokens');
    await change('DELETE /api/tokens/{}', `/api/tokens/${token.id}`);
    await change('PATCH /api/workspace/instructions', '/api/workspace/instructions', { workspace: 'Work', text: 'Metric units.' });
    await get('GET /api/workspace/instructions', '/api/workspace/instructions?workspace=Work');
    const { file } = await change('POST /api/workspace/files', '/api/workspace/files', { workspace: 'Work', name: 'notes.md', text: 'Notes.' });
    await get('GET /api/workspace/files', '/api/workspace/files?workspace=Work');
    await get('GET /api/workspace/files/{}', `/api/workspace/files/${file.id}`);
    await change('DELETE /api/workspace/files/{}', `/api/workspace/files/${file.id}`);
    const report = await anna.request('POST', '/api/workspace/documents?workspace=Work&name=report.docx', { body: docx(['A report.']), headers: { accept: 'application/json' } });
    await check('POST /api/workspace/documents', report);
    await get('GET /api/search', '/api/search?q=report&show=files');
    await change('PATCH /api/workspace', '/api/workspace', { workspace: 'Work', name: 'Office' });
    await change('DELETE /api/workspace', '/api/workspace?workspace=Office');
    const { persona } = await change('POST /api/personas', '/api/personas', { name: 'Cook', text: 'You are a cook.' });
    await change('PATCH /api/personas/{}', `/api/personas/${persona.id}`, { temperature: '0.7', tools: 'memory' });
    await get('GET /api/personas/{}', `/api/personas/${persona.id}`);
    await get('GET /api/personas', '/api/personas');
    await change('DELETE /api/personas/{}', `/api/personas/${persona.id}`);
    const { prompt } = await change('POST /api/prompts', '/api/prompts', { name: 'Translate', text: 'Into {{language}}' });
    await change('PATCH /api/prompts/{}', `/api/prompts/${prompt.id}`, { text: 'To {{language}}' });
    await get('GET /api/prompts/{}', `/api/prompts/${prompt.id}`);
    await get('GET /api/prompts', '/api/prompts');
    await change('DELETE /api/prompts/{}', `/api/prompts/${prompt.id}`);
    const program = alfred.client();
    const signed = await program.postJson('/api/signin', { name: 'anna', password: PASSWORD });
    await check('POST /api/signin', signed);
    await check('GET /api/usage', await (await alfred.user('member')).get('/api/usage')); // has a limit
    await check('POST /api/signout', await program.postJson('/api/signout', {}, { csrf: signed.json.csrf }));
}

async function useSuggestions(get, change) {
    const { suggestions } = await get('GET /api/suggestions', '/api/suggestions');
    assert.ok(suggestions.length >= 2);
    const [one, two] = suggestions;
    await change('POST /api/suggestions/{}/keep', `/api/suggestions/${one.id}/keep`);
    await change('POST /api/suggestions/{}/undo', `/api/suggestions/${one.id}/undo`);
    await change('POST /api/suggestions/{}/dismiss', `/api/suggestions/${two.id}/dismiss`);
    await change('POST /api/suggestions/keep', '/api/suggestions/keep', { to: suggestions[0].id });
}

/** A session that can still be compacted. */
async function longSession() {
    let session = 'new';
    for (let i = 0; i < 11; i++) { // the last 20 messages stay
        const sent = await send(anna, `Remark ${i}`, { session, choice: 'offline/offline' });
        await ended(anna, sent.turn);
        session = sent.session;
    }
    return session;
}

test('the answers have exactly the properties of the schemas', async () => {
    let session = 'new';
    for (let i = 0; i < 13; i++) ({ session } = await exchange(anna, provider, i ? `Question ${i}` : 'I live in Hamburg and I always will', 'Answer', { session }));
    provider.always(callsTool('remember', { text: 'Likes green tea' }, 'Kept.'), (c) => asksForAnswer(c) && c.userText === 'Remember that I like green tea');
    await ended(anna, (await send(anna, 'Remember that I like green tea', { session })).turn);
    provider.always(callsTool('add_task', { text: 'Buy green tea' }, 'Shall I?'), (c) => asksForAnswer(c) && c.userText === 'There is no tea left');
    await ended(anna, (await send(anna, 'There is no tea left', { session })).turn);
    await exchange(anna, provider, 'Which tea do I like? Green tea?', 'Green.', { session });
    const at = `/api/sessions/${session}`;
    await until('all is written', async () => {
        const lists = await Promise.all([anna.getJson(`${at}/compactions`), anna.getJson(`${at}/summaries`), anna.getJson('/api/suggestions')]);
        return lists[0].compactions.length > 0 && lists[1].summaries.length > 0 && lists[2].suggestions.length > 0;
    });
    await usesAll(session);

    // Events of a running turn that calls a tool.
    const toldOf = 'Remember that I like rain';
    provider.always(callsTool('remember', { text: 'Likes rain' }, 'Kept, too.'), (c) => asksForAnswer(c) && c.userText === toldOf);
    const { request, response } = await anna.open('POST', `${at}/messages`, { json: { text: toldOf }, headers: { accept: 'text/event-stream' } });
    const named = new Set();
    for (const e of await new EventStream(request, response).until((one) => one.event === 'end')) {
        fits(JSON.parse(e.data), schemas[eventTables[e.event]], e.event);
        named.add(e.event);
    }
    for (const name of ['turn', 'usage', 'end']) assert.ok(named.has(name), name);

    assert.deepEqual(Object.keys(tables).filter((key) => !checked.has(key)), [], 'usesAll() calls none of these');
    for (const refused of [await anna.get('/api/sessions/nope'), await anna.get('/api/tasks?limit=many'), await anna.postJson('/api/tasks', {})]) { isOf(refused.json.error, 'Error', 'error'); isOf(refused.json.errors, ['FieldError'], 'errors'); }
    for (const [name, properties] of seen) {
        if (Object.values(eventTables).includes(name)) continue; // checked by fits(); each comes only when there is a reason
        const never = Object.keys(schemas[name]).filter((p) => !properties.has(p) && p !== 'retry_after'); // of a busy service only
        assert.deepEqual(never, [], `${name}: no answer had these`);
    }
});
