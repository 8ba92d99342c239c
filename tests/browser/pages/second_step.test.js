// Two-step sign-in: with the keyboard on a desktop, without scripts on a phone; the admins' page of users.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { PASSWORD } from '../../lib/rig.js';
import { codeOf, forget, step, turnOn, wrongCode } from '../../lib/second_step.js';
import { axe } from '../lib/look.js';
import { DESKTOP, leads, phone, ready, stage } from '../lib/stage.js';

const { alfred, open } = await stage({ providers: false });
const admin = await alfred.admin('anna');
const wide = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
const secretOn = async (page) => (await page.locator('.secret').innerText()).replaceAll(' ', '');
/** Types a code and sends it, again if the machine stood still until the code was too old. `is`: the page that follows. */
async function enter(page, secret, send, is) {
    for (;;) {
        const begun = step();
        await page.locator('input[name=code]').fill(codeOf(secret));
        await send();
        await page.waitForLoadState();
        if ((await is.count()) || step() - begun <= 1) return;
    }
}

test('with the keyboard: it is turned on, asked for, and turned off', async (t) => {
    const page = await open(t, { as: await alfred.user('tia'), path: '/account', ...DESKTOP, allow: [/401/] });
    await page.locator('#second-step summary').focus();
    await page.keyboard.press('Enter');
    await page.locator('#second-step input[name=current]').fill(PASSWORD);
    await leads(page, /\/account\/second-step$/, () => page.keyboard.press('Enter'));
    const qr = await page.getByRole('img', { name: 'QR code for the app' }).boundingBox();
    assert.ok(qr.width >= 200 && Math.abs(qr.width - qr.height) < 1, JSON.stringify(qr));
    const secret = await secretOn(page);
    await enter(page, secret, () => leads(page, /confirm$/, () => page.keyboard.press('Enter')), page.locator('#codes'));
    const codes = (await page.locator('#codes').inputValue()).split('\n');
    assert.equal(codes.length, 10);
    const box = await page.locator('#codes').evaluate((el) => el.scrollHeight - el.clientHeight);
    assert.ok(box <= 1, 'all codes are seen');
    assert.deepEqual(await axe(page), []);
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Save as a file' }).press('Enter')]);
    assert.equal(file.suggestedFilename(), 'alfred-recovery-codes.txt');
    assert.deepEqual(readFileSync(await file.path(), 'utf8').trim().split('\n').slice(2), codes);
    await leads(page, /\/account#second-step$/, () => page.getByRole('link', { name: 'I have stored the codes' }).press('Enter'));
    assert.match(await page.locator('#second-step').innerText(), /10 recovery codes are left/);

    forget(alfred, 'tia');
    await page.context().clearCookies();
    await page.goto('/signin?next=%2Ftasks');
    await ready(page);
    await page.keyboard.type('tia');
    await page.getByLabel('Password').fill(PASSWORD);
    await leads(page, /\/signin\/code/, () => page.keyboard.press('Enter'));
    assert.deepEqual(await axe(page), []);
    await page.keyboard.type(wrongCode(secret));
    await leads(page, /\/signin\/code/, () => page.keyboard.press('Enter'));
    assert.match(await page.getByRole('alert').innerText(), /wrong/);
    assert.equal(await page.evaluate(() => `${document.activeElement.name}:${document.activeElement.value}`), 'code:', 'the next code can be typed at once');
    await enter(page, secret, () => leads(page, /\/(tasks|signin\/code)/, () => page.keyboard.press('Enter')), page.getByRole('heading', { name: 'To-do' }));
    assert.match(page.url(), /\/tasks$/);

    await page.goto('/account');
    await ready(page);
    await page.locator('#second-step summary', { hasText: 'Turn off' }).press('Enter');
    const form = page.locator('form[action$="/off"]');
    await form.locator('[name=current]').fill(PASSWORD);
    await form.locator('[name=code]').fill(codes[0]);
    assert.deepEqual(await axe(page), []);
    await leads(page, /\/account\?done=second_off/, () => page.keyboard.press('Enter'));
    await page.getByText('Two-step sign-in is off.').first().waitFor();
    assert.equal(await page.locator('#second-step summary').count(), 1);
});

test('without scripts, on a phone of 360 px, in German', async (t) => {
    const client = await alfred.user('tom');
    await client.request('PATCH', '/api/settings', { json: { language: 'de' } });
    const page = await open(t, { as: client, path: '/account', ...phone, viewport: { width: 360, height: 740 }, locale: 'de-DE', javaScriptEnabled: false, allow: [/401/] });
    const fits = async () => assert.ok((await wide(page)) <= 0, page.url());
    await page.locator('#second-step summary').click();
    await fits();
    await page.locator('#second-step input[name=current]').fill(PASSWORD);
    await page.locator('#second-step form button').click();
    await page.waitForURL(/second-step$/);
    await fits();
    const secret = await secretOn(page);
    await page.locator('input[name=code]').fill(wrongCode(secret));
    await page.locator('form button').last().click();
    await page.locator('#problem').waitFor();
    await enter(page, secret, () => page.locator('form[action$=confirm] button').click(), page.locator('#codes'));
    await page.locator('#codes').waitFor();
    await fits();
    const [code] = (await page.locator('#codes').inputValue()).split('\n');
    await page.goto('/account');
    for (const summary of await page.locator('#second-step summary').all()) await summary.click();
    await fits();

    await page.context().clearCookies();
    await page.goto('/signin');
    await page.locator('[name=name]').fill('tom');
    await page.locator('[name=password]').fill(PASSWORD);
    await page.locator('main form button').click();
    await page.waitForURL(/signin\/code/);
    await fits();
    await page.locator('[name=code]').fill(code.replaceAll('-', ' '));
    await page.locator('main form button').click();
    await page.waitForURL(/\/$/);
    assert.equal((await page.goto('/account')).status(), 200);
    assert.match(await page.locator('#second-step').innerText(), /9 Wiederherstellungscodes sind übrig/);
});

test('the name of a user with two-step sign-in has room beside the buttons, in German', async (t) => {
    await turnOn(alfred, await alfred.user('bernhard'));
    for (const viewport of [DESKTOP, { width: 360, height: 740 }]) {
        const page = await open(t, { as: admin, path: '/admin/users', locale: 'de-DE', viewport });
        const row = page.locator('.item', { hasText: 'bernhard' });
        assert.ok(await row.getByRole('button', { name: 'Zwei Schritte ausschalten für bernhard' }).isVisible());
        assert.ok((await row.locator('.item-title').boundingBox()).height < 40);
        assert.ok((await wide(page)) <= 0);
    }
});
