// A form that is refused comes back with what was sent, open, with its error; no other form has that text. Without a script.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';

import { send } from '../../lib/chat.js';
import { startAlfred } from '../../lib/rig.js';

const alfred = await startAlfred({ t: { after } });
const anna = await alfred.admin('anna');

/** The form that posts to this path, and whether each <details> around it is open. */
function formOf(page, path) {
    const at = page.text.indexOf(`action="${path}"`);
    assert.ok(at >= 0, `a form for ${path}`);
    const before = page.text.slice(0, at);
    const around = before.slice(before.lastIndexOf('<details'));
    const open = around.includes('</details>') || !around.startsWith('<details') || /^<details[^>]* open/.test(around);
    return { html: page.text.slice(at, page.text.indexOf('</form>', at)), open };
}
const tagOf = (form, name) => form.html.match(new RegExp(`<(?:input|textarea|select)[^>]* name="${name}"[^>]*>`))?.[0] ?? '';
const valueOf = (form, name) => tagOf(form, name).match(/ value="([^"]*)"/)?.[1] ?? '';
const textOf = (form, name) => form.html.match(new RegExp(`name="${name}"[^>]*>\n?([^<]*)</textarea>`))?.[1];
const chosenIn = (form, name) => form.html.match(new RegExp(`<select name="${name}"[^]*?<option[^>]*value="([^"]*)"[^>]* selected`))?.[1];
const isTicked = (form, name) => / checked/.test(tagOf(form, name));

async function refused(path, form, wrong) {
    const page = await anna.post(path, form);
    assert.equal(page.status, 400, page.text.slice(0, 300));
    const sent = formOf(page, path);
    assert.ok(sent.open, 'the form is open');
    assert.match(tagOf(sent, wrong), /aria-invalid="true" autofocus aria-describedby="problem/);
    return { page, sent };
}

test('a refused edit of a task stays in its own form', async () => {
    const { task } = (await anna.postJson('/api/tasks', { text: 'Water the plants' })).json;
    const typed = { text: 'Water <all> plants', due: '2026-02-31', time: '09:30', choice: 'custom', repeat: 'FREQ=DAILY' };
    const { page, sent } = await refused(`/tasks/${task.id}`, typed, 'due');
    assert.equal(valueOf(sent, 'text'), 'Water &lt;all&gt; plants');
    assert.equal(valueOf(sent, 'due'), '2026-02-31');
    assert.equal(valueOf(sent, 'time'), '09:30');
    assert.equal(chosenIn(sent, 'choice'), 'custom');
    assert.equal(valueOf(sent, 'repeat'), 'FREQ=DAILY');
    for (const name of ['text', 'due', 'time', 'repeat']) assert.equal(valueOf(formOf(page, '/tasks'), name), '', `${name} of a new task`);
    const { sent: added } = await refused('/tasks', { ...typed, text: 'New' }, 'due');
    assert.equal(valueOf(added, 'text'), 'New');
    assert.equal(chosenIn(added, 'choice'), 'custom');
});

test('a refused edit of a session stays in its form', async () => {
    const { session } = await send(anna, 'Plants');
    const path = `/sessions/${session}/rename`;
    const { sent } = await refused(path, { title: 'Plants <2>', workspace: 'Home', tags: `green, ${'x'.repeat(51)}`, back: '/sessions?show=all' }, 'tags');
    assert.deepEqual(['title', 'workspace', 'back'].map((name) => valueOf(sent, name)), ['Plants &lt;2&gt;', 'Home', '/sessions?show=all']);
    assert.match(valueOf(sent, 'tags'), /^green, x{51}$/);
    assert.equal((await anna.post('/sessions/ses_00000000000000000000000000/rename', { title: 'x', workspace: '', tags: '' })).status, 404);
});

test('a task or fact behind the first page of its list gets its form, too', async () => {
    const ids = [];
    for (let i = 0; i < 130; i++) ids.push((await anna.postJson('/api/tasks', { text: `Task ${i}`, due: '2040-01-01' })).json.task.id);
    const shown = (await anna.get('/tasks')).text, hidden = ids.find((id) => !shown.includes(`action="/tasks/${id}"`));
    assert.ok(hidden, 'a task that is not on the first page');
    const { sent } = await refused(`/tasks/${hidden}`, { text: 'Typed', due: 'soon' }, 'due');
    assert.equal(valueOf(sent, 'text'), 'Typed');

    const facts = [];
    for (let i = 0; i < 130; i++) facts.push((await anna.postJson('/api/memories', { text: `The number ${i} has the name n${i}x` })).json.memory.id);
    const list = (await anna.get('/memory')).text, old = facts.find((id) => !list.includes(`action="/memory/${id}"`));
    assert.ok(old, 'a fact that is not on the first page');
    const { sent: fact } = await refused(`/memory/${old}`, { text: 'Typed', tags: 'a/b?<' }, 'tags');
    assert.equal(textOf(fact, 'text'), 'Typed');
});

test('a refused edit of a fact stays in its own form', async () => {
    const { memory } = (await anna.postJson('/api/memories', { text: 'Anna likes tea' })).json;
    const { page, sent } = await refused(`/memory/${memory.id}`, { text: 'Anna likes\ncoffee', tags: 'a/b?<' }, 'tags');
    assert.equal(textOf(sent, 'text'), 'Anna likes\ncoffee');
    assert.equal(valueOf(sent, 'tags'), 'a/b?&lt;');
    assert.ok(!isTicked(sent, 'permanent'), 'the box is as it was sent');
    const fresh = page.text.slice(page.text.lastIndexOf('method="post" action="/memory"'));
    assert.equal(textOf({ html: fresh }, 'text'), '');
});

test('so do reminders, tags, personas, prompts, tokens and shared links', async () => {
    const { reminder } = (await anna.postJson('/api/reminders', { text: 'Call Tom', at: '2040-12-01T17:00' })).json;
    const call = await refused(`/reminders/${reminder.id}`, { text: 'Call Tim', start: '2040-12-01T18:00', repeat: 'custom', rule: 'often' }, 'rule');
    assert.equal(textOf(call.sent, 'text'), 'Call Tim');
    assert.equal(valueOf(call.sent, 'start'), '2040-12-01T18:00');
    assert.equal(chosenIn(call.sent, 'repeat'), 'custom');
    assert.equal(valueOf(call.sent, 'rule'), 'often');
    assert.equal(textOf(formOf(call.page, '/reminders'), 'text'), '');

    await anna.post('/tags', { name: 'garden' });
    const [, tag] = (await anna.get('/tags')).text.match(/data-tag="(\d+)"/);
    const renamed = await refused(`/tags/${tag}`, { name: 'a,b', colour: '5' }, 'name');
    assert.equal(valueOf(renamed.sent, 'name'), 'a,b');
    assert.match(renamed.sent.html, /value="5" checked/);
    assert.equal(valueOf(formOf(renamed.page, '/tags'), 'name'), '');

    const persona = await refused('/personas', { name: 'Cook', text: 'You cook.', temperature: 'warm', tools_tasks: 'yes' }, 'temperature');
    assert.equal(textOf(persona.sent, 'text'), 'You cook.');
    assert.equal(valueOf(persona.sent, 'temperature'), 'warm');
    assert.deepEqual(['tools_memory', 'tools_tasks'].map((name) => isTicked(persona.sent, name)), [false, true]);
    await anna.post('/personas', { name: 'Cook', text: 'You cook.', tools_tasks: 'yes' });
    const [, own] = (await anna.get('/personas')).text.match(/action="(\/personas\/\d+)"/);
    const edited = await refused(own, { name: 'Chef', text: 'You are a chef.', temperature: 'warm', tools_memory: 'yes' }, 'temperature');
    assert.equal(valueOf(edited.sent, 'name'), 'Chef');
    assert.deepEqual(['tools_memory', 'tools_tasks'].map((name) => isTicked(edited.sent, name)), [true, false]);
    assert.equal(valueOf(formOf(edited.page, '/personas'), 'name'), '');

    const token = await refused('/account/tokens', { name: 'Script', days: '30' }, 'scope_chat');
    assert.equal(valueOf(token.sent, 'name'), 'Script');
    assert.equal(chosenIn(token.sent, 'days'), '30');
    assert.ok(!isTicked(token.sent, 'scope_chat'));
});

test('the text of a form that comes after the sign-in has ended is on the page of the error, and no password is', async () => {
    const lost = await alfred.user('lost'), text = 'A persona <b>that took</b> an hour';
    await lost.get('/personas');
    await (await alfred.signIn('lost')).post('/account/logins/revoke-others');
    const page = await lost.post('/personas', { name: 'Pat & Co', text });
    assert.equal(page.status, 401);
    for (const shown of ['Pat &amp; Co', 'A persona &lt;b&gt;that took&lt;/b&gt; an hour']) assert.ok(page.text.includes(`\n${shown}</textarea>`), shown);
    const other = await lost.post('/account/password', { current: 'an old secret', password: 'a new secret' });
    assert.equal(other.status, 401);
    assert.doesNotMatch(other.text, /secret|<textarea/);
    const message = await lost.post('/s/new', { text: 'A message without a script' });
    assert.ok(message.text.includes('\nA message without a script</textarea>'));
    const foreign = await lost.post('/personas', { name: 'x', text }, { headers: { 'sec-fetch-site': 'cross-site' } });
    assert.equal(foreign.status, 403);
    assert.doesNotMatch(foreign.text, /<textarea/, 'another site sent it');
    assert.equal((await alfred.sql('SELECT id FROM library WHERE text = ?', text)).length, 0);
});

test('the text of a page from an earlier sign-in is on the page of the error, which leads back without an old notice', async () => {
    for (const [from, to] of [['/workspace/instructions?workspace=Home', '/workspace/instructions?workspace=Home'], ['/personas?done=saved', '/personas'], ['//elsewhere.test/', '/']]) {
        const page = await anna.post('/personas', { name: 'Old', text: 'Typed before' }, { csrf: 'A'.repeat(86), headers: { referer: `https://alfred.test${from}` } });
        assert.equal(page.status, 403);
        assert.ok(page.text.includes('\nTyped before</textarea>'));
        assert.ok(page.text.includes(`<a class="btn main" href="${to}" target="_blank">`), to);
    }
});
