// Tests of the tests: a page that one test has used has nothing of it in the next.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { PHONE, stage } from './stage.js';

const { alfred, open, blank } = await stage();
const anna = await alfred.admin('anna');
const used = [];

test('a page is changed in every way', async (t) => {
    const page = await open(t, { as: anna, colorScheme: 'dark', allow: [/ERR_INTERNET_DISCONNECTED/] }); // modules that come later
    await page.evaluate(async () => {
        localStorage.setItem('left', 'local');
        sessionStorage.setItem('left', 'session');
        window.name = 'left';
        await new Promise((done) => (indexedDB.open('left').onsuccess = done));
    });
    await page.context().addCookies([{ name: 'left', value: 'cookie', url: alfred.baseUrl }]);
    await page.route('**/tasks', (route) => route.abort());
    page.on('load', () => assert.fail('a listener was left'));
    await page.context().newPage();
    await page.setViewportSize(PHONE);
    await page.context().setOffline(true);
    used.push(page);
});

test('the next test has the page without the changes', async (t) => {
    const page = await blank(t);
    assert.ok(page === used[0]);
    assert.deepEqual(await page.context().cookies(), []);
    assert.equal(page.context().pages().length, 1);
    assert.equal((await page.goto('/signin')).status(), 200);
    const left = await page.evaluate(async () => [localStorage.length, sessionStorage.length, window.name, (await indexedDB.databases()).length, innerWidth, matchMedia('(prefers-color-scheme: dark)').matches]);
    assert.deepEqual(left, [0, 0, '', 0, 1280, false]);
    assert.equal((await page.goto('/tasks')).status(), 200);
});

test('a page with a script that stays is not used again', async (t) => {
    const page = await blank(t);
    await page.addInitScript(() => (window.left = true));
    used.push(page);
});

test('nor is a page that was closed', async (t) => {
    const page = await blank(t);
    assert.ok(page !== used[1]);
    assert.ok(used[1].isClosed());
    await page.close();
    const other = await blank(t);
    assert.ok(other !== page);
});

test('two pages of one test have two contexts', async (t) => {
    const [one, other] = [await blank(t), await blank(t)];
    assert.ok(one.context() !== other.context());
});
