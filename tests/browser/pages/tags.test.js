// Tags, filters of the list and operators of the search on the pages, with and without script, by keyboard, narrow.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { ended, send } from '../../lib/chat.js';
import { axe } from '../lib/look.js';
import { leads, nextPage, phone, stage } from '../lib/stage.js';

const SHOTS = process.env.SHOTS; // a folder for pictures

const { alfred, open } = await stage();
const ada = await alfred.user('ada', { role: 'admin' });
for (const [text, tags] of [['The old plum tree', 'Garden, Trees'], ['The climbing rose', 'Garden'], ['The tax office', 'Money, Long and narrow name of a tag'], ['A letter', '']]) {
    const sent = await send(ada, text, { choice: 'offline/offline' });
    await ended(ada, sent.turn);
    await ada.request('PATCH', `/api/sessions/${sent.session}`, { json: { title: text, tags } });
}
const signedIn = async (t, more) => open(t, { as: await alfred.signIn('ada'), ...more });
const titles = (page) => page.locator('#session-list .item-title').allTextContents().then((all) => all.map((s) => s.trim()));
const shot = async (page, name) => SHOTS && page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });

for (const javaScriptEnabled of [true, false])
    test(`the list is filtered by a form, and chips take the filter away (script ${javaScriptEnabled ? 'on' : 'off'})`, async (t) => {
        const page = await signedIn(t, { javaScriptEnabled, path: '/sessions' });
        await page.locator('.filters summary').click();
        await page.locator('select[name=tags]').selectOption('Garden');
        await page.locator('select[name=sort]').selectOption('created');
        await nextPage(page, () => page.getByRole('button', { name: 'Apply' }).click());
        await page.getByRole('link', { name: 'Remove tag:"Garden"' }).waitFor();
        assert.deepEqual(await titles(page), ['The climbing rose', 'The old plum tree']);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
        await nextPage(page, () => page.getByRole('link', { name: 'Remove tag:"Garden"' }).click());
        assert.equal((await titles(page)).length, 4);
        await page.goto('/sessions?q=tag:nowhere');
        await page.getByText('You have no tag “nowhere”.').waitFor();
    });

test('F2 renames in place, Esc keeps the old title', async (t) => {
    const page = await signedIn(t, { path: '/sessions' });
    const row = page.locator('#session-list > li', { hasText: 'A letter' });
    await row.locator('.item-main').focus();
    await page.keyboard.press('F2');
    await page.locator('.row-rename').waitFor();
    await page.keyboard.type('Never');
    await page.keyboard.press('Escape');
    assert.ok((await titles(page)).includes('A letter'));
    await page.keyboard.press('F2');
    await page.locator('.row-rename').waitFor();
    await page.keyboard.type('A letter to the bank');
    await Promise.all([page.waitForResponse((r) => r.request().method() === 'PATCH'), page.keyboard.press('Enter')]);
    await page.locator('#session-list .item-title', { hasText: 'A letter to the bank' }).waitFor();
    await page.reload();
    assert.ok((await titles(page)).includes('A letter to the bank'));
});

test('the menu of a session sets tags by keyboard', async (t) => {
    const page = await signedIn(t, { path: '/sessions' });
    const row = page.locator('#session-list > li', { hasText: 'The climbing rose' });
    await row.locator('.dots').click();
    await page.getByRole('menuitem', { name: 'Tags' }).click();
    const field = page.getByRole('combobox', { name: 'New tag' });
    await field.waitFor();
    await field.fill('Flowers');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'Flowers' }).waitFor();
    await shot(page, 'dialog');
    assert.deepEqual(await axe(page), []);
    await page.getByRole('checkbox', { name: 'Garden' }).click();
    await page.getByRole('checkbox', { name: 'Garden', checked: false }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#session-list > li', { hasText: 'The climbing rose' }).getByText('Flowers').waitFor();
    await page.waitForFunction(() => !document.querySelector('#session-list > li:nth-child(3)')?.textContent?.includes('Garden'));
});

for (const [where, size] of [['a desktop', {}], ['a phone', phone]])
    for (const javaScriptEnabled of [true, false])
        test(`the notice of a form on ${where} moves nothing and covers nothing (script ${javaScriptEnabled ? 'on' : 'off'})`, async (t) => {
            const name = `note${where.length}${javaScriptEnabled}`;
            await alfred.user(name);
            const page = await open(t, { as: await alfred.signIn(name), javaScriptEnabled, path: '/tags', allow: [/status of 409/], ...size });
            const box = (what) => page.locator(what).boundingBox();
            const before = [await box('h1'), await box('.tag-add')];
            const add = async (tag) => {
                await page.locator('.tag-add [name=name]').fill(tag);
                await nextPage(page, () => page.locator('.tag-add button').click());
            };
            for (const [tag, notice] of [['Boat', '.flash'], ['Boat', '.problem'], ['', null]]) {
                if (tag) await add(tag);
                else await page.goto('/tags');
                if (notice) {
                    const at = await box(notice);
                    assert.ok(at.y >= 0 && at.y + at.height <= before[0].y && at.width >= 200, JSON.stringify(at));
                    if (javaScriptEnabled) assert.deepEqual(await axe(page), []);
                    for (const button of await page.locator('.bar .ibtn:visible').all()) await button.click({ trial: true });
                    await shot(page, `notice-${where}-${javaScriptEnabled}${notice}`);
                }
                assert.deepEqual([await box('h1'), await box('.tag-add')], before, `after ${notice}`);
            }
        });

test('the dialog lists tags by number, and a new one at its place', async (t) => {
    const user = await alfred.user('numbers');
    const sent = await send(user, 'Files by number', { choice: 'offline/offline' });
    await ended(user, sent.turn);
    await user.request('PATCH', `/api/sessions/${sent.session}`, { json: { tags: 'File 10, file 9, Zoo, a' } });
    const page = await open(t, { as: await alfred.signIn('numbers'), path: '/sessions' });
    await page.locator('#session-list .dots').click();
    await page.getByRole('menuitem', { name: 'Tags' }).click();
    const names = page.locator('.tag-choices li');
    await names.first().waitFor();
    assert.deepEqual(await names.allTextContents(), ['a', 'file 9', 'File 10', 'Zoo']);
    await page.getByRole('combobox', { name: 'New tag' }).fill('File 9b');
    await page.keyboard.press('Enter');
    await page.getByRole('checkbox', { name: 'File 9b', checked: true }).waitFor();
    assert.deepEqual(await names.allTextContents(), ['a', 'file 9', 'File 9b', 'File 10', 'Zoo']);
    await page.keyboard.press('Escape');
    await page.locator('#session-list').getByText('File 9b').waitFor();
    assert.deepEqual(await page.locator('#session-list .tag').allTextContents(), ['a', 'file 9', 'File 9b', 'File 10', 'Zoo']);
});

for (const [where, size] of [['a desktop', {}], ['a phone', phone]])
    test(`on the page of a conversation on ${where} the dialog has small boxes beside their names, and says what it refuses`, async (t) => {
        const user = await alfred.user(`zoe${where.length}`);
        const sent = await send(user, 'Much to sort', { choice: 'offline/offline' });
        await ended(user, sent.turn);
        await user.request('PATCH', `/api/sessions/${sent.session}`, { json: { tags: Array.from({ length: 20 }, (_, i) => `Subject number ${i}`).join(', ') } });
        const page = await open(t, { as: user, path: `/s/${sent.session}`, ...size, allow: [/status of 4/] });
        if (size === phone) await page.getByRole('link', { name: 'Show the sidebar' }).tap();
        await page.locator('#sessions-nav .row').first().hover();
        await page.locator('#sessions-nav .row-more').first().click();
        await page.getByRole('menuitem', { name: 'Tags' }).click();
        const dialog = page.getByRole('dialog', { name: 'Tags' });
        await dialog.getByRole('checkbox').first().waitFor();
        for (const check of [dialog.getByRole('checkbox').first(), dialog.getByRole('checkbox').last()]) {
            const box = await check.boundingBox(), name = await check.locator('xpath=following-sibling::bdi').boundingBox();
            assert.ok(box.width <= 24 && box.height <= 24 && name.x - box.x - box.width <= 12, JSON.stringify([box, name]));
        }
        const field = dialog.getByRole('combobox', { name: 'New tag' });
        for (let i = 0; i < 3; i++) {
            await field.fill('One more');
            await Promise.all([page.waitForResponse((r) => r.request().method() === 'PATCH'), page.keyboard.press('Enter')]);
        }
        await dialog.getByRole('alert').getByText('A session can have at most').waitFor();
        assert.equal(await page.locator('.problem').count(), 1, 'said once');
        assert.ok(await dialog.getByRole('alert').evaluate((el) => { const { x, y, width, height } = el.getBoundingClientRect(); return el.contains(document.elementFromPoint(x + width / 2, y + height / 2)); }), 'in view');
        await shot(page, `refused-${where}`);
        assert.deepEqual(await axe(page), []);
    });

test('the form of the tags is as wide as its column', async (t) => {
    for (const options of [{}, phone]) {
        const page = await signedIn(t, { path: '/tags', ...options });
        const end = (sel) => page.locator(sel).evaluate((el) => el.getBoundingClientRect().right);
        assert.equal(await end('.tag-add > .btn'), await end('#tag-list'));
    }
});

test('a tag is renamed in the form that its button opens', async (t) => {
    const user = await alfred.user('renamer');
    for (const name of ['Boat', 'House']) await user.postJson('/api/tags', { name });
    const page = await open(t, { as: user, path: '/tags' });
    const item = page.locator('#tag-list > li').first(), name = item.locator('[name=name]');
    await leads(page, /edit=/, () => item.getByRole('link', { name: /^Options/ }).click());
    assert.ok(await name.evaluate((el) => el === document.activeElement));
    assert.deepEqual(await axe(page), []);
    await name.fill('Anchor');
    await leads(page, /done=/, () => item.getByRole('button', { name: 'Save' }).click());
    await item.getByText('Anchor', { exact: true }).waitFor();
    assert.equal(await page.locator('#tag-list form').count(), 0);
});

test('further pages of the list load while scrolling', async (t) => {
    const mia = await alfred.user('mia');
    for (let i = 0; i < 35; i++) await ended(mia, (await send(mia, `Number ${i}`, { choice: 'offline/offline' })).turn);
    const page = await open(t, { as: await alfred.signIn('mia'), path: '/sessions' });
    await page.locator('#session-list > li').nth(20).scrollIntoViewIfNeeded();
    await page.locator('#session-list > li').nth(34).waitFor();
    assert.equal(await page.locator('a[rel=next]').count(), 0);
});

test('the search box offers operators, and the search shows them as chips', async (t) => {
    const page = await signedIn(t, { path: '/' });
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'Search' });
    await box.waitFor();
    await page.keyboard.type('tag:mo');
    await page.getByRole('option', { name: 'tag:Money' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('dialog input')?.value === 'tag:Money ');
    await page.getByRole('option', { name: /The tax office/ }).waitFor();
    await shot(page, 'find');
    await page.goto('/search?q=tag:garden+plum');
    await page.getByRole('link', { name: 'Remove tag:garden' }).waitFor();
    await shot(page, 'search');
    assert.deepEqual(await axe(page), []);
});

for (const scheme of ['light', 'dark'])
    for (const path of ['/sessions?q=after:2020+is:unread+-tag:Money', '/tags?edit=1', '/search'])
        test(`${path} is accessible at 360 px, ${scheme}`, async (t) => {
            const page = await signedIn(t, { ...phone, colorScheme: scheme, path });
            if (path.startsWith('/sessions')) await page.locator('.filters summary').click();
            assert.deepEqual(await axe(page), []);
            assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
            await shot(page, `${path.replace(/\W+/g, '-')}-${scheme}`);
        });
