// `alfred provider test` and the button Test: each property of a provider is ok with its value, or one line says what
// to do.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';

import { startStrict } from '../../fake/strict.js';
import { serveFile, wordsOf } from '../../lib/chat.js';
import { freePort, PROGRAM, tomlFile, until } from '../../lib/rig.js';

const strict = async (options) => {
    const server = await startStrict(options);
    after(() => server.stop());
    return server;
};
const block = (server, more = {}) => ({ kind: 'openai', base_url: server.url, ...more });

/** Runs the command in a folder without a service; returns {status, stdout, stderr, lines: {subject: [state, text]}}. */
async function run(t, config, args, env = {}) {
    const dir = mkdtempSync(path.join(os.tmpdir(), 'alfred-provider-'));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    writeFileSync(`${dir}/alfred.toml`, tomlFile({ server: { data_dir: `${dir}/data` }, models: { discover: 'no' }, ...config }));
    return new Promise((resolve) => {
        execFile(PROGRAM, ['provider', 'test', ...args], { cwd: dir, env: { PATH: process.env.PATH, HOME: dir, LANG: 'C.UTF-8', ...env }, timeout: 60_000 }, (error, stdout, stderr) => {
            const lines = Object.fromEntries([...stdout.matchAll(/^ {2}(\S.*?) {2,}(ok|wrong|note) +(.*)$/gm)].map(([, subject, state, text]) => [subject, [state, text]]));
            resolve({ status: error ? (error.code ?? error.signal) : 0, stdout, stderr, lines });
        });
    });
}

test('a provider that works: every line is ok with its figure, and the command ends with 0', async (t) => {
    const server = await strict({ server: 'lmstudio', key: 'sk-right', models: [{ id: 'qwen3-8b', window: 16384, images: true }, { id: 'nomic-embed-text', embedding: 768 }] });
    const { status, stdout, stderr, lines } = await run(t, {
        'provider.mine': block(server, { key_env: 'MY_KEY' }),
        embedding: { provider: 'mine', model: 'nomic-embed-text' },
    }, ['mine'], { MY_KEY: 'sk-right' });
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, new RegExp(`^mine at ${server.url}/v1\n`));
    assert.deepEqual(lines.Key, ['ok', 'accepted']);
    assert.deepEqual(lines.Models, ['ok', '2 in the list, 1 of them for chats. The server is LM Studio.']);
    assert.deepEqual(lines.Model, ['ok', 'qwen3-8b']);
    assert.deepEqual(lines.Window, ['ok', '16,384 tokens (loaded_context_length).']);
    assert.match(lines.Answer.join(' '), /^ok first token after [\d,]+ ms$/);
    assert.deepEqual(lines.Tools, ['ok', 'accepted, and one was called']);
    assert.deepEqual(lines.Images, ['ok', 'The list says that the model reads them.']);
    assert.deepEqual(lines.Embedding, ['ok', '768 numbers per text (nomic-embed-text)']);
    assert.equal(stderr, '');
    assert.ok(!stdout.includes('sk-right'));
});

test('a server without a model says so, and is no wrong address', async (t) => {
    const server = await strict({ server: 'ollama', models: [] });
    const { lines } = await run(t, { 'provider.mine': block(server) }, ['mine']);
    assert.deepEqual(lines.Models, ['wrong', 'The list has no chat model. Install or load one on the server.']);
});

test('anthropic: the same, by its own protocol', async (t) => {
    const server = await strict({ server: 'anthropic', key: 'sk-ant', models: ['claude-opus-5', 'claude-sonnet-5', 'claude-haiku-5'].map((id) => ({ id, window: 200000 })) });
    const { status, stdout, lines } = await run(t, {}, [], { ANTHROPIC_API_KEY: 'sk-ant', ANTHROPIC_BASE_URL: server.url });
    assert.equal(status, 0, stdout);
    assert.deepEqual(lines.Models, ['ok', '3 in the list.']);
    assert.deepEqual(lines.Window, ['ok', '200,000 tokens (known for this family).']);
    assert.deepEqual(lines.Tools, ['ok', 'accepted, and one was called']);
});

for (const kind of ['openai', 'anthropic']) {
    test(`${kind}: a wrong key`, async (t) => {
        const server = await strict({ server: kind, key: 'sk-right', models: [{ id: 'm', window: 32768 }] });
        const { status, stderr, lines } = await run(t, { 'provider.mine': block(server, { kind, key_env: 'MY_KEY', model: 'm' }) }, ['mine'], { MY_KEY: 'sk-wrong' });
        assert.equal(status, 1);
        assert.match(stderr, /mine does not work; the lines above say why\./);
        assert.deepEqual(lines.Key, ['wrong', 'mine does not accept the key. Is it complete, and still valid?']);
        assert.equal(lines.Answer[0], 'note');
        assert.equal(Object.values(lines).filter(([state]) => state === 'wrong').length, 1, 'one fault, one remedy');
    });
}

test('a server that is down', async (t) => {
    const { status, lines } = await run(t, { 'provider.mine': { kind: 'openai', base_url: `http://127.0.0.1:${await freePort()}`, model: 'm', label: 'My server' } }, ['mine']);
    assert.equal(status, 1);
    for (const subject of ['Models', 'Answer']) {
        assert.equal(lines[subject][0], 'wrong');
        assert.match(lines[subject][1], /^Could not connect to My server\. Start the server, or correct its base_url\.$/);
    }
    assert.equal(lines.Key[0], 'note');
});

test('a model that is not in the list', async (t) => {
    const server = await strict({ server: 'openai', models: [{ id: 'here', window: 32768 }, { id: 'there', window: 32768 }, { id: 'text-embedding-3', embedding: 8 }] });
    const set = await run(t, { 'provider.mine': block(server, { model: 'gone' }) }, ['mine']);
    assert.equal(set.status, 1);
    assert.deepEqual(set.lines.Model, ['wrong', 'gone is not in the list. Set model in [provider.mine] to one of these: here, there.']);
    assert.match(set.lines.Answer.join(' '), /^wrong mine does not know the model gone/);
    const asked = await run(t, { 'provider.mine': block(server) }, ['mine', '--model', 'gone']);
    assert.equal(asked.status, 1);
    assert.deepEqual(asked.lines.Model, ['wrong', 'gone is not in the list. Choose one of these: here, there.']);
    const other = await run(t, { 'provider.mine': block(server) }, ['mine', '--model', 'there']);
    assert.equal(other.status, 0, other.stdout);
    assert.deepEqual(other.lines.Model, ['ok', 'there']);
    assert.equal(server.requests.at(-1).model, 'there');
});

for (const [kind, remedy] of [
    ['vllm', 'Start vLLM with --enable-auto-tool-choice and --tool-call-parser.'],
    ['llama.cpp', 'Start llama-server with --jinja.'],
    ['openai', 'Choose another model; until then Alfred chats without tools.'],
]) {
    test(`${kind} that refuses tools: chats work, and the line says what to do`, async (t) => {
        const server = await strict({ server: kind, models: [{ id: 'm', window: 32768, tools: false }] });
        const { status, stdout, lines } = await run(t, { 'provider.mine': block(server) }, ['mine']);
        assert.equal(status, 0, stdout);
        assert.deepEqual(lines.Tools, ['wrong', `The model does not support them here. ${remedy}`]);
        assert.equal(lines.Answer[0], 'ok');
    });
}

test('a server that hangs is given up after the time limit of a chat', async (t) => {
    const server = await strict({ silent: true });
    const { status, lines } = await run(t, { turn: { first_byte_seconds: 1 }, 'provider.mine': block(server, { model: 'm' }) }, ['mine']);
    assert.equal(status, 1);
    assert.match(lines.Models.join(' '), /^wrong .*mine (took too long|has been silent for 1 second)\. Check whether the server is busy or hangs\.$/);
    assert.equal(lines.Answer[0], 'note');
});

test("Ollama's small window, an embedding model that is not there", async (t) => {
    const server = await strict({ server: 'ollama', models: [{ id: 'llama3.2:latest' }, { id: 'nomic-embed-text:latest', embedding: 768 }] });
    const { status, lines } = await run(t, { 'provider.mine': block(server), embedding: { provider: 'mine', model: 'bge-m3' } }, ['mine']);
    assert.equal(status, 1);
    assert.match(lines.Window.join(' '), /^wrong 4,096 tokens \(Ollama's default\)\. .* OLLAMA_CONTEXT_LENGTH=32768\.$/);
    assert.deepEqual(lines.Embedding, ['wrong', 'bge-m3 is not in the list. Set model in [embedding] to one of these: nomic-embed-text:latest.']);
});

test('without NAME all are tested; no provider, or none with that name, is an error', async (t) => {
    const [good, bad] = [await strict({ models: [{ id: 'm', window: 32768 }] }), await strict({ key: 'sk', models: [] })];
    const both = await run(t, { 'provider.good': block(good), 'provider.bad': block(bad) }, []);
    assert.equal(both.status, 1);
    assert.match(both.stdout, /^good at .*^bad at /ms);
    assert.match(both.stderr, /bad does not work/);
    const none = await run(t, {}, []);
    assert.equal(none.status, 1);
    assert.match(none.stderr, /No provider is set up/);
    const absent = await run(t, {}, [], { OLLAMA_HOST: `127.0.0.1:${await freePort()}` });
    assert.match(absent.stderr, /No provider is set up/, 'a server that was only looked for and does not run is not reported');
    const unknown = await run(t, { 'provider.good': block(good) }, ['other']);
    assert.equal(unknown.status, 1);
    assert.match(unknown.stderr, /There is no provider other\. There are: good\./);
    assert.match((await run(t, {}, ['other'])).stderr, /No provider is set up/);
    assert.equal((await run(t, {}, ['--model', 'm'])).status, 2);
});

test('the page has the same test as a form, without script; its results are stored', async () => {
    const server = await strict({ server: 'vllm', models: [{ id: 'm', window: 32768, tools: false }] });
    const silent = await strict({ key: 'sk-other', models: [] });
    const alfred = await serveFile({ config: { models: { discover: 'no' }, 'provider.mine': block(server, { label: 'Mine' }), 'provider.shut': block(silent, { model: 'x' }) } });
    const anna = await alfred.admin('anna');
    const tools = async () => (await anna.getJson('/api/models?q=mine/m')).models[0].tools;
    const before = (await anna.get('/connect')).text;
    assert.match(before, /<form method="post" action="\/connect\/test#p-mine">.*?name="name" value="mine".*?<button/s);
    assert.doesNotMatch(before, /findings/);

    const first = await anna.post('/connect/test', { name: 'mine' });
    assert.equal(first.status, 200);
    const words = wordsOf(first.text);
    assert.match(words, /Tested now: it answers\.\s+Keynone is needed\s+Models1 in the list\. The server is vLLM/);
    assert.match(words, /ToolsThe model does not support them here\. Start vLLM with --enable-auto-tool-choice/);
    await until('the refusal is kept', async () => (await tools()) === 'no');

    server.models[0].tools = true;
    assert.match(wordsOf((await anna.post('/connect/test', { name: 'mine' })).text), /Toolsaccepted, and one was called/);
    await until('the new state is kept', async () => (await tools()) === 'yes');

    const german = await anna.post('/connect/test', { name: 'mine' }, { headers: { 'accept-language': 'de' } });
    assert.match(wordsOf(german.text), /Schlüsselnicht nötig\s+Modelle1 in der Liste\. Der Server ist vLLM.*Werkzeugeangenommen, und eines wurde aufgerufen/s);

    const shut = await anna.post('/connect/test', { name: 'shut' });
    assert.equal(shut.status, 200);
    assert.match(wordsOf(shut.text), /Tested now: it does not answer\.\s+Keyshut needs a key \(401\), but none is set\./);
    assert.equal((await anna.post('/connect/test', { name: 'nobody' })).status, 404);
    assert.equal((await anna.post('/connect/test', { name: 'offline' })).status, 404);
    assert.equal((await alfred.client().post('/connect/test', { name: 'mine' }, { csrf: false })).status, 401);
});

test('a test from the page holds no thread for long, and a second one at the same time is refused', async () => {
    const server = await strict({ loading: true, models: [{ id: 'm', window: 32768 }] });
    const alfred = await serveFile({ config: { models: { discover: 'no' }, 'provider.mine': block(server, { model: 'm' }) } });
    const anna = await alfred.admin('anna');
    const first = anna.post('/connect/test', { name: 'mine' });
    await until('it is asked', () => server.requests.length > 0);
    const second = await anna.post('/connect/test', { name: 'mine' });
    assert.equal(second.status, 503);
    assert.match(wordsOf(second.text), /Another test is running\. Please try again in a moment\./);
    server.loading = 0;
    assert.match(wordsOf((await first).text), /Tested now: it answers/);
});
