// The settings of a user: the API, the page's forms, and what pages show of them.
import { test } from 'node:test';
import assert from 'node:assert/strict';
import { answers } from '../../fake/provider.js';
import { asksForAnswer, ended, provide, send } from '../../lib/chat.js';
import { PASSWORD, startAlfred } from '../../lib/rig.js';

const DEFAULTS = {
    theme: 'system', language: 'auto', time_zone: 'auto', send_key: 'enter', text_size: 'normal', notifications: false, display_name: '', model: '', about_me: '', answer_style: '', web_search: false, connected_tools: true,
};

const form = (client, fields) => client.post('/settings', fields);

test('settings are read, changed one by one and set back', async (t) => {
    const alfred = await startAlfred({ t });
    const anna = await alfred.admin('anna'), bob = await alfred.user('bob');
    const read = () => anna.getJson('/api/settings');
    const change = (json) => anna.request('PATCH', '/api/settings', { json });
    assert.deepEqual(await read(), DEFAULTS);

    assert.equal((await change({ theme: 'dark', notifications: true, about_me: '  I bake bread.\n' })).status, 200);
    assert.deepEqual(await read(), { ...DEFAULTS, theme: 'dark', notifications: true, about_me: 'I bake bread.' });
    assert.equal((await change({ theme: 'system', notifications: false, about_me: '' })).status, 200);
    assert.deepEqual(await read(), DEFAULTS);

    for (const bad of [{ theme: 'pink' }, { language: 'xx' }, { time_zone: 'Europe/Nowhere' }, { time_zone: '../etc' }, { send_key: '' }, { notifications: 'maybe' }, { about_me: 'x'.repeat(4001) }, {}, { owner: '1' }]) {
        const { status } = await change({ ...bad, ...(Object.keys(bad).length && { text_size: 'large' }) });
        assert.ok(status === 400 || status === 413, `${JSON.stringify(bad).slice(0, 40)}: ${status}`);
    }
    assert.deepEqual(await read(), DEFAULTS, 'all or nothing');
    assert.equal((await change({ answer_style: 'ü'.repeat(4000) })).status, 200);
    assert.equal((await bob.getJson('/api/settings')).answer_style, '');
});

test('the forms of the page save each setting, and pages have them before the first paint', async (t) => {
    const alfred = await startAlfred({ t });
    const anna = await alfred.admin('anna');
    assert.doesNotMatch((await anna.get('/')).text, /<html[^>]* data-theme/);
    const saved = await form(anna, { theme: 'dark' });
    assert.equal(saved.status, 303);
    assert.match((await anna.get(saved.headers.location)).text, /Your settings are saved/);
    await form(anna, { text_size: 'large' });
    await form(anna, { send_key: 'mod_enter' });
    await form(anna, { notifications: 'yes' });
    await form(anna, { time_zone: 'America/New_York' });
    const [html] = (await anna.get('/')).text.match(/<html[^>]*>/);
    for (const part of ['data-theme="dark"', 'data-text-size="large"', 'data-send-key="mod_enter"', 'data-notifications', 'data-set-zone="America/New_York"']) assert.ok(html.includes(part), html);
    await form(anna, { language: 'de' });
    assert.match((await anna.get('/', { headers: { 'accept-language': 'en' } })).text, /<html lang="de"/);
    await form(anna, { language: 'auto' });
    assert.match((await anna.get('/', { headers: { 'accept-language': 'en' } })).text, /<html lang="en"/);
    const page = (await anna.get('/settings')).text;
    assert.match(page, /value="dark" checked/);
    assert.match(page, /<option selected>America\/New_York/);

    const long = await form(anna, { about_me: `<b>${'x'.repeat(4000)}` });
    assert.equal(long.status, 413);
    assert.match(long.text, /longer than 4,000 characters/);
    assert.ok(long.text.includes(`&lt;b&gt;${'x'.repeat(4000)}`), 'the text is still in its field');
    assert.equal((await anna.getJson('/api/settings')).about_me, '');
    assert.equal((await alfred.client().get('/settings')).status, 303);
});

test('a display name takes any script, and is shown wherever the user is', async (t) => {
    const alfred = await startAlfred({ t });
    const anna = await alfred.admin('anna');
    const shown = '  Ána-Marie d’Ör 田中  '.trim();
    assert.equal((await anna.getJson('/api/me')).display_name, null);
    assert.equal((await form(anna, { display_name: `  ${shown}  ` })).status, 303);
    assert.equal((await anna.getJson('/api/me')).display_name, shown);
    const page = (await anna.get('/')).text;
    assert.ok(page.includes(`<bdi>${shown}</bdi>?`), 'the greeting');
    assert.match(page, new RegExp(`account-menu.*\n?.*${shown}`), 'the account menu');
    assert.ok((await anna.get('/admin/users')).text.includes(`<bdi>${shown}</bdi> (<bdi>anna</bdi>)`), 'the page of users');
    const exported = await alfred.cli(['export', 'anna']);
    const [header] = exported.stdout.split('\n');
    assert.deepEqual([JSON.parse(header).user, JSON.parse(header).display_name], ['anna', shown]);

    const long = await form(anna, { display_name: '田'.repeat(51) });
    assert.equal(long.status, 413);
    assert.ok(long.text.includes('田'.repeat(51)), 'it is still in its field');
    assert.equal((await form(anna, { display_name: '田'.repeat(50) })).status, 303);
    assert.equal((await anna.getJson('/api/me')).display_name, '田'.repeat(50), 'three bytes each');
    await form(anna, { display_name: ' ' });
    assert.equal((await anna.getJson('/api/me')).display_name, null);
    assert.ok((await anna.get('/')).text.includes('What is on your mind?'));
});

test('the sign-in form stores the zone of the browser, and a bad one does not keep anybody out', async (t) => {
    const alfred = await startAlfred({ t });
    const anna = await alfred.admin('anna');
    for (const [time_zone, known] of [['Pacific/Kiritimati', 'Pacific/Kiritimati'], ['../../etc', 'Pacific/Kiritimati'], ['', 'Pacific/Kiritimati']]) {
        const client = alfred.client();
        await client.get('/signin');
        const { status } = await client.post('/signin', { name: 'anna', password: PASSWORD, time_zone });
        assert.equal(status, 303);
        assert.equal((await anna.getJson('/api/me')).time_zone, known);
    }
});

test('a zone of the settings stays when a browser of another zone comes', async (t) => {
    const alfred = await startAlfred({ t });
    const anna = await alfred.admin('anna');
    await anna.request('PATCH', '/api/settings', { json: { time_zone: 'Asia/Tokyo' } });
    const me = await anna.request('PATCH', '/api/me', { json: { time_zone: 'Europe/Berlin' } });
    assert.equal(me.json.time_zone, 'Asia/Tokyo');
    assert.equal((await anna.getJson('/api/me')).time_zone, 'Asia/Tokyo');
    assert.doesNotMatch((await anna.get('/')).text, /data-zone=/, 'the scripts do not tell theirs');
    await anna.request('PATCH', '/api/settings', { json: { time_zone: 'auto' } });
    assert.equal((await anna.getJson('/api/me')).time_zone, 'Europe/Berlin');
    assert.match((await anna.get('/settings')).text, /Same as the browser \(Europe\/Berlin\)/);
});

test('new chats have the model of the settings, a chat keeps its own, and one that is gone counts as none', async (t) => {
    const provider = await provide();
    const alfred = await startAlfred({ t, env: { ...provider.env, ...provider.anthropicEnv } });
    const anna = await alfred.admin('anna');
    const { choices } = await anna.getJson('/api/me');
    const usual = choices.find((c) => c.selected), other = choices.find((c) => c.kind === 'anthropic');
    assert.notEqual(other.value, usual.value);
    provider.always(answers('Yes.'), asksForAnswer);
    const modelOf = async (text, options) => {
        const sent = await send(anna, text, options);
        await ended(anna, sent.turn);
        return { session: sent.session, protocol: provider.calls.findLast((c) => asksForAnswer(c) && c.asks(text)).protocol };
    };
    const before = await modelOf('Are you the usual one?');
    assert.equal(before.protocol, 'openai');

    assert.equal((await form(anna, { model: other.value })).status, 303);
    assert.equal((await anna.getJson('/api/me')).choices.find((c) => c.selected).value, other.value);
    assert.equal((await anna.getJson('/api/models')).models.find((m) => m.default).value, other.value);
    assert.match((await anna.get('/')).text, new RegExp(`value="${other.value}"[^>]* selected`), 'the page of a new chat');
    assert.match((await anna.get('/settings')).text, new RegExp(`value="${other.value}" selected`));
    assert.equal((await modelOf('And you?')).protocol, 'anthropic');
    assert.equal((await modelOf('Still you?', { session: before.session })).protocol, 'openai', 'a chat keeps its model');
    assert.equal((await modelOf('Only this time?', { choice: usual.value })).protocol, 'openai');

    assert.equal((await form(anna, { model: 'nobody/knows-it' })).status, 303);
    assert.equal((await modelOf('Who is it now?')).protocol, 'openai');
    assert.equal((await anna.request('PATCH', '/api/settings', { json: { model: 'x'.repeat(201) } })).status, 400);
});
