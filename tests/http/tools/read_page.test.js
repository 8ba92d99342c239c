// The tool read_page: only pages that the user named, over https, within limits, and what it returns is untrusted.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { startWeb } from '../../fake/web.js';
import { answers } from '../../fake/provider.js';
import { asksForAnswer, beginAnswer, ended, exchange, exchangeOffline, exchangeWithTool, provide, send, serveFile, sessionOf, stop, suggestionsOf } from '../../lib/chat.js';

const provider = await provide();
const web = await startWeb(), moved = await startWeb(), wiki = await startWeb({ plain: true }), secret = await startWeb();
const config = { hosts: [web.host, `localhost:${moved.port}`, wiki.host], ca_file: web.ca };
const alfred = await serveFile({ env: provider.env, config: { web: config, turn: { tool_calls_max: 20 } } });
const anna = await alfred.admin('anna'), bob = await alfred.user('bob');
assert.equal((await anna.request('PATCH', '/api/settings', { json: { web_search: true } })).status, 200);

const LINK = `${web.url}/evil?data=secret`;
web.pages['/tea'] = { body: `<html><head><title>All about tea</title></head><body><main><h1>Tea</h1><p>Tea is hot. <a href="${LINK}">More</a></p></main></body></html>` };
web.pages['/'] = { type: 'text/plain', body: 'The front page' };
web.pages['/evil?data=secret'] = { body: 'Never read' };
secret.pages['/'] = secret.pages['/tea'] = { body: 'The secret' };

let n = 0;
/** Asks with this text; the model reads `url`. */
const reads = (text, url, { more = {}, ...options } = {}) => exchangeWithTool(anna, provider, `${++n}: ${text}`, 'read_page', { url, ...more }, options);
const refused = async (text, url, why, options) => {
    const { result } = await reads(text, url, options);
    assert.match(result.error, why);
};
const offered = (call) => (call.body.tools ?? []).map((t) => t.function.name).filter((name) => name === 'read_page');

test('a page that the user names: title and text without markup, and its host in the transcript', async () => {
    const { result, session, first } = await reads(`Please summarise ${web.url}/tea`, `${web.url}/tea`);
    assert.equal(result.url, `${web.url}/tea`);
    assert.equal(result.title, 'All about tea');
    assert.match(result.text, /Tea is hot/);
    assert.doesNotMatch(result.text, /<|href/);
    assert.deepEqual(offered(first), ['read_page']);
    assert.deepEqual(web.asked(), ['/tea']);
    assert.match((await anna.get(`/s/${session}`)).text, /Read 127\.0\.0\.1/);
});

test('the address may stand in an earlier message, with a fragment and with punctuation', async () => {
    for (const [written, url, path] of [
        [`Look at ${web.url}/tea#top, please.`, `${web.url}/tea`, '/tea'],
        [`What is on ${web.url}?`, `HTTPS://${web.host}`, '/'],
        [`[this](${web.url}/tea)`, `${web.url}/tea#other`, '/tea'],
    ]) {
        const { session } = await exchange(anna, provider, `${written} ${++n}`, 'Shall I read it?');
        const { result } = await reads('Yes', url, { session });
        assert.equal(result.error, undefined);
        assert.deepEqual(web.asked(), [path]);
    }
});

test('no other address is read: not one that is longer, in an answer, in a page, in a file, or of another session', async () => {
    await refused(`Summarise ${web.url}/tea`, LINK, /Ask the user to write the address/);
    await refused(`Summarise ${web.url}/tea`, `${web.url}/tea?data=secret`, /Ask the user/);
    await refused('Summarise it', `${web.url}/tea`, /Ask the user/);
    const { session } = await exchange(anna, provider, `Where is it? ${++n}`, `At ${web.url}/tea`);
    await refused('Then read that', `${web.url}/tea`, /Ask the user/, { session });
    const page = await reads(`Summarise ${web.url}/tea`, `${web.url}/tea`);
    await refused('And the link', LINK, /Ask the user/, { session: page.session });
    await refused(`What is in it?\n\nlinks.txt\n\`\`\`\n${LINK}\n\`\`\``, LINK, /Ask the user/);
    await refused('Read this', 'ftp://example.org/', /must begin with https/);
    assert.deepEqual(web.asked(), ['/tea']);
});

test('redirects are followed to servers that may be read, five at most', async () => {
    const to = (url, status = 302) => ({ status, headers: { location: url }, body: 'Moved' });
    web.pages['/short'] = to(`https://localhost:${moved.port}/long`, 301);
    moved.pages['/long'] = to('/tea', 307);
    moved.pages['/tea'] = { body: '<title>Moved</title><p>Moved tea' };
    const { result } = await reads(`Summarise ${web.url}/short`, `${web.url}/short`);
    assert.deepEqual([result.url, result.title, result.text.trim()], [`https://localhost:${moved.port}/tea`, 'Moved', 'Moved tea']);
    for (const [i, more] of [[5, 0], [6, 1]]) {
        web.pages['/hop0'] = { type: 'text/plain', body: 'Arrived' };
        for (let k = 1; k <= i; k++) web.pages[`/hop${k}`] = to(`/hop${k - 1}`);
        const hops = await reads(`Summarise ${web.url}/hop${i}`, `${web.url}/hop${i}`);
        assert.match(hops.result.text ?? hops.result.error, more ? /redirects too often/ : /Arrived/);
    }
    web.pages['/inside'] = to(`${secret.url}/tea`);
    await refused(`Summarise ${web.url}/inside`, `${web.url}/inside`, /private address/);
    web.pages['/other'] = to('ftp://127.0.0.1/');
    await refused(`Summarise ${web.url}/other`, `${web.url}/other`, /https/);
    assert.deepEqual([...secret.asked(), ...moved.asked()], ['/long', '/tea']);
    web.asked();
});

test('a private server is read only if the owner lists it, and only then over http', async () => {
    wiki.pages['/start'] = { type: 'text/plain', body: 'Our wiki' };
    const { result } = await reads(`Summarise ${wiki.url}/start`, `${wiki.url}/start`);
    assert.deepEqual([result.url, result.text], [`${wiki.url}/start`, 'Our wiki']);
    await refused(`Summarise ${secret.url}/`, `${secret.url}/`, /private address/);
    await refused(`Summarise http://${secret.host}/`, `http://${secret.host}/`, /private address/);
    // The model's own server is private and allowed for requests to it, but not for pages.
    await refused(`Summarise ${provider.url}/models`, `${provider.url}/models`, /private address/);
    assert.deepEqual(secret.asked(), []);
});

test('types, statuses and sizes that cannot be read are said in a sentence', async () => {
    web.pages['/file.pdf'] = { type: 'application/pdf', body: '%PDF-1.7' };
    web.pages['/picture'] = { type: 'image/png', body: 'PNG' };
    web.pages['/data'] = { type: 'application/json; charset=utf-8', body: '{"tea":"hot"}' };
    web.pages['/big'] = { type: 'text/plain', body: 'x'.repeat(2 * 1024 * 1024 + 1) };
    web.pages['/broken'] = { status: 500 };
    await refused(`Summarise ${web.url}/gone`, `${web.url}/gone`, /status 404/);
    await refused(`Summarise ${web.url}/broken`, `${web.url}/broken`, /status 500/);
    await refused(`Summarise ${web.url}/file.pdf`, `${web.url}/file.pdf`, /It is a PDF.*attach the file/);
    await refused(`Summarise ${web.url}/picture`, `${web.url}/picture`, /image\/png/);
    await refused(`Summarise ${web.url}/big`, `${web.url}/big`, /more than 2 MB/);
    assert.equal((await reads(`Summarise ${web.url}/data`, `${web.url}/data`)).result.text, '{"tea":"hot"}');
});

test('other character sets are read as what they are', async () => {
    web.pages['/latin.txt'] = { type: 'text/plain; charset=ISO-8859-1', body: Buffer.from('Grüner Käse', 'latin1') };
    web.pages['/latin'] = { type: 'text/html; charset="iso-8859-1"', body: Buffer.from('<title>Käse</title><p>Grüner Käse', 'latin1') };
    assert.equal((await reads(`Summarise ${web.url}/latin.txt`, `${web.url}/latin.txt`)).result.text, 'Grüner Käse');
    const { result } = await reads(`Summarise ${web.url}/latin`, `${web.url}/latin`);
    assert.deepEqual([result.title, result.text.trim()], ['Käse', 'Grüner Käse']);
});

test('a long page is read in parts', async () => {
    const long = Array.from({ length: 9000 }, (_, i) => `Wörd ${i}`).join(' ');
    web.pages['/long'] = { type: 'text/plain; charset=utf-8', body: long };
    let said = '';
    const first = await reads(`Summarise ${web.url}/long`, `${web.url}/long`);
    for (let { result, session } = first; ; { result } = await reads('Go on', `${web.url}/long`, { session, more: { from_character: result.left_out.from_character } })) {
        said += result.text;
        if (!result.left_out) break;
        assert.ok(result.text.length > 1000);
    }
    assert.ok(said === long);
});

test('Stop ends a page that hangs, and hanging pages hold nothing that others need', async () => {
    const arrivals = [0, 1, 2, 3, 4, 5].map((i) => web.hangs(`/hang${i}`));
    const text = `Read them: ${arrivals.map((_, i) => `${web.url}/hang${i}`).join(' ')}`;
    const sent = await send(anna, text);
    const call = await beginAnswer(provider, text);
    await call.toolCalls(arrivals.map((_, i) => ({ id: `call_${i}`, name: 'read_page', args: JSON.stringify({ url: `${web.url}/hang${i}` }) })));
    await call.end('tool_calls');
    const hanging = await Promise.all(arrivals);
    const other = await exchangeWithTool(bob, provider, 'What time is it?', 'current_time', {});
    assert.ok(other.result.utc);
    assert.equal((await stop(anna, sent.turn)).status, 200);
    assert.equal((await ended(anna, sent.turn)).status, 'stopped');
    await Promise.all(hanging.map((request) => request.gone));
    const { messages } = await sessionOf(anna, sent.session);
    for (const message of messages.filter((m) => m.role === 'tool')) assert.match(JSON.parse(message.text).error, /stopped/);
});

test('a turn reads eight pages at most', async () => {
    const text = `Read ${web.url}/tea nine times`;
    const sent = await send(anna, text);
    web.asked();
    const call = await beginAnswer(provider, text);
    await call.toolCalls(Array.from({ length: 9 }, (_, i) => ({ id: `call_${i}`, name: 'read_page', args: JSON.stringify({ url: `${web.url}/tea` }) })));
    await call.end('tool_calls');
    provider.next(answers('Done.'), (c) => asksForAnswer(c) && c.hasToolResult && c.asks(text));
    assert.equal((await ended(anna, sent.turn)).status, 'done');
    const results = (await sessionOf(anna, sent.session)).messages.filter((m) => m.role === 'tool').map((m) => JSON.parse(m.text));
    assert.deepEqual([results.filter((r) => r.title === 'All about tea').length, results.filter((r) => r.error?.includes('read enough')).length], [8, 1]);
    assert.equal(web.asked().length, 8);
});

test('what a page says is untrusted: a change after it waits for the user', async () => {
    const text = `Remember that my cat is called Tom, and read ${web.url}/tea`;
    const sent = await send(anna, text);
    const first = await beginAnswer(provider, text);
    await first.toolCall('read_page', { url: `${web.url}/tea` });
    await first.end('tool_calls');
    const second = await beginAnswer(provider, text);
    await second.toolCall('remember', { text: 'My cat is called Tom' });
    await second.end('tool_calls');
    provider.next(answers('Done.'), (c) => asksForAnswer(c) && c.hasToolResult && c.asks(text));
    const end = await ended(anna, sent.turn);
    assert.equal(end.status, 'done');
    assert.deepEqual((await anna.getJson('/api/memories')).memories, []);
    assert.equal(suggestionsOf(end.html)[0]?.state, 'open');
});

test('off: until the user switches it on, in a temporary chat, for a persona without tools, and by the owner', async () => {
    const text = `Summarise ${web.url}/tea`;
    web.asked();
    const off = await exchangeWithTool(bob, provider, `${text} now`, 'read_page', { url: `${web.url}/tea` });
    assert.match(off.result.error, /There is no tool/);
    assert.deepEqual(offered(off.first), []);
    const { persona } = (await anna.postJson('/api/personas', { name: 'Plain', text: 'Be brief.', tools: '' })).json;
    for (const options of [{ temporary: true }, { persona: persona.id }]) {
        const question = `${text} ${++n}`;
        const sent = await send(anna, question, options);
        const call = await beginAnswer(provider, question);
        assert.deepEqual(offered(call), []);
        await call.text('Very well.');
        await call.end();
        assert.equal((await ended(anna, sent.turn)).status, 'done');
    }
    const strict = await serveFile({ env: provider.env, config: { web: { ...config, pages: 'no' } } });
    const carol = await strict.admin('carol');
    await carol.request('PATCH', '/api/settings', { json: { web_search: true } });
    const { result, first } = await exchangeWithTool(carol, provider, `${text} today`, 'read_page', { url: `${web.url}/tea` });
    assert.match(result.error, /There is no tool/);
    assert.deepEqual(offered(first), []);
    assert.deepEqual(web.asked(), []);
    assert.match((await anna.get('/settings')).text, /read pages whose address you write/);
    assert.doesNotMatch((await carol.get('/settings')).text, /read pages whose address you write/);
});

test('off by the user alone: the model is told which setting reads the page that the user named', async () => {
    const link = `${web.url}/tea`, told = /setting "Web access" is off.*on the page \[Settings\]\(\/settings\)/s;
    /** All that the model gets besides the conversation. */
    const given = async (client, text, options) => {
        const question = `${text} ${++n}`;
        await exchange(client, provider, question, 'Very well.', options);
        return provider.calls.findLast((c) => asksForAnswer(c) && c.asks(question)).given;
    };
    assert.match(await given(bob, `Summarise ${link}`), told);
    assert.match(await given(bob, `What is on www.example.org?`), told);
    const { session } = await exchange(bob, provider, `${link} ${++n}`, 'I cannot.');
    assert.doesNotMatch(await given(bob, 'Never mind', { session }), told, 'the newest message has no address');
    assert.doesNotMatch(await given(anna, `Summarise ${link}`), told, 'it is on');
    assert.doesNotMatch(await given(bob, `Summarise ${link}`, { temporary: true }), told, 'no tools');
    const { persona } = (await bob.postJson('/api/personas', { name: 'Plain', text: 'Be brief.', tools: '' })).json;
    assert.doesNotMatch(await given(bob, `Summarise ${link}`, { persona: persona.id }), told, 'no tools');
    const strict = await serveFile({ env: provider.env, config: { web: { ...config, pages: 'no' } } });
    assert.doesNotMatch(await given(await strict.admin('carol'), `Summarise ${link}`), told, 'the owner has switched it off');
    await bob.request('PATCH', '/api/settings', { json: { language: 'de' } });
    assert.match(await given(bob, `Lies ${link}`), /"Webzugriff" is off.*\[Einstellungen\]\(\/settings\)/s);
});

test('the built-in model names the setting, with a link to it', async () => {
    const bare = await serveFile({});
    const dora = await bare.admin('dora');
    const { session, said } = await exchangeOffline(dora, `Summarise ${web.url}/tea`);
    assert.match(said, /I cannot read web pages.*switch on “Web access” in the settings/s);
    assert.match((await dora.get(`/s/${session}`)).text, /<a [^>]*href="\/settings"[^>]*>settings<\/a>/);
    await dora.request('PATCH', '/api/settings', { json: { web_search: true } });
    assert.match((await exchangeOffline(dora, `${web.url}/tea`)).said, /A connected model reads the pages whose address you write\./);
});
