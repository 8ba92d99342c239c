// Every kind of server, as strict as its documentation: a chat, a tool, a title and a summary of one session. No
// request of Alfred is refused, and Ollama, which cuts silently, never has to.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startStrict } from '../../fake/strict.js';
import { ended, send, serveFile, sessionOf, stop, TOPIC } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const TITLE = 'A title by the model', SUMMARY = 'They greeted each other, by the model.';
const TOOLS_FROM = 4096; // tokens: a smaller window has no room for tools

/** A model's answer to each kind of request. */
function reply(body) {
    const prompt = JSON.stringify(body.messages) + JSON.stringify(body.system ?? '');
    if (body.tools) return `Answered by ${body.model}.`;
    if (prompt.includes('**Open ends**')) return SUMMARY;
    if (prompt.includes('three to five')) return TOPIC;
    if (prompt.includes('lasting facts')) return '[]';
    if (prompt.includes('You shorten the older part')) return JSON.stringify({ summary: 'Older.', facts: [] });
    return prompt.includes('title') ? TITLE : `Answered by ${body.model}.`;
}

const profiles = {
    openai: { server: 'openai', models: [{ id: 'gpt-4.1', window: 128000 }] },
    anthropic: { server: 'anthropic', models: [{ id: 'claude-sonnet-5', window: 200000 }] },
    openrouter: { server: 'openrouter', models: [{ id: 'maker/model', window: 32768 }] },
    vllm: { server: 'vllm', models: [{ id: 'mistral-7b', window: 8192, alternates: true }] },
    lmstudio: { server: 'lmstudio', models: [{ id: 'gemma', window: 4096, alternates: true }] },
    ollama: { server: 'ollama', models: [{ id: 'llama3.2:latest' }] },
    llama1024: { server: 'llama.cpp', models: [{ id: 'tiny.gguf', window: 1024 }] },
    llama2048: { server: 'llama.cpp', models: [{ id: 'small.gguf', window: 2048 }] },
    llama32k: { server: 'llama.cpp', models: [{ id: 'large.gguf', window: 32768 }] },
    thinker: { server: 'llama.cpp', models: [{ id: 'thinker.gguf', window: 32768, reasoning: 1500 }] },
    claudethinker: { server: 'anthropic', models: [{ id: 'claude-opus-5', window: 200000, reasoning: 1500 }] },
    claudesmall: { server: 'anthropic', models: [{ id: 'claude-haiku-4-5', window: 20000 }], set: { window: 20000 } },
    mistral: { server: 'mistral', address: 'http://api.mistral.ai/v1', models: [{ id: 'mistral-medium-latest', window: 131072 }] },
    magistral: { server: 'mistral', address: 'http://api.mistral.ai/v1', models: [{ id: 'magistral-medium-latest', window: 131072, reasoning: 40 }] },
    gemini: { server: 'gemini', address: 'http://generativelanguage.googleapis.com/v1beta/openai', models: [{ id: 'gemini-3-flash-preview', window: 1048576, reasoning: 800 }] },
    deepseek: { server: 'deepseek', address: 'http://api.deepseek.com/v1', models: [{ id: 'deepseek-v4-pro', window: 131072, reasoning: 1500 }] },
    azure: { server: 'azure', address: 'http://resource.openai.azure.com/openai/v1', key: 'azure-key', models: [{ id: 'my-deployment', window: 128000, reasoning: 600 }], set: { key_env: 'MY_AZURE_KEY', key_header: 'api-key', models: ['my-deployment'] } },
    vllmthinker: { server: 'vllm', models: [{ id: 'qwq', window: 16384, reasoning: 1500 }] },
};
/** Models whose system message is refused. Gemma has no tools there, either. */
const withoutSystem = {
    gemma: { server: 'gemini', address: 'http://generativelanguage.googleapis.com/v1beta/openai', models: [{ id: 'gemma-3-27b-it', window: 131072, noSystem: true, tools: false }] },
    mistral7b: { server: 'lmstudio', models: [{ id: 'mistral-7b-instruct-v0.3', window: 8192, noSystem: true, alternates: true }] },
    gemma2: { server: 'vllm', models: [{ id: 'gemma-2-9b-it', window: 8192, noSystem: true, alternates: true }] },
};
const gateway = { server: 'deepseek', models: [{ id: 'thinks', window: 65536, reasoning: 40 }] };
/** A gateway whose names do not tell that the model reasons, and one that knows the older name of the limit only. */
const limits = {
    alias: { server: 'openrouter', newLimit: true, models: [{ id: 'house-model', window: 131072, reasoning: 40 }] },
    older: { server: 'databricks', models: [{ id: 'gpt-5-house', window: 131072 }] },
};
const databricks = { server: 'databricks', models: [{ id: 'databricks-gpt-oss-120b', window: 131072 }] };
const config = {};
for (const [name, profile] of Object.entries({ ...profiles, ...withoutSystem, ...limits, gateway, databricks })) {
    profile.strict = await startStrict({ ...profile, reply });
    after(() => profile.strict.stop());
    config[`provider.${name}`] = { kind: profile.server === 'anthropic' ? 'anthropic' : 'openai', base_url: profile.address ?? profile.strict.url, ...(profile.address && { proxy: profile.strict.url }), ...profile.set };
}
const alfred = await serveFile({ env: { MY_AZURE_KEY: 'azure-key' }, config: { models: { discover: 'no' }, session: { idle_minutes: 0 }, jobs: { retry_seconds: 0 }, ...config } });
const anna = await alfred.admin('anna');

async function ask(choice, text, session = 'new') {
    const sent = await send(anna, text, { choice, session });
    const end = await ended(anna, sent.turn);
    assert.equal(end.status, 'done', end.error);
    return { session: sent.session, end, messages: (await sessionOf(anna, sent.session)).messages };
}
const refusals = (strict) => strict.requests.filter((r) => r.status !== 200).map((r) => [r.status, r.tokens, r.body.max_tokens, r.refusal]);

for (const [name, { strict, models }] of Object.entries(profiles)) {
    test(`${name}: a chat, a tool, a title and a summary, and no request is refused`, async () => {
        const [{ id, window = 4096 }] = models, choice = `${name}/${id}`;
        const chat = await ask(choice, 'hello');
        assert.equal(chat.end.error, null);
        assert.equal(chat.messages.at(-1).text, `Answered by ${id}.`);

        const tool = await ask(choice, 'Please call the tool current_time', chat.session);
        const roles = tool.messages.slice(2).map((m) => m.role);
        if (window >= TOOLS_FROM) assert.deepEqual(roles, ['user', 'assistant', 'tool', 'assistant']);
        assert.equal(tool.messages.at(-1).text, `Answered by ${id}.`);
        const more = await ask(choice, 'And a last word', chat.session);
        assert.equal(more.messages.at(-1).text, `Answered by ${id}.`);

        await until('the title by the model', async () => (await sessionOf(anna, chat.session)).session.title === TITLE);
        const [summary] = await until('a summary', async () => {
            const { summaries } = await anna.getJson(`/api/sessions/${chat.session}/summaries`);
            return summaries.length > 0 && summaries;
        });
        assert.match(summary.text, /by the model/);
        assert.deepEqual(refusals(strict), []);
        assert.ok(strict.requests.every((r) => !r.cut));
        assert.ok(strict.requests.every((r) => r.body.return_progress === (profiles[name].server === 'llama.cpp' || undefined)), 'only llama.cpp is asked for its progress');
    });
}

for (const [name, { strict, models }] of Object.entries(withoutSystem)) {
    test(`${name}: a system message that is refused begins the first question, in chats and for the title`, async () => {
        const [{ id }] = models;
        const chat = await ask(`${name}/${id}`, 'hello');
        assert.equal(chat.messages.at(-1).text, `Answered by ${id}.`);
        await ask(`${name}/${id}`, 'hello again', chat.session);
        await until('the title by the model', async () => (await sessionOf(anna, chat.session)).session.title === TITLE);
        for (const { refusal } of strict.requests.filter((r) => r.status !== 200)) assert.match(refusal, /Developer instruction|Function calling is not enabled|roles are supported|System role/);
        const answered = strict.requests.findLast((r) => r.status === 200 && r.body.messages.length > 1).body.messages;
        assert.ok(answered.every((m) => m.role !== 'system'));
        assert.match(answered[0].content, /Alfred.*\n\nhello/s);
    });
}

for (const [name, { strict, models }] of Object.entries(limits)) {
    test(`${name}: a limit that has another name there is sent by that name, in chats and for the title`, async () => {
        const [{ id }] = models;
        const chat = await ask(`${name}/${id}`, 'hello');
        assert.equal((await anna.request('PATCH', `/api/sessions/${chat.session}`, { json: { answer_tokens: 2000 } })).status, 200);
        const limited = await ask(`${name}/${id}`, 'hello again', chat.session);
        assert.equal(limited.end.error, null);
        assert.ok(strict.requests.some((r) => r.status === 200 && r.tools && (r.body.max_tokens ?? r.body.max_completion_tokens) === 2000));
        await until('the title by the model', async () => (await sessionOf(anna, chat.session)).session.title === TITLE);
        assert.ok(refusals(strict).every(([, , , words]) => /max_tokens|max_completion_tokens|stream_options/.test(words)), JSON.stringify(refusals(strict)));
    });
}

test('a server that does not know stream_options is asked again without it, in chats and for the title', async () => {
    const { strict, models: [{ id }] } = databricks;
    const chat = await ask(`databricks/${id}`, 'hello');
    assert.equal(chat.messages.at(-1).text, `Answered by ${id}.`);
    assert.equal(chat.end.error, null);
    await until('the title by the model', async () => (await sessionOf(anna, chat.session)).session.title === TITLE);
    assert.ok(refusals(strict).every(([status, , , words]) => status === 400 && words.includes('stream_options')), JSON.stringify(refusals(strict)));
    assert.ok(strict.requests.some((r) => r.status === 200 && r.tools > 0));
});

test('a session goes from provider to provider with its tool calls, and none refuses their ids', async () => {
    const way = ['llama32k', 'llama32k', 'claudethinker', 'mistral', 'openai', 'gemini', 'deepseek', 'azure', 'anthropic', 'deepseek', 'gemini', 'claudethinker', 'mistral'];
    let session = 'new';
    for (const name of way) {
        const said = await ask(`${name}/${profiles[name].models[0].id}`, 'Please call the tool current_time', session);
        session = said.session;
        assert.deepEqual(said.messages.slice(-3).map((m) => m.role), ['assistant', 'tool', 'assistant'], name);
    }
    for (const name of way) assert.deepEqual(refusals(profiles[name].strict), [], name);
    const [before, after] = profiles.mistral.strict.requests.filter((r) => r.tools).slice(-2).map((r) => JSON.stringify(r.body.messages.slice(0, 4)));
    assert.equal(after, before, 'the same bytes from request to request');
});

test('a question without an answer is sent with the next one, so that user and assistant take turns', async () => {
    const { strict } = profiles.lmstudio, before = strict.requests.length;
    strict.silent = true;
    const first = await send(anna, 'Never answered', { choice: 'lmstudio/gemma' });
    await stop(anna, first.turn);
    await ended(anna, first.turn);
    strict.silent = false;
    await ask('lmstudio/gemma', 'hello', first.session);
    await ask('lmstudio/gemma', 'hello again', first.session);
    const [next, later] = strict.requests.slice(before).filter((r) => r.tools).map((r) => r.body.messages.map((m) => m.content));
    assert.match(next[1], /^Never answered\n\nhello(\n\n<context>|$)/);
    assert.equal(later[1], 'Never answered\n\nhello');
    assert.deepEqual(refusals(strict), []);
});

test('a persona without tools goes on with a session whose calls it does not send', async () => {
    const first = await ask('anthropic/claude-sonnet-5', 'Please call the tool current_time');
    const { persona } = (await anna.postJson('/api/personas', { name: 'Bare', text: 'You are bare.', tools: '' })).json;
    const sent = await send(anna, 'hello', { session: first.session, persona: Number(persona.id) });
    assert.equal((await ended(anna, sent.turn)).status, 'done');
    const { body } = profiles.anthropic.strict.requests.findLast((r) => r.status === 200 && JSON.stringify(r.body).includes('You are bare.'));
    assert.equal(body.tools, undefined);
    assert.deepEqual(body.messages.map((m) => m.role), ['user', 'assistant', 'user']);
    assert.deepEqual(refusals(profiles.anthropic.strict), []);
});

test('Claude takes its thinking back only behind the same prompt: facts that come and go do not disturb it', async () => {
    await anna.postJson('/api/memories', { text: 'Anna likes green tea' });
    let session;
    for (const text of ['Which tea do I like?', 'Please call the tool current_time', 'Is it green?', 'Something else']) session = (await ask('claudethinker/claude-opus-5', text, session)).session;
    const { strict } = profiles.claudethinker;
    assert.deepEqual(refusals(strict), []);
    const sent = strict.requests.filter((r) => r.tools).slice(-5).map((r) => JSON.stringify(r.body.messages));
    assert.match(sent[0], /green tea/);
    assert.deepEqual(sent.map((m) => m.split('"type":"thinking"').length - 1), [0, 0, 1, 0, 0], 'only between a call and its answer');
});

test('thinking that Claude does not take back any more is left out of the same request', async () => {
    const { strict } = profiles.claudethinker;
    const before = strict.requests.length;
    strict.called = () => (strict.account = 'another'); // the owner has changed the key
    await ask('claudethinker/claude-opus-5', 'Please call the tool current_time');
    const mine = strict.requests.slice(before).filter((r) => r.tools);
    assert.deepEqual(mine.map((r) => r.status), [200, 400, 200]);
    assert.match(mine[1].refusal, /bound to a different conversation/);
    strict.called = null;
    strict.requests.splice(strict.requests.indexOf(mine[1]), 1); // expected
});

test('DeepSeek gets its own reasoning back, and a mark where another model answered', async () => {
    const first = await ask('openai/gpt-4.1', 'hello');
    await ask('deepseek/deepseek-v4-pro', 'Please call the tool current_time', first.session);
    await ask('deepseek/deepseek-v4-pro', 'And a last word', first.session);
    const sent = profiles.deepseek.strict.requests.filter((r) => r.tools).at(-1).body.messages.filter((m) => m.role === 'assistant');
    assert.deepEqual(sent.map((m) => m.reasoning_content.slice(0, 5)), ['.', 'hm hm', 'hm hm']);
});

test('a gateway that wants earlier reasoning is asked again with it, once, and remembered', async () => {
    const { strict } = gateway;
    const { session } = await ask('gateway/thinks', 'hello');
    const again = await ask('gateway/thinks', 'hello again', session);
    assert.equal(again.end.error, null);
    await ask('gateway/thinks', 'and again', session);
    assert.deepEqual(strict.requests.filter((r) => r.status !== 200).map((r) => r.body.messages.length), [strict.requests.find((r) => r.status !== 200).body.messages.length]);
    assert.match(refusals(strict)[0][3], /must be passed back/);
});

test('a long conversation leaves room for the answer that a request to Anthropic names', async () => {
    const { strict, models } = profiles.claudesmall;
    let session = 'new';
    for (let i = 0; i < 8; i++) ({ session } = await ask(`claudesmall/${models[0].id}`, `Message ${i}: ${'a long story '.repeat(500)}`, session));
    assert.deepEqual(refusals(strict), []);
});

test('Ollama never has to cut: no request exceeds its window', async () => {
    const { strict, models } = profiles.ollama;
    let session = 'new';
    for (let i = 0; i < 8; i++) ({ session } = await ask(`ollama/${models[0].id}`, `Message ${i}: ${'a long story '.repeat(250)}`, session));
    assert.deepEqual(strict.requests.filter((r) => r.cut).map((r) => r.tokens), []);
    assert.deepEqual(refusals(strict), []);
});
