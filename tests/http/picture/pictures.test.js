// Pictures in messages: uploaded, sent to each kind of server in its own form, kept with their message and deleted with it.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startStrict } from '../../fake/strict.js';
import { beginAnswer, ended, newClientId, provide, send, serveFile, sessionOf } from '../../lib/chat.js';
import { startAlfred, until } from '../../lib/rig.js';
import { GIF, noise, png, upload } from '../../lib/picture.js';

const MB = 1024 * 1024;
/** The next refusal of gpt-own or gpt-again. */
let refuses;
/** One refusal of a question in these words; `then` runs before it. */
function refuseOnce(message, then) {
    refuses = (request) => {
        if (!request.tools) return null; // a title
        refuses = undefined;
        then?.();
        return [400, { error: { message, type: 'invalid_request_error' } }];
    };
}
const profiles = {
    openai: { server: 'openai', models: [{ id: 'gpt-4.1', window: 128000 }, { id: 'gpt-old', window: 128000, images: false }, { id: 'gpt-two', window: 128000, images: 2 }, { id: 'gpt-wide', window: 1e8 }, { id: 'gpt-own', window: 128000, refuses: (request) => refuses?.(request) }, { id: 'gpt-again', window: 128000, refuses: (request) => refuses?.(request) }] },
    responses: { server: 'openai', models: [{ id: 'gpt-5', window: 272000, reasoning: 40, responses: () => true }] },
    anthropic: { server: 'anthropic', models: [{ id: 'claude-sonnet-5', window: 200000 }] },
    openrouter: { server: 'openrouter', models: [{ id: 'maker/sees', window: 32768, images: true }, { id: 'maker/blind', window: 32768 }] },
    llama: { server: 'llama.cpp', models: [{ id: 'blind.gguf', window: 32768, images: false }] },
    lmstudio: { server: 'lmstudio', models: [{ id: 'blind', window: 32768, images: false }] },
    vllm: { server: 'vllm', models: [{ id: 'blind', window: 32768, images: false }] },
    deepseek: { server: 'deepseek', models: [{ id: 'deepseek-v4-pro', window: 131072, images: false }] },
    groq: { server: 'openai', models: [{ id: 'llama-3.3', window: 131072, images: false, refusesAs: 'groq' }] },
};
const config = { limits: { picture_bytes: 3 * MB }, models: { discover: 'no' }, session: { idle_minutes: 0 } };
for (const [name, profile] of Object.entries(profiles)) {
    profile.strict = await startStrict(profile);
    after(() => profile.strict.stop());
    config[`provider.${name}`] = { kind: profile.server === 'anthropic' ? 'anthropic' : 'openai', base_url: profile.strict.url };
}
const alfred = await serveFile({ config });
const anna = await alfred.admin('anna');
const ben = await alfred.user('ben');

const RED = png(64, 48, [200, 30, 30]), BLUE = png(20, 20, [30, 30, 200]);
const chats = (name) => profiles[name].strict.requests.filter((r) => r.body.stream && r.tools > 0);
const last = (name) => chats(name).at(-1);
const count = (sql) => alfred.database((db) => db.prepare(sql).get().n);

async function ask(choice, text, { session = 'new', ...more } = {}) {
    const sent = await send(anna, text, { choice, session, ...more });
    return { ...sent, end: await ended(anna, sent.turn) };
}

test('an uploaded picture has its size and type, and only its user gets its bytes', async () => {
    const picture = await upload(anna, RED);
    assert.deepEqual(picture, { id: picture.id, url: `/api/pictures/${picture.id}`, media_type: 'image/png', width: 64, height: 48, bytes: RED.length, alt: null });
    const got = await anna.get(`/pictures/${picture.id}`);
    assert.equal(got.status, 200);
    assert.ok(got.body.equals(RED));
    assert.equal(got.headers['content-type'], 'image/png');
    assert.match(got.headers['content-security-policy'], /default-src 'none'; sandbox/);
    assert.equal(got.headers['x-content-type-options'], 'nosniff');
    const again = await anna.get(`/pictures/${picture.id}`, { headers: { 'if-none-match': got.headers.etag } });
    assert.equal(again.status, 304);
    assert.ok((await anna.get(picture.url)).body.equals(RED));
    assert.equal((await ben.get(`/pictures/${picture.id}`)).status, 404);
    assert.equal((await anna.stranger().get(`/api/pictures/${picture.id}`)).status, 401);
});

test('what is no picture, or too large, is refused with a sentence', async () => {
    const post = (body, headers = {}) => anna.request('POST', '/api/pictures', { body, headers: { accept: 'application/json', 'content-type': 'image/png', ...headers } });
    const svg = await post(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'));
    assert.equal(svg.status, 415);
    assert.match(svg.json.error.message, /PNG, JPEG, GIF and WebP/);
    const large = await post(noise(1100, 1000));
    assert.equal(large.status, 413);
    assert.equal((await post(RED, { 'x-csrf-token': 'wrong' })).status, 403);
    assert.equal((await post(Buffer.alloc(0))).status, 415);
});

test('a user whose pictures are too large together is told what to do, and can add one again after deleting', async (t) => {
    const small = await startAlfred({ t, config: { limits: { user_pictures_bytes: MB }, models: { discover: 'no' }, 'provider.openai': config['provider.openai'] } });
    const [mia, tom] = [await small.admin('mia'), await small.user('tom')];
    const large = noise(440, 440); // 580 KB
    const add = (client, bytes) => client.request('POST', '/api/pictures', { body: bytes, headers: { accept: 'application/json', 'content-type': 'image/png' } });
    const first = await add(mia, large);
    assert.equal(first.status, 201);
    const refused = await add(mia, large);
    assert.equal(refused.status, 409);
    assert.match(refused.json.error.message, /all of the 1\sMB .* empty the trash/);
    assert.equal((await add(tom, large)).status, 201, 'it is the limit of one user');
    const sent = await send(mia, 'What is this?', { pictures: [first.json.picture.id] });
    await ended(mia, sent.turn);
    await mia.post(`/sessions/${sent.session}/delete`);
    assert.equal((await add(mia, large)).status, 409, 'a session in the trash can be restored with its pictures');
    await mia.post('/trash/empty');
    await until('the picture is erased', async () => (await add(mia, large)).status === 201);
});

test('pictures of many running answers are refused for a moment, before they take the memory', async (t) => {
    const provider = await provide();
    const small = await startAlfred({ t, env: provider.env, config: { limits: { turn_pictures_bytes: 16 * MB } } });
    const [mia, tom] = [await small.admin('mia'), await small.user('tom')];
    const large = noise(1250, 1250); // 4.7 MB
    const two = async (client) => [(await upload(client, large)).id, (await upload(client, large)).id];
    const first = await send(mia, 'What is this?', { pictures: await two(mia) });
    const call = await beginAnswer(provider, 'What is this?');
    const question = { text: 'And this?', client_id: newClientId(), pictures: await two(tom) };
    const refused = await tom.postJson('/page/sessions/new/messages', question);
    assert.deepEqual([refused.status, refused.json.error.message], [503, 'Alfred is busy with many pictures. Try again in a few seconds.']);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.equal((await tom.getJson('/api/sessions')).sessions.length, 0);
    await ended(tom, (await send(tom, 'Without a picture', { choice: 'offline/offline' })).turn);
    await call.text('Noise.');
    await call.end();
    await ended(mia, first.turn);
    await until('the memory is free', async () => (await tom.postJson('/page/sessions/new/messages', question)).status < 300);
});

test('a question that is refused gives back the memory of its pictures', async (t) => {
    const provider = await provide();
    const small = await startAlfred({ t, env: provider.env, config: { limits: { turn_pictures_bytes: 16 * MB, turns_per_user: 1 } } });
    const mia = await small.admin('mia');
    const first = await send(mia, 'Begin');
    const call = await beginAnswer(provider, 'Begin');
    const pictures = [(await upload(mia, noise(1250, 1250))).id, (await upload(mia, noise(1250, 1250))).id];
    const ask = () => mia.postJson('/page/sessions/new/messages', { text: 'What is this?', client_id: newClientId(), pictures });
    for (let i = 0; i < 3; i++) assert.equal((await ask()).status, 429);
    await call.text('Done.');
    await call.end();
    await ended(mia, first.turn);
    assert.ok((await ask()).status < 300);
});

test('each kind of server gets the pictures in its own form, before the text', async () => {
    for (const [choice, shape] of Object.entries({
        'openai/gpt-4.1': { type: 'image_url', image_url: { url: `data:image/png;base64,${RED.toString('base64')}` } },
        'responses/gpt-5': { type: 'input_image', image_url: `data:image/png;base64,${RED.toString('base64')}`, detail: 'auto' },
        'anthropic/claude-sonnet-5': { type: 'image', source: { type: 'base64', media_type: 'image/png', data: RED.toString('base64') } },
        'openrouter/maker/sees': { type: 'image_url', image_url: { url: `data:image/png;base64,${RED.toString('base64')}` } },
    })) {
        const name = choice.split('/')[0], pictures = [(await upload(anna, RED)).id, (await upload(anna, GIF)).id];
        const { end, session } = await ask(choice, 'What is this?', { pictures });
        assert.equal(end.status, 'done', `${choice}: ${end.error}`);
        const { body } = last(name), [message] = (body.messages ?? body.input).filter((m) => m.role === 'user');
        assert.deepEqual(message.content[0], shape, choice);
        assert.match(JSON.stringify(message.content[1]), /image\/gif/);
        assert.match(message.content[2].text, /^What is this\?/);
        const messages = (await sessionOf(anna, session)).messages;
        assert.deepEqual(messages[0].pictures.map((p) => p.id), pictures);
        assert.deepEqual(messages[1].pictures, []);
        const more = await ask(choice, 'And now?', { session });
        assert.equal(more.end.status, 'done');
        const [first] = (last(name).body.messages ?? last(name).body.input).filter((m) => m.role === 'user');
        assert.deepEqual(first.content[0], shape, `${choice}: the picture goes with the next question, too`);
    }
});

test('a picture alone is a message', async () => {
    const { end, session } = await ask('openai/gpt-4.1', '', { pictures: [(await upload(anna, BLUE)).id] });
    assert.equal(end.status, 'done', end.error);
    const [message] = last('openai').body.messages.filter((m) => m.role === 'user');
    assert.equal(message.content[0].type, 'image_url');
    const { session: made, messages } = await sessionOf(anna, session);
    assert.equal(messages[0].text, '');
    assert.ok(made.title);
    assert.equal((await anna.postJson('/api/sessions/new/messages', { text: ' ' })).status, 400);
});

test('a model that cannot see is named before anything is sent, or after its first refusal', async () => {
    for (const choice of ['openrouter/maker/blind', 'openai/gpt-old', 'llama/blind.gguf', 'lmstudio/blind', 'vllm/blind', 'deepseek/deepseek-v4-pro', 'groq/llama-3.3']) {
        const name = choice.split('/')[0], known = ['openrouter', 'llama', 'lmstudio'].includes(name); // by the server's list
        const body = { text: 'What is this?', choice, pictures: [(await upload(anna, RED)).id] };
        if (!known) {
            const { end } = await ask(choice, body.text, { pictures: body.pictures });
            assert.equal(end.status, 'failed', choice);
            assert.match(end.error, /does not support pictures for the model/, choice);
            body.pictures = [(await upload(anna, RED)).id];
        }
        const before = chats(name).length;
        const refused = await anna.postJson('/api/sessions/new/messages', body);
        assert.equal(refused.status, 400, choice);
        assert.match(refused.json.error.message, /does not support pictures\. Choose a model that does\./);
        assert.equal(chats(name).length, before, `${choice}: nothing was sent`);
    }
    const offline = await anna.postJson('/api/sessions/new/messages', { text: 'What?', choice: 'offline/offline', pictures: [(await upload(anna, RED)).id] });
    assert.match(offline.json.error.message, /The built-in model does not support pictures/);
});

test('a model that cannot see reads a note in place of earlier pictures', async () => {
    const { session } = await ask('openai/gpt-4.1', 'What is this?', { pictures: [(await upload(anna, RED)).id] });
    const { end } = await ask('openrouter/maker/blind', 'Say it again', { session });
    assert.equal(end.status, 'done', end.error);
    const [first] = last('openrouter').body.messages.filter((m) => m.role === 'user');
    assert.equal(first.content, '[Picture, 64 x 48: not shown here]\n\nWhat is this?');
});

test('a server that takes fewer pictures gets the newest ones', async () => {
    const { session } = await ask('openai/gpt-two', 'First', { pictures: [(await upload(anna, RED)).id, (await upload(anna, BLUE)).id] });
    const { end } = await ask('openai/gpt-two', 'Second', { session, pictures: [(await upload(anna, BLUE)).id] });
    assert.equal(end.status, 'done', end.error);
    const [first, second] = last('openai').body.messages.filter((m) => m.role === 'user');
    assert.match(first.content, /^\[Picture, 64 x 48: not shown here\]\n\[Picture, 20 x 20: not shown here\]\n\nFirst$/);
    assert.equal(second.content[0].type, 'image_url');
});

test('a question with more pictures than the server takes does not keep the next one from its answer', async () => {
    const pictures = [];
    for (let i = 0; i < 3; i++) pictures.push((await upload(anna, RED)).id);
    const { end, session } = await ask('openai/gpt-two', 'Three', { pictures });
    assert.equal(end.status, 'failed');
    assert.match(end.error, /does not accept so many pictures for the model gpt-two/);
    const next = await ask('openai/gpt-two', 'Without any', { session });
    assert.equal(next.end.status, 'done', next.end.error);
    assert.equal(last('openai').body.messages.filter((m) => m.role === 'user').at(-1).content.split('\n')[0], 'Without any');
});

test('words about pictures in the refusal of a request without any say nothing about the model', async () => {
    refuseOnce('This parameter is only supported by certain models.');
    const { end } = await ask('openai/gpt-own', 'Hello');
    assert.equal(end.status, 'failed');
    const with_one = await ask('openai/gpt-own', 'And this?', { pictures: [(await upload(anna, RED)).id] });
    assert.equal(with_one.end.status, 'done', with_one.end.error);
});

test('a request that is sent once more has the pictures that were read for the first one', async () => {
    const { id } = await upload(anna, RED);
    const { session } = await ask('openai/gpt-again', 'What is this?', { pictures: [id] });
    refuseOnce('This model does not support tools.', () => alfred.sql('DELETE FROM picture WHERE pub = ?', id));
    const { end } = await ask('openai/gpt-again', 'And its colour?', { session });
    assert.equal(end.status, 'done', end.error);
    const again = profiles.openai.strict.requests.findLast((r) => r.tools === 0 && r.body.messages?.at(-1).content.startsWith?.('And its colour?'));
    assert.ok(JSON.stringify(again.body.messages).includes(RED.toString('base64')));
});

test('pictures that are too large together are refused before anything is sent', async () => {
    const sized = (bytes) => Buffer.concat([RED, Buffer.alloc(bytes - RED.length)]), pictures = [];
    for (let i = 0; i < 5; i++) pictures.push((await upload(anna, sized(2.5 * MB))).id);
    const post = (list) => anna.postJson('/api/sessions/new/messages', { text: 'Look', choice: 'openai/gpt-wide', pictures: list });
    const refused = await post(pictures);
    assert.equal(refused.status, 413);
    assert.match(refused.json.error.message, /at most 12\sMB together/);
    const sent = await post(pictures.slice(0, 4));
    assert.equal(sent.status, 202);
    assert.equal((await ended(anna, sent.json.turn)).status, 'done');
    assert.equal(last('openai').body.messages.at(-1).content.filter((part) => part.type === 'image_url').length, 4);
});

test('a new version of a message keeps its pictures, and each version has its own', async () => {
    const [{ id }] = [await upload(anna, RED)];
    const { session } = await ask('openai/gpt-4.1', 'Before', { pictures: [id] });
    const [asked] = (await sessionOf(anna, session)).messages;
    const edit = await anna.postJson(`/api/sessions/${session}/messages/${asked.id}/edit`, { text: 'After' });
    assert.equal(edit.status, 202, edit.text);
    assert.equal((await ended(anna, edit.json.turn)).status, 'done');
    assert.match(JSON.stringify(last('openai').body.messages), /data:image\/png/);
    const [now] = (await sessionOf(anna, session)).messages;
    assert.notEqual(now.pictures[0].id, id);
    assert.ok((await anna.get(now.pictures[0].url)).body.equals(RED));
    const again = await anna.postJson(`/api/sessions/${session}/messages/${(await sessionOf(anna, session)).messages[1].id}/regenerate`, {});
    assert.equal((await ended(anna, again.json.turn)).status, 'done');
    assert.match(JSON.stringify(last('openai').body.messages), /data:image\/png/);
});

test('a message that has only pictures can be asked again and saved without text, others need some', async () => {
    const { session } = await ask('openai/gpt-4.1', '', { pictures: [(await upload(anna, RED)).id] });
    const [asked, answer] = (await sessionOf(anna, session)).messages, at = (id) => `/api/sessions/${session}/messages/${id}`;
    const again = await anna.postJson(`${at(asked.id)}/edit`, { text: '' });
    assert.equal(again.status, 202, again.text);
    assert.equal((await ended(anna, again.json.turn)).status, 'done');
    assert.match(JSON.stringify(last('openai').body.messages), /data:image\/png/);
    assert.equal((await anna.request('PATCH', at(asked.id), { json: { text: 'With words' } })).status, 200);
    assert.equal((await anna.request('PATCH', at(asked.id), { json: { text: ' ' } })).status, 200);
    assert.equal((await anna.request('PATCH', at(answer.id), { json: { text: ' ' } })).status, 400);
    const words = await ask('openai/gpt-4.1', 'Only words'), [plain] = (await sessionOf(anna, words.session)).messages;
    assert.equal((await anna.postJson(`/api/sessions/${words.session}/messages/${plain.id}/edit`, { text: ' ' })).status, 400);
    assert.equal((await anna.request('PATCH', `/api/sessions/${words.session}/messages/${plain.id}`, { json: { text: '' } })).status, 400);
});

test('a picture can be sent once, by its user, and not more than eight at once', async () => {
    const mine = await upload(anna, RED), theirs = await upload(ben, RED);
    const post = (pictures) => anna.postJson('/api/sessions/new/messages', { text: 'Look', choice: 'openai/gpt-4.1', pictures });
    assert.equal((await post([theirs.id])).status, 400);
    const nine = [mine];
    while (nine.length < 9) nine.push(await upload(anna, RED));
    assert.equal((await post(nine.map((p) => p.id))).status, 413);
    const sent = await post([mine.id, mine.id]); // named twice, it is one
    assert.equal(sent.status, 202);
    await ended(anna, sent.json.turn);
    assert.equal((await sessionOf(anna, sent.json.session.id)).messages[0].pictures.length, 1);
    const copy = await post([mine.id]); // of a message that exists: the new one gets a copy
    assert.equal(copy.status, 202);
    await ended(anna, copy.json.turn);
    assert.notEqual((await sessionOf(anna, copy.json.session.id)).messages[0].pictures[0].id, mine.id);
});

test('two messages that are sent at the same time with one picture each have it', async () => {
    const picture = await upload(anna, RED);
    const sent = await Promise.all([1, 2].map(() => anna.postJson('/api/sessions/new/messages', { text: 'Look', choice: 'openai/gpt-4.1', pictures: [picture.id] })));
    const ids = new Set();
    for (const { status, json } of sent) {
        assert.equal(status, 202);
        assert.equal((await ended(anna, json.turn)).status, 'done');
        const [{ pictures: [own] }] = (await sessionOf(anna, json.session.id)).messages;
        assert.ok((await anna.get(own.url)).body.equals(RED));
        ids.add(own.id);
    }
    assert.equal(ids.size, 2);
    assert.ok(ids.has(picture.id));
});

test('both models of a comparison see the picture, and one that cannot is named', async () => {
    const body = { text: 'Compare', choice: 'openai/gpt-4.1', compare_with: 'anthropic/claude-sonnet-5', pictures: [(await upload(anna, RED)).id] };
    const sent = await anna.postJson('/api/sessions/new/messages', body);
    assert.equal(sent.status, 202, sent.text);
    const id = sent.json.session.id;
    await until('both answers have ended', async () => (await sessionOf(anna, id)).messages.every((m) => m.status === 'done') && profiles.anthropic.strict.requests.some((r) => JSON.stringify(r.body.messages).includes('Compare')));
    for (const name of ['openai', 'anthropic']) assert.ok(JSON.stringify(last(name).body.messages).includes(RED.toString('base64')), name);
    const refused = await anna.postJson('/api/sessions/new/messages', { ...body, compare_with: 'openrouter/maker/blind', pictures: [(await upload(anna, RED)).id] });
    assert.equal(refused.status, 400);
    assert.match(refused.json.error.message, /maker\/blind.* does not support pictures/);
});

test('an uploaded picture outlives the program that stored it', async () => {
    const { id } = await upload(anna, RED);
    await alfred.killAndAwait('api');
    const { end } = await ask('openai/gpt-4.1', 'Still there?', { pictures: [id], temporary: true });
    assert.equal(end.status, 'done', end.error);
    assert.ok(JSON.stringify(last('openai').body.messages).includes(RED.toString('base64')));
});

test('a repeated send is the same turn, and uses its pictures once', async () => {
    const body = { text: 'Once', choice: 'openai/gpt-4.1', client_id: 'once-with-picture', pictures: [(await upload(anna, RED)).id] };
    const first = await anna.postJson('/api/sessions/new/messages', body), second = await anna.postJson('/api/sessions/new/messages', body);
    assert.equal(second.json.turn, first.json.turn);
    await ended(anna, first.json.turn);
});

test('a picture is erased with its session', async () => {
    const { session } = await ask('openai/gpt-4.1', 'Gone soon', { pictures: [(await upload(anna, RED)).id] });
    const [{ pictures: [picture] }] = (await sessionOf(anna, session)).messages;
    assert.equal((await anna.request('DELETE', `/api/sessions/${session}`, { json: {} })).status, 200);
    assert.equal((await anna.request('DELETE', `/api/trash/${session}`, { json: {} })).status, 200);
    await until('the picture is erased', () => count(`SELECT count(*) AS n FROM picture WHERE pub = '${picture.id}'`) === 0);
    assert.equal((await anna.get(picture.url)).status, 404);
});
