// Keys, the sidebar and the sessions page.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { Chat } from '../lib/chat.js';
import { lostInForcedColours } from '../lib/look.js';
import { answers, leads, ready, stage, until } from '../lib/stage.js';

const { alfred, provider, open, asked } = await stage({ title: 'Untouched' });

/** A user with three sessions. */
async function reader(name) {
    const client = await alfred.user(name);
    const ids = [];
    for (const title of ['Garden plans', 'Letter to the bank', 'Gardening books']) {
        provider.next(answers('Well.'), (call) => call.userText === `About: ${title}`);
        const sent = await client.postJson('/api/sessions/new/messages', { text: `About: ${title}` });
        const events = await client.events(`/api/turns/${sent.json.turn}/events`);
        await events.until((e) => e.event === 'end');
        const id = sent.json.session.id;
        ids.push(id);
        assert.equal((await client.request('PATCH', `/api/sessions/${id}`, { json: { title } })).status, 200);
    }
    return { client, ids };
}

test('what is typed before the search box is loaded goes into it, and nowhere else', async (t) => {
    const { client } = await reader('abel');
    const page = await open(t, { as: client });
    const held = [];
    await page.route('**/js/frame/find.js*', (route) => held.push(route));
    await page.locator('#text').fill('A draft');
    await page.keyboard.press('Control+k');
    await until('the box is requested', () => held.length);
    await page.keyboard.type('gard');
    await page.keyboard.press('Control+k');
    await held[0].continue();
    const box = page.getByRole('combobox', { name: 'Search sessions, messages, facts and actions' });
    await box.waitFor();
    assert.equal(await box.inputValue(), 'gard');
    await until('it is searched', async () => (await page.getByRole('dialog').getByRole('group', { name: 'Sessions' }).getByRole('option').count()) === 2);
    await page.keyboard.press('End');
    await page.keyboard.type('ening');
    assert.equal(await box.inputValue(), 'gardening');
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });
    assert.equal(await page.locator('#text').inputValue(), 'A draft');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'text', 'the focus is back');
});

test('Ctrl+K finds sessions, messages, facts and actions while typing, and opens them', async (t) => {
    const { client, ids } = await reader('adam');
    await client.postJson('/api/memories', { text: 'Has a gardener on Fridays', permanent: true });
    const page = await open(t, { as: client });
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'Search sessions, messages, facts and actions' });
    await box.waitFor();
    const group = (name) => page.getByRole('dialog').getByRole('group', { name }).getByRole('option');
    await until('all are listed', async () => (await group('Recent sessions').count()) === 3);
    for (const name of ['To-do list', 'Prompts', 'Personas', 'Usage']) assert.ok((await group('Actions').allInnerTexts()).some((text) => text.includes(name)), name);
    await page.keyboard.type('gard');
    await until('two match', async () => (await group('Sessions').count()) === 2);
    assert.equal(await group('Sessions').first().getAttribute('aria-selected'), 'true');
    assert.match(await group('Sessions').first().innerText(), /Gardening books/);
    assert.match(await group('Messages').first().innerText(), /About: Gardening books/, 'the beginning of a word finds a message');
    assert.match(await group('Memory').first().innerText(), /gardener/);
    await page.keyboard.press('ArrowDown');
    assert.equal(await box.getAttribute('aria-activedescendant'), await group('Sessions').nth(1).getAttribute('id'));
    await page.emulateMedia({ forcedColors: 'active' });
    assert.deepEqual(await group('Sessions').evaluateAll((all) => all.map((el) => getComputedStyle(el).outlineStyle)), ['none', 'solid'], 'a palette of the system shows the selected one');
    assert.deepEqual(await lostInForcedColours(page), []);
    await page.emulateMedia({ forcedColors: null });
    await leads(page, new RegExp(ids[0]), () => page.keyboard.press('Enter'));
    await page.keyboard.press('Control+k');
    await box.waitFor();
    await page.keyboard.type('about lett');
    await until('the words of a message are found', async () => (await group('Messages').count()) === 1);
    await leads(page, /#m-/, () => group('Messages').first().click());
    await page.keyboard.press('Control+k');
    await box.waitFor();
    await page.keyboard.type('to-do');
    await until('an action is found', async () => (await group('Actions').count()) === 1);
    await leads(page, /\/tasks/, () => group('Actions').first().click());
    await page.keyboard.press('Control+k');
    await box.waitFor();
    await page.keyboard.type('keys');
    await until('another is found', async () => (await group('Actions').count()) === 1);
    await group('Actions').first().click();
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    await page.goto('/');
    await ready(page);
    await page.getByRole('link', { name: 'Search' }).first().click();
    await box.waitFor();
    await page.keyboard.type('zyzzyva');
    await page.getByRole('dialog').getByRole('status').filter({ hasText: 'No results' }).waitFor();
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });
    assert.ok(await page.getByRole('link', { name: 'Search' }).first().evaluate((el) => el === document.activeElement), 'the focus is back');
});

test('Ctrl+K finds what the menus of the account and of the open session do', async (t) => {
    const { client, ids } = await reader('alba');
    const page = await open(t, { as: client, path: `/s/${ids[1]}` });
    const found = page.getByRole('dialog').getByRole('group', { name: 'Actions' }).getByRole('option');
    const run = async (typed, ...names) => {
        await page.keyboard.press('Control+k');
        await page.getByRole('combobox', { name: 'Search sessions, messages, facts and actions' }).waitFor();
        await page.keyboard.type(typed);
        await until(`${names} are found`, async () => (await found.count()) === names.length);
        for (const [i, name] of names.entries()) assert.ok((await found.nth(i).innerText()).startsWith(name), name);
        await found.first().click();
    };
    await run('theme: da', 'Theme: Dark');
    await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' });
    await until('it is stored', async () => (await client.getJson('/api/settings')).theme === 'dark');
    await run('pin', 'Pin\nLetter to the bank');
    await page.locator('#toasts').getByText('Pinned', { exact: true }).waitFor();
    await run('unpin', 'Unpin');
    await page.locator('#toasts').getByText('Unpinned', { exact: true }).waitFor();
    await run('rename', 'Rename');
    await page.getByRole('textbox', { name: 'Title' }).and(page.locator(':focus')).press('Escape');
    await page.evaluate(() => localStorage.setItem('alfred.draft.new', 'a draft'));
    await run('sign o', 'Sign out');
    await page.waitForURL(/signin/);
    assert.equal(await page.evaluate(() => localStorage.getItem('alfred.draft.new')), null);
});

test('Enter in the search box waits for the list of what is typed', async (t) => {
    const { client, ids } = await reader('enna');
    const page = await open(t, { as: client });
    await page.keyboard.press('Control+k');
    const options = page.getByRole('dialog').getByRole('option');
    await options.filter({ hasText: 'Gardening books' }).waitFor();
    const held = [];
    await page.route('**/page/search/typed?q=letter', (route) => held.push(route));
    await page.keyboard.type('letter');
    await page.keyboard.press('Enter'); // the marked line is the newest session
    await until('it is searched', () => held.length);
    assert.equal(page.url(), `${alfred.baseUrl}/`);
    await leads(page, new RegExp(ids[1]), () => Promise.all(held.map((route) => route.continue())));
});

test('Ctrl and the key left of the right Shift list the keys only where it types a slash', async (t) => {
    const page = await open(t, { as: await alfred.user('fritz') });
    const taken = (key) => page.evaluate((k) => !dispatchEvent(new KeyboardEvent('keydown', { key: k, code: 'Slash', ctrlKey: true, cancelable: true })), key);
    assert.equal(await taken('-'), false, 'a German keyboard: the browser zooms out');
    assert.equal(await taken('/'), true);
});

test('after the search box is closed, the message box takes what is typed', async (t) => {
    const page = await open(t, { as: await alfred.user('hedda') });
    for (const text of ['one', 'two', 'three']) {
        await page.keyboard.press('Control+k');
        const box = page.getByRole('combobox', { name: 'Search sessions' });
        await box.waitFor();
        await page.keyboard.press('Escape');
        await box.waitFor({ state: 'detached' });
        await page.keyboard.type(text);
        assert.ok((await page.locator('#text').inputValue()).endsWith(text), text);
    }
});

test('Enter and Esc that end a composition in Safari do nothing else', async (t) => {
    const { client } = await reader('gudo');
    const page = await open(t, { as: client });
    /** Whether the page takes the key, which Safari marks by its code alone. */
    const takes = (el, key) => el.evaluate((box, k) => !box.dispatchEvent(new KeyboardEvent('keydown', { key: k, keyCode: 229, bubbles: true, cancelable: true })), key);
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'Search sessions' });
    await page.getByRole('option', { name: 'Gardening books' }).waitFor();
    assert.equal(await takes(box, 'Enter'), false);
    assert.equal(page.url(), `${alfred.baseUrl}/`);
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'detached' });
    await page.locator('#text').pressSequentially('/he');
    await page.getByRole('option', { name: '/help' }).waitFor();
    for (const key of ['Enter', 'Escape']) assert.equal(await takes(page.locator('#text'), key), false);
    assert.equal(await page.locator('#text').inputValue(), '/he');
    assert.ok(await page.getByRole('option', { name: '/help' }).isVisible());
    await page.locator('#sessions-nav .row').first().hover();
    await page.locator('#sessions-nav .row-more').first().click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const title = page.getByRole('textbox', { name: 'Title' });
    for (const key of ['Enter', 'Escape']) assert.equal(await takes(title, key), false);
    assert.ok(await title.isVisible());
});

test('Ctrl+Shift+O begins a new chat, Ctrl+Shift+S hides the sidebar, Ctrl+/ lists the keys, Shift+Esc goes to the box', async (t) => {
    const { client, ids } = await reader('bela');
    const page = await open(t, { as: client, path: `/s/${ids[0]}` });
    const chat = new Chat(page);
    await page.keyboard.press('Control+/');
    const help = page.getByRole('dialog', { name: 'Keys' });
    await help.waitFor();
    assert.match(await help.innerText(), /Ctrl\+K/);
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.locator('#account-menu > summary').click();
    await page.locator('#account-menu').getByRole('button', { name: 'Keys' }).click();
    await help.waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('Control+Shift+S');
    await chat.sidebar.waitFor({ state: 'hidden' });
    await page.reload();
    await ready(page);
    assert.equal(await chat.sidebar.isVisible(), false, 'it stays hidden');
    await page.getByRole('link', { name: 'Show the sidebar' }).click();
    await chat.sidebar.waitFor();
    await page.locator('#main').focus();
    await page.keyboard.press('Shift+Escape');
    assert.ok(await chat.box.evaluate((el) => el === document.activeElement));
    await leads(page, `${alfred.baseUrl}/`, () => page.keyboard.press('Control+Shift+O'));
});

test('Esc closes menus and dialogs before it stops the answer', async (t) => {
    const { client } = await reader('cleo');
    const page = await open(t, { as: client });
    const chat = new Chat(page);
    await chat.send('Go on');
    const call = await asked('Go on');
    await call.text('On and');
    await chat.reads('On and');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search sessions' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(call.left, false);
    await call.text(' on');
    await chat.reads('On and on');
    await page.keyboard.press('Escape');
    await call.gone;
    await chat.settled();
});

test('a row has a menu that renames in place, without moving it, and deletes', async (t) => {
    const { client, ids } = await reader('dora');
    const page = await open(t, { as: client });
    const chat = new Chat(page);
    const row = page.locator(`#side [data-session="${ids[1]}"]`);
    const titles = () => chat.rows.locator('.row-title').allInnerTexts();
    await row.hover();
    await row.getByRole('button', { name: 'Options of Letter to the bank' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    const field = row.getByRole('textbox', { name: 'Title' });
    await field.fill('Letter to the mayor');
    await field.press('Enter');
    await row.getByText('Letter to the mayor').waitFor();
    assert.deepEqual(await titles(), ['Gardening books', 'Letter to the mayor', 'Garden plans']);
    await until('it is stored', async () => (await client.getJson(`/api/sessions/${ids[1]}`)).session.title === 'Letter to the mayor');
    await page.reload();
    await ready(page);
    assert.deepEqual(await titles(), ['Gardening books', 'Letter to the mayor', 'Garden plans']);
    // The menu by keyboard alone.
    await row.getByRole('button').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menu').waitFor();
    await page.keyboard.press('ArrowUp'); // wraps to the last item, which is Delete
    await page.keyboard.press('Enter');
    await row.waitFor({ state: 'detached' });
    assert.deepEqual(await titles(), ['Gardening books', 'Garden plans']);
    assert.equal((await client.get(`/api/sessions/${ids[1]}`)).status, 410);
    // The way back, by keyboard alone.
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await row.waitFor();
    assert.deepEqual(await titles(), ['Gardening books', 'Letter to the mayor', 'Garden plans']);
    await page.locator(`:focus`).and(row.getByRole('link').first()).waitFor();
});

test('the sessions page shows title, time and number of messages, finds, renames and deletes', async (t) => {
    const { client, ids } = await reader('emil');
    const page = await open(t, { as: client, path: '/sessions' });
    const items = page.locator('#session-list > li');
    assert.deepEqual(await items.locator('.item-title').allInnerTexts(), ['Gardening books', 'Letter to the bank', 'Garden plans']);
    assert.match(await items.first().innerText(), /just now|ago/);
    assert.match(await items.first().innerText(), /2 messages/);
    const item = page.locator(`#session-list [data-session="${ids[1]}"]`);
    const choose = async (title, what) => {
        await item.getByRole('link', { name: `Options of ${title}` }).click();
        await page.getByRole('menuitem', { name: what }).click();
    };
    await choose('Letter to the bank', 'Rename');
    await page.keyboard.press('Escape');
    await choose('Letter to the bank', 'Rename');
    await item.getByRole('textbox', { name: 'Title' }).and(page.locator(':focus')).fill('Letter to nobody');
    await page.keyboard.press('Enter');
    await item.locator('.item-title', { hasText: 'Letter to nobody' }).waitFor();
    assert.deepEqual(await items.locator('.item-title').allInnerTexts(), ['Gardening books', 'Letter to nobody', 'Garden plans']);
    await choose('Letter to nobody', 'Pin');
    await item.getByText('pinned').waitFor();
    assert.equal((await items.locator('.item-title').allInnerTexts())[0].split(',')[0].trim(), 'Letter to nobody', 'it is the first now');
    await choose('Letter to nobody', 'Unpin');
    await item.getByText('pinned').waitFor({ state: 'detached' });
    await choose('Letter to nobody', 'Delete');
    await item.waitFor({ state: 'detached' });
    assert.equal((await client.get(`/api/sessions/${ids[1]}`)).status, 410);
    await page.getByRole('searchbox').fill('books');
    await leads(page, /q=books/, () => page.getByRole('searchbox').press('Enter'));
    assert.deepEqual(await items.locator('.item-title').allInnerTexts(), ['Gardening books']);
    await leads(page, new RegExp(ids[2]), () => items.first().getByRole('link').first().click());
});

test('after Undo of a notice the focus is on the session', async (t) => {
    const { client, ids } = await reader('nora');
    const page = await open(t, { as: client, path: `/s/${ids[1]}` });
    const has = (where) => where.and(page.locator(':focus')).waitFor();
    const row = page.locator(`#sessions-nav [data-session="${ids[1]}"]`), link = row.getByRole('link').first();
    const dots = page.locator('#session-menu summary');
    for (const [button, back] of [[dots, dots], [row.getByRole('button'), link]]) {
        for (const [act, told, undone] of [['Pin', 'Pinned', 'Unpinned'], ['Archive', 'Archived', 'Moved back to the list']]) {
            await button.focus();
            await page.keyboard.press('Enter');
            await page.getByRole('menuitem', { name: act, exact: true }).press('Enter');
            await page.locator('#toasts').getByText(told, { exact: true }).waitFor();
            await page.getByRole('button', { name: 'Undo' }).press('Enter');
            await page.locator('#toasts').getByText(undone, { exact: true }).waitFor();
            await has(back);
        }
    }
});

test('Ctrl+Z presses the Undo of a notice, but not in a text', async (t) => {
    const { client, ids } = await reader('otto');
    const page = await open(t, { as: client, path: `/s/${ids[1]}` }), notices = page.locator('#toasts');
    const dots = page.locator('#session-menu summary'), box = page.locator('#text');
    await dots.press('Enter');
    await page.getByRole('menuitem', { name: 'Pin', exact: true }).press('Enter');
    assert.match(await notices.getByRole('button', { name: 'Undo' }).getAttribute('aria-keyshortcuts'), /^Control\+Z/);
    assert.match(await notices.textContent(), /Pinned.*Ctrl\+Z undoes this\./, 'it is said');
    await box.fill('Half');
    await box.press('End');
    await page.keyboard.type(' a word');
    await page.keyboard.press('Control+z');
    assert.notEqual(await box.inputValue(), 'Half a word');
    assert.match(await notices.textContent(), /Pinned/);
    await dots.focus();
    await page.keyboard.press('Control+z');
    await notices.getByText('Unpinned', { exact: true }).waitFor();
    assert.ok(await dots.evaluate((el) => el === document.activeElement));
});

test('a menu opened while the list is read again stays, with the focus', async (t) => {
    const { client, ids } = await reader('berta');
    const page = await open(t, { as: client, path: '/sessions' });
    const item = (id) => page.locator(`#session-list [data-session="${id}"]`);
    const menu = async (id) => item(id).getByRole('link', { name: /Options of/ }).click();
    let go = () => {};
    const read = new Promise((ok) => { void page.route('**/sessions?limit=*', (route) => { go = () => route.continue(); ok(); }, { times: 1 }); });
    await menu(ids[1]);
    await page.getByRole('menuitem', { name: 'Pin' }).click();
    await read;
    await menu(ids[2]);
    const shows = page.getByRole('menuitem', { name: 'Rename' });
    await shows.and(page.locator(':focus')).waitFor();
    go();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await item(ids[1]).getByText('pinned').waitFor();
    await shows.and(page.locator(':focus')).waitFor();
    const expanded = () => item(ids[2]).getByRole('link', { name: /Options of/ }).getAttribute('aria-expanded');
    assert.equal(await expanded(), 'true');
    await page.keyboard.press('Escape');
    await shows.waitFor({ state: 'detached' });
    assert.equal(await expanded(), null);
});

test('a form that opens in a list has the focus in its first field, and Esc restores its values', async (t) => {
    const { client } = await reader('xaver');
    await client.postJson('/api/memories', { text: 'Plays the cello', permanent: true });
    const page = await open(t, { as: client, path: '/memory' });
    const pen = page.locator('.rename summary').first();
    await pen.focus();
    await page.keyboard.press('Enter');
    const box = page.locator('.rename textarea').first();
    await until('it has the focus', () => box.evaluate((el) => el === document.activeElement));
    await page.keyboard.type('Nonsense ');
    await page.keyboard.press('Escape');
    await box.waitFor({ state: 'hidden' });
    assert.ok(await pen.evaluate((el) => el === document.activeElement));
    assert.equal((await box.inputValue()).trim(), 'Plays the cello');
});

test('a session that gets an answer elsewhere is marked unread until it is opened', async (t) => {
    const { client, ids } = await reader('fanny');
    const page = await open(t, { as: client, path: `/s/${ids[0]}` });
    const chat = new Chat(page);
    await chat.send('Take your time');
    const call = await asked('Take your time');
    await call.text('Soon');
    await chat.reads('Soon');
    await leads(page, `${alfred.baseUrl}/`, () => page.getByRole('link', { name: 'New chat' }).first().click());
    const row = page.locator(`#side [data-session="${ids[0]}"]`);
    assert.ok(await row.locator('.running').isVisible(), 'it runs on');
    await call.text(' done.');
    await call.end();
    await until('the answer is stored', async () => !(await client.getJson(`/api/sessions/${ids[0]}`)).turn);
    await page.reload();
    assert.ok(await row.locator('.unread').isVisible());
    await leads(page, new RegExp(ids[0]), () => row.getByRole('link').click());
    await leads(page, `${alfred.baseUrl}/`, () => page.getByRole('link', { name: 'New chat' }).first().click());
    assert.equal(await row.locator('.unread').isVisible(), false);
});

test('a menu that is asked for twice while its style is loading opens once', async (t) => {
    const { client, ids } = await reader('dorle');
    const page = await open(t, { as: client, path: '/tasks' });
    const button = page.locator(`#sessions-nav [data-session="${ids[1]}"] button`), menu = page.getByRole('menu');
    let go;
    const asked = new Promise((ok) => { void page.route('**/over.css*', (route) => { go = () => route.continue(); ok(); }); });
    await button.dispatchEvent('click');
    await asked;
    await button.dispatchEvent('click');
    go();
    await menu.first().waitFor();
    await page.evaluate(() => new Promise((ok) => requestAnimationFrame(ok)));
    assert.equal(await menu.count(), 1);
});

test('a right click on its button closes a menu, and the next click opens it again', async (t) => {
    const { client, ids } = await reader('doris');
    const page = await open(t, { as: client, path: '/tasks' });
    const row = page.locator(`#sessions-nav [data-session="${ids[1]}"]`), button = row.locator('button'), menu = page.getByRole('menu');
    await row.hover();
    await button.click();
    await menu.waitFor();
    await button.click({ button: 'right' });
    await menu.waitFor({ state: 'detached' });
    await button.click();
    await menu.waitFor();
    await button.click();
    await menu.waitFor({ state: 'detached' });
    await button.click();
    await menu.waitFor();
});
