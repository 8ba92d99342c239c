// /v1: what programs ask of an answer reaches each kind of provider in its own form: the choice of a tool, the format, stops,
// top_p, the effort. The strict servers refuse what the real ones refuse.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import OpenAI from 'openai';

import { startStrict } from '../../fake/strict.js';
import { serveFile } from '../../lib/chat.js';

process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'; // the certificate of the rig

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const closed = { ...schema, additionalProperties: false };
const wants = (body) => body.response_format ?? body.text?.format ?? body.output_config?.format;
const reply = (body) => (wants(body) ? '{"city":"Ulm"}' : 'Thought: look. Observation: none');
const openai = await startStrict({ reply, models: [{ id: 'gpt-4.1', window: 128000 }, { id: 'gpt-5.1', window: 400000, reasoning: 3 }, { id: 'gpt-5.6', window: 400000, reasoning: 3, responses: () => true }, { id: 'finetune', window: 9000, reasoning: 3 }] });
const claude = await startStrict({ server: 'anthropic', reply, models: ['claude-sonnet-4-5', 'claude-opus-4-6', 'claude-sonnet-5', 'claude-opus-5-5'].map((id) => ({ id, window: 200000 })) });
for (const server of [openai, claude]) after(() => server.stop());
const alfred = await serveFile({
    config: {
        models: { discover: 'no' },
        'provider.openai': { kind: 'openai', base_url: openai.url },
        'provider.newer': { kind: 'openai', base_url: openai.url, api: 'responses' },
        'provider.claude': { kind: 'anthropic', base_url: claude.url },
    },
});
const anna = await alfred.admin('anna');
const keyFor = async (more) => (await anna.postJson('/api/tokens', { name: 'client', scopes: 'chat', ...more })).json.secret;
const client = async (more) => new OpenAI({ apiKey: await keyFor(more), baseURL: new URL('/v1', anna.base).href, maxRetries: 0 });
const ai = await client();
const tool = (name) => ({ type: 'function', function: { name, parameters: schema } });
const tools = [tool('look'), tool('listen')];
const named = { type: 'function', function: { name: 'listen' } };
const format = { type: 'json_schema', json_schema: { name: 'city', strict: true, schema: closed } };

const QUESTION = 'Which city? As JSON.';
/** Not a request for a title or a summary. */
const isAsked = ({ body }) => !/title|three to five|lasting facts/.test(JSON.stringify([body.messages ?? body.input, body.system, body.instructions]));
/** The answer, and the last body that the provider got. */
async function ask(model, more, as = ai) {
    const { choices } = await as.chat.completions.create({ model, messages: [{ role: 'user', content: QUESTION }], ...more });
    const server = model.startsWith('claude') ? claude : openai;
    return { message: choices[0].message, finish: choices[0].finish_reason, body: server.requests.findLast(isAsked).body };
}
const refused = (param, words = '') => (e) => {
    assert.ok(e instanceof OpenAI.BadRequestError, `${e}`);
    assert.equal(e.param, param, e.message);
    assert.match(e.error.message, new RegExp(words));
    return true;
};

test('a call is demanded of every kind of provider', async () => {
    for (const [model, any, one] of [
        ['openai/gpt-4.1', 'required', named],
        ['newer/gpt-5.6', 'required', { type: 'function', name: 'listen' }],
        ['claude/claude-sonnet-4-5', { type: 'any' }, { type: 'tool', name: 'listen' }],
    ]) {
        const first = await ask(model, { tools, tool_choice: 'required' });
        assert.deepEqual([first.finish, first.message.tool_calls[0].function.name, first.body.tool_choice], ['tool_calls', 'look', any], model);
        const second = await ask(model, { tools, tool_choice: named });
        assert.deepEqual([second.message.tool_calls[0].function.name, second.body.tool_choice], ['listen', one], model);
    }
    await assert.rejects(ask('openai/gpt-4.1', { tool_choice: 'required' }), refused('tool_choice', 'tools'));
    await assert.rejects(ask('openai/gpt-4.1', { tools: [tool('look')], tool_choice: named }), refused('tool_choice'));
});

test('thinking is left out of a request whose answer must be a call; a model that always thinks refuses it', async () => {
    const { body: older } = await ask('claude/claude-opus-4-6', { tools, tool_choice: 'required', reasoning_effort: 'xhigh' });
    assert.deepEqual([older.thinking, older.output_config], [undefined, { effort: 'high' }]);
    assert.deepEqual((await ask('claude/claude-sonnet-5', { tools, tool_choice: named })).body.thinking, { type: 'disabled' });
    await assert.rejects(ask('claude/claude-opus-5-5', { tools, tool_choice: named }), refused(null, 'not supported for this model'));
});

test('the format of an answer is demanded of every kind of provider', async () => {
    const chat = await ask('openai/gpt-4.1', { response_format: format });
    assert.deepEqual([JSON.parse(chat.message.content), chat.body.response_format], [{ city: 'Ulm' }, format]);
    const { body: newer } = await ask('newer/gpt-5.6', { response_format: format });
    assert.deepEqual(newer.text.format, { type: 'json_schema', name: 'city', strict: true, schema: closed });
    const open = { type: 'json_schema', json_schema: { name: 'city', schema } };
    const { body, message } = await ask('claude/claude-sonnet-4-5', { response_format: open });
    assert.deepEqual([JSON.parse(message.content), body.output_config.format], [{ city: 'Ulm' }, { type: 'json_schema', schema: closed }]);

    const json = { response_format: { type: 'json_object' } };
    assert.deepEqual((await ask('openai/gpt-4.1', json)).body.response_format, { type: 'json_object' });
    assert.deepEqual((await ask('newer/gpt-5.6', json)).body.text.format, { type: 'json_object' });
    await assert.rejects(ask('claude/claude-sonnet-4-5', json), refused('response_format', 'claude-sonnet-4-5'));
    const lax = { type: 'json_schema', json_schema: { name: 'city', strict: true, schema } };
    await assert.rejects(ask('openai/gpt-4.1', { response_format: lax }), refused(null, 'additionalProperties'));
});

test('stops end an answer, where the provider has them', async () => {
    const stop = ['Observation:'];
    const chat = await ask('openai/gpt-4.1', { stop });
    assert.deepEqual([chat.message.content, chat.finish, chat.body.stop], ['Thought: look. ', 'stop', stop]);
    const messages = await ask('claude/claude-sonnet-4-5', { stop: stop[0] });
    assert.deepEqual([messages.message.content, messages.finish, messages.body.stop_sequences], ['Thought: look. ', 'stop', stop]);
    await assert.rejects(ask('newer/gpt-5.6', { stop }), refused('stop', 'gpt-5.6'));
    await assert.rejects(ask('openai/gpt-5.1', { stop }), refused(null, "'stop' is not supported"));
    await assert.rejects(ask('openai/gpt-5.6', { stop }), refused(null), 'the model answers in /responses only, which has no stops');
});

test('top_p goes to models that take it, and alone where they do not take a temperature beside it', async () => {
    assert.equal((await ask('openai/gpt-4.1', { top_p: 0.8 })).body.top_p, 0.8);
    assert.equal((await ask('claude/claude-sonnet-4-5', { top_p: 0.8 })).body.top_p, 0.8);
    const { body: both } = await ask('claude/claude-sonnet-4-5', { top_p: 0.8, temperature: 0.5 });
    assert.deepEqual([both.temperature, both.top_p], [0.5, undefined]);
    for (const model of ['openai/gpt-5.1', 'claude/claude-opus-5-5']) assert.equal((await ask(model, { top_p: 0.8 })).body.top_p, undefined, model);
    const { message } = await ask('openai/finetune', { top_p: 0.8 });
    assert.match(message.content, /Thought/, 'after a refusal it is left out');
    assert.deepEqual(openai.requests.filter((r) => r.model === 'finetune' && isAsked(r)).map((r) => [r.status, r.body.top_p]), [[400, 0.8], [200, undefined]]);
});

test('an effort becomes the nearest one of the model; the session keeps one of its own', async () => {
    for (const [model, asked, sent] of [['openai/gpt-5.1', 'none', 'none'], ['openai/gpt-5.1', 'minimal', 'low'], ['openai/gpt-5.1', 'xhigh', 'high'], ['openai/gpt-4.1', 'minimal', undefined]])
        assert.equal((await ask(model, { reasoning_effort: asked })).body.reasoning_effort, sent, `${model} ${asked}`);
    assert.deepEqual((await ask('newer/gpt-5.6', { reasoning_effort: 'xhigh' })).body.reasoning, { effort: 'xhigh' });
    const { response } = await ai.chat.completions.create({ model: 'openai/gpt-5.1', messages: [{ role: 'user', content: 'Think hard' }], reasoning_effort: 'none' }).withResponse();
    assert.equal((await anna.getJson(`/api/sessions/${response.headers.get('x-session-id')}`)).session.effort, 'low');
    await assert.rejects(ask('openai/gpt-5.1', { reasoning_effort: 'huge' }), refused('reasoning_effort'));
});

test("Alfred's tools are not offered where the answer must be a call or JSON", async () => {
    const own = await client({ use_tools: true });
    const names = async (more) => ((await ask('openai/gpt-4.1', more, own)).body.tools ?? []).map((t) => t.function.name);
    assert.ok((await names({ tools })).includes('add_task'));
    assert.deepEqual(await names({ tools, tool_choice: 'required' }), ['look', 'listen']);
    assert.deepEqual(await names({ response_format: format }), []);
});

test('a request of system messages is a question', async () => {
    const messages = [{ role: 'system', content: 'Name a city' }];
    const { data, response } = await ai.chat.completions.create({ model: 'claude/claude-sonnet-4-5', messages }).withResponse();
    assert.match(data.choices[0].message.content, /Thought/);
    const stored = (await anna.getJson(`/api/sessions/${response.headers.get('x-session-id')}/messages`)).messages;
    assert.deepEqual(stored.map((m) => [m.role, m.text]).slice(0, 1), [['user', 'Name a city']]);
});

test('what only tunes other servers is ignored; the built-in model refuses what it cannot do', async () => {
    const { body } = await ask('openai/gpt-4.1', { top_k: 20, min_p: 0.1, repetition_penalty: 1.1, chat_template_kwargs: { enable_thinking: false } });
    assert.ok(!JSON.stringify(body).includes('top_k'));
    const offline = (await ai.models.list()).data.find((m) => m.id.startsWith('offline')).id;
    await assert.rejects(ask(offline, { tools, tool_choice: 'required' }), refused('tool_choice'));
    await assert.rejects(ask(offline, { response_format: format }), refused('response_format'));
    await assert.rejects(ask(offline, { stop: 'x' }), refused('stop'));
});
