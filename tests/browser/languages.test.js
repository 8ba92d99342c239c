// The language of the pages: the browser's, in every text.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { stage } from './lib/stage.js';

const { alfred, open } = await stage();
await alfred.user('greta');

test('the sign-in page has the language of the browser', async (t) => {
    for (const [locale, lang, button] of [['de-AT', 'de', 'Anmelden'], ['en-US', 'en', 'Sign in'], ['fr-FR', 'en', 'Sign in']]) {
        const page = await open(t, { path: '/signin', locale });
        assert.equal(await page.locator('html').getAttribute('lang'), lang, locale);
        await page.getByRole('button', { name: button, exact: true }).waitFor();
    }
});
