// The helper keeps the lists of models current by a program of its own, `models`, which ends after each round.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { startStrict } from '../../fake/strict.js';
import { ended, send, sessionOf } from '../../lib/chat.js';
import { startAlfred, until } from '../../lib/rig.js';

async function start(t, models = {}) {
    const server = await startStrict({ models: [{ id: 'small', window: 8192 }] });
    t.after(() => server.stop());
    const alfred = await startAlfred({ t, config: { models: { discover: 'no', ...models }, 'provider.it': { kind: 'openai', base_url: server.url } } });
    await until('the helper has asked', () => server.lists >= 2); // the first one was the start's
    await until('models has ended', () => alfred.pids('models').length === 0);
    return { server, alfred };
}

/** A helper whose `models` waits for an answer. */
async function waiting({ server, alfred }) {
    server.silent = true;
    await alfred.killAndAwait('helper');
    await until('models runs', () => alfred.pids('models').length === 1);
    return { helper: alfred.pids('helper'), models: alfred.pids('models')[0] };
}

test('the helper reads lists of models and has no network library in memory', async (t) => {
    const { server, alfred } = await start(t);
    const admin = await alfred.admin();
    const [helper] = alfred.pids('helper');
    server.models = [{ id: 'small', window: 8192 }, { id: 'installed-later', window: 8192 }];
    await alfred.killAndAwait('helper');
    await until('the new model is offered', async () => (await admin.getJson('/api/models?q=later')).models.some((m) => m.value === 'it/installed-later'));
    assert.notDeepEqual(alfred.pids('helper'), [helper]);
    for (const pid of alfred.pids('helper')) assert.doesNotMatch(readFileSync(`/proc/${pid}/maps`, 'latin1'), /libcurl|libcrypto/);
});

test('the models of a server that lists none for a while stay, and its sessions keep theirs', async (t) => {
    const { server, alfred } = await start(t);
    const admin = await alfred.admin();
    const offered = async () => (await admin.getJson('/api/models')).models.map((m) => m.value);
    const { session } = await send(admin, 'Hello');
    server.models = [];
    await alfred.killAndAwait('helper');
    await until('the admin sees why', async () => (await admin.get('/connect')).text.includes('it lists no models at the moment.'));
    assert.ok((await offered()).includes('it/small'));
    server.models = [{ id: 'new', window: 8192 }];
    await alfred.killAndAwait('helper');
    await until('the next list counts', async () => (await offered()).includes('it/new'));
    assert.ok(!(await offered()).includes('it/small'));
    assert.doesNotMatch((await admin.get('/connect')).text, /lists no models/);
    assert.equal((await sessionOf(admin, session)).session.id, session);
});

test('a session keeps the model of a local server that is away for a while', async (t) => {
    const options = { server: 'ollama', models: [{ id: 'llama3.2:latest', window: 8192 }] };
    let ollama = await startStrict(options);
    t.after(() => ollama.stop());
    const { host, port } = new URL(ollama.url);
    const alfred = await startAlfred({ t, env: { OLLAMA_HOST: host }, config: { models: { discover: 'no' } } });
    const admin = await alfred.admin();
    const isOffered = async (yes) => {
        await alfred.killAndAwait('helper'); // it asks at its start
        await until(`the model is ${yes ? '' : 'not '}offered`, async () => (await admin.getJson('/api/models')).models.some((m) => m.value.startsWith('ollama/')) === yes);
    };
    const ask = async (text, options) => {
        const sent = await send(admin, text, options);
        return { session: sent.session, end: await ended(admin, sent.turn), model: (await sessionOf(admin, sent.session)).messages.at(-1).model };
    };
    await isOffered(true);
    const { session, model } = await ask('Hello', { choice: 'ollama/llama3.2:latest' });
    await ollama.stop();
    await isOffered(false);
    for (const text of ['And now?', 'And then?']) {
        const away = await ask(text, { session });
        assert.notEqual(away.model, model);
        assert.match(away.end.error, /The server of llama3\.2:latest does not answer now/);
    }
    ollama = await startStrict({ ...options, port: Number(port) });
    await isOffered(true);
    const back = await ask('Are you back?', { session });
    assert.deepEqual([back.model, back.end.error], [model, null]);
});

test('a provider that does not answer delays no other, not even at the first start', async (t) => {
    const [silent, other] = [await startStrict({ models: [{ id: 'never', window: 8192 }] }), await startStrict({ models: [{ id: 'small', window: 8192 }] })];
    for (const server of [silent, other]) t.after(() => server.stop());
    silent.silent = true;
    const config = { models: { discover: 'no' }, 'provider.a': { kind: 'openai', base_url: silent.url }, 'provider.b': { kind: 'openai', base_url: other.url } };
    const alfred = await startAlfred({ t, config });
    const admin = await alfred.admin();
    assert.ok((await admin.getJson('/api/models')).models.some((m) => m.value === 'b/small'), 'it was asked at the start');
    await until('the helper has asked it, too', () => other.lists >= 2);
    assert.equal(alfred.pids('models').length, 1, 'while it waits for the silent one');
});

test('models that is killed is reported, and the helper goes on', async (t) => {
    const service = await start(t);
    const { helper, models } = await waiting(service);
    process.kill(models, 'SIGKILL');
    await service.alfred.waitForLog(/helper\[\d+\] the lists of models: the program models was ended by signal 9/);
    assert.deepEqual(service.alfred.pids('helper'), helper);
});

test('models ends with the helper', async (t) => {
    const service = await start(t);
    const { models } = await waiting(service);
    await service.alfred.killAndAwait('helper');
    await until('the old one has ended', () => !service.alfred.pids('models').includes(models));
    await until('a new one asks', () => service.alfred.pids('models').length === 1);
    // stop() checks that no process is left; the provider still does not answer
    await service.alfred.stop();
    assert.doesNotMatch(service.alfred.logs(), /did not stop in time/);
    assert.doesNotMatch(service.alfred.logs(), /the lists of models: /);
});

test('a program says once that the default model is not available, and not before it knows the models', async (t) => {
    const says = (alfred) => alfred.logs().match(/\S+\[\d+\](?= \[models\] default_model: "it\/\w+" is not available)/g) ?? [];
    const missing = await start(t, { default_model: 'it/gone' });
    await until('it is said', () => says(missing.alfred).length > 0);
    await missing.alfred.killAndAwait('helper');
    await until('the helper has asked again', () => missing.server.lists >= 3);
    const lines = says(missing.alfred);
    assert.equal(new Set(lines).size, lines.length, lines.join(' '));
    assert.ok(lines.every((line) => !/^(alfred|models)\[/.test(line)), lines.join(' '));
    const there = await start(t, { default_model: 'it/small' });
    assert.deepEqual(says(there.alfred), []);
});
