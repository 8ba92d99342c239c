// The language of the pages: the user's setting, else the browser's, in pages, scripts, dates and numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { answers } from '../../fake/provider.js';
import { Chat, texts } from '../lib/chat.js';
import { ready, stage } from '../lib/stage.js';

const { alfred, provider, open } = await stage();
const de = texts('de');
const greta = await alfred.admin('greta');

/** The words that people see on a page, without those of users. */
const seen = (page) => page.evaluate(() => document.body.innerText);

test('the sign-in page has the language of the browser', async (t) => {
    for (const [locale, lang, button] of [['de-AT', 'de', 'Anmelden'], ['en-US', 'en', 'Sign in'], ['tlh', 'en', 'Sign in']]) {
        const page = await open(t, { path: '/signin', locale });
        assert.equal(await page.locator('html').getAttribute('lang'), lang, locale);
        await page.getByRole('button', { name: button, exact: true }).waitFor();
    }
});

test('the setting of the user goes before the browser, at once and on the next pages', async (t) => {
    const page = await open(t, { as: await alfred.user('setting'), path: '/settings', locale: 'en-GB' });
    await page.getByRole('radio', { name: 'Deutsch' }).check();
    await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor();
    assert.equal(await page.getByRole('radio', { name: 'Deutsch' }).isChecked(), true);
    await ready(page);
    assert.ok(await page.getByRole('radio', { name: 'Deutsch' }).evaluate((el) => el === document.activeElement), 'the focus stays in the choice');
    await page.goto('/sessions');
    await page.getByRole('heading', { level: 1, name: 'Sitzungen' }).waitFor();
    await page.goto('/settings');
    await ready(page);
    await page.getByRole('radio', { name: 'English' }).check();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
});

test('without JavaScript the setting is saved by its button', async (t) => {
    const page = await open(t, { as: await alfred.user('noscript'), path: '/settings', javaScriptEnabled: false, locale: 'en-GB' });
    await page.getByRole('radio', { name: 'Deutsch' }).check();
    await page.getByRole('button', { name: 'Save the language' }).click();
    await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor();
});

test('a chat is German from the greeting to the end of an answer, and in the sidebar', async (t) => {
    const page = await open(t, { as: greta, locale: 'de-DE' });
    const chat = new Chat(page, de);
    await page.getByText('Was beschäftigt dich?').waitFor();
    provider.next(answers('Guten Tag.'), (call) => call.userText === 'Hallo');
    await chat.send('Hallo');
    await chat.reads('Guten Tag.');
    await chat.settled();
    await chat.said.getByText('Fertig', { exact: true }).waitFor();
    await chat.reply.getByRole('button', { name: 'Kopieren' }).waitFor();
    await chat.reply.getByRole('button', { name: 'Erneut antworten' }).waitFor();
    await chat.rows.first().hover();
    await chat.rows.first().getByRole('button').click();
    await page.getByRole('menuitem', { name: 'Anheften' }).click();
    await page.locator('#toasts').getByText('Angeheftet').waitFor();
    await page.getByRole('button', { name: 'Rückgängig' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Suchen' }).waitFor();
    await page.getByText('Letzte Sitzungen').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+/');
    await page.getByText('Strg+Umschalt+O').waitFor();
});

test('one user reads the same sidebar in two languages', async (t) => {
    for (const [locale, name] of [['de-DE', 'Suchen'], ['en-GB', 'Search'], ['de-DE', 'Suchen']]) {
        const page = await open(t, { as: greta, path: '/sessions', locale });
        await page.getByRole('link', { name, exact: false }).first().waitFor();
        const options = await page.locator('#sessions-nav .row .row-more').first().getAttribute('aria-label');
        assert.match(options, locale === 'de-DE' ? /^Optionen von/ : /^Options of/);
    }
});

test('texts of scripts are there before they are shown: no text changes its language and nothing moves', async (t) => {
    const page = await open(t, { as: greta, path: '/sessions', locale: 'de-DE' });
    const requests = [];
    page.on('request', (r) => requests.push(new URL(r.url()).pathname));
    await page.goto('/', { waitUntil: 'networkidle' });
    assert.deepEqual(requests.filter((p) => p.includes('/lang/')).map((p) => p.replace(/^\/static\/[0-9a-f]{12}\//, '')), ['lang/de/texts.js'], 'one small module; the rest comes with its first use');
    assert.doesNotMatch(await seen(page), /New chat|Search|Sessions|Memory/);
});
