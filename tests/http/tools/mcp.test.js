// Connected tools: models call the tools of MCP servers of both eras (docs/mcp.md).
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { startMcp, text, tool } from '../../fake/mcp.js';
import { startWeb } from '../../fake/web.js';
import { answers } from '../../fake/provider.js';
import { asksForAnswer, beginAnswer, ended, exchangeWithTool, provide, send, serveFile, sessionOf, stop } from '../../lib/chat.js';
import { png } from '../../lib/picture.js';
import { startAlfred, until } from '../../lib/rig.js';

const LAMPS = [
    tool('list_lamps', { reads: true, title: 'List lamps' }),
    tool('turn_on', { title: 'Turn on', properties: { lamp: { type: 'string' } } }),
];
const home = await startMcp({ tools: LAMPS, token: 's3cret-of-home' });
const wiki = await startMcp({
    era: 'stateless', pages: 3,
    tools: [
        tool('search', { reads: true, properties: { query: { type: 'string', 'x-mcp-header': 'Query' }, deep: { type: 'object', properties: { n: { type: 'integer' } } } } }),
        tool('wiki.read', { reads: true }), tool('edit', {}),
        tool('broken', { reads: true, inputSchema: { type: 'string' } }),
        tool('marked', { reads: true, inputSchema: { type: 'object', properties: { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } } } }),
    ],
    call: (name, args) => text(`${name}: ${args.query ?? 'all'}`),
});
const simple = await startMcp({ era: 'simple', tools: [tool('ping', { reads: true })] });
/** A name that is one of Alfred's own, a schema that providers refuse as it is, and an era that changes. */
const odd = await startMcp({ tools: [tool('search', { reads: true }), tool('bare', { reads: true, inputSchema: { $schema: 'x', type: 'object', oneOf: [] } }), tool('x'.repeat(100), { reads: true })] });
for (const server of [home, wiki, simple, odd]) after(() => server.stop());
const provider = await provide(), web = await startWeb();
after(() => web.stop?.());

const alfred = await serveFile({
    env: { HOME_KEY: 's3cret-of-home' },
    config: {
        models: { discover: 'no' },
        turn: { tool_calls_max: 30 },
        web: { hosts: [web.host], ca_file: web.ca },
        'provider.main': { kind: 'openai', base_url: `${provider.url}/v1`, model: 'test-model' },
        'mcp.home': { url: home.url, label: 'Home', key_env: 'HOME_KEY', tools: ['all'], timeout_seconds: 600 },
        'mcp.wiki': { url: wiki.url, tools: ['read', 'edit'], users: ['anna'] },
        'mcp.simple': { url: simple.url },
        'mcp.web': { url: odd.url },
        'mcp.slow': { url: odd.url, timeout_seconds: 1 }, // for one test
        'mcp.off': { url: 'http://127.0.0.1:1/mcp', enabled: 'no' },
    },
});
const anna = await alfred.admin('anna'), bob = await alfred.user('bob');
const servers = { home, wiki, simple };
const lists = () => alfred.sql("SELECT name FROM mcp_server WHERE listed_at > 0").length;
await until('the lists of tools', () => lists() === 5);

let texts = 0;
const question = () => `A question, number ${++texts}.`;
const call = (name, args, { client = anna, words = question(), ...options } = {}) => exchangeWithTool(client, provider, words, name, args, options);
const offered = (request) => request.body.tools.map((one) => one.function.name);
const keepsRules = () => { for (const server of Object.values(servers)) assert.deepEqual(server.broken, []); };

test('a tool of a server with sessions is called with its session; the card names it', async () => {
    home.call = (name, args) => text(`The lamp ${args.lamp} is on.`);
    const { result, session, first } = await call('home_turn_on', { lamp: 'desk' });
    assert.deepEqual(result, { connected_tool: 'Home: Turn on', text: 'The lamp desk is on.' });
    const at = home.calls.at(-1);
    assert.deepEqual([at.name, at.arguments], ['turn_on', { lamp: 'desk' }]);
    assert.match(at.session, /^[0-9a-f-]{36}$/);
    assert.deepEqual(first.body.tools.find((one) => one.function.name === 'home_turn_on').function, {
        name: 'home_turn_on', description: 'The tool turn_on.', parameters: { type: 'object', properties: { lamp: { type: 'string' } } },
    });
    const page = (await anna.get(`/s/${session}`)).text;
    assert.match(page, /Home: Turn on/);
    assert.match(page, /The lamp desk is on\./);
    assert.match((await anna.get(`/api/sessions/${session}/file?format=md`)).text, /Home: Turn on/);
    keepsRules();
});

test('a tool of a stateless server is called with the headers of its arguments', async () => {
    const { result } = await call('wiki_search', { query: 'Grüße', deep: { n: 1 } });
    assert.deepEqual(result, { connected_tool: 'wiki: search', text: 'search: Grüße' });
    const { result: plain } = await call('wiki_search', {});
    assert.equal(plain.text, 'search: all');
    keepsRules();
});

test('a server without an id of its session works', async () => {
    assert.deepEqual((await call('simple_ping', {})).result, { connected_tool: 'simple: ping', text: 'Done.' });
    keepsRules();
});

test('a name with other characters, an own tool, or too long gets a hash; faulty tools are left out and logged', async () => {
    const { first } = await call('simple_ping', {});
    const names = offered(first).filter((name) => /^(home|wiki|simple|off)_/.test(name));
    assert.deepEqual(names.map((name) => name.replace(/_[0-9a-f]{8}$/, '_#')), ['home_list_lamps', 'home_turn_on', 'wiki_search', 'wiki_wiki_read_#', 'wiki_edit', 'simple_ping']);
    assert.ok(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name)));
    assert.ok(offered(first).indexOf('home_list_lamps') > offered(first).indexOf('current_time'), 'own tools come first');
    const read = names.find((name) => name.startsWith('wiki_wiki_read_'));
    assert.equal((await call(read, {})).result.text, 'wiki.read: all');
    assert.match(alfred.logs(), /the tool "broken" is left out: the schema of its arguments is not an object/);
    assert.match(alfred.logs(), /the tool "marked" is left out: the schema of its arguments marks headers wrongly/);
});

test('a name of an own tool, a long name and a schema that providers refuse are made to fit', async () => {
    const { first } = await call('simple_ping', {});
    const names = offered(first).filter((name) => name.startsWith('web_'));
    assert.match(names.join(' '), /^web_search_[0-9a-f]{8} web_bare web_x{51}_[0-9a-f]{8}$/);
    assert.deepEqual(first.body.tools.find((one) => one.function.name === 'web_bare').function.parameters, { type: 'object', properties: {} });
    for (const name of names) assert.equal((await call(name, {})).result.text, 'Done.');
    assert.equal(odd.calls.at(-1).name, 'x'.repeat(100));
});

test('a server that changes its era is asked again', async () => {
    await call('web_bare', {});
    for (const era of ['stateless', 'sessions']) {
        odd.era = era;
        odd.forget();
        const before = odd.calls.length;
        let answer = await call('web_bare', {});
        if (answer.result.error) answer = await call('web_bare', {});
        assert.equal(answer.result.text, 'Done.', era);
        assert.equal(odd.calls.length, before + 1);
    }
});

test('a call that takes too long fails, and the server is told', async () => {
    odd.mode = 'hangs';
    await until('a call in time for its first requests, and the notice', async () => {
        assert.equal((await call('slow_bare', {})).result.error, 'slow did not answer in time.');
        return odd.cancelled.length > 0;
    });
    odd.mode = null;
});

test('a server may be for some users only; by default only tools that read are offered', async () => {
    const { first } = await call('simple_ping', {}, { client: bob });
    assert.deepEqual(offered(first).filter((name) => /^wiki_/.test(name)), []);
    const { result } = await call('wiki_search', { query: 'x' }, { client: bob });
    assert.equal(result.error, 'There is no tool with this name.');
});

test('the setting of a user and the tools of a persona switch connected tools off', async () => {
    assert.equal((await bob.request('PATCH', '/api/settings', { json: { connected_tools: false } })).status, 200);
    const { result, first } = await call('simple_ping', {}, { client: bob });
    assert.equal(result.error, 'There is no tool with this name.');
    assert.ok(!offered(first).includes('simple_ping'));
    await bob.request('PATCH', '/api/settings', { json: { connected_tools: true } });

    const persona = async (tools) => (await anna.postJson('/api/personas', { name: `P ${tools}`, text: 'Be brief.', tools })).json.persona.id;
    const without = await call('simple_ping', {}, { persona: await persona('memory tasks sessions') });
    assert.equal(without.result.error, 'There is no tool with this name.');
    const only = await call('simple_ping', {}, { persona: await persona('connected') });
    assert.equal(only.result.text, 'Done.');
    assert.ok(!offered(only.first).includes('list_tasks'));
});

test('an answer by events may have notifications and requests before it, which are refused', async () => {
    home.mode = 'events';
    const { result } = await call('home_list_lamps', {});
    assert.equal(result.connected_tool, 'Home: List lamps');
    await until('the answers to the requests of the server', () => home.refused.length === 2);
    home.mode = null;
    const [error, pong] = home.refused.toSorted((a, b) => String(b.id).localeCompare(String(a.id)));
    assert.deepEqual([error.id, error.error.code, pong.id, pong.result], ['ask-1', -32601, 2, {}]);
    wiki.mode = 'events';
    assert.equal((await call('wiki_search', { query: 'by events' })).result.text, 'search: by events');
    wiki.mode = null;
    keepsRules();
});

test('a server that has forgotten the session is initialised again, and the call is made once', async () => {
    await call('home_turn_on', { lamp: 'a' });
    const before = home.calls.length, old = home.calls.at(-1).session;
    home.forget();
    assert.ok((await call('home_turn_on', { lamp: 'b' })).result.text);
    assert.equal(home.calls.length, before + 1);
    assert.notEqual(home.calls.at(-1).session, old);
    keepsRules();
});

test('each user has a session of their own', async () => {
    await call('home_list_lamps', {});
    const hers = home.calls.at(-1).session;
    await call('home_list_lamps', {}, { client: bob });
    assert.notEqual(home.calls.at(-1).session, hers);
    await call('home_list_lamps', {});
    assert.equal(home.calls.at(-1).session, hers);
});

test('calls of one step that both begin a session do not disturb each other', async () => {
    const carol = await alfred.user('carol'), words = question();
    const sent = await send(carol, words, {});
    const first = await beginAnswer(provider, words);
    home.holds = 3;
    await first.toolCalls(['a', 'b', 'c'].map((id) => ({ id, name: 'home_list_lamps', args: '{}' })));
    await first.end('tool_calls');
    await answers('Very well.')(await provider.call((c) => asksForAnswer(c) && c.asks(words)));
    await ended(carol, sent.turn);
    const results = (await sessionOf(carol, sent.session)).messages.filter((m) => m.role === 'tool').map((m) => JSON.parse(m.text));
    home.holds = 0;
    assert.deepEqual(results.map((one) => one.error), [undefined, undefined, undefined]);
    keepsRules();
});

test('a call that changes something is never sent twice; one that reads is, once', async () => {
    for (const [server, change, read, args] of [[home, 'home_turn_on', 'home_list_lamps', { lamp: 'x' }], [wiki, 'wiki_edit', 'wiki_search', {}]]) {
        server.mode = 'breaks';
        let before = server.calls.length;
        const { result } = await call(change, args);
        assert.match(result.error, /may have been made\. Do not call the tool again by yourself/);
        assert.equal(server.calls.length, before + 1);
        before = server.calls.length;
        assert.ok((await call(read, {})).result.error);
        assert.equal(server.calls.length, before + 2);
        server.mode = null;
        assert.ok((await call(change, args)).result.text, 'the next call works');
    }
});

test('what is no answer is a failure for the model', async () => {
    for (const [server, name] of [[home, 'home_list_lamps'], [wiki, 'wiki_search']]) {
        server.mode = 'garbage';
        const garbage = await call(name, {});
        assert.match(garbage.result.error, /did not answer with a message of MCP\.$/);
        server.mode = (response) => { response.writeHead(302, { location: 'http://127.0.0.1:1/' }); response.end(); };
        assert.match((await call(name, {})).result.error, /redirects to another address/);
        server.mode = (response) => { response.writeHead(500); response.end(); };
        assert.match((await call(name, {})).result.error, /answered with status 500/);
        server.mode = (response, message, send) => send(response, { jsonrpc: '2.0', id: message.id + 1, result: {} });
        assert.match((await call(name, {})).result.error, /did not answer with a message of MCP\.$/);
        server.mode = (response, message, send) => send(response, { jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: 'x'.repeat(5 * 1024 * 1024) }] } });
        assert.ok((await call(name, {})).result.error);
        server.mode = null;
    }
    home.mode = 'unauthorized';
    const { result, session } = await call('home_list_lamps', {});
    assert.match(result.error, /refuses the access/);
    home.mode = null;
    assert.match((await anna.get(`/s/${session}`)).text, /Home: List lamps[^<]*(did not work|failed)/i);
});

test('the user sees the pictures of a result above the next words; the model is told so', async () => {
    const door = png(30, 20, [1, 2, 3]);
    home.call = () => ({ content: [{ type: 'image', data: door.toString('base64'), mimeType: 'image/png' }, { type: 'text', text: 'The door.' }] });
    const { result, session } = await call('home_list_lamps', {});
    assert.deepEqual(result, { connected_tool: 'Home: List lamps', text: '[An image image/png]\n\nThe door.', note: 'The user sees the pictures above your next words. You cannot see them.' });
    const [picture, ...more] = (await sessionOf(anna, session)).messages.at(-1).pictures;
    assert.deepEqual([picture.width, picture.alt, more.length], [30, 'Home: List lamps', 0]);
    assert.ok((await anna.get(picture.url)).body.equals(door));
    home.call = () => ({ content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }, { type: 'image', data: 'no base64' }, { type: 'image' }] });
    assert.match((await call('home_list_lamps', {})).result.note, /^Some pictures cannot be shown/);
    home.call = () => text('Done.');
});

test('an error of a tool is one for the model; embedded texts are passed on, pictures and other data are named', async () => {
    home.call = () => ({ isError: true, content: [{ type: 'text', text: 'There is no such lamp.' }] });
    assert.deepEqual((await call('home_turn_on', { lamp: '?' })).result, { error: 'There is no such lamp.', connected_tool: 'Home: Turn on' });
    home.call = () => ({ content: [
        { type: 'text', text: 'A plan' }, { type: 'image', data: 'AAAA', mimeType: 'image/png' }, { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        { type: 'resource_link', uri: 'file:///a.txt', name: 'a.txt' }, { type: 'resource', resource: { uri: 'file:///b.txt', text: 'A list' } },
        { type: 'resource', resource: { uri: 'file:///c.png', blob: 'AAAA' } }, { type: 'dance' },
    ] });
    assert.equal((await call('home_list_lamps', {})).result.text, [
        'A plan', '[An image image/png]', '[A sound audio/wav, which Alfred does not pass on]',
        '[A link to the resource "a.txt": file:///a.txt]', '[The resource file:///b.txt]', 'A list', '[The resource file:///c.png, which Alfred does not pass on]', '[A part of a kind that Alfred does not know]',
    ].join('\n\n'));
    home.call = () => ({ content: [], structuredContent: { lamps: ['desk'] } });
    assert.equal((await call('home_list_lamps', {})).result.text, '{"lamps":["desk"]}');
    wiki.call = () => ({ resultType: 'input_required', inputRequests: {} });
    assert.match((await call('wiki_search', {})).result.error, /wants further input/);
    wiki.call = (name, args) => text(`${name}: ${args.query ?? 'all'}`);
    home.call = () => text('é'.repeat(40000));
    const { result } = await call('home_list_lamps', {});
    assert.ok(result.text.length > 10000 && result.text.length < 17000 && /^é+$/.test(result.text), String(result.text.length));
    assert.ok(result.left_out);
    home.call = () => text('Done.');
});

test('a stop cancels the call at the server', async () => {
    for (const [server, name] of [[home, 'home_turn_on'], [wiki, 'wiki_edit']]) {
        server.mode = 'hangs';
        const words = question(), before = server.calls.length, closed = server.closed;
        const sent = await send(anna, words, {});
        const first = await beginAnswer(provider, words);
        await first.toolCall(name, {});
        await first.end('tool_calls');
        await until('the call', () => server.calls.length === before + 1);
        assert.equal((await stop(anna, sent.turn)).status, 200);
        assert.notEqual((await ended(anna, sent.turn)).status, 'running');
        await until('the end of the connection', () => server.closed === closed + 1);
        if (server === home) await until('the notice', () => server.cancelled.includes(server.requests.findLast((one) => one.method === 'tools/call').id));
        server.mode = null;
    }
    keepsRules();
});

test('a list that has changed is read again', async () => {
    home.tools = [...LAMPS, tool('dim', { reads: true })].slice(1);
    assert.match((await call('home_list_lamps', {})).result.error, /Unknown tool: list_lamps/);
    await until('the new list', async () => alfred.sql("SELECT tools FROM mcp_list WHERE name = 'home'")[0].tools.includes('"dim"'));
    const { first } = await call('simple_ping', {});
    assert.deepEqual(offered(first).filter((name) => name.startsWith('home_')), ['home_turn_on', 'home_dim']);
    home.tools = LAMPS;
});

test('a server that hangs while its list is read delays no message, and the old list stays', async () => {
    simple.listMode = 'hangs';
    alfred.sql("UPDATE mcp_server SET stale = 1 WHERE name = 'simple'");
    const before = simple.requests.length;
    await call('home_turn_on', {});
    await until('the request for the list', () => simple.requests.slice(before).some((one) => one.method === 'tools/list'));
    assert.equal((await call('simple_ping', {})).result.text, 'Done.');
    simple.listMode = null;
});

test('the settings have the switch, and a page lists the servers with their tools', async () => {
    assert.match((await anna.get('/settings')).text, /name="connected_tools"/);
    const page = (await anna.get('/connected-tools')).text;
    assert.match(page, /Home<\/h2>/);
    assert.match(page, /Turn on<\/span>.*?may change something/s);
    assert.match(page, /broken<\/span>.*?Alfred cannot call it/s);
    const hers = (await bob.get('/connected-tools')).text;
    assert.ok(!hers.includes('wiki</h2>') && !hers.includes('broken'));
    assert.ok(!page.includes('off</h2>'));
});

const REFUSALS = {
    "the schema of a tool": "Invalid schema for function 'home_turn_on': In context=('properties', 'temperature'), schema must have a 'type' key.",
    'so many tools': "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 140 instead.",
    'a grammar': 'failed to parse grammar',
};
for (const [what, message] of Object.entries(REFUSALS))
    test(`a provider that refuses ${what} answers without connected tools, and has the others`, async () => {
        const words = question(), asked = (one) => asksForAnswer(one) && one.asks(words);
        const sent = await send(anna, words);
        const first = await provider.call(asked);
        assert.ok(offered(first).includes('home_turn_on'));
        await first.fail(400, { message });
        const second = await provider.call(asked);
        assert.deepEqual(offered(second).filter((name) => /^(home|wiki|simple)_/.test(name)), []);
        assert.ok(offered(second).includes('remember'));
        await answers('Without them.')(second);
        assert.equal((await ended(anna, sent.turn)).status, 'done');
        assert.match((await anna.get(`/s/${sent.session}`)).text, /did not accept the tools of the connected servers/);
    });

test('no rule of the protocol was broken, no key is in the log, and sessions of lists were ended', () => {
    keepsRules();
    assert.ok(!alfred.logs().includes('s3cret-of-home'));
    assert.ok(home.ended.length > 0);
});

test('a missing key is refused before the start', async (t) => {
    assert.match((await alfred.cli(['config', 'check'])).stdout, /is valid/);
    const { code, stderr } = await alfred.cli(['config', 'check'], { env: { HOME_KEY: '' } });
    assert.notEqual(code, 0);
    assert.match(stderr, /\[mcp\.home\] needs the key HOME_KEY/);
    await assert.rejects(startAlfred({ t, config: { 'mcp.home': { url: home.url, key_env: 'NO_SUCH_KEY' } } }), /\[mcp\.home\] needs the key NO_SUCH_KEY/);
});

test('alfred mcp lists servers and tools, and asks a server', async () => {
    const { stdout } = await alfred.cli(['mcp', 'wiki']);
    assert.match(stdout, /^wiki at http/);
    assert.match(stdout, /5 tools, read at /);
    assert.match(stdout, /^ {2}search +reads +offered$/m);
    assert.match(stdout, /^ {2}edit +changes +offered$/m);
    assert.match(stdout, /^ {2}broken +reads +not offered: the schema of its arguments is not an object$/m);
    assert.match((await alfred.cli(['mcp', 'nothing'])).stderr, /There is no enabled server \[mcp\.nothing\]/);
    wiki.listMode = (response) => { response.writeHead(200, { 'content-type': 'text/html' }); response.end('<html>'); };
    const failed = await alfred.cli(['mcp', 'wiki']);
    assert.match(failed.stdout, /failed: wiki did not answer with a message of MCP\./);
    assert.match(failed.stdout, /5 tools/, 'the old list stays');
    assert.match((await anna.get('/connected-tools')).text, /The list could not be read\. wiki did not answer/);
    wiki.listMode = 'endless';
    assert.match((await alfred.cli(['mcp', 'wiki'])).stdout, /32 tools/, 'the pages of a list are limited');
    wiki.listMode = null;
    assert.match((await alfred.cli(['mcp'])).stdout, /off at http:\/\/127\.0\.0\.1:1\/mcp \(switched off\)/);
});
