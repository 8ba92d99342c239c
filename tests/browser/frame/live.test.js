// Open pages follow changes by other tabs, devices and jobs, and do not disturb a user who types.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { exchange } from '../../lib/chat.js';
import { bring, chatgpt } from '../../lib/transfer.js';
import { Chat } from '../lib/chat.js';
import { axe } from '../lib/look.js';
import { loaded, phone, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, asked, context } = await stage();
const anna = await alfred.admin('anna');
const again = () => alfred.signIn('anna');
const begin = (text, options) => exchange(anna, provider, text, `Answer to ${text}`, options);
const row = (page, title) => page.locator('#sessions-nav .row-title', { hasText: title });

const task = (page, text) => page.locator('.task .item-title', { hasText: text });

/** The page as the server sends it when its clock is an hour ahead. */
async function anHourAhead(route) {
    const response = await route.fetch();
    const body = (await response.text()).replace(/( data-live="\d+ )(\d+)"/, (_, user, at) => `${user}${BigInt(at) + 3_600_000_000n}"`);
    return { response, body };
}

/** Pages that share a browser; `worker` false: one without shared workers. */
async function tabs(t, n, worker, path = '/tasks') {
    const shared = await context(t, { as: await again() });
    if (!worker) await shared.addInitScript(() => delete globalThis.SharedWorker);
    const pages = [];
    for (let i = 0; i < n; i++) {
        const page = await shared.newPage();
        await page.goto(path);
        await ready(page);
        pages.push(page);
    }
    return pages;
}

for (const worker of [true, false]) {
    test(`all tabs follow a session of another device, ${worker ? 'with' : 'without'} a shared worker`, async (t) => {
        const pages = await tabs(t, 2, worker);
        const title = `From afar ${worker}`;
        const { session } = await begin(title);
        // Only the visible tab is read again at once; each is brought to the front.
        for (const page of pages) {
            await page.bringToFront();
            await page.locator(`#sessions-nav [data-session="${session}"]`).waitFor();
        }
        await anna.request('PATCH', `/api/sessions/${session}`, { json: { title: `Renamed ${worker}` } });
        for (const page of pages) {
            await page.bringToFront();
            await row(page, `Renamed ${worker}`).waitFor();
        }
        await anna.request('DELETE', `/api/sessions/${session}`);
        await row(pages[1], `Renamed ${worker}`).waitFor({ state: 'detached' });
    });
}

test('the tabs of a browser share one connection', async (t) => {
    const shared = await context(t, { as: await again() });
    await shared.addInitScript(() => delete globalThis.SharedWorker);
    let asked = 0;
    shared.on('request', (r) => { asked += /\/api\/events/.test(r.url()); });
    const one = await shared.newPage(), two = await shared.newPage();
    await Promise.all([one.waitForResponse(/\/api\/events/), one.goto('/tasks')]);
    await two.goto('/tasks');
    await ready(two);
    await anna.post('/tasks', { text: 'For both tabs' });
    await task(two, 'For both tabs').waitFor();
    await task(one, 'For both tabs').waitFor();
    assert.equal(asked, 1);
    // The tab that has it closes: the other takes over.
    await Promise.all([two.waitForRequest(/\/api\/events/), one.close()]);
    await anna.post('/tasks', { text: 'After the first tab' });
    await task(two, 'After the first tab').waitFor();
});

test('the to-do page follows, and keeps what is being typed, the focus and an open form', async (t) => {
    await anna.post('/tasks', { text: 'Water the plants' });
    const [page] = await tabs(t, 1, true);
    await page.locator('main > .remind-form [name=text]').fill('Half a tho');
    const item = page.locator('.task', { hasText: 'Water the plants' });
    await item.locator('summary').click();
    await item.locator('[name=text]').fill('Water all the plants');
    await anna.post('/tasks', { text: 'From the phone' });
    await page.locator('.task', { hasText: 'From the phone' }).waitFor();
    assert.equal(await page.locator('main > .remind-form [name=text]').inputValue(), 'Half a tho');
    assert.equal(await item.locator('[name=text]').inputValue(), 'Water all the plants');
    assert.ok(await item.locator('[name=text]').evaluate((el) => el === document.activeElement), 'the focus stays');
    assert.deepEqual(await axe(page, { within: 'main' }), []);
});

test('a list that could not be read after a change is read again without a further change', async (t) => {
    const page = await open(t, { as: await again(), path: '/tasks', allow: [/status of 503/] });
    await loaded(page, 'frame/follow');
    let asked = 0;
    const isRead = (route) => route.request().resourceType() === 'fetch';
    await page.route('**/tasks', (route) => (isRead(route) && ++asked === 1 ? route.fulfill({ status: 503, body: '' }) : route.fallback()));
    await anna.post('/tasks', { text: 'After a failure' });
    await task(page, 'After a failure').waitFor();
    assert.equal(asked, 2);
});

test('one read runs at a time, with the latest change after it, and failed ones have growing pauses', async (t) => {
    const page = await open(t, { as: await again(), path: '/tasks' });
    const now = Date.now();
    await page.clock.install({ time: now });
    await page.clock.pauseAt(now + 60_000);
    await page.evaluate(async () => {
        const { later } = await import(`/static/${document.documentElement.dataset.asset}/js/base/later.js`);
        globalThis.reads = [];
        globalThis.ask = later(() => new Promise((ok, no) => { globalThis.reads.push({ ok, no }); }));
        globalThis.ask();
    });
    const reads = () => page.evaluate(() => globalThis.reads.length), end = (how) => page.evaluate((h) => globalThis.reads.at(-1)[h](), how);
    await page.clock.runFor(300);
    assert.equal(await reads(), 1);
    await page.evaluate(() => globalThis.ask());
    await page.clock.runFor(5000);
    assert.equal(await reads(), 1, 'the first one still runs');
    await end('ok');
    await page.clock.runFor(300);
    assert.equal(await reads(), 2, 'the wish during it is kept');
    for (const [nth, pause] of [[2, 2000], [3, 4000], [4, 8000]]) {
        await end('no');
        await page.clock.runFor(pause - 1);
        assert.equal(await reads(), nth);
        await page.clock.runFor(1);
        assert.equal(await reads(), nth + 1, `after ${pause} ms`);
    }
    await end('ok');
    await page.clock.runFor(60_000);
    assert.equal(await reads(), 5);
});

test('the Data page shows a finished export without a reload', async (t) => {
    const [page] = await tabs(t, 1, true, '/data');
    await page.evaluate(() => { globalThis.same = true; });
    await anna.post('/data/export', {});
    await page.locator('#transfers .btn.main').waitFor();
    assert.ok(await page.evaluate(() => globalThis.same));
});

test('a page follows again after the program stream was killed', async (t) => {
    const [page] = await tabs(t, 1, true);
    await alfred.killAndAwait('stream');
    await anna.post('/tasks', { text: 'During the restart' });
    await task(page, 'During the restart').waitFor();
});

for (const worker of [true, false]) {
    test(`a page from before the server's clock was set back follows, ${worker ? 'with' : 'without'} a shared worker`, async (t) => {
        const shared = await context(t, { as: await again() });
        if (!worker) await shared.addInitScript(() => delete globalThis.SharedWorker);
        await shared.route('**/tasks', async (route) => {
            if (route.request().resourceType() !== 'document') return route.fallback();
            return route.fulfill(await anHourAhead(route));
        });
        const page = await shared.newPage();
        // The list is read again when the connection begins, because its position is unknown.
        await Promise.all([page.waitForRequest((r) => r.url().endsWith('/tasks') && r.resourceType() === 'fetch'), page.goto('/tasks')]);
        for (const text of ['After the clock was set', 'Another one']) {
            await anna.post('/tasks', { text: `${text} ${worker}` });
            await task(page, `${text} ${worker}`).waitFor();
        }
    });
}

for (const worker of [true, false]) {
    test(`so does one that joins a connection of another page, ${worker ? 'with' : 'without'} a shared worker`, async (t) => {
        const [first] = await tabs(t, 1, worker);
        await anna.post('/tasks', { text: `Connected ${worker}` });
        await task(first, `Connected ${worker}`).waitFor();
        const page = await first.context().newPage();
        await page.route('**/tasks', async (route) => (route.request().resourceType() === 'document' ? route.fulfill(await anHourAhead(route)) : route.fallback()));
        await page.goto('/tasks');
        await ready(page);
        await anna.post('/tasks', { text: `For the second page ${worker}` });
        await task(page, `For the second page ${worker}`).waitFor();
    });
}

test('a connection that has become silent is replaced while the page is visible', async (t) => {
    const page = await open(t, { as: await again(), path: '/tasks' });
    const now = Date.now();
    await page.clock.install({ time: now });
    await page.clock.pauseAt(now + 60_000);
    await page.evaluate(async () => {
        const { Hub } = await import(`/static/${document.documentElement.dataset.asset}/js/frame/hub.js`);
        globalThis.lines = 0;
        globalThis.EventSource = class { constructor() { globalThis.lines++; } addEventListener() {} close() {} };
        globalThis.hub = new Hub('1', () => {});
        globalThis.hub.join(Date.now() * 1000);
    });
    const lines = () => page.evaluate(() => globalThis.lines), seconds = (n) => page.clock.runFor(n * 1000);
    await seconds(100);
    await page.evaluate(() => globalThis.hub.take('ping', { lastEventId: `${Date.now() * 1000}`, data: '{}' }));
    await seconds(100);
    assert.equal(await lines(), 1, 'it was heard');
    await seconds(25);
    assert.equal(await lines(), 2);
    await seconds(250);
    assert.equal(await lines(), 4, 'the new one is silent, too');
    await page.evaluate(() => globalThis.hub.close());
    await seconds(3600);
    assert.equal(await lines(), 4);
});

test('on a phone the list of sessions follows', async (t) => {
    const page = await open(t, { as: await again(), path: '/sessions', ...phone });
    const { session } = await begin('New on the phone');
    await page.locator(`#session-list [data-session="${session}"]`).waitFor();
    await until('nothing is wider than the window', () => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
});

/** A user with `n` sessions, and the page of them, scrolled to its end. */
async function longList(t, name, n) {
    const client = await alfred.user(name);
    await bring(client, JSON.stringify(Array.from({ length: n }, (_, i) => chatgpt(`${name}${i}`, [`Hello ${i}`, 'Yes'], { title: `Chat ${i}`, create_time: 1.7e9 + i, update_time: 1.7e9 + i }))));
    const page = await open(t, { as: client, path: '/sessions', allow: [/status of 503/] }), rows = page.locator('#session-list > li');
    await loaded(page, 'frame/follow');
    const load = () => until('all rows are loaded', async () => {
        await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
        return (await rows.count()) === n;
    });
    return { client, page, rows, load };
}
const middle = (row) => row.evaluate((el) => {
    el.scrollIntoView({ block: 'center' });
    return new Promise((ok) => requestAnimationFrame(() => requestAnimationFrame(() => ok(Math.round(el.getBoundingClientRect().top)))));
});

test('a long list of sessions keeps its rows, the position and the focus when it follows, and when a row is archived', async (t) => {
    const { client, page, rows, load } = await longList(t, 'mia', 75);
    await load();
    const read = rows.nth(50), id = await read.getAttribute('data-session'), next = await rows.nth(51).getAttribute('data-session');
    const top = await middle(read), there = () => page.locator(`[data-session="${id}"].item`).evaluate((el) => Math.round(el.getBoundingClientRect().top));
    await client.request('PATCH', `/api/sessions/${await rows.first().getAttribute('data-session')}`, { json: { title: 'Renamed elsewhere' } });
    await rows.first().getByText('Renamed elsewhere').waitFor();
    assert.deepEqual([await rows.count(), await there()], [75, top]);
    await read.locator('[data-act=row-menu]').click();
    await page.getByRole('menuitem', { name: 'Archive' }).click();
    await page.locator(`#session-list [data-session="${id}"]`).waitFor({ state: 'detached' });
    await page.locator('#toasts').getByText('Archived').waitFor();
    assert.equal(await rows.count(), 74);
    assert.equal(await page.evaluate(() => document.activeElement.closest('li')?.dataset.session), next);
    assert.equal(await page.locator(`#session-list [data-session="${next}"]`).evaluate((el) => Math.round(el.getBoundingClientRect().top)), top);
});

test('a list of sessions that was read again, or whose next part failed, still goes on', async (t) => {
    const { client, page, rows, load } = await longList(t, 'lea', 75);
    await client.request('PATCH', `/api/sessions/${await rows.first().getAttribute('data-session')}`, { json: { title: 'Renamed elsewhere' } });
    await rows.first().getByText('Renamed elsewhere').waitFor();
    await load();
    const after = '**/sessions?after=*';
    await page.route(after, (route) => route.fulfill({ status: 503, contentType: 'text/html', body: '<!doctype html><title>Busy</title><main id="main"></main>' }));
    const refused = page.waitForResponse((r) => r.status() === 503);
    await page.reload();
    await ready(page);
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await refused;
    assert.equal(await rows.count(), 30);
    assert.ok(await page.locator('a[rel=next]').isVisible());
});

// Chromium requests hub.js twice: as a module of the page, and as the worker.
for (const [what, name, nth] of [['the module of changes', 'changes.js', 1], ['a module for conversations', 'watch.js', 1], ['the module of the connection', 'hub.js', 1], ['the script of the worker', 'hub.js', 2]]) {
    test(`a page follows although ${what} did not arrive at first`, async (t) => {
        const { session } = await begin(`Before ${name} ${nth}`);
        const shared = await context(t, { as: await again(), allow: [/Failed to load resource: net::ERR_FAILED/] });
        let asked = 0;
        await shared.route((url) => url.pathname.endsWith(`/${name}`), (r) => (++asked === nth ? r.abort('failed') : r.fallback()));
        const page = await shared.newPage();
        await page.goto(`/s/${session}`);
        await until('a request has failed', () => asked >= nth);
        await begin('From another device', { session });
        await page.locator('#transcript article.user', { hasText: 'From another device' }).waitFor(); // it is loaded again after a pause
    });
}

/** Holds the next time that the page reads the conversation again; gives the end of the wait, and what lets it go on. */
async function hold(page, session) {
    let go;
    const held = new Promise((ok) => { go = ok; });
    const begun = new Promise((ok) => {
        void page.route(`**/s/${session}`, async (route) => {
            if (route.request().resourceType() !== 'fetch') return route.continue();
            const response = await route.fetch();
            ok();
            await held;
            await route.fulfill({ response });
        });
    });
    return { begun, async release() {
        const done = page.waitForEvent('requestfinished', (r) => r.url().endsWith(session) && r.resourceType() === 'fetch');
        go();
        await done;
        await page.evaluate(() => new Promise((ok) => setTimeout(ok))); // the page has read it
    } };
}

/** A command has its reply above the box, and the conversation is read again behind it. */
async function command(page, chat, session) {
    const reading = await hold(page, session);
    await chat.send('/help');
    await page.locator('#command').waitFor();
    await reading.begun;
    return reading;
}

test('a message that is sent while the conversation is read again stays, and its answer runs on', async (t) => {
    const { session } = await begin('Before the command');
    const page = await open(t, { as: await again(), path: `/s/${session}` }), chat = new Chat(page);
    const reading = await command(page, chat, session);
    await chat.send('Slow after it');
    const call = await asked('Slow after it');
    await call.text('It begins.');
    await chat.reads('It begins.');
    await reading.release();
    assert.deepEqual(await chat.texts(), ['Before the command', 'Answer to Before the command', 'Slow after it', 'It begins.']);
    await call.end();
    await chat.settled();
    assert.equal(await chat.messages.count(), 4);
});

test('an editor that is opened while the conversation is read again keeps its text and the focus', async (t) => {
    const { session } = await begin('To be edited');
    const page = await open(t, { as: await again(), path: `/s/${session}` }), chat = new Chat(page);
    const reading = await command(page, chat, session);
    await chat.act(chat.question, 'Edit').click();
    const box = chat.question.getByRole('textbox');
    await box.fill('To be edited, and more');
    await begin('From another device', { session });
    await reading.release();
    assert.equal(await box.inputValue(), 'To be edited, and more');
    assert.ok(await box.evaluate((el) => el === document.activeElement), 'the focus stays');
});

test('a conversation that changes elsewhere keeps the reading position and the selection', async (t) => {
    let { session, reply } = await begin('Question 0');
    for (let i = 1; i < 8; i++) ({ reply } = await exchange(anna, provider, `Question ${i}`, `Answer ${i}. ${'Words that take some room on the screen. '.repeat(40)}`, { session }));
    const page = await open(t, { as: await again(), path: `/s/${session}` }), chat = new Chat(page);
    await loaded(page, 'chat/watch');
    await page.mouse.move(600, 300);
    await page.mouse.wheel(0, -1500);
    await page.getByRole('button', { name: 'To the newest message' }).waitFor();
    const read = chat.replies.nth(4);
    await read.evaluate((el) => {
        el.scrollIntoView({ block: 'start' });
        getSelection().selectAllChildren(el.querySelector('p'));
    });
    const view = () => read.evaluate((el) => new Promise((ok) => requestAnimationFrame(() => requestAnimationFrame(() => ok([Math.round(el.getBoundingClientRect().top), String(getSelection()).slice(0, 9), el.same])))));
    await read.evaluate((el) => { el.same = true; });
    const before = await view();
    assert.deepEqual(before.slice(1), ['Answer 4.', true]);
    await anna.request('DELETE', `/api/sessions/${session}/messages/${reply}`);
    await page.locator(`#m-${reply}`).waitFor({ state: 'detached' });
    assert.deepEqual(await view(), before);
});

test('the open questions are read once for many changes, and not twice at the same time', async (t) => {
    const { session } = await begin('Asked many times');
    const page = await open(t, { as: await again(), path: `/s/${session}` });
    await loaded(page, 'chat/watch');
    const change = () => page.evaluate(async () => {
        const { take } = await import(`/static/${document.documentElement.dataset.asset}/js/chat/watch.js`);
        for (let i = 0; i < 5; i++) take({ at: 0, name: 'suggestion', data: {} });
    });
    const held = [];
    await page.route(`**/s/${session}`, (route) => (route.request().resourceType() === 'fetch' ? void held.push(() => route.continue()) : route.fallback()));
    const now = Date.now();
    await page.clock.install({ time: now });
    await page.clock.pauseAt(now + 60_000);
    await change();
    await page.clock.runFor(2000);
    await until('it is read', () => held.length > 0);
    await change();
    await page.clock.runFor(5000);
    assert.equal(held.length, 1);
    const answered = page.waitForEvent('requestfinished', (r) => r.url().endsWith(session));
    held[0]();
    await answered;
    await until('it is read once more', async () => {
        await page.clock.runFor(1000);
        return held.length > 1;
    });
    held[1]();
    assert.equal(held.length, 2);
});
