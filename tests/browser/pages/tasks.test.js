// The to-do list in a browser: by mouse and keyboard, with and without scripts, and the question before a task is
// deleted. No provider is connected: the offline model manages the list by rule.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat } from '../lib/chat.js';
import { axe, axeInBothSchemes } from '../lib/look.js';
import { leads, nextPage, phone, ready, stage } from '../lib/stage.js';

const { alfred, open } = await stage({ providers: false });
await alfred.admin('anna');

const day = (ahead) => new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10);

/** A user for one test, with tasks. */
async function user(name, tasks = []) {
    const client = await alfred.user(name);
    for (const task of tasks) assert.equal((await client.postJson('/api/tasks', task)).status, 201);
    return client;
}
const openOf = async (client) => (await client.getJson('/api/tasks?show=open')).tasks.map((t) => t.text);

const LIST = [{ text: 'Water the plants' }, { text: 'Call <mum>', due: day(1) }, { text: 'Pay the rent', due: day(-3) }];
const headings = (page) => page.locator('.tasks h2').allInnerTexts();
const shown = (page) => page.locator('.tasks .fact').allInnerTexts();
const said = (page, text) => page.locator('.flash', { hasText: text }).waitFor();
const section = (page, name) => page.getByRole('region', { name, exact: true });

for (const javaScriptEnabled of [true, false]) {
    const how = javaScriptEnabled ? 'with scripts' : 'without JavaScript';
    test(`the list is kept ${how}`, async (t) => {
        const client = await user(`list-${javaScriptEnabled}`);
        const page = await open(t, { as: client, javaScriptEnabled, path: '/' });
        const go = (url, act) => (javaScriptEnabled ? leads(page, url, act) : nextPage(page, act).then(() => page.waitForURL(url)));
        await go('/tasks', () => page.getByRole('link', { name: 'To-do list' }).click());
        await page.getByText('Nothing to do').waitFor();
        const text = page.getByRole('textbox', { name: 'New task' });
        await text.fill('Pay the rent');
        await page.getByText('Due date and repeat').click();
        await page.getByLabel('Due', { exact: true }).fill(day(0));
        await go(/task_added/, () => page.getByRole('button', { name: 'Add', exact: true }).click());
        await said(page, 'The task is on your list.');
        await text.fill('Water the plants');
        await go(/task_added/, () => text.press('Enter'));
        assert.deepEqual(await headings(page), ['Today', 'No date']);
        assert.deepEqual(await shown(page), ['Pay the rent', 'Water the plants']);

        await page.locator('.task', { hasText: 'Water' }).locator('.rename summary').click();
        const edit = page.locator('.task .fact-form:visible');
        await edit.getByRole('textbox', { name: 'Task' }).fill('Water the roses');
        await edit.getByLabel('Due').fill(day(1));
        await go(/task_saved/, () => edit.getByRole('button', { name: 'Save' }).click());
        assert.deepEqual(await headings(page), ['Today', 'Tomorrow']);

        await go(/task_done/, () => page.getByRole('button', { name: 'Done: Pay the rent' }).click());
        assert.deepEqual(await section(page, 'Completed').locator('.fact').allInnerTexts(), ['Pay the rent']);
        await go(/task_reopened/, () => page.getByRole('button', { name: 'Open again: Pay the rent' }).click());
        assert.deepEqual(await headings(page), ['Today', 'Tomorrow']);
        await go(/task_done/, () => page.getByRole('button', { name: 'Done: Pay the rent' }).click());
        await go(/task_reopened/, () => page.getByRole('button', { name: 'Undo', exact: true }).click());
        assert.deepEqual(await headings(page), ['Today', 'Tomorrow']);

        await page.getByLabel('Options of Pay the rent').click();
        await go(/task_deleted/, () => page.getByRole('button', { name: 'Delete Pay the rent' }).click());
        assert.deepEqual(await openOf(client), ['Water the roses']);
        await go(/task_restored/, () => page.getByRole('button', { name: 'Undo', exact: true }).click());
        assert.deepEqual(await shown(page), ['Pay the rent', 'Water the roses']);

        await go(/task_done/, () => page.getByRole('button', { name: 'Done: Pay the rent' }).click());
        await go(/tasks_cleared/, () => page.getByRole('button', { name: 'Delete all completed tasks' }).click());
        assert.deepEqual(await headings(page), ['Tomorrow']);
        await page.getByText('Deleted in the last hour').click();
        await go(/task_restored/, () => page.getByRole('button', { name: 'Restore: Pay the rent' }).click());
        assert.deepEqual(await headings(page), ['Tomorrow', 'Completed']);
    });
}

for (const javaScriptEnabled of [true, false]) {
    test(`a task has a time and repeats ${javaScriptEnabled ? 'with scripts' : 'without JavaScript'}`, async (t) => {
        const client = await user(`repeat-${javaScriptEnabled}`);
        const page = await open(t, { as: client, javaScriptEnabled, path: '/tasks', ...(javaScriptEnabled ? {} : phone) });
        const go = (url, act) => (javaScriptEnabled ? leads(page, url, act) : nextPage(page, act).then(() => page.waitForURL(url)));
        const form = page.locator('main > .remind-form');
        await form.getByText('Due date and repeat').click();
        const rule = form.locator('[name=repeat]');
        assert.equal(await rule.isVisible(), false);
        await form.getByRole('textbox', { name: 'New task' }).fill('Take the pills');
        await form.getByLabel('Due').fill(day(1));
        await form.getByLabel('Time').fill('07:30');
        await form.getByLabel('Repeat').selectOption('By a rule');
        await rule.fill('FREQ=DAILY;INTERVAL=3');
        await go(/task_added/, () => page.getByRole('button', { name: 'Add', exact: true }).click());
        const item = page.locator('.task:not(.completed)', { hasText: 'Take the pills' });
        await item.getByText('every 3 days at 07:30').waitFor();
        await page.getByLabel('Options of Take the pills').click();
        const edit = page.locator('.task .fact-form:visible');
        assert.equal(await edit.getByLabel('Time').inputValue(), '07:30');
        assert.equal(await edit.locator('[name=repeat]').inputValue(), 'FREQ=DAILY;INTERVAL=3');
        await edit.getByLabel('Repeat').selectOption('Every day');
        assert.equal(await edit.locator('[name=repeat]').isVisible(), false);
        await edit.getByLabel('Time').fill('08:15');
        await go(/task_saved/, () => edit.getByRole('button', { name: 'Save' }).click());
        await item.getByText('every day at 08:15').waitFor();
        if (javaScriptEnabled) assert.deepEqual(await axe(page), []);
        await go(/task_done/, () => page.getByRole('button', { name: 'Done: Take the pills' }).click());
        assert.deepEqual((await client.getJson('/api/tasks?show=open')).tasks.map((task) => task.due), [day(2)]);
        await go(/task_reopened/, () => page.getByRole('button', { name: 'Open again: Take the pills' }).click());
        assert.deepEqual((await client.getJson('/api/tasks')).tasks.map((task) => [task.due, task.done]), [[day(1), false]]);
    });
}

test('on a phone the form for a task shows its text and its button, and the rest when it is asked for', async (t) => {
    for (const [locale, more] of [['en-GB', 'Due date and repeat'], ['de-DE', 'Fälligkeit und Wiederholung']])
        for (const javaScriptEnabled of [true, false]) {
            const page = await open(t, { as: await user(`fold-${locale}-${javaScriptEnabled}`), path: '/tasks', ...phone, locale, javaScriptEnabled, allow: [/status of 400/] });
            const form = page.locator('main > .remind-form'), add = form.locator('button');
            assert.ok((await form.boundingBox()).height <= 130, locale);
            assert.ok(await add.isVisible());
            await form.locator('[name=text]').focus();
            const reached = async () => {
                await page.keyboard.press('Tab');
                return page.evaluate(() => document.activeElement.name || document.activeElement.textContent.trim());
            };
            assert.equal(await reached(), more);
            await page.keyboard.press('Enter');
            const names = new Set();
            for (let i = 0; i < 12; i++) names.add(await reached()); // each part of a date takes a key
            assert.deepEqual([...names].slice(0, 4), ['due', 'time', 'choice', await add.innerText()]);
            assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
            if (javaScriptEnabled) assert.deepEqual(await axe(page), []);
            // A refused form shows what was sent.
            await form.locator('[name=text]').fill('Water the plants');
            await form.locator('[name=time]').fill('07:30');
            await form.locator('[name=choice]').selectOption('custom');
            await form.locator('[name=repeat]').fill('now and then');
            await nextPage(page, () => add.click());
            await page.locator('.problem').waitFor();
            assert.equal(await form.locator('[name=time]').inputValue(), '07:30');
            assert.ok(await form.locator('[name=time]').isVisible());
        }
});

test('the keyboard reaches all controls in reading order', async (t) => {
    const page = await open(t, { as: await user('keys', LIST), path: '/tasks' });
    assert.deepEqual(await headings(page), ['Overdue', 'Tomorrow', 'No date']);
    assert.deepEqual(await shown(page), ['Pay the rent', 'Call <mum>', 'Water the plants'], 'as it was written');
    await page.getByRole('button', { name: 'Add', exact: true }).focus();
    const focused = () => page.evaluate(() => document.activeElement.getAttribute('aria-label'));
    const names = [];
    for (let i = 0; i < 4; i++) {
        await page.keyboard.press('Tab');
        names.push(await focused());
    }
    assert.deepEqual(names, ['Pay the rent', 'Call <mum>'].flatMap((text) => [`Done: ${text}`, `Options of ${text}`]));
    await page.getByRole('button', { name: 'Done: Call <mum>' }).focus();
    await leads(page, /task_done/, () => page.keyboard.press('Space'));
    await said(page, 'The task is completed.');
});

/** A chat whose last answer asks whether to delete the only task. */
async function asking(t, name, more) {
    const client = await user(name, [{ text: 'Old thing' }]);
    const page = await open(t, { as: client, ...more });
    const chat = new Chat(page);
    await chat.send('delete the task old thing');
    await chat.settled();
    return { client, page, chat, form: page.locator('#questions').getByRole('group', { name: 'Delete the task “Old thing”' }) };
}

test('a task is deleted by its button once, also from a second tab', async (t) => {
    const { client, page, chat, form } = await asking(t, 'asks', { allow: [/409/] });
    const second = await page.context().newPage();
    await second.goto(page.url());
    await ready(second);
    assert.deepEqual(await openOf(client), ['Old thing']);
    // The second tab hears of the decision at once and removes the question. So its click comes before, its request after.
    const decided = Promise.withResolvers();
    await second.route('**/suggestions/*/keep', (route) => decided.promise.then(() => route.continue()));
    await second.locator('#questions').getByRole('button', { name: 'Delete task' }).click();
    await form.getByRole('button', { name: 'Delete task' }).click();
    const note = page.locator('article .suggestion [data-when]:not([hidden])', { hasText: 'The task is deleted.' });
    await note.waitFor();
    assert.ok(await note.evaluate((el) => el.getBoundingClientRect().bottom <= innerHeight), 'in view');
    assert.equal(await form.count(), 0);
    assert.deepEqual(await openOf(client), []);
    decided.resolve();
    await second.getByRole('alert').filter({ hasText: /already been decided/ }).waitFor();
    await chat.send('What time is it?');
    await chat.settled();
    assert.equal(await note.count(), 1, 'it stays where it is');
});

test('a typed no keeps it, and "that" is the mentioned task', async (t) => {
    const { client, chat } = await asking(t, 'keeps');
    await chat.send('keep it');
    await chat.settled();
    await chat.reads(/I will keep the task:\s*Old thing/);
    await chat.send('mark that task done');
    await chat.reads(/Done:\s*Old thing/);
    assert.deepEqual(await openOf(client), []);
});

test('axe finds nothing serious, and a phone shows all of it', async (t) => {
    const { client, page } = await asking(t, 'axe', { ...phone, reducedMotion: 'reduce' });
    assert.deepEqual(await axeInBothSchemes(page), [], 'the question');
    for (const task of LIST) await client.postJson('/api/tasks', task);
    const long = await client.postJson('/api/tasks', { text: 'x'.repeat(200), due: day(9) });
    await client.request('PATCH', `/api/tasks/${long.json.task.id}`, { json: { done: true } });
    await client.request('DELETE', `/api/tasks/${(await client.postJson('/api/tasks', { text: 'Gone' })).json.task.id}`);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto('/tasks');
    await ready(page);
    assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth), 'nothing sticks out');
    await page.locator('.deleted summary').click();
    assert.deepEqual(await axeInBothSchemes(page), [], 'the page');
    await page.locator('.rename summary').first().click();
    assert.deepEqual(await axeInBothSchemes(page), [], 'the form');
    assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth), 'nothing sticks out of the form');
});

test('after a change in a long list its page is where it was', async (t) => {
    const client = await user('long', Array.from({ length: 60 }, (_, i) => ({ text: `Task ${i}`, due: day(30 + i) })));
    const page = await open(t, { as: client, path: '/tasks' });
    const row = (i) => page.locator('li.task', { has: page.getByText(typeof i === 'number' ? `Task ${i}` : i, { exact: true }) });
    const place = (i) => row(i).evaluate((el) => Math.round(el.getBoundingClientRect().top));
    const focusIn = (i) => row(i).evaluate((el) => el.contains(document.activeElement));

    await row(41).evaluate((el) => el.scrollIntoView({ block: 'center' }));
    const before = await place(41);
    await leads(page, /\/tasks/, () => row(40).getByRole('button', { name: 'Done: Task 40' }).click());
    await page.locator('#toasts .toast', { hasText: 'The task is completed.' }).waitFor();
    assert.ok(Math.abs((await place(41)) - before) <= 1, `${await place(41)} and ${before}`);
    assert.ok(await focusIn(41), 'the focus is in the next task');
    const live = page.waitForResponse((r) => r.url() === `${alfred.baseUrl}/tasks`);
    assert.equal((await client.postJson('/api/tasks', { text: 'Of another device', due: day(200) })).status, 201);
    await live;
    await row('Of another device').waitFor({ state: 'attached' });
    assert.equal(await page.locator('.flash').count(), 0, 'the notice has not come back');
    assert.ok(Math.abs((await place(41)) - before) <= 1, 'nor moved the list');
    assert.ok(await focusIn(41), 'nor taken the focus');

    await row(44).locator('summary').click();
    await leads(page, /\/tasks/, () => row(44).getByRole('button', { name: /^Delete/ }).click());
    assert.ok(await page.evaluate(() => scrollY > 500), 'the page has not gone to its top');
    await leads(page, /\/tasks/, () => page.locator('#toasts').getByRole('button', { name: 'Undo' }).click());

    await page.goto('/tasks');
    await ready(page);
    await page.getByRole('textbox', { name: 'New task' }).fill('One');
    await leads(page, /task_added/, () => page.keyboard.press('Enter'));
    await page.keyboard.type('Two');
    assert.equal((await client.postJson('/api/tasks', { text: 'Due before all others', due: day(0) })).status, 201);
    await row('Due before all others').waitFor({ state: 'attached' });
    assert.equal(await page.evaluate(() => document.activeElement.value), 'Two', 'what is being typed stays');
    await leads(page, /task_added/, () => page.keyboard.press('Enter'));
    assert.deepEqual((await openOf(client)).filter((text) => ['One', 'Two'].includes(text)).sort(), ['One', 'Two']);
});

test('the ages of tasks have the words of the server when scripts update them, in the time zone of the user', async (t) => {
    const hours = [0, 0.51, 5.01, 7, 13, 20, 25, 30, 40, 47.5, 49, 60, 150, 170, 24 * 200, 24 * 500];
    const client = await user('ages', hours.map((h) => ({ text: `Of ${h} hours` })));
    alfred.database((db) => hours.forEach((h) => db.prepare('UPDATE task SET created_at = created_at - ? WHERE text = ?').run(h * 3_600_000, `Of ${h} hours`)));
    for (const [zone, language] of [['Pacific/Auckland', 'en'], ['America/Los_Angeles', 'de']]) {
        await client.request('PATCH', '/api/settings', { json: { time_zone: zone, language } });
        const page = await open(t, { as: client, path: '/tasks' });
        const words = () => page.locator('.task time').evaluateAll((all) => all.map((el) => `${el.firstChild.textContent} = ${el.firstChild.title} = ${el.lastChild.textContent}`));
        const before = await words();
        assert.equal(before.length, hours.length);
        await page.evaluate(() => import(`/static/${document.documentElement.dataset.asset}/js/base/times.js`).then((m) => m.refresh()));
        assert.deepEqual(await words(), before);
        const exact = await page.locator('.task time').evaluateAll((all) => import(`/static/${document.documentElement.dataset.asset}/js/base/times.js`).then((m) => all.map((el) => m.exact(new Date(el.dateTime)))));
        assert.deepEqual(exact, before.map((line) => line.split(' = ')[1]));
    }
});
