// The page of settings: choices are saved at once and stay, texts are saved by their button, and all of it works without
// a script and with the keyboard.
import { test } from 'node:test';
import assert from 'node:assert/strict';

import { axe } from '../lib/look.js';
import { DESKTOP, leads, phone, stage } from '../lib/stage.js';

const { alfred, open } = await stage({ providers: false });
await alfred.admin('anna');

const saved = (page, name) => page.locator('form.setting', { has: page.locator(`[name=${name}]`) }).locator('.saved');

test('a choice is saved at once, is seen at once, and is there before the first paint of the next page', async (t) => {
    const client = await alfred.user('una');
    const page = await open(t, { as: client, path: '/settings', colorScheme: 'light' });
    assert.equal(await page.getByRole('button', { name: 'Save the theme' }).isVisible(), false);
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await ground();
    await page.getByRole('group', { name: 'Theme' }).getByRole('radio', { name: 'Dark' }).check();
    assert.notEqual(await ground(), light);
    await saved(page, 'theme').filter({ hasText: 'Saved' }).waitFor();
    await page.getByRole('radio', { name: 'Larger' }).check();
    await saved(page, 'text_size').filter({ hasText: 'Saved' }).waitFor();
    await page.waitForFunction(() => getComputedStyle(document.body).fontSize === '20px');
    await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Pacific/Auckland');
    await saved(page, 'time_zone').filter({ hasText: 'Saved' }).waitFor();
    const search = page.getByRole('group', { name: 'Web access', description: /They read pages .* None of the connected models .* SearXNG server/ });
    await search.getByRole('radio', { name: 'On' }).check();
    await saved(page, 'web_search').filter({ hasText: 'Saved' }).waitFor();

    const plain = await open(t, { as: client, colorScheme: 'light', javaScriptEnabled: false });
    assert.notEqual(await plain.evaluate(() => getComputedStyle(document.documentElement).backgroundColor), light);
    assert.equal(await plain.evaluate(() => getComputedStyle(document.body).fontSize), '20px');
    const settings = await client.getJson('/api/settings');
    assert.deepEqual([settings.theme, settings.text_size, settings.time_zone, settings.web_search], ['dark', 'larger', 'Pacific/Auckland', true]);
    assert.equal((await client.getJson('/api/me')).time_zone, 'Pacific/Auckland');
});

test('a choice that was not saved is taken back, with the reason', async (t) => {
    const client = await alfred.user('uma');
    const page = await open(t, { as: client, path: '/settings', colorScheme: 'light', allow: [/503/] });
    await page.route('**/api/settings', (route) => route.fulfill({ status: 503, json: { error: { code: 'unavailable', message: 'Alfred is busy.' } } }));
    await page.getByRole('group', { name: 'Theme' }).getByRole('radio', { name: 'Dark' }).click();
    await page.getByText('Alfred is busy.').waitFor();
    assert.ok(await page.getByRole('group', { name: 'Theme' }).getByRole('radio', { name: 'System' }).isChecked());
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), undefined);
});

test('theme and send key of older versions move from the browser to the server once', async (t) => {
    const client = await alfred.user('urs');
    const page = await open(t, { as: client, path: '/sessions', colorScheme: 'light' });
    const old = () => page.evaluate(() => [localStorage.getItem('alfred.theme'), localStorage.getItem('alfred.send')]);
    const keep = () => page.evaluate(() => {
        localStorage.setItem('alfred.theme', 'dark');
        localStorage.setItem('alfred.send', 'mod-enter');
    });
    await keep();
    await page.reload();
    await page.locator('html[data-theme=dark]').waitFor({ state: 'attached' });
    assert.deepEqual(await old(), [null, null]);
    const settings = async () => {
        const { theme, send_key: key } = await client.getJson('/api/settings');
        return [theme, key];
    };
    assert.deepEqual(await settings(), ['dark', 'mod_enter']);
    // A choice on the server stays.
    await client.request('PATCH', '/api/settings', { json: { theme: 'light' } });
    await keep();
    await page.goto('/sessions');
    await page.waitForFunction(() => !localStorage.getItem('alfred.theme'));
    assert.deepEqual(await settings(), ['light', 'mod_enter']);
});

test('the key that sends', async (t) => {
    const client = await alfred.user('ute');
    await client.request('PATCH', '/api/settings', { json: { send_key: 'mod_enter' } });
    const page = await open(t, { as: client });
    const box = page.getByRole('textbox', { name: 'Message Alfred' });
    await box.fill('One');
    await box.press('Enter');
    await box.pressSequentially('two');
    assert.equal(await box.inputValue(), 'One\ntwo');
    await box.press('Control+Enter');
    await page.locator('#transcript article.user').waitFor();
});

test('texts are saved by their button; the whole page works with the keyboard', async (t) => {
    const client = await alfred.user('ulf');
    const page = await open(t, { as: client, path: '/settings' });
    await page.getByRole('group', { name: 'Theme' }).getByRole('radio', { name: 'System' }).focus();
    await page.keyboard.press('ArrowRight');
    await saved(page, 'theme').filter({ hasText: 'Saved' }).waitFor();
    const about = page.getByRole('textbox', { name: 'About me' });
    for (let i = 0; i < 30 && !(await about.evaluate((el) => el === document.activeElement)); i++) await page.keyboard.press('Tab');
    await page.keyboard.type('I bake bread.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await saved(page, 'about_me').filter({ hasText: 'Saved' }).waitFor();
    assert.equal((await client.getJson('/api/settings')).theme, 'light');
    assert.equal((await client.getJson('/api/settings')).about_me, 'I bake bread.');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.type(' And cake.');
    assert.equal(await saved(page, 'about_me').innerText(), '', 'it is not saved any more');
});

test('the display name is saved by Enter, with the focus where it was', async (t) => {
    const page = await open(t, { as: await alfred.user('named'), path: '/settings' });
    const name = page.getByRole('textbox', { name: 'Display name' });
    await name.fill('Käthe Groß');
    await leads(page, /settings/, () => name.press('Enter'));
    assert.equal(await name.inputValue(), 'Käthe Groß');
    assert.ok(await name.evaluate((el) => el === document.activeElement));
});

test('a text that is not saved yet is saved with a change of the language, whose page comes without it', async (t) => {
    const client = await alfred.user('uwe');
    const page = await open(t, { as: client, path: '/settings' });
    await page.getByRole('textbox', { name: 'About me' }).fill('I bake bread.');
    await leads(page, /settings/, () => page.getByRole('radio', { name: 'Deutsch' }).click());
    assert.equal(await page.locator('[name=about_me]').inputValue(), 'I bake bread.');
    const settings = await client.getJson('/api/settings');
    assert.deepEqual([settings.about_me, settings.language], ['I bake bread.', 'de']);
    assert.equal(settings.answer_style, '');
});

test('without a script every form saves by its button and says so', async (t) => {
    const client = await alfred.user('udo');
    const page = await open(t, { as: client, path: '/settings', javaScriptEnabled: false });
    await page.getByRole('radio', { name: 'Dark' }).first().check();
    await page.getByRole('button', { name: 'Save the theme' }).click();
    assert.match(await page.locator('.flash').innerText(), /settings are saved/);
    await page.getByRole('textbox', { name: 'How to answer' }).fill('Short.');
    await page.getByRole('button', { name: 'Save “How to answer”' }).click();
    assert.equal(await page.getByRole('textbox', { name: 'How to answer' }).inputValue(), 'Short.');
    assert.equal((await client.getJson('/api/settings')).theme, 'dark');
});

test('axe finds nothing and nothing is wider than the window, at a desktop and on a phone', async (t) => {
    const client = await alfred.user('ugo');
    for (const size of [{ viewport: DESKTOP }, phone]) {
        const page = await open(t, { as: client, path: '/settings', ...size });
        assert.deepEqual(await axe(page), []);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    }
});
