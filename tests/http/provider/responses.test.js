// A model that refuses tools with reasoning in chat completions is asked through /v1/responses: the chat, a tool, a title.
// Its reasoning goes back to it, and to no other model.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startStrict } from '../../fake/strict.js';
import { ENCRYPTED } from '../../fake/strict_responses.js';
import { ended, send, serveFile, sessionOf, TOPIC } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const CHAT = '/v1/chat/completions', RESPONSES = '/v1/responses', TITLE = 'A title by the model';

function reply(body) {
    const prompt = JSON.stringify(body.messages ?? body.input) + JSON.stringify(body.instructions ?? '');
    if (body.tools) return `Answered by ${body.model}.`;
    if (prompt.includes('three to five')) return TOPIC;
    if (prompt.includes('lasting facts')) return '[]';
    return prompt.includes('title') ? TITLE : `Answered by ${body.model}.`;
}

const withTools = (body) => body.tools?.length > 0;
const models = (responses) => [{ id: 'gpt-5.6', window: 400000, reasoning: 1500, responses }, { id: 'gpt-4.1', window: 128000 }];
const servers = {};
const refuses = { titles: (body) => !withTools(body), lackstitles: (body) => !withTools(body), lackseffort: (body) => withTools(body) && body.reasoning_effort };
for (const name of ['auto', 'chat', 'responses', 'tested', 'titles', 'lacks', 'lackseffort', 'lackstitles', 'lackstested', 'lacksset']) {
    servers[name] = await startStrict({ server: 'openai', models: models(refuses[name] ?? withTools), reply, noResponses: name.startsWith('lacks') });
    after(() => servers[name].stop());
}
const provider = (name, api) => ({ kind: 'openai', base_url: servers[name].url, ...(api && { api }) });
const alfred = await serveFile({
    config: { models: { discover: 'no' }, jobs: { retry_seconds: 0 }, 'provider.auto': provider('auto'), 'provider.chat': provider('chat', 'chat'), 'provider.responses': provider('responses', 'responses'), 'provider.tested': { ...provider('tested'), model: 'gpt-5.6' }, 'provider.titles': provider('titles'), 'provider.lacks': provider('lacks'), 'provider.lackseffort': provider('lackseffort'), 'provider.lackstitles': provider('lackstitles'), 'provider.lackstested': { ...provider('lackstested'), model: 'gpt-5.6' }, 'provider.lacksset': provider('lacksset', 'responses') },
});
const anna = await alfred.admin('anna');

async function ask(choice, text, options = {}) {
    const sent = await send(anna, text, { choice, ...options });
    const end = await ended(anna, sent.turn);
    assert.equal(end.status, 'done', end.error);
    return { session: sent.session, end, messages: (await sessionOf(anna, sent.session)).messages };
}
/** The requests with tools, which are those of chats: the end of the address, and the status. */
const chats = (name) => servers[name].requests.filter((r) => r.tools > 0).map((r) => [r.path, r.status]);
const titled = async (session) => until('the title by the model', async () => (await sessionOf(anna, session)).session.title === TITLE);

test('auto: a refusal that names /v1/responses is followed at once, and remembered', async () => {
    const first = await ask('auto/gpt-5.6', 'hello', { effort: 'low' });
    assert.equal(first.end.error, null);
    const { text, reasoning } = first.messages.at(-1);
    assert.deepEqual([text, reasoning], ['Answered by gpt-5.6.', 'They want an answer.']);
    assert.deepEqual(chats('auto'), [[CHAT, 400], [RESPONSES, 200]]);
    const { body } = servers.auto.requests.find((r) => r.path === RESPONSES);
    assert.deepEqual([body.reasoning, body.store, body.include], [{ effort: 'low' }, false, ['reasoning.encrypted_content']]);

    const tool = await ask('auto/gpt-5.6', 'Please call the tool current_time', { session: first.session });
    assert.deepEqual(tool.messages.slice(2).map((m) => m.role), ['user', 'assistant', 'tool', 'assistant']);
    assert.equal(tool.messages.at(-1).text, 'Answered by gpt-5.6.');
    await ask('auto/gpt-5.6', 'And a last word', { session: first.session });
    assert.deepEqual(chats('auto').slice(2), Array(3).fill([RESPONSES, 200]), 'no request is refused again');
    const kept = servers.auto.requests.findLast((r) => r.tools > 0).body.input.map((i) => i.type);
    assert.deepEqual(kept, ['message', 'message', 'message', 'reasoning', 'function_call', 'function_call_output', 'message', 'message']);
    await titled(first.session);

    await ask('auto/gpt-4.1', 'And you?', { session: first.session });
    const other = servers.auto.requests.findLast((r) => r.tools > 0);
    assert.equal(other.path, CHAT, 'another model of the provider is asked as before');
    assert.ok(!JSON.stringify(other.body).includes(ENCRYPTED));
    assert.deepEqual(servers.auto.requests.filter((r) => r.status !== 200).length, 1);
});

test('responses: all models are asked there, also those without reasoning', async () => {
    const chat = await ask('responses/gpt-5.6', 'Please call the tool current_time', { effort: 'high' });
    assert.equal(chat.messages.at(-1).text, 'Answered by gpt-5.6.');
    const plain = await ask('responses/gpt-4.1', 'Please call the tool current_time', { session: chat.session });
    assert.equal(plain.messages.at(-1).text, 'Answered by gpt-4.1.');
    await titled(chat.session);
    assert.ok(servers.responses.requests.every((r) => r.path === RESPONSES && r.status === 200), JSON.stringify(servers.responses.requests.map((r) => r.refusal)));
    assert.ok(!JSON.stringify(servers.responses.requests.at(-1).body).includes(ENCRYPTED));
});

test('chat: the effort is dropped, and when that does not help, the tools are; /v1/responses is not used', async () => {
    const { session, end } = await ask('chat/gpt-5.6', 'hello', { effort: 'low' });
    assert.match(end.error, /cannot use tools here, so this answer and the next ones are made without them/);
    assert.deepEqual(chats('chat'), [[CHAT, 400], [CHAT, 400]]);
    await ask('chat/gpt-5.6', 'And again', { session });
    assert.equal(chats('chat').length, 2, 'remembered');
    assert.ok(servers.chat.requests.every((r) => r.path === CHAT));
});

test('auto, and the server has no /v1/responses: chat completions without effort, and that is remembered', async () => {
    const first = await ask('lackseffort/gpt-5.6', 'Please call the tool current_time', { effort: 'low' });
    assert.equal(first.messages.at(-1).text, 'Answered by gpt-5.6.');
    assert.match(first.end.error, /does not support this effort here/);
    assert.deepEqual(chats('lackseffort').slice(0, 3), [[CHAT, 400], [RESPONSES, 404], [CHAT, 400]]);
    await ask('lackseffort/gpt-5.6', 'And again', { session: first.session, effort: 'low' });
    assert.deepEqual(chats('lackseffort').slice(3), [[CHAT, 200], [CHAT, 200], [CHAT, 400], [CHAT, 200]]);
});

test('auto, and the server has no /v1/responses: chat completions without tools, and that is remembered', async () => {
    const first = await ask('lacks/gpt-5.6', 'hello');
    assert.match(first.end.error, /cannot use tools here/);
    assert.deepEqual(chats('lacks'), [[CHAT, 400], [RESPONSES, 404], [CHAT, 400]]);
    const second = await ask('lacks/gpt-5.6', 'And again', { session: first.session });
    assert.equal(second.end.error, null);
    assert.equal(chats('lacks').length, 3);
});

test('responses, and the server has none: the sentence names the setting', async () => {
    const sent = await send(anna, 'hello', { choice: 'lacksset/gpt-5.6' });
    const end = await ended(anna, sent.turn);
    assert.deepEqual([end.status, end.error], ['failed', 'lacksset has no /v1/responses. Remove api = "responses" from its settings.']);
});

test('the test of a provider without /v1/responses says that the model has no tools', async () => {
    const tested = await alfred.cli(['provider', 'test', 'lackstested']);
    assert.match(tested.stdout, /Tools +wrong +The model does not support them here/, tested.stdout);
});

test('a background request to a server without /v1/responses ends, and the title is made by rule', async () => {
    const chat = await ask('lackstitles/gpt-5.6', 'Which tea is good in the evening?');
    await until('all ways were tried', () => servers.lackstitles.requests.filter((r) => r.tools === 0).length >= 3);
    await until('a title', async () => (await sessionOf(anna, chat.session)).session.title);
    assert.equal(servers.lackstitles.requests.filter((r) => r.path === RESPONSES).length, 1, 'it is remembered');
});

test('the test of a provider follows the refusal', async () => {
    const tested = await alfred.cli(['provider', 'test', 'tested']);
    assert.match(tested.stdout, /Tools +ok/, tested.stdout);
    assert.deepEqual(chats('tested'), [[CHAT, 400], [RESPONSES, 200]]);
});

test('a background request follows the refusal', async () => {
    const chat = await ask('titles/gpt-5.6', 'hello');
    await titled(chat.session);
    const last = servers.titles.requests.findLast((r) => r.tools === 0); // requests that were already on their way may be refused, too
    assert.deepEqual([servers.titles.requests.find((r) => r.status !== 200).path, last.path, last.status], [CHAT, RESPONSES, 200]);
});
