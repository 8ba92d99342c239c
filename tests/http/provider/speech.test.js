// Speech as text: the provider of [speech], the addresses of the pages and of programs, and how failures read.
import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

import { answers, fails, hangs, startProvider } from '../../fake/provider.js';
import { recordings, transcribes, wavOf } from '../../fake/transcriptions.js';
import { startAlfred, until } from '../../lib/rig.js';

/** Alfred with a provider "voice". */
async function start(t, { config = {}, more = {}, env = { VOICE_KEY: 'sk-voice' }, files = {} } = {}) {
    const provider = await startProvider();
    t.after(() => provider.stop());
    const alfred = await startAlfred({ t, env, files, config: { speech: { provider: 'voice', model: 'whisper-large-v3', ...config }, 'provider.voice': { kind: 'openai', base_url: `${provider.url}/v1`, key_env: 'VOICE_KEY' }, ...more } });
    const anna = await alfred.admin('anna');
    const { secret } = (await anna.postJson('/api/tokens', { name: 'client', scopes: 'chat' })).json;
    const page = (body, { by = anna, ...o } = {}) => by.request('POST', '/page/transcriptions', { body, ...o });
    const form = async (fields) => {
        const data = new FormData();
        for (const [name, value] of Object.entries(fields)) data.append(name, Buffer.isBuffer(value) ? new Blob([value], { type: 'audio/ogg' }) : value, ...(Buffer.isBuffer(value) ? ['note.oga'] : []));
        const made = new Response(data);
        return anna.stranger().request('POST', '/v1/audio/transcriptions', { body: Buffer.from(await made.arrayBuffer()), csrf: false, headers: { 'content-type': made.headers.get('content-type'), origin: null, 'sec-fetch-site': null, authorization: `Bearer ${secret}` } });
    };
    return { alfred, provider, anna, page, form };
}

test('a recording of the page is written down, in each format, and nothing of it is kept', async (t) => {
    const { alfred, provider, page } = await start(t, { config: { language: 'de' } });
    provider.always(transcribes(' Buy milk. ', { server: 'groq', key: 'sk-voice', models: ['whisper-large-v3'] }));
    for (const [ending, bytes] of Object.entries(recordings)) {
        const answer = await page(bytes);
        assert.equal(answer.status, 200, `${ending}: ${answer.text}`);
        assert.deepEqual(answer.json, { text: 'Buy milk.' });
        const { file, ...fields } = provider.calls.at(-1).form;
        assert.deepEqual(fields, { model: 'whisper-large-v3', language: 'de' });
        assert.equal(file.name, `voice.${ending}`);
        assert.ok(file.bytes.equals(bytes));
    }
    const none = await page(Buffer.from('#!AMR\n speech'));
    assert.equal(none.status, 415);
    assert.match(none.json.error.message, /cannot be transcribed/);
    assert.equal(provider.calls.length, Object.keys(recordings).length);
    assert.doesNotMatch(alfred.logs(), /milk/);
});

test('each refusal of a recording is a sentence', async (t) => {
    const { provider, page } = await start(t, { config: { max_bytes: 65536 } });
    const says = async (behave, status, words, bytes = recordings.webm) => {
        if (behave) provider.next(behave);
        const answer = await page(bytes);
        assert.equal(answer.status, status, answer.text);
        assert.match(answer.json.error.message, words);
        assert.doesNotMatch(answer.text, /sk-/);
        return answer;
    };
    await says(transcribes('', { key: 'sk-other' }), 403, /voice does not accept the key/);
    await says(transcribes('', { models: ['whisper-1'] }), 400, /does not know the model whisper-large-v3/);
    await says(transcribes('', { server: 'speaches', models: [] }), 400, /whisper-large-v3.*not installed locally/);
    await says(transcribes('', { limit: 10 }), 413, /voice does not accept a recording of this size/);
    await says(transcribes('', { corrupt: () => true }), 415, /cannot read the format of the recording with the model whisper-large-v3/);
    await says(transcribes('', { server: 'speaches', corrupt: () => true }), 415, /cannot read the format/);
    await says((call) => call.refuse(404, { error: { message: 'Invalid URL (POST /v1/audio/transcriptions)' } }), 400, /voice does not transcribe speech/);
    await says(fails(500), 503, /internal error/);
    await says((call) => call.json('{"task":"transcribe"}'), 502, /cannot be read/);
    assert.equal((await says(fails(429, { retryAfter: 17 }), 429, /asks to wait 17 s/)).headers['retry-after'], '17');
    await says(null, 413, /at most 64.KB/, Buffer.concat([recordings.webm, Buffer.alloc(70000)]));
    for (const silence of [transcribes('  '), transcribes('', { short: () => true })]) {
        provider.next(silence);
        assert.deepEqual((await page(recordings.webm)).json, { text: '' }, 'silence is no failure');
    }
});

test('requests to each service are as it wants them, and its refusals of key and model are sentences', async (t) => {
    const { provider, page } = await start(t, { config: { language: 'en' } });
    for (const [server, model, key] of [
        ['openai', /does not know the model|does not have the model/, /does not accept the key/],
        ['groq', /does not know the model|does not have the model/, /does not accept the key/],
        ['mistral', /does not have the model/, /does not accept the key/],
        ['speaches', /not installed locally/, /does not let this key/],
        ['vllm', /does not know the model|does not have the model/, /does not accept the key/],
        ['localai', /could not load model/, /does not accept the key/],
    ]) {
        provider.next(transcribes('Good.', { server, key: 'sk-voice', models: ['whisper-large-v3'] }));
        assert.deepEqual((await page(recordings.webm)).json, { text: 'Good.' });
        for (const [options, words] of [[{ models: [] }, model], [{ key: 'sk-other' }, key]]) {
            provider.next(transcribes('', { server, ...options }));
            const { status, json } = await page(recordings.webm);
            assert.ok(status >= 400, server);
            assert.match(json.error.message, words, server);
        }
    }
    for (const [options, status, words] of [
        ...['openai', 'groq', 'speaches', 'vllm'].map((server) => [{ server, corrupt: () => true }, 415, /cannot read the format/]),
        [{ server: 'vllm', limit: 10 }, 413, /does not accept a recording of this size/],
        ...['speaches', 'vllm'].map((server) => [{ server, chats: true }, 400, /does not transcribe speech with the model/]),
    ]) {
        provider.next(transcribes('', options));
        const answer = await page(recordings.webm);
        assert.equal(answer.status, status, answer.text);
        assert.match(answer.json.error.message, words);
    }
});

test('strangers and old pages send nothing to the provider', async (t) => {
    const { provider, alfred, page } = await start(t);
    provider.always(transcribes('Heard.'));
    assert.equal((await page(recordings.ogg, { csrf: 'x' })).status, 403);
    assert.equal((await alfred.client().request('POST', '/page/transcriptions', { body: recordings.ogg })).status, 401);
    assert.equal(provider.calls.length, 0);
});

test('programs use it as OpenAI\'s', async (t) => {
    const { provider, form } = await start(t);
    provider.always(transcribes('Buy milk.'));
    const file = recordings.ogg;
    assert.deepEqual((await form({ model: 'alfred', file })).json, { text: 'Buy milk.' });
    assert.equal(provider.calls.at(-1).form.file.name, 'voice.ogg', 'whatever the program calls it');
    const plain = await form({ file, model: 'whisper-large-v3', language: 'fr', response_format: 'text', prompt: 'Shopping', temperature: '0' });
    assert.equal(plain.text, 'Buy milk.');
    assert.match(plain.headers['content-type'], /^text\/plain/);
    assert.equal(provider.calls.at(-1).form.language, 'fr');
    for (const [fields, status, param] of [
        [{ file }, 400, 'model'],
        [{ model: 'alfred' }, 400, 'file'],
        [{ model: 'whisper-9', file }, 404, 'model'],
        [{ model: 'alfred', file, language: 'English' }, 400, 'language'],
        [{ model: 'alfred', file, response_format: 'srt' }, 400, 'response_format'],
        [{ model: 'alfred', file, stream: 'true' }, 400, 'stream'],
        [{ model: 'alfred', file, speed: '2' }, 400, 'speed'],
    ]) {
        const answer = await form(fields);
        assert.equal(answer.status, status, answer.text);
        assert.equal(answer.json.error.param, param);
    }
    assert.equal(provider.calls.length, 2);
});

test('recordings that wait for the model leave threads for others, and end with the client and with the program', async (t) => {
    const { alfred, provider, anna, page } = await start(t);
    provider.always(hangs());
    const leaves = new AbortController();
    const waiting = page(recordings.ogg, { signal: leaves.signal });
    await until('the provider is asked', () => provider.calls.length === 1);
    const busy = await page(recordings.ogg);
    assert.equal(busy.status, 503);
    assert.match(busy.json.error.message, /Other recordings/);
    assert.match(busy.headers['retry-after'], /^[1-9]/);
    assert.equal((await anna.get('/')).status, 200);
    leaves.abort();
    await assert.rejects(waiting);
    await provider.calls[0].gone;
    const next = page(recordings.ogg).catch(() => {});
    await until('the place is free', () => provider.calls.length === 2);
    alfred.kill('pages', 'SIGTERM');
    await provider.calls[1].gone;
    await next;
});

test('the test of a provider transcribes a second of silence, and config check looks at [speech]', async (t) => {
    const { alfred, provider } = await start(t);
    const speech = async () => /^ {2}Speech +(\S+) +(.*)$/m.exec((await alfred.cli(['provider', 'test', 'voice'])).stdout)?.slice(1);
    const isSpeech = (call) => call.path.endsWith('/audio/transcriptions');
    provider.always(answers('ready')).always(transcribes('', { server: 'groq' }), isSpeech);
    assert.deepEqual(await speech(), ['ok', 'a recording is transcribed (whisper-large-v3)']);
    const { name, bytes } = provider.calls.find(isSpeech).form.file;
    assert.deepEqual([name, bytes.readUInt32LE(4), bytes.readUInt32LE(24), bytes.readUInt32LE(40)], ['voice.wav', bytes.length - 8, 16000, bytes.length - 44]);
    provider.next(transcribes('', { models: [] }), isSpeech);
    assert.match((await speech()).join(' '), /^wrong voice does not know the model whisper-large-v3/);

    provider.always((call) => call.refuse(404, { detail: 'Not Found' }), (call) => !isSpeech(call)); // a server for speech only
    const only = await alfred.cli(['provider', 'test', 'voice']);
    assert.equal(only.code, 0, only.stdout + only.stderr);
    assert.doesNotMatch(only.stdout, /^ {2}\S+ +wrong/m);
    provider.next(transcribes('', { models: [] }), isSpeech);
    assert.equal((await alfred.cli(['provider', 'test', 'voice'])).code, 1);
    assert.equal((await alfred.cli(['provider', 'test', 'voice', '--model', 'qwen3'])).code, 1, 'a chat is wanted');

    const check = async (lines) => {
        const folder = await mkdtemp(path.join(tmpdir(), 'speech-'));
        t.after(() => rm(folder, { recursive: true }));
        await writeFile(path.join(folder, 'alfred.toml'), `[provider.voice]\nkind = "openai"\nbase_url = "https://speech.example.org/v1"\n[speech]\n${lines}\n`);
        const { code, stdout, stderr } = await alfred.cli(['config', 'check'], { env: { ALFRED_CONFIG: path.join(folder, 'alfred.toml') } });
        return `${code} ${stdout}${stderr}`;
    };
    assert.match(await check('provider = "voice"\nmodel = "whisper-1"'), /^0 /);
    assert.match(await check('provider = "voice"'), /\[speech\] model: set the model of "voice" to use/);
    assert.match(await check('provider = "other"'), /\[speech\] provider: there is no provider "other"/);
    assert.match(await check('model = "whisper-1"'), /line 5: \[speech\] model needs provider/);
    assert.match(await check('provider = "voice"\nminute_price = "cheap"'), /minute_price must be a price/);
    assert.match(await check('provider = "voice"\nlanguage = "German"'), /language must be two letters/);
});

test('without [speech] nothing is sent, and the sentence names it', async (t) => {
    const provider = await startProvider();
    t.after(() => provider.stop());
    const alfred = await startAlfred({ t, env: provider.env });
    const anna = await alfred.admin('anna');
    const answer = await anna.request('POST', '/page/transcriptions', { body: recordings.ogg });
    assert.equal(answer.status, 400);
    assert.match(answer.json.error.message, /\[speech\]/);
    assert.equal(provider.calls.filter((c) => c.path.includes('audio')).length, 0);
});

test('sound is counted with its price, a member who has spent the limit gets no more text, and a long recording is refused', async (t) => {
    const { alfred, provider, anna, page, form } = await start(t, { config: { minute_price: '0.3', max_seconds: 60 }, more: { usage: { currency: 'EUR', member_month_cost: 1 } } });
    const bob = await alfred.user('bob');
    const says = (more) => provider.next(transcribes('Good.', more));
    const counted = async (client) => (await client.getJson('/api/usage')).models.map((m) => [m.provider, m.model, m.answers, m.audio_seconds, m.cost]);
    says({ lasts: 60 });
    assert.equal((await page(wavOf(2))).status, 200);
    assert.deepEqual(await counted(anna), [['voice', 'whisper-large-v3', 1, 60, 300_000]], 'what the provider says counts');
    says({ server: 'groq' });
    assert.deepEqual((await form({ model: 'alfred', file: wavOf(30) })).json, { text: 'Good.' });
    says({ server: 'groq' });
    await page(Buffer.concat([recordings.mp4, Buffer.alloc(40_000 - recordings.mp4.length)]));
    assert.deepEqual(await counted(anna), [['voice', 'whisper-large-v3', 3, 100, 500_000]], 'else the file, else its size');
    assert.match((await anna.get('/usage')).text, /Sound \(min:s\)[^]*<td>1:40<\/td>/);

    const before = provider.calls.length;
    for (const answer of [await page(wavOf(71)), await form({ model: 'alfred', file: wavOf(71) })]) {
        assert.equal(answer.status, 413);
        assert.match(answer.json.error.message, /at most 60 seconds/);
    }
    assert.equal(provider.calls.length, before);

    says({ lasts: 240 });
    assert.equal((await page(wavOf(1), { by: bob })).status, 200);
    const refused = await page(wavOf(1), { by: bob });
    assert.equal(refused.status, 400);
    assert.match(refused.json.error.message, /1 EUR for this month are spent/);
    assert.equal(provider.calls.length, before + 1);
    says({ lasts: 240 });
    assert.equal((await page(wavOf(1))).status, 200, 'an admin has no limit');
});
