// Versions of an answer: written by the user, and by another model.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { asksForAnswer, ended, exchange, provide, send, serveFile, sessionOf } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');
const bert = await alfred.user('bert');
const change = (client, session, id, text) => client.request('PATCH', `/api/sessions/${session}/messages/${id}`, { json: { text } });
const hits = async (q) => (await anna.getJson(`/api/search?q=${encodeURIComponent(q)}`)).hits.map((h) => h.id);

test('an edited answer is a new version, marked, found, and what the model reads from then on', async () => {
    const { session, asked, reply } = await exchange(anna, provider, 'Where do walruses live?', 'They live in deserts.');
    const changed = await change(anna, session, reply, 'They live in the Arctic.');
    assert.equal(changed.status, 200, changed.text);
    const { message } = changed.json;
    assert.deepEqual([message.text, message.edited, message.sibling, message.siblings, message.parent_id], ['They live in the Arctic.', true, 2, 2, asked]);
    assert.notEqual(message.id, reply);
    assert.deepEqual((await sessionOf(anna, session)).messages.map((m) => m.id), [asked, message.id]);
    const old = (await sessionOf(anna, session, `?at=${reply}`)).messages.at(-1);
    assert.deepEqual([old.text, old.edited], ['They live in deserts.', false]);
    assert.ok((await hits('Arctic')).includes(message.id));
    const page = (await anna.get(`/s/${session}`)).text;
    assert.match(page, /<span class="edited">Edited<\/span>/);
    assert.match((await anna.get(`/s/${session}`, { headers: { 'accept-language': 'de' } })).text, /<span class="edited">Bearbeitet<\/span>/);

    const next = await exchange(anna, provider, 'And seals?', 'They do, too.', { session });
    const call = provider.calls.find((c) => asksForAnswer(c) && c.userText === 'And seals?');
    assert.deepEqual(call.body.messages.filter((m) => m.role === 'assistant').map((m) => m.content), ['They live in the Arctic.']);
    assert.equal((await sessionOf(anna, session)).messages.at(-1).id, next.reply);
});

test('an answer is edited without a script, also one that used tools', async () => {
    provider.next(async (call) => {
        await call.start();
        await call.toolCall('current_time', {});
        await call.end('tool_calls');
    }, (c) => asksForAnswer(c) && c.userText === 'What time is it?');
    provider.next(answers('It is noon.'), (c) => asksForAnswer(c) && c.body.messages.at(-1).role === 'tool');
    const sent = await send(anna, 'What time is it?');
    const end = await ended(anna, sent.turn);
    const posted = await anna.post(`/sessions/${sent.session}/messages/${end.m}/text`, { text: 'It is one.' });
    assert.equal(posted.status, 303, posted.text);
    const { messages } = await sessionOf(anna, sent.session);
    assert.deepEqual(messages.map((m) => [m.role, m.text, m.siblings]), [['user', 'What time is it?', 1], ['assistant', 'It is one.', 2]]);
    assert.equal(posted.location, `/s/${sent.session}?at=${messages[1].id}&done=saved#m-${messages[1].id}`);
});

test('what cannot be edited is refused, and nothing changes', async () => {
    const { session, reply } = await exchange(anna, provider, 'One?', 'One.');
    for (const text of ['', ' \n']) assert.equal((await change(anna, session, reply, text)).status, 400, JSON.stringify(text));
    assert.equal((await change(bert, session, reply, 'x')).status, 404);
    const sent = await send(anna, 'Two?', { session });
    const call = await provider.call((c) => asksForAnswer(c) && c.userText === 'Two?');
    assert.equal((await change(anna, session, reply, 'x')).status, 409);
    await call.start();
    await call.text('Two.');
    await call.end();
    await ended(anna, sent.turn);
    assert.equal((await sessionOf(anna, session)).messages.length, 4);
});

test('an edited answer is exported as one', async () => {
    const { session, reply } = await exchange(anna, provider, 'A rare word?', 'Not yet.');
    await change(anna, session, reply, 'Quincunx.');
    const { stdout } = await alfred.cli(['export', 'anna']);
    const line = stdout.split('\n').find((l) => l.includes('Quincunx.'));
    assert.equal(JSON.parse(line).edited, 1);
});

test('another model answers once, and the session keeps its own', async () => {
    const { choices } = await anna.getJson('/api/me');
    const [own, other] = [choices[0].value, 'offline/offline'];
    const { session, reply } = await exchange(anna, provider, 'Hello', 'Hello from the first.', { choice: own });
    const again = await anna.postJson(`/api/sessions/${session}/messages/${reply}/regenerate`, { choice: other, once: true });
    await ended(anna, again.json.turn);
    const { messages } = await sessionOf(anna, session);
    assert.deepEqual([messages.at(-1).siblings, /built-in/i.test(messages.at(-1).model)], [2, true]);
    await exchange(anna, provider, 'And now?', 'The first again.', { session });
    assert.equal((await sessionOf(anna, session)).messages.at(-1).text, 'The first again.');

    // Without a script: the page of models has a button for each.
    const page = (await anna.get(`/s/${session}`)).text, last = (await sessionOf(anna, session)).messages.at(-1).id;
    assert.ok(page.includes(`href="/models?session=${session}&amp;message=${last}"`));
    const models = (await anna.get(`/models?session=${session}&message=${last}`)).text;
    assert.match(models, new RegExp(`action="/s/${session}/regenerate".*value="${other}"`, 's'));
    const posted = await anna.post(`/s/${session}/regenerate`, { message: last, once: 'yes', choice: other });
    assert.equal(posted.status, 303, posted.text);
    await until('the answer', async () => (await sessionOf(anna, session)).messages.at(-1).siblings === 2);
});
