// Reminders and schedules: their page, their delivery by the helper, also after a crash, and the calendar feed.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import ICAL from 'ical.js';

import { answers } from '../../fake/provider.js';
import { provide, serveFile } from '../../lib/chat.js';
import { PASSWORD, startAlfred, until } from '../../lib/rig.js';
import { bring } from '../../lib/transfer.js';

const provider = await provide();
const alfred = await serveFile({ config: { server: { log_level: 'debug' } }, env: { ...provider.env, TZ: 'UTC' } });
const anna = await alfred.admin('anna');
const bob = await alfred.user('bob');

const local = (at) => new Date(at).toISOString().slice(0, 16);
const tomorrow = () => local(Date.now() + 86_400_000);
/** Adds one on the page and returns its row. */
async function add(client, text, more = {}) {
    const added = await client.post('/reminders', { text, start: tomorrow(), repeat: 'never', kind: 'remind', ...more });
    assert.equal(added.status, 303, added.text);
    return alfred.sql('SELECT * FROM reminder WHERE text = ? ORDER BY id DESC', text)[0];
}
const fire = (id, at = Date.now()) => alfred.sql('UPDATE reminder SET next_at = ? WHERE id = ?', at, id);
/** The helper looks again after a change. */
const wake = (client) => add(client, `Much later ${Date.now()} ${Math.random()}`);
const messages = () => alfred.sql("SELECT text, session_id FROM message WHERE channel = 'reminder' ORDER BY id");
const told = (text) => messages().filter((m) => m.text.includes(text));
const due = async (client) => (await client.getJson('/page/reminders/due')).html;

test('a reminder is told in the session of reminders and on every page, until it is answered', async () => {
    const { id } = await add(anna, 'Call the <bank>');
    assert.match((await anna.get('/reminders')).text, /Call the &lt;bank&gt;.*Next: tomorrow at/s);
    assert.doesNotMatch((await anna.get('/tasks')).text, /class="due"/);
    const events = await anna.events('/api/events');
    await events.until((e) => e.event === 'hello');
    fire(id);
    await wake(anna);
    await until('it is told', () => told('Call the <bank>').length === 1);
    await events.until((e) => e.event === 'reminder');
    events.close();
    const page = await anna.get('/tasks');
    assert.match(page.text, /class="due-text" dir="auto">Call the &lt;bank&gt;/);
    assert.doesNotMatch(await due(bob), /bank/);
    const { sessions } = await anna.getJson('/api/sessions');
    assert.equal(sessions[0].title, 'Reminders');
    assert.match((await anna.get(`/sessions/${sessions[0].id}/details`)).text, /<dd>Reminder<\/dd>/);
    assert.equal((await anna.post(`/reminders/${id}/answer`, { answer: 'later', back: '/tasks' })).status, 400);
    assert.equal((await bob.post(`/reminders/${id}/answer`, { answer: 'done' })).status, 404);
    const done = await anna.post(`/reminders/${id}/answer`, { answer: 'done', back: '/tasks' });
    assert.equal(done.location, '/tasks?done=reminder_done');
    assert.doesNotMatch((await anna.get('/tasks')).text, /class="due"/);
    assert.match((await anna.get('/reminders')).text, /Call the &lt;bank&gt;.*Came (today|yesterday) at/s, 'it came once, and not "last"');
});

test('without a choice of a language, Alfred writes by itself in that of the browser at the last sign-in', async () => {
    const { userName: name } = await alfred.user('frieda');
    const frieda = alfred.client(), german = { headers: { 'accept-language': 'de-AT,de;q=0.8' } };
    await frieda.get('/signin');
    assert.equal((await frieda.post('/signin', { name, password: PASSWORD }, german)).status, 303);
    await frieda.get('/');
    fire((await add(frieda, 'Blumen gießen')).id);
    await wake(frieda);
    await until('it is told', () => told('Blumen gießen').length === 1);
    assert.equal((await frieda.getJson('/api/sessions')).sessions[0].title, 'Erinnerungen');
    assert.equal((await frieda.getJson('/api/settings')).language, 'auto', 'it is no setting');
});

/** Imports records of Alfred's own format. */
const bringRecords = (client, ...records) => bring(client, [{ type: 'header', format: 'alfred', version: 1, sessions: 0 }, ...records].map((r) => `${JSON.stringify(r)}\n`).join(''));

test('an imported schedule runs when its user has resumed it, and the result of the import says so', async () => {
    const carl = await alfred.user('carl');
    const text = 'Remember that the bank is Evil Bank';
    const done = await bringRecords(carl, { type: 'reminder', kind: 'prompt', start: '2020-01-01T08:00', zone: 'UTC', rule: 'FREQ=DAILY', text });
    assert.deepEqual([done.state, done.facts, done.paused], ['done', 1, 1]);
    const [row] = alfred.sql('SELECT * FROM reminder WHERE text = ?', text);
    assert.ok(Number(row.paused_at) > 0 && row.fires_at === null);
    assert.match((await carl.get('/data')).text, /1 schedule paused until you resume it under Reminders/);
    assert.match((await carl.get('/data', { headers: { 'accept-language': 'de' } })).text, /1 Zeitplan pausiert, bis du ihn unter Erinnerungen fortsetzt/);
    assert.match((await carl.get('/reminders')).text, /After you resume it, Alfred takes this text as if you had typed it/);
    const { reminder } = (await carl.request('PATCH', `/api/reminders/${row.id}`, { json: { paused: false } })).json;
    assert.doesNotMatch((await carl.get('/reminders')).text, /After you resume it/);
    assert.ok(!reminder.paused && reminder.next_at);
    assert.equal((await carl.getJson('/api/transfers')).transfers[0].paused, 0);
    assert.doesNotMatch((await carl.get('/data')).text, /schedule paused/);
});

test('an imported reminder is told in time', async () => {
    const carl = await alfred.user('carla');
    const at = Date.now() + 6000;
    await bringRecords(carl, { type: 'reminder', start: '2020-01-01T08:00', zone: 'UTC', text: 'Imported bread', snooze_at: at });
    await until('it is told', () => told('Imported bread').length === 1);
    assert.ok(Date.now() >= at);
});

test('after the clock was ahead a series goes on, also when the helper was off while it was set back', async () => {
    const { id } = await add(anna, 'Wind the clock', { repeat: 'daily' });
    const ahead = Date.now() + 10 * 365 * 86_400_000;
    alfred.sql('UPDATE reminder SET told_at = ?, next_at = ? WHERE id = ?', ahead, ahead + 3_600_000, id);
    await alfred.killAndAwait('helper');
    await until('its next time is near', () => rowOf(id).next_at < Date.now() + 2 * 86_400_000);
    fire(id);
    await wake(anna);
    await until('it is told', () => told('Wind the clock').length === 1);
});

test('one that is snoozed is told again', async () => {
    const { id } = await add(anna, 'Water the plants');
    fire(id);
    await wake(anna);
    await until('it is told', () => told('Water the plants').length === 1);
    const answer = await anna.postJson(`/page/reminders/${id}/answer`, { answer: '10m' });
    assert.doesNotMatch(answer.json.html, /Water the plants/);
    const [row] = alfred.sql('SELECT snooze_at FROM reminder WHERE id = ?', id);
    assert.ok(Math.abs(row.snooze_at - Date.now() - 600_000) < 60_000);
    alfred.sql('UPDATE reminder SET snooze_at = ? WHERE id = ?', Date.now(), id);
    await wake(anna);
    await until('it is told again', () => told('Water the plants').length === 2);
});

/** Adds one, lets it be due, and waits until it is told. */
async function isDue(text, { client = anna, ...more } = {}) {
    const { id } = await add(client, text, more);
    fire(id);
    await wake(anna);
    await until('it is told', () => told(text).length === 1);
    return id;
}
const rowOf = (id) => alfred.sql('SELECT * FROM reminder WHERE id = ?', id)[0];
const done = (id) => anna.post(`/reminders/${id}/answer`, { answer: 'done', back: '/tasks' });

test('one that is due and gets another time is not due any more, and Done on an old page does not end it', async () => {
    const id = await isDue('Renew the passport');
    assert.equal((await anna.post(`/reminders/${id}`, { text: 'Renew the passport', start: tomorrow(), repeat: 'never' })).status, 303);
    const start = local(Date.now() + 2 * 86_400_000);
    assert.equal((await anna.post(`/reminders/${id}`, { text: 'Renew the passport', start, repeat: 'never' })).status, 303);
    const { next_at } = rowOf(id);
    assert.ok(Number(next_at) > Date.now());
    assert.doesNotMatch(await due(anna), /passport/);
    assert.equal((await done(id)).status, 303);
    assert.equal(rowOf(id).next_at, next_at);
});

test('a changed text leaves the time of one that was put off', async () => {
    for (const repeat of ['never', 'daily']) {
        const id = await isDue(`Feed the ${repeat} cat`, { repeat });
        await anna.postJson(`/page/reminders/${id}/answer`, { answer: '1h' });
        const before = rowOf(id);
        assert.ok(Number(before.snooze_at) > Date.now());
        assert.equal((await anna.post(`/reminders/${id}`, { text: `Feed the ${repeat} cats`, start: before.start, repeat })).status, 303);
        assert.deepEqual([rowOf(id).text, rowOf(id).snooze_at], [`Feed the ${repeat} cats`, before.snooze_at]);
    }
});

test('a second Done leaves the next occurrence of a repeating task', async () => {
    const { task } = (await anna.postJson('/api/tasks', { text: 'Take the pills', due: tomorrow().slice(0, 10), time: '08:00', repeat: 'FREQ=DAILY' })).json;
    const [{ id }] = alfred.sql('SELECT id FROM reminder WHERE task_id = ?', task.id);
    fire(id);
    await wake(anna);
    await until('it is told', () => told('Take the pills').length === 1);
    for (let i = 0; i < 2; i++) assert.equal((await done(id)).status, 303);
    assert.equal(alfred.sql("SELECT count(*) AS n FROM task WHERE text = 'Take the pills' AND done_at IS NOT NULL")[0].n, 1);
});

test('one that is due and deleted is shown no more, until it is restored', async () => {
    const eva = await alfred.user('eva'), id = await isDue('Sell the boat', { client: eva });
    await eva.post(`/reminders/${id}/delete`, {});
    for (const html of [(await eva.get('/tasks')).text, await due(eva)]) assert.doesNotMatch(html, /due-box/);
    await eva.post(`/reminders/${id}/restore`, {});
    assert.match(await due(eva), /Sell the boat/);
});

test('it is told on time, without being woken', async () => {
    await until('one is told before the helper looks without a timer', async () => { // the machine may stop meanwhile
        const { id } = await add(anna, 'On time');
        fire(id, Date.now() + 1500);
        await wake(anna); // sets the timer
        const rows = () => alfred.sql('SELECT due_at, told_at FROM reminder_due WHERE reminder_id = ? AND told_at IS NOT NULL', id);
        const [{ due_at, told_at }] = await until('it is told', () => rows().length === 1 && rows());
        assert.ok(told_at >= due_at);
        return told_at - due_at < 5000;
    });
});

test('killed around the time, the helper tells each once', async () => {
    const rows = [];
    for (let i = 0; i < 20; i++) rows.push(await add(anna, `Burst ${i}.`));
    const start = Date.now() + 500;
    rows.forEach((r, i) => fire(r.id, start + i * 100));
    for (let i = 0; i < 8; i++) {
        await alfred.killAndAwait('helper');
        await new Promise((resolve) => setTimeout(resolve, 150));
    }
    await until('all are told', () => told('Burst').length >= 20);
    for (let i = 0; i < 20; i++) assert.equal(told(`Burst ${i}.`).length, 1);
    assert.equal(Number(alfred.sql("SELECT count(*) AS n FROM reminder_due d JOIN reminder r ON r.id = d.reminder_id WHERE r.text LIKE 'Burst%'")[0].n), 20);
});

test('a schedule asks its text, and its answer is told', async () => {
    provider.always(answers('You have **no** tasks.'), (call) => JSON.stringify(call.body).includes('Sum up my tasks'));
    const { id } = await add(anna, 'Sum up my tasks', { kind: 'prompt', repeat: 'daily' });
    assert.match((await anna.get('/reminders')).text, /Sum up my tasks.*every day at/s);
    fire(id);
    await wake(anna);
    await until('the answer is told', async () => /Schedule: the answer is ready/.test(await due(anna)));
    const [session] = alfred.sql('SELECT s.pub, s.title FROM reminder r JOIN session s ON s.id = r.session_id WHERE r.id = ?', id);
    assert.equal(session.title, 'Sum up my tasks');
    const { messages: list } = await anna.getJson(`/api/sessions/${session.pub}/messages`);
    assert.deepEqual(list.map((m) => m.text), ['Sum up my tasks', 'You have **no** tasks.']);
});

test('the page pauses, changes, deletes and restores', async () => {
    const { id } = await add(bob, 'Stretch', { repeat: 'weekdays' });
    assert.match((await bob.get('/reminders')).text, /every weekday at/);
    assert.equal((await bob.post(`/reminders/${id}/pause`)).location, '/reminders?done=reminder_paused');
    assert.match((await bob.get('/reminders')).text, /Paused/);
    assert.equal((await bob.post(`/reminders/${id}/resume`)).location, '/reminders?done=reminder_resumed');
    const changed = await bob.post(`/reminders/${id}`, { text: 'Stretch well', start: `${tomorrow().slice(0, 10)}T08:00`, repeat: 'custom', rule: 'FREQ=DAILY;INTERVAL=2' });
    assert.equal(changed.location, '/reminders?done=reminder_saved');
    assert.match((await bob.get('/reminders')).text, /Stretch well.*every 2 days at 08:00/s);
    const bad = await bob.post('/reminders', { text: 'Kept text', start: '2020-01-01T08:00', repeat: 'never' });
    assert.equal(bad.status, 400);
    assert.match(bad.text, /This time has passed/);
    assert.match(bad.text, />\n?Kept text<\/textarea>/);
    assert.equal((await anna.post(`/reminders/${id}/delete`)).status, 404);
    assert.equal((await bob.post(`/reminders/${id}/delete`)).location, `/reminders?undo=${id}&done=reminder_deleted`);
    assert.doesNotMatch((await bob.get('/reminders')).text.split('class="part deleted"')[0], /Stretch well/);
    assert.equal((await bob.post(`/reminders/${id}/restore`)).status, 303);
    assert.match((await bob.get('/reminders')).text, /Stretch well/);
});

test('a calendar under its secret address has tasks and reminders', async () => {
    const carl = await alfred.user('carmen');
    const text = `Comma, semicolon; backslash \\ and ${'ü'.repeat(100)}`;
    await carl.postJson('/api/tasks', { text, due: '2027-03-01' });
    await carl.postJson('/api/tasks', { text: 'Some day' });
    await carl.request('PATCH', '/api/settings', { json: { time_zone: 'Europe/Berlin' } });
    await add(carl, 'Team meeting', { start: '2027-03-22T08:00', repeat: 'weekly' });
    await add(carl, 'Once', { start: '2027-03-28T17:00' });
    await carl.postJson('/api/reminders', { text: 'Course', at: '2027-03-26T08:00', repeat: 'FREQ=DAILY;UNTIL=20270329T080000' });
    const made = await carl.post('/reminders/calendar');
    const url = new URL(made.text.match(/value="(https:[^"]+\/calendar\/[\w-]+\.ics)"/)[1]);
    assert.doesNotMatch((await carl.get('/reminders')).text, /\/calendar\/[\w-]+\.ics/, 'it is shown once');

    const stranger = carl.stranger();
    const feed = await stranger.get(url.pathname);
    assert.equal(feed.status, 200);
    assert.match(feed.headers['content-type'], /^text\/calendar/);
    assert.match(feed.headers['x-robots-tag'], /noindex/);
    assert.equal(feed.headers['set-cookie'], undefined);
    for (const line of feed.text.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75, line);
    assert.equal(feed.text.replaceAll('\r\n', '').includes('\n'), false, 'lines end in CRLF');

    const calendar = new ICAL.Component(ICAL.parse(feed.text));
    assert.equal(calendar.getFirstPropertyValue('version'), '2.0');
    const events = calendar.getAllSubcomponents('vevent').map((c) => new ICAL.Event(c));
    const named = (summary) => events.find((e) => e.summary === summary);
    assert.equal(named(text).startDate.toString(), '2027-03-01');
    assert.ok(named(text).startDate.isDate);
    assert.equal(named('Once').startDate.toJSDate().toISOString(), '2027-03-28T15:00:00.000Z', 'after the clock change');
    assert.equal(new Set(events.map((e) => e.uid)).size, events.length);
    const [todo] = calendar.getAllSubcomponents('vtodo');
    assert.equal(todo.getFirstPropertyValue('summary'), 'Some day');
    for (const zone of calendar.getAllSubcomponents('vtimezone')) ICAL.TimezoneService.register(zone);
    const meeting = named('Team meeting').iterator();
    assert.deepEqual([meeting.next(), meeting.next()].map((at) => at.toJSDate().toISOString()), ['2027-03-22T07:00:00.000Z', '2027-03-29T06:00:00.000Z'], '08:00 stays 08:00');
    assert.match(feed.text, /^RRULE:FREQ=DAILY;UNTIL=20270329T060000Z\r$/m, 'beside a zone UNTIL is in UTC');

    const tag = feed.headers['etag'];
    assert.equal((await stranger.get(url.pathname, { headers: { 'If-None-Match': tag } })).status, 304);
    await carl.postJson('/api/tasks', { text: 'New', due: '2027-03-02' });
    assert.equal((await stranger.get(url.pathname, { headers: { 'If-None-Match': tag } })).status, 200);
    assert.match((await carl.get('/reminders')).text, /Your calendar last read it/);

    assert.equal((await stranger.get('/calendar/wrong.ics')).status, 404);
    assert.equal((await stranger.get(url.pathname.replace('.ics', ''))).status, 404);
    await carl.post('/reminders/calendar');
    assert.equal((await stranger.get(url.pathname)).status, 404, 'renewed');
    assert.equal((await carl.post('/reminders/calendar/end')).location, '/reminders?done=calendar_ended');
    assert.equal((await carl.post('/reminders/calendar/end')).status, 303);
    assert.doesNotMatch(alfred.logs(), /\/calendar\/[\w-]{20}/, 'the address is in no log');
});

test('events of the calendar have the time of their last change, and begin with their first occurrence', async () => {
    const dora = await alfred.user('dora');
    const { reminder } = (await dora.postJson('/api/reminders', { text: 'Course', at: '2027-03-01T09:00', repeat: 'FREQ=WEEKLY;BYDAY=TU,TH' })).json;
    const { task } = (await dora.postJson('/api/tasks', { text: 'Tax', due: '2027-03-05' })).json;
    const { task: timed } = (await dora.postJson('/api/tasks', { text: 'Call', due: '2027-03-06', time: '10:00' })).json;
    alfred.sql('UPDATE task SET created_at = 1000000000000');
    alfred.sql('UPDATE reminder SET created_at = 1000000000000');
    const path = new URL((await dora.post('/reminders/calendar')).text.match(/value="(https:[^"]+\.ics)"/)[1]).pathname;
    const events = async () => {
        const calendar = new ICAL.Component(ICAL.parse((await dora.stranger().get(path)).text));
        return Object.fromEntries(calendar.getAllSubcomponents('vevent').map((c) => [c.getFirstPropertyValue('summary'), c]));
    };
    const stamps = (c) => ['dtstamp', 'last-modified'].map((name) => String(c.getFirstPropertyValue(name)));
    const first = await events();
    assert.equal(String(first.Course.getFirstPropertyValue('dtstart')), '2027-03-02T09:00:00', 'a Tuesday');
    const old = ['2001-09-09T01:46:40Z', '2001-09-09T01:46:40Z'];
    for (const name of ['Course', 'Tax', 'Call']) assert.deepEqual(stamps(first[name]), old, name);
    for (const [path, text] of [[`reminders/${reminder.id}`, 'Long course'], [`tasks/${task.id}`, 'Big tax'], [`tasks/${timed.id}`, 'Long call']]) {
        const answer = await dora.request('PATCH', `/api/${path}`, { json: { text } });
        assert.equal(answer.status, 200, answer.text);
    }
    const changed = await events();
    for (const name of ['Long course', 'Big tax', 'Long call']) {
        const [stamp, modified] = stamps(changed[name]);
        assert.equal(stamp, modified);
        assert.ok(Math.abs(Date.parse(stamp) - Date.now()) < 60_000, `${name}: ${stamp}`);
    }
});

test('what was missed while nothing ran is told once, as late', async (t) => {
    const { id } = await add(bob, 'Missed');
    const many = await add(bob, 'Missed often', { repeat: 'daily' });
    await alfred.crash();
    const day = Date.now() - 20 * 86_400_000;
    alfred.sql('UPDATE reminder SET start = ?, next_at = ? WHERE id = ?', local(day), day, many.id);
    fire(id, Date.now() - 86_400_000);
    const again = await startAlfred({ t, env: { ...provider.env, TZ: 'UTC' }, dir: alfred.dir, config: alfred.config });
    await until('both are told', () => told('Missed').length === 2);
    assert.match(told('Missed\n')[0].text, /Due: yesterday at \d\d:\d\d\./);
    assert.match(told('Missed often')[0].text, /It was due 2[01] times while Alfred was off, last (today|yesterday) at/);
    await again.killAndAwait('helper');
    await until('it runs again', () => again.pids('helper').length === 1);
    assert.equal(told('Missed').length, 2);
});
