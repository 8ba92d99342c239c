// The user's instructions, personas and settings of a session, as the provider gets them.
import { test } from 'node:test';
import assert from 'node:assert/strict';

import { answers, fails } from '../../fake/provider.js';
import { asksForAnswer, ended, exchange, provide, send, serveFile, sessionOf } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const provider = await provide();
const alfred = await serveFile({ env: { ...provider.env, ...provider.anthropicEnv } });
const anna = await alfred.admin('anna');
const kinds = Object.fromEntries((await anna.getJson('/api/me')).choices.map((c) => [c.kind, c.value]));
const last = () => provider.calls.findLast(asksForAnswer);
const system = (call) => call.body.messages[0].content;

test('instructions of the account are in the prompt of every session, the same bytes from turn to turn', async () => {
    await anna.request('PATCH', '/api/settings', { json: { about_me: 'I bake bread.', answer_style: 'Use metric units.' } });
    const { session } = await exchange(anna, provider, 'Hello', 'Hi.', { choice: kinds.openai });
    const first = system(last());
    assert.match(first, /I bake bread\.[^]*Use metric units\./);
    assert.match((await anna.get(`/s/${session}`)).text, /Instructions: About me, How to answer/);
    await exchange(anna, provider, 'And now?', 'Now.', { session });
    assert.equal(system(last()), first);
    await exchange(anna, provider, 'Claude?', 'Yes.', { choice: kinds.anthropic });
    assert.match(JSON.stringify(last().body.system), /I bake bread/);
    await anna.request('PATCH', '/api/settings', { json: { about_me: '' } });
    await exchange(anna, provider, 'And again?', 'Again.', { session });
    assert.doesNotMatch(system(last()), /I bake bread/);
});

const persona = async (client, more) => (await client.postJson('/api/personas', { name: 'Cook', text: 'You are a patient cook.', ...more })).json.persona;

test('a persona brings its instructions, its model, its temperature and its tools, until another is chosen', async () => {
    const cook = await persona(anna, { choice: kinds.anthropic, temperature: '0,7', tools: 'memory' });
    assert.deepEqual({ ...cook, id: undefined }, {
        id: undefined, name: 'Cook', text: 'You are a patient cook.', shared: false, own: true, can_change: true, choice: kinds.anthropic, temperature: '0.7', tools: 'memory',
    });
    const { session } = await exchange(anna, provider, 'What is for dinner?', 'Soup.', { persona: cook.id });
    const call = last();
    assert.match(JSON.stringify(call.body.system), /You are a patient cook/);
    assert.equal(call.body.temperature, 0.7);
    const names = call.body.tools.map((t) => t.name);
    assert.ok(names.includes('remember') && !names.includes('add_task') && !names.includes('search_sessions'), names.join());
    await exchange(anna, provider, 'And tomorrow?', 'Bread.', { session });
    assert.deepEqual(last().body.system, call.body.system);
    assert.equal((await sessionOf(anna, session)).session.persona, cook.id);

    await exchange(anna, provider, 'Without', 'Fine.', { session, persona: '0', choice: kinds.openai });
    assert.doesNotMatch(last().raw.toString(), /patient cook|"temperature"/);
    assert.ok(last().body.tools.length > names.length);
    assert.equal((await sessionOf(anna, session)).session.persona, null);
    assert.equal((await anna.request('DELETE', `/api/personas/${cook.id}`)).status, 200);
});

test('temperature and length of a session go with each request; what a model refuses is dropped, and the user is told', async () => {
    const { session } = await exchange(anna, provider, 'First', 'One.', { choice: kinds.openai });
    const set = (json) => anna.request('PATCH', `/api/sessions/${session}`, { json });
    for (const bad of [{ temperature: '3' }, { temperature: 'warm' }, { answer_tokens: -1 }, { persona: 999 }, { effort: 'huge' }]) assert.equal((await set(bad)).status, 400, JSON.stringify(bad));
    const changed = await set({ temperature: '1.25', answer_tokens: 300 });
    assert.equal(changed.json.session.temperature, '1.25');
    await exchange(anna, provider, 'Second', 'Two.', { session });
    assert.equal(last().body.temperature, 1.25);
    assert.equal(last().body.max_tokens ?? last().body.max_completion_tokens, 300);

    const refusal = "Unsupported value: 'temperature' does not support 1.25 with this model. Only the default (1) value is supported.";
    provider.next(fails(400, { message: refusal }), (c) => asksForAnswer(c) && c.userText === 'Third');
    provider.next(answers('Three.'), (c) => asksForAnswer(c) && c.userText === 'Third' && c.body.temperature === undefined);
    const sent = await send(anna, 'Third', { session });
    assert.equal((await ended(anna, sent.turn)).status, 'done');
    assert.match((await anna.get(`/s/${session}`)).text, /does not support this temperature here/);
    await exchange(anna, provider, 'Next', 'Again.', { session });
    assert.doesNotMatch(last().raw.toString(), /"temperature"/, 'it is remembered that the model takes none');
    assert.doesNotMatch((await anna.get(`/s/${session}`)).text.split('Next').at(-1), /does not support this temperature here/);
    await set({ temperature: '' });
    const too = 'max_tokens is too large: 300. This model supports at most 200 completion tokens, whereas you provided 300.';
    provider.next(fails(400, { message: too }), (c) => asksForAnswer(c) && c.userText === 'Fourth');
    provider.next(answers('Four.'), (c) => asksForAnswer(c) && c.userText === 'Fourth' && c.body.max_tokens !== 300);
    assert.equal((await ended(anna, (await send(anna, 'Fourth', { session })).turn)).status, 'done');
    assert.match((await anna.get(`/s/${session}`)).text, /length that is set for this session/);
});

test('personas and prompts: own and shared, changed by those who may', async () => {
    const bob = await alfred.user('bob');
    const shared = await persona(anna, { name: 'Shared', shared: true });
    assert.equal((await bob.postJson('/api/personas', { name: 'Mine', text: 'x', shared: true })).status, 403);
    const own = await persona(bob, { name: 'Mine' });
    assert.deepEqual((await bob.getJson('/api/personas')).personas.map((p) => [p.name, p.own, p.can_change]), [['Mine', true, true], ['Shared', false, false]]);
    assert.equal((await bob.request('PATCH', `/api/personas/${shared.id}`, { json: { text: 'Evil' } })).status, 404);
    assert.equal((await bob.request('DELETE', `/api/personas/${shared.id}`)).status, 404);
    assert.equal((await anna.request('PATCH', `/api/personas/${own.id}`, { json: { text: 'Evil' } })).status, 404);
    assert.equal((await bob.postJson('/api/personas', { name: 'mine', text: 'x' })).status, 409);
    for (const bad of [{ name: '' }, { text: ' ' }, { name: 'x'.repeat(61) }, { text: 'x'.repeat(8001) }, { choice: 'no/such' }, { tools: 'fire' }, { temperature: '2.5' }])
        assert.ok([400, 413].includes((await bob.postJson('/api/personas', { name: 'New', text: 'x', ...bad })).status), JSON.stringify(bad).slice(0, 40));
    await exchange(bob, provider, 'Hello', 'Hi.', { persona: shared.id });
    assert.match(last().raw.toString(), /patient cook/);
    await bob.postJson('/api/prompts', { name: 'Translate', text: 'Into {{language}}: {{text}}' });
    assert.deepEqual((await bob.getJson('/api/prompts')).prompts.map((p) => p.text), ['Into {{language}}: {{text}}']);
    assert.equal((await anna.getJson('/api/prompts')).prompts.length, 0);
});

test('the pages of the library keep what was typed when it is refused', async () => {
    const carl = await alfred.user('carl');
    assert.match((await carl.get('/prompts')).text, /New prompt/);
    const made = await carl.postAndFollow('/prompts', { name: 'Sum up', text: 'Sum up {{text}}' });
    assert.match(made.text, /Saved\./);
    assert.match(made.text, /Sum up \{\{text\}\}/);
    const long = await carl.post('/prompts', { name: 'Long', text: `<i>${'x'.repeat(8000)}` });
    assert.equal(long.status, 413);
    assert.ok(long.text.includes(`&lt;i&gt;${'x'.repeat(8000)}`));
    const { prompts } = await carl.getJson('/api/prompts');
    const changed = await carl.postAndFollow(`/prompts/${prompts[0].id}`, { name: 'Sum', text: 'Short: {{text}}' });
    assert.match(changed.text, /Short: /);
    assert.match((await carl.postAndFollow(`/prompts/${prompts[0].id}/delete`, {})).text, /Deleted\./);
    await carl.postAndFollow('/personas', { name: 'Cook', text: 'You cook.', temperature: '0.3', tools_memory: 'yes' });
    const [cook] = (await carl.getJson('/api/personas')).personas;
    assert.deepEqual([cook.temperature, cook.tools.trim()], ['0.3', 'memory']);
    const { session } = await exchange(carl, provider, 'Hello there', 'Hi.');
    const page = await carl.postAndFollow(`/sessions/${session}/answers`, { persona: cook.id, temperature: '0.9', answer_tokens: '50' });
    assert.match(page.text, /settings of this session are saved/);
    const s = (await sessionOf(carl, session)).session;
    assert.deepEqual([s.persona, s.temperature, s.answer_tokens], [cook.id, '0.9', 50]);
    assert.equal((await carl.post(`/sessions/${session}/answers`, { temperature: '9' })).status, 400);
    await carl.postAndFollow(`/sessions/${session}/answers`, { persona: '0', temperature: '', answer_tokens: '' });
    const after = (await sessionOf(carl, session)).session;
    assert.deepEqual([after.persona, after.temperature, after.answer_tokens], [null, null, 0]);
});

test('a workspace has instructions of its own, for its sessions only', async () => {
    const dora = await alfred.user('dora');
    const set = await dora.request('PATCH', '/api/workspace/instructions', { json: { workspace: ' Garden ', text: 'Use Latin plant names.' } });
    assert.deepEqual(set.json, { workspace: 'Garden', text: 'Use Latin plant names.' });
    const { session } = await exchange(dora, provider, 'What blooms?', 'Crocus.', { workspace: 'Garden' });
    const first = last().raw.toString();
    assert.match(first, /Latin plant names/);
    await exchange(dora, provider, 'And outside?', 'Snow.');
    assert.doesNotMatch(last().raw.toString(), /Latin plant names/);
    assert.match((await dora.get('/sessions?workspace=Garden')).text, /workspace\/instructions\?workspace=Garden/);
    const page = await dora.postAndFollow('/workspace/instructions', { workspace: 'Garden', text: 'Common names.' });
    assert.match(page.text, /Saved\.[^]*Common names\./);
    const long = await dora.post('/workspace/instructions', { workspace: 'Garden', text: 'y'.repeat(4001) });
    assert.equal(long.status, 413);
    assert.ok(long.text.includes('y'.repeat(4001)));
    await exchange(dora, provider, 'Now?', 'Rose.', { session });
    assert.match(last().raw.toString(), /Common names/);
    assert.equal((await anna.getJson('/api/workspace/instructions?workspace=Garden')).text, '');
    assert.equal((await dora.request('PATCH', '/api/workspace/instructions', { json: { workspace: ' ', text: 'x' } })).status, 400);
});

test('an export has settings, instructions, personas and prompts; an import adds what is missing', async () => {
    const emil = await alfred.user('emil'), fred = await alfred.user('fred');
    await emil.request('PATCH', '/api/settings', { json: { theme: 'dark', about_me: 'I row.' } });
    await emil.request('PATCH', '/api/workspace/instructions', { json: { workspace: 'Boats', text: 'In knots.' } });
    for (const [name, text] of [['list.md', 'Oars\n"two"\n'], ['kept.txt', 'of emil']]) await emil.postJson('/api/workspace/files', { workspace: 'Boats', name, text });
    await persona(emil, { name: 'Cox', temperature: '0', tools: 'memory' });
    await emil.postJson('/api/prompts', { name: 'Sum up', text: 'Sum up {{text}}' });
    const { session } = await exchange(emil, provider, 'Which oar?', 'This one.');
    assert.equal((await emil.postJson('/api/commands', { line: '/clear', session })).status, 200);
    await exchange(emil, provider, 'And now?', 'That one.', { session });
    const db = alfred.openDatabase();
    db.exec(`INSERT INTO channel_identity (channel, external_id, name, user_id, created_at, linked_at) VALUES ('telegram', '7', 'Emil', (SELECT id FROM user WHERE name = 'emil'), 1, 1)`);
    db.close();
    const file = alfred.cli(['export', 'emil']);
    const out = (await file).stdout ?? (await file);
    const lines = String(out).trim().split('\n').map((l) => JSON.parse(l));
    assert.deepEqual(lines.slice(1, 9).map((l) => l.type), ['setting', 'setting', 'linked_account', 'workspace_instruction', 'workspace_file', 'workspace_file', 'persona', 'prompt']);

    await fred.request('PATCH', '/api/settings', { json: { theme: 'light' } });
    await fred.postJson('/api/workspace/files', { workspace: 'Boats', name: 'KEPT.txt', text: 'of fred' });
    const filesOf = async (client) => Promise.all((await client.getJson('/api/workspace/files?workspace=Boats')).files.map(async ({ id, name, changed_at }) => [name, changed_at, (await client.getJson(`/api/workspace/files/${id}`)).file.text]));
    const [, list] = await filesOf(emil), [own] = await filesOf(fred);
    for (let times = 1; times <= 2; times++) {
        await fred.request('POST', '/api/imports', { body: String(out), headers: { 'content-type': 'application/octet-stream', accept: 'application/json' } });
        await until('the import has ended', async () => (await fred.getJson('/api/transfers')).transfers.filter((x) => x.state === 'done').length === times);
        assert.deepEqual(await filesOf(fred), [own, list], 'an own file stays, and nothing is there twice');
    }
    const [copy] = (await fred.getJson('/api/sessions')).sessions;
    const { messages } = await fred.getJson(`/api/sessions/${copy.id}/messages`);
    assert.deepEqual(messages.map((m) => m.compaction?.messages ?? null), [null, null, 2, null], 'the context stays empty above');
    const s = await fred.getJson('/api/settings');
    assert.deepEqual([s.theme, s.about_me], ['light', 'I row.']);
    assert.equal((await fred.getJson('/api/workspace/instructions?workspace=Boats')).text, 'In knots.');
    const [cox] = (await fred.getJson('/api/personas')).personas.filter((p) => p.own);
    assert.deepEqual([cox.name, cox.temperature, cox.tools], ['Cox', '0', 'memory']);
    assert.deepEqual((await fred.getJson('/api/prompts')).prompts.map((p) => p.name), ['Sum up']);
});
