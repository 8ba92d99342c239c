// Real properties of models and providers: lists that change, windows of every size, servers that refuse tools or need
// time to load. Each message gets an answer, or one sentence that says what to do.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startStrict } from '../../fake/strict.js';
import { ended, send, serveFile, sessionOf, wordsOf } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const TINY = 2048;
const strict = async (options) => {
    const server = await startStrict(options);
    after(() => server.stop());
    return server;
};
const llama = await strict({ server: 'llama.cpp', models: [{ id: 'tiny.gguf', window: TINY }] });
const liar = await strict({ server: 'openai', models: [{ id: 'short', window: TINY }] });
const vllm = await strict({ server: 'vllm', models: [{ id: 'qwen', window: 4096, tools: false }] });
const ollama = await strict({ server: 'ollama', models: [{ id: 'gone:cloud', signedOut: true }, { id: 'deepseek-v4:cloud', cloud: true }, { id: 'smollm:latest', window: 4096, tools: false }, { id: 'llama3.2:latest', window: 4096 }, { id: 'nomic-embed-text:latest', embedding: 768 }, { id: 'big:latest', parameters: 'num_ctx                        16384\nstop "x"' }] });
const claude = await strict({ server: 'anthropic', key: 'sk-ant', models: ['claude-opus-5', 'claude-sonnet-5', 'claude-haiku-5', 'claude-sonnet-4-5', 'claude-old'].map((id) => ({ id, window: 200000 })) });
const router = await strict({ server: 'openrouter', models: [...Array(60).keys()].map((i) => ({ id: `maker/model-${i}`, window: 8192 + i, tools: i !== 7 })) });
const slow = await strict({ server: 'llama.cpp', loading: 1, models: [{ id: 'late.gguf', window: 32768 }] });
const silent = await strict({ server: 'zhipu', models: [{ id: 'glm', window: 8192 }] });

const picky = await strict({ models: ['yes', 'no', 'other'].map((id) => ({ id, window: 32768 })) });

const block = (server, more = {}) => ({ kind: 'openai', base_url: server.url, ...more });
const alfred = await serveFile({
    env: { ANTHROPIC_API_KEY: 'sk-ant', ANTHROPIC_BASE_URL: `${claude.url}/v1/` },
    config: {
        models: { refresh_minutes: 1, default_model: 'llama/tiny.gguf', discover: 'no' },
        'provider.llama': block(llama),
        'provider.liar': block(liar, { base_url: `${liar.url}/v1//` }),
        'provider.silent': block(silent),
        'provider.vllm': block(vllm),
        'provider.ollama': block(ollama),
        'provider.router': block(router),
        'provider.slow': block(slow),
        'provider.picky': block(picky, { tools: 'no', with_tools: ['yes'], without_tools: ['no'] }),
    },
});
const anna = await alfred.admin('anna');
const choiceOf = async (value) => (await anna.getJson(`/api/models?q=${encodeURIComponent(value)}`)).models.find((m) => m.value === value);

async function ask(choice, text = 'hello', more = {}) {
    const sent = await send(anna, text, { choice, ...more });
    const end = await ended(anna, sent.turn);
    return { ...sent, end, answer: (await sessionOf(anna, sent.session)).messages.at(-1) };
}
/** The requests of turns; the helper's requests have max_tokens. */
const turnsOf = (server, text) => server.requests.filter((r) => !(r.body.max_tokens && server !== claude)).filter((r) => r.body.messages.at(-1).content === text || r.body.messages.at(-1).content?.[0]?.text === text);

test('models, windows and their sources are known from the first start', async () => {
    for (const [value, window, from] of [
        ['llama/tiny.gguf', TINY, '/props'],
        ['vllm/qwen', 4096, 'max_model_len'],
        ['ollama/llama3.2:latest', 4096, "Ollama's default"],
        ['ollama/big:latest', 16384, 'num_ctx'],
        ['ollama/deepseek-v4:cloud', 131072, '/api/show'],
        ['router/maker/model-3', 8195, 'context_length'],
        ['anthropic/claude-sonnet-5', 200000, 'its family'],
        ['liar/short', 32768, '[context] model_window'],
    ]) {
        // The start waits three seconds for lists. On a machine that stops for longer they are asked for again.
        const choice = await until(`${value} is known`, async () => {
            const found = await choiceOf(value);
            return found?.window_from === from && found;
        });
        assert.equal(choice.window, window, value);
    }
    assert.equal((await choiceOf('ollama/smollm:latest')).tools, 'no');
    assert.equal((await choiceOf('router/maker/model-7')).tools, 'no');
});

test('embedding models are not offered, and every page of a list is read', async () => {
    const { models } = await anna.getJson('/api/models?limit=1000');
    assert.ok(!models.some((m) => m.value.includes('embed')));
    assert.equal(models.filter((m) => m.provider === 'anthropic').length, 5);
    assert.equal(models.filter((m) => m.provider === 'router').length, 60);
});

test('the default is the setting; without one a rule picks from the list', async () => {
    const { models } = await anna.getJson('/api/models?limit=1000');
    assert.deepEqual(models.filter((m) => m.default).map((m) => m.value), ['llama/tiny.gguf']);
    const first = models.find((m) => m.provider === 'anthropic');
    assert.match(first.value, /^anthropic\/claude-sonnet/, 'the middle size comes first');
});

test('a model with a small window answers "hello"', async () => {
    const { end, answer } = await ask('llama/tiny.gguf');
    assert.equal(end.status, 'done');
    assert.equal(end.error, null);
    assert.equal(answer.text, 'Answered by tiny.gguf.');
    assert.equal(turnsOf(llama, 'hello').at(-1).status, 200);
});

test('a refusal as too long reports the window: the request is built again once, and the next one fits', async () => {
    const { end, session } = await ask('liar/short', 'hello');
    assert.equal(end.status, 'done', end.error);
    assert.deepEqual(turnsOf(liar, 'hello').map((r) => r.status), [400, 200]);
    await until('the window is kept', async () => (await choiceOf('liar/short')).window === TINY);
    assert.equal((await choiceOf('liar/short')).window_from, 'a refusal');
    const again = await ask('liar/short', 'hello again', { session });
    assert.equal(again.end.status, 'done');
    assert.ok(turnsOf(liar, 'hello again').length <= 2);
});

test('a refusal as too long without numbers: the request shrinks until it is accepted, and the next one fits', async () => {
    const story = (i) => `Part ${i}: ${'a long story '.repeat(1500)}`.trim(), refused = () => silent.requests.filter((r) => r.status !== 200);
    const { end, session } = await ask('silent/glm', story(1));
    assert.equal(end.status, 'done', end.error);
    const second = await ask('silent/glm', story(2), { session });
    assert.equal(second.end.status, 'done', second.end.error);
    const sizes = silent.requests.filter((r) => r.tools).map((r) => r.tokens);
    assert.ok(refused().length > 0 && refused().length <= 3, `${refused().length} refusals`);
    assert.equal(new Set(sizes).size, sizes.length, 'no request is sent twice');
    await until('the window is kept', async () => (await choiceOf('silent/glm')).window < 8192);
    const before = refused().length;
    const third = await ask('silent/glm', story(3), { session });
    assert.equal(third.end.status, 'done', third.end.error);
    assert.equal(refused().length, before, 'the next request fits');
});

test('a model that refuses tools gets requests without them, which is shown once and stored', async () => {
    const first = await ask('vllm/qwen', 'no tools, please');
    assert.equal(first.end.status, 'done', first.end.error);
    assert.match(first.end.error, /cannot use tools/);
    assert.deepEqual(turnsOf(vllm, 'no tools, please').map((r) => [r.status, r.tools > 0]), [[400, true], [200, false]]);
    await until('the refusal is kept', async () => (await choiceOf('vllm/qwen')).tools === 'no');
    const second = await ask('vllm/qwen', 'and again', { session: first.session });
    assert.equal(second.end.error, null);
    assert.deepEqual(turnsOf(vllm, 'and again').map((r) => [r.status, r.tools]), [[200, 0]]);
});

test('tools are set per model: with_tools and without_tools override tools', async () => {
    for (const [value, tools] of [['picky/yes', 'yes'], ['picky/no', 'no'], ['picky/other', 'no']]) {
        const choice = await choiceOf(value);
        assert.deepEqual([choice.tools, choice.tools_from], [tools, 'alfred.toml'], value);
    }
    await ask('picky/yes', 'with tools');
    await ask('picky/other', 'without tools');
    assert.deepEqual(['with tools', 'without tools'].map((text) => turnsOf(picky, text)[0].tools > 0), [true, false]);
});

test('a model without tools according to its list is offered none', async () => {
    const { end } = await ask('ollama/smollm:latest', 'plain');
    assert.equal(end.error, null);
    assert.deepEqual(turnsOf(ollama, 'plain').map((r) => [r.status, r.tools]), [[200, 0]]);
});

test('Alfred waits for a server that loads its model', async () => {
    const { end, answer } = await ask('slow/late.gguf', 'wake up');
    assert.equal(end.status, 'done', end.error);
    assert.equal(answer.text, 'Answered by late.gguf.');
    assert.ok(slow.requests.some((r) => r.status === 503));
});

test('a session whose model no longer exists continues with the default and says so once', async () => {
    const before = claude.models;
    const { session } = await ask('anthropic/claude-old', 'first');
    claude.models = before.filter((m) => m.id !== 'claude-old');
    const { end, answer } = await ask(undefined, 'second', { session });
    assert.equal(end.status, 'done', end.error);
    assert.match(end.error, /claude-old is not available any more\. .*tiny\.gguf answered instead/);
    const [row] = alfred.sql('SELECT m.provider, m.model, s.model AS next FROM message m JOIN session s ON s.id = m.session_id WHERE m.id = ?', BigInt(answer.id));
    assert.deepEqual({ ...row }, { provider: 'llama', model: 'tiny.gguf', next: 'tiny.gguf' }, 'the answer names the model that gave it');
    assert.equal((await ask(undefined, 'third', { session })).end.error, null, 'said once');
});

test('with more models than the menu has, those that answered last come first in it', async () => {
    const first = async () => (await anna.get('/')).text.match(/<select name="choice">.*?<\/select>/s)[0].match(/value="([^"]+)"/g).slice(0, 2);
    assert.ok(!(await first()).includes('value="router/maker/model-41"'));
    for (const model of ['41', '43']) {
        alfred.sql('UPDATE usage SET quarter = quarter - 1000'); // what was used before
        await ask(`router/maker/model-${model}`, 'hello');
    }
    assert.deepEqual(await first(), ['value="router/maker/model-43"', 'value="router/maker/model-41"']);
});

test('the menu beneath the message is short, and the page of all models has a search that needs no script', async () => {
    const page = (await anna.get('/')).text;
    const options = page.match(/<select name="choice">.*?<\/select>/s)[0].match(/<option /g).length;
    assert.ok(options <= 24, `${options} models in the menu`);
    assert.match(page, /href="\/models"/);
    const found = (await anna.get('/models?q=model-42')).text;
    assert.match(wordsOf(found), /1 model\s.*model-42.*Reads 8,234 tokens, tools/s);
    const href = found.match(/class="item-title" href="([^"]+)"/)[1].replaceAll('&amp;', '&');
    const chosen = (await anna.get(href)).text;
    assert.match(chosen, /<option dir="auto" value="router\/maker\/model-42"( data-blind)? selected>/);
});

test('the page about connecting shows each provider with its address, its models and advice', async () => {
    const page = wordsOf((await anna.get('/connect')).text);
    for (const server of [llama, vllm, ollama, claude, router]) assert.ok(page.includes(server.url), server.url);
    assert.match(page, /OLLAMA_CONTEXT_LENGTH=32768/);
    assert.match(page, /llama\.cpp/);
});

test("the page of a session has the session's model, not that of new chats", async () => {
    const { session } = await ask('ollama/llama3.2:latest', 'Which model?');
    const selected = async (path) => (await anna.get(path)).text.match(/<select name="choice">.*?<\/select>/s)[0].match(/value="([^"]+)"[^>]* selected/)[1];
    assert.equal(await selected(`/s/${session}`), 'ollama/llama3.2:latest');
    assert.notEqual(await selected('/'), 'ollama/llama3.2:latest');
    assert.equal(await selected(`/s/${session}?choice=ollama/big:latest`), 'ollama/big:latest', 'chosen on the page of models');
});
