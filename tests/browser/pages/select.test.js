// Actions on many sessions of the list: with the mouse, by keyboard, on a phone, and without a script.
import { test } from 'node:test';
import assert from 'node:assert/strict';

import { axe } from '../lib/look.js';
import { DESKTOP, leads, phone, ready, stage, until } from '../lib/stage.js';

const { alfred, open, blank } = await stage({ providers: false });
await alfred.admin('anna');

/** A user with sessions "Chat 0", "Chat 1" and so on, the newest first in the list. */
async function user(name, n = 6) {
    const client = await alfred.user(name);
    alfred.database((db) => {
        const { id } = db.prepare('SELECT id FROM user WHERE name = ?').get(name);
        const add = db.prepare("INSERT INTO session (pub, owner, title, titled_by, created_at, active_at, seen_at) VALUES (?, ?, ?, 'user', ?, ?, ?)");
        const at = Date.now() - 1000 * n;
        for (let i = 0; i < n; i++) add.run(`ses_${String(id).padStart(4, '0')}${String(i).padStart(22, '0')}`, id, `Chat ${i}`, at + i, at + i, at + i);
    });
    return client;
}
const titles = (page) => page.locator('#session-list .item-title').allTextContents();
const picked = (page) => page.locator('.choose:checked').evaluateAll((all) => all.map((p) => p.closest('li').querySelector('.item-title').textContent.trim()));
const pick = (page, title) => page.getByRole('checkbox', { name: `Select ${title}` });

for (const size of [{ viewport: DESKTOP }, phone])
    test(`select, archive and undo at ${size.viewport.width} px`, async (t) => {
        const page = await open(t, { as: await user(`ida${size.viewport.width}`), path: '/sessions', ...size });
        const bar = page.locator('#batch');
        assert.equal(await bar.isVisible(), false);
        await pick(page, 'Chat 4').check();
        await page.locator('#picked', { hasText: '1 selected' }).waitFor();
        await pick(page, 'Chat 1').click({ modifiers: ['Shift'] });
        assert.deepEqual(await picked(page), ['Chat 4', 'Chat 3', 'Chat 2', 'Chat 1']);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        assert.deepEqual(await axe(page), []);
        await bar.getByRole('button', { name: 'Archive' }).click();
        await page.getByText('4 sessions are in the archive.').waitFor();
        assert.deepEqual(await titles(page), ['Chat 5', 'Chat 0']);
        await page.getByRole('button', { name: 'Undo' }).click();
        await until('all are back', async () => (await titles(page)).length === 6);
        await page.getByText('4 sessions are as they were.').waitFor();
    });

test('the bar is shown with a selection only, also before a script has arrived', async (t) => {
    const page = await blank(t, { as: await user('early') });
    await page.route(/\/js\//, () => {}); // they never arrive
    await page.goto('/sessions', { waitUntil: 'commit' });
    const bar = page.locator('#batch');
    await bar.waitFor({ state: 'attached' });
    const look = async () => [await bar.isVisible(), await pick(page, 'Chat 2').evaluate((el) => getComputedStyle(el).opacity)];
    assert.deepEqual(await look(), [false, '0']);
    await pick(page, 'Chat 4').check();
    assert.deepEqual(await look(), [true, '1']);
});

for (const size of [{ viewport: DESKTOP }, phone, { viewport: { width: 720, height: 450 } }])
    test(`a button clears the selection, at ${size.viewport.width} by ${size.viewport.height} px`, async (t) => {
        const page = await open(t, { as: await user(`clea${size.viewport.width}`, 45), path: '/sessions', ...size });
        await pick(page, 'Chat 43').check();
        await page.getByRole('checkbox', { name: 'Select all 45 that match' }).check();
        await page.locator('#picked', { hasText: '45 selected' }).waitFor();
        assert.deepEqual(await axe(page), []);
        const clear = page.getByRole('button', { name: 'Clear selection' });
        await clear.click();
        assert.deepEqual(await picked(page), []);
        await clear.waitFor({ state: 'hidden' });
        assert.ok(await pick(page, 'Chat 43').evaluate((el) => el === document.activeElement), 'the row that was chosen last has the focus');
        await pick(page, 'Chat 42').click({ modifiers: ['Shift'] });
        assert.deepEqual(await picked(page), ['Chat 42'], 'no range begins at a row that is not selected');
        assert.equal(await page.getByRole('checkbox', { name: 'Select all 45 that match' }).isChecked(), false);
    });

test('what was done is told with Undo, also when the lists cannot be read again', async (t) => {
    const page = await open(t, { as: await user('ira'), path: '/sessions', allow: [/status of 503/] });
    await pick(page, 'Chat 4').check();
    for (const path of ['**/sessions?limit=*', '**/page/sidebar*']) await page.route(path, (route) => route.fulfill({ status: 503, body: '' }));
    await page.locator('#batch').getByRole('button', { name: 'Archive' }).click();
    await page.locator('#toasts').getByText('is in the archive').waitFor();
    assert.ok(await page.locator('#toasts').getByRole('button', { name: 'Undo' }).isVisible());
    assert.equal(await page.locator('#alerts > *').count(), 0);
});

test('x selects nothing while the focus is outside of the list', async (t) => {
    const page = await open(t, { as: await user('lou'), path: '/sessions' });
    await page.locator('.views a').first().focus();
    await page.keyboard.press('x');
    assert.deepEqual(await picked(page), []);
});

test('by keyboard: x selects the focused row, and the bar is reached with Tab', async (t) => {
    const client = await user('kim'), page = await open(t, { as: client, path: '/sessions' });
    await page.locator('#session-list a.item-main').nth(1).focus();
    await page.keyboard.press('x');
    await page.locator('#session-list a.item-main').nth(3).focus();
    await page.keyboard.press('Shift+X');
    await page.keyboard.press('x');
    await page.keyboard.press('x');
    assert.ok((await picked(page)).includes('Chat 4'));
    await page.locator('#batch').getByRole('button', { name: 'Delete' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText(/in the trash\./).waitFor();
    const inList = () => page.evaluate(() => document.activeElement.matches('#session-list .choose'));
    assert.ok(await inList(), 'the bar has gone, and the focus is in the list');
    await page.getByRole('button', { name: 'Undo' }).press('Enter');
    await page.getByText(/as (it was|they were)\./).waitFor();
    assert.ok(await inList(), 'the same for Undo');
    for (const id of (await client.getJson('/api/sessions')).sessions.slice(0, 2).map((one) => one.id)) await client.request('DELETE', `/api/sessions/${id}`, { json: {} });
    await page.goto('/trash');
    await ready(page);
    await leads(page, /\/trash/, () => page.getByRole('button', { name: /^Restore ?: / }).first().press('Enter'));
    assert.ok(await page.getByRole('button', { name: /^Restore ?: / }).evaluate((el) => el === document.activeElement), 'in the trash it is in the row that remains');
});

test('all that match are more than the page has', async (t) => {
    const page = await open(t, { as: await user('mia', 45), path: '/sessions' });
    const boxes = page.locator('.choose'), everything = page.getByRole('checkbox', { name: 'Select all 45 that match' });
    await pick(page, 'Chat 44').check();
    const shown = await boxes.count();
    await everything.check();
    await page.locator('#picked', { hasText: '45 selected' }).waitFor();
    assert.equal((await picked(page)).length, shown);
    await page.locator('a[rel=next]').evaluate((el) => el.scrollIntoView());
    await until('the rest is there, selected', async () => (await picked(page)).length === 45);
    await pick(page, 'Chat 40').uncheck();
    await page.locator('#picked', { hasText: '44 selected' }).waitFor();
    assert.equal(await everything.isChecked(), false);
    await everything.check();
    await page.locator('#picked', { hasText: '45 selected' }).waitFor();
    assert.equal((await picked(page)).length, 45);
    await page.locator('#batch').getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByText('45 sessions are pinned.').waitFor();
});

test('all that match in a workspace whose name has quotation marks', async (t) => {
    const as = await user('zita', 45), name = 'the "old" wall';
    alfred.sql("UPDATE session SET workspace = ? WHERE owner = (SELECT id FROM user WHERE name = 'zita') AND title != 'Chat 7'", name);
    const page = await open(t, { as, path: `/sessions?${new URLSearchParams({ workspace: name, q: '-chat' })}` }); // finds the word
    await pick(page, 'Chat 44').check();
    await page.getByRole('checkbox', { name: 'Select all 44 that match' }).check();
    await page.locator('#picked', { hasText: '44 selected' }).waitFor();
    await page.locator('#batch').getByRole('button', { name: 'Pin', exact: true }).click();
    await page.getByText('44 sessions are pinned.').waitFor();
});

test('the number of all that match is asked for again after a failure', async (t) => {
    const page = await open(t, { as: await user('ada', 45), path: '/sessions', allow: [/status of 503/] });
    const count = '**/page/sessions/count*';
    await page.route(count, (route) => route.fulfill({ status: 503, body: '' }));
    await pick(page, 'Chat 44').check();
    await page.locator('#alerts .problem').waitFor();
    await page.unroute(count);
    await pick(page, 'Chat 43').check();
    await page.getByRole('checkbox', { name: 'Select all 45 that match' }).check();
    await page.locator('#picked', { hasText: '45 selected' }).waitFor();
});

test('more than the page shows are deleted after a question', async (t) => {
    const page = await open(t, { as: await user('noa', 95), path: '/sessions' });
    await pick(page, 'Chat 94').check();
    await page.getByRole('checkbox', { name: 'Select all 95 that match' }).check();
    const remove = page.locator('#batch').getByRole('button', { name: 'Delete' }), question = page.getByRole('dialog', { name: 'Delete 95 sessions?' });
    await remove.click();
    await question.waitFor();
    assert.deepEqual(await axe(page), []);
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    assert.ok(await remove.evaluate((el) => el === document.activeElement));
    await remove.click();
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('95 sessions are in the trash.').waitFor();
});

for (const size of [{ viewport: DESKTOP }, phone])
    test(`the button for more actions stays where it is (${size.viewport.width} px)`, async (t) => {
        const page = await open(t, { as: await user(`lea${size.viewport.width}`, 45), path: '/sessions', ...size });
        await pick(page, 'Chat 44').check();
        const more = page.locator('#batch summary');
        await page.getByText('Select all 45').waitFor();
        const before = await more.boundingBox();
        await more.click();
        assert.deepEqual(await more.boundingBox(), before);
        await page.getByRole('combobox', { name: 'Workspace' }).fill('Home');
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
        await page.getByRole('button', { name: 'Set workspace' }).click();
        await page.getByText('The workspace of 1 session is changed.').waitFor();
    });

test('the fields for more actions close by Esc and by a click outside', async (t) => {
    const page = await open(t, { as: await user('max'), path: '/sessions' });
    await pick(page, 'Chat 4').check();
    const more = page.locator('#batch summary'), field = page.getByRole('combobox', { name: 'Workspace' });
    await more.click();
    await field.click();
    await field.press('Escape');
    await field.waitFor({ state: 'hidden' });
    assert.ok(await more.evaluate((el) => el === document.activeElement));
    await more.click();
    await field.waitFor();
    await page.getByRole('heading', { level: 1 }).click();
    await field.waitFor({ state: 'hidden' });
    assert.deepEqual(await picked(page), ['Chat 4'], 'what is selected stays so');
});

test('in a low window the bar is one line at the lower end, and everything in it is reached', async (t) => {
    const page = await open(t, { as: await user('low', 45), path: '/sessions', viewport: { width: 720, height: 450 } });
    await pick(page, 'Chat 44').check();
    await page.getByText('Select all 45').waitFor();
    const bar = await page.locator('#batch').boundingBox();
    assert.ok(bar.height <= 56 && Math.abs(bar.y + bar.height - 450) <= 1, JSON.stringify(bar));
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    for (const name of ['Pin', 'Delete']) await page.locator('#batch').getByRole('button', { name, exact: true }).click({ trial: true });
    await page.locator('#batch summary').click();
    await page.getByRole('combobox', { name: 'Workspace' }).fill('Home');
    const fields = await page.locator('#batch .fields').boundingBox();
    assert.ok(fields.y >= 0 && fields.y + fields.height <= bar.y && fields.x >= 0 && fields.x + fields.width <= 720, JSON.stringify(fields));
    assert.deepEqual(await axe(page), []);
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/batch-low.png` });
    await page.getByRole('button', { name: 'Set workspace' }).click();
    await page.getByText('The workspace of 1 session is changed.').waitFor();
});

test('Enter in the field for the workspace sets it, and on a box of a row does nothing', async (t) => {
    const page = await open(t, { as: await user('enter', 3), path: '/sessions' });
    await pick(page, 'Chat 2').check();
    await pick(page, 'Chat 2').press('Enter');
    await page.locator('#batch summary').click();
    await page.getByRole('combobox', { name: 'Workspace' }).fill('Boat');
    await page.keyboard.press('Enter');
    await page.getByText('The workspace of 1 session is changed.').waitFor();
    assert.equal(await page.locator('.pin-mark').count(), 0);
});

test('the focus in the bar of what is selected does not move the list', async (t) => {
    const page = await open(t, { as: await user('una', 45), path: '/sessions' });
    await pick(page, 'Chat 44').check();
    const place = () => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(scrollY)))));
    await page.evaluate(() => scrollTo(0, 300));
    const before = await place();
    for (const name of ['Pin', 'Delete']) {
        await page.locator('#batch').getByRole('button', { name, exact: true }).focus();
        assert.equal(await place(), before, name);
    }
});

test('after Pin and Archive in the menu of a row the list stays, with the focus on the next row', async (t) => {
    const page = await open(t, { as: await user('zoe', 30), path: '/sessions' });
    const item = (title) => page.locator('#session-list > li', { hasText: title }), y = () => page.evaluate(() => scrollY);
    await page.evaluate(() => scrollTo(0, 600));
    for (const [what, title, next] of [['Pin', 'Chat 15', 'Chat 14'], ['Archive', 'Chat 14', 'Chat 13']]) {
        await item(title).getByRole('link', { name: 'Options' }).focus();
        const before = await y();
        await page.keyboard.press('Enter');
        await page.getByRole('menuitem', { name: what, exact: true }).focus();
        await page.keyboard.press('Enter');
        await page.locator('#toasts').getByText(what === 'Pin' ? 'Pinned' : 'Archived').waitFor();
        assert.ok(await item(next).locator('a.item-main').evaluate((el) => el === document.activeElement), `${what}: the next row`);
        assert.equal(await y(), before, what);
    }
});

test('without a script the same form leads to a page with Undo', async (t) => {
    const page = await open(t, { as: await user('tom'), path: '/sessions', javaScriptEnabled: false });
    await pick(page, 'Chat 2').check();
    await pick(page, 'Chat 5').check();
    await page.locator('#batch').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('2 sessions are in the trash.').waitFor();
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('2 sessions are as they were.').waitFor();
});
