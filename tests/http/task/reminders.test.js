// Reminders and schedules: the API, the tools with the offline model, suggestions, limits and zones. Their delivery is
// in reminding.test.js.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { beginAnswer, confirm, decide, ended, exchangeOffline, isGoing, provide, send, serveFile, suggestionsOf } from '../../lib/chat.js';
import { until } from '../../lib/rig.js';

const alfred = await serveFile({ env: { TZ: 'UTC' } });
const anna = await alfred.admin('anna');

const all = async (client = anna) => (await client.getJson('/api/reminders')).reminders;
const add = (fields, client = anna) => client.postJson('/api/reminders', fields);
async function added(fields) {
    const answer = await add(fields);
    assert.equal(answer.status, 201, answer.text);
    return answer.json.reminder;
}
async function clear() {
    for (const r of await all()) assert.equal((await anna.request('DELETE', `/api/reminders/${r.id}`)).status, 200);
}

test('a reminder keeps its local hour in its own zone', async () => {
    const r = await added({ text: ' Call Anna ', at: '2040-12-03T08:00', zone: 'Europe/Berlin', repeat: 'freq=weekly;byday=mo' });
    assert.equal(r.text, 'Call Anna');
    assert.equal(r.repeat, 'FREQ=WEEKLY;BYDAY=MO');
    assert.equal(r.words, 'every Monday at 08:00');
    assert.equal(r.next_at, '2040-12-03T07:00:00Z');
    assert.equal(r.kind, 'remind');
    const summer = await added({ text: 'x', at: '2040-07-02T08:00', zone: 'Europe/Berlin' });
    assert.equal(summer.next_at, '2040-07-02T06:00:00Z');
    const skipped = await added({ text: 'x', at: '2040-03-25T02:30', zone: 'Europe/Berlin' });
    assert.equal(skipped.next_at, '2040-03-25T01:00:00Z', 'the first moment after the gap');
    const own = await added({ text: 'x', at: '2040-07-02T08:00' });
    assert.equal(own.next_at, '2040-07-02T08:00:00Z', 'the zone of the user');
    assert.deepEqual((await all()).map((x) => x.next_at), [skipped, summer, own, r].map((x) => x.next_at));
    await clear();
});

test('a change of the zone of the user moves no reminder', async () => {
    const r = await added({ text: 'Stay', at: '2040-07-02T08:00', zone: 'Europe/Berlin' });
    assert.equal((await anna.request('PATCH', '/api/settings', { json: { time_zone: 'Asia/Tokyo' } })).status, 200);
    assert.equal((await anna.getJson(`/api/reminders/${r.id}`)).reminder.next_at, r.next_at);
    const there = await added({ text: 'There', at: '2040-07-02T08:00' });
    assert.equal(there.zone, 'Asia/Tokyo');
    assert.equal(there.next_at, '2040-07-01T23:00:00Z');
    await anna.request('PATCH', '/api/settings', { json: { time_zone: 'UTC' } });
    await clear();
});

test('only the entry that is edited has a form, so that hundreds of them make a small page', async () => {
    const max = await alfred.user('max');
    const ids = [];
    for (let i = 0; i < 100; i++) ids.push((await max.postJson('/api/reminders', { text: `Water plant ${i}`, at: '2040-12-01T17:00', repeat: 'FREQ=WEEKLY' })).json.reminder.id);
    const page = (await max.get('/reminders')).text, list = page.slice(page.indexOf('<ul class="list">'), page.indexOf('</ul>', page.indexOf('<ul class="list">')));
    assert.ok(list.length < 110_000, `${list.length} characters`);
    const edit = `/reminders?edit=${ids[7]}#reminder-${ids[7]}`;
    assert.ok(list.includes(`href="${edit}"`));
    const forms = (html) => [...html.matchAll(/<form class="remind-form" method="post" action="([^"]+)"/g)].map((m) => m[1]);
    assert.deepEqual(forms(page), ['/reminders']);
    assert.deepEqual(forms((await max.get(edit)).text), ['/reminders', `/reminders/${ids[7]}`]);
    const refused = await max.post(`/reminders/${ids[8]}`, { text: 'Other words', start: 'no time', repeat: 'FREQ=WEEKLY' });
    assert.deepEqual(forms(refused.text), ['/reminders', `/reminders/${ids[8]}`]);
    assert.match(refused.text, /Other words/);
});

test('the page names the zone of the server where a reminder has no other and the clock differs', async () => {
    const ben = await alfred.user('ben');
    const sent = await ben.postJson('/api/reminders', { text: 'Water', at: '2040-12-01T17:00', repeat: 'FREQ=WEEKLY' });
    assert.equal(sent.status, 201, sent.text);
    const words = async () => (await ben.get('/reminders')).text.match(/item-sub">(.*?)<\/div>/s)[1];
    assert.doesNotMatch(await words(), /UTC/);
    await ben.request('PATCH', '/api/settings', { json: { time_zone: 'Europe/Berlin' } });
    assert.match(await words(), /18:00.*at 17:00.*UTC/s, 'the next one by the clock of the reader, the rule by its own');
});

test('a reminder is changed, paused, put off, done, deleted and restored', async () => {
    const { id } = await added({ text: 'Call', at: '2040-12-03T08:00', zone: 'UTC' });
    const change = (fields) => anna.request('PATCH', `/api/reminders/${id}`, { json: fields });
    const post = (action, fields = {}) => anna.postJson(`/api/reminders/${id}/${action}`, fields);
    assert.equal((await change({ text: 'Call Ben', at: '2040-12-04T09:30', zone: 'UTC' })).json.reminder.next_at, '2040-12-04T09:30:00Z');
    assert.equal((await change({ zone: 'Europe/Berlin' })).json.reminder.next_at, '2040-12-04T08:30:00Z', '09:30 there');
    assert.equal((await change({ zone: 'No/Where', text: 'Call' })).status, 400);
    assert.equal((await change({ zone: 'UTC', text: 'Call Ben' })).json.reminder.next_at, '2040-12-04T09:30:00Z');
    assert.equal((await change({ repeat: 'FREQ=DAILY' })).json.reminder.words, 'every day at 09:30');
    assert.equal((await change({ repeat: '' })).json.reminder.repeat, null);
    assert.equal((await change({ paused: true })).json.reminder.next_at, null);
    assert.equal((await change({ paused: false })).json.reminder.next_at, '2040-12-04T09:30:00Z');
    assert.equal((await change({})).status, 400);
    const before = Date.now();
    const put = (await post('snooze', { for: '1h' })).json.reminder;
    const ms = Date.parse(put.snoozed_until) - before;
    assert.ok(ms > 3_590_000 && ms < 3_700_000, put.snoozed_until);
    for (const bad of ['', 'soon', '0m', '500d']) assert.equal((await post('snooze', { for: bad })).status, 400, bad);
    const done = (await post('done')).json.reminder;
    assert.equal(done.next_at, null);
    assert.equal((await anna.request('DELETE', `/api/reminders/${id}`)).status, 200);
    assert.equal((await anna.get(`/api/reminders/${id}`)).status, 404);
    assert.equal((await post('restore')).json.reminder.text, 'Call Ben');
    await clear();
});

test('what cannot be a reminder is refused with a sentence', async () => {
    const base = { text: 'x', at: '2040-12-03T08:00' };
    const rows = [
        [{ at: 'tomorrow' }, /written like 2026-12-01T17:00/],
        [{ at: '2040-02-30T08:00' }, /written like/],
        [{ at: '2020-02-03T08:00' }, /has passed/],
        [{ at: '9999-12-31T23:59' }, /at most 50 years away/],
        [{ text: ' ' }, /no text/],
        [{ text: 'x'.repeat(2001) }, /at most 2,?000 characters/],
        [{ repeat: 'FREQ=SECONDLY' }, /at most every 5 minutes/],
        [{ repeat: 'FREQ=MINUTELY' }, /at most every 5 minutes/],
        [{ repeat: 'FREQ=MINUTELY;INTERVAL=10', kind: 'prompt' }, /at most every 15 minutes/],
        [{ repeat: 'every day' }, /not a rule/],
        [{ repeat: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30' }, /no date within the next 50 years/],
        [{ zone: 'Europe/Atlantis' }, /no such time zone/],
        [{ kind: 'alarm' }, /"kind" must be "remind" or "prompt"/],
    ];
    for (const [fields, sentence] of rows) {
        const answer = await add({ ...base, ...fields });
        assert.equal(answer.status, 400, JSON.stringify(fields));
        assert.match(answer.json.error.message, sentence);
    }
    assert.deepEqual(await all(), []);
});

test('the offline model sets, lists and cancels reminders', async () => {
    const say = (text, session) => exchangeOffline(anna, text, session);
    const chat = await say('Remind me at five to call Anna');
    assert.match(chat.said, /I will remind you:\s*call Anna – (today|tomorrow) at 17:00/);
    const { messages } = await anna.getJson(`/api/sessions/${chat.session}/messages`);
    const { reminder } = JSON.parse(messages.find((m) => m.role === 'tool').text);
    assert.match(reminder.next, /^\d{4}-\d\d-\d\dT17:00:00[+-]\d\d:\d\d$/, 'a model gets the exact time');
    const here = (text) => say(text, chat.session).then((r) => r.said);
    assert.match(await here('Please remind me in 20 minutes to take out the cake'), /take out the cake – /);
    assert.match(await here('Remind me every Monday at 8 to water the plants'), /water the plants – every Monday at 08:00/);
    assert.match(await here('Tell me tomorrow morning about the meeting'), /the meeting – tomorrow at 09:00/);
    assert.match(await here('Erinnere mich jeden Werktag um 7:30 daran, die Tabletten zu nehmen'), /die Tabletten zu nehmen – every weekday at 07:30/);
    assert.match(await here('every morning at 7 summarise my open tasks'), /I will run this .*summarise my open tasks – every day at 07:00/s);
    const set = await all();
    assert.deepEqual(set.map((r) => r.text).sort(), ['call Anna', 'die Tabletten zu nehmen', 'summarise my open tasks', 'take out the cake', 'the meeting', 'water the plants']);
    assert.equal(set.find((r) => r.kind === 'prompt').text, 'summarise my open tasks');
    assert.ok(set.every((r) => r.session === chat.session && r.source_message));
    assert.match(await here('show my reminders'), /(?=.*call Anna – to)(?=.*water the plants – every Monday at 08:00)/s);
    assert.match(await here('cancel the reminder to water the plants'), /Shall I delete this reminder\?/);
    assert.equal((await all()).length, 6);
    assert.match(await here('yes'), /water the plants/);
    assert.equal((await all()).length, 5);
    assert.match(await here('Remind me to buy milk tomorrow'), /It is on your list:\s*buy milk, due tomorrow/, 'a day without an hour is a task');
    await clear();
    assert.match(await here('what are my reminders?'), /No reminder is set/);
});

test('a model sets a reminder at once only when the user asks for it and names the time', async () => {
    const provider = await provide();
    const other = await serveFile({ env: { ...provider.env, TZ: 'UTC' } });
    const bob = await other.admin('bob');
    const tool = async (text, name, args) => {
        const sent = await send(bob, text);
        for (const step of [0, 1]) {
            const call = await beginAnswer(provider, text);
            if (step === 0) await call.toolCall(name, args);
            else await call.text('Very well.');
            await call.end(step === 0 ? 'tool_calls' : undefined);
        }
        await ended(bob, sent.turn);
        return sent;
    };
    const at = '2040-12-03T08:00';
    await tool('Remind me on 3 December 2040 at 8 to call Anna', 'set_reminder', { text: 'call Anna', at });
    assert.deepEqual((await all(bob)).map((r) => r.text), ['call Anna']);
    // No time in the user's words, words of the model's own, or a page that is only mentioned.
    for (const [text, own] of [['Remind me to call Ben', 'call Ben'], ['Remind me at 8 to pay', 'transfer money'], ['What is a reminder at 8?', 'What']]) {
        const sent = await tool(text, 'set_reminder', { text: own, at });
        const [suggestion] = suggestionsOf((await bob.get(`/s/${sent.session}`)).text);
        assert.ok(suggestion, text);
        assert.equal((await all(bob)).length, 1, text);
    }
    const waits = await tool('I must not forget the rent', 'set_reminder', { text: 'Pay the rent', at, repeat: 'FREQ=MONTHLY' });
    const [suggestion] = suggestionsOf((await bob.get(`/s/${waits.session}`)).text);
    assert.match(JSON.stringify(suggestion) + (await bob.get(`/s/${waits.session}`)).text, /every month on day 3 at 08:00/);
    assert.equal((await decide(bob, (await bob.getJson('/api/suggestions')).suggestions[0].id, 'keep')).status, 303);
    assert.deepEqual((await all(bob)).map((r) => r.repeat).filter(Boolean), ['FREQ=MONTHLY']);
    const gone = await tool('Cancel it', 'cancel_reminder', { id: (await all(bob))[0].id });
    assert.equal((await all(bob)).length, 2);
    assert.equal((await confirm(bob, gone.session, 'yes')).status, 303);
    assert.equal((await all(bob)).length, 1);
});

test('a task has a time and repeats, by the API and by the forms', async () => {
    const task = (fields) => anna.postJson('/api/tasks', fields).then((r) => r.json.task ?? r);
    const weekly = await task({ text: 'Water the plants', due: '2040-12-03', time: '08:00', repeat: 'FREQ=WEEKLY;BYDAY=MO' });
    assert.deepEqual([weekly.due, weekly.time, weekly.repeat], ['2040-12-03', '08:00', 'FREQ=WEEKLY;BYDAY=MO']);
    const [reminder] = await all();
    assert.deepEqual([reminder.task, reminder.text, reminder.next_at], [weekly.id, 'Water the plants', '2040-12-03T08:00:00Z']);
    const patch = (id, fields) => anna.request('PATCH', `/api/tasks/${id}`, { json: fields });
    const done = (await patch(weekly.id, { done: true })).json.task;
    const next = (await anna.getJson(`/api/tasks/${done.next}`)).task;
    assert.deepEqual([next.due, next.time, next.done], ['2040-12-10', '08:00', false]);
    // The reminder's own Done is the task's.
    assert.equal((await anna.postJson(`/api/reminders/${reminder.id}/done`, {})).status, 200);
    assert.equal((await anna.getJson(`/api/tasks/${next.id}`)).task.done, true);
    assert.equal((await all())[0].next_at, '2040-12-17T08:00:00Z');
    for (const [fields, sentence] of [[{ time: '25:00' }, /written like 17:00/], [{ repeat: 'FREQ=HOURLY' }, /at most once a day/], [{ repeat: 'often' }, /not a rule/]])
        assert.match((await task({ text: 'x', ...fields })).json.error.message, sentence);

    assert.equal((await anna.post('/tasks', { text: 'Stretch', due: '2040-12-04', time: '07:30', choice: 'weekdays', repeat: '' })).status, 303);
    assert.equal((await anna.post('/tasks', { text: 'Odd', due: '2040-12-04', time: '', choice: 'custom', repeat: 'FREQ=DAILY;INTERVAL=3' })).status, 303);
    const page = (await anna.get('/tasks')).text;
    assert.match(page, /every weekday at 07:30/);
    assert.match(page, /every 3 days/);
    assert.match(page, /<option value="weekdays" selected>/);
    assert.match(page, /<option value="custom" selected>/);
    const refused = await anna.post('/tasks', { text: 'Bad', due: '', time: '', choice: 'custom', repeat: 'whenever' });
    assert.equal(refused.status, 400);
    assert.match(refused.text, /not a rule for repeating/);
    assert.match(refused.text, /value="whenever"/, 'the form keeps what was typed');
    const stretch = (await anna.getJson('/api/tasks?show=open')).tasks.find((t) => t.text === 'Stretch');
    assert.equal((await anna.post(`/tasks/${stretch.id}`, { text: 'Stretch', due: '2040-12-04', time: '07:30', choice: 'never', repeat: '' })).status, 303);
    assert.equal((await anna.getJson(`/api/tasks/${stretch.id}`)).task.repeat, null);
    for (const t of (await anna.getJson('/api/tasks')).tasks) await anna.request('DELETE', `/api/tasks/${t.id}`);
    assert.deepEqual(await all(), [], 'a deleted task tells nothing');
});

test('an export takes reminders and the times of tasks along, and an import brings them back', async () => {
    const finished = async (client, id) => until('the transfer has ended', async () => {
        const { transfer } = await client.getJson(`/api/transfers/${id}`);
        return isGoing(transfer) ? null : transfer;
    });
    await anna.request('PATCH', '/api/settings', { json: { time_zone: 'UTC' } });
    await added({ text: 'Call\nAnna', at: '2040-12-03T08:00', zone: 'Europe/Berlin', repeat: 'FREQ=WEEKLY;BYDAY=MO' });
    const paused = await added({ text: 'Later', at: '2040-12-04T08:00', zone: 'Asia/Tokyo', kind: 'prompt' });
    await anna.request('PATCH', `/api/reminders/${paused.id}`, { json: { paused: true } });
    await anna.postJson('/api/tasks', { text: 'Water', due: '2040-12-03', time: '09:30', repeat: 'FREQ=DAILY' });
    await added({ text: 'Put off', at: '2040-12-05T08:00' });
    for (const text of ['Quiet task', 'Late task']) await anna.postJson('/api/tasks', { text, due: '2040-12-06', time: '10:00', repeat: text === 'Quiet task' ? 'FREQ=DAILY' : '' });
    const named = async (text, client = anna) => (await all(client)).find((r) => r.text === text);
    await anna.request('PATCH', `/api/reminders/${(await named('Quiet task')).id}`, { json: { paused: true } });
    for (const [text, wait] of [['Put off', '2d'], ['Late task', '3d']]) await anna.postJson(`/api/reminders/${(await named(text)).id}/snooze`, { for: wait });
    const asked = await anna.postJson('/api/exports', {});
    const done = await finished(anna, asked.json.transfer.id);
    assert.equal(done.state, 'done');
    const file = await anna.get(`/api/transfers/${done.id}/file`);
    const carl = await alfred.user('carl');
    for (let i = 0; i < 2; i++) { // a second import of the same file adds nothing
        const sent = await carl.request('POST', '/api/imports', { body: file.body, headers: { 'content-type': 'application/octet-stream', accept: 'application/json' } });
        assert.equal(sent.status, 202, sent.text);
        assert.equal((await finished(carl, sent.json.transfer.id)).state, 'done');
        const set = await all(carl);
        assert.deepEqual(set.map((r) => [r.text, r.kind, r.at, r.zone, r.repeat, r.paused]).sort(), [
            ['Call\nAnna', 'remind', '2040-12-03T08:00', 'Europe/Berlin', 'FREQ=WEEKLY;BYDAY=MO', false],
            ['Late task', 'remind', '2040-12-06T10:00', 'UTC', null, false],
            ['Later', 'prompt', '2040-12-04T08:00', 'Asia/Tokyo', null, true],
            ['Put off', 'remind', '2040-12-05T08:00', 'UTC', null, false],
            ['Quiet task', 'remind', '2040-12-06T10:00', 'UTC', 'FREQ=DAILY', true],
            ['Water', 'remind', '2040-12-03T09:30', 'UTC', 'FREQ=DAILY', false],
        ]);
        for (const text of ['Put off', 'Late task']) assert.equal((await named(text, carl)).next_at, (await named(text)).next_at, text);
    }
    await clear();
});
