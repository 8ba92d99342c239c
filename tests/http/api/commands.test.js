// Commands over HTTP: their effect on conversations and running answers, the API, and pages without their script.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { articles, asksForAnswer, ended, exchange, provide, send, serveFile, sessionOf, wordsOf } from '../../lib/chat.js';
import { Client } from '../../lib/client.js';
import { until } from '../../lib/rig.js';

const provider = await provide();
const alfred = await serveFile({ env: provider.env });
const anna = await alfred.admin('anna');

const post = (client, line, more = {}) => client.postJson('/api/commands', { line, ...more });
async function run(line, session) {
    const done = await post(anna, line, session ? { session } : {});
    assert.equal(done.status, 200, done.text);
    return done.json;
}
const texts = (call) => call.body.messages.map((m) => JSON.stringify(m.content)).join('\n');
const messagesOf = async (session) => (await anna.getJson(`/api/sessions/${session}/messages`)).messages;

test('the list has every command with its help, and no hidden one', async () => {
    const { commands } = await anna.getJson('/api/commands');
    const names = commands.map((c) => c.name);
    for (const name of ['new', 'resume', 'sessions', 'session', 'rename', 'clear', 'compact', 'summary', 'search', 'remember', 'memories', 'forget', 'tasks', 'workspace', 'model', 'stop', 'retry', 'undo', 'export', 'usage', 'link', 'help']) assert.ok(names.includes(name), name);
    assert.ok(!names.includes('decide'));
    assert.ok(commands.every((c) => c.help && c.group));
});

test('after /clear the model reads none of the earlier messages, and they stay in the conversation', async () => {
    const { session } = await exchange(anna, provider, 'My parrot is called Zebulon', 'A fine name');
    await run('/clear', session);
    provider.next(answers('I do not know'), (c) => asksForAnswer(c) && c.userText === 'What is it called?');
    const sent = await send(anna, 'What is it called?', { session });
    await ended(anna, sent.turn);
    const asked = provider.calls.find((c) => asksForAnswer(c) && c.userText === 'What is it called?');
    assert.ok(!texts(asked).includes('Zebulon'), texts(asked));
    assert.equal((await messagesOf(session)).length, 4);
    const page = (await anna.get(`/s/${session}`)).text;
    assert.match(wordsOf(page), /Context emptied here/);
    assert.ok(page.includes('Zebulon'));
    const [first] = await messagesOf(session);
    assert.equal((await anna.request('PATCH', `/api/sessions/${session}/messages/${first.id}`, { json: { text: 'My parrot is called Zoe' } })).status, 200);
    assert.match(wordsOf((await anna.get(`/s/${session}`)).text), /Context emptied here/);
    assert.equal((await post(anna, '/clear', { session })).status, 200);
    assert.equal((await post(anna, '/clear', { session })).status, 409);
});

test('/resume with the link to a message opens its branch', async () => {
    const first = await exchange(anna, provider, 'Name a city', 'Rome');
    provider.next(answers('Oslo'), (c) => asksForAnswer(c) && c.userText === 'Name a city');
    const [, rome] = await messagesOf(first.session);
    await run('/retry', first.session);
    await until('the other answer', async () => { const m = (await messagesOf(first.session)).at(-1); return m.text === 'Oslo' && m.status === 'done'; });
    const { session, markdown } = await run(`/resume ${alfred.baseUrl}/s/${first.session}?at=${rome.id}#m-${rome.id}`, first.session);
    assert.equal(session, first.session);
    assert.match(markdown, /in the branch of this message: “Rome”/);
    assert.equal((await messagesOf(first.session)).at(-1).text, 'Rome');
    const other = await exchange(anna, provider, 'Name a river', 'Po');
    assert.equal((await post(anna, `/resume ${other.session} ${rome.id}`)).status, 400, 'a message of another session');
    assert.equal((await run(`/resume ${alfred.baseUrl}/s/${other.session}`)).session, other.session);
    assert.equal((await post(anna, `/resume ${alfred.baseUrl}/s/ses_00000000000000000000000000?at=1`)).status, 400);
});

test('/retry asks again, /undo removes the exchange, and its button brings it back', async () => {
    const { session } = await exchange(anna, provider, 'Name a colour', 'Red');
    provider.next(answers('Blue'), (c) => asksForAnswer(c) && c.userText === 'Name a colour');
    assert.equal((await run('/retry', session)).answers, true);
    const last = async () => (await messagesOf(session)).at(-1);
    await until('another answer', async () => { const m = await last(); return m.text === 'Blue' && m.status === 'done'; });
    const { buttons } = await run('/undo', session);
    assert.equal((await messagesOf(session)).length, 0);
    assert.equal((await post(anna, '/undo', { session })).status, 409);
    await run(buttons[0].line, session);
    assert.equal((await last()).text, 'Blue');
});

test('during an answer /stop and /new stop it, and /clear, /retry and /undo are refused', async () => {
    for (const line of ['/stop', '/new']) {
        const sent = await send(anna, `Tell me a long story, then ${line}`);
        const call = await provider.call();
        await call.start();
        await call.text('Once upon a time');
        for (const refused of ['/clear', '/retry', '/undo']) {
            const no = await post(anna, refused, { session: sent.session });
            assert.equal(no.status, 409, refused);
            assert.match(no.text, /stop/i);
        }
        assert.match((await run('/session', sent.session)).markdown, /Messages/);
        assert.equal((await run(line, sent.session)).no_session, line === '/new');
        assert.equal((await ended(anna, sent.turn)).status, 'stopped');
        await call.gone;
    }
});

test('words that find nothing, and forms that lack something, are told in a sentence', async () => {
    for (const line of ['/resume xylophones', '/rename', '/forget', '/search', '/model nothing-like-it', '/unforget 5', '/decide 5 keep', 'no command', '/help nothing']) {
        const no = await post(anna, line, {});
        assert.ok([400, 409].includes(no.status), `${line}: ${no.status}`);
        assert.ok(no.json.detail.length > 10, no.text);
    }
    assert.equal((await post(anna, `/remember ${'x'.repeat(9000)}`)).status, 400);
    assert.equal((await run('/sesions')).unknown, true);
    assert.equal((await post(anna, '/session', { session: 'ses_00000000000000000000000000' })).status, 404);
});

test('a program needs the rights to read and to write, and the right to chat for an answer', async () => {
    const { session } = await exchange(anna, provider, 'Name a bird', 'Wren');
    const token = async (scopes) => (await anna.postJson('/api/tokens', { name: scopes, scopes })).json.secret;
    const program = async (scopes) => new Client(anna.base.href, { headers: { authorization: `Bearer ${await token(scopes)}`, origin: null, 'sec-fetch-site': null } });
    for (const one of ['read', 'write', 'chat']) assert.equal((await post(await program(one), '/memories')).status, 403, one);
    const writer = await program('read write');
    assert.equal((await post(writer, '/help')).status, 200);
    assert.equal((await post(writer, '/retry', { session })).status, 403);
    assert.equal((await post(writer, '/session', { session })).status, 200);
    // A linked account would keep all rights when the token has ended.
    const link = await post(await program('read write chat'), '/link');
    assert.deepEqual([link.status, link.json.detail], [403, 'An API token cannot link accounts. Make a code on your Account page in the browser.']);
    assert.match((await post(anna, '/link')).json.markdown, /\/link [A-Z0-9]{8}/);
});

test('a reply is in the language of its reader', async () => {
    const help = await anna.postJson('/api/commands', { line: '/help' }, { headers: { 'accept-language': 'de' } });
    assert.match(help.json.markdown, /Listet die Befehle auf/);
});

test('without script, a command in the message box shows its reply on the page', async () => {
    const { session } = await exchange(anna, provider, 'Name a tree', 'Oak');
    const help = await anna.post(`/s/${session}`, { text: '/help', client_id: 'c1' });
    assert.equal(help.status, 200);
    const card = help.text.match(/<section class="command".*?<\/section>/s)[0];
    assert.match(wordsOf(card), /\/resume/);
    assert.equal(articles(help.text).size, 2);
    const listed = await anna.post(`/s/${session}`, { text: '/sessions', client_id: 'c2' });
    assert.match(listed.text, /name="text" value="\/resume ses_/);
    const moved = await anna.post(`/s/${session}`, { text: '/new', client_id: 'c3' });
    assert.deepEqual([moved.status, moved.location], [303, '/']);
    const wrong = await anna.post(`/s/${session}`, { text: '/rename', client_id: 'c4' });
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /<textarea[^>]*>\n\/rename<\/textarea>/);
});

test('without script, what only looks like a command can be sent as a message', async () => {
    const unknown = await anna.post('/s/new', { text: '/shrug it is raining', client_id: 'd1' });
    assert.equal(unknown.status, 200);
    const value = unknown.text.match(/name="text" value="( \/shrug[^"]*)"/)[1];
    provider.next(answers('So it is'), (c) => asksForAnswer(c) && c.userText === '/shrug it is raining');
    const sent = await anna.post('/s/new', { text: value, client_id: 'd2' });
    assert.equal(sent.status, 303);
    const [session] = sent.location.match(/ses_\w+/);
    assert.equal((await messagesOf(session))[0].text, '/shrug it is raining');
    provider.next(answers('A file'), (c) => asksForAnswer(c) && c.userText === '/etc/passwd is what?');
    const path = await anna.post('/s/new', { text: '/etc/passwd is what?', client_id: 'd3' });
    assert.equal(path.status, 303);
    assert.equal((await sessionOf(anna, path.location.match(/ses_\w+/)[0])).session.message_count, 2);
});
