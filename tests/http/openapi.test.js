// The schemas of docs/openapi.yaml (scripts/openapi-schemas.js) against what the service answers: no property of an
// answer is missing there, none is left over, and each has the type that it says.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers as tables, schemas, typeOf } from '../../scripts/openapi-schemas.js';
import { answers, callsTool } from '../fake/provider.js';
import { asksForAnswer, asksForCompaction, asksForFacts, asksForSummary, ended, exchange, provide, send, serveFile } from '../lib/chat.js';
import { until } from '../lib/rig.js';

const provider = await provide();
provider.always(answers('A note.'), asksForSummary);
provider.always(answers(JSON.stringify({ summary: 'So far.', facts: ['Anna likes tea.'] })), asksForCompaction);
provider.always(answers(JSON.stringify([{ text: 'Lives in Hamburg', message: 1 }])), (call) => asksForFacts(call) && call.prompt.includes('Hamburg'));
const alfred = await serveFile({ env: provider.env, config: { session: { idle_minutes: 0 }, jobs: { retry_seconds: 0 }, context: { compact_messages: 24, model_window: 16_000 } } });
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
    assert.ok(answer.status < 300, `${key}: ${answer.text}`);
    fits(answer.json, tables[key], key);
    checked.add(key);
}

test('what the service answers has the properties of the schemas, and these have nothing else', async () => {
    let session = 'new';
    for (let i = 0; i < 13; i++) ({ session } = await exchange(anna, provider, i ? `Question ${i}` : 'I live in Hamburg and I always will', 'Answer', { session }));
    provider.always(callsTool('remember', { text: 'Likes green tea' }, 'Kept.'), (c) => asksForAnswer(c) && c.userText === 'Remember that I like green tea');
    await ended(anna, (await send(anna, 'Remember that I like green tea', { session })).turn);
    await exchange(anna, provider, 'Which tea do I like? Green tea?', 'Green.', { session });
    const at = `/api/sessions/${session}`;
    await until('all is written', async () => {
        const lists = await Promise.all([anna.getJson(`${at}/compactions`), anna.getJson(`${at}/summaries`), anna.getJson('/api/memories/suggestions')]);
        return lists[0].compactions.length > 0 && lists[1].summaries.length > 0 && lists[2].suggestions.length > 0;
    }, 30_000);
    await check('POST /api/memories', await anna.postJson('/api/memories', { text: 'Bees are kind' }));
    const task = await anna.postJson('/api/tasks', { text: 'Buy bread' });
    await check('POST /api/tasks', task);
    await anna.request('PATCH', `/api/tasks/${task.json.task.id}`, { json: { done: true } });
    const exported = await anna.postJson('/api/exports', {});
    await check('POST /api/exports', exported);
    const [made] = (await anna.getJson(`${at}/compactions`)).compactions;
    for (const [key, path] of [
        ['GET /api/sessions', '/api/sessions'],
        ['GET /api/sessions/{}', `${at}?limit=200`],
        ['GET /api/sessions/{}/summaries', `${at}/summaries`],
        ['GET /api/sessions/{}/compactions', `${at}/compactions`],
        ['GET /api/sessions/{}/compactions/{}', `${at}/compactions/${made.id}`],
        ['GET /api/memories', '/api/memories'],
        ['GET /api/memories/suggestions', '/api/memories/suggestions'],
        ['GET /api/tasks', '/api/tasks?show=all'],
        ['GET /api/transfers', '/api/transfers'],
        ['GET /api/transfers/{}', `/api/transfers/${exported.json.transfer.id}`],
    ]) await check(key, await anna.get(path));
    assert.deepEqual([...checked].toSorted(), Object.keys(tables).toSorted(), 'each answer of the tables was asked for');

    for (const refused of [await anna.get('/api/sessions/nope'), await anna.postJson('/api/tasks', {})]) isOf(refused.json.error, 'Error', 'error');
    for (const [name, properties] of seen) {
        const never = Object.keys(schemas[name]).filter((p) => !properties.has(p) && p !== 'retry_after'); // of a busy service only
        assert.deepEqual(never, [], `${name}: no answer had these`);
    }
});
