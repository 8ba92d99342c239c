// API tokens on the Account page, and the page /api: with the keyboard, without scripts, at 360 px, in both languages.
import { test } from 'node:test';
import assert from 'node:assert/strict';

import { axe } from '../lib/look.js';
import { DESKTOP, phone, stage } from '../lib/stage.js';

const { alfred, open } = await stage({ providers: false });
await alfred.admin('anna');
const wide = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);

test('a token is made with the keyboard, shown once, and revoked', async (t) => {
    const page = await open(t, { as: await alfred.user('tia'), path: '/account', ...DESKTOP });
    await page.locator('#tokens summary').focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Name', { exact: true }).fill('My editor');
    assert.ok(await page.getByLabel('chat with models').isChecked());
    await page.getByLabel('read your data').check();
    await page.getByLabel('Name', { exact: true }).press('Enter');
    const secret = await page.getByLabel('Token My editor').inputValue();
    assert.match(secret, /^alf_[0-9A-Za-z]{33}$/);
    assert.deepEqual(await axe(page), []);
    await page.goto(new URL('/account', page.url()).href);
    assert.equal((await page.content()).includes(secret), false);
    const row = page.locator('#tokens .item', { hasText: 'My editor' });
    assert.match(await row.innerText(), /read your data, chat with models/);
    assert.match(await row.innerText(), /never used/);
    await row.getByRole('button', { name: 'Revoke My editor' }).click();
    await page.getByText('The token is revoked.').first().waitFor();
    assert.equal(await page.locator('#tokens .item').count(), 0);
});

for (const language of ['en', 'de']) {
    test(`both pages fit a phone without scripts (${language})`, async (t) => {
        const client = await alfred.user(`tom${language}`);
        await client.request('PATCH', '/api/settings', { json: { language } });
        await client.postJson('/api/tokens', { name: 'A program with quite a long name, because people do that', scopes: 'read write chat', days: 30 });
        const page = await open(t, { as: client, path: '/account', ...phone, viewport: { width: 360, height: 740 }, javaScriptEnabled: false, allow: [/400/] });
        assert.ok((await page.locator('#tokens h2').innerText()).length > 5);
        await page.locator('#tokens summary').click();
        assert.ok((await wide(page)) <= 0);
        await page.locator('#tokens input[name=name]').fill('x');
        for (const box of await page.locator('#tokens input[type=checkbox]').all()) await box.uncheck();
        await page.locator('#tokens form[action="/account/tokens"] button').click();
        assert.equal(await page.locator('#tokens input[name=name]').inputValue(), 'x', 'the form is shown again with the reason');
        await page.goto(new URL('/api', page.url()).href);
        assert.ok((await page.getByText('POST /api/tasks').count()) > 0);
        assert.ok((await wide(page)) <= 0);
    });
}

// every_page.test.js has it on a desktop in English and on a phone in German.
test('axe finds nothing in the reference of the API on a desktop, in German', async (t) => {
    const page = await open(t, { as: await alfred.user('tim'), path: '/api', locale: 'de-DE', ...DESKTOP });
    assert.equal(await page.evaluate(() => document.documentElement.lang), 'de');
    assert.deepEqual(await axe(page), []);
});
